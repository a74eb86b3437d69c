#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What resident memory is used for: of a program that knows it, of programs that people run, and of those that may not be looked into."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import record_place
from address_limit import lift_limit

try:
    import jsonschema
except ImportError:
    jsonschema = None

MIB = 1 << 20
ALLOCATORS = (("libjemalloc.so.2", "jemalloc"), ("libmimalloc.so.2", "mimalloc"), ("libtcmalloc_minimal.so.4", "tcmalloc"))
READ = ("mimalloc",)  # whose memory says what is in it
SCHEMAS = pathlib.Path(os.environ["UBI_SOURCE_DIR"]) / "docs" / "reference" / "schema"
# Each says "ready" when it has what it needs, and lasts until its standard input ends.
PYTHON = "import sys; a = [{'i': i, 's': str(i)} for i in range(100000)]; print('ready', flush=True); sys.stdin.read()"
NODE = "let a = []; for (let i = 0; i < 2e5; i++) a.push({ i, s: 's' + i }); console.log('ready'); process.stdin.resume();"
JAVA = """public class Ready { public static void main(String[] x) throws Exception { var a = new java.util.ArrayList<String>();
for (int i = 0; i < 200000; i++) a.add("s" + i); System.out.println("ready"); System.in.read(); System.out.println(a.size()); } }"""


def rss(*arguments, **more):
    return subprocess.run([record_place.UBIHEAP, "rss", *map(str, arguments)], capture_output=True, text=True,
                          env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}, **more)


def kernels_number(pid, name):
    for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024
    raise AssertionError(name)


class Rss(unittest.TestCase):
    def setUp(self):
        self.place = record_place.Place(self)

    def start(self, *command, **more):
        """Waits until it says that it is ready."""
        running = subprocess.Popen(list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                   cwd=self.place.folder, preexec_fn=lift_limit, **more)
        self.addCleanup(self.end, running)
        line = running.stdout.readline()
        while line and "ready" not in line.lower():
            line = running.stdout.readline()
        self.assertIn("ready", line.lower())
        return running

    def end(self, running):
        running.stdin.close()
        running.stdout.close()
        running.kill()
        running.wait()

    def document(self, pid):
        done = rss("--json", pid)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        document = json.loads(done.stdout)
        if jsonschema:
            jsonschema.validate(document, json.loads((SCHEMAS / "ubiheap.rss-1.schema.json").read_text()))
        groups = document["groups"]
        for key in ("residentSize", "proportionalSize", "swappedSize"):
            self.assertEqual(sum(group[key] for group in groups), document[key])
            for group in groups:
                self.assertEqual(sum(row[key] for row in group["rows"]), group[key], group)
        return document

    def sizes(self, document):
        """By kind."""
        sizes = {}
        for group in document["groups"]:
            for row in group["rows"]:
                sizes[row["kind"]] = sizes.get(row["kind"], 0) + row["residentSize"]
        return sizes

    def check_unknown(self, document, groups):
        self.assertLessEqual(document["unknownSize"], 0.05 * document["residentSize"], document)
        self.assertTrue(set(groups) <= {group["group"] for group in document["groups"]}, document)

    # ---- a program that knows it

    @unittest.skipIf(record_place.SANITIZED, "a sanitizer's limit is in the way of reading; the other builds read the same program")
    def test_each_use_has_its_size(self):
        program = self.place.compile("resident", source=record_place.HERE / "programs" / "resident.c")
        running = self.start(program)
        document = self.document(running.pid)
        self.assertEqual((document["pid"], document["name"]), (running.pid, "resident"))
        self.assertTrue(document["isDivided"])
        self.assertEqual(document["residentSize"], kernels_number(running.pid, "Rss"))
        self.assertAlmostEqual(document["proportionalSize"], kernels_number(running.pid, "Pss"), delta=document["mappings"] * 1024)
        sizes = self.sizes(document)
        blocks = 2000 * 5008 + 6 * MIB + 48 * (64 << 10)
        expected = {"blocks": blocks, "free": 2000 * 5008, "stacks": 2 * MIB, "shared": 5 * MIB, "unknown": 9 * MIB}
        for kind, size in expected.items():
            self.assertTrue(size <= sizes[kind] * 1.01 and sizes[kind] <= size * 1.02 + 256 * 1024, (kind, size, sizes))
        files = {row["name"]: row["residentSize"] for group in document["groups"] if group["group"] == "files"
                 for row in group["rows"]}
        self.assertTrue(7 * MIB <= files[str(program)] <= 7 * MIB + 256 * 1024, files)

    @unittest.skipIf(record_place.SANITIZED, "the other builds read the same program")
    def test_the_page_adds_up_and_fits(self):
        running = self.start(self.place.compile("resident", source=record_place.HERE / "programs" / "resident.c"))
        for columns in ("40", "80", "132"):
            done = subprocess.run([record_place.UBIHEAP, "rss", "--limit", "1", str(running.pid)], capture_output=True, text=True,
                                  env={"COLUMNS": columns, "LC_ALL": "C.UTF-8"})
            self.assertEqual(done.returncode, 0)
            lines = done.stdout.splitlines()
            self.assertLessEqual(max(map(len, lines[3:])), int(columns))
            for words in ("Allocator", "Mapped files", "Thread stacks", "Other mappings", "Unknown"):
                self.assertTrue(any(line.endswith(words) for line in lines), (words, done.stdout))
            self.assertTrue(any(line.endswith(" more") for line in lines), done.stdout)

    def test_a_recorded_program_has_the_places_of_its_blocks(self):
        program = self.place.compile("resident", source=record_place.HERE / "programs" / "resident.c")
        running = self.start(*self.place.command(program, output="out.ubirec"))
        document, sizes = {"memoryUse": None}, {"blocks": 0}
        # While it runs: until a look came after all had been allocated, and what was allocated had been read.
        while sizes["blocks"] <= 18 * MIB or document["memoryUse"]["residentSize"] < 50 * MIB:
            done = subprocess.run([record_place.UBIHEAP, "report", "--json", "out.ubirec"], cwd=self.place.folder, capture_output=True,
                                  text=True, env=self.place.environment)
            document = json.loads(done.stdout) if done.returncode == 0 else document
            sizes = self.sizes(document["memoryUse"]) if document["memoryUse"] else sizes
        running.stdin.close()
        running.wait()
        page = subprocess.run([record_place.UBIHEAP, "report", "--detail", "out.ubirec"], cwd=self.place.folder, capture_output=True,
                              text=True, env={**self.place.environment, "COLUMNS": "100"}).stdout
        self.assertRegex(page, r"\nResident memory, as it was seen last, at \d\S* m?s: 5\d\.\d MiB\n")
        self.assertRegex(page, r"blocks in use, with their headers\n +38\.0 MiB main \(resident\.c:\d+\)\n +9\.54 MiB main")

    # ---- programs that people run

    def test_python(self):
        self.check_unknown(self.document(self.start(sys.executable, "-c", PYTHON).pid), ["python", "malloc", "files"])

    def test_node(self):
        node = shutil.which("node")
        self.assertTrue(node)
        document = self.document(self.start(node, "-e", NODE).pid)
        self.check_unknown(document, ["javascript", "malloc", "stacks", "files"])
        self.assertGreater(self.sizes(document)["scripts"], 10 * MIB)

    def test_the_order_server(self):
        source = record_place.HERE.parents[1] / "examples" / "native" / "order-server.cpp"
        program = self.place.compile("order-server", source=source, compiler="g++")
        running = subprocess.Popen([str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.end, running)
        for i in range(3000):
            running.stdin.write(f"visitor{i} order {i % 50}\n")
            running.stdin.flush()
            self.assertTrue(running.stdout.readline())
        self.check_unknown(self.document(running.pid), ["malloc", "files"])

    @unittest.skipUnless(shutil.which("java") and shutil.which("javac"), "Java is not installed (Debian package default-jdk-headless)")
    def test_java(self):
        (self.place.folder / "Ready.java").write_text(JAVA)
        subprocess.run(["javac", "Ready.java"], cwd=self.place.folder, check=True, preexec_fn=lift_limit)
        document = self.document(self.start("java", "-cp", ".", "Ready").pid)
        self.check_unknown(document, ["java", "malloc", "stacks", "files"])
        self.assertGreater(self.sizes(document)["heap"], 5 * MIB)

    @unittest.skipUnless(shutil.which("redis-server"), "redis-server is not installed")
    def test_redis(self):
        running = self.start("redis-server", "--port", "0", "--unixsocket", self.place.folder / "socket", "--save", "")
        self.check_unknown(self.document(running.pid), ["malloc", "stacks", "files"])

    @unittest.skipUnless(shutil.which("firefox-esr"), "Firefox is not installed (Debian package firefox-esr)")
    def test_firefox(self):
        home = tempfile.mkdtemp(prefix="ubiheap-rss-", dir=self.place.folder)
        # It says that it listens when it has started, on standard error.
        running = subprocess.Popen(["firefox-esr", "--headless", "--no-remote", "--profile", home, "--remote-debugging-port", "0"],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   env={**os.environ, "HOME": home}, preexec_fn=lift_limit)
        self.addCleanup(self.end, running)
        line = running.stdout.readline()
        while line and "listening on" not in line:
            line = running.stdout.readline()
        self.assertIn("listening on", line)
        document = self.document(running.pid)
        self.check_unknown(document, ["javascript", "malloc", "stacks", "files"])

    # ---- other allocators

    @unittest.skipIf(record_place.SANITIZED, "the other builds read the same programs")
    def test_other_allocators(self):
        for library, name in ALLOCATORS:
            with self.subTest(name):
                document = self.document(self.start(sys.executable, "-c", PYTHON,
                                                    env={**os.environ, "LD_PRELOAD": library, "PYTHONMALLOC": "malloc"}).pid)
                self.check_unknown(document, ["malloc", "files"])
                rows = next(group["rows"] for group in document["groups"] if group["group"] == "malloc")
                self.assertEqual((rows[0]["kind"], rows[0]["name"]), ("blocks", None) if name in READ else ("allocator", name))
                self.assertGreater(rows[0]["residentSize"], 15 * MIB)

    def rows(self, document):
        """Of the allocator, by kind."""
        return {row["kind"]: row for group in document["groups"] if group["group"] == "malloc" for row in group["rows"]}

    def seen_of(self, running, file, has_come):
        """What is seen of the memory of a program that is recorded, once that has come."""
        while True:
            self.assertIsNone(running.poll())
            done = subprocess.run([record_place.UBIHEAP, "report", "--json", file], cwd=self.place.folder, capture_output=True, text=True,
                                  env=self.place.environment)
            use = json.loads(done.stdout)["memoryUse"] if done.returncode == 0 else None
            if use and has_come(use):
                return use
            time.sleep(0.05)

    def half_freed_trouble(self, use):
        """Every other one of 40,000 blocks lives: 10 of 20 MiB, in size classes. -> None: it is so."""
        rows, blocks = self.rows(use), sum(16 + i % 1000 for i in range(1, 40000, 2))
        freed = sum(rows[kind]["residentSize"] for kind in ("cached", "free", "freePages") if kind in rows)
        is_so = blocks <= rows["blocks"]["residentSize"] <= 1.25 * blocks and 0.7 * blocks <= freed <= 1.5 * blocks + 4 * MIB
        return None if is_so else (blocks, freed, rows)

    def check_half_freed(self, use):
        self.check_unknown(use, ["malloc", "files"])
        self.assertIsNone(self.half_freed_trouble(use))
        rows = self.rows(use)
        self.assertEqual(sum(row["residentSize"] for row in rows.values()),
                         sum(group["residentSize"] for group in use["groups"] if group["group"] == "malloc"))

    @unittest.skipIf(record_place.SANITIZED, "the other builds record the same programs")
    def test_other_allocators_say_what_they_have(self):
        program = self.place.compile("half_freed", source=record_place.HERE / "programs" / "half_freed.c")
        for library, name in ALLOCATORS:
            for options in ((), ("--exact",)):
                with self.subTest(name, options=options):
                    running = self.start(*self.place.command(program, options=options, output=name + ".ubirec"),
                                         env={**self.place.environment, "LD_PRELOAD": library})
                    self.check_half_freed(self.seen_half_freed(running, name + ".ubirec"))
                    running.stdin.close()
                    self.assertEqual(running.wait(), 0)

    def seen_half_freed(self, running, file):
        """What is seen once it has freed its blocks: a look may come before that, or in the middle, but not ten of them."""
        times = set()

        def is_half_freed(use):
            times.add(use["timeMs"])
            rows = self.rows(use)
            return "blocks" in rows and "free" in rows and use["residentSize"] > 20 * MIB \
                and (self.half_freed_trouble(use) is None or len(times) > 10)
        return self.seen_of(running, file, is_half_freed)

    @unittest.skipIf(record_place.SANITIZED, "the other builds attach to the same program")
    def test_other_allocators_of_a_program_that_runs(self):
        program = self.place.compile("half_freed", source=record_place.HERE / "programs" / "half_freed.c")
        for library, name in ALLOCATORS:
            with self.subTest(name):
                running = self.start(program, env={**self.place.environment, "LD_PRELOAD": library})
                document = self.document(running.pid)
                if name in READ:
                    self.check_half_freed(document)
                else:
                    self.assertEqual(list(self.rows(document)), ["allocator"])
                    self.assertRegex(rss(running.pid).stdout, f"What {name} has in use, .*: `ubiheap attach {running.pid}`")
                recorder = subprocess.Popen([record_place.UBIHEAP, "attach", "--output", name + ".ubirec", str(running.pid)],
                                            cwd=self.place.folder, stderr=subprocess.PIPE, text=True, env=self.place.environment)
                self.addCleanup(recorder.stderr.close)
                self.addCleanup(recorder.wait)
                self.addCleanup(recorder.kill)
                self.check_half_freed(self.seen_half_freed(recorder, name + ".ubirec"))
                recorder.send_signal(signal.SIGINT)
                self.assertEqual(recorder.wait(), 0)

    @unittest.skipIf(record_place.SANITIZED, "the other builds record the same program")
    def test_mimalloc_with_more_threads_is_divided(self):
        """Each thread has a heap, and the other one has blocks that are freed here: of all of them its pages say so."""
        program = self.place.compile("half_freed", source=record_place.HERE / "programs" / "half_freed.c")
        with_library = {**self.place.environment, "LD_PRELOAD": "libmimalloc.so.2"}
        self.check_half_freed(self.document(self.start(program, "with a thread", env=with_library).pid))
        running = self.start(*self.place.command(program, "with a thread"), env=with_library)
        self.check_half_freed(self.seen_half_freed(running, "out.ubirec"))

    # ---- scripts

    @unittest.skipIf(record_place.SANITIZED, "the other builds record the same program")
    def test_blocks_of_quickjs_are_a_javascript_heap(self):
        script = self.place.folder / "app.js"
        script.write_text("const keep = [];\nfor (let i = 0; i < 60000; i++) keep.push({ i, name: 'visitor' + i });\n"
                          "setTimeout(() => print(keep.length), 4000);\n")
        self.assertEqual(self.place.record(record_place.UBIHEAP, "run", script).returncode, 0)
        done = subprocess.run([record_place.UBIHEAP, "report", "--json", "out.ubirec"], cwd=self.place.folder, capture_output=True, text=True,
                              env=self.place.environment)
        use = json.loads(done.stdout)["memoryUse"]
        sizes = self.sizes(use)
        # 60,000 objects with two properties and a string each.
        self.assertTrue(60000 * (48 + 32 + 24) < sizes["scripts"] < 60000 * 400, sizes)
        self.assertLess(sizes["blocks"], sizes["scripts"])
        page = subprocess.run([record_place.UBIHEAP, "report", "--detail", "out.ubirec"], cwd=self.place.folder, capture_output=True,
                              text=True, env={**self.place.environment, "COLUMNS": "100"}).stdout
        self.assertRegex(page, r"  JavaScript heaps\n .*    objects and code\n")

    @unittest.skipIf(record_place.SANITIZED, "the other builds read the same program")
    def test_an_allocator_that_is_linked_in(self):
        source = self.place.folder / "blocks.c"
        source.write_text("#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\nint main(void) {\n"
                          "    for (int i = 0; i < 5000; i++)\n        memset(malloc(4000), 1, 4000);\n"
                          "    puts(\"ready\");\n    fflush(stdout);\n    return getchar();\n}\n")
        program = self.place.folder / "blocks"
        subprocess.run(["gcc", "-O1", "-fno-builtin", source, "-o", program, "-Wl,--whole-archive", "-l:libjemalloc.a",
                        "-Wl,--no-whole-archive", "-pthread", "-lm", "-ldl", "-lstdc++"], check=True)
        document = self.document(self.start(program).pid)
        self.check_unknown(document, ["malloc", "files"])
        row = next(group["rows"][0] for group in document["groups"] if group["group"] == "malloc")
        self.assertEqual((row["kind"], row["name"]), ("allocator", "jemalloc"))
        self.assertGreater(row["residentSize"], 5000 * 4000)

    # ---- what cannot be read

    def check_refused(self, done, code, words):
        self.assertEqual((done.returncode, done.stdout), (code, ""))
        self.assertRegex(done.stderr, f"^ubiheap: {words}[^\n]*\n$")

    def test_what_is_no_process(self):
        self.check_refused(rss("0"), 2, "rss: PID: expected the number of a process, not '0'")
        self.check_refused(rss("firefox"), 2, "rss: PID: expected")
        self.check_refused(rss("99999999999"), 2, "rss: PID: expected")
        self.check_refused(rss(2 ** 31 - 1), 4, "process 2147483647: there is no process of this number")

    def test_a_process_that_has_ended_and_was_not_waited_for(self):
        running = subprocess.Popen(["true"])
        os.waitid(os.P_PID, running.pid, os.WEXITED | os.WNOWAIT)
        self.check_refused(rss(running.pid), 4, f"process {running.pid}: it has no memory: it has ended")
        running.wait()

    @unittest.skipIf(os.geteuid() != 0, "only root becomes another user")
    def test_another_users_process(self):
        tool = pathlib.Path(tempfile.mkdtemp(prefix="ubiheap-rss-"))
        self.addCleanup(shutil.rmtree, tool)
        tool.chmod(0o755)
        shutil.copy(record_place.UBIHEAP, tool / "ubiheap")
        done = subprocess.run([str(tool / "ubiheap"), "rss", str(os.getpid())], capture_output=True, text=True, user=65534)
        self.check_refused(done, 4, f"process {os.getpid()}: its memory may not be looked into")


if __name__ == "__main__":
    unittest.main()
