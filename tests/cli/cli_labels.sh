# jensen labels apply --copy, --move, --undo: corrected labels as folders.
. "$(dirname "$0")/cli.sh"
"$JENSEN" data convert builtin:size=40,test=0 --out images --format ppm >/dev/null
mkdir data
for class in $(ls images/train | head -3); do
    mkdir data/$class
    for n in 1 2 3 4; do cp "$(ls -d images/train/$class/* | sed -n ${n}p)" data/$class/$n.ppm; done
done
set -- $(ls data)
a=$1 b=$2 c=$3
awk 'BEGIN { for (i = 0; i < 12; i++) print (i < 4 ? "0.8 0.1 0.1" : i < 8 ? "0.1 0.8 0.1" : "0.1 0.1 0.8") }' |
    python3 "$SOURCE/tests/cli/npy.py" p.npy 12 3
"$JENSEN" audit data --posteriors p.npy --labels-only -o a >/dev/null 2>&1
# An audit among the images is no class of theirs, and is not written over them.
awk 'BEGIN { for (i = 0; i < 12; i++) print (i == 0 || i > 7 ? "0.1 0.1 0.8" : i < 4 ? "0.8 0.1 0.1" : "0.1 0.8 0.1") }' |
    python3 "$SOURCE/tests/cli/npy.py" q.npy 12 3
(cd data && "$JENSEN" audit . --posteriors ../q.npy --labels-only >/dev/null 2>&1)
expect 0 '"samples":12,' '' -- "$JENSEN" data info data --json
[ -d data/audits/*/pictures ] || complain "the audit inside of the data has no pictures"
expect 0 '' '*' -- sh -c "'$JENSEN' audit data --posteriors p.npy --labels-only -o data/audits/again >/dev/null"
expect 0 ' of 12 labels changed' '' -- "$JENSEN" labels apply data/audits/again --min-score 0 --copy twelve
"$JENSEN" audit data --posteriors p.npy --labels-only -o data/audits/again >/dev/null 2>&1
expect 2 '' 'data/: the folder of the data, in which the audit.s pictures would be a class' -- "$JENSEN" audit data --posteriors p.npy -o ./data/
expect 2 '' 'data/fixed: lies inside the data; name a folder outside data' -- "$JENSEN" labels apply a --min-score 0 --copy data/fixed
expect 1 '' '' -- test -e data/fixed
rm -r data/audits twelve
# Two images of one name go to one class; one is removed.
printf "path,decision,label,time\n$a/1.ppm,relabel,$c,1\n$b/1.ppm,relabel,$c,1\n$b/2.ppm,remove,,1\n$c/3.ppm,keep,,1\n" >a/decisions.csv
sums() { (cd "$1" && find . -type f | sort | xargs sha256sum); }
sums data >before.txt

expect 0 '^fixed: 2 of 12 labels changed, 1 image removed$' '' -- "$JENSEN" labels apply a --copy fixed
sums data >after.txt
expect 0 '' '' -- cmp before.txt after.txt
expect 0 '' '' -- cmp data/$a/1.ppm fixed/$c/$a-1.ppm
expect 0 '' '' -- cmp data/$b/1.ppm fixed/$c/$b-1.ppm
expect 0 '^11$' '' -- sh -c "find fixed -type f | wc -l"
expect 1 '' '' -- test -e fixed/$b/2.ppm
expect 2 '' 'fixed: exists already; name a new folder' -- "$JENSEN" labels apply a --copy fixed
# A file that cannot be written, as on a full disk: nothing is left, and the same command does it.
cp data/$c/4.ppm kept.ppm && { printf 'P6 64 64 255\n'; head -c 12288 /dev/zero; } >data/$c/4.ppm
expect 1 '' 'cannot be written.*; what was copied is removed, and the same command begins again' -- \
    bash -c "trap '' XFSZ; ulimit -f 8; exec '$JENSEN' labels apply a --copy full/of/it"
expect 0 '^full/of$' '' -- sh -c 'find full | tail -1'
expect 0 'full/of/it: 2 of 12 labels changed' '' -- "$JENSEN" labels apply a --copy full/of/it
expect 0 '^11$' '' -- sh -c "find full -type f | wc -l"
mv kept.ppm data/$c/4.ppm
# A copy that was killed has a list of what it made; the same command removes that and begins again.
mkdir -p killed/$a killed/$c && echo half >killed/$a/2.ppm && touch killed/$c/jensen-0123456789abcdef.tmp
echo precious >precious.txt && mkdir away && echo precious >away/1.ppm && ln -s ../away killed/$b
printf "path\n$a/2.ppm\n$c/3.ppm\n../precious.txt\n$b/1.ppm\n" >killed/.copying.csv
expect 2 '' 'killed: exists already' -- "$JENSEN" labels apply a --copy killed
expect 0 '^precious precious $' '' -- sh -c "cat precious.txt away/1.ppm | tr '\n' ' '"
rm killed/$b && printf "path\n$a/2.ppm\n" >killed/.copying.csv
mkdir killed/$c && touch killed/$c/jensen-0123456789abcdef.tmp && printf "path\n$a/2.ppm\n$c/3.ppm\n" >killed/.copying.csv
expect 0 'killed: 2 of 12 labels changed' '' -- "$JENSEN" labels apply a --copy killed
expect 0 '^11$' '' -- sh -c "find killed -type f | wc -l"
expect 2 '' 'exclude each other' -- "$JENSEN" labels apply a --copy other --move

# One process at a time moves images; others change nothing.
expect 1 '' 'a: another process is moving the images; wait for it' -- flock a/scores.csv "$JENSEN" labels apply a --move
expect 0 '' '' -- sh -c "(cd data && find . -type f | sort | xargs sha256sum) | cmp - before.txt && ! [ -e a/undo.csv ]"
expect 0 '^a: 2 of 12 labels changed, 1 image removed$' '' -- "$JENSEN" labels apply a --move
expect 1 '' 'a: another process is moving the images' -- flock a/scores.csv "$JENSEN" labels apply a --undo
expect 0 "^from,to $a/1.ppm,$c/$a-1.ppm $b/1.ppm,$c/$b-1.ppm $b/2.ppm,.removed/$b/2.ppm " '' -- sh -c "tr '\n' ' ' <a/undo.csv"
expect 0 "^11$" '' -- sh -c "'$JENSEN' data info data --json | grep -oE '\"samples\":[0-9]+' | head -1 | cut -d: -f2"
expect 0 '' '' -- test -e data/.removed/$b/2.ppm
expect 2 '' 'moved already' -- "$JENSEN" labels apply a --move
for command in 'labels apply nowhere --copy x' 'labels export nowhere --format csv -o x' 'review data --no-browser' 'audit data --again'; do
    expect 3 '' "(nowhere|data): not the folder of an audit .*'jensen audit DATA' makes one" -- "$JENSEN" $command
done
# Half of a move, as a kill leaves it: the same command does the rest.
mv data/$c/$a-1.ppm data/$a/1.ppm
expect 0 '^a: 2 of 12 labels changed' '' -- "$JENSEN" labels apply a --move
expect 0 '' '' -- test -e data/$c/$a-1.ppm
# A new file with the name of one that was moved is another one.
echo new >data/$a/1.ppm
expect 2 '' 'moved already' -- "$JENSEN" labels apply a --move
expect 0 '^new$' '' -- cat data/$a/1.ppm
rm data/$a/1.ppm
# Half of it is taken back as well.
mv data/$c/$a-1.ppm data/$a/1.ppm
expect 0 '^\{"labels":"a","moved_back":2\}$' '' -- "$JENSEN" labels apply a --undo --json
rmdir data/.removed/$b data/.removed
sums data >after.txt
expect 0 '' '' -- cmp before.txt after.txt
expect 3 '' 'nothing to move back .no undo.csv' -- "$JENSEN" labels apply a --undo
"$JENSEN" labels apply a --move >/dev/null
expect 0 '^3 images moved back$' '' -- "$JENSEN" labels apply a --undo
rmdir data/.removed/$b data/.removed

# Nothing is written over, no link is followed, no class leads away.
cp data/$a/2.ppm data/$c/$a-1.ppm.bak
ln -s nowhere data/$c/$a-1.ppm
expect 3 '' 'symbolic link|images were audited' -- "$JENSEN" labels apply a --move
rm -f data/$c/$a-1.ppm data/$c/$a-1.ppm.bak a/undo.csv
printf "path,decision,label,time\n$a/1.ppm,relabel,../../x,1\n" >a/decisions.csv
expect 3 '' "the data has no class '../../x'" -- "$JENSEN" labels apply a --move
expect 3 '' "the data has no class '../../x'" -- "$JENSEN" labels apply a --copy way
printf "path,decision,label,time\n$a/1.ppm,keep,,1\n" >a/decisions.csv
printf 'from,to\n%s,../../stolen.ppm\n' $a/1.ppm >a/undo.csv
printf 'from,to\n../../stolen.ppm,%s\n' $a/1.ppm >a/undo.csv
expect 3 '' 'not a name inside its folder' -- "$JENSEN" labels apply a --undo
rm a/undo.csv
mv data moved
expect 3 '' "a: the audited data: 'data' is not a file or folder, .*; --data names them" -- "$JENSEN" labels apply a --copy again
expect 0 'labels changed' '' -- "$JENSEN" labels apply a --copy again --data moved
awk 'BEGIN { for (i = 0; i < 12; i++) print "0.55 0.05 0.05 0.05 0.05 0.05 0.05 0.05 0.05 0.05" }' |
    python3 "$SOURCE/tests/cli/npy.py" q.npy 12 10
"$JENSEN" audit builtin:size=12,test=0 --posteriors q.npy --labels-only -o n >/dev/null 2>&1
expect 2 '' 'not separate files; write a table' -- "$JENSEN" labels apply n --min-score 0.1 --copy x

# Two images that are to have one name: x/y-1.ppm and x-y/1.ppm in z. The second gets another one, and both come back.
mkdir -p same/x same/x-y same/z
cp moved/$a/1.ppm same/x/y-1.ppm && cp moved/$b/1.ppm same/x-y/1.ppm && cp moved/$c/1.ppm same/z/1.ppm
printf '0.1 0.1 0.8\n%.0s' 1 2 3 | python3 "$SOURCE/tests/cli/npy.py" z.npy 3 3
"$JENSEN" audit same --posteriors z.npy --labels-only -o z >/dev/null 2>&1
sums same >before.txt
printf "path,decision,label,time\nx/y-1.ppm,relabel,z,1\nx-y/1.ppm,relabel,z,1\n" >z/decisions.csv
expect 0 '^z: 2 of 3 labels changed' '' -- "$JENSEN" labels apply z --move
expect 0 '^from,to x(-y)?/(y-)?1.ppm,z/x-y-1.ppm x(-y)?/(y-)?1.ppm,z/x-y-1-2.ppm $' '' -- sh -c "tr '\n' ' ' <z/undo.csv"
expect 0 '' '' -- test -e same/z/x-y-1-2.ppm
expect 0 '^2 images moved back$' '' -- "$JENSEN" labels apply z --undo
sums same >after.txt
expect 0 '' '' -- cmp before.txt after.txt

# A move that leaves a class without training images can be taken back, though nobody could train on that.
"$JENSEN" data convert builtin:size=20,test=10 --out split --format ppm >/dev/null
awk 'BEGIN { for (i = 0; i < 20; i++) print "0.55 0.05 0.05 0.05 0.05 0.05 0.05 0.05 0.05 0.05" }' |
    python3 "$SOURCE/tests/cli/npy.py" p.npy 20 10
"$JENSEN" audit split --posteriors p.npy --cutoff 1e-6 --labels-only -o s >/dev/null 2>&1
sums split >before.txt
expect 0 '^s: 20 of 20 labels changed$' '' -- "$JENSEN" labels apply s --min-score 0.5 --move
expect 3 '' 'is not a class of the training split' -- "$JENSEN" data info split
expect 0 'images moved back$' '' -- "$JENSEN" labels apply s --undo
sums split >after.txt
expect 0 '' '' -- cmp before.txt after.txt
finish
