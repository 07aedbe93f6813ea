# forward:matrix=FILE and backward:matrix=FILE: files that are taken and refused, and runs that keep the matrix.
. "$(dirname "$0")/cli.sh"

python3 - <<'END'
import struct
def npy(name, kind, shape, values):
    head = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (kind, shape)
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    with open(name, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        file.write(struct.pack("<%d%s" % (len(values), {"<f8": "d", "<i8": "q"}[kind]), *values))
npy("z.npy", "<f8", "(2, 3)", [0.5, -1, 2, 0.3, 0.1, -0.2])
npy("y.npy", "<i8", "(2,)", [0, 2])
npy("t.npy", "<f8", "(3, 3)", [0.8, 0.1, 0.1, 0, 1, 0, 0.25, 0.25, 0.5])
npy("wide.npy", "<f8", "(1, 9)", [1] * 9)
rows = [",".join("%g" % (0.64 if i == j else 0.04) for j in range(10)) for i in range(10)]
open("ten.csv", "w").write("\n".join(rows) + "\n")
rows = [",".join("%g" % (0.55 if i == j else 0.05) for j in range(10)) for i in range(10)]
open("other.csv", "w").write("\n".join(rows) + "\n")
END
echo '{"matrix":[[32,0,5],[4,20,5],[4,0,10]]}' >audit.json # the shares of its columns are t.csv
printf '0.8,0.1,0.1\n0,1,0\n0.25,0.25,0.5\n' >t.csv

# By hand: the labels' probabilities are sum_k T(k,y) p_k.
want=$(python3 -c '
from math import exp, log
T = [[.8, .1, .1], [0, 1, 0], [.25, .25, .5]]
total = 0
for z, y in (([.5, -1, 2], 0), ([.3, .1, -.2], 2)):
    s = sum(map(exp, z))
    total -= log(sum(T[k][y] * exp(z[k]) / s for k in range(3)))
print("%.12f" % (total / 2))')
for file in t.csv t.npy audit.json; do
    expect 0 "^${want%????}" '' -- "$JENSEN" loss forward:matrix=$file --logits z.npy --labels y.npy
done
expect 0 '^[0-9]' '' -- "$JENSEN" loss backward:matrix=t.csv --logits z.npy --labels y.npy --grad g
expect 0 '*' '' -- "$JENSEN" bench loss --loss forward:matrix=ten.csv --batch 64 --classes 10 --seconds 0.01

# Somebody else's files.
loss() { "$JENSEN" loss "forward:matrix=$1" --logits z.npy --labels y.npy; }
printf '0.8,0.1\n' >short.csv
printf '0.8,0.1,0.2\n0,1,0\n0,0,1\n' >sum.csv
printf '0.8,0.3,-0.1\n0,1,0\n0,0,1\n' >minus.csv
printf 'nan,0,1\n0,1,0\n0,0,1\n' >nan.csv
printf '1,0,0\n1,0,0\n0,0,1\n' >never.csv
printf '1,0,0\n0,1,0\nx,0,1\n' >word.csv
printf '1,0\0,0\n' >nul.csv
echo '{"matrix":[[1,2],[3]]}' >ragged.json
echo '{"matrix":7}' >seven.json
echo '{"matrix":[[9,"x"],[0,9]]}' >word.json # once taken for a class that none was found of
echo '{"matrix":[[9,-1],[0,9]]}' >less.json
echo '{"other":1}' >none.json
expect 3 '' 'gone.csv' -- loss gone.csv
expect 3 '' 'no square matrix' -- loss short.csv
expect 3 '' 'row 0 sums to 1.1' -- loss sum.csv
expect 3 '' 'not a probability' -- loss minus.csv
expect 3 '' 'no probability|not a number' -- loss nan.csv
expect 2 '' 'no class has the label 1' -- loss never.csv
expect 3 '' "word.csv:3: 'x' is not a number" -- loss word.csv
expect 3 '' 'NUL byte' -- loss nul.csv
expect 3 '' 'not a square matrix' -- loss wide.npy
expect 3 '' 'has not 2 entries' -- loss ragged.json
expect 3 '' 'no square matrix' -- loss seven.json
expect 3 '' 'entry 1 of row 0 .* is not a count' -- loss word.json
expect 3 '' 'entry 1 of row 0 .* is not a count' -- loss less.json
expect 3 '' 'not an audit' -- loss none.json
expect 3 '' '10 classes, the logits have 3' -- loss ten.csv
expect 2 '' 'rate or matrix' -- loss t.csv,rate=0.1

# A run keeps its matrix, goes on without the file, and with no other.
train() { "$JENSEN" train builtin --network mlp --subset 100 --epochs "$1" --batch 50 --augment none \
    --loss "forward:matrix=$2" --out "$3" -q --json; }
expect 0 '"weights_sha256"' '*' -- train 2 ten.csv whole
sha=$(grep -o '"weights_sha256":"[0-9a-f]*"' stdout.txt)
expect 0 'transition.npy' '' -- cat whole/result.json
rm whole/result.json # it now counts as unfinished
cp other.csv ten.csv
expect 2 '' 'not the matrix that the run began with' -- train 2 ten.csv whole
rm ten.csv
expect 0 "$sha" '*' -- train 2 ten.csv whole
expect 3 '' 'ten.csv' -- train 2 ten.csv new
expect 0 '*' '*' -- train 2 other.csv new
expect 1 '' '' -- grep -q "$sha" stdout.txt
printf 'x' | dd of=new/transition.npy bs=1 seek=200 conv=notrunc 2>/dev/null
expect 3 'damaged   transition.npy' 'damaged' -- "$JENSEN" check new
expect 2 '' 'takes no matrix' -- "$JENSEN" train builtin --network mlp --subset 100 --epochs 1 --noise sym:rate=0.4 \
    --loss ce --loss-noisy forward:matrix=other.csv --out noisy -q
expect 2 '' 'takes only labels' -- "$JENSEN" train builtin --network mlp --subset 100 --epochs 1 --mixup 1 \
    --loss forward:matrix=other.csv --out mixed -q

finish
