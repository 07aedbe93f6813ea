#!/usr/bin/env bash
# scripts/tidy.sh [FILE ...] - clang-tidy-14 over the given C files, or over all of src/,
# by the checks in .clang-tidy and the flags of the release build.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset release >/dev/null
files=("$@")
[ ${#files[@]} -gt 0 ] || mapfile -t files < <(git ls-files 'src/*.c')
printf '%s\n' "${files[@]}" | xargs -P "${JOBS:-$(nproc)}" -n 4 \
    clang-tidy-14 -p build/release --quiet --extra-arg=-Wno-unknown-warning-option
