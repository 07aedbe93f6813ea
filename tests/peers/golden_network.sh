#!/usr/bin/env bash
# golden_network.sh BUILD - the expected values of layers and optimisers in tests/golden, computed again by
# PyTorch in float64: they agree to the tolerance that make_network.py states. The build is not asked.
set -eu
golden=$(cd "$(dirname "$0")/../golden" && pwd)
for python in python3 /usr/bin/python3; do
    if "$python" -c 'import numpy, torch' 2>/dev/null; then
        "$python" "$golden/tools/make_network.py" --seed 1 --check "$golden" --only layers
        exit
    fi
done
echo "SKIPPED: golden_network: no python3 with numpy and PyTorch"
