#!/usr/bin/env bash
# bench/photos_speed.sh [ROUNDS [BATCH [SIZE [STEPS]]]] - the GJS training step of EfficientNet-Lite0 on two cores, beside
# PyTorch's in the same run, in turns. Prints view-images a second of each round, and the ratio of the medians.
# PYTHON has torch and efficientnet_lite_pytorch. Inference is printed for PyTorch alone.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
jensen=${JENSEN:-$top/build/release/jensen} python=${PYTHON:-python3} peer=$top/../shared/bench/torch_photos.py
rounds=${1:-3} batch=${2:-32} size=${3:-224} steps=${4:-6}
[ -f "$peer" ] || { echo "skipped: no $peer"; exit 0; }
"$python" -c 'import torch, efficientnet_lite_pytorch' 2>/dev/null || { echo "skipped: $python lacks torch (PYTHON names another one)"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for _ in $(seq "$rounds"); do
    taskset -c 0,1 "$jensen" bench step -n efficientnet-lite0 -l gjs:pi1=0.5 -b "$batch" -s "$size" --steps "$steps" -t 2 --json |
        tee -a "$work/jensen" | sed -E 's/.*"images_per_second":([0-9.]+).*/jensen: GJS step \1 view-images\/s/'
    OMP_NUM_THREADS=2 taskset -c 0,1 "$python" "$peer" efficientnet-lite0 "$batch" "$size" cpu | tee -a "$work/torch"
done
"$python" - "$work" <<'PY'
import json, re, statistics, sys
ours = [json.loads(line)["images_per_second"] for line in open(sys.argv[1] + "/jensen")]
theirs = [float(rate) for rate in re.findall(r"GJS step.* ([0-9.]+) view-images/s", open(sys.argv[1] + "/torch").read())]
print(f"GJS step: {statistics.median(ours) / statistics.median(theirs):.2f} times PyTorch's")
PY
