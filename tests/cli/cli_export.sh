# Models for other programs: export writes them; what it cannot write it refuses with a sentence.
# What ONNX Runtime makes of the files is looked at in tests/peers/onnx_runtime.sh.
. "$(dirname "$0")/cli.sh"
train="train builtin:size=40,test=10 --network cnn:width=4 --image-size 8 --epochs 1 --batch 20 --threads 1 -q"
"$JENSEN" $train --augment fit+flip --out one >/dev/null 2>&1
"$JENSEN" $train --augment fit+flip --members 2 --out two >/dev/null 2>&1
"$JENSEN" $train --augment none --image-size 32 --out plain >/dev/null 2>&1

expect 0 '^one.onnx$' '' -- "$JENSEN" export one -o one.onnx
for word in image probabilities logits Softmax Conv classes resize.h.matrix; do
    grep -qa "$word" one.onnx || complain "one.onnx has no $word"
done
grep -qa BatchNormalization one.onnx && complain "one.onnx has a BatchNorm behind a convolution"
# The same model gives the same bytes; without the transform it is smaller.
expect 0 '*' '' -- "$JENSEN" export one -o again.onnx
cmp -s one.onnx again.onnx || complain "a second export differs"
expect 0 '*' '' -- "$JENSEN" export one --raw -o raw.onnx
grep -qa resize raw.onnx && complain "--raw has a transform"
expect 0 '*' '' -- "$JENSEN" export two -o two.onnx
grep -qa member2.probabilities two.onnx || complain "the second member is missing"
expect 0 '*' '' -- "$JENSEN" export plain -o plain.onnx

expect 0 '^\{"file":"raw.onnx","format":"onnx","raw":true,"classes":10\}$' '' -- "$JENSEN" export one --raw -o raw.onnx --json

# The weights alone are those of the run.
expect 0 '*' '' -- "$JENSEN" export one --format safetensors -o one.safetensors
cmp -s one.safetensors one/model.safetensors || complain "other weights than the run's"

# A file gets what its name promises; --format is stronger.
expect 0 '"file":"named.safetensors","format":"safetensors"' '' -- "$JENSEN" export one -o named.safetensors --json
cmp -s named.safetensors one/model.safetensors || complain "named.safetensors has other weights than the run"
expect 0 '*' '' -- "$JENSEN" export one -o named.py
python3 -m py_compile named.py || complain "named.py is no Python"
expect 2 '' '--check compares a file of ONNX' -- "$JENSEN" export one -o named.py --check .
expect 0 '*' '' -- "$JENSEN" export one -o named.py --format onnx
cmp -s named.py one.onnx || complain "named.py is not what --format says"

# A module of PyTorch has its weights beside it; an ensemble has a file a member.
expect 0 '^one.py$' '' -- "$JENSEN" export one --format pytorch -o one.py
cmp -s one.safetensors one/model.safetensors || complain "one.py has other weights than the run"
python3 -m py_compile one.py || complain "one.py is no Python"
for word in 'WEIGHTS = \["one.safetensors"\]' 'self.layer1.conv(x0)' 'def transform('; do
    grep -q "$word" one.py || complain "one.py has no $word"
done
expect 0 '*' '' -- "$JENSEN" export two --format pytorch --raw -o two.py
[ -e two-1.safetensors ] && [ -e two-2.safetensors ] || complain "two.py lacks weights"
grep -q 'def transform(' two.py && complain "two.py has a transform"
expect 2 '' 'x.pt: a module of Python has a name that ends in .py' -- "$JENSEN" export one --format pytorch -o x.pt

# Without ONNX Runtime --check says what is missing, after the file is written.
mkdir -p pictures
printf 'P6 2 2 255\n012345678901' >pictures/a.ppm
expect 1 '^checked.onnx$' "JENSEN_ONNXRUNTIME: /nowhere/lib.so" -- env JENSEN_ONNXRUNTIME=/nowhere/lib.so "$JENSEN" export one -o checked.onnx --check pictures
cmp -s one.onnx checked.onnx || complain "checked.onnx is not one.onnx"
printf 'no library' >lib.so
expect 1 '*' "JENSEN_ONNXRUNTIME: .*lib.so" -- env JENSEN_ONNXRUNTIME=./lib.so "$JENSEN" export one -o x.onnx --check pictures
expect 1 '"raw":true' '--check: JENSEN_ONNXRUNTIME: .*lib.so' -- \
    env JENSEN_ONNXRUNTIME=./lib.so "$JENSEN" export one --raw -o y.onnx --check pictures --json
cmp -s raw.onnx y.onnx || complain "y.onnx is not raw.onnx"
expect 2 '' 'compares a file of ONNX' -- "$JENSEN" export one --format safetensors -o y --check pictures
rm -f x.onnx

expect 2 '' 'needs a file to write: -o model.onnx' -- "$JENSEN" export one
expect 2 '' 'needs one run folder, or weights of the cache' -- "$JENSEN" export -o x.onnx
expect 2 '' "no format 'tflite' to export to; there are: onnx, pytorch, safetensors" -- \
    "$JENSEN" export one --format tflite -o x
expect 1 '' 'an ensemble of 2 networks has no one file of weights' -- \
    "$JENSEN" export two --format safetensors -o x
expect 3 '' 'nowhere' -- "$JENSEN" export nowhere -o x
expect 1 '' 'no/such/x.onnx' -- "$JENSEN" export one -o no/such/x.onnx
[ ! -e x ] || complain "a refused export has left a file"
finish
