#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`ubiheap run` without a script: what is typed, on a terminal and through a pipe."""
import os
import pty
import re
import signal
import stat
import unittest

import run_place
from engine_facts import facts, needs, places

# Without an editor of lines the tool was built in another way.
HAS_EDITOR = b"libedit" in os.popen(f"ldd '{os.environ['UBIHEAP']}'").read().encode()


class Piped(unittest.TestCase):
    place = run_place.Place()

    def talk(self, text, *options, code=0):
        done = self.place.ubiheap("run", "-i", *options, stdin=text.encode())
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout.decode(), done.stderr.decode()

    def says(self, expected, text, *options, errors=""):
        self.assertEqual(self.talk(text, *options), (expected, errors))

    def test_values_are_printed_and_kept(self):
        self.says("2\n4\n'x'\nundefined\n", "1 + 1\n_ * 2\n'x'\nlet y\n")
        self.says("[ 1, { a: 'b' } ]\n", "[1, { a: 'b' }]")

    def test_an_object_is_no_block(self):
        self.says("{ a: 1 }\n5\n{}\n", "{ a: 1 }\n{ let a = 5; a }\n { } \n")

    def test_a_text_ends_when_its_brackets_are_closed(self):
        self.says("undefined\n42\n'a\\nb'\n", "function f(n) {\n  // )\n  return n\n}\nf(\n42\n)\n`a\nb`\n")

    def test_errors_come_with_their_stack_and_end_nothing(self):
        self.says("undefined\n1\n", "function f() { throw new TypeError('no') }\nf()\n1\n",
                  errors=places("TypeError: no\n    at f (<typed>:1:35)\n    at <eval> (<typed>:1:2)\n", one_line=True))
        self.says("", "throw 3\nPromise.reject(4); throw 5\n1 +\n",
                  errors=places("Uncaught: 3\nUncaught: 5\nUnhandled promise rejection: 4\n"
                                "SyntaxError: unexpected token in expression: ''\n    at <typed>:1:4\n"))
        self.says("1\n'later'\n", "setTimeout(() => { throw 'in a timer' }, 0); 1\nos.sleep(5); 'later'\n",
                  errors="Uncaught: in a timer\n")

    def test_an_open_bracket_at_the_end_is_an_error(self):
        self.assertIn("SyntaxError", self.talk("f(1,\n2")[1])

    def test_the_program_waits_for_what_is_left_but_not_behind_exit(self):
        self.says("1\ndone\n", "setTimeout(() => print('done'), 10)\n")
        self.says("1\n", "setTimeout(() => print('done'), 10)\n.exit\n2\n")
        self.assertEqual(self.talk("1\nstd.exit(7)\n2\n", code=7)[0], "1\n")

    def test_code_comes_first_and_scripts_do_not(self):
        self.says("3\n4\n", "x\nx + 1\n", "-e", "var x = 3")
        done = self.place.ubiheap("run", "-i", "s.js")
        self.assertEqual((done.returncode, done.stderr.decode()), (
            2, "ubiheap: run: --interactive (-i) takes no SCRIPT; the option of the census is --inverted\n"))

    def test_variables_of_the_shell(self):
        self.says("'object'\n'object'\n'function'\n", "typeof std\ntypeof os\ntypeof gc\n")
        self.says("1\n1\n", "const c = 1; c\n{ let c = 2 } c\n")

    def test_the_heap_limit_holds_after_it_was_reached(self):
        out, err = self.talk("let all = []; for (;;) all.push({})\nall = null; 'freed'\nall = []; for (;;) all.push({})\n"
                             "all = null; 1\n", "--heap-limit", "8MiB")
        self.assertEqual(out, "'freed'\n1\n")
        self.assertEqual(len(re.findall("out of memory", err)), 2)

    @needs(facts().awaits_in_scripts, "the engine has no await at the top level of scripts")
    def test_await_at_the_top_level(self):
        self.says("7\n8\n", "await new Promise(resolve => setTimeout(() => resolve(7), 5))\n_ + 1\n")
        self.says("2\n", "await Promise.reject(new Error('no'))\nconst two = await 2; two\n",
                  errors=places("Error: no\n    at <eval> (<typed>:1:31)\n", one_line=True))
        self.says("1\n", "await new Promise(() => {})\n1\n", errors="not settled: the promise that is awaited\n")

    # ---- commands

    def test_commands_look_into_the_heap(self):
        out, err = self.talk("globalThis.kept = Array.from({ length: 700 }, () => new Date()); 0\n"
                             ".census objectClass\n.snapshot a.fxsnapshot\n.snapshot\n")
        self.assertRegex(out, r"700  .*Date")
        self.assertRegex(err, r"\Aubiheap: a.fxsnapshot: snapshot \(command\): .*\nubiheap: stdin-2.fxsnapshot: snapshot \(command\)")
        self.assertEqual(self.place.classes("a.fxsnapshot")["Date"], 700)
        out, _ = self.talk(".census\n", "--json")
        self.assertIn('"exitCode":0', out)

    def test_snapshots_that_are_asked_for_know_where_things_were_allocated(self):
        self.talk("function make() { return [new Date()] }\nglobalThis.kept = make(); 0\n.snapshot b.fxsnapshot\n")
        self.assertGreater(self.place.info("b.fxsnapshot")["nodesWithStack"], 2)

    def test_allocations_are_those_since_the_last_look(self):
        out, _ = self.talk("class A {}; for (let i = 0; i < 100; i++) new A(); 0\n.allocations\n.allocations\n")
        self.assertRegex(out, r"\A0\n +Bytes +Count +Class +Where\n +[\d.]+ KiB +100  A +<typed>:1")
        self.assertTrue(out.endswith("(all)\nNothing was allocated.\n"), out)
        self.assertIn("because of --no-sites", self.talk(".allocations\n", "--no-sites")[1])
        self.assertIn("--allocation-log has them", self.talk(".allocations\n", "-l", "log")[1])

    def test_garbage_is_collected_on_request(self):
        # Too few for the engine to collect them by itself.
        out, _ = self.talk("for (let i = 0; i < 300; i++) { const a = {}; a.a = a } 0\n.gc\n")
        freed, unit = re.search(r"\A0\n([\d.]+) (\w+) freed, [\d.]+ KiB in use\n", out).groups()
        self.assertTrue(unit in ("KiB", "MiB") and float(freed) > 10, out)

    def test_help_lists_commands_and_others_are_errors(self):
        out, _ = self.talk(".help\n")
        for name in (".allocations", ".census", ".exit", ".gc", ".help", ".snapshot"):
            self.assertIn(f"\n{name} ", "\n" + out)
        self.says("0.5\n", ".foo\n.5\n", errors="ubiheap: no such command: .foo; .help lists them\n")
        self.assertIn(".census: ", self.talk(".census nonsense\n")[1])
        self.assertIn("directory", self.talk(".snapshot directory\n")[1])

    def test_recordings_of_a_run_work_too(self):
        out, err = self.talk("var kept = new Date()\n", "--snapshot-at", "exit", "--timeline", "t.timeline", "-l", "log")
        self.assertEqual(out, "undefined\n")
        self.assertRegex(err, r"stdin-1.fxsnapshot: snapshot \(exit\)")
        self.assertIn('"record":"end"', (self.place.folder / "log").read_text())


class Typed(unittest.TestCase):
    """On a terminal of our own."""

    def setUp(self):
        self.place = run_place.Place()
        self.addCleanup(self.place.temporary.cleanup)
        self.home = self.place.folder / "home"
        self.home.mkdir()
        self.start()

    def start(self, **more):
        environment = {**self.place.environment(), "HOME": str(self.home), "TERM": "xterm", "LC_ALL": "C.UTF-8", "NO_COLOR": "1", **more}
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(self.place.folder)
            os.execvpe("ubiheap", ["ubiheap", "run", "--no-progress"], environment)
        self.said = ""
        self.addCleanup(self.abandon)
        self.until(r"QuickJS \S+ under ubiheap .*\n> ")

    def abandon(self):
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            os.close(self.terminal)
            self.pid = 0

    def until(self, pattern):
        """Reads until the pattern is there: what came up to its end."""
        while not (found := re.search(pattern, self.said)):
            try:
                self.said += os.read(self.terminal, 65536).decode(errors="replace").replace("\r\n", "\n")
            except OSError:
                self.fail((pattern, self.said))
        text, self.said = self.said[:found.end()], self.said[found.end():]
        return text

    def type(self, text):
        os.write(self.terminal, text.encode())

    def answer(self, line, pattern):
        self.type(line + "\n")
        return self.until(pattern)

    def ends(self):
        """Its exit code. It is read to its end first: a terminal that is not read keeps its program waiting."""
        try:
            while os.read(self.terminal, 65536):
                pass
        except OSError:
            pass
        _, status = os.waitpid(self.pid, 0)
        os.close(self.terminal)
        self.pid = 0
        return os.waitstatus_to_exitcode(status)

    def test_lines_are_answered_after_a_prompt(self):
        self.answer("6 * 7", r"\n42\n> ")
        self.answer("function f(", r"\n\.\.\. ")
        self.answer("n) { return n + 1 }", r"undefined\n> ")
        self.answer("f(1)", r"\n2\n> ")
        self.type("\x04")
        self.assertEqual(self.ends(), 0)

    def test_exit_leaves_and_does_what_is_to_be_done_at_exit(self):
        self.type(".exit\n")
        self.assertEqual(self.ends(), 0)

    def test_an_interrupt_takes_back_the_line(self):
        self.type("abc")
        self.until("abc")
        self.type("\x03")
        self.until(r"\n> ")
        self.type("\x03")
        self.until(r"\(Ctrl\+D or \.exit leaves\)\n> ")
        self.answer("f(", r"\.\.\. ")
        self.type("\x03")
        self.until(r"\n> ")
        self.answer("1 + 2", r"\n3\n> ")

    def test_an_interrupt_stops_a_script_that_runs_or_sleeps(self):
        for text in ("for (;;);", "os.sleep(1000000)"):
            self.type(f"print('be' + 'gun'); {text}\n")
            self.until("begun\n")
            self.type("\x03")
            self.until(r"InternalError: interrupted\n(.*\n)*> " if "for" in text else r"\n> ")
        self.answer("'alive'", r"\n'alive'\n> ")

    @needs(facts().awaits_in_scripts, "the engine has no await at the top level of scripts")
    def test_an_interrupt_ends_waiting(self):
        self.type("setTimeout(() => print('wai' + 'ts'), 1); await new Promise(resolve => setTimeout(resolve, 1e6))\n")
        self.until("waits\n")
        self.type("\x03")
        self.until(r"\n> ")
        self.answer("await 5", r"\n5\n> ")

    def test_what_is_typed_while_a_line_is_evaluated_is_not_lost(self):
        def ahead(text, echo=""):
            """Types it while a line is evaluated that ends when there is a file. The terminal's echo says that it has arrived: the
            kernel may be late."""
            self.type("print('be' + 'gun'); while (os.stat('go')[1]) os.sleep(1); os.remove('go')\n")
            self.until("begun\n")
            self.type(text)
            self.until(echo)
            (self.place.folder / "go").touch()
        ahead("6 * 7\n", r"6 \* 7\n")
        self.until(r"0\n(.*\n)*42\n> ")
        ahead("\x04")
        self.assertEqual(self.ends(), 0)

    def test_timers_run_while_the_prompt_waits(self):
        self.answer("setTimeout(() => print('on ' + 'time'), 50)", r"on time")
        self.answer("2", r"\n2\n> ")

    def test_a_snapshot_is_taken_by_signal_while_the_prompt_waits(self):
        os.kill(self.pid, signal.SIGUSR2)
        self.until(r"stdin-1.fxsnapshot: snapshot \(signal\)")

    def test_a_script_that_ends_the_program_leaves_the_terminal_as_it_was(self):
        self.abandon()
        environment = {**self.place.environment(), "TERM": "xterm", "HOME": str(self.home)}
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.execvpe("sh", ["sh", "-c", "stty -a; ubiheap run; echo status $?; stty -a; echo end"], environment)
        before = self.until(r"speed(.*\n)+?(?=QuickJS)")
        self.until(r"\n> ")
        self.type("setTimeout(() => std.exit(3), 50)\n")
        self.assertEqual(self.until(r"speed(.*\n)+?(?=end\n)").split("speed")[1], before.split("speed")[1])
        self.assertEqual(self.ends(), 0)

    @unittest.skipUnless(HAS_EDITOR, "the tool was built without libedit")
    def test_names_are_completed(self):
        self.answer("globalThis.somethingLong = { inner: 'there' }; 0", r"0\n> ")
        self.type("1 + 1; somethingL\t.in\t\n")
        self.until(r"\n'there'\n> ")
        self.answer("const lexical = { deepest: 'found' }", r"undefined\n> ")
        self.type("lexical.dee\t\n")
        self.until(r"\n'found'\n> ")
        self.type("'text'.length; Math.a\t")
        self.until(r"abs +acos +acosh +asin +asinh +atan")
        self.type("bs(-4)\n")
        self.until(r"\n4\n> ")
        self.answer("globalThis.trap = { get getter() { throw 'called' } }", r"> ")
        self.type("trap.getter.\t\x03")
        self.until(r"\n> ")
        self.type(".ex\t\n")
        self.assertEqual(self.ends(), 0)

    @unittest.skipUnless(HAS_EDITOR, "the tool was built without libedit")
    def test_the_history_is_kept_for_the_next_time(self):
        file = self.home / ".local/state/ubiheap/history"
        self.answer("'one'", r"\n'one'\n> ")
        self.answer("'two'", r"\n'two'\n> ")
        self.answer("'two'", r"\n'two'\n> ")
        self.type("\x04")
        self.assertEqual(self.ends(), 0)
        self.assertEqual(file.read_text(), "'one'\n'two'\n")
        self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600)
        self.start()
        self.type("\x1b[A\x1b[A\n")
        self.until(r"\n'one'\n> ")
        self.abandon()
        self.start(XDG_STATE_HOME=str(self.home / "state"))
        self.answer("'three'", r"\n'three'\n> ")
        self.assertEqual((self.home / "state/ubiheap/history").read_text(), "'three'\n")

    @unittest.skipUnless(HAS_EDITOR, "the tool was built without libedit")
    def test_letters_of_all_languages_can_be_typed(self):
        self.answer("'gr\u00fc\u00df \u65e5'", "\n'gr\u00fc\u00df \u65e5'\n> ")


if __name__ == "__main__":
    unittest.main()
