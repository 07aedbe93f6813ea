#!/usr/bin/env bash
# scripts/fuzz.sh [SECONDS [TARGET ...]] - runs each libFuzzer target for SECONDS (60)
# and fails on the first finding, whose input stays in build/fuzz/findings. What the
# fuzzer learns goes to build/fuzz/corpus, not into the tree.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
shift || true
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
    for file in tests/fuzz/fuzz_*.c; do
        name=$(basename "$file" .c)
        [ "$name" = fuzz_replay ] || targets+=("${name#fuzz_}")
    done
fi
cmake --preset fuzz >/dev/null
cmake --build build/fuzz -j "${JOBS:-$(nproc)}" --target "${targets[@]/#/fuzz_}"
mkdir -p build/fuzz/findings
for name in "${targets[@]}"; do
    learnt=build/fuzz/corpus/$name
    mkdir -p "$learnt"
    log=build/fuzz/fuzz_$name.log
    dictionary=()
    [ ! -f "tests/fuzz/dictionary/$name" ] || dictionary=("-dict=tests/fuzz/dictionary/$name")
    echo "fuzz $name: ${seconds} s"
    if ! "build/fuzz/fuzz/fuzz_$name" -max_total_time="$seconds" -max_len=4096 -timeout=10 \
        -rss_limit_mb=2048 -print_final_stats=1 "${dictionary[@]}" \
        -artifact_prefix="build/fuzz/findings/$name-" \
        "$learnt" "tests/fuzz/corpus/$name" >"$log" 2>&1; then
        tail -60 "$log"
        echo "fuzz $name: FINDING, see build/fuzz/findings and $log"
        exit 1
    fi
    grep -E 'stat::number_of_executed_units|stat::average_exec_per_sec' "$log" | sed 's/^/  /'
done
