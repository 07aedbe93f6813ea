#!/usr/bin/env bash
# bench/augment.sh [BUILD] - augmentation beside Pillow, in one run on one core: the
# pipelines of 32x32 training, and a 500x375 JPEG to a jittered 224x224 tensor. Prints
# images a second of processor time and how many times as many jensen makes.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
jensen=${1:-$root/build/release}/jensen
python=python3
"$python" -c 'import numpy, PIL' 2>/dev/null || python=/usr/bin/python3
"$python" -c 'import numpy, PIL' 2>/dev/null || {
    echo "skipped: Pillow (python3 has no numpy and PIL); jensen alone:"
    exec "$jensen" bench augment
}
exec "$python" "$root/bench/augment_pillow.py" "$jensen"
