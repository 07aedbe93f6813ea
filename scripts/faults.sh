#!/usr/bin/env bash
# scripts/faults.sh [WALK OPTIONS] - makes every call of the program on files go wrong, one at a
# time and in every way (tests/faults/walk.py), then kills it at 500 moments, then refuses memory at
# 1,000. Takes an hour on two cores.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset release >/dev/null
cmake --build build/release -j "${JOBS:-$(nproc)}" --target jensen_program fault_shim
export JENSEN=$PWD/build/release/jensen FAULT_SHIM=$PWD/build/release/tests/faults/libfault_shim.so
python3 tests/faults/walk.py --all "$@"
KILLS=500 bash tests/faults/faults_kill.sh
SOURCE=$PWD FAULT_POINTS=1000 bash tests/faults/faults_memory.sh
