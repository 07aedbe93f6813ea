#!/usr/bin/env bash
# tests/hostile/check_campaign.sh - scripts/campaign.sh says FAILED of programs that are broken on purpose: one that
# crashes, one that starts a program, one that writes outside, one that reads nothing, a misuse that aborts, and a
# jensen that takes every bomb for data. $SOURCE is the tree.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/programs/{dev/tests/{hostile,api},release}
failures=0

# put PLACE: the stand-in, from stdin.
put() {
    cat >"$work/programs/$1"
    chmod +x "$work/programs/$1"
}
# broken NAME TEXT: the campaign must fail, and its line have TEXT.
broken() {
    PROGRAMS=$work/programs OUT=$work/out IMAGES=2 bash "$SOURCE/scripts/campaign.sh" 1 "$1" >"$work/said" 2>&1 &&
        { echo "FAILED: $1, $2: the campaign passed" && failures=$((failures + 1)); }
    grep -qE "^$1: FAILED: .*$2" "$work/said" ||
        { echo "FAILED: $1, $2:" && cat "$work/said" && failures=$((failures + 1)); }
}

open=dev/tests/hostile/hostile_open
put $open <<<$'#!/bin/bash\nkill -SEGV $$'
broken images '1 crashes'
put $open <<<$'#!/bin/bash\necho "2 files: 0 read, 2 refused, 0 of them at a limit, 0 faults"\nlzop'
broken images '1 programs started'
put $open <<<$'#!/bin/bash\necho "2 files: 0 read, 2 refused, 0 of them at a limit, 0 faults"\n: >../outside'
broken images '1 written outside'
put $open <<<$'#!/bin/bash\necho "2 files: 1 read, 0 refused, 0 of them at a limit, 1 faults"\nexit 1'
broken images '1 faults'
put $open <<<$'#!/bin/bash\nexit 0'
broken images '0 files'
put dev/tests/api/test_api_misuse <<<$'#!/bin/bash\necho "955 wrong calls"\nkill -ABRT $$'
broken misuse '955 wrong calls'
put release/jensen <<<$'#!/bin/bash\nexit 0'
broken bombs ''
echo "check_campaign: $failures failed"
exit "$failures"
