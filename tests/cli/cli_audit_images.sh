# jensen audit: what is wrong with the images themselves, whatever their labels.
. "$(dirname "$0")/cli.sh"

# Sixteen good images, and one of each fault; the probabilities fit every label.
python3 - <<'P'
import os, random
def write(path, width, height, pixel):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(b"P6 %d %d 255\n" % (width, height))
        file.write(bytes(v for y in range(height) for x in range(width) for v in [max(0, min(255, int(pixel(x, y))))] * 3))
def pattern(seed):
    cells = random.Random(seed).choices(range(20, 236), k=64)
    return lambda x, y: cells[y * 2 // 9 * 8 % 64 + x * 2 // 9 % 8]
for i in range(16):
    write(f"d/train/{'ab'[i % 2]}/{i:02}.ppm", 36, 36, pattern(i))
write("d/train/a/copy.ppm", 36, 36, pattern(0))
write("d/train/a/near.ppm", 36, 36, lambda x, y: pattern(2)(x, y) + 2 + (x + y) % 2)
write("d/train/b/leak.ppm", 36, 36, pattern(99))
write("d/test/a/leak.ppm", 36, 36, pattern(99))
write("d/test/b/other.ppm", 36, 36, pattern(98))
write("d/train/a/blank.ppm", 36, 36, lambda x, y: 200)
write("d/train/a/dark.ppm", 36, 36, lambda x, y: pattern(50)(x, y) / 16)
write("d/train/b/smooth.ppm", 200, 200, lambda x, y: x + y / 4)
write("d/train/b/tiny.ppm", 5, 5, pattern(60))
write("d/train/b/wide.ppm", 120, 12, pattern(70))
with open("d/train/b/cut.ppm", "wb") as file:
    file.write(b"P6 36 36 255\n1234")
P
"$JENSEN" noise d --noise none --out order.csv >/dev/null
count=$(($(wc -l <order.csv) - 1))
tail -n +2 order.csv | awk -F, '{ print $2 == 0 ? "0.9 0.1" : "0.1 0.9" }' | python3 "$SOURCE/tests/cli/npy.py" p.npy $count 2
expect 0 '"suspects":0,"image_faults":\{"unreadable":1,"duplicate":2,"near-duplicate":1,"blank":1,"dark":1,"blurred":1,"tiny":1,"odd-shape":1\}' '' -- \
    "$JENSEN" audit d --posteriors p.npy -o a --json
awk -F, 'NR > 1 { print $2 "=" $8 "," $4 }' a/suspects.csv | sort | tr '\n' ' ' >found.txt
expect 0 '^train/a/blank.ppm=blank, train/a/copy.ppm=duplicate, train/a/dark.ppm=dark, train/a/near.ppm=near-duplicate, train/b/cut.ppm=unreadable, train/b/leak.ppm=duplicate, train/b/smooth.ppm=blurred, train/b/tiny.ppm=tiny, train/b/wide.ppm=odd-shape, $' '' -- cat found.txt
expect 0 '^faulty +9 images .*last in the list unless suspect' '' -- "$JENSEN" audit d --posteriors p.npy -o c
# One row an image, best first, also where a faulty image has a suspect label.
tail -n +2 order.csv | awk -F, '{ suspect = $1 ~ /copy|dark/; high = $2 == 0; if (suspect) high = !high
    p = suspect ? 0.99 : 0.6 + NR % 7 / 20; print high ? p " " 1 - p : 1 - p " " p }' |
    python3 "$SOURCE/tests/cli/npy.py" q.npy $count 2
expect 0 '"suspects":2,"image_faults":\{"unreadable":1,"duplicate":2' '' -- "$JENSEN" audit d --posteriors q.npy -o one --json
expect 0 '^9 label label 7$' '' -- python3 -c '
import csv
rows = list(csv.DictReader(open("one/suspects.csv")))
scores = [float(row["score"]) for row in rows]
assert scores == sorted(scores, reverse=True), scores
assert [int(row["rank"]) for row in rows] == list(range(1, len(rows) + 1))
assert len({row["path"] for row in rows}) == len(rows)
print(len(rows), rows[0]["kind"], rows[1]["kind"], sum(row["kind"] != "label" for row in rows))'
# Nobody has seen an image that cannot be read: its label is no suspect, whatever the others are.
"$JENSEN" data convert builtin:size=40,test=0 --out lost --format ppm >/dev/null
for image in lost/train/*/*1.ppm; do head -c 40 "$image" >cut && mv cut "$image"; done
cut=$(ls lost/train/*/*1.ppm | wc -l | tr -d ' ')
"$JENSEN" audit lost --folds 2 --cutoff 0.01 --set network=mlp:width=8 --set epochs=1 --set device=ref -q -o unread >/dev/null 2>&1
expect 0 "^$cut\$" '' -- grep -c '1.ppm,[^,]*,,0,0.1,0.1,unreadable$' unread/suspects.csv
expect 0 "^$cut\$" '' -- grep -c '1.ppm,[^,]*,[^,]*,0,0.1,0.1,none$' unread/scores.csv
expect 0 '"image_faults":\{\}' '' -- "$JENSEN" audit d --posteriors p.npy -o b --labels-only --json
expect 0 '^1$' '' -- sh -c "wc -l <b/suspects.csv | tr -d ' '"
finish
