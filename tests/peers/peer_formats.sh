#!/usr/bin/env bash
# peer_formats.sh BUILD - our file formats beside NumPy, safetensors, TensorBoard, PyYAML.
# The Python is $JENSEN_PEERS_PYTHON, else one in build/peers that pip fills.
set -eu
build=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python=${JENSEN_PEERS_PYTHON-}
if [ -z "$python" ]; then
    python=$root/build/peers/bin/python
    [ -x "$python" ] || /usr/bin/python3 -m venv --system-site-packages "$root/build/peers"
    "$python" -c 'import safetensors, tensorboard, yaml' 2>/dev/null ||
        "$python" -m pip install -q 'numpy<2' safetensors tensorboard pyyaml ||
        echo "SKIPPED: pip cannot install safetensors, tensorboard, pyyaml"
fi
private=$(sed -n 's/^Libs.private: //p' "$build/jensen.pc")
cc -std=c11 -I"$root/include" -I"$root/src" "$root/tests/peers/peer_formats.c" \
    "$build/libjensen.a" $private -o "$work/peer_formats"
"$python" "$root/tests/peers/peer_formats.py" "$work/peer_formats"
