# docs/commands.md is what the program prints of its tables, the man page has every option, and
# the tables of docs/reference.md name every exit code.
. "$(dirname "$0")/cli.sh"
if "$JENSEN" doctor --json | grep -q '":""'; then
    echo "skipped: a build without some library, whose help may be shorter"
    exit 0
fi
expect 0 '^## jensen train$' '' -- "$JENSEN" --print-markdown
diff -u "$SOURCE/docs/commands.md" stdout.txt >difference.txt || {
    head -20 difference.txt
    complain "docs/commands.md is behind: jensen --print-markdown >docs/commands.md" diff
}
expect 0 'val\\-fraction' '' -- "$JENSEN" --print-man
for code in $("$JENSEN" --help | sed -n '/^Exit:/,$p' | grep -oE '\b[0-9]+\b'); do
    expect 0 . '' -- grep "^| $code |" "$SOURCE/docs/reference.md"
done
finish
