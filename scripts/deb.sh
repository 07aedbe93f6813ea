#!/usr/bin/env bash
# scripts/deb.sh - Debian packages of the commit that is checked out, in build/deb: from the
# release tarball, checked by lintian, whose errors fail it.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/dist.sh
version=$(sed -nE 's/^project\(jensen VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
rm -rf build/deb
mkdir -p build/deb
tar -xJf "build/dist/jensen-$version.tar.xz" -C build/deb
(cd "build/deb/jensen-$version" && dpkg-buildpackage --unsigned-source --unsigned-changes)
lintian --fail-on error "build/deb/jensen_${version}_"*.changes
ls build/deb/*.deb
