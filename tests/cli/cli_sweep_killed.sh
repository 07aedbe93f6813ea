# A study whose workers are killed again and again ends with every result, each once.
# labels: slow
# Many small files are synced; memory is kinder to a shared disk.
[ -w /dev/shm ] && export TMPDIR=/dev/shm
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cli.sh"
. "$here/sweep_killed.sh"
if "$JENSEN" doctor | grep -E '^ *SQLite' | grep -qE '[0-9]+\.[0-9]+'; then
    : >stdout.txt
    : >stderr.txt
    sweep_killed "sqlite:///$work/jensen.db" || failures=$((failures + 1))
else
    echo "skipped: a build without SQLite"
fi
finish
