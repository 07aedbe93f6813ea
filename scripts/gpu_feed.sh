#!/usr/bin/env bash
# gpu_feed.sh JENSEN PHOTOS.tar [DEVICE] - whether photographs reach a GPU as fast as it trains
# on them. Unpacks photos/CLASS/NAME.jpg of the archive into a temporary folder, repeats them by
# links until an epoch has some hundred steps, and prints
#
#   - how fast one core decodes them, and decodes, crops and normalises one of them
#   - an epoch from the files beside the same step on images that are on the device already, for
#     two pipelines; nothing decoded is kept from one epoch to the next
#   - whether images that were copied ahead of their step (with workers) and images that were
#     not (without) give the same weights
#
# An epoch below SHARE percent of the steps is a failed case. NETWORK, SIZE, BATCH, PRECISION,
# COPIES, STEPS, WORKERS, SHARE and AUGMENTS change what is measured. Ends with the number of
# cases that failed.
set -u
[ $# -ge 2 ] || {
    sed -n '2,/^set -u/p' "$0" | sed '$d; s/^# \{0,1\}//' >&2
    exit 2
}
jensen=$(realpath "$1") archive=$2 device=${3:-cuda}
network=${NETWORK:-resnet50} size=${SIZE:-224} batch=${BATCH:-64} precision=${PRECISION:-bf16}
copies=${COPIES:-8} steps=${STEPS:-240} share=${SHARE:-95} augments=${AUGMENTS:-"jitter fit+strong"}
failures=0
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
export JENSEN_CACHE=$folder/cache
good() { echo "ok      $* ($SECONDS s)"; }
bad() {
    echo "FAILED  $*"
    failures=$((failures + 1))
}

# Every class with all its photographs, COPIES times.
prepare() {
    if ! tar -xf "$archive" -C "$folder" || ! python3 - "$folder/photos" "$folder/all" "$copies" <<'PY'; then
import os, pathlib, sys
source, out, copies = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
for one in sorted(source.iterdir()):
    (out / one.name).mkdir(parents=True)
    for file in sorted(one.iterdir()):
        for copy in range(copies):
            os.link(file, out / one.name / f"{copy}-{file.name}")
PY
        bad "no photographs in $archive"
        exit 1
    fi
    find "$folder/photos" -name '*.jpg' | LC_ALL=C sort >"$folder/list"
}

# value NAME: of the JSON on stdin
value() { sed -nE "s/.*\"$1\": ?\"?([^,\"}]+).*/\1/p"; }

cores() {
    nproc | sed 's/$/ cores/'
    awk 'NR % 2 == 1' "$folder/list" | head -n 1000 | xargs "$jensen" bench decode ||
        bad 'bench decode'
    "$jensen" bench augment --image "$(head -n 300 "$folder/list" | tail -n 1)" ||
        bad 'bench augment'
}

# epoch AUGMENT WORKERS [NEED]: a line with the epoch, the steps and the share; below SHARE a failure.
# No WORKERS: what train chooses. With a third argument of 0 the line alone.
epoch() {
    local workers=() out
    [ -z "$2" ] || workers=(--workers "$2")
    out=$("$jensen" bench epoch --data "$folder/all" --network "$network" --size "$size" --loss gjs:pi1=0.5 \
        --batch "$batch" --augment "$1" --steps "$steps" --device "$device" --precision "$precision" \
        --limit kept=1 "${workers[@]}" --json) || {
        bad "epoch $1"
        return
    }
    echo "$out" | awk -v RS='[,{}]' -F: -v least="$share" -v need="${3:-1}" '
        { gsub(/"/, "", $1); gsub(/"/, "", $2); v[$1] = $2 }
        END {
            part = 100 * v["limit_share"]
            printf "%s, %d workers: an epoch from files %.0f photographs/s (%.0f images/s, %.2f ms a step), ",
                v["augment"], v["workers"], v["images_per_second"] / v["views"], v["images_per_second"],
                1000 * v["median_seconds"]
            printf "bare step %.0f photographs/s (%.2f ms): %.1f%%\n", v["images"] / v["limit_seconds"] / v["views"],
                1000 * v["limit_seconds"], part
            exit need && part < least
        }' || bad "epoch $1: less than $share% of the step's rate"
}

# Same weights for images that came early and for those that came when they were due.
same() {
    local workers
    for workers in 0 3; do
        "$jensen" train "$folder/all" --network "$network" --image-size "$size" --loss gjs:pi1=0.5 --lr 0.01 \
            --batch "$batch" --augment fit+strong --epochs 2 --max-steps 12 --val-fraction 0 --consistency never \
            --device "$device" --precision "$precision" --workers $workers --out "$folder/run-$workers" \
            >"$folder/run-$workers.out" 2>&1 || bad "train with $workers workers: $(tail -n 2 "$folder/run-$workers.out")"
    done
    if [ -n "$(value weights_sha256 <"$folder/run-0/result.json")" ] &&
        [ "$(value weights_sha256 <"$folder/run-0/result.json")" = "$(value weights_sha256 <"$folder/run-3/result.json")" ]; then
        good "the same weights with images copied ahead and without"
    else
        bad "other weights with images copied ahead"
    fi
}

prepare
good "$(find "$folder/all" -name '*.jpg' | wc -l) photographs"
cores
for augment in $augments; do
    epoch "$augment" "${WORKERS:-}"
done
epoch "${augments%% *}" 4 0
same
echo "$failures failed"
exit "$failures"
