# --optimizer: specs, what --momentum fills in, a run of each that is stopped and goes on.
. "$(dirname "$0")/cli.sh"

small=(train builtin:size=96 --network mlp:width=8 --epochs 3 --batch 16 --lr 0.001
    --consistency never --threads 1 --workers 0 --json -q)
: >stdout.txt
: >stderr.txt

same 'options and spec' "$(sha --out a --momentum 0.5 --nesterov 0)" \
    "$(sha --out b --optimizer sgd:momentum=0.5,nesterov=0)"
same 'a spec that leaves momentum to its option' "$(sha --out c --optimizer sgd:nesterov=0 --momentum 0.5)" \
    "$(sha --out b --optimizer sgd:momentum=0.5,nesterov=0)"
same 'initial values' "$(sha --out d --optimizer lion)" "$(sha --out e --optimizer lion:beta1=0.9,beta2=0.99)"
other 'beta2 of lion' "$(sha --out d --optimizer lion)" "$(sha --out f --optimizer lion:beta2=0.5)"

# Stopped after an epoch, then continued: the weights of the run left alone.
for spec in sgd adamw lion; do
    alone=$(sha --out "alone-$spec" --optimizer $spec)
    "$JENSEN" "${small[@]}" --out "stopped-$spec" --optimizer $spec --checkpoint-minutes 0 >/dev/null 2>&1 &
    pid=$!
    while [ ! -e "stopped-$spec/checkpoint.safetensors" ] && kill -0 $pid 2>/dev/null; do sleep 0.01; done
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
    same "$spec, killed" "$alone" "$(sha --out "stopped-$spec" --optimizer $spec)"
done

expect 0 'lion.*beta1' '' -- "$JENSEN" show optimizers --json
expect 0 'cosine.*warmup.*last' '' -- "$JENSEN" show schedules --json
expect 2 '' "no optimiser 'lino'; did you mean 'lion'" -- "$JENSEN" train builtin:size=96 --optimizer lino
expect 2 '' "no parameter 'beta3'" -- "$JENSEN" train builtin:size=96 --optimizer lion:beta3=1
expect 2 '' 'momentum must lie in' -- "$JENSEN" train builtin:size=96 --optimizer sgd:momentum=2
finish
