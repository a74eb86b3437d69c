#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`ubiheap control` and ubiheap/core/recorder.h: which part of a program is recorded, from outside and from inside."""
import collections
import json
import os
import pathlib
import signal
import socket
import struct
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from record_place import HERE, UBIHEAP, Place, Recording  # noqa: E402

INCLUDE = HERE.parents[1] / "include"
ABSENT, STOPPED, RUNNING, DONE, NOTHING, FAILED = range(6)
STATE, START, STOP, RESET, LOOK = range(5)
MAGIC = int.from_bytes(b"control", "little")


class Program:
    """A program that does one thing at a time, under `ubiheap record` or alone."""

    def __init__(self, test, place, *options, program=None, is_recorded=True, name="out.ubirec"):
        self.place, self.path = place, place.folder / name
        command = [str(program or test.program)]
        if is_recorded:
            command = place.command(*command, options=options, output=name)
        self.process = subprocess.Popen(command, cwd=place.folder, env=place.environment, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        test.addCleanup(self.end)
        self.pid = int(self.process.stdout.readline())
        self.write, self.read = self.process.stdin, self.process.stdout

    def __call__(self, *words):
        self.write.write(" ".join(map(str, words)) + "\n")
        self.write.flush()
        return int(self.read.readline())

    def end(self):
        """-> what the recorder has said"""
        if self.process.stdin.closed:
            return self.said
        self.process.stdin.close()
        self.said = self.process.stderr.read()
        self.process.stdout.close()
        self.process.stderr.close()
        self.process.wait()
        return self.said


class ControlTest(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        self.place = Place(self)
        self.place.environment["XDG_RUNTIME_DIR"] = str(self.place.folder / "run")
        (self.place.folder / "run").mkdir(mode=0o700)
        self.program = self.compile()

    def compile(self, *options, name="controlled"):
        return self.place.compile(name, f"-I{INCLUDE}", "-fno-builtin", *options, source=HERE / "programs" / "controlled.c")

    def control(self, *words, check=0):
        ran = subprocess.run([UBIHEAP, "control", *map(str, words)], cwd=self.place.folder, env=self.place.environment,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(ran.returncode, check, ran.stdout + ran.stderr)
        return ran

    def facts(self, *words):
        """Of those that run in this test's folder: other tests record at the same time."""
        document = json.loads(self.control(*words, "--json").stdout)
        self.assertEqual(document["schema"], "ubiheap.control/1")
        return [facts for facts in document["processes"] if self.is_here(facts["pid"])]

    def is_here(self, pid):
        return os.path.realpath(f"/proc/{pid}/cwd") == os.path.realpath(self.place.folder)

    def results(self, pid, *options):
        return json.loads(self.control(pid, "results", *options).stdout)

    def socket_path(self):
        found = list((self.place.folder / "run").glob("ubiheap-*/control"))
        self.assertEqual(len(found), 1, found)
        return found[0]

    def assert_sizes(self, events, sizes):
        self.assertEqual(collections.Counter(event["size"] for event in events), sizes)


class FromOutside(ControlTest):
    def test_a_part_of_the_work(self):
        do = Program(self, self.place, "--exact", "--paused")
        do("alloc", 10)
        [facts] = self.facts(do.pid)
        self.assertEqual((facts["state"], facts["hasResults"], facts["allocations"]), ("paused", False, 0))
        self.assertEqual(self.facts(do.pid, "start")[0]["state"], "recording")
        do("alloc", 20)
        do("free", 5)
        [facts] = self.facts(do.pid, "totals")
        self.assertEqual((facts["totals"]["allocated"]["bytes"], facts["totals"]["live"]["bytes"]), (20000, 15000))
        [facts] = self.facts(do.pid, "stop")
        self.assertEqual((facts["state"], facts["hasResults"], facts["allocations"], facts["frees"]),
                         ("paused", True, 20, 5))
        do("alloc", 30)
        do("free", 33)
        tables = self.results(do.pid)
        self.assert_sizes(tables["events"], {1000: 20, -1000: 5})
        self.assertIn("allocate_one", " ".join(tables["names"]))
        self.assertEqual(self.results(do.pid), tables, "nothing is consumed")
        do.end()
        whole = Recording(do.path)
        self.assertEqual((whole.sizes(), whole.live()), ({1000: 20}, {1000: 12}), "frees are recorded always")

    def test_a_program_has_the_name_that_it_was_started_with(self):
        """As redis-server, which is a link to redis-check-rdb."""
        (self.place.folder / "alias").symlink_to(self.program)
        do = Program(self, self.place, program=self.place.folder / "alias")
        self.assertEqual([facts["program"] for facts in self.facts(do.pid)], ["alias"])

    def test_starts_and_stops_are_not_counted(self):
        do = Program(self, self.place, "--exact")
        [facts] = self.facts(do.pid)
        self.assertEqual(facts["state"], "recording")
        self.control(do.pid, "start")
        do("alloc", 3)
        self.control(do.pid, "stop")
        do("alloc", 4)
        self.control(do.pid, "stop")
        self.assertEqual(len([e for e in self.results(do.pid)["events"] if e["size"] == 1000]), 3)

    def test_results_are_of_all_parts_until_a_reset(self):
        do = Program(self, self.place, "--exact", "--paused")
        self.assertIn("nothing was recorded", self.control(do.pid, "results", check=4).stderr)
        for n in (1, 2):
            self.control(do.pid, "start")
            do("alloc", n)
            self.assertIn("stop' first", self.control(do.pid, "results", check=4).stderr)
            self.control(do.pid, "reset")  # which does nothing now
            self.control(do.pid, "stop")
        self.assert_sizes(self.results(do.pid)["events"], {1000: 3})
        self.control(do.pid, "reset")
        self.assertIn("since it was reset", self.control(do.pid, "results", check=4).stderr)
        self.assertEqual(self.facts(do.pid, "totals")[0]["totals"]["allocated"]["count"], 0)
        self.control(do.pid, "start")
        do("free", 2)
        do("alloc", 7)
        self.control(do.pid, "stop")
        self.assert_sizes(self.results(do.pid)["events"], {1000: 7})
        do.end()
        self.assertEqual(len(Recording(do.path).allocations), 10, "the file has all parts")

    def test_every_format(self):
        do = Program(self, self.place, "--exact", "--paused")
        self.control(do.pid, "start")
        do("alloc", 5)
        self.control(do.pid, "stop")
        do("alloc", 5)
        out = self.place.folder / "part.ubirec"
        self.control(do.pid, "results", "-o", out)
        part = Recording(out)
        self.assertEqual((part.sizes(), part.end, part.torn), ({1000: 5}, (2, 0), 0))
        self.assertIn("allocate_one", part.functions(part.allocations[0]))
        self.assertIn("5 allocations", subprocess.run([UBIHEAP, "report", out], stdout=subprocess.PIPE, text=True, check=True,
                                                      env=self.place.environment).stdout)
        self.assertRegex(self.control(do.pid, "results", "-f", "collapsed", "--by=total", check=2).stderr, "--by")
        self.assertRegex(self.control(do.pid, "results", "-f", "collapsed").stdout, "allocate_one 5000\n")
        self.control(do.pid, "results", "-o", self.place.folder / "part.pb.gz")
        self.assertEqual((self.place.folder / "part.pb.gz").read_bytes()[:2], b"\x1f\x8b")
        extended = self.results(do.pid, "--extended")
        self.assertEqual(extended["events"][0]["kind"], "malloc")
        self.assertEqual(self.results(do.pid, "--json")["file"], f"process {do.pid}")
        self.assertIn("is the file that is read", self.control(do.pid, "results", "-o", do.path, check=2).stderr)

    def test_sampled(self):
        do = Program(self, self.place, "--period", "64KiB", "--paused")
        do("alloc", 3000)
        self.control(do.pid, "start")
        do("alloc", 3000)
        self.control(do.pid, "stop")
        do("alloc", 3000)
        events = self.results(do.pid, "--extended")["events"]
        total = sum(event["size"] for event in events)
        self.assertTrue(1.2e6 < total < 6e6, total)  # 3 MB, and a standard error of 0.44
        do("free", 9000)
        do.end()
        self.assertEqual(Recording(do.path).live(), {})

    def test_a_realloc_while_it_is_stopped_ends_the_block(self):
        do = Program(self, self.place, "--exact", "--paused")
        self.control(do.pid, "start")
        do("alloc", 2)
        self.control(do.pid, "stop")
        do("grow", 100000)
        do.end()
        self.assertEqual((Recording(do.path).sizes(), Recording(do.path).live()), ({1000: 2}, {1000: 1}))

    def test_threads_at_work(self):
        """Whatever they are doing at that moment, a stop ends, and nothing is lost."""
        do = Program(self, self.place, "--exact", "--paused")
        do("threads", 8)
        for _ in range(10):
            self.control(do.pid, "start")
            self.control(do.pid, "stop")
        sizes = collections.Counter(event["size"] for event in self.results(do.pid)["events"])
        do("threads", 0)
        self.assertEqual(set(sizes) - {2000, -2000}, set())
        self.assertLessEqual(sizes[-2000], sizes[2000])
        self.assertNotIn("lost", do.end())
        self.assertEqual(Recording(do.path).live(), {}, "the frees were recorded while it was stopped")

    def test_the_report_says_that_it_was_paused(self):
        do = Program(self, self.place, "--exact", "--paused")
        do("alloc", 1)
        do.end()
        report = subprocess.run([UBIHEAP, "report", do.path], stdout=subprocess.PIPE, text=True, check=True,
                                env=self.place.environment).stdout
        self.assertRegex(report, "recording was paused for [0-9.]+ m?s: what was allocated meanwhile is in no number")
        self.assertEqual(Recording(do.path).allocations, [])


class SeveralProcesses(ControlTest):
    def child(self, do):
        for name in ("in", "out"):
            os.mkfifo(self.place.folder / name)
        pid = do("fork", self.place.folder / "in", self.place.folder / "out")
        write = open(self.place.folder / "in", "w", encoding="ascii")
        read = open(self.place.folder / "out", encoding="ascii")
        self.addCleanup(read.close)
        self.addCleanup(write.close)

        def child(*words):
            write.write(" ".join(map(str, words)) + "\n")
            write.flush()
            return int(read.readline())

        self.assertEqual(int(read.readline()), 0)  # the answer to fork
        child.end = write.close
        return pid, child

    def test_a_child_begins_as_its_parent_is_and_is_started_alone(self):
        do = Program(self, self.place, "--exact", "--paused", "--follow-children")
        pid, child = self.child(do)
        self.assertEqual({(p["pid"], p["state"]) for p in self.facts()}, {(do.pid, "paused"), (pid, "paused")})
        self.control(pid, "start")
        do("alloc", 3)
        child("alloc", 4)
        self.control(pid, "stop")
        self.assert_sizes(self.results(pid)["events"], {1000: 4})
        self.assertIn("nothing was recorded", self.control(do.pid, "results", check=4).stderr)
        child.end()

    def test_a_child_of_one_that_records_does(self):
        do = Program(self, self.place, "--exact", "--paused", "--follow-children")
        self.control(do.pid, "start")
        pid, child = self.child(do)
        child("alloc", 4)
        self.assertEqual(child("stop"), STOPPED)
        self.assertEqual(do("state"), RUNNING)
        sizes = collections.Counter(event["size"] for event in self.results(pid)["events"])
        self.assertEqual(sizes[1000], 4, "among what the child itself allocated")
        child.end()

    def test_two_recorders(self):
        one = Program(self, self.place, "--exact", name="one.ubirec")
        two = Program(self, self.place, "--exact", "--paused", name="two.ubirec")
        self.assertEqual({(p["pid"], p["state"]) for p in self.facts()}, {(one.pid, "recording"), (two.pid, "paused")})
        one.end()
        self.assertEqual([p["pid"] for p in self.facts()], [two.pid])
        self.assertIn("is not recorded", self.control(one.pid, "stop", check=2).stderr)

    def test_a_recorder_that_was_killed_left_a_socket_on_which_none_answers(self):
        do = Program(self, self.place, "--exact")
        do.process.kill()
        do.process.wait()
        self.assertTrue(self.socket_path().is_socket())
        self.assertEqual(self.facts(), [])
        self.assertIn("is not recorded", self.control(do.pid, check=2).stderr)
        self.assertNotIn(f" {do.pid} ", f" {self.control().stdout} ")


class FromInside(ControlTest):
    def test_without_the_recorder(self):
        do = Program(self, self.place, is_recorded=False)
        for word in ("state", "start", "stop", "reset"):
            self.assertEqual(do(word), ABSENT)
        self.assertEqual(do("results", "x.json"), ABSENT)

    def test_a_part_of_the_work(self):
        for options in ((), ("-no-pie", "-fno-pic")):
            with self.subTest(options=options):
                do = Program(self, self.place, "--exact", "--paused",
                             program=self.compile(*options, name="controlled" + "".join(options)))
                self.assertEqual(do("state"), STOPPED)
                do("alloc", 1)
                self.assertEqual(do("results", "x.json"), NOTHING)
                self.assertEqual([do("start"), do("start"), do("state")], [RUNNING] * 3)
                do("alloc", 20)
                self.assertEqual(do("results", "x.json"), NOTHING)
                self.assertEqual(do("reset"), RUNNING)
                self.assertEqual([do("stop"), do("stop"), do("state")], [STOPPED] * 3)
                do("alloc", 30)
                self.assertEqual(do("results", "x.json"), DONE)
                self.assert_sizes(json.loads((self.place.folder / "x.json").read_text())["events"], {1000: 20})
                self.assertEqual(do("results", self.place.folder / "x.ubirec"), DONE)
                self.assertEqual(Recording(self.place.folder / "x.ubirec").sizes(), {1000: 20})
                self.assertEqual(do("reset"), STOPPED)
                self.assertEqual(do("results", "x.json"), NOTHING)
                do("start")
                do("alloc", 2)
                do("stop")
                self.assert_sizes(self.results(do.pid)["events"], {1000: 2})
                self.assertEqual(do("results", "nowhere/x.json"), FAILED)
                self.assertIn(f"results for process {do.pid}: ", do.end())

    def test_what_it_does_while_threads_work(self):
        do = Program(self, self.place, "--exact", "--paused")
        do("threads", 8)
        for _ in range(100):
            self.assertEqual([do("start"), do("stop")], [RUNNING, STOPPED])
        self.assertEqual(do("results", "x.json"), DONE)
        do("threads", 0)
        sizes = collections.Counter(e["size"] for e in json.loads((self.place.folder / "x.json").read_text())["events"])
        self.assertEqual(set(sizes) - {2000, -2000}, set())
        self.assertNotIn("lost", do.end())

    def test_from_both_sides(self):
        do = Program(self, self.place, "--exact", "--paused")
        do("start")
        do("alloc", 1)
        self.control(do.pid, "stop")
        self.assertEqual(do("state"), STOPPED)
        self.control(do.pid, "start")
        self.assertEqual(do("state"), RUNNING)
        do("alloc", 1)
        do("stop")
        self.assert_sizes(self.results(do.pid)["events"], {1000: 2})


class HostileClients(ControlTest):
    def request(self, verb=STATE, pid=0, index=0, version=1, magic=MAGIC):
        return struct.pack("<QIIiI", magic, version, verb, pid, index)

    def connect(self):
        client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.addCleanup(client.close)
        client.connect(str(self.socket_path()))
        return client

    def test_only_the_user_can_open_it(self):
        Program(self, self.place, "--exact")
        path = self.socket_path()
        self.assertEqual((path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o766), (0o600, 0o700))

    def test_what_is_no_request_is_refused_in_words(self):
        do = Program(self, self.place, "--exact")
        whole = self.request()
        for message, words in ((whole[:5], b"24 bytes, not 5"), (whole + b"\0", b"24 bytes, not 25"), (b"x" * 24, b"not ubiheap"),
                               (self.request(version=77), b"another version"), (self.request(verb=99), b"no such request"),
                               (self.request(pid=-1), b"no such request"), (self.request(pid=1), b"not recorded"),
                               (self.request(index=7), b"not recorded")):
            client = self.connect()
            client.send(message)
            reply = client.recv(1 << 16)
            self.assertLess(struct.unpack_from("<QIi", reply)[2], 0)
            self.assertIn(words, reply)
        self.assertEqual(do("state"), RUNNING)

    def test_many_who_say_nothing_delay_no_other(self):
        do = Program(self, self.place, "--exact")
        silent = [self.connect() for _ in range(15)]
        self.assertEqual(self.facts(do.pid, "stop")[0]["state"], "paused")
        do("alloc", 3)
        for client in silent:
            client.close()
        crowd = [self.connect() for _ in range(50)]  # more than are let in at a time
        for client in crowd:
            client.send(self.request())
        for i, client in enumerate(crowd):
            self.assertIn(b"controlled", client.recv(1 << 16))
            client.close()
        self.assertEqual(do("state"), STOPPED)

    def test_one_that_takes_no_reply_is_shown_out(self):
        do = Program(self, self.place, "--exact")
        client = self.connect()
        client.setblocking(False)
        gone = False
        while not gone:
            try:
                client.send(self.request(LOOK, do.pid))
            except BlockingIOError:
                do("alloc", 1)
            except (BrokenPipeError, ConnectionResetError):
                gone = True
        self.assertEqual(self.facts(do.pid)[0]["state"], "recording")

    def test_the_descriptor_is_for_reading(self):
        do = Program(self, self.place, "--exact")
        client = self.connect()
        client.send(self.request(LOOK, do.pid))
        _, [fd], _, _ = socket.recv_fds(client, 1 << 16, 4)
        self.addCleanup(os.close, fd)
        self.assertEqual(os.read(fd, 8), b"\x89UBIREC\n")
        with self.assertRaises(OSError):
            os.write(fd, b"x")

    def test_the_program_dies_while_it_is_asked_to_stop(self):
        do = Program(self, self.place, "--exact")
        do("threads", 4)
        os.kill(do.pid, signal.SIGSTOP)
        client = self.connect()
        client.send(self.request(STOP, do.pid))
        os.kill(do.pid, signal.SIGKILL)
        self.assertEqual(len(client.recv(1 << 16)) > 16, True)


if __name__ == "__main__":
    unittest.main()
