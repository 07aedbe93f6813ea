# jensen review when the disk fails: a decision that is not on it is not answered as stored, and
# none that was answered is lost.
. "$(dirname "$0")/../cli/cli.sh"
unset FAULT_CALLS FAULT_AT FAULT_DO FAULT_PATH FAULT_ON FAULT_TRACE
client="python3 $SOURCE/tests/cli/review_client.py decide a"
if "$JENSEN" doctor | grep -q 'libmicrohttpd *missing'; then
    echo "skipped: no libmicrohttpd"
    finish
    exit
fi
awk 'BEGIN { for (i = 0; i < 20; i++) print "0.55 0.05 0.05 0.05 0.05 0.05 0.05 0.05 0.05 0.05" }' |
    python3 "$SOURCE/tests/cli/npy.py" a.npy 20 10
"$JENSEN" audit builtin:size=20,test=0 --posteriors a.npy --cutoff 1e-6 --labels-only -o a >/dev/null 2>&1
# The client starts the program through this, so that it alone meets the faults.
cat >faulty.sh <<'X'
#!/bin/sh
LD_PRELOAD=$FAULT_SHIM exec "$REAL" "$@"
X
chmod +x faulty.sh
faulty() {
    env REAL="$JENSEN" JENSEN=./faulty.sh FAULT_PATH=/decisions.csv "$@"
}
rows() { [ -e a/decisions.csv ] && wc -l <a/decisions.csv || echo 0; }

expect 0 '^200 ' '' -- $client 0 keep
for how in sync:EIO write:ENOSPC write:EIO lock:EIO; do
    FAULT=${how%:*} before=$(cat a/decisions.csv)
    # Opening and looking lock and unlock first.
    at=$([ $FAULT = lock ] && echo 5 || echo 1)
    expect 1 '^500 .*decisions.csv: cannot be (written|locked)' '' -- \
        faulty FAULT_CALLS=$FAULT FAULT_AT=$at FAULT_DO=${how#*:} FAULT_ON=1 $client 1 remove
    [ "$before" = "$(cat a/decisions.csv)" ] || complain "$how: a row of what was not stored" cat a/decisions.csv
done
# Half a write is written on with.
expect 0 '^200 ' '' -- faulty FAULT_CALLS=write FAULT_AT=1 FAULT_DO=short $client 1 remove
expect 0 'remove' '' -- tail -1 a/decisions.csv
# The answer comes behind the sync: killed before it, the client hears nothing.
expect 1 'ended with -9' 'RemoteDisconnected|ConnectionReset' -- faulty FAULT_CALLS=sync FAULT_AT=1 FAULT_DO=kill $client 2 keep
expect 0 '^200 ' '' -- $client 3 keep
# Killed in the middle of the row: it is cut off.
expect 1 'ended with -9' 'RemoteDisconnected|ConnectionReset' -- faulty FAULT_CALLS=write FAULT_AT=1 FAULT_DO=kill-after $client 4 keep
expect 0 '^200 ' '' -- $client 5 unsure
expect 0 'unsure' '' -- tail -1 a/decisions.csv
expect 0 '"decided":(4|5),' '' -- "$JENSEN" labels apply a --out x.csv --json
finish
