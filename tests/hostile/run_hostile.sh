#!/usr/bin/env bash
# tests/hostile/run_hostile.sh archives|images|bombs [COUNT] - makes hostile files and opens
# them all with $HOSTILE_OPEN. Every program that a library might start is a trap here, and
# the folder around may not change.
set -u
kind=$1 count=${2:-0}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{traps,in,up/down,cache}
export LC_ALL=C
python=$(command -v python3) find=$(command -v find)
for name in gzip gunzip bzip2 bunzip2 xz unxz lzma unlzma zstd unzstd lz4 lzip lzop lrzip grzip \
    compress uncompress tar unzip 7z 7za rar unrar cpio uudecode rpm2cpio; do
    printf '#!/bin/sh\n: >%s/started-%s\n' "$work" "$name" >"$work/traps/$name"
    chmod +x "$work/traps/$name"
done
PATH=$work/traps gzip
[ -e "$work/started-gzip" ] || { echo "the traps do not work"; exit 1; }
rm "$work/started-gzip"

"$python" -B "$here/make_hostile.py" "$kind" "$work/in" "$count" || exit 1
cd "$work/up/down" || exit 1
touch current
"$find" "$work" -path "$work/cache" -prune -o -print | sort >"$work.before"
kinds=$kind
[ "$kind" = bombs ] && kinds=archives
PATH=$work/traps "$HOSTILE_OPEN" "$kinds" "$work/in" "$work/cache"
code=$?
[ "$code" -gt 2 ] && echo "CRASH (exit $code): $(cat current)"
"$find" "$work" -path "$work/cache" -prune -o -print | sort >"$work.after"
diff "$work.before" "$work.after" || code=1
rm -f "$work.before" "$work.after"
for file in "$work"/started-*; do
    [ -e "$file" ] && echo "a program was started: ${file##*started-}" && code=1
done
found=$("$find" "$work" /tmp -maxdepth 3 -name '*hostile-was-written*' 2>/dev/null)
[ -z "$found" ] || { echo "written outside: $found"; code=1; }
exit "$code"
