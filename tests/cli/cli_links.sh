# Links in a run folder are not followed out of it, whoever put them there; links on the way
# to it are.
. "$(dirname "$0")/cli.sh"
tiny="--network mlp:width=4 --device ref --batch 8 --threads 1 --workers 0 --augment fit --image-size 8 --epochs 2 -q"
data=builtin:size=40,test=8
victim() { echo precious >victim.txt; }
safe() { expect 0 '^precious$' '' -- cat victim.txt; }
victim
expect 0 '*' '*' -- "$JENSEN" train $data $tiny --out calm
sum=$(grep -oE '"weights_sha256": *"[0-9a-f]+"' calm/result.json)

# What is written takes the place of a link.
for name in report.html config.yaml environment.json labels.csv model.json model.safetensors evaluation.json \
    doubtful.csv result.json metrics.csv; do
    rm -rf planted && mkdir planted
    ln -s ../victim.txt planted/$name
    touch planted/.lock
    "$JENSEN" train $data $tiny --out planted >/dev/null 2>&1
    safe
    [ $name = result.json ] || [ $name = metrics.csv ] || expect 1 '' '' -- test -L planted/$name
done
# What is added to, or locked, is refused.
for name in metrics.jsonl log.txt .lock checkpoint.safetensors; do
    rm -rf planted && mkdir planted
    ln -s ../victim.txt planted/$name
    "$JENSEN" train $data $tiny --out planted >/dev/null 2>stderr.txt
    safe
done
rm -rf planted && mkdir planted
ln -s ../victim.txt planted/.lock
expect 3 '' 'planted/.lock: a symbolic link' -- "$JENSEN" train $data $tiny --out planted
ln -sf ../nowhere.txt planted/.lock
expect 3 '' 'planted/.lock: a symbolic link' -- "$JENSEN" train $data $tiny --out planted
expect 1 '' '' -- test -e nowhere.txt
# Folders of a run are not links either.
mkdir elsewhere
for members in 1 2; do
    name=$([ $members = 1 ] && echo doubtful || echo member-2)
    rm -rf planted && mkdir planted
    ln -s ../elsewhere planted/$name
    expect 3 '' "planted/$name.*: a symbolic link" -- "$JENSEN" train $data $tiny --members $members --out planted
    expect 0 '^0$' '' -- sh -c 'ls -A elsewhere | wc -l'
done
# Temporary files have names that nobody knows beforehand; old ones are no way in.
rm -rf planted && mkdir planted
for pid in $(seq $(($$ + 1)) $(($$ + 300))); do ln -s ../victim.txt planted/report.html.tmp$pid; done
expect 0 '*' '*' -- "$JENSEN" train $data $tiny --out planted
safe

# What is read is the run's own.
secret=$PWD/secret.png
"$JENSEN" data convert builtin:size=40,test=8,seed=9 --out pictures --format png >/dev/null
cp "$(ls pictures/train/*/0000.png | head -1)" "$secret"
for name in config.yaml result.json evaluation.json metrics.jsonl; do
    rm -rf read && cp -r calm read
    mv read/$name moved && ln -s ../moved read/$name
    expect 3 '' "read/$name: a symbolic link; the files of a run folder are its own" -- "$JENSEN" report read --out page.html
done
for name in model.safetensors model.json; do
    rm -rf read && cp -r calm read
    mv read/$name moved && ln -s ../moved read/$name
    expect 3 '' "read/$name: a symbolic link" -- "$JENSEN" predict read "$secret" --device ref
done
rm -rf read && cp -r calm read
first=$(ls read/doubtful | head -1)
expect 0 'png' '' -- echo "$first"
"$JENSEN" report read --out with.html >/dev/null
ln -sf "$secret" read/doubtful/$first
expect 0 '*' '*' -- "$JENSEN" report read --out without.html
expect 0 '' '' -- test $(wc -c <without.html) -lt $(wc -c <with.html)
expect 1 '' '' -- grep -qF "$(base64 -w 60 "$secret" | sed -n 2p)" without.html
mv read/doubtful away && ln -s ../away read/doubtful
expect 0 '*' '*' -- "$JENSEN" report read --out without.html
expect 1 '' '' -- grep -q 'data:image/png' without.html

# The way to the folder may be links: runs itself, what is above it, and --out.
mkdir -p real/runs there
ln -s real/runs runs
expect 0 '*' '*' -- "$JENSEN" train $data $tiny
expect 0 'result.json' '' -- sh -c 'ls real/runs/*'
ln -s there link
expect 0 '*' '*' -- "$JENSEN" train $data $tiny --out link
expect 0 "$sum" '' -- cat there/result.json
expect 0 '' '' -- test -L link
expect 0 '*' '*' -- "$JENSEN" report link
expect 0 '*' '*' -- "$JENSEN" train $data $tiny --out link/below/run
expect 0 "$sum" '' -- cat there/below/run/result.json
ln -s nothing-there dangling
expect 1 '' 'dangling: the folder cannot be created: .*a link that leads nowhere' -- "$JENSEN" train $data $tiny --out dangling
expect 1 '' '' -- test -e nothing-there
# A user's own link as an output file stays, and what it leads to is replaced.
echo old >target.html && ln -s target.html page-link.html
expect 0 '*' '*' -- "$JENSEN" report calm --out page-link.html
expect 0 '' '' -- test -L page-link.html
expect 0 'html' '' -- head -c 200 target.html
finish
