/* The state as the server tells it: whole once, then part by part. */
const model = { mode: '', client: null, nodes: new Map(), pods: new Map(), services: new Map(), news: [], heard: 0,
    shut: false, loaded: false };
const KINDS = { node: 'nodes', pod: 'pods', service: 'services' };

/** What has happened, and how much of it is kept. */
const NEWS = { step: 100, probe: 8 };

/** The whole state. */
function takeState(state) {
  model.mode = state.mode;
  model.client = state.client;
  for (const plural of Object.values(KINDS)) model[plural] = new Map(state[plural].map(part => [part.id, part]));
  model.news = [...state.news];
}

/** One part. Says in words what a reader may want to hear of it; empty if nothing. */
function takePart(kind, change) {
  const parts = model[KINDS[kind]];
  const before = parts.get(change.id);
  if (change.gone) {
    parts.delete(change.id);
    return kind + ' ' + change.id + ' is gone';
  }
  parts.set(change.id, change.part);
  if (!before) return 'new ' + kind + ' ' + change.id;
  if (kind !== 'service' && before.ready !== change.part.ready) return kind + ' ' + change.id
      + (change.part.ready ? ' is ready' : ' is not ready');
  if (kind === 'pod' && !before.ending && change.part.ending) return 'pod ' + change.id + ' ends';
  return '';
}

/** Any event, of the stream or of a recording. Says in words what a reader may want to hear of it. */
function takeEvent(kind, data) {
  if (kind === 'state') takeState(data);
  else if (KINDS[kind]) return takePart(kind, data);
  else if (NEWS[kind]) {
    model.news.push(data);
    const alike = model.news.filter(each => each.kind === kind);
    if (alike.length > NEWS[kind]) model.news.splice(model.news.indexOf(alike[0]), 1);
    if (kind === 'probe' && !probe.busy) return data.from + ' has sent to ' + data.to;
  }
  return '';
}

function sorted(kind) { return [...model[KINDS[kind]].values()].sort((a, b) => NATURAL.compare(a.id, b.id)); }

function podsOf(node) { return [...model.pods.values()].filter(pod => pod.node === node).sort((a, b) =>
    a.slot - b.slot); }

function servicesOf(pod) { return sorted('service').filter(service => service.endpoints.some(each => each.pod === pod));
    }

function ready(service) { return service.endpoints.filter(each => each.state === 'ready'); }

function shortPort({ port, protocol }) { return port + (protocol === 'TCP' ? '' : '/' + protocol.toLowerCase()); }

function portText(port) { return port.port + (port.nodePort ? ' and node port ' + port.nodePort : '') + '/'
    + port.protocol.toLowerCase(); }

function podState(pod) { return pod.ending ? 'ending' : pod.ready ? 'ready' : 'not ready'; }
