#!/usr/bin/env bash
# bench/step.sh [BUILD] [ROUNDS] - a training step beside PyTorch in channels_last, both
# on 2 and on 1 threads, in alternated rounds of one run: PreActResNet-34 with batch 128
# (ce, one view; gjs, two views) and ResNet-50 on 224x224 images with batch 16. Prints
# seconds a step (median over the rounds), processor seconds a step, peak memory and the
# ratios. Processor seconds are the ones to trust on a machine that others use, too.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
jensen=${1:-$root/build/release}/jensen
rounds=${2:-3}
python=python3
"$python" -c 'import torch' 2>/dev/null || python=/usr/bin/python3
"$python" -c 'import torch' 2>/dev/null || {
    echo "bench/step.sh: needs python3 with torch" >&2
    exit 1
}
exec "$python" "$root/bench/step_torch.py" compare "$jensen" "$rounds"
