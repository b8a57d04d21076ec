/* Elements and words. What comes from the cluster becomes text nodes and attributes, never markup. */
const SVG = 'http://www.w3.org/2000/svg';

function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  if (tag === 'button') element.type = tag;
  set(element, attributes);
  element.append(...children.filter(child => child !== null && child !== undefined && child !== ''));
  return element;
}

function svg(tag, attributes = {}) {
  const element = document.createElementNS(SVG, tag);
  set(element, attributes);
  return element;
}

function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value === null || value === false) element.removeAttribute(name);
    else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value === true ? '' : value);
  }
}

/** Writes a text only if it differs, so that a reader's selection and the screen reader are left alone. */
function put(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function $(id) { return document.getElementById(id); }

function count(number, one, many = one + 's') { return number + ' ' + (number === 1 ? one : many); }

function ago(millis) {
  const seconds = Math.max(0, Math.round((now() - millis) / 1000));
  if (seconds < 60) return seconds + ' s ago';
  if (seconds < 3600) return Math.floor(seconds / 60) + ' min ago';
  return Math.floor(seconds / 3600) + ' h ago';
}

const NATURAL = new Intl.Collator('en', { numeric: true });
