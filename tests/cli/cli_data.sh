# jensen data info|check|convert|fetch, bench decode|load, show datasets.
. "$(dirname "$0")/cli.sh"
export JENSEN_CACHE="$work/cache"

expect 0 '^cifar10 +CIFAR-10' '' -- "$JENSEN" show datasets
expect 2 '' 'takes one data set' -- "$JENSEN" data info
expect 3 '' "not a data set .there are: builtin, cifar10" -- "$JENSEN" data info nothing-here
expect 2 '' "not a data set; did you mean 'cifar10'" -- "$JENSEN" data info cifar11:nothing-here
expect 0 'train +60 samples, 6 to 6 per class' '' -- "$JENSEN" data info builtin:size=60,test=20
expect 0 '"per_class":\[6,6,6,6,6,6,6,6,6,6\]' '' -- "$JENSEN" data info builtin:size=60 --json
expect 0 '"pixels_sha256":"[0-9a-f]{64}"' '' -- "$JENSEN" data info builtin:size=60 --json --sum
expect 0 'letter_a' '' -- "$JENSEN" data info builtin:size=60 --sheet sheet.ppm --columns 4
[ "$(head -c 2 sheet.ppm)" = P6 ] || { echo "FAILED: no sheet"; failures=$((failures + 1)); }

# Converting and reading back gives the same pixels.
expect 2 '' 'and --out DIR' -- "$JENSEN" data convert builtin
expect 0 '^out$' '*' -- "$JENSEN" data convert builtin:size=60,test=10 --out out --format ppm
expect 2 '' 'out: is not empty' -- "$JENSEN" data convert builtin:size=60 --out out
expect 0 '60 samples' '' -- "$JENSEN" data info out
grep -q '"train/star/0003.ppm","train/star/0003.png"' out/names.csv ||
    { echo "FAILED: names.csv"; failures=$((failures + 1)); }
expect 0 '0 broken of 70 images' '*' -- "$JENSEN" data check out
printf '' >out/train/star/0003.ppm
printf 'junk' >out/test/disc/0000.ppm
expect 3 'train/star/0003.ppm.*the file is empty' '2 images are broken' -- "$JENSEN" data check out
expect 3 '1 broken of .* and more' 'more than 1 image is broken' -- "$JENSEN" data check out --max-bad 1
expect 3 '0 broken of .* and more' 'more than 0 images are broken' -- "$JENSEN" data check out --max-bad 0
expect 3 'train +60 samples' 'no sum of the train split: out/train/star/0003.ppm: the file is empty' -- "$JENSEN" data info out --sum
expect 3 'letter_a.*"samples":60' 'no sum of the train split' -- "$JENSEN" data info out --sum --json
expect 0 'letter_a' 'not on the sheet .1.; .jensen data check' -- "$JENSEN" data info out --sheet left.ppm
[ "$(head -c 2 left.ppm)" = P6 ] || { echo "FAILED: no sheet"; failures=$((failures + 1)); }
expect 3 '"bad":2,"complete":true' '2 images' -- "$JENSEN" data check out --json

# Copies under another label and in another split; those within a class are nobody's harm.
"$JENSEN" data convert builtin:size=60,test=20 --out again --format ppm -q >/dev/null
cp again/train/star/0000.ppm again/train/star/copy.ppm
expect 0 '0 broken of 81 images' '*' -- "$JENSEN" data check again
cp again/train/star/0001.ppm again/train/disc/odd.ppm
cp again/train/cross/0002.ppm again/test/cross/seen.ppm
expect 3 "^train/star/0001.ppm	labelled 'star', the same image as train/disc/odd.ppm, labelled 'disc'" '2 images are the same as one under another label or in another split' -- "$JENSEN" data check again
expect 3 "^test/cross/seen.ppm	labelled 'cross', the same image as train/cross/0002.ppm" '*' -- "$JENSEN" data check again
expect 3 '^0 broken of 83 images' '*' -- "$JENSEN" data check again
expect 3 '"copies":\[\[\{"path":"train/cross/0002.ppm","label":"cross","split":"train"\},\{"path":"test/cross/seen.ppm","label":"cross","split":"test"\}\],\[' '*' -- "$JENSEN" data check again --json

# Smaller copies: the shorter side, and never larger.
expect 0 '^little$' '*' -- "$JENSEN" data convert again,split=test --out little --format ppm --size 20
expect 0 'images +20 x 20' '' -- "$JENSEN" data info little
expect 0 '*' '*' -- "$JENSEN" data convert again,split=test --out large --format ppm --size 500
expect 0 'images +32 x 32' '' -- "$JENSEN" data info large
mkdir -p wide/a && printf 'P6\n6 2\n255\n' >wide/a/1.ppm
printf '\000\000\000\100\100\100\000\000\000\100\100\100\000\000\000\100\100\100' >>wide/a/1.ppm
printf '\000\000\000\100\100\100\000\000\000\100\100\100\000\000\000\100\100\100' >>wide/a/1.ppm
expect 0 '*' '*' -- "$JENSEN" data convert wide --out narrow --format ppm --size 1
expect 0 '^P6.3 1$' '' -- sh -c 'head -c 6 narrow/train/a/0000.ppm | tr "\n" "."; echo'
expect 0 'must lie in .0, 65535.' '*' -- sh -c "'$JENSEN' data convert again --out x --size -1 2>&1 | head -1"

# Nothing falls together, nothing is written into the source, broken images are left out.
images() { find "$1" -name '*.ppm' | wc -l; }
i=0
for label in a/b a_b 'a\b' a_b_2 ..x 'q""q'; do
    echo "out/train/disc/000$i.ppm,\"$label\""
    echo "out/train/letter_a/000$i.ppm,\"$label\""
    i=$((i + 1))
done | sed '1i path,label' >slashes.csv
rows=$(($(wc -l <slashes.csv) - 1))
expect 0 '^flat$' '*' -- "$JENSEN" data convert csv:slashes.csv --out flat --format ppm
expect 0 "^$rows\$" '' -- images flat
expect 0 '^_.x a_b a_b_2 a_b_3 a_b_4 q"q ' '' -- sh -c 'ls flat/train | tr "\n" " "'
cmp -s flat/train/a_b/0000.ppm out/train/disc/0001.ppm || { echo "FAILED: a_b is not itself"; failures=$((failures + 1)); }
expect 0 "train +$rows samples" '' -- "$JENSEN" data info flat
for place in out out/ out/new ./out/train/../deep/er; do
    expect 2 '' 'is the folder of the data, or inside it' -- "$JENSEN" data convert out --out $place
    expect 2 '' 'is the folder of the data, or inside it' -- "$JENSEN" data convert folder:out,split=test --out $place
done
expect 0 '^70$' '' -- images out
[ ! -e out/new ] && [ ! -e out/deep ] || { echo "FAILED: the source was written to"; failures=$((failures + 1)); }
expect 0 '^whole$' 'warning: .*0003.ppm: the file is empty' -- "$JENSEN" data convert out --out whole --format ppm
grep -q 'warning: 2 images are broken and not in whole; .jensen data check. lists all' stderr.txt ||
    { echo "FAILED: broken images are not counted"; failures=$((failures + 1)); }
expect 0 '^68$' '' -- images whole
expect 0 '0 broken of 68 images' '*' -- "$JENSEN" data check whole
mkdir -p none/a && echo junk >none/a/1.png
expect 0 'images +none of the 1 looked at can be read' '' -- "$JENSEN" data info none
mkdir -p sizes/a && "$JENSEN" data info builtin:size=60 --sheet sizes/a/1.ppm >/dev/null
cp out/train/disc/0000.ppm sizes/a
expect 0 'images +32 to 546 wide, 32 to 342 high .of 2 looked at' '' -- "$JENSEN" data info sizes
expect 0 '"width":null,"width_range":.32,546.,"height":null,"height_range":.32,342.,' '' -- "$JENSEN" data info sizes --json
expect 3 '' 'none of the 1 images can be read' -- "$JENSEN" data convert none --out void
expect 1 '' 'half/.*cannot be written' -- bash -c \
    "ulimit -f 1; trap '' XFSZ; exec '$JENSEN' data convert builtin:size=60 --out half --format ppm -q"
[ -d half/.unfinished/train ] || { echo "FAILED: half is not half"; failures=$((failures + 1)); }
expect 3 '' 'no images in class folders' -- "$JENSEN" data info half
touch half/notes.txt
expect 2 '' 'half: is not empty' -- "$JENSEN" data convert builtin:size=60 --out half --format ppm
rm half/notes.txt
expect 0 '^half$' '*' -- "$JENSEN" data convert builtin:size=60 --out half --format ppm
expect 0 '^whole-half$' '*' -- "$JENSEN" data convert builtin:size=60 --out whole-half --format ppm
expect 0 '' '' -- diff -r half whole-half
# Everything is written and half of it in its place: the same command moves the rest, another one does not.
mkdir half/.finished && mv half/test half/names.csv half/.finished && printf 'builtin:size=60, format ppm, size 0\n' >half/.finished/what.txt
expect 2 '' 'half: holds a conversion of something else that was not finished' -- \
    "$JENSEN" data convert builtin:size=60 --out half --format png
expect 0 '^half$' '*' -- "$JENSEN" data convert builtin:size=60 --out half --format ppm
expect 0 '' '' -- diff -r half whole-half
# One at a time.
expect 1 '' 'half-locked: another process is writing this folder' -- sh -c \
    "mkdir half-locked; flock half-locked '$JENSEN' data convert builtin:size=60 --out half-locked"

expect 0 'images/s/core' '' -- "$JENSEN" bench decode out/train/disc/0000.ppm --repeats 1
expect 3 '' 'cannot be read' -- "$JENSEN" bench decode none.ppm
expect 0 '"first_open_seconds":[0-9.e-]+,"first_open_processor_seconds":.*"open_seconds":' '' -- "$JENSEN" bench load builtin:size=50,test=10 --json

# Tables: what is wrong is named, and names that may be one class are.
printf 'path;label\nout/test/star/0000.ppm;x\n' >semicolons.csv
expect 3 '' "no column 'path'.*is 'path;label', and commas separate them" -- "$JENSEN" data info csv:semicolons.csv
expect 3 '' 'csv:semicolons.csv reads it' -- "$JENSEN" data info semicolons.csv
for label in cats 'Cats ' dogs A a; do echo "out/train/star/0000.ppm,$label"; done | sed '1i path,label' >alike.csv
expect 0 'classes +5' "^warning: csv:alike.csv: classes 'Cats ' and 'cats' differ only in case" -- "$JENSEN" data info csv:alike.csv
expect 0 '^1$' '' -- sh -c "'$JENSEN' data info csv:alike.csv 2>&1 >/dev/null | grep -c differ"

# Downloads, from a server on this machine.
expect 2 '' 'takes one name' -- "$JENSEN" data fetch
expect 2 '' 'cannot be fetched' -- "$JENSEN" data fetch mnist
"$JENSEN" data fetch cifar10 --out x --url http://example.org/a >stdout.txt 2>stderr.txt
if [ $? -eq 1 ] && grep -q 'this build cannot' stderr.txt; then
    echo "skipped: downloads, this build cannot"
    finish
    exit
fi
expect 2 '' 'only https' -- "$JENSEN" data fetch cifar10 --out x --url http://example.org/a
expect 2 '' 'only https' -- "$JENSEN" data fetch cifar10 --out x --url file:///etc/passwd
expect 2 '' 'only https' -- "$JENSEN" data fetch cifar10 --out x --url http://127.0.0.1.example.org/
if ! command -v python3 >/dev/null; then
    echo "skipped: downloads, there is no python3"
    finish
    exit
fi
mkdir site && cd site || exit 1
python3 - <<'PY'
import io, os, tarfile
def tar(name, members):
    with tarfile.open(name, "w:gz", format=tarfile.GNU_FORMAT) as t:
        for path, data, kind in members:
            info = tarfile.TarInfo(path); info.type = kind; info.linkname = "/etc/passwd"
            if kind == tarfile.REGTYPE: info.size = len(data)
            t.addfile(info, io.BytesIO(data) if kind == tarfile.REGTYPE else None)
R = tarfile.REGTYPE
record = bytes([3]) + os.urandom(3072)
good = [("cifar-10-batches-bin/%s.bin" % n, record * 4, R) for n in
        ["test_batch"] + ["data_batch_%d" % i for i in range(1, 6)]]
tar("good.tar.gz", good)
parents = ["../" * n + "evil%d" % n for n in range(1, 11)]
inside = ["a/" * n + "../" * (n + 1) + "evil" for n in range(1, 11)]
odd = ["/tmp/jensen-evil", "/etc/jensen-evil", "//jensen-evil", "\\evil", "a/../..", "..", "./..",
       "a/./../../evil", "evil\n", "e\x01vil", "\x7fevil", "ev\x1b[2Jil", "x/" + "y" * 5000,
       "z/" * 2500 + "evil", ".../../../evil", "a//..//..//evil", "~/../../evil", "a/..", "../.", "../../"]
hostile = [(n, b"evil", R) for n in parents + inside + odd]
hostile += [("../link", b"", tarfile.SYMTYPE), ("/link", b"", tarfile.LNKTYPE),
            ("../device", b"", tarfile.CHRTYPE), ("../pipe", b"", tarfile.FIFOTYPE),
            ("../folder", b"", tarfile.DIRTYPE), ("/abs", b"", tarfile.DIRTYPE),
            ("a/../../folder", b"", tarfile.DIRTYPE), ("../block", b"", tarfile.BLKTYPE),
            ("caf\udce9/evil", b"evil", R), ("\udcff\udcfe", b"evil", R)]
assert len(hostile) >= 50, len(hostile)
for i, member in enumerate(hostile):
    tar("hostile%02d.tar.gz" % i, [member] + good)
# Links are passed over, so that nothing goes through them.
tar("links.tar.gz", [("cifar-10-batches-bin/data_batch_1.bin", b"", tarfile.SYMTYPE),
                     ("cifar-10-batches-bin/dir", b"", tarfile.LNKTYPE)] + good[:1])
PY
python3 "$(dirname "$SOURCE/tests/cli/x")/data_server.py" &
server=$!
trap 'kill $server; rm -rf "$work"' EXIT
for _ in $(seq 100); do [ -f port.txt ] && break; sleep 0.1; done
at=http://127.0.0.1:$(cat port.txt)
cd ..
sum=$(sha256sum site/good.tar.gz | cut -d' ' -f1)
expect 5 '' '404' -- "$JENSEN" data fetch cifar10 --out f --url "$at/none.tar.gz" --sha256 "$sum"
[ -z "$(ls f)" ] || { echo "FAILED: left behind: $(ls f)"; failures=$((failures + 1)); }
expect 3 '' 'is not the published file and was removed' -- "$JENSEN" data fetch cifar10 --out f --url "$at/good.tar.gz"
expect 5 '' '.' -- "$JENSEN" data fetch cifar10 --out f --url "$at/away/good.tar.gz" --sha256 "$sum"
rm -rf f
# Broken off, then continued from where it stopped; and from a server that cannot.
expect 5 '' '.' -- "$JENSEN" data fetch cifar10 --out f --url "$at/cut/good.tar.gz" --sha256 "$sum"
[ "$(stat -c %s f/cifar-10-binary.tar.gz.part)" = 1000 ] || { echo "FAILED: no part kept"; failures=$((failures + 1)); }
expect 0 '^cifar10:f/cifar-10-batches-bin$' '*' -- "$JENSEN" data fetch cifar10 --out f --url "$at/range/good.tar.gz" --sha256 "$sum"
[ "$(cat site/ranges.txt)" = 1000 ] || { echo "FAILED: not continued"; failures=$((failures + 1)); }
expect 0 'train +20 samples' '*' -- "$JENSEN" data info cifar10:f/cifar-10-batches-bin
[ "$(ls f)" = cifar-10-batches-bin ] || { echo "FAILED: left behind: $(ls f)"; failures=$((failures + 1)); }
expect 0 '^cifar10:f' 'already there' -- "$JENSEN" data fetch cifar10 --out f --url "$at/none"
rm -rf f
expect 5 '' '.' -- "$JENSEN" data fetch cifar10 --out f --url "$at/cut/good.tar.gz" --sha256 "$sum"
expect 0 '^cifar10:f' '*' -- "$JENSEN" data fetch cifar10 --out f --url "$at/good.tar.gz" --sha256 "$sum"

# Fifty archives with hostile members: refused, and nothing appears outside.
mkdir -p jail/in
find . -path ./site -prune -o -path ./jail/in -prune -o -type f -print | grep -v before | sort >before.txt
for archive in site/hostile*.tar.gz; do
    rm -rf jail/in
    "$JENSEN" data fetch cifar10 --out jail/in --url "$at/${archive#site/}" \
        --sha256 "$(sha256sum "$archive" | cut -d' ' -f1)" >h.out 2>h.err
    code=$?
    cases=$((cases + 1))
    [ $code -eq 3 ] || { echo "FAILED: $archive: exit $code"; cat h.err; failures=$((failures + 1)); }
done
find . -path ./site -prune -o -path ./jail/in -prune -o -type f -print | grep -vE '^./h\.|before|after' | sort >after.txt
diff before.txt after.txt || { echo "FAILED: written outside"; failures=$((failures + 1)); }
ls /tmp/jensen-evil /etc/jensen-evil 2>/dev/null && failures=$((failures + 1))
rm -rf jail/in
sum=$(sha256sum site/links.tar.gz | cut -d' ' -f1)
expect 0 'jail/in' '*' -- "$JENSEN" data fetch cifar10 --out jail/in --url "$at/links.tar.gz" --sha256 "$sum"
[ -z "$(find jail -type l)" ] || { echo "FAILED: a link was made"; failures=$((failures + 1)); }
finish
