"""Growth as Markdown tables and as JSON: one line for a row, one column for a size."""

from statistics import median

from growth_rows import ROWS
from report import short, table, wall

CAPTIONS = {
    "life": "A device's life: wall time / processor time of the daemon.",
    "each": "One of many: wall time / processor time of the daemon, in µs.",
    "memory": "Resident memory of the daemon in MiB: then / at most until then.",
}


def cell(row, size):
    figure = size.figures.get(row.name)
    if figure is None:
        return "–"
    if row.group == "memory":
        resident, peak = (median(entry[key] for entry in figure.memory)
                          for key in ("resident", "peak"))
        return f"{resident:.0f} / {peak:.0f}"
    if row.group == "each":
        return f"{each(figure.seconds, figure)} / {each(figure.cpu, figure)}"
    seconds = wall(median(figure.seconds))
    return f"{seconds} / {wall(median(figure.cpu))}" if any(figure.cpu) else seconds


def each(values, figure):
    return short(median(values) / figure.operations * 1e6)


def caption(facts):
    before, after = facts["load"]
    return (f"Linux {facts['kernel']}, {facts['cores']} cores, {facts['directory']}, libfuse "
            f"{facts['libfuse']}; load average {before} before and {after} after; medians of up to "
            f"{facts['rounds']} rounds.")


def markdown(sizes, facts):
    parts = [caption(facts)]
    for group, words in CAPTIONS.items():
        lines = [[row.name, *(cell(row, size) for size in sizes)]
                 for row in ROWS if row.group == group]
        if group == "memory":
            lines.append(["catalog on disk, bytes per document", *map(catalog, sizes)])
        header = ["documents", *(f"{size.documents:,}" for size in sizes)]
        parts += ["", words, "", table(header, lines)]
    notes = [f"- {size.documents:,} documents: {size.verdict}" for size in sizes if size.verdict]
    return "\n".join([*parts, *([""] if notes else []), *notes])


def catalog(size):
    return short(size.catalog / size.documents) if size.catalog else "–"


def as_json(sizes, facts):
    """Every round's seconds and memory."""
    return {"version": 1, "circumstances": facts, "sizes": [{
        "documents": size.documents, "catalog_bytes": size.catalog,
        "verdict": size.verdict or None, "rows": {
            row.name: {"seconds": figure.seconds, "cpu_seconds": figure.cpu,
                       "operations": figure.operations, "memory_mib": figure.memory}
            for row in ROWS if (figure := size.figures.get(row.name))},
    } for size in sizes]}
