# jensen demo, much shortened: both losses, a table, a page, and nothing twice.
# labels: sanitize_slow
. "$(dirname "$0")/cli.sh"
short="--epochs 1 --size 100 --threads 1 --seeds 2"
expect 0 'test accuracy, last epoch, % .* \+- ' 'training with GJS, seed 2' -- \
    "$JENSEN" demo $short --out d
cp stdout.txt first.txt
for part in 'cross-entropy +GJS' 'best epoch' 'mislabelled: true class found' \
    'consistency, label wrong' 'time, s' 'GJS is ahead in [012] of 2 seeds' \
    '[34][0-9]\.[0-9]% of the labels are wrong' 'd/report.html' 'jensen train photos/'; do
    expect 0 "$part" '' -- cat first.txt
done
expect 0 'Consistency, label wrong' '' -- cat d/report.html
expect 0 'href="gjs-e1-s2/report.html"' '' -- cat d/report.html
# The same command finds everything done, and says the same.
expect 0 'GJS is ahead' '*' -- "$JENSEN" demo $short --out d
cp stdout.txt second.txt
expect 0 '' '' -- cmp first.txt second.txt
# With -v every epoch of both runs has a line, and has it once.
expect 0 'GJS is ahead' '*' -- "$JENSEN" demo -v --epochs 2 --size 100 --threads 1 --out v
grep -E '^epoch ' stderr.txt >epochs.txt
expect 0 '^4$' '' -- grep -c . epochs.txt
expect 2 '' 'takes no argument' -- "$JENSEN" demo now
expect 1 '' 'cannot|Not a directory|no/such' -- "$JENSEN" demo $short --out /dev/null/x
finish
