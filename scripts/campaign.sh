#!/usr/bin/env bash
# scripts/campaign.sh JOBS [NAME ...] - what `make test` does with some hundred hostile inputs and faults, with
# thousands, JOBS at a time. Without names all of them:
#   runs      10,000 damaged run folders, read and continued, under ASan and UBSan   ($RUNS)
#   archives  1,000 hostile archives                                                 ($ARCHIVES)
#   images    2,000 hostile images                                                   ($IMAGES)
#   misuse    every public function called wrongly
#   memory    the n-th request for memory refused, at 1,000 points a command         ($POINTS)
#   io        the n-th call on a file failed or cut short, at 500 points of a run    ($CALLS)
#   kills     500 kills of train, sweep run and data convert                         ($KILLS)
#   bombs     memory and seconds of each bomb
# One line each goes to $OUT/done.txt (build/campaign), inputs of failures to $OUT/findings, what was said to
# $OUT/logs. The programs are those of build/dev and build/release, or below $PROGRAMS, and are not built here:
#   cmake --build build/dev --target mutate_runs hostile_open test_api_misuse
#   cmake --build build/release --target jensen_program fault_shim
set -u
jobs=${1:?campaign.sh JOBS [NAME ...]}
shift
SOURCE=$(cd "$(dirname "$0")/.." && pwd)
programs=${PROGRAMS:-$SOURCE/build}
out=${OUT:-$SOURCE/build/campaign}
dev=$programs/dev release=$programs/release
export SOURCE JENSEN=$release/jensen FAULT_SHIM=$release/tests/faults/libfault_shim.so
export HOSTILE_OPEN=$dev/tests/hostile/hostile_open HOSTILE_SANITIZED=1 HOSTILE_KEEP=$out/findings
mkdir -p "$out/findings" "$out/logs"
failed=0

# parts NAME TOTAL COMMAND...: JOBS of them at a time, each with its share of TOTAL and its number from 1 on as
# $share and $part; false when one of them fails. The logs are one after the other in $out/logs/NAME.log.
parts() {
    local name=$1 total=$2 part pids=() code=0
    shift 2
    for ((part = 1; part <= jobs; part++)); do
        share=$((total * part / jobs - total * (part - 1) / jobs)) part=$part "$@" \
            >"$out/logs/$name-$part.log" 2>&1 </dev/null &
        pids+=($!)
    done
    for part in "${pids[@]}"; do
        wait "$part" || code=1
    done
    cat "$out/logs/$name"-*.log >"$out/logs/$name.log"
    rm "$out/logs/$name"-*.log
    return $code
}
# say NAME CODE TEXT: the line of a campaign.
say() {
    local verdict=passed
    [ "$2" -eq 0 ] || { verdict=FAILED && failed=1; }
    echo "$1: $verdict: $3; $((SECONDS - began)) s" | tee -a "$out/done.txt"
}
# sum NAME WORDS: the numbers before WORDS in the lines of its log, added.
sum() { grep -oE "[0-9]+ $2" "$out/logs/$1.log" | awk '{ n += $1 } END { print n + 0 }'; }

mutate() {
    PATH=$traps/traps:$PATH "$dev/tests/fuzz/mutate_runs" "$share" $(((part - 1) * 1000000)) "$out/findings"
}
run_runs() {
    local code=0
    traps=$(mktemp -d)
    . "$SOURCE/tests/hostile/traps.sh" "$traps"
    parts runs "${RUNS:-10000}" mutate || code=1
    traps_sprung "$traps" >>"$out/logs/runs.log" && code=1
    rm -r "$traps"
    [ "$(sum runs cases)" -eq "${RUNS:-10000}" ] || code=1
    say runs $code "$(sum runs cases) damaged run folders: $(sum runs crashes) crashes, $(sum runs hangs) hangs, $(
        sum runs 'written outside') written outside, $(sum runs 'blamed') blamed on the command, $(
        grep -c 'a program was started' "$out/logs/runs.log") programs started"
}
hostile() { bash "$SOURCE/tests/hostile/run_hostile.sh" "$1" "$share" "$part"; }
run_hostile() {
    local code=0
    parts "$1" "$2" hostile "$1" || code=1
    [ "$(sum "$1" 'files: ')" -ge "$2" ] || code=1
    say "$1" $code "$(sum "$1" 'files: ') files: $(sum "$1" read) read, $(sum "$1" refused) refused, $(
        sum "$1" 'of them at a limit') of them at a limit, $(sum "$1" faults) faults, $(
        grep -c CRASH "$out/logs/$1.log") crashes, $(grep -c 'written outside' "$out/logs/$1.log") written outside, $(
        grep -c 'a program was started' "$out/logs/$1.log") programs started"
}
run_archives() { run_hostile archives "${ARCHIVES:-1000}"; }
run_images() { run_hostile images "${IMAGES:-2000}"; }
run_misuse() {
    ASAN_OPTIONS=allocator_may_return_null=1 "$dev/tests/api/test_api_misuse" >"$out/logs/misuse.log" 2>&1
    say misuse $? "$(sum misuse 'wrong calls') wrong calls of public functions"
}
run_memory() {
    local code=0
    FAULT_POINTS=${POINTS:-1000} FAULT_JOBS=$jobs bash "$SOURCE/tests/faults/faults_memory.sh" \
        >"$out/logs/memory.log" 2>&1 || code=1
    say memory $code "$(grep -E ' of [0-9]+ requests' "$out/logs/memory.log" | paste -sd ';' | sed 's/;/; /g'), $(
        grep -c ': request ' "$out/logs/memory.log") wrong"
}
run_io() {
    local code=0
    python3 -B "$SOURCE/tests/faults/walk.py" --only train --points "${CALLS:-500}" --jobs "$jobs" \
        >"$out/logs/io.log" 2>&1 || code=1
    say io $code "$(paste -sd ';' "$out/logs/io.log" | sed 's/;/; /g' | tail -c 300)"
}
kill_some() { KILLS=$share KILL_SEED=$part bash "$SOURCE/tests/faults/faults_kill.sh"; }
run_kills() {
    local code=0
    parts kills "${KILLS:-500}" kill_some || code=1
    [ "$(sum kills kills)" -ge "${KILLS:-500}" ] || code=1
    say kills $code "$(sum kills kills) kills, $(sum kills passed) checks passed, $(sum kills failed) failed"
}
run_bombs() {
    local code=0 table=$out/bombs.txt
    rm -f "$table"
    BOMB_TABLE=$table bash "$SOURCE/tests/cli/cli_limits.sh" >"$out/logs/bombs.log" 2>&1 || code=1
    awk -F '\t' '$2 + 0 > 5 { exit 1 }' "$table" || code=1
    say bombs $code "$(wc -l <"$table") commands, at most $(sort -n "$table" | tail -1 | cut -f1) and $(
        cut -f2 "$table" | sort -n | tail -1)"
}

[ $# -gt 0 ] || set -- misuse bombs archives images io kills memory runs
for name in "$@"; do
    declare -F "run_$name" >/dev/null || { echo "campaign.sh: no campaign '$name'" >&2 && exit 2; }
done
# The two that are one process run beside the others.
alone=()
for name in "$@"; do
    began=$SECONDS
    case $name in
    misuse | bombs)
        (run_$name; exit $failed) &
        alone+=($!)
        ;;
    *) run_$name ;;
    esac
done
for pid in "${alone[@]}"; do
    wait "$pid" || failed=1
done
exit $failed
