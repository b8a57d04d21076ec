/* The same probe in two modes, side by side. The cluster changes its mode for it, so it runs only when somebody
   asks. */
const compare = { modes: ['iptables', 'userspace'], busy: false, answer: null, error: '', shown: null };
const BINS = 48;

function makeCompare() {
  const pickMode = index => {
    const select = el('select', { id: 'compare-' + index,
        onchange: event => { compare.modes[index] = event.target.value; keepAddress(); drawCompare(); } },
        ...MODES.map(mode => el('option', { value: mode }, mode)));
    select.value = compare.modes[index];
    return select;
  };
  $('compare').replaceChildren(el('h2', { id: 'compare-title' }, 'Compare modes ',
      el('small', {}, 'the same packet, and how long it takes')),
    el('form', { class: 'filters', onsubmit: event => { event.preventDefault(); runCompare(); } },
      el('label', { for: 'compare-0' }, 'Mode'), pickMode(0), el('label', { for: 'compare-1' }, 'and'), pickMode(1),
      el('button', { type: 'submit', id: 'compare-go', class: 'go' }, 'Compare')),
    el('p', { class: 'empty', id: 'compare-note', role: 'status' }),
    el('p', { class: 'difference', id: 'compare-error', role: 'alert', hidden: true }),
    el('div', { id: 'compare-result' }));
}

function drawCompare() {
  if ($('compare').hidden || !model.client) return;
  if (!$('compare-go')) makeCompare();
  set($('compare-go'), { disabled: replay.on || compare.busy || compare.modes[0] === compare.modes[1] });
  put($('compare-go'), compare.busy ? 'comparing…' : 'Compare');
  put($('compare-note'), compare.busy ? compareProgress() : compare.modes[0] === compare.modes[1]
      ? 'Choose two different modes.'
    : 'From ' + probe.from + ' to ' + probe.to
        + ', as “Send a packet” says. Two of the three modes at a time: all nodes change to each for some seconds, '
        + 'and get back what they have now.');
  $('compare-error').hidden = !compare.error;
  put($('compare-error'), compare.error);
  $('compare-result').classList.toggle('old', compare.of !== [probe.from, probe.to, compare.modes].join());
  if (compare.shown !== compare.answer) {
    compare.shown = compare.answer;
    $('compare-result').replaceChildren(...compareResult(compare.answer));
  }
}

/** The newest thing that the server has told of it. */
function compareProgress() {
  const told = model.news.filter(each => each.layer === 'compare').pop();
  return told ? told.what + '…' : 'begins…';
}

async function runCompare() {
  if (compare.busy) return;
  Object.assign(compare, { busy: true, error: '', answer: null, of: [probe.from, probe.to, compare.modes].join() });
  drawCompare();
  try {
    compare.answer = await act('compare', { from: probe.from, to: probe.to, modes: compare.modes });
    say('compared ' + compare.modes.join(' and '));
  } catch (error) {
    compare.error = error.message;
  }
  compare.busy = false;
  keepAddress();
  redraw();
}

/** A row for each thing that is compared, in both columns at one height; first what differs. */
function compareResult(answer) {
  if (!answer) return [];
  const scale = commonScale(answer.modes.flatMap(each => each.micros));
  const most = Math.max(1, ...answer.modes.flatMap(each => bins(each.micros, scale)));
  const [one, other] = answer.modes.map(each => modeRows(each, scale, most));
  const rows = [...one].map(([term, [key, ...value]]) =>
      ({ term, differs: key !== other.get(term)[0], cells: [value, other.get(term).slice(1)] }));
  const head = part => el('div', { class: 'mode' }, el('h3', {}, part.mode),
      el('button', { onclick: () => { openSent(part.probe); play(); } }, 'Show its way'));
  return [el('div', { class: 'modes box' }, el('span', {}), ...answer.modes.map(head),
    ...rows.sort((a, b) => b.differs - a.differs).flatMap(({ term, differs, cells }) => [
      el('h4', { class: differs ? 'differs' : null }, (differs ? '≠\u00a0' : '=\u00a0') + term),
      ...cells.map((value, index) =>
          el('div', { class: 'text cell', 'aria-label': term + ', ' + answer.modes[index].mode }, ...value))])),
  el('p', { class: 'empty' }, '≠ marks what differs. Each latency is one connection: connect, ask, first byte of the '
    + 'answer, from a socket in the sender’s network. The order of the rounds is '
    + [0, 1, 1, 0].map(index => answer.modes[index].mode).join(', ')
        + ', each after 300 probes to warm up, so what changes on the machine meets both alike.')];
}

/** What is told of a mode: for each term what makes it the same as another's, and what is shown. */
function modeRows(part, scale, most) {
  const there = part.probe.steps.filter(each => !each.answer);
  const seen = part.probe.observed;
  const rows = new Map();
  const own = seen.seen === part.probe.source;
  rows.set('Source seen', [String(own) + !seen.seen,
      ...(seen.seen ? [el('b', {}, seen.seen), own ? ', the sender’s own' : ', in place of ' + part.probe.source]
      : ['nobody has said'])]);
  for (const [term, steps] of [['Rewritten', there],
      ['On the way back', part.probe.steps.filter(each => each.answer)]]) {
    const changes = steps.filter(isRewritten);
    rows.set(term, [changes.map(each => actor(each)[0] + Boolean(each.chain)).join(),
        ...(changes.length ? changes.map(each => rewritten(part.probe, each)) : ['nowhere'])]);
  }
  const met = there.filter(each => each.rule || each.actor === 'proxy-rule' && isRewritten(each));
  const where = met.length ? count(met.length, 'rule matches', 'rules match') + ', on '
      + [...new Set(met.map(each => each.where))].join(' and ') : 'none';
  rows.set('Rules it meets', [where, where]);
  const dead = part.mode === 'userspace' ? 'connections end with the agent, and new ones are refused'
      : 'connections and rules go on: they are the kernel’s';
  rows.set('After kill -9', [dead, dead]);
  rows.set('Latency', [part.mode, distribution(part, scale, most)]);
  rows.set('Answer', [seen.kind, seen.kind === 'answered' ? 'it is answered' : verdict(part.probe),
      ...part.probe.differences.map(text => el('span', { class: 'bad' }, ' ' + text))]);
  return rows;
}

function rewritten(answer, each) {
  const [before, after, changed] = ends(answer, each);
  return el('span', { class: 'change-at' }, el('b', {}, actor(each)[0]), ' ',
      el('span', { class: 'address' }, each.chain || each.what),
    ...['source', 'destination'].map((name, index) => !changed[index] ? ''
      : el('span', { class: 'address' }, name + ' ' + before[index] + ' → ', el('mark', {}, after[index]))),
    each.rule ? el('code', { class: 'address' }, each.rule) : null);
}

/** Steps of 1, 2 and 5 around all latencies, by their logarithm. */
function commonScale(micros) {
  const ticks = [1e2, 1e3, 1e4, 1e5, 1e6].flatMap(ten => [ten, 2 * ten, 5 * ten]);
  const low = ticks.filter(tick => tick <= Math.min(...micros)).pop() || 50;
  const high = ticks.find(tick => tick >= Math.max(...micros)) || 2e6;
  const at = value => Math.log(value / low) / Math.log(high / low);
  return { ticks: ticks.filter(tick => tick >= low && tick <= high), at };
}

function bins(micros, scale) {
  const counts = new Array(BINS).fill(0);
  micros.forEach(each => { counts[Math.min(BINS - 1, Math.max(0, Math.floor(scale.at(each) * BINS)))]++; });
  return counts;
}

function percentile(micros, part) {
  const inOrder = [...micros].sort((a, b) => a - b);
  return inOrder[Math.max(0, Math.ceil(part * inOrder.length) - 1)];
}

function millis(micros) { return (micros / 1000).toPrecision(micros < 1e5 ? 2 : 3).replace(/\.0$/, '') + ' ms'; }

function distribution(part, scale, most) {
  if (!part.micros.length) return el('p', { class: 'empty' }, 'No latency: nobody answers.');
  const [middle, slow] = [percentile(part.micros, .5), percentile(part.micros, .99)];
  const figures = 'p50 ' + millis(middle) + ', p99 ' + millis(slow);
  const chart = svg('svg', { viewBox: '0 0 ' + BINS + ' 40', preserveAspectRatio: 'none', role: 'img',
      'aria-label': part.micros.length + ' latencies: ' + figures });
  bins(part.micros, scale).forEach((number,
      index) => { if (number) chart.append(svg('rect',
      { x: index + .08, width: .84, y: 40 - 40 * number / most, height: 40 * number / most })); });
  [['middle', middle], ['slow', slow]].forEach(([name, value]) =>
      chart.append(svg('line', { class: name, x1: scale.at(value) * BINS, x2: scale.at(value) * BINS, y1: 0, y2: 40,
      'vector-effect': 'non-scaling-stroke' })));
  const axis = el('div', { class: 'axis', 'aria-hidden': 'true' });
  const last = { wide: -1, narrow: -1 };
  scale.ticks.forEach(tick => {
    const place = scale.at(tick);
    if (place - last.wide < .2 || place > .8) return;
    last.wide = place;
    const fits = place - last.narrow >= .45 && place < .65;
    if (fits) last.narrow = place;
    const label = el('span', { class: fits ? null : 'wide-only' }, millis(tick));
    label.style.left = place * 100 + '%';
    axis.append(label);
  });
  return el('figure', {}, el('figcaption', {}, el('b', {}, 'p50 ' + millis(middle)),
      el('span', { class: 'line middle' }), el('b', {}, 'p99 ' + millis(slow)), el('span', { class: 'line slow' }),
    el('small', {}, part.micros.length + ' probes' + (part.failed ? ', ' + part.failed + ' failed' : ''))), chart,
        axis);
}
