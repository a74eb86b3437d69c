# SPDX-License-Identifier: MIT
"""What all tables of results share: numbers as text, Markdown, medians of runs."""
import statistics
import textwrap

# Files with fewer nodes say more about start-up than about speed per node.
NODES_WORTH_A_RATIO = 100_000


def significant(value):
    """Three significant digits without an exponent."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def size(n_bytes):
    for unit in ("B", "KiB", "MiB", "GiB"):
        if n_bytes < 1024 or unit == "GiB":
            return f"{significant(n_bytes) if unit != 'B' else n_bytes} {unit}"
        n_bytes /= 1024


def milliseconds(ns):
    return None if ns is None else ns / 1e6


def ratio(a, b):
    return a / b if a is not None and b else None


def table(header, rows, n_text=1):
    """Markdown; the first n_text columns are text, the others numbers."""
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * n_text + "---:|" * (len(header) - n_text)]
    for row in rows:
        lines.append("| " + " | ".join(cell if isinstance(cell, str) else significant(cell) for cell in row) + " |")
    return "\n".join(lines)


def paragraphs(text):
    """Wrapped, each by itself."""
    return "\n\n".join(textwrap.fill(paragraph, 120, break_long_words=False, break_on_hyphens=False)
                       for paragraph in text.split("\n\n"))


def machine_words(document):
    """For texts with {processor}, {memory} and so on."""
    m = document["machine"]
    return dict(m, name=document["name"], date=document["date"], memory=f"{m['memoryMiB']:,}")


# ---- runs -----------------------------------------------------------------------------------------------------------

class Results:
    def __init__(self, document):
        self.document = document
        self.files = document["files"]
        self.runs = document["runs"]

    def runs_of(self, file, row, threads=1):
        return [r for r in self.runs if (r["file"], r["row"], r["threads"]) == (file["file"], row, threads)]

    @staticmethod
    def middle(runs, key):
        values = [r[key] for r in runs if key in r]
        return statistics.median(values) if values else None

    def median(self, file, row, key, threads=1):
        return self.middle(self.runs_of(file, row, threads), key)

    def any_load(self, file):
        return next((r for r in self.runs if r["file"] == file["file"] and r["row"] == "load"), None)

    def measured(self):
        """Files that were loaded, each with one of its runs (for counts, which are the same in all)."""
        return [(f, self.any_load(f)) for f in self.files if self.any_load(f)]

    def shapes(self):
        """Graphs made in memory, as files without a size: {"file": "shape:NAME"}, in order of measuring."""
        names = dict.fromkeys(r["file"] for r in self.runs if r["file"].startswith("shape:"))
        return [{"file": name} for name in names]
