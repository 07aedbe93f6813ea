#!/usr/bin/env python3
"""words.py [COMMIT] - words, sentences, long lines and pictures of README.md and docs/*.md, a row a page.

With a COMMIT: that one's pages beside today's. Sentences are those of running text: code, tables, headings and
links' addresses are left out. Standard library and git alone."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def measure(text):
    """Words of the whole page; mean and longest sentence of its running text; lines over 100 columns; pictures."""
    pictures = len(re.findall(r"!\[|<img\b", text))
    wide = sum(len(line) > 100 for line in text.split("\n"))
    words = len(text.split())
    text = re.sub(r"```.*?```", "", text, flags=re.S)
    text = re.sub(r"<[^>]+>", "", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    kept = ["" if re.match(r"    |\t|\||#|\s*$", line) else re.sub(r"^\s*([-*]|\d+\.)\s+", "\n\n", line)
            for line in text.split("\n")]
    sentences = []
    for paragraph in re.split(r"\n\s*\n", "\n".join(kept)):
        paragraph = re.sub(r"`[^`]*`", "X", paragraph)  # not over the whole page, where code in a table may have one alone
        for sentence in re.split(r"(?<=[.!?:])\s+", " ".join(paragraph.split())):
            if sentence:
                sentences.append(sum(any(c.isalnum() for c in word) for word in sentence.split()))
    mean = sum(sentences) / len(sentences) if sentences else 0
    return words, mean, max(sentences, default=0), wide, pictures


def pages(commit):
    """{name: text} of the working tree, or of a commit."""
    if commit is None:
        return {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
                for path in [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))]}
    git = ["git", "-C", str(ROOT)]
    names = subprocess.run([*git, "ls-tree", "--name-only", commit, "README.md", "docs/"],
                           check=True, capture_output=True, text=True).stdout.split()
    return {name: subprocess.run([*git, "show", f"{commit}:{name}"], check=True, capture_output=True,
                                 text=True).stdout for name in names if name.endswith(".md")}


def main():
    columns = ("words", "mean", "longest", "wide", "pictures")
    versions = [pages(commit) for commit in ([sys.argv[1]] if len(sys.argv) > 1 else [])] + [pages(None)]
    head = [f"{column}{' then' if at == 0 and len(versions) > 1 else ''}"
            for at in range(len(versions)) for column in columns]
    print("| page | " + " | ".join(head) + " |\n|---|" + "--:|" * len(head))
    for name in sorted(set().union(*versions)):
        cells = []
        for version in versions:
            row = measure(version[name]) if name in version else None
            cells += [f"{value:.1f}" if isinstance(value, float) else str(value) for value in row] if row else ["-"] * 5
        print(f"| {name} | " + " | ".join(cells) + " |")


main()
