# --init: a file of weights in any of the three types, files of PyTorch in both forms, a wheel,
# the folder of a run, and files that do not fit or want more, each with a sentence that says so.
. "$(dirname "$0")/cli.sh"
if ! command -v python3 >/dev/null; then
    echo "skipped: no python3, which makes the files of weights"
    exit 0
fi
tiny="train builtin:size=100,test=20 --epochs 1 --max-steps 2 --batch 8 --consistency never --device ref"
expect 0 '*' '*' -- "$JENSEN" $tiny --network cnn:width=8 --out run -q

# The run's weights without what the file says of itself: in float32, in the two halves
# (by Python's own conversion, and the upper bits), and what these stand for in float32.
python3 - <<'EOF'
import json
import struct

def read(path):
    data = open(path, "rb").read()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__")
    return header, data[8 + size:]

def write(path, dtype, convert):
    entries, block = {}, b""
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        values = struct.unpack("<%df" % ((end - begin) // 4), data[begin:end])
        bytes_ = convert(values)
        entries[name] = {"dtype": dtype, "shape": entry["shape"],
                         "data_offsets": [len(block), len(block) + len(bytes_)]}
        block += bytes_
    text = json.dumps(entries).encode()
    open(path, "wb").write(struct.pack("<Q", len(text)) + text + block)

def halves(values):
    return struct.pack("<%de" % len(values), *values)

def widened(values):
    return struct.pack("<%df" % len(values), *struct.unpack("<%de" % len(values), halves(values)))

def upper(values):
    bits = struct.unpack("<%dI" % len(values), struct.pack("<%df" % len(values), *values))
    return struct.pack("<%dH" % len(bits), *(b >> 16 for b in bits))

def upper_widened(values):
    bits = struct.unpack("<%dI" % len(values), struct.pack("<%df" % len(values), *values))
    return struct.pack("<%dI" % len(bits), *(b >> 16 << 16 for b in bits))

header, data = read("run/model.safetensors")
write("whole.safetensors", "F32", lambda v: struct.pack("<%df" % len(v), *v))
write("half.safetensors", "F16", halves)
write("half-wide.safetensors", "F32", widened)
write("brain.safetensors", "BF16", upper)
write("brain-wide.safetensors", "F32", upper_widened)
write("double.safetensors", "F64", lambda v: struct.pack("<%dd" % len(v), *v))

# Files of torch.save() without PyTorch: its calls by classes that pickle themselves as they do.
import collections
import io
import pickle
import sys
import types
import zipfile

torch, utils = types.ModuleType("torch"), types.ModuleType("torch._utils")
sys.modules["torch"], sys.modules["torch._utils"] = torch, utils
torch.FloatStorage = type("FloatStorage", (), {"__module__": "torch"})
def _rebuild_tensor_v2(*arguments): pass
_rebuild_tensor_v2.__module__, utils._rebuild_tensor_v2 = "torch._utils", _rebuild_tensor_v2

class Storage:
    pass

class Tensor:
    def __init__(self, key, values, shape):
        self.storage = Storage()
        self.storage.key, self.storage.bytes, self.storage.count = key, values, len(values) // 4
        self.shape, self.strides, step = tuple(shape), [], 1
        for extent in reversed(shape):
            self.strides.insert(0, step)
            step *= extent
    def __reduce__(self):
        return _rebuild_tensor_v2, (self.storage, 0, self.shape, tuple(self.strides), False,
                                    collections.OrderedDict())

class Pickler(pickle.Pickler):
    def persistent_id(self, value):
        if isinstance(value, Storage):
            return "storage", torch.FloatStorage, value.key, "cpu", value.count
        return None

def pickled(value):
    out = io.BytesIO()
    Pickler(out, 2).dump(value)
    return out.getvalue()

state = collections.OrderedDict(
    (name, Tensor(str(i), data[slice(*entry["data_offsets"])], entry["shape"]))
    for i, (name, entry) in enumerate(header.items()))

def save_zip(path, value, leave_out=()):
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("model/data.pkl", pickled(value))
        for tensor in state.values():
            if tensor.storage.key not in leave_out:
                file.writestr("model/data/" + tensor.storage.key, tensor.storage.bytes)

save_zip("zip.pth", {"state_dict": state, "epoch": 3})
# What training scripts save: weights beside other things, of which one is a tensor, too.
best = Tensor("0", state[next(iter(header))].storage.bytes, [])
save_zip("trained.pth", {"epoch": 3, "arch": "cnn", "state_dict": state, "best_acc1": best,
                         "optimizer": {"state": {0: {"momentum_buffer": best}}, "param_groups": [{"lr": 0.1}]}})
save_zip("lacking.pth", state, leave_out=("0",))
keys = [t.storage.key for t in state.values()]
open("old.pt", "wb").write(b"".join(
    [pickled(0x1950a86a20f9469cfc6c), pickled(1001), pickled({"little_endian": True}), pickled(state), pickled(keys)] +
    [struct.pack("<q", t.storage.count) + t.storage.bytes for t in state.values()]))
with zipfile.ZipFile("one.whl", "w", zipfile.ZIP_DEFLATED) as wheel:
    wheel.writestr("package/__init__.py", "import os")
    wheel.write("old.pt", "package/models/old.pt")
with zipfile.ZipFile("two.zip", "w", zipfile.ZIP_DEFLATED) as wheel:
    wheel.write("old.pt", "a.pt")
    wheel.write("whole.safetensors", "b.safetensors")
with zipfile.ZipFile("none.zip", "w") as wheel:
    wheel.writestr("readme.txt", "nothing")

class Evil:
    def __reduce__(self):
        import os
        return os.system, ("touch hostile-was-run",)
save_zip("evil.pth", Evil())
open("cut.pth", "wb").write(open("zip.pth", "rb").read()[:-30])
EOF

# start NAME INIT: trains from it and keeps the digest of the weights as NAME.sha.
start() {
    expect 0 'weights_sha256' '*' -- "$JENSEN" $tiny --init "$2" --out "from-$1" --json
    sed -E 's/.*"weights_sha256":"([0-9a-f]+)".*/\1/' stdout.txt >"$1.sha"
}
same() {
    cases=$((cases + 1))
    cmp -s "$1.sha" "$2.sha" || complain "$1 and $2 give other weights" "$1 $2"
}
start run run
start file run/model.safetensors
start whole whole.safetensors
start half half.safetensors
start half-wide half-wide.safetensors
start brain brain.safetensors
start brain-wide brain-wide.safetensors
same run file
same run whole
start zip zip.pth
start old old.pt
start wheel one.whl
start trained trained.pth
same run zip
same run trained
same run old
same run wheel
same half half-wide
same brain brain-wide
cases=$((cases + 1))
cmp -s half.sha whole.sha && complain "halves are not rounded at all" "$JENSEN train"

# The network comes from the file, by its names and shapes; also where another was named.
expect 0 '*' 'network: cnn:width=8 \(that of --init\)' -- "$JENSEN" $tiny --init whole.safetensors --out named
expect 3 '' 'whole.safetensors: has the weights of cnn:width=8, and the network is resnet18; --network cnn:width=8 takes them' -- \
    "$JENSEN" $tiny --network resnet18 --image-size 32 --init whole.safetensors --out other -q
expect 3 '' 'has the weights of cnn:width=8, and the network is cnn:width=16' -- \
    "$JENSEN" $tiny --network cnn:width=16 --init whole.safetensors --out other -q
expect 3 '' "is float64; float32, float16 or bfloat16 is needed" -- \
    "$JENSEN" $tiny --network cnn:width=8 --init double.safetensors --out other -q
refuse() {
    expect 3 '' "$2" -- "$JENSEN" $tiny --network cnn:width=8 --init "$1" --out other -q
}
refuse evil.pth "evil.pth: its pickle names 'posix.system', which weights have no use for; nothing was run \(torch.save\(\) of a model's state_dict\(\)"
[ ! -e hostile-was-run ] || complain "the pickle was run" "evil.pth"
refuse lacking.pth "storage '0': is missing"
printf '<!DOCTYPE html><html>404</html>' >page.pth
refuse page.pth "page.pth: not a safetensors file, or cut short, and neither one of PyTorch's torch.save\(\) nor an archive"
refuse cut.pth 'a damaged zip archive'
refuse two.zip 'an archive with 2 files of weights; unpack the one that is wanted: a.pt, b.safetensors'
refuse none.zip 'an archive without weights'

# Folders: a run goes on from what it ended with, at the size it was trained at.
expect 0 '*' 'image-size: 24 \(as in the run of --init\)' -- bash -c \
    "'$JENSEN' $tiny --network cnn:width=8 --image-size 24 --augment fit+weak --out small -q && '$JENSEN' $tiny --init small/ --out larger"
mkdir empty
expect 3 '' 'empty: not a run folder' -- "$JENSEN" $tiny --init empty --out other -q
expect 0 '*' '*' -- "$JENSEN" $tiny --network cnn:width=8 --members 2 --out pair -q
expect 3 '' 'pair: an ensemble; name one of its members, such as pair/member-1' -- \
    "$JENSEN" $tiny --init pair --out other -q
expect 0 '*' 'that of --init' -- "$JENSEN" $tiny --init pair/member-2 --out third
rm run/model.safetensors
expect 3 '' 'run: the run is not finished' -- "$JENSEN" $tiny --init run --out other -q
finish
