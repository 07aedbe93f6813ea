# tests/cli/cli.sh - sourced by every cli_*.sh: runs the program from outside and checks
# exit code, stdout and stderr. The program is $JENSEN; the working folder is a fresh
# temporary one, removed at the end.
set -u
cases=0 failures=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export JENSEN_CACHE=$work/.cache # what the user's cache has changes what is chosen

# expect CODE 'stdout regex' 'stderr regex' -- command...
# A regex (extended, grep -E) must match somewhere; '' means the stream must be empty;
# '*' means anything.
expect() {
    local code=$1 out=$2 err=$3 got
    shift 4
    cases=$((cases + 1))
    "$@" >stdout.txt 2>stderr.txt </dev/null
    got=$?
    if [ "$got" -ne "$code" ]; then
        complain "exit $got, expected $code" "$@"
    elif ! matches "$out" stdout.txt; then
        complain "stdout does not match '$out'" "$@"
    elif ! matches "$err" stderr.txt; then
        complain "stderr does not match '$err'" "$@"
    fi
}

matches() {
    case $1 in
    '*') true ;;
    '') [ ! -s "$2" ] ;;
    *) grep -qE -- "$1" "$2" ;;
    esac
}

complain() {
    failures=$((failures + 1))
    echo "FAILED: $1"
    shift
    echo "  command: $*"
    sed 's/^/  stdout: /' stdout.txt | head -20
    sed 's/^/  stderr: /' stderr.txt | head -20
}

# sha OPTIONS: the hash of the weights that the command "${small[@]}" with --json comes to.
sha() { "$JENSEN" "${small[@]}" "$@" 2>/dev/null | sed -E 's/.*"weights_sha256":"([0-9a-f]+)".*/\1/'; }

# The hash of such a run that was killed when it had a checkpoint, and continued: killed NAME OPTIONS.
killed() {
    local out=$1
    shift
    "$JENSEN" "${small[@]}" --out "$out" "$@" >/dev/null 2>&1 &
    local pid=$!
    while [ ! -e "$out/checkpoint.safetensors" ] && kill -0 $pid 2>/dev/null; do sleep 0.01; done
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
    sha --out "$out" "$@"
}

# same TEXT A B and other TEXT A B: two hashes that must be one, or two.
same() {
    cases=$((cases + 1))
    [ -n "$2" ] && [ "$2" = "$3" ] || complain "$1: $2 and $3" hashes
}
other() {
    cases=$((cases + 1))
    [ -n "$2" ] && [ -n "$3" ] && [ "$2" != "$3" ] || complain "$1: $2" hashes
}

# unsign RUN: without the checksums of its files, as earlier versions left it, so that they can be edited.
unsign() {
    python3 -c '
import json, sys
doc = json.load(open(sys.argv[1]))
del doc["files"]
json.dump(doc, open(sys.argv[1], "w"), indent=2)' "$1/result.json"
}

# Whether there are pseudo-terminals, which some containers lack, and python3 to make them.
has_terminals() { python3 -c 'import os, pty; [os.close(end) for end in pty.openpty()]' 2>/dev/null; }

finish() {
    echo "$((cases - failures)) passed, $failures failed"
    [ "$failures" -eq 0 ]
}
