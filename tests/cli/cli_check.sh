# jensen check, and what predict, eval, report and train say of damaged run folders.
# labels: sanitize_slow
. "$(dirname "$0")/cli.sh"
data=builtin:size=60,test=20
tiny="--network mlp:width=16 --device ref --batch 10 --epochs 2 --threads 1 --workers 0 --augment none --val-fraction 0.2 -q"
train() { "$JENSEN" train $data $tiny "$@" 2>/dev/null; }
train --out run >/dev/null
train --members 2 --out both >/dev/null
fresh() { rm -rf bad && cp -r "${1:-run}" bad; }
# flip FILE: one bit in the middle.
flip() {
    python3 -c '
import sys
data = bytearray(open(sys.argv[1], "rb").read())
data[len(data) // 2] ^= 1
open(sys.argv[1], "wb").write(data)' "$1"
}

expect 0 '^sound +model-best.safetensors$' '' -- "$JENSEN" check run
expect 0 '^the run is finished and sound; usable: predict eval report$' '' -- "$JENSEN" check run
expect 0 '"finished":true,"sound":true,"predict":true,"report":true,"resume":false' '' -- "$JENSEN" check run --json
expect 0 '^sound +member-2/model.safetensors$' '' -- "$JENSEN" check both
expect 3 '' 'not a run folder' -- "$JENSEN" check .
expect 2 '' 'needs one run folder' -- "$JENSEN" check
# It writes nothing.
(cd run && find . -type f -exec sha256sum {} +) | sort >before
"$JENSEN" check run >/dev/null
(cd run && find . -type f -exec sha256sum {} +) | sort >after
expect 0 '' '' -- cmp before after

# A bit in any file that result.json vouches for, and in the checkpoints.
for file in config.yaml environment.json metrics.jsonl evaluation.json model.json metrics.csv labels.csv \
    doubtful.csv model.safetensors model-best.safetensors checkpoint.safetensors checkpoint-previous.safetensors; do
    fresh && flip "bad/$file"
    expect 3 "^damaged +$file" "bad: [12] files? (is|are) damaged" -- "$JENSEN" check bad
done
fresh && rm bad/model.safetensors
expect 3 '^missing +model.safetensors' '*' -- "$JENSEN" check bad
expect 3 'and damaged; usable: report$' '*' -- "$JENSEN" check bad
fresh both && flip both/member-2/model.safetensors
expect 3 '^damaged +member-2/model.safetensors' '*' -- "$JENSEN" check both
expect 3 '' 'both/member-2/model.safetensors: damaged' -- "$JENSEN" predict both run/doubtful
rm -rf both && mv bad both
fresh both && sed -i 's/"seconds": /"seconds": 1/' bad/member-1/result.json
expect 3 '^damaged +member-1/result.json: damaged, it has' '*' -- "$JENSEN" check bad
fresh && rm bad/doubtful/01.png && echo x >bad/doubtful/02.png
expect 3 '^missing +doubtful/01.png' '*' -- "$JENSEN" check bad
expect 3 '^damaged +doubtful/02.png' '*' -- "$JENSEN" check bad

# Whatever a finished run has is missed, with what else can be used; what has an end is read to it.
events=$(basename run/events.out.tfevents.*)
for file in metrics.jsonl metrics.csv "$events" checkpoint.safetensors model.safetensors labels.csv evaluation.json \
    report.html log.txt config.yaml; do
    fresh && rm "bad/$file"
    expect 3 "^missing +$file: there is no such file" 'bad: [12] files? (is|are) damaged or missing' -- "$JENSEN" check bad
done
fresh && rm bad/report.html bad/log.txt bad/"$events" bad/checkpoint.safetensors
expect 3 "report.html: there is no such file; 'jensen report' makes it again" '*' -- "$JENSEN" check bad
expect 3 'finished and damaged; usable: predict eval report$' '*' -- "$JENSEN" check bad
fresh && rm bad/report.html && "$JENSEN" report bad >/dev/null
expect 0 'finished and sound' '' -- "$JENSEN" check bad
for size in 0 100; do
    fresh && truncate -s $size bad/report.html
    expect 3 '^damaged +report.html: damaged, the page is cut off' '*' -- "$JENSEN" check bad
    fresh && truncate -s $size "bad/$events"
    expect 3 "^damaged +$events: .*TensorBoard alone" '*' -- "$JENSEN" check bad
done
fresh && truncate -s -1 "bad/$events"
expect 3 "^damaged +$events: damaged at byte" '*' -- "$JENSEN" check bad
fresh && rm bad/result.json
expect 3 '^missing +result.json: .*its command ends it again' '*' -- "$JENSEN" check bad
expect 3 'not finished, and damaged; usable: predict eval report train \(continues\)$' '*' -- "$JENSEN" check bad
expect 0 '*' '*' -- "$JENSEN" train $data $tiny --out bad
expect 0 'finished and sound' '' -- "$JENSEN" check bad
fresh both && rm bad/result.json
expect 3 '^missing +result.json' '*' -- "$JENSEN" check bad
fresh both && rm bad/report.html bad/member-2/log.txt
expect 3 '^missing +report.html' '2 files are' -- "$JENSEN" check bad
expect 3 '^missing +member-2/log.txt' '2 files are' -- "$JENSEN" check bad
# So it is with runs that other commands make.
"$JENSEN" data convert $data --out pics --format ppm >/dev/null
"$JENSEN" audit pics/train --folds 2 -o audited --set network=mlp:width=16 --set epochs=1 -q >/dev/null 2>&1
expect 0 'finished and sound' '' -- "$JENSEN" check audited/folds/fold-1

# What reads a file refuses it by name and says what is left; what does not need it works.
fresh && sed -i 's/"disc"/"disk"/' bad/model.json
expect 3 '' 'bad/model.json: damaged, its SHA-256 is not the one in result.json; .*--init model.safetensors' -- \
    "$JENSEN" predict bad run/doubtful
expect 3 '' 'bad/model.json: damaged' -- "$JENSEN" eval bad $data
expect 0 '*' '' -- "$JENSEN" report bad
expect 3 '' 'bad/model.json: damaged' -- "$JENSEN" train $data $tiny --out bad
fresh && sed -i 's/"loss":[0-9]/"loss":9/' bad/metrics.jsonl
expect 3 '' 'bad/metrics.jsonl: damaged, .*has no curves' -- "$JENSEN" report bad
expect 0 '01.png [a-z_]' '' -- "$JENSEN" predict bad run/doubtful
rm bad/metrics.jsonl
expect 0 '*' '' -- "$JENSEN" report bad
fresh && cp both/member-2/model.safetensors bad/
expect 3 '' 'bad/model.safetensors: damaged, its SHA-256' -- "$JENSEN" predict bad run/doubtful
fresh && printf x >>bad/model.safetensors
expect 3 '' 'bad/model.safetensors: damaged, it has [0-9]+ bytes, the run wrote [0-9]+' -- "$JENSEN" train $data $tiny --out bad
fresh && sed -i 's/"test_acc": [0-9.]*/"test_acc": 0.999/' bad/result.json
expect 3 '^damaged +result.json: its accuracy is not that of evaluation.json' '*' -- "$JENSEN" check bad
fresh && sed -i 's/"mlp:width=16"/"mlq"/' bad/model.json && sed -i '/"model.json"/,/}/{s/"model.json"/"other"/}' bad/result.json
expect 3 '' "bad/model.json: no network 'mlq'" -- "$JENSEN" predict bad run/doubtful

# A run of an earlier version has no checksums and is read as before.
fresh && python3 -c '
import json
doc = json.load(open("bad/result.json"))
del doc["files"]
json.dump(doc, open("bad/result.json", "w"))'
expect 0 '^readable +model.json$' '' -- "$JENSEN" check bad
expect 0 '01.png [a-z_]' '' -- "$JENSEN" predict bad run/doubtful
expect 0 '*' '' -- "$JENSEN" report bad

# Unfinished runs: the best weights so far are looked at when they continue.
fresh && rm bad/result.json bad/model.safetensors bad/evaluation.json
expect 0 'not finished, and sound; usable: report train \(continues\)$' '' -- "$JENSEN" check bad
head -c 100 /dev/urandom >bad/model-best.safetensors
expect 3 'usable: report$' '*' -- "$JENSEN" check bad
expect 3 '' 'bad/model-best.safetensors: .*the checkpoint is sound: delete this file' -- "$JENSEN" train $data $tiny --out bad
rm bad/model-best.safetensors
expect 0 '*' '*' -- "$JENSEN" train $data $tiny --out bad
finish
