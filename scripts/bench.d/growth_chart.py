"""Growth as a picture: three panels on logarithmic scales, where what is flat is a level line."""

from math import ceil, floor, log10
from statistics import median

from chart import text

# Title of a panel, and its rows: name, words of the legend, and which of their values.
PANELS = [
    ("A device's life, in seconds", [
        ("take over a folder, until all is listed", "take over a folder", "seconds"),
        ("attach a second device, until all is listed", "attach a second device", "seconds"),
        ("start to the first ls", "start to the first ls", "seconds"),
        ("start until nothing is left to do", "start, processor time until idle", "cpu"),
        ("stop just after the start", "stop just after the start", "seconds"),
        ("read .docfs/status", "read .docfs/status", "seconds")]),
    ("The daemon's processor time for one, in µs", [
        ("take over, per document", "document taken over", "each"),
        ("attach, per document", "document of an attached container", "each"),
        ("stat of random documents, per lookup", "lookup", "each"),
        ("ls -lU of the flat directory, per entry", "entry of the flat directory", "each"),
        ("create and write, per document", "document created and sent", "each"),
        ("rename, per document", "document renamed", "each")]),
    ("Resident memory, in MiB", [
        ("after taking over", "taking over, peak", "peak"),
        ("after attaching", "attaching, peak", "peak"),
        ("at the first ls", "at the first ls", "resident"),
        ("when nothing is left to do", "when nothing is left to do", "resident"),
        ("after find of everything", "after find of everything", "resident"),
        ("when the kernel has forgotten it", "when the kernel has forgotten it", "resident")]),
]
# Lines differ in their dashes too, for those who do not see the colours apart.
LINES = [("#d6402b", ""), ("#1f6fd6", ""), ("#222222", ""), ("#b8860b", "7 3"),
         ("#2a8f4d", "2 3"), ("#8a4fc7", "9 3 2 3")]
WIDTH, HEIGHT, LEFT, TOP, GAP, LEGEND = 290, 260, 52, 58, 66, 18


def value(figure, which):
    if which in ("seconds", "cpu"):
        return median(getattr(figure, which))
    if which == "each":
        return median(figure.cpu) / figure.operations * 1e6
    return median(entry[which] for entry in figure.memory)


def svg(sizes):
    panels = [panel(LEFT + number * (WIDTH + GAP), *PANELS[number], sizes)
              for number in range(len(PANELS))]
    total = (LEFT + len(PANELS) * (WIDTH + GAP) - GAP + 24, TOP + HEIGHT + 48 + 6 * LEGEND)
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total[0]} {total[1]}" '
        f'width="{total[0]}" height="{total[1]}" font-family="sans-serif">',
        '<rect width="100%" height="100%" fill="white"/>',
        text(12, 22, "By the number of documents in the container; level lines do not grow",
             size=14), *(part for parts in panels for part in parts), "</svg>", ""])


def panel(left, title, rows, sizes):
    lines = [[(size.documents, shown) for size in sizes
              if (figure := size.figures.get(name)) and (shown := value(figure, which)) > 0]
             for name, _, which in rows]
    across = scale([size.documents for size in sizes], left, left + WIDTH)
    up = scale([shown for line in lines for _, shown in line], TOP + HEIGHT, TOP)
    parts = [text(left, TOP - 14, title, size=13)]
    for tick, at in across.ticks():
        parts += [f'<path d="M{at:.1f} {TOP}V{TOP + HEIGHT}" stroke="#e4e4e4"/>',
                  text(at, TOP + HEIGHT + 16, f"{tick:,.0f}", "middle", 11)]
    for tick, at in up.ticks():
        parts += [f'<path d="M{left} {at:.1f}h{WIDTH}" stroke="#e4e4e4"/>',
                  text(left - 6, round(at) + 4, f"{tick:,g}", "end", 11)]
    for number, (line, (_, words, _)) in enumerate(zip(lines, rows)):
        style = 'stroke="{}" stroke-dasharray="{}"'.format(*LINES[number])
        points = " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in line)
        y = TOP + HEIGHT + 40 + number * LEGEND
        parts += [f'<polyline points="{points}" fill="none" stroke-width="2" {style}/>',
                  *(f'<circle cx="{across(x):.1f}" cy="{up(y):.1f}" r="3" '
                    f'fill="{LINES[number][0]}"/>' for x, y in line),
                  f'<path d="M{left} {y - 4}h28" stroke-width="2" {style}/>',
                  text(left + 36, y, words)]
    return parts


class scale:
    """Values to places, by whole decades."""

    def __init__(self, values, begin, end):
        logs = [log10(entry) for entry in values] or [0]
        self.lowest, self.highest = floor(min(logs)), max(ceil(max(logs)), floor(min(logs)) + 1)
        self.begin, self.end = begin, end

    def __call__(self, entry):
        share = (log10(entry) - self.lowest) / (self.highest - self.lowest)
        return self.begin + share * (self.end - self.begin)

    def ticks(self):
        return [(10.0 ** power, self(10.0 ** power))
                for power in range(self.lowest, self.highest + 1)]
