# Studies on a disk that is full: a sentence, nothing lost, and with room the same command
# goes on to the results of a study that nothing happened to. (A single run on a full disk:
# cli_train_faults.sh.)
# labels: slow
. "$(dirname "$0")/cli.sh"

if ! "$JENSEN" doctor | grep -E '^ *SQLite' | grep -qE '[0-9]+\.[0-9]+'; then
    echo "skipped: a build without SQLite"
    exit 0
fi
# A small file system of our own: as root, or as root of a user namespace.
mkdir small
if ! mount -t tmpfs -o size=16m tmpfs small 2>/dev/null; then
    if [ -z "${FULL_DISK_INNER:-}" ] && unshare -Urm true 2>/dev/null; then
        cd / && rm -rf "$work"
        FULL_DISK_INNER=1 exec unshare -Urm bash "$0"
    fi
    echo "SKIPPED: full disk (no small file system can be mounted here)"
    exit 0
fi
trap 'umount "$work/small" 2>/dev/null; rm -rf "$work"' EXIT
fill() { dd if=/dev/zero of=small/fill bs=1k >/dev/null 2>&1; }
study=(builtin:size=200 --network mlp:width=16 --batch 16 --epochs 2 --threads 1 --device ref
    --axis lr=0.01,0.05 --seeds 2)
# Everything but the time and the folder.
results() { "$JENSEN" sweep export s --store "$1" | cut -d, -f1-10; }

"$JENSEN" sweep create s "${study[@]}" --store calm.db >/dev/null 2>&1
"$JENSEN" sweep run s --store calm.db --runs calm -q >/dev/null 2>&1
results calm.db >calm.csv
expect 0 '^3,complete' '' -- cat calm.csv

# The study itself has no room: half of it is done, the rest waits.
expect 0 '4 trials' '*' -- "$JENSEN" sweep create s "${study[@]}" --store small/s.db
expect 0 '2 complete' '*' -- "$JENSEN" sweep run s --store small/s.db --runs runs --max-trials 2 -q
fill
expect 1 '' 'small/s.db: .*(full|No space left)' -- \
    "$JENSEN" sweep run s --store small/s.db --runs runs -q
expect 1 '' 'small/s.db: .*(full|No space left)' -- \
    "$JENSEN" sweep create t "${study[@]}" --store small/s.db
rm small/fill
expect 0 '2 complete' '' -- "$JENSEN" sweep status s --store small/s.db
expect 2 '' "no study 't'" -- "$JENSEN" sweep status t --store small/s.db
expect 0 '4 complete, 0 pruned, 0 failed' '*' -- \
    "$JENSEN" sweep run s --store small/s.db --runs runs --grace 1 -q
results small/s.db >got.csv
expect 0 '' '' -- cmp calm.csv got.csv

# The run folders have no room: that is not the trials' failure.
rm small/s.db*
fill
truncate -s -600k small/fill
"$JENSEN" sweep create s "${study[@]}" --store other.db >/dev/null 2>&1
expect 1 '' 'small/s/trial-0000.*No space left' -- \
    "$JENSEN" sweep run s --store other.db --runs small -q
expect 0 ' 0 failed' '' -- "$JENSEN" sweep status s --store other.db
rm small/fill
expect 0 '4 complete, 0 pruned, 0 failed' '*' -- \
    "$JENSEN" sweep run s --store other.db --runs small --grace 1 -q
results other.db >got.csv
expect 0 '' '' -- cmp calm.csv got.csv
finish
