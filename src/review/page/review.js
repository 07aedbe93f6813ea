// The page of `jensen review`: which suspect is shown, keys, filters.
import {decide, load, refresh, state, undo} from './review_state.js';
import {
  $, fetchAhead, hideNote, kindWords, madeWords, make, note, showEmpty, showProgress, showStrip, showSuspect,
} from './review_show.js';
import {openGroups} from './review_groups.js';
import {resetZoom, toggleZoom} from './review_zoom.js';

let list = [];    // suspects that the filters let through, by rank
let now = -1;     // the one that is shown, -1: none
let busy = false; // a decision is on its way: keys are dropped, so that nothing unseen is decided
let looking = Promise.resolve(); // for what other windows have decided

const isOpen = i => !state.made.has(state.suspects.sample[i]);
const wanted = i => ({open: isOpen(i), done: !isOpen(i), all: true})[$('by-state').value];

function filter() {
  const [side, label] = $('by-class').value.split(' '), kind = $('by-kind').value, s = state.suspects;
  list = [];
  for (let i = 0; i < state.count; i++)
    if ((side === 'any' || s[side][i] === Number(label)) && (kind === 'any' || s.kind[i] === kind)) list.push(i);
}

// The next one that is wanted behind `from`, around the end; -1: none.
function next(from, step = 1) {
  const at = list.indexOf(from);
  for (let n = 1; n <= list.length; n++) {
    const i = list[(((at < 0 && step > 0 ? -1 : at) + step * n) % list.length + list.length) % list.length];
    if (wanted(i)) return i;
  }
  return -1;
}

// One word of a command that a person may copy into a shell.
function shellWord(text) {
  return /^[\w\-./:=+,@%\u0080-\uffff]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function draw() {
  const done = list.reduce((sum, i) => sum + !isOpen(i), 0);
  showProgress(done, list.length);
  if (now < 0) {
    showEmpty(list.length === 0 ? 'No suspect fits these filters.' : $('by-state').value === 'open'
      ? `All ${list.length} are decided.\n\njensen labels apply ${shellWord(state.folder)}` : 'None of these is decided yet.');
    $('strip').replaceChildren();
    return;
  }
  showSuspect(now, label => give('relabel', label));
  showStrip(list.filter(i => i === now || wanted(i)), now, go);
  const ahead = [];
  for (let i = next(now); i >= 0 && i !== now && ahead.length < 5 && !ahead.includes(state.suspects.sample[i]); i = next(i))
    ahead.push(state.suspects.sample[i]);
  fetchAhead(ahead);
}

function go(i) {
  if (i !== now) resetZoom();
  now = i;
  draw();
}

function refilter() {
  filter();
  go(list.includes(now) && wanted(now) ? now : next(-1));
}

// Runs one thing that talks to the server at a time.
async function alone(work) {
  if (busy) return;
  busy = true;
  try {
    hideNote();
    await looking;
    await work();
  } catch (error) {
    note(error instanceof TypeError
      ? `Not stored: the server does not answer. What was decided before is on the disk.\nStart it again: jensen review ${state.folder}`
      : `Not stored: ${error.message}`, true);
  }
  busy = false;
}

const conflictWords = sample => `Another window has decided: ${madeWords(state.made.get(sample))}. Press again to change that.`;

function give(decision, label = -1) {
  if (now < 0) return;
  const i = now, sample = state.suspects.sample[i];
  if (decision === 'relabel' && label === state.suspects.given[i]) decision = 'keep';
  return alone(async () => {
    if (await decide([sample], decision, label)) {
      go(next(i));
    } else {
      draw();
      note(conflictWords(sample));
    }
  });
}

function giveGroup(what, taken) {
  return alone(async () => {
    const s = state.suspects, samples = taken.map(i => s.sample[i]);
    const stored = what === 'accept'
      ? await decide(samples, 'relabel', s.suggested[taken[0]]) : await decide(samples, 'keep', -1);
    note(stored ? `${taken.length} decided. z takes it back.`
      : 'Another window has decided about some of them: nothing was stored. Look again.');
    go(now >= 0 && wanted(now) ? now : next(now));
  });
}

function takeBack() {
  return alone(async () => {
    const sample = await undo();
    if (sample === undefined) return note('There is nothing to undo.');
    const i = state.suspects.sample.indexOf(sample);
    if (i >= 0 && !list.includes(i)) { $('by-class').value = $('by-kind').value = 'any'; filter(); }
    if (i >= 0) go(i);
  });
}

// Other class: type to find.
let matching = [], marked = 0;
function showFound() {
  const text = $('find').value.trim().toLowerCase();
  const rank = name => name.toLowerCase().startsWith(text) ? 0 : 1;
  matching = state.classes.map((name, label) => ({name, label}))
    .filter(({name}) => name.toLowerCase().includes(text))
    .sort((a, b) => rank(a.name) - rank(b.name)).slice(0, 200);
  marked = Math.min(marked, Math.max(0, matching.length - 1));
  $('found').replaceChildren(...matching.map(({name, label}, n) => make('li', {
    textContent: name, className: n === marked ? 'now' : '', onclick: () => choose(label),
  })));
  $('found').children[marked]?.scrollIntoView({block: 'nearest'});
}
function choose(label) {
  $('other-class').close();
  give('relabel', label);
}
function openOther() {
  if (now < 0) return;
  $('find').value = '';
  marked = 0;
  showFound();
  $('other-class').showModal();
  $('find').focus();
}
$('find').oninput = () => { marked = 0; showFound(); };
$('find').onkeydown = event => {
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    marked = Math.max(0, Math.min(matching.length - 1, marked + (event.key === 'ArrowDown' ? 1 : -1)));
    showFound();
  } else if (event.key === 'Enter' && matching.length > 0) choose(matching[marked].label);
  else return;
  event.preventDefault();
};

function toggleTheme() {
  const dark = document.documentElement.classList.contains('dark') ||
    (!document.documentElement.classList.contains('light') && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.className = dark ? 'light' : 'dark';
}

const actions = {
  accept: () => { if (now >= 0 && state.suspects.suggested[now] >= 0) return give('relabel', state.suspects.suggested[now]); },
  keep: () => give('keep'), unsure: () => give('unsure'), remove: () => give('remove'),
  other: openOther, undo: takeBack,
  back: () => { const i = next(now, -1); if (i >= 0) go(i); },
  on: () => { const i = next(now); if (i >= 0) go(i); },
  zoom: toggleZoom, groups: () => openGroups(giveGroup), theme: toggleTheme, help: () => $('help').showModal(),
};
const keys = {
  a: 'accept', Enter: 'accept', k: 'keep', o: 'other', '/': 'other', u: 'unsure', r: 'remove', z: 'undo',
  ArrowLeft: 'back', ArrowRight: 'on', ' ': 'zoom', g: 'groups', d: 'theme', '?': 'help',
};

addEventListener('keydown', event => {
  if (document.querySelector('dialog[open]') || event.target instanceof HTMLSelectElement || event.altKey) return;
  if ((event.ctrlKey || event.metaKey) && event.key !== 'z') return;
  const name = keys[event.key], place = '12345'.indexOf(event.key);
  if (name) {
    event.preventDefault();
    const button = document.querySelector(`[data-do=${name}]`);
    button?.classList.add('flash');
    setTimeout(() => button?.classList.remove('flash'), 120);
    actions[name]();
  } else if (place >= 0) $('chances').children[place]?.click();
});

for (const button of document.querySelectorAll('[data-do]'))
  button.onclick = () => { button.blur(); actions[button.dataset.do](); };
for (const [id, name] of [['open-groups', 'groups'], ['theme', 'theme'], ['open-help', 'help'], ['zoom', 'zoom']])
  $(id).onclick = () => { $(id).blur(); actions[name](); };
for (const id of ['by-state', 'by-class', 'by-kind'])
  $(id).onchange = () => { $(id).blur(); refilter(); };
$('picture').onload = () => $('picture').classList.toggle('coarse', $('picture').naturalWidth < 160);
$('picture').onerror = () => {
  if ($('picture').hidden) return;
  $('picture').hidden = true;
  $('missing').hidden = false;
  $('missing').textContent = 'This picture cannot be shown: it is broken, gone, or a link.';
};
addEventListener('resize', () => { if (now >= 0) draw(); });

// What other windows decide is seen here soon.
function look() {
  if (!busy && !document.hidden)
    looking = refresh().then(news => {
      if (news) now >= 0 && !wanted(now) ? go(next(now)) : draw();
    }).catch(() => {}); // the next decision says so
  setTimeout(look, 5000);
}

function fillFilters() {
  const s = state.suspects;
  const tally = column => column.reduce((counts, value) => counts.set(value, (counts.get(value) ?? 0) + 1), new Map());
  const options = (counts, side, word) => [...counts].filter(([label]) => label >= 0)
    .sort((a, b) => state.classes[a[0]].localeCompare(state.classes[b[0]]))
    .map(([label, n]) => make('option', {value: `${side} ${label}`, textContent: `${word} ${state.classes[label]} (${n})`}));
  const group = (label, children) => { const g = make('optgroup', {label}); g.append(...children); return g; };
  $('by-class').replaceChildren(make('option', {value: 'any', textContent: 'all classes'}),
    group('labelled', options(tally(s.given), 'given', '')), group('probably', options(tally(s.suggested), 'suggested', '→')));
  $('by-kind').replaceChildren(make('option', {value: 'any', textContent: 'all kinds'}),
    ...[...tally(s.kind)].map(([kind, n]) => make('option', {value: kind, textContent: `${kindWords(kind)} (${n})`})));
}

async function start() {
  await load();
  document.title = `Review of ${state.data}`;
  $('title').textContent = $('title').title = state.data;
  fillFilters();
  // A sample that is to be checked comes first, as long as something of it is open.
  if (state.suspects.kind.some((kind, i) => kind === 'check' && !state.made.has(state.suspects.sample[i])))
    $('by-kind').value = 'check';
  filter();
  go(next(-1));
  setTimeout(look, 5000);
}
start().catch(error => note(`The review cannot be shown: ${error.message}`, true));
