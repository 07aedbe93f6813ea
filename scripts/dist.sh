#!/usr/bin/env bash
# scripts/dist.sh - the release tarball of the commit that is checked out, and its checksum,
# in build/dist. Two calls on the same commit give the same bytes.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(sed -nE 's/^project\(jensen VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
[ -z "$(git status --porcelain)" ] || echo "dist.sh: changes that are not committed are left out" >&2
command -v xz >/dev/null || scripts/setup.sh xz
mkdir -p build/dist
tarball=jensen-$version.tar.xz
git archive --format=tar --prefix="jensen-$version/" HEAD | xz -9e -T1 >"build/dist/$tarball"
(cd build/dist && sha256sum "$tarball" | tee "$tarball.sha256")
echo "in build/dist"
