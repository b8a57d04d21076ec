/* The same as tables. */

function drawTables() {
  if ($('tables').hidden) return;
  $('tables').replaceChildren(
    ...table('Nodes', ['Name', 'Addresses', 'Pods’ addresses', 'State', 'Proxy', 'Traffic'],
      sorted('node').map(node => [node.id, node.addresses.join(', '), node.podCidrs.join(', '),
        !node.ready ? 'not ready' : node.agent || node.starting ? 'ready' : 'ready, its agent has ended',
        node.mode + ', ' + syncText(node), rateOf('node:' + node.id)])),
    ...table('Pods', ['Name', 'Node', 'Address', 'State', 'Serves', 'Traffic'], sorted('pod').map(pod =>
      [pod.id, pod.node, pod.addresses.join(', '), podState(pod) + (pod.trouble ? ': ' + pod.trouble : ''),
          servicesOf(pod.id).map(service => service.id).join(', '), podRate(pod)])),
    ...table('Services', ['Name', 'Addresses', 'Ports', 'Ready', 'Served by'], sorted('service').map(service =>
      [service.id, service.addresses.join(', ') || 'headless', service.ports.map(portText).join(', '),
          ready(service).length + ' of ' + service.endpoints.length,
        service.endpoints.map(each => each.pod || each.address).join(', ')])));
  tellRates();
}

function table(title, columns, rows) {
  const id = 'table-' + title;
  return [el('h2', { id }, title),
      el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-labelledby': id }, el('table', {},
    el('thead', {}, el('tr', {}, ...columns.map(name => el('th', { scope: 'col' }, name)))),
    el('tbody', {}, ...rows.map(row =>
        el('tr', {}, ...row.map((cell, index) =>
        el(index ? 'td' : 'th', index ? { class: 'text', 'data-label': columns[index] }
        : { scope: 'row', class: 'text' }, cell)))))))];
}
