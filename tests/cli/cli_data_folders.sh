# What a folder of images may look like, and what is said of those that look otherwise.
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
expect 0 'val +12 samples, 6 to 6 a class' '' -- "$JENSEN" data info only
fill both/Train/{cat,dog} both/train/{cat,dog}
expect 3 '' 'both Train/ and train/, which mean the same split' -- "$JENSEN" data info both
fill void/test/{cat,dog} && mkdir void/train
expect 3 '' "the folder 'train' holds no images" -- "$JENSEN" data info void

# A class that is called like a split, and what is neither.
fill cars/{train,car,bus}
expect 0 '6 train' '' -- "$JENSEN" data info cars
expect 0 'classes +3' '' -- "$JENSEN" data info cars
fill mixed/train/{cat,dog} mixed/owl
expect 3 '' "train/ has class folders and so is a split, but there are images in 'owl' beside it; move" -- "$JENSEN" data info mixed
fill bare/train bare/test
expect 3 '' 'no images in class folders: those in train/ lie directly in it, not in train/<class>/' -- "$JENSEN" data info bare

# Images that are not used are told of, by every command that opens the data.
fill loose/train/{cat,dog} loose/test && put loose/logo.ppm loose/train/new.ppm
for command in 'data info' 'data check' 'train --network mlp --epochs 1 --val-fraction 0'; do
    expect 0 '*' 'warning: loose: test/ is not used, for it has no class folders; it holds 6 images' -- "$JENSEN" $command loose
    grep -q "warning: loose: 2 images are outside the class folders and not used, such as 'logo.ppm'" stderr.txt ||
        { echo "FAILED: $command does not tell of the images outside"; failures=$((failures + 1)); }
done
expect 0 'train +12 samples' '*' -- "$JENSEN" data info loose

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
expect 3 '' 'circle/dog/old/up: a link to a folder that it lies in' -- "$JENSEN" data info circle

finish
