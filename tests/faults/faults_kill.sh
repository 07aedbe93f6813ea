# Killed at any moment, and given again until it is done: train, sweep run and data convert end with
# what an undisturbed one ends with, and nothing temporary is left. $KILLS of them (20), from $KILL_SEED.
# labels: slow
. "$(dirname "$0")/../cli/cli.sh"
tiny="--network mlp:width=4 --device ref --batch 8 --threads 1 --workers 0 --augment fit --image-size 8 --epochs 3"
"$JENSEN" data convert builtin:size=40,test=8 --out images --format ppm >/dev/null
RANDOM=${KILL_SEED:-1}
kills=0 length=()

# call COMMAND FOLDER: what is run, into the array `call`.
call() {
    case $1 in
    train) call=("$JENSEN" train images $tiny -q --out "$2") ;;
    sweep) call=("$JENSEN" sweep run s --store "$2/s.db" --runs "$2/runs" --grace 0.2 --retries 20 -q) ;;
    convert) call=("$JENSEN" data convert images --out "$2" --format png -q) ;;
    esac
}
# What a command has made, without times.
made() {
    case $1 in
    train) grep -o '"weights_sha256": *"[0-9a-f]*"' "$2/result.json" ;;
    sweep) cat "$2"/runs/s/*/result.json | grep -o '"weights_sha256": *"[0-9a-f]*"' ;;
    convert) (cd "$2" && find . -type f | sort | xargs sha256sum) ;;
    esac
}
begin() {
    rm -rf "$2" && [ "$1" != sweep ] && return
    mkdir "$2"
    "$JENSEN" sweep create s images $tiny --axis lr=0.01,0.02 --store "$2/s.db" >/dev/null 2>&1
}
# interrupt COMMAND FOLDER MILLISECONDS: kills it after this time; false when it was done before.
interrupt() {
    call $1 "$2"
    "${call[@]}" >said.txt 2>&1 &
    sleep "$(printf '0.%03d' "$3")"
    kill -9 $! 2>/dev/null
    ! wait $! 2>/dev/null
}

for command in train sweep convert; do
    begin $command calm-$command
    from=$(date +%s%N)
    call $command calm-$command
    "${call[@]}" >/dev/null 2>&1
    length+=($((($(date +%s%N) - from) / 1000000)))
    made $command calm-$command >calm-$command.txt
    expect 0 . '' -- cat calm-$command.txt
done
commands=(train sweep convert)
while [ $kills -lt "${KILLS:-20}" ]; do
    which=$((kills % 3))
    command=${commands[$which]}
    begin $command cut
    for try in 1 2 3 4 5; do
        interrupt $command cut $((RANDOM * (length[which] + 5) / 32768)) || break
        kills=$((kills + 1))
    done
    call $command cut
    # A study may wait for the worker that was killed.
    for try in 1 2 3 4 5 6 7 8 9 10; do
        [ -e cut/names.csv ] || "${call[@]}" >said.txt 2>&1
        made $command cut >cut.txt 2>&1
        cmp -s calm-$command.txt cut.txt && break
        sleep 0.3
    done
    expect 0 '' '' -- cmp calm-$command.txt cut.txt
    expect 1 '' '' -- sh -c "find cut -name '*.tmp*' -o -name '.unfinished' -o -name '.finished' -o -name 'checkpoint.new' | grep ."
done
echo "$kills kills"
finish
