/* Changes of the cluster, and what follows from them: the time line. */
const MODES = ['iptables', 'nftables', 'userspace'];
const PAUSE = 8000;
const PAUSE_OF_AGENT = 60000;
/* After these acts agents start. */
const STARTING = ['switch-mode', 'start-agent', 'restart-agent', 'start-node', 'restart-node'];
let changing = '';
let switching = null;

/** What a reader may do to the selected part. */
function actions(kind, part) {
  if (replay.on) return null;
  if (kind === 'node') return nodeControls(part);
  if (kind === 'service') return part.addresses.length ? serviceControls(part) : null;
  const row = el('p', { class: 'tools' },
      changer(part.ready ? 'Set not ready' : 'Set ready', 'ready', { pod: part.id, ready: !part.ready }), ' ',
    changer('Kill the pod', 'kill', { pod: part.id }));
  if (part.scales) row.append(' ', changer('One more', 'scale', { pod: part.id, by: 1 }), ' ',
      changer('One less', 'scale', { pod: part.id, by: -1 }));
  return row;
}

async function change(name, what) {
  changing = name;
  if (name === 'mode') switching = what;
  showError('');
  redraw();
  try {
    await act(name, what);
  } catch (error) {
    showError(error.message);
    say(error.message);
  }
  changing = '';
  switching = null;
  redraw();
}

/** The mode of the proxies, and a switch to another. */
function drawModes() {
  const group = $('modes');
  if (!group.children.length) {
    group.append(el('span', { class: 'modes-label' }, 'Proxy mode'),
        ...MODES.map(mode => el('button',
        { 'data-mode': mode, onclick: () => { if (mode !== model.mode) change('mode', { mode }); } }, mode)));
  }
  tellLink();
  [...group.querySelectorAll('button')].forEach(button => set(button, {
    'aria-pressed': String(button.dataset.mode === model.mode), disabled: replay.on || Boolean(changing),
    'aria-busy': isComing(button.dataset.mode),
    title: replay.on ? null : 'All nodes in ' + button.dataset.mode + ' mode' }));
}

/** Whether a button is of the mode that all nodes switch to now, or one node alone. */
function isComing(mode, node) { return switching?.mode === mode && switching.node === node ? 'true' : null; }

/** What follows from one's own changes comes first, the newest of all on top; times count from the first step of a
    burst. */
function drawTimeLine() {
  const bursts = [];
  model.news.filter(each => each.kind === 'step').sort((a, b) => a.at - b.at).forEach(each => {
    const last = bursts[bursts.length - 1];
    const kill = last && lossOf(bursts, each);
    if (kill) kill.push(each);
    else if (last && each.layer !== 'you' && goesOn(last, each)) last.push(each);
    else bursts.push([each]);
  });
  /* The first may have lost its cause to those that came after. */
  if (model.news.filter(each => each.kind === 'step').length >= NEWS.step && bursts.length > 1
      && !own(bursts[0])) bursts.shift();
  const shown = [...bursts.filter(own).slice(-3).reverse(), ...bursts.filter(burst => !own(burst)).slice(-1)];
  const known = changing + shown.map(burst => burst.length + ':' + burst[0].at
      + burst.map(back).map(each => each?.text)).join();
  if ($('time-line').known === known) return;
  $('time-line').known = known;
  $('time-line').replaceChildren(...shown.map(burstElement));
  $('time').hidden = !shown.length;
}

function newest() { return Math.max(0, ...model.news.map(each => each.at)); }

/** What follows from a change of one's own stands above the packet, until the next packet. */
function placeTimeLine() {
  const changed = model.news.findLast(each => each.layer === 'you');
  const isNews = changed && changed.at > (probe.after || 0);
  if (isNews && $('time').nextElementSibling !== $('result')) $('result').before($('time'));
  else if (!isNews && $('time').previousElementSibling !== $('sent')) $('sent').after($('time'));
}

function own(burst) { return burst[0].layer === 'you'; }

/** Whether a step follows from what a burst has begun: it comes soon, or an agent takes its time. */
function goesOn(burst, each) {
  if (each.at - burst[burst.length - 1].at < PAUSE) return true;
  if (!own(burst)) return burst.some(one => alike(one, each));
  const told = burst.filter(one => /you|compare/.test(one.layer)).pop();
  return each.at - told.at < PAUSE_OF_AGENT && (burst[0].act === 'compare' || lacksSync(burst));
}

/** A node that starts at once is missed all the same, later: its kill, for what follows until it is ready again. */
function lossOf(bursts, each) {
  const start = bursts[bursts.length - 1];
  const [{ where, act, at }] = start;
  const kill = bursts.findLast(burst => burst[0].where === where && burst[0].act === 'kill-node');
  if (!kill || act !== 'start-node' || each.layer === 'you') return null;
  const told = [...kill, ...start, each].filter(one => one.layer === 'node' && one.where === where && one.at >= at)
    .pop();
  return told && !told.ready && (each === told || each.where !== where) ? kill : null;
}

/** Whether an agent has not synced yet since one has started it, or has had it start in another mode. */
function lacksSync(burst) {
  const [{ where, act }] = burst;
  const nodes = sorted('node').map(node => node.id).filter(node => where === node || where === 'every node');
  const last = node => burst.filter(each => each.where === node && /agent|rules/.test(each.layer)).pop();
  return STARTING.includes(act) && nodes.some(node => last(node)?.layer !== 'rules');
}

/** Whether two steps say the same, but for the counts of slices and syncs. Differences of rules and rounds are told
    one by one. */
function alike(one, other) {
  return one.layer === other.layer && one.where === other.where && !/diff|compare/.test(one.layer)
      && (/slice|rules/.test(one.layer) || one.what === other.what);
}

/** What brings back what a step has taken away, as long as it is away. */
function back({ act, where }) {
  const node = model.nodes.get(where);
  const pod = model.pods.get(where);
  const undo = (text, name, what) => ({ text, name, what });
  const isDown = node && !node.power;
  const lacksAgent = node && node.power && !node.agent && !node.starting;
  if (replay.on) return null;
  if (isDown && act === 'kill-node') return undo('Start the node', 'node', { node: where, run: true });
  if (lacksAgent && act === 'kill-agent') return undo('Start the agent', 'agent', { node: where, run: true });
  if (!pod && act === 'kill-lone-pod') return undo('Restart the pod', 'restart', { pod: where });
  if (pod && !pod.ready && act === 'set-not-ready') return undo('Set ready', 'ready', { pod: where, ready: true });
  return null;
}

/** The order in which one thing follows from another. */
const STAGES = { slice: 1, service: 1, snapshot: 2, rules: 2, diff: 3 };

/** Whether something has followed already from what a row tells, so that it is no repetition. */
function hasFollowed(row, { layer, where }) {
  const [one, other] = [STAGES[row.each.layer] || 0, STAGES[layer] || 0];
  return one > other && (other < 2 || row.each.where === where);
}

/** What comes again has one row, where it came last: behind what it follows from. */
function burstElement(burst) {
  const start = burst[0].at;
  const rows = [];
  burst.forEach(each => {
    const round = rows.findLastIndex(row => row.each.layer === 'compare') + 1;
    const before = rows.findLastIndex((row, index) => index >= round && alike(row.each, each));
    const again = before >= 0 && !rows.slice(before).some(row => hasFollowed(row, each));
    const times = again ? rows.splice(before, 1)[0].times : 0;
    rows.push({ each, times: times + 1 });
  });
  return el('ol', { class: 'burst', 'aria-label': new Date(start).toLocaleTimeString() },
      el('li', { class: 'when' }, new Date(start).toLocaleTimeString()),
    ...rows.map(({ each, times }) => {
      const undo = back(each);
      const isDifference = each.layer === 'diff';
      const more = times > 1 ? ', the last of ' + times : '';
      const planned = each.layer === 'agent' && [...STARTING, 'compare'].includes(burst[0].act);
      return el('li', { class: 'layer-' + (planned ? 'note' : each.layer) },
        el('span', { class: 'ms' }, isDifference ? '' : '+' + (each.at - start) + ' ms'),
        el('span', { class: 'text' }, el('b', {}, each.where), ' ' + each.what + more,
          isDifference ? difference(each) : null,
          undo ? ' ' : null, undo ? changer(undo.text, undo.name, undo.what) : null));
    }));
}

function difference(each) {
  return el('details', { class: 'lines' }, el('summary', {}, 'which'),
    ...each.removed.map(line => el('code', { class: 'less text' }, '− ' + line)),
    ...each.added.map(line => el('code', { class: 'plus text' }, '+ ' + line)));
}
