# Studies from outside: what is wrong is said in a sentence, a study is worked off by two
# processes, and what it holds can be listed.
# labels: slow sanitize_slow
. "$(dirname "$0")/cli.sh"

if ! "$JENSEN" doctor | grep -E '^ *SQLite' | grep -qE '[0-9]+\.[0-9]+'; then
    echo "skipped: a build without SQLite"
    exit 0
fi
small=(--network mlp:width=16 --batch 16 --epochs 1 --threads 1)

expect 3 '' 'database does not exist' -- "$JENSEN" sweep status
expect 2 '' "no option 'lrr'|unknown option|lrr" -- "$JENSEN" sweep create s builtin --axis lrr=1
expect 2 '' 'LOW..HIGH|VALUE' -- "$JENSEN" sweep create s builtin --axis lr
expect 2 '' 'range needs --search random' -- "$JENSEN" sweep create s builtin --axis lr=0.1..1
expect 2 '' 'comes twice' -- "$JENSEN" sweep create s builtin --axis lr=0.1,0.1
expect 2 '' 'no loss|jss' -- "$JENSEN" sweep create s builtin --axis 'loss=ce;jss'
for wrong in network=cnn,cmm 'noise=sym:rate=0.2;asymm' 'schedule=cosine;cosin' recipe=nothing; do
    expect 2 '' "cmm|asymm|cosin|nothing" -- "$JENSEN" sweep create s builtin --axis "$wrong"
done
expect 2 '' 'cmm' -- "$JENSEN" sweep create s builtin --axis lr=0.1 --network cmm
expect 2 '' 'both choose the seeds' -- "$JENSEN" sweep create s builtin --axis seed=1,2 --seeds 2
expect 2 '' 'sqlite:///FILE' -- "$JENSEN" sweep status --store nonsense://x
expect 2 '' 'what is to be searched' -- "$JENSEN" sweep create s builtin
printf 'data: builtin:size=200\nepochs: 1\naxes:\n  lr: [0.1, 0.2]\n  weigth-decay: [1, 2]\n' >bad.yaml
expect 2 '' 'bad.yaml:5: .*weight-decay' -- "$JENSEN" sweep create s --file bad.yaml
[ ! -e jensen.db ] || { echo "FAILED: a refused study left a database"; failures=1; }

expect 0 "study 'one' with 4 trials" 'sweep run one' -- "$JENSEN" sweep create one \
    builtin:size=200 "${small[@]}" --axis lr=0.01,0.05 --seeds 2
expect 2 '' "holds 2 studies \('a', 'b'\); name one$" -- sh -c \
    'for s in a b; do "$0" sweep create $s builtin --axis lr=1 --store few.db -q >/dev/null; done; "$0" sweep status --store few.db' "$JENSEN"
expect 0 '^\{"study":"c","trials":2,"store":"few.db"\}$' '*' -- \
    "$JENSEN" sweep create c builtin --axis lr=1,2 --store few.db --json
expect 2 '' "holds 3 studies \('a', 'b', ...\); name one$" -- "$JENSEN" sweep status --store few.db
# What is written is what the name of the file says, unless --format does.
for kind in html:'<!DOCTYPE html>' json:'"rows":' md:'^. trial' tex:tabular csv:'^trial,state,lr'; do
    expect 0 '' '' -- "$JENSEN" sweep export c --store few.db --out all.${kind%%:*}
    grep -qi "${kind#*:}" all.${kind%%:*} || complain "all.${kind%%:*} holds something else"
done
expect 0 '' '' -- "$JENSEN" sweep export c --store few.db --out all.html --format csv
expect 0 '^trial,state,lr' '' -- cat all.html
expect 2 '' "a study 'one' already" -- "$JENSEN" sweep create one builtin --axis lr=1
expect 0 '4 trials: 0 complete, 0 running, 4 waiting' '' -- "$JENSEN" sweep status
expect 2 '' "no study 'two'" -- "$JENSEN" sweep status two
expect 0 '4 complete, 0 pruned, 0 failed' '*' -- "$JENSEN" sweep run one --jobs 2 -q
expect 0 '"complete":4' '' -- "$JENSEN" sweep status one --json
expect 2 '' 'one seed' -- "$JENSEN" sweep create s builtin --preset two-stage --methods js --seeds 2

# With several seeds the best configuration is the one with the best mean: that of the
# exported values, whose columns are trial,state,lr,seed,value.
best=$("$JENSEN" sweep export one | awk -F, 'NR > 1 { sum[$3] += $5; at[$3] = at[$3] " " $1 }
    END { for (lr in sum) if (!(best in sum) || sum[lr] > sum[best]) best = lr
          split(at[best], t, " "); printf "trials %s, %s: mean test_acc %.4f, .*n 2  --lr %s  ", t[1], t[2], sum[best] / 2, best }')
expect 0 "^$best" '' -- "$JENSEN" sweep best one
expect 0 '"mean":0\.[0-9]*,"deviation":0\.[0-9e-]*,"n":2,"trials":\[[02],[13]\],"options":\{"lr"' '' -- \
    "$JENSEN" sweep best one --json
# One option against another, from the store alone: the same means, by lr and in one row.
expect 0 '^ok$' '' -- python3 -c '
import csv, subprocess, statistics, sys
def table(*more):
    out = subprocess.run([sys.argv[1], "sweep", "export", "one", *more], capture_output=True, text=True, check=True).stdout
    return list(csv.reader(out.splitlines()))
trials = table()
lr, acc = trials[0].index("lr"), trials[0].index("test_acc")
pivot = table("--pivot", "loss:lr")
want = {}
for row in trials[1:]:
    want.setdefault("lr " + row[lr], []).append(100 * float(row[acc]))
assert len(pivot) == 2 and len(want) > 1, pivot
for name, values in want.items():
    at = pivot[0].index(name)
    assert abs(float(pivot[1][at]) - statistics.mean(values)) < 0.011, (name, pivot)
    assert abs(float(pivot[1][at + 1]) - statistics.stdev(values)) < 0.02, (name, pivot)
print("ok")' "$JENSEN"
"$JENSEN" sweep create spelt builtin:size=200 "${small[@]}" --axis "loss=gjs;gjs:pi1=0.5" --axis lr=0.1 >/dev/null 2>&1
"$JENSEN" sweep run spelt -q >/dev/null 2>&1
expect 0 '^2$' '' -- sh -c "'$JENSEN' sweep export spelt --pivot loss:lr --format csv | wc -l"
expect 2 '' 'pivot prints' -- "$JENSEN" sweep export one --pivot loss:lr --out x.csv
expect 2 '' "did you mean 'loss'" -- "$JENSEN" sweep export one --pivot los:lr
expect 0 'mean of 2 seeds' '' -- "$JENSEN" sweep export one --format html
expect 0 '#SBATCH --array=1-3' '^warning: the store sqlite:///jensen.db is relative' -- "$JENSEN" sweep slurm one --tasks 3
expect 0 '#SBATCH --array=1-3' '' -- "$JENSEN" sweep slurm one --tasks 3 --store "sqlite:///$work/jensen.db"
for wrong in partition time memory; do
    expect 2 '' "--$wrong: .*control characters" -- "$JENSEN" sweep slurm one --$wrong $'a\ntouch owned'
    expect 2 '' "--$wrong: .*quotes" -- "$JENSEN" sweep slurm one --$wrong "a'b"
done

# The page of a study links its runs' pages, as seen from where it is written; a page
# that is missing is made.
rm runs/one/trial-00002/report.html
mkdir pages
expect 0 '' '' -- "$JENSEN" sweep export one --format html --out pages/one.html
expect 1 '' 'nowhere/one.csv.*No such file' -- "$JENSEN" sweep export one --out nowhere/one.csv
for trial in 0 1 2 3; do
    cases=$((cases + 1))
    link=$(grep -oE "href=\"[^\"]*trial-0000$trial/report.html\"" pages/one.html | cut -d'"' -f2)
    grep -q '</html>' "pages/$link" 2>/dev/null || complain "no page of trial $trial is linked" export
done

# A deleted run folder takes no result with it; a run is not done again.
rm -rf runs/one/trial-00001
expect 0 '4 complete' '*' -- "$JENSEN" sweep run one -q
expect 0 'trial-00001/report.html is not there' '' -- "$JENSEN" sweep export one --format html
[ ! -e runs/one/trial-00001 ] || { echo "FAILED: a finished trial was run again"; failures=1; }

# Workers of one command share --max-trials; what ends them ends the command.
"$JENSEN" sweep create part builtin:size=200 "${small[@]}" --axis lr=0.01,0.02,0.03,0.04,0.05 >/dev/null 2>&1
expect 0 '3 complete, .* 2 waiting' '*' -- "$JENSEN" sweep run part --jobs 2 --max-trials 3 -q
expect 0 '4 complete, .* 1 waiting' '*' -- "$JENSEN" sweep run part --jobs 4 --max-trials 1 -q
"$JENSEN" sweep create --without-data nodata cifar10:nowhere "${small[@]}" --axis lr=0.01,0.02 >/dev/null 2>&1
expect 3 '' 'sweep run: a worker failed with code 3' -- "$JENSEN" sweep run nodata --jobs 2 -q
expect 0 '2 waiting, 0 pruned, 0 failed' '' -- "$JENSEN" sweep status nodata

# A worker that is killed: the others take its trial over, and the command ends well.
"$JENSEN" sweep create lost builtin:size=400,test=100 --network mlp:width=32 --batch 8 --epochs 40 \
    --axis lr=0.01,0.02 >/dev/null 2>&1
"$JENSEN" sweep run lost --jobs 2 --grace 1 -q >lost.out 2>lost.err &
pid=$!
while ! ls runs/lost/*/checkpoint.safetensors >/dev/null 2>&1 && kill -0 $pid 2>/dev/null; do sleep 0.05; done
# The parent's number is the fourth field of stat.
kill -9 "$(cat /proc/[0-9]*/stat 2>/dev/null | awk -v parent=$pid '$4 == parent { print $1; exit }')"
cases=$((cases + 1))
wait $pid && grep -q '2 complete, 0 pruned, 0 failed' lost.out && grep -q 'a worker was lost' lost.err ||
    { cp lost.err stderr.txt; complain "exit $? after a worker was killed" run; }

# The curves of its page run from epoch 1 to epoch 40.
expect 0 '>40</text>' '' -- "$JENSEN" sweep export lost --format html
cases=$((cases + 1))
grep -qE '>-?0</text>' stdout.txt && complain "an epoch 0" export

# A loss that explodes fails its trial, not the study.
"$JENSEN" sweep create bad builtin:size=200 "${small[@]}" --axis lr=1e12,0.01 >/dev/null 2>&1
expect 0 '1 complete, 0 pruned, 1 failed' 'trial 0 failed' -- "$JENSEN" sweep run bad
expect 0 'trial 0 failed: .*(finite|NaN|smaller)' '' -- "$JENSEN" sweep status bad --failures

expect 0 '^trial 1: test_acc [0-9.]+  --lr 0.01  \(' '' -- "$JENSEN" sweep best bad
expect 0 '"trial":1,"value":(0.[0-9]*),"mean":0.[0-9]*,"deviation":null,"n":1,"trials":\[1\]' '' -- \
    "$JENSEN" sweep best bad --json
"$JENSEN" sweep create badseeds builtin:size=200 "${small[@]}" --axis lr=1e12,0.01 --seeds 2 >/dev/null 2>&1
expect 0 '1 complete, 0 pruned, 2 failed, 1 waiting' '*' -- "$JENSEN" sweep run badseeds --max-trials 3
expect 0 '' "no configuration of 'badseeds' has all its seeds" -- "$JENSEN" sweep best badseeds
expect 0 '2 complete' '*' -- "$JENSEN" sweep run badseeds -q
expect 0 '^trials 2, 3: mean' 'left out: 1 configuration of which not all seeds' -- "$JENSEN" sweep best badseeds
# One that explodes beside others is found out, also when no more trials than those are
# wanted: the others are not given back for good.
"$JENSEN" sweep create together builtin:size=60,test=20 --network mlp:width=16 --batch 16 --epochs 1 \
    --device ref --axis lr=1e12,0.01,0.02 >/dev/null 2>&1
expect 0 '1 complete, 0 pruned, 1 failed, 1 waiting' 'trial 0 failed' -- \
    "$JENSEN" sweep run together --together 3 --max-trials 2

# The same seed twice, with other threads, is one seed.
"$JENSEN" sweep create twice builtin:size=60,test=20 --axis threads=1,2 --seeds 2 --network mlp:width=16 \
    --batch 16 --epochs 1 --device ref --store twice.db >/dev/null 2>&1
"$JENSEN" sweep run twice --store twice.db -q >/dev/null 2>&1
expect 0 '^trials 2, 3: mean test_acc 0\.[0-9]+, deviation 0\.[0-9]+, n 2 ' \
    '^trial 0 repeats trial 2: the same options and seed count once$' -- "$JENSEN" sweep best twice --store twice.db

# Not a database of ours.
echo "no database" >text.db
expect 3 '' 'text.db: .*not a database' -- "$JENSEN" sweep status --store text.db
finish
