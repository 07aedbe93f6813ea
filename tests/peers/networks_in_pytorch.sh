#!/usr/bin/env bash
# networks_in_pytorch.sh BUILD - random weights of PyTorch modules, as a safetensors
# file, must give the same logits in `jensen predict` on every CPU backend.
set -u
here=$(cd "$(dirname "$0")" && pwd)
jensen=$(cd "$1" && pwd)/jensen
python=$(for p in python3 /usr/bin/python3; do
    "$p" -c 'import torch, numpy' 2>/dev/null && echo "$p" && break
done)
if [ -z "$python" ]; then
    echo "SKIPPED: networks_in_pytorch: no python3 with torch and numpy"
    exit 0
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$python" "$here/networks_in_pytorch.py" "$jensen" "$folder"
