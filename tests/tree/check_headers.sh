#!/usr/bin/env bash
# check_headers.sh ROOT - every public header compiles alone, as C11 and as C++17, and
# none depends on a build option.
set -u
root=$1 problems=0
for header in "$root"/include/jensen/*.h; do
    name=jensen/$(basename "$header")
    for compiler in "gcc -std=c11 -x c" "g++ -std=c++17 -x c++"; do
        echo "#include \"$name\"" |
            $compiler -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$root/include" - ||
            problems=$((problems + 1))
    done
    if grep -nE '^#\s*if.*(JSN_HAVE|JSN_CUDA|JSN_MINIMAL)' "$header"; then
        echo "$name: depends on a build option"
        problems=$((problems + 1))
    fi
done
echo "$problems problems"
[ "$problems" -eq 0 ]
