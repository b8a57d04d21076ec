/* What is known of the selected part. */

function select(key) {
  selected = selected === key ? '' : key;
  showError('');
  keepAddress();
  mark();
  drawPanel();
  if (selected && phone.matches) return $('picture').querySelector('.pick[aria-pressed="true"]')?.scrollIntoView(
      { block: 'nearest' });
  const [box, panel] = [$('about'), $('panel')];
  const { top, bottom } = box.getBoundingClientRect();
  const frame = panel.getBoundingClientRect();
  const hidden = top < frame.top || bottom > frame.bottom - $('play').offsetHeight;
  if (!selected || !hidden || panel.scrollHeight <= panel.clientHeight) return;
  panel.scrollTo({ top: panel.scrollTop + top - frame.top });
}

function drawPanel() {
  if (!model.client) return;
  drawForm();
  drawTimeLine();
  placeTimeLine();
  drawSent();
  drawAbout();
  drawResult();
  drawStale();
  drawSaid();
}

/** Made anew only when it says something else, so that a button keeps the focus. */
function drawAbout() {
  const told = selected ? about() : null;
  if (told && phone.matches) told.prepend(sheetTools());
  const known = told?.outerHTML || '';
  if (($('about').known || '') === known) return;
  $('about').known = known;
  const focused = $('about').contains(document.activeElement)
      ? [...$('about').querySelectorAll('button')].indexOf(document.activeElement) : -1;
  $('about').replaceChildren(...[told].filter(part => part));
  if (focused >= 0) $('about').querySelectorAll('button')[focused]?.focus();
  tellRates();
}

/** The list is made once for each probe, so that a reader's place in it stays. */
function drawResult() {
  const shown = probe.error || probe.answer;
  $('result').classList.toggle('old', probe.busy);
  if ($('result').shown === shown) return;
  $('result').shown = shown;
  const again = document.activeElement?.id === 'again';
  $('result').replaceChildren(...[probeResult()].filter(part => part));
  drawControls();
  if (again) ($('again') || $('go')).focus({ preventScroll: true });
  drawForm();
}

/** On a phone this is a sheet over the page. */
function sheetTools() {
  const followed = () => {
    select(selected);
    $('time').scrollIntoView();
  };
  return el('p', { class: 'tools sheet' },
      $('time').hidden ? null : el('button', { onclick: followed }, 'What followed ↓'),
      el('button', { 'aria-label': 'close', onclick: () => select(selected) }, '✕'));
}

function about() {
  const [kind, id] = split(selected);
  if (kind === 'client') return sheet('outside the cluster', 'client',
      [['Address', model.client.address], ['Traffic', rateOf(selected)]]);
  const part = kind ? model[KINDS[kind]].get(id) : null;
  if (!part) return gone(kind, id);
  const told = { pod: aboutPod, node: aboutNode, service: aboutService }[kind](part);
  const able = actions(kind, part);
  if (able) told.append(able);
  return told;
}

/** What a reader has killed can be brought back here too. */
function gone(kind, id) {
  const undo = kind === 'pod' && model.news.filter(each => each.where === id).map(back).find(each => each);
  return el('section', { class: 'about' }, el('p', { class: 'empty' }, kind + ' ' + id + ' is gone.'),
    undo ? el('p', { class: 'tools' }, changer(undo.text, undo.name, undo.what)) : null);
}

function split(key) {
  const at = key.indexOf(':');
  return at < 0 ? ['', ''] : [key.slice(0, at), key.slice(at + 1)];
}

function sheet(kind, name, rows) {
  const list = el('dl');
  rows.filter(row => row[1]).forEach(([term, value]) =>
      list.append(el('dt', {}, term), el('dd', { class: 'text' }, value)));
  return el('section', { class: 'about' }, el('p', { class: 'kind' }, kind), el('h2', { class: 'name' }, name), list);
}

function aboutPod(pod) {
  return sheet('pod', pod.id, [
    ['Node', pod.node || 'none yet'],
    ['Address', pod.host ? pod.addresses.join(', ') + ', its node’s' : pod.addresses.join(', ')],
    ['State', podState(pod) + (pod.trouble ? ': ' + pod.trouble : '')],
    ['Ports', pod.ports.join(', ')],
    ['Serves', servicesOf(pod.id).map(service => service.id).join(', ') || 'no Service'],
    ['Traffic', podRate(pod)],
  ]);
}

/** What goes on without an agent. */
function leftOver(node) {
  return node.mode === 'userspace' ? 'nobody relays: new connections to Services are refused'
      : 'the kernel goes on with its rules, and nobody changes them';
}

function aboutNode(node) {
  const pods = podsOf(node.id);
  return sheet('node', node.id, [
    ['Addresses', node.addresses.join(', ')],
    ['Pods’ addresses', node.podCidrs.join(', ')],
    ['State', node.power ? node.ready ? 'ready' : 'not ready' : 'no power'],
    ['Agent', node.power && (node.agent ? 'runs' : node.starting ? 'starts anew' : 'has ended: ' + leftOver(node))],
    ['Proxy', node.mode + ' mode' + (node.agent ? ', ' + syncText(node) : '')],
    ['Last sync', node.sync ? count(node.sync.changed, 'Service port') + ' changed' : ''],
    ['Pods', pods.filter(pod => pod.ready).length + ' of ' + pods.length + ' ready'],
    ['Traffic', rateOf('node:' + node.id)],
  ]);
}

function aboutService(service) {
  return sheet(service.type + ' Service', service.id, [
    ['Addresses', service.addresses.join(', ') || 'none: it is headless'],
    ['Ports', service.ports.map(portText).join(', ')],
    ['Policies', service.policies.join(', ')],
    ['Served by', service.endpoints.map(each => (each.pod || 'no pod') + ' at ' + each.address
        + (each.state === 'ready' ? '' : ' (' + each.state + ')')).join(', ') || 'nobody: it has no endpoint'],
  ]);
}
