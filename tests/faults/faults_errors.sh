# What an error of the system means: one that passes stops the run and the same command goes
# on to the same weights; it is never a broken image, never a damaged checkpoint.
. "$(dirname "$0")/../cli/cli.sh"
unset FAULT_CALLS FAULT_AT FAULT_DO FAULT_PATH FAULT_ON FAULT_TRACE
tiny="--network mlp:width=4 --device ref --batch 8 --threads 1 --workers 0 --augment fit --image-size 8 --val-fraction 0 -q"
train() { "$JENSEN" train "$1" $tiny --epochs 3 --out "$2" --json; }
faulty() { env LD_PRELOAD="$FAULT_SHIM" "$@" "$JENSEN" train "$data" $tiny --epochs 3 --out "$run" --json; }
# Prints "stopped" when the command failed and said that an image could not be read.
stops_or_does() {
    "$@" 2>said.txt && return
    [ $? = 1 ] && [ ! -e $run/result.json ] && grep -qE 'images/train.*: cannot be (opened|read)' said.txt && echo stopped
}
sha() { grep -oE '"weights_sha256":"[0-9a-f]+"' "$1"; }
"$JENSEN" data convert builtin:size=24,test=8 --out images --format ppm >/dev/null
train images calm >calm.json 2>/dev/null

# One image that cannot be opened or read for a moment, in the middle of training.
data=images
for how in open:EIO open:EMFILE open:ENOMEM open:ESTALE open:EACCES read:EIO stat:EIO; do
    run=run-${how/:/-}
    FAULT=${how%:*}
    # The calls on the images end with training; from half of them on, the network is learning.
    rm -rf counted trace.txt
    run=counted faulty FAULT_CALLS=$FAULT FAULT_PATH=/images/train FAULT_TRACE="$PWD/trace.txt" >/dev/null 2>&1
    at=$(($(wc -l <trace.txt) * 2 / 3))
    expect 0 "$(sha calm.json)|stopped" '*' -- stops_or_does faulty FAULT_CALLS=$FAULT FAULT_PATH=/images/train \
        FAULT_AT=$at FAULT_DO=${how#*:}
    expect 1 '' '' -- test -e $run/bad_images.csv
    expect 0 "$(sha calm.json)" '*' -- train images $run
done

# Content that is no image is broken for good, and so is a file that a table names and that never was.
cp -r images torn
broken=$(ls torn/train/*/0001.ppm | head -1)
echo 'not an image' >"$broken"
expect 0 '*' '1 broken image was left out' -- "$JENSEN" train torn $tiny --epochs 1 --out torn-run
(echo path,label; ls -d images/train/*/*.ppm | awk -F/ '{ print $0 "," $3 }'; echo images/train/never.ppm,disc) >table.csv
expect 0 '*' '1 broken image was left out' -- "$JENSEN" train csv:table.csv $tiny --epochs 1 --out table-run

# How a file is broken does not matter: the weights are those of any run in which it is.
for how in empty text cut gone-link; do
    rm "$broken"
    case $how in
    empty) : >"$broken" ;;
    text) echo 'something else' >"$broken" ;;
    cut) head -c 40 "${broken/0001/0000}" >"$broken" ;;
    gone-link) ln -s nowhere "$broken" ;;
    esac
    expect 0 '"weights_sha256"' '*' -- "$JENSEN" train torn $tiny --epochs 2 --out torn-$how --json
    sha stdout.txt >torn-$how.txt
    expect 0 '' '' -- cmp torn-empty.txt torn-$how.txt
    for threads in 2 3; do
        expect 0 "$(cat torn-empty.txt)" '*' -- "$JENSEN" train torn $tiny --epochs 2 --out torn-$how-$threads --json \
            --threads $threads --workers $threads
    done
done

# Checkpoints that cannot be opened now are not damaged, and not missing.
rm -rf stopped && cp -r calm stopped && rm stopped/result.json
for how in open:EIO open:EMFILE open:EACCES read:EIO stat:ESTALE; do
    for file in checkpoint.safetensors metrics.jsonl; do
        run=checkpoint-run
        rm -rf $run && cp -r stopped $run
        before=$(sha256sum <$run/$file)
        expect 1 '' ': cannot be (opened|read)' -- \
            faulty FAULT_CALLS=${how%:*} FAULT_PATH=/$run/$file FAULT_AT=1 FAULT_DO=${how#*:}
        cp stderr.txt said.txt
        expect 1 '' '' -- grep -E 'damaged|delete|previous' said.txt
        [ "$before" = "$(sha256sum <$run/$file)" ] || complain "$file has changed" faulty
        expect 0 "$(sha calm.json)" '*' -- train images $run
    done
done

# A rename that is not durable is told; a file system that cannot sync folders is not.
run=sync-run
LD_PRELOAD="$FAULT_SHIM" FAULT_CALLS=sync FAULT_TRACE="$PWD/syncs.txt" train images $run >/dev/null 2>&1
folder=$(grep -nE "/$run\$" syncs.txt | head -1 | cut -d: -f1)
expect 0 '[0-9]' '' -- echo "$folder"
rm -rf $run
expect 1 '' "$run/[^:]+: the folder cannot be synced: Input/output error" -- \
    faulty FAULT_CALLS=sync FAULT_AT=$folder FAULT_DO=EIO
expect 0 "$(sha calm.json)" '*' -- train images $run
rm -rf $run
expect 0 "$(sha calm.json)" '*' -- faulty FAULT_CALLS=sync FAULT_AT=$folder FAULT_DO=EINVAL
finish
