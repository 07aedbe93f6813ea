# scripts/all_losses.py: its plan names losses that exist, pieces go on where they stopped, the table is
# made from the files of runs. A stand-in for the program trains, since the real runs take hours. At the end
# the program itself trains rows on a few images, as a study and alone.
# labels: once
. "$(dirname "$0")/cli.sh"
script=$SOURCE/scripts/all_losses.py

perl -e 'print "\x93NUMPY\x01\x00v\x00{\x27descr\x27: \x27<f8\x27, \x27fortran_order\x27: False, \x27shape\x27: (1, 3), }",
    " " x 58, "\n", pack("d<*", 0.5, -1, 2)' >z.npy
perl -e 'print "\x93NUMPY\x01\x00v\x00{\x27descr\x27: \x27<i8\x27, \x27fortran_order\x27: False, \x27shape\x27: (1,), }",
    " " x 60, "\n", pack("q<", 0)' >y.npy
expect 0 '^gjs  .*--lr 0.1' '' -- python3 -B "$script" list
mapfile -t specs < <(awk '{ print $2 }' stdout.txt | sort -u)
for spec in "${specs[@]}"; do
    expect 0 '^-?[0-9]' '' -- "$JENSEN" loss "$spec" --logits z.npy --labels y.npy
done

# The stand-in refuses js, is stopped once in ce, and finishes all others.
cat >program <<'END'
#!/usr/bin/env bash
out=
for word; do
    [ "$last" != --out ] || out=$word
    last=$word
done
case $out in
*/js) echo "jensen train: no such loss here" >&2 && exit 2 ;;
*/ce) [ -e stopped ] || { touch stopped && exec sleep 60; } ;;
esac
mkdir -p "$out"
echo "$*" >"$out/words.txt"
printf 'batch: 32\nviews: 2\n' >"$out/config.yaml"
printf '{"images_per_second":1}\n{"images_per_second":6400}\n' >"$out/metrics.jsonl"
echo '{"test_acc":0.5,"consistency":0.25}' >"$out/result.json"
touch "$out/model.safetensors"
END
chmod +x program
all() { python3 -B "$script" run all cpu data "$@" --jensen ./program; }
expect 1 'no such loss here' '' -- all js gjs
expect 75 'ce: exit 75' '' -- all ce peer --seconds 1
expect 0 'peer: exit 0' '' -- all ce-warm-up ce peer
expect 0 '' '' -- all ce-warm-up ce peer gjs
expect 0 '.--epochs 20 .*--init all/cpu/ce-warm-up' '' -- cat all/cpu/peer/words.txt
expect 0 '^\| gjs .*\| \*\*50.00\*\* \| 25.00 \| 10.00 \|$' '' -- python3 -B "$script" table all
expect 0 '^\| js .*\| - \| - \| - \|$' '' -- python3 -B "$script" table all
expect 1 '' "no row nothing" -- all nothing

# What is collected is enough to make the table and to go on elsewhere.
mkdir -p other/all && tar -C other/all -xf all/collected.tar.xz
expect 0 'ce-warm-up/model.safetensors' '' -- tar tf all/collected.tar.xz
expect 1 '' '' -- grep -q gjs/model.safetensors stdout.txt
expect 0 '\*\*50.00\*\*' '' -- python3 -B "$script" table other/all

# Rows of the same options as a study, stopped once: the weights of single runs.
cat >slow <<'END'
#!/usr/bin/env bash
[ "$1 $2" != "sweep run" ] || [ -e again ] || { touch again && exec sleep 60; }
exec "$JENSEN" "$@"
END
cat >poor <<'END'
#!/usr/bin/env bash
[ "$1" != sweep ] || { echo "jensen sweep: built without SQLite" >&2 && exit 1; }
exec "$JENSEN" "$@"
END
chmod +x slow poor
export JENSEN
tiny() { python3 -B "$script" run "$1" cpu builtin:size=64,test=32 gjs poly taylor --epochs 2 "${@:2}"; }
expect 75 'poly taylor: exit 75' '' -- tiny study --together 2 --jensen ./slow --seconds 10
expect 0 'poly taylor: exit 0' '' -- tiny study --together 2 --jensen ./slow
expect 0 '' '' -- tiny study --together 2 --jensen ./slow
expect 0 'one by one: .*SQLite' '' -- tiny alone --together 2 --jensen ./poor
for name in gjs poly taylor; do
    expect 0 '' '' -- cmp {study,alone}/cpu/$name/model.safetensors
done
expect 1 '' '' -- cmp -s study/cpu/{poly,taylor}/model.safetensors
expect 0 '^2 complete' '*' -- "$JENSEN" sweep run --store sqlite:///study/cpu/studies.db
mkdir -p all/gpu && cp -r all/cpu/gjs all/gpu && printf '{"gjs": 8}' >all/gpu/together.json
expect 0 '^\| gjs .*\| 1.25 \(8\) \|$' '' -- python3 -B "$script" table all

finish
