# Photographs and pretrained weights: taken from the cache by themselves, the head trained on
# features, the same bits however often it is killed, and whatever becomes of the cache.
# labels: slow
. "$(dirname "$0")/cli.sh"
if ! command -v python3 >/dev/null; then
    echo "skipped: no python3, which makes the photographs"
    exit 0
fi
export JENSEN_CACHE=$work/cache
python3 - <<'PY'
import os, random
random.seed(1)
for split, count in (("train", 10), ("test", 3)):
    for c, colour in enumerate(((200, 60, 40), (40, 60, 200))):
        os.makedirs(f"photos/{split}/class{c}", exist_ok=True)
        for i in range(count):
            pixels = bytes(min(255, max(0, v + random.randrange(-40, 40))) for _ in range(120 * 110) for v in colour)
            open(f"photos/{split}/class{c}/{i}.ppm", "wb").write(b"P6 120 110 255\n" + pixels)
PY
common="--batch 4 --epochs 4 --workers 1"
sha() {
    expect 0 'weights_sha256' '*' -- "$JENSEN" train photos $common --json "$@"
    sed -E 's/.*"weights_sha256":"([0-9a-f]+)".*/\1/' stdout.txt >sha.txt
}
same() {
    cases=$((cases + 1))
    cmp -s sha.txt "$1" || complain "$2" "$JENSEN train"
}

# Without weights: said, and the run goes on so when weights have come.
expect 0 '*' 'no pretrained weights in the cache.*make weights' -- "$JENSEN" train photos $common --epochs 1 --out plain
# until FILE PATTERN: a long run into `long`, stopped when FILE has a line with PATTERN.
until_said() {
    "$JENSEN" train photos --batch 4 --workers 1 --epochs 10000 --consistency never --out long 2>long.txt >stdout.txt &
    local pid=$! n
    for n in $(seq 600); do
        grep -qs "$2" "$1" && break
        sleep 0.05
    done
    kill -TERM $pid && wait $pid
    cases=$((cases + 1))
    grep -qs "$2" "$1" || complain "$1 never had '$2'" "$JENSEN train"
}
audit="audit photos --folds 2 --labels-only --set epochs=1 --set batch=4 --set workers=1 -o audit"
expect 0 '*' 'no pretrained weights in the cache' -- "$JENSEN" $audit
rm -rf audit/audit.json audit/folds/fold-2
until_said long/metrics.jsonl '"epoch":1'
"$JENSEN" train builtin:size=40,test=10 --network efficientnet-lite0 --image-size 32 --augment none --batch 8 --epochs 1 \
    --max-steps 1 --consistency never --out body -q >stdout.txt 2>stderr.txt || complain "no weights to begin with" body
expect 0 '^efficientnet-lite0: .*10 classes, 224x224' '' -- "$JENSEN" weights import body/model.safetensors
expect 0 '*' 'finished' -- "$JENSEN" train photos $common --epochs 1 --out plain
# So do the folds of an audit, of which the first has none.
expect 0 '*' 'network: (cnn|preact)' -- "$JENSEN" $audit
expect 1 '' '' -- grep -qE '^init:|efficientnet' audit/folds/fold-2/config.yaml
until_said long.txt 'init: none, as this run began; the cache has weights (efficientnet-lite0) now'

# With them: taken and said. The saved network is the whole one, and gives what was measured.
expect 0 '*' 'init: efficientnet-lite0, finetune: head \(photographs, and the cache has weights' -- \
    "$JENSEN" train photos $common --out whole
sha --out whole && cp sha.txt whole.txt
measured=$(sed -E 's/.*"test_acc":([0-9.]+),.*/\1/' stdout.txt)
expect 0 "\"accuracy\":$measured," '*' -- "$JENSEN" eval whole photos --json
cases=$((cases + 1))
[ ! -e whole/body.safetensors ] || complain "the body is left behind" whole
sha --init efficientnet-lite0 --out named && same whole.txt "by its name it is another run"
sha --threads 1 --out single && same whole.txt "one thread gives other bits"

# Features are kept for runs on the same images: with other labels or losses, not when an image was touched.
expect 0 '*' 'features of 20 images: from the cache' -- "$JENSEN" train photos $common --loss ce --out other
expect 0 '*' 'features of 6 images: from the cache' -- "$JENSEN" train photos $common --noise sym:rate=0.3 --out noisy
cases=$((cases + 1))
"$JENSEN" train photos $common --seed 2 --out seed2 2>stderr.txt >stdout.txt
! grep -q 'features of 20 augmented images' stderr.txt || complain "another seed has the same copies" seed2
for kept in cache/features/*; do
    printf 'x' | dd of="$kept" bs=1 seek=2000 conv=notrunc 2>/dev/null || complain "no such file" "$kept"
done
sha --out damaged && same whole.txt "a damaged file of the cache gives other bits"
sha --out again && same whole.txt "features of the cache give other bits"
touch photos/test/class0/0.ppm
cases=$((cases + 1))
"$JENSEN" train photos $common --loss ce --out touched 2>stderr.txt >stdout.txt
grep -q 'features of 5 images' stderr.txt || complain "a changed image has the features of the old one" touched
expect 0 '*' 'finished' -- env JENSEN_CACHE=off "$JENSEN" train photos $common --out whole

# The whole network sees images as its weights want them, too.
expect 0 '*' '*' -- "$JENSEN" train photos $common --finetune all --init efficientnet-lite0 --image-size 32 --epochs 1 --max-steps 1 --out all
expect 0 '0\.49799' '' -- cat all/model.json

# Killed while it computes features: what was chosen stays, also without the weights.
rm -rf cache/features
"$JENSEN" train photos $common --out early -q 2>/dev/null &
pid=$!
for _ in $(seq 6000); do
    [ -e early/body.safetensors ] && break
    sleep 0.01
done
sleep 0.1
kill -9 "$pid" 2>/dev/null
wait "$pid" 2>/dev/null
mv cache/weights gone
sha --out early && same whole.txt "a run that was killed early ends with other bits"
mv gone cache/weights

# Killed, and continued when the weights are gone from the cache.
"$JENSEN" train photos $common --checkpoint-minutes 0 --out killed -q 2>/dev/null &
pid=$!
for _ in $(seq 600); do
    [ -e killed/checkpoint.safetensors ] && break
    sleep 0.05
done
kill -9 "$pid" 2>/dev/null
wait "$pid" 2>/dev/null
mv cache/weights gone
sha --out killed && same whole.txt "a killed run ends with other bits"
expect 2 '' '--finetune needs weights' -- "$JENSEN" train photos $common --finetune head --network cnn --out x -q
finish
