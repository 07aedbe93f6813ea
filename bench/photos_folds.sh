#!/usr/bin/env bash
# bench/photos_folds.sh - photographs with wrong labels in five folds, default options, three seeds of noise. Continues
# where it was stopped, and ends with a table. Only the first run of a fold computes features; the others find them in the cache.
#     bench/photos_folds.sh [PHOTOS [OUT [METHODS]]]
# PHOTOS has a folder a class (else those of ../shared/data), OUT gets tables and results. METHODS are options of `jensen
# train` with a name each: 'gjs= ce=--loss=ce'. JENSEN is the program; PYTHON has numpy and scikit-learn.
# `photos_folds.py head PHOTOS OUT` adds the head of scikit-learn.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
jensen=${JENSEN:-$top/build/release/jensen} python=${PYTHON:-python3}
out=${2:-$top/build/photos-folds}
photos=${1:-$out/photos}
methods=${3:-gjs= ce=--loss=ce}
if ! "$python" -c 'import sklearn' 2>/dev/null; then
    echo "skipped: $python lacks scikit-learn (PYTHON names another one)"
    exit 0
fi
if ! "$jensen" weights list | grep -q '^efficientnet-lite0:'; then
    echo "skipped: the cache lacks efficientnet-lite0 (make weights)"
    exit 0
fi
if [ ! -d "$photos" ]; then
    tar=$top/../shared/data/photos-caltech20.tar
    [ -f "$tar" ] || { echo "skipped: no photographs"; exit 0; }
    mkdir -p "$out"
    tar xf "$tar" -C "$out"
fi
[ -e "$out/test-3-4.csv" ] || "$python" "$top/bench/photos_folds.py" make "$photos" "$out"
mkdir -p "$out/results"
for table in "$out"/test-*.csv; do
    fold=${table##*/test-} fold=${fold%.csv}
    for noise in sym20 sym40 next30 sym0; do
        for method in $methods; do
            result=$out/results/${method%%=*}-$noise-$fold.json
            [ ! -e "$result" ] || continue
            rm -rf "$out/run"
            # shellcheck disable=SC2086 # the option of a method is one word or none
            "$jensen" train "csv:$out/$noise-$fold.csv,root=/" --test "csv:$table,root=/" ${method#*=} \
                --out "$out/run" --json -q >"$out/result.tmp"
            tail -1 "$out/result.tmp" >"$result"
        done
    done
done
rm -rf "$out/run" "$out/result.tmp"
"$python" "$top/bench/photos_folds.py" table "$out"
