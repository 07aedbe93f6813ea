#!/usr/bin/env bash
# scripts/experiments.sh [NAME ...] - the experiments behind docs/results-short.md, scaled down
# for a machine without GPU. Every step can be stopped (Ctrl-C) and started again: what is
# done is kept in $RESULTS/jensen.db and $RESULTS/runs. Without a name all are run, the
# shortest first.
#
#   curves       CE and GJS on 25,000 images with 40% symmetric noise, 30 epochs, 3 seeds, and
#                CE on clean labels; consistency every epoch
#   table1       8 losses x 7 noises on CIFAR-10, one seed; a second one on the 40% columns
#   table3 table4 table5 fig4 fig5 fig7      ablations on $ABLATIONS, cifar100 or cifar10
#   instance     PLC's instance-dependent labels, CE and GJS
#   human        CIFAR-10N's human labels, CE and GJS
#   tune         jensen tune on CIFAR-10 with 40% noise, beside the choice with clean labels
#   tables       prints everything there is into $RESULTS, runs nothing
#
# Settings, by environment: DATA (folder with the archives), RESULTS, NETWORK, SUBSET,
# EPOCHS, JOBS, DEVICE, PRECISION (tf32 or bf16 on a GPU), SEEDS, CURVES_NETWORK,
# ABLATIONS.
set -euo pipefail
cd "$(dirname "$0")/.."
JENSEN=${JENSEN:-build/release/jensen}
DATA=${DATA:-../shared/data}
RESULTS=${RESULTS:-results}
NETWORK=${NETWORK:-cnn}
SUBSET=${SUBSET:-10000}
EPOCHS=${EPOCHS:-20}
JOBS=${JOBS:-1}
DEVICE=${DEVICE:-cpu}
SEEDS=${SEEDS:-1}
CURVES_NETWORK=${CURVES_NETWORK:-cnn}
ABLATIONS=${ABLATIONS:-cifar100}

cifar10=cifar10:$DATA/cifar10-jpeg.tar.xz
cifar100=cifar100:$DATA/cifar100-jpeg.tar.xz
mkdir -p "$RESULTS"
export JENSEN_STORE=sqlite:///$RESULTS/jensen.db
scale=(--network "$NETWORK" --subset "$SUBSET" --epochs "$EPOCHS" ${PRECISION:+--precision "$PRECISION"})
how=(--jobs "$JOBS" --device "$DEVICE" --runs "$RESULTS/runs" --out "$RESULTS")

repro() { # NAME DATA [more options]
    local name=$1 data=$2
    shift 2
    echo "== $name" >&2
    "$JENSEN" repro "$name" --data "$data" "${scale[@]}" "${how[@]}" "$@" >"$RESULTS/$name.txt"
}

train() { # FOLDER options...
    local folder=$1
    shift
    "$JENSEN" train "$cifar10" "${scale[@]}" --device "$DEVICE" --out "$RESULTS/runs/$folder" --json "$@"
}

run() {
    case $1 in
    table1)
        repro table1 "$cifar10" --dataset cifar10 --seeds "$SEEDS"
        repro table1 "$cifar10" --dataset cifar10 --seeds $((SEEDS + 1)) --only sym-40,asym-40
        repro table13 "$cifar10" --dataset cifar10 --show
        ;;
    table3 | table4 | table5 | fig4 | fig5 | fig7)
        repro "$1" "$ABLATIONS:$DATA/$ABLATIONS-jpeg.tar.xz" --dataset "$ABLATIONS" --seeds "$SEEDS"
        ;;
    table6 | fig1 | fig6) repro "$1" "$cifar100" --seeds "$SEEDS" ;;
    table12) repro table12 "$cifar10" --dataset cifar10 --seeds "$SEEDS" ;;
    curves)
        for noise in none sym:rate=0.4; do
            local study=curves-${noise%%:*} losses='ce;gjs:pi1=0.5'
            [ $noise != none ] || losses=ce
            "$JENSEN" sweep status "$study" >/dev/null 2>&1 ||
                "$JENSEN" sweep create "$study" "$cifar10" --network "$CURVES_NETWORK" --subset 25000 \
                    --epochs 30 --batch 128 --lr 0.05 --val-fraction 0 --noise $noise --augment weak \
                    --consistency every --axis "loss=$losses" --seeds 3
            "$JENSEN" sweep run "$study" --jobs "$JOBS" --device "$DEVICE" --runs "$RESULTS/runs" -q
            "$JENSEN" sweep export "$study" --format markdown >"$RESULTS/$study.md"
        done
        "$JENSEN" report "$RESULTS"/runs/curves-sym/* -o "$RESULTS/curves.svg"
        ;;
    instance)
        # The label file covers 45,000 images; the others serve as validation.
        for loss in ce gjs:pi1=0.5; do
            train "instance-${loss%%:*}" --loss "$loss" --lr 0.05 --subset 20000 \
                --noise "file:$DATA/plc_cifar10.csv.xz,column=${INSTANCE_COLUMN:-type1_35},missing=val"
        done | tee "$RESULTS/instance.json"
        ;;
    human)
        for loss in ce gjs:pi1=0.5; do
            train "human-${loss%%:*}" --loss "$loss" --lr 0.05 \
                --noise "file:$DATA/cifar10n.csv.xz,column=${HUMAN_COLUMN:-worse}"
        done | tee "$RESULTS/human.json"
        ;;
    tune)
        "$JENSEN" tune "$cifar10" "${scale[@]}" --noise sym:rate=0.4 --val-fraction 0.1 \
            --device "$DEVICE" --folder "$RESULTS/runs" --study tune-cifar10 | tee "$RESULTS/tune.txt"
        # The same runs measured with clean labels: val_acc is beside val_acc_noisy.
        "$JENSEN" sweep export tune-cifar10 --format markdown >"$RESULTS/tune-runs.md"
        ;;
    tables)
        repro table1 "$cifar10" --dataset cifar10 --show
        repro table13 "$cifar10" --dataset cifar10 --show
        for name in table3 table4 table5 fig4 fig5 fig7; do
            repro $name "$ABLATIONS:$DATA/$ABLATIONS-jpeg.tar.xz" --dataset "$ABLATIONS" --show
        done
        ;;
    *)
        echo "experiments.sh: no experiment '$1'" >&2
        exit 2
        ;;
    esac
}

[ $# -gt 0 ] || set -- human curves instance table3 tune fig7 table4 table5 fig5 fig4 table1
for name; do
    run "$name"
done
