# Fine-tuning in two stages: the classifier alone, then the last blocks or the whole body with it.
# The layers before are not touched, and the bits are the same however often a run is killed.
. "$(dirname "$0")/cli.sh"
command -v python3 >/dev/null || { echo "skipped: no python3, which makes the images"; exit 0; }
export JENSEN_CACHE=$work/cache
python3 - <<'PY'
import os, random
random.seed(1)
for split, count in (("train", 16), ("val", 8), ("test", 8)):
    for c, colour in enumerate(((200, 60, 40), (40, 60, 200), (60, 180, 60))):
        os.makedirs(f"data/{split}/class{c}")
        for i in range(count):
            pixels = bytes(min(255, max(0, v + random.randrange(-60, 60))) for _ in range(16 * 16) for v in colour)
            open(f"data/{split}/class{c}/{i}.ppm", "wb").write(b"P6 16 16 255\n" + pixels)
PY
"$JENSEN" train builtin:size=60,test=10 --network preactresnet34:width=4 --image-size 16 --augment fit+weak --batch 8 --epochs 1 \
    --consistency never --out base -q >stdout.txt 2>stderr.txt || complain "no weights to begin with" base
mkdir judged && cp -r data judged/ && rm -r data/val
options="--init base --batch 8 --epochs 3 --lr 0.01 --image-size 16 --augment weak --workers 1 --max-steps 4"
train="train data $options --val-fraction 0"

# sha RUN OPTIONS...: trains it, or what is left of it.
sha() {
    expect 0 'weights_sha256' '*' -- "$JENSEN" $train --json --out "$@"
    sed -E 's/.*"weights_sha256":"([0-9a-f]+)".*/\1/' stdout.txt >"$1.sha"
}
same() { # RUN RUN SENTENCE
    cases=$((cases + 1))
    cmp -s "$1.sha" "$2.sha" || complain "$3" "$1 and $2"
}
# moved RUN RUN NAMES...: the tensors of two models that differ are those with these names, each with one at least.
moved() {
    cases=$((cases + 1))
    python3 - "$@" >stdout.txt 2>&1 <<'PY' || complain "other tensors have moved" "$@"
import json, struct, sys
def read(path):
    data = open(path, "rb").read()
    size, = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + size])
    return {k: data[8 + size + v["data_offsets"][0]:8 + size + v["data_offsets"][1]]
            for k, v in header.items() if k != "__metadata__"}
a, b = (read(f"{run}/model.safetensors") for run in sys.argv[1:3])
assert a.keys() == b.keys()
names = sys.argv[3:]
changed = {k for k in a if a[k] != b[k]}
for name in names:
    assert any(name in k for k in changed), (name, sorted(changed))
assert all(any(name in k for name in names) for k in changed), sorted(changed)
PY
}

# Both stages are said; stage 1 is a run of its own. The layers before the last two blocks are as they were, and so are
# all statistics of BatchNorm.
expect 0 '*' 'stage 1: only the classifier' -- "$JENSEN" $train --finetune last --out last
expect 0 '*' '*' -- "$JENSEN" eval last/stage-1 data
for line in 'finetune: last' 'layer-decay: 0.8' 'norm-stats: keep'; do
    expect 0 "^$line" '' -- cat last/config.yaml
done
moved last/stage-1 base linear.
moved last last/stage-1 linear. bn.weight layer3.3.conv layer3.3.bn1.weight layer3.3.bn1.bias layer3.3.bn2.weight \
    layer3.3.bn2.bias layer3.4.conv layer3.4.bn1.weight layer3.4.bn1.bias layer3.4.bn2.weight layer3.4.bn2.bias bn.bias
sha last --finetune last
expect 0 'test_acc' '*' -- "$JENSEN" $train --finetune last --out last --json
measured=$(sed -E 's/.*"test_acc":([0-9.]+),.*/\1/' stdout.txt)
expect 0 "\"accuracy\":$measured," '*' -- "$JENSEN" eval last data --json

# The same bits on one thread, on the reference device as good as the same, and from stage 1's run by hand.
sha single --finetune last --threads 1
same single last "one thread gives other bits"
expect 0 '*' '*' -- "$JENSEN" $train --finetune last --device ref --out ref
moved ref ref/stage-1 linear. bn. layer3.3 layer3.4
sha again --finetune last --init last/stage-1
same again last "the weights of stage 1 by their name give other bits"
cases=$((cases + 1))
[ ! -e again/stage-1 ] || complain "a stage 1 although the classifier was there" again

# With statistics of the batches, in the blocks that are trained alone.
expect 0 '*' '*' -- "$JENSEN" $train --finetune last --norm-stats update --out update
moved update update/stage-1 linear. bn.running_mean bn.running_var layer3.3.bn1.running_mean layer3.4.bn2.running_var layer3.3 layer3.4 bn.

# All of the body; and as ever, without these options.
expect 0 '*' 'stage 1: only the classifier' -- "$JENSEN" $train --finetune all --layer-decay 0.5 --out all
moved all all/stage-1 linear. conv1. conv2. weight bias
expect 0 '^norm-stats: keep' '' -- cat all/config.yaml
expect 0 '*' '*' -- "$JENSEN" $train --finetune all --out plain
cases=$((cases + 1))
[ ! -e plain/stage-1 ] || complain "plain --finetune all has two stages" plain

# Killed in either stage.
for i in 1 2 3 4 5 6 7 8; do
    "$JENSEN" $train --finetune last --out killed --checkpoint-minutes 0 -q >/dev/null 2>&1 &
    pid=$!
    sleep "0.$i"
    if [ $((i % 2)) -eq 0 ]; then kill -9 $pid 2>/dev/null; else kill $pid 2>/dev/null; fi
    wait $pid 2>/dev/null
done
sha killed --finetune last
same killed last "a killed run ends with other bits"
cases=$((cases + 1))
[ ! -e killed/body.safetensors ] || complain "the body is left behind" killed

# Far too high a rate: the validation images choose what stage 2 began with.
expect 0 '*' 'the weights that stage 2 began with are kept|the weights of epoch [12] are kept' -- "$JENSEN" train judged/data $options \
    --finetune last --lr 30 --schedule constant --out wild
expect 0 '*' 'early-stop 1' -- "$JENSEN" train judged/data $options --finetune last --lr 30 --epochs 9 \
    --early-stop 1 --out short

expect 2 '' '--layer-decay is for --finetune last and --finetune all' -- "$JENSEN" $train --layer-decay 0.5 --out x
expect 2 '' '--norm-stats is for' -- "$JENSEN" $train --finetune head --norm-stats keep --out x
expect 2 '' 'layer-decay' -- "$JENSEN" $train --finetune last --layer-decay 0 --out x
"$JENSEN" train builtin:size=60,test=10 --network cnn:width=4 --image-size 16 --augment fit+weak --batch 8 --epochs 1 --consistency never \
    --out flat -q >stdout.txt 2>stderr.txt
expect 2 '' 'cnn:width=4 has no layer before its last 2 blocks; --finetune all' -- "$JENSEN" $train --init flat --finetune last --out x -q
finish
