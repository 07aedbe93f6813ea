# The paper's search by one command, killed in the middle: both stages, winners on all images,
# the table with its test; the same numbers as without the kill.
# labels: slow sanitize_slow
here=$(cd "$(dirname "$0")" && pwd)
[ -w /dev/shm ] && export TMPDIR=/dev/shm
. "$here/cli.sh"
if ! "$JENSEN" doctor | grep -E '^ *SQLite' | grep -qE '[0-9]+\.[0-9]+'; then
    echo "skipped: a build without SQLite"
    exit 0
fi
# The first stages are by their presets' noises; the built-in classes have no asymmetric map, which
# webvision's, with no noise at all, does not need: 3 rates, 5 weights, 1 + 1 winners with 2 seeds.
tiny=(builtin:size=160,test=100 --network mlp:width=16 --batch 16 --epochs 2 --image-size 32 --consistency never --augment none
    --threads 1)
web=(--preset webvision --methods ce,gjs --retrain 2)
expect 2 '' 'the paper has none on cifar10' -- "$JENSEN" sweep search w "${tiny[@]}" "${web[@]}" --dataset cifar10
expect 2 '' 'where does the noise come from' -- "$JENSEN" sweep search i "${tiny[@]}" --preset instance
expect 2 '' 'sweep create --preset' -- "$JENSEN" sweep search w "${tiny[@]}" --retrain 0
expect 2 '' 'one seed' -- "$JENSEN" sweep search w "${tiny[@]}" "${web[@]}" --seeds 2
expect 2 '' "no loss 'gsj'; did you mean 'gjs'" -- "$JENSEN" sweep search w "${tiny[@]}" --methods gsj

expect 0 '^\| gjs +\| +.*± ' 'sweep best whole' -- "$JENSEN" sweep search whole "${tiny[@]}" "${web[@]}" -q
cp stdout.txt whole.md
expect 0 '15 trials: 15 complete' '' -- "$JENSEN" sweep status whole
# Killed with -9 as soon as the second stage has begun.
"$JENSEN" sweep search killed "${tiny[@]}" "${web[@]}" -q >/dev/null 2>&1 &
pid=$!
for _ in $(seq 600); do
    [ -e runs/killed/trial-00007 ] && break
    sleep 0.05
done
kill -9 $pid
wait $pid 2>/dev/null
expect 0 '15 trials: [0-9]+ complete, ' '' -- sh -c '"$@" | sed "s/^killed: [0-9]* trials/15 trials/"' x "$JENSEN" sweep status killed
expect 2 '' 'is another search' -- "$JENSEN" sweep search killed "${tiny[@]}" --preset webvision --methods ce --retrain 2
expect 2 '' "has --epochs '2', not '3'" -- "$JENSEN" sweep search killed "${tiny[@]}" "${web[@]}" --epochs 3
expect 0 '*' '*' -- "$JENSEN" sweep search killed "${tiny[@]}" "${web[@]}" -q --grace 1
cp stdout.txt again.md
expect 0 '' '' -- cmp again.md whole.md
expect 0 '' 'winners' -- sh -c '"$1" sweep search whole --show | cmp - whole.md' x "$JENSEN"
# The winners are those of their stages, by validation; their runs keep none of the images back.
"$JENSEN" sweep export whole >whole.csv
expect 0 '^ok$' '' -- python3 -c '
import csv, glob, json, statistics
rows = list(csv.DictReader(open("whole.csv")))
assert len(rows) == 15, len(rows)
value = lambda r: float(r["value"])
first = {m: [r for r in rows[:6] if r["loss"].split(":")[0] == m] for m in ("ce", "gjs")}
second = rows[6:11]
assert all(r["loss"].startswith("gjs:") for r in second), second
assert {r["lr"] for r in second} == {max(first["gjs"], key=value)["lr"]}
third = rows[11:]
assert all(float(r["val-fraction"]) == 0 for r in third)
assert [r["seed"] for r in third] == ["1", "2", "1", "2"]
assert {r["loss"] for r in third[2:]} == {max(second, key=value)["loss"]}
assert {r["lr"] for r in third[:2]} == {max(first["ce"], key=value)["lr"]}
line = [l for l in open("whole.md") if l.startswith("| gjs")][0]
accuracy = [100 * float(r["test_acc"]) for r in third[2:]]
want = "%.2f ± %.2f" % (statistics.mean(accuracy), statistics.stdev(accuracy))
assert want in line, (want, line)
print("ok")'
# Instance noise: one search, three noises; the labels are those of a file. Made, not run.
expect 0 "study 'i' with 15 trials" '*' -- "$JENSEN" sweep create --without-data i cifar10:none "${tiny[@]:1}" --preset instance --methods gjs \
    --retrain 5 --noise-from file:plc.csv
expect 0 'file:plc.csv,column=type1_35,missing=val' '' -- "$JENSEN" sweep export i
finish
