# --early-stop: a run ends, finished, when its validation accuracy was not better for N
# epochs; where it ends does not depend on how often it was stopped on its way.
# labels: once
. "$(dirname "$0")/cli.sh"
if ! command -v python3 >/dev/null; then
    echo "skipped: no python3, which reads the metrics"
    exit 0
fi
data=builtin:size=300,test=50
tiny="--network mlp:width=16 --epochs 30 --batch 16 --lr 0.05 --loss ce --noise sym:rate=0.4 --augment none --device ref"
long="train $data --val-fraction 0.3 $tiny"

sha() { sed -E 's/.*"weights_sha256":"([0-9a-f]+)".*/\1/' "$1"; }
rows() { sed -E 's/"(images_per_second|seconds|time|consistency[a-z_]*)":[^,}]*,?//g' "$1/metrics.jsonl"; }

expect 0 '"stopped":"after epoch [0-9]+ of 30: no better validation accuracy since epoch [0-9]+ \(--early-stop 3\)"' \
    'stopped after epoch' -- "$JENSEN" $long --early-stop 3 --out early --json
cp stdout.txt early.json
expect 0 'stopped .*after epoch' 'is finished; nothing to do' -- "$JENSEN" $long --early-stop 3 --out early

# The rule, applied to the rows from outside: three epochs without a better one, the first
# time that this happens; the last row has the consistency that a last epoch has.
cases=$((cases + 1))
python3 - >stdout.txt 2>&1 <<'EOF' || complain "it ended at the wrong epoch" "$JENSEN train --early-stop 3"
import json
rows = [json.loads(line) for line in open("early/metrics.jsonl")]
best, since = -1.0, 0
for at, row in enumerate(rows, 1):
    best, since = (row["val_acc"], 0) if row["val_acc"] > best else (best, since + 1)
    assert (since == 3) == (at == len(rows)), (at, since, len(rows))
assert len(rows) < 30 and rows[-1]["consistency"] is not None
assert json.load(open("early/result.json"))["epochs"] == len(rows)
EOF

# Up to there it is the run without the option.
expect 0 '*' '*' -- "$JENSEN" $long --out whole -q
cases=$((cases + 1))
count=$(wc -l <early/metrics.jsonl)
[ "$(rows early)" = "$(rows whole | head -n "$count")" ] || complain "other epochs than without it" "$JENSEN"

# Stopped and killed on its way.
for i in 1 2 3 4 5 6; do
    "$JENSEN" $long --early-stop 3 --out killed --checkpoint-minutes 0 -q >/dev/null 2>&1 &
    pid=$!
    sleep "0.$((i + 1))"
    if [ $((i % 2)) -eq 0 ]; then kill -9 $pid 2>/dev/null; else kill $pid 2>/dev/null; fi
    wait $pid 2>/dev/null
done
expect 0 '*' '*' -- "$JENSEN" $long --early-stop 3 --out killed --json -q
cp stdout.txt killed.json
cases=$((cases + 1))
if [ "$(sha killed.json)" != "$(sha early.json)" ] || [ "$(rows killed)" != "$(rows early)" ]; then
    complain "another end after kills" "$JENSEN"
fi

# A patience that never runs out changes nothing but the options.
expect 0 '"epochs":30' '*' -- "$JENSEN" $long --early-stop 30 --out patient --json -q
cases=$((cases + 1))
grep -q stopped stdout.txt && complain "stopped, with all epochs run" "$JENSEN"

expect 2 '' '--early-stop 3 needs validation images, and there are none; --val-fraction' -- \
    "$JENSEN" train $data --val-fraction 0 $tiny --early-stop 3 --out none -q
expect 2 '' 'does not know beforehand' -- "$JENSEN" $long --early-stop 3 --record-posteriors 1 --out none -q
expect 2 '' 'early-stop' -- "$JENSEN" $long --early-stop 0 --out none -q
expect 2 '' 'other options: --early-stop 3 then, 4 now' -- "$JENSEN" $long --early-stop 4 --out early -q
expect 0 '"stopped":' '*' -- "$JENSEN" $long --early-stop 3 --members 2 --out pair --json -q
finish
