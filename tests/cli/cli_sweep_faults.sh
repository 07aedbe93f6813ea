# What goes wrong around workers: interruptions, lost trials, a bad trial among good ones,
# a store that is away for a while, folders that are locked. The database is looked into,
# and spoiled, from outside.
# labels: slow sanitize_slow
[ -w /dev/shm ] && export TMPDIR=/dev/shm
. "$(dirname "$0")/cli.sh"

if ! "$JENSEN" doctor | grep -E '^ *SQLite' | grep -qE '[0-9]+\.[0-9]+'; then
    echo "skipped: a build without SQLite"
    exit 0
fi
if ! python3 -c 'import sqlite3' 2>/dev/null; then
    echo "skipped: no python3 with sqlite3 to look into databases"
    exit 0
fi
: >stdout.txt
: >stderr.txt

# sql STATEMENT: runs it in jensen.db; rows are printed, columns with | between.
sql() {
    python3 - "$1" <<'END'
import sqlite3, sys
db = sqlite3.connect("jensen.db", timeout=60)
for row in db.execute(sys.argv[1]):
    print("|".join(str(cell) for cell in row))
db.commit()
END
}
# until_true COMMAND...: waits for it, a minute at most.
until_true() {
    for _ in $(seq 600); do
        "$@" && return 0
        sleep 0.1
    done
    return 1
}
longer() { [ -e "$1" ] && [ "$(wc -l <"$1")" -ge "$2" ]; }
states() { sql "SELECT group_concat(state, ' ') FROM (SELECT state FROM trials ORDER BY trial_id)"; }

slow=(builtin:size=400,test=20 --network mlp:width=32 --batch 8 --threads 1)
tiny=(builtin:size=60,test=20 --network mlp:width=16 --batch 16 --epochs 1 --threads 1 --device ref)

# Pruning of a run that was interrupted sees its epochs from before: its first one was the
# best of all, so it is completed.
"$JENSEN" sweep create prune "${slow[@]}" --epochs 60 --seeds 6 --pruner median >/dev/null 2>&1
sql "INSERT INTO trial_intermediate_values (trial_id, step, intermediate_value, intermediate_value_type)
     WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < 60)
     SELECT trial_id, k, CASE WHEN k < 45 THEN 0 ELSE 0.999 END, 'FINITE' FROM trials, n WHERE trial_id < 6"
sql "UPDATE trials SET state = 'COMPLETE' WHERE trial_id < 6"
"$JENSEN" sweep run prune -q >/dev/null 2>&1 &
pid=$!
until_true longer runs/prune/trial-00005/metrics.jsonl 2
kill -TERM $pid
wait $pid
code=$?
cases=$((cases + 2))
[ $code -eq 75 ] || complain "exit $code of a stopped study" prune
sed -i '1s/"test_acc": *[0-9.e-]*/"test_acc":0.9995/' runs/prune/trial-00005/metrics.jsonl
sql "DELETE FROM trial_intermediate_values WHERE trial_id = 6"
expect 0 '6 complete, 0 pruned' '*' -- "$JENSEN" sweep run prune -q
# A finished run that is merely reported has the values of all its epochs.
sql "DELETE FROM trial_intermediate_values WHERE trial_id = 6"
sql "UPDATE trials SET state = 'WAITING' WHERE trial_id = 6"
expect 0 '6 complete, 0 pruned' '*' -- "$JENSEN" sweep run prune -q
expect 0 '^60\|1\|60$' '' -- sql "SELECT COUNT(*), MIN(step), MAX(step) FROM trial_intermediate_values WHERE trial_id = 6"
rm -f jensen.db*

# The options of a configuration file are those it had when the study was made.
printf 'lr: 0.05\nepochs: 1\nseed: 7\nnetwork: mlp:width=16\nbatch: 16\n' >options.yaml
"$JENSEN" sweep create file builtin:size=60,test=20 --config options.yaml --lr 0.02 --seeds 2 --device ref >/dev/null 2>&1
printf 'lr: 0.5\nepochs: 2\n' >options.yaml
expect 0 '2 complete' '*' -- "$JENSEN" sweep run file -q
expect 0 '^epochs: 1$' '' -- cat runs/file/trial-00001/config.yaml
expect 0 '^lr: 0.02$' '' -- cat runs/file/trial-00001/config.yaml
expect 0 '^seed: 8$' '' -- cat runs/file/trial-00001/config.yaml
expect 2 '' '--config cannot be an axis' -- "$JENSEN" sweep create s builtin --axis config=options.yaml,b.yaml
expect 3 '' 'nowhere.yaml' -- "$JENSEN" sweep create s builtin --config nowhere.yaml --seeds 2
rm -f jensen.db*

# A trial that cannot be is failed alone, also where trials are trained together, and the
# tries of the others are not forgotten.
"$JENSEN" sweep create four "${tiny[@]}" --axis lr=0.01,0.02,0.03,0.04 >/dev/null 2>&1
sql "UPDATE trial_params SET param_name = 'nosuchoption' WHERE trial_id = 3"
sql "INSERT INTO trial_user_attributes (trial_id, \"key\", value_json) VALUES (2, 'attempts', '2')"
expect 0 '' 'trial 2 failed: .*nosuchoption' -- "$JENSEN" sweep worker four --together 4
expect 0 '^COMPLETE COMPLETE FAIL COMPLETE$' '' -- states
expect 0 '^3$' '' -- sql "SELECT value_json FROM trial_user_attributes WHERE trial_id = 2 AND \"key\" = 'attempts'"
rm -rf jensen.db* runs/four

# A group that loses one of its trials goes on with the others.
"$JENSEN" sweep create group "${slow[@]}" --epochs 40 --axis lr=0.01,0.02,0.03 >/dev/null 2>&1
"$JENSEN" sweep worker group --together 3 --grace 2 -q >lost.out 2>stderr.txt &
pid=$!
until_true longer runs/group/trial-00000/metrics.jsonl 1
sql "UPDATE trial_user_attributes SET value_json = '\"other\"' WHERE trial_id = 1 AND \"key\" = 'worker'"
wait $pid
cases=$((cases + 1))
states | grep -qE '^(RUNNING|COMPLETE) COMPLETE COMPLETE$' && grep -q 'another worker has taken trial 0 over' stderr.txt ||
    complain "after one of a group was lost: $(states)" group
# One that is stopped gives back what is its own, and leaves the rest alone.
sql "UPDATE trials SET state = CASE trial_id WHEN 1 THEN 'COMPLETE' ELSE 'WAITING' END"
rm -rf runs/group/trial-0000[12]
"$JENSEN" sweep worker group --together 3 --grace 60 -q >lost.out 2>stderr.txt &
pid=$!
until_true longer runs/group/trial-00001/metrics.jsonl 1
sql "UPDATE trial_user_attributes SET value_json = '\"other\"' WHERE trial_id = 2 AND \"key\" = 'worker'"
tries=$(sql "SELECT value_json FROM trial_user_attributes WHERE trial_id = 2 AND \"key\" = 'attempts'")
kill -TERM $pid
wait $pid
expect 0 '^COMPLETE RUNNING WAITING$' '' -- states
expect 0 "^$tries\$" '' -- sql "SELECT value_json FROM trial_user_attributes WHERE trial_id = 2 AND \"key\" = 'attempts'"
rm -rf jensen.db* runs/group

# A locked folder takes nothing of --max-trials, others come first, and it is named once.
"$JENSEN" sweep create locked "${tiny[@]}" --axis lr=0.01,0.02,0.03 >/dev/null 2>&1
mkdir -p runs/locked/trial-00000
lock_folder() {
    python3 - "$1" "$2" <<'END'
import fcntl, os, sys, time
lock = open(sys.argv[1], "w")
fcntl.flock(lock, fcntl.LOCK_EX)
print("locked", flush=True)
while not os.path.exists(sys.argv[2]):
    time.sleep(0.1)
END
}
lock_folder runs/locked/trial-00000/.lock unlock >holder.txt &
holder=$!
until_true grep -q locked holder.txt
expect 0 '2 complete, 0 pruned, 0 failed, 1 waiting' 'trial 0 waits: .*trial-00000: another process' -- \
    "$JENSEN" sweep run locked --max-trials 2
(sleep 3 && touch unlock) &
expect 0 '3 complete' 'trial 0 waits' -- "$JENSEN" sweep run locked
touch unlock
cases=$((cases + 1))
[ "$(grep -c 'trial 0 waits' stderr.txt)" -eq 1 ] || complain "said more than once" locked
wait $holder
rm -rf jensen.db* runs/locked

# A running trial without heartbeat is Optuna's own: it is left alone and not waited for.
"$JENSEN" sweep create asked "${tiny[@]}" --axis lr=0.01,0.02 >/dev/null 2>&1
sql "UPDATE trials SET state = 'RUNNING', datetime_start = '2020-01-01 00:00:00' WHERE trial_id = 1"
expect 0 '1 complete, .* 1 running' 'not waiting for trial 0: it runs without' -- \
    timeout 60 "$JENSEN" sweep run asked --grace 1
rm -f jensen.db*

# The upper end of a range is drawn; truths that Optuna enqueued are the options' 1 and 0.
"$JENSEN" sweep create ends "${tiny[@]}" --search random --axis batch=log:2..4 --trials 60 >/dev/null 2>&1
expect 0 '^[0-9]*,waiting,4' '' -- "$JENSEN" sweep export ends
"$JENSEN" sweep create truths "${tiny[@]}" --search none --axis nesterov=0,1 >/dev/null 2>&1
sql "INSERT INTO trials (number, study_id, state) VALUES (0, 2, 'WAITING')"
sql "INSERT INTO trial_system_attributes (trial_id, \"key\", value_json) VALUES (61, 'fixed_params', '{\"nesterov\": false}')"
expect 0 '1 complete, 0 pruned, 0 failed' '*' -- "$JENSEN" sweep run truths -q
expect 0 '^nesterov: (0|false)$' '' -- cat runs/truths/trial-00000/config.yaml
# Trials that never got their options repeat no others, and a study that is over is not "yet".
sql "INSERT INTO trials (number, study_id, state) VALUES (1, 2, 'FAIL'), (2, 2, 'FAIL')"
expect 0 '^trial 0: test_acc' '' -- "$JENSEN" sweep best truths
sql "UPDATE trials SET state = 'FAIL' WHERE study_id = 2"
expect 0 '' "^no trial of 'truths' is complete, and none is left" -- "$JENSEN" sweep best truths
expect 0 '' "^no trial of 'ends' is complete yet" -- "$JENSEN" sweep best ends
rm -f jensen.db*

# Who only reads writes nothing: a database of somebody else's stays as it is, and one that
# cannot be written can be read.
python3 -c 'import sqlite3; db = sqlite3.connect("own.db"); db.execute("CREATE TABLE notes (text)"); db.commit()'
before=$(sha256sum <own.db)
expect 0 'not run' '' -- "$JENSEN" repro table3 --data builtin --show --store sqlite:///own.db
expect 3 '' 'own.db: holds no studies' -- "$JENSEN" sweep status --store own.db
cases=$((cases + 1))
[ "$before" = "$(sha256sum <own.db)" ] || complain "a database of another program was changed" own
"$JENSEN" sweep create tidy "${tiny[@]}" --seeds 2 >/dev/null 2>&1
expect 0 '2 waiting' '' -- "$JENSEN" sweep status
expect 0 '^jensen.db$' '' -- sh -c 'echo jensen.db*'
mkdir closed
(cd closed && "$JENSEN" sweep create '100%' "${tiny[@]}" --seeds 2 --store 'a%20b?.db' && "$JENSEN" sweep run --store 'a%20b?.db') >/dev/null 2>&1
chmod 444 closed/*.db
chmod 555 closed
# Root may write anywhere, so the one to read is another user where there is one.
reader=()
[ "$(id -u)" -ne 0 ] || { chmod 755 . && reader=(setpriv --reuid=65534 --regid=65534 --clear-groups); }
if [ ${#reader[@]} -eq 0 ] || { "${reader[@]}" true && "${reader[@]}" "$JENSEN" --version; } >/dev/null 2>&1; then
    expect 0 '2 complete' '' -- "${reader[@]}" "$JENSEN" sweep status --store 'closed/a%20b?.db'
    expect 0 '^trials 0, 1: mean' '' -- "${reader[@]}" "$JENSEN" sweep best --store 'closed/a%20b?.db'
    expect 0 '^1,complete' '' -- "${reader[@]}" "$JENSEN" sweep export --store 'closed/a%20b?.db'
else
    echo "skipped: no user that cannot write"
fi
chmod 755 closed

finish
