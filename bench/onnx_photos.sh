#!/usr/bin/env bash
# bench/onnx_photos.sh [PHOTOS.tar] - an exported EfficientNet-Lite0 in ONNX Runtime beside jensen, on 500 photographs of many sizes:
# the largest difference of a probability with resizing inside (`jensen export --check`), and of a logit with --raw.
# It needs weights in the cache (make weights) and ONNX Runtime of Python (make test-peers installs it).
set -eu
cd "$(dirname "$0")/.."
jensen=$PWD/build/release/jensen
python=$PWD/build/release/venv-onnx/bin/python
photos=${1:-../shared/data/photos-caltech20.tar}
[ -e "$photos" ] || { echo "SKIPPED: onnx_photos: no $photos"; exit 0; }
"$python" -c 'import onnx, onnxruntime' 2>/dev/null || { echo "SKIPPED: onnx_photos: no $python with onnxruntime"; exit 0; }
"$jensen" weights show efficientnet-lite0 >/dev/null 2>&1 || { echo "SKIPPED: onnx_photos: no weights; make weights"; exit 0; }
library=$("$python" -c 'import glob, onnxruntime as o; print(glob.glob(o.__path__[0] + "/capi/libonnxruntime.so*")[0])')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/photos" "$work/some"
tar -xf "$photos" -C "$work/photos"
find "$work/photos" -name '*.jpg' | sort | awk 'NR % 3 == 1' | head -500 | while read -r file; do
    cp "$file" "$work/some/$(echo "${file#"$work/photos/"}" | tr / -)"
done
"$jensen" train "$(dirname "$(dirname "$(find "$work/photos" -name '*.jpg' | head -1)")")" --noise sym-other:rate=0.2 --out "$work/run" -q >/dev/null
JENSEN_ONNXRUNTIME=$library "$jensen" export "$work/run" -o "$work/whole.onnx" --check "$work/some"
"$jensen" export "$work/run" -o "$work/raw.onnx" --raw >/dev/null
"$jensen" predict "$work/run" "$work/some" --logits "$work/logits.npy" >/dev/null
"$python" bench/onnx_photos.py "$work"
