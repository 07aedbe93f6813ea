# Help, version, unknown commands and options, doctor.
. "$(dirname "$0")/cli.sh"

expect 0 'usage: jensen COMMAND' '' -- "$JENSEN" --help
expect 2 '' 'usage: jensen COMMAND' -- "$JENSEN"
expect 0 '^jensen [0-9]+\.[0-9]+\.[0-9]+$' '' -- "$JENSEN" --version
expect 2 '' "no command 'trian'; did you mean 'train'" -- "$JENSEN" trian
expect 2 '' "no command 'shwo'; did you mean 'show'" -- "$JENSEN" shwo losses
expect 2 '' "no command 'banana'; 'jensen --help' lists them" -- "$JENSEN" banana
expect 2 '' "no command 'xy'; 'jensen --help' lists them" -- "$JENSEN" xy
expect 2 '' 'options come behind the command: jensen COMMAND -q' -- "$JENSEN" -q train builtin
expect 0 'usage: jensen COMMAND' '' -- "$JENSEN" help
expect 0 '^usage: jensen train DATA' '' -- "$JENSEN" help train
expect 0 '^usage: jensen data info DATA' '' -- "$JENSEN" help data info
expect 0 '^usage: jensen show SUBCOMMAND' '' -- "$JENSEN" help show
expect 2 '' "no command 'trian'; did you mean 'train'" -- "$JENSEN" help trian
expect 0 'cores' '' -- "$JENSEN" doctor
expect 0 '"cores":[0-9]+' '' -- "$JENSEN" doctor --json
expect 0 '"instruction_sets":\{.*"gpu":\{.*"folders":\[.*"libraries":\{' '' -- "$JENSEN" doctor --json
# Weights, data and ONNX Runtime, there and missing.
expect 0 'none; .make weights. and .jensen weights fetch' '' -- "$JENSEN" doctor
expect 0 "cifar10 +missing; 'jensen data fetch cifar10'" '' -- "$JENSEN" doctor
mkdir -p cifar-10-batches-bin && : >cifar-10-batches-bin/test_batch.bin
expect 0 'cifar10 +cifar-10-batches-bin$' '' -- "$JENSEN" doctor
expect 0 '"weights":\[\],"data":\[\{"name":"cifar10","path":"cifar-10-batches-bin","exists":true\}' '' -- "$JENSEN" doctor --json
expect 0 'ONNX Runtime +missing +export --check' '' -- env JENSEN_ONNXRUNTIME=/nowhere "$JENSEN" doctor
expect 0 '"ONNX Runtime":null' '' -- env JENSEN_ONNXRUNTIME=/nowhere "$JENSEN" doctor --json
expect 0 "weights +$work/.cache/weights, not there" '' -- "$JENSEN" doctor
expect 0 'the cache is off' '' -- env JENSEN_CACHE=off "$JENSEN" doctor
expect 0 '^\.TH JENSEN 1' '' -- "$JENSEN" --print-man
expect 0 'complete .*-F _jensen jensen' '' -- "$JENSEN" --print-completion
expect 0 "--format\) choices='onnx pytorch safetensors' " '' -- "$JENSEN" --print-completion
expect 0 'one of: onnx, pytorch, safetensors' '' -- "$JENSEN" export --help
expect 0 'options:' '' -- "$JENSEN" doctor --help
expect 2 '' "did you mean 'json'" -- "$JENSEN" doctor --jsn
expect 2 '' "no option 'jumbo'; --help lists them" -- "$JENSEN" doctor --jumbo
expect 2 '' "no option 'resume'; the same command as before continues" -- "$JENSEN" train builtin --resume
expect 2 '' "no option 'resume'; --help lists them" -- "$JENSEN" eval a b --resume
expect 2 '' "no option 'z'; --help lists them" -- "$JENSEN" train builtin -z
expect 2 '' "no option 'lr'; --help lists them" -- "$JENSEN" tune builtin --lr 1
expect 2 '' "did you mean 'weight-decay'" -- "$JENSEN" train builtin --wieght-decay 1
expect 2 '' "no argument 'x'" -- "$JENSEN" doctor x
# Bounds that one may come near are in the help and in the man page, as the table has them.
help() { "$JENSEN" "$@" | tr '\n' ' ' | tr -s ' '; }
expect 0 '\-\-scaled-decode X [^-]*\(0 to 1\b' '' -- help train --help
expect 0 '\-\-views N [^-]*\(1 to 16\)' '' -- help train --help
expect 0 '\-\-momentum X [^-]*\(0 to 0.999999, default: 0.9\)' '' -- help train --help
expect 0 '\-\-batch N samples per step -' '' -- help train --help
expect 0 '1 to 16' '' -- help --print-man
if [ -w /dev/full ]; then
    expect 1 '*' 'cannot be written' -- sh -c "exec '$JENSEN' doctor >/dev/full"
fi
# The harness itself must notice a wrong exit code and a wrong output.
probe=$(failures=0 && expect 3 '' '' -- true; echo "$failures")
case $probe in *1) ;; *) echo "FAILED: expect() accepts a wrong exit code"; failures=1 ;; esac
probe=$(failures=0 && expect 0 'yes' '' -- echo no; echo "$failures")
case $probe in *1) ;; *) echo "FAILED: expect() accepts wrong output"; failures=1 ;; esac
# The tables for machines.
for table in losses networks recipes datasets noise augment; do
    expect 0 '^ok$' '' -- sh -c "'$JENSEN' show $table --json | python3 -c '
import json, sys
for line in sys.stdin:
    assert json.loads(line)
print(\"ok\")'"
done
expect 0 '"name":"cifar10/sym-40/gjs".*"lr":"0.1"' '' -- "$JENSEN" show recipes cifar10/sym-40/gjs --json
expect 2 '' 'no recipe' -- "$JENSEN" show recipes nothing --json
finish
