# A run that is killed again and again ends with the same weights and the same metrics as
# one that was left alone, for any number of threads and loader workers.
# labels: slow
. "$(dirname "$0")/cli.sh"

# One small run; a checkpoint after every step. In the background it must be started as
# "$JENSEN" "${small[@]}" itself: a function would be a shell between us and the process.
small=(train builtin:size=192 --network mlp:width=16 --noise sym:rate=0.4 --epochs 3
    --batch 16 --lr 0.02 --consistency every --checkpoint-minutes 0 --json -q)

# await FILE PID: until the file is there or the process gone.
await() { while [ ! -e "$1" ] && kill -0 "$2" 2>/dev/null; do sleep 0.01; done; }

sha() { sed -E 's/.*"weights_sha256":"([0-9a-f]+)".*/\1/' "$1"; }

# Metrics without the fields that tell the time.
metrics() { sed -E 's/"(images_per_second|seconds|time)":[^,}]*//g' "$1/metrics.jsonl"; }

# same NAME: its weights and metrics equal those of the run left alone.
same() {
    cases=$((cases + 1))
    if [ "$(sha "$1.json")" != "$(sha alone.json)" ]; then
        complain "$1: other weights than the run left alone" "$1"
    elif [ "$(metrics "$1")" != "$(metrics alone)" ]; then
        complain "$1: other metrics than the run left alone" "$1"
    fi
}

: >stdout.txt
: >stderr.txt
"$JENSEN" "${small[@]}" --out alone --threads 1 --workers 0 >alone.json 2>/dev/null ||
    failures=1
[ "$(wc -l <alone/metrics.jsonl)" -eq 3 ] || { echo "FAILED: 3 epochs, 3 rows"; failures=1; }

RANDOM=12345
kills=0
for i in $(seq 20); do
    "$JENSEN" "${small[@]}" --out killed --threads $((1 + i % 2)) --workers $((i % 3)) \
        >/dev/null 2>&1 &
    pid=$!
    sleep "0.$(printf '%03d' $((20 + RANDOM % 400)))"
    kill -9 $pid 2>/dev/null && kills=$((kills + 1))
    wait $pid 2>/dev/null
    [ -e killed/result.json ] && rm -rf killed # it was done before the kill: start again
done
"$JENSEN" "${small[@]}" --out killed --threads 2 --workers 2 >killed.json 2>/dev/null ||
    failures=1
echo "$kills kills"
[ "$kills" -ge 3 ] || { echo "FAILED: too few kills came in time"; failures=1; }
same killed

# SIGTERM: a checkpoint, exit 75, and the same command goes on. Two in a moment, as
# timeout(1) and batch systems send them to a process and its group, are one.
"$JENSEN" "${small[@]}" --out stopped --threads 2 --workers 1 >/dev/null 2>stderr.txt &
pid=$!
await stopped/checkpoint.safetensors $pid
kill -TERM $pid
sleep 0.01
kill -TERM $pid 2>/dev/null
wait $pid
code=$?
cases=$((cases + 1))
if [ $code -ne 75 ] && [ ! -e stopped/result.json ]; then
    complain "SIGTERM: exit $code, expected 75" "$JENSEN train"
fi
"$JENSEN" "${small[@]}" --out stopped --threads 1 --workers 0 >stopped.json 2>/dev/null ||
    failures=1
same stopped

# A finished run is left as it is.
before=$(cat alone/result.json alone/metrics.jsonl | sha256sum)
expect 0 '"epochs":3' 'finished; nothing to do' -- "$JENSEN" "${small[@]}" --out alone
[ "$(cat alone/result.json alone/metrics.jsonl | sha256sum)" = "$before" ] ||
    { echo "FAILED: a finished run was changed"; failures=$((failures + 1)); }

# A slash behind the name of the folder makes no other run of it.
"$JENSEN" data convert builtin:size=40,test=10 --out pics --format ppm >/dev/null
slash=(--network mlp:width=8 --epochs 1 --batch 8 --augment none --consistency never)
expect 0 '^run +runs/pics-' '*' -- "$JENSEN" train pics "${slash[@]}"
expect 0 '^run +runs/pics-' 'finished; nothing to do' -- "$JENSEN" train pics/ "${slash[@]}"
expect 0 '*' '*' -- "$JENSEN" train folder:pics "${slash[@]}" --test pics/test// --out slashed
expect 0 '^test: "?pics/test"?$' '' -- cat slashed/config.yaml

# Consistency at the end: the last row has what the result has, no other row has any; a
# finish that was cut short gives the same again.
ends=(train builtin:size=96 --network mlp:width=8 --noise sym:rate=0.4 --epochs 3 --batch 16
    --lr 0.02 --consistency end --out ends -q)
consistency() { grep -oE '"consistency(_true|_noisy)?": ?[^,]*' "$@" | tr -d ' '; }
expect 0 '*' '*' -- "$JENSEN" "${ends[@]}"
rows=$(consistency ends/metrics.jsonl) result=$(consistency ends/result.json)
cases=$((cases + 1))
if [ "$(echo "$rows" | grep -c null)" -ne 6 ] || [ "$(echo "$rows" | tail -3)" != "$result" ]; then
    complain "rows: $rows; result: $result" "$JENSEN" "${ends[@]}"
fi
rm ends/result.json
expect 0 '*' '*' -- "$JENSEN" "${ends[@]}"
cases=$((cases + 1))
if [ "$(consistency ends/result.json)" != "$result" ] ||
    [ "$(consistency ends/metrics.jsonl)" != "$rows" ]; then
    complain "other consistency after the finish was repeated" "$JENSEN" "${ends[@]}"
fi
expect 0 '"consistency":[0-9.]+' '' -- tail -1 alone/metrics.jsonl
[ "$(tail -1 alone/metrics.jsonl | tr , '\n' | grep '"consistency')" = \
    "$(consistency alone/result.json)" ] ||
    { echo "FAILED: every: the last row is not the result"; failures=$((failures + 1)); }

# Damage: any flipped bit or truncation is noticed and the previous checkpoint used.
size=$(stat -c %s alone/checkpoint.safetensors)
for at in 3 40 200 $((size / 3)) $((size / 2)) $((size - 5)) cut; do
    rm -rf hurt
    "$JENSEN" "${small[@]}" --out hurt >/dev/null 2>&1 &
    pid=$!
    await hurt/checkpoint-previous.safetensors $pid
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
    rm -f hurt/result.json
    if [ "$at" = cut ]; then
        truncate -s $((size / 2)) hurt/checkpoint.safetensors
    else
        byte=$(od -An -tu1 -j "$at" -N1 hurt/checkpoint.safetensors | tr -d ' ')
        printf "$(printf '\\x%02x' $((byte ^ 16)))" |
            dd of=hurt/checkpoint.safetensors bs=1 seek="$at" conv=notrunc 2>/dev/null
    fi
    cases=$((cases + 1))
    "$JENSEN" "${small[@]}" --out hurt >hurt.json 2>stderr.txt
    grep -q 'the previous checkpoint is used' stderr.txt ||
        complain "damage at $at was not noticed" "$JENSEN train"
    same hurt
done

# Both damaged: a sentence, nothing overwritten.
"$JENSEN" "${small[@]}" --out both >/dev/null 2>&1 &
pid=$!
await both/checkpoint-previous.safetensors $pid
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
rm -f both/result.json
truncate -s 100 both/checkpoint.safetensors both/checkpoint-previous.safetensors
expect 3 '' 'both checkpoints are damaged' -- "$JENSEN" "${small[@]}" --out both

# Other options in the same folder are refused; so is a second process.
expect 2 '' 'other options' -- "$JENSEN" "${small[@]}" --out alone --lr 0.03
"$JENSEN" "${small[@]}" --out held --epochs 200 >/dev/null 2>&1 &
pid=$!
await held/checkpoint.safetensors $pid
expect 1 '' 'another process' -- "$JENSEN" "${small[@]}" --out held --epochs 200
kill -9 $pid
wait $pid 2>/dev/null
finish
