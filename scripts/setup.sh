#!/usr/bin/env bash
# scripts/setup.sh [build|python|test|peers|deb|pip|xz ...] - installs what is missing with apt.
#
#   build   compiler, CMake and the libraries that the full build uses
#   python  build, and what `pip install .` needs beside it
#   test    build, and what `make test` needs beside it
#   peers   test, and what `make test-peers` compares with
#   deb     build, and what `make deb` packs with
#   pip     Python with pip and virtual environments, for `make weights` and `make docs`
#   xz      for `make dist`
#
# Does nothing, and needs no rights and no network, when everything is there.
set -euo pipefail

build=(gcc g++ make cmake ninja-build pkg-config libdnnl-dev libturbojpeg0-dev libjpeg-dev
       libpng-dev libwebp-dev libgif-dev libtiff-dev libheif-dev libarchive-dev libcurl4-openssl-dev
       libmicrohttpd-dev libyaml-dev libsqlite3-dev libpq-dev ca-certificates) # the last for downloads by https
pip=(python3 python3-venv python3-pip)
xz=(xz-utils)
python=(python3-dev "${pip[@]}")
test=(libcmocka-dev clang-14 libclang-rt-14-dev clang-format-14 clang-tidy-14 python3
      xz-utils zip)
peers=(python3-numpy python3-pil python3-matplotlib python3-torch python3-scipy chromium
       librsvg2-bin postgresql python3-optuna)
deb=(build-essential dpkg-dev debhelper lintian)

want=()
for group in "${@:-build}"; do
    case "$group" in
    build) want+=("${build[@]}") ;;
    python) want+=("${build[@]}" "${python[@]}") ;;
    test) want+=("${build[@]}" "${test[@]}") ;;
    peers) want+=("${build[@]}" "${python[@]}" "${test[@]}" "${peers[@]}") ;;
    deb) want+=("${build[@]}" "${deb[@]}") ;;
    pip) want+=("${pip[@]}") ;;
    xz) want+=("${xz[@]}") ;;
    *)
        echo "setup.sh: no group '$group' (build, python, test, peers, deb, pip, xz)" >&2
        exit 2
        ;;
    esac
done

installed() { dpkg-query -W -f='${db:Status-Abbrev}\n' "$1" 2>/dev/null | grep -q '^ii'; }

missing=()
for package in "${want[@]}"; do
    installed "$package" || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if ! command -v apt-get >/dev/null; then
    echo "setup.sh: no apt-get here; install by other means: ${missing[*]}" >&2
    exit 1
fi
sudo=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "setup.sh: neither root nor sudo; ask an administrator for: ${missing[*]}" >&2
        exit 1
    fi
    sudo=(sudo)
fi
echo "setup.sh: installing ${missing[*]}" >&2
"${sudo[@]}" apt-get update -qq
"${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
    --no-install-recommends "${missing[@]}" >&2
