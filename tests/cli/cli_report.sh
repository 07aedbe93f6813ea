# jensen report: pages of single runs, comparisons, ensembles, unfinished runs; tables.
. "$(dirname "$0")/cli.sh"
data=builtin:size=60,test=20
tiny="--network mlp:width=16 --device ref --batch 10 --epochs 2 --threads 1 --workers 0 --augment none"
train() { "$JENSEN" train $data $tiny -q "$@" >/dev/null 2>&1; }

expect 0 '^report +a/report.html' '*' -- "$JENSEN" train $data $tiny --noise sym:rate=0.4 \
    --loss gjs --val-fraction 0.2 --consistency every --out a
for part in 'last epoch \(2\): the result' 'nominal rate 40.0%' 'real label noise' \
    'True class found in training' 'Consistency with an augmented copy' 'Learning rate' \
    'confusion matrix' 'Calibration' 'Doubtful labels' 'data:image/png;base64,' \
    '<dt>jensen</dt><dd>[0-9]' 'Do it again' '--noise sym:rate=0.4'; do
    expect 0 "$part" '' -- cat a/report.html
done
expect 0 '^[1-9]' '' -- grep -c '<svg' a/report.html
expect 1 '' '' -- grep -iE '<script|src="(http|//)' a/report.html
# A finished run gets its page back, and its JSON stays one line.
rm a/report.html
expect 0 '^\{"run":"a",.*\}$' 'is finished' -- "$JENSEN" train $data $tiny --noise sym:rate=0.4 \
    --loss gjs --val-fraction 0.2 --consistency every --out a --json
expect 0 '' '' -- test -s a/report.html

train --loss ce --noise sym:rate=0.4 --out ce1
train --loss ce --noise sym:rate=0.4 --seed 2 --out ce2
train --loss ce --noise sym:rate=0.4 --seed 3 --out ce3
# How a run is carried out is in its settings, read back by --config, and makes no other run.
train --loss ce --noise sym:rate=0.4 --seed 4 --out ce4 --threads 2 --workers 3 --checkpoint-minutes 7
expect 0 '^threads: 2,workers: 3,checkpoint-minutes: 7$' '' -- sh -c 'tail -n 3 ce4/config.yaml | paste -sd,'
expect 0 '*' '*' -- "$JENSEN" train --config ce4/config.yaml --out again -q
expect 0 '' '' -- cmp ce4/config.yaml again/config.yaml
expect 0 '*' 'is finished' -- "$JENSEN" train --config ce4/config.yaml --threads 1 --out again
unsign ce3
sed -i '/^threads\|^workers\|^checkpoint-minutes/d' ce3/config.yaml # as earlier versions left it
expect 0 '^four.html$' '' -- "$JENSEN" report ce1 ce2 ce3 ce4 --out four.html
expect 0 '4 runs, 1 setting<' '' -- cat four.html
expect 1 '' '' -- grep -e '<dt>checkpoint-minutes' four.html
expect 0 '<dt>checkpoint-minutes</dt><dd>7' '' -- cat ce4/report.html
expect 1 '' '' -- grep -e '--threads' ce4/report.html
expect 0 '^report.html$' '' -- "$JENSEN" report a ce1 ce2 ce3 --title 'A <b> & C'
expect 0 '<h1>A &lt;b&gt; &amp; C</h1>' '' -- cat report.html
expect 0 '<a href="ce1/report.html">ce1' '' -- cat report.html
expect 0 '4 runs, 2 settings' '' -- cat report.html
expect 0 '^curves.svg$' '' -- "$JENSEN" report a ce1 ce2 -o curves.svg
expect 0 '^<svg .*xmlns' '' -- head -n 1 curves.svg
expect 0 'Test accuracy' '' -- cat curves.svg
expect 2 '' 'title belongs to a page' -- "$JENSEN" report a -o curves.svg --title x

# The mean and the deviation of the table are those of the three results.
"$JENSEN" report ce1 ce2 ce3 a --table csv >t.csv
expect 0 '^ok$' '' -- python3 -c '
import csv, json, statistics
want = [100 * json.load(open(f"ce{i}/result.json"))["test_acc"] for i in (1, 2, 3)]
row = [r for r in csv.reader(open("t.csv")) if r[0] == "ce"][0]
head = next(csv.reader(open("t.csv")))
at = [i for i, h in enumerate(head) if "last" in h]
assert abs(float(row[at[0]]) - statistics.mean(want)) < 1e-9, (row, want)
assert abs(float(row[at[1]]) - statistics.stdev(want)) < 1e-9, (row, want)
print("ok")'
"$JENSEN" report ce1 ce2 ce3 a --pivot loss:noise --table csv >p.csv
expect 0 '^ok$' '' -- python3 -c '
import csv, json, statistics
want = [100 * json.load(open(f"ce{i}/result.json"))["test_acc"] for i in (1, 2, 3)]
head, *rows = csv.reader(open("p.csv"))
row = [r for r in rows if r[0] == "ce"][0]
at = head.index("noise sym:rate=0.4")
assert abs(float(row[at]) - statistics.mean(want)) < 1e-9, (row, want)
assert abs(float(row[at + 1]) - statistics.stdev(want)) < 1e-9, (row, want)
print("ok")'
expect 2 '' 'pivot prints' -- "$JENSEN" report ce1 ce2 --pivot loss:noise --out x.html
expect 2 '' 'two settings, such as loss:noise' -- "$JENSEN" report ce1 ce2 --pivot loss
# Two spellings of one loss are one row; config.yaml keeps what was given.
train --loss gjs --seed 2 --noise sym:rate=0.4 --out short && train --loss gjs:pi1=0.5 --noise sym:rate=0.4 --out long
expect 0 '^loss: gjs$' '' -- cat short/config.yaml
expect 0 '^\| gjs:pi1=0.5 +\| sym:rate=0.4 +\| +2 ' '' -- "$JENSEN" report short long --table markdown
expect 0 '^gjs:pi1=0.5,[0-9.]+,[0-9.]+$' '' -- "$JENSEN" report short long --pivot loss:noise --table csv
expect 0 '2 runs, 1 setting<' '' -- sh -c "'$JENSEN' report short long --out both.html && cat both.html"
expect 0 '*' 'is finished' -- "$JENSEN" train $data $tiny --loss gjs --seed 2 --noise sym:rate=0.4 --out short
# The same settings and seed count once, the latest complete run of them; all are shown.
cp -r ce2 copy && unsign copy && sed -i 's/"test_acc": *[0-9.e-]*/"test_acc": 0.5/' copy/result.json
sed -i '$s/"time": *[0-9.]*/"time": 9e12/' copy/metrics.jsonl
cp -r copy late && rm late/result.json
expect 0 'ce2 repeats copy, late repeats copy: the same settings and seed count once' '' -- \
    "$JENSEN" report ce1 ce2 copy late ce3 --table markdown
"$JENSEN" report ce1 ce2 ce3 copy late --table csv >t.csv
expect 0 '^ok$' '' -- python3 -c '
import csv, json, statistics
want = [100 * json.load(open(f"{run}/result.json"))["test_acc"] for run in ("ce1", "copy", "ce3")]
assert want[1] == 50, want
head, row = csv.reader(open("t.csv"))
at = [i for i, h in enumerate(head) if "last" in h]
assert row[head.index("Runs")] == "3" and "State" not in head, (head, row)
assert abs(float(row[at[0]]) - statistics.mean(want)) < 1e-9, (row, want)
assert abs(float(row[at[1]]) - statistics.stdev(want)) < 1e-9, (row, want)
print("ok")'
expect 0 '^repeats.html$' '' -- "$JENSEN" report ce1 ce2 copy --out repeats.html
expect 0 'ce2 repeats copy: the same settings and seed count once' '' -- cat repeats.html
expect 0 '3 runs, 1 setting<' '' -- cat repeats.html
expect 0 '^ok$' '' -- python3 -c '
import csv, json, subprocess, sys
def table(*more):
    return subprocess.run([sys.argv[1], "report", "ce1", "ce2", "ce3", "a", *more], capture_output=True, text=True, check=True).stdout
for pivot in ([], ["--pivot", "loss:noise"]):
    rows = list(csv.DictReader(table("--table", "csv", *pivot).splitlines()))
    found = json.loads(table("--table", "json", *pivot))
    assert found["rows"] and len(found["rows"]) == len(rows), found
    for row, one in zip(rows, found["rows"]):
        for key, value in row.items():
            assert (str(one[key]) == value or abs(float(value) - one[key]) < 1e-9) if value else one.get(key) is None, (key, value, one)
    assert any("best" in one for one in found["rows"]) and "t-test" in found["caption"]
assert json.loads(table("--json", "--pivot", "loss:noise")) == found
print("ok")' "$JENSEN"
expect 0 '^\{"file":"four.html"\}$' '' -- "$JENSEN" report ce1 ce2 --out four.html --json
expect 2 '' '--json is --table json, not --table csv' -- "$JENSEN" report ce1 ce2 --table csv --json
expect 0 '\| ce ' '' -- "$JENSEN" report ce1 ce2 a --table markdown
expect 0 'begin\{tabular\}' '' -- "$JENSEN" report ce1 ce2 a --table latex
expect 0 '<table' '' -- "$JENSEN" report ce1 ce2 a --table html
expect 2 '' 'xml' -- "$JENSEN" report ce1 --table xml
expect 0 '^o.pdf$' '' -- "$JENSEN" report ce1 --out o.pdf
expect 0 '^%PDF-1.4' '' -- head -n 1 o.pdf
expect 0 '^o.pgf$' '' -- "$JENSEN" report ce1 ce2 --out o.pgf
expect 0 'Test accuracy' '' -- cat o.pgf
expect 2 '' "o.png': no .png is written; FILE.html .*FILE.svg.*markdown" -- "$JENSEN" report ce1 --out o.png
[ ! -e o.png ] || complain "a page in a file of another kind" report
expect 0 '^v1.0/page$' '' -- sh -c "mkdir v1.0 && '$JENSEN' report ce1 --out v1.0/page"
expect 2 '' 'belong to a page' -- "$JENSEN" report ce1 --table csv --out x

# Bold is the best for the same problem; accuracies on other test images do not compete.
data=builtin:size=60,test=30 train --loss ce --noise sym:rate=0.4 --out elsewhere
data=builtin:size=60,test=30 train --loss mae --noise sym:rate=0.4 --out elsewhere2
"$JENSEN" report ce2 a elsewhere elsewhere2 --table markdown >bold.md
expect 0 'same test images and label noise' '' -- cat bold.md
for size in 20 30; do
    expect 0 'test=[23]0 .*\| +\*\*[0-9.]+\*\*' '' -- grep "test=$size " bold.md
done
expect 1 '' '' -- sh -c "'$JENSEN' report ce2 elsewhere --table markdown | grep '[*][*][0-9]'"

# Ensembles, and runs that are not finished.
expect 0 '*' '*' -- "$JENSEN" train $data $tiny --loss ce --members 2 --out both
cp stderr.txt said.txt
expect 1 '' '' -- grep 'continuing' said.txt
expect 0 'member-2/report.html' '' -- cat both/report.html
expect 0 'mean prediction of 2 networks' '' -- cat both/report.html
expect 0 'Training loss' '' -- cat both/member-1/report.html
# Labels that were put right between two runs make another experiment, not a repeat.
"$JENSEN" data convert $data --out pics --format ppm >/dev/null
photos() { "$JENSEN" train pics/train $tiny --loss ce --val-fraction 0 -q "$@" >/dev/null 2>&1; }
photos --out before1 && photos --seed 2 --out before2 && photos --out before3
mv pics/train/disc/0000.ppm pics/train/star/9999.ppm
photos --out after1 && photos --seed 2 --out after2
rm pics/train/star/9999.ppm
photos --seed 3 --out fewer
expect 0 '*' '' -- "$JENSEN" report before1 after1 before2 after2 before3 fewer --table csv
cp stdout.txt changed.csv
expect 0 '^pics/train:2 pics/train \(changed\):2 pics/train \(changed 2 times\):1 $' '' -- python3 -c '
import csv
print(*(r["data"] + ":" + r["Runs"] for r in csv.DictReader(open("changed.csv"))), "")'
expect 0 'before1 repeats before3: the same' '' -- "$JENSEN" report before1 after1 before3 --table markdown
# Members beside their ensemble are runs of one network each, the first that of the seed.
expect 0 '*' '' -- "$JENSEN" report both both/member-1 both/member-2 --table csv
cp stdout.txt members.csv
expect 0 '^ok$' '' -- python3 -c '
import csv, json
def last(run): return 100 * json.load(open(run + "/result.json"))["test_acc"]
rows = {r["members"]: r for r in csv.DictReader(open("members.csv"))}
assert sorted(rows) == ["1", "2"] and rows["1"]["Runs"] == "2" and rows["2"]["Runs"] == "1", rows
key = next(k for k in rows["1"] if "last" in k)
want = (last("both/member-1") + last("both/member-2")) / 2
assert abs(float(rows["1"][key]) - want) < 1e-9 and abs(float(rows["2"][key]) - last("both")) < 1e-9
print("ok")'
expect 0 '--seed 1 .*--members 2' '' -- sh -c "'$JENSEN' report both/member-2 >/dev/null && tr -d '\\\\\n' <both/member-2/report.html"
train --loss ce --out alone
unsign both/member-1
expect 0 'both/member-1 repeats alone' '' -- \
    sh -c "cp both/member-1/metrics.jsonl m && sed -i 's/\"time\": *[0-9.]*/\"time\": 1/' both/member-1/metrics.jsonl \
        && '$JENSEN' report alone both/member-1 both/member-2 --table markdown; mv m both/member-1/metrics.jsonl"
rm ce1/result.json ce1/evaluation.json ce1/model.safetensors
expect 0 '^half.html$' '' -- "$JENSEN" report ce1 --out half.html
expect 0 'not finished: 2 of 2 epochs' '' -- cat half.html
expect 0 '\| ce .*\| +2 +\| 1 of 2 runs: epoch 2 of 2, unfinished; not in the means +\|' '' -- \
    "$JENSEN" report ce1 ce2 a --table markdown
expect 0 '^compare.html$' '' -- "$JENSEN" report ce1 ce2 a --out compare.html
expect 0 'epoch 2 of 2, unfinished' '' -- cat compare.html
rm ce1/metrics.jsonl
expect 0 '^half.html$' '' -- "$JENSEN" report ce1 --out half.html

expect 3 '' 'nowhere: not a run folder' -- "$JENSEN" report nowhere
# A study among the runs is left out, and said so; nothing but studies is refused.
mkdir study && echo x >study/study.db
expect 0 'ce' 'left out: study is not a run folder' -- "$JENSEN" report ce2 study --table markdown
expect 3 '' 'study: not a run folder' -- "$JENSEN" report study study
expect 2 '' 'one or more run folders' -- "$JENSEN" report
expect 1 '' 'no/such' -- "$JENSEN" report a --out no/such/x.html
unsign a
echo '{"classes":["a"],"test":{"confusion":[[1,2],3],"class_accuracy":7}}' >a/evaluation.json
expect 3 '' "a/evaluation.json:1: key 'class_accuracy' is 7, not an array" -- "$JENSEN" report a
echo '[' >a/evaluation.json
expect 3 '' 'evaluation.json' -- "$JENSEN" report a
finish
