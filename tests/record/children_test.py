#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Several processes that are recorded together: what `record` says of them, and the one report over all of them."""
import json
import re
import shutil
import struct
import subprocess
import unittest
import zlib

import record_place  # puts the decoder's folder on the path
import ubirec_decoder

JOB = """
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
/* N SIZE [program N SIZE ...]: N blocks of SIZE, of which every second one is freed, while those that it starts live. */
int main(int argc, char **argv) {
    int n = atoi(argv[1]), size = atoi(argv[2]), go[2], done[2];
    char byte = 0, *blocks[1000];
    pid_t child = 0;
    if (argc > 3) {
        pipe(go);
        pipe(done);
        child = fork();
        if (child == 0) {
            dup2(go[0], 0);
            dup2(done[1], 1);
            execv(argv[3], argv + 3);
            _exit(99);
        }
    }
    for (int i = 0; i < n; i++)
        blocks[i] = malloc(size);
    if (child) { /* the child has its blocks while we have ours */
        read(done[0], &byte, 1);
        write(go[1], &byte, 1);
        waitpid(child, NULL, 0);
    } else {
        usleep(2000);
        write(1, &byte, 1);
        read(0, &byte, 1);
    }
    usleep(2000); /* times are good to a quarter of a millisecond */
    for (int i = 0; i < n; i += 2)
        free(blocks[i]);
    return 0;
}
"""

CHAIN = """
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
/* HOW N SIZE: N processes that have a block of SIZE each and never free it. */
static char *volatile sink;
static void keep(size_t size) {
    char *block = malloc(size);
    memset(block, 1, size);
    sink = block;
}
int main(int argc, char **argv) {
    int n = atoi(argv[2]), size = atoi(argv[3]), ready[2], go[2];
    char byte = 0, count[16];
    pipe(ready);
    pipe(go);
    if (strcmp(argv[1], "exec") == 0) { /* one behind the other, in one process */
        keep(size);
        snprintf(count, sizeof count, "%d", n - 1);
        if (n > 1)
            execl(argv[0], argv[0], "exec", count, argv[3], NULL);
        return n > 1;
    }
    for (int i = 0; i < n; i++) {
        pid_t child = fork();
        if (child == 0) {
            keep(size);
            if (strcmp(argv[1], "killed") == 0)
                raise(SIGKILL);
            if (strcmp(argv[1], "parallel") == 0) {
                write(ready[1], &byte, 1);
                read(go[0], &byte, 1);
            }
            _exit(0);
        }
        if (strcmp(argv[1], "parallel") != 0)
            waitpid(child, NULL, 0);
    }
    if (strcmp(argv[1], "parallel") == 0) {
        for (int i = 0; i < n; i++)
            read(ready[0], &byte, 1);
        for (int i = 0; i < n; i++)
            write(go[1], &byte, 1);
        while (wait(NULL) > 0)
            ;
    }
    return 0;
}
"""
N, SIZE = 12, 1000000
TIME, END = 12, 20  # types of records


def without_end(data):
    """The file without its end and the time of it, and without its index."""
    out = data[:16]
    for payload in ubirec_decoder.blocks(data):
        if isinstance(payload, int):
            break
        c, records = ubirec_decoder.Cursor(payload), []
        while c.more():
            start, head = c.at, c.number()
            if head & 3 >= 2:
                more = c.number()
            if head & 3 == 3:
                c.bytes(more)
            records.append((head >> 2 if head & 3 == 3 else 0, payload[start:c.at]))
        types = [kind for kind, _ in records]
        if END in types:
            end = types.index(END)
            last_time = max((i for i in range(end) if types[i] == TIME), default=end)
            records = [record for i, record in enumerate(records) if i not in (end, last_time)]
        payload = b"".join(record for _, record in records)
        head = struct.pack("<BBHII", 1, 0, 0, len(payload), len(payload))
        out += head + struct.pack("<I", zlib.crc32(head + payload)) + payload
    return out


class Lifetimes(unittest.TestCase):
    """What a process holds ends with it."""

    def setUp(self):
        self.place = record_place.Place(self)
        (self.place.folder / "chain.c").write_text(CHAIN)
        self.program = self.place.compile("chain", "-w", source=self.place.folder / "chain.c")

    def document(self, how, *more, options=("--exact", "--follow-children")):
        done = self.place.record(self.program, how, N, SIZE, options=options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.report(*more)

    def report(self, *more):
        done = subprocess.run([record_place.UBIHEAP, "report", "--json", "--top", "0", *more, "out.ubirec"], cwd=self.place.folder,
                              stdout=subprocess.PIPE, env=self.place.environment, check=True)
        return json.loads(done.stdout)

    def check(self, document, n_at_a_time):
        """All of it is leaked, and so many of the blocks lived at a time; in whichever form one asks."""
        heap = document["heap"]
        small = SIZE / 2  # what libraries have beside
        self.assertGreaterEqual(heap["leaked"]["bytes"], N * SIZE)
        self.assertLess(heap["leaked"]["bytes"], N * SIZE + small)
        self.assertGreaterEqual(heap["peak"]["bytes"], n_at_a_time * SIZE)
        self.assertLess(heap["peak"]["bytes"], n_at_a_time * SIZE + small)
        self.assertEqual(max(document["curve"]["liveBytes"]), heap["peak"]["bytes"])
        site, = (site for site in document["sites"] if site["stack"] and site["stack"][0]["function"] == "keep")
        self.assertEqual(site["leaked"]["bytes"], N * SIZE)
        self.assertEqual(site["peak"]["bytes"], n_at_a_time * SIZE)
        kind, = (kind for kind in document["kinds"] if kind["kind"] == "malloc")
        self.assertLess(kind["peak"]["bytes"], n_at_a_time * SIZE + small)
        self.assertNotIn("growth", [finding["kind"] for finding in document["findings"]])

    def test_children_in_sequence(self):
        self.check(self.document("sequential"), 1)

    def test_children_at_a_time_add_up(self):
        self.check(self.document("parallel"), N)

    def test_exec_ends_what_the_program_before_it_had(self):
        self.check(self.document("exec"), 1)

    def test_children_that_are_killed(self):
        self.check(self.document("killed"), 1)

    def test_a_process_alone_is_as_it_was(self):
        whole = self.document("sequential")
        for row in whole["processes"]:
            heap = self.report("--process", str(row["pid"]))["heap"]
            self.assertEqual(heap["leaked"]["bytes"], row["leakedBytes"])
            self.assertLessEqual(heap["peak"]["bytes"], row["bytes"])
            if row["leakedBytes"] >= SIZE:
                self.assertGreaterEqual(heap["peak"]["bytes"], SIZE)

    def test_a_file_that_was_cut_ends_with_its_last_event(self):
        """As that of a recorder that was killed: nobody knows how long the process ran on."""
        whole = self.document("sequential")
        for row in whole["processes"]:
            path = self.place.folder / row["file"]
            if row["file"] != "out.ubirec" and row["bytes"]:
                path.write_bytes(without_end(path.read_bytes()))
        cut = self.report()
        self.check(cut, 1)
        self.assertEqual(cut["heap"]["leaked"], whole["heap"]["leaked"])


class Children(unittest.TestCase):
    def setUp(self):
        self.place = record_place.Place(self)
        source = self.place.folder / "job.c"
        source.write_text(JOB)
        for name in ("parent", "child"):
            subprocess.run(["gcc", "-g", "-O1", "-w", source, "-o", self.place.folder / name], check=True)

    def record(self, parent=(100, 70000), child=(50, 90000), options=("--exact", "--follow-children")):
        arguments = [self.place.folder / "parent", *parent]
        if child:
            arguments += [self.place.folder / "child", *child]
        done = self.place.record(*arguments, options=options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_what_was_not_asked_for_fails_nothing_and_is_reported(self):
        """Whether it could have been recorded or not: here it is linked statically."""
        self.place.compile("still", "-static", source=record_place.HERE / "programs" / "nothing.c")
        command = ["sh", "-c", "./still; ./still; exit 0"]
        done = self.place.record(*command)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("ubiheap: not recorded: still (2 times): statically linked, so nothing can be loaded into it\n", done.stderr)
        judged = self.judge("leaked > 1GiB")
        self.assertEqual((judged.returncode, judged.stderr),
                         (0, "ubiheap: out.ubirec: passed, for what was recorded; 2 programs that it started were not "
                             "('report --detail' says which)\n"))
        self.assertEqual(self.judge("leaked >= 0").returncode, 1)
        done = self.place.record(*command, options=("--exact", "--follow-children"))
        self.assertEqual(done.returncode, 0, done.stderr)
        judged = self.judge("leaked > 1GiB")
        self.assertEqual(judged.returncode, 3)
        self.assertIn("leaked is unknown, because some processes could not be recorded", judged.stderr)

    def test_the_timeline_of_several_processes_names_the_others(self):
        self.record()
        others = [name for name in self.place.recordings() if name != "out.ubirec"]
        self.assertGreater(len(others), 0)
        page = " ".join(self.ask("timeline", "out.ubirec").split())
        self.assertIn(f"Processes {len(others) + 1}, of which this is the first; of the others: ", page)
        for other in others:
            self.assertIn(f" ubiheap timeline {other} (", page)
            self.assertNotIn("Processes", self.ask("timeline", other))
        self.assertEqual(sorted(json.loads(self.ask("timeline", "--json", "out.ubirec"))["otherFiles"]), others)

    def judge(self, condition):
        return subprocess.run([record_place.UBIHEAP, "report", "--json", "--fail-on", condition, "out.ubirec"], cwd=self.place.folder,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def ask(self, *arguments, status=0):
        done = subprocess.run([record_place.UBIHEAP, *map(str, arguments)], cwd=self.place.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, env=self.place.environment)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout if status == 0 else done.stderr

    def document(self, *arguments, status=0):
        return json.loads(self.ask("report", "--json", *arguments, status=status))

    def heap(self, *arguments):
        heap = self.document(*arguments)["heap"]
        return {name: (heap[name]["count"], heap[name]["bytes"]) for name in ("total", "leaked", "peak")}

    def test_record_lists_them(self):
        lines = self.record().stderr.splitlines()
        # The fork is a process of the parent's program until it becomes the child.
        rows = [re.fullmatch(r"ubiheap: (\S+) (\d+): (\S+ \S+) in (\S+) allocations, (\S+)", line) for line in lines[:-1]]
        self.assertTrue(all(rows), lines)
        named = {row[1]: row for row in rows if row[3] != "0 B"}
        self.assertEqual(set(named), {"parent", "child"})
        self.assertEqual(named["parent"][5], "out.ubirec")
        self.assertTrue(named["child"][5].startswith("out.ubirec." + named["child"][2]), named["child"][0])
        self.assertEqual(float(named["parent"][3].split()[0]), 6.68)  # MiB
        self.assertRegex(lines[-1], r"\Aubiheap: recorded 15\d allocations in out.ubirec and \d more files")

    def test_the_report_is_of_all(self):
        self.record()
        whole = self.document("out.ubirec")
        processes = whole["processes"]
        self.assertEqual({row["name"] for row in processes}, {"parent", "child"})
        self.assertEqual(processes[0]["file"], "out.ubirec")
        of_files = [self.heap("--process", row["pid"], "out.ubirec") for row in processes if row["bytes"]]
        alone = {"parent": None, "child": None}
        for name in alone:
            alone[name] = self.heap("--process", name, "out.ubirec")
        for what in ("total", "leaked"):
            for i in range(2):
                self.assertEqual(sum(alone[name][what][i] for name in alone), self.heap("out.ubirec")[what][i])
        self.assertGreaterEqual(alone["parent"]["leaked"][1], 50 * 70000)
        self.assertGreaterEqual(alone["child"]["leaked"][1], 25 * 90000)
        # Both had all of theirs at a time.
        self.assertGreaterEqual(self.heap("out.ubirec")["peak"][1], 100 * 70000 + 50 * 90000)
        self.assertTrue(of_files)
        for row in processes:
            if row["file"] != "out.ubirec" and row["bytes"]:
                self.assertEqual(self.document(row["file"])["processes"], [])
                self.assertEqual(self.heap(row["file"])["total"][1], row["bytes"])

    def numbers(self, value):
        """A document without texts, and without what is about the file."""
        if isinstance(value, dict):
            return {key: self.numbers(x) for key, x in value.items() if key not in ("file", "hints", "startTime")}
        if isinstance(value, list):
            return [self.numbers(x) for x in value]
        return None if isinstance(value, str) else value

    def test_an_anonymized_copy_is_of_all_and_has_the_same_numbers(self):
        self.record()
        self.ask("convert", "--anonymize", "out.ubirec", "shared.ubirec")
        names = {p.name for p in self.place.folder.iterdir()}
        self.assertEqual({name.replace("out.", "shared.") for name in names if name.startswith("out.ubirec")},
                         {name for name in names if name.startswith("shared.ubirec")})
        before, after = self.document("--top", "0", "out.ubirec"), self.document("--top", "0", "shared.ubirec")
        self.assertEqual(self.numbers(before), self.numbers(after))
        self.assertGreater(len(after["processes"]), 1)
        self.assertEqual(after["startTime"][10:19], "T00:00:00")
        text = json.dumps(after)
        for word in ("parent", "child", "job.c", str(self.place.folder)):
            self.assertNotIn(word, re.sub(r'"parentPid"|"parent"(?=:)', "", text))
        rows = [set(row["name"] for row in document["processes"]) for document in (before, after)]
        self.assertEqual(len(rows[0]), len(rows[1]))
        self.assertIn("standard output", self.ask("convert", "--anonymize", "out.ubirec", "-", status=2).replace(
            "name a file", "standard output"))

    def test_a_copy_of_several_processes_is_whole_or_not_there(self):
        self.record()
        (self.place.folder / "shared.ubirec").mkdir()
        self.ask("convert", "--anonymize", "out.ubirec", "shared.ubirec", status=4)
        self.assertEqual([p.name for p in self.place.folder.iterdir() if p.name.startswith("shared.ubirec.")], [])

    def test_the_page_lists_them(self):
        self.record()
        page = self.ask("report", "out.ubirec")
        self.assertRegex(page, r"Ran .*, \d processes; exit status 0\n")
        self.assertRegex(page, r"\nProcesses: .*\n +6\.68 MiB +3\.34 MiB +10\d +\d+  parent\n +4\.29 MiB +2\.15 MiB +5\d +\d+  child\n")
        self.assertIn("6.68", self.ask("report", "--process", "parent", "out.ubirec"))

    def test_stacks_that_processes_share_are_one_place(self):
        self.record()
        table = self.ask("report", "--format", "tsv", "-c", "count,function,module", "out.ubirec")
        rows = [line.split("\t") for line in table.splitlines()]
        mine = [row for row in rows if row[1] == "main"]
        self.assertEqual([int(row[0]) for row in mine], [150], table)  # two names of one build

    def test_one_build_under_two_paths_is_one_program(self):
        """As /usr/bin/git and /usr/lib/git-core/git."""
        self.record()
        (self.place.folder / "copy").mkdir()
        shutil.copy(self.place.folder / "child", self.place.folder / "copy")
        done = self.place.record("/bin/sh", "-c", "./child 50 90000; copy/child 50 90000; exit 0", options=("--exact", "--follow-children"))
        self.assertEqual(done.returncode, 0, done.stderr)
        table = self.ask("report", "--format", "tsv", "-c", "count,function,module", "out.ubirec")
        rows = [line.split("\t") for line in table.splitlines()]
        self.assertEqual([row[0] for row in rows if row[1] == "main"], ["100"], table)
        self.assertEqual(sum("child" in line.split()[-1] for line in self.ask("allocations", "--group", "module", "out.ubirec").splitlines()[1:]), 1)

    def test_files_of_another_recording_are_others(self):
        self.record()
        before = len(self.place.recordings())
        self.record(child=None)  # the same file, and those of the children of the other one lie beside it
        self.assertEqual(len(self.place.recordings()), before)
        self.assertEqual(self.document("out.ubirec")["processes"], [])
        self.assertLess(self.heap("out.ubirec")["total"][0], 130)

    def test_a_sampled_job(self):
        self.record(options=("--follow-children", "--period", "64KiB"))
        page = self.ask("report", "out.ubirec")
        self.assertIn("Processes, estimated:", page)
        self.assertGreater(self.heap("out.ubirec")["total"][0], 20)

    def test_who_is_not_there(self):
        self.record()
        error = self.ask("report", "--process", "nobody", "out.ubirec", status=2)
        self.assertRegex(error, r"there is no 'nobody'; there are parent \d+, ")

    def test_a_file_that_is_missing_is_noticed(self):
        self.record()
        rows = [row for row in self.document("out.ubirec")["processes"] if row["name"] == "child" and row["bytes"]]
        gone = self.place.folder / rows[0]["file"]
        self.assertEqual(self.document("out.ubirec")["missingFiles"], [])
        kept = gone.read_bytes()
        for how in ("removed", "of another recording"):
            with self.subTest(how):
                gone.unlink(missing_ok=True)
                if how != "removed":
                    self.place.record("true", output="other.ubirec")
                    (self.place.folder / "other.ubirec").rename(gone)
                missing = self.document("out.ubirec")["missingFiles"]
                self.assertEqual(missing, [{"file": rows[0]["file"], "name": "child"}])
                page = " ".join(self.ask("report", "out.ubirec").split())
                self.assertIn(f"1 file of this recording is missing, and what its process did is in no number: {rows[0]['file']} (child)", page)
                for condition in ("leaked > 0", "count > 1000000"):
                    self.assertIn("files of some processes are missing", self.ask("report", "--fail-on", condition, "out.ubirec", status=3))
                self.ask("report", "--process", "parent", "--fail-on", "leaked > 1GiB", "out.ubirec")
                info = self.ask("info", "out.ubirec")
                self.assertRegex(info, r"\nMissing +1 file of other processes; 'ubiheap report' says which\n")
                self.assertEqual(json.loads(self.ask("info", "--json", "out.ubirec"))["missingFileCount"], 1)
        gone.write_bytes(kept)
        self.assertEqual(self.document("out.ubirec")["missingFiles"], [])

    def test_a_first_file_that_was_renamed_misses_the_others(self):
        self.record()
        n = len(self.document("out.ubirec")["processes"])
        (self.place.folder / "out.ubirec").rename(self.place.folder / "new.ubirec")
        missing = self.document("new.ubirec")["missingFiles"]
        self.assertEqual(len(missing), n - 1)
        self.assertTrue(all(row["file"].startswith("new.ubirec.") for row in missing))
        self.assertEqual(json.loads(self.ask("info", "--json", "new.ubirec"))["missingFileCount"], n - 1)

    def test_a_file_of_one_of_them_misses_nothing(self):
        self.record()
        for row in self.document("out.ubirec")["processes"][1:]:
            self.assertEqual(self.document(row["file"])["missingFiles"], [])
            self.assertEqual(json.loads(self.ask("info", "--json", row["file"]))["missingFileCount"], 0)

    def test_info_is_of_all(self):
        self.record()
        whole, parts = json.loads(self.ask("info", "--json", "out.ubirec")), []
        self.assertEqual(len(whole["processes"]), len(self.place.recordings()))
        first = self.place.folder / "first"
        first.mkdir()
        for row in whole["processes"]:
            (first / row["file"]).write_bytes((self.place.folder / row["file"]).read_bytes())
            parts.append(json.loads(self.ask("info", "--json", first / row["file"])))
            (first / row["file"]).unlink()
        for key in ("inputBytes", "blockCount", "allocationCount", "freeCount", "threadCount", "frameCount", "traceCount"):
            self.assertEqual(whole[key], sum(part[key] for part in parts), key)
        self.assertEqual(whole["allocationCount"], self.heap("out.ubirec")["total"][0])
        page = self.ask("info", "out.ubirec")
        self.assertRegex(page, r"\nSize +\S+ KiB in \d files, \d+ blocks\n")
        self.assertRegex(page, r"\nProcesses +parent \d+\n")
        self.assertRegex(page, r"\n +child \d+\n")

    def test_a_process_has_the_name_that_it_was_started_with(self):
        """As redis-server, which is a link to redis-check-rdb."""
        (self.place.folder / "alias").symlink_to("child")
        arguments = [self.place.folder / "parent", 100, 70000, self.place.folder / "alias", 50, 90000]
        done = self.place.record(*arguments, options=("--exact", "--follow-children"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.heap("--process", "alias", "out.ubirec"), self.heap("--process", "child", "out.ubirec"))
        self.assertGreaterEqual(self.heap("--process", "alias", "out.ubirec")["total"][0], 50)
        self.assertRegex(self.ask("report", "out.ubirec"), r"\d  alias \(child\)\n")
        self.assertIn("alias (child)", self.ask("report", "--process", "nobody", "out.ubirec", status=2))
        self.assertIn("alias", {row["startedAs"] for row in self.document("out.ubirec")["processes"]})

    def test_a_damaged_file_counts_up_to_there(self):
        self.record()
        rows = [row for row in self.document("out.ubirec")["processes"] if row["name"] == "child" and row["bytes"]]
        damaged = self.place.folder / rows[0]["file"]
        data = bytearray(damaged.read_bytes())
        data[-40] ^= 0x55
        damaged.write_bytes(data)
        error = self.ask("report", "out.ubirec", status=3)
        self.assertIn(rows[0]["file"], error)
        damaged.write_bytes(data[:-50])  # a recorder that died
        self.assertGreater(self.document("out.ubirec")["tornBytes"], 0)


STARTS = """
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
/* Starts "true" in every way that there is, and fails to start what is not there. */
int main(void) {
    char *arguments[] = { "true", NULL }, *none[] = { NULL };
    pid_t pid;
    int n = 0;
    for (int i = 0; i < 8; i++) {
        if ((i == 7 ? vfork() : fork()) == 0) {
            execv("/nowhere/absent", arguments);
            if (i == 0) execv("/bin/true", arguments);
            if (i == 1) execve("/bin/true", arguments, none);
            if (i == 2) execvp("true", arguments);
            if (i == 3) execvpe("true", arguments, environ);
            if (i == 4) execl("/bin/true", "true", "a", "b", NULL);
            if (i == 5) execlp("true", "true", NULL);
            if (i == 6) execle("/bin/true", "true", NULL, none);
            execv("/bin/true", arguments);
            _exit(99);
        }
    }
    posix_spawn(&pid, "/bin/true", NULL, NULL, arguments, environ);
    posix_spawnp(&pid, "true", NULL, NULL, arguments, environ);
    posix_spawnp(&pid, "absent", NULL, NULL, arguments, environ);
    for (int status; wait(&status) > 0; n++)
        if (status)
            return 1;
    pclose(popen("exit 0", "r"));
    return n != 10 || system("exit 3") != 3 << 8;
}
"""


class Started(unittest.TestCase):
    """Programs that were started and are not recorded."""

    def setUp(self):
        self.place = record_place.Place(self)
        source = self.place.folder / "starts.c"
        source.write_text("#define _GNU_SOURCE\n" + STARTS)
        subprocess.run(["gcc", "-O1", "-w", source, "-o", self.place.folder / "starts"], check=True)

    def test_every_way_to_start_one(self):
        done = self.place.record(self.place.folder / "starts")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("ubiheap: out.ubirec: it started true (10 times), sh (2 times), not recorded; --follow-children does that\n",
                      done.stderr)
        told = subprocess.run([record_place.UBIHEAP, "report", "out.ubirec"], cwd=self.place.folder, stdout=subprocess.PIPE,
                              text=True, env=self.place.environment, check=True).stdout
        self.assertRegex(" ".join(told.split()), r"- it started true \(10 times\), sh \(2 times\); what these allocated was not recorded")

    def test_children_of_fork_that_stay_what_they_are_are_named(self):
        source = self.place.folder / "forks.c"
        source.write_text("""#include <stdlib.h>
            #include <sys/wait.h>
            #include <unistd.h>
            int main(void) {
                for (int i = 0; i < 3; i++) {
                    if (fork() == 0) {
                        if (fork() == 0)
                            execl("/nonexistent", "x", (char *)0);
                        wait(0);
                        if (vfork() == 0)
                            execlp("true", "true", (char *)0);
                        wait(0);
                        _exit(malloc(100) == 0);
                    }
                    wait(0);
                }
            }""")
        subprocess.run(["gcc", "-O0", "-w", source, "-o", self.place.folder / "forks"], check=True)
        done = self.place.record(self.place.folder / "forks")
        self.assertIn("it started forks (6 times), true (6 times), not recorded", done.stderr)

    def test_several_without_a_heap_are_named_once_and_their_memory_is_not_explained_by_mappings(self):
        large = self.place.folder / "large.c"
        large.write_text("#include <string.h>\n#include <unistd.h>\nstatic char room[100 << 20];\n"
                         "__attribute__((constructor)) static void fill(void) { memset(room, 1, sizeof room); usleep(300000); }\n")
        self.place.compile("own", "-rdynamic", "-fno-builtin", large, source=record_place.HERE / "programs" / "own_malloc.c")
        done = self.place.record("/bin/sh", "-c", "./own; ./own; ./own; exit 0", options=("--exact", "--follow-children"))
        self.assertEqual(done.returncode, 0, done.stderr)
        told = subprocess.run([record_place.UBIHEAP, "report", "--detail", "out.ubirec"], cwd=self.place.folder, text=True,
                              stdout=subprocess.PIPE, env=self.place.environment, check=True).stdout
        self.assertIn("not recorded: own (3 times): has a malloc", " ".join(told.split()))
        self.assertIn("not recorded: own (3 times): has a malloc", done.stderr)
        self.assertRegex(told, r"\nResident +1\d\d MiB at most")
        self.assertNotIn("--mappings", told)

    def test_followed_ones_are_recorded(self):
        done = self.place.record(self.place.folder / "starts", options=("--exact", "--follow-children"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("it started", done.stderr)


class Ends(unittest.TestCase):
    """What is known when a process is over."""

    def setUp(self):
        self.place = record_place.Place(self)

    def compile(self, name, text):
        source = self.place.folder / f"{name}.c"
        source.write_text(text)
        subprocess.run(["gcc", "-O0", "-w", source, "-o", self.place.folder / name], check=True)
        return self.place.folder / name

    def test_children_that_a_signal_ended_are_said(self):
        program = self.compile("aborts", """#include <stdlib.h>
            #include <sys/wait.h>
            #include <unistd.h>
            int main(void) {
                for (int i = 0; i < 2; i++) {
                    if (fork() == 0) {
                        malloc(100);
                        if (i == 1)
                            abort();
                        _exit(3);
                    }
                    wait(0);
                }
            }""")
        done = self.place.record(program, options=("--exact", "--follow-children"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(re.findall(r"^ubiheap: aborts \d+ was ended by signal 6 \(SIGABRT\)$", done.stderr, re.MULTILINE)), 1,
                         done.stderr)
        self.assertEqual(done.stderr.count("was ended"), 1, done.stderr)

    def test_a_short_program_s_peak_is_what_the_system_counted(self):
        program = self.compile("short", """#include <stdlib.h>
            #include <string.h>
            int main(void) {
                enum { BYTES = 200 << 20 };
                char *block = malloc(BYTES);
                memset(block, 1, BYTES);
                free(block);
            }""")
        self.place.record(program)
        document = json.loads(subprocess.run([record_place.UBIHEAP, "report", "--json", "out.ubirec"], cwd=self.place.folder,
                                             stdout=subprocess.PIPE, env=self.place.environment, check=True).stdout)
        if document["durationMs"] < 1000:  # else it was looked at often
            self.assertGreaterEqual(document["resident"]["peakBytes"], 200 << 20)


if __name__ == "__main__":
    unittest.main()
