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
    echo "jensen large, 1/2: $("$jensen" bench decode --divisor 2 jpg/large_*.jpg)"
    # From a JPEG to a jittered 224x224 crop: Pillow; then all of the image decoded, the part
    # that the crop uses (the same pixels), and that part at reduced size where it suffices.
    /usr/bin/python3 - "$top/bench/augment_pillow.py" <<'PY'
import io, re, sys, time
source = open(sys.argv[1]).read()
exec(source[:source.index("def rate(")].replace("jensen = sys.argv[1]", ""))
blobs = [open(f"jpg/large_{i:03d}.jpg", "rb").read() for i in range(12)]
best = 1e9
for _ in range(5):
    start = time.process_time()
    for b in blobs: jitter(Image.open(io.BytesIO(b)).convert("RGB"))
    best = min(best, (time.process_time() - start) / len(blobs))
print(f"Pillow large, decoded and jittered to 224: {1 / best:.0f} images/s/core best")
PY
    for density in 0.75 0.5; do
        echo "jensen large, decoded and jittered to 224, --scaled-decode $density:"
        "$jensen" bench augment --image jpg/large_000.jpg --scaled-decode $density
    done
else
    echo "skipped: peers (../shared/bench or Pillow is absent)"
    echo "jensen: $("$jensen" bench decode)"
fi
if [ -f "$shared/data/cifar10-jpeg.tar.xz" ]; then
    "$jensen" bench load "cifar10:$shared/data/cifar10-jpeg.tar.xz"
fi
