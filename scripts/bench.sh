#!/usr/bin/env bash
# scripts/bench.sh [--list] [PART...] - runs the measurements of bench/ that need no GPU,
# each under a line that says what it is. A part is a script bench/PART.sh; without one
# all of them run, which takes half an hour where PyTorch is there to be compared with.
set -euo pipefail
cd "$(dirname "$0")/.."

# What bench/PART.sh says of itself at its head, up to the first full stop or colon.
about() {
    awk 'NR > 1 && !/^#/ { exit } NR > 1 { sub(/^# ?/, ""); printf "%s ", $0 }' "bench/$1.sh" |
        sed -E 's/^[^ ]+ (\[.*\] )?- //; s/[.:] .*//'
}

list=
parts=()
for word; do
    if [ "$word" = --list ]; then
        list=yes
    elif [ -e "bench/$word.sh" ]; then
        parts+=("$word")
    else
        echo "bench.sh: no part '$word'; 'scripts/bench.sh --list' lists them" >&2
        exit 2
    fi
done
if [ ${#parts[@]} -eq 0 ]; then
    for script in bench/*.sh; do
        parts+=("$(basename "$script" .sh)")
    done
fi

failed=()
for part in "${parts[@]}"; do
    if [ -n "$list" ]; then
        printf '%-10s %s\n' "$part" "$(about "$part")"
        continue
    fi
    printf '\n== %s: %s\n' "$part" "$(about "$part")"
    "bench/$part.sh" || failed+=("$part")
done
if [ ${#failed[@]} -gt 0 ]; then
    echo "bench.sh: failed: ${failed[*]}" >&2
    exit 1
fi
