#!/usr/bin/env bash
# scripts/style.sh [BASE] - clang-format-14 over all C and CUDA files, and clang-tidy-14 over
# the files of src/ that have changed since BASE: the commit where the branch left
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
mapfile -t files < <(git diff --name-only --diff-filter=d "$base" -- 'src/*.c')
most=40 # a minute on two cores; 'scripts/tidy.sh' looks at all
if [ ${#files[@]} -gt $most ]; then
    echo "style.sh: ${#files[@]} files have changed; clang-tidy looks at the first $most"
    files=("${files[@]:0:$most}")
fi
echo "style.sh: clang-tidy over ${#files[@]} files that changed since ${base:0:8}"
[ ${#files[@]} -eq 0 ] || scripts/tidy.sh "${files[@]}"
