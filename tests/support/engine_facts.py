# SPDX-License-Identifier: MIT
"""What differs between engines that run scripts: the one table that tests ask. Facts are by what the engine's source has, never by
its version.

Expectations are written for engines that know columns; `places` makes those of an engine that knows lines only.
"""
import functools
import os
import pathlib
import re
from collections import namedtuple

Facts = namedtuple("Facts", "columns awaits_in_scripts stack_ends")


@functools.cache
def features():
    """Those that probe.sh found for the build."""
    header = pathlib.Path(os.environ["UBI_BUILD_DIR"]) / "ubi_quickjs" / "ubi_features.h"
    return dict(re.findall(r"^#define (UBI_\w+) ([01])$", header.read_text(), re.MULTILINE))


def has(feature):
    return features()[feature] == "1"


@functools.cache
def facts():
    source = (pathlib.Path(os.environ["UBI_QUICKJS_DIR"]) / "quickjs.c").read_text(errors="replace")
    return Facts(columns=has("UBI_FIND_COL"),
                 awaits_in_scripts=has("UBI_API_ASYNC_EVAL"),  # `await` outside functions
                 stack_ends="RangeError: Maximum call stack size exceeded" if "Maximum call stack size exceeded" in source
                 else "InternalError: stack overflow")


def needs(has_it, lack):
    """A test of a class that is left out unless `has_it`; says why, as `make check-engines` reads it."""
    def decorate(test):
        def left_out(case):
            print(f"left out: {case.id().split('.')[-1]}: {lack}")
            case.skipTest(lack)
        return test if has_it else left_out
    return decorate


def places(text, one_line=False):
    """`text` with places as this engine prints them: without columns s.js:3:24 is s.js:3, and only s.js when all is on one line."""
    if facts().columns:
        return text
    return re.sub(r"(\.m?js|>)(:\d+):\d+", r"\1" if one_line else r"\1\2", text)
