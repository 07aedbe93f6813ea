#!/usr/bin/env bash
# scripts/docs.sh - builds the documentation's site with MkDocs Material into build/site: README.md and
# docs/*.md as they are, a page of the public C headers and one of the Python package. A dead link ends it. MkDocs comes
# from PyPI into a virtual environment, build/mkdocs.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdocs=${MKDOCS:-build/mkdocs/bin/mkdocs}
if ! [ -x "$mkdocs" ]; then
    python3 -c 'import ensurepip' 2>/dev/null || scripts/setup.sh pip
    python3 -m venv build/mkdocs
    build/mkdocs/bin/pip install -q 'mkdocs-material>=9.5,<10' 'mkdocs>=1.6,<2' || {
        rm -rf build/mkdocs
        echo "docs.sh: MkDocs Material cannot be installed: pip reaches no package index. The pages are docs/*.md." >&2
        exit 1
    }
fi

rm -rf build/pages
mkdir -p build/pages
cp -r docs/. build/pages/
cp -r examples LICENSE scripts/site build/pages/
# Links out of docs/ lead to what was copied beside the pages.
sed -i -E 's#\]\(\.\./#](#g' build/pages/*.md
sed -E 's#\]\(docs/#](#g; s#(src|srcset)="docs/#\1="#g' README.md >build/pages/index.md

# The public headers: what each says at its top, then its text.
{
    printf '# C headers\n\nThe public interface, one header per part. Link with `pkg-config --cflags --libs jensen`.\n'
    for header in include/jensen/*.h; do
        printf '\n## %s\n\n```c\n' "jensen/$(basename "$header")"
        cat "$header"
        printf '```\n'
    done
    printf '\nNext: [developer.md](developer.md) for how it is built, [guide.md](guide.md) for the program.\n'
} >build/pages/c-api.md

python3 -B scripts/python_api.py >build/pages/python-api.md

NO_MKDOCS_2_WARNING=1 "$mkdocs" build --strict 2>&1 | { grep -E "WARNING|ERROR|Abort" || true; }
echo "build/site/index.html: $(find build/site -name '*.html' | wc -l) pages"
