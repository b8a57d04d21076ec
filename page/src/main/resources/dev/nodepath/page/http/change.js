/* Changes of the cluster, and what follows from them: the time line. */
const MODES = ['iptables', 'nftables', 'userspace'];
const PAUSE = 8000;
let changing = '';
let switching = '';

/** What a reader may do to the selected part. */
function actions(kind, part) {
  if (replay.on) return null;
  if (kind === 'node') return nodeControls(part);
  if (kind === 'service') return part.addresses.length ? serviceControls(part) : null;
  const row = el('p', { class: 'tools' }, changer(part.ready ? 'Set not ready' : 'Set ready', 'ready', { pod: part.id, ready: !part.ready }), ' ',
    changer('Kill', 'kill', { pod: part.id }));
  if (part.scales) row.append(' ', changer('One more', 'scale', { pod: part.id, by: 1 }), ' ', changer('One less', 'scale', { pod: part.id, by: -1 }));
  return row;
}

async function change(name, what) {
  changing = name;
  if (name === 'mode') switching = what.mode;
  $('change-error').hidden = true;
  redraw();
  try {
    await act(name, what);
  } catch (error) {
    put($('change-error'), error.message);
    $('change-error').hidden = false;
    say(error.message);
  }
  changing = '';
  switching = '';
  redraw();
}

/** The mode of the proxies, and a switch to another. */
function drawModes() {
  const group = $('modes');
  if (!group.children.length) {
    group.append('Proxy mode', el('span', { class: 'mixed', 'aria-live': 'polite' }), ...MODES.map(mode => el('button', { 'data-mode': mode, onclick: () => { if (mode !== model.mode) change('mode', { mode }); } }, mode)));
  }
  put(group.querySelector('.mixed'), switching ? 'switching to ' + switching + '…' : model.mode === 'mixed' ? 'mixed' : '');
  [...group.querySelectorAll('button')].forEach(button => set(button, {
    'aria-pressed': String(button.dataset.mode === model.mode), disabled: replay.on || Boolean(changing), title: replay.on ? null : 'All nodes in ' + button.dataset.mode + ' mode' }));
  group.classList.toggle('busy', changing === 'mode');
}

/** The newest burst comes first; its times count from its first step. */
function drawTimeLine() {
  const bursts = [];
  model.news.filter(each => each.kind === 'step').sort((a, b) => a.at - b.at).forEach(each => {
    const last = bursts[bursts.length - 1];
    if (last && each.layer !== 'you' && each.at - last[last.length - 1].at < PAUSE) last.push(each);
    else bursts.push([each]);
  });
  const shown = bursts.slice(-4).reverse();
  const known = shown.map(burst => burst.length + ':' + burst[0].at).join();
  if ($('time-line').known === known) return;
  $('time-line').known = known;
  $('time-line').replaceChildren(...shown.map(burstElement));
  $('time').hidden = !shown.length;
}

function burstElement(burst) {
  const start = burst[0].at;
  return el('ol', { class: 'burst', 'aria-label': new Date(start).toLocaleTimeString() }, el('li', { class: 'when' }, new Date(start).toLocaleTimeString()),
    ...burst.map(each => el('li', { class: 'layer-' + each.layer }, el('span', { class: 'ms' }, each.layer === 'diff' ? '' : '+' + (each.at - start) + ' ms'),
      el('span', { class: 'text' }, el('b', {}, each.where), ' ' + each.what, each.layer === 'diff' ? difference(each) : null))));
}

function difference(each) {
  return el('details', { class: 'lines' }, el('summary', {}, 'which'),
    ...each.removed.map(line => el('code', { class: 'less text' }, '− ' + line)),
    ...each.added.map(line => el('code', { class: 'plus text' }, '+ ' + line)));
}
