# jensen loss, show losses, bench loss: values, files, and what is refused.
. "$(dirname "$0")/cli.sh"

# npy DTYPE SHAPE NUMBERS...: a .npy file of little-endian numbers on stdout.
npy() {
    perl -e '
        my ($type, $shape, @numbers) = @ARGV;
        my $header = "{\x27descr\x27: \x27$type\x27, \x27fortran_order\x27: False, \x27shape\x27: $shape, }";
        $header .= " " x (63 - (10 + length $header) % 64) . "\n";
        my %code = ("<f4" => "f<*", "<f8" => "d<*", "<i4" => "l<*", "<i8" => "q<*");
        binmode STDOUT;
        print "\x93NUMPY\x01\x00", pack("v", length $header), $header;
        print pack($code{$type}, @numbers);' "$@"
}

# Two views of one sample; the values are those of the documentation's example.
npy '<f8' '(1, 4)' 0.5 -1 2 0.25 >v2.npy
npy '<f8' '(1, 4)' -0.3 0.8 1.1 -2 >v3.npy
npy '<f4' '(1, 4)' 0.5 -1 2 0.25 >v2f.npy
npy '<f4' '(1, 4)' -0.3 0.8 1.1 -2 >v3f.npy
npy '<i8' '(1,)' 0 >y.npy
npy '<i4' '(1,)' 0 >y32.npy
npy '<f4' '(1, 4)' 0.25 0.25 0.25 0.25 >t.npy

expect 0 '^1\.54934623' '' -- "$JENSEN" loss gjs:pi1=0.5 --logits v2.npy --logits v3.npy --labels y.npy
expect 0 '^1\.54934[56]' '' -- "$JENSEN" loss gjs:pi1=0.5 --logits v2f.npy --logits v3f.npy --labels y32.npy
expect 0 '^\{"loss":1\.8692789[0-9]*,"per_sample":\[1\.8692789[0-9]*\]\}$' '' -- "$JENSEN" loss ce --logits v2.npy --labels y.npy --json
expect 0 '^\{"loss":0\.6827978[0-9]*,"per_sample":\[\]\}$' '' -- "$JENSEN" loss js-sqrt --logits v2.npy --labels y.npy --json
expect 0 '^1\.' '' -- "$JENSEN" loss ce --logits v2.npy --targets t.npy
expect 0 '^1\.54934' '' -- "$JENSEN" loss gjs --logits v2.npy --logits v3.npy --labels y.npy --grad g --threads 2
expect 0 '' '' -- test -s g0.npy -a -s g1.npy
# The gradient of float32 logits is float32.
expect 0 '*' '' -- "$JENSEN" loss gjs --logits v2f.npy --logits v3f.npy --labels y.npy --grad f
expect 0 'f4' '' -- head -c 60 f1.npy

expect 2 '' "needs one loss" -- "$JENSEN" loss --logits v2.npy --labels y.npy
expect 2 '' "logits is missing" -- "$JENSEN" loss ce --labels y.npy
expect 2 '' "labels or --targets" -- "$JENSEN" loss ce --logits v2.npy
expect 2 '' "labels or --targets" -- "$JENSEN" loss ce --logits v2.npy --labels y.npy --targets t.npy
expect 2 '' "no loss named 'cee'" -- "$JENSEN" loss cee --logits v2.npy --labels y.npy
expect 2 '' "no parameter 'q'" -- "$JENSEN" loss ce:q=1 --logits v2.npy --labels y.npy
expect 2 '' "pi1 must lie in" -- "$JENSEN" loss gjs:pi1=1.5 --logits v2.npy --labels y.npy
expect 2 '' "gce takes labels" -- "$JENSEN" loss gce --logits v2.npy --targets t.npy
# On a device: its kernels for float32, the definition for float64, 4 when it is not there.
expect 4 '' "cuda" -- "$JENSEN" loss ce --logits v2.npy --labels y.npy --device cuda:99
expect 2 '' "no device 'gpu'" -- "$JENSEN" loss ce --logits v2.npy --labels y.npy --device gpu
device="--logits v2f.npy --logits v3f.npy --labels y.npy --device ref --grad"
expect 0 '^\{"loss":1\.54934[56][0-9]*,"per_sample":\[1\.54934[56]' '' -- "$JENSEN" loss gjs $device d --json
cmp -s f0.npy d0.npy && cmp -s f1.npy d1.npy || complain "gradient on ref" cmp f0.npy d0.npy
expect 0 '"per_sample":\[\]' '' -- "$JENSEN" loss js-sqrt $device d --json
expect 0 '^1\.8692789' 'float64.*CPU' -- "$JENSEN" loss ce --logits v2.npy --labels y.npy --device ref
expect 3 '' "nothere.npy" -- "$JENSEN" loss ce --logits nothere.npy --labels y.npy

npy '<i4' '(1,)' 4 >high.npy
npy '<i4' '(2,)' 0 1 >two.npy
npy '<f4' '(1, 3)' 1 2 3 >k3.npy
npy '<f4' '(4,)' 1 2 3 4 >flat.npy
npy '<f8' '(1, 4)' nan 0 0 0 >nan.npy
npy '<f4' '(1, 4)' 0.25 0.25 0.25 0.5 >sum.npy
head -c 90 v2.npy >short.npy
expect 3 '' "high.npy.*label 4 of sample 0" -- "$JENSEN" loss ce --logits v2.npy --labels high.npy
expect 3 '' "two.npy: labels are \[1\]" -- "$JENSEN" loss ce --logits v2.npy --labels two.npy
expect 3 '' "t.npy: labels are integers" -- "$JENSEN" loss ce --logits v2.npy --labels t.npy
expect 3 '' "k3.npy: float32 \[1\]\[3\] beside float32 \[1\]\[4\]" -- "$JENSEN" loss gjs --logits v2f.npy --logits k3.npy --labels y.npy
expect 3 '' "beside float64" -- "$JENSEN" loss gjs --logits v2.npy --logits v3f.npy --labels y.npy
expect 3 '' "flat.npy: logits are" -- "$JENSEN" loss ce --logits flat.npy --labels y.npy
expect 3 '' "y.npy: logits are float32" -- "$JENSEN" loss ce --logits y.npy --labels y.npy
expect 3 '' "nan.npy.*not finite" -- "$JENSEN" loss ce --logits nan.npy --labels y.npy
expect 3 '' "sum.npy.*sum to" -- "$JENSEN" loss ce --logits v2.npy --targets sum.npy
expect 3 '' "short.npy" -- "$JENSEN" loss ce --logits short.npy --labels y.npy
expect 1 '' "nowhere" -- "$JENSEN" loss ce --logits v2.npy --labels y.npy --grad nowhere/g

expect 0 '^gjs .*compares views' '' -- "$JENSEN" show losses
expect 0 '^gce .*labels only' '' -- "$JENSEN" show losses
expect 0 'pi1' '' -- "$JENSEN" show losses
expect 0 '"name":"nce\+rce"' '' -- "$JENSEN" show losses --json
expect 0 '"limit_share":' '' -- "$JENSEN" bench loss --batch 64 --classes 10 --threads 1 --seconds 0.01 --json
expect 0 'x copy' '' -- "$JENSEN" bench loss --loss all --batch 64 --classes 10 --seconds 0.002
expect 0 '"samples":64,"classes":10,"views":2,"threads":1,' '' -- \
    "$JENSEN" bench loss --loss gjs --batch 64 --views 2 --threads 1 --device cpu --seconds 0.01 --json
expect 0 '"samples":128,"classes":7,' '' -- "$JENSEN" bench loss --classes 7 --threads 1 --seconds 0.01 --json
# On a device, ref among them; the mean is that of the CPU's function on the same numbers.
one=("$JENSEN" bench loss --batch 64 --classes 12 --seconds 0.01 --json)
mean=$("${one[@]}" --threads 1 | grep -oE '"mean":[0-9]\.[0-9]{5}')
expect 0 "\"level\":\"ref\",\"device\":\".*in turn with the loss.*$mean" '' -- "${one[@]}" --device ref
expect 0 'ref .* x copy' '' -- "$JENSEN" bench loss --device ref --loss all --batch 16 --seconds 0.002
expect 2 '' 'those of --device cpu' -- "${one[@]}" --device ref --threads 2
expect 2 '' 'curda' -- "${one[@]}" --device curda
if "$JENSEN" show networks --device cuda >/dev/null 2>&1; then
    expect 0 "\"level\":\"cuda\".*$mean" '' -- "${one[@]}" --device cuda
else
    expect 4 '' 'bench loss: cuda: .*[a-z]' -- "${one[@]}" --device cuda
fi
# A method is timed with its memory, whose traffic counts: 64 x 10 logits, gradients, memory in and out, and labels.
expect 0 '"method":"elr".*"traffic_bytes":10496,' '' -- "$JENSEN" bench loss --loss ce --method elr --batch 64 \
    --classes 10 --threads 1 --seconds 0.01 --json
expect 2 '' "no method named 'elk'" -- "$JENSEN" bench loss --loss ce --method elk --batch 64
expect 2 '' 'only on --device cpu' -- "$JENSEN" bench loss --loss ce --method elr --device ref --batch 64

finish
