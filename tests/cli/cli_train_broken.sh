# Broken images in runs that are stopped and continued: the table of them is complete
# however that went, and what is told counts the images that were read. On the way: a
# closed terminal stops a run with a checkpoint, unless nohup has it go on.
# labels: sanitize_slow
. "$(dirname "$0")/cli.sh"
tiny="--network mlp:width=16 --device ref --batch 10 --threads 1 --workers 0 --augment fit --image-size 32"

# pictures FOLDER/CLASS COUNT: of 4x4 pixels of any colour.
pictures() {
    local i
    mkdir -p "$1"
    for i in $(seq "$2"); do
        { printf 'P6\n4 4\n255\n'; head -c 48 /dev/urandom; } >"$1/$i.ppm"
    done
}
# await FILE PID: until the file is there or the process gone.
await() { while [ ! -e "$1" ] && kill -0 "$2" 2>/dev/null; do sleep 0.01; done; }
# said RUN: how many lines its log has.
said() { cat "$1/log.txt" 2>/dev/null | wc -l; }

pictures photos/cat 30
pictures photos/dog 30
for i in 1 2 3 4 5; do echo 'no image' | tee photos/cat/$i.ppm >photos/dog/$i.ppm; done

# whole RUN: all ten are in its table, once each, and on its page.
whole() {
    expect 0 '^10 10$' '' -- sh -c "tail -n +2 $1/bad_images.csv | cut -d, -f1 >paths.txt
        echo \$(sort -u paths.txt | wc -l) \$(wc -l <paths.txt)"
    expect 0 '10 images could not be read' '' -- cat "$1/report.html"
}

# One step of an epoch meets some of them, the pass over the training set all.
once="$tiny --epochs 1 --batch 20 --max-steps 1 --val-fraction 0.1 -q"
expect 0 '*' '10 broken images were left out' -- "$JENSEN" train photos $once --out once
whole once
expect 0 'contradicts [0-9]+ of (4[4-9]|50) training (and [0-9]+ validation )?labels' '' -- cat once/log.txt

# Stopped again and again, and once more behind its last epoch. Epochs take less than a
# millisecond: there are so many that the last signal comes before the last epoch.
for when in end never; do
    long="train photos $tiny --epochs 600 --consistency $when --val-fraction 0.2 -q --out $when"
    for signal in HUP TERM HUP; do
        before=$(said $when)
        "$JENSEN" $long >stdout.txt 2>stderr.txt &
        pid=$!
        await $when/checkpoint.safetensors $pid
        while [ "$(said $when)" -le "$before" ] && kill -0 $pid 2>/dev/null; do sleep 0.01; done
        sleep 0.02
        kill -$signal $pid 2>/dev/null
        wait $pid
        code=$?
        cases=$((cases + 1))
        place=$(sed -nE 's/.*stopped (in|after) (epoch [0-9]+(, batch [0-9]+)?);.*/\1 \2/p' stderr.txt)
        [ $code -eq 75 ] || [ -e $when/result.json ] || complain "SIG$signal: exit $code, expected 75" "$JENSEN" $long
    done
    expect 0 '*' '*' -- "$JENSEN" $long
    expect 0 "continuing ${place:-after epoch}" '' -- cat $when/log.txt
    whole $when
    rm $when/result.json $when/report.html
    expect 0 '*' '10 broken images were left out' -- "$JENSEN" $long
    whole $when
done

# Under nohup a closed terminal is none of its business.
nohup "$JENSEN" train photos $tiny --epochs 600 --val-fraction 0 -q --out held >stdout.txt 2>stderr.txt &
pid=$!
await held/labels.csv $pid
kill -HUP $pid
cases=$((cases + 1))
wait $pid || complain "SIGHUP under nohup: exit $?" "$JENSEN train"

# A class without a single readable image is told before the first epoch, once, and why.
pictures bare/cat 20
mkdir bare/dog
for i in $(seq 20); do printf '\0\0\0\030ftypheic' >bare/dog/$i.HEIC; done
bare="$tiny --epochs 3 --val-fraction 0"
expect 3 '' "bare: a classifier needs readable images of at least two classes; none of the 20 of 'dog' can be read, such as bare/dog/[0-9]+.HEIC: .*HEIF image" -- \
    "$JENSEN" train bare $bare --out bare-run
[ ! -e bare-run ] || complain "one class was trained on" ls bare-run
pictures bare/owl 20
expect 0 '*' "^warning: class 'dog' is not learned: none of its 20 training images can be read, such as bare/dog/[0-9]+.HEIC: .*HEIF" -- \
    "$JENSEN" train bare $bare --out bare-run
expect 0 'not learned' '' -- sh -c "grep -E 'not learned| epoch 1' bare-run/log.txt | head -1"
expect 0 '^1$' '' -- grep -c 'is not learned' bare-run/log.txt
# Headers that read and nothing behind them: found by the first epoch.
rm -r bare/dog bare/owl && mkdir bare/dog
for i in $(seq 20); do printf 'P6\n4 4\n255\n12' >bare/dog/$i.ppm; done
expect 3 '*' "of at least two classes; none of the 20 of 'dog' can be read" -- "$JENSEN" train bare $bare --out cut-run
[ ! -e cut-run/result.json ] || complain "one class was trained on" ls cut-run

# --max-bad counts the images of all parts, each once: 6 for training, 3 each for the others.
for part in train val test; do
    pictures parts/$part/cat 9 && pictures parts/$part/dog 9
    for i in 1 2 3; do echo 'no image' >parts/$part/dog/$i.ppm; done
done
for i in 1 2 3; do echo 'no image' >parts/train/cat/$i.ppm; done
parts="$tiny --batch 5 --epochs 2 --consistency every -q"
expect 0 '*' '12 broken images were left out' -- "$JENSEN" train parts $parts --max-bad 12 --out enough
expect 3 '' 'more than 11 broken images .--max-bad.' -- "$JENSEN" train parts $parts --max-bad 11 --out short
finish
