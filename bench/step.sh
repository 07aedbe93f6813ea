#!/usr/bin/env bash
# bench/step.sh [BUILD] [ROUNDS] [PART...] - a training step beside PyTorch in
# channels_last, in alternated rounds of one run, as a table in Markdown: seconds a step
# (median over the rounds), processor seconds a step, peak memory, and the seconds from the
# start of the process to the end of its first step, with the ratio to the faster PyTorch.
# Processor seconds are the ones to trust on a machine that others use, too.
#
# PART is CASE-THREADS: gjs-2 gjs-1 ce-2 ce-1 (PreActResNet-34, batch 128) and
# resnet50-2 resnet50-1 (224x224, batch 16); all of them without it. With two PyTorchs a
# round of a part takes about 45 s on two quiet cores (gjs-1 and resnet50-1: 90 s).
#
# PYTHONS="python3 /path/to/venv/bin/python" names the interpreters whose torch is the
# peer; without it the system's, and where that has no torch jensen runs alone. The newest torch in a folder of its own:
#     python3 -m venv .cache/torch && .cache/torch/bin/pip install torch
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
jensen=${1:-$root/build/release}/jensen
rounds=${2:-3}
parts=${*:3}
parts=${parts:-gjs-2 gjs-1 ce-2 ce-1 resnet50-2 resnet50-1}
for part in $parts; do
    [[ $part =~ ^(gjs|ce|resnet50)-[0-9]+$ ]] || {
        echo "bench/step.sh: no part '$part'; gjs-2, ce-1, resnet50-2, ..." >&2
        exit 2
    }
done
if [ -z "${PYTHONS:-}" ]; then
    PYTHONS=python3
    "$PYTHONS" -c 'import torch' 2>/dev/null || PYTHONS=/usr/bin/python3
    "$PYTHONS" -c 'import torch' 2>/dev/null || {
        echo "skipped: PyTorch (python3 has no torch); jensen alone, PreActResNet-34:"
        exec "$jensen" bench step
    }
fi
for python in $PYTHONS; do
    "$python" -c 'import torch' 2>/dev/null || {
        echo "bench/step.sh: $python has no torch" >&2
        exit 1
    }
done
# A virtual machine's host supplies a page when it is first touched, slowly; whichever program
# comes first would pay for that.
awk '/MemAvailable/ { print int($2 / 1024 * 3 / 4) }' /proc/meminfo |
    python3 -c 'bytearray(int(input()) << 20)'
# shellcheck disable=SC2086 # a list of interpreters
exec python3 "$root/bench/step_torch.py" compare "$jensen" "$rounds" "$parts" $PYTHONS
