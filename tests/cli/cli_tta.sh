# --tta: the mean of the probabilities over views of an image, each of which is made once
# more here, from outside, and goes through the network alone.
# labels: once
. "$(dirname "$0")/cli.sh"
if ! command -v python3 >/dev/null; then
    echo "skipped: no python3, which makes the views"
    exit 0
fi
expect 0 '*' '*' -- "$JENSEN" train builtin:size=200,test=50 --network cnn:width=4 --epochs 3 --batch 16 \
    --augment none --consistency never --device ref --out run -q

python3 - <<'EOF'
import random
import struct

SIDE, COUNT = 32, 3
random.seed(5)
images = [[[[random.gauss(0, 1) for _ in range(SIDE)] for _ in range(SIDE)] for _ in range(3)]
          for _ in range(COUNT)]

def write(path, tensors):
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, 3, %d, %d), }" % (len(tensors), SIDE, SIDE)
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    flat = [x for image in tensors for plane in image for row in plane for x in row]
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode())
        f.write(struct.pack("<%df" % len(flat), *flat))

def mirror(plane):
    return [row[::-1] for row in plane]

def moved(plane, right, down):
    rows = [plane[min(max(y - down, 0), SIDE - 1)] for y in range(SIDE)]
    return [[row[min(max(x - right, 0), SIDE - 1)] for x in range(SIDE)] for row in rows]

# A sixteenth of 32 pixels is 2; mirrored first, then moved.
VIEWS = [(0, 0, 0), (1, 0, 0), (0, -2, -2), (1, 2, 2), (0, 2, 2), (1, -2, -2), (0, -2, 2), (1, 2, -2),
         (0, 2, -2), (1, -2, 2)]
write("x.npy", images)
for v, (flip, right, down) in enumerate(VIEWS):
    write("v%d.npy" % v, [[moved(mirror(p) if flip else p, right, down) for p in image] for image in images])
EOF
for v in 0 1 2 3 4 5 6 7 8 9; do
    expect 0 '*' '' -- "$JENSEN" predict run --array v$v.npy --top 10 --json --device ref
    cp stdout.txt v$v.json
done
for n in 1 2 5 10; do
    expect 0 '*' '' -- "$JENSEN" predict run --array x.npy --tta $n --top 10 --json --device ref
    cp stdout.txt t$n.json
done
cases=$((cases + 1))
python3 - >stdout.txt 2>&1 <<'EOF' || complain "not the mean over the views" "$JENSEN predict --tta"
import json

def read(path):
    return [{t["class"]: t["probability"] for t in json.loads(line)["top"]} for line in open(path)]

views = [read("v%d.json" % v) for v in range(10)]
for n in (1, 2, 5, 10):
    for i, row in enumerate(read("t%d.json" % n)):
        for name, probability in row.items():
            mean = sum(view[i][name] for view in views[:n]) / n
            assert abs(mean - probability) < 1e-6, (n, i, name, mean, probability)
assert any(abs(a[k] - b[k]) > 1e-3 for a, b in zip(read("t1.json"), read("t10.json")) for k in a)
EOF

# On data: the same numbers every time, in batches of any size and for a run of two.
expect 0 '"accuracy"' '' -- "$JENSEN" eval run builtin:size=20,test=50 --tta 4 --consistency 0 --json --device ref
cp stdout.txt first.json
expect 0 '*' '' -- "$JENSEN" eval run builtin:size=20,test=50 --tta 4 --consistency 0 --json --device ref
cases=$((cases + 1))
cmp -s stdout.txt first.json || complain "another time, other numbers" "$JENSEN eval --tta 4"
expect 0 '*' '' -- "$JENSEN" eval run builtin:size=20,test=50 --consistency 0 --json --device ref
cases=$((cases + 1))
cmp -s stdout.txt first.json && complain "four views are as one" "$JENSEN eval --tta 4"
for n in 0 11; do
    expect 2 '' 'tta' -- "$JENSEN" eval run builtin:size=20,test=50 --tta $n
    expect 2 '' 'tta' -- "$JENSEN" predict run --array x.npy --tta $n
done
expect 2 '' '--tta belong' -- "$JENSEN" predict --network cnn:width=4 --init run/model.safetensors --classes 10 \
    --array x.npy --tta 2
finish
