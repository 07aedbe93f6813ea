# Large photographs: what is decoded of them, what is kept of them in memory, and runs that
# began before that was chosen.
# labels: slow
. "$(dirname "$0")/cli.sh"
export JENSEN_CACHE="$work/cache"
command -v python3 >/dev/null || { echo "skipped: there is no python3"; finish; exit; }

# Two photographs of 3000 x 2000 pixels, twelve copies of each: 432 MB decoded.
mkdir -p plain/cat plain/dog
python3 - <<'PY'
for name, step in ("cat", 7), ("dog", 11):
    row = bytes(i * step // 9 % 256 for i in range(9000))
    with open(f"plain/{name}/0.ppm", "wb") as f:
        f.write(b"P6\n3000 2000\n255\n" + row * 2000)
PY
"$JENSEN" data convert plain --out jpeg --format jpg -q >/dev/null 2>stderr.txt || {
    grep -q 'cannot write' stderr.txt && echo "skipped: this build writes no JPEG" && finish && exit
    cat stderr.txt
    exit 1
}
for class in cat dog; do
    mkdir -p photos/$class
    for i in $(seq 12); do cp jpeg/train/$class/0000.jpg photos/$class/$i.jpg; done
done
rm -r plain

tiny="--network mlp:width=4 --device ref --batch 4 --threads 1 --workers 1 --image-size 64 --augment jitter --epochs 1 --val-fraction 0"
# peak RUN OPTIONS...: megabytes of memory at most.
peak() {
    python3 - "$JENSEN" train photos $tiny --out "$@" <<'PY'
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=open("said.txt", "w"))
assert done.returncode == 0, open("said.txt").read()
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
PY
}
small=$(peak small) && cp said.txt chosen.txt
exact=$(peak exact --scaled-decode 0)
expect 0 '^scaled-decode: 1 .photographs far larger' '' -- cat chosen.txt
expect 0 '^scaled-decode: 1$' '' -- cat small/config.yaml
expect 0 '^scaled-decode: 0$' '' -- cat exact/config.yaml
expect 0 '' '' -- test "$((small + 250))" -lt "$exact"

# What a run began with it goes on with, wherever its folder is; what is said counts.
stopped() { # OPTIONS...: after its first epoch
    "$JENSEN" train photos $tiny "$@" --json 2>/dev/null | tail -1 | sed 's/.*"run":"\([^"]*\)".*/\1/' >run.txt
    python3 - "$(cat run.txt)" <<'PY'
import os, sys
for name in "result.json", "report.html":
    os.remove(os.path.join(sys.argv[1], name))
PY
}
for where in "" "--out begun"; do
    stopped --scaled-decode 0 $where
    expect 0 "^run +$(cat run.txt)" '^scaled-decode: 0 .as this run began' -- "$JENSEN" train photos $tiny $where
done
expect 2 '' 'begun: this run has other options: --scaled-decode 0 then, 1 now' -- "$JENSEN" train photos $tiny --out begun --scaled-decode 1
expect 0 '' '' -- cmp begun/model.safetensors exact/model.safetensors

# Smaller pictures, and those of recipes, are decoded exactly.
expect 0 '*' '*' -- "$JENSEN" train photos $tiny --image-size 512 --max-steps 1 --epochs 1 -q --out near
expect 0 '^scaled-decode: 0$' '' -- cat near/config.yaml
finish
