// Deciding about many suspects at once: all of a pair of classes above a score, looked at as
// small pictures before they are decided about.
import {state} from './review_state.js';
import {$, make, thumb} from './review_show.js';

const MOST = 600; // pictures that are shown, and so decided about, at a time
let members = [], out = new Set(), done = () => {};

// The undecided suspects of each pair of classes.
function pairs() {
  const s = state.suspects, found = new Map();
  for (let i = 0; i < state.count; i++) {
    if (s.suggested[i] < 0 || state.made.has(s.sample[i])) continue;
    const key = `${s.given[i]} ${s.suggested[i]}`;
    if (!found.has(key)) found.set(key, []);
    found.get(key).push(i);
  }
  return [...found].sort((a, b) => b[1].length - a[1].length);
}

function showButtons() {
  const taken = members.length - out.size;
  const [, suggested] = $('pair').value.split(' ').map(Number);
  $('group-accept').textContent = `make ${taken} ${taken === 1 ? 'label' : 'labels'} ${state.classes[suggested] ?? ''}`;
  $('group-accept').disabled = $('group-keep').disabled = taken === 0;
}

function showMembers() {
  const least = Number($('least').value), s = state.suspects;
  const all = pairs().find(([key]) => key === $('pair').value)?.[1] ?? [];
  members = all.filter(i => s.score[i] >= least).slice(0, MOST);
  out = new Set();
  $('least-value').textContent = least.toFixed(2);
  $('members').replaceChildren(...members.map(i => {
    const button = thumb(s.sample[i], '', () => {
      if (!out.delete(i)) out.add(i);
      button.classList.toggle('out', out.has(i));
      showButtons();
    });
    button.title = s.path[i];
    return button;
  }));
  showButtons();
}

export function openGroups(decideAbout) {
  done = decideAbout;
  const list = pairs();
  $('pair').replaceChildren(...list.map(([key, all]) => {
    const [given, suggested] = key.split(' ').map(Number);
    return make('option', {value: key, textContent: `${state.classes[given]} → ${state.classes[suggested]} (${all.length})`});
  }));
  showMembers();
  $('groups').returnValue = '';
  $('groups').showModal();
}

$('pair').onchange = showMembers;
$('least').oninput = showMembers;
$('groups').onclose = () => {
  const what = $('groups').returnValue, taken = members.filter(i => !out.has(i));
  if ((what === 'accept' || what === 'keep') && taken.length > 0) done(what, taken);
};
