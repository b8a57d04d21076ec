/* Who talks to whom, as the kernels of all nodes remember it. Asked for once a second while it is shown. */
const flows = { list: [], total: 0, at: 0, before: new Map(), rows: new Map(), filter: '', ended: false, error: '',
    asking: false };
const COLUMNS = ['From', 'Sent to', 'Goes to', 'State', 'Now', 'So far', 'Rewritten'];
const ENDED = ['FIN_WAIT', 'CLOSE_WAIT', 'LAST_ACK', 'TIME_WAIT', 'CLOSE'];
/** More rows are read by nobody: a filter finds them. */
const SHOWN_MAX = 100;
const KEPT = { gone: 'its endpoint is gone', unready: 'its endpoint is not ready', ending: 'its endpoint is ending' };

async function readFlows() {
  if (($('flows').hidden && !lessonNeedsFlows()) || flows.asking || document.hidden) return;
  flows.asking = true;
  try {
    const answer = await fetch('/api/flows');
    const json = await answer.json();
    if (!answer.ok) throw new Error(json.error);
    flows.error = '';
    takeFlows(json);
  } catch (error) {
    flows.error = error instanceof TypeError ? 'The cluster does not answer.' : error.message;
  }
  flows.asking = false;
  drawFlows();
}

/** The rate of a flow is what it has carried since the answer before. */
function takeFlows(json) {
  const seconds = flows.at ? (json.at - flows.at) / 1000 : 0;
  if (json.at === flows.at) return;
  json.flows.forEach(flow => {
    const last = flows.before.get(flow.id);
    flow.rate = seconds && last !== undefined ? Math.max(0, flow.bytes - last) / seconds : 0;
  });
  flows.before = new Map(json.flows.map(flow => [flow.id, flow.bytes]));
  Object.assign(flows, { list: json.flows, total: json.total, at: json.at });
}

function makeFlows() {
  const filter = el('input', { type: 'search', id: 'flow-filter', placeholder: 'name, address or state',
      spellcheck: 'false', autocomplete: 'off',
    oninput: event => { flows.filter = event.target.value; drawFlows(); keepAddress(); } });
  filter.value = flows.filter;
  const ended = el('input', { type: 'checkbox', id: 'flow-ended',
      onchange: event => { flows.ended = event.target.checked; drawFlows(); } });
  $('flows').replaceChildren(
    el('h2', { id: 'flows-title' }, 'Flows ', el('small', {}, 'what connection tracking on the nodes remembers')),
    el('div', { class: 'filters' }, el('label', { for: 'flow-filter' }, 'Only with'), filter,
        el('label', {}, ended, ' ended ones too'), el('span', { class: 'count', id: 'flow-count' })),
    el('p', { class: 'empty', id: 'flow-empty', role: 'status' }),
    el('div', { class: 'scroll', id: 'flow-scroll', tabindex: 0, role: 'region', 'aria-labelledby': 'flows-title' },
        el('table', {},
      el('thead', {}, el('tr', {}, ...COLUMNS.map(name => el('th', { scope: 'col' }, name)))),
      el('tbody', { id: 'flow-rows' }))));
}

function drawFlows() {
  if ($('flows').hidden || !model.client) return;
  if (!$('flow-rows')) makeFlows();
  const shown = flows.list.filter(flow => (flows.ended || !ENDED.includes(flow.state)) && matches(flow));
  const rows = new Map();
  shown.slice(0, SHOWN_MAX).forEach(flow => rows.set(flow.id, flowRow(flow)));
  flows.rows = rows;
  const body = $('flow-rows');
  [...body.children].forEach(row => { if (!rows.has(row.dataset.flow)) row.remove(); });
  [...rows.values()].forEach((row,
      index) => { if (body.children[index] !== row) body.insertBefore(row, body.children[index] || null); });
  put($('flow-count'), rows.size + ' of ' + count(flows.total, 'flow'));
  put($('flow-empty'), flows.error || (!flows.at ? 'reading…' : shown.length ? ''
    : flows.filter ? 'No flow has this.' : 'No connection is open. Send a packet, and look at the ended ones too.'));
  $('flow-empty').hidden = !$('flow-empty').textContent;
  $('flow-scroll').hidden = !shown.length;
}

function matches(flow) {
  const words = flows.filter.toLowerCase().split(/\s+/).filter(word => word);
  const text = [flow.from.name, flow.from.address, flow.to.name, flow.to.address, flow.end.name, flow.end.address,
      flow.service, flow.seen, flow.state, flow.endpoint, flow.protocol,
    ...flow.entries.map(entry => entry.node)].join(' ').toLowerCase();
  return words.every(word => text.includes(word));
}

/** A row stays the same element, so that an open list of rewrites and the focus stay. */
function flowRow(flow) {
  const row = flows.rows.get(flow.id) || newRow(flow);
  const [from, to, end, state, now, total] = row.children;
  placeCell(from, flow.from);
  placeCell(to, flow.to);
  placeCell(end, flow.end);
  const kept = !ENDED.includes(flow.state) && KEPT[flow.endpoint];
  put(state.firstChild, flow.protocol + ' ' + flow.state.toLowerCase().replace('_', ' '));
  put(state.lastChild, kept ? 'kept by conntrack, though ' + kept : '');
  row.classList.toggle('kept', Boolean(kept));
  put(now.firstChild, flow.rate ? size(flow.rate) + '/s' : '');
  put(total.firstChild, flow.packets ? (flow.bytes ? size(flow.bytes) + ' in ' : '') + count(flow.packets, 'packet')
      : 'not counted');
  return row;
}

function newRow(flow) {
  const cell = () => el('td', { class: 'text' }, el('span', { class: 'who' }), el('span', { class: 'address' }));
  const changed = flow.entries.filter(entry => entry.sent !== entry.became);
  const details = el('details', { class: 'rewrites' },
      el('summary', {}, changed.length ? 'on ' + changed.map(entry => entry.node).join(', ') : 'nowhere'),
    ...flow.entries.map(entry => el('p', {}, el('b', {}, entry.node), el('span', { class: 'address' }, entry.sent),
      el('span', { class: 'address' }, entry.sent === entry.became ? 'passes unchanged' : 'becomes ' + entry.became))));
  const why = !replay.on && senders().flat().includes(flow.from.name) && flow.to.name
    ? el('button', { onclick: () => explain(flow) }, 'Why') : null;
  const row = el('tr', { 'data-flow': flow.id }, cell(), cell(), cell(),
      el('td', { class: 'text' }, el('span', { class: 'who' }), el('span', { class: 'bad' })),
    el('td', {}, el('span')), el('td', {}, el('span')), el('td', {}, el('div', {}, details, why)));
  COLUMNS.forEach((name, index) => set(row.children[index], { 'data-label': name }));
  return row;
}

function placeCell(cell, part) {
  put(cell.firstChild, part.name || part.address);
  put(cell.lastChild, part.name ? part.address : '');
}

/** Sends a packet on the same way: its steps name the rules. */
function explain(flow) {
  probe.from = flow.from.name;
  probe.to = flow.to.name + (flow.protocol === 'udp' ? '/udp' : '');
  $('probe-from').value = probe.from;
  $('probe-to').value = probe.to;
  sendProbe();
  $('panel').focus();
}

function size(bytes) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let unit = 0;
  for (; bytes >= 999.5 && unit < units.length - 1; unit++) bytes /= 1000;
  return (bytes >= 100 || !unit ? Math.round(bytes) : bytes.toPrecision(2)) + ' ' + units[unit];
}
