# jensen bench ... --json: every benchmark has the same members for time, throughput, limit
# and memory, and they fit together.
. "$(dirname "$0")/cli.sh"
export TMPDIR=$work

# number KEY: its value in the first object of stdout.txt, not inside of its layers; "" when
# it is not a number.
number() { head -1 stdout.txt | sed -nE "s/\"layers\":.*//; s/.*[{,]\"$1\":([0-9.]+(e[-+]?[0-9]+)?)[,}].*/\1/p"; }

# shared CASE COMMAND...: median >= best > 0, the rate is images by the median, and a limit
# with its share and how it was measured.
shared() {
    local name=$1
    shift
    expect 0 "\"case\":\"$name\".*\"limit\":\"[^\"]{20,}\"" '' -- "$@" --json
    cases=$((cases + 1))
    awk -v median="$(number median_seconds)" -v best="$(number best_seconds)" \
        -v images="$(number images)" -v rate="$(number images_per_second)" \
        -v limit="$(number limit_seconds)" -v part="$(number limit_share)" \
        -v peak="$(number peak_mib)" 'function near(a, b) { return a > 0.999 * b && a < 1.001 * b }
        BEGIN { exit !(best > 0 && median >= best && images > 0 && limit > 0 && peak > 1 &&
                       near(rate, images / median) && near(part, limit / median)) }' ||
        complain 'members are missing or do not fit together' "$@"
}

shared loss "$JENSEN" bench loss --batch 64 --classes 10 --threads 1 --seconds 0.01
shared loss "$JENSEN" bench loss --batch 64 --classes 10 --device ref --seconds 0.01
shared weak "$JENSEN" bench augment --pipeline weak --repeats 2
shared load "$JENSEN" bench load builtin:size=50,test=10 --threads 2
shared epoch "$JENSEN" bench epoch --data builtin:size=64,test=16 --network mlp:width=4 --batch 8 --steps 2
# Files, at a size that is asked for, decoded in each epoch.
"$JENSEN" data convert builtin:size=64,test=16 --out files -q || complain 'files to train on' convert
shared epoch "$JENSEN" bench epoch --data files --size 24 --augment fit+strong --workers 2 --network mlp:width=4 --batch 8 \
    --steps 2 --device cpu --limit kept=1
expect 0 '"image_size":24,"augment":"fit.strong",.*"workers":2,.*"limit":"median step on resident data' '' -- \
    "$JENSEN" bench epoch --data files --size 24 --augment fit+strong --workers 2 --network mlp:width=4 --batch 8 \
    --steps 2 --device cpu --limit kept=1 --json
printf 'P6\n2 1\n255\nabcdef' >a.ppm
shared decode "$JENSEN" bench decode a.ppm --repeats 2
if "$JENSEN" show networks --device onednn >/dev/null 2>&1; then
    shared step "$JENSEN" bench step --network cnn:width=16 --batch 4 --steps 2 --loss ce --device onednn --limit
fi

# Without --limit that of the memory is measured.
shared step "$JENSEN" bench step --network mlp:width=2 --size 8 --batch 4 --steps 1 --loss ce --device ref
expect 0 '"limit":"a copy of the images and the weights in memory, once; --limit' '' -- \
    "$JENSEN" bench step --network mlp:width=2 --size 8 --batch 4 --steps 1 --loss ce --device ref --json
# Inference: no gradients, so less memory than a step plans for the same batch.
expect 0 '"case":"predict".*"images":4,.*"peak_mib":[0-9]' '' -- \
    "$JENSEN" bench predict -n cnn:width=16 -s 16 -b 4 --repeats 2 --device ref --json
inference=$(number planned_bytes)
rate=$(number images_per_second)
cases=$((cases + 1))
"$JENSEN" bench step -n cnn:width=16 -s 16 -b 4 --steps 1 --loss ce --device ref --json >stdout.txt
awk -v less="$inference" -v more="$(number planned_bytes)" -v rate="$rate" 'BEGIN { exit !(less > 0 && less < more && rate > 0) }' ||
    complain 'inference plans no less memory than a step' bench predict
expect 0 '^cnn:width=16, batch 4 on ref .* images/s, .* MiB peak$' '' -- \
    "$JENSEN" bench predict -n cnn:width=16 -s 16 -b 4 --repeats 1 --device ref
expect 2 '' "no network 'nosuch'" -- "$JENSEN" bench predict -n nosuch
expect 2 '' "takes no argument 'photos'" -- "$JENSEN" bench predict photos
# Image files: the network alone, reading alone, and both.
mkdir -p few none
for i in 1 2 3 4 5; do printf 'P6\n%d 1\n255\n%s' $i "$(printf 'abc%.0s' $(seq $i))" >few/$i.ppm; done
"$JENSEN" train builtin:size=60,test=20 --network cnn:width=16 --device cpu --epochs 1 --batch 10 --threads 1 --augment none \
    --out predicting >/dev/null 2>&1 || complain 'a run to predict with' train
shared 'predict files' "$JENSEN" bench predict --run predicting --images few --repeats 2 -b 2 -t 1
expect 0 '"case":"predict files","run":"predicting","batch":5,.*"rounds":1,"images":5,.*"limit":"the slower of.*"network_images_per_second":[1-9].*"reading_images_per_second":[1-9].*"in_turn_images_per_second":[1-9].*"share_of_the_slower":0?\.?[0-9].*"start_seconds":0' '' -- \
    "$JENSEN" bench predict --run predicting --images few --repeats 1 --json
expect 0 '^both .* images/s, [0-9.]+% of the slower one \(' '' -- "$JENSEN" bench predict --run predicting --images few/1.ppm --repeats 1
expect 2 '' 'go together' -- "$JENSEN" bench predict --run predicting
expect 2 '' 'go together' -- "$JENSEN" bench predict --images few
expect 3 '' 'holds no images' -- "$JENSEN" bench predict --run predicting --images none
cp few/1.ppm few/whole.ppm && printf 'no image' >few/broken.ppm
expect 3 '' 'few/broken.ppm: ' -- "$JENSEN" bench predict --run predicting --images few --repeats 1
expect 2 '' "repeats" -- "$JENSEN" bench load builtin:size=50,test=10 --repeats 0
# Sizes that vary: the limit is found from some of the images.
mkdir -p set/a set/b
for i in 1 2 3; do
    printf 'P6\n%d 1\n255\n%s' $i "$(printf 'abc%.0s' $(seq $i))" >set/a/$i.ppm
    cp set/a/$i.ppm set/b/$i.ppm
done
shared load "$JENSEN" bench load set --repeats 1
finish
