# jensen audit --again: wrong labels that a review has left, from a random sample of the others.
. "$(dirname "$0")/cli.sh"
data=builtin:size=200,test=0
"$JENSEN" noise $data --noise sym-other:rate=0.3 --seed 5 --out noisy.csv >/dev/null
{ echo path,label; awk -F, 'NR > 1 { print $1 "," $3 }' noisy.csv; } >wrong.csv
{ echo path,label; tail -n +2 noisy.csv | awk -F'[,/]' '{ print $1 "/" $2 "/" $3 "," $2 }'; } >true.csv
tail -n +2 noisy.csv | awk -F, '{ for (c = 0; c < 10; c++) printf "%s ", c == $2 ? 0.91 : 0.01; print "" }' |
    python3 "$SOURCE/tests/cli/npy.py" p.npy 200 10
"$JENSEN" audit $data --labels wrong.csv --posteriors p.npy --labels-only -o a >/dev/null
# The reviewer answers with the truth: FILE lists paths in its second column.
review() { { echo path,label; tail -n +2 "$1" | cut -d, -f2 | head -"$2" | while read -r path; do grep "^$path," true.csv; done; } >answers.csv
    "$JENSEN" labels import a answers.csv --checked >/dev/null; }
review a/suspects.csv 20

# Of 180 labels that nobody has decided about, 50 are drawn, none twice; the same command does not draw again.
expect 0 '^to check +50 of 50 labels, drawn from 180; jensen review a$' '' -- "$JENSEN" audit a --again
expect 0 '^50$' '' -- sh -c "tail -n +2 a/check.csv | cut -d, -f2 | sort -u | wc -l | tr -d ' '"
tail -n +2 a/check.csv | cut -d, -f2 | sort >drawn.txt
tail -n +2 a/decisions.csv | cut -d, -f1 | sort >made.txt
expect 1 '' '' -- sh -c 'comm -12 drawn.txt made.txt | grep .'
cp a/check.csv first.csv
expect 0 '"population":180,"sample":50,"checked":0,.*"left":null,' '' -- "$JENSEN" audit a --again --json
expect 0 '' '' -- cmp a/check.csv first.csv
# It is not the order of the data.
expect 1 '' '' -- sh -c 'tail -n +2 a/check.csv | cut -d, -f2 | sort -c 2>/dev/null'

# Checked: the interval holds what is really left, and is that of the hypergeometric distribution.
review a/check.csv 49
expect 0 '^to check +1 of 50 labels' '' -- "$JENSEN" audit a --again
review a/check.csv 50
"$JENSEN" labels apply a --out now.csv >/dev/null
left=$("$JENSEN" labels diff now.csv true.csv | wc -l)
"$JENSEN" audit a --again --json >again.json
expect 0 '^True$' '' -- python3 -c "import json; d = json.load(open('again.json')); print(d['checked'] == 50 and 0 < d['wrong'] < 50 and d['left_low'] <= $left <= d['left_high'] and abs(d['left'] - d['wrong'] / 50 * 130) < 1e-9 and abs(d['noise_rate'] - d['left'] / 200) < 1e-9)"
expect 0 '^checked +50 labels of 180: [0-9]+ wrong, 0 unsure wrong labels +[0-9.]+% left, [0-9.]+% to [0-9.]+% \([0-9]+ to [0-9]+ labels\) $' '' -- sh -c "'$JENSEN' audit a --again | tr '\n' ' '"
# Decisions since the draw are said; one that is unsure widens the interval upwards alone.
high=$(python3 -c 'import json; print(json.load(open("again.json"))["left_high"])') low=$(python3 -c 'import json; print(json.load(open("again.json"))["left_low"])')
other=$(tail -n +2 a/scores.csv | cut -d, -f1 | grep -vxFf drawn.txt | grep -vxFf made.txt | head -1)
echo "$other,keep,,1" >>a/decisions.csv
expect 0 'later +1 other labels were decided since the sample was drawn' '' -- "$JENSEN" audit a --again
sure=$(grep ',keep,' a/decisions.csv | cut -d, -f1 | grep -xFf drawn.txt | head -1)
echo "$sure,unsure,,1" >>a/decisions.csv
"$JENSEN" audit a --again --json >again.json
expect 0 '^True$' '' -- python3 -c "import json; d = json.load(open('again.json')); print(d['unsure'] == 1 and d['left_low'] == $low and d['left_high'] > $high)"
# A new sample is of those that are left.
expect 0 '^to check +20 of 20 labels, drawn from 129' '' -- "$JENSEN" audit a --again --check 20
expect 0 '^to check +129 of 129 labels, drawn from 129' '' -- "$JENSEN" audit a --again --check 500
review a/check.csv 129
expect 0 'wrong labels +0.0% left, 0.0% to 0.0% \(0 to 0 labels\)' '' -- "$JENSEN" audit a --again
expect 2 '' 'all labels were looked at' -- "$JENSEN" audit a --again --check 5

expect 2 '' "--check goes with --again" -- "$JENSEN" audit $data --check 5
expect 2 '' '^usage: jensen audit DATA.*DIR --again \[--check N\]; ' -- "$JENSEN" audit $data --check 5
expect 3 '' 'audit.json' -- "$JENSEN" audit nowhere --again
sed -i 's/,129$/,1290/' a/check.csv
expect 3 '' 'check.csv: 129 labels of 1290, the data has 200; draw a new sample' -- "$JENSEN" audit a --again
printf 'rank,path\n1,x\n' >a/check.csv
expect 3 '' 'check.csv' -- "$JENSEN" audit a --again
finish
