#!/usr/bin/env bash
# optuna_opens_studies.sh BUILD - Optuna from PyPI (in a virtual environment that is kept
# beside the build) and Debian's, where they can be had, open studies of jensen.
set -u
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
tried=0
failed=0

try() { # PYTHON
    local work
    work=$(mktemp -d)
    tried=$((tried + 1))
    timeout 500 "$1" "$here/optuna_opens_studies.py" "$build/jensen" "$work" || failed=$((failed + 1))
    rm -rf "$work"
}

venv=$build/venv-optuna
if [ ! -x "$venv/bin/python" ] || ! "$venv/bin/python" -c 'import optuna' 2>/dev/null; then
    python3 -m venv "$venv" >/dev/null 2>&1 &&
        timeout 300 "$venv/bin/pip" install -q optuna >"$build/venv-optuna.log" 2>&1
fi
if "$venv/bin/python" -c 'import optuna' 2>/dev/null; then
    try "$venv/bin/python"
else
    echo "SKIPPED: optuna_opens_studies: Optuna could not be installed from PyPI"
fi
if /usr/bin/python3 -c 'import optuna' 2>/dev/null; then
    try /usr/bin/python3
else
    echo "SKIPPED: optuna_opens_studies: no python3-optuna from Debian"
fi
echo "optuna_opens_studies: $((tried - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
