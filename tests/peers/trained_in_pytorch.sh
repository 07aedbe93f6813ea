#!/usr/bin/env bash
# trained_in_pytorch.sh BUILD - a network that jensen has trained for two steps, loaded
# into PyTorch: the same logits and probabilities on the same images.
set -u
here=$(cd "$(dirname "$0")" && pwd)
jensen=$(cd "$1" && pwd)/jensen
python=$(for p in python3 /usr/bin/python3; do
    "$p" -c 'import torch, numpy, PIL' 2>/dev/null && echo "$p" && break
done)
if [ -z "$python" ]; then
    echo "SKIPPED: trained_in_pytorch: no python3 with torch, numpy and PIL"
    exit 0
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$jensen" train builtin:size=128,test=20 --network preactresnet34 --loss gjs:pi1=0.5 --noise sym:rate=0.4 \
    --batch 16 --epochs 1 --max-steps 2 --lr 0.1 --consistency end --out "$folder/run" >"$folder/log" 2>&1 ||
    { cat "$folder/log"; exit 1; }
"$jensen" data convert builtin:size=10,test=20,seed=3,split=test --out "$folder/pictures" >"$folder/log" 2>&1 ||
    { cat "$folder/log"; exit 1; }
"$python" "$here/trained_in_pytorch.py" "$jensen" "$folder/run" "$folder/pictures"
