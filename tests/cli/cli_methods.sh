# --method: each is killed in the middle and goes on with the same bits, alone and with
# members; what it remembers shows in the weights; what it cannot work with is refused.
. "$(dirname "$0")/cli.sh"

small=(train builtin:size=96 --network mlp:width=8 --noise sym:rate=0.4 --epochs 3 --batch 16
    --lr 0.02 --consistency never --checkpoint-minutes 0 --threads 1 --workers 0 --json -q)
: >stdout.txt
: >stderr.txt

plain=$(sha --out plain --loss ce)
for spec in elr:lambda=2 sop:init=0.1; do
    alone=$(sha --out "alone-$spec" --method $spec)
    other "$spec does nothing" "$plain" "$alone"
    same "$spec, killed" "$alone" "$(killed "killed-$spec" --method $spec)"
    same "$spec, threads and workers" "$alone" \
        "$(sha --out "threads-$spec" --method $spec --threads 2 --workers 2)"
done
other 'the seed of what sop begins with' "$(sha --out s1 --method sop:init=0.1 --lr 0 --seed 1)" \
    "$(sha --out s2 --method sop:init=0.1 --lr 0 --seed 2)"

# Of members each remembers its own.
second() { sed -E 's/.*"weights_sha256": ?"([0-9a-f]+)".*/\1/;t;d' "$1/member-2/result.json"; }
sha --out pair --method elr --members 2 >/dev/null
"$JENSEN" "${small[@]}" --out stopped --method elr --members 2 >/dev/null 2>&1 &
pid=$!
while [ ! -e stopped/member-2/checkpoint.safetensors ] && kill -0 $pid 2>/dev/null; do sleep 0.01; done
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
sha --out stopped --method elr --members 2 >/dev/null
same 'a member, killed' "$(second pair)" "$(second stopped)"
other 'elr beside gjs' "$(sha --out g1 --loss gjs)" "$(sha --out g2 --loss gjs --method elr:lambda=0.5)"

expect 0 'elr.*lambda.*sop.*lr_u' '' -- "$JENSEN" show methods --json
t=(train builtin:size=96 --network mlp:width=8 --out never)
expect 2 '' "no method named 'erl'; did you mean 'elr'" -- "$JENSEN" "${t[@]}" --method erl
expect 2 '' 'lambda must lie in' -- "$JENSEN" "${t[@]}" --method elr:lambda=-1
expect 2 '' 'cannot be combined with the loss' -- "$JENSEN" "${t[@]}" --method sop --loss mae
expect 2 '' 'sampling balanced may put a sample' -- "$JENSEN" "${t[@]}" --method elr --sampling balanced
expect 2 '' 'loss-noisy cannot be combined' -- "$JENSEN" "${t[@]}" --method elr --loss-noisy mae
finish
