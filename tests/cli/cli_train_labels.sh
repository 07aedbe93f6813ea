# Labels from a file (--labels): they are the labels, not noise; what the file does not name
# keeps its own. What a run on them must learn comes from the same labels in a 'csv:' table.
. "$(dirname "$0")/cli.sh"
tiny="--network mlp:width=16 --device ref --batch 10 --epochs 2 --threads 1 --workers 0 --augment none --loss ce -q"
"$JENSEN" data convert builtin:size=100,test=20 --out set --format ppm >/dev/null
sha() { grep -o '"weights_sha256": "[^"]*"' "$1/result.json"; }

# Five stars that are discs, by name and by number; a row that names no image.
(echo path,label
 ls set/train/star | sed 's|.*|train/star/&,disc|' | head -4
 echo train/star/0004.ppm,3
 echo train/cat/0.ppm,disc
 echo train/star/0000.ppm,disc) >new.csv
expect 0 '^run +a$' '*' -- "$JENSEN" train set $tiny --out a
expect 0 '^run +b$' "^labels: new.csv has 5 of the 120 images, 5 with another label than the data; 115 images without a row keep that of the data\$" -- \
    "$JENSEN" train set ${tiny% -q} --labels new.csv --out b
cp stderr.txt said.txt
expect 0 "warning: new.csv: 1 row names no image of set, the first is 'train/cat/0.ppm' in line 7\$" '' -- cat said.txt
expect 0 '^train/star/0003.ppm,8,3,$' '' -- cat b/labels.csv
expect 0 '^train/star/0005.ppm,8,8,$' '' -- cat b/labels.csv
expect 0 '"noise_real": null' '' -- cat b/result.json
expect 0 'labels: new.csv, label noise: none' '' -- cat b/report.html
expect 1 '' '' -- grep -E 'real label noise|wrong label|True class' b/report.html
expect 1 '' '' -- grep -q 'true' b/doubtful.csv

# The same weights as from a table with these labels.
(echo path,label,split
 find set/train set/test -name '*.ppm' | LC_ALL=C sort | while read -r file; do
     class=$(basename "$(dirname "$file")") name=${file#set/}
     case $name in train/star/000[0-4].ppm) class=disc ;; esac
     echo "$name,$class,$(echo "$name" | cut -d/ -f1)"
 done) >set/table.csv
expect 0 '*' '*' -- "$JENSEN" train csv:set/table.csv $tiny --out table
expect 0 '' '' -- test "$(sha b)" = "$(sha table)"
expect 1 '' '' -- test "$(sha a)" = "$(sha b)"

# An empty label leaves an image out, of training and of the test: as if the table lacked it.
(cat new.csv; echo train/disc/0001.ppm,; echo test/star/0000.ppm,) >without.csv
grep -vE '^(train/disc/0001|test/star/0000).ppm' set/table.csv >set/without.csv
expect 0 '*' '; 2 images have an empty label and are left out$' -- "$JENSEN" train set ${tiny% -q} --labels without.csv --out without
expect 0 '*' '*' -- "$JENSEN" train csv:set/without.csv $tiny --out fewer
expect 0 '' '' -- test "$(sha without)" = "$(sha fewer)"
expect 1 '' '' -- test "$(sha without)" = "$(sha b)"
expect 1 '' '' -- grep disc/0001 without/labels.csv

# Tested on the same images: the better of the two is bold, whatever they were trained on.
expect 0 '\*\*' '' -- "$JENSEN" report a b --table markdown
cp stdout.txt said.txt
expect 1 '' '' -- grep 'same test images' said.txt
cp -r a c
sed -i 's/"test_acc": [0-9.]*/"test_acc": 0.99/' b/result.json
expect 0 'new.csv .*\*\*99.00\*\*' '' -- "$JENSEN" report a b --table markdown
# Other test images under the same name do not compare.
sed -i 's/"test_images": "[^"]*"/"test_images": "0"/' c/result.json
unsign c
sed -i 's/^labels:.*//; $a lr: 7' c/config.yaml
expect 0 'Bold is the best of those with the same test images' '' -- "$JENSEN" report b c --table markdown
cp stdout.txt said.txt
expect 1 '' '' -- grep '| *\*\*' said.txt

# A file that has changed is found like data that has; another file is another option, and
# another path to the same one is not.
cp new.csv kept.csv
sed -i '3s/disc/letter_a/' new.csv
cp kept.csv changing.csv
"$JENSEN" train set $tiny --labels changing.csv --out t >/dev/null 2>&1
cp new.csv changing.csv
expect 3 '' 'the data has changed since this run began: as many images, but other ones, or other labels' -- "$JENSEN" train set $tiny --labels changing.csv --out t
expect 2 '' '--labels changing.csv then, kept.csv now' -- "$JENSEN" train set $tiny --labels kept.csv --out t
expect 2 '' '--labels changing.csv then, not given now' -- "$JENSEN" train set $tiny --out t
cp kept.csv changing.csv
expect 0 '*' 't is finished' -- "$JENSEN" train set $tiny --labels "$PWD/changing.csv" --out t

# The validation part has the images that it has without the file, with the file's labels.
sed -n 's|^train/||p' kept.csv | (echo path,label; cat) >part.csv
expect 0 '*' '*' -- "$JENSEN" train set/train $tiny --val-fraction 0.3 --out v0
expect 0 '*' '*' -- "$JENSEN" train set/train $tiny --val-fraction 0.3 --labels kept.csv --out v1
expect 0 '*' '*' -- "$JENSEN" train set/train $tiny --val-fraction 0.3 --labels part.csv --out v2
expect 0 '' '' -- diff <(cut -d, -f1 v0/labels.csv) <(cut -d, -f1 v1/labels.csv)
expect 0 '' '' -- diff v1/labels.csv v2/labels.csv

# Noise goes on top, and takes the file's labels for the truth; a column 'true' tells it.
expect 0 '*' '*' -- "$JENSEN" train set $tiny --labels kept.csv --noise sym-other:rate=0.3 --out n
(echo path,label,true
 echo train/star/0000.ppm,disc,star
 echo train/star/0001.ppm,disc,disc
 echo train/star/0002.ppm,star,
 echo train/star/0003.ppm,letter_a,star
 echo test/star/0000.ppm,disc,star) >true.csv
expect 0 '*' '*' -- "$JENSEN" train set $tiny --labels true.csv --out k
expect 0 '^ok$' '' -- python3 -c '
import csv, json
n = list(csv.DictReader(open("n/labels.csv")))
assert abs(json.load(open("n/result.json"))["noise_real"] - 0.3) < 1e-9
assert sum(r["used"] != r["true"] for r in n) == 30 and sum(r["true"] != r["given"] for r in n) == 5
k = {r["path"]: r for r in csv.DictReader(open("k/labels.csv"))}
assert json.load(open("k/result.json"))["noise_real"] == 2 / 3
assert sum(r["true"] != "" for r in k.values()) == 3
assert k["train/star/0000.ppm"]["true"] == "8" and k["train/star/0000.ppm"]["used"] == "3"
print("ok")'
expect 0 'real label noise.*66.67%' '' -- cat k/report.html

# Refused, with file and line.
refuse() { # LABELS-FILE-TEXT SENTENCE
    printf '%b' "$1" >bad.csv
    expect 3 '' "$2" -- "$JENSEN" train set $tiny --labels bad.csv --out bad
}
refuse 'path,label\ntrain/star/0000.ppm,disc\ntrain/star/0000.ppm,star\n' \
    "bad.csv:3: 'train/star/0000.ppm' has another label than in line 2"
refuse 'path,label\ntrain/star/0000.ppm,zebra\n' "bad.csv:2: 'zebra' is neither a number nor a class"
refuse 'path,label\ntrain/star/0000.ppm,dics\n' "bad.csv:2: 'dics' is neither a number nor a class; did you mean 'disc'\?"
refuse 'rank,path,given,suggested,score\n1,train/star/0000.ppm,star,disc,0.9\n' \
    "bad.csv: a list of an audit, not of labels; 'jensen labels apply DIR --min-score 0.5 --out labels.csv' makes"
refuse 'path,label\ntrain/star/0000.ppm,10\n' 'bad.csv:2: label 10, but there are 10 classes'
refuse 'path,label,true\ntrain/star/0000.ppm,1,-1\n' 'bad.csv:2: label -1'
refuse 'path,given\ntrain/star/0000.ppm,1\n' "label"
refuse 'path,label\nstar/9.ppm,star\n' "none of its rows names an image of set; the first is 'star/9.ppm', an image there is 'train/"
refuse 'path,label\n' 'bad.csv: has no rows'
expect 3 '' 'missing.csv' -- "$JENSEN" train set $tiny --labels missing.csv --out bad
expect 1 '' '' -- test -e bad

# Classes that are named by numbers: a label is a name.
mkdir num && for i in 1 2 10; do mkdir num/$i && cp set/train/star/000[0-5].ppm num/$i/; done
printf 'path,label\n1/0000.ppm,10\n' >num.csv
expect 0 '*' '*' -- "$JENSEN" train num $tiny --val-fraction 0 --labels num.csv --out num-run
expect 0 '^1/0000.ppm,0,1,$' '' -- cat num-run/labels.csv
printf 'path,label\n1/0000.ppm,0\n' >num.csv
expect 3 '' "num.csv:2: '0' is no class" -- "$JENSEN" train num $tiny --labels num.csv --out num-2

# In a study, too.
if "$JENSEN" doctor | grep -E '^ *SQLite' | grep -qE '[0-9]+\.[0-9]+'; then
    expect 0 'with 2 trials' '*' -- "$JENSEN" sweep create s set $tiny --axis labels=kept.csv,true.csv
    expect 0 '2 complete' '*' -- "$JENSEN" sweep run s --jobs 1 -q
    cat runs/*/*/labels.csv >all.txt
    expect 0 '^train/star/0003.ppm,8,3,$' '' -- cat all.txt
    expect 0 '^train/star/0000.ppm,8,3,8$' '' -- cat all.txt
fi
finish
