/* Sends a packet, and walks its steps: on the picture and as a list. */
const probe = { from: 'client-1', to: 'web:80', busy: false, answer: null, error: '', at: -1, timer: 0, watch: false,
    follow: false, chosen: false };

/** Made once, so that nobody loses what is half typed. */
function makeForm() {
  const from = el('select', { id: 'probe-from', onchange: event => { probe.from = event.target.value; } });
  const to = el('input', { id: 'probe-to', spellcheck: 'false', autocomplete: 'off',
      oninput: event => { probe.to = event.target.value; } });
  const known = el('select', { id: 'targets', 'aria-label': 'What can be asked',
      onchange: event => { setTo(event.target.value); formChanged(); event.target.value = ''; } });
  to.value = probe.to;
  $('send').replaceChildren(el('form', { class: 'send', onsubmit: event => { event.preventDefault(); sendProbe(); } },
    el('h2', {}, 'Send a packet'),
    el('div', { class: 'fields' }, el('label', { for: 'probe-from' }, 'From'), from,
        el('label', { for: 'probe-to' }, 'To'), el('span', { class: 'combo' }, to, known)),
    el('div', { class: 'goes' }, el('button', { id: 'fill', hidden: true, onclick: () => fillIn(nextPacket()[0]) }),
        el('button', { type: 'submit', class: 'go', id: 'go' })),
    el('p', { class: 'empty' }, replay.on ? 'This is a recording: nothing can be sent or changed.'
        : 'A real connection. Its way is shown here, rule by rule.')));
}

function drawForm() {
  if (!$('probe-from')) makeForm();
  for (const [id, text] of [['go', 'Send'], ['again', 'Send again']]) {
    const button = $(id);
    if (!button) continue;
    set(button, { disabled: replay.on, 'aria-disabled': String(probe.busy) });
    put(button, !probe.busy ? text : switching ? 'waits for ' + switching.mode + ' mode…' : 'sending…');
  }
  const from = $('probe-from');
  const names = senders();
  if (from.known !== names.flat().join()) {
    from.known = names.flat().join();
    from.replaceChildren(...names.map(([label, ...values]) =>
        el('optgroup', { label }, ...values.map(value => el('option', { value }, value)))));
    from.value = probe.from;
    if (from.selectedIndex < 0) probe.from = from.value = from.options[0].value;
  }
  const values = targets();
  if ($('targets').known !== values.join()) {
    $('targets').known = values.join();
    $('targets').replaceChildren(el('option', { value: '' }), ...values.map(value => el('option', { value }, value)));
    $('targets').value = '';
  }
  if (!probe.chosen && !values.includes(probe.to)) setTo(works() || probe.to);
}

function setTo(value) {
  probe.to = value;
  $('probe-to').value = value;
}

/** A Service that answers: one of the reader's own if there is one. */
function works() {
  const able = sorted('service').filter(service => service.addresses.length
      && service.ports.some(port => port.protocol === 'TCP') && ready(service).length);
  const found = able.find(service => !/^kubernetes$|kube-system$/.test(service.id)) || able[0];
  return found ? found.id + ':' + found.ports.find(port => port.protocol === 'TCP').port : '';
}

/** What was wrong with the form before is not wrong with what it says now. */
function formChanged() {
  probe.chosen = true;
  probe.error = '';
  compare.error = '';
  showError('');
  lessonChecks().forEach(([check, tried]) => { if (check.subject === 'packet' && !tried.seen) tried.note = ''; });
  judge();
  drawPanel();
}

function senders() {
  return [
    ['Pods', ...sorted('pod').filter(pod => !pod.host && pod.addresses.length).map(pod => pod.id)],
    ['Nodes', ...sorted('node').map(node => node.id)],
    ['Outside', model.client.name]];
}

/** What one may ask: Services by each port, node ports, pods by what they listen at. */
function targets() {
  const found = [];
  sorted('service').forEach(service => service.ports.forEach(port => {
    if (service.addresses.length) found.push(service.id + ':' + shortPort(port));
  }));
  const node = sorted('node')[0];
  sorted('service').forEach(service =>
      service.ports.forEach(port => { if (port.nodePort && node) found.push(node.id + ':' + port.nodePort); }));
  sorted('pod').forEach(pod => pod.ports.forEach(port => found.push(pod.id + ':' + port)));
  return [...new Set(found)];
}

async function sendProbe() {
  if (probe.busy) return;
  halt();
  showError('');
  if (phone.matches && selected) select(selected);
  Object.assign(probe, { after: newest(), busy: true, error: '', at: -1, watch: true, follow: false });
  drawPanel();
  try {
    probe.answer = await act('probe', { from: probe.from, to: probe.to });
    say(verdict(probe.answer));
    lessonSaw(probe.answer);
  } catch (error) {
    Object.assign(probe, { answer: null, error: error.message });
    say(error.message);
    if (phone.matches) showError(error.message);
  }
  probe.busy = false;
  keepAddress();
  drawPanel();
  showResult();
  if (probe.answer) play();
  else drawWay();
}

/** A phone shows the picture below the form: that is where the packet goes. */
function showResult() {
  if (phone.matches && probe.answer) $($('picture').hidden ? 'result' : 'stage').scrollIntoView();
}

/** What went wrong, beside what was asked; empty if nothing did. */
function showError(text) {
  put($('change-error'), text);
  $('change-error').hidden = !text;
}

/** Asks the server to do something. */
async function act(name, what) {
  let answer;
  try {
    answer = await fetch('/api/' + name,
        { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(what) });
  } catch {
    throw new Error('The cluster does not answer.');
  }
  const json = await answer.json();
  if (!answer.ok) throw new Error(json.error);
  return json;
}

function verdict(answer) {
  const seen = answer.observed;
  const time = seen.micros < 10000 ? (seen.micros / 1000).toFixed(1) + ' ms' : Math.round(seen.micros / 1000) + ' ms';
  const why = seen.why ? ' ' + seen.why : '';
  const said = { refused: 'It was refused at once.' + why, taken: 'It was taken, and nobody spoke.',
      closed: 'It was taken, and closed without an answer.' + why, silent: 'Nobody answered.' + why,
      unreachable: 'It could not be sent: ' + seen.text + '.' }[seen.kind];
  return said || (seen.by || 'Somebody') + ' answered in ' + time
      + (seen.seen ? ' and saw ' + seen.seen + (seen.seen === answer.source ? ', the sender.' : ', not the sender.')
      : '.');
}

function probeResult() {
  if (probe.error) return el('p', { class: 'difference', role: 'alert' }, probe.error);
  const answer = probe.answer;
  if (!answer) return null;
  const result = el('section', { class: 'result', 'aria-label': 'What happened' },
    el('p', { class: 'verdict outcome ' + answer.observed.kind }, verdict(answer), ' ', badge(answer)),
        el('p', { class: 'stale-note', id: 'stale', role: 'status', hidden: true }));
  if (answer.differences.length) {
    const known = answer.observed.rulesOfBefore;
    const told = answer.differences.map(text => el('p', {}, text));
    result.append(el('div', { class: 'difference', role: 'alert' }, el('b', {}, 'Not as the rules promise'),
        ...(known ? [el('p', {}, known), el('details', {}, el('summary', {}, 'which'), ...told)] : told)));
  } else {
    result.append(el('p', { class: 'agrees' }, promise(answer) + kernelSays(answer)));
  }
  if (answer.steps.length) result.append(rewrites(answer));
  if (answer.observed.conntrack.length) result.append(tracked(answer.observed.conntrack));
  result.append(wireTrace(answer) || '', kernelTrace(answer.observed) || '', stepList(answer),
      el('p', { class: 'tools' }, el('button', { onclick: copyProbe }, 'Copy as Markdown')));
  return result;
}

function promise(answer) {
  const ends = answer.expected.filter(end => end.name).length;
  return 'As the rules promise' + (ends > 1 ? ': any of ' + ends + ' endpoints may answer.' : '.');
}

function tracked(entries) {
  return el('details', { class: 'tracked', open: true }, el('summary', {}, 'The kernel remembers it (conntrack)'),
    ...entries.map(entry => el('dl', {}, el('dt', {}, entry.node), el('dd', { class: 'address' }, entry.original),
        el('dt', {}, 'answers'), el('dd', { class: 'address' }, entry.reply))));
}

/** Plays and steps. It stays in view, wherever the panel is scrolled to. */
function drawControls() {
  $('play').hidden = !probe.answer;
  if (!probe.answer) return $('play').replaceChildren();
  const last = probe.answer.steps.length - 1;
  $('play').replaceChildren(
    el('button', { id: 'said', onclick: showSaid }, el('span')),
    el('button', { onclick: () => walkTo(Math.max(0, probe.at - 1)) }, 'Back'),
    el('button', { id: 'pace', onclick: () => { probe.watch = probe.follow = true; play(); } },
        probe.timer ? 'Pause' : 'Play'),
    el('button', { onclick: () => walkTo(Math.min(last, probe.at + 1)) }, 'Next'),
    el('button', { id: 'again', onclick: sendProbe }, 'Send again'),
    el('span', { class: 'count', id: 'step-count' }));
}

/** Beside the controls: the step that is shown, then what came of it. So the words are in view where the dot is. */
function drawSaid() {
  if (!$('said')) return;
  const { answer, at } = probe;
  const each = at < answer.steps.length - 1 && answer.steps[at];
  const kept = lessonVerdict();
  const stale = $('stale')?.hidden ? '' : $('stale')?.textContent;
  put($('said').firstChild, each ? each.where + ': ' + each.what : kept || stale || inShort(answer));
  set($('said'), { class: each || kept || stale ? null : 'outcome ' + answer.observed.kind });
}

/** Two lines on a phone. */
function inShort(answer) {
  const { kind, by, seen, why } = answer.observed;
  return kind === 'answered' && seen ? (by || 'somebody') + ' saw ' + seen
      + (seen === answer.source ? ', the sender' : ', not the sender') : why || verdict(answer);
}

/** Leads to where the whole of it stands. */
function showSaid() {
  probe.watch = false;
  ((lessonVerdict() && lessonBox()) || $('result')).scrollIntoView();
}

function stepList(answer) {
  const list = el('ol', { class: 'steps' });
  answer.steps.forEach((each, index) => {
    const before = answer.steps[index - 1] || {};
    const back = answer.observed.kind === 'refused' ? 'and back: the refusal' : 'and back';
    const titles = [each.answer && !before.answer && back,
        connection(answer, index) !== connection(answer, index - 1) && connection(answer, index)].filter(text => text);
    if (titles.length) list.append(el('li', { class: 'turn' }, titles.join(', ')));
    list.append(stepItem(answer, each, index));
  });
  return list;
}

function stepItem(answer, each, index) {
  const place = [each.where, each.hook, each.table && each.chain ? each.table + ' › ' + each.chain
      : each.chain].filter(text => text);
  const body = el('button', { 'data-step': index, onclick: () => walkTo(index) },
    el('span', { class: 'at' }, ...place.map((text, number) =>
        el('span', { class: number ? 'chain' : 'where' }, text))),
    el('span', { class: 'what text' }, each.what));
  if (each.rule) body.append(el('code', { class: 'text' }, each.rule));
  if (isRewritten(each)) body.append(rewrite(answer, each));
  body.append(kernelMark(each) || '');
  return el('li', {}, body);
}

/** Before and after; what has changed is marked, also for those who see no colour. */
function rewrite(answer, each) {
  const [before, after, changed] = ends(answer, each);
  const line = (label, both, marks) => el('span', { class: 'packet' }, el('span', { class: 'label' }, label),
    el(marks[0] ? 'mark' : 'span', {}, both[0]), ' → ', el(marks[1] ? 'mark' : 'span', {}, both[1]));
  return el('span', { class: 'rewrite' }, line('before', before, []), line('after', after, changed));
}

function halt() {
  clearInterval(probe.timer);
  probe.timer = 0;
}

function play() {
  if (probe.timer) {
    halt();
  } else {
    if (probe.at >= probe.answer.steps.length - 1) probe.at = -1;
    probe.timer = setInterval(() => {
      if (!probe.answer || probe.at >= probe.answer.steps.length - 1) {
        halt();
        marked();
      } else step(probe.at + 1);
    }, 750);
    step(probe.at + 1);
  }
  marked();
}

/** The reader has asked for a step. From then on picture and panel follow, until the reader scrolls. */
function walkTo(index) {
  halt();
  probe.watch = probe.follow = true;
  step(index);
}

function leaveAlone(event) {
  if (event.key ? /^(\x20|Page|Home|End|Arrow)/.test(event.key) : event.type !== 'pointerdown'
      || [$('panel'), $('picture'), document.documentElement].includes(event.target)) {
    probe.watch = probe.follow = false;
  }
}

function step(index) {
  probe.at = Math.min(index, probe.answer.steps.length - 1);
  marked();
  if (probe.watch) document.querySelector('.here')?.scrollIntoView({ block: 'nearest' });
  const item = document.querySelector('[data-step="' + index + '"]');
  const panel = $('panel');
  if (item && panel.scrollHeight > panel.clientHeight) {
    const top = item.getBoundingClientRect().top - panel.getBoundingClientRect().top;
    if (probe.follow && (top < 60 || top > panel.clientHeight - 160)) panel.scrollTo({ top: panel.scrollTop + top - 160,
        behavior: 'smooth' });
  }
}

/** Marks the step in the list, and draws the way up to it. */
function marked() {
  if (!probe.answer) return;
  document.querySelectorAll('[data-step]').forEach(item =>
      set(item, { 'aria-current': Number(item.dataset.step) === probe.at ? 'step' : null }));
  const counted = $('step-count');
  if (counted) put(counted, probe.at < 0 ? '' : probe.at + 1 + ' of ' + probe.answer.steps.length);
  if ($('pace')) put($('pace'), probe.timer ? 'Pause' : 'Play');
  drawSaid();
  drawWay();
}

/** The steps as Markdown, for an issue or a chat. */
async function copyProbe() {
  const answer = probe.answer;
  const lines = ['**' + answer.from + ' → ' + answer.to + '** (' + answer.destination + '/' + answer.protocol + ', '
      + answer.mode + ' mode): ' + verdict(answer), ''];
  answer.differences.forEach(text => lines.push('> ' + text, ''));
  answer.steps.forEach((each, index) => {
    lines.push(index + 1 + '. **' + each.where + '**' + (each.answer ? ' (answer)' : '') + ': ' + each.what);
    if (each.rule) lines.push('   `' + [each.table, each.chain].filter(text => text).join(' ') + ': ' + each.rule
        + '`');
    if (isRewritten(each)) lines.push('   ' + each.source + ' → ' + each.destination + ' becomes ' + each.newSource
        + ' → ' + each.newDestination);
  });
  await navigator.clipboard.writeText(lines.join('\n') + '\n');
  put($('live'), 'copied');
}
