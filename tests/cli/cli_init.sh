# --init: a file of weights in any of the three types, the folder of a run, and files that
# do not fit, each with a sentence that says what they are.
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
open("zip.pth", "wb").write(b"PK\3\4" + bytes(60))
open("old.pt", "wb").write(b"\x80\x02" + bytes(60))
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
for file in zip.pth old.pt; do
    expect 3 '' "$file: a file of PyTorch.*scripts/pth_to_safetensors.py $file" -- \
        "$JENSEN" $tiny --init $file --out other -q
done

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
