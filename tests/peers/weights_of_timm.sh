#!/usr/bin/env bash
# weights_of_timm.sh BUILD - weights under timm's names, imported, beside timm. TIMM names a python that has timm.
set -u
here=$(cd "$(dirname "$0")" && pwd)
jensen=$(cd "$1" && pwd)/jensen
python=$(for p in "${TIMM:-python3}" /usr/bin/python3; do
    "$p" -c 'import timm, torch, numpy' >/dev/null 2>&1 && echo "$p" && break
done)
if [ -z "$python" ]; then
    echo "SKIPPED: weights_of_timm: no python3 with timm (TIMM=... names one)"
    exit 0
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
JENSEN_CACHE=$folder/cache "$python" -W ignore "$here/weights_of_timm.py" "$jensen" "$folder"
