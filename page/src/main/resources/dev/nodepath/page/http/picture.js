/* The picture: boxes with fixed places. An element stays while its part does. */
const FOLD = 8;
const drawn = new Map();
const unfolded = new Set();
let selected = '';

/** The element of a part, made when it is first asked for. */
function keep(key, make) {
  let element = drawn.get(key);
  if (!element) {
    element = make();
    drawn.set(key, element);
  }
  element.used = true;
  return element;
}

function draw() {
  drawn.forEach(element => { element.used = false; });
  drawOutside();
  arrange($('nodes'), sorted('node').map(drawNode));
  arrange($('services'), sorted('service').map(drawService));
  drawn.forEach((element, key) => {
    if (!element.used) drawn.delete(key);
  });
  mark();
}

/** Children in this order; those that are in place are not touched. */
function arrange(parent, children) {
  children.forEach((child, index) => {
    if (parent.children[index] !== child) parent.insertBefore(child, parent.children[index] || null);
  });
  while (parent.children.length > children.length) parent.lastChild.remove();
}

function pick(key, ...content) {
  return el('button', { class: 'pick', 'data-key': key, 'aria-pressed': 'false', onclick: () => select(key) },
      ...content);
}

function drawOutside() {
  const client = keep('client', () => {
    const box = pick('client:client', el('span', { class: 'name' }), el('span', { class: 'address' }));
    box.classList.add('client');
    return box;
  });
  put(client.children[0], model.client.name);
  put(client.children[1], model.client.address);
  set(client, { 'aria-label': 'client outside the cluster, ' + model.client.address });
  const networks = [...new Set(sorted('node').map(node => node.network))];
  const bar = keep('switch', () =>
      el('div', { class: 'switch', id: 'switch' }, el('span'), el('span', { class: 'address' })));
  put(bar.children[0], networks.length > 1 ? 'switch and router' : 'switch');
  put(bar.children[1], networks.join('  '));
  arrange($('outside'), [client, bar]);
}

function drawNode(node) {
  const box = keep('node:' + node.id, () => newNode(node.id));
  const [eth, head, rules, bridge] = box.children;
  put(eth, 'eth0');
  const title = head.querySelector('.title');
  put(title.children[0], node.id);
  put(title.children[1], node.addresses.join('  '));
  put(head.querySelector('.sync'), syncText(node));
  const trouble = !node.power ? 'no power' : !node.ready ? 'not ready' : node.agent || node.starting ? ''
      : 'agent ended';
  put(head.querySelector('.state'), trouble);
  set(head, { 'aria-label': 'node ' + node.id + ', ' + (trouble || 'ready') + ', ' + node.addresses.join(', ') + ', '
      + node.mode + ' mode, ' + syncText(node) });
  put(rules.children[0], node.mode === 'userspace' ? 'rules and relay' : 'netfilter rules');
  put(rules.children[1], (node.sync || !node.agent ? '' : 'soon ') + node.mode + ' mode');
  box.classList.toggle('left', node.power && !node.agent);
  put(bridge.firstChild.children[1], node.podCidrs.join('  '));
  drawPods(node.id, bridge.children[1]);
  return box;
}

function newNode(id) {
  const head = el('button', { class: 'pick head', 'data-key': 'node:' + id, 'aria-pressed': 'false',
      onclick: () => select('node:' + id) },
    el('span', { class: 'title' }, el('span', { class: 'name' }), el('span', { class: 'address' })),
    el('span', { class: 'state' }),
    el('span', { class: 'sync' }));
  return el('article', { class: 'box node', 'aria-label': 'node ' + id, title: id.length > 24 ? id : null },
    el('span', { class: 'eth', 'aria-hidden': 'true' }), head,
    el('div', { class: 'layer rules' }, el('span'), el('small')),
    el('div', { class: 'bridge' }, el('div', { class: 'bar' }, el('b', {}, 'cni0'), el('span', { class: 'address' })),
        el('div', { class: 'pods' })));
}

function syncText(node) {
  if (!node.power) return 'nothing of it runs';
  if (!node.agent) return node.starting ? 'its agent starts anew' : leftOver(node);
  if (!node.sync) return 'no sync yet';
  return (node.sync.ok ? count(node.sync.services, 'Service port') + ' in force, synced in ' + node.sync.durationMs
      + ' ms' : 'the last sync failed')
    + ', ' + ago(node.sync.at);
}

function drawPods(node, parent) {
  const pods = podsOf(node).filter(pod => !pod.host);
  const slots = pods.length ? pods[pods.length - 1].slot + 1 : 0;
  const shown = unfolded.has(node) || slots <= FOLD + 1 ? slots : FOLD;
  const bySlot = new Map(pods.map(pod => [pod.slot, pod]));
  const children = [];
  for (let slot = 0; slot < shown; slot++) {
    const pod = bySlot.get(slot);
    children.push(pod ? drawPod(pod)
        : keep('gap:' + node + ':' + slot, () => el('div', { class: 'gap', 'aria-hidden': 'true' })));
  }
  if (slots > FOLD + 1) {
    const hidden = pods.filter(pod => pod.slot >= shown);
    const off = hidden.filter(pod => !pod.ready).length;
    const more = keep('more:' + node, () => el('button', { class: 'more', onclick: () => {
      if (!unfolded.delete(node)) unfolded.add(node);
      redraw();
    } }));
    put(more, shown === slots ? 'fold' : count(hidden.length, 'more pod') + (off ? ', ' + off + ' not ready' : ''));
    set(more, { 'aria-expanded': String(shown === slots) });
    children.push(more);
  }
  arrange(parent, children);
}

function drawPod(pod) {
  const cell = keep('pod:' + pod.id,
      () => el('div', { class: model.loaded ? 'pod fresh' : 'pod' }, pick('pod:' + pod.id,
    el('span', { class: 'who' }, el('span', { class: 'ready', 'aria-hidden': 'true' }), el('span', { class: 'name' })),
    el('span', { class: 'address' }), el('span', { class: 'state' }), el('span', { class: 'serves' }))));
  const button = cell.firstChild;
  put(button.children[0].children[1], pod.id.slice(pod.id.indexOf('/') + 1));
  put(button.children[1], pod.addresses.join(' ') || 'no address yet');
  put(button.children[2], pod.ending ? 'ending' : pod.ready ? '' : 'not ready');
  cell.classList.toggle('off', !pod.ready && !pod.ending);
  cell.classList.toggle('ending', pod.ending);
  const services = servicesOf(pod.id).map(service => service.id).join(', ');
  put(button.children[3], services);
  set(button, {
    'aria-label': 'pod ' + pod.id + ', ' + podState(pod) + ', node ' + pod.node + ', ' + pod.addresses.join(', ')
        + (services ? ', serves ' + services : ''),
    title: pod.trouble ? pod.id + ': ' + pod.trouble : pod.id,
  });
  return cell;
}

function drawService(service) {
  const cell = keep('service:' + service.id, () => el('div', { class: 'service' }, pick('service:' + service.id,
    el('span', { class: 'name' }), el('span', { class: 'address' }), el('span', { class: 'who' }))));
  const button = cell.firstChild;
  put(button.children[0], service.id);
  put(button.children[1], (service.addresses[0] || 'headless')
      + (service.ports.length ? ' : ' + service.ports.map(shortPort).join(', ') : ''));
  const able = ready(service).length;
  put(button.children[2], service.endpoints.length ? able + ' of ' + count(service.endpoints.length, 'endpoint')
      + ' ready' : 'no endpoint');
  cell.classList.toggle('none', able === 0);
  set(button, { 'aria-label': 'Service ' + service.id + ', ' + (service.addresses.join(', ') || 'headless') + ', ports '
      + service.ports.map(portText).join(', ') + ', ' + button.children[2].textContent, title: service.id });
  return cell;
}

/** Shows what is selected, and who serves it. */
function mark() {
  document.querySelectorAll('[data-key]').forEach(button =>
      set(button, { 'aria-pressed': String(button.dataset.key === selected) }));
  const service = selected.startsWith('service:') ? model.services.get(selected.slice(8)) : null;
  const serving = new Set(service ? service.endpoints.map(each => each.pod) : []);
  model.pods.forEach(pod => drawn.get('pod:' + pod.id)?.classList.toggle('served', serving.has(pod.id)));
  drawWires();
}
