#!/usr/bin/env bash
# gpu_table1.sh FOLDER [SECONDS [PIECE...]] - the paper's tables at full length, in pieces.
#
# Works through the plan below from the top, leaves out what FOLDER's store has already,
# and stops after SECONDS (default: when everything is done). The same command goes on,
# also on another machine that has got FOLDER.
#
#   FOLDER/data/cifar10    the binary files of CIFAR-10 (FOLDER/data/cifar100 likewise;
#                          a link will do)
#   FOLDER/studies.db      the store of all results; begins as docs/results/studies.db.xz
#   FOLDER/runs            run folders; checkpoints of unfinished runs are there
#   FOLDER/collected.tar.xz  written at the end: the store and all of runs/ but weights
#
# PIECE is a number of a line of the plan, from 1; without one all lines count. JENSEN names
# the program (build/cuda/jensen). MORE adds options to every line: MORE="--epochs 1".
set -u
plan=(
    # result  data set  cells, or all              more options
    "table1   cifar10   sym-40/gjs"
    "table1   cifar10   sym-40/ce,sym-40/js,sym-40/gce"
    "table1   cifar10   sym-40/bs,sym-40/ls,sym-40/sce,sym-40/nce"
    "table1   cifar10   sym-40/bs                  --seeds 2"
    "table1   cifar10   asym-40/gjs"
    "table1   cifar10   asym-40/ce,asym-40/js,asym-40/gce"
    "table1   cifar10   clean/gjs,sym-80/gjs"
    "table1   cifar10   sym-80/ce,sym-80/js,sym-80/gce"
    "table1   cifar10   clean/ce,clean/js,clean/gce"
    "table1   cifar100  asym-40/gjs,asym-40/ce"
    "table1   cifar10   sym-40/gjs                 --seeds 3"
    "table1   cifar10   sym-40/ce                  --seeds 3"
    "table3   cifar100  all                        --epochs 150"
    "fig5     cifar100  sym-40/m2,sym-40/m3,sym-40/m5  --epochs 150"
    "table5   cifar100  full/sym-40/gjs,no-cutout/sym-40/gjs,no-randaugment/sym-40/gjs,weak/sym-40/gjs,full/sym-40/gce,weak/sym-40/gce  --epochs 150"
)

[ $# -ge 1 ] || {
    sed -n '2,/^set -u/p' "$0" | sed '$d; s/^# \{0,1\}//' >&2
    exit 2
}
here=$(cd "$(dirname "$0")/.." && pwd)
jensen=$(realpath "${JENSEN:-$here/build/cuda/jensen}")
cd "$1" || exit 1
seconds=${2:-0}
shift $(($# < 2 ? $# : 2))
[ $# -gt 0 ] || set -- $(seq ${#plan[@]})

[ -e studies.db ] || xz -dc "$here/docs/results/studies.db.xz" >studies.db || exit 1

collect() {
    find runs -type f \( -name '*.json' -o -name '*.jsonl' -o -name config.yaml -o -name log.txt \) \
        -print0 2>/dev/null | tar -cJf collected.tar.xz --null -T - studies.db 2>/dev/null
}
trap collect EXIT

for piece in "$@"; do
    read -r result data cells more <<<"${plan[$((piece - 1))]}"
    only=(--only "$cells")
    [ "$cells" = all ] && only=()
    limit=()
    if [ "$seconds" -gt 0 ]; then
        left=$((seconds - SECONDS))
        [ $left -gt 0 ] || exit 75
        limit=(timeout -s TERM "$left")
    fi
    echo "== $piece: $result $data $cells $more (${SECONDS} s)"
    # shellcheck disable=SC2086
    "${limit[@]}" "$jensen" repro "$result" --data "$data:data/$data" --dataset "$data" \
        "${only[@]}" --store sqlite:///studies.db --runs runs --out "tables" --device cuda \
        --precision bf16 $more ${MORE:-} >"piece-$piece.md" 2>>"piece-$piece.log"
    code=$?
    tail -n 3 "piece-$piece.log"
    case $code in
    0 | 1) ;;
    75 | 124) exit 75 ;;
    *) exit "$code" ;;
    esac
done
