# jensen weights import|list|show|remove|fetch, and weights of the cache in train, predict, eval.
. "$(dirname "$0")/cli.sh"
if ! command -v python3 >/dev/null; then
    echo "skipped: no python3, which makes the files of weights"
    exit 0
fi
export JENSEN_CACHE=$work/cache
tiny="builtin:size=100,test=20 --epochs 1 --max-steps 2 --batch 8 --consistency never --device ref"
expect 0 '*' '*' -- "$JENSEN" train $tiny --network cnn:width=8 --out run -q
sum=$(sha256sum run/model.safetensors | cut -d' ' -f1)

expect 0 '' "no weights in the cache; 'make weights'" -- "$JENSEN" weights list
expect 3 '' 'mine: there is no such file or folder, and the cache has no weights of that name .*make weights' -- "$JENSEN" predict mine x.ppm
expect 3 '*' 'mine: there is no such file or folder, and the cache has no weights' -- "$JENSEN" train $tiny --init mine --out x
expect 3 '' "no weights 'mine' in the cache, which has none yet" -- "$JENSEN" weights show mine
expect 0 "^cnn-width-8: cnn:width=8, 10 classes, 32x32 pixels, SHA-256 ${sum:0:8} \(model.safetensors\)" '' -- \
    "$JENSEN" weights import run/model.safetensors
expect 0 '^cnn-width-8: ' '' -- "$JENSEN" weights import run/model.safetensors
expect 0 "\"name\":\"mine\",\"network\":\"cnn:width=8\",.*\"sha256\":\"$sum\"" '' -- \
    "$JENSEN" weights import run/model.safetensors --as mine --json
expect 0 '^mine: cnn' '' -- "$JENSEN" weights list
expect 0 "SHA-256 +$sum" '' -- "$JENSEN" weights show mine
# A damaged entry is named, with what to do; the others are listed, and it can be removed whatever its state.
damage() { # damage NAME COMMAND: a copy of mine, in which the command does something
    cp -r cache/weights/mine "cache/weights/$1" && (cd "cache/weights/$1" && eval "$2")
}
damage b1 'echo { >model.json'
expect 3 '^cnn-width-8: .*mine: ' "the weights 'b1' in the cache are damaged: .*/b1/model.json.*; 'jensen weights remove b1' removes them$" -- \
    bash -c "'$JENSEN' weights list | tr '\n' ' '; exit \${PIPESTATUS[0]}"
expect 3 '^\{"name":"cnn-width-8".*\{"name":"mine"' 'b1' -- bash -c "'$JENSEN' weights list --json | tr '\n' ' '; exit \${PIPESTATUS[0]}"
expect 0 "mine  .*the weights 'b1' in the cache are damaged" '' -- bash -c "'$JENSEN' doctor | tr '\n' ' '"
expect 3 '' "'jensen weights remove b1' removes them" -- "$JENSEN" weights show b1
expect 3 '' "'jensen weights remove b1' removes them" -- "$JENSEN" weights import run/model.safetensors --as b1
damage b2 ': >weights.json'
expect 3 'mine: ' "'b1' .*the first of 2" -- "$JENSEN" weights list
damage b3 'rm model.json'
damage b4 'rm weights.json && ln -s ../mine/weights.json weights.json'
damage b5 'rm model.json && mkdir model.json'
damage b6 'head -c 40 ../mine/model.json >model.json'
expect 3 'mine: ' "'b1' .*the first of 6" -- "$JENSEN" weights list
mkdir elsewhere && echo '{' | tee elsewhere/weights.json >elsewhere/model.json && ln -s "$work/elsewhere" cache/weights/b7
expect 3 'mine: ' "the first of 7" -- "$JENSEN" weights list
mkdir cache/weights/b8 && touch cache/weights/b8/jensen-0123456789abcdef.tmp # of an import that was killed
for name in b1 b2 b3 b4 b5 b6 b7 b8; do
    expect 0 '' '' -- "$JENSEN" weights remove $name
done
expect 0 'model.json weights.json $' '' -- bash -c "ls elsewhere | tr '\n' ' '"
expect 3 '' "no weights 'b1' in the cache" -- "$JENSEN" weights remove b1
expect 0 '^cnn-width-8 mine $' '' -- bash -c "ls cache/weights | tr '\n' ' '"
expect 0 '^mine: ' '' -- "$JENSEN" weights list
expect 3 '' "no weights 'minee' in the cache; did you mean 'mine'\?" -- "$JENSEN" weights show minee
for name in a/b .. .x -x none '' 'a b'; do
    expect 2 '' 'a name has letters' -- "$JENSEN" weights import run/model.safetensors --as="$name"
done
expect 3 '' 'no network of' -- bash -c "python3 - <<'PY'
import json, struct
text = json.dumps({'odd': {'dtype': 'F32', 'shape': [1], 'data_offsets': [0, 4]}}).encode()
open('odd.safetensors', 'wb').write(struct.pack('<Q', len(text)) + text + bytes(4))
PY
'$JENSEN' weights import odd.safetensors"
expect 0 '*' '*' -- "$JENSEN" train $tiny --network cnn:width=8 --seed 5 --out second -q
expect 3 '' "the cache has other weights 'mine' \(from model.safetensors\); --as gives these another name" -- \
    "$JENSEN" weights import second/model.safetensors --as mine

# The same weights by name and by file, where both are fine-tuned (then images are normalised
# as the weights want them); a path has a '/'; none starts from nothing.
sha() {
    expect 0 'weights_sha256' '*' -- "$JENSEN" train $tiny --json "$@"
    sed -E 's/.*"weights_sha256":"([0-9a-f]+)".*/\1/' stdout.txt >sha.txt
}
sha --init mine --out by-name && cp sha.txt name.txt
sha --init ./run/model.safetensors --finetune all --out by-file
cases=$((cases + 1))
cmp -s sha.txt name.txt || complain "a name and its file give other weights" mine
sha --init none --network cnn:width=8 --out from-none && cp sha.txt none.txt
sha --network cnn:width=8 --out from-nothing
cases=$((cases + 1))
cmp -s sha.txt none.txt || complain "none is not nothing" none
expect 3 '' 'no-such' -- "$JENSEN" train $tiny --init no-such --out other -q
expect 3 '' "class 'disc' is none of the 10 classes of .*/mine" -- "$JENSEN" eval mine builtin:size=100,test=20 --device ref --json
python3 -c '
open("a.ppm", "wb").write(b"P6 40 32 255\n" + bytes(range(256)) * 15)'
expect 0 '^a.ppm [0-9] 0\.' '' -- "$JENSEN" predict mine a.ppm --device ref
expect 3 '' "minne: there is no such file or folder, and the cache has no weights of that name; did you mean 'mine'\?" -- \
    "$JENSEN" predict minne a.ppm
mkdir -p some/0 some/1 && cp a.ppm some/0/ && cp a.ppm some/1/b.ppm
expect 0 '"samples":2,' 'lacks 8 of the 10 classes' -- "$JENSEN" eval mine some --device ref --json
expect 0 '^mine.onnx$' '' -- "$JENSEN" export mine -o mine.onnx

# timm's names of MobileNetV2, which are those of its EfficientNet-Lite: the tensors are the same ones.
expect 0 '*' '*' -- "$JENSEN" train builtin:size=40,test=10 --network mobilenetv2 --image-size 32 --augment none --batch 8 --epochs 1 \
    --max-steps 1 --consistency never --out mobile -q
python3 - <<'PY'
import json, re, struct
def load(path):
    data = open(path, "rb").read()
    length, = struct.unpack("<Q", data[:8])
    return json.loads(data[8:8 + length]), data[8 + length:]
stages = [(s, b) for s, n in enumerate((1, 2, 3, 4, 3, 3, 1)) for b in range(n)]
first = {"conv.0.0": "conv_dw", "conv.0.1": "bn1", "conv.1": "conv_pw", "conv.2": "bn2"}
later = {"conv.0.0": "conv_pw", "conv.0.1": "bn1", "conv.1.0": "conv_dw", "conv.1.1": "bn2", "conv.2": "conv_pwl", "conv.3": "bn3"}
ends = {"features.0.0": "conv_stem", "features.0.1": "bn1", "features.18.0": "conv_head", "features.18.1": "bn2",
        "classifier.1": "classifier"}
def timm(name):
    layer, last = name.rsplit(".", 1)
    if layer in ends:
        return f"{ends[layer]}.{last}"
    number, part = re.match(r"features\.(\d+)\.(.*)", layer).groups()
    stage, block = stages[int(number) - 1]
    return f"blocks.{stage}.{block}.{(first if stage == 0 else later)[part]}.{last}"
header, data = load("mobile/model.safetensors")
renamed = json.dumps({timm(k): v for k, v in header.items() if k != "__metadata__"}).encode()
open("timm.safetensors", "wb").write(struct.pack("<Q", len(renamed)) + renamed + data)
PY
expect 0 '^from-timm: mobilenetv2, 10 classes' '' -- "$JENSEN" weights import timm.safetensors --as from-timm
cases=$((cases + 1))
python3 - <<'PY' || complain "imported from timm's names, tensors differ" from-timm
import json, struct, sys
def load(path):
    data = open(path, "rb").read()
    length, = struct.unpack("<Q", data[:8])
    header, rest = json.loads(data[8:8 + length]), data[8 + length:]
    return {k: rest[slice(*v["data_offsets"])] for k, v in header.items() if k != "__metadata__"}
sys.exit(load("cache/weights/from-timm/model.safetensors") != load("mobile/model.safetensors"))
PY
expect 0 '' '' -- "$JENSEN" weights remove from-timm

# timm's EfficientNet-Lite: what the name of the file tells of its padding is believed, and said where it tells nothing.
expect 0 '*' '*' -- "$JENSEN" train builtin:size=40,test=10 --network efficientnet-lite0 --image-size 32 --augment none --batch 8 --epochs 1 \
    --max-steps 1 --consistency never --out lite -q
python3 - <<'PY'
import json, re, struct
data = open("lite/model.safetensors", "rb").read()
length, = struct.unpack("<Q", data[:8])
header = json.loads(data[8:8 + length])
stages = [(s, b) for s, n in enumerate((1, 2, 2, 3, 3, 4, 1)) for b in range(n)]
first = {"_depthwise_conv": "conv_dw", "_bn1": "bn1", "_project_conv": "conv_pw", "_bn2": "bn2"}
later = {"_expand_conv": "conv_pw", "_bn0": "bn1", "_depthwise_conv": "conv_dw", "_bn1": "bn2", "_project_conv": "conv_pwl",
         "_bn2": "bn3"}
ends = {"_conv_stem": "conv_stem", "_bn0": "bn1", "_conv_head": "conv_head", "_bn1": "bn2", "_fc": "classifier"}
def timm(name):
    layer, last = name.rsplit(".", 1)
    if layer in ends:
        return f"{ends[layer]}.{last}"
    number, part = re.match(r"_blocks\.(\d+)\.(.*)", layer).groups()
    stage, block = stages[int(number)]
    return f"blocks.{stage}.{block}.{(first if stage == 0 else later)[part]}.{last}"
renamed = json.dumps({timm(k): v for k, v in header.items() if k != "__metadata__"}).encode()
for path in "model.safetensors", "tf_efficientnet_lite0.safetensors", "efficientnet_lite0.safetensors":
    open(path, "wb").write(struct.pack("<Q", len(renamed)) + renamed + data[8 + length:])
PY
expect 0 '^told: efficientnet-lite0, 10 classes' '' -- "$JENSEN" weights import tf_efficientnet_lite0.safetensors --as told
expect 0 '^unsaid: efficientnet-lite0, 10 classes' 'nothing tells how it pads; jensen assumes TensorFlow' -- \
    "$JENSEN" weights import model.safetensors --as unsaid
expect 0 '^note +timm' '' -- "$JENSEN" weights show unsaid
expect 3 '' 'efficientnet_lite0.safetensors: timm.s efficientnet_lite pads its images evenly.*take timm.s tf_efficientnet_lite' -- \
    "$JENSEN" weights import efficientnet_lite0.safetensors --as refused
expect 3 '' 'pads its images evenly' -- "$JENSEN" train $tiny --init ./efficientnet_lite0.safetensors --out refused -q
expect 0 '*' 'nothing tells how it pads' -- "$JENSEN" train $tiny --image-size 32 --augment none --init ./model.safetensors --out unsaid
expect 0 '' '' -- "$JENSEN" weights remove told
expect 0 '' '' -- "$JENSEN" weights remove unsaid

# Downloads, from this machine.
expect 0 '^resnet50 +https://.*resnet50-11ad3fa6.pth' '' -- "$JENSEN" weights fetch
expect 2 '' "no published weights 'resnet5' are known.*did you mean 'resnet50'" -- "$JENSEN" weights fetch resnet5
expect 2 '' 'a URL needs --sha256' -- "$JENSEN" weights fetch https://example.org/a.pth
expect 2 '' 'must be 8 to 64 hexadecimal digits' -- "$JENSEN" weights fetch https://example.org/a.pth --sha256 xyz
"$JENSEN" weights fetch http://example.org/a --sha256 "$sum" >stdout.txt 2>stderr.txt
if grep -q 'libcurl' stderr.txt; then
    echo "skipped: no libcurl"
    finish
    exit
fi
expect 2 '' 'only https' -- "$JENSEN" weights fetch http://example.org/a --sha256 "$sum"
cp run/model.safetensors w.safetensors
python3 "$(dirname "$0")/data_server.py" &
server=$!
trap 'kill "$server"; rm -rf "$work"' EXIT
for _ in $(seq 100); do
    [ -s port.txt ] && break
    sleep 0.1
done
at=http://127.0.0.1:$(cat port.txt)
expect 5 '' '404' -- "$JENSEN" weights fetch "$at/none.pth" --sha256 "$sum"
expect 3 '' 'is another file than it should be and was removed' -- "$JENSEN" weights fetch "$at/w.safetensors" --sha256 00000000
expect 0 '^fetched: cnn:width=8' 'downloading' -- "$JENSEN" weights fetch "$at/w.safetensors" --sha256 "${sum:0:10}" --as fetched
expect 0 '"source":"w.safetensors"' '' -- "$JENSEN" weights show fetched --json
# torchvision's way: the name of the file ends with the first digits of the sum.
cp w.safetensors "net-${sum:0:8}.pth" && cp w.safetensors net-0123abcd.pth && cp w.safetensors net-12.pth
expect 0 '^torchvision: cnn:width=8' 'downloading' -- "$JENSEN" weights fetch "$at/net-${sum:0:8}.pth" --as torchvision
expect 3 '' 'is another file than it should be and was removed: its SHA-256 is [0-9a-f]{64}, expected 0123abcd' -- \
    "$JENSEN" weights fetch "$at/net-0123abcd.pth" --as wrong
expect 3 '' "no weights 'wrong'" -- "$JENSEN" weights show wrong
expect 3 '' 'expected 00000000' -- "$JENSEN" weights fetch "$at/net-${sum:0:8}.pth" --sha256 00000000 --as wrong
expect 2 '' 'a URL needs --sha256' -- "$JENSEN" weights fetch "$at/net-12.pth"
expect 5 '' '.' -- "$JENSEN" weights fetch "$at/cut/w.safetensors" --sha256 "$sum" --as continued
expect 0 '^continued: ' '*' -- "$JENSEN" weights fetch "$at/range/w.safetensors" --sha256 "$sum" --as continued
expect 3 '' 'is another file' -- "$JENSEN" weights fetch resnet18 --url "$at/w.safetensors"
cases=$((cases + 1))
[ -z "$(find cache/weights -name '*.part')" ] || complain "parts are left behind" fetch

expect 0 '' '' -- "$JENSEN" weights remove mine
expect 3 '' "no weights 'mine'" -- "$JENSEN" weights remove mine
expect 1 '' 'the cache, which is off' -- env JENSEN_CACHE=off "$JENSEN" weights import run/model.safetensors
finish
