#!/usr/bin/env bash
# tests/hostile/run_hostile.sh archives|images|bombs [COUNT [PART]] - makes hostile files and opens
# them all with $HOSTILE_OPEN. Every program that a library might start is a trap here, and
# the folder around may not change. $HOSTILE_KEEP: a folder that gets the files when one fails.
set -u
kind=$1 count=${2:-0} part=${3:-1}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{in,up/down,cache}
export LC_ALL=C
python=$(command -v python3) find=$(command -v find)
. "$here/traps.sh" "$work"

"$python" -B "$here/make_hostile.py" "$kind" "$work/in" "$count" "$part" || exit 1
cd "$work/up/down" || exit 1
touch current
"$find" "$work" -path "$work/cache" -prune -o -print | sort >"$work.before"
kinds=$kind
[ "$kind" = bombs ] && kinds=archives
PATH=$work/traps "$HOSTILE_OPEN" "$kinds" "$work/in" "$work/cache"
code=$?
[ "$code" -gt 2 ] && echo "CRASH (exit $code): $(cat current)"
"$find" "$work" -path "$work/cache" -prune -o -print | sort >"$work.after"
diff "$work.before" "$work.after" || { echo "written outside: see above"; code=1; }
rm -f "$work.before" "$work.after"
traps_sprung "$work" && code=1
found=$("$find" "$work" /tmp -maxdepth 3 -name '*hostile-was-written*' 2>/dev/null)
[ -z "$found" ] || { echo "written outside: $found"; code=1; }
[ "$code" -eq 0 ] || [ -z "${HOSTILE_KEEP:-}" ] || cp -r "$work/in" "$HOSTILE_KEEP/$kind-$part"
exit "$code"
