# Names from outside on the terminal: control characters, bytes that are not UTF-8 and
# characters that turn the direction of reading are shown, not obeyed.
. "$(dirname "$0")/cli.sh"

# clean FILE...: nothing in them that a terminal obeys but ends of lines and tabs.
clean() {
    python3 - "$@" <<'PYTHON'
import sys, unicodedata
bad = {chr(c) for c in (*range(0x202a, 0x202f), *range(0x2066, 0x206a))}
for path in sys.argv[1:]:
    for c in open(path, "rb").read().decode("utf-8"):  # fails on bytes that are none
        if (unicodedata.category(c) == "Cc" and c not in "\n\t") or c in bad:
            sys.exit(f"{path}: {c!r}")
PYTHON
}
expect_clean() { clean stdout.txt stderr.txt || complain "obeyed by a terminal" "$@"; }

tiny="--network mlp:width=16 --device ref --batch 4 --epochs 1 --threads 1 --workers 0 --augment fit -q"
evil=$(printf 'e\033[2Jv\a\r\177i\302\233l\342\200\256gnp\342\201\246')
latin=$(printf 'caf\351')
mkdir -p "photos/$evil" "photos/plain"
for n in 1 2 3 4 5 6 7 8; do
    for class in "$evil" plain; do
        printf 'P6\n2 2\n255\n%012d' $n >"photos/$class/$n.ppm"
    done
done
printf 'P6 nothing' >"photos/$evil/bad$evil.ppm"
mkdir odd
printf 'P6 nothing' >"odd/$latin.ppm"
printf 'x' >"photos/plain/line
feed.ppm"

expect 0 '*' '*' -- "$JENSEN" train photos $tiny --val-fraction 0 --max-bad 5 --out run
expect_clean train
for arguments in 'data info photos' 'data check photos' 'eval run photos' 'eval run photos --json' \
    'predict run photos' 'predict run photos --json' 'noise photos --noise sym:rate=0.5 --out n.csv' \
    'train photos --max-bad 0 --network mlp --device ref --epochs 1 --out other'; do
    "$JENSEN" $arguments >stdout.txt 2>stderr.txt
    cases=$((cases + 1))
    expect_clean $arguments
done
expect 0 'e\\u001b\[2Jv\\u0007\\u000d\\u007fi\\u009bl\\u202egnp\\u2066' '*' -- "$JENSEN" predict run "photos/$evil/1.ppm"
expect 0 '/1.ppm ' '*' -- "$JENSEN" predict run "photos/$evil/1.ppm"
# JSON says the same names as before, by its own escapes; CSV has the bytes.
expect 0 '*' '*' -- "$JENSEN" predict run "photos/$evil/1.ppm" --json --csv p.csv
cp stdout.txt said.json
expect 0 '^ok$' '' -- python3 -c '
import csv, json, sys
want = sys.argv[1]
assert json.load(open("said.json"))["path"] == want
assert list(csv.reader(open("p.csv", newline="")))[1][0] == want
print("ok")' "photos/$evil/1.ppm"
# Sentences of failures, and names that are not UTF-8 or have more than one line.
expect 3 '' 'no\\u001b\[31mwhere' -- "$JENSEN" report "$(printf 'no\033[31mwhere')"
expect 2 '' "no command 'x\\\\u0007'" -- "$JENSEN" "$(printf 'x\a')"
expect 3 '' 'caf\\xe9.ppm: ' -- "$JENSEN" predict run "odd/$latin.ppm"
expect 3 '' 'line\\u000afeed.ppm: ' -- "$JENSEN" predict run "photos/plain/line
feed.ppm"
# A terminal gets no more than a pipe.
if ! command -v script >/dev/null || ! has_terminals; then
    echo "skipped: what a terminal gets, for want of pseudo-terminals"
else
    cases=$((cases + 4))
    script -qec "'$JENSEN' data info photos" /dev/null </dev/null >raw.txt 2>&1
    tr -d '\r' <raw.txt >stdout.txt
    : >stderr.txt
    expect_clean on a terminal
    # Colours only where they are known and wanted.
    warn() { env "$@" script -qec "'$JENSEN' train run/../photos $tiny --max-bad 5 --out coloured-$#-$1" /dev/null </dev/null 2>&1; }
    warn TERM=xterm >raw.txt && grep -q "$(printf '\033')\[33mwarning" raw.txt || complain "no colour on a terminal that has some"
    warn TERM=dumb >raw.txt && ! grep -q "$(printf '\033')" raw.txt || complain "colours on a terminal that has none"
    warn TERM=xterm NO_COLOR=1 >raw.txt && ! grep -q "$(printf '\033')\[33m" raw.txt || complain "colours with NO_COLOR"
fi
finish
