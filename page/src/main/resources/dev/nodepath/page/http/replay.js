/* A recording: the page gets it whole and plays it itself, through the same functions as a live one. */
const replay = { on: document.documentElement.dataset.replay !== undefined, events: [], state: null, from: 0, to: 0,
    at: 0, next: 0, speed: 1, timer: 0, ticked: 0 };
const SPEEDS = [1, 4, 16, 64];
const TICK = 100;

/** What the clock of the page says. */
function now() { return replay.on ? replay.at : Date.now(); }

async function startReplay() {
  ['flows', 'compare', 'lessons'].forEach(name => { $('as-' + name).hidden = true; });
  document.title = 'Nodepath: a recording';
  try {
    const lines = (await (await fetch('/api/record')).text()).trimEnd().split('\n').map(line => JSON.parse(line));
    Object.assign(replay, { state: lines[0].state, from: lines[0].from, to: lines[0].to, events: lines.slice(1) });
  } catch {
    return linked('lost', 'the recording does not come');
  }
  makeReplay();
  goTo(replay.from);
}

/** Shows the cluster as it was at a time. Back means from the start: that is quick, and needs no way back for each
    event. */
function goTo(time, speaks) {
  const at = Math.min(replay.to, Math.max(replay.from, time));
  if (at < replay.at || !model.client) {
    takeState(replay.state);
    replay.next = 0;
  }
  replay.at = at;
  for (; replay.next < replay.events.length && replay.events[replay.next].at <= at; replay.next++) {
    const event = replay.events[replay.next];
    const words = takeEvent(event.kind, event.data);
    if (speaks) say(words);
  }
  drawReplay();
  redraw();
}

function makeReplay() {
  const length = Math.max(1, replay.to - replay.from);
  const ticks = svg('svg', { class: 'ticks', viewBox: '0 0 1000 8', preserveAspectRatio: 'none',
      'aria-hidden': 'true' });
  ticks.append(svg('path', { d: [...new Set(replay.events.map(event =>
      Math.round((event.at - replay.from) / length * 1000)))].map(x => 'M' + x + ' 0v8').join('') }));
  const button = (id, text, label, onclick) => el('button', { id, 'aria-label': label, title: label, onclick }, text);
  const date = new Date(replay.from);
  $('replay').replaceChildren(
    el('p', { class: 'what' }, el('b', {}, 'Recording'), ' '
        + date.toLocaleDateString(undefined, { day: 'numeric', month: 'short', year: 'numeric' })),
    el('div', { class: 'tools' },
      button('replay-back', '‹', 'To the change before', () => jump(-1)),
      button('replay-play', 'Play', null, playReplay),
      button('replay-on', '›', 'To the next change', () => jump(1))),
    el('div', { class: 'track' }, ticks,
      el('input', { type: 'range', id: 'moment', 'aria-label': 'Moment of the recording', min: 0, max: length, step: 1,
          value: 0,
        oninput: event => { stopReplay(); goTo(replay.from + Number(event.target.value)); },
        onkeydown: momentKey })),
    el('output', { id: 'clock', for: 'moment' }),
    el('label', {}, 'Speed ', el('select',
        { id: 'speed', onchange: event => { replay.speed = Number(event.target.value); } },
        ...SPEEDS.map(speed => el('option', { value: speed }, speed + '×')))));
  $('replay').hidden = false;
  linked('replay', 'recording');
}

/** Arrow keys go by a second; the browser's own step is a millisecond. */
function momentKey(event) {
  const by = { ArrowLeft: -1000, ArrowDown: -1000, ArrowRight: 1000, ArrowUp: 1000, PageDown: -10000,
      PageUp: 10000 }[event.key];
  if (!by || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  stopReplay();
  goTo(replay.at + by);
}

function drawReplay() {
  const passed = replay.at - replay.from;
  const clock = new Date(replay.at).toLocaleTimeString(undefined,
      { hour: 'numeric', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 1 });
  $('moment').value = passed;
  set($('moment'), { 'aria-valuetext': clock + ', ' + minutes(passed) + ' of ' + minutes(replay.to - replay.from) });
  put($('clock'), clock + ' · ' + minutes(passed) + ' of ' + minutes(replay.to - replay.from));
  put($('replay-play'), replay.timer ? 'Pause' : 'Play');
}

function minutes(millis) {
  const seconds = Math.floor(millis / 1000);
  return Math.floor(seconds / 60) + ':' + String(seconds % 60).padStart(2, '0');
}

/** Changes of one moment are one jump. */
function jump(way) {
  stopReplay();
  const times = replay.events.map(event => event.at);
  const found = way > 0 ? times.find(at => at > replay.at) : times.reverse().find(at => at < replay.at);
  goTo(found ?? (way > 0 ? replay.to : replay.from));
}

function playReplay() {
  if (replay.timer) return stopReplay();
  if (replay.at >= replay.to) goTo(replay.from);
  replay.ticked = Date.now();
  replay.timer = setInterval(() => {
    const passed = Date.now() - replay.ticked;
    replay.ticked += passed;
    goTo(replay.at + passed * replay.speed, true);
    if (replay.at >= replay.to) stopReplay();
  }, TICK);
  drawReplay();
}

function stopReplay() {
  clearInterval(replay.timer);
  replay.timer = 0;
  drawReplay();
}

/** Saves what the server has of the last minutes. */
async function saveRecording() {
  try {
    const answer = await fetch('/api/record');
    if (!answer.ok) throw new Error((await answer.json()).error);
    const link = el('a', { href: URL.createObjectURL(await answer.blob()), download: 'nodepath-'
        + new Date().toISOString().slice(0, 19).replaceAll(':', '-') + '.jsonl' });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    say('the recording is saved');
  } catch (error) {
    showError('The recording was not saved: ' + error.message);
  }
}
