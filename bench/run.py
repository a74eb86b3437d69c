#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures everything that docs/explanation/performance.md shows, and writes the page.

    run.py [NAME]

The parts, in this order; each says before it starts how long it takes on two processors:

    heaps       heap snapshots of Firefox, real and made up, with Firefox beside us -> bench/results/NAME.json
    quickjs     live heaps of QuickJS                                               -> bench/results/quickjs-NAME.json
    native      recordings of programs, with heaptrack beside us                    -> bench/results/native-NAME.json
    recordings  questions about large recordings                                    -> bench/results/recordings-NAME.json
    timeline    markers, with LTTng-UST beside us                                   -> bench/results/timeline-NAME.json
    v8          heap snapshots of V8                                                -> bench/results/v8-NAME.json
    session     sessions, questions, cancelling, indexes                            -> bench/results/session-NAME.json
    rivals      the same of V8 with Chrome's developer tools and memlab; needs npm        -> bench/results/rivals-NAME.json

NAME is `latest` by default. The page goes to build/bench-data/performance.md. What is not installed is left out, with a line
that says so; a part that was not measured is shown from its committed result, if NAME has one.

    BENCH_PARTS="a b"     only these parts
    BENCH_RESUME=1        go on with the run of this name that was broken off: steps that are done are not repeated
    BENCH_PAGE=1          the page goes to docs/explanation/performance.md, and the range of ratios into README.md
    BENCH_FULL=1          also 10^8 edges, the largest heap of Firefox (10 GiB of memory), and 50 million nodes of V8
    BENCH_FIREFOX=no      without Firefox, also where it is installed
    BENCH_FILES="a b"     also these snapshots of your own
    BENCH_TRY=1           tiny files, once each: does it work? (a minute or two)
    BENCH_BUILD=DIR       build directory (default build/release)
    BENCH_DATA=DIR        where files and raw results are kept (default build/bench-data)
    BENCH_RESULTS=DIR     where results are kept (default bench/results)
    BENCH_SECONDS=N       at most about this long per file and program (default 15)
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
BESIDE = ["python3", "bench/firefox/beside.py"]
PROGRAMS = ("load_bench", "census_bench", "dominators_bench", "paths_bench", "save_bench")
SHAPES = ("list", "list-back", "star", "star-back", "grid", "wide", "shuffled-list", "random", "shared-tail")
# Firefox is not asked about larger files: its dominator tree alone takes 20 microseconds per node.
FIREFOX_NODES_MOST = 10_000_000


class Settings:
    def __init__(self, name):
        env = os.environ
        self.name = name
        self.build = env.get("BENCH_BUILD") or "build/release"
        self.data = pathlib.Path(env.get("BENCH_DATA") or "build/bench-data")
        self.full, self.small = bool(env.get("BENCH_FULL")), bool(env.get("BENCH_TRY"))
        self.resume, self.page = bool(env.get("BENCH_RESUME")), bool(env.get("BENCH_PAGE"))
        self.files = (env.get("BENCH_FILES") or "").split()
        self.parts = (env.get("BENCH_PARTS") or "").split()
        self.seconds = 0 if self.small else float(env.get("BENCH_SECONDS") or 15)
        self.results = env.get("BENCH_RESULTS") or "bench/results"
        self.firefox = None if env.get("BENCH_FIREFOX") == "no" else self.firefox_version()

    @staticmethod
    def firefox_version():
        said = subprocess.run([*BESIDE, "version"], capture_output=True, text=True, check=False)
        return said.stdout.strip() if said.returncode == 0 else None

    def command(self):
        """What a reader types to repeat this run."""
        kept = ("BENCH_PARTS", "BENCH_FULL", "BENCH_TRY", "BENCH_SECONDS")
        return " ".join([f"{key}='{value}'" if " " in value else f"{key}={value}"
                         for key, value in ((key, os.environ.get(key)) for key in kept) if value] + ["make bench"])


def say(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


def duration(seconds):
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


class Step:
    """What is done in one go, and not repeated when the run is resumed."""

    def __init__(self, part, name, seconds, action):
        self.part, self.name, self.seconds, self.action = part, name, seconds, action


# ---- heaps ----------------------------------------------------------------------------------------------------------

class Heaps:
    """Steps of the part, one per file. A step writes the runs of ubiheap and of Firefox on that file to a file of its own."""

    def __init__(self, settings, folder):
        self.s, self.folder = settings, folder
        self.order = []

    def steps(self):
        yield self.of_file("tests/data/fx/tiny-before.fxsnapshot", None, 7_199)
        for path in self.s.files:
            if ".heapsnapshot" not in path:
                yield self.of_file(path, None, os.path.getsize(path) // 8)
        yield from self.of_firefox()
        small = self.s.small
        sizes = {"10k": 3_205, "100k": 32_051}
        if not small:
            sizes |= {"1M": 320_512, "10M": 3_205_128}
        if self.s.full:
            sizes["100M"] = 32_051_282
        for edges, nodes in sizes.items():
            yield self.generated(f"browser-{edges}", ["--edges", edges], nodes)
        edges, divisor = ("10k", 100) if small else ("1M", 1)
        yield self.generated(f"stacks-{edges}", ["--edges", edges, "--stacks", "50"], 320_512 // divisor)
        for shape, nodes in (("random-ids", 320_512), ("inline-names", 320_512), ("unreachable", 320_512), ("shuffled", 333_334),
                             ("list", 1_000_001), ("star", 1_000_001), ("grid", 499_849)):
            yield self.generated(f"{shape}-{edges}", ["--shape", shape, "--edges", edges], nodes // divisor)
        yield self.keep("shapes", None, None, 10 if small else 100, self.measure_shapes)

    def of_firefox(self):
        if not self.s.firefox:
            say("there is no Firefox (Debian package firefox-esr): no heaps of it, and no ratios to it")
            return
        counts = {"tiny-browser": (1_000, 340_000)} if self.s.small else {
            "medium": (1_000, 340_000), "large": (1_700_000, 2_800_000)}
        if self.s.full:
            counts["xlarge"] = (5_600_000, 8_600_000)
        for name, (count, nodes) in counts.items():
            path = self.s.data / f"{name}.fxsnapshot"
            make = [*BESIDE, "make", str(count), str(path)]
            shown = f"python3 bench/firefox/beside.py make {count} {name}.fxsnapshot"
            yield self.of_file(path, shown, nodes, make, 20 + nodes / 80_000)

    def generated(self, name, options, nodes):
        path = self.s.data / f"{name}.fxsnapshot"
        make = [f"{self.s.build}/bench/generate", *options, str(path)]
        return self.of_file(path, f"build/release/bench/generate {' '.join(options)} {path.name}", nodes, make, nodes / 1e6)

    def asks_firefox(self, nodes):
        return self.s.firefox and nodes <= FIREFOX_NODES_MOST

    def of_file(self, path, shown, nodes, make=None, make_seconds=0):
        path = pathlib.Path(path)
        seconds = 1.5 + min(4e-6 * nodes + 2, self.s.seconds + 10e-6 * nodes) + 3e-6 * nodes
        if self.asks_firefox(nodes):
            seconds += 6 + max(min(self.s.seconds, 150e-6 * nodes), 30e-6 * nodes)
        if make and not path.exists():
            seconds += make_seconds
        return self.keep(path.name, path, shown, seconds, lambda out: self.measure_file(out, path, nodes, make))

    def keep(self, name, path, shown, seconds, measure):
        self.order.append((name, path, shown))

        def action():
            part = self.folder / f"heaps-{name}.part"
            with open(part, "w", encoding="utf-8") as out:
                measure(out)
            part.rename(self.folder / f"heaps-{name}.jsonl")
        return Step("heaps", name, seconds, action)

    def measure_file(self, out, path, nodes, make):
        if make and not path.exists():
            say(f"making {path.name}")
            partial = path.with_name(f"part.{path.name}")
            subprocess.run([*make[:-1], str(partial)], check=True, stderr=subprocess.DEVNULL)
            partial.rename(path)
        for program in PROGRAMS:
            options = ["--seconds", str(self.s.seconds)] if program == "load_bench" else []
            options += ["--repeats", "1"] if self.s.small and program != "load_bench" else []
            subprocess.run([f"{self.s.build}/bench/{program}", *options, str(path)], check=True, stdout=out)
        if self.asks_firefox(nodes):
            subprocess.run([*BESIDE, "measure", "--build", self.s.build, "--seconds", str(self.s.seconds), str(path)],
                           check=True, stdout=out)

    def measure_shapes(self, out):
        nodes = "100000" if self.s.small else "10000000"
        program = f"{self.s.build}/bench/dominators_bench"
        for shape in SHAPES:
            subprocess.run([program, "--repeats", "3", "--nodes", nodes, f"shape:{shape}"], check=True, stdout=out)
        subprocess.run([program, "--repeats", "3", "--nodes", "1000000", "shape:dense"], check=True, stdout=out)

    def collect(self):
        raw, files = self.folder / "heaps.jsonl", self.folder / "heaps.files"
        raw.write_text("".join((self.folder / f"heaps-{name}.jsonl").read_text() for name, _, _ in self.order))
        files.write_text("".join(f"{path}\t{shown or ''}\n" for _, path, shown in self.order if path))
        done = subprocess.run(["python3", "bench/report.py", "collect", "--build", self.s.build, "--files", str(files),
                               "--name", self.s.name, "--by", self.s.command(),
                               *(["--firefox", self.s.firefox] if self.s.firefox else []), str(raw)],
                              check=True, capture_output=True, text=True)
        pathlib.Path(f"{self.s.results}/{self.s.name}.json").write_text(done.stdout)


# ---- the other parts ------------------------------------------------------------------------------------------------

def script(*command, **variables):
    def action():
        environment = {key: value for key, value in os.environ.items() if key != "BENCH_PAGE"}
        subprocess.run(["sh", *command], check=True, stdout=subprocess.DEVNULL, env={**environment, **variables})
    return action


def rivals(settings):
    big = settings.data / "big.heapsnapshot"

    def action():
        if not big.exists():
            say("making big.heapsnapshot, one minute and 4 GB of memory")
            script("bench/rivals/make-big.sh", str(big))()
        script("bench/rivals/run.sh", str(big), RIVALS_NAME=f"rivals-{settings.name}")()
    return action


def steps_of(settings, heaps):
    small, name = settings.small, settings.name
    yield from heaps.steps()
    yield Step("quickjs", "live heaps of QuickJS", 20 if small else 180, script("bench/quickjs.sh", name))
    yield Step("native", "recordings of programs", 40 if small else 550, script("bench/native.sh", name))
    yield Step("recordings", "large recordings", 10 if small else 900, script("bench/recordings.sh", name))
    yield Step("timeline", "markers", 10 if small else 60, script("bench/timeline.sh", name))
    v8_seconds = 20 if small else 1800 if settings.full else 900
    yield Step("v8", "heap snapshots of V8", v8_seconds, script("bench/v8.sh", name))
    yield Step("session", "sessions, questions, indexes", 10 if small else 180, script("bench/session.sh", name))
    if small:
        return
    if shutil.which("node") and shutil.which("npm"):
        yield Step("rivals", "Chrome's developer tools and memlab", 480, rivals(settings))
    else:
        say("there is no Node.js or no npm: Chrome's developer tools and memlab are left out")


PARTS = ("heaps", "quickjs", "native", "recordings", "timeline", "v8", "session", "rivals")


# ---- the run --------------------------------------------------------------------------------------------------------

def check_programs(settings):
    for program in [*PROGRAMS, "generate"]:
        path = f"{settings.build}/bench/{program}"
        if not os.access(path, os.X_OK):
            sys.exit(f"bench: {path} is missing; `make bench` builds it")


def announce(steps, done):
    total = 0
    for part in PARTS:
        left = [step for step in steps if step.part == part and not done(step)]
        seconds = sum(step.seconds for step in left)
        total += seconds
        if left:
            say(f"{part:<9} about {duration(seconds):>6}, {len(left)} step{'s' * (len(left) > 1)}")
    say(f"together  about {duration(total):>6} on two processors that have nothing else to do")
    load = os.getloadavg()[0]
    if load > 0.5:
        say(f"this machine is busy (load {load:.1f}): the numbers will not be worth much")
    return total


def run_steps(steps, folder):
    def mark(step):
        return folder / f"done.{step.part}-{step.name.replace(' ', '-').replace('/', '-')}"

    left = announce(steps, lambda step: mark(step).exists())
    began = time.monotonic()
    for number, step in enumerate(steps, 1):
        if mark(step).exists():
            continue
        say(f"[{number}/{len(steps)}] {step.part}: {step.name}, about {duration(step.seconds)}; "
            f"{duration(left)} to go, {duration(time.monotonic() - began)} gone")
        try:
            step.action()
        except subprocess.CalledProcessError as error:
            sys.exit(f"bench: `{' '.join(map(str, error.cmd))}` ended with status {error.returncode}\n"
                     f"bench: BENCH_RESUME=1 goes on from here")
        mark(step).touch()
        left -= step.seconds


def main():
    os.chdir(ROOT)
    if len(sys.argv) > 2 or sys.argv[1:2] in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    settings = Settings(sys.argv[1] if len(sys.argv) > 1 else "latest")
    unknown = [part for part in settings.parts if part not in PARTS]
    if unknown:
        sys.exit(f"bench: no part is called {unknown[0]}; there are {', '.join(PARTS)}")
    check_programs(settings)
    folder = settings.data / f"run-{settings.name}"
    if not settings.resume:
        shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    pathlib.Path(settings.results).mkdir(exist_ok=True)
    heaps = Heaps(settings, folder)
    steps = [step for step in steps_of(settings, heaps) if not settings.parts or step.part in settings.parts]
    run_steps(steps, folder)
    if any(step.part == "heaps" for step in steps):
        heaps.collect()
    page = "docs/explanation/performance.md" if settings.page else str(settings.data / "performance.md")
    subprocess.run(["sh", "bench/page.sh", settings.name, page], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
