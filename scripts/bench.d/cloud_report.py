"""What was measured on an S3 store: times beside the goals, traffic and cost as Markdown tables, as
JSON, and the ratios for the chart."""

import re
from statistics import median

from cloud_peers import LIMIT
from processes import Failure, run
from report import circumstances, short, table, wall

TITLE = "Wall time as a multiple of a direct client's; further left is better"


class Results:
    """One run, as those who show it ask for it."""

    def __init__(self, rows, names, cells, traffic, waits):
        self.rows, self.names = rows, names
        self.cells, self.traffic, self.waits = cells, traffic, waits

    def cell(self, row, name):
        return self.cells.get((row.name, name))

    def seconds(self, row, name):
        """Median, or None where there is no figure."""
        cell = self.cell(row, name)
        return median(cell.seconds) if cell and cell.seconds and not cell.verdict else None

    def ratios(self, row, name):
        """Multiples of the limit's time, round by round."""
        cell, limit = self.cell(row, name), self.seconds(row, LIMIT)
        if limit is None or self.seconds(row, name) is None:
            return []
        wait = self.waits[name] if row.goal.waits else 0
        # A millisecond at least: what is written first has been left alone already.
        return [max(own - wait, 0.001) / bare for own, bare in zip(cell.seconds, cell.bare)]

    def cpu_ratio(self, row, name):
        ours, limit = self.cell(row, name), self.cell(row, LIMIT)
        if not (ours and limit and ours.cpu and sum(limit.cpu)):
            return None
        return median(ours.cpu) / median(limit.cpu)

    def misses(self, row):
        """The goals that DocFS did not reach, each in words; none where nothing was measured."""
        goal, seconds = row.goal, self.seconds(row, "DocFS")
        traffic = self.traffic.get((row.name, "DocFS"))
        ratios = self.ratios(row, "DocFS")
        cpu = self.cpu_ratio(row, "DocFS")
        found = []
        if goal.ratio and ratios and median(ratios) > goal.ratio:
            found.append(f"{short(median(ratios))}× instead of {goal.ratio}×")
        if goal.cpu and cpu and cpu > goal.cpu:
            found.append(f"{short(cpu)}× processor time instead of {goal.cpu}×")
        if goal.seconds and seconds and seconds > goal.seconds:
            found.append(f"{wall(seconds)} instead of {goal.seconds} s")
        if goal.requests is not None and traffic and traffic.beside_log > goal.requests:
            found.append(f"{traffic.beside_log} requests instead of {goal.requests}")
        if goal.bytes and traffic and traffic.received > goal.bytes * row.asked:
            found.append(f"{short(traffic.received / row.asked)}× the bytes asked for instead of "
                         f"{goal.bytes}×")
        return found


def goal_words(goal):
    words = []
    if goal.ratio:
        words.append(f"≤ {goal.ratio}×")
    if goal.cpu:
        words.append(f"≤ {goal.cpu}× processor time")
    if goal.seconds:
        words.append(f"≤ {goal.seconds} s")
    if goal.requests is not None:
        words.append(f"≤ {goal.requests} requests" if goal.requests else "no request")
    if goal.bytes:
        words.append(f"≤ {goal.bytes}× bytes")
    return ", ".join(words) or "–"


def time_text(results, row, name):
    cell = results.cell(row, name)
    if cell is None:
        return "–"
    return cell.verdict or (wall(median(cell.seconds)) if cell.seconds else "–")


def ratio_text(results, row, name):
    values = results.ratios(row, name)
    if not values:
        return "–"
    spread = f" ({short(min(values))}–{short(max(values))})" if len(values) > 1 else ""
    return short(median(values)) + spread


def traffic_text(traffic):
    if traffic is None:
        return "–"
    return f"{traffic.requests} / {mib(traffic.sent)} / {mib(traffic.received)}"


def mib(count):
    return "0" if count == 0 else short(count / (1 << 20)) if count >= 5243 else "< 0.01"


def cost_text(cell):
    if not cell or not cell.cpu or cell.verdict:
        return "–"
    peak = f"{cell.peak:.0f}" if cell.peak else "–"
    return f"{short(median(cell.cpu) * 1e3)} / {peak}"


def facts(work, load, rounds, store):
    def version(words, pattern):
        try:
            found = re.search(pattern, run(words, check=False))
        except (Failure, OSError):
            found = None
        return found[1] if found else None
    return {**circumstances(work, load, rounds), "curl": version(
        ["curl", "--version"], r"curl (\S+)"), "rclone": version(
        ["rclone", "version"], r"rclone v?([\d.]+)"), "gateway": version(
        ["radosgw", "--version"], r"version (\S+)") if store.own else store.address}


def caption(found):
    before, after = found["load"]
    return (f"Linux {found['kernel']}, {found['cores']} cores, {found['directory']}; Ceph's gateway "
            f"{found['gateway']}, curl {found['curl']}, rclone {found['rclone']}; load average "
            f"{before} before and {after} after; up to {found['rounds']} interleaved rounds, and one "
            "to count.")


def markdown(results, found, missing):
    others = [name for name in results.names if name != LIMIT]
    times, counts, costs, notes = [], [], [], []
    for row in results.rows:
        misses = results.misses(row)
        reached = "–" if goal_words(row.goal) == "–" or results.seconds(row, "DocFS") is None \
            else "no" if misses else "yes"
        times.append([row.name, time_text(results, row, LIMIT),
                      *(text(results, row, name) for name in others
                        for text in (time_text, ratio_text)), goal_words(row.goal), reached])
        counts.append([row.name, *(traffic_text(results.traffic.get((row.name, name)))
                                   for name in results.names)])
        costs.append([row.name, *(cost_text(results.cell(row, name)) for name in results.names)])
        if misses:
            notes.append(f"- {row.name}: {'; '.join(misses)}{kinds_text(results, row)}")
        notes += [f"- {row.name}, {name}: {cell.verdict}: {cell.reason}" for name in results.names
                  if (cell := results.cell(row, name)) and cell.verdict]
    notes += [f"- {name}: left out, {word}" for name, word in missing.items()]
    waits = ", ".join(f"{name} {results.waits[name]} s" for name in others)
    return "\n".join([
        caption(found), "",
        "Wall time, and in × the limit's: median (lowest–highest). Where something is written, the "
        f"time that an edit is left alone ({waits}) is in the seconds and not in the ratio.", "",
        table(["row", LIMIT, *(word for name in others for word in (name, "×")), "goal",
               "reached"], times), "",
        "Requests, MiB sent, MiB received, until nothing was left to do.", "",
        table(["row", *results.names], counts), "",
        "Processor time in ms, and peak memory in MiB.", "",
        table(["row", *results.names], costs), *([""] if notes else []), *notes])


def kinds_text(results, row):
    traffic = results.traffic.get((row.name, "DocFS"))
    if not traffic:
        return ""
    return ": " + ", ".join(f"{number} {kind}" for kind, number in traffic.kinds.most_common(8))


def as_json(results, found, missing):
    """Everything that was measured: every round's seconds, and requests by their kind."""
    def column(row, name):
        cell, traffic = results.cell(row, name), results.traffic.get((row.name, name))
        return {"seconds": cell.seconds, "ratios": results.ratios(row, name),
                "cpu_seconds": cell.cpu, "peak_mib": cell.peak or None,
                "verdict": cell.verdict or None, "reason": cell.reason or None,
                "traffic": traffic and {
                    "requests": traffic.requests, "sent": traffic.sent,
                    "received": traffic.received, "kinds": dict(traffic.kinds.most_common())}}
    return {"version": 1, "circumstances": found, "missing": missing, "rows": [{
        "name": row.name, "unit": row.unit, "operations": row.operations,
        "goal": goal_words(row.goal), "misses": results.misses(row), "columns": {
            name: column(row, name) for name in results.names if results.cell(row, name)},
    } for row in results.rows]}
