"""On an S3 store: DocFS beside a direct client and rclone, each row timed straight to the store and
then once more through proxies that count."""

import math
import os
import re
import shutil
import time

import chart
import cloud_peers
import cloud_report
import cloud_rows
import measure
from cloud_peers import LIMIT, DocFSBucket
from cloud_work import PAGE, tree
from fixtures import bytes_of
from measure import say
from processes import Failure
from rows import Wrong
from servers import Store

# Seconds. A contestant whose turn in a scene takes longer is not asked a second time.
LONG_TURN = 90


class Cloud:
    """One run: its store, its contestants, its results."""

    def __init__(self, options, docfs, work, workload):
        self.docfs, self.work = docfs, work
        self.sizes = cloud_rows.QUICK if options.quick else cloud_rows.Sizes()
        self.rounds = 1 if options.quick else measure.ROUNDS
        wanted = re.compile(options.rows)
        self.scenes = [scene for scene in cloud_rows.scenes(self.sizes, workload, work)
                       if any(wanted.search(row.name) for row in scene.rows)]
        self.rows = [row for scene in self.scenes for row in scene.rows]
        self.cells, self.traffic, self.missing = {}, {}, {}
        self.contestants, self.others, self.store = [], [], None
        self.address = options.store
        self.only = options.only.split(",") if options.only else None
        if options.quick:
            DocFSBucket.settle = 0.1

    def measure(self):
        say("starting the store")
        self.store = Store(self.work, self.address)
        (self.work / "page").write_bytes(bytes_of(PAGE))
        with open(self.work / "large", "wb") as file:
            for number in range(self.sizes.large_mib):
                file.write(bytes_of(1 << 20, number))
        for stage in dict.fromkeys(scene.stage for scene in self.scenes):
            self.measure_stage(stage, [scene for scene in self.scenes if scene.stage == stage])

    def measure_stage(self, stage, scenes):
        say(f"preparing {stage}")
        # What is only read is the same for all.
        def prefix(name):
            return f"{stage}-{name}" if stage == "changes" else stage
        self.contestants, self.missing = cloud_peers.find(
            self.work / stage, self.store, prefix, self.docfs, self.only)
        for name in dict.fromkeys(contestant.prefix for contestant in self.contestants):
            getattr(self, f"fill_{stage}")(name)
        for contestant in self.contestants:
            # A container is there before it is measured; what takes it over is a row of its own.
            if contestant.name == "DocFS" and stage != "listing":
                contestant.documents = len(self.store.bucket.listing(contestant.prefix + "/"))
                contestant.remount()
                contestant.documents = 0
        for scene in scenes:
            self.measure_scene(scene)
        self.stop()

    def measure_scene(self, scene):
        say(f"  {scene.rows[0].name} …")
        if scene.stage == "cold":
            self.warm("cold/")
        for contestant in self.contestants:
            contestant.take(straight=scene.delay == 0, delay=scene.delay)
            if scene.pair and contestant.name == "DocFS":
                contestant.other = contestant.another(self.store)
                self.others.append(contestant.other)
                contestant.other.remount()
        measure.measure_scene(scene, self.contestants, self.cells, math.inf, self.rounds, LONG_TURN)
        for contestant in self.contestants:
            contestant.take(straight=False, delay=scene.delay)
            try:
                self.count(scene, contestant)
            except (Failure, OSError, Wrong) as failure:
                say(f"  {contestant.name}, to be counted: {failure}")

    def count(self, scene, contestant):
        """One more round of a scene, with what it costs in requests and bytes."""
        if scene.cold:
            contestant.remount()
        for row in scene.rows:
            cell = self.cells.get((row.name, contestant.name))
            if not cell or cell.verdict:
                continue
            mark = contestant.proxy.mark()
            row.measure(contestant, self.rounds)
            contestant.rest(120)
            traffic = contestant.proxy.since(mark)
            self.traffic[row.name, contestant.name] = traffic
            if traffic.received < row.asked:
                cell.verdict = "WRONG"
                cell.reason = f"not cold: {traffic.received} of {row.asked} bytes were fetched"

    # What lies in the bucket before anything is mounted

    def put(self, file, keys):
        bucket = self.store.bucket
        for first in range(0, len(keys), 1000):
            bucket.curl(bucket.puts(keys[first:first + 1000], file), 8)

    def fill_listing(self, prefix):
        (self.work / "line").write_bytes(b"a document\n")
        self.put(self.work / "line", [f"{prefix}/flat/document-{i:06}"
                                      for i in range(self.sizes.listing)])
        # Younger ones may be another device's, and are asked for one by one: few buckets have many.
        say(f"  {self.sizes.rest} s until none of it is young")
        time.sleep(self.sizes.rest)

    def fill_cold(self, prefix):
        (self.work / "mebibyte").write_bytes(bytes_of(1 << 20))
        count = self.sizes.documents
        for folder, file in (("one", "page"), ("eight", "page"), ("headers", "mebibyte")):
            self.put(self.work / file, [f"{prefix}/{path}"
                                        for path in tree(folder, count)])
        self.put(self.work / "large", [f"{prefix}/large"])
        for name in ("first", "far"):
            for i in range(self.sizes.firsts):
                self.store.bucket.copy(f"{prefix}/large", f"{prefix}/{name}-{i}")

    def fill_changes(self, prefix):
        for path in ("shared", "foreign"):
            self.store.bucket.put(f"{prefix}/{path}", b"as it was\n")
        self.put(self.work / "page", [f"{prefix}/pair-0/f{i}" for i in range(self.sizes.documents)])

    def warm(self, prefix):
        bucket = self.store.bucket
        bucket.curl(bucket.gets(list(bucket.listing(prefix))), 8)

    # Its end

    def show(self, load):
        """Prints the tables; answers what is saved as JSON, and the chart."""
        measured = {name for _, name in self.cells}
        names = [name for name in cloud_peers.NAMES if name in measured]
        waits = {contestant.name: contestant.wait for contestant in self.contestants}
        results = cloud_report.Results(self.rows, names, self.cells, self.traffic, waits)
        found = cloud_report.facts(self.work, [load, os.getloadavg()[0]], self.rounds, self.store)
        print(cloud_report.markdown(results, found, self.missing))
        return cloud_report.as_json(results, found, self.missing), self.chart(results)

    def chart(self, results):
        shown = [row for row in self.rows
                 if any(results.ratios(row, name) for name in results.names if name != LIMIT)]
        by_cell = {id(results.cell(row, name)): results.ratios(row, name)
                   for row in shown for name in results.names}
        return chart.svg(
            shown, results.names, self.cells, cloud_report.TITLE,
            lambda cell: by_cell[id(cell)],
            {row.name: row.goal.ratio for row in shown if row.goal.ratio}, least=0.1)

    def lacking(self):
        """Figures that a row did not give, though it is for that column; a bound is a figure."""
        return [(row.name, name) for row in self.rows for name in (LIMIT, "DocFS")
                if not (row.only and name not in row.only or self.only and name not in
                        (LIMIT, *self.only)) and not self.has_figure(row, name)]

    def has_figure(self, row, name):
        cell = self.cells.get((row.name, name))
        if cell and cell.verdict.startswith(">"):
            return True
        return cell and cell.seconds and not cell.verdict and (row.name, name) in self.traffic

    def has_failed(self):
        """Whether DocFS, or the limit, could not do what a row asks. Times never fail."""
        for row, name in (lacking := self.lacking()):
            say(f"bench: no figure of {name}: {row}")
        return bool(lacking)

    def words(self):
        return f"{len({name for name, _ in self.cells})} rows on S3"

    def stop(self):
        for contestant in [*self.others, *self.contestants]:
            contestant.end()
        self.others = []

    def tidy(self):
        try:
            self.stop()
        except Failure as failure:
            say(f"bench: {failure}; left in place: {self.work}")
            return
        finally:
            if self.store:
                self.store.stop()
        shutil.rmtree(self.work, ignore_errors=True)
