/* Lessons: a task, what the reader expects, and what has really happened. The text is docs/lessons.md. */
const lessons = { open: false, at: 0, list: null, error: '', shown: '', tries: new Map(), done: {} };
const LESSONS_DONE = 'nodepath-lessons';
/** How long nothing more may follow from a change until it counts as complete. */
const SETTLED = 2500;

/** What a packet has shown: a value, if it is one that can be expected, and in words. */
const LESSON_FACTS = {
  seen: answer => [answer.observed.seen === answer.source ? 'sender' : isNode(answer.observed.seen) ? 'node' : '',
    answer.observed.seen ? (answer.observed.by || 'the receiver') + ' saw ' + answer.observed.seen : verdict(answer)],
  becomes: answer => {
    const entry = answer.observed.conntrack[0];
    if (!entry) return ['', 'no node remembers this packet'];
    const address = entry.reply.split(' ')[0];
    return [isNode(hostOf(address)) ? 'node'
        : [...model.pods.values()].some(pod => pod.addresses.includes(hostOf(address))) ? 'pod' : '',
      'on ' + entry.node + ', ' + answer.destination + ' became ' + address];
  },
  outcome: answer => [answer.observed.kind, verdict(answer)],
};

function hostOf(address) { return address.slice(0, address.lastIndexOf(':')).replace(/[[\]]/g, ''); }

/** Of the node itself, or of its bridge: the first one of its pods' network. */
function isNode(address) {
  return [...model.nodes.values()].some(node => node.addresses.includes(address)
    || node.podCidrs.some(cidr => address === cidr.split('/')[0].replace(/0?$/, '1')));
}

function readLessonAddress(values) {
  try { lessons.done = JSON.parse(localStorage.getItem(LESSONS_DONE)) || {}; } catch { lessons.done = {}; }
  if (replay.on) return;
  const at = Number(values.get('lesson')) || 0;
  if (at || values.get('view') === 'lessons') openLessons(true, at);
}

function keepLessonAddress(values) {
  if (!lessons.open) return;
  if (!values.has('view')) values.set('view', 'lessons');
  if (lessons.at) values.set('lesson', lessons.at);
}

/** Shows the list, or a lesson by its number. */
async function openLessons(open, at = 0) {
  Object.assign(lessons, { open, at });
  if (open && !lessons.list) {
    try {
      const answer = await fetch('/api/lessons');
      if (!answer.ok) throw new Error();
      lessons.list = await answer.json();
      lessons.error = '';
    } catch {
      lessons.error = 'The lessons cannot be read.';
    }
  }
  keepAddress();
  redraw();
}

async function turnTo(at) {
  await openLessons(true, at);
  drawLessons();
  $('lessons').querySelector('h2')?.focus({ preventScroll: phone.matches });
  if (phone.matches) $('lessons').scrollIntoView();
}

function drawLessons() {
  set($('as-lessons'), { 'aria-pressed': String(lessons.open) });
  $('lessons').hidden = !lessons.open;
  document.body.classList.toggle('teaching', lessons.open);
  if (!lessons.open || !(lessons.list || lessons.error)) return;
  if (lessons.at > (lessons.list || []).length || lessons.at < 0) lessons.at = 0;
  const shown = [lessons.at, model.mode, lessons.error, lessons.at ? '' : JSON.stringify(lessons.done)].join();
  if (lessons.shown !== shown) {
    lessons.shown = shown;
    $('lessons').replaceChildren(...(lessons.error
        ? [el('h2', {}, 'Lessons'), el('p', { class: 'empty' }, lessons.error)] : lessons.at
        ? lesson(lessons.list[lessons.at - 1]) : lessonList()));
  }
  judge();
}

function lessonTitle(text) { return el('h2', { tabindex: -1 }, text); }

function lessonList() {
  const done = lessons.done[model.mode] || [];
  return [lessonTitle('Lessons'),
      el('p', { class: 'empty' }, done.length + ' of ' + lessons.list.length + ' done in ' + model.mode
      + ' mode. Some answers differ by mode.'),
    el('ol', { class: 'lesson-list' }, ...lessons.list.map((each, index) => {
      const modes = MODES.filter(mode => (lessons.done[mode] || []).includes(index + 1));
      return el('li', {}, el('button', { onclick: () => turnTo(index + 1) }, el('span', {}, each.title),
        el('small', {}, modes.length ? '✓ ' + modes.join(', ') : '')));
    }))];
}

function lesson(content) {
  const go = (text, at) => el('button', { onclick: () => turnTo(at) }, text);
  return [el('p', { class: 'lesson-top' }, 'Lesson ' + lessons.at + ' of ' + lessons.list.length, go('All lessons', 0)),
      lessonTitle(content.title),
    ...content.blocks.map(lessonBlock),
        el('p', { class: 'tools' }, lessons.at > 1 ? go('Back', lessons.at - 1) : null, ' ',
        lessons.at < lessons.list.length ? go('Next lesson', lessons.at + 1) : null)];
}

function lessonText(parts) {
  return parts.map(part => typeof part === 'string' ? part : part.code !== undefined ? el('code', {}, part.code)
      : el('strong', {}, ...lessonText(part.strong)));
}

function lessonBlock(content, index) {
  if (content.check) return lessonQuestion(content, index);
  if (content.fold) return el('details', {}, el('summary', {}, content.summary), ...content.fold.map(lessonBlock));
  if (content.p) return el('p', {}, ...lessonText(content.p));
  if (content.list) return el('ul', {}, ...content.list.map(item => el('li', {}, ...lessonText(item))));
  return el('pre', { tabindex: 0 }, content.code);
}

function tryOf(index) {
  const key = [model.mode, lessons.at, index].join();
  if (!lessons.tries.has(key)) lessons.tries.set(key, { choice: '' });
  return lessons.tries.get(key);
}

function lessonQuestion(content, index) {
  const { check } = content;
  const options = content.choices.map((choice, number) => el('label', {},
    el('input', { type: 'radio', name: 'choice-' + index, value: check.values[number],
        onchange: event => predicted(index, event.target.value) }), el('span', {}, ...lessonText(choice))));
  const again = el('button', { class: 'again',
      onclick: () => { Object.assign(tryOf(index), { choice: '', seen: null, note: '', open: false }); judge(); } },
      'Once more');
  return el('fieldset', { 'data-check': index }, el('legend', {}, ...lessonText(content.question)), ...options,
    el('p', { class: 'tools' }, el('button', { class: 'fill', onclick: () => fillIn(check) }, fillText(check)), ' ',
        again), el('p', { class: 'judged' }));
}

function fillText({ subject, of }) {
  return subject === 'packet' ? 'Fill in: ' + of[0] + ' → ' + of[1] : subject === 'change' ? 'Select ' + of[0]
      : 'Show this flow';
}

function fillIn({ subject, of, when }) {
  if (subject === 'packet') {
    [probe.from, probe.to] = of;
    $('probe-from').value = of[0];
    $('probe-to').value = of[1];
    formChanged();
    $('go').focus();
  } else if (subject === 'change') {
    if (selected !== 'pod:' + of[0]) select('pod:' + of[0]);
    $('about').querySelector('button')?.focus();
  } else {
    flows.filter = of[0] + ' ' + of[1];
    view('flows');
    if ($('flow-filter')) $('flow-filter').value = flows.filter;
    if (selected !== 'pod:' + when?.name) select('pod:' + when?.name);
  }
}

function predicted(index, choice) {
  const last = model.news[model.news.length - 1];
  Object.assign(tryOf(index), { choice, after: last ? last.at : 0, note: '' });
  judge();
}

function lessonChecks() {
  const found = [];
  if (lessons.open && lessons.at
      && lessons.list) lessons.list[lessons.at - 1].blocks.forEach((each,
      index) => { if (each.check) found.push([each.check, tryOf(index), index]); });
  return found;
}

/** The packet that the open lesson asks for next. */
function nextPacket() { return lessonChecks().find(([check, tried]) => check.subject === 'packet' && !tried.seen) || [];
    }

/** Whether the open lesson has to know the flows. */
function lessonNeedsFlows() { return lessonChecks().some(([check, tried]) => check.subject === 'flow' && !tried.seen); }

/** A packet has come to its end. */
function lessonSaw(answer) {
  lessons.told = '';
  const open = lessonChecks().filter(([check, tried]) => check.subject === 'packet' && !tried.seen);
  open.forEach(([check, tried, index]) => {
    const lack = lessonUnmet(check.when, answer);
    if (probe.from !== check.of[0] || probe.to !== check.of[1]) tried.note = 'this went from ' + probe.from + ' to '
        + probe.to + '.';
    else if (lack) Object.assign(tried, { note: lack, lacks: lack });
    else if (!tried.choice) tried.note = 'say first what you expect, then send it once more.';
    else if (answer.differences.length) tried.note = 'it did not go as the rules promise, or they were not in force '
        + 'yet. Send it once more.';
    else lessonObserved(tried, ...LESSON_FACTS[check.fact](answer));
    if (tried.seen) lessons.told = index;
  });
  judge();
}

function lessonObserved(tried, value, text) {
  if (value) tried.seen = { value, text };
  else tried.note = text + '.';
}

/** What is missing still, in words. */
function lessonUnmet(when, answer) {
  if (!when) return '';
  if (when.kind === 'policy') return answer.policies.includes(when.name) ? '' : when.name
      + ' isolates neither end: it is absent, or chooses other pods.';
  if (when.kind === 'pod') return podIs(when.name, when.state) ? '' : 'pod ' + when.name + ' is '
      + (when.state === 'ready' ? 'not ready.' : 'ready.');
  const service = model.services.get(when.name);
  return service && service.policies.includes(when.state) ? '' : 'Service ' + when.name + ' has not ' + when.state
      + '.';
}

function podIs(name, state) {
  const pod = model.pods.get(name);
  return Boolean(pod) && pod.ready === (state === 'ready');
}

/** Rules have changed when every proxy has synced after the change, and nothing more came for a while. */
function watchChange(check, tried) {
  const [pod, state] = check.of;
  const begun = tried.choice && model.news.find(each => each.layer === 'pod' && each.where === pod
      && each.ready === (state === 'ready') && each.at > tried.after);
  if (!begun) {
    tried.note = podIs(pod, state) ? 'it has happened already. Undo it, and say first what you expect.' : tried.choice
        ? 'pod ' + pod + ' is as it was.' : '';
    return;
  }
  const later = (layer, node) =>
      model.news.some(each => each.layer === layer && each.where === node && each.at >= begun.at);
  const nodes = sorted('node').map(node => node.id);
  tried.settled = nodes.every(node => later('rules', node)) ? tried.settled || Date.now() : 0;
  if (!tried.settled || Date.now() - tried.settled < SETTLED) return;
  const changed = nodes.filter(node => later('diff', node));
  lessonObserved(tried, !changed.length ? 'none' : changed.length === nodes.length ? 'all' : changed.length === 1
      ? 'one' : '',
    changed.length ? 'rules changed on ' + changed.join(' and ') : 'all proxies have synced, and no rule has changed');
}

function watchFlow(check, tried) {
  const found = flows.list.find(flow => flow.from.name === check.of[0] && flow.to.name === check.of[1]
      && !ENDED.includes(flow.state));
  const missing = lessonUnmet(check.when);
  if (missing) {
    Object.assign(tried, { open: Boolean(found), since: 0 });
    tried.note = found ? 'the connection is open. Now: ' + missing : 'no connection from ' + check.of[0] + ' to '
        + check.of[1] + ' is open.';
    if (found && !tried.choice) tried.note = 'the connection is open. Say what you expect.';
  } else if (!tried.open || !tried.choice) {
    tried.note = 'it is so already. Undo it, open a connection, and say first what you expect.';
  } else {
    if (!tried.since) Object.assign(tried, { since: Date.now(), read: flows.at });
    if (Date.now() - tried.since < SETTLED || flows.at <= tried.read) return;
    lessonObserved(tried, found ? 'open' : 'ended', found ? check.of[0] + ' to ' + check.of[1] + ' is still '
        + found.state.toLowerCase() + ', with ' + count(found.packets, 'packet') : 'the connection has ended');
  }
}

/** The question of the open lesson that the last packet was for. */
function lessonBox() {
  return $('lessons').hidden ? null : $('lessons').querySelector('[data-check="' + lessons.told + '"]');
}

/** What the lesson says of the last packet; empty if it says nothing. */
function lessonVerdict() { return lessonBox()?.querySelector('.judged').textContent || ''; }

/** Compares what was expected with what has happened, and shows it. */
function judge() {
  const all = lessonChecks();
  const [next] = nextPacket();
  if ($('fill')) {
    $('fill').hidden = !next;
    put($('fill'), next ? fillText(next) : '');
  }
  all.forEach(([check, tried, index]) => {
    if (!tried.seen && check.subject === 'change') watchChange(check, tried);
    if (!tried.seen && check.subject === 'flow') watchFlow(check, tried);
    if (tried.lacks && tried.note === tried.lacks && check.when.kind !== 'policy'
        && !lessonUnmet(check.when)) tried.note = '';
    const box = $('lessons').querySelector('[data-check="' + index + '"]');
    if (!box) return;
    const right = tried.seen && tried.seen.value === tried.choice;
    const text = tried.seen ? (right ? 'Right: ' : 'Not as you thought: ') + tried.seen.text.replace(/\.$/, '') + '.'
        : tried.note ? 'Not yet: ' + tried.note : '';
    const shown = box.querySelector('.judged');
    if (shown.textContent !== text && text && (tried.seen || check.subject === 'packet')) say(text);
    put(shown, text);
    set(box, { 'data-judged': tried.seen ? (right ? 'right' : 'wrong') : tried.note ? 'wait' : null });
    box.querySelector('.again').hidden = !tried.seen;
    box.querySelectorAll('input').forEach(input => {
      input.checked = input.value === tried.choice;
      input.disabled = Boolean(tried.seen);
      input.parentElement.classList.toggle('true', tried.seen?.value === input.value);
    });
  });
  if (all.length && all.every(([, tried]) => tried.seen)) lessonDone();
  drawSaid();
}

function lessonDone() {
  const done = lessons.done[model.mode] || [];
  if (done.includes(lessons.at)) return;
  lessons.done[model.mode] = [...done, lessons.at];
  try { localStorage.setItem(LESSONS_DONE, JSON.stringify(lessons.done));
      } catch { /* it is known until the page closes */ }
}
