# What goes wrong around workers: interruptions, lost trials, a bad trial among good ones,
# a store that is away for a while, folders that are locked. The database is looked into,
# and spoiled, from outside.
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

slow=(builtin:size=400,test=20 --network mlp:width=32 --batch 8 --threads 1 --checkpoint-minutes 0.0001)
tiny=(builtin:size=60,test=20 --network mlp:width=16 --batch 16 --epochs 1 --threads 1 --device ref)

# Pruning of a run that was interrupted sees its epochs from before: its first one was the
# best of all, so it is completed.
"$JENSEN" sweep create prune "${slow[@]}" --epochs 40 --seeds 6 --pruner median >/dev/null 2>&1
sql "INSERT INTO trial_intermediate_values (trial_id, step, intermediate_value, intermediate_value_type)
     WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < 40)
     SELECT trial_id, k, CASE WHEN k < 30 THEN 0 ELSE 0.999 END, 'FINITE' FROM trials, n WHERE trial_id < 6"
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
expect 0 '^40\|1\|40$' '' -- sql "SELECT COUNT(*), MIN(step), MAX(step) FROM trial_intermediate_values WHERE trial_id = 6"
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

finish
