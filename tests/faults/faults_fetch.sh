# What was downloaded and cannot be read just now is not another file: it stays, and is not
# downloaded again.
. "$(dirname "$0")/../cli/cli.sh"
unset FAULT_CALLS FAULT_AT FAULT_DO FAULT_PATH FAULT_ON FAULT_TRACE
for module in libcurl; do
    if "$JENSEN" doctor | grep -q "$module *missing"; then
        echo "skipped: no $module"
        finish
        exit
    fi
done
"$JENSEN" train builtin:size=20,test=0 --network cnn:width=4 --epochs 1 --batch 10 --image-size 16 --device ref -q --out run >/dev/null 2>&1
cp run/model.safetensors w.safetensors
sum=$(sha256sum <w.safetensors | cut -c1-64)
python3 "$SOURCE/tests/cli/data_server.py" &
server=$!
trap 'kill "$server"; rm -rf "$work"' EXIT
for i in $(seq 300); do
    [ -e port.txt ] && break
    sleep 0.1
done
at=http://127.0.0.1:$(cat port.txt)
fetch() { "$JENSEN" weights fetch "$at/range/w.safetensors" --sha256 "$sum" --as "$@"; }
export -f fetch
export at sum JENSEN

for how in EIO ESTALE; do
    expect 1 '' 'cannot be read: ' -- env FAULT_CALLS=read FAULT_AT=1 FAULT_DO=$how FAULT_PATH=.part LD_PRELOAD="$FAULT_SHIM" \
        bash -c "fetch $how"
    expect 0 "^$(wc -c <w.safetensors) " '' -- sh -c 'wc -c .cache/weights/.w.safetensors.*.part'
    expect 0 "^$how: cnn" '*' -- fetch $how
done
# A sum is of the whole file, however it is read.
for how in short EINTR; do
    expect 0 "^$how: cnn" '*' -- env FAULT_CALLS=read FAULT_AT=1 FAULT_DO=$how FAULT_PATH=.part LD_PRELOAD="$FAULT_SHIM" \
        bash -c "fetch $how"
    expect 0 "$sum" '' -- "$JENSEN" weights show $how
done
expect 1 '' 'w.safetensors: ' -- env FAULT_CALLS=read FAULT_AT=2 FAULT_DO=EIO FAULT_PATH=w.safetensors LD_PRELOAD="$FAULT_SHIM" \
    "$JENSEN" weights import w.safetensors --as imported
expect 0 '^imported: ' '' -- "$JENSEN" weights import w.safetensors --as imported
finish
