# jensen audit, jensen labels apply: labels that were made wrong are found and put right.
. "$(dirname "$0")/cli.sh"
data=builtin:size=200,test=0

# A fifth of the labels is wrong; the probabilities know the truth.
"$JENSEN" noise $data --noise sym-other:rate=0.2 --seed 3 --out noisy.csv >/dev/null
{ echo path,label; awk -F, 'NR > 1 { print $1 "," $3 }' noisy.csv; } >wrong.csv
tail -n +2 noisy.csv | awk -F, '{ for (c = 0; c < 10; c++) printf "%s ", c == $2 ? 0.91 : 0.01; print "" }' |
    python3 "$SOURCE/tests/cli/npy.py" p.npy 200 10

expect 0 '"images":200,"suspects":40,.*"noise_rate":0\.2,.*"method":"combined".*"folds":0,.*"in_sample":false' '' -- \
    "$JENSEN" audit $data --labels wrong.csv --posteriors p.npy -o a --json
expect 0 '^rank,path,given,suggested,score,p_given,p_suggested,kind$' '' -- head -1 a/suspects.csv
expect 0 '^1,train/[a-z0-9_]+/[0-9]+.png,[a-z0-9_]+,[a-z0-9_]+,0\.[0-9]+,0\.01,0\.91,label$' '' -- sed -n 2p a/suspects.csv
expect 0 '^201$' '' -- sh -c "wc -l <a/scores.csv | tr -d ' '"
expect 0 '^40$' '' -- sh -c "tail -n +2 a/suspects.csv | wc -l | tr -d ' '"
# The suspects are the ones that were changed, no others.
awk -F, 'NR > 1 && $2 != $3 { print $1 }' noisy.csv | sort >changed.txt
awk -F, 'NR > 1 { print $2 }' a/suspects.csv | sort >found.txt
expect 0 '' '' -- cmp changed.txt found.txt
# The page is one file: pictures inside, no script, no other address.
expect 0 'Audit of builtin.*wrong labels, estimated.*Suspects.*Confused classes' '' -- sh -c "tr '\n' ' ' <a/audit.html"
expect 1 '' '' -- grep -qE '<script|<link|src="[^d]|href="http' a/audit.html
expect 0 'wrong labels +20\.0%, .*suspects +40 of 200.*suspects.csv.*next +jensen review a2' '' -- \
    sh -c "'$JENSEN' audit $data --labels wrong.csv --posteriors p.npy -o a2 | tr '\n' ' '"
expect 0 '' '' -- cmp a/scores.csv a2/scores.csv
for method in unmixed confident self-confidence margin normalized-margin entropy agreement consistency; do
    expect 0 "\"method\":\"$method\"" '' -- \
        "$JENSEN" audit $data --labels wrong.csv --posteriors p.npy -o m --method $method --json
done

# Probabilities of several views: their mean, and what they disagree in.
for view in 1 2 3; do tail -n +2 noisy.csv |
    awk -F, -v v=$view '{ for (c = 0; c < 10; c++) printf "%s ", c == (NR == 7 && v == 2 ? ($2 + 1) % 10 : $2) ? 0.91 : 0.01; print "" }'; done |
    python3 "$SOURCE/tests/cli/npy.py" v.npy 3 200 10
expect 0 '"suspects":40,' '' -- "$JENSEN" audit $data --labels wrong.csv --posteriors v.npy -o v --json
for method in agreement consistency; do
    "$JENSEN" audit $data --labels wrong.csv --posteriors v.npy -o v --method $method --cutoff 1e-6 >/dev/null
    expect 0 "$(sed -n 8p noisy.csv | cut -d, -f1)" '' -- sh -c 'grep -vFf changed.txt v/suspects.csv | sed -n 2p'
done
python3 - <<'PY'
import array
data = open("v.npy", "rb").read()
wide = array.array("d", array.array("f", data[128:])).tobytes()
open("wide.npy", "wb").write(data[:128].replace(b"<f4", b"<f8") + wide)
PY
"$JENSEN" audit $data --labels wrong.csv --posteriors wide.npy -o wide >/dev/null
"$JENSEN" audit $data --labels wrong.csv --posteriors v.npy -o v >/dev/null
expect 0 '' '' -- cmp v/scores.csv wide/scores.csv
expect 3 '' 'not float32 or float64 probabilities of up to 1000 views, 100 images' -- "$JENSEN" audit builtin:size=100,test=0 --posteriors v.npy -o x

# Suggestions that are taken give the true labels back, in a file that train reads.
expect 0 'true.csv: 40 of 200 labels changed' '' -- "$JENSEN" labels apply a --min-score 0.5 --out true.csv
expect 0 '"changed":0' '' -- "$JENSEN" noise $data --noise file:true.csv,column=label --json
# What a person decides comes first: the last decision on an image counts.
first=$(sed -n 2p a/suspects.csv | cut -d, -f2) second=$(sed -n 3p a/suspects.csv | cut -d, -f2)
third=$(sed -n 4p a/suspects.csv | cut -d, -f2)
printf 'path,decision,label,time\n%s,remove,,1\n%s,relabel,star,2\n%s,keep,,3\n%s,keep,,4\n' \
    "$first" "$second" "$third" "$second" >a/decisions.csv
expect 0 '"changed":37,"images":200,"decided":3,"removed":1' '' -- \
    "$JENSEN" labels apply a --min-score 0.5 --out some.csv --json
expect 0 '"changed":0,"images":200,"decided":3,"removed":1' '' -- "$JENSEN" labels apply a --out some.csv --json
expect 0 "^$first,\$" '' -- cat some.csv # left out of training
grep -v "^$first," true.csv >some2.csv

# What was changed can be seen.
{ echo path,label; awk -F, 'NR > 1 { print $1 "," $2 }' a/scores.csv; } >given.csv
expect 0 '"changed":40,"added":0,"removed":0' '' -- "$JENSEN" labels diff given.csv true.csv --json
expect 0 '"changed":0,"added":0,"removed":1' '' -- "$JENSEN" labels diff true.csv some2.csv --json
expect 0 '' '' -- "$JENSEN" labels diff true.csv true.csv
printf 'path,label\nb,cat\na,dog\n' >one.csv
printf 'path,label\na,cat\nc,"x,y"\n' >two.csv
expect 0 '^a.dog.cat b.cat.- c.-.x,y $' '' -- sh -c "'$JENSEN' labels diff one.csv two.csv | tr '\n' ' '"
printf 'path,label\na,cat\na,dog\n' >twice.csv
expect 3 '' "twice.csv:3: 'a' has a row already" -- "$JENSEN" labels diff one.csv twice.csv
expect 3 '' 'none.csv' -- "$JENSEN" labels diff one.csv none.csv
expect 2 '' 'two label files' -- "$JENSEN" labels diff one.csv

# Refusals say what is wrong.
expect 2 '' 'nothing is decided yet.*--min-score' -- "$JENSEN" labels apply a2 --out x.csv
expect 3 '' 'scores.csv' -- "$JENSEN" labels apply nowhere --out x.csv
printf 'path,decision,label,time\n%s,perhaps,,1\n' "$first" >a2/decisions.csv
expect 3 '' "decisions.csv:2: no decision 'perhaps'" -- "$JENSEN" labels apply a2 --out x.csv
expect 2 '' "no method 'margins'; did you mean 'margin'" -- \
    "$JENSEN" audit $data --posteriors p.npy -o x --method margins
expect 3 '' 'not the probabilities of 100 images' -- "$JENSEN" audit builtin:size=100,test=0 --posteriors p.npy -o x
tail -n +2 noisy.csv | awk '{ print "0.5 0.5 0.5 0 0 0 0 0 0 0" }' | python3 "$SOURCE/tests/cli/npy.py" bad.npy 200 10
expect 3 '' 'bad.npy: audit: row 0 of the probabilities' -- "$JENSEN" audit $data --posteriors bad.npy -o fresh/x
expect 1 '' '' -- test -e fresh # what fails leaves nothing
expect 3 '' 'none.npy' -- "$JENSEN" audit $data --posteriors none.npy -o x
expect 0 "^next +jensen review 'it'.''s here'\$" '' -- "$JENSEN" audit $data --labels wrong.csv --posteriors p.npy -o "it's here"
printf 'path;label\nx;y\n' >semicolons.csv
expect 3 '' "no column 'label' .*cells are separated by commas, not by ';'" -- "$JENSEN" audit $data --labels semicolons.csv --posteriors p.npy -o x
expect 2 '' 'needs one data set' -- "$JENSEN" audit
expect 3 '' 'a: this is the folder of an audit; .jensen review. shows it' -- "$JENSEN" audit a
for n in $(seq 2001); do mkdir -p many/$n && printf 'P6 1 1 255\nabc' >many/$n/1.ppm; done
expect 3 '' 'many: 2001 classes; an audit takes at most 2000' -- "$JENSEN" audit many
expect 1 '' '' -- test -e audits
# Before any network is trained.
for wrong in '--method margins' '--set network=cmm' '--set epoch=1' '--set noise=none'; do
    expect 2 '' 'did you mean|the audit sets this itself|no network' -- "$JENSEN" audit builtin:size=60,test=0 $wrong -o early
    expect 1 '' '' -- test -e early
done
expect 3 '' '^jensen audit: none.csv: no such file of labels$' -- "$JENSEN" audit builtin:size=60,test=0 --labels none.csv -o early
mkdir begun && : >begun/config.yaml && : >begun/environment.json
expect 3 '' 'begun: the run is not finished; the command that started it continues it' -- "$JENSEN" audit begun
# Probabilities that know nothing are said to.
tail -n +2 noisy.csv | awk '{ for (c = 0; c < 10; c++) printf "%s ", c == 7 ? 0.19 : 0.09; print "" }' |
    python3 "$SOURCE/tests/cli/npy.py" blind.npy 200 10
expect 0 '*' 'hardly fit the labels better than a guess' -- "$JENSEN" audit $data --posteriors blind.npy -o x

# Out of sample by folds; a fold that is there is not trained again.
folds="--folds 2 --set network=mlp:width=8 --set epochs=1 --set device=ref --set threads=1 --set augment=none -q"
# What all folds share is told of the first one, -v tells all; the other epochs come every ten seconds.
for more in '' -v; do
    "$JENSEN" audit builtin:size=60,test=0 ${folds% -q} --set epochs=3 -o "told$more" $more >/dev/null 2>"told$more.txt"
done
expect 0 '^2 1 1 1$' '' -- sh -c 'for line in "^fold" "^loss:" "epoch 1/3:" "epoch [1-3]/3:"; do printf "%s " $(grep -cE "$line" told.txt); done | sed "s/ $//"'
expect 0 '^2 2 2 6$' '' -- sh -c 'for line in "^fold" "^loss:" "epoch 1/3:" "epoch [1-3]/3:"; do printf "%s " $(grep -cE "$line" told-v.txt); done | sed "s/ $//"'
expect 0 '"folds":2,.*"in_sample":false' '*' -- "$JENSEN" audit builtin:size=60,test=0 $folds -o f --json
cp f/scores.csv before.csv
expect 0 '"folds":2' 'fold 2 of 2' -- "$JENSEN" audit builtin:size=60,test=0 ${folds% -q} -o f --json
expect 0 '' '' -- cmp before.csv f/scores.csv
# Another way to write the folder continues the same audit.
rm -rf f/audit.json f/folds/fold-2
expect 0 '"folds":2' '*' -- "$JENSEN" audit builtin:size=60,test=0 $folds -o "$PWD/./f" --json
expect 0 '' '' -- cmp before.csv f/scores.csv
rm -rf f/audit.json f/folds/fold-2
(mkdir -p elsewhere && cd elsewhere && "$JENSEN" audit builtin:size=60,test=0 $folds -o ../f >/dev/null 2>&1) || complain "other working folder"
expect 0 '' '' -- cmp before.csv f/scores.csv
expect 0 '"folds":2' '*' -- "$JENSEN" audit builtin:size=60,test=0 $folds --mirror --method consistency -o f --json
expect 1 '' '' -- cmp -s before.csv f/scores.csv
expect 2 '' "--set noise: the audit sets this itself.*--labels" -- "$JENSEN" audit builtin:size=60,test=0 --set noise=sym:rate=0.4 -o g
expect 2 '' 'OPTION=VALUE' -- "$JENSEN" audit builtin:size=60,test=0 --set epochs -o g
# A finished run serves as well, and is marked.
expect 0 '"images":60,.*"in_sample":true' '*' -- "$JENSEN" audit f/folds/fold-1 -o r --json
"$JENSEN" data convert builtin:size=40,test=0 --out here --format ppm >/dev/null
"$JENSEN" train here --val-fraction 0 --network mlp:width=8 --epochs 1 --device ref -q --out left >/dev/null 2>&1
mv here gone
expect 3 '' "left: the data of this run: 'here' is not a file or folder" -- "$JENSEN" audit left -o x
# What is judged are the labels that it was trained on, whatever order it has them in.
"$JENSEN" train builtin:size=60,test=0 --val-fraction 0.2 --noise sym:rate=0.4 --network mlp:width=8 --epochs 1 \
    --device ref --threads 1 --augment none -q --out shuffled >/dev/null 2>&1
expect 0 '"images":60' '*' -- "$JENSEN" audit shuffled --labels-only -o s --json
python3 - >judged.txt <<'PY'
import csv, json
names = json.load(open("s/audit.json"))["classes"]
given = {row["path"]: row["given"] for row in csv.DictReader(open("s/scores.csv"))}
used = {row["path"]: names[int(row["used"])] for row in csv.DictReader(open("shuffled/labels.csv"))}
print(len(given), len(used), sum(given[path] != label for path, label in used.items()))
PY
expect 0 '^60 50 0$' '' -- cat judged.txt
# Those of --labels are judged in its validation part, too; the file may have moved since.
"$JENSEN" noise builtin:size=60,test=0 --noise sym-other:rate=0.4 --seed 2 --out drawn.csv >/dev/null
{ echo path,label; awk -F, 'NR > 1 { print $1 "," $3 }' drawn.csv; } >owned.csv
"$JENSEN" train builtin:size=60,test=0 --val-fraction 0.2 --labels owned.csv --network mlp:width=8 --epochs 1 \
    --device ref --threads 1 --augment none -q --out labelled >/dev/null 2>&1
expect 0 '"labels":"owned.csv","images":60' '*' -- "$JENSEN" audit labelled --labels-only -o l --json
cat >judged.py <<'PY'
import csv, json, sys
names = json.load(open(sys.argv[1] + "/audit.json"))["classes"]
given = {row["path"]: row["given"] for row in csv.DictReader(open(sys.argv[1] + "/scores.csv"))}
file = {row["path"]: names[int(row["label"])] for row in csv.DictReader(open("owned.csv"))}
print(len(given), sum(given[path] != label for path, label in file.items()))
PY
expect 0 '^60 0$' '' -- python3 judged.py l
expect 0 'owned.csv' '' -- cat l/audit.html
mkdir -p sub && cp -r labelled sub/ && cp owned.csv sub/moved.csv
expect 3 '' 'owned.csv: .*trained with --labels owned.csv, which its validation images need: --labels FILE names' -- \
    sh -c "cd sub && '$JENSEN' audit labelled --labels-only -o l"
expect 0 '"labels":"moved.csv"' '*' -- sh -c "cd sub && '$JENSEN' audit labelled --labels moved.csv --labels-only -o l --json"
finish
