#!/usr/bin/env bash
# onnx_runtime.sh BUILD - exported models in ONNX Runtime, beside jensen.
set -eu
build=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
venv=$build/venv-onnx
if ! "$venv/bin/python" -c 'import onnx, onnxruntime, PIL' 2>/dev/null; then
    if ! python3 -m venv "$venv" >/dev/null 2>&1 ||
        ! timeout 300 "$venv/bin/pip" install -q onnx onnxruntime numpy pillow >"$build/venv-onnx.log" 2>&1; then
        echo "SKIPPED: onnx_runtime: pip cannot install onnxruntime ($build/venv-onnx.log)"
        exit 0
    fi
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
private=$(sed -n 's/^Libs.private: //p' "$build/jensen.pc")
cc -std=c11 -I"$root/include" "$root/tests/peers/exported_networks.c" "$build/libjensen.a" $private \
    -o "$work/exported_networks"
"$venv/bin/python" "$root/tests/peers/onnx_runtime.py" "$build/jensen" "$work/exported_networks" "$work"
