#!/usr/bin/env bash
# scripts/test.sh - every test that needs only the project's own dependencies: the
# release build in full, then the tests that handle untrusted input or memory once more
# under ASan and UBSan.
set -euo pipefail
cd "$(dirname "$0")/.."
export CCACHE_BASEDIR=$PWD # what another clone has compiled is found
jobs=${JOBS:-$(nproc)}

cmake --preset release >/dev/null
cmake --build build/release -j "$jobs"
ctest --test-dir build/release --output-on-failure -j "$jobs"

cmake --preset dev >/dev/null
cmake --build build/dev -j "$jobs"
ctest --test-dir build/dev --output-on-failure -j "$jobs" -L sanitize
