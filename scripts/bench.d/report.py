"""The results as Markdown tables and as JSON."""

import os
import platform
from statistics import median

from mounts import filesystem_of
from passthrough import version
from processes import descriptor_limits

# What the goals are about: the C program that does no more than pass calls through.
YARDSTICK = "passthrough_ll"


def short(number):
    """Three digits that count, at least."""
    return f"{number:.0f}" if number >= 99.5 else f"{number:.1f}" if number >= 9.95 \
        else f"{number:.2f}"


def wall(seconds):
    return f"{short(seconds)} s" if seconds >= 1 else f"{short(seconds * 1e3)} ms"


def ratios(cell):
    return [own / bare for own, bare in zip(cell.seconds, cell.bare)]


def ratio_text(cell):
    """Median, and lowest to highest where there were several rounds."""
    if cell is None:
        return "–"
    if cell.verdict:
        return cell.verdict
    values = ratios(cell)
    if not values:
        return "–"
    spread = f" ({short(min(values))}–{short(max(values))})" if len(values) > 1 else ""
    return f"{short(median(values))}{spread}"


def against(cell, yardstick):
    """How often the yardstick's time: medians of ratios to the bare directory, divided."""
    if not (cell and yardstick and ratios(cell) and ratios(yardstick)) \
            or cell.verdict or yardstick.verdict:
        return "–"
    return short(median(ratios(cell)) / median(ratios(yardstick)))


def cpu_per_operation(cell, row):
    """Microseconds; the kernel counts in hundredths of a second, so a little shows as nothing."""
    if not cell or not cell.cpu or cell.verdict:
        return None
    return sum(cell.cpu) / len(cell.cpu) / row.operations * 1e6


def circumstances(directory, load, rounds):
    soft, hard = descriptor_limits()
    return {
        "kernel": platform.release().split("-")[0], "cores": os.cpu_count(),
        "load": [round(value, 1) for value in load], "directory": filesystem_of(directory),
        "libfuse": version(), "descriptors": [soft, hard], "rounds": rounds,
    }


def caption(facts):
    before, after = facts["load"]
    soft, hard = facts["descriptors"]
    return (f"Linux {facts['kernel']}, {facts['cores']} cores, {facts['directory']}, libfuse "
            f"{facts['libfuse']}; load average {before} before and {after} after; up to "
            f"{facts['rounds']} interleaved rounds; descriptor limit of the daemons {hard}, in the "
            f"listings {soft}, which they may raise.")


def table(header, lines):
    rule = ["---"] + ["--:"] * (len(header) - 1)
    return "\n".join(f"| {' | '.join(line)} |" for line in [header, rule, *lines])


def markdown(rows, names, cells, facts, missing):
    peers = [name for name in names if name != "bare"]
    ours = [name for name in peers if name.startswith("DocFS")] if YARDSTICK in peers else []
    times, costs, notes = [], [], []
    for row in rows:
        own = {name: cells.get((row.name, name)) for name in names}
        bare = own["bare"].seconds if own["bare"] else []
        times.append([row.name, wall(median(bare)) if bare else "–",
                      *(ratio_text(own[name]) for name in peers),
                      *(against(own[name], own[YARDSTICK]) for name in ours)])
        costs.append([f"{row.name}, per {row.unit}", *(cost_text(own[n], row) for n in peers)])
        notes += [f"- {row.name}, {name}: {cell.verdict}: {cell.reason}"
                  for name, cell in own.items() if cell and cell.verdict]
    notes += [f"- {name}: left out, {word}" for name, word in missing.items()]
    return "\n".join([
        caption(facts), "",
        "Wall time, as a multiple of the bare directory's: median (lowest–highest).", "",
        table(["row", "bare", *peers, *(f"{name} ÷ ll" for name in ours)], times), "",
        "Processor time of the daemon in µs per operation, and its peak memory in MiB.", "",
        table(["row", *peers], costs), *([""] if notes else []), *notes])


def cost_text(cell, row):
    cpu = cpu_per_operation(cell, row)
    return "–" if cpu is None else f"{short(cpu)} / {cell.peak:.0f}"


def as_json(rows, names, cells, facts, missing):
    """Everything that was measured: seconds of every round, not only medians."""
    return {"version": 1, "circumstances": facts, "missing": missing, "rows": [{
        "name": row.name, "unit": row.unit, "operations": row.operations, "columns": {
            name: {"seconds": cell.seconds, "ratios": ratios(cell),
                   "cpu_us_per_operation": cpu_per_operation(cell, row),
                   "peak_mib": cell.peak or None, "verdict": cell.verdict or None,
                   "reason": cell.reason or None}
            for name in names if (cell := cells.get((row.name, name)))},
    } for row in rows]}
