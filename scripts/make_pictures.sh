#!/usr/bin/env bash
# scripts/make_pictures.sh [PROGRAM] [FOLDER] - pictures of the product's pages and of the
# terminal for the documentation, into docs/img. Needs Chromium and Python with Pillow
# (scripts/setup.sh peers); takes some minutes of two cores. The pictures on the pages are
# those that the program generates, with wrong labels put in. JENSEN_PICTURES keeps the runs
# in a folder, so that a second call only draws.
set -euo pipefail
cd "$(dirname "$0")/.."
tree=$PWD
jensen=$(realpath "${1:-build/release/jensen}")
out=$(realpath -m "${2:-docs/img}")
mkdir -p "$out"
if [ -n "${JENSEN_PICTURES-}" ]; then
    work=$JENSEN_PICTURES
    mkdir -p "$work"
else
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
fi
cd "$work"

# few COLOURS FILE OUT
few() {
    /usr/bin/python3 - "$@" <<'PYTHON'
import sys
from PIL import Image
image = Image.open(sys.argv[2]).convert("RGB").quantize(int(sys.argv[1]), dither=Image.Dither.NONE)
image.save(sys.argv[3], optimize=True)
PYTHON
}
# shot NAME WIDTH HEIGHT ADDRESS: NAME.png and NAME-dark.png, in few colours.
shot() {
    local name=$1 size=$2,$3 address=$4 mode flags
    for mode in light dark; do
        flags=()
        [ $mode = light ] || flags=(--blink-settings=preferredColorScheme=0)
        chromium --headless --no-sandbox --hide-scrollbars --disable-gpu --window-size="$size" \
            --virtual-time-budget=4000 "${flags[@]}" --screenshot=shot.png "$address" >/dev/null 2>&1
        few 96 shot.png "$out/$name$([ $mode = light ] || echo -dark).png"
    done
}
# terminal NAME TITLE <TEXT: 108 columns, so that the lines of a study stay whole.
terminal() { sed "s|$work/||g" | fold -s -w 108 | sed 's/ *$//' | /usr/bin/python3 "$tree/scripts/terminal_svg.py" "$out/$1.svg" "$2"; }
# typed COMMAND...: as it is typed, then what it says.
typed() {
    echo "\$ jensen $*"
    "$jensen" "$@" 2>&1
}

# The demonstration's comparison.
[ -e demo/report.html ] || "$jensen" demo -q >/dev/null
shot page-demo 1100 820 "file://$work/demo/report.html"

# A folder with one wrong label in five: the run's page, the audit's, the review's.
if [ ! -e photos ]; then
    "$jensen" data convert builtin:size=1000,test=0,hard=0.1 --out pictures >/dev/null
    mv pictures/train photos
    (cd photos && ls -d */*.png) | awk -F/ '{ class[$1] = 1; line[NR] = $0 }
        END { for (c in class) name[n++] = c
              srand(1); for (i = 1; i <= NR; i++) if (rand() < 0.2) {
                  split(line[i], p, "/"); do to = name[int(rand() * n)]; while (to == p[1])
                  print "photos/" line[i], "photos/" to "/x" i ".png" } }' |
        while read -r from to; do mv "$from" "$to"; done
fi
small=(--network cnn:width=16 --epochs 15 --augment weak --lr 0.1)
[ -e runs/photos/result.json ] || /usr/bin/python3 "$tree/tests/cli/terminal.py" 80 -- \
    "$jensen" train photos "${small[@]}" --out runs/photos >lines.txt 2>said.txt
"$jensen" data info photos --sheet sheet.png >/dev/null
few 64 sheet.png "$out/tutorial-sheet.png"
shot page-report 1100 820 "file://$work/runs/photos/report.html"
[ -e audits/photos/audit.json ] || "$jensen" audit photos -o audits/photos --folds 3 -q \
    --set network=cnn:width=16 --set epochs=15 --set augment=weak --set lr=0.1 >/dev/null
shot page-audit 1100 820 "file://$work/audits/photos/audit.html"
"$jensen" review audits/photos >address.txt 2>/dev/null &
review=$!
for _ in $(seq 50); do
    grep -q http address.txt && break
    sleep 0.2
done
shot page-review 1100 760 "$(grep -o 'http[^ ]*' address.txt | head -1)"
kill $review
wait $review 2>/dev/null || true

# The run beside one with corrected labels.
if [ ! -e compare.html ]; then
    "$jensen" labels apply audits/photos --min-score 0.9 --out labels.csv >/dev/null
    "$jensen" train photos "${small[@]}" --labels labels.csv --out runs/corrected -q >/dev/null
    "$jensen" report runs/photos runs/corrected --out compare.html >/dev/null
fi
shot page-compare 1100 820 "file://$work/compare.html"

# The terminal: a run on its way, an audit, a search, a study.
{
    echo '$ jensen train photos'
    tr -d '\r' <said.txt | sed '/^$/d; /^epoch 8/,$d'
    grep -o 'epoch 8/.*' lines.txt | sed -n 3p
} | terminal terminal-train 'jensen train'
if [ ! -e tuned.txt ]; then
    rm -f tune.db
    "$jensen" tune photos --study first --store sqlite:///tune.db --network cnn:width=8 --epochs 15 >tuned.txt 2>&1
fi
{
    echo '$ jensen tune photos'
    grep -E '^(trial|chosen|accuracy|train with|  jensen)' tuned.txt
} | terminal terminal-tune 'jensen tune'
if [ ! -e study.txt ]; then
    rm -f jensen.db
    {
        typed sweep create losses builtin:size=1000,test=200 --axis loss=ce,gce,gjs --noise sym:rate=0.4 --seeds 2 \
            --network cnn:width=16 --lr 0.1 --epochs 15
        typed sweep run losses --max-trials 4
        typed sweep status losses
        typed sweep best losses
    } | grep -E '^(\$|study|trial|losses|[0-9]+ complete|best|  )' >study.txt
fi
terminal terminal-sweep 'jensen sweep' <study.txt
ls -l "$out"/page-*.png "$out"/terminal-*.svg
