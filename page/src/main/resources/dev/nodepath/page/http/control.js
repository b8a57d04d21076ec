/* What a reader may change of a node or a Service. */
const FIELDS = { externalTrafficPolicy: ['Cluster', 'Local'], internalTrafficPolicy: ['Cluster', 'Local'],
    sessionAffinity: ['None', 'ClientIP'], selector: ['pods', 'nobody'] };

/** A button that changes something. */
function changer(text, name, what, able = true) {
  return el('button', { disabled: !able || Boolean(changing), onclick: () => change(name, what) }, text);
}

/** A row of buttons of which one is pressed. */
function choice(label, values, now, choose, busy = () => null) {
  return el('div', { class: 'choice' }, el('span', { class: 'text' }, label),
      el('div', { class: 'views', role: 'group', 'aria-label': label },
    ...values.map(value => el('button', { 'aria-pressed': String(value === now), 'aria-busy': busy(value),
      disabled: Boolean(changing), onclick: () => { if (value !== now) choose(value); } }, value))));
}

function serviceControls(service) {
  const edit = (field, value) => change('service', { service: service.id, field, value });
  const known = Object.fromEntries(service.policies.map(text => text.split(': ')));
  const fields = Object.entries(FIELDS).filter(([field]) => field !== 'externalTrafficPolicy'
      || service.type !== 'ClusterIP');
  const button = (text, value, able) => changer(text, 'service', { service: service.id, field: 'ports', value }, able);
  return el('div', { class: 'change' },
      ...fields.map(([field, values]) => choice(field, values, known[field] || values[0], value => edit(field, value))),
    el('p', { class: 'tools' }, button('One port more', 'more', service.ports.length < 8), ' ',
        button('One port less', 'less', service.ports.length > 1)));
}

function nodeControls(node) {
  const button = (name, runs) =>
      changer((runs ? 'Kill the ' : 'Start the ') + name, name, { node: node.id, run: !runs });
  const tools = el('p', { class: 'tools' }, button('node', node.power));
  if (!node.power) return tools;
  if (!node.starting) tools.prepend(button('agent', node.agent), ' ');
  const modes = choice('mode', MODES, node.mode, mode => change('mode', { mode, node: node.id }),
    mode => isComing(mode, node.id));
  return el('div', { class: 'change' }, modes, tools);
}
