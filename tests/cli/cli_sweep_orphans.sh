# Workers whose parent is killed with -9 stop by themselves, checkpointed, and the study
# goes on from there: no epoch is run twice.
# labels: once
[ -w /dev/shm ] && export TMPDIR=/dev/shm
. "$(dirname "$0")/cli.sh"

if ! "$JENSEN" doctor | grep -E '^ *SQLite' | grep -qE '[0-9]+\.[0-9]+'; then
    echo "skipped: a build without SQLite"
    exit 0
fi
: >stdout.txt
: >stderr.txt
epochs=60
plan=(builtin:size=400,test=100 --network mlp:width=32 --batch 8 --epochs $epochs --axis lr=0.01,0.02,0.03)

# children PID: its processes; the parent's number is the fourth field of stat.
children() { cat /proc/[0-9]*/stat 2>/dev/null | awk -v parent="$1" '$4 == parent { print $1 }'; }

# gone PID...: whether they end within a minute; a worker looks after every step.
gone() {
    local pid left
    for _ in $(seq 600); do
        left=0
        for pid in "$@"; do
            # A process that has ended and waits to be collected is none.
            grep -qE '^[0-9]+ \([^)]*\) [^Z]' "/proc/$pid/stat" 2>/dev/null && left=1
        done
        [ $left -eq 0 ] && return 0
        sleep 0.1
    done
    return 1
}

"$JENSEN" sweep create s "${plan[@]}" >/dev/null 2>&1
"$JENSEN" sweep run s --jobs 2 -q >run.out 2>run.err &
parent=$!
while [ "$(ls runs/s/*/checkpoint.safetensors 2>/dev/null | wc -l)" -lt 2 ] && kill -0 $parent 2>/dev/null; do
    sleep 0.05
done
workers=$(children $parent)
cases=$((cases + 1))
[ "$(echo $workers | wc -w)" -eq 2 ] || complain "workers: '$workers', expected two" children
kill -9 $parent
wait $parent 2>/dev/null
cases=$((cases + 1))
gone $workers || complain "workers outlive their parent" orphans
kill -9 $workers 2>/dev/null

# Nobody runs, nothing has failed; the trials were given back, not lost.
expect 0 '"waiting":[1-3],"running":0,"complete":[0-2],"pruned":0,"failed":0' '' -- "$JENSEN" sweep status s --json
for run in runs/s/*/; do
    cp "$run/metrics.jsonl" "before-$(basename "$run")"
done
cases=$((cases + 1))
[ "$(cat before-* | wc -l)" -gt 1 ] || complain "no epoch was kept" before

# Without waiting for a grace period the rest is done, after the rows that there were.
expect 0 '3 complete, 0 pruned, 0 failed' '*' -- "$JENSEN" sweep run s -q --threads 1 --grace 1000
for run in runs/s/*/; do
    before=before-$(basename "$run")
    cases=$((cases + 1))
    [ "$(wc -l <"$run/metrics.jsonl")" -eq $epochs ] || complain "$run has not $epochs epochs" resume
    if [ -e "$before" ]; then
        head -n "$(wc -l <"$before")" "$run/metrics.jsonl" | cmp -s - "$before" ||
            complain "$run: an epoch was run twice" resume
    fi
done

# One worker by itself: exit 75 when its input ends, at once where it has ended already.
"$JENSEN" sweep create eof "${plan[@]}" >/dev/null 2>&1
mkfifo input
exec 7<>input # opens at once, whether or not anybody reads
"$JENSEN" sweep worker eof --stop-at-eof -q <input >eof.out 2>stderr.txt 7>&- &
worker=$!
while ! ls runs/eof/*/checkpoint.safetensors >/dev/null 2>&1 && kill -0 $worker 2>/dev/null; do sleep 0.05; done
echo "nothing to be read" >&7
exec 7>&-
wait $worker
code=$?
cases=$((cases + 1))
[ $code -eq 75 ] || complain "exit $code at the end of the input, expected 75" worker
expect 0 '"running":0,"complete":[0-2],"pruned":0,"failed":0' '' -- "$JENSEN" sweep status eof --json
expect 75 '' 'stopped' -- "$JENSEN" sweep worker eof --stop-at-eof -q
finish
