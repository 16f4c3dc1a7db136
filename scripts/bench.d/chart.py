"""The ratios as a picture: one line for a row, one dot for a column, a logarithmic scale."""

from html import escape
from math import ceil, floor, log10
from statistics import median

from report import ratios

# Colour and shape differ, for those who do not see the colours apart.
MARKS = {"passthrough_ll": ("#777777", "square"), "passthrough_hp": ("#222222", "diamond"),
         "mergerfs": ("#2e8b57", "wedge"), "rclone": ("#b8860b", "triangle"),
         "DocFS Local": ("#1f6fd6", "circle"),
         "DocFS Cloud": ("#d6402b", "circle"), "DocFS": ("#d6402b", "circle")}
LEFT, RIGHT, TOP, LINE, WIDTH = 270, 24, 64, 20, 560


TITLE = "Wall time as a multiple of the bare directory's; further left is better"


def mark(name, x, y):
    colour, shape = MARKS[name]
    if shape == "circle":
        return f'<circle cx="{x:.1f}" cy="{y}" r="4.5" fill="{colour}" fill-opacity=".85"/>'
    corners = {"square": [(-4, -4), (4, -4), (4, 4), (-4, 4)],
               "diamond": [(0, -5), (5, 0), (0, 5), (-5, 0)],
               "triangle": [(0, -5), (5, 4), (-5, 4)],
               "wedge": [(0, 5), (5, -4), (-5, -4)]}[shape]
    points = " ".join(f"{x + dx:.1f},{y + dy}" for dx, dy in corners)
    return f'<polygon points="{points}" fill="{colour}" fill-opacity=".85"/>'


def goal(x, y):
    return f'<path d="M{x:.1f} {y - 8}v16" stroke="#2e8b57" stroke-width="3"/>'


def text(x, y, words, anchor="start", size=12):
    return f'<text x="{x:.1f}" y="{y}" text-anchor="{anchor}" font-size="{size}">' \
        f'{escape(words)}</text>'


def svg(rows, names, cells, title=TITLE, ratios=ratios, goals=None, least=0.5):
    """Goals are ratios by the names of rows; least is where the scale begins."""
    goals = goals or {}
    medians = {}
    for row in rows:
        for name in names:
            cell = cells.get((row.name, name))
            if name in MARKS and cell and cell.seconds and not cell.verdict:
                medians[row.name, name] = median(ratios(cell))
    decades = max(1, ceil(log10(max(medians.values(), default=10))))
    lowest, highest = log10(least), decades
    def across(ratio):
        share = (max(log10(ratio), lowest) - lowest) / (highest - lowest)
        return LEFT + share * WIDTH

    bottom = TOP + LINE * len(rows)
    total = (LEFT + WIDTH + RIGHT, bottom + 30)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total[0]} {total[1]}" '
             f'width="{total[0]}" height="{total[1]}" font-family="sans-serif">',
             '<rect width="100%" height="100%" fill="white"/>',
             text(12, 22, title, size=14)]
    x = 12
    for name in names:
        if name in MARKS:
            parts += [mark(name, x + 5, 42), text(x + 15, 46, name)]
            x += 34 + 7 * len(name)
    if goals:
        parts += [goal(x + 5, 42), text(x + 15, 46, "goal")]
    ticks = [float(f"{factor}e{power}") for power in range(floor(lowest), decades + 1)
             for factor in (1, 2, 5)]
    for ratio in (tick for tick in ticks if lowest <= log10(tick) <= highest):
        at = across(ratio)
        shade = "#999" if ratio == 1 else "#e4e4e4"
        parts.append(f'<path d="M{at:.1f} {TOP - 8}V{bottom}" stroke="{shade}"/>')
        # A wide scale has no room for all of them.
        if highest - lowest < 3.5 or log10(ratio).is_integer():
            parts.append(text(at, bottom + 18, f"{ratio:g}×", "middle", 11))
    for number, row in enumerate(rows):
        y = TOP + LINE * number + LINE // 2 - 4
        parts += [text(LEFT - 14, y + 4, row.name, "end"),
                  *(mark(name, across(medians[row.name, name]), y) for name in names
                    if (row.name, name) in medians)]
        if row.name in goals:
            parts.append(goal(across(goals[row.name]), y))
    return "\n".join([*parts, "</svg>", ""])
