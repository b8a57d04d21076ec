/* The way of a packet on the picture. */

/** Where a step is: a pod's cell, or the layer of a node that it happens in. */
function spot(each) {
  if (model.client && each.where === model.client.name) return drawn.get('client');
  const pod = drawn.get('pod:' + each.where);
  if (pod && pod.isConnected) return pod;
  const node = drawn.get('node:' + each.where);
  if (!node) return null;
  const [eth, , rules, bridge] = node.children;
  if (each.hook || each.chain || /relay|conntrack|rule/.test(each.what)) return rules;
  if (/cni0|bridge/i.test(each.what)) return bridge.firstChild;
  return eth;
}

function drawWay() {
  const parent = $('path');
  parent.replaceChildren();
  document.querySelectorAll('.here').forEach(element => element.classList.remove('here'));
  if (!probe.answer || probe.at < 0 || $('picture').hidden) return;
  const there = points(probe.answer.steps.filter((each, index) => index <= probe.at && !each.answer), 0);
  const back = points(probe.answer.steps.filter((each, index) => index <= probe.at && each.answer), 5);
  for (const [name, corners] of [['there', there], ['back', back]]) {
    if (corners.length > 1) parent.append(svg('path', { class: name, d: path(corners) }));
  }
  const now = probe.answer.steps[probe.at];
  const element = spot(now);
  if (!element) return;
  element.classList.add('here');
  const [cx, cy] = (now.answer ? back : there).slice(-1)[0];
  parent.append(svg('circle', { class: 'dot', cx, cy, r: 6 }));
}

/** The corners of the way: along the left edge of a node, between its pods, and through the switch. Never across a text. */
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
  return found;
}

/** From the edge of its node to an element. */
function stem(element, shift) {
  const box = place(element);
  if (element === drawn.get('client')) return [[box.x + shift, box.bottom]];
  const edge = spine(element.closest('.node'), shift);
  if (element.matches('.pod')) {
    const gap = box.top - 5 + shift / 2;
    return [[edge, gap], [box.x + shift, gap], [box.x + shift, box.top + 2]];
  }
  if (element.matches('.eth')) return [[edge, box.bottom]];
  return [[edge, box.y + shift], [box.left, box.y + shift]];
}

function spine(node, shift) { return place(node).left + 6 + shift; }

/** Between two machines, through both eth0 and the switch. */
function travel(one, other, shift) {
  const from = one.closest('.node');
  const to = other.closest('.node');
  if (from === to) return [];
  const line = drawn.get('switch').getBoundingClientRect().bottom - $('picture').getBoundingClientRect().top - 9 + shift;
  return [...up(from, line, shift), ...up(to, line, shift).reverse()];
}

function up(node, line, shift) {
  if (!node) return [[place(drawn.get('client')).x + shift, line]];
  const trunk = trunkPoints(place(drawn.get('switch')), node).map(([x, y]) => [x + shift, y]);
  const [x] = trunk[0];
  return [[spine(node, shift), trunk[trunk.length - 1][1] + 8], ...trunk.reverse(), [x, line]];
}
