/* Puts it together: draws at most once for each frame, listens to keys, keeps the selection in the address. */
const VIEWS = ['picture', 'tables', 'flows', 'compare'];
const phone = matchMedia('(max-width: 739px)');
let pending = false;
let shownView = 'picture';

function redraw() {
  if (pending) return;
  pending = true;
  requestAnimationFrame(() => {
    pending = false;
    if (!model.client) return;
    facts();
    drawModes();
    draw();
    drawTables();
    drawFlows();
    drawCompare();
    drawLessons();
    drawPanel();
    if (!model.loaded) performance.mark('drawn');
    model.loaded = true;
  });
}

function facts() {
  const pods = [...model.pods.values()];
  const off = pods.filter(pod => !pod.ready).length;
  set($('save'), { hidden: replay.on });
  $('facts').replaceChildren(count(model.nodes.size, 'node') + ' · ' + count(pods.length, 'pod')
    + (off ? ', ' + off + ' not ready' : '') + ' · ' + count(model.services.size, 'Service'));
}

/** What is selected is in the address: it can be shared with those who have the token. */
function readAddress() {
  const values = new URLSearchParams(location.hash.slice(1));
  selected = values.get('at') || '';
  probe.chosen = Boolean(values.get('from') || values.get('to'));
  if (values.get('from')) probe.from = values.get('from');
  if (values.get('to')) probe.to = values.get('to');
  if (values.get('with')) flows.filter = values.get('with');
  readLessonAddress(values);
  const modes = (values.get('modes') || '').split(',');
  if (modes.length === 2 && modes.every(mode => MODES.includes(mode))) compare.modes = modes;
  view(values.get('view'));
}

function keepAddress() {
  const values = new URLSearchParams();
  if (shownView !== 'picture') values.set('view', shownView);
  keepLessonAddress(values);
  if (shownView === 'compare') values.set('modes', compare.modes);
  if (flows.filter) values.set('with', flows.filter);
  if (selected) values.set('at', selected);
  if (probe.answer || probe.chosen || shownView === 'compare') {
    values.set('from', probe.from);
    values.set('to', probe.to);
  }
  history.replaceState(null, '', values.toString() ? '#' + values : location.pathname);
}

/** Shows the cluster as a picture, as tables, or its flows. */
function view(name) {
  shownView = VIEWS.includes(name) && !(replay.on && /flows|compare/.test(name)) ? name : 'picture';
  VIEWS.forEach(each => {
    $(each).hidden = each !== shownView;
    set($('as-' + each), { 'aria-pressed': String(each === shownView) });
  });
  if (shownView === 'compare') $('picture').hidden = false;
  document.body.classList.toggle('unpictured', $('picture').hidden);
  if (!phone.matches) scrollTo(0, 0);
  keepAddress();
  redraw();
  readFlows();
}

/** Arrow keys go to the nearest part in that direction. */
function arrow(event) {
  const directions = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const way = directions[event.key];
  const from = document.activeElement;
  if (event.key === 'Escape' && selected) return select(selected);
  if (!way || !from.matches('#picture button') || event.ctrlKey || event.metaKey || event.altKey) return;
  const start = place(from);
  let best = null;
  document.querySelectorAll('#picture button').forEach(button => {
    const to = place(button);
    const along = (to.x - start.x) * way[0] + (to.y - start.y) * way[1];
    const across = Math.abs((to.x - start.x) * way[1]) + Math.abs((to.y - start.y) * way[0]);
    const far = along + across * 3;
    if (button !== from && along > 4 && (!best || far < best.far)) best = { button, far };
  });
  if (best) {
    best.button.focus();
    event.preventDefault();
  }
}

/** On a phone lessons that are out of view come into view first. */
function toggleLessons() {
  const { top, bottom } = $('lessons').getBoundingClientRect();
  if (!lessons.open) turnTo(lessons.at);
  else if (phone.matches && (top > innerHeight || bottom < 0)) $('lessons').scrollIntoView();
  else openLessons(false, lessons.at);
}

/** A phone's header has room for the modes and the lessons: there the stage itself has the choice of its view. */
function placeViews() {
  redraw();
  if (phone.matches) $('stage').prepend($('views'));
  else $('modes').after($('views'));
}

readAddress();
placeViews();
phone.addEventListener('change', placeViews);
VIEWS.forEach(name => $('as-' + name).addEventListener('click', () => view(name)));
$('as-lessons').addEventListener('click', toggleLessons);
$('save').addEventListener('click', saveRecording);
document.addEventListener('keydown', arrow);
$('send').addEventListener('input', () => { formChanged(); drawCompare(); });
['wheel', 'touchmove', 'keydown',
    'pointerdown'].forEach(type => addEventListener(type, leaveAlone, { capture: true, passive: true }));
new ResizeObserver(() => model.client && drawWires()).observe($('picture'));
setInterval(() => {
  speak();
  readFlows();
  forgetRates();
  if (!model.client) return;
  judge();
  if ($('link').dataset.state === 'lost') linked('lost', 'not connected');
  model.nodes.forEach(node => {
    const box = drawn.get('node:' + node.id);
    if (box) put(box.querySelector('.sync'), syncText(node));
  });
}, 1000);
drawPanel();
if (replay.on) startReplay();
else follow();
