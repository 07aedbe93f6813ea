#!/usr/bin/env bash
# study_on_postgres.sh BUILD - a study of 60 runs on a PostgreSQL server that is started
# here, on the loopback and a free port, worked off by four workers that are killed at
# random; wrong addresses and databases; passwords that must not show.
set -u
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
JENSEN=$build/jensen
export JENSEN
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -1)
if [ -z "$bin" ] || ! "$JENSEN" doctor | grep -E '^ *libpq' | grep -qE '[0-9]+\.[0-9]+'; then
    echo "SKIPPED: study_on_postgres: no PostgreSQL server, or a build without libpq"
    exit 0
fi
[ -w /dev/shm ] && export TMPDIR=/dev/shm
. "$here/../cli/cli.sh"
. "$here/../cli/sweep_killed.sh"

# The server does not run as root.
as_user=()
server=$work/server
mkdir -p "$server"
if [ "$(id -u)" -eq 0 ]; then
    chown postgres "$server"
    chmod 755 "$work"
    as_user=(runuser -u postgres --)
fi
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
echo "se:cr@et" >"$work/password"
chmod 644 "$work/password"
"${as_user[@]}" "$bin/initdb" -D "$server/data" -U jensen --auth=scram-sha-256 \
    --pwfile="$work/password" >"$work/initdb.log" 2>&1 || { cat "$work/initdb.log"; exit 1; }
"${as_user[@]}" "$bin/pg_ctl" -D "$server/data" -w -l "$server/log" \
    -o "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories='$server' -c fsync=off" \
    start >"$work/start.log" 2>&1 || { cat "$work/start.log" "$server/log"; exit 1; }
stop_server() { "${as_user[@]}" "$bin/pg_ctl" -D "$server/data" -m immediate stop >/dev/null 2>&1; }
trap 'stop_server; rm -rf "$work"' EXIT

secret='se%3Acr%40et'
url="postgresql://jensen:$secret@127.0.0.1:$port/postgres"
: >stdout.txt
: >stderr.txt
sweep_killed "$url" || failures=$((failures + 1))
unset JENSEN_STORE

# A restart of the server interrupts nothing: a running worker reports again afterwards, one
# that looks for work waits, and no try of a trial is used up.
"$JENSEN" sweep create restart builtin:size=400,test=20 --network mlp:width=32 --batch 8 --epochs 150 --threads 1 \
    --axis lr=0.01,0.02 --store "$url" >/dev/null 2>&1
"$JENSEN" sweep run restart --jobs 3 --grace 20 --store "$url" >restart.log 2>&1 &
pid=$!
while ! [ -s runs/restart/trial-00001/metrics.jsonl ] && kill -0 $pid 2>/dev/null; do sleep 0.1; done
stop_server
sleep 3
"${as_user[@]}" "$bin/pg_ctl" -D "$server/data" -w -l "$server/log" \
    -o "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories='$server' -c fsync=off" \
    start >"$work/start.log" 2>&1
wait $pid
code=$?
cases=$((cases + 1))
[ $code -eq 0 ] && grep -q '2 complete, 0 pruned, 0 failed' restart.log && grep -q 'the store answers again' restart.log ||
    { cp restart.log stderr.txt; complain "exit $code after a restart of the server" restart; }
expect 0 '^1 1$' '' -- sh -c "'$JENSEN' sweep export restart --store '$url' --format csv | python3 -c '
import csv, sys
print(*(row.get(\"attempts\", 1) for row in csv.DictReader(sys.stdin)))'"

# Nothing that is printed or kept in run folders holds the password.
expect 0 '#SBATCH' '' -- "$JENSEN" sweep slurm killed --store "$url"
cp stdout.txt slurm.txt
expect 2 '' 'no study' -- "$JENSEN" sweep status none --store "$url"
cp stderr.txt none.txt
expect 0 'html' '' -- "$JENSEN" sweep export killed --store "$url" --format html
cp stdout.txt page.txt
cases=$((cases + 1))
if grep -rlE "$secret|se:cr@et" runs slurm.txt none.txt page.txt killed.log alone.log; then
    complain "the password shows" grep
fi

expect 5 '' "127.0.0.1:1/.*(refused|connect)" -- "$JENSEN" sweep status --store "postgresql://u:geheim@127.0.0.1:1/x"
cases=$((cases + 1))
grep -q geheim stderr.txt && complain "the password shows" status
expect 5 '' 'authentication failed' -- "$JENSEN" sweep status --store "postgresql://jensen:wrong@127.0.0.1:$port/postgres"
expect 5 '' 'does not exist' -- "$JENSEN" sweep status --store "postgresql://jensen:$secret@127.0.0.1:$port/nosuch"

# An address that libpq cannot read: no piece of the password shows.
for bad in "jensen:ge%zzheim@127.0.0.1" "jensen:ge@heim@127.0.0.1" "jensen:ge/heim@127.0.0.1"; do
    expect 2 '' '\*\*\*@127.0.0.1.*cannot read' -- "$JENSEN" sweep status --store "postgresql://$bad:$port/postgres"
    cases=$((cases + 1))
    grep -q 'heim' stderr.txt && complain "the password shows" status
done
expect 2 '' 'postgresql://USER@HOST' -- "$JENSEN" sweep status --store "postgresql:/jensen:geheim@h/d"
cases=$((cases + 1))
grep -q geheim stderr.txt && complain "the password shows" status
expect 0 "postgresql://jensen@127.0.0.1:$port/postgres\\?connect_timeout=5'" '' -- "$JENSEN" sweep slurm killed \
    --store "postgresql://jensen@127.0.0.1:$port/postgres?password=$secret&connect_timeout=5"

# Tables of another schema are left alone.
PGPASSWORD='se:cr@et' "$bin/psql" -q -h 127.0.0.1 -p "$port" -U jensen postgres \
    -c 'CREATE DATABASE other' >/dev/null
PGPASSWORD='se:cr@et' "$bin/psql" -q -h 127.0.0.1 -p "$port" -U jensen other \
    -c 'CREATE TABLE trials (a int)' >/dev/null
expect 3 '' 'another schema' -- "$JENSEN" sweep create s builtin --axis lr=0.1 \
    --store "postgresql://jensen:$secret@127.0.0.1:$port/other"

# Optuna opens the same study on the server.
if "$build/venv-optuna/bin/python" -c 'import optuna, psycopg2' 2>/dev/null ||
    { [ -x "$build/venv-optuna/bin/pip" ] &&
        timeout 200 "$build/venv-optuna/bin/pip" install -q psycopg2-binary >/dev/null 2>&1; }; then
    expect 0 '60 complete' '*' -- "$build/venv-optuna/bin/python" -c "
import optuna
optuna.logging.set_verbosity(optuna.logging.WARNING)
s = optuna.load_study(study_name='killed', storage='postgresql+psycopg2://jensen:$secret@127.0.0.1:$port/postgres')
n = sum(t.state == optuna.trial.TrialState.COMPLETE for t in s.trials)
assert s.best_trial.value is not None
s.enqueue_trial({'lr': 0.02, 'loss': 'ce', 'seed': 1})
print(n, 'complete')"
    expect 0 '*' '*' -- "$JENSEN" sweep worker killed --threads 1 --store "$url"
    expect 0 '"complete":61' '' -- "$JENSEN" sweep status killed --json --store "$url"
else
    echo "SKIPPED: Optuna on PostgreSQL: no psycopg2"
fi

# A server that goes away: a sentence, and the study as it was once it is back.
"$JENSEN" sweep create again builtin:size=160,test=100 --network mlp:width=16 --epochs 500 --axis lr=0.01,0.02 \
    --store "$url" >/dev/null 2>&1
touch marker
JENSEN_STORE=$url "$JENSEN" sweep worker again --threads 1 --grace 1 -q >gone.log 2>&1 &
pid=$!
# In the middle of the first run: its first epochs are there, hundreds are left.
until find . -newer marker -name metrics.jsonl | grep -q . || ! kill -0 $pid; do sleep 0.05; done
stop_server
wait $pid
code=$?
cases=$((cases + 1))
[ "$code" -eq 5 ] && grep -q "127.0.0.1:$port" gone.log || { cp gone.log stderr.txt; complain "exit $code, expected 5" worker; }
"${as_user[@]}" "$bin/pg_ctl" -D "$server/data" -w -l "$server/log" \
    -o "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories='$server' -c fsync=off" start >/dev/null 2>&1
expect 0 '2 complete, 0 pruned, 0 failed' '*' -- env JENSEN_STORE="$url" "$JENSEN" sweep run again -q --threads 2 --grace 1
finish
