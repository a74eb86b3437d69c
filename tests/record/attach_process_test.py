#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`ubiheap attach PID`: programs that run already are recorded, let go, and never harmed."""
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time
import unittest

import record_place

sys.path.insert(0, str(record_place.HERE.parent / "recording"))
import ubirec_decoder  # noqa: E402

PROGRAMS = record_place.HERE / "programs"
UNKNOWN_FREES, ATTACHED = 2, 14
ALL_KINDS = ("busy", "sleeps", "counts", "forks", "storm")
# The program works as long as it is attached to, and a recorder with a sanitizer takes several times as long.
TIMES, KILLS = (25, 15) if record_place.SANITIZED else (100, 60)


class Program:
    """attached.c, at work."""

    def __init__(self, test, *kinds, command=()):
        self.test = test
        self.process = subprocess.Popen([*command, str(test.program), *map(str, kinds)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        test.addCleanup(self.kill)
        test.assertEqual(self.process.stdout.readline(), "ready\n")
        self.pid = self.process.pid

    def ask(self, letter):
        """-> where it finds malloc."""
        self.process.stdin.write(letter)
        self.process.stdin.flush()
        answer = self.process.stdout.readline().split()
        self.test.assertEqual(answer[0], letter, answer)
        return int(answer[1], 16)

    def mapped(self):
        return pathlib.Path(f"/proc/{self.pid}/maps").read_text()

    def descriptors(self):
        return sorted(os.listdir(f"/proc/{self.pid}/fd"))

    def end(self):
        """It is well."""
        told, _ = self.process.communicate()
        self.test.assertEqual((self.process.returncode, told), (0, ""))

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


class Attach(unittest.TestCase):
    def setUp(self):
        self.place = record_place.Place(self)
        self.program = self.place.compile("attached", "-O2", source=PROGRAMS / "attached.c")
        self.file = self.place.folder / "out.ubirec"

    def command(self, pid, *options, kind="record"):
        target = [str(pid)] if kind == "attach" else ["--pid", str(pid), "--no-symbols"]
        return [record_place.UBIHEAP, kind, *target, "--output", str(self.file), *options]

    def start(self, pid, *options, **more):
        """A recorder that records."""
        running = subprocess.Popen(self.command(pid, *options, **more), stderr=subprocess.PIPE, text=True,
                                   env=self.place.environment)
        self.addCleanup(running.stderr.close)
        self.addCleanup(running.wait)
        self.addCleanup(running.kill)
        first = running.stderr.readline()
        self.assertIn(f"recording process {pid} from now on", first)
        return running

    def stop(self, running):
        running.send_signal(signal.SIGINT)
        error = running.stderr.read()
        self.assertEqual(running.wait(), 0, error)
        return error

    def once(self, pid, *options, **more):
        return subprocess.run(self.command(pid, *options, **more), stderr=subprocess.PIPE, text=True,
                              env=self.place.environment)

    def refused(self, pid, *words, **more):
        done = self.once(pid, **more)
        self.assertNotEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertFalse(self.file.exists())

    def counters(self):
        lines = ubirec_decoder.decode(self.file.read_bytes()).splitlines()
        return {int(words[1]): int(words[2]) for words in map(str.split, lines) if words[0] == "counted"}

    # ---- what is recorded

    def test_all_from_then_on_is_recorded_and_nothing_after(self):
        program = Program(self)
        program.ask("k")
        malloc_before, descriptors = program.ask("a"), program.descriptors()
        running = self.start(program.pid, "--exact")
        self.assertNotEqual(program.ask("a"), malloc_before, "its calls are led to the recorder")
        program.ask("k")
        program.ask("f")  # those from before
        self.stop(running)
        program.ask("k")
        recording = record_place.Recording(self.file)
        self.assertEqual(recording.sizes()[1000], 100)
        self.assertEqual(recording.live()[1000], 100)
        self.assertEqual(recording.end[0], 2)  # stopped
        counters = self.counters()
        self.assertGreaterEqual(counters[UNKNOWN_FREES], 100)
        self.assertEqual(counters[ATTACHED], 1)
        self.assertEqual(program.ask("a"), malloc_before, "and back")
        self.assertEqual(program.descriptors(), descriptors)
        self.assertNotIn("memfd:ubiheap", program.mapped())
        program.end()

    def test_functions_are_named_and_the_report_says_what_is_missing(self):
        program = Program(self)
        running = self.start(program.pid, "--seconds", "0", kind="attach")
        for _ in range(16):
            for _ in range(100):
                program.ask("k")
        error = self.stop(running)
        self.assertIn("to read it: ubiheap report", error)
        told = subprocess.run([record_place.UBIHEAP, "report", "--detail", str(self.file)], stdout=subprocess.PIPE,
                              text=True, check=True).stdout
        self.assertIn("keep_some", told)
        self.assertIn("before the recorder was attached", " ".join(told.split()))
        program.end()

    def test_a_library_that_is_loaded_later_is_seen(self):
        plugin = self.place.folder / "plugin.so"
        record_place.built_programs.build(["gcc", "-g", "-O1", "-shared", "-fPIC", PROGRAMS / "attached_plugin.c"], plugin)
        program = Program(self, "loads", plugin)
        running = self.start(program.pid, "--exact")
        while record_place.Recording(self.file).sizes()[5000] < 200:
            self.assertIsNone(running.poll())
        self.stop(running)
        program.end()

    # ---- no harm

    def test_many_times_in_a_row(self):
        plugin = self.place.folder / "plugin.so"
        record_place.built_programs.build(["gcc", "-g", "-O1", "-shared", "-fPIC", PROGRAMS / "attached_plugin.c"], plugin)
        program = Program(self, *ALL_KINDS, "loads", plugin)
        descriptors = program.descriptors()
        for i in range(TIMES):
            done = self.once(program.pid, "--duration", "1ms")
            self.assertEqual(done.returncode, 0, f"{i}: {done.stderr}")
            self.assertIsNone(program.process.poll())
        self.assertEqual(program.mapped().count("libubiheap-preload.so") > 0, True)
        while program.descriptors() != descriptors:  # it loads its plugin over and over, from a file that it opens
            self.assertIsNone(program.process.poll())
        program.end()

    def test_recorders_that_are_killed_at_any_moment_harm_nothing(self):
        program = Program(self, *ALL_KINDS)
        choose = random.Random(4711)
        for _ in range(KILLS):
            running = subprocess.Popen(self.command(program.pid), stderr=subprocess.DEVNULL, env=self.place.environment)
            try:
                running.wait(choose.random() * 0.15)
            except subprocess.TimeoutExpired:
                pass
            running.kill()
            running.wait()
            self.assertIsNone(program.process.poll())
        done = self.once(program.pid, "--duration", "1ms")
        self.assertEqual(done.returncode, 0, done.stderr)
        program.end()

    def test_a_program_that_is_killed_leaves_a_recording(self):
        program = Program(self, "busy")
        running = self.start(program.pid)
        while not record_place.Recording(self.file).allocations:
            self.assertIsNone(running.poll())
        program.process.kill()
        error = running.stderr.read()
        self.assertEqual(running.wait(), 0, error)
        self.assertIsNotNone(record_place.Recording(self.file).end)

    def gaps(self):
        done = subprocess.run([record_place.UBIHEAP, "report", "--json", "--no-progress", str(self.file)], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, env=self.place.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [gap["kind"] for gap in json.loads(done.stdout)["gaps"]]

    def test_of_a_program_that_is_killed_at_any_moment_all_that_it_did_is_there(self):
        choose = random.Random(4712)
        for _ in range(KILLS // 6):
            program = Program(self, "sleeps", "counts", "forks")
            running = self.start(program.pid, "--exact")
            rounds = choose.randrange(1, 20)
            for _ in range(rounds):
                program.ask("k")
            program.process.kill()
            error = running.stderr.read()
            self.assertEqual(running.wait(), 0, error)
            self.assertGreaterEqual(record_place.Recording(self.file).sizes()[1000], 100 * rounds)
            self.assertEqual(self.gaps(), ["attached"])

    def test_of_a_recorder_that_is_killed_what_it_had_written_is_there_and_it_says_so(self):
        choose = random.Random(4713)
        program = Program(self, "sleeps", "counts", "forks")
        for _ in range(KILLS // 6):
            running = self.start(program.pid, "--exact")
            program.ask("k")
            while record_place.Recording(self.file).sizes()[1000] < 100:  # a second at most, the page says
                self.assertIsNone(running.poll())
            time.sleep(choose.random() * 0.1)
            running.kill()
            running.wait()
            program.ask("f")
            recording = record_place.Recording(self.file)
            self.assertGreaterEqual(recording.sizes()[1000], 100)
            self.assertIsNone(recording.end)
            self.assertIn("noEnd", self.gaps())
            self.file.unlink()
        program.end()

    def test_one_thread_that_never_waits(self):
        source = self.place.folder / "spins.c"
        source.write_text("#include <stdlib.h>\nint main(void) { for (void *volatile p;; free(p)) p = malloc(100); }\n")
        spins = record_place.built_programs.build(["gcc", "-O1", source], self.place.folder / "spins")
        process = subprocess.Popen([spins])
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        while "libc.so" not in pathlib.Path(f"/proc/{process.pid}/maps").read_text():
            pass
        for _ in range(10):
            done = self.once(process.pid, "--duration", "50ms")
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIsNone(process.poll())

    # ---- containers

    def test_a_program_with_folders_and_processes_of_its_own(self):
        apart = ["unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c"]
        if subprocess.run([*apart, "mount -t tmpfs none /mnt"], stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("namespaces cannot be made here")
        hides = f'program=$0; exec 3< "$program"; mount -t tmpfs none {record_place.LIBRARY.parent} && exec "$program"'
        program = Program(self, command=[*apart, hides])
        inside = self.process_inside(program.pid)
        for _ in range(3):
            running = self.start(inside, "--exact")
            program.ask("k")
            self.stop(running)
            self.assertEqual(record_place.Recording(self.file).sizes()[1000], 100)
        program.end()

    def process_inside(self, pid):
        while True:
            children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            if not children:
                return pid
            pid = int(children[0])

    # ---- words

    def test_two_recorders_at_a_time(self):
        program = Program(self)
        running = self.start(program.pid)
        other = self.place.folder / "other.ubirec"
        done = subprocess.run([record_place.UBIHEAP, "record", "--pid", str(program.pid), "-o", str(other)],
                              stderr=subprocess.PIPE, text=True)
        self.assertIn("is being recorded by another ubiheap", done.stderr)
        self.stop(running)
        program.end()

    def test_exact_after_sampled_is_refused(self):
        program = Program(self)
        self.assertEqual(self.once(program.pid, "--duration", "1ms").returncode, 0)
        self.file.unlink()
        done = self.once(program.pid, "--exact")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("was sampled before", done.stderr)
        program.end()

    def test_what_cannot_be_attached_to_is_named(self):
        source = self.place.folder / "waits.c"
        source.write_text("#include <unistd.h>\nint main(void) { char c; return read(0, &c, 1) != 0; }\n")
        static = record_place.built_programs.build(["gcc", "-static", source], self.place.folder / "waits")
        process = subprocess.Popen([static], stdin=subprocess.PIPE)
        self.addCleanup(process.wait)
        self.addCleanup(process.stdin.close)
        while os.readlink(f"/proc/{process.pid}/exe") != str(static):
            pass
        self.refused(process.pid, "statically linked")
        self.refused(2147483647, "there is no process 2147483647")
        self.refused(0, "there is no process 0")

    def filtered(self, call, action):
        """A program that has forbidden itself a system call."""
        source = self.place.folder / f"{call}.c"
        source.write_text("""
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_%s, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, %s),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = { sizeof code / sizeof *code, code };
    char c;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
        return 1;
    puts("ready");
    fflush(stdout);
    return read(0, &c, 1) != 0;
}
""" % (call, action))
        program = record_place.built_programs.build(["gcc", source], self.place.folder / call)
        process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.stdin.close)
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process

    def test_filters_that_would_kill_are_noticed(self):
        for call, action in (("socketpair", "SECCOMP_RET_KILL_PROCESS"), ("mprotect", "SECCOMP_RET_TRAP"),
                             ("memfd_create", "SECCOMP_RET_KILL_THREAD")):
            process = self.filtered(call, action)
            self.refused(process.pid, "seccomp")
            process.stdin.close()
            self.assertEqual(process.wait(), 0)
        process = self.filtered("reboot", "SECCOMP_RET_KILL_PROCESS")
        done = self.once(process.pid, "--duration", "1ms")
        if os.geteuid() == 0:
            self.assertEqual(done.returncode, 0, done.stderr)
        process.stdin.close()
        self.assertEqual(process.wait(), 0)

    def test_a_stopped_program_is_let_alone(self):
        program = Program(self)
        program.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, program.pid, os.WSTOPPED | os.WNOWAIT)
        self.refused(program.pid, "is stopped")
        program.process.send_signal(signal.SIGCONT)
        program.end()

    def test_a_program_of_another_user(self):
        if os.geteuid() != 0:
            self.skipTest("needs root, to be another user")
        tool = self.place.folder / "ubiheap"
        shutil.copy(record_place.UBIHEAP, tool)
        self.place.folder.chmod(0o755)
        program = Program(self)
        done = subprocess.run([tool, "attach", str(program.pid), "-o", "/dev/null/x"], user=65534, group=65534, extra_groups=[],
                              stderr=subprocess.PIPE, text=True,
                              env={**self.place.environment, "UBIHEAP_PRELOAD": str(record_place.LIBRARY)})
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, "belongs to user 0|cannot find|names '")
        program.end()

    def test_command_lines(self):
        for options, word in ((("--pid", "1", "--", "true"), "another program"), (("--pid", "x"), "--pid"),
                              (("--pid", "1", "--follow-children"), "--follow-children"), ((), "expected PROGRAM")):
            done = subprocess.run([record_place.UBIHEAP, "record", *options], stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(word, done.stderr)
        done = subprocess.run([record_place.UBIHEAP, "attach", "1", "census"], stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("takes no verb", done.stderr)
        for options in (("--exact",), ("-e",), ("--period", "64KiB"), ("--mappings",)):
            done = subprocess.run([record_place.UBIHEAP, "attach", "1", *options], stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(done.stderr, f"ubiheap: attach: unknown option {options[0]}, which 'ubiheap record --pid PID' has\n")


if __name__ == "__main__":
    unittest.main()
