#!/usr/bin/env bash
# check_symbols.sh LIBRARY LIST - the functions that the shared library exports are those of
# LIST, a sorted line each. Within a major version none may go, since programs that were
# linked with an earlier one would not start; a new one is added to the list with its header.
set -eu
library=$1 list=$2

# differences LIST: what is exported and not listed (+), listed and not exported (-).
differences() {
    diff <(LC_ALL=C sort "$1") <(nm -D --defined-only "$library" | awk '{ print $3 }' | LC_ALL=C sort) |
        sed -nE 's/^> /+/p; s/^< /-/p'
}

found=$(differences "$list")
# The look itself: a list with one name too many and one too few.
wrong=$(differences <(sed 1d "$list"; echo jsn_not_there))
if [ "$wrong" = "$found" ] || ! grep -q '^-jsn_not_there$' <<<"$wrong"; then
    echo "FAILED: a wrong list passes"
    exit 1
fi
[ -z "$found" ] && exit 0
echo "FAILED: the exported functions have changed; see the head of this test:"
echo "$found"
exit 1
