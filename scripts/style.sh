#!/usr/bin/env bash
# scripts/style.sh [BASE] - clang-format-14 over all C and CUDA files, and clang-tidy-14 over
# the lines of src/ that have changed since BASE: the commit where the branch left
# origin/main, else the one before the last. Says what is wrong, changes nothing.
set -euo pipefail
cd "$(dirname "$0")/.."

git ls-files '*.c' '*.h' '*.cc' '*.cu' '*.cuh' | xargs clang-format-14 --dry-run -Werror ||
    { echo "style.sh: 'make format' lays these files out" >&2; exit 1; }

base=${1:-$(git merge-base HEAD origin/main 2>/dev/null || true)}
if [ -z "$base" ] || [ "$base" = "$(git rev-parse HEAD)" ]; then
    base=$(git rev-parse --verify --quiet HEAD~1 || true)
fi
[ -n "$base" ] || { echo "style.sh: no earlier commit: clang-tidy has nothing to compare with"; exit 0; }
# Findings on lines that the change left alone are not its fault: '[file, ranges]' of the others.
lines=$(git diff -U0 --diff-filter=d "$base" -- 'src/*.c' | awk '
    /^\+\+\+ b\// { file = substr($0, 7) }
    /^@@/ { split($3, part, ","); first = substr(part[1], 2); count = part[2] == "" ? 1 : part[2]
            if (count > 0) ranges[file] = ranges[file] (ranges[file] == "" ? "" : ",") "[" first "," first + count - 1 "]" }
    END { for (file in ranges) { printf "%s{\"name\":\"%s\",\"lines\":[%s]}", comma, file, ranges[file]; comma = "," } }')
mapfile -t files < <(git diff --name-only --diff-filter=d "$base" -- 'src/*.c' | grep -v '^src/backend/cuda/' || true)
most=60 # two minutes on two cores; 'scripts/tidy.sh' looks at all
if [ ${#files[@]} -gt $most ]; then
    echo "style.sh: ${#files[@]} files have changed; clang-tidy looks at the first $most"
    files=("${files[@]:0:$most}")
fi
echo "style.sh: clang-tidy over ${#files[@]} files that changed since ${base:0:8}"
[ ${#files[@]} -gt 0 ] || exit 0
cmake --preset release >/dev/null
# The analyzer is slow and does not know that a status tells whether a pointer was set; the
# functions of a table have one signature, so a pointer to change may stay as it is.
printf '%s\n' "${files[@]}" | xargs -P "${JOBS:-$(nproc)}" -n 4 clang-tidy-14 -p build/release --quiet \
    --checks='-clang-analyzer-*,-readability-non-const-parameter' --line-filter="[$lines]" --extra-arg=-Wno-unknown-warning-option
