# --mixup: the same bits after a kill, for any threads and workers; other weights than
# without; soft losses alone, and nothing that needs samples by themselves.
. "$(dirname "$0")/cli.sh"

small=(train builtin:size=96 --network mlp:width=8 --noise sym:rate=0.4 --epochs 3 --batch 16
    --lr 0.02 --consistency never --checkpoint-minutes 0 --threads 1 --workers 0 --json -q)
: >stdout.txt
: >stderr.txt

alone=$(sha --out alone --mixup 0.3)
same 'killed' "$alone" "$(killed killed --mixup 0.3)"
same 'threads and workers' "$alone" "$(sha --out threads --mixup 0.3 --threads 2 --workers 2)"
plain=$(sha --out plain)
other 'mixup does nothing' "$plain" "$alone"
other 'ALPHA does nothing' "$(sha --out more --mixup 2)" "$alone"
same 'an ALPHA of 0' "$plain" "$(sha --out zero --mixup 0)"
expect 0 '*' '*' -- "$JENSEN" "${small[@]}" --out weighted --mixup 1 --loss ce --class-weights balanced

t=(train builtin:size=96 --network mlp:width=8 -q --out never --mixup 0.2)
expect 2 '' 'soft targets, but --loss gce takes only labels' -- "$JENSEN" "${t[@]}" --loss gce
expect 2 '' 'remembers each by itself' -- "$JENSEN" "${t[@]}" --method elr
expect 2 '' 'tells them apart' -- "$JENSEN" "${t[@]}" --loss-noisy ce
expect 2 '' 'of mixed images' -- "$JENSEN" "${t[@]}" --record-posteriors 1
expect 2 '' 'mixup' -- "$JENSEN" train builtin:size=96 --mixup -1
finish
