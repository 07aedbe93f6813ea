# predict on weights from a file, show networks, bench step.
. "$(dirname "$0")/cli.sh"

# Weights and images are made by the program itself where it can; arrays by hand: a .npy
# file is a short header and the numbers.
npy() { # FILE DESCR SHAPE BYTES-OF-ZEROS
    header="{'descr': '$2', 'fortran_order': False, 'shape': $3, }"
    pad=$(((64 - (10 + ${#header} + 1) % 64) % 64))
    length=$((${#header} + pad + 1))
    printf '\223NUMPY\001\000' >"$1"
    printf "\\$(printf %03o $((length % 256)))\\$(printf %03o $((length / 256)))" >>"$1"
    printf '%s%*s\n' "$header" "$pad" '' >>"$1"
    head -c "$4" /dev/zero >>"$1"
}
npy images.npy '<f4' '(3, 3, 8, 8)' $((3 * 192 * 4))
npy flat.npy '<f4' '(3, 192)' $((3 * 192 * 4))
npy whole.npy '<i4' '(3, 3, 8, 8)' $((3 * 192 * 4))
# Zero weights of a linear classifier, so that every class has probability 1/4.
header='{"linear.weight":{"dtype":"F32","shape":[4,192],"data_offsets":[0,3072]},"linear.bias":{"dtype":"F32","shape":[4],"data_offsets":[3072,3088]}}'
while [ $((${#header} % 8)) -ne 0 ]; do header="$header "; done
printf "\\$(printf %03o ${#header})\\000\\000\\000\\000\\000\\000\\000" >w.safetensors
printf '%s' "$header" >>w.safetensors
head -c 3088 /dev/zero >>w.safetensors

predict="$JENSEN predict --network mlp:layers=0 --init w.safetensors --device ref"
expect 0 '^2 0 0\.2500$' '' -- $predict --classes 4 --array images.npy
expect 0 '^\{"sample":1,"class":0,"probability":0\.25\}$' '' -- \
    $predict --classes 4 --array images.npy --json --batch 2
expect 0 '*' '' -- $predict --classes 4 --array images.npy --logits out.npy
[ "$(wc -c <out.npy)" -eq $((128 + 3 * 4 * 4)) ] || complain "size of out.npy" wc
expect 0 '*' '' -- $predict --classes 4 --array images.npy --device cpu --threads 1
expect 3 '' "'linear.weight' is 4x192, the network's is 5x192" -- \
    $predict --classes 5 --array images.npy
expect 3 '' 'float32 array \[N\]\[C\]\[H\]\[W\]' -- $predict --classes 4 --array flat.npy
expect 3 '' 'int32' -- $predict --classes 4 --array whole.npy
expect 3 '' 'no.npy' -- $predict --classes 4 --array no.npy
expect 2 '' 'needs a run folder and images, or --network' -- "$JENSEN" predict --array images.npy
expect 2 '' 'needs images' -- $predict --classes 4
expect 2 '' "no device 'gpu'" -- $predict --classes 4 --array images.npy --device gpu
expect 2 '' "did you mean 'resnet50'" -- "$JENSEN" predict --network resnet51 \
    --init w.safetensors --classes 4 --array images.npy
expect 3 '' 'lacks [0-9]+ tensors \(conv1\.weight.*has 2 that.*linear\.bias' -- \
    "$JENSEN" predict --network resnet18 \
    --init w.safetensors --classes 4 --array images.npy --device ref
expect 1 '*' 'out.npy' -- $predict --classes 4 --array images.npy --logits no/out.npy

expect 0 '^preactresnet34 +32x32 +1\.86 M +275\.6 M' '' -- "$JENSEN" show networks
expect 0 'layer3\.4\.conv2 +conv 3/1 +128x8x8 +147456 +9437184' '' -- \
    "$JENSEN" show networks preactresnet34 --device ref
expect 0 '"parameters":1871748' '' -- \
    "$JENSEN" show networks preactresnet34 --classes 100 --json
expect 0 '"name":"layer1.conv"' '' -- "$JENSEN" show networks cnn:width=3 --json
expect 2 '' "no network 'alexnet'" -- "$JENSEN" show networks alexnet
expect 2 '' 'kernel of 2' -- "$JENSEN" show networks vgg19bn --size 16

bench="$JENSEN bench step --network cnn:width=2 --size 8 --batch 4 --steps 2 --device ref"
expect 0 'gjs:pi1=0.5, batch 4 x 2 views on ref' '' -- $bench
expect 0 '"layers":\[\{"name":"input","implementation":"copy"\}' '' -- $bench --json
expect 0 '"limit_seconds":[0-9.e-]+,"limit_share":[0-9.e-]+,"limit":"a copy of' '' -- $bench --json
expect 0 '*' 'layer2.conv +direct loops, (base|avx2)' -- $bench -v --loss ce
expect 2 '' "no loss" -- $bench --loss nothing
expect 1 '' 'ref backend does not time its layers' -- $bench --loss ce --limit
if "$JENSEN" show networks --device onednn >/dev/null 2>&1; then
    limit="$JENSEN bench step --network cnn:width=16 --batch 4 --steps 1 --loss ce --device onednn --limit"
    expect 0 'reached: [0-9]+% of the limit' '' -- $limit
    expect 0 '"limit_seconds":[0-9.e-]+,"limit_share":.*"seconds":\{"forward":' '' -- $limit --json
fi
expect 1 '' 'MiB are available' -- "$JENSEN" bench step --batch 1000000 --device ref --steps 1

# A whole epoch beside the bare step; the temporary run folder is gone afterwards.
export TMPDIR=$work
epoch="$JENSEN bench epoch --data builtin:size=64,test=16 --network mlp:width=4 --batch 8 --steps 2"
expect 0 'with loading and augmentation.*with evaluation too [0-9]+ images/s' '' -- $epoch
expect 0 '"case":"epoch".*"whole_share":[0-9.]+' '' -- $epoch --json
expect 2 '' 'No such file' -- ls -d "$work"/jensen-bench-*
expect 2 '' 'no loss' -- $epoch --loss nothing
finish
