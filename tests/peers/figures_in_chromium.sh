# figures_in_chromium.sh BUILD - draws the figures, lays them out in Chromium and fails
# when two texts of a figure overlap or one leaves it. The check itself is checked with a
# figure whose texts collide. rsvg-convert must read every figure, too.
set -u
jensen=$(cd "$1" && pwd)/jensen
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chromium=$(command -v chromium || command -v chromium-browser)
if [ -z "$chromium" ]; then
    echo "figures_in_chromium: skipped, there is no Chromium"
    exit 0
fi

"$root/scripts/make_figures.sh" "$jensen" "$work/img" || exit 1
if command -v rsvg-convert >/dev/null; then
    for figure in "$work"/img/*.svg; do
        rsvg-convert "$figure" -o "$work/out.png" || exit 1
    done
fi

# problems FILE...: the collisions in these figures, one a line, and their number.
problems() {
    {
        echo '<html><head><meta charset="utf-8"></head><body>'
        for figure in "$@"; do
            echo "<div id='$(basename "$figure")'>"
            cat "$figure"
            echo '</div>'
        done
        cat <<'SCRIPT'
<pre id="result"></pre><script>
const found = [];
for (const figure of document.querySelectorAll('div > svg')) {
    const name = figure.parentNode.id, edge = figure.getBoundingClientRect();
    const texts = [...figure.querySelectorAll('text')].filter(
        t => t.textContent !== '' && !t.closest('.j-edge'));
    const boxes = texts.map(t => t.getBoundingClientRect());
    boxes.forEach((a, i) => {
        if (a.left < edge.left - .5 || a.right > edge.right + .5 ||
            a.top < edge.top - .5 || a.bottom > edge.bottom + .5)
            found.push(`problem: ${name}: outside: ${texts[i].textContent}`);
        boxes.slice(0, i).forEach((b, j) => {
            const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
            const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
            if (width > .5 && height > 2.5)
                found.push(`problem: ${name}: '${texts[i].textContent}' on ` +
                           `'${texts[j].textContent}'`);
        });
    });
}
found.push(`checked ${document.querySelectorAll('div > svg').length}`);
document.getElementById('result').textContent = found.join('\n');
</script></body></html>
SCRIPT
    } >"$work/page.html"
    timeout 120 "$chromium" --headless --no-sandbox --disable-gpu --dump-dom \
        "file://$work/page.html" 2>/dev/null |
        tr '\n' '\v' | sed 's|.*<pre id="result">||; s|</pre>.*||' | tr '\v' '\n'
}

cat >"$work/bad.svg" <<'BAD'
<svg xmlns="http://www.w3.org/2000/svg" width="100" height="50"><text x="5" y="20">one
</text><text x="10" y="22">two</text><text x="90" y="40">far outside</text></svg>
BAD
bad=$(problems "$work/bad.svg")
case $bad in
*"outside: far"*) ;;
*) echo "figures_in_chromium: the check accepts a text outside"; exit 1 ;;
esac
case $bad in
*"' on '"*) ;;
*) echo "figures_in_chromium: the check accepts texts that overlap"; exit 1 ;;
esac

result=$(problems "$work"/img/*.svg)
count=$(find "$work/img" -name '*.svg' | wc -l)
if grep -q 'problem:' <<<"$result" || ! grep -q "checked $count" <<<"$result"; then
    echo "$result"
    exit 1
fi
echo "figures_in_chromium: $count figures, no texts overlap"
