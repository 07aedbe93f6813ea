# jensen predict with a run folder: files, folders, tables, broken images.
. "$(dirname "$0")/cli.sh"
tiny="--network mlp:width=16 --device ref --batch 10 --epochs 2 --threads 1 --workers 0 --augment none"
"$JENSEN" train builtin:size=60,test=20 $tiny --loss ce -q --out run >/dev/null 2>&1

# Pictures of any size, in folders, with names that need care in a table.
mkdir -p new/deep new/.hidden
printf 'P6\n2 1\n255\n\377\000\000\000\377\000' >new/b.ppm
printf 'P6\n1 3\n255\n\377\000\000\000\377\000\000\000\000' >'new/deep/a, b.ppm'
cp new/b.ppm new/.hidden/c.ppm
echo 'no image' >new/notes.txt
echo 'no image' >broken.png

expect 0 '^new/b.ppm [a-z_0-9]+ [01]\.[0-9]{4}$' '' -- "$JENSEN" predict run new/b.ppm --device ref
expect 0 '^2$' '' -- sh -c "'$JENSEN' predict run new/ --device ref | wc -l | tr -d ' '"
mkdir names # what is read as data is found here, too, and what is not is named
for name in a.jfif b.JPE c.pnm; do cp new/b.ppm names/$name; done
printf 'GIF89a......' >names/d.gif
expect 0 '^3$' '' -- sh -c "'$JENSEN' predict run names --device ref 2>/dev/null | wc -l | tr -d ' '"
expect 0 '*' 'names/d.gif: .*GIF image' -- "$JENSEN" predict run names --device ref
expect 0 '^new/deep/a, b.ppm ' '' -- "$JENSEN" predict run new --device ref
expect 0 '^\{"path":"new/b.ppm","class":"[a-z_0-9]+","probability":[0-9.e-]+\}$' '' -- \
    "$JENSEN" predict run new/b.ppm --json --device ref
expect 0 '"top":\[\{"class":"[a-z_0-9]+","probability":[0-9.e-]+\},\{.*\},\{.*\}\]' '' -- \
    "$JENSEN" predict run new/b.ppm --json --top 3 --device ref

# The pictures of runs below a folder are no new ones, and it is said once; a folder inside a run is one that is asked for.
cp -r new work && mkdir -p work/runs && cp -r run work/runs/one && mkdir -p work/runs/one/doubtful && cp new/b.ppm work/runs/one/doubtful
expect 0 '^2$' '^the pictures of the run in work/runs/one are left out$' -- \
    sh -c "'$JENSEN' predict run work --device ref | wc -l | tr -d ' '"
cp -r work/runs/one work/runs/two && cp -r work/runs/one work/three
expect 0 '^1$' '' -- sh -c "'$JENSEN' predict run work work/deep --device ref 2>&1 >/dev/null | grep -c 'left out'"
expect 0 '*' '^the pictures of the run in work/runs/one and of 1 more are left out$' -- "$JENSEN" predict run work/runs new --device ref
expect 0 '^work/b.ppm ' '' -- "$JENSEN" predict run work -q --device ref
expect 0 '^work/three/doubtful/b.ppm ' '' -- "$JENSEN" predict run work/three/doubtful --device ref
expect 3 '' 'the folders given hold no images' -- "$JENSEN" predict run work/three -q --device ref

# The probabilities are a distribution, the best comes first, and text, JSON and table agree.
expect 0 '^new/b.ppm' '^broken.png: .+' -- "$JENSEN" predict run new broken.png --device ref
expect 0 '^new/b.ppm' '^1 of 3 images could not be read' -- "$JENSEN" predict run new/b.ppm broken.png new/deep \
    --top 10 --csv t.csv --device ref
expect 0 '^ok$' '' -- python3 -c '
import csv
rows = list(csv.DictReader(open("t.csv")))
assert [r["path"] for r in rows] == ["new/b.ppm", "broken.png", "new/deep/a, b.ppm"], rows
for r in rows:
    if r["path"] == "broken.png":
        assert r["class"] == "" and r["reason"] != "", r
        continue
    p = [float(r["probability"])] + [float(r[f"probability_{i}"]) for i in range(2, 11)]
    assert p == sorted(p, reverse=True) and abs(sum(p) - 1) < 1e-4, p
    assert len({r["class"]} | {r[f"class_{i}"] for i in range(2, 11)}) == 10
    assert r["reason"] == ""
print("ok")'
# Without a file the table is what stdout has.
expect 0 '^path,class,probability,class_2' '^broken.png: .+' -- "$JENSEN" predict run new/b.ppm broken.png new/deep --device ref \
    --top 10 --csv
expect 0 '' '' -- sh -c "'$JENSEN' predict run new/b.ppm broken.png new/deep --device ref --top 10 --csv 2>/dev/null | cmp t.csv -"
expect 0 '^new/b.ppm,' '' -- "$JENSEN" predict run --csv --device ref new/b.ppm
expect 2 '' 'stdout is for --json or for --csv' -- "$JENSEN" predict run new/b.ppm --device ref --json --csv
expect 2 '' '--csv needs a file' -- "$JENSEN" eval run builtin:size=60,test=20 --device ref --csv -
expect 0 '"path":"broken.png","error":".+"' '*' -- "$JENSEN" predict run new/b.ppm broken.png --json --device ref
expect 3 '' 'none of 2 images could be read' -- "$JENSEN" predict run broken.png missing.png --device ref
mkdir empty
expect 3 '' 'the folders given hold no images' -- "$JENSEN" predict run empty --device ref
expect 3 '' 'nowhere' -- "$JENSEN" predict nowhere new/b.ppm
expect 2 '' 'needs images' -- "$JENSEN" predict run
expect 2 '' 'brings its own network' -- "$JENSEN" predict run new --network mlp
expect 3 '' '^jensen predict: new: not a run folder .*the run folder comes first' -- "$JENSEN" predict new run --device ref
[ "$(wc -l <stderr.txt)" -eq 1 ] || complain "one sentence" predict
expect 2 '' '^jensen predict: --classes is missing' -- "$JENSEN" predict --network mlp:width=16 --init run/model.safetensors new
expect 2 '' '^jensen predict: --init is missing' -- "$JENSEN" predict --network mlp:width=16 --classes 10 new
expect 2 '' 'needs a run folder and images' -- "$JENSEN" predict
expect 1 '' 'no/such' -- "$JENSEN" predict run new --csv no/such.csv --device ref
expect 4 '' '*' -- "$JENSEN" predict run new --device cuda:99

# The four ways: a run or weights alone, on images or on an array; logits of each.
expect 0 '*' '' -- "$JENSEN" predict run new --logits images.npy --device ref
expect 0 '^ok$' '' -- python3 -c '
import array, math, struct, subprocess, sys, os
def load(path):
    b = open(path, "rb").read()
    n = struct.unpack("<H", b[8:10])[0]
    return eval(b[10:10 + n])["shape"], array.array("f", b[10 + n:])
shape, z = load("images.npy")
assert shape == (2, 10), shape
rows = subprocess.check_output([os.environ["JENSEN"], "predict", "run", "new", "--device", "ref"], text=True)
for i, row in enumerate(rows.splitlines()):
    r = z[10 * i:10 * i + 10]
    assert abs(1 / sum(math.exp(x - max(r)) for x in r) - float(row.split()[-1])) < 1e-4, row
header = "{\"descr\": \"<f4\", \"fortran_order\": False, \"shape\": (3, 3, 32, 32), }".replace(chr(34), chr(39))
header += " " * (117 - len(header)) + "\n"
data = array.array("f", [math.sin(i) for i in range(3 * 3 * 32 * 32)])
open("x.npy", "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + header.encode() + data.tobytes())
print("ok")'
expect 0 '^2 [a-z_0-9]+ [01]\.[0-9]{4}$' '' -- "$JENSEN" predict run --array x.npy --logits a.npy --device ref
expect 0 '^\{"sample":2,"class":"[a-z_0-9]+","probability":' '' -- "$JENSEN" predict run --array x.npy --json --device ref
weights="--network mlp:width=16 --init run/model.safetensors --classes 10 --device ref"
expect 0 '^2 [0-9] ' '' -- "$JENSEN" predict $weights --array x.npy --logits b.npy
cmp -s a.npy b.npy || complain "logits of a run and of its weights" cmp a.npy b.npy
expect 0 '^new/b.ppm [0-9] [01]\.[0-9]{4}$' '^broken.png' -- "$JENSEN" predict $weights new broken.png
expect 3 '' 'linear' -- "$JENSEN" predict --network mlp:width=16 --init run/model.safetensors --classes 7 new --device ref
expect 3 '' 'images of 3x8x8.*3x32x32' -- sh -c "sed 's/(3, 3, 32, 32)/( 48, 3, 8, 8)/' x.npy >y.npy && '$JENSEN' predict run --array y.npy --device ref"
# A value that is not a number makes no class, and the others keep theirs.
python3 -c '
b = bytearray(open("x.npy", "rb").read())
image = (len(b) - 128) // 3
for name, samples in (("one", [1]), ("all", [0, 1, 2])):
    for i in samples:
        b[128 + i * image:132 + i * image] = b"\x00\x00\xc0\x7f"
    open(name + ".npy", "wb").write(b)'
for of in run "$weights"; do
    "$JENSEN" predict $of --array x.npy --device ref | sed 2d >want.txt
    expect 0 '*' "^1: the network's output is not finite$" -- "$JENSEN" predict $of --array one.npy --device ref
    cp stdout.txt got.txt
    expect 0 '' '' -- cmp want.txt got.txt
    expect 0 '^\{"sample":1,"error":"the network.s output is not finite"\}$' '*' -- \
        "$JENSEN" predict $of --array one.npy --device ref --json
    expect 3 '' 'not finite for any of 3 images' -- "$JENSEN" predict $of --array all.npy --device ref --logits n.npy
done
expect 0 '^1,,,the network.s output is not finite$' '' -- \
    sh -c "'$JENSEN' predict run --array one.npy --device ref --csv c.csv >/dev/null 2>&1; cat c.csv"
# --batch and --precision, in all four ways: a class does not depend on the one, a CPU refuses the other.
for of in "run new" "run --array x.npy" "$weights new" "$weights --array x.npy"; do
    "$JENSEN" predict $of --device ref >want.txt
    expect 0 '' '' -- sh -c "'$JENSEN' predict $of --device ref --batch 1 | cmp want.txt -"
    expect 0 '' '' -- sh -c "'$JENSEN' predict $of --device ref --batch 1000000 | cmp want.txt -"
    expect 2 '' '--precision: a CPU computes only in fp32' -- "$JENSEN" predict $of --device ref --precision bf16
    expect 2 '' 'batch' -- "$JENSEN" predict $of --device ref --batch 0
done
expect 2 '' 'or --array' -- "$JENSEN" predict run new --array x.npy
expect 1 '*' 'no/such' -- "$JENSEN" predict run new --logits no/such.npy --device ref

# jensen eval: on the test split; a share of each, and a confusion matrix of all samples.
expect 0 '^accuracy +[0-9.]+%$' '' -- "$JENSEN" eval run builtin:size=60,test=20 --device ref
expect 0 '^consistency +[0-9.]+%$' '' -- "$JENSEN" eval run builtin:size=60,test=20 --device ref
expect 0 '^ok$' '' -- sh -c "'$JENSEN' eval run builtin:size=60,test=20 --device ref --json | python3 -c '
import json, sys
d = json.load(sys.stdin)
assert d[\"samples\"] == 20 == sum(map(sum, d[\"confusion\"])), d
assert abs(d[\"accuracy\"] - sum(d[\"confusion\"][k][k] for k in range(10)) / 20) < 1e-12, d
assert d[\"accuracy\"] <= d[\"top5\"] <= 1 and d[\"consistency\"] == 1, d  # the run augments with none
print(\"ok\")'"
expect 0 '"consistency":null' '' -- "$JENSEN" eval run builtin:size=60,test=20 --device ref --json --consistency 0
# Scores of each class, and a row for every image, from which they follow.
expect 0 '^class +precision +recall +F1 +images$' '' -- "$JENSEN" eval run builtin:size=60,test=20 --device ref --csv each.csv
expect 0 '^path,label,predicted,probability,p_given$' '' -- head -1 each.csv
"$JENSEN" eval run builtin:size=60,test=20 --device ref --json >scores.json
cp each.csv spoiled.csv && sed -i '2s/,[a-z_0-9]*,/,square,/' spoiled.csv
cat >scores.py <<'END'
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1])))
d = json.load(open("scores.json"))
assert len(rows) == 20 and len({r["path"] for r in rows}) == 20
assert d["accuracy"] == sum(r["label"] == r["predicted"] for r in rows) / 20
recalls, f1s = [], []
for name, s in zip(d["classes"], d["class_scores"], strict=True):
    labels = sum(r["label"] == name for r in rows)
    said = sum(r["predicted"] == name for r in rows)
    right = sum(r["label"] == name == r["predicted"] for r in rows)
    assert (s["labels"], s["predictions"]) == (labels, said), (name, s)
    assert s["precision"] == (right / said if said else None), (name, s)
    assert s["recall"] == (right / labels if labels else None), (name, s)
    assert s["f1"] == (2 * right / (labels + said) if labels + said else None), (name, s)
    recalls += [right / labels] if labels else []
    f1s += [2 * right / (labels + said)] if labels + said else []
assert abs(d["balanced_accuracy"] - sum(recalls) / len(recalls)) < 1e-12
assert abs(d["macro_f1"] - sum(f1s) / len(f1s)) < 1e-12
for r in rows:
    same = r["label"] == r["predicted"]
    assert float(r["p_given"]) == float(r["probability"]) if same else float(r["p_given"]) <= float(r["probability"]), r
print("ok")
END
expect 0 '^ok$' '' -- python3 scores.py each.csv
expect 1 '' 'AssertionError' -- python3 scores.py spoiled.csv
expect 1 '' 'no/such.csv: cannot be written' -- "$JENSEN" eval run builtin:size=60,test=20 --device ref --csv no/such.csv
# The split that was scored is said: test, else val, else what there is; or the one picked.
"$JENSEN" data convert builtin:size=60,test=20 --out sets --format ppm >/dev/null
evaluated() { expect 0 "^split +$1\$" '*' -- "$JENSEN" eval run "$2" --device ref; grep -qE "^samples +$3\$" stdout.txt || complain "samples" "$@"; }
evaluated test sets 20
evaluated train sets,split=train 60
cp -r sets halves && mv halves/test halves/val && evaluated val halves 20
evaluated train sets/train 60
expect 0 '^\{"split":"val","samples":20,' '*' -- "$JENSEN" eval run halves --device ref --json
# Those that cannot be read are counted and named, once.
echo 'no image' >halves/val/disc/broken.ppm
expect 0 '^bad images +1$' 'disc/broken.ppm' -- "$JENSEN" eval run halves --device ref
[ "$(grep -c 'broken.ppm' stderr.txt)" -eq 1 ] || complain "a bad image is named once" eval

# Names in columns, whatever their letters and length; the five best of five say nothing.
mkdir -p odd/train/{Äpfel,b,"straßenschild mit sehr langem namen"}
for k in odd/train/*; do for i in 0 1 2 3; do cp "$(ls sets/train/*/*.ppm | sed -n "$((i + 1))p")" "$k/$i.ppm"; done; done
"$JENSEN" train odd/train $tiny --batch 4 --val-fraction 0 --loss ce -q --out oddrun >/dev/null 2>&1
expect 0 '^ +b +straßensc… +Äpfel$' '' -- "$JENSEN" eval oddrun odd/train --device ref
cp stdout.txt odd.txt
grep -q 'top-5' odd.txt && complain "top-5 of three classes" eval
expect 0 '^ok$' '' -- python3 -c '
lines = open("odd.txt", encoding="utf-8").read().split("predicted)\n")[1].splitlines()
assert len(lines) == 4 and len({len(x) for x in lines}) == 1, lines
assert lines[2].startswith("straßenschild mit sehr … "), lines
print("ok")'
"$JENSEN" noise odd/train >noise.txt
expect 0 '^ok$' '' -- python3 -c '
lines = open("noise.txt", encoding="utf-8").read().split("\n\n")[1].splitlines()
assert len({x.index(" ", 36) for x in lines[1:]}) <= 2 and len({x.find("%") for x in lines[1:]}) == 1, lines
print("ok")'
expect 0 '"top5":' '' -- "$JENSEN" eval oddrun odd/train --device ref --json
# Too many classes for a table: it is said where the numbers are.
for k in 01 02 03 04 05 06 07 08 09 10 11 12 13; do mkdir -p many/$k && cp odd/train/b/*.ppm many/$k; done
"$JENSEN" train many $tiny --batch 4 --val-fraction 0 --loss ce -q --out manyrun >/dev/null 2>&1
expect 0 '^confusion of 13 classes: .*--json' '' -- "$JENSEN" eval manyrun many --device ref

mkdir -p other/a other/b && cp new/b.ppm other/a && cp new/b.ppm other/b
expect 3 '' "other: class 'a' is none of the 10 classes of run" -- "$JENSEN" eval run other --device ref
# Classes go by their names: a folder has them in the order of the letters, and may lack some.
"$JENSEN" data convert builtin:size=60,test=20 --out pics --format ppm >/dev/null
cp -r pics/test few && rm -r few/disc few/star
evaluate() { "$JENSEN" eval run "$1" --device ref --json; }
evaluate builtin:size=60,test=20 >whole.json
evaluate pics >pics.json
evaluate few >few.json
expect 0 '^ok$' '' -- python3 -c '
import json
whole, pics, few = (json.load(open(n + ".json")) for n in ("whole", "pics", "few"))
for key in ("samples", "accuracy", "top5", "classes", "confusion"):
    assert whole[key] == pics[key], key
assert abs(whole["loss"] - pics["loss"]) < 1e-9
assert whole["classes"] == few["classes"] and whole["classes"] != sorted(whole["classes"])
for name, a, b in zip(whole["classes"], whole["confusion"], few["confusion"]):
    assert b == ([0] * 10 if name in ("disc", "star") else a), (name, a, b)
assert few["samples"] == 16
print("ok")'
expect 2 '' 'a run folder and a data set' -- "$JENSEN" eval run
# Classes whose names have spaces and quotes: a line is read from its end, whatever the path.
unsign run
sed -i 's/"disc"/"dark disc 0.5"/; s/"star"/"a \\"star\\""/; s/"square"/"tab\\tbed"/; s/"cross"/"o\x27clock,"/' run/model.json
expect 0 '*' '' -- "$JENSEN" predict run new --top 10 --json --device ref
cp stdout.txt top.jsonl
expect 0 '^new/b\.ppm ("[^"]|[a-z_0-9]+ )' '' -- "$JENSEN" predict run new --top 10 --device ref
cp stdout.txt top.txt
expect 0 '^ok$' '' -- python3 -c '
import json, re
field = re.compile(r"(.*) (\"(?:[^\"]|\"\")*\"|[^\s\"]+) (\d\.\d{4})", re.S)
seen = set()
for line, want in zip(open("top.txt"), map(json.loads, open("top.jsonl")), strict=True):
    rest, found = line.rstrip("\n"), []
    for _ in range(10):
        rest, name, p = field.fullmatch(rest).groups()
        quoted = name.startswith("\"")
        found.append((name[1:-1].replace("\"\"", "\"") if quoted else name, p))
        assert quoted == bool(re.search(r"[\s\"]", found[-1][0])), name
    assert rest == want["path"], (rest, want)
    assert found[::-1] == [(t["class"], "%.4f" % t["probability"]) for t in want["top"]], (found, want)
    seen |= {n for n, _ in found}
assert {"dark disc 0.5", "a \"star\"", "tab\tbed", "o\x27clock,"} < seen, seen
print("ok")'
rm run/model.safetensors
expect 3 '' 'not finished' -- "$JENSEN" predict run new
finish
