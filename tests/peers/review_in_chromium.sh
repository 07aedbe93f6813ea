# review_in_chromium.sh BUILD [SHOTS] - the page of `jensen review` in Chromium, driven by keys: review_in_chromium.py.
set -u
jensen=$(cd "$1" && pwd)/jensen
here=$(cd "$(dirname "$0")" && pwd)
shots=${2:+$(cd "$2" && pwd)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chromium=$(command -v chromium || command -v chromium-browser)
if [ -z "$chromium" ]; then
    echo "review_in_chromium: skipped, there is no Chromium"
    exit 0
fi
if "$jensen" doctor | grep -q 'libmicrohttpd *missing'; then
    echo "review_in_chromium: skipped, there is no libmicrohttpd"
    exit 0
fi
cd "$work" || exit 1
# 10,000 of 12,000 labels are wrong.
data=builtin:size=12000,test=0
"$jensen" noise $data --noise none --out true.csv >/dev/null || exit 1
awk -F, 'NR == 1 { print "path,label" } NR > 1 { print $1 "," (NR <= 10001 ? ($2 + 1 + NR % 3) % 10 : $2) }' true.csv >wrong.csv
tail -n +2 true.csv | awk -F, '{ for (c = 0; c < 10; c++) printf "%s ", c == $2 ? 0.91 : 0.01; print "" }' |
    python3 "$here/../cli/npy.py" p.npy 12000 10
"$jensen" audit $data --labels wrong.csv --posteriors p.npy --labels-only -o a >/dev/null || exit 1
[ "$(tail -n +2 a/suspects.csv | wc -l)" -eq 10000 ] || sed -i '10002,$d' a/suspects.csv
python3 "$here/review_in_chromium.py" "$jensen" "$chromium" a $shots
