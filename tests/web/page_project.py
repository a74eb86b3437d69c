# SPDX-License-Identifier: MIT
"""The project of the web page: its packages, installed by tools/build-web.sh, and whether this build has the page in it."""
import os
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(os.environ.get("UBI_SOURCE_DIR") or Path(__file__).resolve().parents[2])
sys.path.append(str(ROOT / "tests" / "support"))
from address_limit import lift_limit  # noqa: E402

WEB = ROOT / "web"
LIST = Path(os.environ["UBI_BUILD_DIR"]) / "page" / "page_list.h"


def need_packages():
    """Skips the test where npm cannot fetch what the project needs."""
    installed = subprocess.run(["sh", ROOT / "tools" / "build-web.sh", "install"], capture_output=True, text=True, check=False,
                               preexec_fn=lift_limit)
    if installed.returncode != 0:
        raise unittest.SkipTest(installed.stderr.strip() or installed.stdout.strip())


def page_files():
    """Paths and files of the page in this build; none where it was built without."""
    lines = LIST.read_text(encoding="utf-8").splitlines()
    fields = [line.split('"') for line in lines if line.startswith("UBI__PAGE_FILE(")]
    return {field[1]: Path(field[-2]) for field in fields}


def need_page():
    if not page_files():
        raise unittest.SkipTest("this build has no web page: npm was missing, or could not fetch what it is built with")


def run(test, *words):
    """A program of the project must end well; else its output is the failure."""
    program = WEB / "node_modules" / ".bin" / words[0]
    environment = {**os.environ, "CI": "1", "NO_COLOR": "1"}
    done = subprocess.run([program, *words[1:]], cwd=WEB, capture_output=True, text=True, check=False, env=environment, preexec_fn=lift_limit)
    if done.returncode != 0:
        test.fail(f"{' '.join(map(str, words))}\n{done.stdout[-12000:]}\n{done.stderr[-4000:]}")
    return done.stdout
