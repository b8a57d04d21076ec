// What is wrong with the page as it is drawn now: a line each. Run in the page by PageInBrowserTest.
(() => {
  const problems = [];
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) {
    problems.push(`the page is ${document.documentElement.scrollWidth} wide (expected: <= ${width})`);
  }

  // Every piece of text, a line of it at a time. What is cut with an ellipsis counts as far as it is seen.
  const pieces = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || element.closest('script, style, .unseen, .skip, noscript, option, datalist, .top')) continue;
    // The browser gives what is folded a place too.
    if (element.closest('details:not([open])') && !element.closest('summary')) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = element.getBoundingClientRect();
    for (const line of range.getClientRects()) {
      const rect = { left: line.left, top: line.top, bottom: line.bottom, height: line.height, right: Math.min(line.right, box.right) };
      if (line.width > 0.5 && line.height > 0.5 && line.top < box.bottom - 1) pieces.push({ rect, node, element, text: node.data.trim().slice(0, 40) });
    }
  }
  if (pieces.length === 0) problems.push('no text is shown');
  for (const { rect, text } of pieces) {
    if (rect.left < -1 || rect.right > width + 1) problems.push(`"${text}" reaches out of the page`);
  }

  // No text overlaps another, but for the head that stays while a reader scrolls, and for what lies above the page.
  const sheet = element => !element || getComputedStyle(element).position === 'fixed' ? element : sheet(element.parentElement);
  const still = pieces.filter(piece => !piece.element.closest('.controls'));
  still.sort((a, b) => a.rect.top - b.rect.top);
  for (let i = 0; i < still.length; i++) {
    for (let j = i + 1; j < still.length && still[j].rect.top < still[i].rect.bottom; j++) {
      const a = still[i].rect, b = still[j].rect;
      const over = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const deep = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      // A text that is cut has a second box for its ellipsis.
      if (still[i].node !== still[j].node && sheet(still[i].element) === sheet(still[j].element) && over > 1 && deep > 0.25 * Math.min(a.height, b.height)) problems.push(`"${still[i].text}" overlaps "${still[j].text}"`);
    }
  }

  // Contrast by WCAG 2.1: 4.5 for text.
  const parse = colour => colour.startsWith('color(srgb') ? colour.match(/[\d.]+/g).map((part, index) => index < 3 ? part * 255 : Number(part)) : colour.match(/[\d.]+/g).map(Number);
  const background = element => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length < 4 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const luminance = ([r, g, b]) => {
    const linear = [r, g, b].map(c => c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  };
  for (const { element, text } of pieces) {
    const [dark, light] = [luminance(parse(getComputedStyle(element).color)), luminance(background(element))].sort((a, b) => a - b);
    const ratio = (light + 0.05) / (dark + 0.05);
    if (!(ratio >= 4.5)) problems.push(`"${text}": contrast ${ratio.toFixed(2)} (expected: >= 4.5)`);
  }

  // Nothing was fetched but the stream of events and actions.
  for (const entry of performance.getEntriesByType('resource')) {
    if (!entry.name.startsWith(location.origin + '/api/')) problems.push(`fetched ${entry.name}`);
  }
  return [...new Set(problems)].join('\n');
})()
