// What is wrong with the way of the packet on the picture, at each of its steps: a line each.
(() => {
  halt();
  const problems = [];
  const walker = document.createTreeWalker(document.getElementById('picture'), NodeFilter.SHOW_TEXT);
  const texts = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.data.trim() || node.parentElement.closest('#tag')) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = node.parentElement.getBoundingClientRect();
    for (const line of range.getClientRects()) {
      if (line.width > 0.5 && line.top < box.bottom - 1) texts.push({ text: node.data.trim(), left: line.left, top: line.top + 2, right: Math.min(line.right, box.right), bottom: line.bottom - 2 });
    }
  }
  if (texts.length < 10) problems.push(`${texts.length} texts on the picture`);
  const over = (text, { left, top, right, bottom }) => Math.min(text.right, right) > Math.max(text.left, left) && Math.min(text.bottom, bottom) > Math.max(text.top, top);
  const picture = document.getElementById('picture').getBoundingClientRect();
  for (let at = 0; at < probe.answer.steps.length; at++) {
    step(at);
    const tag = document.getElementById('tag');
    const box = tag.getBoundingClientRect();
    if (tag.hidden || !/:\d+/.test(tag.textContent)) problems.push(`step ${at}: "${tag.textContent}" has no port`);
    if (box.left < picture.left - 1 || box.right > picture.right + 1) problems.push(`step ${at}: the addresses reach out of the picture`);
    texts.filter(text => over(text, box)).forEach(({ text }) => problems.push(`step ${at}: the addresses cover "${text}"`));
    const dot = document.querySelector('#path .dot').getBoundingClientRect();
    const far = Math.hypot(Math.max(0, dot.left - box.right, box.left - dot.right), Math.max(0, dot.top - box.bottom, box.top - dot.bottom));
    if (far > 60) problems.push(`step ${at}: the addresses are ${far} px from the dot`);
  }
  for (const path of document.querySelectorAll('#path path')) {
    for (let length = 0; length < path.getTotalLength(); length += 2) {
      const { x, y } = path.getPointAtLength(length);
      const point = { left: picture.left + x - 1.5, right: picture.left + x + 1.5, top: picture.top + y - 1.5, bottom: picture.top + y + 1.5 };
      texts.filter(text => over(text, point)).forEach(({ text }) => problems.push(`the way runs through "${text}"`));
    }
  }
  const colours = [...document.querySelectorAll('#path path')].map(path => getComputedStyle(path).stroke + getComputedStyle(path).strokeDasharray);
  if (new Set(colours).size !== 2) problems.push(`there and back look like ${colours}`);
  return [...new Set(problems)].join('\n');
})()
