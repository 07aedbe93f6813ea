#!/usr/bin/env bash
# augment_in_pillow.sh BUILD - random images through `jensen augment` and through Pillow:
# every operation, resizing with both filters, centre crops. All bytes must agree.
set -eu
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
for python in python3 /usr/bin/python3; do
    if "$python" -c 'import numpy, PIL' 2>/dev/null; then
        work=$(mktemp -d)
        trap 'rm -rf "$work"' EXIT
        "$python" "$here/augment_in_pillow.py" "$build/jensen" "$work"
        exit
    fi
done
echo "SKIPPED: augment_in_pillow: no python3 with numpy and Pillow"
