#!/usr/bin/env bash
# check_builds.sh ROOT CC minimal|losses - configures and builds one of the smaller builds
# in a temporary folder, and uses it: it must need libc, libm and threads alone.
set -eu
root=$1 cc=$2 kind=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build=$work/build
case $kind in
minimal) option=JSN_MINIMAL ;;
losses) option=JSN_ONLY_LOSSES ;;
esac
cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER="$cc" \
    -D$option=ON -DJSN_TESTS=OFF >"$work/log" || { cat "$work/log"; exit 1; }
cmake --build "$build" >"$work/log" 2>&1 || { tail -40 "$work/log"; exit 1; }
if grep -q 'warning:' "$work/log"; then
    grep -A4 'warning:' "$work/log"
    exit 1
fi
# needs FILE: the libraries that it was linked with.
needs() { readelf -d "$1" | sed -nE 's/.*NEEDED.*\[(lib[a-z]+)\..*/\1/p' | sort | tr '\n' ' '; }
problems=0
complain() {
    echo "FAILED: $*"
    problems=$((problems + 1))
}
for file in "$build/libjensen.so" "$build/jensen"; do
    [ -e "$file" ] || continue
    for library in $(needs "$file"); do
        case $library in
        libc | libm | libpthread | libdl) ;;
        *) complain "$(basename "$file") needs $library" ;;
        esac
    done
done
if [ "$kind" = minimal ]; then
    "$build/jensen" doctor --json | grep -q '"libyaml":""' || complain "doctor lists libyaml"
    bash "$root/tests/install/check_install.sh" "$root" "$build" "$cc" 1 || complain "installation"
else
    [ ! -e "$build/jensen" ] || complain "there is a program"
    bash "$root/tests/install/check_install.sh" "$root" "$build" "$cc" 0 || complain "installation"
fi
echo "$kind: $problems problems"
[ "$problems" -eq 0 ]
