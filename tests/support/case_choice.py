# SPDX-License-Identifier: MIT
"""Which of its cases a test tries, as random_numbers.h decides it for tests in C: all, and under a sanitizer some of those that are alike."""
import os
import unittest


def every_case_is_tried():
    """Not under a sanitizer, where each case takes several times as long, except with UBI_DEEP."""
    return os.environ.get("UBI_PRESET_KIND", "plain") == "plain" or bool(os.environ.get("UBI_DEEP"))


def some_of(cases, n, first=0):
    """All of `cases`; under a sanitizer `n` of them at even distances, the first one included, or that at `first`."""
    cases = list(cases)
    if every_case_is_tried() or len(cases) <= n:
        return cases
    return [cases[(first + i * len(cases) // n) % len(cases)] for i in range(n)]


def values_alone(test):
    """For a test of values whose code other tests run under sanitizers, too: left out there."""
    return unittest.skipUnless(every_case_is_tried(), "the release build compares these values")(test)
