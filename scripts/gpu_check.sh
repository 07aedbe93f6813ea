#!/usr/bin/env bash
# gpu_check.sh [quick|all|bench|data] - builds the minimal library with the CUDA backend
# on a machine with a GPU (CUDA, cuDNN, gcc, CMake, Python; nothing else) and shows that it
# is right and how fast it is: conformance against ref, golden layers, networks and
# losses, augmentation bit by bit, determinism, compute-sanitizer, then timings beside
# PyTorch. `data` trains on real images instead, from $DATA/cifar10-jpeg.tar.xz. BUILD
# names the build folder, LOGS where full logs go, ARCH the architecture, DATA the folder
# with archives and with peers' programs (torch_gpu.py).
set -u
cd "$(dirname "$0")/.." || exit 1
what=${1:-all} build=${BUILD:-build/gpu} logs=${LOGS:-build/gpu-logs} arch=${ARCH:-90a-real}
data=${DATA:-build/carry}
mkdir -p "$logs"
failures=0
say() { printf '\n== %s (%s s)\n' "$*" "$SECONDS"; }
# run NAME COMMAND...: the end of its output, all of it in a log; counts failures
run() {
    local name=$1
    shift
    say "$name"
    timeout "${LIMIT:-240}" "$@" >"$logs/$name.log" 2>&1
    local code=$?
    tail -n "${LINES_SHOWN:-12}" "$logs/$name.log"
    [ "$code" -eq 0 ] || {
        echo "FAILED ($code): $name"
        failures=$((failures + 1))
    }
}

JENSEN_CUDA_MODULE=$PWD/$build/libjensen_cuda.so
export JENSEN_CUDA_MODULE
PATH=$PATH:/usr/local/cuda/bin
export PATH
say machine
nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.sm --format=csv,noheader
nvcc --version | tail -n 2
LINES_SHOWN=3 run configure cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release \
    -DJSN_MINIMAL=ON -DJSN_CUDA=ON -DJSN_CUDA_ARCHITECTURES="$arch"
LIMIT=500 LINES_SHOWN=3 run build cmake --build "$build" -j "$(nproc)" --target \
    jensen_cuda jensen_program test_backend_cuda test_backend_ops test_backend_layers \
    test_backend_networks bench_cuda
[ "$failures" -eq 0 ] || exit 1

# train LOSS LR DECAY SEED EPOCHS: one run on CIFAR-10 with 40% symmetric noise
train() {
    LINES_SHOWN=2 LIMIT=580 run "train_${1%%:*}_e$5_s$4" "$build/jensen" train \
        "cifar10:$build/cifar10" --noise sym:rate=0.4 --loss "$1" --lr "$2" \
        --weight-decay "$3" --seed "$4" --epochs "$5" --network preactresnet34 \
        --augment strong --batch 128 --val-fraction 0 --consistency end --device cuda \
        --precision "${PRECISION:-bf16}" --out "$build/runs/${1%%:*}-$5-$4" --json
}
if [ "$what" = data ]; then
    [ -d "$build/cifar10" ] || run convert python3 scripts/cifar_archive_to_bin.py \
        "$data/cifar10-jpeg.tar.xz" "$build/cifar10" "$data/cifar10n.csv.xz"
    for seed in 0 1; do
        train gjs:pi1=0.9 0.1 5e-4 $seed "${EPOCHS:-30}"
        train ce 0.05 1e-3 $seed "${EPOCHS:-30}"
    done
    exit "$failures"
fi

tests=$build/tests/backend
if [ "$what" != bench ]; then
    run cuda "$tests/test_backend_cuda"
    run ops "$tests/test_backend_ops"
    run layers "$tests/test_backend_layers"
    [ "$what" = quick ] || run networks "$tests/test_backend_networks"
    for t in "$build"/tests/loss/test_*cuda*; do
        [ -x "$t" ] && run "$(basename "$t")" "$t"
    done
fi
if [ "$what" = all ] && command -v compute-sanitizer >/dev/null; then
    for tool in memcheck racecheck; do
        LIMIT=300 LINES_SHOWN=4 run "sanitizer_$tool" compute-sanitizer --tool $tool \
            --error-exitcode 9 "$build/bench_cuda" bf16 1 128 2 short
    done
fi
for precision in bf16 tf32 fp32; do
    LINES_SHOWN=45 run "step_$precision" "$build/bench_cuda" tasks $precision
done
run members_5 "$build/bench_cuda" bf16 5
run loss_small "$build/bench_cuda" loss 128 10
run loss_large "$build/bench_cuda" loss 65536 1000
if [ "$what" = all ] && [ -f "$data/torch_gpu.py" ]; then
    LINES_SHOWN=20 run torch python3 "$data/torch_gpu.py"
fi
say "$failures failed"
exit "$failures"
