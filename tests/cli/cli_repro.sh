# The paper's results by name: listed, refused with a sentence, run at a tiny scale,
# continued with another seed, written in every format.
# labels: slow
. "$(dirname "$0")/cli.sh"

expect 0 '^table13 ' '' -- "$JENSEN" repro
expect 0 '^\[\{"name":"table1","title":"[^"]+","runs":true\},.*"runs":false.*\]$' '' -- "$JENSEN" repro --json
expect 0 'Table 11' '' -- "$JENSEN" repro table11
expect 0 'gjs .*\| pi1=0.3' '' -- "$JENSEN" repro table7
expect 0 '<svg' '' -- "$JENSEN" repro fig2
expect 0 '<svg' '' -- "$JENSEN" repro fig8 --format svg
expect 2 '' 'fig2 is a figure: there is svg, no csv' -- "$JENSEN" repro fig2 --format csv
expect 2 '' 'table7 as svg: there are markdown, csv, latex, html and json' -- "$JENSEN" repro table7 --format svg
expect 2 '' "no result 'table14'; did you mean 'table1'" -- "$JENSEN" repro table14
expect 2 '' "no result 'banana' .there are: table1, .*, table13, fig1, .*, fig8" -- "$JENSEN" repro banana
expect 2 '' 'which data' -- "$JENSEN" repro table1
# Without --data a data set stands for what was fetched into this folder.
expect 3 '' "cifar-10-batches-bin is not in this folder: 'jensen data fetch cifar10' downloads it, --data cifar10:PATH" -- \
    "$JENSEN" repro table1 --dataset cifar10 --show
expect 2 '' 'which data. --data webvision:PATH' -- "$JENSEN" repro table2 --dataset webvision
mkdir cifar-10-batches-bin && : >cifar-10-batches-bin/test_batch.bin
expect 0 'not run' '^data: cifar10:cifar-10-batches-bin$' -- "$JENSEN" repro table1 --dataset cifar10 --show
expect 0 '^\{"caption":"[^"]*oise[^"]*".*"rows":\[\{"row":"CE","column":"no noise","ours":null,"n":0,"paper":95.77,' '*' -- "$JENSEN" repro table1 --dataset cifar10 --show --json
expect 2 '' '--json is --format json, not --format csv' -- "$JENSEN" repro table1 --dataset cifar10 --show --json --format csv
rm -r cifar-10-batches-bin

if "$JENSEN" doctor | grep -E '^ *SQLite' | grep -qE '[0-9]+\.[0-9]+'; then
    # The name of a study is a hash of what changes results; threads and jobs do not.
    # printf 'data=cifar10:a.tar\nsubset=10000\nnetwork=cnn\nepochs=20' | sha256sum
    # The data is not there, so nothing is run; with --show nothing is made either.
    scaled=(--data cifar10:a.tar --network cnn --subset 10000 --epochs 20
        --store "sqlite:///$work/names.db")
    expect 0 'not run' '' -- "$JENSEN" repro table1 --dataset cifar10 "${scaled[@]}" --show
    expect 2 '' 'changes nothing' -- "$JENSEN" repro table1 --dataset cifar10 "${scaled[@]}" --show --retry-failed
    expect 1 '' '' -- test -e names.db
    expect 3 '' 'a\.tar' -- "$JENSEN" repro table1 --dataset cifar10 "${scaled[@]}"
    expect 3 '' 'a\.tar' -- "$JENSEN" repro table1 --dataset cifar10 "${scaled[@]}" --threads 3
    expect 0 '^repro-table1-cifar10-6adbbd6e: [0-9]+ trials: 0 complete' '' -- \
        "$JENSEN" sweep status --store "sqlite:///$work/names.db"
    cp stdout.txt studies.txt
    expect 0 '^1$' '' -- grep -c '^repro-' studies.txt
    # Recipes and printed numbers are those of the data: 65.74 is CIFAR-100's, 91.63 CIFAR-10's.
    expect 0 'Table 1: .*\. cifar100, ' '' -- "$JENSEN" repro table1 --data cifar100:a.tar --show --store kinds.db
    cp stdout.txt kind.txt
    expect 0 'CE .*65\.74' '' -- cat kind.txt
    expect 1 '' '' -- grep '91\.63' kind.txt
    expect 0 'Table 3: .*\. cifar10, .*are for CIFAR-100' '' -- "$JENSEN" repro table3 --data cifar10:a.tar --show --store kinds.db
    expect 2 '' 'dataset cifar10, but the data is cifar100' -- \
        "$JENSEN" repro table1 --data cifar100:a.tar --dataset cifar10 --show --store kinds.db
    tiny=(--data builtin:size=200 --network mlp:width=16 --batch 16 --epochs 1 --threads 1 -q)
    expect 2 '' 'no runs on' -- "$JENSEN" repro table1 --dataset webvision "${tiny[@]}"
    expect 2 '' "no run of table3 on cifar100 .*'table3/js'" -- "$JENSEN" repro table3 "${tiny[@]}" --only jss
    # What a table compares cannot be the same for all its rows or columns.
    for wrong in 'table1 --loss gjs' 'table1 --noise sym:rate=0.2' 'table4 --loss-noisy ce' \
        'fig5 --views 2' 'table5 --augment none'; do
        expect 2 "" "the runs of ${wrong%% *} differ in it" -- \
            "$JENSEN" repro $wrong "${tiny[@]}"
    done
    expect 0 'augment=none' '' -- "$JENSEN" repro table3 "${tiny[@]}" --show --augment none --store a.db
    expect 0 'not run' '' -- "$JENSEN" repro table3 "${tiny[@]}" --show --seeds 3
    expect 3 '' 'database does not exist' -- "$JENSEN" sweep status --json
    expect 2 '' 'fig5 as svg: there are markdown' -- "$JENSEN" repro fig5 "${tiny[@]}" --show --format svg
    expect 2 '' 'posteriors' -- "$JENSEN" repro table8 "${tiny[@]}"
    expect 2 '' 'posteriors' -- "$JENSEN" repro table8 "${tiny[@]}" --show
    # Rows beside the paper's: run where the paper's are, with the recipe of CE, and shown on demand.
    add=("${tiny[@]}" --dataset cifar10 --store "sqlite:///$work/add.db" --runs add --only sym-40/gjs)
    expect 2 '' "no loss named 'cee'; did you mean 'ce'" -- "$JENSEN" repro table1 "${add[@]}" --add-loss ce,cee
    expect 2 '' 'the rows of fig4 are not losses' -- "$JENSEN" repro fig4 "${tiny[@]}" --add-loss ce
    expect 0 'Added rows .* of CE' '*' -- "$JENSEN" repro table1 "${add[@]}" --add-loss 'sce:alpha=0.2,beta=1,1*nce+1*mae'
    expect 0 '^2 3$' '' -- sh -c 'cat add/*/*/config.yaml | awk "/^lr: 0.05/ { lr++ } /^loss: .?(gjs|sce:alpha=0.2,beta=1|1.nce.1.mae)/ { loss++ } END { print lr, loss }"'
    "$JENSEN" repro table1 "${add[@]}" --show --format csv --add-loss 'sce:alpha=0.2,beta=1,1*nce+1*mae' >added.csv
    expect 0 '^"?sce:alpha=0.2,beta=1"?,symmetric 40%,[0-9.]+,.*1,' '' -- cat added.csv
    expect 0 '^1\*nce\+1\*mae,symmetric 40%,[0-9.]+,' '' -- cat added.csv
    expect 0 '^CE,symmetric 40%,,' '' -- cat added.csv # no run of another row is CE's
    expect 0 '^14$' '' -- grep -cE '^("sce|1.nce)' added.csv
    expect 1 '' '' -- sh -c '"$@" | grep "1.nce"' x "$JENSEN" repro table1 "${add[@]}" --show --format csv
    # Noise from another source is another study, not further runs of the same cells.
    eight=("${tiny[@]}" --store "sqlite:///$work/eight.db")
    expect 0 'noise-from=from=one' '' -- "$JENSEN" repro table8 "${eight[@]}" --show --noise-from from=one
    for from in one two two; do
        expect 3 '' "$from" -- "$JENSEN" repro table8 "${eight[@]}" --noise-from from=$from
    done
    expect 2 '' 'holds 2 studies' -- "$JENSEN" sweep status --store "sqlite:///$work/eight.db"
    expect 0 'scaled down; data=builtin:size=200, .*epochs=1' 'study repro-table3' -- \
        "$JENSEN" repro table3 "${tiny[@]}" --only js
    expect 0 'GJS  .*\| +2 \| +74.30' '*' -- \
        "$JENSEN" repro table3 "${tiny[@]}" --seeds 2 --out results
    for file in table3-cifar100.md table3-cifar100.csv table3-cifar100.tex table3-cifar100.html table3-cifar100.study.html; do
        cases=$((cases + 1))
        [ -s "results/$file" ] || complain "results/$file is missing" repro
    done
    expect 0 'booktabs|toprule' '' -- cat results/table3-cifar100.tex
    expect 0 'href="[^"]*trial-00005/report.html">5</a>' '' -- cat results/table3-cifar100.study.html
    expect 0 'Figure 6' '*' -- "$JENSEN" repro fig6 "${tiny[@]}" --out results
    expect 0 'consistency, wrong labels' '' -- cat results/fig6-cifar100.svg
    # Bars: studies of the other data set with the same options are a panel too.
    bars=(--network mlp:width=16 --batch 16 --threads 1 -q --only sym-40/ce,sym-40/gjs --out)
    expect 0 'not run' '*' -- "$JENSEN" repro table1 --dataset cifar10 --data builtin:size=200 --epochs 1 "${bars[@]}" alone
    expect 0 'under label noise: CIFAR-10<' '' -- cat alone/table1-cifar10.svg
    expect 0 'not run' '*' -- "$JENSEN" repro table1 --dataset cifar100 --data builtin:size=240 --epochs 2 "${bars[@]}" apart
    expect 0 'under label noise: CIFAR-100<' '' -- cat apart/table1-cifar100.svg
    expect 1 '' '' -- grep -E '>CIFAR-10+</text>' apart/table1-cifar100.svg
    expect 0 'not run' '*' -- "$JENSEN" repro table1 --dataset cifar100 --data builtin:size=240 --epochs 1 "${bars[@]}" both
    for file in table1-cifar100.svg table1-cifar100.html; do
        expect 0 '^>CIFAR-10</text> >CIFAR-100</text> $' '' -- \
            bash -c "grep -oE '>CIFAR-10+</text>' both/$file | tr '\n' ' '"
    done
    # Two data sets share a folder.
    expect 0 'Table 1: ' '*' -- "$JENSEN" repro table1 --dataset cifar10 --data builtin:size=200 --epochs 1 "${bars[@]}" both
    for set in cifar10 cifar100; do
        for kind in md csv tex html svg study.html; do
            expect 0 '' '' -- test -s "both/table1-$set.$kind"
        done
        expect 0 "noise\\. $set, " '' -- cat "both/table1-$set.md"
        expect 0 "repro-table1-$set-" '' -- cat "both/table1-$set.study.html"
    done
    expect 0 'study repro-table1-cifar10-[0-9a-f]{8}, 2 finished runs' '' -- cat both/table1-cifar100.svg
    # Asymmetric noise has no map for these classes: its runs fail, and it is said everywhere.
    failing=(repro table1 --data builtin:size=100,test=40 --dataset cifar10 --network mlp:width=8 --batch 20 --epochs 1
        --threads 1 -q --only sym-40/ce,asym-40/ce)
    expect 1 'CE .*\| +2 failed \|' '^jensen repro: 2 of 4 runs failed: .*--failures' -- \
        "$JENSEN" "${failing[@]}" --seeds 2 --out failed
    cp stdout.txt failed.txt
    expect 0 'per cell\. 2 runs failed;' '' -- cat failed.txt
    expect 0 'CE +\| asymmetric 40% +\| +2 failed \| +0 \|' '' -- cat failed.txt
    expect 0 '^CE,asymmetric 40%,,,0,.*,2$' '' -- cat failed/table1-cifar10.csv
    expect 0 'neither those of CIFAR-10 nor' '' -- cat failed/table1-cifar10.study.html
    expect 1 '' '' -- grep 'is not there' failed/table1-cifar10.study.html
    expect 0 '2 failed' '^2 of 4 runs failed' -- "$JENSEN" "${failing[@]}" --show
    # The rows of Figure 1 are noise rates: none is the best.
    expect 0 'per cell\. ~: near chance' 'study repro-fig1' -- "$JENSEN" repro fig1 "${tiny[@]}"
    cp stdout.txt fig1.txt
    expect 1 '' '' -- grep -E 'bold|^\|.*\*\*' fig1.txt
else
    echo "skipped: a build without SQLite runs no studies"
fi
finish
