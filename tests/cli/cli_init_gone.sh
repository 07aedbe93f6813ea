# Runs that began with weights which are gone since, or have become others: the same command goes on with what the run
# folder keeps, to the same bits. Only where nothing was kept yet it needs them again.
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
for c, colour in enumerate(((200, 60, 40), (40, 60, 200))):
    os.makedirs(f"photos/class{c}", exist_ok=True)
    for i in range(12):
        pixels = bytes(min(255, max(0, v + random.randrange(-40, 40))) for _ in range(120 * 110) for v in colour)
        open(f"photos/class{c}/{i}.ppm", "wb").write(b"P6 120 110 255\n" + pixels)
PY
# Weights with a mean of their own: those of a run of its size.
for seed in 1 2; do
    "$JENSEN" train builtin:size=40,test=10 --network preactresnet34:width=4 --image-size 32 --augment none --batch 8 \
        --epochs 1 --max-steps 1 --consistency never --seed $seed --out run-$seed -q >stdout.txt 2>stderr.txt ||
        complain "no weights to begin with" run-$seed
done
"$JENSEN" weights import run-1/model.safetensors --as mine >stdout.txt

common="--batch 4 --epochs 3 --workers 1 --image-size 32 --val-fraction 0.2"
train() { "$JENSEN" train photos $common --json -q "$@" >stdout.txt 2>stderr.txt; }
sum() { sed -E 's/.*"weights_sha256":"([0-9a-f]+)".*/\1/' stdout.txt; }
# stop FILE OPTIONS: a run into `part` that is killed as soon as it has the file.
stop() {
    local file=$1 pid
    shift
    rm -rf part cache/features
    "$JENSEN" train photos $common -q --checkpoint-minutes 0 --out part "$@" >/dev/null 2>&1 &
    pid=$!
    while [ ! -e "part/$file" ] && kill -0 $pid 2>/dev/null; do sleep 0.002; done
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
}
# The weights of --init mine, run-1, file: gone, others, and back again.
cp run-1/model.safetensors file.safetensors
cp run-2/model.safetensors others.safetensors
gone() { mv cache/weights/mine held-name && mv run-1 held-run && mv file.safetensors held-file; }
others() {
    gone
    "$JENSEN" weights import others.safetensors --as mine >/dev/null
    cp -r run-2 run-1 && cp others.safetensors file.safetensors
}
back() {
    rm -rf cache/weights/mine run-1 file.safetensors
    mv held-name cache/weights/mine && mv held-run run-1 && mv held-file file.safetensors
}
# goes_on INIT OPTIONS: however it was stopped, the run ends with the weights of the one that was not.
goes_on() {
    local init=$1 whole
    shift
    rm -rf whole cache/features
    train --init "$init" --out whole "$@" || complain "no whole run" --init "$init" "$@"
    whole=$(sum)
    for file in $files; do
        for what in $ways; do
            stop "$file" --init "$init" "$@"
            $what
            cases=$((cases + 1))
            train --init "$init" --out part "$@" && [ "$(sum)" = "$whole" ] ||
                complain "stopped with $file, weights $what: other weights, or none" --init "$init" "$@"
            [ $what = gone ] || grep -q "^warning: --init $init: has other weights now (SHA-256 .*); this run keeps those" stderr.txt ||
                complain "not said that the weights are others" --init "$init" "$@"
            back
        done
    done
    gone
    expect 0 '*' 'whole is finished; nothing to do' -- "$JENSEN" train photos $common --init "$init" --out whole "$@"
    back
}
ways="gone others"
files="body.safetensors checkpoint.safetensors" goes_on mine
files="stage-1/body.safetensors checkpoint.safetensors" goes_on file.safetensors --finetune last
ways=gone
files=stage-1/result.json goes_on ./run-1 --finetune last
files=checkpoint.safetensors goes_on ./run-1 --finetune head
files=checkpoint.safetensors goes_on mine --finetune all --max-steps 6
files=checkpoint.safetensors goes_on file.safetensors --max-steps 6
files=member-2/body.safetensors goes_on mine --members 2

# Without --out the folder is found, too; and it is the run's own mean and deviation that its images get.
expect 0 '*' '*' -- "$JENSEN" train photos --batch 4 --epochs 1 --init mine -q
gone
expect 0 '*' 'is finished; nothing to do' -- "$JENSEN" train photos --batch 4 --epochs 1 --init mine
back
cases=$((cases + 1))
[ "$(ls runs | wc -l)" = 1 ] || complain "another run" "$(ls runs)"

# Nothing was kept: the weights are needed, and it is said how to get them.
gone
expect 3 '' 'mine: there is no such file or folder, and the cache has no weights of that name .*make weights' -- \
    "$JENSEN" train photos $common --init mine --out nothing -q
back
cases=$((cases + 1))
[ ! -e nothing ] || complain "a folder was left behind" nothing

# An ensemble with members that have yet to begin takes no others for them.
rm -rf cache/features
"$JENSEN" train photos $common -q --init mine --members 2 --out pair >/dev/null 2>&1 &
pid=$!
while [ ! -e pair/member-1/body.safetensors ] && kill -0 $pid 2>/dev/null; do sleep 0.002; done
kill -9 $pid
wait $pid 2>/dev/null
others
expect 3 '' 'mine: has other weights now .* 1 of its 2 members have? yet to begin' -- "$JENSEN" train photos $common --init mine --members 2 --out pair -q
back

# What a run kept before it was killed early is not taken by one that begins with other weights in its folder.
"$JENSEN" weights import others.safetensors --as yours >/dev/null
rm -rf whole cache/features
train --init yours --out whole
want=$(sum)
stop body.safetensors --init mine
cases=$((cases + 1))
train --init yours --out part && [ "$(sum)" = "$want" ] || complain "the run has weights of another one" part

# A name with a '/' is a path, also where the cache has weights of the name.
cp -r run-2 mine
rm -rf path
train --init ./run-2 --out path
want=$(sum)
for init in ./mine mine/; do
    rm -rf path
    cases=$((cases + 1))
    train --init $init --out path && [ "$(sum)" = "$want" ] || complain "not the folder" "$init"
    grep -q '^init: "./mine"$' path/config.yaml || complain "not a path in config.yaml" "$init"
done
finish
