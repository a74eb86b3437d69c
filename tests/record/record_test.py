#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`ubiheap record`: the program lives as without it, and what it allocated is in the file."""
import contextlib
import itertools
import json
import os
import pathlib
import re
import resource
import shlex
import select
import shutil
import signal
import struct
import subprocess
import threading
import time
import unittest

import record_place

RECORDED = r"recorded [\d,]+ (sampled )?allocations?( and mappings| or mapping)? in (?P<file>\S+) \([\d.]+ \w+\); to read it: ubiheap report \S+"
EXITED, KILLED, STOPPED, REPLACED, ENDED = range(5)


class Records(unittest.TestCase):
    def setUp(self):
        self.place = record_place.Place(self)

    def behaves(self, *arguments, **more):
        return self.place.record(self.place.program, *arguments, **more)

    def start(self, *arguments, **more):
        running = self.place.start(self.place.program, *arguments, **more)
        self.addCleanup(self.abandon, running)
        return running

    @staticmethod
    def abandon(running):
        if running.poll() is None:
            running.kill()
            running.wait()
        for stream in (running.stdin, running.stdout, running.stderr):
            if stream:
                stream.close()

    def wait_until(self, holds):
        """For as long as it takes: the runner of the tests has a limit."""
        while not holds():
            time.sleep(0.02)

    def hold(self, name="hold"):
        """A file: as long as it is there, programs go on that were told so."""
        path = self.place.folder / name
        path.touch()
        return path

    @staticmethod
    def is_over(pid):
        """Whoever adopted it may not have asked for its status yet."""
        try:
            return re.search(r"\) [ZX]", pathlib.Path(f"/proc/{pid}/stat").read_text()) is not None
        except (FileNotFoundError, ProcessLookupError):
            return True

    def assert_recorded(self, done):
        self.assertRegex(done.stderr, rf"\Aubiheap: {RECORDED}\n\Z")

    def assert_refused(self, done, code, words):
        self.assertEqual((done.returncode, done.stdout), (code, ""))
        self.assertRegex(done.stderr, rf"\Aubiheap: record: [^\n]*{words}[^\n]*\n\Z")
        self.assertEqual(self.place.recordings(), [])


class TheFile(Records):
    def test_every_allocation_and_free_is_there_with_its_stack(self):
        done = self.behaves("exit", 0)
        self.assert_recorded(done)
        recording = self.place.recording()
        self.assertTrue(recording.is_whole())
        self.assertEqual(recording.end, (EXITED, 0))
        mine = [event for event in recording.allocations if event.size == 1000]
        self.assertEqual(len(mine), 100)
        self.assertEqual(recording.live()[1000], 10)
        for event in mine:
            functions = [name for name in recording.functions(event) if name != "malloc"]
            self.assertEqual(functions[:2], ["keep_some", "main"])
            self.assertEqual(event.kind, "malloc")
        symbol = next(symbols for symbols in recording.symbols.values() if symbols[0][0] == "keep_some")
        self.assertTrue(symbol[0][1].endswith("behaves.c"))
        source = (record_place.HERE / "programs" / "behaves.c").read_text().splitlines()
        self.assertIn("malloc(1000)", source[int(symbol[0][2]) - 1])

    def test_it_says_what_ran(self):
        self.behaves("exit", 0)
        numbers, texts = self.place.recording().about[:6], self.place.recording().about[6:]
        self.assertEqual(int(numbers[2]), 1, "exact")
        self.assertEqual(texts[0], str(self.place.program))
        self.assertIn("exit%000%00", texts[1])

    def test_without_symbols_there_are_none_and_all_else(self):
        self.behaves("exit", 0, options=("--exact", "--no-symbols"))
        recording = self.place.recording()
        self.assertEqual((recording.symbols, recording.is_whole()), ({}, True))

    def test_the_usual_name_is_of_program_and_process(self):
        done = self.behaves("exit", 0, output=None)
        self.assert_recorded(done)
        self.assertRegex(" ".join(self.place.recordings()), r"\Abehaves\.\d+\.ubirec\Z")

    def test_sampling_is_the_usual_way_and_says_so(self):
        done = self.behaves("storm", 200000, options=())
        self.assert_recorded(done)
        self.assertIn("sampled allocations", done.stderr)
        recording = self.place.recording()
        self.assertEqual(int(recording.about[2]), 512 << 10)
        # 100 MB in steps of 512 KiB: 190 are expected, and 14 more or less are usual.
        self.assertTrue(100 < len(recording.allocations) < 300, len(recording.allocations))

    def test_more_than_the_buffers_hold_is_all_there(self):
        done = self.behaves("storm", 4000000, options=("--exact", "--no-symbols"))
        self.assert_recorded(done)
        self.assertGreaterEqual(int(done.stderr.split()[2].replace(",", "")), 4000100)

    @unittest.skipIf(record_place.SANITIZED, "a sanitizer's allocator is not recorded")
    def test_a_script_of_ours_has_each_object_in_it(self):
        """Though the runner cuts small blocks from pages of its own where nobody looks at malloc."""
        script = self.place.folder / "objects.js"
        script.write_text("const kept = []; for (let i = 0; i < 30000; i++) kept.push({ i });")
        self.assert_recorded(self.place.record(record_place.UBIHEAP, "run", script, options=("--exact", "--no-symbols")))
        self.assertGreater(max(self.place.recording().sizes().values()), 30000)
        groups = subprocess.run([record_place.UBIHEAP, "allocations", "--group", "kind", "--json", self.place.folder / "out.ubirec"],
                                stdout=subprocess.PIPE, check=True).stdout
        of_kind = {row["name"]: row["total"] for row in json.loads(groups)["groups"]}
        self.assertGreater(of_kind["JavaScript Object"]["count"], 60000)  # an object and its properties
        self.assertGreater(of_kind["JavaScript Array"]["bytes"], 30000 * 16)  # elements, however often they were moved
        self.assertLess(of_kind["malloc"]["count"], 5000)

    def test_no_stack_has_frames_of_the_recorder(self):
        """Not even when a signal comes while the program is in there."""
        self.assertEqual(self.behaves("abort-in-malloc").returncode, 3)
        recording = self.place.recording()
        event = next(event for event in recording.allocations if event.size == 4444)
        functions = recording.functions(event)
        self.assertEqual(functions[0], "on_abort")
        self.assertIn("main", functions)
        self.assertFalse([frame for frame in event.stack if record_place.LIBRARY.name in frame])

    def test_threads_have_the_names_that_they_gave_themselves(self):
        hold = self.hold()
        running = self.start("thread", hold)
        self.wait_until(lambda: any("painter" in line for line in self.place.recording().lines))
        hold.unlink()
        running.communicate()
        self.assertEqual(running.returncode, 0)
        recording = self.place.recording()
        event = next(event for event in recording.allocations if event.size == 4321)
        last = [line for line in recording.lines if "painter" in line]
        self.assertTrue(last or "painter" in event.thread)

    def test_mappings_are_recorded_when_that_is_wanted(self):
        for options, expected in ((["--exact"], 0), (["--exact", "--mappings"], 1)):
            self.assert_recorded(self.behaves("map", options=options))
            found = [event for event in self.place.recording().allocations if (event.kind, event.size) == ("mmap", 1 << 20)]
            self.assertEqual(len(found), expected)

    def test_mappings_are_not_called_samples(self):
        done = self.behaves("map", options=("--mappings",))
        self.assertRegex(done.stderr, r"recorded \d+ sampled (allocations and mappings|allocation or mapping) in")

    def test_a_mapping_of_which_parts_go_is_one_mapping(self):
        program = self.place.compile("mappings", "-D_GNU_SOURCE", "-w", source=record_place.HERE.parent / "interpose" / "programs" / "mappings.c")
        truth = self.place.folder / "truth"
        done = self.place.record(program, options=("--exact", "--mappings"), environment={"TRUTH": str(truth)})
        self.assertEqual(done.returncode, 0, done.stderr)
        made = [tuple(map(int, line.split()[1:])) for line in truth.read_text().splitlines() if line.startswith("L ")]
        report = json.loads(subprocess.run([record_place.UBIHEAP, "report", "--json", self.place.folder / "out.ubirec"],
                                           stdout=subprocess.PIPE, check=True).stdout)["mapping"]
        self.assertEqual((report["total"]["count"], report["total"]["bytes"]), (len(made), sum(size for size, _ in made)))
        left = [left for _, left in made if left]
        self.assertEqual((report["leaked"]["count"], report["leaked"]["bytes"]), (len(left), sum(left)))
        self.assertEqual(report["temporary"]["count"], 2, "those that went whole and at once")

    def test_memory_of_the_shortest_program_is_seen(self):
        for _ in range(5):
            self.assert_recorded(self.behaves("exit", 0))
            self.assertGreater(max(self.place.recording().resident, default=0), 0)

    def test_memory_of_children_that_it_waited_for_is_not_its_own(self):
        for options in (("--exact",), ("--exact", "--follow-children")):
            done = self.place.record("/bin/sh", "-c", "perl -e 'my $text = \"x\" x (100 << 20)'; exit 3", options=options)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertLess(max(self.place.recording().resident), 16 << 20)

    def test_memory_is_sampled_while_it_runs(self):
        self.behaves("churn", 300, "mark")
        self.assertGreater(max(self.place.recording().resident), 100000)

    def test_a_program_that_allocates_nothing_has_a_whole_recording(self):
        self.assert_recorded(self.behaves("none"))
        recording = self.place.recording()
        self.assertEqual((recording.end, recording.torn), ((EXITED, 0), 0))
        self.assert_recorded(self.place.record("/bin/true"))

    def test_nothing_else_is_left_behind(self):
        runtime = self.place.folder / "runtime"
        runtime.mkdir(mode=0o700)
        self.behaves("exit", 0, environment={"XDG_RUNTIME_DIR": str(runtime)})
        self.assertEqual(list(runtime.iterdir()), [])


class Libraries(Records):
    def test_a_library_by_a_relative_path_that_comes_again_elsewhere(self):
        interpose = record_place.HERE.parent / "interpose" / "programs"
        self.place.compile("libplugin.so", "-shared", "-fPIC", "-DSIZE=3333", "-DPADDING=9", "-lstdc++",
                           source=interpose / "plugin.cpp")
        program = self.place.compile("reloads", source=record_place.HERE / "programs" / "reloads.c")
        elsewhere = self.place.folder / "elsewhere"
        elsewhere.mkdir()
        done = self.place.record(program, elsewhere)
        self.assertEqual(done.returncode, 0, "the library was not at two places")
        recording = self.place.recording()
        events = [event for event in recording.allocations if event.size == 3333]
        self.assertEqual([recording.functions(event)[0] for event in events], ["plugin_allocate"] * 2)
        self.assertIn(str(self.place.folder / "libplugin.so"), events[0].stack[0])
        self.assertEqual(events[0].stack[0], events[1].stack[0], "one place")


    def test_libraries_that_are_loaded_in_another_way_than_asked_for_or_not_seen_are_reported(self):
        interpose = record_place.HERE.parent / "interpose" / "programs"
        self.place.compile("libplugin.so", "-shared", "-fPIC", "-DSIZE=3333", "-DPADDING=9", "-Wl,--no-as-needed", "-lstdc++",
                           source=interpose / "plugin.cpp")
        program = self.place.compile("strange_loads", source=record_place.HERE / "programs" / "strange_loads.c")
        done = self.place.record(program)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("RTLD_DEEPBIND was removed from dlopen 1 time,", done.stderr)
        self.assertIn("dlmopen was called 1 time:", done.stderr)
        recording = self.place.recording()
        self.assertEqual(recording.sizes()[3333], 1)
        report = json.loads(subprocess.run([record_place.UBIHEAP, "report", "--json", self.place.folder / "out.ubirec"],
                                           stdout=subprocess.PIPE, check=True).stdout)
        self.assertEqual([report["counters"][name] for name in ("deepBinds", "namespaces")], [1, 1])


class TheProgramsLife(Records):
    def test_its_exit_status_is_ours(self):
        for code in (0, 1, 7, 255):
            self.assertEqual(self.behaves("exit", code).returncode, code)
            self.assertEqual(self.place.recording().end, (EXITED, code))

    def test_the_signal_that_kills_it_is_ours_too(self):
        for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT):
            done = self.behaves("kill", int(number))
            self.assertEqual(done.returncode, -number)
            self.assert_recorded(done)
            self.assertEqual(self.place.recording().end, (KILLED, number))
            self.assertTrue(self.place.recording().is_whole())

    def test_all_that_came_back_before_exit_is_recorded_and_what_was_under_way_is_reported(self):
        program = self.place.compile("exits_at_work", "-fno-builtin", source=record_place.HERE / "programs" / "exits_at_work.c")
        truth = self.place.folder / "truth"
        for _ in range(5):
            done = self.place.record(program, truth, options=("--exact", "--no-symbols"))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("lost", done.stderr)
            numbers = [sum(column) for column in zip(*struct.iter_unpack("=4Q", truth.read_bytes()))]
            table = subprocess.run([record_place.UBIHEAP, "report", "--no-symbols", "--json", self.place.folder / "out.ubirec"],
                                   stdout=subprocess.PIPE, check=True).stdout
            report = json.loads(table)
            mine = next(row for row in report["sizes"] if row["belowBytes"] == 8192)
            self.assertLessEqual(numbers[1], mine["count"])
            self.assertLessEqual(mine["count"], numbers[0])
            freed = mine["count"] - (report["heap"]["leaked"]["bytes"] // 7001)
            self.assertLessEqual(numbers[3], freed)
            self.assertLessEqual(freed, numbers[2])
            self.assertEqual(report["counters"]["dropped"], 0)
            self.assertLessEqual(report["counters"]["unfinished"], 6)

    def test_input_and_output_pass_untouched(self):
        with open("/etc/passwd", "rb") as text:
            done = self.place.record("cat", stdin=text)
        self.assertEqual(done.stdout, pathlib.Path("/etc/passwd").read_text())
        self.assertTrue(record_place.is_one_line(done.stderr, RECORDED))
        done = self.place.record("sh", "-c", "echo to stderr >&2")
        self.assertEqual(done.stderr.splitlines()[0], "to stderr")

    def test_it_sees_the_environment_that_we_got(self):
        for extra in ({}, {"LD_PRELOAD": "libm.so.6"}, {"A": "b=c", "EMPTY": ""}):
            plain = subprocess.run(["env"], env={**self.place.environment, **extra}, stdout=subprocess.PIPE, text=True)
            done = self.place.record("env", environment=extra)
            self.assertEqual(sorted(done.stdout.splitlines()), sorted(plain.stdout.splitlines()))

    def test_a_closed_input_is_closed_for_it(self):
        for how, expected in (("<&-", 1), ("</dev/null", 0)):
            command = shlex.join(self.place.command(self.place.program, "closed"))
            done = subprocess.run(["sh", "-c", f"{command} {how}"], cwd=self.place.folder, env=self.place.environment,
                                  stderr=subprocess.DEVNULL)
            self.assertEqual(done.returncode, expected, how)

    def test_it_has_no_descriptor_of_ours(self):
        plain = subprocess.run(["ls", "/proc/self/fd"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        done = self.place.record("ls", "/proc/self/fd")
        self.assertEqual(done.stdout, plain.stdout)

    def test_a_signal_sent_to_us_is_passed_on(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1):
            running = self.start("wait-for-signal", int(number))
            running.send_signal(number)
            output, errors = running.communicate()
            self.assertEqual((running.returncode, output), (3, "signal\n"))
            self.assertTrue(record_place.is_one_line(errors, RECORDED), errors)
            self.assertEqual(self.place.recording().end, (EXITED, 3))

    def test_ctrl_c_reaches_it_once_and_the_file_is_finished(self):
        master, slave = os.openpty()
        running = subprocess.Popen(
            ["setsid", "--ctty", *self.place.command(self.place.program, "wait-for-signal", int(signal.SIGINT))],
            cwd=self.place.folder, env=self.place.environment, stdin=slave, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.abandon, running)
        os.close(slave)
        self.assertEqual(running.stdout.readline(), "ready\n")
        os.write(master, b"\x03")
        output, errors = running.communicate()
        os.close(master)
        self.assertEqual((running.returncode, output), (3, "signal\n"))
        self.assertTrue(record_place.is_one_line(errors, RECORDED), errors)
        self.assertTrue(self.place.recording().is_whole())

    def test_ignored_signals_stay_ignored_and_others_are_not(self):
        for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGCHLD, signal.SIGHUP):
            for name, how in (("ignored\n", signal.SIG_IGN), ("default\n", signal.SIG_DFL)):
                done = self.behaves("ignored", int(number), preexec_fn=lambda n=number, h=how: signal.signal(n, h),
                                    restore_signals=False)
                self.assertEqual((done.returncode, done.stdout), (0, name), signal.Signals(number).name)

    def test_a_program_that_closes_all_descriptors_is_recorded_to_its_end(self):
        done = self.behaves("close-all", "mark")
        self.assertEqual(done.returncode, 0)
        self.assertTrue((self.place.folder / "mark").exists())
        self.assertEqual(self.place.recording().live()[2222], 1)

    def test_a_program_in_another_root_is_recorded_to_its_end(self):
        if os.geteuid() != 0:
            self.skipTest("only root may change the root")
        (self.place.folder / "root").mkdir()
        done = self.behaves("chroot", self.place.folder / "root")
        self.assertEqual((done.returncode, self.place.recording().live()[2222]), (0, 1))


class WhatIsRun(Records):
    def test_what_is_not_there_or_cannot_run_ends_as_in_a_shell(self):
        self.assert_refused(self.place.record("no-such-program"), 127, "No such file")
        self.assert_refused(self.place.record("./no/such"), 127, "No such file")
        self.assert_refused(self.place.record(""), 127, "No such file")
        self.assert_refused(self.place.record(self.place.folder), 126, "Permission denied")
        (self.place.folder / "plain").write_text("text\n")
        if os.geteuid() != 0 or not os.access(self.place.folder / "plain", os.X_OK):
            self.assert_refused(self.place.record("./plain"), 126, "Permission denied")

    def test_programs_that_load_nothing_are_refused(self):
        static = self.place.compile("static", "-static")
        self.assert_refused(self.place.record(static), 126, "statically linked")
        text = self.place.folder / "text"
        text.write_text("echo no interpreter\n")
        text.chmod(0o755)
        self.assert_refused(self.place.record(text), 126, "neither a program nor a script")
        foreign = self.place.folder / "foreign"
        foreign.write_bytes(self.place.program.read_bytes()[:18] + b"\xb7" + self.place.program.read_bytes()[19:])
        foreign.chmod(0o755)
        self.assert_refused(self.place.record(foreign), 126, "another kind of machine")

    def test_a_program_that_writes_over_what_it_shares_lives_and_it_is_reported(self):
        program = self.place.compile("scribbles", "-D_GNU_SOURCE", "-fno-builtin", f"-I{record_place.HERE.parents[1] / 'include'}",
                                     source=record_place.HERE.parent / "interpose" / "programs" / "scribbles.c")
        done = self.place.record(program, 0)
        self.assertEqual((done.returncode, done.stdout), (6, "1 0\n"))
        self.assertRegex(done.stderr, r"ubiheap: out.ubirec: the program wrote over the memory [^\n]*\n")
        self.assertEqual(self.place.recording().end, (STOPPED, 0))

    def test_programs_of_another_c_library_are_refused_and_live_as_children(self):
        program = self.place.compile("other", source=record_place.HERE / "programs" / "other_library.c", compiler="musl-gcc")
        self.assert_refused(self.place.record(program), 126, "built for musl")
        done = self.place.record("sh", "-c", f"{program}; echo $?; {self.place.program} exit 0", options=["--follow-children"])
        self.assertEqual((done.returncode, done.stdout), (0, "alive\n5\n"))

    def test_programs_with_a_sanitizers_malloc_are_refused(self):
        for options, name in ((["address"], "Address"), (["address", "-static-libasan"], "Address"),
                              (["thread", "-static-libtsan"], "Thread")):
            program = self.place.compile("sanitized", f"-fsanitize={options[0]}", *options[1:])
            self.assert_refused(self.place.record(program, "exit", 0), 126, f"built with {name}Sanitizer")
            self.place.program = program
            script = self.place.folder / "script"
            script.write_text(f"#!{program}\n")
            script.chmod(0o755)
            self.assert_refused(self.place.record(script), 126, f"built with {name}Sanitizer")

    def test_of_a_program_with_its_own_malloc_it_is_said_why_nothing_is_there(self):
        program = self.place.compile("own", "-rdynamic", "-fno-builtin",
                                     source=record_place.HERE / "programs" / "own_malloc.c")
        done = self.place.record(program)
        self.assertEqual(done.returncode, 0)
        self.assertIn("has a malloc of its own built in", done.stderr)
        self.assertEqual(self.place.recording().allocations, [])
        report = [record_place.UBIHEAP, "report", self.place.folder / "out.ubirec"]
        page = subprocess.run([*report, "--fail-on", "leaked > 0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual((page.returncode, "Nothing was recorded." in page.stdout), (3, True), page.stdout + page.stderr)
        started = json.loads(subprocess.run([*report, "--json"], stdout=subprocess.PIPE, check=True).stdout)["started"]
        self.assertEqual([(row["name"], row["reason"]) for row in started], [("own", "ownAllocator")])
        self.assertNotIn("malloc of its own", self.behaves("none").stderr)

    def test_programs_with_other_rights_are_refused(self):
        if os.geteuid() != 0:
            self.skipTest("only root may give a file away")
        shutil.chown(self.place.program, 65534)
        self.place.program.chmod(0o4755)
        self.assert_refused(self.behaves("exit", 0), 126, "setuid")

    def test_a_script_is_recorded_as_its_interpreter(self):
        for name, line in (("direct", f"#!{shutil.which('sh')} -e"), ("env", "#!/usr/bin/env sh"), ("spaced", "#! /bin/sh  ")):
            script = self.place.folder / name
            script.write_text(f'{line}\necho "$0 $1"; exit 9\n')
            script.chmod(0o755)
            done = self.place.record(script, "argument")
            self.assertEqual((done.returncode, done.stdout), (9, f"{script} argument\n"), name)
            about = self.place.recording().about
            self.assertEqual(os.path.realpath(about[6]), os.path.realpath(shutil.which("sh")), name)
            self.assertGreater(len(self.place.recording().allocations), 0)

    def test_a_script_without_its_interpreter_is_refused(self):
        for line, code in (("#!/no/such/interpreter", 127), ("#!/usr/bin/env no-such-interpreter", 127), ("#!", 126)):
            script = self.place.folder / "script"
            script.write_text(line + "\n")
            script.chmod(0o755)
            self.assert_refused(self.place.record(script), code, "")

    def test_the_library_is_found_by_name_and_where_its_path_has_spaces(self):
        elsewhere = self.place.folder / "with a space:and more"
        elsewhere.mkdir()
        library = elsewhere / record_place.LIBRARY.name
        shutil.copy(record_place.LIBRARY, library)
        self.assert_recorded(self.behaves("exit", 0, environment={"UBIHEAP_PRELOAD": str(library)}))
        self.assertTrue(self.place.recording().is_whole())
        (self.place.folder / "out.ubirec").unlink()
        self.assert_refused(self.behaves("exit", 0, environment={"UBIHEAP_PRELOAD": "/no/such.so"}), 4, "UBIHEAP_PRELOAD")

    def test_options_that_contradict_each_other_are_refused(self):
        for options in (("--exact", "--period", "1MiB"), ("--period", "0"), ("--period", "x"), ("--json",), ("--duration", "0"),
                        ("--no-symbols", "--debuginfod")):
            self.assert_refused(self.behaves("exit", 0, options=options), 2, "")
        self.assert_refused(self.behaves("exit", 0, output="-"), 2, "standard output belongs to the program")

    def test_a_preloaded_allocator_lies_below_the_recorder(self):
        allocators = [path for pattern in ("libjemalloc.so.2", "libtcmalloc_minimal.so.4", "libmimalloc.so.2*")
                      for path in pathlib.Path("/usr/lib").glob(f"*/{pattern}")]
        if not allocators:
            self.skipTest("no other allocator is installed")
        for allocator in allocators:
            done = self.behaves("exit", 0, environment={"LD_PRELOAD": str(allocator)})
            self.assertEqual(done.returncode, 0)
            recording = self.place.recording()
            self.assertEqual((recording.sizes()[1000], recording.live()[1000]), (100, 10), allocator)


class Failures(Records):
    def test_a_file_that_cannot_be_written_is_refused_before_the_program_begins(self):
        mark = self.place.folder / "mark"
        for output in ("no/such/folder/x.ubirec", str(self.place.folder)):
            done = self.behaves("churn", 1, mark, output=output)
            self.assertEqual((done.returncode, mark.exists()), (4, False))
            self.assertRegex(done.stderr, r"\Aubiheap: record: cannot write '[^\n]+\n\Z")

    def test_when_the_file_takes_no_more_the_program_continues_and_the_file_is_good_up_to_there(self):
        # A reader that goes away after some bytes is a disk that is full after some.
        fifo, taken = self.place.folder / "out.ubirec", []
        os.mkfifo(fifo)
        descriptor = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)  # it is there before the writer, who does not wait for it
        os.set_blocking(descriptor, True)

        def take():
            with open(descriptor, "rb", buffering=0) as end:
                select.select([end], [], [])  # before the writer has come, its end would be seen
                while sum(map(len, taken)) < 40000 and (piece := end.read(4096)):
                    taken.append(piece)

        reader = threading.Thread(target=take)
        reader.start()
        done = self.behaves("storm", 4000000, options=("--exact", "--no-symbols"))
        reader.join()
        self.assertEqual((done.returncode, done.stdout), (4, ""))
        self.assertRegex(done.stderr, r"out\.ubirec: cannot write: Broken pipe; the recording ends there")
        (self.place.folder / "taken").write_bytes(b"".join(taken))
        recording = self.place.recording("taken")
        self.assertGreater(len(recording.allocations), 1000)
        self.assertEqual(recording.end, None)

    def test_a_fifo_without_a_reader_is_refused_before_the_program_begins(self):
        fifo, mark = self.place.folder / "fifo", self.place.folder / "mark"
        os.mkfifo(fifo)
        done = self.behaves("churn", 1, mark, output=str(fifo))
        self.assertEqual((done.returncode, mark.exists(), fifo.exists()), (4, False, True))
        self.assertRegex(done.stderr, r"\Aubiheap: record: cannot write '[^\n]+/fifo': not a regular file, and no process reads it\n\Z")

    def test_a_program_that_waits_for_a_stopped_recorder_continues_and_the_loss_is_reported(self):
        command = self.place.command(self.place.program, "storm", 30000000, options=("--exact", "--no-symbols"))
        start = time.monotonic()
        running = subprocess.Popen(command, cwd=self.place.folder, stderr=subprocess.PIPE, text=True, env=self.place.environment)
        self.addCleanup(self.abandon, running)
        path = self.place.folder / "out.ubirec"
        self.wait_until(lambda: path.exists() and path.stat().st_size > 100000)  # it records
        child = self.place.program_pid(running)
        running.send_signal(signal.SIGSTOP)
        self.wait_until(lambda: self.is_over(child))
        lasted_ms = (time.monotonic() - start) * 1000
        running.send_signal(signal.SIGCONT)
        told = r"recording was over [0-9.]+ m?s after the start because ubiheap freed nothing for 30 s; how much was lost is unknown"
        _, said = running.communicate()
        self.assertEqual(running.returncode, 4)
        self.assertRegex(said, told)
        page = self.ask("report", "out.ubirec")
        self.assertRegex(re.sub(r"\s+", " ", page.stdout), told)
        document = json.loads(self.ask("report", "--json", "out.ubirec").stdout)
        self.assertEqual((document["end"], document["counters"]["dropped"]), ({"reason": "stopped", "value": 1}, None))
        self.assertLess(document["durationMs"], lasted_ms - 30000, "it ended when the wait began")
        for condition in ("dropped == 0", "leaked > 1TiB", "count < 1"):
            self.assertEqual(self.ask("report", "--fail-on", condition, "out.ubirec").returncode, 3, condition)
        info = self.ask("info", "out.ubirec").stdout
        self.assertRegex(info, r"\nEnded +unknown: recording was over [0-9.]+ m?s after the start, as ubiheap freed nothing for 30 s\n")
        self.assertRegex(info, r"\nLost +unknown: the program gave the recorder up\n")

    def ask(self, *arguments):
        return subprocess.run([record_place.UBIHEAP, *arguments], cwd=self.place.folder, capture_output=True, text=True,
                              env=self.place.environment)

    def test_a_device_that_takes_nothing_is_reported(self):
        done = self.behaves("exit", 0, output="/dev/full")
        self.assertEqual(done.returncode, 4)
        self.assertIn("No space left on device", done.stderr)

    def test_a_device_is_not_removed_when_nothing_was_recorded(self):
        fifo = self.place.folder / "fifo"
        os.mkfifo(fifo)
        end = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, end)
        broken = self.place.folder / "broken"
        broken.write_bytes(self.place.program.read_bytes()[:4096])  # the kernel refuses it, only then
        broken.chmod(0o755)
        self.place.record(broken, output=str(fifo))
        self.assertTrue(fifo.exists())

    def test_an_old_recording_stays_until_the_new_one_has_begun(self):
        self.assert_recorded(self.behaves("exit", 0))
        old = (self.place.folder / "out.ubirec").read_bytes()
        names = sorted(os.listdir(self.place.folder))
        broken = self.place.folder / "broken"
        broken.write_bytes(self.place.program.read_bytes()[:4096])
        broken.chmod(0o755)

        def assert_kept():
            self.assertEqual((self.place.folder / "out.ubirec").read_bytes(), old)
            self.assertEqual(sorted(os.listdir(self.place.folder)), sorted([*names, "broken"]))
        self.assertEqual(self.place.record("no-such-program").returncode, 127)
        assert_kept()
        self.assertNotEqual(self.place.record(broken).returncode, 0, "the kernel gives up on it in the middle of exec")
        assert_kept()
        self.assertEqual(self.behaves("exit", 0, preexec_fn=self.may_write(100 << 10)).returncode, 4, "nothing was recorded")
        assert_kept()
        self.assert_recorded(self.behaves("exit", 9))
        self.assertEqual(self.place.recording().end, (EXITED, 9))
        self.assertEqual(sorted(os.listdir(self.place.folder)), sorted([*names, "broken"]))

    def test_an_old_recording_stays_when_the_disk_takes_no_more(self):
        disk = self.place.folder / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], stderr=subprocess.DEVNULL).returncode:
            self.skipTest("only root may mount")
        self.addCleanup(subprocess.run, ["umount", disk], check=True)
        self.assert_recorded(self.behaves("exit", 0, output="disk/out.ubirec"))
        old = (disk / "out.ubirec").read_bytes()
        with contextlib.suppress(OSError), open(disk / "full", "wb", buffering=0) as full:
            while True:
                full.write(bytes(4096))
        done = self.behaves("exit", 0, output="disk/out.ubirec")
        self.assertEqual(done.returncode, 4)
        self.assertRegex(done.stderr, "nothing was recorded: .*No space left on device")
        self.assertEqual((disk / "out.ubirec").read_bytes(), old)
        self.assertEqual(sorted(os.listdir(disk)), ["full", "out.ubirec"])

    def test_an_old_recording_is_replaced_before_the_new_one_is_at_its_end(self):
        (self.place.folder / "real.ubirec").write_bytes(b"")
        (self.place.folder / "out.ubirec").symlink_to("real.ubirec")
        running = self.start("churn-while", self.hold(), "mark")
        self.wait_until(lambda: self.place.recording().is_whole())
        running.kill()
        running.wait()
        self.assertTrue(self.place.recording("real.ubirec").is_whole())
        self.assertTrue((self.place.folder / "out.ubirec").is_symlink())

    def test_a_recording_that_another_one_writes_is_not_replaced(self):
        hold = self.hold()
        first = self.start("churn-while", hold)
        (self.place.folder / "link.ubirec").symlink_to("out.ubirec")
        for name in ("out.ubirec", "link.ubirec"):
            done = self.behaves("exit", 0, output=name)
            self.assertEqual((done.returncode, done.stdout), (4, ""))
            self.assertRegex(done.stderr, rf"\Aubiheap: record: another 'ubiheap record' writes {name} just now: give another --output\n\Z")
        hold.unlink()
        self.assertIn("recorded ", first.communicate()[1])
        self.assertTrue(self.place.recording().is_whole())
        self.assertEqual(self.behaves("exit", 0).returncode, 0)

    def test_of_several_that_begin_at_a_time_one_has_the_file_and_the_others_say_so(self):
        hold = self.hold()
        all_of_them = []
        for _ in range(5):
            running = subprocess.Popen(self.place.command(self.place.program, "churn-while", hold), cwd=self.place.folder, text=True,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.place.environment)
            self.addCleanup(self.abandon, running)
            all_of_them.append(running)
        for running in all_of_them:
            self.assertIn(running.stdout.readline(), ("ready\n", ""))
        hold.unlink()
        said = [(running.communicate()[1], running.returncode) for running in all_of_them]
        kept = [text for text, _ in said if re.fullmatch(f"ubiheap: {RECORDED}\n", text)]
        self.assertEqual(len(kept), 1, said)
        for text, status in said:
            if text != kept[0]:  # 5: the program's own, which ran by then
                self.assertIn(status, (4, 5))
                self.assertRegex(text, r"\Aubiheap: [^\n]*another 'ubiheap record' writes [^\n]* just now: give another --output\n\Z")
        self.assertTrue(self.place.recording().is_whole())

    def test_what_is_no_recording_is_not_replaced(self):
        for name in ("app.heapsnapshot", "app.c"):
            (self.place.folder / name).write_text("something else")
            done = self.behaves("exit", 0, output=name)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, rf"\Aubiheap: record: the output {name} is there and no recording; nothing is written over it\n")
            self.assertEqual((self.place.folder / name).read_text(), "something else")

    def test_the_programs_own_failure_goes_before_ours(self):
        self.assertEqual(self.behaves("exit", 9, output="/dev/full").returncode, 9)

    @staticmethod
    def may_write(n_bytes):
        return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, resource.RLIM_INFINITY))

    def assert_cut_off(self, done, name):
        """The file ends behind a whole block, and what is said to be there is."""
        self.assertEqual(done.returncode, 4)
        self.assertRegex(done.stderr, "cannot write: [^\n]*; the recording ends there, the program did not\n")
        recording = self.place.recording(name)
        self.assertEqual((recording.torn, recording.end), (0, None))
        said = int(re.search(r"recorded ([\d,]+) allocations", done.stderr).group(1).replace(",", ""))
        self.assertEqual(said, len(recording.allocations))
        return recording

    def test_a_file_that_may_not_grow_ends_behind_its_last_whole_block(self):
        limit = 3 << 19
        done = self.behaves("noise", 500000, options=("--exact", "--no-symbols"), preexec_fn=self.may_write(limit))
        self.assertGreater(len(self.assert_cut_off(done, "out.ubirec").allocations), 100000)
        self.assertGreater((self.place.folder / "out.ubirec").stat().st_size, limit - (256 << 10))

    def test_a_small_disk_that_is_full_has_what_fits(self):
        disk = self.place.folder / "disk"
        disk.mkdir()
        size = 64 << 10
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk], stderr=subprocess.DEVNULL).returncode:
            self.skipTest("only root may mount")
        self.addCleanup(subprocess.run, ["umount", disk], check=True)
        done = self.behaves("noise", 200000, options=("--exact", "--no-symbols"), output="disk/out.ubirec")
        self.assertGreater(len(self.assert_cut_off(done, "disk/out.ubirec").allocations), 2000)
        self.assertGreater((disk / "out.ubirec").stat().st_size, size // 2)

    def test_what_could_not_begin_leaves_no_file_and_says_why(self):
        done = self.behaves("exit", 0, preexec_fn=self.may_write(100 << 10))
        self.assertEqual((done.returncode, self.place.recordings()), (4, []))
        self.assertRegex(done.stderr, r"\Aubiheap: nothing was recorded: cannot make the memory [^\n]*: File too large\n\Z")

    def test_with_little_shared_memory_what_has_no_place_is_counted(self):
        # Room for 32 chunks; each of the threads holds one.
        done = self.behaves("crowd", 100, preexec_fn=self.may_write(4 << 20))
        self.assertEqual(done.returncode, 0)
        self.assertIn("; some events were lost", done.stderr)
        self.assertTrue(10 < self.place.recording().sizes()[777] < 100)

    def test_one_socket_is_left_behind_when_we_are_killed(self):
        runtime = self.place.folder / "runtime"
        runtime.mkdir(mode=0o700)
        self.place.environment["XDG_RUNTIME_DIR"] = str(runtime)
        running = self.start("churn-while", self.hold(), "mark")
        [folder] = runtime.iterdir()
        self.assertEqual([path.name for path in folder.iterdir()], ["control"], "for requests; no other process is expected")
        running.kill()

    def test_what_was_left_behind_is_removed_by_the_next(self):
        runtime = self.place.folder / "runtime"
        runtime.mkdir(mode=0o700)
        self.place.environment["XDG_RUNTIME_DIR"] = str(runtime)
        hold = self.hold()
        lives = self.start("churn-while", hold, "mark", options=("--exact", "--follow-children"), output="lives.ubirec")
        killed = self.start("churn-while", hold, "mark", options=("--exact", "--follow-children"))
        killed.kill()
        killed.wait()
        folders = list(runtime.iterdir())
        others = runtime / "ubiheap-others"
        others.mkdir()
        self.assertEqual(len(folders), 2)
        for folder in [*folders, others]:
            os.utime(folder, (0, 0))
        self.behaves("exit", 0)
        self.assertEqual(len(list(runtime.glob("ubiheap-??????/socket"))), 1, "that of who lives, and no other")
        self.assertIsNone(lives.poll())

    def test_when_we_are_killed_the_program_continues_and_the_file_is_good(self):
        mark, hold = self.place.folder / "mark", self.hold()
        running = self.start("churn-while", hold, mark)
        pid = self.place.program_pid(running)
        self.wait_until(lambda: self.place.recording().is_whole())
        running.kill()
        running.wait()
        self.assertFalse(mark.exists())
        hold.unlink()
        self.wait_until(mark.exists)
        self.wait_until(lambda: self.is_over(pid))
        recording = self.place.recording()
        self.assertEqual((recording.is_whole(), recording.end), (True, None))


class LittleAddressSpace(Records):
    def test_a_program_that_limits_itself_lives_on(self):
        for options in ((), ("--exact",)):
            self.assertEqual(self.behaves("live-within", 64 << 20, options=options).returncode, 0, options)
        self.assertEqual(self.place.recording().sizes()[4000], 1000)

    @unittest.skipIf(record_place.SANITIZED, "sanitizers reserve address space")
    def test_so_does_one_that_is_limited_from_the_start(self):
        limit = 72 << 20  # most of it are libraries, whose sizes differ from machine to machine
        for options in ((), ("--exact",)):
            self.assert_recorded(self.behaves(
                "exit", 0, options=options, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))))
        self.assertTrue(self.place.recording().is_whole())

    def test_more_threads_at_once_than_are_expected(self):
        done = self.behaves("crowd", 600, options=("--exact", "--follow-children"))
        self.assertEqual(done.returncode, 0)
        main, child = self.place.recordings()
        self.assertEqual(self.place.recording(main).sizes()[777], 600)
        self.assertEqual(self.place.recording(child).sizes()[3333], 1)


class MoreProcesses(Records):
    def test_children_are_not_recorded_unless_that_is_wanted(self):
        started = r"ubiheap: out\.ubirec: it started behaves, not recorded; --follow-children does that"
        self.assertRegex(self.behaves("fork").stderr, rf"\A{started}\nubiheap: {RECORDED}\n\Z")
        self.assertEqual(self.place.recordings(), ["out.ubirec"])
        self.assertEqual(self.place.recording().sizes()[3333], 0)

    def test_each_child_has_its_file(self):
        done = self.behaves("fork", options=("--exact", "--follow-children"))
        self.assertEqual(done.returncode, 0)
        self.assertIn("out.ubirec and 1 more file (", done.stderr)
        main, child = self.place.recordings()
        self.assertRegex(child, r"\Aout\.ubirec\.\d+\Z")
        parent, kid = self.place.recording(main), self.place.recording(child)
        self.assertEqual((parent.sizes()[3333], kid.sizes()[3333]), (0, 1))
        self.assertEqual(kid.about[1], parent.about[0], "its parent")
        self.assertIn(kid.end, [(EXITED, 7), (ENDED, 0)], "its parent may have been faster than us to ask")

    def test_frees_of_what_fork_brought_are_the_parents(self):
        script = "my @blocks = map { 'x' x 5000 } 1 .. 50; my $pid = fork; if (!$pid) { @blocks = (); exit 0 } waitpid $pid, 0;"
        done = self.place.record("perl", "-e", script, options=("--exact", "--follow-children", "--no-symbols"))
        self.assertEqual(done.returncode, 0, done.stderr)
        counters = json.loads(self.report("--json", self.place.folder / "out.ubirec"))["counters"]
        self.assertGreaterEqual(counters["inheritedFrees"], 50)
        self.assertEqual(counters["unknownFrees"], 0)
        self.assertIn("of blocks that a child got from its parent by fork", " ".join(self.report(self.place.folder / "out.ubirec").split()))

    def test_a_program_that_becomes_another_has_a_file_for_each(self):
        done = self.behaves("exec", self.place.program, "exit", 4, options=("--exact", "--follow-children"))
        self.assertEqual(done.returncode, 4)
        main, second = self.place.recordings()
        self.assertEqual(self.place.recording(main).end, (REPLACED, 0))
        self.assertEqual(self.place.recording(second).end, (EXITED, 4))
        self.assertNotIn("became", done.stderr)
        self.assertTrue(self.place.recording(main).is_whole() and self.place.recording(second).is_whole())

    def test_without_following_only_the_first_program_is_recorded(self):
        done = self.behaves("exec", self.place.program, "exit", 4)
        self.assertEqual((done.returncode, self.place.recordings()), (4, ["out.ubirec"]))
        self.assertEqual(self.place.recording().sizes()[1000], 100)

    def test_a_program_that_becomes_another_unfollowed_is_reported(self):
        done = self.until_replaced("exec", "/bin/cat")
        self.assertRegex(done[0], "it became /[^ ]*cat, which was not recorded; --follow-children")
        self.assertEqual(self.place.recording().sizes()[1000], 100)

    def test_one_that_clears_its_environment_before_is_reported_too(self):
        done = self.until_replaced("-i", "/bin/cat", program="env", options=("--exact", "--follow-children"))
        self.assertEqual(done[0], "ubiheap: not recorded: cat: started without LD_PRELOAD and UBIHEAP_PRELOAD_SOCKET in its environment")

    def until_replaced(self, *arguments, program=None, options=("--exact",)):
        """What is said of a program that becomes another, which lives until that is noticed."""
        running = subprocess.Popen(self.place.command(program or self.place.program, *arguments, options=options),
                                   cwd=self.place.folder, env=self.place.environment, text=True, stdin=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        self.addCleanup(self.abandon, running)
        path = self.place.folder / "out.ubirec"
        self.wait_until(lambda: path.exists() and self.place.recording().end)
        self.assertEqual(self.place.recording().end, (REPLACED, 0))
        errors = running.communicate()[1].splitlines()
        self.assertEqual(running.returncode, 0)
        return errors

    def test_a_shell_and_what_it_starts(self):
        done = self.place.record("sh", "-c", f"{self.place.program} exit 0 & {self.place.program} exit 0; wait",
                                 options=("--exact", "--follow-children"))
        self.assertEqual(done.returncode, 0)
        whole = [name for name in self.place.recordings() if self.place.recording(name).is_whole()]
        self.assertEqual(len(whole), 2)

    def test_children_that_find_no_way_back_are_reported(self):
        ways = ["descriptors"] + (["root"] if os.geteuid() == 0 else [])
        for way in ways:
            done = self.behaves("give-up", way, self.place.folder, options=("--exact", "--follow-children"))
            self.assertEqual(done.returncode, 4)
            name = self.place.program.name
            why = {"descriptors": "had no file descriptor left", "root": "could not reach ubiheap: another root folder"}[way]
            self.assertRegex(done.stderr, rf"\Aubiheap: not recorded: {name} \(\d+ times\): {why}")
            self.assertEqual(self.place.recordings(), ["out.ubirec"])
            self.assertEqual(self.place.recording().end, (EXITED, 0))
            self.assert_cannot_be_judged(self.place.folder / "out.ubirec", name, way.replace("root", "unreached"))

    def report(self, *arguments, status=0):
        done = subprocess.run([record_place.UBIHEAP, "report", *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, env=self.place.environment)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout + done.stderr

    def assert_cannot_be_judged(self, path, name, reason):
        """What is missing is in the file, on its page, in info, and for conditions."""
        document = json.loads(self.report("--json", path))
        told = [row for row in document["started"] if row["reason"] == reason]
        self.assertEqual([row["name"] for row in told], [name], document["started"])
        self.assertEqual(document["counters"]["notRecorded"], sum(row["count"] for row in document["started"]))
        self.assertIn(f"not recorded: {name}", " ".join(self.report(path).split()))
        for condition in ("leaked > 1GiB", "count < 1", "dropped > 0"):
            self.assertIn("some processes could not be recorded", self.report("--fail-on", condition, path, status=3))

    def test_a_child_without_a_descriptor_for_its_memory_says_so(self):
        # One descriptor is enough for the loader and for the socket, and not for what comes over it.
        program = self.place.program
        done = self.place.record("sh", "-c", f"exec 3>&- 4>&- 5>&-; ulimit -n 4; {program} exit 0", options=("--exact", "--follow-children"))
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn(f"ubiheap: not recorded: {program.name}: had no file descriptor left\n", done.stderr)
        self.assert_cannot_be_judged(self.place.folder / "out.ubirec", program.name, "descriptors")
        file = next(self.place.folder / name for name in self.place.recordings() if name != "out.ubirec"
                    and self.place.recording(name).about[6].endswith(program.name))
        self.assertIn("Nothing was recorded.", self.report(file))
        self.assert_cannot_be_judged(file, program.name, "descriptors")
        info = subprocess.run([record_place.UBIHEAP, "info", file], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertIn("\nNot recorded  1 process; 'ubiheap report' says which, and why\n", info)

    def test_what_cannot_be_recorded_is_named_with_the_reason(self):
        static = self.place.compile("still", "-static")
        musl = self.place.compile("musl", source=record_place.HERE / "programs" / "other_library.c", compiler="musl-gcc")
        script = self.place.folder / "script"
        script.write_text(f"#!{static}\n")
        script.chmod(0o755)
        ways = {"static": (f"{static} exit 0; {static} exit 0", "still (2 times): statically linked"),
                "otherLibrary": (f"{musl} || true", "musl: built for another C library"),
                "environment": (f"env -i {self.place.program} exit 0", f"{self.place.program.name}: started without LD_PRELOAD")}
        for follow in (True, False):
            for reason, (command, words) in ways.items():
                with self.subTest(reason, follow=follow):
                    options = ("--exact",) + ("--follow-children",) * follow
                    done = self.place.record("sh", "-c", command + "; exit 0", options=options)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    started = {(row["name"], row["reason"])
                               for row in json.loads(self.report("--json", self.place.folder / "out.ubirec"))["started"]}
                    name = words.split()[0].rstrip(":")
                    if not follow and reason == "environment":
                        self.assertEqual(started, {("env", "notFollowed")} | started)
                        continue
                    self.assertIn(f"ubiheap: not recorded: {words}", done.stderr)
                    self.assertNotIn("--follow-children", done.stderr)
                    self.assertIn((name, reason), started)
                    if follow:
                        self.report("--fail-on", "leaked > 1GiB", self.place.folder / "out.ubirec", status=3)
        done = self.place.record("sh", "-c", f"{script}; exit 0", options=("--exact", "--follow-children"))
        self.assertIn("ubiheap: not recorded: script: statically linked", done.stderr)

    def test_a_program_with_other_rights_is_named_as_a_child(self):
        if os.geteuid() != 0:
            self.skipTest("only root may give a file away")
        shutil.chown(self.place.program, 65534)
        self.place.program.chmod(0o4755)
        done = self.place.record("sh", "-c", f"{self.place.program} exit 0; exit 0", options=("--follow-children",))
        self.assertIn(f"ubiheap: not recorded: {self.place.program.name}: runs with other rights", done.stderr)

    def test_every_way_to_start_one_that_cannot_be_recorded(self):
        static = self.place.compile("static", "-static", source=record_place.HERE / "programs" / "nothing.c")
        program = self.place.compile("starts", "-D_GNU_SOURCE", source=record_place.HERE / "programs" / "starts.c")
        for options in (("--exact", "--follow-children"), ("--exact",)):
            done = self.place.record(program, static, options=options)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("ubiheap: not recorded: static (11 times): statically linked", done.stderr)

    def test_children_of_who_has_given_its_rights_away_are_recorded(self):
        if os.geteuid() != 0:
            self.skipTest("only root has rights to give away")
        done = self.behaves("give-up", "user", options=("--exact", "--follow-children"))
        self.assertEqual(done.returncode, 0)
        self.assertEqual([self.place.recording(name).sizes()[3333] for name in self.place.recordings()], [0, 1, 1, 1])

    def test_symbols_do_not_hold_up_who_comes_next(self):
        # Debug information that comes only when the second program is over.
        self.place.compile("libdebuginfod.so.1", "-shared", "-fPIC", source=record_place.HERE / "programs" / "slow_debuginfod.c")
        over = self.place.folder / "over"
        stripped = self.place.compile("stripped", "-s", "-Wl,--build-id")
        done = self.place.record("sh", "-c", f"{stripped} exit 0; {stripped} exit 3; touch {over}; exit 5",
                                 options=("--exact", "--follow-children", "--debuginfod"),
                                 environment={"DEBUGINFOD_URLS": "nowhere", "LD_LIBRARY_PATH": str(self.place.folder),
                                              "WAIT_FOR": str(over)})
        self.assertEqual((done.returncode, over.exists()), (5, True))
        whole = [name for name in self.place.recordings() if self.place.recording(name).is_whole()]
        self.assertEqual(len(whole), 2)

    def test_a_daemon_is_left_alone(self):
        mark, hold = self.place.folder / "mark", self.hold()
        done = self.behaves("daemon", hold, mark)
        self.assertFalse(mark.exists(), "nobody has waited for it")
        hold.unlink()
        # The child between and the daemon may each note that they are there, or ubiheap may be gone by then.
        self.assertRegex(done.stderr, r"\A(ubiheap: out\.ubirec: it started behaves( \(2 times\))?, [^\n]*\n)?"
                         rf"ubiheap: {RECORDED}\n\Z")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(self.place.recording().end, (EXITED, 0))
        self.wait_until(mark.exists)

    def test_a_daemon_that_is_followed_is_recorded_to_its_end(self):
        mark, hold = self.place.folder / "mark", self.hold()
        running = subprocess.Popen(
            self.place.command(self.place.program, "daemon", hold, mark, options=("--exact", "--follow-children")),
            cwd=self.place.folder, env=self.place.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.abandon, running)
        self.assertIn("the program has ended; waiting for ", running.stderr.readline())
        hold.unlink()
        running.communicate()
        self.assertEqual((running.returncode, mark.exists()), (0, True))
        sizes = [self.place.recording(name).sizes()[3333] for name in self.place.recordings()]
        self.assertEqual(sorted(sizes)[-1], 1)

    def test_while_it_waits_for_others_than_the_program_it_says_for_whom(self):
        gate = self.place.folder / "gate"
        os.mkfifo(gate)
        running = subprocess.Popen(
            self.place.command("sh", "-c", f"read word < {gate} & exit 3", options=("--exact", "--follow-children")),
            cwd=self.place.folder, env=self.place.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.abandon, running)
        line = running.stderr.readline()
        self.assertRegex(line, r"\Aubiheap: the program has ended; waiting for 1 process that it made \(sh \d+\); Ctrl\+C")
        gate.write_text("word\n")
        errors = running.communicate()[1]
        self.assertEqual(running.returncode, 3)
        self.assertNotIn("waiting", errors, "once is enough")

    def test_who_does_not_wait_for_a_daemon_gets_what_there_is(self):
        mark, hold = self.place.folder / "mark", self.hold()
        running = subprocess.Popen(
            self.place.command(self.place.program, "daemon", hold, mark, options=("--exact", "--follow-children")),
            cwd=self.place.folder, env=self.place.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.abandon, running)
        self.wait_until(lambda: len(self.place.recordings()) >= 3)
        self.wait_until(lambda: any(self.place.recording(name).sizes()[3333] for name in self.place.recordings()[1:]))
        running.send_signal(signal.SIGINT)
        errors = running.communicate()[1]
        self.assertEqual((running.returncode, mark.exists()), (0, False))
        self.assertIn("until it was stopped", errors)
        ends = [self.place.recording(name).end for name in self.place.recordings()]
        self.assertIn((STOPPED, 0), ends)
        hold.unlink()
        self.wait_until(mark.exists)

    def test_after_its_time_recording_stops_and_the_program_does_not(self):
        mark = self.place.folder / "mark"
        for attempt in itertools.count():  # it counts from before the program's start, which may be slow
            hold = self.hold()
            running = self.start("churn-while", hold, mark, options=("--exact", "--duration", f"{300 * 4**attempt}ms"))
            self.wait_until(lambda: self.place.recording().end)
            if self.place.recording().is_whole():
                break
            running.kill()
            hold.unlink()
            self.wait_until(mark.exists)
            mark.unlink()
        self.assertFalse(mark.exists())
        hold.unlink()
        errors = running.communicate()[1]
        self.assertEqual((running.returncode, mark.exists()), (5, True))
        self.assertIn("until it was stopped", errors)
        recording = self.place.recording()
        self.assertEqual(recording.end, (STOPPED, 0))
        self.assertTrue(recording.is_whole())
        self.assertEqual(recording.sizes()[2222], 0, "what it allocates after that")


def load_tests(_, tests, __):
    """Under sanitizers some, each its own: what is checked of the tool there is reading and writing, alike in all of them."""
    kind = os.environ.get("UBI_PRESET_KIND", "plain")
    if kind == "plain":
        return tests
    every = [test for group in tests for test in group]
    return unittest.TestSuite(every[1::6] if "thread" in kind else every[::3])


if __name__ == "__main__":
    unittest.main()
