#!/usr/bin/env python3
"""terminal_svg.py OUT.svg [TITLE] <TEXT - draws TEXT as a terminal shows it: an SVG in light and dark.

A line that begins with "$ " is a command and stands out. Standard library alone."""
import html
import sys

STYLE = """
.back { fill: #ffffff; stroke: #c8ccd2 } .bar { fill: #eef0f3 } text { fill: #24292f; white-space: pre;
font: 13px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace } .typed { font-weight: 600; fill: #0550ae }
.title { fill: #57606a; font-size: 12px }
@media (prefers-color-scheme: dark) { .back { fill: #0d1117; stroke: #30363d } .bar { fill: #161b22 }
text { fill: #e6edf3 } .typed { fill: #79c0ff } .title { fill: #8b949e } }
"""


def main():
    out, title = sys.argv[1], " ".join(sys.argv[2:])
    lines = sys.stdin.read().rstrip("\n").split("\n")
    width, height = 32 + round(7.85 * max(map(len, lines))), 58 + 19 * len(lines)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">',
             f"<style>{STYLE}</style>",
             f'<rect class="back" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8"/>',
             f'<path class="bar" d="M1 28V8a7 7 0 0 1 7-7h{width - 16}a7 7 0 0 1 7 7v20z"/>']
    for x, colour in ((16, "#ff5f57"), (34, "#febc2e"), (52, "#28c840")):
        parts.append(f'<circle cx="{x}" cy="15" r="5" fill="{colour}"/>')
    parts.append(f'<text class="title" x="{width // 2}" y="19" text-anchor="middle">{html.escape(title)}</text>')
    for row, line in enumerate(lines):
        kind = ' class="typed"' if line.startswith("$ ") else ""
        parts.append(f'<text{kind} x="16" y="{50 + 19 * row}" xml:space="preserve">{html.escape(line)}</text>')
    with open(out, "w", encoding="utf-8") as file:
        file.write("\n".join(parts) + "\n</svg>\n")


main()
