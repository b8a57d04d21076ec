/* What the kernel itself says of a packet (nftrace), and what the links carried, beside what the tracer expects. */
function kernelMark(each) {
  if (each.missing) return el('span', { class: 'seen not' }, '\u2715 not what was observed');
  const seen = [each.kernel && 'the kernel says so too', each.wire && 'on the wire: ' + each.wire].filter(text => text);
  return seen.length ? el('span', { class: 'seen' }, '\u2713 ' + seen.join('; ')) : null;
}

/** Whether the kernel has named every rule of the steps, in a sentence; empty if it was not asked. */
function kernelSays(answer) {
  const asked = answer.steps.filter(each => each.kernel || each.missing);
  const named = asked.filter(each => each.kernel).length;
  if (!asked.length) return '';
  return named === asked.length ? ' The kernel says the same of ' + (named === 1 ? 'the one step' : 'all ' + named + ' steps') + ' that rules make.' : '';
}

/** Each link that carried the packet or its answer, in the order of time. */
function wireTrace(observed) {
  const hops = observed.wire || [];
  if (!hops.length) return null;
  return el('details', { class: 'tracked' }, el('summary', {}, 'On the wire: ' + count(hops.length, 'sight')),
    el('ol', { class: 'wire' }, ...hops.map(hop => el('li', { class: hop.answer ? 'back' : '' },
      el('b', {}, hop.node + ' ' + hop.place), el('span', { class: 'end' }, '+' + hop.micros + ' \u00b5s'), el('span', { class: 'address' }, hop.packet)))));
}

/** Each rule that took the packet on, node by node and chain by chain. */
function kernelTrace(observed) {
  const hops = observed.kernel || [];
  const notes = (observed.notes || []).map(text => el('p', { class: 'empty' }, text));
  if (!hops.length && !notes.length) return null;
  const trace = el('details', { class: 'tracked kernel' }, el('summary', {}, 'The kernel\u2019s own trace: ' + count(hops.length, 'rule')), ...notes);
  let node = '';
  let place = '';
  let list = null;
  hops.forEach(hop => {
    if (hop.node !== node) {
      trace.append(el('h3', { class: 'name' }, hop.node));
      place = '';
    }
    node = hop.node;
    const chain = hop.table + ' \u203a ' + hop.chain;
    if (chain !== place) {
      list = el('ul', {});
      trace.append(el('p', { class: 'chain text' }, chain), list);
    }
    place = chain;
    list.append(el('li', {}, el('code', { class: 'text' }, hop.rule || '(any packet)'), hop.verdict ? el('span', { class: 'end text' }, '\u2192 ' + hop.verdict) : ''));
  });
  return trace;
}
