# jensen train when something is wrong: broken images, empty and unreadable folders, one
# class, a loss that is not finite, a full disk, folders that cannot be written. Each gives
# a sentence and an exit code, and what was kept can be continued.
# labels: slow sanitize_slow
. "$(dirname "$0")/cli.sh"
chmod 755 .
tiny="--network mlp:width=16 --device ref --batch 10 --threads 1 --workers 0 --augment fit"

# picture FILE: 4x4 pixels of any colour.
picture() {
    { printf 'P6\n4 4\n255\n'; head -c 48 /dev/urandom; } >"$1"
}
# classes FOLDER COUNT CLASS...
classes() {
    local folder=$1 count=$2 class i
    shift 2
    for class in "$@"; do
        mkdir -p "$folder/$class"
        for i in $(seq "$count"); do picture "$folder/$class/$i.ppm"; done
    done
}

# Some images are broken, or of a format that nobody reads: they are left out, listed, and the run goes on.
classes photos 50 cat dog
echo 'not an image' >photos/cat/7.ppm
: >photos/dog/9.ppm
printf 'GIF89a......' >photos/dog/x.gif
expect 0 '^run +r' '3 broken images were left out; see r/bad_images.csv' -- \
    "$JENSEN" train photos $tiny --epochs 2 --val-fraction 0 --image-size 32 --out r
expect 0 '^path,reason$' '' -- head -1 r/bad_images.csv
expect 0 'cat/7.ppm,.+' '' -- cat r/bad_images.csv
expect 0 'dog/9.ppm,.+' '' -- cat r/bad_images.csv
expect 0 'dog/x.gif,.*GIF image' '' -- cat r/bad_images.csv
expect 0 '^4$' '' -- sh -c "wc -l <r/bad_images.csv | tr -d ' '"
expect 0 '3 images could not be read' '' -- cat r/report.html
expect 3 '' 'broken' -- "$JENSEN" train photos $tiny --epochs 2 --val-fraction 0 \
    --image-size 32 --out strict --max-bad 1 -q

# Data that has changed since, in a finished run and in one that was stopped behind its last checkpoint.
again() { "$JENSEN" train photos $tiny --epochs 2 --val-fraction 0 --image-size 32 --lr 0.01 -q --out r2 "$@"; }
expect 0 '*' '*' -- again
for state in finished stopped; do
    mv photos/cat photos/lynx
    expect 3 '' 'r2: the data has changed since this run began: as many images.*; put it back to continue the run, or train on the new data with --out NEW' -- again
    cp stderr.txt said.txt
    expect 1 '' '' -- grep usage: said.txt
    mv photos/lynx photos/cat
    mv photos/cat/3.ppm kept.ppm
    expect 3 '' 'changed.*then 101 images of 2 classes, now 100 images of 2' -- again
    expect 2 '' 'r2: this run has other options: --lr 0.01 then, 0.02 now, and other data \(then 101' -- again --lr 0.02
    mv kept.ppm photos/cat/3.ppm
    expect 2 '' 'r2: this run has other options: --lr 0.01 then, 0.02 now; choose another folder \(--out\) or delete it' -- \
        again --lr 0.02
    expect 2 '' ': --network [^;]* then, [^;]* now; --epochs 2 then, 3 now; --lr 0.01 then, 0.02 now; and 1 more; choose' -- \
        again --network mlp:width=8 --seed 5 --epochs 3 --lr 0.02
    # Another way to the same folder, or another number of broken images to bear, is no other run.
    for way in ./photos "$PWD/photos" folder:photos; do
        expect 0 '^run +r2$' '*' -- "$JENSEN" train "$way" $tiny --epochs 2 --val-fraction 0 --image-size 32 --lr 0.01 -q --out r2
    done
    expect 0 '^run +r2$' '*' -- again --max-bad 50
    cp -r photos elsewhere
    expect 2 '' 'other options: --data [^ ]*photos then, elsewhere now; choose' -- \
        "$JENSEN" train elsewhere $tiny --epochs 2 --val-fraction 0 --image-size 32 --lr 0.01 -q --out r2
    rm -r elsewhere
    # config.yaml is for reading: what it says after an edit is not what the run began with.
    cp r2/config.yaml kept.yaml
    [ $state = finished ] || rm -f r2/result.json
    sed -i 's/^lr: .*/lr: 0.02/' r2/config.yaml
    expect 2 '' 'r2: this run has other options; choose' -- again --lr 0.02
    cp kept.yaml r2/config.yaml
    expect 0 '*' '*' -- again
    rm r2/result.json
done
printf 'path,label\n' >labels.csv
(cd photos && ls */*.*) | sed 's/$/,1/; /3.ppm/s/1$/0/' >>labels.csv
named="--epochs 1 --val-fraction 0 --image-size 32 -q --out r3 --noise file:labels.csv"
expect 0 '*' '*' -- "$JENSEN" train photos $tiny $named
sed -i '/7.ppm/s/1$/0/' labels.csv
expect 3 '' 'r3: the data has changed.*other labels' -- "$JENSEN" train photos $tiny $named

# Nothing to learn from.
mkdir none
expect 3 '' 'none: no images in class folders' -- "$JENSEN" train none $tiny --out x
expect 3 '' 'nothere' -- "$JENSEN" train folder:nothere $tiny --out x
classes single 30 cat
expect 3 '' 'class' -- "$JENSEN" train single $tiny --epochs 1 --out x -q
expect 1 '' '' -- test -e x

mkdir -p rubbish/cat rubbish/dog
for i in $(seq 12); do echo "no image $i" | tee rubbish/cat/$i.ppm >rubbish/dog/$i.ppm; done
expect 3 '' 'of at least two classes; none of the [0-9]* of .cat. can be read, nor any of 1 other class, such as rubbish/.*ppm: not an image' -- \
    "$JENSEN" train rubbish $tiny --epochs 2 --out rubbish-run -q
expect 1 '' '' -- test -e rubbish-run/model.safetensors
expect 3 '' 'epoch 1: none of the test images could be used, such as rubbish/.*not an image' -- \
    "$JENSEN" train photos $tiny --epochs 2 --image-size 32 --test rubbish --out rubbish-test -q
expect 3 '' 'epoch 1: none of the validation images could be used' -- \
    "$JENSEN" train photos $tiny --epochs 2 --image-size 32 --val rubbish --out rubbish-val -q
expect 3 '' 'none of 24 images could be used, such as rubbish/' -- "$JENSEN" eval r rubbish --device ref
classes few 3 cat dog
classes alone 1 cat dog owl
expect 3 '' 'too few to keep any for validation; --val-fraction 0 keeps none' -- \
    "$JENSEN" train alone $tiny --batch 2 --epochs 1 --val-fraction 0.1 --out x -q
expect 0 '*' '^data: 3 training, 0 validation' -- "$JENSEN" train alone $tiny --batch 2 --epochs 1 --out alone-run
expect 0 '*' '^data: 5 training, 1 validation' -- "$JENSEN" train few $tiny --batch 2 --epochs 1 --out spared
expect 0 '*' "warning: class '(cat|dog)' .[23] images. has no validation image" -- \
    "$JENSEN" train --config spared/config.yaml --out spared-again
expect 0 '' '' -- cmp spared/labels.csv spared-again/labels.csv
expect 0 '*' '*' -- "$JENSEN" train few $tiny --batch 2 --epochs 1 --val-fraction 0 --out few-run -q

# Three broken images in five batches of two: at least one batch has one image left, too few for a BatchNorm
# over one pixel. It is passed over; a batch of one is refused before anything is written.
classes halves 5 cat dog
for i in 1 2 3; do echo x >halves/cat/$i.ppm; done
lone="train halves --network resnet18 --image-size 32 --augment fit --epochs 1 --val-fraction 0 --consistency never -q"
expect 0 '*' '3 images cannot be read' -- "$JENSEN" $lone --batch 2 --out halves-run
expect 2 '' 'BatchNorm cannot train on one value a channel; use a batch of 2 or more' -- "$JENSEN" $lone --batch 1 --out lone
expect 1 '' '' -- test -e lone/config.yaml

# An augmentation that does not go with the size of the images is a wrong choice; they are not broken.
sized="--epochs 1 --val-fraction 0 --image-size 8 -q"
expect 2 '' "none and '(cat|dog)/[0-9]+.ppm'.* is 4x4, not 8x8; 'fit\\+' in front resizes" -- \
    "$JENSEN" train photos $tiny $sized --augment none --out x
expect 2 '' "crop: the image is 4x4, with its border smaller than 8x8; 'fit\\+' in front resizes" -- \
    "$JENSEN" train photos $tiny $sized --augment crop:pad=1 --out x
expect 0 '*' '*' -- "$JENSEN" train photos $tiny $sized --augment weak --out border
# Test images of another size than the training images are resized for their evaluation.
big() { { printf 'P6\n40 30\n255\n'; head -c 3600 /dev/urandom; } >"$1"; }
"$JENSEN" data convert builtin:size=60,test=20 --out mixed --format ppm >/dev/null
for image in mixed/test/*/*.ppm; do big $image; done
expect 0 'test accuracy' '*' -- "$JENSEN" train mixed $tiny --augment none --epochs 1 -q --out mixed-run
expect 0 'test accuracy' '*' -- "$JENSEN" train builtin:size=60,test=0 $tiny --augment none --epochs 1 -q \
    --test mixed --out mixed-test
expect 1 '' '' -- test -e mixed-test/bad_images.csv
cp -r photos wide
{ printf 'P6\n40 30\n255\n'; head -c 3600 /dev/urandom; } >wide/cat/1.ppm
expect 0 '*' 'weak takes parts of 8x8 pixels from images as large as 40x30; --augment fit\+weak shows' -- \
    "$JENSEN" train wide $tiny $sized --augment weak --out parts
expect 0 '*' '*' -- "$JENSEN" train wide $tiny $sized --augment fit+weak --out whole-images
cp stderr.txt said.txt
expect 1 '' '' -- grep 'takes parts' said.txt

# A folder with other things in it does not become that of a run: data would be hidden, tables replaced.
fresh="--epochs 1 --val-fraction 0 --image-size 32 -q"
mkdir -p mine job/.hidden
echo precious >mine/labels.csv
expect 2 '' "photos: not a run folder, and not empty \(it holds 'cat'\)" -- \
    "$JENSEN" train photos $tiny $fresh --out photos
expect 2 '' "photos/cat: .*it holds '[0-9]+.ppm'.; choose another --out" -- \
    "$JENSEN" train photos $tiny $fresh --out photos/cat
expect 2 '' "mine: .*it holds 'labels.csv'" -- "$JENSEN" train photos $tiny $fresh --members 2 --out mine
expect 0 '^precious$' '' -- cat mine/labels.csv
expect 0 '*' '*' -- "$JENSEN" train photos $tiny $fresh --out a-run
expect 0 'training images|images' '*' -- "$JENSEN" data info photos
mkdir -p splits/train
cp -r photos/cat splits/train
expect 2 '' "splits: .*it holds 'train'" -- "$JENSEN" train photos $tiny $fresh --out splits
touch job/slurm-1.out job/notes.txt job/config.yaml
mkdir -p job/input
cp -r photos/cat job/input
expect 0 '*' '*' -- "$JENSEN" train photos $tiny $fresh --out job
cp -r a-run copied && rm copied/.lock copied/result.json
expect 0 '*' '*' -- "$JENSEN" train photos $tiny $fresh --out copied

# What is asked for and has no effect is told; the defaults are not.
idle="--epochs 3 --val-fraction 0 --image-size 32 --loss ce -q"
expect 0 '*' 'step:at=1.5/3: the drop after epoch 3 never comes in 3 epochs$' -- \
    "$JENSEN" train photos $tiny $idle --schedule step:at=1.5/3 --out late
expect 0 '*' '--loss-noisy mae is not used: no label is known to be wrong' -- \
    "$JENSEN" train photos $tiny $idle --loss-noisy mae --out unused
expect 0 '*' '*' -- "$JENSEN" train photos $tiny $idle --epochs 1 --loss-noisy mae --noise sym:rate=0.4 --out used
cp stderr.txt said.txt
expect 1 '' '' -- grep 'never\|not used' said.txt

# A rate that no network survives.
data=builtin:size=60,test=20
expect 1 '' 'not finite.*--lr.*1e\+09' -- "$JENSEN" train $data $tiny --epochs 3 --loss ce \
    --lr 1e9 --out nan -q
expect 1 '' '' -- test -e nan/result.json

# An ensemble is evaluated by the weights that its members ended with: checkpoints may be gone, weights not.
pair="$data $tiny --epochs 2 --loss ce --members 2 -q"
expect 0 '*' '*' -- "$JENSEN" train $pair --out pair
cp -r pair lost && rm lost/result.json lost/evaluation.json lost/member-*/checkpoint*
expect 0 'test accuracy' '*' -- "$JENSEN" train $pair --out lost
cp stderr.txt said.txt
expect 1 '' '' -- grep 'nothing to do' said.txt
expect 0 '' '' -- cmp pair/evaluation.json lost/evaluation.json
expect 0 '' '' -- cmp pair/member-1/metrics.jsonl lost/member-1/metrics.jsonl
rm lost/result.json lost/member-2/model.safetensors
expect 3 '' 'lost/member-2/model.safetensors: cannot be opened' -- "$JENSEN" train $pair --out lost

# damage FILE OFFSET: one bit of it is flipped.
damage() {
    local byte
    byte=$(od -An -tu1 -j "$2" -N1 "$1" | tr -d ' ')
    printf "$(printf '\\x%02x' $((byte ^ 16)))" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}
# Weights that were damaged are refused whoever reads them; weights that are NaN have no accuracy.
cp -r r hurt
damage hurt/model.safetensors $(($(stat -c %s hurt/model.safetensors) - 4))
expect 3 '' 'hurt/model.safetensors: damaged, its SHA-256' -- "$JENSEN" eval hurt photos --device ref
expect 3 '' 'hurt/model.safetensors: damaged, its SHA-256' -- "$JENSEN" predict hurt photos/cat/1.ppm --device ref
expect 3 '' 'hurt/model.safetensors: its checksum does not agree' -- "$JENSEN" train photos $tiny --epochs 1 --image-size 32 --init hurt/model.safetensors --out x -q
rm -rf x
python3 - hurt pair/member-2 <<'END' || failures=$((failures + 1))
# The same tensors, all NaN, in a file of another program: without metadata.
import json, struct, sys
for run in sys.argv[1:]:
    data = open(run + "/model.safetensors", "rb").read()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    del header["__metadata__"]
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    nan = struct.pack("<f", float("nan")) * ((len(data) - 8 - size) // 4)
    open(run + "/model.safetensors", "wb").write(struct.pack("<Q", len(text)) + text + nan)
END
unsign hurt
unsign pair/member-2
expect 1 '' 'output for sample [0-9]+ is not finite' -- "$JENSEN" eval hurt photos --device ref
expect 1 '' 'output for sample [0-9]+ is not finite' -- "$JENSEN" eval pair $data --device ref
rm pair/result.json
expect 1 '' 'output for sample [0-9]+ is not finite' -- "$JENSEN" train $pair --out pair

# A damaged checkpoint never takes the place of the sound one before it; alone it is told as such.
rule="$data $tiny --epochs 2 --loss ce -q"
expect 0 '*' '*' -- "$JENSEN" train $rule --out kept
rm kept/result.json
cp kept/checkpoint-previous.safetensors sound
truncate -s 1000 kept/checkpoint.safetensors
expect 0 '*' 'checkpoint.safetensors: .*; the previous checkpoint is used' -- "$JENSEN" train $rule --out kept
expect 0 '' '' -- cmp sound kept/checkpoint-previous.safetensors
rm kept/result.json kept/checkpoint-previous.safetensors
truncate -s 1000 kept/checkpoint.safetensors
expect 3 '' 'kept/checkpoint.safetensors: .*; there is no other checkpoint; delete' -- "$JENSEN" train $rule --out kept
cp stderr.txt said.txt
expect 1 '' '' -- grep 'both\|is used' said.txt

# A damaged event file is made anew from the rows, all of them.
rm kept/checkpoint.safetensors
expect 0 '*' '*' -- "$JENSEN" train $rule --out kept
events=$(echo kept/events.*)
rm kept/result.json
mv kept/checkpoint-previous.safetensors kept/checkpoint.safetensors
length=$(stat -c %s $events)
damage $events 3
expect 0 '*' 'warning: kept/events.*: not an event file; a new one is written' -- "$JENSEN" train $rule --out kept
expect 0 "^$length$" '' -- stat -c %s $events

# Folders that may not be read or written; root may everything, so it becomes nobody.
nobody=
if [ "$(id -u)" = 0 ]; then
    nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
    $nobody "$JENSEN" --version >/dev/null 2>&1 || nobody=none
fi
if [ "$nobody" = none ]; then
    echo "SKIPPED: unreadable and read-only folders (root cannot become nobody here)"
else
    classes secret 20 cat dog
    chmod 000 secret/dog
    expect 3 '' 'secret/dog' -- $nobody "$JENSEN" train "$PWD/secret" $tiny --out "$PWD/x"
    chmod 755 secret/dog
    mkdir locked
    chmod 555 locked
    expect 1 '' 'locked/run: the folder cannot be created: Permission denied' -- $nobody "$JENSEN" train $data $tiny --epochs 1 --out "$PWD/locked/run" -q
    expect 1 '' 'locked: cannot be written' -- $nobody "$JENSEN" train $data $tiny --epochs 1 \
        --out "$PWD/locked" -q
    for command in train audit; do
        expect 1 '' 'Permission denied; --out DIR puts it elsewhere' -- \
            $nobody sh -c 'cd locked && exec "$@"' sh "$JENSEN" $command builtin:size=20,test=0
    done
fi

# A disk that fills up in the third epoch: the second checkpoint is intact, and with room
# the same command ends with the weights of a run that nothing happened to.
mkdir small
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=1000k tmpfs small 2>/dev/null; then
    trap 'umount "$work/small" 2>/dev/null; rm -rf "$work"' EXIT
    rule="$data $tiny --epochs 4 --loss ce -q"
    expect 1 '' 'warning: small/run: [01].[0-9] MB are free on this disk, the run needs up to [12].[0-9] MB more \(checkpoints ' -- \
        "$JENSEN" train $rule --out small/run
    cp stderr.txt said.txt
    expect 0 'small/run.*(No space|space left)' '' -- cat said.txt
    expect 0 '' '' -- test -s small/run/checkpoint.safetensors
    expect 1 '' '' -- test -e small/run/result.json
    mount -o remount,size=16m small
    expect 0 '"weights_sha256"' '*' -- "$JENSEN" train $rule --out small/run --json
    grep -o '"weights_sha256":"[0-9a-f]*"' stdout.txt >first.txt
    expect 0 "$(cat first.txt)" '*' -- "$JENSEN" train $rule --out whole --json
    expect 0 'continuing after epoch' '' -- cat small/run/log.txt
    umount small
else
    echo "SKIPPED: full disk (no small file system can be mounted here)"
fi

# A member of an ensemble is a run of one network, and differs from the whole.
expect 0 '*' '*' -- "$JENSEN" train $data $tiny --epochs 1 --members 2 -q --out both
"$JENSEN" data convert $data --out pictures --format ppm >/dev/null
for run in both both/member-1 both/member-2; do
    expect 0 '^pictures' '' -- "$JENSEN" predict $run pictures/test --device ref
    cp stdout.txt "said-$(basename $run).txt"
    expect 0 "^accuracy +$(awk -F'[:,]' '/"test_acc"/ { printf "%.2f", 100 * $2 }' $run/result.json)%" '*' -- \
        "$JENSEN" eval $run $data --device ref
done
expect 1 '*' '' -- cmp -s said-member-1.txt said-both.txt
expect 1 '*' '' -- cmp -s said-member-1.txt said-member-2.txt

# What a command cannot do is wrong usage, and names the option.
expect 2 '' '--out names no folder' -- "$JENSEN" train $data $tiny --epochs 1 -q --out ''
expect 2 '' '--precision: a CPU computes only in fp32.*leave the option out' -- \
    "$JENSEN" train $data $tiny --epochs 1 -q --precision bf16 --out x

# The log has what was said before there was a run folder, in its order.
classes odd 12 cat dog
expect 0 '*' '*' -- "$JENSEN" train odd --network mlp:width=4 --device ref --threads 1 --epochs 1 --image-size 8 --out odd-run
expect 0 "^data:/2 classes have fewer than 50 training images, 'cat' the fewest \\(11\\); [^/]*/loss: gjs" '' -- \
    sh -c "cut -d' ' -f2- odd-run/log.txt | head -3 | tr '\n' '/' | sed 's/data:[^/]*/data:/'"
expect 0 'augment: fit\+strong \(small images, resized\)' '' -- cat odd-run/log.txt
rm odd-run/result.json
expect 0 '*' 'continuing after epoch 1$' -- "$JENSEN" train odd --network mlp:width=4 --device ref --threads 1 --epochs 1 \
    --image-size 8 --out odd-run

# Two images are a batch of two.
classes two 1 cat dog
expect 0 '*' 'batch: 2 \(by the number of images\)' -- "$JENSEN" train two --network mlp:width=4 --device ref \
    --threads 1 --augment fit --epochs 1 --val-fraction 0 --out two-run

# A loss that compares views says what it is with one of them; others, and two views, say nothing.
one() { "$JENSEN" train builtin:size=600,test=20 --network mlp:width=4 --device ref --threads 1 --workers 0 --consistency never --epochs 1 --max-steps 1 --augment none -q "$@" --out views; }
for loss in gjs gjs:pi1=0.3,scale=0 gjs-nocons; do
    expect 0 '*' "^warning: --loss $loss compares views of an image; with one view it is js; --views 2 compares two$" -- \
        one --loss $loss --views 1
    rm -r views
done
expect 0 '*' 'always 0 and teaches nothing' -- one --loss gjs-consistency --views 1
rm -r views
expect 0 '*' '^warning: --loss-noisy gjs compares' -- one --loss ce --loss-noisy gjs --noise sym:rate=0.4 --views 1
for how in '--loss gjs' '--loss gjs --views 2' '--loss js --views 1' '--loss ce'; do
    rm -r views
    expect 0 '*' '' -- one $how
done
# The rate to make smaller is that of the option, not what the schedule has made of it.
expect 1 '*' 'epoch [0-9]+, step .*has diverged, try a smaller --lr \(it is 1e\+09; [0-9.e+]+ here, by the schedule\)' -- \
    "$JENSEN" train builtin:size=40,test=20 --network mlp:width=8 --batch 10 --epochs 2 --lr 1e9 --loss ce \
    --schedule constant:warmup=1 --threads 1 -q --out diverged
finish
