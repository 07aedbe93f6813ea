#!/usr/bin/env bash
# check_install.sh ROOT BUILD CC PROGRAM - installs BUILD into a temporary prefix, looks at
# what is there, and builds the examples against it through pkg-config and through CMake,
# shared and static. PROGRAM says whether the program is part of the build (1 or 0).
set -eu
root=$1 build=$2 cc=$3 program=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
problems=0
complain() {
    echo "FAILED: $*"
    problems=$((problems + 1))
}

cmake --install "$build" --prefix "$prefix" >"$work/log" || { cat "$work/log"; exit 1; }
lib=$(dirname "$(find "$prefix" -name libjensen.a)")
export PKG_CONFIG_PATH=$lib/pkgconfig LD_LIBRARY_PATH=$lib
[ "$(pkg-config --modversion jensen)" = "$(sed -nE 's/^project\(jensen VERSION ([0-9.]+).*/\1/p' \
    "$root/CMakeLists.txt")" ] || complain "jensen.pc has another version"
readelf -d "$lib/libjensen.so" | grep -q 'SONAME.*libjensen\.so\.[0-9]\+\]' || complain "no SONAME"

# Only the public interface is visible, and all of it starts with jsn_.
others=$(nm -D --defined-only "$lib/libjensen.so" | awk '{print $3}' | grep -v '^jsn_' || true)
[ -z "$others" ] || complain "exported beside jsn_*: $others"
nm -D --defined-only "$lib/libjensen.so" | grep -q ' jsn_version$' || complain "nothing is exported"
# Nor can a name of the static library meet one of the program that it is linked into.
# (DW.ref.* are the compiler's, of the one file in C++, and the same in every program.)
others=$(nm -g --defined-only "$lib/libjensen.a" 2>/dev/null | awk 'NF == 3 && $3 !~ /^(jsni?_|DW\.ref\.)/ {print $3}')
[ -z "$others" ] || complain "the static library defines $(echo "$others" | tr '\n' ' ')"
nm -g --defined-only "$lib/libjensen.a" 2>/dev/null | grep -q ' jsn_version$' || complain "nothing is in the static library"

# Every header that was installed compiles, alone, from where it was installed.
for header in "$prefix"/include/jensen/*.h; do
    echo "#include <jensen/$(basename "$header")>" |
        "$cc" -std=c11 -Wall -Wextra -Werror -fsyntax-only -I"$prefix/include" -x c - ||
        complain "$header does not compile"
done

if [ "$program" = 1 ]; then
    "$prefix/bin/jensen" --version | grep -q '^jensen [0-9]' || complain "the program does not run"
    grep -q '^\.SH COMMANDS' "$prefix/share/man/man1/jensen.1" || complain "no man page"
    # A loss of one's own, with the headers that were installed.
    (cd "$(mktemp -d)" && trap 'rm -rf "$PWD"' EXIT && "$prefix/bin/jensen" plugin new mine >line 2>/dev/null && grep -q "$prefix\|include/jensen/plugin" line &&
        sh -e line && "$prefix/bin/jensen" loss mine --plugin ./mine.so --check | grep -q '^ok ') ||
        complain "a plugin cannot be made with what was installed"
    # The completion, as bash would call it.
    complete_words() {
        bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _jensen
                 echo "${COMPREPLY[@]}"' - "$prefix/share/bash-completion/completions/jensen" "$@"
    }
    [ "$(complete_words jensen doct)" = doctor ] || complain "completion of commands"
    [ "$(complete_words jensen doctor --js)" = --json ] || complain "completion of options"
fi

# The loss by its definition, written down once more: GJS with Z = -(1-pi) log(1-pi).
expected() {
    python3 - <<'PYTHON'
from math import exp, log
logits = [[[2, .5, -1], [.1, .2, .3]], [[1.5, 0, -.5], [.4, -.2, 0]]]
labels, pi = [0, 2], [.5, .25, .25]
def softmax(z):
    total = sum(map(exp, z))
    return [exp(x) / total for x in z]
def entropy(p):
    return -sum(x * log(x) for x in p if x > 0)
mean = 0
for i, y in enumerate(labels):
    parts = [[float(k == y) for k in range(3)]] + [softmax(view[i]) for view in logits]
    mix = [sum(w * p[k] for w, p in zip(pi, parts)) for k in range(3)]
    mean += entropy(mix) - sum(w * entropy(p) for w, p in zip(pi, parts))
print("%.7f" % (mean / len(labels) / (-.5 * log(.5))))
PYTHON
}
# agrees OUTPUT: its "mean X" is the expected value to seven digits, give or take rounding.
agrees() {
    python3 -c 'import sys; got = float(sys.argv[1].split()[1]); want = float(sys.argv[2])
sys.exit(not abs(got - want) <= 2e-6 * abs(want))' "$1" "$2"
}

if [ -e "$prefix/include/jensen/loss.h" ]; then
    want=$(expected)
    agrees "mean 0.1" "$want" && complain "the comparison accepts a wrong value"
    flags=$(pkg-config --cflags --libs jensen)
    "$cc" -std=c11 -Wall -Wextra -Werror "$root/examples/losses.c" $flags -o "$work/shared" &&
        agrees "$("$work/shared")" "$want" || complain "examples/losses.c through pkg-config"
    flags=$(pkg-config --static --cflags --libs jensen | sed 's/-ljensen/-l:libjensen.a/')
    "$cc" -std=c11 "$root/examples/losses.c" $flags -o "$work/static" &&
        agrees "$(LD_LIBRARY_PATH= "$work/static")" "$want" ||
        complain "examples/losses.c with the static library"
    mkdir "$work/examples"
    cp "$root/examples/CMakeLists.txt" "$root/examples/losses.c" "$work/examples"
    [ "$program" = 0 ] || cp "$root/examples/train.c" "$work/examples"
    { cmake -S "$work/examples" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_C_COMPILER="$cc" && cmake --build "$work/build"; } >"$work/log" 2>&1 ||
        { cat "$work/log"; complain "find_package(jensen)"; }
    for variant in losses losses_static; do
        agrees "$(LD_LIBRARY_PATH= "$work/build/$variant")" "$want" ||
            complain "examples/losses.c through CMake: $variant"
    done
    # Python, and no package of it: the same lines as from C.
    JENSEN_LIBRARY=$lib/libjensen.so python3 -S -E "$root/examples/losses.py" |
        diff - <("$work/shared") || complain "examples/losses.py prints other lines than losses.c"
    # From a checkout that is built and not installed, with nothing set.
    mkdir -p "$work/checkout/examples" "$work/checkout/build"
    ln -s "$build" "$work/checkout/build/release"
    cp "$root/examples/losses.py" "$work/checkout/examples"
    (cd / && env -u LD_LIBRARY_PATH "$work/checkout/examples/losses.py") | diff - <("$work/shared") ||
        complain "examples/losses.py does not find the library that make has built"
    JENSEN_LIBRARY=$lib/nothing.so python3 -S -E "$root/examples/losses.py" 2>&1 |
        grep -q 'JENSEN_LIBRARY names it' || complain "examples/losses.py without a library"
else
    echo "SKIPPED: this build has no losses"
fi

# Training through the library does what the program does: the same weights, a report.
if [ "$program" = 1 ]; then
    cd "$work"
    settings="network mlp:width=16 epochs 2 batch 10 augment none device ref"
    got=$("$work/build/train" builtin:size=60,test=20 run $settings 2>"$work/log") ||
        { cat "$work/log"; complain "examples/train.c"; }
    want=$("$prefix/bin/jensen" train builtin:size=60,test=20 -q --out other --json \
        $(echo "$settings" | sed -E 's/([a-z]+) ([^ ]+)/--\1 \2/g') 2>&1 |
        sed -nE 's/.*"weights_sha256":"([0-9a-f]{64})".*/\1/p')
    [ "$(echo "$got" | sed -n 's/^weights //p')" = "$want" ] ||
        complain "examples/train.c trained other weights than the program"
    echo "$got" | grep -q '^a grey square: [a-z]' || complain "examples/train.c predicts nothing"
    grep -q '</html>' run/report.html || complain "examples/train.c writes no report"
    "$work/build/train" builtin:size=60 run nonsense 1 2>&1 | grep -q "nonsense" ||
        complain "examples/train.c accepts a wrong option"
    [ "$(wc -l <"$root/examples/train.c")" -lt 100 ] || complain "examples/train.c is long"
fi
echo "$problems problems"
[ "$problems" -eq 0 ]
