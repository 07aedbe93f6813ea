# A loss of one's own: written, compiled by the line that is printed, checked, trained with
# and continued; never loaded because a file says so; refused when it is not what it seems.
. "$(dirname "$0")/cli.sh"
if ! command -v cc >/dev/null; then
    echo "skipped: no cc to compile a plugin with"
    exit 0
fi
tiny="--network mlp:width=16 --device ref --batch 10 --epochs 3 --threads 1 --workers 0 --augment none"
data=builtin:size=60,test=20

expect 0 '^cc .* myloss.c -o myloss.so -lm$' 'plugin ./myloss.so --loss myloss' -- "$JENSEN" plugin new myloss
cp stdout.txt line
expect 2 '' "'myloss.c' is there already" -- "$JENSEN" plugin new myloss
expect 2 '' 'small letters' -- "$JENSEN" plugin new ../evil
expect 2 '' "has a loss 'gjs', whose name no plugin can have; choose another, such as my_gjs" -- "$JENSEN" plugin new gjs
[ ! -e gjs.c ] || complain "a refused name has left a source" plugin
expect 2 '' 'which name' -- "$JENSEN" plugin new
expect 0 '' '' -- sh -e line
# as strict a compiler as the tree's own
expect 0 '' '' -- sh -c "$(sed 's/-O2/-O2 -std=c11 -Wall -Wextra -Wpedantic -Werror/' line)"

# It is CUDA C++ as well, with one kernel: what a GPU compiles.
if command -v nvcc >/dev/null; then
    cuda=$(sed 's/^cc .* -shared/nvcc -cubin -std=c++17 -arch=sm_80 -Xcudafe --diag_suppress=177/; s/myloss.c.*/-x cu myloss.c -o k/' line)
    expect 0 '' '' -- sh -c "$cuda"
    expect 0 '^1$' '' -- sh -c "grep -ao '\.text\._Z[0-9A-Za-z_]*jsni_cuda_clip_args' k | sort -u | wc -l"
fi

# It is gce under another name: the same value, in double to the bit.
python3 - <<'END'
import struct
def npy(path, kind, shape, code, numbers):
    head = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (kind, shape)
    head = head.ljust(117) + "\n"
    open(path, "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack("<%d%s" % (len(numbers), code), *numbers))
npy("z.npy", "<f8", "(2, 3)", "d", [0.5, -1, 2, 3, 0.25, -40])
npy("y.npy", "<i4", "(2,)", "i", [0, 2])
END
"$JENSEN" loss gce:q=0.4 --logits z.npy --labels y.npy --grad a --json >want
expect 0 '^ok$' '' -- sh -c "'$JENSEN' loss myloss:q=0.4 --plugin ./myloss.so --logits z.npy --labels y.npy --grad b --json | cmp - want && cmp a0.npy b0.npy && echo ok"
expect 0 'ok +gradient' '' -- "$JENSEN" loss myloss --plugin ./myloss.so --check
expect 0 '"passed":true' '' -- "$JENSEN" loss 2*myloss:q=0.9+mae --plugin ./myloss.so --check --json
expect 2 '' 'q .*(lie|between|must)|outside' -- "$JENSEN" loss myloss:q=7 --plugin ./myloss.so --check
expect 2 '' "no loss named 'myloss'" -- "$JENSEN" loss myloss --check
expect 2 '' 'makes its own logits' -- "$JENSEN" loss ce --check --logits z.npy
# A wrong sign, a wrong factor, and what does not depend on differences alone.
for wrong in 's/= -jsni_exp/= jsni_exp/' 's/= -jsni_exp/= R(-1.0001) * jsni_exp/' 's/return /return R(0) \/ (q - q) + /'; do
    sed "$wrong" myloss.c >wrong.c
    sh -e <<<"$(sed 's/myloss/wrong/g' line)"
    expect 1 '^FAILED gradient beside' 'checks failed' -- "$JENSEN" loss myloss --plugin ./wrong.so --check
done

# A run keeps the plugin's SHA-256, and is continued with that alone; a kill changes nothing.
run=("$JENSEN" train $data $tiny --loss myloss:q=0.4)
expect 0 '*' '*' -- "${run[@]}" --plugin ./myloss.so --out whole
expect 0 "^plugin-sha256: .?$(sha256sum <myloss.so | cut -c 1-64).?\$" '' -- cat whole/config.yaml
expect 75 '*' '*' -- timeout -s TERM 20 sh -c '"$@" & pid=$!; while [ ! -s part/metrics.jsonl ]; do sleep 0.02; done; kill -TERM $pid; wait $pid' \
    x "${run[@]}" --epochs 3000 --plugin ./myloss.so --out part
expect 2 '' "from a plugin: --plugin FILE.so, the file with the SHA-256 [0-9a-f]{64}" -- "$JENSEN" train --config whole/config.yaml --out other
expect 0 '*' 'is finished' -- "$JENSEN" train --config whole/config.yaml --plugin ./myloss.so --out whole
sed 's/return /return R(1) * /' myloss.c >second.c
sh -e <<<"$(sed 's/myloss/second/g' line)"
expect 2 '' 'plugin-sha256' -- "${run[@]}" --plugin ./second.so --out whole
expect 2 '' 'needs a plugin with the SHA-256' -- "$JENSEN" train --config whole/config.yaml --plugin ./second.so --out whole
sed 's/"myloss"/"another"/' myloss.c >another.c
sh -e <<<"$(sed 's/myloss/another/g' line)"
expect 2 '' "comes from jensen itself" -- "$JENSEN" train $data $tiny --loss ce --plugin ./another.so --plugin-sha256 1234 --out other
# Nothing that looks at a finished run needs the loss.
expect 0 'accuracy' '*' -- "$JENSEN" eval whole $data
expect 0 '' '' -- test ! -e other

# A stranger's file loads no code.
sed 's/^JSNI_LOSS_DEFINE/__attribute__((constructor)) static void mark(void) { FILE *f = fopen("owned", "w"); if (f) fclose(f); }\n&/; 1i #include <stdio.h>' myloss.c >spy.c
sh -e <<<"$(sed 's/myloss/spy/g' line)"
printf 'data: %s\nloss: myloss\nplugin: ./spy.so\n' $data >c.yaml
printf 'data: %s\nloss: myloss\nplugin: ./spy.so\naxes:\n  lr: [0.1, 0.2]\n' $data >s.yaml
expect 2 '' 'c.yaml:3: plugin: .*only on the command line' -- "$JENSEN" train --config c.yaml
expect 2 '' 'plugin: .*only on the command line' -- "$JENSEN" train $data --set plugin=./spy.so
expect 2 '' "s.yaml:3: .*plugin" -- "$JENSEN" sweep create s --file s.yaml
expect 2 '' "plugin" -- "$JENSEN" sweep create s $data --axis plugin=./spy.so
expect 2 '' "plugin" -- "$JENSEN" sweep create s $data --plugin ./spy.so --axis lr=0.1,0.2
expect 2 '' "plugin" -- "$JENSEN" tune $data --plugin ./spy.so
sed 's/^plugin-sha256.*/plugin: .\/spy.so/' whole/config.yaml >run.yaml
expect 2 '' 'only on the command line' -- "$JENSEN" train --config run.yaml
expect 0 '' '' -- test ! -e owned
expect 0 'ok' '' -- "$JENSEN" loss myloss --plugin ./spy.so --check
expect 0 '' '' -- test -e owned

# What is no plugin, or not one for this jensen.
expect 3 '' 'none.so: .*No such file' -- "$JENSEN" loss x --plugin ./none.so --check
: >empty.so
expect 2 '' 'empty.so: is not a shared object' -- "$JENSEN" loss x --plugin ./empty.so --check
cp myloss.c text.so
expect 2 '' 'text.so: is not a shared object' -- "$JENSEN" loss x --plugin text.so --check
head -c 3000 myloss.so >cut.so
expect 2 '' 'cut.so: .*cut off' -- "$JENSEN" loss x --plugin cut.so --check
echo 'int nothing;' >nothing.c && cc -fPIC -shared nothing.c -o nothing.so
expect 2 '' 'nothing.so: has no jsni_loss_plugin_record' -- "$JENSEN" loss x --plugin nothing.so --check
# bad NAME SED SENTENCE: a plugin whose record was changed before it was compiled.
bad() {
    sed "s/JSNI_LOSS_DEFINE(.*/static const jsni_plugin_record right = {JSNI_PLUGIN_HEAD, \"bad\", \"s\", myloss_params, 1, 0, 0, myloss_row};/; /JSNI_ONE_VIEW/,\$d" myloss.c >$1.c
    cat >>$1.c <<END
extern jsni_plugin_record jsni_loss_plugin_record;
jsni_plugin_record jsni_loss_plugin_record;
__attribute__((constructor)) static void fill(void) {
    jsni_plugin_record r = right;
    $2;
    jsni_loss_plugin_record = r;
}
END
    sh -e <<<"$(sed "s/myloss/$1/g" line)"
    expect 2 '' "$1.so: .*$3" -- "$JENSEN" loss bad --plugin ./$1.so --check
}
bad magic 'r.head.magic[0] = 0' 'is not a loss for jensen'
bad version 'r.head.version = 7' 'was compiled for version 7 of plugins'
bad record 'r.head.record_bytes -= 8' 'its records have'
bad row 'r.head.row_bytes += 8' 'its records have'
bad grad 'r.head.grad_bytes += 8' 'its records have'
bad name 'r.name = 0' 'needs a name'
bad long 'r.name = "abcdefghijklmnopqrstuvwxyzabcdefghijkl"' 'needs a name'
bad plus 'r.name = "a+b"' 'needs a name'
bad taken 'r.name = "gce"' "jensen has a loss 'gce' itself"
bad code 'r.row = 0' 'a row'
bad kind 'r.kind = JSNI_ROOT' 'is of the kind'
bad prepare 'r.prepares = 1' 'prepare is NULL'
bad many 'r.param_count = 1000' 'at most 5 parameters'
bad null 'r.params = 0' 'at most 5 parameters'
bad bounds 'static jsn_param_info p = {"q", "h", 5, 0, 1, JSN_PARAM_REAL}; r.params = &p' 'parameter 1 needs'
finish
