#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`ubiheap leaks chrome:URL --do SCRIPT`: a page is loaded, an action is done and undone, by Debian's Chromium and the library of the web page's tests."""
import http.server
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time
import unittest

SOURCE_DIR = pathlib.Path(os.environ.get("UBI_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
sys.path[:0] = [str(SOURCE_DIR / "tests" / "cli"), str(SOURCE_DIR / "tests" / "support")]
import workspace  # noqa: E402
from address_limit import lift_limit  # noqa: E402
from case_choice import some_of, values_alone  # noqa: E402

LIBRARIES = SOURCE_DIR / "web" / "node_modules"
PAGE = """<!doctype html><title>Gallery</title><button id=open>open</button><button id=close>close</button><div id=place></div><script>
class Picture { constructor() { this.element = document.createElement('img'); } }
const seen = [];
let dialog = null;
document.getElementById('open').onclick = () => {
    dialog = document.createElement('section');
    for (let i = 0; i < 50; i++) {
        const picture = new Picture();
        dialog.append(picture.element);
        if (location.search === '?leaky')
            seen.push(picture);
    }
    document.getElementById('place').append(dialog);
};
document.getElementById('close').onclick = () => { dialog.remove(); dialog = null; };
</script>
"""
# As memlab has them: three functions that get a page, and one that says how often more.
SCENARIO = """function url() {
    return 'http://127.0.0.1:PORT/?leaky';
}
async function action(page) {
    await page.click('#open');
}
async function back(page) {
    await page.click('#close');
}
module.exports = {url, action, back, repeat: () => 1, leakFilter: () => true, setup: page => page.waitForSelector('#place', {state: 'attached'})};
"""

# A page as puppeteer has it since version 22: by ways, and without functions that it had before.
PUPPETEER = """const {chromium} = require('playwright-core');
exports.connect = async ({browserWSEndpoint}) => {
    const browser = await chromium.connectOverCDP(browserWSEndpoint);
    const [context] = browser.contexts();
    const one = context.pages()[0];
    const way = text => text.replace(/^xpath[/]/, 'xpath=');
    const page = {
        goto: (...all) => one.goto(...all),
        $$: text => one.$$(way(text)),
        waitForSelector: text => one.waitForSelector(way(text)),
        waitForNetworkIdle: () => one.waitForLoadState('networkidle'),
        createCDPSession: () => context.newCDPSession(one),
    };
    return {pages: () => [page]};
};
"""


class Pages(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE.encode())

    def log_message(self, *_):
        pass


@unittest.skipUnless(shutil.which("chromium") and shutil.which("node") and (LIBRARIES / "playwright-core").is_dir(),
                     "needs chromium, node and web/node_modules")
class Scenario(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.url = f"http://127.0.0.1:{cls.server.server_port}/"

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()

    def setUp(self):
        self.place = workspace.Workspace()
        self.addCleanup(self.place.temporary.cleanup)
        self.temporary = self.place.folder / "temporary"
        self.temporary.mkdir()
        self.write("scenario.js", SCENARIO.replace("PORT", str(self.server.server_port)))

    def write(self, name, text):
        (self.place.folder / name).write_text(text)

    def environment(self, libraries=LIBRARIES):
        return {**os.environ, "NODE_PATH": str(libraries), "TMPDIR": str(self.temporary), "COLUMNS": "120"}

    def leaks(self, *arguments, libraries=LIBRARIES):
        done = subprocess.run([workspace.UBIHEAP, "leaks", *arguments], capture_output=True, check=False, text=True, cwd=self.place.folder,
                              env=self.environment(libraries), preexec_fn=lift_limit)
        self.assertEqual(list(self.temporary.iterdir()), [], "a profile is left")
        return done

    def fails(self, code, *arguments, **options):
        done = self.leaks(*arguments, "--no-progress", **options)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        return done.stderr.splitlines()[-1]

    def test_what_is_left_of_an_action_is_found(self):
        done = self.leaks("chrome:", "--do", "scenario.js")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Picture: +100 objects", done.stdout)
        self.assertRegex(done.stdout, r"held by Array, variable seen of 127\.0\.0\.1:\d+/; 100 older")
        self.assertIn("Detached <img>", done.stdout)
        self.assertIn("that the action made and that the way back left", done.stdout)
        self.assertIn("scenario.js: leakFilter is not used", done.stderr)
        self.assertEqual(done.stderr.count(" of 3: "), 3)

    @values_alone
    def test_scenarios_have_what_pages_of_puppeteer_had_earlier(self):
        library = self.place.folder / "libraries" / "puppeteer-core"
        library.mkdir(parents=True)
        (library / "index.js").write_text(PUPPETEER)
        self.write("by-path.mjs", "export async function action(page) {\n"
                                  "    const [button] = await page.$x(\"//button[. = 'open']\");\n    await button.click();\n"
                                  "    await page.waitForTimeout(1);\n}\n"
                                  "export const back = async page => (await page.waitForXPath(\"//button[. = 'close']\")).click();\n")
        done = self.leaks(f"chrome:{self.url}?leaky", "--do", "by-path.mjs", libraries=f"{library.parent}{os.pathsep}{LIBRARIES}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Picture: +50 objects", done.stdout)

    @values_alone
    def test_a_gate_fails_for_a_page_that_leaks_and_passes_for_another(self):
        gate = ("--do", "scenario.js", "--fail-on", "leaked(Picture) > 10 or retained > 16KiB")
        self.assertEqual(self.leaks(f"chrome:{self.url}?leaky", *gate).returncode, 1)
        done = self.leaks(f"chrome:{self.url}", *gate)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    @values_alone
    def test_of_a_document_the_heaps_have_names(self):
        done = self.leaks(f"chrome:{self.url}?leaky", "--do", "scenario.js", "--times", "1", "--json")
        document = json.loads(done.stdout)
        picture = next(one for one in document["clusters"] if one["className"] == "Picture")
        self.assertEqual((picture["count"], picture["verdict"]), (50, "grew"))

    def test_the_verdicts_of_series_are_refused(self):
        self.assertIn("'grew' and 'large', not 'steady'", self.fails(2, "chrome:", "--do", "scenario.js", "--fail-on", "leaked(steady) > 1"))

    def test_an_error_of_the_script_has_its_line(self):
        for name, text, words in some_of((
                ("wrong.mjs", "export async function action(page) {\n    let none;\n    await none.click();\n}\n",
                 "wrong.mjs: line 3: action: Cannot read properties of undefined (reading 'click')"),
                ("absent.mjs", "export async function action(page) {\n    await page.click('#none', {timeout: 200});\n}\n", "absent.mjs: line 2: action: "),
                ("syntax.mjs", "export async function action(page) {\n    await page.click('#open'));\n}\n", "syntax.mjs: line 2: Unexpected token ')'"),
                ("empty.mjs", "export const nothing = 1;\n", "empty.mjs: has no function action(page)"),
                ("later.mjs", "export const action = () => {\n    setTimeout(() => { throw new Error('later'); }, 1);\n};\n", "later.mjs: line 2: later")), 1):
            with self.subTest(name=name):
                self.write(name, text)
                self.assertIn(f"ubiheap: {words}", self.fails(3, f"chrome:{self.url}", "--do", name))

    def test_a_page_that_is_stuck_is_given_up(self):
        self.write("stuck.mjs", "export const action = page => page.evaluate(() => { for (;;); });\n")
        self.assertIn("stuck.mjs: action: took longer than 2 s", self.fails(3, f"chrome:{self.url}", "--do", "stuck.mjs", "--patience", "2s"))

    def test_a_script_that_ends_node_leaves_no_browser(self):
        self.write("exit.mjs", "export const action = () => process.exit(0);\n")
        self.assertIn("the script ended Node.js before the scenario was over", self.fails(4, f"chrome:{self.url}", "--do", "exit.mjs"))

    def test_what_is_missing_is_named(self):
        none = self.place.folder / "none"
        self.assertIn("'npm install puppeteer-core'", self.fails(4, "chrome:", "--do", "scenario.js", libraries=none))
        self.assertIn("cannot read none.js", self.fails(4, "chrome:", "--do", "none.js"))
        self.assertIn("cannot start the browser /none", self.fails(4, "chrome:", "--do", "scenario.js", "--browser", "/none"))
        self.assertIn("is for --do", self.fails(2, "--browser", "/none", "one", "two"))
        self.assertIn("--do SCRIPT", self.fails(2, "chrome:http://127.0.0.1/"))

    @staticmethod
    def processes():
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and (entry / "cmdline").read_bytes():
                    yield entry
            except OSError:
                pass

    def test_no_browser_is_left_when_it_is_interrupted_or_killed(self):
        self.write("slow.mjs", "export const action = () => new Promise(() => {});\n")
        for way in some_of((signal.SIGINT, signal.SIGKILL), 1):
            with self.subTest(way=way):
                running = subprocess.Popen([workspace.UBIHEAP, "leaks", f"chrome:{self.url}", "--do", "slow.mjs"], cwd=self.place.folder,
                                           env=self.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=lift_limit)
                while not any(self.temporary.glob("ubiheap-browser-*/DevToolsActivePort")):
                    time.sleep(0.05)
                running.send_signal(way)
                running.wait()
                while any(self.temporary.iterdir()) or self.alive():
                    time.sleep(0.05)

    def alive(self):
        for entry in self.processes():
            try:
                if str(self.temporary).encode() in (entry / "cmdline").read_bytes():
                    return True
            except OSError:
                pass
        return False


if __name__ == "__main__":
    unittest.main()
