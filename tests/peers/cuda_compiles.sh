#!/usr/bin/env bash
# The CUDA backend with NVIDIA's compiler, as far as a machine without a GPU goes: it
# compiles without a warning, its programs keep to their memory (test_backend_arena), and
# the ordinary program loads the module and says why it cannot be used here (exit 4). On
# a machine with a GPU the last part is scripts/gpu_check.sh's.
set -euo pipefail
cd "$(dirname "$0")/../.."
release=$1
PATH=$PATH:/usr/local/cuda/bin
if ! command -v nvcc >/dev/null; then
    echo "cuda_compiles: skipped: no nvcc"
    exit 0
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
build=build/cuda_check # the newest architecture alone: half the time of `make cuda`
cmake -G Ninja -S . -B $build -DCMAKE_BUILD_TYPE=Release -DJSN_MINIMAL=ON -DJSN_CUDA=ON \
    -DJSN_CUDA_ARCHITECTURES=90a-real >/dev/null
cmake --build $build -j "${JOBS:-$(nproc)}" \
    --target jensen_cuda test_backend_arena >"$log" 2>&1 || {
    tail -n 40 "$log"
    exit 1
}
if grep -n 'warning' "$log"; then
    echo "cuda_compiles: warnings"
    exit 1
fi
$build/tests/backend/test_backend_arena >"$log" 2>&1 || {
    cat "$log"
    exit 1
}
if nvidia-smi >/dev/null 2>&1; then
    echo "cuda_compiles: compiled; there is a GPU here: scripts/gpu_check.sh tests it"
    exit 0
fi
code=0
JENSEN_CUDA_MODULE=$PWD/$build/libjensen_cuda.so "$release/jensen" bench step \
    --device cuda --network mlp >"$log" 2>&1 || code=$?
if [ "$code" -ne 4 ] || ! grep -q 'driver' "$log"; then
    echo "cuda_compiles: without a GPU exit $code instead of 4, or no reason:"
    cat "$log"
    exit 1
fi
echo "cuda_compiles: compiled, loaded: $(cat "$log")"
