#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The jobs of examples/ci: each script fails for a program that leaks, passes for one that does not, and fails when it cannot
judge. The files for GitHub and GitLab are sound YAML, and what they run is there."""
import os
import re
import resource
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RECIPES = ROOT / "examples" / "ci"
SCRIPTS = ("node-leak", "cpp-leak", "growth")

# A server in few words. `visit` is what leak-check.js of the README calls.
APP = """
class Session { constructor(visitor) { this.visitor = visitor; this.notes = new Array(%(notes)d).fill(visitor); } }
const sessions = new Map();
exports.visit = async times => {
    for (let i = 0; i < times; i++) {
        const visitor = sessions.size %% %(kept)d;
        sessions.set(visitor, new Session(visitor));
    }
};
exports.close = () => {};
"""
CPP = """
#include <cstdlib>
#include <string>
#include <vector>
struct Order { std::vector<std::string> lines; };
static Order *take() { return new Order{std::vector<std::string>(20, std::string(100, 'x'))}; }
int main(int argc, char **argv) {
    for (int i = 0; i < 50; i++) {
        Order *order = take();
        if (argc < 2 || i != 7)
            delete order;
    }
    return argc > 2 ? std::atoi(argv[2]) : 0;
}
"""


def setUpModule():
    # Node.js reserves more addresses for WebAssembly than the limit that the tests run under allows.
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


class Recipe(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="ubiheap-ci-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def run_script(self, command, *arguments, **variables):
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "UBIHEAP": os.environ["UBIHEAP"], **variables}
        done = subprocess.run([*command, *map(str, arguments)], cwd=self.folder, env=environment, capture_output=True,
                              text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def recipe(self, name, *arguments, **variables):
        return self.run_script(["sh", RECIPES / f"{name}.sh"], *arguments, **variables)

    def action(self, **inputs):
        """What the composite action runs, as GitHub runs it."""
        import yaml

        action = yaml.safe_load((RECIPES / "action.yml").read_text())
        [step] = action["runs"]["steps"]
        values = {name: inputs.get(name, about.get("default")) for name, about in action["inputs"].items()}
        values["ubiheap"] = os.environ["UBIHEAP"]
        variables = {name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: values[match[1]], value)
                     for name, value in step["env"].items()}
        script = self.folder / "step.sh"
        script.write_text(step["run"])
        return self.run_script([step["shell"], "-e", script], GITHUB_ACTION_PATH=str(RECIPES), **variables)

    def assert_judged(self, result, status, word, name):
        """The status, and the last line of the log."""
        got, out, err = result
        self.assertEqual(got, status, out + err)
        last = (out if status == 0 else err).splitlines()[-1]
        self.assertTrue(last.startswith(f"{name}: {word}"), last)


class NodeLeak(Recipe):
    def setUp(self):
        super().setUp()
        shutil.copy(ROOT / "examples" / "leaks" / "three-snapshots.js", self.folder)
        scenario = re.search(r"```js\n// leak-check\.js\n(.*?)```", (RECIPES / "README.md").read_text(), re.DOTALL)[1]
        (self.folder / "leak-check.js").write_text(scenario)

    def check(self, kept, notes=2, **variables):
        (self.folder / "app.js").write_text(APP % {"kept": kept, "notes": notes})
        return self.recipe("node-leak", "snapshots", "node", "leak-check.js", "snapshots", **variables)

    def test_a_program_that_leaks_fails_and_the_log_names_the_class_and_the_condition(self):
        result = self.check(kept=100_000)
        self.assert_judged(result, 1, "failed", "node-leak")
        self.assertIn("Session: +200 objects", result[1])
        self.assertIn("condition holds: leaked(steady) > 50 or retained(steady) > 1MiB or grown(steady) > 1MiB or unlisted(steady) > 1MiB; leaked(steady) is ", result[2])

    def test_few_large_objects_are_a_leak_too(self):
        """Of 20 objects with 64 KiB each the number tells nothing, but their size does."""
        scenario = self.folder / "leak-check.js"
        scenario.write_text(scenario.read_text().replace("visit(200)", "visit(20)"))
        result = self.check(kept=100_000, notes=8192)
        self.assert_judged(result, 1, "failed", "node-leak")
        self.assertRegex(result[2], r"retained\(steady\) is 1\.\d+ MiB")

    def test_a_program_that_does_not_leak_passes(self):
        self.assert_judged(self.check(kept=10), 0, "passed", "node-leak")

    def test_a_condition_of_ones_own_is_used(self):
        self.assert_judged(self.check(kept=10, CONDITION="leaked(steady) >= 0"), 1, "failed", "node-leak")

    def test_snapshots_of_an_earlier_run_do_not_count(self):
        (self.folder / "snapshots").mkdir()
        (self.folder / "snapshots" / "0-before.heapsnapshot").write_text("of yesterday")
        self.assert_judged(self.check(kept=10), 0, "passed", "node-leak")

    def test_a_scenario_that_fails_cannot_be_judged(self):
        (self.folder / "leak-check.js").write_text("process.exit(7)")
        result = self.check(kept=10)
        self.assert_judged(result, 3, "could not be judged: the scenario ended with status 7", "node-leak")

    def test_files_without_findings_cannot_be_judged(self):
        scenario = self.folder / "leak-check.js"
        cut = ".then(() => { const fs = require('fs'), f = process.argv[2] + '/2-after.heapsnapshot';" \
              " fs.truncateSync(f, fs.statSync(f).size >> 1); });"
        same = ".then(() => require('fs').copyFileSync(process.argv[2] + '/2-after.heapsnapshot'," \
               " process.argv[2] + '/3-later.heapsnapshot'));"
        whole = scenario.read_text().rstrip().rstrip(";")
        for harm in cut, same:
            scenario.write_text(whole + harm)
            self.assert_judged(self.check(kept=10), 3, "could not be judged: ubiheap ended with status 3", "node-leak")

    def test_a_scenario_without_snapshots_cannot_be_judged(self):
        (self.folder / "leak-check.js").write_text("")
        self.assert_judged(self.check(kept=10), 3,
                           "could not be judged: snapshots has no heap snapshots, and three are needed", "node-leak")

    def test_the_action_for_github_gives_the_same_answers(self):
        (self.folder / "app.js").write_text(APP % {"kept": 100_000, "notes": 2})
        arguments = {"check": "node-leak", "arguments": "snapshots node 'leak-check.js' snapshots"}
        self.assert_judged(self.action(**arguments), 1, "failed", "node-leak")
        self.assert_judged(self.action(**arguments, condition="leaked(steady) > 5000"), 0, "passed", "node-leak")


class CppLeak(Recipe):
    def setUp(self):
        super().setUp()
        (self.folder / "orders.cpp").write_text(CPP)
        subprocess.run(["g++", "-g", "-O1", "-o", "orders", "orders.cpp"], cwd=self.folder, check=True)

    def test_a_program_that_leaks_fails_and_the_log_names_the_line(self):
        result = self.recipe("cpp-leak", "./orders", "leak")
        self.assert_judged(result, 1, "failed", "cpp-leak")
        self.assertRegex(result[1], r"take.*orders\.cpp:6")
        self.assertIn("condition holds: leaked > 0; leaked is ", result[2])
        self.assertTrue((self.folder / "leak.ubirec").exists())

    def test_a_program_that_does_not_leak_passes(self):
        self.assert_judged(self.recipe("cpp-leak", "./orders"), 0, "passed", "cpp-leak")

    def test_a_program_that_fails_cannot_be_judged(self):
        result = self.recipe("cpp-leak", "./orders", "leak", "5")
        self.assert_judged(result, 3, "could not be judged: the program, or its recording, ended with status 5", "cpp-leak")
        self.assert_judged(self.recipe("cpp-leak", "./no-such-program"), 3, "could not be judged", "cpp-leak")

    def test_samples_that_leave_it_open_cannot_be_judged(self):
        result = self.recipe("cpp-leak", "./orders", "leak", RECORD_OPTIONS="--period 1MiB")
        self.assert_judged(result, 3, "could not be judged: ubiheap ended with status 3", "cpp-leak")
        self.assertIn("cannot tell whether the condition holds", result[2])

    def test_the_action_for_github_gives_the_same_answers(self):
        self.assert_judged(self.action(check="cpp-leak", arguments="./orders leak"), 1, "failed", "cpp-leak")
        self.assert_judged(self.action(check="cpp-leak", arguments="./orders"), 0, "passed", "cpp-leak")


class Growth(Recipe):
    BEFORE = ROOT / "tests" / "data" / "fx" / "tiny-before.fxsnapshot"
    AFTER = ROOT / "tests" / "data" / "fx" / "tiny-after.fxsnapshot"

    def test_a_heap_that_grew_fails_and_the_log_says_how_to_accept_it(self):
        result = self.recipe("growth", self.BEFORE, self.AFTER)
        self.assert_judged(result, 1, "failed", "growth")
        self.assertIn("condition holds: growth > 5%; growth is 64.4 KiB", result[2])
        self.assertIn(f"cp {self.AFTER} {self.BEFORE}", result[2])

    def test_a_heap_that_did_not_grow_passes(self):
        self.assert_judged(self.recipe("growth", self.AFTER, self.BEFORE), 0, "passed", "growth")
        self.assert_judged(self.recipe("growth", self.BEFORE, self.AFTER, CONDITION="growth > 20%"), 0, "passed", "growth")

    def test_a_baseline_of_another_process_will_do(self):
        for notes, status, word in (2, 0, "passed"), (200_000, 1, "failed"):
            (self.folder / "heap.js").write_text(
                f"const kept = new Array({notes}).fill(0.5); require('v8').writeHeapSnapshot(process.argv[2]); kept.length;")
            subprocess.run(["node", "heap.js", "new.heapsnapshot"], cwd=self.folder, check=True)
            if not (self.folder / "base.heapsnapshot").exists():
                shutil.copy(self.folder / "new.heapsnapshot", self.folder / "base.heapsnapshot")
                subprocess.run(["node", "heap.js", "new.heapsnapshot"], cwd=self.folder, check=True)
            self.assert_judged(self.recipe("growth", "base.heapsnapshot", "new.heapsnapshot"), status, word, "growth")

    def test_a_baseline_without_words_will_do(self):
        plain = self.folder / "anonymous.fxsnapshot"
        subprocess.run([os.environ["UBIHEAP"], "convert", "--anonymize", self.BEFORE, plain], check=True, capture_output=True)
        self.assert_judged(self.recipe("growth", plain, self.BEFORE), 0, "passed", "growth")
        self.assert_judged(self.recipe("growth", plain, self.AFTER), 1, "failed", "growth")

    def test_without_a_sound_baseline_it_cannot_be_judged(self):
        result = self.recipe("growth", "baseline.fxsnapshot", self.AFTER)
        self.assert_judged(result, 3, "could not be judged: there is no baseline", "growth")
        (self.folder / "cut.fxsnapshot").write_bytes(self.BEFORE.read_bytes()[:5000])
        result = self.recipe("growth", "cut.fxsnapshot", self.AFTER)
        self.assert_judged(result, 3, "could not be judged: ubiheap ended with status 3", "growth")

    def test_the_action_for_github_gives_the_same_answers(self):
        for files, status, word in (f"'{self.BEFORE}' '{self.AFTER}'", 1, "failed"), (f"'{self.AFTER}' '{self.BEFORE}'", 0, "passed"):
            self.assert_judged(self.action(check="growth", arguments=files), status, word, "growth")


class Files(unittest.TestCase):
    def documents(self):
        import yaml

        return {path.name: yaml.safe_load(path.read_text()) for path in RECIPES.glob("*.yml")}

    def commands(self):
        """(file, job, shell commands) of all jobs."""
        documents = self.documents()
        for name, job in documents["github-workflow.yml"]["jobs"].items():
            yield "github", name, "\n".join(step["run"] for step in job["steps"] if "run" in step)
        for name, job in documents["gitlab-ci.yml"].items():
            yield "gitlab", name, "\n".join(job["script"])
        for step in documents["action.yml"]["runs"]["steps"]:
            yield "action", "", step["run"]

    def test_every_file_is_sound_yaml_with_a_job_for_each_script(self):
        documents = self.documents()
        self.assertEqual(set(documents), {"action.yml", "github-workflow.yml", "gitlab-ci.yml"})
        self.assertEqual(set(documents["github-workflow.yml"]["jobs"]), set(SCRIPTS))
        self.assertEqual(set(documents["gitlab-ci.yml"]), set(SCRIPTS))
        self.assertEqual({path.stem for path in RECIPES.glob("*.sh")}, set(SCRIPTS))

    def test_shells_can_read_the_scripts_and_what_the_jobs_run(self):
        for shell in "sh", "bash":
            for name in SCRIPTS:
                subprocess.run([shell, "-n", RECIPES / f"{name}.sh"], check=True)
            for file, job, commands in self.commands():
                with self.subTest(file=file, job=job):
                    subprocess.run([shell, "-n"], input=commands, text=True, check=True)

    def test_every_job_runs_its_script_and_no_job_hides_its_status(self):
        steps = self.documents()["github-workflow.yml"]["jobs"]
        for file, job, commands in self.commands():
            self.assertNotRegex(commands, r"\|\||;\s*true|set \+e")
            if job and not re.search(rf"sh ci/ubiheap/{job}\.sh \S", commands):
                self.assertEqual(file, "github")
                [call] = [step["with"] for step in steps[job]["steps"] if step.get("uses") == "./ci/ubiheap"]
                self.assertEqual(call["check"], job)
        self.assertNotIn("continue-on-error", (RECIPES / "github-workflow.yml").read_text())
        self.assertNotIn("allow_failure", (RECIPES / "gitlab-ci.yml").read_text())

    def test_inputs_of_the_action_are_those_that_jobs_give_and_steps_take(self):
        documents = self.documents()
        inputs = documents["action.yml"]["inputs"]
        taken = set(re.findall(r"inputs\.([\w-]+)", (RECIPES / "action.yml").read_text()))
        self.assertEqual(taken, set(inputs))
        needed = {name for name, about in inputs.items() if about.get("required")}
        for job in documents["github-workflow.yml"]["jobs"].values():
            for step in job["steps"]:
                if step.get("uses") == "./ci/ubiheap":
                    self.assertLessEqual(needed, set(step["with"]))
                    self.assertLessEqual(set(step["with"]), set(inputs))

    def test_inputs_reach_the_shell_as_variables_and_never_as_source(self):
        for file, job, commands in self.commands():
            self.assertNotIn("${{", commands, (file, job))

    def test_the_readme_names_every_file_and_its_links_lead_somewhere(self):
        text = (RECIPES / "README.md").read_text()
        for path in RECIPES.iterdir():
            if path.name != "README.md":
                self.assertIn(f"]({path.name})", text)
        for target in re.findall(r"\]\(([^)#]+)", text):
            self.assertTrue((RECIPES / target).exists(), target)

    def test_the_readme_gives_the_conditions_of_the_scripts(self):
        text = (RECIPES / "README.md").read_text()
        for name in SCRIPTS:
            condition = re.search(r"\$\{CONDITION:-(.*?)\}", (RECIPES / f"{name}.sh").read_text())[1]
            self.assertRegex(text, rf"`{name}\.sh`.*\| `{re.escape(condition)}` \|")


if __name__ == "__main__":
    unittest.main()
