/* Who rewrites what on the way of a packet, there and back: the short form of its steps. */

function rewrites(answer) {
  const found = answer.steps.map((each, index) => ({ each, index })).filter(({ each }) => isRewritten(each));
  const list = answers => el('ol', {}, ...found.filter(({ each }) => each.answer === answers).map(({ each, index }) => rewriteItem(each, index)));
  const part = (title, answers) => found.some(({ each }) => each.answer === answers) ? [el('h4', {}, title), list(answers)] : [];
  return el('section', { class: 'rewriters', 'aria-labelledby': 'rewriters-title' }, el('h3', { id: 'rewriters-title' }, 'Who rewrites it'),
    ...(found.length ? [...part('on the way there', false), ...part('on the way back', true)] : [el('p', {}, 'Nobody: it arrives as it was sent.')]));
}

function isRewritten(each) { return each.source !== each.newSource || each.destination !== each.newDestination; }

function rewriteItem(each, index) {
  const change = (label, before, after) => before === after ? null
    : el('span', { class: 'packet' }, el('span', { class: 'label' }, label), before, ' \u2192 ', el('mark', {}, after));
  return el('li', {}, el('button', { type: 'button', onclick: () => walkTo(index) },
    el('span', { class: 'at' }, el('span', { class: 'where' }, each.where), each.chain ? el('span', { class: 'chain' }, each.chain) : null),
    each.chain ? null : el('span', { class: 'what text' }, each.what),
    change('source', each.source, each.newSource), change('destination', each.destination, each.newDestination)));
}
