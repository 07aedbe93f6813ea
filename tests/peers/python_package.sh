#!/usr/bin/env bash
# python_package.sh BUILD - the Python package, as `pip install .` makes it, in a virtual
# environment of its own: its tests, beside Debian's PyTorch, and the notebooks. Where
# JENSEN_TORCH names the python of an environment with a newer PyTorch, the tests run there,
# too (compiling needs 2.4). JENSEN_GJS names a copy of the paper's code to compare with.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$(cd "$1" && pwd)
venv=$build/venv-python
rm -rf "$venv"
if ! /usr/bin/python3 -m venv --system-site-packages "$venv" 2>/dev/null ||
    ! timeout 120 "$venv/bin/pip" install -q pytest hypothesis scikit-build-core >"$build/venv-python.log" 2>&1; then
    echo "SKIPPED: python_package: no virtual environment with pytest ($build/venv-python.log)"
    exit 0
fi
# scikit-learn of a version that has its checks' reasons and works with Debian's NumPy
timeout 120 "$venv/bin/pip" install -q 'scikit-learn>=1.6,<1.7' abi3audit >>"$build/venv-python.log" 2>&1 ||
    echo "SKIPPED: python_package: no scikit-learn or abi3audit ($build/venv-python.log)"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export OMP_NUM_THREADS=2
failed=0
timeout 600 "$venv/bin/pip" wheel -q --no-build-isolation --no-deps -w "$folder" "$root" || exit 1
[ ! -x "$venv/bin/abi3audit" ] || "$venv/bin/abi3audit" --strict --summary "$folder"/jensen-*.whl || failed=1
# try PYTHON: installs the wheel for it and runs the tests from outside the tree.
try() {
    "$1" -m pip install -q --force-reinstall --no-deps --target "$folder/site" --upgrade "$folder"/jensen-*.whl
    (cd "$folder" && PYTHONPATH=$folder/site timeout 300 "$1" -m pytest -q -rs -p no:cacheprovider \
        "$root/python/tests") || failed=1
    (cd "$folder" && PYTHONPATH=$folder/site "$1" - <<'EOF') || failed=1
import doctest, importlib, pkgutil, sys, jensen
names = ["jensen"] + ["jensen." + m.name for m in pkgutil.iter_modules(jensen.__path__) if m.name != "_native"]
results = [doctest.testmod(importlib.import_module(n)) for n in names]
print(f"{sum(r.attempted for r in results)} examples of docstrings, {sum(r.failed for r in results)} failed")
sys.exit(any(r.failed for r in results))
EOF
}
try "$venv/bin/python"
# CIFAR-10 with human labels, for the notebooks that use it
shared=$root/../shared/data
notebooks=("$root"/examples/*.ipynb)
if [ -f "$shared/cifar10-original/unpack.py" ] && [ -f "$shared/cifar10n.csv.xz" ]; then
    mkdir "$folder/packed"
    ln -s "$shared"/cifar10-original/{unpack.py,labels.bin,data_batch_1.webp,test_batch.webp} "$folder/packed"
    "$venv/bin/python" "$folder/packed/unpack.py" "$folder/cifar10" >/dev/null || failed=1
    xz -dc "$shared/cifar10n.csv.xz" >"$folder/cifar10/cifar10n.csv"
    export CIFAR10=$folder/cifar10
else
    echo "SKIPPED: python_package: notebooks that read CIFAR-10: ../shared/data is not there"
    notebooks=("$root/examples/loss_curves.ipynb")
fi
if "$venv/bin/python" -c 'import matplotlib' 2>/dev/null &&
    timeout 120 "$venv/bin/pip" install -q nbclient ipykernel 'matplotlib-inline<0.1.7' >>"$build/venv-python.log" 2>&1; then
    (cd "$folder" && PYTHONPATH=$folder/site timeout 600 "$venv/bin/python" "$here/notebooks.py" "${notebooks[@]}") || failed=1
else
    echo "SKIPPED: python_package: notebooks need matplotlib and nbclient ($build/venv-python.log)"
fi
if [ -n "${JENSEN_GJS:-}" ]; then
    (cd "$folder" && PYTHONPATH=$folder/site OMP_NUM_THREADS=1 timeout 300 "$venv/bin/python" "$here/paper_code.py" "$JENSEN_GJS") || failed=1
else
    echo "SKIPPED: python_package: the losses of the paper's code (JENSEN_GJS names no copy of ErikEnglesson/GJS)"
fi
[ -z "${JENSEN_TORCH:-}" ] || try "$JENSEN_TORCH"
exit $failed
