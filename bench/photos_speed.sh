#!/usr/bin/env bash
# bench/photos_speed.sh [ROUNDS [BATCH [SIZE [STEPS]]]] - EfficientNet-Lite0 on two cores beside PyTorch in the same run, in
# turns: the GJS training step, inference, and the peak memory of the step. A rate is that of the best of STEPS steps (PyTorch: of
# 6). Prints those of each round, and the ratios of their medians. PYTHON has torch and efficientnet_lite_pytorch.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
jensen=${JENSEN:-$top/build/release/jensen} python=${PYTHON:-python3} peer=$top/../shared/bench/torch_photos.py
rounds=${1:-3} batch=${2:-32} size=${3:-224} steps=${4:-6}
[ -f "$peer" ] || { echo "skipped: no $peer"; exit 0; }
"$python" -c 'import torch, efficientnet_lite_pytorch' 2>/dev/null || { echo "skipped: $python lacks torch (PYTHON names another one)"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ours() { taskset -c 0,1 "$jensen" bench "$@" -n efficientnet-lite0 -b "$batch" -s "$size" -t 2 --json >>"$work/jensen"; }
for _ in $(seq "$rounds"); do
    ours step -l gjs:pi1=0.5 --steps "$steps"
    ours predict --repeats "$steps"
    OMP_NUM_THREADS=2 taskset -c 0,1 "$python" "$peer" efficientnet-lite0 "$batch" "$size" cpu >>"$work/torch"
done
"$python" - "$work" <<'PY'
import json, re, statistics, sys
ours, theirs = {}, {}
for line in open(sys.argv[1] + "/jensen"):
    row = json.loads(line)
    ours.setdefault(row["case"], []).append((row["images"] / row["best_seconds"], row["peak_mib"]))
for what, rate, mib in re.findall(r"(GJS step|inference).* ([0-9.]+) view-images/s, ([0-9]+) MiB", open(sys.argv[1] + "/torch").read()):
    theirs.setdefault({"GJS step": "step", "inference": "predict"}[what], []).append((float(rate), float(mib)))
median = lambda rows, column: statistics.median(row[column] for row in rows)
for case, name in ("step", "GJS step, view-images/s"), ("predict", "inference, images/s"):
    for own, peer in zip(ours[case], theirs[case]):
        print(f"{name}: jensen {own[0]:.1f}, PyTorch {peer[0]:.1f}")
    print(f"{name}: {median(ours[case], 0) / median(theirs[case], 0):.2f} times PyTorch's")
# PyTorch's program trains before it infers, so its peak is that of the step.
own, peer = median(ours["step"], 1), median(theirs["step"], 1)
print(f"peak memory of the step, MiB: jensen {own:.0f}, PyTorch {peer:.0f}: {own / peer:.2f} of PyTorch's; "
      f"inference alone: jensen {median(ours['predict'], 1):.0f}")
PY
