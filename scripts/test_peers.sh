#!/usr/bin/env bash
# scripts/test_peers.sh - jensen beside the programs it must agree with. Every file
# tests/peers/*.sh is one comparison; it prints what it skips and why.
set -euo pipefail
cd "$(dirname "$0")/.."
export CCACHE_BASEDIR=$PWD # what another clone has compiled is found
cmake --preset release >/dev/null
cmake --build build/release -j "${JOBS:-$(nproc)}"

passed=0 failed=0
for script in tests/peers/*.sh; do
    [ -e "$script" ] || continue
    if bash "$script" build/release; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $script"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
