#!/usr/bin/env bash
# check_standin.sh ROOT BUILD CC - every test compiles with the stand-in for cmocka
# (tests/support/bare), which machines without the library use, and the stand-in knows a
# test that passes from one that fails and one that is skipped.
set -eu
root=$1 build=$2 cc=$3
bare=$root/tests/support/bare
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
problems=0
complain() {
    echo "FAILED: $*"
    problems=$((problems + 1))
}

# The compiler's own commands, with the stand-in's folder first. Syntax alone: it is the
# header that falls behind.
python3 - "$root" "$build" "$bare" <<'PYTHON' || complain "tests do not compile with the stand-in"
import concurrent.futures, json, os, shlex, subprocess, sys
root, build, bare = sys.argv[1:]
commands = []
for entry in json.load(open(f"{build}/compile_commands.json")):
    if not entry["file"].startswith(f"{root}/tests/"):
        continue
    words = shlex.split(entry["command"])
    at = words.index("-o")
    words[at:at + 2] = ["-fsyntax-only", "-Werror", f"-I{bare}"]
    commands.append([word for word in words if word != "-c" and not word.startswith("-I/usr")])
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    bad = [r.stderr for r in pool.map(
        lambda c: subprocess.run(c, cwd=build, capture_output=True, text=True), commands) if r.returncode]
print(f"{len(commands)} files, {len(bad)} do not compile")
print("\n".join(bad)[:4000])
sys.exit(bool(bad) or len(commands) < 50)
PYTHON

cat >"$work/probe.c" <<'C'
#include "cmocka.h"
static void passes(void **state)
{
    char *text = test_malloc(4);
    (void)state;
    memcpy(text, "abc", 4);
    assert_string_equal(text, "abc");
    test_free(text);
    print_message("a message\n");
}
static void fails(void **state)
{
    (void)state;
    print_error("an error\n");
    assert_int_equal(1, 2);
}
static void is_skipped(void **state)
{
    (void)state;
    skip();
}
int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(passes), cmocka_unit_test(fails),
                                       cmocka_unit_test(is_skipped)};
    return cmocka_run_group_tests_name("probe", tests, NULL, NULL);
}
C
"$cc" -std=c11 -Wall -Wextra -Werror -I"$bare" "$work/probe.c" "$bare/bare_cmocka.c" -o "$work/probe"
code=0
"$work/probe" >"$work/out" 2>&1 || code=$?
[ "$code" -eq 1 ] || complain "one failed test gives exit $code"
grep -q 'probe: 1 passed, 1 failed, 1 skipped' "$work/out" || complain "$(cat "$work/out")"
echo "$problems problems"
[ "$problems" -eq 0 ]
