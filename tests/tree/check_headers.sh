#!/usr/bin/env bash
# check_headers.sh ROOT - every public header compiles alone, as C11 and as C++17, none
# depends on a build option, jensen/jensen.h includes all the others, every function has
# a comment, and the test of wrong calls knows every function.
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
missing=$(diff <(cd "$root/include/jensen" && ls ./*.h | sed 's|^\./||' | grep -v '^jensen\.h$' | sort) \
    <(sed -nE 's|^#include "jensen/(.*)"|\1|p' "$root/include/jensen/jensen.h" | sort)) || {
    echo "headers (<) and the includes of jensen/jensen.h (>) differ: $missing"
    problems=$((problems + 1))
}
# A comment above the declaration or behind it; declarations without a line between them
# share one.
bare() {
    awk '/^JSN_API/ { if (!open) { open = 1; ok = said || ran } }
         open { text = text $0; if (/;/) { if (/;.*\/\*/) ok = 1
                if (!ok) { sub(/\(.*/, "", text); sub(/.*[ *]/, "", text); print FILENAME ": " text }
                ran = ok; open = 0; text = "" } said = 0; next }
         { said = /\*\/$/; ran = 0 }' "$@"
}
[ -n "$(printf 'JSN_API int jsn_a(void);\n' | bare)" ] && [ -z "$(printf '/* A. */\nJSN_API int jsn_a(int x,\n  int y);\nJSN_API int jsn_b(void);\n' | bare)" ] ||
    { echo "functions without a comment are not found"; problems=$((problems + 1)); }
uncommented=$(bare "$root"/include/jensen/*.h)
[ -z "$uncommented" ] || {
    echo "public functions without a comment: $uncommented"
    problems=$((problems + 1))
}
# Every public function is called wrongly at least once (tests/api/misuse.h).
forgotten=$(comm -23 <(sed -E 's|/\*.*||; /^ \*/d' "$root"/include/jensen/*.h | grep -ohE '\bjsn_[a-z0-9_]+\(' |
    grep -v '_fn($' | sort -u) <(grep -ohE '\bjsn_[a-z0-9_]+\(' "$root"/tests/api/misuse_*.c | sort -u))
[ -z "$forgotten" ] || {
    echo "public functions without a row in tests/api/misuse_*.c: $forgotten"
    problems=$((problems + 1))
}
echo "$problems problems"
[ "$problems" -eq 0 ]
