#!/usr/bin/env bash
# gpu_pack.sh FOLDER - builds the whole program with the CUDA backend, without oneDNN, and packs it
# with the libraries that a bare machine with a GPU lacks into FOLDER/feed.tar.xz. There
#
#     tar -xf feed.tar.xz && feed/run doctor
#     NO_BUILD=1 JENSEN=feed/run DATA=photographs scripts/gpu_check.sh feed
#
# The machine needs the same or a newer glibc, libstdc++, a driver and cuDNN 9, which `run` looks
# for beside CUDA and in the Python packages. ARCH names the architecture, BUILD the build folder.
set -eu
[ $# -eq 1 ] || {
    sed -n '2,/^set -eu/p' "$0" | sed '$d; s/^# \{0,1\}//' >&2
    exit 2
}
out=$(mkdir -p "$1" && realpath "$1")
cd "$(dirname "$0")/.."
build=${BUILD:-build/gpu-full}
cmake -G Ninja -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DJSN_CUDA=ON -DJSN_TESTS=OFF \
    -DJSN_CUDA_ARCHITECTURES="${ARCH:-90a-real}" -DJSN_DNNL_LIBRARY= -DJSN_GOMP_LIBRARY= >/dev/null
nice cmake --build "$build" -j "${JOBS:-2}" --target jensen_cuda jensen_program | tail -n 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/feed/lib"
cp "$build/jensen" "$build/libjensen_cuda.so" "$work/feed"
strip "$work/feed/jensen" "$work/feed/libjensen_cuda.so"
# All but the parts of glibc and of the compiler.
ldd "$work/feed/jensen" | awk '$3 ~ /^\// { print $3 }' |
    grep -vE '/(libc|libm|libdl|librt|libpthread|libresolv|libstdc\+\+|libgcc_s)\.so' |
    xargs cp -L -t "$work/feed/lib"
cat >"$work/feed/run" <<'RUN'
#!/usr/bin/env bash
# run ARGUMENTS... - the program beside this file, with its libraries and its CUDA module.
here=$(dirname "$(realpath "$0")")
cudnn=
for found in /usr/local/cuda*/lib64 /usr/local/cuda*/lib /usr/local/lib/python3*/*-packages/nvidia/cudnn/lib \
    /usr/lib/python3*/*-packages/nvidia/cudnn/lib /opt/*/.venv/lib/python3*/site-packages/nvidia/cudnn/lib \
    "${VIRTUAL_ENV:-/none}"/lib/python3*/site-packages/nvidia/cudnn/lib; do
    [ -e "$found/libcudnn.so.9" ] && cudnn=$cudnn:$found
done
export LD_LIBRARY_PATH=$here/lib$cudnn${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export JENSEN_CUDA_MODULE=$here/libjensen_cuda.so
exec "$here/jensen" "$@"
RUN
chmod +x "$work/feed/run"
tar -C "$work" -c feed | xz -T"${JOBS:-2}" -9 >"$out/feed.tar.xz"
ls -l "$out/feed.tar.xz"
