# jensen tune: the command it prints trains what was tuned, its rates follow from the
# options, and a file or recipe is part of the study.
# labels: once
. "$(dirname "$0")/cli.sh"
if ! "$JENSEN" doctor | grep -E '^ *SQLite' | grep -qE '[0-9]+\.[0-9]+'; then
    echo "skipped: a build without SQLite"
    exit 0
fi
one=(--epochs 1 --threads 1 --device ref -q)

# same RUN OTHER: the two have one configuration, whatever it says of how they were run.
same() {
    sed '/^# how/,$d' "$1/config.yaml" >a.txt
    sed '/^# how/,$d' "$2/config.yaml" | diff a.txt -
}
# printed FILE: the command in what tune printed, with this program and a folder of its own.
printed() { sed -n "/^  jensen train /{s|^  jensen|'$JENSEN'|;s|\$| --out again -q --threads 1|;p}" "$1"; }

# A path that a shell takes apart, options of every kind, some from a file.
"$JENSEN" data convert builtin:size=80,test=0 --out "it's %20 \$x" --format ppm >/dev/null
cat >small.yaml <<'END'
batch: 16
network: mlp:width=16
weight-decay: 0.001
val-fraction: 0.2
image-size: 16
loss: ce
END
expect 0 "^  jensen train 'it'\\\\''s %20 .x/train' --loss gjs:pi1=" '*' -- "$JENSEN" tune "it's %20 \$x/train" "${one[@]}" \
    --config small.yaml --optimizer adamw --schedule 'cosine' --class-weights balanced --views 3 --study s \
    --augment fit+strong --max-bad 7 --noise sym:rate=0.2 --seed 3 --runs 2
cp stdout.txt said.txt
best=none
lr=$(sed -n 's/^chosen.*--lr //p' said.txt)
for run in runs/s/trial-*; do grep -qx "lr: $lr" "$run/config.yaml" && best=$run; done
expect 0 '' '*' -- sh -c "$(printed said.txt) >/dev/null"
expect 0 '' '' -- same "$best" again
cases=$((cases + 1))
grep -q -- '--momentum' said.txt && complain "options that nobody set are printed" tune
# The comparison itself sees a difference.
expect 1 '.' '' -- same runs/s/trial-00000 runs/s/trial-00001

# The file may go: the study has its options, and says when others are given.
rm small.yaml
common=(--optimizer adamw --schedule cosine --class-weights balanced --views 3 --study s --augment fit+strong
    --max-bad 7 --noise sym:rate=0.2 --seed 3 --batch 16 --network mlp:width=16 --val-fraction 0.2 --image-size 16)
expect 2 '' 'tuned with --weight-decay 0.001, not 0.0005; --study' -- "$JENSEN" tune "it's %20 \$x/train" "${one[@]}" "${common[@]}"

# The first rate is what train takes by itself: 0.001 for AdamW, 0.1 for SGD, at a batch of
# 128, and a tenth of it with weights to start from. A recipe brings its own.
tiny=(builtin:size=80,test=20 --network mlp:width=16 --batch 16 "${one[@]}")
rates() { sed -n 's/^lr: //p' runs/"$1"/trial-*/config.yaml | tr '\n' ' '; }
expect 0 '"runs":5' '*' -- "$JENSEN" tune "${tiny[@]}" --study sgd --runs 5 --json
expect 0 '^0.0125 0.025 0.005 0.0025 0.00125 $' '' -- rates sgd
expect 0 '"runs":1' '*' -- "$JENSEN" tune "${tiny[@]}" --study adamw --optimizer adamw --runs 1 --json
expect 0 '^0.000125 $' '' -- rates adamw
expect 0 '"runs":1' '*' -- "$JENSEN" tune "${tiny[@]}" --study init --init runs/sgd/trial-00000/model.safetensors --runs 1 --json
expect 0 '^0.00125 $' '' -- rates init
expect 0 '"runs":1' '*' -- "$JENSEN" tune "${tiny[@]}" --study recipe --recipe cifar10/sym-40/gjs --max-steps 1 --runs 1 --json
expect 0 '^0.1 $' '' -- rates recipe

# What was tried stands beside what came of it.
expect 0 '*' '^trial 0 complete \(--lr 0.0125 --loss gjs:pi1=0.5\): val_acc_noisy ' -- "$JENSEN" tune \
    builtin:size=80,test=20 --network mlp:width=16 --batch 16 --epochs 1 --threads 1 --device ref --study loud --runs 1
# Data that is not there leaves no study behind.
expect 3 '' 'nowhere' -- "$JENSEN" tune nowhere "${one[@]}" --study none
expect 2 '' "no study 'none'" -- "$JENSEN" sweep status none

# A tuning that is killed goes on with the setting that it was at, at once: its worker is known to be dead. One that
# only sleeps keeps its trial.
long=(builtin:size=400,test=100 --network mlp:width=32 --batch 8 --epochs 60 --threads 1 --device ref -q --study cut --runs 1)
"$JENSEN" tune "${long[@]}" >killed.txt 2>&1 &
tuner=$!
while ! [ -e runs/cut/trial-00000/checkpoint.safetensors ] && kill -0 $tuner 2>/dev/null; do sleep 0.05; done
kill -STOP $tuner
expect 0 '"running":1,"complete":0' '' -- "$JENSEN" sweep status cut --json
expect 0 '*' '*' -- "$JENSEN" sweep worker cut --threads 1 -q
expect 0 '"running":1,"complete":0' '' -- "$JENSEN" sweep status cut --json
kill -9 $tuner
{ wait $tuner; } 2>/dev/null
if [ -e /proc/self/ns/pid ]; then
    expect 0 'runs":1,' '*' -- "$JENSEN" tune "${long[@]}" --json
    expect 0 '"waiting":0,"running":0,"complete":1,"pruned":0,"failed":0,"trials":1' '' -- "$JENSEN" sweep status cut --json
    expect 0 '^60$' '' -- sh -c 'wc -l <runs/cut/trial-00000/metrics.jsonl'
fi

# Two at once would share a plan: the second is told, and nothing of the first is touched.
mkdir -p runs/held
expect 1 '' 'runs/held: another process is tuning into this folder; wait for it' -- \
    flock runs/held/.lock "$JENSEN" tune builtin:size=80,test=0 "${one[@]}" --network mlp:width=4 --batch 16 --study held --runs 1
expect 0 '*' '*' -- "$JENSEN" tune builtin:size=80,test=0 "${one[@]}" --network mlp:width=4 --batch 16 --study held --runs 1
expect 1 '' '' -- test -e runs/held/.lock
finish
