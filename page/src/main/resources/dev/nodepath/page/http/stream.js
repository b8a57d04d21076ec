/* The stream of events. After a break the browser itself comes again and says what it has. After an answer that is no
   stream, the script comes again. */
const said = { words: [], last: 0 };
let linkText = 'connecting';

function follow() {
  const source = new EventSource('/api/events');
  const heard = () => { model.heard = Date.now(); };
  source.onopen = () => { heard(); model.shut = false; linked('live', 'live'); };
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) followAgain();
    else linked('lost', 'not connected');
  };
  for (const kind of ['state', ...Object.keys(KINDS), ...Object.keys(NEWS)]) {
    source.addEventListener(kind, event => { heard(); say(takeEvent(kind, JSON.parse(event.data))); redraw(); });
  }
  source.addEventListener('rates', event => { heard(); takeRates(JSON.parse(event.data)); });
  return source;
}

/** Another cluster may have come to this address: it has another token. */
async function followAgain() {
  const answer = await fetch('/api/state', { method: 'HEAD' }).catch(() => null);
  model.shut = Boolean(answer) && answer.status === 401;
  linked('lost', 'not connected');
  setTimeout(follow, 2000);
}

function linked(state, text) {
  set($('link'), { 'data-state': state });
  linkText = state === 'lost' && model.shut ? 'open the address that “nodepath page” prints' : state === 'lost'
      && model.heard ? 'lost, last heard ' + ago(model.heard) : text;
  tellLink();
  $('stage').classList.toggle('stale', state === 'lost' && Date.now() - model.heard > 3000);
}

/** One place of one size tells of the stream, or of the mode while it is changing or not the same everywhere. */
function tellLink() {
  const live = $('link').dataset.state === 'live';
  $('link').classList.toggle('switching', live && Boolean(switching || compare.busy));
  put($('link-text'), live && switching ? toMode(switching) : live && compare.busy ? 'comparing modes'
    : live && model.mode === 'mixed' ? 'live, mixed modes' : linkText);
}

/** How far the nodes have come on their way to a mode. */
function toMode({ mode, node }) {
  const nodes = sorted('node').filter(each => each.power && (!node || each.id === node));
  const done = nodes.filter(each => each.mode === mode && each.agent && !each.starting && each.sync);
  return mode + ' on ' + done.length + ' of ' + count(nodes.length, 'node');
}

/** For a screen reader, at most every two seconds. */
function say(words) {
  if (words) said.words.push(words);
}

function speak() {
  if (said.words.length && Date.now() - said.last > 2000) {
    put($('live'), said.words.length > 4 ? count(said.words.length, 'change') : said.words.join('. '));
    said.words = [];
    said.last = Date.now();
  }
}
