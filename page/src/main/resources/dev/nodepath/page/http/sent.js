/* The last packets that anybody has sent. Each can be opened with its steps, also by those who only watch. */

function drawSent() {
  const probes = model.news.filter(each => each.kind === 'probe').reverse();
  const known = probes.map(each => each.at).join();
  $('sent').hidden = !probes.length;
  if ($('sent-list').known !== known) {
    $('sent-list').known = known;
    $('sent-list').replaceChildren(...probes.map(each => el('li', {}, el('button', { type: 'button', 'data-sent': each.at, onclick: () => openSent(each) },
      el('span', { class: 'when' }, new Date(each.at).toLocaleTimeString()), el('b', { class: 'text' }, each.from + ' \u2192 ' + each.to), el('span', { class: 'text' }, verdict(each))))));
  }
  $('sent-list').querySelectorAll('button').forEach(button => set(button, { 'aria-pressed': String(Number(button.dataset.sent) === probe.answer?.at) }));
}

function openSent(answer) {
  halt();
  Object.assign(probe, { answer, error: '', at: -1 });
  drawPanel();
  step(0);
}
