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
    # A run folder's settings are read back without libyaml, lines keep their numbers.
    "$build/jensen" train builtin:size=60,test=20 --network mlp:width=4 --batch 16 --epochs 1 \
        --noise sym:rate=0.4 --out "$work/a" -q >/dev/null 2>&1 || complain "training"
    "$build/jensen" train --config "$work/a/config.yaml" --out "$work/b" -q >/dev/null 2>&1
    grep weights_sha256 "$work/a/result.json" >"$work/a.sha"
    grep weights_sha256 "$work/b/result.json" 2>/dev/null | cmp -s - "$work/a.sha" ||
        complain "config.yaml does not repeat the run"
    printf 'data: builtin\n\nlosss: ce\n' >"$work/bad.yaml"
    "$build/jensen" train --config "$work/bad.yaml" 2>&1 | grep -q 'bad.yaml:3: no option' ||
        complain "a wrong key without its line"
    printf 'data: builtin\naxes:\n  lr: 1\n' >"$work/nested.yaml"
    "$build/jensen" train --config "$work/nested.yaml" 2>&1 | grep -q 'nested.yaml:3: .*no libyaml' ||
        complain "nested YAML without a sentence"
    bash "$root/tests/install/check_install.sh" "$root" "$build" "$cc" 1 || complain "installation"
else
    [ ! -e "$build/jensen" ] || complain "there is a program"
    bash "$root/tests/install/check_install.sh" "$root" "$build" "$cc" 0 || complain "installation"
fi
echo "$kind: $problems problems"
[ "$problems" -eq 0 ]
