# The limits on what files may ask for: each bomb is refused with the sentence that names
# its limit, in little memory, and goes through or further when the limit is raised.
# labels: slow
. "$(dirname "$0")/cli.sh"
export JENSEN_CACHE=off
python=$(command -v python3) || { echo "skipped: no python3"; exit 0; }

# bomb CODE MIB 'stderr regex' -- command...: as expect, and at most MIB of memory. The file $BOMB_TABLE gets
# a row for each: MiB, seconds of the processor, the file and what was said.
cat >peak.py <<'PY'
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
use = resource.getrusage(resource.RUSAGE_CHILDREN)
print(use.ru_maxrss // 1024, file=open("peak.txt", "w"))
print(f"{use.ru_utime + use.ru_stime:.2f}", file=open("seconds.txt", "w"))
sys.exit(code)
PY
bomb() {
    local code=$1 most=$2 err=$3
    shift 4
    expect "$code" '*' "$err" -- "$python" peak.py "$@"
    [ -z "${BOMB_TABLE:-}" ] || printf '%s MiB\t%s s\t%s\t%s\n' "$(cat peak.txt)" "$(cat seconds.txt)" \
        "${*:2}" "$(tail -1 stderr.txt)" >>"$BOMB_TABLE"
    [ "$(cat peak.txt)" -le "$most" ] || complain "$(cat peak.txt) MiB, more than $most" "$@"
}

"$python" - "$SOURCE/tests/hostile" <<'PY' || exit 1
import gzip, struct, sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import archives, images
for name, data in archives.bombs().items():
    open(name, "wb").write(data)
open("claims.jpg", "wb").write(images.jpeg(16000, 16000, body=bytes(300)))
open("flat.png", "wb").write(images.png_bomb(11000, 11000))
open("small.png", "wb").write(images.png_bomb(1000, 1000))
rows = gzip.compress(b"a.png,0\n" * (1 << 20), 9, mtime=0)
open("rows.csv.gz", "wb").write(gzip.compress(b"path,label\n", mtime=0) + rows * 128)
head = b'{"__metadata__":{},"a":[' + b"0," * (20 << 20) + b"0]}"
open("head.safetensors", "wb").write(struct.pack("<Q", len(head)) + head)
head = b'{"__metadata__":{},"a":[' + b"0," * (8000000) + b"0]}"
open("small.safetensors", "wb").write(struct.pack("<Q", len(head)) + head)
for n in range(20):
    open(f"x{n}.ppm", "wb").write(images.ppm(8, 8, body=bytes((7 * n + i) % 256 for i in range(192))))
def table(name, classes, tests):
    with open(name, "w") as file:
        file.write("path,label,split\n")
        for k in range(classes):
            file.write(f"x{k % 20}.ppm,c{k},train\n")
        for k in range(tests):
            file.write(f"x{k % 20}.ppm,c{k},test\n")
table("many.csv", 30000, 20)
table("22k.csv", 22000, 200)
table("2001.csv", 2001, 20)
PY

raises='--limit %s=N raises this limit'
for name in limit_*; do
    bomb 3 512 "$name: more than .*$(printf -- "$raises" '(ratio|layers)')" -- "$JENSEN" data info "$name"
done
bomb 3 512 "rows.csv.gz: more than 100 times its size when expanded; --limit ratio=N" -- \
    "$JENSEN" data info csv:rows.csv.gz
bomb 3 512 "rows.csv.gz: more than 67108864 bytes; --limit file=N" -- \
    "$JENSEN" data info csv:rows.csv.gz --limit ratio=2000 --limit file=64MiB
bomb 3 512 "22k.csv: more than 1000 rows; --limit rows=N" -- \
    "$JENSEN" data info csv:22k.csv --limit file=2GiB,rows=1000
bomb 3 512 "claims.jpg: 16000 x 16000: more than 100000000 pixels; --limit pixels=N" -- \
    "$JENSEN" augment claims.jpg --op Rotate --value 3 --out o.png
bomb 3 512 "flat.png: 11000 x 11000: more than 100000000 pixels" -- \
    "$JENSEN" augment flat.png --op Rotate --value 3 --out o.png
expect 0 '' '' -- "$JENSEN" augment small.png --op Invert --out o.ppm
expect 3 '' 'small.png: 1000 x 1000: more than 999999 pixels' -- \
    "$JENSEN" augment small.png --op Invert --out o.ppm --limit pixels=999999
bomb 3 512 "head.safetensors: more than 16777216 bytes of JSON; --limit json=N" -- \
    "$JENSEN" predict --network cnn --init head.safetensors --classes 3 x0.ppm
bomb 3 512 "small.safetensors: tensor 'a'" -- \
    "$JENSEN" predict --network cnn --init small.safetensors --classes 3 x0.ppm
bomb 3 512 "more than 25000 classes; --limit classes=N" -- "$JENSEN" train csv:many.csv --network mlp

# Many classes are usable: no table of their square is made, and that is said.
small=(--network mlp --epochs 1 --max-steps 2 --batch 32 --val-fraction 0 --consistency never --device ref)
bomb 0 512 '*' -- "$JENSEN" train csv:22k.csv "${small[@]}" --out many -q
bomb 0 512 '*' -- "$JENSEN" eval many csv:22k.csv --device ref -q
expect 0 '^confusion of 22000 classes: too many for a matrix, left out' '*' -- \
    "$JENSEN" eval many csv:22k.csv --device ref --consistency 0
expect 0 '"confusion":null' '*' -- "$JENSEN" eval many csv:22k.csv --device ref --json
bomb 0 512 '*' -- "$JENSEN" noise csv:22k.csv --noise sym:rate=0.4
expect 0 '^many.html$' '*' -- "$JENSEN" report many -o many.html -q
expect 2 '' 'a matrix of 2001 classes is not written, only up to 2000' -- \
    "$JENSEN" noise csv:2001.csv --noise sym:rate=0.4 --matrix m.csv

# Limits do not tell one run from another, and may come from files.
run=(train builtin:size=300,seed=3 --network mlp --epochs 2 --batch 32 --device ref --json -q)
expect 0 'weights_sha256' '*' -- "$JENSEN" "${run[@]}" --epochs 1 --out whole
expect 0 'runs/builtin' '*' -- "$JENSEN" "${run[@]}"
before=$(ls runs)
echo 'limit: pixels=5e6 rows=1e6' >limits.yaml
expect 0 'weights_sha256' '*' -- "$JENSEN" "${run[@]}" --config limits.yaml
expect 0 'weights_sha256' '*' -- "$JENSEN" "${run[@]}" --limit classes=100
[ "$(ls runs)" = "$before" ] || complain "another limit made another run" "${run[@]}"
echo 'limit: rows=100' >limits.yaml
expect 3 '' "more than 100 rows; --limit rows=N" -- "$JENSEN" "${run[@]}" --config limits.yaml --seed 2
expect 2 '' "no limit 'row'; did you mean 'rows'" -- "$JENSEN" "${run[@]}" --limit row=3
expect 2 '' "must be a whole number|whole number such as" -- "$JENSEN" data info builtin --limit rows=many
expect 0 '^pixels +100000000  ' '' -- "$JENSEN" show limits
expect 0 '"name":"classes"' '' -- "$JENSEN" show limits --json
expect 0 '--limit NAME=VALUE' '' -- "$JENSEN" predict --help

# Files that are large and hold nothing: what they begin with is looked at before memory is taken.
"$JENSEN" train builtin:size=20,test=0 --network mlp:width=4 --device ref --epochs 1 --batch 10 --image-size 8 -q --out trained >/dev/null 2>&1
truncate -s 20G hole.safetensors
expect 3 '' 'hole.safetensors: not a safetensors file, or cut short' -- bash -c "ulimit -v 8000000; exec '$JENSEN' weights import hole.safetensors"
expect 3 '' 'hole.safetensors: not a safetensors file, or cut short' -- \
    bash -c "ulimit -v 8000000; exec '$JENSEN' predict --network cnn --init hole.safetensors --classes 3 hole.safetensors --device ref"
mkdir sparse && truncate -s 20G sparse/model.safetensors && cp trained/model.json trained/config.yaml sparse
expect 3 '' 'sparse/model.safetensors: not a safetensors file, or cut short' -- \
    bash -c "ulimit -v 8000000; exec '$JENSEN' predict sparse hole.safetensors --device ref"

# Those that begin well: holes count as what a compressed file expands to.
printf 'PK\003\004' >hole.pth && truncate -s 6G hole.pth
"$python" - <<'PY'
import json, struct
def large(name, tensors):
    at, table = 0, {}
    for tensor, shape in tensors:
        bytes_ = 4 * shape[0] * shape[1]
        table[tensor] = {"dtype": "F32", "shape": shape, "data_offsets": [at, at + bytes_]}
        at += bytes_
    head = json.dumps(table).encode()
    head += b" " * (-len(head) % 8)
    with open(name, "wb") as file:
        file.write(struct.pack("<Q", len(head)) + head)
        file.truncate(8 + len(head) + at)
large("large.safetensors", [("a.weight", [1 << 20, 1536])])
large("sparse/model.safetensors", [("a.weight", [1 << 20, 1536])])
head = b"{'descr': '<f4', 'fortran_order': False, 'shape': (20, 100000000), }".ljust(117) + b"\n"
with open("large.npy", "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head)
    file.truncate(10 + len(head) + 4 * 20 * 100000000)
PY
for name in hole.pth large.safetensors; do
    bomb 3 512 "$name: more than 100 times its size when expanded; --limit ratio=N" -- "$JENSEN" weights import $name
    bomb 3 512 "$name: holes in the file: more than 268435456 bytes; --limit member=N" -- \
        "$JENSEN" weights import $name --limit ratio=1e9
    bomb 3 512 "$name: more than 100 times its size when expanded; --limit ratio=N" -- \
        "$JENSEN" predict --network cnn --init ./$name --classes 3 x0.ppm --device ref
done
truncate -s 300M hole.pth
bomb 3 512 'hole.pth: a damaged zip archive: it has no directory' -- "$JENSEN" weights import hole.pth --limit ratio=1e9,member=1GiB
bomb 3 512 'sparse/model.safetensors: more than 100 times its size when expanded; --limit ratio=N' -- \
    "$JENSEN" predict sparse x0.ppm --device ref
bomb 3 512 'large.npy: more than 100 times its size when expanded; --limit ratio=N' -- \
    "$JENSEN" audit builtin:size=20,test=0 --posteriors large.npy --labels-only -o large
finish
