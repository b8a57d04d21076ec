/* The last packets that anybody has sent. Each can be opened with its steps, also by those who only watch. */

function drawSent() {
  const probes = model.news.filter(each => each.kind === 'probe').reverse();
  const known = probes.map(each => each.at).join();
  $('sent').hidden = !probes.length;
  if ($('sent-list').known !== known) {
    $('sent-list').known = known;
    $('sent-list').replaceChildren(...probes.map(each =>
        el('li', {}, el('button', { 'data-sent': each.at, onclick: () => openSent(each) },
      el('span', { class: 'when' }, new Date(each.at).toLocaleTimeString()),
          el('b', { class: 'text' }, each.from + ' → ' + sentTo(each), ' ', badge(each)),
          el('span', { class: 'text outcome ' + each.observed.kind }, verdict(each))))));
  }
  $('sent-list').querySelectorAll('button').forEach(button =>
      set(button, { 'aria-pressed': String(Number(button.dataset.sent) === probe.answer?.at) }));
}

function openSent(answer) {
  halt();
  lessons.told = '';
  Object.assign(probe, { after: newest(), answer, error: '', at: -1, watch: true, follow: false, from: answer.from,
      to: sentTo(answer) });
  const from = $('probe-from');
  from.value = probe.from;
  if (from.selectedIndex < 0) from.append(el('option', { selected: true }, probe.from));
  $('probe-to').value = probe.to;
  keepAddress();
  drawPanel();
  showResult();
  step(0);
}

/** What the form says for an address. */
function sentTo({ destination, protocol }) {
  const host = hostOf(destination);
  const found = ['service', 'pod', 'node'].flatMap(sorted).find(each => each.addresses.includes(host) && !each.host);
  return (found ? found.id + destination.slice(destination.lastIndexOf(':')) : destination)
      + (protocol === 'udp' ? '/udp' : '');
}
