/* What the links carry, once a second: the widths of the edges, and words in the panel and the tables. */
const rates = { at: 0, of: {} };
/** From so many bits in a second on an edge is one step wider; below the first it is idle. */
const DECADES = [1e3, 1e6, 1e8, 1e9];
const RATES_AGE = 4000;

function takeRates(data) {
  rates.at = Date.now();
  rates.of = data.rates;
  drawEdges();
  tellRates();
}

/** What was measured a while ago is no rate any more. */
function forgetRates() {
  if (rates.at && Date.now() - rates.at > RATES_AGE) takeRates({ rates: {} });
}

function drawEdges() { [...$('trunks').children].forEach(drawEdge); }

function tellRates() {
  document.querySelectorAll('[data-rate]').forEach(element => put(element, rateText(rates.of[element.dataset.rate])));
}

/** What moves on it, and its tip, go the way that carries more; they turn only when it is a quarter more. */
function drawEdge(edge) {
  const [received, sent] = rates.of[edge.dataset.edge] || [0, 0];
  const width = DECADES.filter(least => 8 * Math.max(received, sent) >= least).length;
  edge.away = sent > 1.25 * received || (edge.away && 1.25 * sent > received);
  const way = edge.away ? [...edge.points].reverse() : edge.points;
  set(edge, { class: width ? 'w' + width : null });
  const [cable, flow, tip] = edge.children;
  const [end, neck] = tipOf(way, 3 + width * 0.7);
  const d = path(width ? [...way.slice(0, -1), neck] : way);
  set(cable, { d });
  set(flow, { d });
  set(tip, { d: end });
}

/** A tip of 6 px at the end of a way, and where it begins. */
function tipOf(way, half) {
  const [[fromX, fromY], [x, y]] = way.slice(-2);
  const [right, down] = [Math.sign(x - fromX), Math.sign(y - fromY)];
  const neck = [x - 6 * right, y - 6 * down];
  return [path([[x, y], [neck[0] - half * down, neck[1] - half * right],
      [neck[0] + half * down, neck[1] + half * right]]) + 'Z', neck];
}

/** A line through points. Where there is none, the next one begins anew. */
function path(points) {
  return points.map((point, index) => point ? (points[index - 1] ? 'L' : 'M') + point.join(' ') : '').join('');
}

function podRate(pod) { return pod.host ? 'its node’s' : rateOf('pod:' + pod.id); }

/** An element that always says what a part's link carries. */
function rateOf(part) { return el('span', { class: 'rate', 'data-rate': part }); }

function rateText(rate) {
  if (!rate) return 'not measured';
  const [received, sent, receivedPackets, sentPackets] = rate;
  return bits(received) + ' in, ' + bits(sent) + ' out\n' + receivedPackets + ' in, ' + sentPackets + ' out, packets/s';
}

function bits(bytes) {
  const many = bytes * 8;
  const step = many ? Math.min(3, Math.floor(Math.log10(many) / 3)) : 0;
  const number = many / 1000 ** step;
  return (step && number < 99.95 ? number.toPrecision(number < 9.995 ? 2 : 3) : Math.round(number)) + ' '
      + ['', 'k', 'M', 'G'][step] + 'b/s';
}
