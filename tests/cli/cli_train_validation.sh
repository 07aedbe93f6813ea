# jensen train: where the validation part comes from, also beside a label file that does
# not list every image or that has no paths.
. "$(dirname "$0")/cli.sh"
tiny="--network mlp:width=16 --device ref --batch 10 --epochs 1 --threads 1 --workers 0 --augment none --loss ce"
"$JENSEN" data convert builtin:size=120,test=40 --out pics --format ppm >/dev/null
train() { # RUN DATA OPTIONS...
    local run=$1 data=$2
    shift 2
    "$JENSEN" train "$data" $tiny --out "$run" "$@"
}
rows() { sed 1d "$1/labels.csv" | wc -l | tr -d ' '; }

# One validation part: nothing that is asked for is dropped in silence.
expect 2 '' '--val pics/test and --val-fraction 0.2 both choose the validation data' -- \
    train x pics/train --val pics/test --val-fraction 0.2
expect 0 '*' '^data: 120 training, 40 validation' -- train a pics/train --val pics/test --val-fraction 0
mkdir both && cp -r pics/train both/train && cp -r pics/test both/val
expect 0 '*' '^data: 120 training, 40 validation' -- train b both
expect 0 '*' '^warning: the 40 validation images of the data are not used: --val-fraction 0.1 keeps 10' -- \
    train c both --val-fraction 0.1
# Data that has a test or validation split alone trains on it, and is not tested on it.
expect 0 '*' '^data: 30 training, 10 validation, 0 test' -- train test-alone pics,split=test --val-fraction 0.25
expect 0 '*' '^data: 30 training, 10 validation, 0 test' -- train val-alone both,split=val --val-fraction 0.25
# Training images under another name are no test, which is said.
same='images are the training images .*: the accuracy on them says nothing of new ones'
expect 0 '*' "^warning: the test $same" -- train same-test pics --test pics/train
expect 0 '*' "^warning: the validation $same" -- train same-val pics/train --val both,split=train
cp -r pics/train copy
expect 0 '*' "^warning: the test $same" -- train same-copy pics/train --test copy --val-fraction 0.1
for class in copy/*; do # as many images of as many classes, other ones
    mv $class/0000.ppm x && mv $class/0001.ppm $class/0000.ppm && mv x $class/0001.ppm
done
expect 0 '*' '*' -- train other-test pics/train --test copy
cp stderr.txt said.txt
expect 1 '' '' -- grep 'says nothing' said.txt

# missing=val: every listed image is trained on, every other one validates.
"$JENSEN" noise pics/train --noise sym:rate=0.4 --out all.csv >/dev/null
awk 'NR == 1 || NR % 3 != 0' all.csv >part.csv # 80 of 120
sed "2,\$s,^,train/," part.csv >below.csv
part="--noise file:part.csv,missing=val"
expect 0 '*' '^data: 80 training, 40 validation, 0 test' -- train d pics/train $part
expect 0 '*' '^data: 80 training, 40 validation, 40 test' -- train e pics/train $part --test pics/test
expect 0 '*' 'the 40 validation images of the data are not used: missing=val keeps 40' -- \
    train f both --noise file:below.csv,missing=val
expect 0 '*' '^data: 110 training, 10 validation' -- train g pics/train --noise file:all.csv,missing=val
# --subset counts what is trained on, also there.
expect 0 '*' '^data: 30 training, 40 validation, 0 test' -- train few pics/train $part --subset 30
for run in d e g few; do # and the settings train the same again
    expect 0 '*' '*' -- "$JENSEN" train --config $run/config.yaml --out $run-again -q
    expect 0 '' '' -- cmp $run/labels.csv $run-again/labels.csv
    expect 0 '' '' -- cmp $run/model.safetensors $run-again/model.safetensors
done
expect 2 '' 'keeps 40 images for validation, --val asks for others' -- train x pics/train $part --val pics/test
expect 2 '' 'for validation, --val-fraction asks for others' -- train x pics/train $part --val-fraction 0.2
expect 2 '' 'which have no noisy labels; --val-labels must be clean' -- train x pics/train $part --val-labels noisy
head -1 all.csv >none.csv
expect 3 '' "120 of 120 samples have no row, the first is '[^']*'$" -- \
    train x pics/train --noise "file:none.csv,missing=val" --val-fraction 0

# Labels without paths are in the order of the data, whatever part of it is trained on.
cut -d, -f2 all.csv | sed 's/given/label/' >right.csv
cut -d, -f3 all.csv >noisy.csv
expect 0 'real +0.00%' '*' -- train h pics/train --noise file:right.csv
expect 0 'real +0.00%' '*' -- train i pics/train --noise file:right.csv --subset 50 --val-labels noisy
expect 0 '*' '*' -- train j pics/train --noise file:noisy.csv
expect 0 '*' '*' -- train k pics/train --noise file:all.csv
expect 0 '' '' -- cmp j/labels.csv k/labels.csv
head -101 right.csv >start.csv
expect 0 'real +0.00%' '^data: 100 training, 20 validation' -- train l pics/train --noise file:start.csv,missing=val
echo 0 >>right.csv
expect 3 '' 'right.csv: 121 rows, the data has 120 samples' -- train x pics/train --noise file:right.csv
expect 0 '^80 80$' '' -- echo "$(rows d) $(rows e)"
finish
