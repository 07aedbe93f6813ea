# --ema: the moving average of the weights is what is evaluated and saved; the weights
# themselves are as without it, and kills on the way change neither.
# labels: once
. "$(dirname "$0")/cli.sh"
if ! command -v python3 >/dev/null; then
    echo "skipped: no python3, which averages the weights once more"
    exit 0
fi
# One step an epoch, at a rate that does not change: a run of E epochs has the weights of
# step E of any longer one.
step="train builtin:size=40,test=20 --network mlp:width=8 --batch 16 --max-steps 1 --schedule constant
    --augment none --loss ce --consistency never --device ref"
expect 0 '*' '*' -- "$JENSEN" $step --lr 0 --epochs 1 --out w0 -q
for e in 1 2 3 4; do
    expect 0 '*' '*' -- "$JENSEN" $step --lr 0.02 --epochs $e --out "w$e" -q
done
expect 0 '*' '*' -- "$JENSEN" $step --lr 0.02 --epochs 4 --ema 0.3 --out average --json -q
cases=$((cases + 1))
python3 - >stdout.txt 2>&1 <<'EOF' || complain "not the average" "$JENSEN train --ema 0.3"
import json
import struct

def weights(path):
    data = open(path, "rb").read()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    out = []
    for name in sorted(n for n in header if n != "__metadata__"):
        begin, end = (8 + size + o for o in header[name]["data_offsets"])
        out += struct.unpack("<%df" % ((end - begin) // 4), data[begin:end])
    return out

steps = [weights("w%d/model.safetensors" % e) for e in range(5)]
mean = steps[0]
for t in range(1, 5):
    decay = min(0.3, (1 + t) / (10 + t))  # 2/11, 3/12, then 0.3: the warm-up and its end
    mean = [decay * m + (1 - decay) * w for m, w in zip(mean, steps[t])]
kept = weights("average/model.safetensors")
# Rounding of four float32 steps of weights below 1.
worst = max(abs(a - b) for a, b in zip(kept, mean))
apart = max(abs(a - b) for a, b in zip(kept, steps[4]))
assert len(kept) == len(mean) > 1000 and worst < 1e-6 < 1e-4 < apart, (worst, apart)
assert weights("average/model-raw.safetensors") == steps[4]
EOF

sha() { sed -E 's/.*"weights_sha256":"([0-9a-f]+)".*/\1/' "$1"; }
rows() { sed -E 's/"(images_per_second|seconds|time)":[^,}]*,?//g' "$1/metrics.jsonl"; }
for device in ref cpu; do
    # With BatchNorm, whose statistics are averaged as well; killed and stopped on its way,
    # in steps and in the evaluation.
    small="train builtin:size=160,test=400 --network cnn:width=4 --epochs 3 --batch 16 --lr 0.05 --noise sym:rate=0.4
        --checkpoint-minutes 0 --ema 0.95 --device $device"
    expect 0 '*' '*' -- "$JENSEN" $small --out alone-$device --threads 1 --json -q
    cp stdout.txt alone.json
    for i in 1 2 3 4 5 6; do
        "$JENSEN" $small --out killed-$device --threads $((1 + i % 2)) -q >/dev/null 2>&1 &
        pid=$!
        sleep "0.$((1 + i))"
        if [ $((i % 2)) -eq 0 ]; then kill -9 $pid 2>/dev/null; else kill $pid 2>/dev/null; fi
        wait $pid 2>/dev/null
    done
    expect 0 '*' '*' -- "$JENSEN" $small --out killed-$device --threads 2 --json -q
    cases=$((cases + 2))
    if [ "$(sha stdout.txt)" != "$(sha alone.json)" ] || [ "$(rows killed-$device)" != "$(rows alone-$device)" ]; then
        complain "$device: another end after kills" "$JENSEN $small"
    fi
    cmp -s alone-$device/model-raw.safetensors killed-$device/model-raw.safetensors ||
        complain "$device: other weights of their own after kills" "$JENSEN $small"
done

# What is reported is what the saved model does, and the raw weights are those of the run
# without the option.
cases=$((cases + 1))
"$JENSEN" eval alone-cpu builtin:size=160,test=400 --consistency 0 --json >eval.json 2>/dev/null
told=$(sed -E 's/.*"test_acc": *([0-9.]+).*/\1/' <<<"$(tr -d '\n' <alone-cpu/result.json)")
grep -q "\"accuracy\":$told," eval.json || complain "eval says other than the run: $told" "$JENSEN eval"
expect 0 '*' '*' -- "$JENSEN" ${small% --ema*} --device cpu --out raw --json -q
cases=$((cases + 1))
cmp -s raw/model.safetensors alone-cpu/model-raw.safetensors || complain "--ema changed the training" "$JENSEN"

expect 2 '' "ema" -- "$JENSEN" $small --ema 1 --out x -q
expect 2 '' 'other options: --ema not given then, 0.95 now' -- "$JENSEN" $small --out raw -q
finish
