#!/usr/bin/env bash
# scripts/mutate_runs.sh [CASES [FIRST]] - lets report, check, predict and eval read CASES
# (10000) damaged run folders under ASan and UBSan; see tests/fuzz/mutate_runs.c.
set -euo pipefail
cd "$(dirname "$0")/.."
export CCACHE_BASEDIR=$PWD
cmake --preset dev >/dev/null
cmake --build build/dev -j "${JOBS:-$(nproc)}" --target mutate_runs
build/dev/tests/fuzz/mutate_runs "${1:-10000}" "${2:-0}"
