// What is wrong with the page as it is drawn now: a line each. Run in the page by ReportPageTest.
(() => {
  const problems = [];
  const round = (rect) => [rect.left, rect.top, rect.right, rect.bottom].map(Math.round).join(" ");

  // Every chart has its marks, and each can be seen.
  for (const svg of document.querySelectorAll("svg")) {
    if (!svg.checkVisibility()) continue;
    const marks = [...svg.querySelectorAll(".mark")].filter((mark) => {
      const box = mark.getBoundingClientRect();
      return box.width > 0.3 && box.height > 0.3 || mark.tagName === "path" && box.width + box.height > 3;
    });
    if (String(marks.length) !== svg.dataset.marks) {
      problems.push(`${svg.getAttribute("aria-label")}: ${marks.length} marks (expected: ${svg.dataset.marks})`);
    }
  }

  // Every piece of text, a line of it at a time, with what it stands in.
  const pieces = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || element.closest("title, style") || !element.checkVisibility()) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const rects = element.closest("svg") ? [element.getBoundingClientRect()] : [...range.getClientRects()];
    for (const rect of rects) {
      if (rect.width > 0.5 && rect.height > 0.5) pieces.push({ rect, element, text: node.data.trim().slice(0, 40) });
    }
  }
  if (pieces.length === 0) problems.push("no text is shown");

  // Nothing is cut: by the window, by its chart, by a box that hides what does not fit.
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) {
    problems.push(`the page is ${document.documentElement.scrollWidth} wide (expected: <= ${width})`);
  }
  for (const { rect, element, text } of pieces) {
    const frame = element.closest("svg, figure, td, th, li");
    const box = frame ? frame.getBoundingClientRect() : { left: 0, right: width, top: -1e9, bottom: 1e9 };
    if (rect.left < box.left - 1 || rect.right > box.right + 1 || rect.top < box.top - 2 || rect.bottom > box.bottom + 2) {
      problems.push(`"${text}" at ${round(rect)} reaches out of its ${frame ? frame.tagName : "page"} at ${round(box)}`);
    }
  }
  for (const element of document.querySelectorAll("body *:not(svg *)")) {
    if (getComputedStyle(element).overflow !== "visible" && element.checkVisibility() && element.tagName !== "svg" && element.scrollWidth > element.clientWidth + 1) {
      problems.push(`${element.tagName} hides what does not fit`);
    }
  }

  // No card stands alone beside an empty place.
  for (const grid of document.querySelectorAll(".charts, nav ul")) {
    if (!grid.checkVisibility()) continue;
    const cards = [...grid.children].map((card) => card.getBoundingClientRect()).filter((box) => box.width > 0);
    const last = cards.filter((box) => Math.abs(box.top - cards[cards.length - 1].top) < 2);
    if (last.length === 1 && last[0].width < grid.clientWidth - 2) problems.push("a card stands alone in its row");
  }

  // No text overlaps another.
  pieces.sort((a, b) => a.rect.top - b.rect.top);
  for (let i = 0; i < pieces.length; i++) {
    for (let j = i + 1; j < pieces.length && pieces[j].rect.top < pieces[i].rect.bottom; j++) {
      const a = pieces[i].rect, b = pieces[j].rect;
      const over = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const deep = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (over > 1 && deep > 0.2 * Math.min(a.height, b.height)) {
        problems.push(`"${pieces[i].text}" at ${round(a)} overlaps "${pieces[j].text}" at ${round(b)}`);
      }
    }
  }

  // Contrast by WCAG 2.1: 4.5 for text, 3 for marks.
  const parse = (colour) => colour.match(/[\d.]+/g).map(Number);
  const background = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length < 4 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const luminance = ([r, g, b]) => {
    const linear = [r, g, b].map((c) => c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  };
  const contrast = (one, other) => {
    const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };
  for (const { element, text } of pieces) {
    const style = getComputedStyle(element);
    const ratio = contrast(parse(element.closest("svg") ? style.fill : style.color), background(element));
    if (!(ratio >= 4.5)) problems.push(`"${text}": contrast ${ratio.toFixed(2)} (expected: >= 4.5)`);
  }
  for (const mark of document.querySelectorAll(".mark")) {
    if (!mark.checkVisibility()) continue;
    const style = getComputedStyle(mark);
    const ratio = contrast(parse(mark.tagName === "rect" ? style.fill : style.stroke), background(mark));
    if (!(ratio >= 3)) problems.push(`${mark.getAttribute("class")}: contrast ${ratio.toFixed(2)} (expected: >= 3)`);
  }

  // Nothing was fetched.
  for (const entry of performance.getEntriesByType("resource")) problems.push(`fetched ${entry.name}`);
  return [...new Set(problems)].join("\n");
})()
