#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The npm package: installed from its file without network or scripts, it starts the same program with its own streams, signals
and exit status, and says what it needs where that cannot run."""
import json
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from package_test import BUILD, ROOT, SNAPSHOT, VERSION, run

OFFLINE = ["--offline", "--no-audit", "--no-fund", "--no-update-notifier"]


class NpmPackage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # Node.js reserves more addresses for WebAssembly than the limit that the tests run under allows.
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
        cls.scratch = Path(tempfile.mkdtemp(prefix="ubiheap-npm-"))
        cls.addClassCleanup(shutil.rmtree, cls.scratch)
        tree = cls.scratch / "tree"
        run("cmake", "--install", BUILD, "--prefix", tree, "--component", "tool")
        environment = {**os.environ, "HOME": str(cls.scratch), "npm_config_cache": str(cls.scratch / "cache"),
                       "npm_config_offline": "true", "npm_config_yes": "false"}
        run("sh", ROOT / "tools" / "package-npm.sh", tree, cls.scratch / "packages", env=environment)
        cls.file = cls.scratch / "packages" / f"ubiheap-{VERSION}.tgz"
        cls.project = cls.scratch / "project"
        cls.project.mkdir()
        (cls.project / "package.json").write_text('{"name": "project", "private": true}')
        cls.environment = {key: value for key, value in environment.items() if key != "UBIHEAP_PRELOAD"}
        run("npm", "install", *OFFLINE, cls.file, cwd=cls.project, env=cls.environment)
        cls.installed = cls.project / "node_modules" / "ubiheap"

    def npx(self, *arguments, **options):
        return subprocess.run(["npx", "ubiheap", *map(str, arguments)], cwd=self.project,
                              env=self.environment, capture_output=True, text=True, check=False, **options)

    def test_npx_starts_the_program_that_was_packed(self):
        done = self.npx("--version")
        self.assertEqual((done.returncode, done.stdout), (0, run(BUILD / "bin" / "ubiheap", "--version")), done.stderr)
        self.assertEqual((self.installed / "bin" / "ubiheap").read_bytes(), (BUILD / "bin" / "ubiheap").read_bytes())

    def test_streams_and_exit_status_are_those_of_the_program(self):
        text = self.npx("info", SNAPSHOT)
        self.assertIn("7,199", text.stdout)
        self.assertEqual(self.npx("info", "/no/such/file").returncode, 4)
        holds = self.npx("census", "--fail-on", "bytes > 1", SNAPSHOT)
        self.assertEqual(holds.returncode, 1)
        self.assertIn("condition holds", holds.stderr)
        with SNAPSHOT.open("rb") as stream:
            self.assertEqual(self.npx("info", "-", stdin=stream).returncode, 0)

    def test_it_records_with_the_library_of_the_package(self):
        recording = self.scratch / "true.ubirec"
        done = self.npx("record", "--exact", "--output", recording, "--", "true")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("; exit status 0", self.npx("report", recording).stdout)

    def test_a_signal_reaches_the_program_and_its_end_is_ours(self):
        arguments = ["record", "--exact", "--output", self.scratch / "x.ubirec", "--", "sh", "-c", "echo up; exec sleep 1000"]
        for command in [BUILD / "bin" / "ubiheap"], ["node", self.installed / "ubiheap.js"]:
            with self.subTest(command):
                program = subprocess.Popen([*command, *arguments], env=self.environment, stdin=subprocess.DEVNULL,
                                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
                self.assertEqual(program.stdout.readline(), b"up\n")
                program.terminate()
                program.communicate()
                self.assertEqual(program.returncode, -signal.SIGTERM)

    def test_another_platform_is_reported_what_the_package_has(self):
        for name, value, here in ("platform", "darwin", "darwin on x64"), ("arch", "arm64", "linux on arm64"):
            pretend = self.scratch / "pretend.js"
            pretend.write_text(f"Object.defineProperty(process, '{name}', {{value: '{value}'}});\n")
            done = subprocess.run(["node", "--require", pretend, self.installed / "ubiheap.js", "--version"], capture_output=True,
                                  text=True, check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (
                4, "", f"ubiheap: this package has the program for Linux on x86-64; here is {here}\n"))

    def test_a_program_that_cannot_start_is_reported_in_one_line(self):
        broken = self.scratch / "broken"
        shutil.copytree(self.installed, broken)
        (broken / "bin" / "ubiheap").unlink()
        done = subprocess.run(["node", broken / "ubiheap.js"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (4, 1))
        self.assertIn("it needs the C library of GNU, 2.31 or newer", done.stderr)

    def test_nothing_runs_or_is_fetched_when_it_is_installed(self):
        about = json.loads((self.installed / "package.json").read_text())
        for field in "scripts", "dependencies", "optionalDependencies", "gypfile":
            self.assertNotIn(field, about)
        self.assertEqual(about["version"], VERSION)

    def test_the_file_holds_what_is_needed_and_no_more(self):
        names = {line.removeprefix("package/") for line in run("tar", "-tzf", self.file).splitlines()}
        self.assertEqual(names, {"package.json", "ubiheap.js", "README.md", "LICENSE", "documents.d.ts", "bin/ubiheap",
                                 "lib/ubiheap/libubiheap-preload.so", "lib/ubiheap/ubiheap-watch.node"})


if __name__ == "__main__":
    unittest.main()
