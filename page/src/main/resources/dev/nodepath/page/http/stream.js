/* The stream of events. The browser itself comes again after a break and says what it has. */
let token = '';
const said = { words: [], last: 0 };

function follow() {
  const source = new EventSource('/api/events' + (token ? '?token=' + token : ''));
  const heard = () => { model.heard = Date.now(); };
  source.onopen = () => { heard(); linked('live', 'live'); };
  source.onerror = () => linked('lost', 'not connected');
  for (const kind of ['state', ...Object.keys(KINDS), ...Object.keys(NEWS)]) {
    source.addEventListener(kind, event => { heard(); say(takeEvent(kind, JSON.parse(event.data))); redraw(); });
  }
  source.addEventListener('rates', event => { heard(); takeRates(JSON.parse(event.data)); });
  return source;
}

function linked(state, text) {
  set($('link'), { 'data-state': state });
  put($('link-text'), state === 'lost' && model.heard ? 'lost, last heard ' + ago(model.heard) : text);
  $('stage').classList.toggle('stale', state === 'lost' && Date.now() - model.heard > 3000);
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
