# jensen noise: counts, files that are read back, refusals; show noise.
. "$(dirname "$0")/cli.sh"
data=builtin:size=200,test=0

expect 0 '"drawn":80,.*"nominal_rate":0.4,"real_rate":0\.[2-4][0-9]*' '' -- \
    "$JENSEN" noise $data --noise sym:rate=0.4 --seed 1 --out a.csv --matrix m.csv --json
expect 0 '^200$' '' -- sh -c "tail -n +2 a.csv | wc -l | tr -d ' '"
expect 0 '^path,given,noisy$' '' -- head -1 a.csv
expect 0 '^10$' '' -- sh -c "wc -l <m.csv | tr -d ' '"
# The file says what the command said.
changed=$(awk -F, 'NR > 1 && $(NF-1) != $NF' a.csv | wc -l | tr -d ' ')
expect 0 "\"changed\":$changed,.*\"nominal_rate\":null" '' -- \
    "$JENSEN" noise $data --noise file:a.csv --json
expect 0 '' '' -- sh -c "'$JENSEN' noise $data --noise file:a.csv --out b.csv >/dev/null"
expect 0 '' '' -- cmp a.csv b.csv
expect 0 '"drawn":200' '' -- "$JENSEN" noise $data --noise matrix:m.csv --json
expect 0 'real +40.00%' '' -- "$JENSEN" noise $data --noise sym-other:rate=0.4
expect 0 'real +20.00%' '' -- "$JENSEN" noise $data --noise asym:rate=0.2,mode=next
expect 0 'real +0.00%' '' -- "$JENSEN" noise $data --noise none

head -101 a.csv >half.csv
expect 3 '' '100 of 200 samples have no row' -- "$JENSEN" noise $data --noise file:half.csv
expect 0 '100 left for validation' '' -- "$JENSEN" noise $data --noise file:half.csv,missing=val
mkdir -p alone/only && printf 'P6 1 1 255\nabc' >alone/only/1.ppm
expect 3 '' "alone: one class only \('only'\); label noise needs at least two" -- "$JENSEN" noise alone
expect 2 '' 'mode=next' -- "$JENSEN" noise $data --noise asym:rate=0.2
expect 2 '' 'rate must lie in' -- "$JENSEN" noise $data --noise sym:rate=2
expect 2 '' "no model 'symm'" -- "$JENSEN" noise $data --noise symm
expect 2 '' 'posteriors=' -- "$JENSEN" noise $data --noise instance:type=1
expect 3 '' 'record-posteriors' -- "$JENSEN" noise $data --noise instance:from=runs/x
# A run's posteriors: by path from its folder as by number from its file.
"$JENSEN" train $data --network mlp:width=8 --loss ce --augment none --epochs 1 --batch 20 --val-fraction 0 \
    --record-posteriors 1 --device ref --threads 1 --workers 0 -q --out run >/dev/null 2>&1
spec=instance:type=1,factor=1
expect 0 'real +[0-9.]+%' '' -- "$JENSEN" noise $data --noise $spec,from=run --out f.csv
expect 0 'real +[0-9.]+%' '' -- "$JENSEN" noise $data --noise $spec,posteriors=run/posteriors.npy --out p.csv
expect 0 '' '' -- cmp f.csv p.csv
# A factor is printed with all its digits, so that it gives the same labels again.
expect 0 'factor +1\.234567890123456[78]$' '' -- \
    "$JENSEN" noise $data --noise instance:type=1,factor=1.2345678901234567,from=run
expect 3 '' 'no posterior for it' -- "$JENSEN" noise builtin:size=210,test=0 --noise $spec,from=run
expect 3 '' 'no.csv' -- "$JENSEN" noise $data --noise file:no.csv
expect 2 '' 'needs one data set' -- "$JENSEN" noise
printf 'path,good,bad\nx,0,1\n' >two.csv
expect 3 '' 'two.csv: 2 columns could be the labels; choose one with column=NAME .there are: good, bad' -- "$JENSEN" noise $data --noise file:two.csv
expect 3 '' 'gone.csv.xz: no such file of labels; --noise file:PATH names it' -- "$JENSEN" noise $data --noise file:gone.csv.xz
expect 1 '' 'no/such' -- "$JENSEN" noise $data --out no/such/x.csv
expect 0 'instance' '' -- "$JENSEN" show noise
expect 0 'path,given,noisy' '' -- "$JENSEN" noise --help
finish
