#!/usr/bin/env bash
# scripts/make_figures.sh [PROGRAM] [FOLDER] - draws the figures of the documentation
# with the built program (build/release/jensen) into docs/img. tests/report checks that
# every loss has one.
set -euo pipefail
cd "$(dirname "$0")/.."
jensen=${1:-build/release/jensen}
out=${2:-docs/img}
mkdir -p "$out"

for plot in js-ce-mae gjs-simplex js-gce-gradient; do
    "$jensen" theory plot $plot --out "$out/theory_${plot//-/_}.svg"
done

"$jensen" show losses --json | grep -oE '"name": *"[^"]*", *"summary"' | cut -d'"' -f4 | while read -r loss; do
    "$jensen" theory plot loss --loss "$loss" --out "$out/loss_${loss//[-+]/_}.svg"
done
