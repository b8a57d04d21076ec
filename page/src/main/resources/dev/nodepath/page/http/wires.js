/* Lines between the boxes, measured from where the boxes are. */

function place(element) {
  const picture = $('picture');
  const frame = picture.getBoundingClientRect();
  const origin = { left: frame.left - picture.scrollLeft, top: frame.top - picture.scrollTop };
  const box = element.getBoundingClientRect();
  return { left: box.left - origin.left, top: box.top - origin.top, right: box.right - origin.left,
      bottom: box.bottom - origin.top,
    x: box.left - origin.left + box.width / 2, y: box.top - origin.top + box.height / 2 };
}

function drawWires() {
  const bar = drawn.get('switch');
  if (!bar || !bar.offsetParent) return;
  const line = place(bar);
  const client = place(drawn.get('client'));
  const wires = [['client:client', [[client.x, line.top], [client.x, client.bottom]]],
    ...sorted('node').map(node => ['node:' + node.id, trunkPoints(line, drawn.get('node:' + node.id))]),
    ...[...$('nodes').querySelectorAll('.pod')].map(pod => [pod.firstChild.dataset.key, vethPoints(pod)])];
  const parent = $('trunks');
  while (parent.children.length > wires.length) parent.lastChild.remove();
  wires.forEach(([part, points], index) => {
    if (!parent.children[index]) parent.append(svg('g'));
    const edge = parent.children[index];
    if (!edge.firstChild) edge.append(...['cable', 'flow', 'tip'].map(name => svg('path', { class: name })));
    set(edge, { 'data-edge': part });
    edge.points = points;
  });
  drawEdges();
  drawWay();
}

/** From the switch down to a node's eth0; past a node of an upper row it goes beside it, and beside the switch. */
function trunkPoints(line, node) {
  const eth = place(node.firstChild);
  const top = place($('nodes')).top;
  if (eth.top - top < 20) return [[eth.x, line.bottom], [eth.x, eth.top]];
  const beside = place(node).left - 11;
  const start = beside < line.left ? [[line.left, line.y], [beside, line.y]] : [[beside, line.bottom]];
  return [...start, [beside, eth.y], [eth.left, eth.y]];
}

/** From the bridge down beside the pods of its column. */
function vethPoints(pod) {
  const box = place(pod);
  const beside = box.left - 7;
  return [[beside, place(pod.parentNode).top], [beside, box.top + 20], [box.left, box.top + 20]];
}
