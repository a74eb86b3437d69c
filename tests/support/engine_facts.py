# SPDX-License-Identifier: MIT
"""What differs between engines that run scripts: the one table that tests ask.

Expectations are written for engines that know columns; `places` makes those of an engine that knows lines only.
"""
import os
import re
import subprocess
from collections import namedtuple

Facts = namedtuple("Facts", "columns awaits_in_scripts survives_without_memory tells_before_it_crashes")
# Columns of places; `await` outside functions; whether the engine never crashes by itself when it gets no memory while it compiles
# or makes an error; whether a refused allocation is told before such a crash, which buffers of the compiler are not in later ones.
# By the beginning of the version; quickjs-ng, with its small numbers, is as that of 2025.
ENGINES = {
    "2021": Facts(columns=False, awaits_in_scripts=False, survives_without_memory=True, tells_before_it_crashes=True),
    "2024": Facts(columns=False, awaits_in_scripts=True, survives_without_memory=False, tells_before_it_crashes=True),
    "2025-09": Facts(columns=True, awaits_in_scripts=True, survives_without_memory=False, tells_before_it_crashes=False),
    "2025": Facts(columns=True, awaits_in_scripts=True, survives_without_memory=False, tells_before_it_crashes=True),
}


def version():
    """Of the engine in the tool under test, such as 2025-04-26."""
    said = subprocess.run([os.environ["UBIHEAP"], "--version"], capture_output=True, text=True, check=True).stdout
    return re.search(r"QuickJS (\S+)", said)[1]


def facts():
    said = version()
    return next((of for beginning, of in ENGINES.items() if said.startswith(beginning)), ENGINES["2025"])


def needs(has, lack):
    """A test of a class that is left out unless `has`; says why, as `make check-engines` reads it."""
    def decorate(test):
        def left_out(case):
            print(f"left out: {case.id().split('.')[-1]}: {lack}")
            case.skipTest(lack)
        return test if has else left_out
    return decorate


def places(text, one_line=False):
    """`text` with places as this engine prints them: without columns s.js:3:24 is s.js:3, and only s.js when all is on one line."""
    if facts().columns:
        return text
    return re.sub(r"(\.m?js|>)(:\d+):\d+", r"\1" if one_line else r"\1\2", text)
