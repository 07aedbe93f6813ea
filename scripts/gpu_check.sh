#!/usr/bin/env bash
# gpu_check.sh [SECTION...] - builds the minimal library with the CUDA backend on a machine
# with a GPU (CUDA, cuDNN, gcc, CMake, Python; nothing else) and shows that it is right and
# how fast it is. Sections, in the order in which they run best:
#
#   build      configure and compile (always done first)
#   tests      ops, layers, augmentation, recorded steps, members against ref
#   loss       golden losses through the CUDA kernels
#   golden     golden networks in fp32
#   methods    --method, --mixup, matrix=: same bits after a kill, for threads, among members
#   resume     same bits: again, after SIGTERM and SIGKILL, among members, streamed
#   photos     photographs and pretrained weights (scripts/gpu_photos.sh), from $DATA
#   feed       epochs from JPEG files beside the bare step (scripts/gpu_feed.sh), from $DATA
#   sanitizer  compute-sanitizer memcheck and racecheck on a step in every precision and on the loss
#   bench      steps in every precision, members, an epoch, the loss
#   turns      eight members with longer blocks (JENSEN_CUDA_TURNS): speed, and the same bits
#   sweep      shapes of the loss kernel; the best is for cuda_loss.cu
#   compare    fp32 against ref node by node, and the spread of three steps
#   curve      200 steps in bf16 beside PyTorch's
#   torch      PyTorch's own speed (bench/torch_step_gpu.py)
#   data       trains on real images, from $DATA/cifar10-jpeg.tar.xz
#
# Without a section: build tests loss golden methods resume bench. `quick` is tests and loss,
# `all` everything but data, photos and feed. BUILD names the build folder, LOGS where full logs go,
# ARCH the architecture, DATA the folder with archives, JENSEN another program for `photos` and `feed`.
#
# A skipped test is a failure here: the machine has a GPU.
set -u
cd "$(dirname "$0")/.." || exit 1
build=${BUILD:-build/gpu} logs=${LOGS:-build/gpu-logs} arch=${ARCH:-90a-real}
data=${DATA:-build/carry}
mkdir -p "$logs"
failures=0
failed=
say() { printf '\n== %s (%s s)\n' "$*" "$SECONDS"; }
fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
    failed="$failed $1"
}
# run NAME COMMAND...: the end of its output, all of it in a log; counts failures
run() {
    local name=$1 from=$SECONDS code
    shift
    timeout "${LIMIT:-240}" "$@" >"$logs/$name.log" 2>&1
    code=$?
    say "$name: $((SECONDS - from)) s"
    tail -n "${LINES_SHOWN:-12}" "$logs/$name.log"
    [ "$code" -eq 0 ] || fail "$name (exit $code)"
}
# check NAME COMMAND...: as run, for a test program, which must not skip
check() {
    run "$@"
    if grep -qiE '\[ +SKIPPED +\]|skipped: no|[1-9][0-9]* skipped' "$logs/$1.log"; then
        grep -iE 'skipped' "$logs/$1.log" | head -n 5
        fail "$1 skipped tests"
    fi
}

[[ $build == /* ]] || build=$PWD/$build
JENSEN_CUDA_MODULE=$build/libjensen_cuda.so
export JENSEN_CUDA_MODULE
PATH=$PATH:/usr/local/cuda/bin
export PATH
tests=$build/tests

section_build() {
    local generator=()
    nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.sm --format=csv,noheader
    nvcc --version | tail -n 2
    command -v ninja >/dev/null && [ ! -e "$build/Makefile" ] && generator=(-G Ninja)
    LINES_SHOWN=3 run configure cmake "${generator[@]}" -S . -B "$build" \
        -DCMAKE_BUILD_TYPE=Release -DJSN_MINIMAL=ON -DJSN_CUDA=ON \
        -DJSN_CUDA_ARCHITECTURES="$arch"
    LIMIT=500 LINES_SHOWN=3 run build cmake --build "$build" -j "$(nproc)" --target \
        jensen_cuda jensen_program test_backend_cuda test_backend_ops \
        test_backend_layers test_backend_nan test_backend_optim test_backend_networks test_backend_features \
        test_backend_photo_networks test_backend_resident test_loss_cuda test_backend_loss_time \
        bench_cuda bench_cuda_loss bench_curve compare_network
    [ "$failures" -eq 0 ] || exit 1
}

section_tests() {
    check cuda "$tests/backend/test_backend_cuda"
    check resident "$tests/backend/test_backend_resident"
    check ops "$tests/backend/test_backend_ops"
    check layers "$tests/backend/test_backend_layers"
    check nan "$tests/backend/test_backend_nan"
    check optim "$tests/backend/test_backend_optim"
}

section_loss() {
    check loss "$tests/loss/test_loss_cuda"
    check loss_time "$tests/backend/test_backend_loss_time"
    LIMIT=400 run loss_command python3 scripts/gpu_loss.py "$build/jensen"
}

section_golden() {
    check golden "$tests/backend/test_backend_networks"
    check photos "$tests/backend/test_backend_photo_networks"
    check features "$tests/backend/test_backend_features"
}

# The tests of the command line, with every training on the device.
section_methods() {
    printf '#!/bin/sh\n[ "$1" != train ] || set -- "$@" --device cuda\nexec %s "$@"\n' "$build/jensen" \
        >"$logs/on_device"
    chmod +x "$logs/on_device"
    for name in methods mixup l1 matrix; do
        JENSEN=$(realpath "$logs/on_device") SOURCE=$PWD run "cli_$name" bash "tests/cli/cli_$name.sh"
    done
}

section_resume() {
    run resume scripts/gpu_resume.sh "$build/jensen" "$build/resume"
}

# A program that reads JPEG may be named by JENSEN; the minimal one needs Pillow beside it.
section_photos() {
    LIMIT=560 LINES_SHOWN=30 run photographs scripts/gpu_photos.sh "${JENSEN:-$build/jensen}" "$data" \
        "$build/photos" "${DEVICE:-cuda}"
}

# The program must read JPEG: scripts/gpu_pack.sh packs one that does.
section_feed() {
    LIMIT=580 LINES_SHOWN=30 run feed scripts/gpu_feed.sh "${JENSEN:-$build/jensen}" \
        "$data/photos-caltech20.tar" "${DEVICE:-cuda}"
}

section_sanitizer() {
    command -v compute-sanitizer >/dev/null || {
        fail "sanitizer: no compute-sanitizer"
        return
    }
    # As few samples as run the same kernels (the own ones of bf16 take multiples of 8),
    # since racecheck takes its time by block.
    for tool in memcheck racecheck; do
        for step in "bf16 1 8 2" "bf16 1 8 1" "tf32 1 1 2" "fp32 1 1 2"; do
            # shellcheck disable=SC2086
            LIMIT=300 LINES_SHOWN=4 run "sanitizer_${step// /_}_$tool" compute-sanitizer \
                --tool $tool --error-exitcode 9 "$build/bench_cuda" $step short
        done
        LIMIT=300 LINES_SHOWN=4 run "sanitizer_loss_$tool" compute-sanitizer --tool $tool \
            --error-exitcode 9 "$build/bench_cuda_loss" 64 1000
    done
}

section_bench() {
    for precision in bf16 tf32 fp32; do
        LINES_SHOWN=45 run "step_$precision" "$build/bench_cuda" tasks $precision
    done
    run members_5 "$build/bench_cuda" bf16 5
    run epoch "$build/jensen" bench epoch --data builtin:size=25600,test=5000 --steps 200 \
        --device cuda --precision bf16
    JENSEN_CUDA_STREAM=1 run streamed "$build/bench_cuda" bf16
    run loss_small "$build/bench_cuda" loss 128 10
    run loss_large "$build/bench_cuda" loss 65536 1000
    run loss_bench "$build/jensen" bench loss --device cuda --batch 65536 --classes 1000
    run loss_bench_json "$build/jensen" bench loss --device cuda --batch 65536 --classes 1000 --json
}

# The weights of the first of three members, for each number of turns.
section_turns() {
    local turns views run got want=
    for turns in 1 2 4 8; do
        for views in 2 1; do
            JENSEN_CUDA_TURNS=$turns LINES_SHOWN=1 run "turns_${turns}_views_$views" \
                "$build/bench_cuda" bf16 8 128 $views
        done
        run=$build/turns-$turns
        rm -rf "$run"
        JENSEN_CUDA_TURNS=$turns run "turns_${turns}_train" "$build/jensen" train builtin:size=4096 \
            --network preactresnet34 --noise sym:rate=0.4 --loss gjs:pi1=0.5 --lr 0.05 --augment strong \
            --batch 128 --val-fraction 0 --epochs 2 --seed 1 --members 3 --consistency never \
            --device cuda --precision bf16 --out "$run"
        got=$(grep -oE '"weights_sha256": ?"[0-9a-f]+' "$run/member-1/result.json")
        [ "${want:=$got}" = "$got" ] || fail "turns_$turns: other weights"
    done
}

section_sweep() {
    LINES_SHOWN=60 run sweep "$build/bench_cuda_loss" 65536 1000
    LINES_SHOWN=3 run sweep_100 "$build/bench_cuda_loss" 65536 100
}

section_compare() {
    LINES_SHOWN=24 run compare "$tests/backend/compare_network" cuda fp32 10
}

section_curve() {
    LINES_SHOWN=24 run curve python3 bench/bf16_curve.py "$build/bench_curve" --runs 8
}

section_torch() { LINES_SHOWN=20 run torch python3 bench/torch_step_gpu.py; }

# train LOSS LR DECAY SEED EPOCHS: one run on CIFAR-10 with 40% symmetric noise
train() {
    LINES_SHOWN=2 LIMIT=580 run "train_${1%%:*}_e$5_s$4" "$build/jensen" train \
        "cifar10:$build/cifar10" --noise sym:rate=0.4 --loss "$1" --lr "$2" \
        --weight-decay "$3" --seed "$4" --epochs "$5" --network preactresnet34 \
        --augment strong --batch 128 --val-fraction 0 --consistency end --device cuda \
        --precision "${PRECISION:-bf16}" --out "$build/runs/${1%%:*}-$5-$4" --json
}

section_data() {
    [ -d "$build/cifar10" ] || run convert python3 scripts/cifar_archive_to_bin.py \
        "$data/cifar10-jpeg.tar.xz" "$build/cifar10" "$data/cifar10n.csv.xz"
    for seed in 0 1; do
        train gjs:pi1=0.9 0.1 5e-4 $seed "${EPOCHS:-30}"
        train ce 0.05 1e-3 $seed "${EPOCHS:-30}"
    done
}

sections=${*:-tests loss golden methods resume bench}
case $sections in
quick) sections="tests loss" ;;
all) sections="tests loss golden methods resume sanitizer bench sweep compare curve torch" ;;
esac
[ -n "${NO_BUILD:-}" ] || section_build
for section in $sections; do
    [ "$section" = build ] && continue
    if ! declare -F "section_$section" >/dev/null; then
        echo "gpu_check.sh: no section '$section'" >&2
        exit 2
    fi
    from=$SECONDS
    "section_$section"
    printf -- '-- %s: %s s\n' "$section" "$((SECONDS - from))"
done
say "$failures failed$failed"
exit "$failures"
