#!/usr/bin/env bash
# gpu_resume.sh JENSEN FOLDER [DEVICE] - the same bits on a GPU: a run twice, a run stopped
# by SIGTERM (exit 75) and one killed by SIGKILL, both continued, and a member of three,
# each against the run left alone; in every precision. FOLDER takes the runs. Ends with
# the number of cases that failed.
set -u
jensen=$1 folder=$2 device=${3:-cuda}
size=${SIZE:-5120} network=${NETWORK:-preactresnet34}
failures=0
rm -rf "$folder"
mkdir -p "$folder"

sha() { sed -nE 's/.*"weights_sha256": ?"([0-9a-f]+)".*/\1/p' "$1/result.json" 2>/dev/null; }

# verdict WHAT RUN: its weights against those of the run left alone.
verdict() {
    local want got
    want=$(sha "$folder/$precision-alone") got=$(sha "$2")
    if [ -n "$want" ] && [ "$got" = "$want" ]; then
        echo "ok      $precision: $1 ($SECONDS s)"
    else
        echo "FAILED  $precision: $1: ${got:-no result}, alone ${want:-no result}"
        tail -n 3 "$folder/log.txt"
        failures=$((failures + 1))
    fi
}

# start NAME MORE...: the options of a run.
start() {
    options=(train "builtin:size=$size" --network "$network" --noise sym:rate=0.4
        --loss gjs:pi1=0.5 --lr 0.05 --augment strong --batch 128 --val-fraction 0
        --epochs "$epochs" --consistency never --checkpoint-minutes "${minutes:-0.002}"
        --device "$device" --precision "$precision" --json --out "$folder/$precision-$1")
    shift
    options+=("$@")
}

# interrupt SIGNAL NAME: once the first checkpoint is there; prints the exit code.
interrupt() {
    start "$2" --seed 1
    "$jensen" "${options[@]}" >/dev/null 2>>"$folder/log.txt" &
    local pid=$! run=$folder/$precision-$2
    while [ ! -e "$run/checkpoint.safetensors" ] && kill -0 $pid 2>/dev/null; do
        sleep 0.01
    done
    kill "-$1" $pid 2>/dev/null
    wait $pid 2>/dev/null
    code=$?
    if [ -e "$run/result.json" ]; then
        echo "FAILED  $precision: $1 came after the end: raise SIZE"
        failures=$((failures + 1))
    elif [ "$1" = TERM ] && [ $code -ne 75 ]; then
        echo "FAILED  $precision: SIGTERM: exit $code, not 75"
        failures=$((failures + 1))
    fi
    "$jensen" "${options[@]}" >/dev/null 2>>"$folder/log.txt"
    verdict "continued after SIG$1 (exit $code)" "$run"
}

for precision in ${PRECISIONS:-bf16 tf32}; do
    epochs=${EPOCHS:-10}
    [ "$precision" = bf16 ] || epochs=${EPOCHS:-4}
    for name in alone again; do
        start $name --seed 1
        "$jensen" "${options[@]}" >/dev/null 2>>"$folder/log.txt"
    done
    verdict "the same command again" "$folder/$precision-again"
    interrupt TERM stopped
    interrupt KILL killed
    start streamed --seed 1
    JENSEN_CUDA_STREAM=1 "$jensen" "${options[@]}" >/dev/null 2>>"$folder/log.txt"
    verdict "images in pinned memory of the host" "$folder/$precision-streamed"
    start members --seed 1 --members 3
    "$jensen" "${options[@]}" >/dev/null 2>>"$folder/log.txt"
    verdict "the first of three members" "$folder/$precision-members/member-1"
done
echo "gpu_resume: $failures failed ($SECONDS s)"
exit "$failures"
