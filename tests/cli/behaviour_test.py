#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How the tool behaves towards files, terminals, pipes and signals: what cases_test.py cannot show with expected output."""
import array
import contextlib
import fcntl
import json
import os
import pty
import re
import resource
import signal
import subprocess
import termios
import time
import unittest

import workspace

F_SETPIPE_SZ = 1031
ONE_LINE = re.compile(rb"\Aubiheap: [^\n]+\n\Z")
# Control characters but newline and the colours that we write ourselves.
COLOR = re.compile(rb"\x1b\[[0-9;]*m")
RAW_CONTROL = re.compile(rb"[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80\xae|\xed[\xa0-\xbf]")


class OnTerminal:
    """Runs a command whose standard output (and error, if asked) is a pseudo-terminal."""

    def __init__(self, place, *command, stderr=False, **environment):
        master, slave = pty.openpty()
        environment.setdefault("COLUMNS", None)
        self.process = subprocess.Popen([*map(str, command)], cwd=place.folder, env=place.environment(**environment),
                                        stdin=subprocess.DEVNULL, stdout=slave,
                                        stderr=slave if stderr else subprocess.PIPE)
        os.close(slave)
        self.output = self.read(master)
        self.errors = b"" if stderr else self.process.stderr.read()
        if not stderr:
            self.process.stderr.close()
        self.status = self.process.wait()

    @staticmethod
    def read(master):
        data = b""
        # Linux reports the other end closed as an input/output error.
        with contextlib.suppress(OSError):
            while part := os.read(master, 65536):
                data += part
        os.close(master)
        return data.replace(b"\r\n", b"\n")


class Files(unittest.TestCase):
    place = workspace.Workspace()

    def refused(self, status, *arguments, **options):
        done = self.place.ubiheap(*arguments, **options)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(done.stdout, b"")
        self.assertRegex(done.stderr, ONE_LINE)
        return done.stderr.decode()

    def test_bad_input_is_one_line_and_status_3(self):
        for file in ("empty.fxsnapshot", "text.txt"):
            for command in ("info", "census", "nodes", "report"):
                self.assertIn(f"ubiheap: {file}: ", self.refused(3, command, file))

    def test_bad_standard_input_is_named_so(self):
        self.assertTrue(self.refused(3, "info", "-", stdin=b"nonsense").startswith("ubiheap: standard input: "))

    def test_files_that_cannot_be_read_are_status_4(self):
        self.assertIn("nowhere: cannot open: No such file", self.refused(4, "info", "nowhere"))

    def test_truncated_files_are_refused(self):
        whole = (workspace.DATA / "tiny-before.fxsnapshot").read_bytes()
        for part in (1, 10, len(whole) // 2, len(whole) - 100):
            (self.place.folder / "cut.fxsnapshot").write_bytes(whole[:part])
            self.refused(3, "report", "cut.fxsnapshot")

    def test_uncompressed_input_is_an_extension(self):
        plain = workspace.encoder.stream(workspace.encoder.META, workspace.encoder.root())
        (self.place.folder / "plain.fxsnapshot").write_bytes(plain)
        self.assertEqual(self.place.ubiheap("info", "plain.fxsnapshot").returncode, 0)
        self.refused(3, "info", "--compat", "firefox", "plain.fxsnapshot")

    def test_text_output_never_holds_control_characters(self):
        for arguments in (["info"], ["report"], ["census"], ["census", "-b", "allocationStack"], ["nodes"],
                          ["census", "-b", "coarseType"], ["nodes", "-f", "csv", "-c", "typeName,displayName"],
                          ["census", "-b", "objectClass", "--individuals", "1,2,3,4,5"]):
            done = self.place.ubiheap(*arguments, "hostile.fxsnapshot")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotRegex(done.stdout.replace(b"\t", b""), RAW_CONTROL)

    def test_tsv_and_csv_rows_are_lines_whatever_the_names(self):
        for style, delimiter in (("tsv", b"\t"), ("csv", b",")):
            done = self.place.ubiheap("nodes", "-f", style, "-c", "id,rawSize", "hostile.fxsnapshot")
            rows = done.stdout.splitlines()
            self.assertEqual(len(rows), 9)
            self.assertTrue(all(row.count(delimiter) == 1 for row in rows))

    def test_the_same_input_gives_the_same_output_with_any_number_of_threads(self):
        outputs = {self.place.ubiheap("nodes", "--threads", n, "tiny-before.fxsnapshot").stdout for n in (0, 1, 2, 7)}
        self.assertEqual(len(outputs), 1)


class Deep(unittest.TestCase):
    def test_a_deep_tree_is_json_that_every_reader_can_read(self):
        place = workspace.Workspace()

        def rows(*options, file="deep.fxsnapshot"):
            done = place.ubiheap("dominators", "--json", *options, file)
            self.assertEqual(done.returncode, 0, done.stderr)
            return json.loads(done.stdout)
        deep = rows("--depth", 0)["rows"]
        self.assertEqual([row["depth"] for row in deep], list(range(5001)))
        self.assertEqual([row.get("parentId") for row in deep[:3]], [None, 1, 2])
        self.assertEqual(rows("--depth", 200)["tree"]["children"][0]["nodeId"], 2)
        self.assertIn("rows", rows("--depth", 201))
        nested, flat = rows("-d", 5, "-s", 3, file="tiny-after.fxsnapshot"), rows("-d", 5, "-s", 3, "--flat",
                                                                                file="tiny-after.fxsnapshot")

        def flatten(row, depth):
            children = row.pop("children", [])
            yield {**row, "depth": depth}
            for child in children:
                yield from flatten(child, depth + 1)
        self.assertEqual(list(flatten(nested["tree"], 0)), flat["rows"])
        self.assertEqual(place.ubiheap("dominators", "--flat", "two.fxsnapshot").returncode, 2)
        self.assertEqual(place.ubiheap("dominators", "--json", "--flat", "--top", 3, "two.fxsnapshot").returncode, 2)


class Memory(unittest.TestCase):
    """A breakdown that does not fit into memory is told as such, and never as a mistake or by half."""

    @unittest.skipIf(os.environ.get("UBI_PRESET_KIND", "plain") != "plain", "sanitizers reserve all address space")
    def test_a_large_breakdown_is_read_whole_or_out_of_memory(self):
        place = workspace.Workspace()
        n = 1 << 20
        (place.folder / "big.json").write_text('{"by":"count","label":"' + r"\u0061" * n + '"}')
        statuses = []
        for megabytes in range(12, 160, 3):
            limit = megabytes << 20
            done = place.ubiheap("census", "--json", "--threads", 1, "-b", "@big.json", "two.fxsnapshot", preexec_fn=lambda
                                 limit=limit: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
            if done.returncode in (127, -signal.SIGSEGV):  # the loader itself found no room
                continue
            self.assertIn(done.returncode, (0, 4), (megabytes, done.stderr))
            if done.returncode == 0:
                self.assertIn(b'"label":"' + b"a" * n + b'"', done.stdout)
            statuses.append(done.returncode)
        self.assertIn(0, statuses)
        self.assertIn(4, statuses)


class Terminals(unittest.TestCase):
    place = workspace.Workspace()

    def report(self, *arguments, **environment):
        return OnTerminal(self.place, "ubiheap", "report", *arguments, "tiny-before.fxsnapshot", **environment).output

    def test_colour_is_for_terminals_and_those_who_ask(self):
        self.assertRegex(self.report(), COLOR)
        self.assertNotRegex(self.report("--color=never"), COLOR)
        self.assertNotRegex(self.report(NO_COLOR="1"), COLOR)
        self.assertRegex(self.report(NO_COLOR=""), COLOR)
        self.assertRegex(self.report("--color=always", NO_COLOR="1"), COLOR)
        self.assertNotRegex(self.report(TERM="dumb"), COLOR)
        self.assertNotRegex(self.place.ubiheap("report", "tiny-before.fxsnapshot").stdout, COLOR)

    def test_colour_changes_nothing_else(self):
        with_color = self.place.ubiheap("report", "--color=always", "tiny-before.fxsnapshot").stdout
        without = self.place.ubiheap("report", "tiny-before.fxsnapshot").stdout
        self.assertEqual(COLOR.sub(b"", with_color), without)

    def test_a_report_is_one_screen(self):
        for columns in ("80", "120"):
            for file in [*workspace.REAL, "hostile", "big-ids", "two"]:
                text = self.place.ubiheap("report", f"{file}.fxsnapshot", env={"COLUMNS": columns}).stdout.decode()
                lines = text.splitlines()
                self.assertLessEqual(len(lines), 40)
                for line in lines:
                    if line.startswith("  ubiheap "):
                        continue  # commands to copy are never cut
                    # Paths use all of the width, the rest no more than one reads well.
                    self.assertLessEqual(len(line), int(columns) if "→" in line else min(int(columns), 100), line)

    def test_the_name_alone_shows_the_commands_on_one_screen(self):
        for columns in ("80", "100"):
            here = OnTerminal(self.place, "ubiheap", COLUMNS=columns)
            self.assertEqual((here.status, here.errors), (0, b""))
            text = COLOR.sub(b"", here.output).decode()
            lines = text.splitlines()
            self.assertTrue(24 <= len(lines) <= 49, text)
            self.assertLessEqual(max(map(len, lines)), int(columns), text)
            shown = re.findall(r"^  ([a-z]+)  ", text, re.MULTILINE)
            self.assertEqual(shown, self.place.ubiheap("help", "--commands").stdout.decode().split())

    def test_nodes_are_a_table_on_a_terminal_unless_asked_otherwise(self):
        def lines(*options):
            done = OnTerminal(self.place, "ubiheap", "nodes", "-n", "3", *options, "tiny-before.fxsnapshot", stderr=True)
            self.assertEqual(done.status, 0)
            return COLOR.sub(b"", done.output).splitlines()

        self.assertRegex(lines()[0], rb"^ +id  rawSize  ")
        self.assertEqual(len(lines()), 4)
        self.assertRegex(lines("-f", "tsv")[0], rb"^id\trawSize\t")
        self.assertRegex(lines("--json")[0], rb"^{")

    def test_a_terminal_gets_no_control_characters_of_the_file_in_json_either(self):
        done = OnTerminal(self.place, "ubiheap", "nodes", "--json", "hostile.fxsnapshot")
        self.assertEqual(done.status, 0)
        self.assertNotRegex(done.output, re.compile(rb"[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]"))

    def test_nothing_of_the_progress_stays(self):
        """When there is any: terminal_test.c has the rules, with a clock of its own."""
        done = OnTerminal(self.place, "ubiheap", "info", "--json", "two.fxsnapshot", stderr=True)
        self.assertEqual(done.status, 0)
        self.assertRegex(done.output.split(b"\r\x1b[K")[-1], rb"\A\{[^\n]*\}\n\Z")


class Signals(unittest.TestCase):
    place = workspace.Workspace()

    def start_blocked(self):
        """A process that waits for standard input."""
        process = subprocess.Popen(["ubiheap", "info", "-"], cwd=self.place.folder, env=self.place.environment(),
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(lambda: [stream.close() for stream in (process.stdin, process.stdout, process.stderr)])
        self.wait_for_handler(process.pid)
        return process

    @staticmethod
    def wait_for_handler(pid):
        """Until the process has taken over SIGINT."""
        while not Signals.has_interrupt(pid, "SigCgt"):
            time.sleep(0.01)

    @staticmethod
    def has_interrupt(pid, name):
        """Whether SIGINT is in one of the sets of signals of a process."""
        with open(f"/proc/{pid}/status") as status:
            return int(re.search(rf"^{name}:\s*([0-9a-f]+)$", status.read(), re.M).group(1), 16) >> (signal.SIGINT - 1) & 1

    def test_an_interrupt_ends_a_read_that_blocks(self):
        process = self.start_blocked()
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(), 130)
        self.assertEqual(process.stderr.read(), b"")

    def test_a_second_interrupt_ends_it_at_once(self):
        """Without the alarm of the first one, it would wait for ever for somebody to read what it writes."""
        fifo = self.place.folder / "fifo"
        os.mkfifo(fifo)
        end = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, end)
        fcntl.fcntl(end, F_SETPIPE_SZ, 4096)
        process = subprocess.Popen(["ubiheap", "convert", "--format", "fxsnapshot", "-c", "none", "tiny-before.fxsnapshot", fifo], cwd=self.place.folder,
                                   env=self.place.environment(), preexec_fn=lambda: signal.pthread_sigmask(
                                       signal.SIG_BLOCK, [signal.SIGALRM]))
        self.addCleanup(process.kill)
        waiting = array.array("i", [0])
        while waiting[0] < 4096:
            self.assertIsNone(process.poll())
            fcntl.ioctl(end, termios.FIONREAD, waiting)
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        while self.has_interrupt(process.pid, "ShdPnd"):
            time.sleep(0.01)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(), 130)

    def test_a_reader_that_leaves_is_not_an_error_even_without_sigpipe(self):
        read_end, write_end = os.pipe()
        os.close(read_end)
        done = subprocess.run(["ubiheap", "nodes", "tiny-before.fxsnapshot"], cwd=self.place.folder, stdout=write_end,
                              env=self.place.environment(), stderr=subprocess.PIPE, restore_signals=False)
        os.close(write_end)
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_input_may_come_in_pieces(self):
        data = (workspace.DATA / "tiny-before.fxsnapshot").read_bytes()
        process = self.start_blocked()
        for at in range(0, len(data), 997):
            process.stdin.write(data[at:at + 997])
            process.stdin.flush()
        output, errors = process.communicate()
        self.assertEqual((process.returncode, errors), (0, b""))
        self.assertIn(b"7,199", output)


if __name__ == "__main__":
    unittest.main()
