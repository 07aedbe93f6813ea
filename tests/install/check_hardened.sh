#!/usr/bin/env bash
# check_hardened.sh BUILD CC - reads the program, the shared library and the CUDA module
# (where there is one): guards on the stack, checked copies, tables that are read-only
# after the start, and for the program an address that is not fixed.
set -eu
build=$1 cc=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# lacks FILE: what FILE does not have, a word each.
lacks() {
    local file=$1 names dynamic
    names=$(readelf -W --dyn-syms "$file" | awk '{ print $8 }' | sed 's/@.*//')
    dynamic=$(readelf -W -d "$file")
    readelf -W -h "$file" | grep -q 'Type: *DYN' || echo position-independence
    readelf -W -l "$file" | grep -q GNU_RELRO || echo relro
    grep -qE '\(FLAGS\).*BIND_NOW|\(FLAGS_1\).*NOW' <<<"$dynamic" || echo binding-at-start
    grep -qx __stack_chk_fail <<<"$names" || echo stack-protector
    grep -qE '^__(vsn|sn|f|vf)printf_chk$|^__mem(cpy|move|set)_chk$' <<<"$names" || echo checked-copies
}

problems=0
complain() {
    echo "FAILED: $*"
    problems=$((problems + 1))
}
for name in jensen libjensen.so libjensen_cuda.so; do
    [ -e "$build/$name" ] || { echo "SKIPPED: this build has no $name"; continue; }
    found=$(lacks "$build/$name" | tr '\n' ' ')
    [ -z "$found" ] || complain "$name lacks $found"
done

# The look itself: a program that has none of it.
echo 'int main(void) { return 0; }' |
    "$cc" -x c - -o "$work/plain" -fno-pie -no-pie -fno-stack-protector -Wl,-z,norelro,-z,lazy
[ "$(lacks "$work/plain" | wc -l)" -eq 5 ] || complain "a plain program passes: it lacks $(lacks "$work/plain")"
echo "$problems problems"
[ "$problems" -eq 0 ]
