#!/usr/bin/env bash
# scripts/test.sh [slow] - the tests that need only the project's own dependencies: those of
# the release build, then those that handle untrusted input or memory once more under ASan
# and UBSan. With "slow" those that take more than ten seconds, without it all others.
set -euo pipefail
cd "$(dirname "$0")/.."
export CCACHE_BASEDIR=$PWD # what another clone has compiled is found
jobs=${JOBS:-$(nproc)}
plain=(-LE '^slow$') sanitized='^sanitize$'
[ "${1:-}" != slow ] || plain=(-L '^slow$') sanitized='^sanitize_slow$'

cmake --preset release >/dev/null
cmake --build build/release -j "$jobs"
ctest --test-dir build/release --output-on-failure -j "$jobs" "${plain[@]}"

cmake --preset dev >/dev/null
cmake --build build/dev -j "$jobs"
ctest --test-dir build/dev --output-on-failure -j "$jobs" -L "$sanitized"
