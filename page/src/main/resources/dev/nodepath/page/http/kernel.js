/* What the kernel itself says of a packet (nftrace), and what the links carried, beside what the tracer expects. */
function kernelMark(each) {
  if (each.missing) return el('span', { class: 'seen not' }, '✕ not what was observed');
  const seen = [each.kernel && 'the kernel says so too', each.wire && 'on the wire: ' + each.wire].filter(text => text);
  return seen.length ? el('span', { class: 'seen' }, '✓ ' + seen.join('; ')) : null;
}

/** Whether the kernel has named every rule of the steps, in a sentence; empty if it was not asked. */
function kernelSays(answer) {
  const asked = answer.steps.filter(each => each.kernel || each.missing);
  const named = asked.filter(each => each.kernel).length;
  if (!asked.length) return '';
  return named === asked.length ? ' The kernel says the same of '
      + (named === 1 ? 'the one step' : 'all ' + named + ' steps') + ' that rules make.' : '';
}

/** Each link that carried the packet or its answer, in the order of time. */
function wireTrace({ observed, protocol }) {
  const hops = observed.wire || [];
  if (!hops.length) return null;
  return el('details', { class: 'tracked' }, el('summary', {}, 'On the wire: ' + count(hops.length, 'sighting')),
    el('p', { class: 'empty' }, (protocol === 'tcp'
        ? 'TCP: the first packet of each connection and the first answer to it (SYN, SYN-ACK).'
        : 'The first packet and the first answer to it.') + ' ↩ marks answers.'),
    el('ol', { class: 'wire' }, ...hops.map(hop => el('li', { class: hop.answer ? 'back' : '' },
      el('b', {}, hop.node + ' ' + hop.place), el('span', { class: 'end' }, '+' + hop.micros + ' µs'),
          el('span', { class: 'address' }, hop.packet)))));
}

/** Each rule that took the packet on, node by node and chain by chain. */
function kernelTrace(observed) {
  const hops = observed.kernel || [];
  const notes = (observed.notes || []).map(text => el('p', { class: 'empty' }, text));
  if (!hops.length && !notes.length) return null;
  const trace = el('details', { class: 'tracked kernel' },
      el('summary', {}, 'The kernel’s own trace: ' + count(hops.length, 'rule') + ', those of other programs too'),
      ...notes);
  let node = '';
  let place = '';
  let list = null;
  hops.forEach(hop => {
    if (hop.node !== node) {
      trace.append(el('h3', { class: 'name' }, hop.node));
      place = '';
    }
    node = hop.node;
    const chain = hop.table + ' › ' + hop.chain;
    if (chain !== place) {
      list = el('ul', {});
      trace.append(el('p', { class: 'chain text' }, chain), list);
    }
    place = chain;
    list.append(el('li', {}, el('code', { class: 'text' }, hop.rule || '(any packet)'), hop.verdict
        ? el('span', { class: 'end text' }, '→ ' + hop.verdict) : ''));
  });
  return trace;
}
