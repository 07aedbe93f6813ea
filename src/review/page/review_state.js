// What is reviewed and what was decided: the data of the server, and talking to it.

export const state = {
  classes: [], suspects: null, count: 0,
  made: new Map(),   // sample -> {decision, label}; what counts now
  actions: [],       // what this window can undo: [{time, before: Map(sample -> made or undefined)}]
  seen: 0,           // rows of decisions.csv that this window knows
};

async function ask(path, options) {
  const reply = await fetch(path, options);
  if (!reply.ok && reply.status !== 409) throw new Error((await reply.text()).trim());
  return {conflict: reply.status === 409, body: await reply.json()};
}

// Rows as the server sends them: [sample, decision, label, time]. `own`: undo may take them back.
function take(rows, own) {
  for (const [sample, decision, label, time] of rows) {
    const before = state.made.get(sample);
    if (decision === 'undo') {
      state.made.delete(sample);
      for (let i = state.actions.length - 1; i >= 0; i--)
        if (state.actions[i].before.delete(sample)) {
          if (state.actions[i].before.size === 0) state.actions.splice(i, 1);
          break;
        }
      continue;
    }
    state.made.set(sample, {decision, label});
    if (!own) continue;
    const last = state.actions[state.actions.length - 1];
    if (last && last.time === time) last.before.set(sample, before);
    else state.actions.push({time, before: new Map([[sample, before]])});
  }
}

export async function load() {
  const [{body: data}, {body: news}] = await Promise.all([ask('data'), ask('news?seen=0')]);
  Object.assign(state, data);
  state.count = data.suspects.sample.length;
  take(news.rows, true);
  state.seen = news.seen;
}

// What other windows have decided meanwhile; true when there is something.
export async function refresh() {
  const {body} = await ask(`news?seen=${state.seen}`);
  take(body.rows, false);
  state.seen = body.seen;
  return body.rows.length > 0;
}

// On the disk when this returns true; false: another window has decided about one of them, and
// nothing was stored. `own` is false for what undo writes.
export async function decide(samples, decision, label, own = true) {
  const {conflict, body} = await ask('decide', {
    method: 'POST', headers: {'Content-Type': 'application/json'},
    body: JSON.stringify({samples, decision, label, seen: state.seen}),
  });
  const mine = conflict ? body.rows.length : body.rows.length - samples.length;
  take(body.rows.slice(0, mine), false);
  take(body.rows.slice(mine), own);
  state.seen = body.seen;
  return !conflict;
}

// Takes back the last action of this window; the sample that it was about, or undefined.
export async function undo() {
  const action = state.actions[state.actions.length - 1];
  if (!action) return undefined;
  const before = [...action.before];
  const open = before.filter(([, made]) => !made).map(([sample]) => sample);
  if (open.length > 0) await decide(open, 'undo', -1, false);
  for (const [sample, made] of before)
    if (made) await decide([sample], made.decision, made.label, false);
  const left = state.actions.indexOf(action);
  if (left >= 0) state.actions.splice(left, 1);
  return before[0][0];
}

const known = new Map(); // sample -> promise of its probabilities and neighbours
export function about(sample) {
  if (known.size > 500) known.clear();
  if (!known.has(sample))
    known.set(sample, ask(`about/${sample}`).then(reply => reply.body).catch(() => {
      known.delete(sample);
      return {top: [], like: []};
    }));
  return known.get(sample);
}
