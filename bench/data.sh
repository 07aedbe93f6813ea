#!/usr/bin/env bash
# bench/data.sh - decoding and loading beside their peers, in one run: bare libjpeg-turbo and
# Pillow on the same files (when ../shared/bench has their programs), `jensen bench decode`,
# the way from a 500x375 JPEG to a jittered 224x224 crop, and `jensen bench load` on the
# CIFAR-10 archive (when ../shared/data has it). Rates are a core's.
#     bench/data.sh [path of jensen]
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
jensen=${1:-$top/build/release/jensen}
shared=$top/../shared
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
if [ -f "$shared/bench/jpeg_pil.py" ] && /usr/bin/python3 -c 'import PIL, numpy' 2>/dev/null; then
    # Processor time on all sides: by the clock, a busy machine slows whoever runs then.
    sed 's/perf_counter/process_time/g' "$shared/bench/jpeg_pil.py" >jpeg_pil.py
    sed 's/CLOCK_MONOTONIC/CLOCK_PROCESS_CPUTIME_ID/g' "$shared/bench/jpeg_tj.c" >jpeg_tj.c
    /usr/bin/python3 jpeg_pil.py
    if cc -O2 jpeg_tj.c -o jpeg_tj -lturbojpeg 2>/dev/null; then
        ./jpeg_tj
    fi
    for size in small large; do
        echo "jensen $size: $("$jensen" bench decode jpg/${size}_*.jpg)"
    done
    echo "jensen large, 1/2: $("$jensen" bench decode --shorter 150 jpg/large_*.jpg)"
    echo "jensen large, decoded and jittered to 224: $("$jensen" bench augment --image jpg/large_000.jpg)"
    /usr/bin/python3 - <<'PY'
import io, random, time
from PIL import Image, ImageEnhance
blobs = [open(f"jpg/large_{i:03d}.jpg", "rb").read() for i in range(12)]
def one(b):
    im = Image.open(io.BytesIO(b)).convert("RGB")
    im = im.resize((224, 224), Image.BILINEAR, box=(60, 40, 420, 330)).transpose(Image.FLIP_LEFT_RIGHT)
    for kind in (ImageEnhance.Brightness, ImageEnhance.Contrast, ImageEnhance.Color):
        im = kind(im).enhance(random.uniform(.6, 1.4))
    h, s, v = im.convert("HSV").split()
    return Image.merge("HSV", (h.point(lambda x: (x + 20) % 256), s, v)).convert("RGB")
best = 1e9
for _ in range(5):
    t = time.process_time()
    for b in blobs: one(b)
    best = min(best, (time.process_time() - t) / len(blobs))
print(f"Pillow large, decoded and jittered to 224 (no normalisation): {1 / best:.0f} images/s/core best")
PY
else
    echo "skipped: peers (../shared/bench or Pillow is absent)"
    echo "jensen: $("$jensen" bench decode)"
fi
if [ -f "$shared/data/cifar10-jpeg.tar.xz" ]; then
    "$jensen" bench load "cifar10:$shared/data/cifar10-jpeg.tar.xz"
fi
