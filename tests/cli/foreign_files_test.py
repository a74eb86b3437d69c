#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files that ubiheap does not read, and damaged ones of its own: one clear line and status 3, whatever the command, the same
from a path, from a pipe and inside of gzip. What each is called: src/formats/recognize_test.c."""
import gzip
import json
import os
import re
import subprocess
import unittest

import workspace
from case_choice import some_of

FOREIGN = workspace.SOURCE_DIR / "tests" / "data" / "foreign"
ONE_LINE = re.compile(r"\Aubiheap: [^\n]+\n\Z")
ENDS = "was it written, and downloaded, to its end?"

# Commands that take a file and more, and options that matter; FILE is the one in question. Those of one FILE are added.
COMMANDS = [
    "leaks two.fxsnapshot FILE", "leaks FILE two.fxsnapshot", "diff FILE two.fxsnapshot", "diff two.fxsnapshot FILE",
    "retainers FILE 1", "containment FILE", "paths FILE 1", "search FILE x", "show FILE 1", "treemap FILE -o out.svg",
    "convert FILE out.fxsnapshot", "report --json FILE", "info --compat firefox FILE",
    "summary --since FILE node20-after.heapsnapshot.gz", "flamegraph FILE",
]
# They read a file when something is asked about it, and refuse at once what is known to be something else.
SERVERS = ["serve FILE", "mcp two.fxsnapshot FILE"]  # `serve` leaves a file out that it cannot serve, unless none is left


class Refusing(unittest.TestCase):
    place = workspace.Workspace()
    commands = COMMANDS + ["export -f tables FILE"] + [f"{name} FILE" for name in place.commands_of_one_file() if name != "export"]

    def refused(self, command, file, stdin=b""):
        done = self.place.ubiheap(*[file if word == "FILE" else word for word in command.split()], stdin=stdin)
        text = done.stderr.decode()
        self.assertEqual((done.returncode, done.stdout), (3, b""), f"{command}: {text}")
        self.assertRegex(text, ONE_LINE)
        subject = "standard input" if file == "-" else str(file)
        self.assertTrue(text.startswith(f"ubiheap: {subject}: "), text)
        return text.removeprefix(f"ubiheap: {subject}: ").rstrip("\n")


class Foreign(Refusing):
    def test_every_command_that_takes_a_file_is_tried(self):
        """The usage line of a command names its operands."""
        commands = re.findall(r"^  ([a-z]+)  +\S", self.place.ubiheap("help").stdout.decode(), re.MULTILINE)
        takes_file = {command for command in commands if re.search(
            rf"ubiheap {command} .*\b(FILE|OLD|NEW)\b", self.place.ubiheap("help", command).stdout.decode())}
        self.assertLessEqual(takes_file - {"run", "record"}, {command.split()[0] for command in self.commands + SERVERS})
        self.assertGreater(len(takes_file), 15)

    def test_every_command_says_what_the_file_is(self):
        for file, words in (("java.hprof", "this is a heap dump of Java (HPROF): open it in Eclipse MAT"),
                            ("snapshot.zip", "this is a zip archive that holds 'run/app.heapsnapshot': unpack it (unzip)"),
                            ("login.html", "this is a web page (HTML): ")):
            for command in some_of(self.commands + SERVERS, 12, first=len(words)):
                self.assertTrue(self.refused(command, FOREIGN / file).startswith(words), f"{command} {file}")
                self.assertFalse((self.place.folder / "out.svg").exists() or (self.place.folder / "out.fxsnapshot").exists())

    def test_a_pipe_and_gzip_change_nothing(self):
        for path in sorted(FOREIGN.iterdir()):
            if path.name in ("README.md", "make.py"):
                continue
            for command in some_of(("report FILE", "timeline FILE"), 1):
                text = self.refused(command, path)
                self.assertRegex(text, r"^this is [^:]+: \S")
                self.assertEqual(self.refused(command, "-", stdin=path.read_bytes()), text)
                packed = self.refused(command, "-", stdin=gzip.compress(path.read_bytes()))
                if ", compressed with gzip" not in text:
                    what, advice = text.split(": ", 1)
                    self.assertEqual(packed, f"{what}, compressed with gzip: {advice}")

    def test_directories_and_empty_files(self):
        for command in some_of(self.commands + SERVERS, 12):
            self.assertEqual(self.refused(command, "directory"), "this is a directory: give a file that is in it")
            self.assertEqual(self.refused(command, "empty.fxsnapshot"),
                             "this is an empty file: was it written, or downloaded, to its end?")
        folder = os.open(self.place.folder, os.O_RDONLY)
        done = subprocess.run(["ubiheap", "info", "-"], stdin=folder, capture_output=True, env=self.place.environment())
        os.close(folder)
        self.assertEqual((done.returncode, done.stderr),
                         (3, b"ubiheap: standard input: this is a directory: give a file that is in it\n"))

    def test_each_of_our_own_files_is_sent_to_its_command(self):
        recording = "this is a recording of allocations, and no heap snapshot: use ubiheap report"
        timeline = "this is a timeline of markers, and no heap snapshot: use ubiheap timeline"
        for command in self.commands:
            name = command.split()[0]
            if name == "convert":
                self.assertIn("convert --anonymize copies it, and 'ubiheap report --format tsv'", self.refused(command, "few.ubirec"))
                self.assertIn("convert --anonymize copies it, and 'ubiheap timeline --format", self.refused(command, "small.timeline"))
                continue
            if name == "diff":
                self.assertEqual(self.refused(command, "few.ubirec"),
                                 "this is a recording of allocations, and two.fxsnapshot is none: they cannot be compared")
            elif name not in ("report", "info", "timeline", "allocations", "flamegraph", "export"):
                self.assertTrue(self.refused(command, "few.ubirec").startswith(recording), command)
            if name in ("flamegraph", "export"):
                self.assertEqual(self.refused(command, "small.timeline"), timeline.replace("heap snapshot", "recording"))
            elif name not in ("info", "timeline"):
                self.assertEqual(self.refused(command, "small.timeline"), timeline)
        for heap, whose in (("two.fxsnapshot", "Firefox or QuickJS, compressed with gzip"), ("leak-1.heapsnapshot", "V8")):
            self.assertEqual(self.refused("timeline FILE", heap),
                             f"this is a heap snapshot of {whose}, and no timeline: use ubiheap report")

    def test_what_we_print_is_called_so(self):
        (self.place.folder / "report.json").write_bytes(self.place.ubiheap("report", "--json", "two.fxsnapshot").stdout)
        self.assertEqual(self.refused("census FILE", "report.json"),
                         "this is what 'ubiheap ... --json' printed about 'two.fxsnapshot': give the file that it is about")

    def test_sniffing_a_pipe_does_not_wait_for_more_than_it_needs(self):
        """The message comes while the writer still holds the pipe open, with one thread and with more."""
        for threads in ("1", "2"):
            read_end, write_end = os.pipe()
            process = subprocess.Popen(["ubiheap", "info", "--threads", threads, "-"], stdin=read_end, stderr=subprocess.PIPE,
                                       cwd=self.place.folder, env=self.place.environment())
            self.addCleanup(process.kill)
            os.close(read_end)
            os.write(write_end, (FOREIGN / "java.hprof").read_bytes() + bytes(8192))
            try:
                _, errors = process.communicate()
            finally:
                os.close(write_end)
            self.assertIn(b"this is a heap dump of Java", errors)
            self.assertEqual(process.returncode, 3)


class Damaged(Refusing):
    """Of our own formats: the cause comes first, and what to do behind it."""

    def put(self, name, data):
        (self.place.folder / name).write_bytes(data)
        return name

    def snapshot(self):
        """Sound, of V8, and more than one block when inflated."""
        return gzip.decompress((workspace.DATA_V8 / "node20-before.heapsnapshot.gz").read_bytes())

    def test_a_plain_snapshot_whose_writer_was_killed(self):
        whole = self.snapshot()
        for section in ("nodes", "edges", "strings"):
            at = whole.index(b'"%s":[' % section.encode()) + 2000
            text = self.refused("report FILE", self.put("killed.heapsnapshot", whole[:at]))
            self.assertTrue(text.startswith(f'the file ends in the middle of "{section}", at byte {at}: {ENDS} (expected '), text)

    def test_a_download_that_was_cut(self):
        whole = (workspace.DATA_V8 / "node20-before.heapsnapshot.gz").read_bytes()
        text = self.refused("report FILE", self.put("cut.gz", whole[:50000]))
        self.assertRegex(text, r'^the gzip data ends too early, at byte 50000 of the compressed input: ' + re.escape(ENDS) +
                         r' \(the file ends in the middle of "\w+", at byte \d+ of the inflated stream: expected .*\)$')
        whole = (workspace.DATA / "tiny-before.fxsnapshot").read_bytes()
        text = self.refused("report FILE", self.put("cut.fxsnapshot", whole[:40000]))
        self.assertRegex(text, r'^the gzip data ends too early, at byte 40000 of the compressed input: ' + re.escape(ENDS) + r" \(")

    def test_a_wrong_bit_anywhere_in_the_middle_is_called_damage_of_the_compressed_data(self):
        """Also when the reader meets nonsense long before the checksum is looked at."""
        for path in (workspace.DATA_V8 / "node20-before.heapsnapshot.gz", workspace.DATA / "tiny-before.fxsnapshot"):
            whole = path.read_bytes()
            for at in range(1000, len(whole) - 1000, len(whole) // 9):
                changed = bytearray(whole)
                changed[at] ^= 4
                text = self.refused("report FILE", self.put("flipped", bytes(changed)))
                self.assertRegex(text, r"^the gzip data is damaged at byte \d+ of the compressed input, [a-z ]+: copy or download it "
                                       r"again( \(.+\))?$")

    def test_a_wrong_checksum_says_so(self):
        for name, data in (("sum.heapsnapshot.gz", gzip.compress(self.snapshot())), ("sum.gz", gzip.compress(b'{"snapshot":{}'))):
            changed = bytearray(data)
            changed[-6] ^= 1
            text = self.refused("report FILE", self.put(name, bytes(changed)))
            self.assertRegex(text, r"^the gzip data is damaged at byte \d+ of the compressed input, wrong checksum: copy or download")

    def test_bytes_after_the_end(self):
        whole = self.snapshot()
        self.assertEqual(self.place.ubiheap("info", self.put("behind.gz", gzip.compress(whole) + b"garbage")).returncode, 0)
        self.assertRegex(self.refused("info FILE", self.put("twice.heapsnapshot", whole + b"x")),
                         r"expected the end of the file behind the last '\}', found 'x'$")

    def test_a_plain_fxsnapshot_that_was_cut(self):
        encoder = workspace.encoder
        whole = encoder.stream(encoder.META, encoder.root(2), encoder.node(2))
        text = self.refused("info FILE", self.put("cut-plain.fxsnapshot", whole[:-3]))
        self.assertRegex(text, rf"^the file ends at byte {len(whole) - 3}, in the middle of message 2, which began at byte \d+: ")
        self.assertTrue(text.endswith(ENDS))

    def test_recordings_and_timelines_that_were_cut_report_what_precedes(self):
        whole = (workspace.DATA_TIMELINE / "small.timeline").read_bytes()
        at = whole.rindex(b"\n", 0, -1) - 5
        done = self.place.ubiheap("timeline", "--json", self.put("cut.timeline", whole[:at]))
        self.assertEqual(done.returncode, 3)
        self.assertIn("schema", json.loads(done.stdout))
        self.assertRegex(done.stderr.decode(), r"^ubiheap: cut\.timeline: line \d+: the file ends in the middle of it: the program "
                                               r"was killed, or the file is not complete; what comes before it was read\n$")
        whole = (workspace.DATA_UBIREC / "few.ubirec").read_bytes()
        self.assertEqual(self.refused("report FILE", self.put("header.ubirec", whole[:12])),
                         f"the file ends at byte 12, in the middle of its header: {ENDS}")
        done = self.place.ubiheap("report", self.put("cut.ubirec", whole[:len(whole) - 40]))
        self.assertIn(b"the recording ends in an unfinished block", done.stdout)
        packed = gzip.compress((workspace.DATA_TIMELINE / "small.timeline").read_bytes())
        done = self.place.ubiheap("timeline", self.put("cut.timeline.gz", packed[:len(packed) * 3 // 4]))
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr.decode(), r"the gzip data ends too early, at byte \d+ of the compressed input: was it ")


if __name__ == "__main__":
    unittest.main()
