#!/usr/bin/env bash
# export_in_pytorch.sh BUILD - exported modules of PyTorch, beside jensen.
set -eu
build=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
python=$(for p in python3 /usr/bin/python3; do
    "$p" -c 'import torch, numpy, PIL' 2>/dev/null && echo "$p" && break
done) || true
if [ -z "$python" ]; then
    echo "SKIPPED: export_in_pytorch: no python3 with torch, numpy and PIL"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
private=$(sed -n 's/^Libs.private: //p' "$build/jensen.pc")
cc -std=c11 -I"$root/include" "$root/tests/peers/exported_networks.c" "$build/libjensen.a" $private \
    -o "$work/exported_networks"
"$python" "$root/tests/peers/export_in_pytorch.py" "$build/jensen" "$work/exported_networks" "$work"
