# report_in_chromium.sh BUILD - reports of a run, an ensemble, a comparison and a run that
# is not finished, laid out in Chromium, light and dark, wide and narrow: plots with lines,
# pictures that decode, texts that do not collide, nothing wider than the window, no
# message on the console. The check is checked with pages that are wrong.
set -u
jensen=$(cd "$1" && pwd)/jensen
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chromium=$(command -v chromium || command -v chromium-browser)
if [ -z "$chromium" ]; then
    echo "report_in_chromium: skipped, there is no Chromium"
    exit 0
fi
cd "$work" || exit 1
failures=0
complain() {
    echo "report_in_chromium: FAILED: $*"
    failures=$((failures + 1))
}

tiny="--network mlp:width=16 --device ref --batch 10 --threads 1 --workers 0 -q --augment none"
train() { "$jensen" train builtin:size=100,test=40 $tiny "$@" >/dev/null 2>&1 || complain "train $*"; }
train --noise sym:rate=0.4 --loss gjs --val-fraction 0.2 --consistency every --epochs 8 --out gjs
train --noise sym:rate=0.4 --loss ce --consistency every --epochs 8 --out ce
train --noise sym:rate=0.4 --loss ce --consistency every --epochs 8 --seed 2 --out ce2
train --loss ce --members 2 --epochs 3 --out both
cp -r ce half && rm half/result.json half/evaluation.json
cp gjs/report.html single.html
cp -r gjs builtin-size_100-gjs-sym-rate_0.4-s1-0123abcd
"$jensen" report gjs builtin-size_100-gjs-sym-rate_0.4-s1-0123abcd ce ce2 --out compare.html >/dev/null || complain "comparison"
"$jensen" report half --out half.html >/dev/null || complain "unfinished run"
"$jensen" report both --out both.html >/dev/null || complain "ensemble"

cat >script.html <<'SCRIPT'
<pre id="result"></pre><script>
for (const fold of document.querySelectorAll('details')) fold.open = true;
const found = [];
const figures = [...document.querySelectorAll('figure > svg')];
let lines = 0;
for (const figure of figures) {
    const edge = figure.getBoundingClientRect();
    if (edge.width < 50 || edge.height < 50) found.push('problem: a figure is not shown');
    const scale = edge.width / figure.viewBox.baseVal.width;
    if (scale < .75) found.push(`problem: texts at ${scale.toFixed(2)} of their size`);
    for (const path of figure.querySelectorAll('path.j-line'))
        lines += path.getTotalLength() > 1;
    const texts = [...figure.querySelectorAll('text')].filter(t => t.textContent !== '');
    const boxes = texts.map(t => t.getBoundingClientRect());
    boxes.forEach((a, i) => {
        if (a.left < edge.left - .5 || a.right > edge.right + .5)
            found.push(`problem: outside: ${texts[i].textContent}`);
        boxes.slice(0, i).forEach((b, j) => {
            const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
            const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
            if (width > .5 && height > 2.5)
                found.push(`problem: '${texts[i].textContent}' on '${texts[j].textContent}'`);
        });
    });
}
const pictures = [...document.querySelectorAll('img')];
for (const picture of pictures)
    if (!picture.complete || picture.naturalWidth === 0) found.push('problem: a broken picture');
const page = document.scrollingElement;
if (page.scrollWidth > window.innerWidth + 1)
    found.push(`problem: ${page.scrollWidth} wide in a window of ${window.innerWidth}`);
for (const box of document.querySelectorAll('.scroll'))
    if (window.innerWidth >= 1100 && box.scrollWidth > box.clientWidth + 1)
        found.push(`problem: a table of ${box.scrollWidth} in ${box.clientWidth} scrolls`);
const light = getComputedStyle(document.body).backgroundColor === 'rgb(255, 255, 255)';
found.push(`figures ${figures.length} lines ${lines} pictures ${pictures.length} light ${light}`);
document.getElementById('result').textContent = found.join('\n');
</script>
SCRIPT

# look PAGE WIDTH SCHEME: what the script finds; SCHEME 0 is dark, 1 light.
look() {
    sed '/Content-Security-Policy/d' "$1" >probe.html
    cat script.html >>probe.html
    timeout 120 "$chromium" --headless --no-sandbox --disable-gpu --dump-dom \
        --window-size="$2",900 --blink-settings=preferredColorScheme="$3" \
        "file://$work/probe.html" 2>/dev/null |
        tr '\n' '\v' | sed 's|.*<pre id="result">||; s|</pre>.*||' | tr '\v' '\n'
}
# console PAGE: what the browser says while it shows the page as it is.
console() {
    timeout 120 "$chromium" --headless --no-sandbox --disable-gpu --dump-dom \
        --enable-logging=stderr --v=0 "file://$work/$1" 2>&1 >/dev/null | grep CONSOLE
}

# Wrong pages must be found out.
echo '<figure><svg width="100" height="60"><text x="5" y="20">one two</text>
<text x="9" y="22">three</text></svg></figure><img src="data:image/png;base64,AAAA">
<div style="width:3000px">x</div><div class="scroll" style="width:90px;overflow-x:auto">
<div style="width:99px">x</div></div>
<figure><svg width="60" viewBox="0 0 100 60"></svg></figure>' >wrong.html
wrong=$(look wrong.html 1100 1)
for what in 'texts at 0.60' "on 'one two'" 'broken picture' 'wide in a window' 'in 90 scrolls'; do
    echo "$wrong" | grep -q "$what" || complain "the check does not see: $what"
done
echo '<script>console.error("oh")</script>' >loud.html
console loud.html | grep -q oh || complain "the check does not hear the console"

# expect PAGE FIGURES LINES PICTURES: at least so many.
expect() {
    local width scheme result words light
    for width in 1100 500; do
        for scheme in 1 0; do
            result=$(look "$1" $width $scheme)
            if echo "$result" | grep -q 'problem:'; then
                complain "$1 at $width: $(echo "$result" | grep 'problem:' | sort -u | head -5)"
            fi
            words=($(echo "$result" | grep '^figures'))
            [ "${words[1]:-0}" -ge "$2" ] && [ "${words[3]:-0}" -ge "$3" ] &&
                [ "${words[5]:-0}" -ge "$4" ] || complain "$1: ${words[*]}"
            [ $scheme = 1 ] && light=true || light=false
            [ "${words[7]:-}" = $light ] || complain "$1: light is ${words[7]:-}, not $light"
        done
    done
    result=$(console "$1")
    [ -z "$result" ] || complain "$1 on the console: $result"
}
expect single.html 4 9 10
expect compare.html 1 12 10
expect half.html 1 5 0
expect both.html 2 4 0
echo "report_in_chromium: $failures problems"
[ "$failures" -eq 0 ]
