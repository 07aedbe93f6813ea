# Every command of docs/tutorial.md and every `jensen` command of README.md, taken from the pages themselves
# and run in their order on a small folder of generated pictures with wrong labels. Networks are tiny and epochs
# few, so that it takes seconds; in place of a person in `jensen review` the test writes one decision. A value
# that a page shows in columns ("test accuracy   98.96%") must be printed by its command under that name.
. "$(dirname "$0")/cli.sh"
if ! command -v python3 >/dev/null; then
    echo "skipped: no python3, which takes the commands from the page"
    exit 0
fi
export JENSEN_CACHE=$work/cache
mkdir bin
cat >bin/jensen <<END
#!/usr/bin/env bash
case \$1 in
train) exec "$JENSEN" "\$@" --network mlp:width=16 --augment fit --epochs 2 --threads 1 --device ref ;;
sweep)
    [ "\$2" != create ] || set -- "\${@/#builtin/builtin:size=60,test=20}" --network mlp:width=16 --augment fit --epochs 1
    exec "$JENSEN" "\$@"
    ;;
audit) exec "$JENSEN" "\$@" --folds 2 --set network=mlp:width=16 --set epochs=2 --set device=ref --set augment=fit ;;
review) exec timeout -s INT 2 "$JENSEN" "\$@" ;;
*) exec "$JENSEN" "\${@/#builtin:size=1000,test=200/builtin:size=120,test=40}" ;;
esac
END
chmod +x bin/jensen
export PATH=$work/bin:$PATH

# The folder, by the page's own commands for readers without photographs.
sed -n '/^No photographs at hand/,/^## /s/^    //p' "$SOURCE/docs/tutorial.md" >make.sh
expect 0 '*' '*' -- bash -e make.sh
expect 0 '[1-9]' '' -- sh -c 'ls photos/star | grep -c x-'

# steps PAGE PROMPT: lines "command TAB names of the values that its output has, parted by bars".
steps() {
    python3 - "$1" "$2" <<'PYTHON'
import re, sys
found, prompt = [], sys.argv[2]
text = re.sub(r"\\\n\s+", "", open(sys.argv[1], encoding="utf-8").read())  # a command on several lines
for line in re.findall(r"^    (.*)$", text, re.M):
    if line.startswith(prompt + "jensen "):
        found.append([line.removeprefix(prompt).split("  #")[0].strip()])
    elif found and (name := re.match(r"([a-z][a-z -]*?[a-z](?: \([a-z]+\))?)\s{2,}\S", line)):
        found[-1].append(name.group(1))
for command, *names in found:
    print(command, "|".join(names), sep="\t")
PYTHON
}
# follow PAGE PROMPT LEAST: runs the commands, of which there are LEAST at least.
follow() {
    local command names name code wanted
    steps "$1" "$2" >steps.txt
    [ "$(wc -l <steps.txt)" -ge "$3" ] || complain "$1 has lost its commands" steps
    while IFS=$'\t' read -r command names; do
        cases=$((cases + 1))
        bash -c "$command" >stdout.txt 2>stderr.txt </dev/null
        code=$?
        case $command in
        *' review '*) # serves until it is stopped
            [ $code -eq 124 ] || complain "exit $code" "$command"
            grep -q '^http://127.0.0.1:' stdout.txt || complain "no address" "$command"
            printf 'path,decision,label,time\n%s,keep,,1\n' \
                "$(awk -F, 'NR == 2 { print $1 }' audits/photos/scores.csv)" >audits/photos/decisions.csv
            ;;
        *) [ $code -eq 0 ] || complain "exit $code" "$command" ;;
        esac
        IFS='|' read -ra wanted <<<"$names"
        for name in "${wanted[@]}"; do
            awk -v name="$name " 'index($0, name) == 1 { found = 1 } END { exit !found }' stdout.txt stderr.txt ||
                complain "prints no '$name'" "$command"
        done
    done <steps.txt
}
follow "$SOURCE/docs/tutorial.md" '$ ' 9
for file in runs/first/report.html audits/photos/audit.html runs/second/model.safetensors model.onnx compare.html; do
    cases=$((cases + 1))
    [ -s $file ] || complain "no $file" "the tutorial's end"
done
rm -rf audits runs labels.csv
cp -r held-out new
if "$JENSEN" doctor | grep -E '^ *SQLite' | grep -qE '[0-9]+\.[0-9]+'; then
    follow "$SOURCE/README.md" '' 8
else
    echo "README.md is left out: a build without SQLite has no studies"
fi
for picture in $(grep -ohE '\(img/[a-z0-9_-]+\.(png|svg)\)|src="docs/img/[^"]+"' "$SOURCE"/README.md "$SOURCE"/docs/*.md |
    grep -oE 'img/[a-z0-9_-]+\.(png|svg)' | sort -u); do
    cases=$((cases + 1))
    [ -s "$SOURCE/docs/$picture" ] || complain "a page shows docs/$picture, which is not there" ls
done
finish
