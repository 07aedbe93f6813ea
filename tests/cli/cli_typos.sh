# Slips of the pen: the name that was meant, before anything else is said or made. What
# fails leaves nothing behind.
. "$(dirname "$0")/cli.sh"
mkdir "$work/empty" && cd "$work/empty" || exit 1
outside=$work

# slip MEANT COMMAND...: exit 2 (3 for data that might be a path), the first line of stderr
# offers MEANT, nothing on stdout, nothing made.
slip() {
    local meant=$1 code
    shift
    cases=$((cases + 1))
    "$JENSEN" "$@" >"$outside/stdout.txt" 2>"$outside/stderr.txt" </dev/null
    code=$?
    if [ "$code" -ne 2 ] && [ "$code" -ne 3 ]; then
        (cd "$outside" && complain "exit $code" "$@")
    elif ! head -1 "$outside/stderr.txt" | grep -qF "; did you mean '$meant'?"; then
        (cd "$outside" && complain "the first line does not offer '$meant'" "$@")
    elif [ -s "$outside/stdout.txt" ]; then
        (cd "$outside" && complain "something on stdout" "$@")
    elif [ -n "$(ls -A)" ]; then
        (cd "$outside" && complain "left behind: $(find . | head)" "$@")
        rm -rf ./* ./.[!.]*
    else
        return
    fi
    failures=$((failures + 1)) # complain() counted in a shell of its own
}

slip resnet18 train builtin --network resnt18
slip resnet18 train builtin --network ResNet18
slip width train builtin --network cnn:widht=3
slip gjs train builtin --loss gjss
slip gjs train builtin --loss GJS
slip pi1 train builtin --loss gjs:p1=0.5
slip ce train builtin --loss-noisy cee
slip sym train builtin --noise symm:rate=0.4
slip rate train builtin --noise sym:rat=0.4
slip flip train builtin --augment crop+flipp
slip strong train builtin --augment stron
slip cosine train builtin --schedule csine
slip cifar10/sym-40/gjs train builtin --recipe cifar10/sym-40/gj
slip builtin train builtn
slip size train builtin:sizes=5
slip folder train fodler:photos
slip folder train builtin --val fodler:photos
slip cuda train builtin --device cuad
slip lr train builtin --set lrr=1
slip network train builtin --net cnn
slip schedule train builtin --sched cosine
slip weight-decay train builtin --weight_decay 1
slip resnet18 train builtin --members 2 --network resnt18
slip resnet18 tune builtin --network resnt18
slip gjs sweep create s builtin --axis loss=ce,gsj
slip loss sweep create s builtin --axis losss=ce
slip flip sweep create s builtin --axis lr=1,2 --augment flpi
slip resnet18 bench step --network resnt18
slip resnet18 show networks resnt18
slip sgd bench step --optimizer sdg
slip gjs bench loss --loss gsj
slip sym noise builtin --noise symm --out labels.csv
slip js-ce-mae theory plot js-ce-ame --out f.svg
slip table1 repro tabel1
slip cifar10 data fetch cifra10
slip doctor doctr
slip bounds theory bonds
slip losses show losess
slip step bench setp
cd "$outside"

# What other programs call it.
expect 2 '' "no option 'batch-size'; did you mean 'batch'" -- "$JENSEN" train builtin --batch-size 64
expect 2 '' "no option 'learning-rate'; did you mean 'lr'" -- "$JENSEN" train builtin --learning-rate 0.1
expect 2 '' "no option 'model'; --help lists" -- "$JENSEN" doctor --model cnn
expect 2 '' "no device 'gpu'; did you mean 'cuda'" -- "$JENSEN" train builtin --device gpu

# Far from everything: what there is.
expect 2 '' "no network 'banana' \(there are: preactresnet34, resnet18," -- "$JENSEN" bench step --network banana
expect 2 '' "no loss named 'banana'; 'jensen show losses' lists them" -- "$JENSEN" train builtin --loss banana
expect 2 '' "jensen show: no subcommand 'banana'$" -- "$JENSEN" show banana

# A file of options holds options, not other files of them.
for key in config set; do
    printf 'data: builtin\n%s: other.yaml\n' $key >options.yaml
    expect 2 '' "options.yaml:2: $key: works only on the command line" -- "$JENSEN" train --config options.yaml
done

# A run that fails before it begins leaves no folder and no lock, and not its neighbours' either.
echo 'no weights' >text.txt
fails() { "$JENSEN" train builtin:size=60,test=20 --network mlp:width=4 --init text.txt -q "$@"; }
expect 3 '' 'text.txt: not a safetensors file' -- fails
expect 1 '' '' -- test -e runs
expect 3 '' 'text.txt: not a safetensors file' -- fails --out a/b/c/
expect 1 '' '' -- test -e a
mkdir -p kept/mine
expect 3 '' 'text.txt: not a safetensors file' -- fails --out kept/mine
expect 0 '^$' '' -- sh -c 'echo $(ls -A kept/mine)'
expect 3 '' 'text.txt: not a safetensors file' -- fails --out kept/other
expect 0 '^mine$' '' -- ls -A kept
finish
