# Searches: random draws repeat with their seed, poor runs are pruned, the paper's two
# stages follow one another, tune prints a choice and the command to use it, Ctrl-C leaves
# a study that goes on.
# labels: slow
here=$(cd "$(dirname "$0")" && pwd)
[ -w /dev/shm ] && export TMPDIR=/dev/shm
. "$here/cli.sh"
if ! "$JENSEN" doctor | grep -E '^ *SQLite' | grep -qE '[0-9]+\.[0-9]+'; then
    echo "skipped: a build without SQLite"
    exit 0
fi
tiny=(builtin:size=160,test=100 --network mlp:width=16 --batch 16 --epochs 1)

# The same seed draws the same, another one does not.
for name in a b; do
    "$JENSEN" sweep create $name "${tiny[@]}" --search random --trials 6 --axis lr=log:0.001..0.1 \
        --axis views=1..2 >/dev/null 2>&1
    "$JENSEN" sweep export $name | cut -d, -f1-4 >$name.csv
done
"$JENSEN" sweep create c "${tiny[@]}" --search random --search-seed 2 --trials 6 \
    --axis lr=log:0.001..0.1 --axis views=1..2 >/dev/null 2>&1
"$JENSEN" sweep export c | cut -d, -f1-4 >c.csv
cases=$((cases + 2))
[ "$(wc -l <a.csv)" -eq 7 ] && cmp -s a.csv b.csv || complain "random search does not repeat" random
cmp -s a.csv c.csv && complain "another seed draws the same" random

# Median pruning: learning rate 0 learns nothing and is ended early.
"$JENSEN" sweep create p builtin:size=600,test=300 --network mlp:width=32 --batch 16 --epochs 6 \
    --axis lr=0.02,0.03,0.04,0.05,0.06,0 --pruner median --prune-after 2 >/dev/null 2>&1
expect 0 '5 complete, 1 pruned, 0 failed' '*' -- "$JENSEN" sweep run p --threads 1 -q
expect 0 '^5,pruned,0,' '' -- "$JENSEN" sweep export p
[ "$(wc -l <runs/p/trial-00005/metrics.jsonl)" -lt 6 ] || complain "the pruned run went on to its end" pruner

# Two stages: 30 trials for lr and wd at 40% noise, then those of the parameter. The
# built-in classes have no asymmetric map, so that half fails and is left out.
"$JENSEN" sweep create two "${tiny[@]}" --preset two-stage --methods js --max-steps 1 \
    --consistency never --augment none >/dev/null 2>&1
expect 0 '40 complete, 0 pruned, 15 failed' '*' -- "$JENSEN" sweep run two --jobs 2 -q
expect 0 'stage1/js/sym-40 ' '' -- "$JENSEN" sweep best two
expect 0 'stage2/js/sym-80 .*--noise sym:rate=0.8' '' -- "$JENSEN" sweep best two
expect 2 '' "no loss 'jss'" -- "$JENSEN" sweep create no "${tiny[@]}" --preset two-stage --methods jss
"$JENSEN" sweep create noisy "${tiny[@]}" --preset noisy-validation --methods gce --max-steps 1 \
    --consistency never --augment none >/dev/null 2>&1
expect 0 '20 complete, 0 pruned, 0 failed' '*' -- "$JENSEN" sweep run noisy -q --threads 1
expect 0 'stage2/gce/sym-40 .*val_acc_noisy' '' -- "$JENSEN" sweep best noisy

# tune: three runs, then the rest of the plan.
expect 0 'chosen after 3 runs: --loss gjs:pi1=0.5' '*' -- "$JENSEN" tune "${tiny[@]}" \
    --noise sym:rate=0.4 --runs 3 -q --threads 1
cases=$((cases + 1))
grep -q 'jensen train .*--loss gjs' stdout.txt || complain "no command to train with" tune
expect 0 'budget ended' '' -- "$JENSEN" tune "${tiny[@]}" --noise sym:rate=0.4 --runs 3 -q --threads 1
expect 0 '"runs":9,"finished":true' '*' -- "$JENSEN" tune "${tiny[@]}" --noise sym:rate=0.4 -q --threads 1 --json
expect 0 '"runs":9,"finished":true' '*' -- "$JENSEN" tune "${tiny[@]}" --noise sym:rate=0.4 -q --runs 2 --json
# Results of other options are not passed off as those asked for.
expect 2 '' 'tuned with --noise sym:rate=0.4, not sym:rate=0.2; --study' -- "$JENSEN" tune "${tiny[@]}" \
    --noise sym:rate=0.2 -q --threads 1
expect 2 '' 'tuned with --noise sym:rate=0.4, not none; --study' -- "$JENSEN" tune "${tiny[@]}" -q
expect 2 '' 'validation data' -- "$JENSEN" tune "${tiny[@]}" --val-fraction 0

# Trials that differ in seed, loss and learning rate, trained in one call, give what they
# give alone, whatever their number of views.
for name in single four; do
    "$JENSEN" sweep create $name "${tiny[@]}" --noise sym:rate=0.2 --axis lr=0.01,0.05 \
        --axis 'loss=ce;gjs;js' --seeds 2 >/dev/null 2>&1
done
expect 0 '12 complete' '*' -- "$JENSEN" sweep run single -q --threads 1
expect 0 '12 complete' '*' -- "$JENSEN" sweep run four -q --threads 1 --together 4
for name in single four; do
    grep -ho '"weights_sha256": "[0-9a-f]*"' runs/$name/*/result.json >$name.sha
done
cases=$((cases + 1))
[ "$(wc -l <four.sha)" -eq 12 ] && cmp -s single.sha four.sha || complain "together they end otherwise" together

# Stopped by a signal: exit 75, and the same command goes on.
"$JENSEN" sweep create stop builtin:size=400,test=100 --network mlp:width=32 --batch 8 --epochs 40 \
    --axis lr=0.01,0.02 >/dev/null 2>&1
"$JENSEN" sweep run stop --jobs 2 -q >/dev/null 2>stderr.txt &
pid=$!
while ! ls runs/stop/*/checkpoint.safetensors >/dev/null 2>&1 && kill -0 $pid 2>/dev/null; do sleep 0.05; done
kill -INT $pid
wait $pid
code=$?
cases=$((cases + 1))
[ $code -eq 75 ] || complain "Ctrl-C: exit $code, expected 75" run
expect 0 '"complete":0' '' -- "$JENSEN" sweep status stop --json
expect 0 '2 complete, 0 pruned, 0 failed' '*' -- "$JENSEN" sweep run stop -q --grace 2
finish
