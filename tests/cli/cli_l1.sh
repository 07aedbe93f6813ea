# --l1: the same bits after a kill and for any threads; other weights than without, the
# same with 0, also with the name of the run; recorded; refused where it is no number of its range.
. "$(dirname "$0")/cli.sh"

small=(train builtin:size=96 --network mlp:width=8 --noise sym:rate=0.4 --loss anl-ce --epochs 3 --batch 16
    --lr 0.02 --weight-decay 0 --consistency never --checkpoint-minutes 0 --threads 1 --workers 0 --json -q)
: >stdout.txt
: >stderr.txt

alone=$(sha --out alone --l1 1e-3)
same 'killed' "$alone" "$(killed killed --l1 1e-3)"
same 'threads and workers' "$alone" "$(sha --out threads --l1 1e-3 --threads 2 --workers 2)"
plain=$(sha --out plain)
other 'l1 does nothing' "$plain" "$alone"
other 'its size does nothing' "$(sha --out more --l1 2e-3)" "$alone"
same 'an l1 of 0' "$plain" "$(sha --out zero --l1 0)"
expect 0 'l1: 0.001' '' -- cat alone/config.yaml
expect 0 '*' '*' -- "$JENSEN" train --config alone/config.yaml --out again -q
expect 2 '' '--l1' -- "$JENSEN" "${small[@]}" --out alone --l1 2e-3
expect 2 '' 'l1' -- "$JENSEN" train builtin:size=96 --l1 -1
expect 2 '' 'l1' -- "$JENSEN" train builtin:size=96 --l1 nan
finish
