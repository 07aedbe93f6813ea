#!/usr/bin/env bash
# check_layout.sh CC INCLUDE LIST - the public structures have the sizes of LIST, a sorted line each.
# Within a major version none may change, since programs that were compiled with an earlier one
# lay them out themselves; a new structure is added to the list.
set -eu
cc=$1 include=$2 list=$3
[ "$(uname -m)" = x86_64 ] || { echo "skipped: the sizes are those of x86-64" && exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# sizes FOLDER: "name bytes" of every structure that its headers define.
sizes() {
    {
        echo '#include <stdio.h>'
        echo '#include <jensen/jensen.h>'
        echo 'int main(void) {'
        grep -hoE '^} jsn_[a-z0-9_]+;' "$1"/jensen/*.h | sed -E 's/^} (.*);/printf("\1 %zu\\n", sizeof(\1));/'
        echo '}'
    } >"$work/sizes.c"
    "$cc" -std=c11 -I "$1" "$work/sizes.c" -o "$work/sizes"
    "$work/sizes" | LC_ALL=C sort
}

found=$(diff "$list" <(sizes "$include") | sed -nE 's/^> /+/p; s/^< /-/p') || true
# The look itself: a structure that has grown.
cp -r "$include" "$work/grown"
sed -i 's/^} jsn_audit_result;/int grown[9];\n&/' "$work/grown/jensen/audit.h"
if ! sizes "$work/grown" | diff "$list" - | grep -q '^> jsn_audit_result '; then
    echo "FAILED: a structure that has grown passes"
    exit 1
fi
[ -z "$found" ] && exit 0
echo "FAILED: public structures have other sizes; see the head of this test:"
echo "$found"
exit 1
