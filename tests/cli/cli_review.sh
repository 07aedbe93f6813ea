# jensen review: the page's server. Strangers, paths, load, decisions, kills: review_client.py.
. "$(dirname "$0")/cli.sh"
client="python3 $SOURCE/tests/cli/review_client.py"

expect 2 '' 'needs the folder of an audit' -- "$JENSEN" review
"$JENSEN" noise builtin:size=200,test=0 --noise sym-other:rate=0.4 --seed 3 --out noisy.csv >/dev/null
{ echo path,label; awk -F, 'NR > 1 { print $1 "," $3 }' noisy.csv; } >wrong.csv
tail -n +2 noisy.csv | awk -F, '{ for (c = 0; c < 10; c++) printf "%s ", c == $2 ? 0.91 : 0.01; print "" }' |
    python3 "$SOURCE/tests/cli/npy.py" a.npy 200 10
"$JENSEN" audit builtin:size=200,test=0 --labels wrong.csv --posteriors a.npy -o a >/dev/null || complain audit
if "$JENSEN" doctor | grep -q 'libmicrohttpd *missing'; then
    expect 2 '' 'libmicrohttpd' -- "$JENSEN" review a
    expect 2 '' 'libmicrohttpd' -- "$JENSEN" review nowhere
    echo "skipped: no libmicrohttpd"
    finish
    exit
fi
expect 3 '' 'nowhere' -- "$JENSEN" review nowhere
expect 2 '' 'port' -- "$JENSEN" review a --port 70000

expect 0 '' '' -- $client strangers a
expect 0 '' '' -- $client load a
expect 0 '' '' -- $client decisions a
# What was decided is what `labels apply` takes: 1 relabelled, 1 removed, 1 undone.
expect 0 '"changed":1,"images":200,"decided":25,"removed":1' '' -- "$JENSEN" labels apply a --out x.csv --json
cp -r a killed && rm killed/decisions.csv
expect 0 '' '' -- $client killed killed
# A row that lacks its end, as an editor leaves it, counts.
printf 'path,decision,label,time\n%s,remove,,1' "$(sed -n 2p a/suspects.csv | cut -d, -f2)" >a/decisions.csv
expect 0 '"decided":1,.*"removed":1' '' -- "$JENSEN" labels apply a --out x.csv --json
expect 0 '^200 .*"seen":2' '' -- $client decide a 1 keep
expect 0 '"decided":2,.*"removed":1' '' -- "$JENSEN" labels apply a --out x.csv --json
# As a spreadsheet saves it: a mark before the names, lines that end in its way.
{ printf '\357\273\277' && sed 's/$/\r/' a/decisions.csv; } >saved.csv && mv saved.csv a/decisions.csv
expect 0 '^200 .*"seen":3' '' -- $client decide a 2 keep
expect 0 '"decided":3,.*"removed":1' '' -- "$JENSEN" labels apply a --out x.csv --json
printf 'a,b\n1,2\n' >a/decisions.csv
expect 3 '' 'decisions.csv: the first row is not path,decision,label,time' -- "$JENSEN" review a
rm a/decisions.csv && ln -s ../noisy.csv a/decisions.csv
expect 3 '' 'a symbolic link' -- "$JENSEN" review a
rm a/decisions.csv
sed -i 2d a/scores.csv
expect 3 '' '199 images were audited, the data has 200; audit it again' -- "$JENSEN" review a

# A folder with a link that leads out of it, and with names that are HTML.
mkdir -p data/'<b>bold<' data/plain
"$JENSEN" data convert builtin:size=40,test=0 --out images --format ppm >/dev/null
ls -d images/train/*/* | head -20 | while read -r file; do
    n=$((${n:-0} + 1))
    cp "$file" "data/$([ $((n % 2)) = 0 ] && echo plain || echo '<b>bold<')/$n.ppm"
done
mv data/plain/2.ppm 'data/plain/"><script>alert(1)<.ppm'
"$JENSEN" data convert builtin:size=10,test=0 --out other --format ppm >/dev/null
cp "$(ls -d other/train/*/* | tail -1)" secret.ppm
ln -s ../../secret.ppm data/plain/link.ppm
# The first class fits every image: all of the others are suspects.
awk 'BEGIN { for (i = 0; i < 21; i++) print (i < 10 ? "0.9 0.1" : "0.8 0.2") }' | python3 "$SOURCE/tests/cli/npy.py" d.npy 21 2
"$JENSEN" audit data --posteriors d.npy --cutoff 1e-6 --labels-only -o d >/dev/null 2>&1 || complain audit
expect 0 '' '' -- $client paths d data
# The data has moved.
mv data away
expect 3 '' 'data' -- "$JENSEN" review d
expect 0 '^200 ' '' -- env REVIEW_OPTIONS="--data away" $client decide d 0 keep
# A finished run is audited first, once.
"$JENSEN" train builtin:size=60,test=0 --network mlp:width=8 --epochs 1 --device ref --threads 1 --augment none -q --out run >/dev/null 2>&1
"$JENSEN" audit run --cutoff 1e-6 --labels-only -q >/dev/null 2>&1
expect 0 '^200 ' '' -- $client decide run 0 keep
expect 0 '^1$' '' -- sh -c 'ls -d audits/* | wc -l'
finish
