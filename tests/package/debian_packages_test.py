#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The Debian packages: lintian has nothing against them, they hold what they should, depend on what they need, and can be
installed into a root of their own, used and purged. That they do so in a bare system is seen by `make check-bare`."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / name) for name in ("http", "web")]
import page_project  # noqa: E402
from serving import Server  # noqa: E402

from package_test import BUILD, CONSUMER, EXPECTED_OUTPUT, ROOT, SERVER_OUTPUT, SNAPSHOT, VERSION, run

NAMES = ("ubiheap", "libubiheap0", "libubiheap-server0", "libubiheap-dev")
LIBDIR = "usr/lib/x86_64-linux-gnu"
AS_ROOT = [] if os.geteuid() == 0 else ["fakeroot"]


class DebianPackages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = Path(tempfile.mkdtemp(prefix="ubiheap-debian-"))
        cls.addClassCleanup(shutil.rmtree, cls.scratch)
        cls.folder = cls.scratch / "packages"
        # What is in them is the same when they are packed in less time.
        packing = {"DPKG_DEB_COMPRESSOR_TYPE": "gzip", "DPKG_DEB_COMPRESSOR_LEVEL": "1"}
        run("sh", ROOT / "tools" / "package-deb.sh", BUILD, cls.folder, env={**os.environ, **packing})
        cls.files = {}
        for path in cls.folder.glob("*.deb"):
            name, version, _ = path.name.split("_")
            assert version == f"{VERSION}-1", path.name
            cls.files[name] = path
        cls.root = cls.scratch / "root"
        cls.make_root()

    @classmethod
    def make_root(cls):
        """A root where all packages of this machine count as installed, so that dependencies are judged."""
        database = cls.root / "var" / "lib" / "dpkg"
        for folder in "info", "updates":
            (database / folder).mkdir(parents=True)
        status = Path("/var/lib/dpkg/status").read_text()
        # Not what another version of ubiheap would satisfy.
        status = "\n\n".join(part for part in status.strip().split("\n\n") if not re.match(r"Package: (lib)?ubiheap", part))
        (database / "status").write_text(status + "\n\n")
        for name, architecture in re.findall(r"^Package: (.*)\n(?:.*\n)*?Architecture: (.*)\n", status, re.MULTILINE):
            for file in f"{name}.list", f"{name}:{architecture}.list":
                (database / "info" / file).touch()

    def dpkg(self, *arguments):
        return run(*AS_ROOT, "dpkg", f"--root={self.root}", f"--log={self.scratch / 'log'}", "--force-not-root",
                   "--force-script-chrootless", *arguments)

    def field(self, name, field):
        return run("dpkg-deb", "-f", self.files[name], field).strip()

    def contents(self, name):
        lines = run("dpkg-deb", "-c", self.files[name]).splitlines()
        return {words[5].removeprefix("./"): words for words in (line.split() for line in lines) if not words[5].endswith("/")}

    def test_the_packages_and_their_debug_symbols_are_made(self):
        self.assertEqual(set(self.files), {*NAMES, *(f"{name}-dbgsym" for name in NAMES)})

    def test_lintian_finds_no_error(self):
        done = subprocess.run(["lintian", "--fail-on", "error", *(self.files[name] for name in NAMES)], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_every_file_is_where_debian_has_such_files(self):
        tool, library, server, development = (self.contents(name) for name in NAMES)
        commands = run(BUILD / "bin" / "ubiheap", "help", "--commands").split()
        self.assertEqual({path for path in tool if not path.startswith("usr/share/doc/")},
                         {"usr/bin/ubiheap", f"{LIBDIR}/ubiheap/libubiheap-preload.so", f"{LIBDIR}/ubiheap/ubiheap-watch.node",
                          "usr/share/bash-completion/completions/ubiheap", "usr/share/man/man1/ubiheap.1.gz",
                          *(f"usr/share/man/man1/ubiheap-{command}.1.gz" for command in commands)})
        self.assertEqual({path for path in library if not path.startswith("usr/share/doc/")},
                         {f"{LIBDIR}/libubiheap.so.0", f"{LIBDIR}/libubiheap.so.{VERSION}"})
        self.assertEqual({path for path in server if not path.startswith("usr/share/doc/")},
                         {f"{LIBDIR}/libubiheap-server.so.0", f"{LIBDIR}/libubiheap-server.so.{VERSION}"})
        headers = {f"usr/{path.relative_to(ROOT)}" for path in (ROOT / "include").rglob("*.h")}
        for path in headers | {f"{LIBDIR}/libubiheap.a", f"{LIBDIR}/libubiheap.so", f"{LIBDIR}/pkgconfig/ubiheap.pc",
                               f"{LIBDIR}/libubiheap-server.a", f"{LIBDIR}/libubiheap-server.so",
                               f"{LIBDIR}/pkgconfig/ubiheap-server.pc",
                               f"{LIBDIR}/ubiheap/libubiheap-symbols.so",
                               f"{LIBDIR}/cmake/ubiheap/ubiheapConfig.cmake",
                               "usr/share/ubiheap/quickjs/engines/quickjs/adapter.c"}:
            self.assertIn(path, development)
        self.assertEqual(set(development) & (set(tool) | set(library) | set(server)), set())

    def test_files_belong_to_root_and_only_root_may_write_them(self):
        for name in NAMES:
            for path, (mode, owner, *_) in self.contents(name).items():
                self.assertEqual(owner, "root/root", path)
                self.assertRegex(mode, r"^(-r.xr-xr-x|-rw-r--r--|l.*)$", path)

    def test_every_package_has_copyright_and_the_changelog_of_this_version(self):
        for name in NAMES:
            folder = self.scratch / f"unpacked-{name}"
            run("dpkg-deb", "-x", self.files[name], folder)
            documents = folder / "usr" / "share" / "doc" / name
            text = (documents / "copyright").read_text()
            for owner in "the ubiheap authors", "Fabrice Bellard", "Free Software Foundation":
                self.assertIn(owner, text)
            self.assertIn(f"({VERSION}-1)", run("zcat", documents / "changelog.Debian.gz").splitlines()[0])

    def test_a_changelog_that_was_forgotten_stops_the_packages(self):
        project = self.scratch / "forgotten"
        for folder in "tools", "packaging", "include":
            shutil.copytree(ROOT / folder, project / folder)
        header = project / "include" / "ubiheap" / "core" / "base.h"
        header.write_text(header.read_text().replace(f'VERSION_STRING "{VERSION}"', 'VERSION_STRING "77.0.0"'))
        done = subprocess.run(["sh", project / "tools" / "package-deb.sh", BUILD, self.scratch / "none"], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("the newest entry of packaging/debian/changelog is not one of 77.0.0", done.stderr)

    def test_dependencies_are_what_the_binaries_and_pkg_config_need(self):
        depends = {name: set(re.findall(r"[\w.+-]+", re.sub(r"\(.*?\)", "", self.field(name, "Depends")))) for name in NAMES}
        self.assertEqual(depends["ubiheap"], {"libc6", "libdw1", "libedit2", "libelf1", "libisal2", "libsodium23", "zlib1g"})
        self.assertEqual(depends["libubiheap0"], {"libc6", "libisal2", "libsodium23", "zlib1g"})
        # The module that names the native frames of a host's leaked references is among the files for embedders.
        self.assertEqual(depends["libubiheap-dev"], {"libubiheap0", "libubiheap-server0", "libisal-dev", "libsodium-dev", "zlib1g-dev",
                                                     "libc6", "libdw1", "libelf1", "zlib1g"})
        # The two libraries share what no other may use, so they are replaced together.
        self.assertEqual(depends["libubiheap-server0"], {"libc6", "libsodium23", "libubiheap0"})
        self.assertIn(f"libubiheap0 (= {VERSION}-1)", self.field("libubiheap-server0", "Depends"))
        self.assertIn(f"libubiheap0 (= {VERSION}-1)", self.field("libubiheap-dev", "Depends"))

    def test_what_links_the_library_gets_a_dependency_that_excludes_the_next_minor_version(self):
        major, minor, _ = VERSION.split(".")
        for library in "libubiheap", "libubiheap-server":
            name = f"{library}0"
            folder = self.scratch / "control" / name
            folder.parent.mkdir(exist_ok=True)
            run("dpkg-deb", "-e", self.files[name], folder)
            self.assertEqual((folder / "shlibs").read_text(),
                             f"{library} 0 {name} (>= {VERSION}), {name} (<< {major}.{int(minor) + 1}~)\n")
            self.assertIn("ldconfig", (folder / "triggers").read_text())

    def test_they_install_run_record_compile_and_purge(self):
        before = {path for path in self.root.rglob("*") if not path.is_dir()}
        self.dpkg("-i", *(self.files[name] for name in NAMES))
        tool = self.root / "usr" / "bin" / "ubiheap"
        plain = {key: value for key, value in os.environ.items() if key not in ("LD_LIBRARY_PATH", "UBIHEAP_PRELOAD")}
        self.assertIn(VERSION, run(tool, "--version", env=plain))
        self.assertIn("7,199", run(tool, "info", SNAPSHOT, env=plain))
        recording = self.scratch / "true.ubirec"
        run(tool, "record", "--exact", "--output", recording, "--", "true", env=plain)
        self.assertIn("; exit status 0", run(tool, "report", recording, env=plain))

        libraries = self.root / LIBDIR
        environment = {**plain, "PKG_CONFIG_PATH": str(libraries / "pkgconfig"), "LD_LIBRARY_PATH": str(libraries)}
        self.assertEqual(run("pkg-config", "--modversion", "ubiheap", env=environment).strip(), VERSION)
        run("sh", "-c", f"cc {CONSUMER / 'consumer.c'} $(pkg-config --cflags --libs ubiheap) -o {self.scratch / 'consumer'}",
            env=environment)
        self.assertEqual(run(self.scratch / "consumer", SNAPSHOT, env=environment).strip(), EXPECTED_OUTPUT)
        build = self.scratch / "cmake"
        run("cmake", "-G", "Ninja", "-S", CONSUMER, "-B", build, f"-DCMAKE_PREFIX_PATH={self.root / 'usr'}")
        run("cmake", "--build", build)
        for kind in "ubiheap", "static":
            self.assertEqual(run(build / f"consumer-{kind}", SNAPSHOT, env=environment).strip(), EXPECTED_OUTPUT)
        for kind in "server", "server_static":
            self.assertEqual(run(build / f"consumer-{kind}", SNAPSHOT, env=environment), SERVER_OUTPUT)

        self.dpkg("--purge", *reversed(NAMES))
        left = {path for path in self.root.rglob("*") if not path.is_dir()} - before
        self.assertEqual({path for path in left if "var/lib/dpkg" not in str(path)}, set())
        self.assertFalse((self.root / "usr").exists())

    def test_the_web_page_is_in_the_tool_and_in_the_library(self):
        page = page_project.page_files()
        if not page:
            self.skipTest("this build has no web page: npm was missing, or could not fetch what it is built with")
        folder = self.scratch / "page"
        for name in "ubiheap", "libubiheap-server0":
            run("dpkg-deb", "-x", self.files[name], folder)
        library = (folder / LIBDIR / f"libubiheap-server.so.{VERSION}").read_bytes()
        server = Server(self, [folder / "usr" / "bin" / "ubiheap", "serve", SNAPSHOT])
        for path, file in page.items():
            answer = server.ask(path, headers={"Accept": "text/html"})
            self.assertEqual((answer.code, answer.body), (200, file.read_bytes()), path)
            self.assertIn(file.read_bytes(), library, path)
        self.assertEqual([heap["name"] for heap in server.get("/api/1/heaps")["heaps"]], [Path(SNAPSHOT).name])

    def test_what_a_package_needs_cannot_be_left_out(self):
        with self.assertRaisesRegex(AssertionError, r"libubiheap-dev:\w+ depends on libubiheap0"):
            self.dpkg("-i", self.files["libubiheap-dev"])
        self.dpkg("--purge", "libubiheap-dev")


if __name__ == "__main__":
    unittest.main()
