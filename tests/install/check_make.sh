#!/usr/bin/env bash
# check_make.sh ROOT BUILD - what `make` and its targets would do on a machine that has
# only what they install: build what is installed and no test, with scripts that exist.
set -eu
root=$1 build=$2
cd "$root"
unset MAKEFLAGS MAKELEVEL # of the make that runs the tests
[ -e "$build/build.ninja" ] || { echo "SKIPPED: not built with Ninja"; exit 0; }
problems=0
complain() {
    echo "FAILED: $*"
    problems=$((problems + 1))
}

# Targets for users build `product`, by a command for each build.
for target in all install cuda demo bench; do
    builds=$(make -n JOBS=1 "$target" | grep -c 'cmake --build' || true)
    products=$(make -n JOBS=1 "$target" | grep -c 'cmake --build.* --target product ' || true)
    [ "$builds" -gt 0 ] && [ "$builds" -eq "$products" ] ||
        complain "make $target: $products of $builds builds are of the product alone"
done

# The product is everything that is installed, and nothing of the tests.
# (A shared library's links come with it.)
inputs=$(ninja -C "$build" -t graph product |
    sed -nE 's/.*\[label="([^" ]+)".*/\1/p' | sed "s|^$root/||" | sort -u)
if grep -E '(^|/)tests/|cmocka' <<<"$inputs"; then
    complain "the product needs the tests"
fi
built=$(ninja -C "$build" -t targets all | cut -d: -f1)
installed=$(find "$build" -name cmake_install.cmake -exec cat {} + |
    grep -oE "\"$build/[^\"]*\"" | tr -d '"' | sed "s|^$build/||" | sort -u |
    grep -Fxf <(echo "$built") | grep -vE '\.so\.[0-9]+$')
[ "$(wc -l <<<"$installed")" -ge 2 ] || complain "what is installed was not found: $installed"
left_out=$(grep -Fxvf <(echo "$inputs") <<<"$installed" || true)
[ -z "$left_out" ] || complain "installed, but no part of the product: $left_out"

# setup.sh installs what debian/control builds with, what every package is built with, and what https needs.
wanted=$(sed -n '/^Build-Depends:/,/^Standards-Version:/p' debian/control |
    sed '/^Standards/d; s/^Build-Depends://; s/([^)]*)//g; s/debhelper-compat/debhelper/' | tr ',' ' ')
[ "$(wc -w <<<"$wanted")" -ge 10 ] || complain "debian/control has lost its build dependencies: $wanted"
for package in build-essential ca-certificates $wanted; do
    grep -qE "[ (]$package([ )]|\$)" scripts/setup.sh || complain "scripts/setup.sh does not install $package"
done

# Scripts that are named are there.
for file in $(grep -rhoE '\b(scripts|bench|examples|\.ci)/[a-z0-9_]+\.(sh|py|c)\b' \
    Makefile README.md CHANGELOG.md docs scripts .ci | sort -u); do
    [ -e "$file" ] || [ -e "../shared/$file" ] || complain "$file is named, but not there"
done
scripts/bench.sh --list | grep -q '^loss  *[a-zA-Z]' || complain "scripts/bench.sh does not list its parts"
echo "$problems problems"
[ "$problems" -eq 0 ]
