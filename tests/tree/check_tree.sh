#!/usr/bin/env bash
# check_tree.sh ROOT LAYERS - holds every #include "..." under src/, of public headers as
# well, to the DEPENDS of its module (LAYERS: "module: depends ..."), every table row to a file and every file to a
# row, file names to be unique, src/cli to public headers and the named helpers of core, SQL to src/store, numbers to their point, and
# texts made of pieces to core/text.h, what the program prints to cli/cli_print.h, and files to 500 lines.
set -u
root=$1 layers=$(realpath -- "$2")
[ -s "$layers" ] || { echo "$2: there is no such list of modules; cmake writes it" >&2; exit 1; }
cd "$root/src" || exit 1
problems=0
complain() {
    echo "$*"
    problems=$((problems + 1))
}

declare -A allowed
while IFS=: read -r module depends; do
    [ -n "$module" ] && allowed[$module]=" $module $depends "
done <"$layers"

# Which module a public header is of: the one that implements most of its functions; core's
# are for all, and so is event.h, the records that train/ hands to those below it.
declare -A owner
while read -r header module; do
    owner[$header]=$module
done < <(
    declare -A place
    while IFS=: read -r file name; do
        place[$name]=${file%%/*}
    done < <(grep -oE '^[a-z][a-z0-9_ ]*[ *](jsn_[a-z0-9_]+)\(' -r . --include='*.c' | sed -E 's|^\./||; s|:.*[ *](jsn_[a-z0-9_]+)\($|:\1|')
    for header in "$root"/include/jensen/*.h; do
        grep -ohE '\bjsn_[a-z0-9_]+\(' "$header" | tr -d '(' | sort -u | while read -r name; do
            echo "${place[$name]-}"
        done | grep . | sort | uniq -c | sort -rn | awk -v h="$(basename "$header")" 'NR == 1 { print h, $2 }'
    done
)
owner[event.h]=core
[ "${owner[loss.h]-}" = loss ] && [ "${owner[train.h]-}" = train ] || complain "public headers find no module"

# What the program may use of core/ beside the public headers: files and folders, JSON, options, words and the like.
helpers=" file.h folder.h json.h machine.h names.h option.h progress.h stats.h text.h words.h "
for name in $helpers; do
    [ -f "core/$name" ] || complain "core/$name: the program may include it, and it is not there"
done

# check_includes FILE MODULE
check_includes() {
    local file=$1 module=$2 line target
    while read -r line; do
        target=${line#*\"}
        target=${target%%\"*}
        if [ "$module" = cli ]; then
            case "$target" in
            jensen/* | cli/*) ;;
            # What measures the insides of the library sees them.
            augment/* | backend/* | data/* | loss/* | train/*) [[ "$file" = cli/bench/* ]] || complain "$file: cli may include jensen/, cli/ and core's helpers only: $line" ;;
            core/*) [[ "$helpers" = *" ${target#*/} "* ]] || complain "$file: no helper of core/ for cli: $line" ;;
            *) complain "$file: cli may include jensen/, cli/ and core's helpers only: $line" ;;
            esac
            continue
        fi
        if [ "${target%%/*}" = jensen ]; then
            target=${owner[${target#*/}]-core}
        else
            target=${target%%/*}
        fi
        case "${allowed[$module]-}" in
        *" $target "*) ;;
        *) complain "$file: module '$module' may not include '$target/': $line" ;;
        esac
    done < <(grep -hE '^#include "' "$file")
}

for file in $(find . -name '*.[ch]' -o -name '*.cc' -o -name '*.cu' -o -name '*.cuh' | sed 's|^\./||'); do
    module=${file%%/*}
    # A module that this build leaves out has no line; its includes are checked by the
    # builds that have it.
    if [ "$module" = cli ] || [ -n "${allowed[$module]-}" ]; then
        check_includes "$file" "$module"
    fi
done
for header in "$root"/include/jensen/*.h; do
    grep -hE '^#include "' "$header" | grep -vE '^#include "jensen/' |
        sed "s|^|$header: |" | grep . && problems=$((problems + 1))
done

# Rows and files: X(name) in <table>_list.h is <table>_<name>.c in the same folder.
for list in $(find . -name '*_list.h'); do
    folder=$(dirname "$list")
    table=$(basename "$list" _list.h)
    rows=$(grep -oE '\bX\([a-z0-9_]+\)' "$list" | sed -E 's/X\((.*)\)/\1/' | sort)
    files=$(find "$folder" -name "${table}_*.c" | sed -E "s|.*/${table}_(.*)\.c|\1|" | sort)
    difference=$(diff <(echo "$rows") <(echo "$files")) ||
        complain "$list: rows (<) and files (>) differ: $difference"
done

# A file that is read in one go.
long=$(cd .. && find src include tests python bench scripts examples cmake -type f \( -name '*.[ch]' -o -name '*.cc' -o \
    -name '*.cu*' -o -name '*.py' -o -name '*.sh' -o -name '*.js' -o -name '*.css' -o -name '*.cmake' \) -exec wc -l {} + |
    awk '$1 > 500 && $2 != "total"')
[ -z "$long" ] || complain "more than 500 lines: $long"

# What docs/developer.md calls a table finds a new file by itself.
tables=0
while IFS=/ read -r folder table; do
    tables=$((tables + 1))
    [ -f "$folder/${table}_list.h" ] &&
        grep -q "/${table}_\*\.c" "$folder/CMakeLists.txt" ||
        complain "docs/developer.md: ${table}_<name>.c and a row are not enough in src/$folder"
done < <(sed -nE 's@.*`src/([a-z]+)/([a-z_]+)_<name>\.c`.*@\1/\2@p' ../docs/developer.md)
[ "$tables" -ge 14 ] || complain "docs/developer.md: only $tables tables are found"

repeated=$(find . -name '*.[ch]' -o -name '*.cc' -o -name '*.cu' | sed 's|.*/||' | sort | uniq -d)
[ -z "$repeated" ] || complain "file names that occur twice: $repeated"

# A host program's locale may have a decimal comma: numbers with a fraction go through
# jsni_format() or jsni_text_format(). Statements may go over several lines.
fractions() {
    tr '\n' ' ' | grep -oE '\bv?snprintf\([^;]*;' | sed 's/%%//g' |
        grep -E '%[-+ #0]*[0-9*]*(\.[1-9*][0-9]*)?[gefGEF]'
}
printf 'snprintf(a, b, "100%%%% %%.2f",\n c);' | fractions >/dev/null || complain "fractions are not found"
printf 'snprintf(a, b, "%%.0f%%%% %%d", c, d);' | fractions && complain "whole numbers are no fractions"
for file in $(find . -path ./cli -prune -o -name '*.[ch]' -print); do
    found=$(fractions <"$file") && complain "$file: snprintf() follows the locale: $found"
done

# A text that grows by snprintf() outgrows its array as soon as a piece is longer than
# thought: snprintf() returns what it wanted to write. Pieces go through jsni_text_in().
growing() {
    tr '\n' ' ' | grep -oE '(\+=[^;]{0,40})?\b(v?snprintf|jsni_format(_list)?)\([^;]*;' |
        sed -E 's/\( *&[^,[]*\[/(middle + at/; s/\[[^]]*\]//g' |
        grep -E '^\+=|^[a-z_]+\((\([^()]*\))?[^,()]*[+] *[a-z(]'
}
for line in 'used += (size_t)snprintf(a, b, "%s", c);' 'used +=\n snprintf(a->b, c, d);' \
    '(void)snprintf(text + strlen(text), n, "x");' 'vsnprintf(a->text + at, n, f, args);' \
    'snprintf(&text[at], n, "x");'; do
    printf '%b' "$line" | growing >/dev/null || complain "not found to grow: $line"
done
printf '(void)snprintf(a[n + m], sizeof a, "%%zu", n + m);' | growing && complain "a number is no text that grows"
for file in $(cd .. && grep -rlE 'snprintf|jsni_format' src tests bench examples --include='*.[ch]' --include='*.cu*'); do
    found=$(growing <"../$file") && [ "$file" != src/core/text.c ] &&
        complain "$file: grows a text by snprintf(); see jsni_text_in(): $found"
done

# oneDNN throws: its functions are called through jsni_dnnl alone (dnnl_calls.h).
for file in backend/onednn/*.[ch]; do
    found=$(grep -nE '(^|[^a-z0-9_"])dnnl_[a-z0-9_]+\(' "$file") && complain "$file: not through jsni_dnnl: $found"
done

# Which instruction sets there are is asked in core/ alone (core/isa.h).
asked=$(grep -rn '__builtin_cpu_' --include='*.[ch]' . | grep -v '^\./core/') && complain "see core/isa.h: $asked"

# A fuzz target measures the lines of files that are there.
for target in ../tests/fuzz/fuzz_*.c; do
    for file in $(sed -nE 's/.*covers: ([^*]*).*/\1/p' "$target"); do
        [ -e "$file" ] || complain "$target: covers src/$file, which is not there"
    done
done

# One version: what is built, packed and cited.
version=$(sed -nE 's/^project\(jensen VERSION ([0-9.]+).*/\1/p' ../CMakeLists.txt)
grep -qx "version: $version" ../CITATION.cff || complain "CITATION.cff: not of version $version"
head -n 1 ../debian/changelog | grep -qF "($version)" || complain "debian/changelog: not of version $version"
grep -m 1 '^## ' ../CHANGELOG.md | grep -qE "^## ($version|Unreleased)\b|^## [0-9.]+ \(unreleased\)$" || complain "CHANGELOG.md: does not begin with version $version"
macros=$(sed -nE 's/^#define JSN_VERSION_(MAJOR|MINOR|PATCH) //p' ../include/jensen/version.h | paste -sd.)
[ "$macros" = "$version" ] || complain "jensen/version.h: of version $macros, not $version"
for named in "debian/control:Package: libjensen${version%%.*}" "examples/losses.py:libjensen.so.${version%%.*}" \
    "docs/install.md:libjensen.so.${version%%.*}" "docs/install.md:jensen $version"; do
    grep -qF "${named#*:}" "../${named%%:*}" || complain "${named%%:*}: does not name ${named#*:}"
done

# Databases are asked in store/ alone.
asked=$(grep -rnE '"(SELECT|INSERT|UPDATE|DELETE|CREATE TABLE|ALTER TABLE|DROP) |jsni_store_run\(' --include='*.[ch]' . |
    grep -v '^\./store/') && complain "SQL outside store/: $asked"

# What a backend can is asked of its table, never of its name.
for name in $(grep -oE '\b[XY]\([a-z0-9]+\)' backend/backend_list.h | sed -E 's/.\((.*)\)/\1/'); do
    found=$(grep -rnE "cmp\([^;]*\"$name\"" --include='*.[ch]' . | grep -vE "^./backend/[a-z0-9]+/") &&
        complain "asks for a backend by name; see jsni_backend_can: $found"
done

# Names from outside reach the terminal through cli_print.c alone, which takes the control
# characters out; the progress line moves the cursor itself.
bare=$(grep -nE '\b(v?f?printf|puts|putchar|fputs|putc|fputc|fwrite|perror)\(' cli/*.[ch] |
    grep -vE '^cli/cli_(print|progress)\.|format\(printf') && complain "printed past cli_print.h: $bare"

# What a run says is for people. Who must know what happened hears its events (jensen/event.h):
# a function that gets sentences hands them on and reads nothing out of them. And the rows of a
# run are records (store/run_rows.h): nobody else opens their file.
readers() {
    tr '\n' ' ' | sed 's/} /}\n/g' | grep -oE 'jsn_log_level [a-z]+, *const char \*[a-z]+\) *\{.*' |
        grep -E '\b(sscanf|mem(cmp|chr)|str(n?cmp|n?casecmp|str|chr|rchr|spn|cspn|tok(_r)?|to[a-z]+))\('
}
printf 'static void f(void *user, jsn_log_level level,\n const char *text)\n{\n if (strncmp(text, "epoch ", 6) == 0)\n g();\n}\n' |
    readers >/dev/null || complain "a sentence that is read is not found"
printf 'static void f(void *user, jsn_log_level level, const char *text)\n{\n g(text);\n}\n' |
    readers && complain "handing a sentence on is not reading it"
for file in $(grep -rlE 'jsn_log_level' . --include='*.c'); do
    found=$(readers <"$file") && complain "$file: reads what the program says: $found"
done
found=$(grep -nE 'JSNI_RUN_METRICS\b' -r . --include='*.c' |
    grep -E 'file_(read|open)' | grep -v '^./store/run_rows.c') && complain "rows are read past store/run_rows.h: $found"

echo "$problems problems"
[ "$problems" -eq 0 ]
