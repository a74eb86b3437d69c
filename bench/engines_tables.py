# SPDX-License-Identifier: MIT
"""Tables of `make check-engines`: which sources of QuickJS the tools were tried with, and what holds on each."""
from tables import paragraphs, table

OVERHEAD = """\
The sources of `make check-engines`, [each tried whole](quickjs.md#which-engines). Instructions of a script with the tools compiled in,
the same engine without them and with the same flags = 1; of three workloads that allocate, the greatest. *Off*: without an observer;
*p*: an observer tracks objects with that probability, and logs. The goals, on every engine: off at most 1.03, with probability 0.05 at
most 1.10, with 1 at most 1.35. To record a birth takes as many instructions on each; where an engine's own allocator makes objects
cheaper, as that of bellard 2026-05-21 does, they are a greater share."""
MODES = {"off": "off", "0.05": "p = 0.05", "1": "p = 1"}


def name_of(row):
    """bellard 2025-04-26, or quickjs-ng 0.16.2 (2026-08-21, 05b2db9)."""
    more = [word for word in (row["date"], row["commit"]) if word and word != row["version"]]
    return f"{row['family']} {row['version']}" + (f" ({', '.join(more)})" if more else "")


def tests_words(row):
    if row["refused"] or not row["selftest"]:
        return "-"
    if "passed" not in row:
        return "not run"
    words = f"{row['passed']} passed"
    if row["failed"]:
        words += f", {len(row['failed'])} failed: " + ", ".join(f"`{name}`" for name in row["failed"])
    return words


def left_out_words(row):
    """Each reason once, with the number of its cases."""
    reasons = [one["reason"] for one in row.get("leftOut", [])]
    counted = {reason: reasons.count(reason) for reason in reasons}
    return "; ".join(f"{n}: {reason}" for reason, n in counted.items()) or "-"


def share_words(row):
    if "engineBytes" not in row:
        return "-"
    return f"{100 * row['accountedBytes'] / row['engineBytes']:.3f} %"


def sanitized_words(row):
    if "sanitized" not in row:
        return "not run" if row["selftest"] else "-"
    of = row["sanitized"]
    if not of:
        return "do not build"
    return f"{of['passed']} passed" + (f", {len(of['failed'])} failed: " + ", ".join(f"`{name}`" for name in of["failed"])
                                       if of["failed"] else "")


def greatest_of(row):
    """Of the workloads, the greatest, per mode."""
    return [f"{max(ratios[mode] for ratios in row['overhead'].values()):.3f}" for mode in MODES]


def served_table(document):
    rows = []
    for row in document["engines"]:
        if row["refused"]:
            built = "refused: " + "; ".join(row["refused"])
        else:
            built = "passes" if row["selftest"] else "fails"
        rows.append([name_of(row), built, tests_words(row), left_out_words(row), sanitized_words(row), share_words(row),
                     str(row["roots"] - 1) if "roots" in row else "-",
                     row.get("places", "-"), ", ".join(greatest_of(row)) if row.get("overhead") else "-"])
    return table(["engine", "build and self-test", "tests", "cases left out", "with sanitizers", "accounted", "false roots",
                  "exact places", "instructions"], rows, n_text=9)


def overhead_table(document):
    rows = [[name_of(row)] + greatest_of(row) for row in document["engines"] if row.get("overhead")]
    return table(["engine", *MODES.values()], rows) if rows else None


def sections(document):
    """Of the engines whose instructions were counted."""
    body = overhead_table(document)
    return [("QuickJS: every engine", paragraphs(OVERHEAD), body)] if body else []


def explained_part(document):
    """For docs/explanation/quickjs.md."""
    return served_table(document) + "\n"
