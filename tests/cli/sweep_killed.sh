# tests/cli/sweep_killed.sh - sourced after cli.sh: sweep_killed URL works a study of 60
# tiny runs off with four workers that are killed with -9 at random, and holds the result
# to a study worked off by one worker that nobody disturbs.

killed_status() { # the counts of study $1: waiting running complete pruned failed trials
    "$JENSEN" sweep status "$1" --json | tr -c '0-9\n' ' '
}

sweep_killed() {
    export JENSEN_STORE=$1
    local plan=(builtin:size=160,test=100 --network mlp:width=16 --batch 16 --epochs 2 --val-fraction 0.2
        --axis lr=0.01,0.02,0.05 --axis "loss=ce;gjs:pi1=0.3;gjs:pi1=0.5;js:pi1=0.5" --seeds 5)
    local pids=() i kills=0 last=0 at w r c p f n

    "$JENSEN" sweep create alone "${plan[@]}" >/dev/null 2>&1 &&
        "$JENSEN" sweep create killed "${plan[@]}" >/dev/null 2>&1 || return 1
    "$JENSEN" sweep worker alone --threads 1 -q >alone.log 2>&1 || cat alone.log

    work() { exec "$JENSEN" sweep worker killed --threads 1 --grace 1.5 --retries 50 --wait -q >>killed.log 2>&1; }
    for i in 0 1 2 3; do
        work &
        pids[i]=$!
    done
    RANDOM=4711
    for at in $(seq 400); do
        sleep "0.$((1 + RANDOM % 5))"
        read -r w r c p f n < <(killed_status killed)
        cases=$((cases + 1))
        if [ "$((w + r + c + p + f))" -ne 60 ] || [ "$n" -ne 60 ] || [ "$c" -lt "$last" ] ||
            [ "$r" -gt 60 ]; then
            complain "status at a moment: waiting $w, running $r, complete $c after $last, failed $f" status
        fi
        last=$c
        [ "$c" -eq 60 ] && break
        if [ "$kills" -lt 25 ]; then
            i=$((RANDOM % 4))
            kill -9 "${pids[i]}" 2>/dev/null && kills=$((kills + 1))
            wait "${pids[i]}" 2>/dev/null
            work &
            pids[i]=$!
        fi
    done
    for i in 0 1 2 3; do
        wait "${pids[i]}" || complain "a worker ended with $?" worker
    done
    echo "$kills kills"
    cases=$((cases + 1))
    [ "$kills" -ge 3 ] || complain "too few kills came in time" kills
    expect 0 '"running":0,"complete":60,"pruned":0,"failed":0,"trials":60' '' -- \
        "$JENSEN" sweep status killed --json

    # The same options, values and weights, trial by trial.
    for i in alone killed; do
        "$JENSEN" sweep export "$i" | cut -d, -f1-9 | sed 's/,[^,]*$//' >"$i.csv"
        for at in runs/"$i"/trial-*/result.json; do
            grep -o '"weights_sha256": *"[0-9a-f]*"' "$at"
        done >"$i.sha"
    done
    cases=$((cases + 1))
    [ "$(wc -l <killed.sha)" -eq 60 ] || complain "60 results, not $(wc -l <killed.sha)" results
    cmp -s alone.sha killed.sha || complain "other weights than the study left alone" weights
    cases=$((cases + 1))
    if ! cmp -s alone.csv killed.csv; then
        diff alone.csv killed.csv | head -5
        complain "other values than the study left alone" values
    fi
}
