# What somebody else has put into the folder of an audit or a run: links are not followed out of
# it, pipes are not waited for, and tables that were whole stay whole.
# labels: sanitize_slow
. "$(dirname "$0")/cli.sh"
tiny="--network mlp:width=4 --device ref --batch 10 --threads 1 --workers 0 --augment fit --image-size 8 --epochs 1 --val-fraction 0 -q"
"$JENSEN" data convert builtin:size=20,test=0 --out data --format ppm >/dev/null
awk 'BEGIN { for (i = 0; i < 20; i++) print "0.55 0.05 0.05 0.05 0.05 0.05 0.05 0.05 0.05 0.05" }' |
    python3 "$SOURCE/tests/cli/npy.py" p.npy 20 10
"$JENSEN" train data $tiny --out run >/dev/null 2>&1
safe() { expect 0 '^precious$' '' -- cat victim.txt; }
echo precious >victim.txt
mkdir elsewhere

# An audit writes into its folder, and nowhere else.
mkdir a
for name in posteriors.npy scores.csv suspects.csv audit.json audit.html; do ln -s ../victim.txt a/$name; done
expect 0 '^suspects' '*' -- "$JENSEN" audit data --posteriors p.npy --cutoff 1e-6 --labels-only -o a
safe
for name in posteriors.npy scores.csv audit.json; do expect 1 '' '' -- test -L a/$name; done
for link in folds folds/fold-1.csv; do
    rm -rf f && mkdir -p f/folds && rm -rf f/$link && ln -s "$work/elsewhere" f/$link
    "$JENSEN" audit data --folds 2 --labels-only --set network=mlp:width=4 --set epochs=1 --set device=ref -q -o f >/dev/null 2>stderr.txt
    expect 0 '^0$' '' -- sh -c 'ls -A elsewhere | wc -l'
done
rm -rf f && mkdir -p f/folds && ln -s "$work/elsewhere" f/folds/fold-1
expect 3 '' 'folds/fold-1: a symbolic link' -- "$JENSEN" audit data --folds 2 --labels-only --set network=mlp:width=4 -o f -q
ln -sf ../victim.txt a/export.csv
ln -sf ../victim.txt a/coco.json
ln -sf ../victim.txt a/label-studio.xml
for format in csv coco label-studio; do
    expect 0 '20 images' '' -- "$JENSEN" labels export a --format $format
    safe
done
# A file of one's own that is named may be a link.
echo old >target.csv && ln -s target.csv own.csv
expect 0 '^own.csv: 20 images$' '' -- "$JENSEN" labels export a -o own.csv
expect 0 '' '' -- test -L own.csv
mv a/posteriors.npy kept.npy && ln -s ../kept.npy a/posteriors.npy
expect 3 '' 'a/posteriors.npy: a symbolic link' -- "$JENSEN" labels export a
# The labels of a run are its own.
cp -r run planted && mv planted/labels.csv kept.csv && ln -s ../kept.csv planted/labels.csv
expect 3 '' 'planted/labels.csv: a symbolic link' -- "$JENSEN" audit planted -o b

# Pipes, which would be waited for.
for name in log.txt metrics.csv checkpoint.safetensors config.yaml model.json result.json; do
    rm -rf pipe && mkdir pipe && mkfifo pipe/$name
    timeout 60 "$JENSEN" train data $tiny --out pipe >/dev/null 2>stderr.txt </dev/null
    [ $? -ne 124 ] || complain "waits for a pipe" pipe/$name
done
for name in $(cd run && ls); do
    [ -f run/$name ] || continue
    rm -rf pipe && cp -r run pipe && rm pipe/$name && mkfifo pipe/$name
    for command in "check pipe" "report pipe --out page.html" "predict pipe data --device ref" "audit pipe --labels-only -o c"; do
        timeout 60 "$JENSEN" $command >/dev/null 2>stderr.txt </dev/null
        [ $? -ne 124 ] || complain "waits for a pipe" $command: $name
    done
done
for name in scores.csv suspects.csv posteriors.npy decisions.csv audit.json check.csv undo.csv; do
    rm -rf pipe && cp -r a pipe && rm -f pipe/$name && mkfifo pipe/$name
    for command in "labels apply pipe --min-score 0.5 --out l.csv" "labels export pipe -o l.csv" "labels import pipe own.csv" \
        "labels apply pipe --undo"; do
        timeout 60 "$JENSEN" $command >/dev/null 2>stderr.txt </dev/null
        [ $? -ne 124 ] || complain "waits for a pipe" $command: $name
    done
done

# A table that cannot be made leaves the one of before.
echo earlier >t.csv
expect 3 '' 'nodata' -- "$JENSEN" eval run nodata --csv t.csv
expect 0 '^earlier$' '' -- cat t.csv
expect 1 '' 't.csv: cannot be written' -- bash -c "trap '' XFSZ; ulimit -f 1; exec '$JENSEN' predict run data --device ref --top 10 --csv t.csv >/dev/null"
expect 0 '^earlier$' '' -- cat t.csv
expect 0 '*' '' -- "$JENSEN" predict run data --device ref --csv t.csv
expect 0 '^path,class,probability,reason$' '' -- head -1 t.csv
expect 0 '^21$' '' -- sh -c 'wc -l <t.csv'
# One that says why nothing could be read is written.
mkdir broken && echo no image >broken/x.ppm
expect 3 '' 'none of 1 image could be read' -- "$JENSEN" predict run broken --device ref --csv why.csv
expect 0 '^broken/x.ppm,,,.' '' -- tail -1 why.csv
# What a killed process has left beside it goes.
touch jensen-0123456789abcdef.tmp
expect 0 '*' '' -- "$JENSEN" predict run data --device ref --csv t.csv
expect 1 '' '' -- test -e jensen-0123456789abcdef.tmp
expect 0 '^path,class,probability,reason$' '' -- sh -c "'$JENSEN' predict run data --device ref --csv /dev/stdout | grep ^path,"

# Links that lead around: every image is found once, and folders that link to one another end.
mkdir -p round/k && cp "$(ls data/train/*/*.ppm | head -1)" round/k/x.ppm
ln -s . round/a && ln -s . round/b && ln -s .. round/k/up
expect 0 '^round/k/x.ppm ' '' -- timeout 60 "$JENSEN" predict run round --device ref
expect 0 '^1$' '' -- sh -c "'$JENSEN' predict run round --device ref | wc -l"
for i in 1 2 3 4 5 6 7 8; do
    mkdir -p web/$i
    for k in 1 2 3 4 5 6 7 8 9; do ln -s ../$((i + 1)) web/$i/$k; done
done
mkdir web/9
for command in "predict run web --device ref" "data info web"; do
    expect 3 '' 'more than 100000 links to folders are on the way' -- "$JENSEN" $command
done
finish
