// Draws one suspect, the strip of those that follow, and the progress. Names come from files of
// anybody: they are only ever set as text.
import {about, state} from './review_state.js';

export const $ = id => document.getElementById(id);

export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

const words = {
  label: 'another class fits', ambiguous: 'two classes fit', outlier: 'no class fits',
  check: 'is this label right?', duplicate: 'the same picture twice', 'near-duplicate': 'almost the same picture twice',
};
export const kindWords = kind => words[kind] ?? kind;

export const percent = p => p > 0 && p < 0.01 ? '< 1%' : p > 0.99 ? '> 99%' : `${Math.round(100 * p)}%`;

export function madeWords(made) {
  if (!made) return '';
  return made.decision === 'relabel' ? `→ ${state.classes[made.label]}` : made.decision;
}

const marks = {keep: '✓', relabel: '→', unsure: '?', remove: '✕'};
export function markOf(sample) {
  const made = state.made.get(sample);
  return made ? marks[made.decision] : null;
}

export function thumb(sample, className, onclick) {
  const button = make('button', {type: 'button', className, onclick});
  button.append(make('img', {src: `thumb/${sample}`, alt: '', loading: 'lazy', decoding: 'async'}));
  const mark = markOf(sample);
  if (mark) button.dataset.mark = mark;
  return button;
}

function showChances(top, given, suggested, choose) {
  $('chances').replaceChildren(...top.map(([label, p], i) => {
    const bar = make('i');
    bar.style.width = `${100 * p}%`;
    return make('li', {
      className: label === given ? 'given' : label === suggested ? 'suggested' : '',
      onclick: () => choose(label),
    }, make('kbd', {textContent: i + 1}), make('span', {}, state.classes[label], bar), percent(p));
  }));
}

function showLike(like, given) {
  $('like').replaceChildren(...like.filter(([, samples]) => samples.length > 0).flatMap(([label, samples]) => [
    make('h3', {}, 'labelled ', make('b', {textContent: state.classes[label]})),
    make('div', {className: label === given ? 'bad' : ''},
      ...samples.map(sample => make('img', {src: `thumb/${sample}`, alt: '', decoding: 'async'}))),
  ]));
}

// Pictures that come next are fetched before they are asked for; a few are held, so that the
// browser keeps them decoded.
const ahead = new Map();
export function fetchAhead(samples) {
  for (const sample of samples) {
    if (!ahead.has(sample)) {
      const image = new Image();
      image.src = `picture/${sample}`;
      image.decode().catch(() => {});
      ahead.set(sample, image);
      about(sample);
    }
  }
  for (const sample of ahead.keys())
    if (ahead.size > 24) ahead.delete(sample);
}

export async function showSuspect(i, choose) {
  const s = state.suspects, sample = s.sample[i], given = s.given[i], suggested = s.suggested[i];
  const picture = $('picture');
  picture.hidden = false;
  $('missing').hidden = $('empty').hidden = true;
  picture.src = `picture/${sample}`;
  picture.dataset.sample = sample;
  $('side').hidden = false;
  $('path').textContent = $('path').title = s.path[i];
  $('given').textContent = state.classes[given];
  $('suggested').textContent = suggested < 0 ? '' : state.classes[suggested];
  $('suggested-box').hidden = suggested < 0;
  $('kind').textContent = kindWords(s.kind[i]);
  $('score').textContent = suggested < 0 ? '' : `wrong: ${percent(s.score[i])}`;
  $('decided').textContent = madeWords(state.made.get(sample));
  document.querySelector('[data-do=accept]').disabled = suggested < 0;
  const {top, like} = await about(sample);
  if (Number(picture.dataset.sample) !== sample) return; // it went on meanwhile
  const chance = label => { const row = top.find(([c]) => c === label); return row ? percent(row[1]) : '< 1%'; };
  $('p-given').textContent = chance(given);
  $('p-suggested').textContent = suggested < 0 ? '' : chance(suggested);
  showChances(top, given, suggested, choose);
  showLike(like, given);
}

export function showEmpty(sentence) {
  $('picture').hidden = $('missing').hidden = $('side').hidden = true;
  $('picture').dataset.sample = -1;
  $('empty').hidden = false;
  $('empty').textContent = sentence;
}

export function showStrip(list, now, go) {
  const at = Math.max(0, list.indexOf(now) - 2);
  const shown = list.slice(at, at + Math.ceil(innerWidth / 68));
  $('strip').replaceChildren(...shown.map(i =>
    thumb(state.suspects.sample[i], i === now ? 'now' : '', () => go(i))));
}

export function showProgress(done, all) {
  $('bar').style.width = all > 0 ? `${100 * done / all}%` : '0';
  const progress = $('bar').parentElement;
  progress.setAttribute('aria-valuemax', all);
  progress.setAttribute('aria-valuenow', done);
  $('count').textContent = `${done.toLocaleString('en')} of ${all.toLocaleString('en')}`;
}

let hiding = 0;
export function note(sentence, bad = false) {
  clearTimeout(hiding);
  $('note').textContent = sentence;
  $('note').className = bad ? 'note bad' : 'note';
  $('note').hidden = false;
  if (!bad) hiding = setTimeout(() => { $('note').hidden = true; }, 2500);
}
export function hideNote() { $('note').hidden = true; }
