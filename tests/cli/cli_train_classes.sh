# jensen train --val and --test: classes of other data go by their names.
# labels: sanitize_slow
. "$(dirname "$0")/cli.sh"
tiny="--network mlp:width=16 --device ref --batch 10 --epochs 2 --threads 1 --workers 0 --augment none --loss ce"
data=builtin:size=60,test=20
"$JENSEN" data convert $data --out pics --format ppm >/dev/null
train() { # RUN OPTIONS...
    local run=$1
    shift
    "$JENSEN" train $data $tiny -q --out "$run" "$@"
}

# A folder has them in the order of the letters; the built-in set does not.
expect 0 '*' '*' -- train own
expect 0 '*' '*' -- train whole --test pics
expect 0 '*' '*' -- train both --val pics/test --test $data
cp -r pics/test few && rm -r few/disc few/star
expect 0 '*' "^warning: few \(--test\) lacks 2 of the 10 classes of $data \('(disc|star)', \.\.\.\)" -- train few-run --test few
# Noise that moves every class to the next one, also in the validation part, by the training data's numbers.
python3 -c '
for k in range(10):
    print(",".join("1" if j == (k + 1) % 10 else "0" for j in range(10)))' >next.csv
noisy="--noise matrix:next.csv --val-labels noisy"
expect 0 '*' '*' -- train noisy-own --val $data,split=test $noisy
expect 0 '*' '*' -- train noisy-pics --val pics/test $noisy
expect 0 '^ok$' '' -- python3 -c '
import csv, json
def rows(run): return list(csv.DictReader(open(run + "/metrics.csv")))
def same(a, b, of, to=None):
    a, b = ([float(r[c]) for r in rows(run)] for run, c in ((a, of), (b, to or of)))
    assert len(a) == len(b) == 2 and all(abs(x - y) < 1e-9 for x, y in zip(a, b)), (of, a, b)
for what in ("acc", "loss"):
    same("own", "whole", "test_" + what)
    same("own", "both", "test_" + what, "val_" + what)
for what in ("acc", "acc_noisy", "loss"):
    same("noisy-own", "noisy-pics", "val_" + what)
own, few = (json.load(open(run + "/evaluation.json"))["test"] for run in ("own", "few-run"))
assert sum(map(sum, own["confusion"])) == 20 and sum(map(sum, few["confusion"])) == 16
names = json.load(open("own/model.json"))["classes"]
assert names != sorted(names)
for name, a, b in zip(names, own["confusion"], few["confusion"]):
    assert b == ([0] * 10 if name in ("disc", "star") else a), (name, a, b)
print("ok")'
expect 0 '^accuracy' '^warning: few lacks 2 of the 10 classes of own ' -- "$JENSEN" eval own few --device ref
expect 0 '*' '*' -- "$JENSEN" report few-run own -o report.html
! grep -qi '\bnan\b' report.html || complain "a class without images is no number" grep nan report.html

# A label file may have the names of classes for their numbers: the same run.
"$JENSEN" noise $data --noise sym:rate=0.4 --out labels.csv >/dev/null
python3 -c '
import csv, json
names = json.load(open("own/model.json"))["classes"]
with open("named.csv", "w") as f:
    print("path,label", file=f)
    for r in csv.DictReader(open("labels.csv")): print(r["path"], names[int(r["noisy"])], sep=",", file=f)'
expect 0 '*' '*' -- train by-number --noise file:labels.csv
expect 0 '*' '*' -- train by-name --noise file:named.csv
expect 0 '' '' -- cmp by-number/model.safetensors by-name/model.safetensors
cmp -s own/model.safetensors by-name/model.safetensors && complain "noisy labels changed nothing" cmp own by-name

# Runs inside the data, as `jensen train .` makes them, are no classes, finished or just begun.
cp -r pics/train here && cd here || exit 1
expect 0 '^run +runs/here-ce-' '*' -- "$JENSEN" train . $tiny
expect 0 '^run +runs/here-ce-' '*' -- "$JENSEN" train . $tiny
expect 0 '^classes +10$' '' -- "$JENSEN" data info .
ls runs/*/doubtful/*.p[np]* >/dev/null || complain "no pictures to leave out" ls runs
mkdir runs/mine
cp star/0000.ppm runs/mine
expect 0 '^classes +11$' '' -- "$JENSEN" data info .
rm -r runs && mkdir -p runs/begun && touch runs/begun/.lock
expect 0 '^classes +10$' '' -- "$JENSEN" data info .
rm runs/begun/.lock
expect 0 '^classes +10$' "1 class folder holds no images and is skipped, such as 'runs'" -- "$JENSEN" data info .
cd ..

# A class that the training data does not know, in either.
cp -r few other && mv other/cross other/zebra
expect 3 '' "other \(--val\): class 'zebra' is none of the 10 classes of $data \(" -- train no --val other
expect 3 '' "other \(--test\): class 'zebra' is none of the 10 classes of $data \(" -- train no --test other
[ ! -e no/model.safetensors ] || complain "refused data was trained on" ls no

# Numbers are the names of classes without any, and soft labels have as many columns as classes.
python3 -c '
import os
names = sorted(os.listdir("pics/test"))
files = {n: sorted(os.listdir("pics/test/" + n)) for n in names}
def table(file, head, row):
    with open(file, "w") as f:
        print(head, file=f)
        for k, n in enumerate(names):
            for i in files[n]: print(f"pics/test/{n}/{i},{row(k)}", file=f)
table("numbers.csv", "path,label", lambda k: k)
table("soft.csv", "path," + ",".join(f"p_{k}" for k in (1, 0)), lambda k: "0.2,0.8" if k else "0.7,0.3")
table("more.csv", "path,label", lambda k: k + 1)'
expect 0 '*' '*' -- "$JENSEN" train csv:numbers.csv $tiny -q --test csv:numbers.csv --out numbered
expect 0 '*' 'lacks 8 of the 10 classes' -- "$JENSEN" train csv:numbers.csv $tiny -q --test csv:soft.csv --out softened
expect 0 '*' '*' -- "$JENSEN" train csv:soft.csv $tiny -q --out soft
sed -i '2s/0.7,0.3/0.6,0.4/' soft.csv
expect 3 '' 'soft: the data has changed' -- "$JENSEN" train csv:soft.csv $tiny -q --out soft
expect 3 '' "more.csv \(--test\): class '10' is none of the 10" -- "$JENSEN" train csv:numbers.csv $tiny -q --test csv:more.csv --out no
sed "s#,pics/#,x#; s#^pics#$PWD/pics#" numbers.csv >absolute.csv
expect 3 '' 'absolute.csv:2: .*root=/' -- "$JENSEN" train csv:absolute.csv $tiny -q --out no
expect 0 '*' '*' -- "$JENSEN" train csv:absolute.csv,root=/ $tiny -q --test csv:numbers.csv --out from-top
expect 0 '' '' -- cmp numbered/model.safetensors from-top/model.safetensors
finish
