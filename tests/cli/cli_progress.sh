# The progress line keeps to the width of the terminal, however narrow and when it changes;
# it tells the time left of the whole run; without a terminal there are plain lines.
# labels: slow
. "$(dirname "$0")/cli.sh"
if ! has_terminals; then
    echo "skipped: no pseudo-terminals"
    exit 0
fi
small=(train builtin:size=300,test=100 --network cnn:width=8 --epochs 4 --batch 8
    --augment none --consistency never --threads 1)

# Every state of the line fits, with room for the ^C of the terminal, and names the time
# left; there were some, and PATTERN occurs. lines.txt is what terminal.py printed.
# check NAME PATTERN [LINES]: at least so many states, else four.
check() {
    cases=$((cases + 1))
    cp lines.txt stdout.txt
    if ! awk '$1 > $2 - 2 { wide = 1 } END { exit wide || NR < least }' least="${3:-4}" lines.txt; then
        complain "$1: a line is too wide, or there are too few" "$1"
    elif grep -v ' left' lines.txt | grep -qv 'final'; then
        complain "$1: a line without the time left" "$1"
    elif ! grep -qE "$2" lines.txt; then
        complain "$1: no '$2'" "$1"
    fi
}

on_terminal() { python3 "$SOURCE/tests/cli/terminal.py" "$@" >lines.txt 2>stderr.txt; }

for width in 80 50 40 24; do
    on_terminal $width -- "$JENSEN" "${small[@]}" --out "run$width"
    check "$width columns" "^[0-9]+ $width epoch [1-4]/4.*  [0-9:]+ left"
done
on_terminal 80 -- "$JENSEN" "${small[@]}" --out full
check "80 columns, all parts" 'epoch 3/4 \[[#.]+\] +[0-9]+%  [0-9:]+ left  run [5-7][0-9]%  loss .*  acc '
# There are epochs enough from here on that a busy machine sees the change in time.
long=("${small[@]}" --epochs 40)
on_terminal 100 --resize 40 -- "$JENSEN" "${long[@]}" --out narrower
check "narrower" '^[0-9]+ 40 epoch '
on_terminal 40 --resize 100 -- "$JENSEN" "${long[@]}" --out wider
check "wider" '^[0-9]+ 100 epoch .* left  run'

# Ctrl-C in an epoch, and the same command again.
cases=$((cases + 1))
on_terminal 50 --interrupt 'epoch 2/40' -- "$JENSEN" "${long[@]}" --out stopped
code=$?
[ $code -eq 75 ] || complain "Ctrl-C: exit $code" "$JENSEN train"
check "interrupted" left 1
on_terminal 50 -- "$JENSEN" "${long[@]}" --out stopped
cases=$((cases + 1))
grep -qE 'continuing (in|after) epoch' stderr.txt || complain "it did not continue" "$JENSEN train"
check "continued" '^[0-9]+ 50 epoch [0-9]+/40' 1

# In the evaluation of an epoch: no step is left by which images a second can be counted.
measured=("${small[@]}" --test builtin:size=200,test=10000 --epochs 1 --out measured)
on_terminal 80 --interrupt 'test ' -- "$JENSEN" "${measured[@]}"
code=$?
cases=$((cases + 2))
[ $code -eq 75 ] || complain "Ctrl-C in the evaluation: exit $code" "$JENSEN train"
"$JENSEN" "${measured[@]}" >stdout.txt 2>stderr.txt
if ! grep -q 'epoch 1/1: ' stderr.txt || grep -q '[^0-9.]0 images/s' stderr.txt; then
    complain "0 images/s" "$JENSEN ${measured[*]}"
fi

# A name in wide characters counts twice, combining ones not at all.
if "$JENSEN" doctor | grep -E '^ *SQLite' | grep -qE '[0-9]+\.[0-9]+'; then
    name='研究研究研究研究研究研究研究研究研究研究研究研究 éé'
    "$JENSEN" sweep create "$name" builtin:size=200 --network cnn:width=8 --batch 8 --epochs 2 \
        --augment none --threads 1 --axis lr=0.01,0.02,0.03 >stdout.txt 2>stderr.txt
    on_terminal 40 -- "$JENSEN" sweep run "$name" --jobs 1
    cases=$((cases + 1))
    if ! awk '$1 > $2 - 2 { wide = 1 } END { exit wide || NR < 2 }' lines.txt; then
        cp lines.txt stdout.txt
        complain "a wide name makes the line too wide" "$JENSEN sweep run"
    fi
fi

# No terminal: no carriage returns, no bars.
expect 0 '*' '*' -- "$JENSEN" "${small[@]}" --out plain
cases=$((cases + 1))
if grep -q "$(printf '\r')" stderr.txt || grep -q '\[#' stderr.txt; then
    complain "a bar where there is no terminal" "$JENSEN train"
fi
finish
