# jensen labels export, jensen labels import: suspects to other programs, and what they made of them.
. "$(dirname "$0")/cli.sh"
"$JENSEN" data convert builtin:size=40,test=0 --out images --format ppm >/dev/null
mkdir data
for class in $(ls images/train | head -3); do
    mkdir "data/$class"
    for n in 1 2 3 4; do cp "$(ls -d images/train/$class/* | sed -n ${n}p)" "data/$class/$n.ppm"; done
done
set -- $(ls data)
a=$1 b=$2 c=$3
mv data/$a/1.ppm "data/$a/1 & 2.ppm"
# Two labels are wrong: those of "1 & 2", which is of the second class, and of c/4, which is of the first.
awk 'BEGIN { for (i = 0; i < 12; i++)
    print (i == 0 ? "0.001 0.998 0.001" : i == 11 ? "0.9 0.05 0.05" : i < 4 ? "0.9 0.05 0.05" : i < 8 ? "0.05 0.9 0.05" : "0.05 0.05 0.9") }' |
    python3 "$SOURCE/tests/cli/npy.py" p.npy 12 3
"$JENSEN" audit data --posteriors p.npy --labels-only -o a >/dev/null 2>&1
expect 0 '^3$' '' -- sh -c "wc -l <a/suspects.csv"
json() { python3 -c "import json, sys; d = json.load(open(sys.argv[1])); print($2)" "$1"; }
fresh() { rm -f a/decisions.csv; }
decided() { tail -n +2 a/decisions.csv | cut -d, -f1-3 | sort | tr '\n' ' '; }

# csv: the table that train takes, and back.
expect 0 '^s.csv: 2 images$' '' -- "$JENSEN" labels export a -o s.csv
expect 0 "^path,label,given,suggested,score,kind $a/1 & 2.ppm,$a,$a,$b,0\.[0-9]+,label $c/4.ppm,$c,$c,$a," '' -- sh -c "tr '\n' ' ' <s.csv"
expect 0 '^all.csv: 12 images$' '' -- "$JENSEN" labels export a --all -o all.csv
expect 0 '"changed":0' '' -- "$JENSEN" noise data --noise file:all.csv,column=label --json
expect 0 '^{"answers":2,"changed":0,"kept":0,"unsure":0,"removed":0}$' '' -- "$JENSEN" labels import a s.csv --json
expect 0 '^2 images: 0 changed, 2 kept, 0 unsure, 0 removed$' '' -- "$JENSEN" labels import a s.csv --checked
fresh
printf "path,label\n$a/1 & 2.ppm,$b\n/home/me/data/$c/4.ppm,\n" >back.csv
expect 0 '^2 images: 1 changed, 0 kept, 0 unsure, 1 removed$' '' -- "$JENSEN" labels import a back.csv
expect 0 "^$a/1 & 2.ppm,relabel,$b $c/4.ppm,remove, $" '' -- decided
# The same again adds nothing; what apply makes of it is as if the page had decided.
expect 0 '^2 images: 0 changed, 0 kept, 0 unsure, 0 removed$' '' -- "$JENSEN" labels import a back.csv
expect 0 '^l.csv: 1 of 12 labels changed, 1 image removed$' '' -- "$JENSEN" labels apply a --out l.csv
# A decision is exported with its label, and can be taken back; a removed image is left out.
expect 0 '^s.csv: 1 image$' '' -- "$JENSEN" labels export a -o s.csv
expect 0 "^$a/1 & 2.ppm,$b,$a,$b," '' -- sed -n 2p s.csv
expect 0 '1 image: 0 changed, 0 kept' '' -- "$JENSEN" labels import a s.csv
printf "path,label\n$a/1 & 2.ppm,$a\n" >back.csv
expect 0 '^1 image: 0 changed, 1 kept' '' -- "$JENSEN" labels import a back.csv

# Label Studio: tasks with predictions, the interface beside them; its JSON and JSON-MIN come back.
fresh
expect 0 '^t.json: 2 images$' '' -- "$JENSEN" labels export a --format label-studio -o t.json
expect 0 "^/data/local-files/\?d=$a/1%20%26%202.ppm $a/1 & 2.ppm $b label image choices$" '' -- json t.json \
    '*(lambda t, r: (t["data"]["image"], t["data"]["path"], r["value"]["choices"][0], r["from_name"], r["to_name"], r["type"]))(d[0], d[0]["predictions"][0]["result"][0])'
expect 0 '^1 1 3$' '' -- python3 -c 'import xml.etree.ElementTree as E; r = E.parse("t.xml").getroot(); print(*(len(list(r.iter(x))) for x in ("Image", "Choices", "Choice")))'
expect 0 '"http://h/x ' '' -- sh -c "'$JENSEN' labels export a --format label-studio --prefix 'http://h/x ' -o u.json >/dev/null && cat u.json"
# Nobody has looked at them: nothing is decided.
expect 0 '^0 images' '' -- "$JENSEN" labels import a t.json --format label-studio
answer() { # PATH LABEL: a task as Label Studio exports it
    printf '{"id":7,"data":{"image":"x","path":"%s"},"annotations":[{"id":3,"was_cancelled":false,"ground_truth":false,"lead_time":4.2,"result":[{"id":"Dx","from_name":"label","to_name":"image","type":"choices","origin":"manual","value":{"choices":["%s"]}}]}],"predictions":[],"file_upload":null}' "$1" "$2"
}
printf '[%s,%s,{"id":9,"data":{"path":"%s/2.ppm"},"annotations":[{"was_cancelled":true,"result":[]}]}]' \
    "$(answer "$a/1 & 2.ppm" $b)" "$(answer $c/4.ppm $c)" $b >done.json
expect 0 '^3 images: 1 changed, 1 kept, 1 unsure, 0 removed$' '' -- "$JENSEN" labels import a done.json --format label-studio
expect 0 "^$a/1 & 2.ppm,relabel,$b $b/2.ppm,unsure, $c/4.ppm,keep, $" '' -- decided
# Exported again, what was decided is an annotation, and comes back as it is.
expect 0 '^u.json: 2 images$' '' -- "$JENSEN" labels export a --format label-studio -o u.json
expect 0 '^2 images: 0 changed, 0 kept, 0 unsure' '' -- "$JENSEN" labels import a u.json --format label-studio
fresh
printf '[{"id":1,"image":"x","path":"%s/1 & 2.ppm","label":"%s"},{"id":2,"path":"%s/4.ppm","label":{"choices":["%s"]}},{"id":3,"path":"%s/2.ppm"}]' $a $c $c $c $b >min.json
expect 0 '^2 images: 1 changed, 1 kept' '' -- "$JENSEN" labels import a min.json --format label-studio

# FiftyOne: names without endings, classes by number.
fresh
expect 0 '^f.json: 12 images$' '' -- "$JENSEN" labels export a --format fiftyone --all -o f.json
expect 0 "^12 0 $b$" '' -- json f.json "len(d['labels']), d['labels']['$a/1 & 2']['label'], d['labels']['$a/1 & 2']['attributes']['suggested']"
expect 0 '^12 images: 0 changed, 0 kept' '' -- "$JENSEN" labels import a f.json --format fiftyone
printf '{"classes":["%s","%s","%s"],"labels":{"%s/1 & 2":1,"/x/data/%s/4.ppm":{"label":"%s","confidence":null},"%s/2":[{"label":0}],"%s/3":null}}' \
    $a $b $c $a $c $a $a $a >f2.json
expect 0 '^3 images: 2 changed, 0 kept' '' -- "$JENSEN" labels import a f2.json --format fiftyone
expect 0 "^$a/1 & 2.ppm,relabel,$b $c/4.ppm,relabel,$a $" '' -- decided

# COCO: a box around the image; the category is the label.
fresh
expect 0 '^c.json: 2 images$' '' -- "$JENSEN" labels export a --format coco -o c.json
expect 0 '^a/coco.json: 2 images$' '' -- "$JENSEN" labels export a --format coco
expect 0 '' '' -- cmp a/coco.json c.json
expect 0 "^$a/1 & 2.ppm $a 3 True$" '' -- json c.json \
    '*(d["images"][0]["file_name"], d["categories"][d["annotations"][0]["category_id"] - 1]["name"], len(d["categories"]), d["annotations"][0]["bbox"] == [0, 0, d["images"][0]["width"], d["images"][0]["height"]] and d["images"][0]["width"] > 0)'
python3 -c 'import json; d = json.load(open("c.json")); d["annotations"][0]["category_id"] = 2; json.dump(d, open("c2.json", "w"))'
expect 0 '^2 images: 1 changed, 1 kept' '' -- "$JENSEN" labels import a c2.json --format coco --checked
expect 0 "^$a/1 & 2.ppm,relabel,$b $c/4.ppm,keep, $" '' -- decided

# Refusals name file, line and entry, and nothing is added.
fresh
refuse() { # FORMAT TEXT SENTENCE
    printf '%s' "$2" >bad
    expect 3 '' "$3" -- "$JENSEN" labels import a bad --format "$1"
}
refuse csv "path,label
$a/2.ppm,$b
nowhere.ppm,$a
" "bad:3: entry 2: no image 'nowhere.ppm'"
refuse csv "path,label
$a/2.ppm,${b}x
" "bad:2: entry 1: no class '${b}x' in the data; did you mean '$b'"
refuse csv "path,label
$a/2.ppm,$b
$a/2.ppm,$c
" "bad:3: entry 2: '$a/2.ppm' had another label before"
refuse label-studio '{}' 'bad:1: not a list of tasks'
refuse label-studio '[1]' 'bad:1: a task is not an object'
refuse label-studio '[{"data":{"image":"x"}}]' "bad:1: key 'path'"
refuse label-studio '[{"data":{"path":"x"},"annotations":[{"result":[{"type":"choices","value":{"choices":["a","b"]}}]}]}]' 'not one class'
refuse label-studio '[{"path":"x","label":["a"]}]' "bad:1: key 'label'"
refuse fiftyone '[]' 'bad:1: not a file of FiftyOne'
refuse fiftyone "{\"classes\":[\"$a\"],\"labels\":{\"$a/2\":1}}" 'bad:1: the label is neither a class'
refuse fiftyone "{\"classes\":null,\"labels\":{\"$a/2\":0}}" 'bad:1: the label is neither a class'
refuse fiftyone "{\"labels\":{\"$a/2\":[\"$a\",\"$b\"]}}" 'one label'
refuse coco '[]' 'bad:1: not a file of COCO'
refuse coco '{"images":[],"categories":[],"annotations":[{"image_id":1,"category_id":1}]}' 'that the file does not have'
refuse coco '{"images":[{"id":1},{"id":1}],"categories":[],"annotations":[]}' 'two entries have this id'
expect 3 '' 'more than 10 bytes of JSON; --limit json=N' -- "$JENSEN" labels import a c.json --format coco --limit json=10
expect 1 '' '' -- test -s a/decisions.csv
expect 2 '' "no format 'label-studios'; did you mean 'label-studio'" -- "$JENSEN" labels export a --format label-studios -o x
expect 0 '^a/export.csv: 2 images$' '' -- "$JENSEN" labels export a
expect 2 '' 'a file, got 1' -- "$JENSEN" labels import a
expect 3 '' 'audit.json' -- "$JENSEN" labels export nowhere -o x
# Two images that differ in their endings alone are one to FiftyOne.
cp data/$a/3.ppm data/$a/3.png
awk 'BEGIN { for (i = 0; i < 13; i++) print "0.4 0.3 0.3" }' | python3 "$SOURCE/tests/cli/npy.py" q.npy 13 3
"$JENSEN" audit data --posteriors q.npy --labels-only -o n >/dev/null 2>&1
expect 3 '' "cannot tell them apart" -- "$JENSEN" labels export n --format fiftyone -o x.json
finish
