/* Who rewrites what on the way of a packet, there and back: the short form of its steps. */

function rewrites(answer) {
  const list = el('section', { class: 'rewriters', 'aria-labelledby': 'rewriters-title' },
      el('h3', { id: 'rewriters-title' }, 'Who rewrites it ', badge(answer)));
  let title = '';
  answer.steps.forEach((each, index) => {
    const way = ['on the way ' + (each.answer ? 'back' : 'there'),
        connection(answer, index)].filter(text => text).join(', ');
    if (way !== title) list.append(el('h4', {}, way), el('ol', {}, el('li', { class: 'nobody' }, 'nobody')));
    title = way;
    if (!isRewritten(each)) return;
    list.lastChild.querySelector('.nobody')?.remove();
    list.lastChild.append(rewriteItem(answer, each, index));
  });
  return list;
}

function badge(answer) { return el('span', { class: 'badge' }, answer.mode + ' mode'); }

function isRewritten(each) { return each.source !== each.newSource || each.destination !== each.newDestination; }

function isRelay(text) { return text.startsWith('relay on '); }

/** A relay has two connections: its client's, and one of its own. Which one a step is part of; empty without a
    relay. */
function connection({ steps }, index) {
  const [opens, copies] = [false, true].map(back =>
    steps.findIndex(each => each.actor === 'relay' && each.answer === back && isRewritten(each)));
  if (opens < 0 || index < 0) return '';
  return index < opens || (copies >= 0 && index >= copies) ? 'connection 1: client to relay'
      : 'connection 2: relay to endpoint';
}

/** Where a relay listens, as conntrack knows it; any other address as it is. */
function at(answer, text) {
  const entry = isRelay(text) && answer.observed.conntrack.find(each =>
      each.original.endsWith('→ ' + answer.destination));
  return entry ? entry.reply.split(' ')[0] : text;
}

/** Source and destination before a step and after it, with ports that are known; and whether each changes. */
function ends(answer, each) {
  const told = (...both) => sockets(answer, ...both).map((socket, index) =>
    isRelay(both[index]) && socket !== both[index] ? both[index] + ' (' + socket + ')' : socket);
  return [told(each.source, each.destination), told(each.newSource, each.newDestination),
    [each.source !== each.newSource, each.destination !== each.newDestination]];
}

/** Who acts, and by which chain. */
function actor(each) {
  const kernel = by => 'The kernel of ' + each.where + ', by ' + by;
  switch (each.actor) {
    case 'proxy-rule': return [kernel('the proxy’s rule'), each.chain];
    case 'agent-rule': return [kernel('the agent’s rule'), each.rule];
    case 'other-rule': return [kernel('a rule')];
    case 'relay': return ['The relay on ' + each.where + ', a process of the proxy'];
    case 'connection-tracking': return [kernel('its connection tracking')];
    default: return [each.where];
  }
}

function rewriteItem(answer, each, index) {
  const [before, after, changed] = ends(answer, each);
  const change = (label, index) => !changed[index] ? null
    : el('span', { class: 'packet' }, el('span', { class: 'label' }, label),
      before[index], ' → ', el('mark', {}, after[index]));
  const [who, chain] = actor(each);
  return el('li', {}, el('button', { onclick: () => walkTo(index) },
    el('span', { class: 'at' }, el('span', { class: 'where' }, who), chain ? el('span', { class: 'chain' }, chain)
        : null),
    each.chain ? null : el('span', { class: 'what text' }, each.what),
    change('source', 0), change('destination', 1)));
}

/** The mode that the same packet would meet now: that of the first node on its way. */
function modeNow(answer) {
  const node = answer.steps.map(each => model.nodes.get(each.where)).find(each => each);
  return node ? node.mode : model.mode;
}

/** A result is of its mode. It says so once the node has another. */
function drawStale() {
  const note = $('stale');
  if (!note || !probe.answer) return;
  const { mode } = probe.answer;
  const other = modeNow(probe.answer);
  note.hidden = other === mode || other === 'mixed';
  if (note.hidden) return;
  if (!note.textContent && probe.timer) play();
  put(note, 'sent in ' + mode + ' mode; '
      + (replay.on ? 'now it is ' + other + ' mode' : 'send again to see ' + other + ' mode'));
}
