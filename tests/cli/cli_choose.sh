# What is chosen for photographs on a CPU: a first model in minutes, said with what more
# time buys. Small images keep their choices, and a run goes on as it was begun.
# labels: slow
. "$(dirname "$0")/cli.sh"
if ! command -v python3 >/dev/null; then
    echo "skipped: no python3, which draws the photographs"
    exit 0
fi
python3 - <<'EOF'
import os
import random
random.seed(1)
for name, width, height in ("photos", 320, 200), ("thumbs", 60, 44):
    for k in range(3):
        os.makedirs("%s/class%d" % (name, k))
        for i in range(12):
            pixels = bytes(random.randrange(256) for _ in range(3 * width)) * height
            with open("%s/class%d/%d.ppm" % (name, k, i), "wb") as f:
                f.write(b"P6\n%d %d\n255\n" % (width, height) + pixels)
EOF
short="--max-steps 1 --consistency never --device cpu"

# A network of which a step costs little, whatever the machine: no number of cores, no
# clock is in the rule.
expect 0 '*' '*' -- "$JENSEN" train photos $short --epochs 1 --out first
for said in '^image-size: 32 .photographs on a CPU' '^augment: fit\+strong' '^network: cnn:width=32 ' '^batch: 8 ' \
    '^lr: 0.025 ' '^for a better model, choose image-size [0-9]+ and network [^ ]+ .about [0-9]+ times longer'; do
    cases=$((cases + 1))
    grep -qE "$said" stderr.txt || complain "not said: $said" "$JENSEN train photos"
done
expect 0 '*' '^epochs: 120 ' -- "$JENSEN" train photos --subset 8 --batch 4 $short --out epochs
expect 0 '*' '*' -- "$JENSEN" train photos $short --epochs 1 --threads 1 --out single --json
cp stdout.txt single.json
cases=$((cases + 1))
cmp -s first/config.yaml <(sed 's/^threads:.*/threads: 0/' single/config.yaml) ||
    complain "other choices with another number of threads" "$JENSEN train photos"

# What is given is not overruled, and then there is no advice.
expect 0 '*' '^network: cnn:width=32' -- "$JENSEN" train photos $short --epochs 1 --image-size 48 --out large
cases=$((cases + 1))
grep -q 'better model' stderr.txt && complain "advice against what was given" "$JENSEN train --image-size 48"

# Small images as ever.
expect 0 '*' '^image-size: 32 .small images' -- "$JENSEN" train thumbs $short --epochs 1 --out small
for said in '^network: preactresnet34:width=16' '^augment: fit\+strong' '^lr: 0.00625 .scaled'; do
    cases=$((cases + 1))
    grep -qE "$said" stderr.txt || complain "not said: $said" "$JENSEN train thumbs"
done

# Begun with what was chosen before: the command without options goes on with it.
before="--image-size 128 --augment jitter --network resnet18 --lr 0.00625"
expect 0 '*' '*' -- "$JENSEN" train photos $short --epochs 1 $before --json
run=$(sed 's/.*"run":"\([^"]*\)".*/\1/' stdout.txt)
rm "$run/result.json"
cp -r "$run" begun
expect 0 "^run +$run" '^network: resnet18 .as this run began' -- "$JENSEN" train photos $short --epochs 1
expect 0 '^run +begun' '^image-size: 128 .as this run began' -- "$JENSEN" train photos $short --epochs 1 --out begun
expect 2 '' 'other options: --lr 0.00625 then, 0.3 now|this run has other options' -- \
    "$JENSEN" train photos $short --epochs 1 --lr 0.3 --out begun -q
finish
