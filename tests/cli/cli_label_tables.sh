# scripts/label_tables.py: published label files as tables that --noise file: reads.
# labels: once
. "$(dirname "$0")/cli.sh"
if ! python3 -c 'import numpy' 2>/dev/null; then
    echo "skipped: python3 has no NumPy"
    exit 0
fi
tables="python3 $SOURCE/scripts/label_tables.py"
# Twenty images in the order of the binary files, which is not that of the classes.
python3 - <<'P'
import os, random
os.makedirs("cifar-10-batches-bin")
draw = random.Random(1)
for name in [f"data_batch_{i}" for i in range(1, 6)] + ["test_batch"]:
    with open(f"cifar-10-batches-bin/{name}.bin", "wb") as file:
        for i in range(10000):
            file.write(bytes([draw.randrange(10)]) + bytes([i % 256]) * 3072)
P
expect 0 '*' '*' -- "$JENSEN" noise cifar10:cifar-10-batches-bin --noise none --out order.csv
python3 - <<'P'
import csv, os, pickle, zipfile
import numpy as np
clean = np.array([int(row["given"]) for row in csv.DictReader(open("order.csv"))])
draw = np.random.default_rng(1)
worse = np.where(draw.random(len(clean)) < 0.4, draw.integers(0, 10, len(clean)), clean)
sets = {"clean_label": clean, "aggre_label": clean.copy(), "worse_label": worse, "random_label1": clean.copy(),
        "random_label2": clean.copy(), "random_label3": clean.copy()}
def save(path, what):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps(what, protocol=2))
save("CIFAR-10_human.pt", sets)
save("other.pt", {**sets, "clean_label": clean[::-1].copy()})
class Evil:
    def __reduce__(self):
        return os.system, ("touch ran",)
save("evil.pt", {"clean_label": Evil()})
np.save("worse.npy", worse)
for kind in (1, 2):
    np.save(f"cifar10-{kind}-0.35.npy", worse[:45000])
P
expect 0 '^cifar10n.csv: aggregate, worse, random1, random2, random3$' '' -- $tables order.csv CIFAR-10_human.pt cifar10n.csv
"$JENSEN" noise cifar10:cifar-10-batches-bin --noise file:worse.npy --json >want.json
expect 0 '' '' -- sh -c "'$JENSEN' noise cifar10:cifar-10-batches-bin --noise file:cifar10n.csv,column=worse --json | sed 's/cifar10n.csv,column=worse/worse.npy/' | cmp - want.json"
expect 0 '^plc.csv: type1_35, type2_35$' '' -- $tables order.csv cifar10-1-0.35.npy cifar10-2-0.35.npy plc.csv
expect 0 '^45001$' '' -- sh -c "wc -l <plc.csv | tr -d ' '"
expect 0 '"real_rate":0.3' '' -- "$JENSEN" noise cifar10:cifar-10-batches-bin --noise file:plc.csv,column=type1_35,missing=val --json
expect 1 '' 'other.pt: its clean labels are not those of order.csv' -- $tables order.csv other.pt x.csv
expect 1 '' 'evil.pt: .*system is no array' -- $tables order.csv evil.pt x.csv
expect 1 '' 'rows, order.csv has' -- $tables order.csv worse.npy cifar10-1-0.35.npy x.csv
[ ! -e ran ] && [ ! -e x.csv ] || complain "a refused file was used" tables
(head -1 order.csv && tail -n +2 order.csv | sort -t, -k2,2n) >sorted.csv
expect 1 '' 'class by class; expected the order' -- $tables sorted.csv worse.npy x.csv
finish
