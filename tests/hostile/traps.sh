# tests/hostile/traps.sh FOLDER - sourced: FOLDER/traps has every program that a library might start; each of
# them only leaves FOLDER/started-NAME behind.
mkdir -p "$1/traps"
for name in gzip gunzip bzip2 bunzip2 xz unxz lzma unlzma zstd unzstd lz4 lzip lzop lrzip grzip \
    compress uncompress tar unzip 7z 7za rar unrar cpio uudecode rpm2cpio; do
    printf '#!/bin/sh\n: >%s/started-%s\n' "$1" "$name" >"$1/traps/$name"
    chmod +x "$1/traps/$name"
done
PATH=$1/traps gzip
[ -e "$1/started-gzip" ] || { echo "the traps do not work"; exit 1; }
rm "$1/started-gzip"
# Prints what was started; false when nothing was.
traps_sprung() {
    local file sprung=1
    for file in "$1"/started-*; do
        [ -e "$file" ] && echo "a program was started: ${file##*started-}" && sprung=0
    done
    return $sprung
}
