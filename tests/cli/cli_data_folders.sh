# What a folder of images may look like, and what is said of those that look otherwise.
# labels: sanitize_slow
. "$(dirname "$0")/cli.sh"
export JENSEN_CACHE="$work/cache"

"$JENSEN" data convert builtin:size=60,test=0 --out pool --format ppm -q >/dev/null || exit 1
image=$work/pool/train/disc/0000.ppm
# put FILE...: copies of one image, folders made.
put() {
    local path
    for path in "$@"; do
        mkdir -p "$(dirname "$path")" && cp "$image" "$path"
    done
}
# fill FOLDER...: six images in each.
fill() {
    local folder n
    for folder in "$@"; do
        for n in 1 2 3 4 5 6; do put "$folder/$n.ppm"; done
    done
}

# Splits under their usual names, in any case.
fill big/Train/{cat,dog} big/Test/{cat,dog}
expect 0 'train +12 samples' '' -- "$JENSEN" data info big
expect 0 'test +12 samples' '' -- "$JENSEN" data info big
expect 0 'classes +2' '' -- "$JENSEN" data info big
fill ing/training/{cat,dog} ing/valid/{cat,dog} ing/testing/cat
expect 0 'val +12 samples' '' -- "$JENSEN" data info ing
expect 0 'test +6 samples' '' -- "$JENSEN" data info ing
fill only/val/{cat,dog}
expect 0 'val +12 samples, 6 to 6 per class' '' -- "$JENSEN" data info only
fill both/Train/{cat,dog} both/train/{cat,dog}
expect 3 '' 'both Train/ and train/, which mean the same split' -- "$JENSEN" data info both
fill void/test/{cat,dog} && mkdir void/train
expect 3 '' "the folder 'train' holds no images" -- "$JENSEN" data info void

# One level too high: classes that are data sets are told; folders below classes are nothing to tell.
fill high/photos/{cat,dog,bird} high/held-out/{cat,dog}
for command in "data info" "audit -q --set epochs=1" "train -q --epochs 1 --out high-run"; do
    expect 0 '*' "warning: high: its classes look like data sets: 'held-out' and 'photos' have the same folders in them, such as 'cat'; if those are the classes, name high/photos" -- \
        "$JENSEN" $command high
done
fill fine/{cat,dog}/{2021,2022,2023} deep/animal/{cat,dog} deep/vehicle/{car,bus} near/photos/{cat,dog} near/held-out/{cat,dog}
put near/photos/1.ppm
for folder in fine deep near high/photos; do
    expect 0 'classes +[23]' '' -- "$JENSEN" data info $folder
done

# A class that is called like a split, and what is neither.
fill cars/{train,car,bus}
expect 0 '6 train' '' -- "$JENSEN" data info cars
expect 0 'classes +3' '' -- "$JENSEN" data info cars
fill mixed/train/{cat,dog} mixed/owl
expect 3 '' "train/ has class folders and so is a split, but there are images in 'owl' beside it; move" -- "$JENSEN" data info mixed
fill bare/train bare/test
expect 3 '' 'no images in class folders: those in train/ lie directly in it, not in train/<class>/' -- "$JENSEN" data info bare

# A folder around the classes is named; in an archive it is passed over.
fill wrap/data/{cat,dog}
expect 3 '' "warning: wrap: all images are in folders below 'data', the only class; if those are the classes, name wrap/data" -- "$JENSEN" train wrap
put wrap/data/logo.ppm
expect 0 'classes +1' '' -- "$JENSEN" data info wrap

# Images that are not used are told of, by every command that opens the data.
fill loose/train/{cat,dog} loose/test && put loose/logo.ppm loose/train/new.ppm
for command in 'data info' 'data check' 'train --network mlp --epochs 1 --val-fraction 0'; do
    # All are copies of one picture, under two labels.
    code=0 && [ "$command" = 'data check' ] && code=3
    expect $code '*' 'warning: loose: test/ is not used, because it has no class folders; it holds 6 images' -- "$JENSEN" $command loose
    grep -q "warning: loose: 2 images are outside the class folders and not used, such as 'logo.ppm'" stderr.txt ||
        { echo "FAILED: $command does not tell of the images outside"; failures=$((failures + 1)); }
done
expect 0 'train +12 samples' '*' -- "$JENSEN" data info loose

# One class is said before what validation lacks; so is a lack of training images.
fill one/cat && put few/cat/{1,2,3}.ppm
expect 3 '' "few: one class only .'cat'.; a classifier" -- "$JENSEN" train few
expect 0 '*' 'warning: only: there is no training split; training on the val split' -- "$JENSEN" train only --network mlp --epochs 1 --val-fraction 0
expect 0 '*' '*' -- "$JENSEN" train only,split=val --network mlp --epochs 1 --val-fraction 0
grep -q 'no training split' stderr.txt && { echo "FAILED: the split was chosen"; failures=$((failures + 1)); }

# A table with an image under two labels.
printf 'path,label\ncat/1.ppm,cat\ncat/2.ppm,cat\n./cat/1.ppm,dog\ncat/1.ppm,cat\ncat/2.ppm,cat\ncat/3.ppm,dog\n' >one/twice.csv
for command in 'data info' 'data check' 'train --network mlp --epochs 1 --val-fraction 0'; do
    code=0 && [ "$command" = 'data check' ] && code=3
    expect $code '*' "warning: csv:one/twice.csv: 1 image has more than one label, such as 'cat/1.ppm': 'cat' in line 2, 'dog' in line 4" -- "$JENSEN" $command csv:one/twice.csv
done
sed -i '/dog/d' one/twice.csv && echo cat/4.ppm,dog >>one/twice.csv
expect 0 'classes +2' '' -- "$JENSEN" data info csv:one/twice.csv

# Dead links, links up, and what a Macintosh leaves.
fill links/cat links/dog
ln -s /nowhere/gone.ppm links/cat/gone.ppm
ln -s /nowhere/owl links/owl
ln -s ../dog/1.ppm links/cat/good.ppm
fill links/__MACOSX && mkdir links/dog/__MACOSX
expect 3 'cat/gone.ppm.*cannot be opened' '1 image is broken' -- "$JENSEN" data check links
expect 0 'classes +2' "warning: links: links that lead nowhere.*: 1, such as 'owl'" -- "$JENSEN" data info links
expect 0 'train +14 samples' '*' -- "$JENSEN" data info links
expect 0 '*' '1 .*(broken|read)' -- "$JENSEN" train links --network mlp --epochs 1 --val-fraction 0 --out linked
fill circle/cat circle/dog/old && ln -s .. circle/dog/old/up
expect 3 '' 'circle/dog/old/up: a link to a folder that contains it' -- "$JENSEN" data info circle

# Names beyond ASCII in archives, whatever the locale.
tar -cf cars.tar cars
if "$JENSEN" data info cars.tar 2>&1 | grep -q 'cannot read archives' || ! command -v python3 >/dev/null; then
    echo "skipped: archives"
    finish
    exit
fi
fill names/café names/猫 names/b && put names/b/ü.ppm
PYTHONUTF8=1 python3 - <<'PY'
import os, tarfile, zipfile
with zipfile.ZipFile("names.zip", "w") as z, \
     tarfile.open("pax.tar", "w", format=tarfile.PAX_FORMAT) as pax, \
     tarfile.open("gnu.tar", "w", format=tarfile.GNU_FORMAT) as gnu:
    for top, _, files in os.walk("names"):
        for f in files:
            path = os.path.join(top, f)
            for add in z.write, pax.add, gnu.add:
                add(path, os.path.relpath(path, "names"))
PY
tar -C wrap -cf wrap.tar data
expect 0 'classes +2' "wrap.tar: 1 image is outside the class folders and not used, such as 'logo.ppm'" -- "$JENSEN" data info wrap.tar
tar -C links -cf links.tar cat dog
expect 3 'cat/gone.ppm.*the file is empty, or a link to what is not in the archive' 'links.tar: 1 link leads to no file in the archive, such as .cat/gone.ppm' -- "$JENSEN" data check links.tar
expect 3 '^1 broken of 14 images' '1 image is broken' -- "$JENSEN" data check links.tar
ln links/dog/2.ppm links/cat/hard.ppm && tar -C links -cf hard.tar cat/1.ppm dog cat/hard.ppm
expect 0 'train +8 samples' '' -- "$JENSEN" data info hard.tar
for locale in C POSIX C.UTF-8; do
    for archive in names.zip pax.tar gnu.tar; do
        expect 0 '6 café$' '' -- env JENSEN_CACHE=off LC_ALL=$locale "$JENSEN" data info $archive
        expect 0 '6 猫$' '' -- env JENSEN_CACHE=off LC_ALL=$locale "$JENSEN" data info $archive
        expect 0 'train +19 samples' '' -- env JENSEN_CACHE=off LC_ALL=$locale "$JENSEN" data info $archive
    done
done

finish
