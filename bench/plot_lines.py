"""plot_lines.py - a plot of lines as SVG text, by the standard library: lines(series, title, x, y, ...)."""
import html
import math

COLOURS = ("#d55e00", "#0072b2", "#009e73", "#7f7f7f", "#cc79a7")
WIDTH, PLOT, LEFT, TOP, RIGHT, ROW = 640, 300, 70, 40, 20, 18  # the plot, its margins, a row of the legend


def ticks(low, high, wanted=6):
    step = 10 ** math.floor(math.log10((high - low) / wanted))
    step = min((step * f for f in (1, 2, 2.5, 5, 10)), key=lambda s: abs((high - low) / s - wanted))
    first = math.ceil(low / step - 1e-9)
    return [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]


def lines(series, title, x, y, x_range, y_range, diagonal=False, dashed=()):
    """series: [(name, [(x, y, half height of its bar or 0), ...])]; ranges (low, high)."""
    end = TOP + PLOT
    height = end + 56 + ROW * len(series)
    at_x = lambda v: LEFT + (v - x_range[0]) / (x_range[1] - x_range[0]) * (WIDTH - LEFT - RIGHT)
    at_y = lambda v: end - (v - y_range[0]) / (y_range[1] - y_range[0]) * PLOT
    text = lambda px, py, words, more="": f'<text x="{px:.1f}" y="{py:.1f}" {more}>{html.escape(words)}</text>'
    line = lambda x1, y1, x2, y2, more: f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {more}/>'
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="13">',
           f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
           text((LEFT + WIDTH - RIGHT) / 2, 24, title, 'text-anchor="middle" font-size="15"')]
    for v in ticks(*x_range):
        out += [line(at_x(v), at_y(y_range[0]), at_x(v), at_y(y_range[1]), 'stroke="#e5e5e5"'),
                text(at_x(v), end + 20, f"{v:g}", 'text-anchor="middle"')]
    for v in ticks(*y_range):
        out += [line(at_x(x_range[0]), at_y(v), at_x(x_range[1]), at_y(v), 'stroke="#e5e5e5"'),
                text(LEFT - 8, at_y(v) + 4, f"{v:g}", 'text-anchor="end"')]
    out += [text((LEFT + WIDTH - RIGHT) / 2, end + 42, x, 'text-anchor="middle"'),
            text(18, TOP + PLOT / 2, y,
                 f'text-anchor="middle" transform="rotate(-90 18 {TOP + PLOT / 2})"')]
    if diagonal:
        out.append(line(at_x(x_range[0]), at_y(y_range[0]), at_x(x_range[1]), at_y(y_range[1]), 'stroke="#999" stroke-dasharray="4 4"'))
    for number, (name, points) in enumerate(series):
        colour, dash = COLOURS[number % len(COLOURS)], 'stroke-dasharray="6 4"' if name in dashed else ""
        path = " ".join(f"{at_x(px):.1f},{at_y(py):.1f}" for px, py, _ in points)
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2" {dash}/>')
        for px, py, half in points:
            if half > 0:
                out.append(line(at_x(px), at_y(py - half), at_x(px), at_y(py + half), f'stroke="{colour}"'))
            if name not in dashed:
                out.append(f'<circle cx="{at_x(px):.1f}" cy="{at_y(py):.1f}" r="3.5" fill="{colour}"/>')
        row = end + 60 + ROW * number
        out += [line(LEFT, row, LEFT + 24, row, f'stroke="{colour}" stroke-width="2" {dash}'), text(LEFT + 30, row + 4, name)]
    return "\n".join(out + ["</svg>"]) + "\n"
