#!/usr/bin/env bash
# scripts/fuzz.sh [SECONDS | --seconds N | --runs N | --coverage] [TARGET ...] - runs each
# libFuzzer target for SECONDS (60) or N executions and fails on the first finding, whose
# input stays in build/fuzz/findings. What the fuzzer learns goes to build/fuzz/corpus, not
# into the tree. --coverage runs nothing new: it prints the share of lines that seeds and
# what was learnt reach, in the files that a target names behind "covers:".
set -euo pipefail
cd "$(dirname "$0")/.."
limit=(-max_total_time=60) what="60 s" coverage=
while [ $# -gt 0 ]; do
    case $1 in
    --runs) limit=("-runs=${2:?--runs needs a number}") what="$2 executions" && shift 2 ;;
    --seconds) limit=("-max_total_time=${2:?--seconds needs a number}") what="$2 s" && shift 2 ;;
    --coverage) coverage=1 && shift ;;
    [0-9]*) limit=("-max_total_time=$1") what="$1 s" && shift ;;
    -*) echo "fuzz.sh: no option '$1' (--seconds N, --runs N, --coverage)" >&2 && exit 2 ;;
    *) break ;;
    esac
done
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
    for file in tests/fuzz/fuzz_*.c; do
        name=$(basename "$file" .c)
        [[ $name = fuzz_@(replay|memory) ]] || targets+=("${name#fuzz_}")
    done
fi
for name in "${targets[@]}"; do
    [ -e "tests/fuzz/fuzz_$name.c" ] || { echo "fuzz.sh: no target '$name'" >&2 && exit 2; }
done

# measure NAME: lines reached in the files that the target covers.
measure() {
    local name=$1 build=build/coverage files folders=("tests/fuzz/corpus/$1")
    read -ra files <<<"$(sed -nE 's/.*covers: ([^*]*).*/\1/p' "tests/fuzz/fuzz_$name.c")"
    [ -d "build/fuzz/corpus/$name" ] && folders+=("build/fuzz/corpus/$name")
    LLVM_PROFILE_FILE=$build/$name.profraw "$build/tests/fuzz/replay_$name" "${folders[@]}" >/dev/null
    llvm-profdata-14 merge -o "$build/$name.profdata" "$build/$name.profraw"
    llvm-cov-14 export -summary-only "$build/tests/fuzz/replay_$name" -instr-profile "$build/$name.profdata" \
        "${files[@]/#/src/}" | python3 -c '
import json, os, sys
for file in json.load(sys.stdin)["data"][0]["files"]:
    covered, count, percent = (file["summary"]["lines"][key] for key in ("covered", "count", "percent"))
    path = os.path.relpath(file["filename"], "src")
    print(f"{sys.argv[1]:12} {path:28} {covered:5} of {count:5} lines {percent:6.1f}%")
' "$name"
}

if [ -n "$coverage" ]; then
    cmake -S . -B build/coverage -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER=clang-14 \
        -DCMAKE_CXX_COMPILER=clang++-14 -DCMAKE_C_FLAGS_DEBUG="-O1 -fprofile-instr-generate -fcoverage-mapping" \
        -DCMAKE_EXE_LINKER_FLAGS=-fprofile-instr-generate >/dev/null
    cmake --build build/coverage -j "${JOBS:-$(nproc)}" --target "${targets[@]/#/replay_}" >/dev/null
    for name in "${targets[@]}"; do
        measure "$name"
    done
    exit
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
    echo "fuzz $name: $what"
    if ! "build/fuzz/fuzz/fuzz_$name" "${limit[@]}" -max_len=4096 -timeout=10 \
        -rss_limit_mb=2048 -print_final_stats=1 "${dictionary[@]}" \
        -artifact_prefix="build/fuzz/findings/$name-" \
        "$learnt" "tests/fuzz/corpus/$name" >"$log" 2>&1; then
        tail -60 "$log"
        echo "fuzz $name: FINDING, see build/fuzz/findings and $log"
        exit 1
    fi
    grep -E 'stat::number_of_executed_units|stat::average_exec_per_sec' "$log" | sed 's/^/  /'
done
