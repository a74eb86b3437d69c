#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `make install` installs is complete, and programs build against it: with pkg-config and CMake, shared and static."""
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ["UBI_BUILD_DIR"])
ENGINE = Path(os.environ.get("UBI_QUICKJS_DIR", ROOT / "third-party" / "quickjs-2025-04-26"))
CONSUMER = ROOT / "tests" / "package" / "consumer"
SNAPSHOT = ROOT / "tests" / "data" / "fx" / "tiny-before.fxsnapshot"
SNAPSHOT_NODES = "7199"
VERSION = re.search(r'UBI_VERSION_STRING "([^"]+)"', (ROOT / "include/ubiheap/core/base.h").read_text())[1]
EXPECTED_OUTPUT = f"{VERSION} {SNAPSHOT_NODES}"
SERVER_OUTPUT = "true\nCannot call performTask on a destroyed DevToolsWorker\n"  # of a worker, and of a client that was destroyed


def run(*command, **options):
    """Output of a command that must succeed."""
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if result.returncode != 0:
        raise AssertionError(f"{command} gave {result.returncode}:\n{result.stdout}{result.stderr}")
    return result.stdout


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = Path(tempfile.mkdtemp(prefix="ubiheap-package-"))
        cls.addClassCleanup(shutil.rmtree, cls.scratch)
        cls.prefix = cls.scratch / "prefix"
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)
        cls.libdir = next(cls.prefix.glob("lib*/**/libubiheap.a")).parent
        cls.mandir = cls.prefix / "share" / "man" / "man1"
        cls.environment = {
            **os.environ,
            "PKG_CONFIG_PATH": str(cls.libdir / "pkgconfig"),
            "LD_LIBRARY_PATH": str(cls.libdir),
        }

    def pkg_config(self, *arguments):
        return shlex.split(run("pkg-config", *arguments, "ubiheap", env=self.environment))

    def build_with_cc(self, name, libraries):
        program = self.scratch / name
        run("gcc", "-Wall", "-Werror", *self.pkg_config("--cflags"), CONSUMER / "consumer.c", "-o", program, *libraries)
        return program

    def needed_libraries(self, program):
        return re.findall(r"\(NEEDED\).*\[(.*?)\]", run("readelf", "-d", program))

    def assert_works(self, program):
        self.assertEqual(run(program, SNAPSHOT, env=self.environment).strip(), EXPECTED_OUTPUT)

    def test_the_installed_headers_are_those_of_the_source_tree(self):
        installed = {path.relative_to(self.prefix): path.read_bytes() for path in (self.prefix / "include").rglob("*.h")}
        ours = {path.relative_to(ROOT): path.read_bytes() for path in (ROOT / "include").rglob("*.h")}
        self.assertEqual(installed, ours)

    def test_the_shared_library_has_its_soname_and_links(self):
        self.assertIn("[libubiheap.so.0]", run("readelf", "-d", self.libdir / "libubiheap.so"))
        self.assertEqual((self.libdir / "libubiheap.so").resolve().name, f"libubiheap.so.{VERSION}")
        self.assertEqual((self.libdir / "libubiheap.so.0").resolve().name, f"libubiheap.so.{VERSION}")

    def test_the_installed_tool_runs_without_the_library_path(self):
        environment = {key: value for key, value in os.environ.items() if key != "LD_LIBRARY_PATH"}
        self.assertIn(VERSION, run(self.prefix / "bin" / "ubiheap", "--version", env=environment))
        self.assertIn("7,199", run(self.prefix / "bin" / "ubiheap", "info", SNAPSHOT, env=environment))

    def test_the_installed_tool_finds_the_library_that_records(self):
        recording = self.scratch / "true.ubirec"
        run(self.prefix / "bin" / "ubiheap", "record", "--exact", "--output", recording, "--", "true")
        self.assertIn("; exit status 0", run(self.prefix / "bin" / "ubiheap", "report", recording))

    def test_licence_and_examples_come_along(self):
        documents = self.prefix / "share" / "doc" / "ubiheap"
        self.assertIn("MIT License", (documents / "LICENSE").read_text())
        self.assertTrue(list((documents / "examples").glob("*.c")))

    def test_pkg_config_gives_the_version_and_hides_private_libraries(self):
        self.assertEqual(self.pkg_config("--modversion"), [VERSION])
        for library in "-lisal", "-lsodium":
            self.assertNotIn(library, self.pkg_config("--libs"))

    def test_a_program_builds_with_pkg_config_and_the_shared_library(self):
        program = self.build_with_cc("shared", self.pkg_config("--libs"))
        self.assertIn("libubiheap.so.0", self.needed_libraries(program))
        self.assert_works(program)

    def test_a_program_builds_with_pkg_config_and_the_static_library(self):
        libraries = [
            "-l:libubiheap.a" if word == "-lubiheap" else word for word in self.pkg_config("--static", "--libs")
        ]
        program = self.build_with_cc("static", libraries)
        self.assertNotIn("libubiheap.so.0", self.needed_libraries(program))
        self.assert_works(program)

    def test_a_program_builds_with_cmake_and_either_library(self):
        build = self.scratch / "cmake"
        run("cmake", "-G", "Ninja", "-S", CONSUMER, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", build)
        self.assertNotIn("libubiheap.so.0", self.needed_libraries(build / "consumer-static"))
        self.assert_works(build / "consumer-ubiheap")
        self.assert_works(build / "consumer-static")

    def test_a_program_builds_with_cmake_and_either_server_library(self):
        build = self.scratch / "cmake-server"
        run("cmake", "-G", "Ninja", "-S", CONSUMER, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", build, "--target", "consumer-server", "consumer-server_static")
        self.assertLessEqual({"libubiheap.so.0", "libubiheap-server.so.0"}, set(self.needed_libraries(build / "consumer-server")))
        self.assertEqual([name for name in self.needed_libraries(build / "consumer-server_static") if "ubiheap" in name], [])
        for kind in "server", "server_static":
            self.assertEqual(run(build / f"consumer-{kind}", SNAPSHOT, env=self.environment), SERVER_OUTPUT)

    def test_a_program_that_embeds_quickjs_builds_with_cmake(self):
        build, snapshot = self.scratch / "embedder", self.scratch / "embedder.fxsnapshot"
        example = ROOT / "examples" / "quickjs" / "embed.c"
        run("cmake", "-G", "Ninja", "-S", CONSUMER.parent / "embedder", "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DENGINE={ENGINE}", f"-DEXAMPLE={example}")
        run("cmake", "--build", build)
        script = self.scratch / "pages.js"
        script.write_text("globalThis.pages = []; for (let i = 0; i < 500; i++) pages.push(new Map());")
        self.assertRegex(run(build / "embed", script, snapshot, env=self.environment), r" 500  Map\n")
        self.assertIn("QuickJS", run(self.prefix / "bin" / "ubiheap", "report", snapshot))

    def test_the_source_of_the_tools_comes_without_tests_and_host(self):
        [folder] = self.pkg_config("--variable=quickjs_source")
        installed = {str(path.relative_to(folder)) for path in Path(folder).rglob("*") if path.is_file()}
        for_users = {
            str(path.relative_to(ROOT / "src"))
            for part in ("tracking", "engines/quickjs")
            for path in (ROOT / "src" / part).rglob("*.*")
            if path.suffix in {".c", ".h", ".sh"} and "host" not in path.parts
            and not re.search(r"_(test|fuzz|bench)\.c$|(_for_tests|_testing)\.h$", path.name)
        }
        self.assertEqual(installed, for_users | {"base/assert.h", "base/bits.h", "base/script_source.h", "base/table.h"})
        for needed in "engines/quickjs/adapter.c", "tracking/sampler.c":
            self.assertIn(needed, installed)

    def test_a_program_that_embeds_quickjs_builds_as_the_how_to_says(self):
        """Its commands for other build systems, and then the example. What optimizing the engine gives is not the question here."""
        page = (ROOT / "docs" / "how-to" / "build-with-your-own-quickjs.md").read_text()
        commands = re.search(r"```sh\n(tools=.*?)```", page, re.DOTALL)[1]
        self.assertIn(" -O2 ", commands.replace('"', " "))
        commands = commands.replace("-O2", "-O0")
        folder = self.scratch / "by-hand"
        folder.mkdir()
        environment = {**self.environment, "engine": str(ENGINE)}
        run("sh", "-eu", "-c", commands, cwd=folder, env=environment)
        run("gcc", *self.pkg_config("--cflags"), f"-I{ENGINE}", ROOT / "examples" / "quickjs" / "embed.c", "libmy_quickjs.a",
            *self.pkg_config("--libs"), "-lm", "-lpthread", "-ldl", "-o", "embed", cwd=folder)
        self.assertRegex(run(folder / "embed", cwd=folder, env=environment), r" 1002  Array\n")

    def test_cmake_refuses_a_version_that_does_not_fit(self):
        project = self.scratch / "later"
        project.mkdir()
        (project / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.21)\nproject(later LANGUAGES C)\nfind_package(ubiheap 99 REQUIRED)\n"
        )
        with self.assertRaises(AssertionError):
            run("cmake", "-G", "Ninja", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}")

    def test_every_command_has_a_manual_page_that_formats_without_a_warning(self):
        commands = run(self.prefix / "bin" / "ubiheap", "help", "--commands").split()
        self.assertIn("census", commands)
        pages = {path.name for path in self.mandir.iterdir()}
        self.assertEqual(pages, {"ubiheap.1"} | {f"ubiheap-{command}.1" for command in commands})
        for page in sorted(pages):
            result = subprocess.run(
                ["groff", "-man", "-ww", "-Tutf8", "-z", str(self.mandir / page)], capture_output=True, text=True
            )
            self.assertEqual((result.returncode, result.stderr), (0, ""), page)

    def test_bash_completes_commands(self):
        script = self.prefix / "share" / "bash-completion" / "completions" / "ubiheap"
        # As a shell does it: source the script, find the function, call it for `ubiheap cen<TAB>`.
        completed = run(
            "bash",
            "-c",
            '. "$1"; function=$(complete -p ubiheap | sed "s/.*-F \\([^ ]*\\).*/\\1/"); '
            'COMP_WORDS=(ubiheap cen); COMP_CWORD=1; COMP_LINE="ubiheap cen"; COMP_POINT=11; '
            '"$function" ubiheap cen ubiheap; printf "%s\\n" "${COMPREPLY[@]}"',
            "bash",
            script,
        )
        self.assertEqual(completed.split(), ["census"])

    def install_in_an_empty_shell(self, prefix, **variables):
        """What `cmake --install` says at its end, in a shell that knows nothing of ubiheap."""
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.scratch), **variables}
        said = run("cmake", "--install", BUILD, "--prefix", prefix, env=environment)
        return said.rsplit("\n-- ", 1)[1].split("\n", 1)[1], environment

    def test_the_lines_that_install_prints_are_all_that_the_c_example_of_the_readme_needs(self):
        prefix = self.scratch / "elsewhere"
        said, environment = self.install_in_an_empty_shell(prefix)
        lines = [line.strip() for line in said.splitlines() if line.startswith("    ")]
        self.assertEqual([line.split("=")[0] for line in lines],
                         ["export PATH", "export PKG_CONFIG_PATH", "export LD_LIBRARY_PATH"])
        readme = (ROOT / "README.md").read_text()
        program = re.search(r"```c\n(/\* count\.c.*?)```", readme, re.DOTALL)[1]
        build, _, expected = re.search(r"\$ (cc count\.c .*)\n\$ (\./count .*)\n(.*)\n", readme).groups()
        folder = self.scratch / "readme"
        folder.mkdir()
        (folder / "count.c").write_text(program)
        (folder / "tests").symlink_to(ROOT / "tests")
        script = "\n".join([build, "ubiheap --version", re.search(r"\$ (\./count .*)\n", readme)[1]])
        with self.assertRaises(AssertionError):
            run("sh", "-e", "-c", script, cwd=folder, env=environment)
        output = run("sh", "-e", "-u", "-c", "\n".join([*lines, script]), cwd=folder, env=environment).splitlines()
        self.assertIn(VERSION, output[0])
        self.assertEqual(output[-1], expected)

    def test_install_says_only_what_the_shell_at_hand_lacks(self):
        said, environment = self.install_in_an_empty_shell(self.scratch / "found")
        lines = [line.strip() for line in said.splitlines() if line.startswith("    ")]
        variables = run("sh", "-e", "-c", "\n".join([*lines, "env"]), env=environment)
        found = dict(re.findall(r"^(\w*PATH)=(.*)$", variables, re.MULTILINE))
        self.assertEqual(self.install_in_an_empty_shell(self.scratch / "found", **found)[0].split(),
                         f"Installed in {self.scratch / 'found'}. Nothing is left to do.".split())
        for name in "PKG_CONFIG_PATH", "LD_LIBRARY_PATH":
            others = {key: value for key, value in found.items() if key != name}
            said = self.install_in_an_empty_shell(self.scratch / "found", **others)[0]
            self.assertEqual(re.findall(r"^    export (\w+)=", said, re.MULTILINE), [name])

    def test_the_lines_stand_any_folder_and_put_no_empty_part_into_a_path(self):
        folder = str(self.scratch / "a $HOME `b` \"c\"")
        said = run("sh", ROOT / "tools" / "after-install.sh", folder, f"{folder}/lib", env={"PATH": "/usr/bin:/bin"})
        lines = "\n".join(line for line in said.splitlines() if line.startswith("    export "))
        show = 'printf "%s\\n" "$PATH" "$LD_LIBRARY_PATH"'
        self.assertEqual(run("sh", "-c", f"{lines}\n{show}", env={"PATH": "/usr/bin:/bin"}).splitlines(),
                         [f"{folder}/bin:/usr/bin:/bin", f"{folder}/lib"])
        self.assertEqual(run("sh", "-c", f"{lines}\n{show}", env={"PATH": "/bin", "LD_LIBRARY_PATH": "/o"}).splitlines(),
                         [f"{folder}/bin:/bin", f"{folder}/lib:/o"])

    def test_a_staged_install_puts_the_prefix_below_destdir(self):
        stage = self.scratch / "stage"
        said = run("cmake", "--install", BUILD, "--prefix", "/opt/ubiheap", env={**os.environ, "DESTDIR": str(stage)})
        self.assertTrue(said.splitlines()[-1].startswith("-- "), said.splitlines()[-1])
        self.assertTrue((stage / "opt" / "ubiheap" / "bin" / "ubiheap").is_file())


if __name__ == "__main__":
    unittest.main()
