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
expect 0 '^new/deep/a, b.ppm ' '' -- "$JENSEN" predict run new --device ref
expect 0 '^\{"path":"new/b.ppm","class":"[a-z_0-9]+","probability":[0-9.e-]+\}$' '' -- \
    "$JENSEN" predict run new/b.ppm --json --device ref
expect 0 '"top":\[\{"class":"[a-z_0-9]+","probability":[0-9.e-]+\},\{.*\},\{.*\}\]' '' -- \
    "$JENSEN" predict run new/b.ppm --json --top 3 --device ref

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
expect 0 '"path":"broken.png","error":".+"' '*' -- "$JENSEN" predict run new/b.ppm broken.png --json --device ref
expect 3 '' 'none of 2 images could be read' -- "$JENSEN" predict run broken.png missing.png --device ref
mkdir empty
expect 3 '' 'no image in the folders' -- "$JENSEN" predict run empty --device ref
expect 3 '' 'nowhere' -- "$JENSEN" predict nowhere new/b.ppm
expect 2 '' 'wants images' -- "$JENSEN" predict run
expect 2 '' 'brings its own network' -- "$JENSEN" predict run new --network mlp
expect 2 '' 'needs a run folder and images' -- "$JENSEN" predict
expect 1 '' 'no/such' -- "$JENSEN" predict run new --csv no/such.csv --device ref
expect 4 '' '*' -- "$JENSEN" predict run new --device cuda:99
rm run/model.safetensors
expect 3 '' 'not finished' -- "$JENSEN" predict run new
finish
