#!/usr/bin/env bash
# bench/loss.sh [SECONDS] - the GJS loss of this build beside its peers, in turn: three
# rounds of `jensen bench loss`, of the fused prototype and of PyTorch, where those are
# there (../shared/bench, a C compiler with OpenMP, $PYTHON with torch). Machines are
# noisy: compare best times within a run, on a machine with nothing else to do.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
peers=$root/../shared/bench
seconds=${1:-0.7}
jensen=${JENSEN:-$root/build/release/jensen}
if [ ! -x "$jensen" ]; then
    cmake --preset release -S "$root" >/dev/null
    cmake --build "$root/build/release" --target jensen_program
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -e "$peers/gjs_fused.c" ]; then
    "${CC:-gcc}" -O3 -march=native -ffast-math -fopenmp "$peers/gjs_fused.c" \
        -o "$work/gjs_fused" -lm || echo "gjs_fused.c does not compile here: skipped"
else
    echo "no ../shared/bench beside the project: the prototype is skipped"
fi
for round in 1 2 3; do
    echo "== round $round"
    "$jensen" bench loss --seconds "$seconds"
    if [ -x "$work/gjs_fused" ]; then
        "$work/gjs_fused"
    fi
done
python=${PYTHON:-python3}
# A python3 of another origin may come first in PATH; Debian's has Debian's torch.
"$python" -c 'import torch' 2>/dev/null || python=/usr/bin/python3
if [ -e "$peers/torch_gjs.py" ] && "$python" -c 'import torch' 2>/dev/null; then
    for threads in 1 2; do
        OMP_NUM_THREADS=$threads "$python" "$peers/torch_gjs.py"
    done
else
    echo "PyTorch or torch_gjs.py is not here: skipped"
fi
echo "== every loss, one thread"
"$jensen" bench loss --loss all --batch 1024 --classes 1000 --threads 1 --seconds "$seconds"
"$jensen" bench loss --loss all --batch 65536 --classes 10 --threads 1 --seconds "$seconds"
