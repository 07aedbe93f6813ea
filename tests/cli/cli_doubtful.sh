# The list of doubtful labels that a run leaves: every image of the data, for training or
# validation, whose label the trained network contradicts, and no other; first those whose
# label it holds least probable. What it should hold comes
# from 'jensen predict' on the same files. And what the page says of labels that nobody
# checked.
# labels: sanitize_slow
. "$(dirname "$0")/cli.sh"
tiny="--network mlp:width=16 --device ref --batch 10 --epochs 2 --threads 1 --workers 0 --augment none --loss ce"
"$JENSEN" data convert builtin:size=150,test=10 --out set --format ppm >/dev/null
mv set/train/star/0000.ppm 'set/train/disc/a, "b".ppm'
mv set/train/star 'set/train/star, small'

expect 0 '^run +r' '^the network contradicts [0-9]+ of 130 training and 20 validation labels; see r/doubtful.csv$' -- \
    "$JENSEN" train set/train $tiny --val-fraction 0.1333 --out r
expect 0 '*' '' -- "$JENSEN" predict r set/train --top 10 --csv all.csv --device ref
check='
import csv, json, re, sys
trained = {row["path"] for row in csv.DictReader(open("r/labels.csv"))}
said = {}
for row in csv.DictReader(open("all.csv")):
    path = row["path"].removeprefix("set/train/")
    of = {row["class"]: float(row["probability"])}
    of.update({row[f"class_{k}"]: float(row[f"probability_{k}"]) for k in range(2, 11)})
    said[path] = (row["class"], float(row["probability"]), of[path.split("/")[0]])
assert len(said) == 150 and trained < set(said)
wanted = {p: said[p] for p in said if said[p][0] != p.split("/")[0]}
rows = list(csv.DictReader(open(sys.argv[1])))
assert list(rows[0]) == ["path", "label", "predicted", "confidence", "p_given", "split"], rows[0]
assert len(rows) == len(wanted) > 60 and {r["path"] for r in rows} == set(wanted)
for r in rows:
    name, probability, given = wanted[r["path"]]
    assert r["label"] == r["path"].split("/")[0] and r["predicted"] == name, r
    assert abs(float(r["confidence"]) - probability) < 1e-4, r
    assert abs(float(r["p_given"]) - given) < 1e-4, r
    assert r["split"] == ("train" if r["path"] in trained else "val"), r
assert {r["split"] for r in rows} == {"train", "val"}
fits = [float(r["p_given"]) for r in rows]
assert fits == sorted(fits)
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
expect 0 '^path,label,predicted,confidence,p_given,split,true$' '' -- head -1 known/doubtful.csv
expect 0 '^ok$' '' -- python3 -c '
import csv
for r in csv.DictReader(open("known/doubtful.csv")):
    assert r["path"].split("/")[-2] == r["true"], r
print("ok")'
expect 0 '*' '*' -- "$JENSEN" train builtin:size=60,test=10 $tiny --consistency never --out never
expect 1 '' '' -- test -e never/doubtful.csv

# What the list is worth: nothing where the network has learned nothing. Plain colours
# are learned at once; a tenth of their labels is wrong.
expect 0 '*' 'warning: the network finds the label of [0-9.]+% of the 130 training images, no better than a guess \(naming one class always: 10.8%\); its list of doubtful labels is worthless$' -- \
    "$JENSEN" train set/train $tiny --val-fraction 0.1333 --lr 0 --out nothing
python3 -c '
import os, random
random.seed(1)
for c, rgb in (("blue", (30, 30, 200)), ("green", (30, 200, 30)), ("red", (200, 30, 30))):
    os.makedirs(f"plain/{c}", exist_ok=True)
    for i in range(100):
        noise = [min(255, v + random.randrange(25)) for _ in range(64) for v in rgb]
        to = random.choice([x for x in ("blue", "green", "red") if x != c]) if i % 10 == 0 else c
        os.makedirs(f"plain/{to}", exist_ok=True)
        open(f"plain/{to}/{c}{i}.ppm", "wb").write(b"P6 8 8 255\n" + bytes(noise))'
colours="--network mlp:width=16 --device ref --image-size 8 --batch 10 --epochs 6 --threads 1 --workers 0 --augment none --loss gjs --lr 0.02"
expect 0 '*' 'the network contradicts' -- "$JENSEN" train plain $colours --val-fraction 0.4 --out fair
cp stderr.txt said.txt
expect 1 '' '' -- grep -E 'worthless|very many' said.txt
expect 0 '^ok$' '' -- python3 -c '
import csv, json
e = json.load(open("fair/evaluation.json"))
rows = list(csv.DictReader(open("fair/doubtful.csv")))
assert len(rows) == 30 and all(not r["path"].split("/")[1].startswith(r["label"]) for r in rows)
assert e["verdict"]["trust"] == "fair" and e["verdict"]["images"] == "validation", e["verdict"]
of = e["val_labels"]
held = e["val"]["samples"]
assert of["sure"] >= held // 4 and of["noise"][1] <= 0.1 <= of["noise"][2], of
assert of["accuracy"][1] < of["accuracy"][0] <= of["accuracy"][2] <= 1, of
assert all(d["file"].startswith("../plain/") for d in e["doubtful"])
print("ok")'

# The page says the same: what the list is worth, and what the accuracy on labels that may
# be wrong means.
expect 0 'This list is worthless: the network finds the label of .* no better than a guess' '' -- cat nothing/report.html
expect 1 '' '' -- grep -E 'worthless|with care' fair/report.html
expect 0 'The validation images were split off the training data: .* An estimate: the network contradicts .* about [0-9]+% can be reached here' '' -- cat fair/report.html
expect 1 '' '' -- grep 'split off the training data' known/report.html

# Few held-out images, all of them found: that may be luck, and is not called worthless.
mkdir few
for colour in red green; do mkdir few/$colour && cp plain/$colour/${colour}1?.ppm few/$colour; done
cp plain/green/green21.ppm few/red/wrong.ppm
expect 0 '*' 'warning: the network finds the label of 100.0% of the 2 validation images, which may be luck \(naming one class always: 50.0%\); do not rely on its list' -- \
    "$JENSEN" train few $colours --epochs 6 --val-fraction 0.1 --out lucky
expect 0 'Take this list with care: the network finds .* which may be luck' '' -- cat lucky/report.html

# Pictures have the names of their files and lead to them, from wherever the page lies; a
# file that is gone and one in an archive have no link.
cat >links.py <<'END'
import os, re, sys, urllib.parse
page = sys.argv[1]
text = open(page).read()
links = re.findall(r'<a href="([^"]*)"><img', text)
for link in links:
    assert os.path.isfile(os.path.join(os.path.dirname(page), urllib.parse.unquote(link))), link
for name in re.findall(r'<img [^>]*title="([^"]*)"', text):
    assert "<br>" + name.split("/")[-1] + "</figcaption>" in text, name
print(len(links), "links")
END
expect 0 '^30 links$' '' -- python3 links.py fair/report.html
mkdir -p else/where
expect 0 '*' '' -- "$JENSEN" report fair --out else/where/page.html
expect 0 '^30 links$' '' -- python3 links.py else/where/page.html
expect 0 '*' '' -- "$JENSEN" report r fair --out both.html
expect 0 '^90 links$' '' -- python3 links.py both.html
odd=$(grep -l 'a%2C%20%22b%22.ppm' r/report.html)
[ -z "$(sed -n '2,61p' r/doubtful.csv | grep 'a, ""b""')" ] || expect 0 'r/report.html' '' -- echo "$odd"
(cd plain && tar cf ../plain.tar .) && cp -r plain kept-plain
expect 0 '*' '*' -- "$JENSEN" train plain.tar $colours --val-fraction 0.4 --out packed
expect 0 '^0 links$' '' -- python3 links.py packed/report.html
rm -r plain/blue
expect 0 '*' '' -- "$JENSEN" report fair
expect 0 '^[12][0-9] links$' '' -- python3 links.py fair/report.html

# Labels put right through the list, as the guide says: its rows with other labels are a
# label file.
python3 -c '
import csv
rows = list(csv.DictReader(open("r/doubtful.csv")))
chosen = rows[:6] + [r for r in rows[6:] if "\"b\"" in r["path"]]
new = csv.DictWriter(open("right.csv", "w"), rows[0])
new.writeheader()
for r in chosen:
    new.writerow({**r, "label": r["predicted"]})
print(len(chosen))' >rows.txt
n=$(cat rows.txt)
expect 0 '^run +corrected$' "^labels: right.csv has $n of the 150 images, $n with another label than the data; " -- \
    "$JENSEN" train set/train $tiny --val-fraction 0.1333 --labels right.csv --out corrected
expect 0 '^changed +0$' '' -- "$JENSEN" noise set/train --noise file:r/labels.csv,column=used,missing=val
finish
