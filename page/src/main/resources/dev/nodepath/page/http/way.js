/* The way of a packet on the picture. */

/** Where a step is: a pod's cell, or the layer of a node that it happens in. */
function spot(each) {
  if (model.client && each.where === model.client.name) return drawn.get('client');
  const pod = drawn.get('pod:' + each.where);
  if (pod && pod.isConnected) return isThatPod(each.where) ? pod : null;
  const node = drawn.get('node:' + each.where);
  if (!node) return null;
  const [eth, , rules, bridge] = node.children;
  return { bridge: bridge.firstChild, host: eth }[each.actor] || rules;
}

/** Whether a pod is the one that was there then: another of its name has another address. */
function isThatPod(name) {
  const told = probe.answer.steps.flatMap(each =>
      [each.source, each.destination, each.newSource, each.newDestination]);
  return model.pods.get(name)?.addresses.some(address =>
      told.some(text => text === address || hostOf(text) === address));
}

function drawWay() {
  const parent = $('path');
  parent.replaceChildren();
  document.querySelectorAll('.here').forEach(element => element.classList.remove('here', 'back', 'failed'));
  $('tag').hidden = true;
  if (!probe.answer || probe.at < 0 || $('picture').hidden) return;
  const there = points(probe.answer.steps.filter((each, index) => index <= probe.at && !each.answer), 0);
  const back = points(probe.answer.steps.filter((each, index) => index <= probe.at && each.answer), 5);
  for (const [name, corners] of [['there', there], ['back', back]]) {
    const failed = name === 'back' && isFailed() ? ' failed' : '';
    if (corners.length > 1) parent.append(svg('path', { class: name + failed, d: path(corners) }));
  }
  const now = probe.answer.steps[probe.at];
  const element = spot(now);
  if (!element) return;
  const isLost = isFailed() && probe.answer.steps.slice(probe.at + 1).every(each => each.answer);
  const way = [now.answer ? 'back' : 'there', ...(isLost ? ['failed'] : [])];
  element.classList.add('here', ...way);
  const [cx, cy] = (now.answer ? back : there).slice(-1)[0];
  parent.append(svg('circle', { class: 'dot ' + way.join(' '), cx, cy, r: 6 }));
  if (isLost && there.length) cross(parent, ...there.slice(-1)[0]);
  drawTag(now, element, cx);
}

/** Where the packet was refused, or is lost. */
function cross(parent, x, y) {
  parent.append(svg('circle', { class: 'dot failed', cx: x, cy: y, r: 8 }),
      svg('path', { class: 'cross', d: `M${x - 3} ${y - 3}l6 6m0-6l-6 6` }));
}

/** Whether the packet was refused, or lost. */
function isFailed() { return !/^(answered|taken)$/.test(probe.answer.observed.kind); }

/** Source and destination of the packet as it leaves the step, beside the dot, in the space that is left free of
    text there. */
function drawTag(now, element, x) {
  const tag = $('tag');
  const [source, destination] = sockets(probe.answer, now.newSource, now.newDestination);
  const text = (after, same) => el(same ? 'span' : 'mark', {}, after);
  tag.hidden = false;
  tag.style.left = 0;
  tag.className = now.answer ? 'tag back' : 'tag';
  tag.replaceChildren(text(source, now.source === now.newSource), ' → ',
      text(destination, now.destination === now.newDestination));
  const node = element.closest('.node');
  const frame = place(node || $('picture'));
  const box = place(element);
  const [wide, high] = [tag.offsetWidth, tag.offsetHeight];
  const [left, bottom] = !node ? [x + 12, place(drawn.get('switch')).top - 5]
    : element.matches('.eth') ? [box.right + 8, frame.top - 5]
      : element.matches('.pod') ? [x - wide / 2, box.top - 12]
        : [box.left + 10, place(node.children[3]).top - 3];
  const right = Math.min(left, frame.right - wide - (node ? 8 : 0));
  tag.style.left = Math.max(frame.left + (node ? 15 : 0), right) + 'px';
  tag.style.top = bottom - high + 'px';
}

/** Source and destination with their ports, as far as the kernels of the nodes or the sender know them. */
function sockets(answer, ...ends) {
  const known = ends.map(end => at(answer, end));
  const same = (socket, end) => socket === end || hostOf(socket) === end;
  const found = answer.observed.conntrack.flatMap(each => [each.original, each.reply]).map(each => each.split(' → '))
    .flatMap(pair => [pair, [...pair].reverse()])
    .find(pair => pair.every((socket, index) => same(socket, known[index])));
  const own = answer.observed.localPort;
  return found || known.map(end => hostOf(answer.destination) === end ? answer.destination : end === answer.source
      && own ? (end.includes(':') ? '[' + end + ']' : end) + ':' + own : end);
}

/** The corners of the way: along the left edge of a node, above its pods, and below the switch. Never across a text. */
function points(steps, shift) {
  const found = [];
  let last = null;
  steps.forEach(each => {
    const element = spot(each);
    if (!element || element === last) return;
    if (last) found.push(...stem(last, shift).reverse(), ...travel(last, element, shift));
    found.push(...stem(element, shift));
    last = element;
  });
  /* A packet that has not left its place has no way yet. */
  return new Set(steps.map(spot)).size > 1 ? found : found.slice(-1);
}

/** From the edge of its node to an element. */
function stem(element, shift) {
  const box = place(element);
  if (element === drawn.get('client')) return [[box.left + 8 + shift, box.bottom]];
  const edge = spine(element.closest('.node'), shift);
  if (element.matches('.pod')) {
    const gap = box.top - 9 + shift;
    return [[edge, gap], [box.x + shift, gap], [box.x + shift, box.top + 2]];
  }
  if (element.matches('.eth')) return [[edge, box.y + shift], [box.left, box.y + shift]];
  return [[edge, box.y + shift], [box.left, box.y + shift]];
}

function spine(node, shift) { return place(node).left + 6 + shift; }

/** Between two machines, below the switch. */
function travel(one, other, shift) {
  const from = one.closest('.node');
  const to = other.closest('.node');
  if (from === to) return [];
  const line = place(drawn.get('switch')).bottom + 4 + shift;
  return [...up(from, line, shift), ...up(to, line, shift).reverse()];
}

/** From a node's edge through its eth0 to below the switch; past a node of an upper row beside it, as its wire. */
function up(node, line, shift) {
  if (!node) return [[place(drawn.get('client')).left + 8 + shift, line]];
  const edge = spine(node, shift);
  const [[x, y], [end]] = trunkPoints(place(drawn.get('switch')), node).slice(-2);
  if (x !== end) return [[edge, y], [x + shift, y], [x + shift, line]];
  const eth = place(node.firstChild);
  return [[edge, eth.y + shift], [eth.left, eth.y + shift], null, [x + shift, eth.top], [x + shift, line]];
}
