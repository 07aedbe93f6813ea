# The list of doubtful labels that a run leaves: every training image, and no other, whose
# label the trained network contradicts, most confident first. What it should hold comes
# from 'jensen predict' on the same files. And what the page says of labels that nobody
# checked.
. "$(dirname "$0")/cli.sh"
tiny="--network mlp:width=16 --device ref --batch 10 --epochs 2 --threads 1 --workers 0 --augment none --loss ce"
"$JENSEN" data convert builtin:size=150,test=10 --out set --format ppm >/dev/null
mv set/train/star/0000.ppm 'set/train/disc/a, "b".ppm'
mv set/train/star 'set/train/star, small'

expect 0 '^run +r' '^the network contradicts [0-9]+ of 130 training labels; see r/doubtful.csv$' -- \
    "$JENSEN" train set/train $tiny --val-fraction 0.1333 --out r
expect 0 '*' '' -- "$JENSEN" predict r set/train --csv all.csv --device ref
check='
import csv, json, re, sys
trained = {row["path"] for row in csv.DictReader(open("r/labels.csv"))}
said = {}
for row in csv.DictReader(open("all.csv")):
    said[row["path"].removeprefix("set/train/")] = (row["class"], float(row["probability"]))
assert len(said) == 150 and trained < set(said)
wanted = {p: said[p] for p in trained if said[p][0] != p.split("/")[0]}
rows = list(csv.DictReader(open(sys.argv[1])))
assert list(rows[0]) == ["path", "label", "predicted", "confidence"], rows[0]
assert len(rows) == len(wanted) > 60 and {r["path"] for r in rows} == set(wanted)
for r in rows:
    name, probability = wanted[r["path"]]
    assert r["label"] == r["path"].split("/")[0] and r["predicted"] == name, r
    assert abs(float(r["confidence"]) - probability) < 1e-4, r
sure = [float(r["confidence"]) for r in rows]
assert sure == sorted(sure, reverse=True)
evaluation = json.load(open("r/evaluation.json"))
assert evaluation["contradicted"] == len(rows) and len(evaluation["doubtful"]) == 60
assert [d["path"] for d in evaluation["doubtful"]] == [r["path"] for r in rows[:60]]
assert f"lists all {len(rows)} contradicted ones" in open("r/report.html").read()
print("ok")'
expect 0 '^ok$' '' -- python3 -c "$check" r/doubtful.csv
# The check itself notices a row that is missing and one that is out of order.
sed '$d' r/doubtful.csv >short.csv
expect 1 '' 'AssertionError' -- python3 -c "$check" short.csv
(head -1 r/doubtful.csv; tail -n +2 r/doubtful.csv | tac) >turned.csv
expect 1 '' 'AssertionError' -- python3 -c "$check" turned.csv

# Nothing is known of the labels of a folder, and its page and table claim nothing.
expect 0 'Given label found in training' '' -- cat r/report.html
expect 0 'the images of each given label go' '' -- cat r/report.html
expect 1 '' '' -- grep -iE 'true class|label right<' r/report.html
expect 0 '\| Given label found in training, % \| Consistency, % \|' '' -- "$JENSEN" report r --table markdown
expect 0 '*' '*' -- "$JENSEN" train set/train/ $tiny --val-fraction 0.1333 --seed 2 --out s
expect 0 '^both.html$' '' -- "$JENSEN" report r s --out both.html
expect 0 'Given label found in training' '' -- cat both.html
expect 1 '' '' -- grep -iE 'true class|label right<' both.html

# Where the noise was made by the program, the true label stands beside; where nothing was
# measured, there is no list.
expect 0 '*' '*' -- "$JENSEN" train builtin:size=60,test=10 $tiny --noise sym:rate=0.5 --out known
expect 0 'True class found in training' '' -- cat known/report.html
expect 0 'the images of each true class go' '' -- cat known/report.html
expect 0 'label right' '' -- "$JENSEN" report known --table markdown
expect 0 '^path,label,predicted,confidence,true$' '' -- head -1 known/doubtful.csv
expect 0 '^ok$' '' -- python3 -c '
import csv
for r in csv.DictReader(open("known/doubtful.csv")):
    assert r["path"].split("/")[-2] == r["true"], r
print("ok")'
expect 0 '*' '*' -- "$JENSEN" train builtin:size=60,test=10 $tiny --consistency never --out never
expect 1 '' '' -- test -e never/doubtful.csv

# Labels put right through a file, as the guide says: numbers of labels.csv, names of doubtful.csv.
head -6 r/doubtful.csv >right.csv
grep 'a, ""b""' r/doubtful.csv >>right.csv
sort -u right.csv | wc -l >rows.txt
(head -1 right.csv; tail -n +2 right.csv | sort -u) >once.csv
python3 -c '
import csv
right = {r["path"]: r["predicted"] for r in csv.DictReader(open("once.csv"))}
new = csv.writer(open("new.csv", "w"))
new.writerow(["path", "label"])
for r in csv.DictReader(open("r/labels.csv")):
    new.writerow([r["path"], right.get(r["path"], r["used"])])'
expect 0 "^changed +$(($(cat rows.txt) - 1))\$" '' -- "$JENSEN" noise set/train --noise file:new.csv,missing=val
cp stdout.txt said.txt
expect 0 '^samples +150, 130 with a label, 20 left for validation$' '' -- cat said.txt
expect 0 '^run +corrected$' '*' -- "$JENSEN" train set/train $tiny --noise file:new.csv,missing=val --out corrected
expect 0 '^changed +0$' '' -- "$JENSEN" noise set/train --noise file:r/labels.csv,column=used,missing=val
finish
