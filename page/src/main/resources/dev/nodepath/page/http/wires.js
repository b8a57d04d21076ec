/* Lines between the boxes, measured from where the boxes are. */

function place(element) {
  const origin = $('picture').getBoundingClientRect();
  const box = element.getBoundingClientRect();
  return { left: box.left - origin.left, top: box.top - origin.top, right: box.right - origin.left, bottom: box.bottom - origin.top,
    x: box.left - origin.left + box.width / 2, y: box.top - origin.top + box.height / 2 };
}

function drawWires() {
  const bar = drawn.get('switch');
  if (!bar || !bar.offsetParent) return;
  const line = place(bar);
  const client = place(drawn.get('client'));
  const wires = [[[client.x, client.bottom], [client.x, line.top]], ...sorted('node').map(node => trunkPoints(line, drawn.get('node:' + node.id)))];
  const parent = $('trunks');
  while (parent.children.length > wires.length) parent.lastChild.remove();
  wires.forEach((points, index) => {
    if (!parent.children[index]) parent.append(svg('path'));
    set(parent.children[index], { d: 'M' + points.map(point => point.join(' ')).join('L') });
  });
  drawWay();
}

/** From the switch down to a node's eth0; past a node of an upper row it goes beside it. */
function trunkPoints(line, node) {
  const eth = place(node.firstChild);
  const top = place($('nodes')).top;
  if (eth.top - top < 20) return [[eth.x, line.bottom], [eth.x, eth.top]];
  const beside = place(node).left - 11;
  return [[beside, line.bottom], [beside, eth.y], [eth.left, eth.y]];
}
