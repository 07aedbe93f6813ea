# The paper's tables on their own data, in small: both test sets of Table 2, Table 8 from
# label files, Table 10's initial weights, what counts as the paper's scale, Table 11.
. "$(dirname "$0")/cli.sh"

expect 0 'Jeffreys +\| KL\(e, p\) / 2 \+ KL\(p, e\) / 2 ' '' -- "$JENSEN" repro table11

# ppm FILE SHADE: an image of one colour, of WebVision's least size.
ppm() {
    mkdir -p "$(dirname "$1")"
    { printf 'P6 8 8 255\n' && head -c 192 /dev/zero | tr '\0' "\\$2"; } >"$1"
}
# Two classes: WebVision names them by id and words, ImageNet by ids.
mkdir -p wv/info
printf 'n01440764 tench, Tinca tinca\nn01443537 goldfish\n' >wv/info/synsets.txt
for i in 1 2 3 4 5 6 7 8; do
    ppm wv/google/a$i.ppm 10$((i % 8)) && echo "google/a$i.ppm 0" >>wv/info/train_filelist_google.txt
    ppm wv/google/b$i.ppm 30$((i % 8)) && echo "google/b$i.ppm 1" >>wv/info/train_filelist_google.txt
    ppm wv/val_images_256/c$i.ppm 10$((i % 8)) && echo "c$i.ppm 0" >>wv/info/val_filelist.txt
    ppm in/val/n01440764/x$i.ppm 10$((i % 8))
    ppm in/val/n01443537/y$i.ppm 30$((i % 8))
done
small=(--network mlp:width=8 --augment fit --image-size 8 --batch 4 --epochs 2 --threads 1 -q)
expect 0 'run' '*' -- "$JENSEN" train webvision:wv,classes=2 --loss ce "${small[@]}" --out run
expect 0 'samples +16$' '' -- "$JENSEN" eval run imagenet:in,classes=2
# Numbers of a list become ids where a file has them.
mkdir -p flat/val
cp in/val/n01440764/x1.ppm flat/val/v1.ppm
printf 'v1.ppm 0\n' >flat/val.txt
expect 3 '' "class '0' is none of" -- "$JENSEN" eval run imagenet:flat,classes=2
printf 'n01440764\nn01443537\n' >flat/synsets.txt
expect 0 'samples +1$' '' -- "$JENSEN" eval run imagenet:flat,classes=2
# Another id is another class, whatever words follow.
printf 'n01440764 tench\nn09999999 goldfish\n' >flat/synsets.txt
expect 3 '' "class 'n09999999 goldfish' is none of" -- "$JENSEN" eval run imagenet:flat,classes=2

if "$JENSEN" doctor | grep -E '^ *SQLite' | grep -qE '[0-9]+\.[0-9]+'; then
    two=(repro table2 --data webvision:wv,classes=2 "${small[@]}" --only webvision/ce,webvision/gjs-2net)
    expect 0 'CE .*\| WebVision top-5 ' 'study repro-table2' -- "$JENSEN" "${two[@]}"
    cp stdout.txt without.txt
    expect 1 '' '' -- grep 'ILSVRC12 top-1 *|' without.txt
    expect 0 'CE +\| ILSVRC12 top-1 +\| +[0-9*~.]+ +\| +1 \| +67\.32' '*' -- \
        "$JENSEN" "${two[@]}" --also-test imagenet:in,classes=2
    cp stdout.txt both.txt
    expect 0 'GJS, two networks +\| ILSVRC12 top-5 +\| +[0-9*~.]+ +\| +1 \| +.*91\.27' '' -- cat both.txt
    # What was measured stays, and is shown without being asked for.
    expect 0 'CE +\| ILSVRC12 top-1 +\| +[0-9*~.]+ +\| +1 \|' '' -- "$JENSEN" "${two[@]}" --show
    expect 2 '' 'table1 has no other test set' -- "$JENSEN" repro table1 --data builtin:size=40 --also-test imagenet:in

    # Table 8 from labels: a column for each kind; samples without a row validate.
    "$JENSEN" noise builtin:size=60,test=10 --noise sym:rate=0.4 --seed 1 --out noisy.csv >noise.log 2>&1
    awk -F, 'NR == 1 { print "path,clean,type1_35,type2_35,type3_35" }
             NR > 1 && NR <= 51 { print $1 "," $2 "," $3 "," $3 "," $3 }' noisy.csv >plc.csv
    eight=(repro table8 --data builtin:size=60,test=10 --dataset cifar10 --network mlp:width=8 --augment none
        --batch 10 --epochs 1 --threads 1 -q --only instance2-35/ce)
    expect 0 'CE .*Type II +\| +[0-9*~.]+ +\| +1 \|' 'study repro-table8' -- \
        "$JENSEN" "${eight[@]}" --noise-from file:plc.csv
    expect 0 'noise: "file:plc.csv,column=type2_35,missing=val' '' -- sh -c 'cat */*/trial-*/config.yaml'

    # Table 10 starts from ImageNet's weights: without them the number is marked.
    expect 0 'starts from the weights resnet50-imagenet' '' -- "$JENSEN" show recipes food101n/gjs
    expect 0 '"weights": *"resnet50-imagenet"' '' -- "$JENSEN" show recipes food101n/gjs --json
    ten=(repro table10 --data builtin:size=60,test=10 "${small[@]}" --only food101n/ce)
    expect 0 'CE .*[0-9]°' '*' -- "$JENSEN" "${ten[@]}"
    cp stdout.txt ten.txt
    expect 0 'random initial weights, marked ° .resnet50-imagenet' '' -- cat ten.txt
    expect 0 'ten' 'recipe food101n/ce starts from the weights resnet50-imagenet, but this run from random' -- \
        "$JENSEN" train builtin:size=60,test=10 --recipe food101n/ce --network mlp:width=8 --augment fit \
        --image-size 8 --batch 4 --epochs 1 --threads 1 --out ten
    expect 0 'one' '*' -- "$JENSEN" train builtin:size=60,test=10 --recipe cifar10/sym-40/ce --network mlp:width=8 \
        --augment none --batch 4 --epochs 1 --threads 1 --out one
    cp stderr.txt one.txt
    expect 1 '' '' -- grep 'starts from' one.txt

    # Other data than the paper's is not its scale, whatever the options say.
    expect 0 'not run yet' '' -- "$JENSEN" repro table3 --data builtin:size=40 --show
else
    echo "skipped: a build without SQLite runs no studies"
fi
finish
