// Looking closer: the wheel and the space bar zoom, the pointer moves the picture.
import {$} from './review_show.js';

const MOST = 12;
let scale = 1, x = 0, y = 0;
const pointers = new Map();

function draw() {
  $('picture').style.transform = scale === 1 ? '' : `translate(${x}px, ${y}px) scale(${scale})`;
  $('stage').classList.toggle('zoomed', scale > 1);
}

// Keeps what is under the point where it is.
function zoomAt(to, px, py) {
  const next = Math.min(MOST, Math.max(1, to));
  x = px - (px - x) * next / scale;
  y = py - (py - y) * next / scale;
  scale = next;
  if (scale === 1) x = y = 0;
  const picture = $('picture');
  if (scale > 1 && !picture.src.includes('/whole/') && picture.naturalWidth >= 1000)
    picture.src = `whole/${picture.dataset.sample}`;
  draw();
}

function place(event) {
  const box = $('picture').parentElement.getBoundingClientRect();
  return [event.clientX - box.left - $('picture').offsetLeft, event.clientY - box.top - $('picture').offsetTop];
}

export function resetZoom() {
  scale = 1; x = y = 0;
  pointers.clear();
  draw();
}

export function toggleZoom() {
  const picture = $('picture');
  zoomAt(scale > 1 ? 1 : 3, picture.offsetWidth / 2, picture.offsetHeight / 2);
}

const stage = $('stage');
stage.addEventListener('wheel', event => {
  event.preventDefault();
  zoomAt(scale * Math.exp(-event.deltaY / 300), ...place(event));
}, {passive: false});
stage.addEventListener('dblclick', event => zoomAt(scale > 1 ? 1 : 3, ...place(event)));
stage.addEventListener('pointerdown', event => pointers.set(event.pointerId, place(event)));
for (const name of ['pointerup', 'pointercancel', 'pointerleave'])
  stage.addEventListener(name, event => pointers.delete(event.pointerId));
stage.addEventListener('pointermove', event => {
  const before = pointers.get(event.pointerId);
  if (!before) return;
  const now = place(event), others = [...pointers].filter(([id]) => id !== event.pointerId);
  pointers.set(event.pointerId, now);
  if (others.length > 0) { // two fingers
    const [, [ox, oy]] = others[0];
    zoomAt(scale * Math.hypot(now[0] - ox, now[1] - oy) / Math.max(1, Math.hypot(before[0] - ox, before[1] - oy)), ox, oy);
  } else if (scale > 1) {
    x += now[0] - before[0];
    y += now[1] - before[1];
    draw();
  }
});
