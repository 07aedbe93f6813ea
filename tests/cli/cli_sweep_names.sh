# Studies that could be taken for one another, and data that changes between trials.
# labels: once
. "$(dirname "$0")/cli.sh"

if ! "$JENSEN" doctor | grep -E '^ *SQLite' | grep -qE '[0-9]+\.[0-9]+'; then
    echo "skipped: a build without SQLite"
    exit 0
fi
small=(--network mlp:width=4 --batch 16 --epochs 1 --max-steps 1 --threads 1 --device ref --augment none)
"$JENSEN" data convert builtin:size=60,test=20 --out photos >/dev/null 2>&1

# Names that differ in what cannot be part of a path have folders of their own; the command
# that is offered can be pasted.
expect 0 "study 'a b' with" "^next: jensen sweep run 'a b'\$" -- \
    "$JENSEN" sweep create 'a b' photos "${small[@]}" --axis lr=0.01
expect 0 "study 'a-b' with" '^next: jensen sweep run a-b$' -- \
    "$JENSEN" sweep create a-b photos "${small[@]}" --axis lr=0.02,0.05
"$JENSEN" sweep create a/b photos "${small[@]}" --axis lr=0.03 >/dev/null 2>&1
long=$(printf 'x%.0s' {1..300})
"$JENSEN" sweep create "$long" photos "${small[@]}" --axis lr=0.03 >/dev/null 2>&1
for name in 'a b' a/b "$long"; do
    expect 0 '1 complete, 0 pruned, 0 failed, 0 waiting' '*' -- "$JENSEN" sweep run "$name" -q
done
expect 0 '1 complete, 0 pruned, 0 failed, 1 waiting' '*' -- "$JENSEN" sweep run a-b -q --max-trials 1
expect 0 '4' '' -- sh -c 'ls runs | wc -l'
expect 0 '^trial-00000$' '' -- ls runs/a-b

# Data that is not there takes up no name; machines that have it can be meant.
for command in 'create slip nowhere --axis lr=0.01' 'search slip cifar10:nowhere --methods ce'; do
    expect 3 '' 'nowhere' -- "$JENSEN" sweep $command "${small[@]}" --store slip.db
done
[ ! -e slip.db ] || complain "data that is not there has left a study" sweep
expect 0 "study 'far' with 1 trial" '*' -- "$JENSEN" sweep create far nowhere "${small[@]}" --axis lr=0.01 --without-data

# A study can be removed: told first, then done. Its runs stay, its name is free, others are as they were.
expect 2 "^study 'a-b' would be removed from .*: 2 trials, 1 complete; run folders stay\$" 'nothing is removed without --yes' -- \
    "$JENSEN" sweep delete a-b
expect 0 '1 complete' '' -- "$JENSEN" sweep status a-b
"$JENSEN" sweep create gone photos "${small[@]}" --axis lr=0.01,0.02 >/dev/null 2>&1
"$JENSEN" sweep run gone -q >/dev/null 2>&1
"$JENSEN" sweep status >before.txt 2>/dev/null
"$JENSEN" sweep export a-b >before.csv
expect 2 '' "there is a study 'gone' already; choose another name, or 'jensen sweep delete' removes" -- \
    "$JENSEN" sweep create gone photos "${small[@]}" --axis lr=0.01
expect 0 "^study 'gone' is removed from .*: 2 trials, 2 complete; run folders stay\$" '' -- "$JENSEN" sweep delete gone --yes
expect 2 '' "no study 'gone'" -- "$JENSEN" sweep status gone
expect 0 '^trial-00000$' '' -- ls runs/gone
expect 0 '' '' -- sh -c "'$JENSEN' sweep export a-b | cmp - before.csv"
expect 2 '' "no study 'gone'" -- "$JENSEN" sweep delete gone --yes
expect 2 '' 'needs the name of one study' -- "$JENSEN" sweep delete --yes
expect 0 '^0$' '' -- python3 -c '
import sqlite3
db = sqlite3.connect("jensen.db")
tables = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = \"table\"")]
left = 0
for table in tables:
    columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
    if "trial_id" in columns and table != "trials":
        left += db.execute(f"SELECT count(*) FROM {table} WHERE trial_id NOT IN (SELECT trial_id FROM trials)").fetchone()[0]
    if "study_id" in columns and table != "studies":
        left += db.execute(f"SELECT count(*) FROM {table} WHERE study_id NOT IN (SELECT study_id FROM studies)").fetchone()[0]
print(left)'
expect 0 "study 'gone' with 1 trial" '*' -- "$JENSEN" sweep create gone photos "${small[@]}" --axis lr=0.01
# Not while a worker is at it, which its heartbeat tells.
python3 -c '
import sqlite3, datetime
db = sqlite3.connect("jensen.db")
trial = db.execute("SELECT trial_id FROM trials JOIN studies USING (study_id) WHERE study_name = \"gone\"").fetchone()[0]
now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%S.%f")
db.execute("UPDATE trials SET state = \"RUNNING\" WHERE trial_id = ?", (trial,))
db.execute("INSERT INTO trial_heartbeats (trial_id, heartbeat) VALUES (?, ?)", (trial, now))
db.commit()'
expect 1 '' '1 of its trials have a worker; stop the workers first' -- "$JENSEN" sweep delete gone --yes
python3 -c '
import sqlite3
db = sqlite3.connect("jensen.db")
db.execute("UPDATE trial_heartbeats SET heartbeat = \"2020-01-01 00:00:00.000000\"")
db.commit()'
expect 0 'is removed' '' -- "$JENSEN" sweep delete gone --yes

# A name that would be taken for something else, or that nobody can read, is refused.
expect 2 '' "a study needs a name; '' is empty" -- "$JENSEN" sweep create '' photos "${small[@]}" --axis lr=0.01
expect 2 '' "a study cannot be called '-x': it would be taken for an option" -- \
    "$JENSEN" sweep create "${small[@]}" --axis lr=0.01 -- -x photos
expect 2 '' "a study cannot be called '--grace=1': it would be taken for an option" -- \
    "$JENSEN" tune photos "${small[@]}" --study=--grace=1 --runs 1
expect 2 '' 'name of a study has a control character \(byte 10\) at place 2' -- \
    "$JENSEN" sweep create "$(printf 'a\nb')" photos "${small[@]}" --axis lr=0.01
expect 2 '' 'name of a study has a control character \(byte 27\) at place 1' -- \
    "$JENSEN" sweep create "$(printf '\033[31mred')" photos "${small[@]}" --axis lr=0.01
expect 1 '' '' -- sh -c "ls -d runs/*grace* runs/*red* 2>/dev/null | grep ."

# The same name in another store is another study: its run is not taken over, and the
# sentence has the way out.
"$JENSEN" sweep create a-b photos "${small[@]}" --axis lr=0.5 --store other.db >/dev/null 2>&1
expect 0 '0 complete, 0 pruned, 1 failed' 'other options: --lr 0.02 then, 0.5 now; choose another folder \(--runs\)' -- \
    "$JENSEN" sweep run a-b -q --store other.db
expect 0 '1 complete, 0 pruned, 0 failed' '*' -- \
    "$JENSEN" sweep run a-b -q --store other.db --retry-failed --runs others

# Trials before and after a change of the data are told apart, unless they chose their data.
rm "$(find photos/train -type f | head -1)"
expect 0 '2 complete' 'trial 1 saw other data \(79 images of 10 classes\) than trial 0 \(80 images of' -- "$JENSEN" sweep run a-b
expect 0 '^trial [01]: test_acc' 'trial 1 saw other data \(79 images of 10 classes\) than trial 0 \(80 ' -- \
    "$JENSEN" sweep best a-b
"$JENSEN" sweep create chosen photos "${small[@]}" --axis 'data=photos;builtin:size=60,test=10' >/dev/null 2>&1
"$JENSEN" sweep run chosen >chosen.out 2>&1
expect 0 '^trial [01]: test_acc' '' -- "$JENSEN" sweep best chosen
cases=$((cases + 1))
if grep -q 'saw other data' chosen.out; then complain "data that was chosen is no change" chosen; fi

# A run that does not measure what is searched for is said to, with what it lacks.
"$JENSEN" sweep create untested builtin:size=60,test=0 "${small[@]}" --seeds 2 --objective test_acc >/dev/null 2>&1
expect 0 '0 complete, 0 pruned, 2 failed' 'trial 0 failed: test_acc was not measured: no test data \(--test\)' -- \
    "$JENSEN" sweep run untested -q
"$JENSEN" sweep create unseen photos "${small[@]}" --seeds 2 --objective consistency --consistency never >/dev/null 2>&1
expect 0 '0 complete, 0 pruned, 2 failed' 'trial 1 failed: consistency was not measured: --consistency is never' -- \
    "$JENSEN" sweep run unseen -q

# A mistyped path leaves no study behind.
expect 3 '' "'foto' is not a file or folder" -- "$JENSEN" tune foto --store typo.db "${small[@]}"
cases=$((cases + 1))
[ ! -e typo.db ] || complain "a study of data that does not exist" typo

# Images that a label file leaves for validation are what tune compares on.
"$JENSEN" noise photos --noise sym:rate=0.4 --out all.csv >/dev/null
awk 'NR == 1 || NR % 4 != 0' all.csv >part.csv
expect 0 'chosen after 1 run:' '*' -- "$JENSEN" tune photos "${small[@]}" --noise file:part.csv,missing=val --runs 1 -q

# A run of tune that fails is one of the budget's, is counted, and is not replaced.
mkdir -p runs/part/trial-00001 && cp photos/train/disc/0000.* runs/part/trial-00001
failing() { "$JENSEN" tune photos "${small[@]}" --study part -q "$@"; }
expect 0 'chosen after 2 runs: ' 'trial 1 failed: .*not a run folder, and not empty' -- failing --runs 3
cp stdout.txt said.txt
expect 0 "^1 more run failed and has no part in the choice; why: jensen sweep status part --failures$" '' -- cat said.txt
expect 0 'budget ended before the plan' '' -- cat said.txt
expect 0 '3 trials: 2 complete, .* 1 failed' '' -- "$JENSEN" sweep status part
expect 0 '"runs":2,"finished":false,"failed":1' '' -- failing --runs 3 --json
expect 0 '^trial 1 failed: ' '' -- "$JENSEN" sweep status part --failures
expect 0 '"runs":8,"finished":true,"failed":1' '*' -- failing --json
expect 0 '"runs":8,"finished":true,"failed":1' '' -- failing --runs 9 --json
expect 0 '9 trials: 8 complete, .* 1 failed' '' -- "$JENSEN" sweep status part
mkdir -p runs/none/trial-00000 && cp photos/train/disc/0000.* runs/none/trial-00000
expect 1 '' 'no run of study .none. ended with a result \(1 failed\).*larger budget' -- \
    "$JENSEN" tune photos "${small[@]}" --study none -q --runs 1
expect 0 'chosen after 1 run: ' '*' -- "$JENSEN" tune photos "${small[@]}" --study none -q --runs 2

# Tune does not pass the results of other data off as those of what is there now, finished or not.
cp -r photos/train moving
moving() { "$JENSEN" tune moving "${small[@]}" -q "$@"; }
expect 0 'chosen after 1 run' '*' -- moving --runs 1
expect 0 '"runs":1' '' -- moving --runs 1 --json
image=$(basename moving/disc/0000.*)
mv "moving/disc/$image" "moving/star/x-$image"
expect 3 '' "since study 'tune-moving' was tuned: as many images, but other ones" -- moving --runs 1
expect 3 '' 'put it back, or --study NAME makes another' -- moving
mv "moving/star/x-$image" "moving/disc/$image"
expect 0 '"runs":9,"finished":true' '*' -- moving --json
expect 0 '"runs":9,"finished":true' '' -- moving --json
mv "moving/disc/$image" .
expect 3 '' "was tuned: then [0-9]+ images of 10 classes, now [0-9]+ images of 10 classes; " -- moving --json
cp -r runs/tune-moving kept && rm -r runs/tune-moving # the store remembers the numbers
expect 3 '' 'then [0-9]+ images of 10 classes, now' -- moving --json
mv "$image" moving/disc/
expect 0 '"runs":9,"finished":true' '' -- moving --json
expect 0 'chosen after 1 run' '*' -- moving --study other --runs 1

# The command line is stronger than the file; axes of both are searched.
printf 'data: photos\nepochs: 1\nseeds: 1\nnetwork: mlp:width=4\naxes:\n  nesterov: [true, false]\n' >plan.yaml
expect 0 "'plain' with 2 trials" '*' -- "$JENSEN" sweep create plain --file plan.yaml
expect 0 "'stronger' with 12 trials" '*' -- "$JENSEN" sweep create stronger --file plan.yaml --seeds 3 \
    --epochs 2 --batch 16 --axis lr=0.1,0.2
expect 0 '^0,waiting,0.1,1,1,' '' -- "$JENSEN" sweep export stronger
"$JENSEN" sweep run stronger -q --max-trials 1 >/dev/null 2>&1
expect 0 '^epochs: 2$' '' -- grep '^epochs' runs/stronger/trial-00000/config.yaml
expect 2 '' "axis 'nesterov' comes twice" -- "$JENSEN" sweep create s --file plan.yaml --axis nesterov=1
printf 'data: photos\naxes:\n  loss: ["ce;mae", js]\n' >semicolon.yaml
expect 2 '' "semicolon.yaml:3: axis 'loss': 'ce;mae' holds a ';'" -- "$JENSEN" sweep create s --file semicolon.yaml

# One value in two spellings, and the usual mistakes in an address.
expect 2 '' "'1e-1' comes twice" -- "$JENSEN" sweep create s photos --axis lr=0.1,1e-1
for url in sqlite://jensen.db sqlite:/jensen.db sqlite:jensen.db; do
    expect 2 '' 'three slashes' -- "$JENSEN" sweep status --store "$url"
done
cases=$((cases + 1))
if ls | grep -q sqlite; then complain "a database named after its address" ls; fi
finish
