# SPDX-License-Identifier: MIT
"""Tables of bench/web.sh: what people who look at the page of `ubiheap serve` wait for, beside the goals."""
import statistics

from tables import machine_words, milliseconds, paragraphs, size, table

HEAD = """\
The run `{name}` of {date}; the result with every single run is
[bench/results/{name}.json](../../bench/results/{name}.json). {processor}, {processors} processors, {memory} MiB of
memory; {kernel}; {compiler}. `chrt -r 5 sh bench/web.sh` (also `make bench-web`) repeats the measurement: the machine had other work, which waited
meanwhile. The browser is Chromium {browser}, headless, with a window of 1280 by 800 pixels; times are from what a user does to the frame that shows it."""
GOALS = """\
The page of [`ubiheap serve`](../how-to/look-at-a-heap-in-a-browser.md) with a heap of {nodes} nodes, by a server that has loaded it. *Actions* are expanding, sorting, filtering
and choosing. The goals
are those of the design; the last three rows do not depend on the machine, and the run fails where they are exceeded."""
VIEWS = """\
Each view as the *first* that is shown by a server that has loaded the file: that has read it, and behind its first answer has made an
index, which the next server finds. *Again* is the same with a new page of the same server; *cold* is by a server that has just read the file, has
computed nothing and makes no index: it waits for what V8's heaps need before anything is counted, and for the dominator tree. Reading
takes {read} s, loading with the index {load} s. The start page shows first what a file that was read says, then what was found in it. *Rows* are those of the largest answer, *elements* all of the document, *sent* what all answers had before they were packed."""
ACTIONS = """\
What is done in a view that is shown, until the frame that has its first rows. *Many rows* is a table of a million rows, *jump* moves its scroll bar to another
place. Medians and the 99th percentiles."""
IMPORTS = """\
The same file of {nodes} nodes, given to Firefox's own panel and to this page: from its import to the first tree map, and to the first rows of the dominator tree. Both say that
the root retains the same bytes."""

FIRST_VIEW_MS, ACTION_MS, RARE_ACTION_MS, DRAW_MS = 1500, 100, 300, 100
MEMORY_BYTES, SCRIPT_BYTES = 150 * 10**6, 250 * 1024
LATE_SHARE = 0.01


def of(results, row, **wanted):
    return [run for run in results.runs if run["row"] == row and all(run.get(key) == value for key, value in wanted.items())]


def distinct(runs, key):
    return list(dict.fromkeys(run[key] for run in runs))


def walls(runs):
    return sorted(run["wallNs"] for run in runs)


def rare(sorted_walls):
    """The 99th percentile."""
    return sorted_walls[min(len(sorted_walls) - 1, int(len(sorted_walls) * 0.99))]


def verdict(is_met):
    return "yes" if is_met else "no"


def goal_rows(results):
    """What is measured, its goal, what it was, and whether that is met."""
    firsts = {view: statistics.median(walls(of(results, "first view", view=view))) for view in distinct(of(results, "first view"), "view")}
    slowest = max(firsts, key=firsts.get)
    late_views = sum(wall > FIRST_VIEW_MS * 1e6 for wall in firsts.values())
    yield ["first views that are late", f"none above {FIRST_VIEW_MS:,} ms", f"{late_views} of {len(firsts)}; the slowest is {slowest}, "
           f"{firsts[slowest] / 1e6:,.0f} ms", verdict(late_views == 0)]
    big = of(results, "limits")[0]["file"]
    for words, runs in (("actions", of(results, "action", file=big)),
                        ("actions in a table of a million rows", [run for run in of(results, "action") if run["file"] != big])):
        taken = walls(runs)
        middle = statistics.median(taken)
        yield [f"{len(taken):,} {words}, median", f"{ACTION_MS} ms", f"{middle / 1e6:.0f} ms", verdict(middle <= ACTION_MS * 1e6)]
        yield [f"{words}, 99 %", f"{RARE_ACTION_MS} ms", f"{rare(taken) / 1e6:.0f} ms", verdict(rare(taken) <= RARE_ACTION_MS * 1e6)]
    memory = max(run["mostBytes"] - run["emptyBytes"] for run in of(results, "memory"))
    yield ["renderer's memory above an empty tab's", "150 MB", f"{memory / 1e6:.0f} MB", verdict(memory <= MEMORY_BYTES)]
    scrolls = of(results, "scroll")
    share = sum(run["late"] for run in scrolls) / sum(run["frames"] for run in scrolls)
    yield [f"late frames, scrolling {scrolls[0]['rows']:,} rows", "1 %", f"{share:.2%}", verdict(share <= LATE_SHARE)]
    draws = of(results, "draw")
    draw = statistics.median(walls(draws))
    yield [f"drawing a tree map of {draws[0]['boxes']:,} boxes", f"{DRAW_MS} ms", f"{draw / 1e6:.0f} ms", verdict(draw <= DRAW_MS * 1e6)]
    script = of(results, "script")[0]["gzipBytes"]
    yield ["scripts to begin with, packed", "250 KiB", size(script), verdict(script < SCRIPT_BYTES)]
    sizes = of(results, "size")
    limits = of(results, "limits")[0]
    for key, words, runs in (("rows", "rows in one answer, at most", [run for run in sizes if run["view"] != "tree map"]),
                             ("boxes", "boxes in one answer, at most", [run for run in sizes if run["view"] == "tree map"]),
                             ("elements", "elements in the document, at most", sizes)):
        most = max(run["rows" if key == "boxes" else key] for run in runs)
        yield [words, f"{limits[key]:,}", f"{most:,}", verdict(most <= limits[key])]


def view_rows(results):
    for view in distinct(of(results, "first view"), "view"):
        sizes = of(results, "size", view=view)
        times = [statistics.median(walls(of(results, row, view=view))) for row in ("first view", "view again", "cold view")]
        cells = [f"{sizes[0]['rows']:,}", size(sizes[0]["replyBytes"]), f"{sizes[0]['elements']:,}"] if sizes else ["", "", ""]
        yield [view, *map(milliseconds, times), *cells]


def action_rows(results):
    for view in distinct(of(results, "action"), "view"):
        for action in distinct(of(results, "action", view=view), "action"):
            taken = walls(of(results, "action", view=view, action=action))
            yield [view, action, f"{len(taken):,}", milliseconds(statistics.median(taken)), milliseconds(rare(taken)), milliseconds(taken[-1])]


def import_rows(results):
    for tool in distinct(of(results, "import"), "tool"):
        runs = of(results, "import", tool=tool)
        yield [tool, str(len(runs)), milliseconds(statistics.median(walls(runs))),
               milliseconds(statistics.median(run["dominatorsNs"] for run in runs))]


def check_imports(results):
    """Nodes of the file. All must have looked at the same heap."""
    runs = of(results, "import")
    if len({run["retainedSize"] for run in runs}) > 1:
        raise SystemExit("web_tables.py: the tools disagree about the imported file")
    return max(run["nodes"] for run in runs)


def command_list(results):
    """How each file is made, and all are measured."""
    return "\n".join([f["madeBy"] for f in results.files] + ["sh bench/web.sh"])


def sections(results):
    """(title, text, table) each."""
    words = dict(machine_words(results.document), browser=of(results, "memory")[0]["browser"])
    nodes = of(results, "limits")[0]["nodes"]

    def seconds(key):
        return f"{statistics.median(run[key] for run in of(results, 'load')) / 1e9:.1f}"

    made = [("Page: the goals", paragraphs(HEAD.format(**words)) + "\n\n" + paragraphs(GOALS.format(nodes=f"{nodes:,}")),
             table(["what", "goal", "measured", "met"], list(goal_rows(results)), n_text=4)),
            ("Page: views", paragraphs(VIEWS.format(read=seconds("readNs"), load=seconds("wallNs"))),
             table(["view", "first, ms", "again, ms", "cold, ms", "rows", "sent", "elements"], list(view_rows(results)))),
            ("Page: actions", paragraphs(ACTIONS),
             table(["view", "action", "turns", "median, ms", "99 %, ms", "longest, ms"], list(action_rows(results)), n_text=2))]
    if of(results, "import"):
        text = paragraphs(IMPORTS.format(nodes=f"{check_imports(results):,}"))
        made.append(("Page: imports, beside Firefox's panel", text,
                     table(["tool", "turns", "to the tree map, ms", "to the dominators, ms"], list(import_rows(results)))))
    return made
