#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Perspectives over a recording: a window of time (--at, --from and --to), groups, and what was alive by time. All numbers are those that a plain model computes from the exported tables of
the whole recording, of recordings made at random, exact and sampled ones, and of the samples."""
import collections
import json
import math
import os
import pathlib
import random
import subprocess
import tempfile
import unittest
from decimal import Decimal

import ubirec_encoder

UBIHEAP = os.environ["UBIHEAP"]
SAMPLES = pathlib.Path(os.environ["UBI_SOURCE_DIR"]) / "tests" / "data" / "ubirec"
FILES = ("server", "growing", "sampled", "stripped", "few", "crashed")
CLASSES = {"malloc": "heap", "new": "heap", "calloc": "heap", "realloc": "heap", "operator new": "heap"}
OPTIONS = ["--no-symbols", "--no-wrappers"]
MS = 10**6


def seeds(n):
    """Of random recordings: 1 to n, and under sanitizers, where the tool takes several times as long, a quarter of them."""
    return range(1, (n if os.environ.get("UBI_PRESET_KIND", "plain") == "plain" else n // 4) + 1)


def run(*arguments):
    done = subprocess.run([UBIHEAP, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stdout.decode()


def ask(question, *arguments):
    return json.loads(run(question, "--json", *OPTIONS, *arguments), parse_float=Decimal)


def ask_plain(*arguments):
    return json.loads(run(arguments[0], "--json", *arguments[1:]), parse_float=Decimal)


# ---- the model -----------------------------------------------------------------------------------------------------------------

class Event:
    def __init__(self, row):
        self.ns = int(Decimal(row["timestamp"]) * MS)
        self.weight, self.trace, self.number, self.bytes = abs(row["size"]), row["traceIdx"], row["allocation"], row["bytes"]
        self.is_free, self.thread, self.kind = row["size"] < 0, row["thread"], row["kind"]


class Model:
    """What happened from `begin` on and before `end`, in ns; None: no limit."""

    def __init__(self, events, of_class, begin, end):
        begin = begin or 0
        self.begin = begin
        self.live, self.made, self.peak_state, self.steps = {}, {}, None, []
        self.total, self.temporary, self.lifetimes = [], [], collections.Counter()
        last = {}
        for e in (e for e in events if end is None or e.ns < end):
            if self.peak_state is None and e.ns >= begin:
                self.begin_window()
            before = last.get(e.thread)
            last[e.thread] = e
            if CLASSES[e.kind] != of_class:
                continue
            if e.is_free:
                made = self.live.pop(e.number)
                if made.ns >= begin:
                    self.temporary += [made] if before is made else []
                    self.lifetimes[self.bucket(e.ns // MS - made.ns // MS)] += made.weight
            else:
                self.live[e.number] = e
                self.total += [e] if e.ns >= begin else []
            if self.peak_state is not None:
                self.step(e.ns)
        if self.peak_state is None:
            self.begin_window()
        self.leaked = [e for e in self.live.values() if e.ns >= begin]

    @staticmethod
    def bucket(ms):
        return next((i for i in range(6) if ms < 10**i), 6)

    def begin_window(self):
        self.peak_state, self.peak_ns = list(self.live.values()), self.begin
        self.peak_bytes = sum(e.weight for e in self.peak_state)
        self.steps.append((self.begin, self.peak_bytes))

    def step(self, ns):
        now = sum(e.weight for e in self.live.values())
        self.steps.append((ns, now))
        if now > self.peak_bytes:
            self.peak_state, self.peak_bytes, self.peak_ns = list(self.live.values()), now, ns

    def measure(self, name):
        return {"live": list(self.live.values()), "leaked": self.leaked, "total": self.total, "peak": self.peak_state,
                "temporary": self.temporary}[name]

    def most_between(self, begin, end):
        """Of the curve: the most that lived when `begin` came, or after it and before `end`."""
        before = [bytes_ for ns, bytes_ in self.steps if ns < begin][-1:]
        return max(before + [bytes_ for ns, bytes_ in self.steps if begin <= ns < end])


class Tables:
    def __init__(self, path):
        tables = ask_tables(path)
        self.events = [Event(row) for row in tables["events"]]
        self.names, self.traces = tables["names"], tables["traces"]

    def stack(self, trace):
        names = []
        while trace:
            names.append(self.names[self.traces[trace]["nameIdx"]])
            trace = self.traces[trace]["parentIdx"]
        return ";".join(["all", *reversed(names)][1:])


def ask_tables(path, *window):
    return json.loads(run("export", "--format", "tables", "--extended", "--no-symbols", "--allocators", *window, path),
                      parse_float=Decimal)


def window_options(begin, end):
    options = [] if begin is None else ["--from", f"{begin // 1000}us"]
    return options + ([] if end is None else ["--to", f"{end // 1000}us"])


# ---- recordings ----------------------------------------------------------------------------------------------------------------

def has_undone(seed):
    return seed % 3 == 0


def random_recording(seed):
    r = random.Random(seed)
    period = (1, 1, 65536, 1000)[seed % 4]
    out = ubirec_encoder.Encoder(period)
    kinds = [out.kind("malloc", ubirec_encoder.HEAP), out.kind("new", ubirec_encoder.HEAP),
             out.kind("Array", ubirec_encoder.OBJECT)]
    frames = [out.label(f"f{i}") for i in range(6)]
    traces = [0]
    for _ in range(20):
        traces.append(out.trace(r.choice(traces), r.choice(frames)))
    infos = []
    for _ in range(30):
        size = r.choice((int(period == 1), 1, 16, 100, 5000, 1 << 20))
        weight = size if period == 1 else 65536 * r.randrange(1, 4) if period == 65536 else max(size, 1) * r.randrange(1, 9)
        infos.append(out.info(r.choice(kinds), size, r.choice(traces), weight))
    threads = [out.new_thread(100 + i) for i in range(3)]
    now, live = 0, []
    for _ in range(r.choice((10, 300, 900))):
        if r.random() < 0.4:
            now += r.choice((1, 50, 3000, 40_000)) * 1000
            out.at(now)
        if r.random() < 0.1:
            out.switch(r.choice(threads))
        step = r.random()
        if step < 0.55 or not live:
            info = r.choice(infos)
            live.append((out.alloc(info), info))
            if r.random() < 0.3:
                out.free(live.pop()[0])
        elif step < 0.9:
            out.free(live.pop(r.randrange(len(live)))[0])
        elif has_undone(seed):  # realloc finds no memory, and what it does next is something else
            number, info = r.choice(live)
            out.free(number)
            if r.random() < 0.5:
                now += 20_000
                out.at(now)
            out.undone(number, info)
            live.append((out.alloc(infos[0]), infos[0]))
        if r.random() < 0.02:
            out.flush()
    return out.end(), now


# ---- the tests -----------------------------------------------------------------------------------------------------------------

CLASSES["Array"] = "object"


class Windows(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def random_file(self, seed):
        path = self.folder / f"{seed}.ubirec"
        data, end = random_recording(seed)
        path.write_bytes(data)
        return path, end

    def assert_sum(self, document, rows, words):
        self.assertEqual(document["samples"], len(rows), words)
        self.assertEqual(document["bytes"], sum(e.weight for e in rows), words)

    def assert_report(self, report, tables, begin, end, has_mappings=False, has_lifetimes=True, last=math.inf):
        """`last`: the end of the recording, if the window begins after it."""
        for of_class in ("heap", "object"):
            model, words = Model(tables.events, of_class, begin, end), (of_class, begin, end)
            document = report[of_class]
            for name in ("live", "leaked", "total", "peak"):
                self.assert_sum(document[name], model.measure(name), (*words, name))
            if report["exact"] and not has_mappings:
                self.assert_sum(document["temporary"], model.temporary, words)
            self.assertEqual(document["peakTimeMs"], Decimal(min(model.peak_ns if model.peak_state else begin or 0, last)) / MS, words)
            if of_class == "heap":
                self.assert_histograms(report, model, words, has_lifetimes)

    def assert_histograms(self, report, model, words, has_lifetimes):
        if has_lifetimes:
            found = [row["bytes"] for row in report["lifetimes"]]
            self.assertEqual(found, [model.lifetimes[i] for i in range(7)], words)
        sizes = collections.Counter(1 << e.bytes.bit_length() for e in model.total)
        self.assertEqual({row["belowBytes"]: row["samples"] for row in report["sizes"]}, dict(sizes), words)
        if not model.steps or not report["curve"]["liveBytes"]:
            return
        step = report["curve"]["stepMs"] * MS
        begin = model.begin // step * step
        for i, live in enumerate(report["curve"]["liveBytes"]):
            first = max(model.begin, begin + i * step)
            self.assertEqual(live, model.most_between(first, begin + (i + 1) * step), (*words, i))

    def assert_window(self, path, tables, begin, end, **what):
        options = window_options(begin, end)
        self.assert_report(ask("report", *options, path), tables, begin, end, **what)
        model = Model(tables.events, "heap", begin, end)
        if not model.total and not model.peak_state:  # the picture is of objects then
            return
        for by in random.Random(begin).sample(("leaked", "peak", "total", "live"), 2):
            expected = collections.Counter()
            for e in model.measure(by):
                expected[e.trace] += e.weight
            self.assert_stacks(path, tables, expected, by, options)

    def assert_stacks(self, path, tables, expected, by, options):
        """Sums of stacks, and of the whole of a flame graph."""
        lines = run("export", "--format", "collapsed", "--allocators", "--by", by, *OPTIONS, *options, path).splitlines()
        sums = collections.Counter()
        for trace, weight in expected.items():
            sums[tables.stack(trace)] += weight
        found = collections.Counter()
        for line in lines:
            stack, value = line.rsplit(" ", 1)
            found[stack] += int(value)
        self.assertEqual(sum(found.values()), sum(sums.values()), (by, options))
        if all(name.startswith("f") and name[1:].isdigit() for name in tables.names[1:]):
            known = {stack: n for stack, n in sums.items() if stack and n}
            self.assertEqual({stack: n for stack, n in found.items() if stack.startswith("f")}, known, (by, options))
        graph = ask("flamegraph", "--allocators", "--by", by, *options, path)
        self.assertEqual(graph["total"], sum(sums.values()), (by, options))

    def test_windows_of_random_recordings_have_the_numbers_of_their_events(self):
        for seed in seeds(16):
            path, end = self.random_file(seed)
            tables, r = Tables(path), random.Random(seed)
            times = sorted({e.ns for e in tables.events}) or [0]
            for _ in range(2):
                a, b = sorted(r.choice((r.choice(times), r.randrange(end // 1000 + 2) * 1000)) for _ in "ab")
                with self.subTest(seed=seed):
                    if any(CLASSES[e.kind] == "heap" for e in tables.events):
                        for window in ((a, max(b, a + 1000)), (None, b + 1000), (a, None)):
                            self.assert_window(path, tables, *window, has_lifetimes=not has_undone(seed))

    def test_windows_of_the_samples_have_the_numbers_of_their_events(self):
        for name in FILES:
            path = SAMPLES / f"{name}.ubirec"
            tables = Tables(path)
            times = sorted({e.ns // 1000 * 1000 for e in tables.events})
            for begin, end in ((times[len(times) // 4], times[len(times) // 2] + 1000), (None, times[len(times) // 3] + 1000),
                               (times[len(times) // 2], None)):
                with self.subTest(name, begin=begin, end=end):
                    self.assert_window(path, tables, begin, end, has_mappings=True)

    def test_one_moment_is_everything_up_to_then(self):
        for seed in (1, 2, 3, 4):
            path, _ = self.random_file(seed)
            tables = Tables(path)
            ns = tables.events[len(tables.events) // 2].ns
            report = ask("report", "--at", f"{ns // 1000}us", path)
            self.assertEqual(report["window"], {"atMs": Decimal(ns) / MS})
            self.assert_report(report, tables, None, ns + 1, has_lifetimes=not has_undone(seed))
            self.assertEqual(report["sortedBy"], "live")

    def group_rows(self, path, group, options):
        return ask_plain("allocations", "--group", group, "--limit", "0", *options, path)["groups"]

    def assert_rows(self, rows, key, of_event, model, words):
        """Each row of a group has the sums of its events."""
        for name in ("live", "leaked", "total", "peak"):
            expected = collections.Counter()
            for e in model.measure(name):
                expected[of_event(e)] += e.weight
            found = {row[key]: int(row[name]["bytes"]) for row in rows if row[name]["bytes"]}
            self.assertEqual(found, {k: n for k, n in expected.items() if n}, (*words, name))

    def test_groups_have_the_numbers_of_their_events(self):
        for seed in seeds(12):
            path, end = self.random_file(seed)
            tables, begin, end = Tables(path), end // 4000 * 1000, end // 4000 * 3000 + 1000
            model, options = Model(tables.events, "heap", begin, end), window_options(begin, end)
            if not model.total and not model.peak_state:
                continue
            makers = {e.number: e.thread for e in tables.events if not e.is_free}
            self.assert_rows(self.group_rows(path, "thread", options), "tid", lambda e: makers[e.number], model, (seed, options))
            heap = [row for row in self.group_rows(path, "kind", options) if row["class"] == "heap"]
            self.assert_rows(heap, "name", lambda e: e.kind, model, (seed, options))
            self.assert_rows(self.group_rows(path, "size", options), "belowBytes", lambda e: 1 << e.bytes.bit_length(), model,
                             (seed, options))
            lifetimes = [row["total"]["bytes"] for row in self.group_rows(path, "lifetime", options)]
            if not has_undone(seed):
                self.assertEqual(sum(lifetimes), sum(e.weight for e in model.total))
            for group in ("file", "module"):  # label frames have neither
                rows = self.group_rows(path, group, options)
                self.assertEqual([row["name"] for row in rows], ["(unknown)"])
                with_stack = [e for e in model.total if e.trace]
                self.assertEqual(rows[0]["withCallees"]["total"]["bytes"], sum(e.weight for e in with_stack))

    def test_what_was_alive_by_time_is_what_the_events_say(self):
        for seed in seeds(12):
            path, end = self.random_file(seed)
            for options in ([], ["--from", f"{end // 3000}us", "--to", f"{end // 2000 + 1}us"]):
                curve = ask_plain("allocations", "--timeline", "--by", "peak", "--limit", "0", *options, path)
                self.assert_curve(curve, Tables(path), (seed, options))

    def assert_curve(self, curve, tables, words):
        begin, step = int(curve["fromMs"] * MS), int(curve["stepMs"] * MS)
        events = [e for e in tables.events if CLASSES[e.kind] == curve["class"]]
        names = [site["place"]["function"] if site["place"] else None for site in curve["sites"]]
        live, points, at = {}, [], iter(events)
        upcoming = next(at, None)
        for i in range(len(curve["liveBytes"])):
            first, most = begin + i * step, None
            while upcoming and upcoming.ns < first + step:
                if upcoming.ns >= first and most is None:
                    most = dict(live)
                live.pop(upcoming.number) if upcoming.is_free else live.__setitem__(upcoming.number, upcoming)
                if most is not None and self.weight(live) > self.weight(most):
                    most = dict(live)
                upcoming = next(at, None)
            points.append(most if most is not None else dict(live))
        self.assertEqual(curve["liveBytes"], [self.weight(point) for point in points], words)
        for site, name in zip(curve["sites"], names):
            of_site = [sum(e.weight for e in point.values() if self.leaf(tables, e) == name) for point in points]
            self.assertEqual(site["liveBytes"], of_site, (*words, name))
            self.assertEqual(site["mostBytes"], max(of_site), (*words, name))

    @staticmethod
    def weight(live):
        return sum(e.weight for e in live.values())

    @staticmethod
    def leaf(tables, e):
        return tables.names[tables.traces[e.trace]["nameIdx"]] if e.trace else None

    def test_exported_events_of_a_window_are_those_of_what_was_allocated_in_it(self):
        for seed in (1, 2, 3, 4):
            path, end = self.random_file(seed)
            tables, begin, end = Tables(path), end // 4000 * 1000, end // 2000 * 1000
            report = ask("report", *window_options(begin, end), path)
            events = [Event(row) for row in ask_tables(path, *window_options(begin, end))["events"]]
            self.assertTrue(all(begin <= e.ns < end for e in events))
            signed = sum(-e.weight if e.is_free else e.weight for e in events)
            self.assertEqual(signed, report["heap"]["leaked"]["bytes"] + report["object"]["leaked"]["bytes"])
            made = sum(e.weight for e in events if not e.is_free)
            self.assertEqual(made, report["heap"]["total"]["bytes"] + report["object"]["total"]["bytes"])
            for form in ("heaptrack", "firefox", "chrome", "pprof", "svg"):
                file = self.folder / f"out.{form}"
                run("export", "--format", form, "-o", file, *window_options(begin, end), path)
                self.assertGreater(file.stat().st_size, 0)
            self.assertGreaterEqual(len(tables.events), len(events))

    def test_a_window_that_begins_after_the_end_has_what_lived_then(self):
        path, end = self.random_file(2)
        tables = Tables(path)
        report = ask("report", "--from", f"{end // 1000 + 5}us", path)
        self.assertEqual(report["heap"]["total"]["samples"], 0)
        self.assert_report(report, tables, end + 5000, None, last=end)

    def test_windows_that_cannot_be_are_refused(self):
        path, _ = self.random_file(1)
        for words, options in (("--from must be before --to", ("--from", "2s", "--to", "1s")),
                               ("--at is one moment", ("--at", "1s", "--to", "2s")),
                               ("--at: expected a time", ("--at", "soon")),
                               ("--by live is for --at", ("--by", "live"))):
            for question in ("report", "flamegraph", "allocations"):
                done = subprocess.run([UBIHEAP, question, *options, path], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 2, (question, options))
                self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main()
