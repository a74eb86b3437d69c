/* SPDX-License-Identifier: MIT
 *
 * commands_fuzz.c: every answer of the tool about hostile heaps, in every form that it has: text, JSON, SVG.
 *
 * An input chooses a command line, who made the heaps and how wide the page is; it holds a text for the place of expressions and
 * names; the rest are the heaps (fuzz_heaps.h), saved and read again. Promises checked (docs/security.md): it ends, with an answer or
 * with a message of one line; text is fit for a terminal; JSON is JSON.
 */
#include <ubiheap/core/formats.h>

#include "fuzz_heaps.h"
#include "fuzz_tool.h"

/* A, B, C: the heaps; ?: the text; #: the id of a node. */
static const char *const lines[] = {
    "report A",
    "report --json A",
    "report --detail A",
    "info A",
    "info --json A",
    "summary A",
    "summary --json A",
    "summary --where ? A",
    "summary --class ? A",
    "summary --class ? --json A",
    "summary --filter ? --sort name A",
    "summary --since A B",
    "summary --fail-on ? A",
    "statistics A",
    "statistics --json A",
    "leaks A B",
    "leaks A B C",
    "leaks --json A B C",
    "leaks --limit 0 --engine A B C",
    "leaks --where ? A B C",
    "leaks --fail-on ? A B C",
    "leaks --control A,B A B C",
    "diff A B",
    "diff --json A B",
    "diff --by class A B",
    "diff --by class --json A B",
    "diff --by class --fail-on ? A B",
    "diff --breakdown ? A B",
    "diff --fail-on ? A B",
    "census A",
    "census --json A",
    "census --breakdown ? A",
    "census --breakdown ? --json A",
    "census --invert --filter ? A",
    "census --fail-on ? A",
    "dominators A",
    "dominators --json A",
    "dominators --depth 0 --json A",
    "retainers A #",
    "retainers --json A #",
    "retainers --all --depth 0 --limit 0 A #",
    "retainers --ignore ? A #",
    "containment A",
    "containment --json A",
    "containment --depth 5 --limit 3 A",
    "paths A #",
    "paths --json A # #",
    "paths --from # A # #",
    "paths --max-paths 40 --limit 0 A #",
    "search A ?",
    "search --json A ?",
    "search --case --where ? A x",
    "nodes A",
    "nodes --json A",
    "nodes --where ? A",
    "nodes --where ? --json A",
    "nodes --sort ? A",
    "nodes --columns ? A",
    "nodes --fail-on ? A",
    "node A #",
    "node --json A #",
    "node --breakdown ? A #",
    "strings A",
    "strings --json A",
    "strings --duplicates --where ? A",
    "allocations A",
    "allocations --json A",
    "treemap A",
    "treemap --json A",
    "treemap --format svg A",
    "treemap --by dominators A",
    "treemap --by dominators --format svg A",
    "treemap --breakdown ? --format svg A",

    "convert --format heapsnapshot A -",
    "convert --anonymize --format heapsnapshot A -",

    "census --compat firefox --json A",
    "diff --compat firefox --json A B",

    "A",
    "--json A",
    "show A #",
    "show --json A #",
};

#define N_LINES (sizeof lines / sizeof *lines)

static void save(const fuzz_tool *tool, int i, const ubi_graph *graph, fuzz_producer producer) {
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    options.format = producer == FUZZ_FIREFOX ? "fxsnapshot" : "heapsnapshot";
    fuzz_tool_rewind(tool->files[i]);
    require(ubi_graph_save_fd(graph, tool->files[i], &options, NULL) == UBI_OK, "a heap cannot be saved");
}

static uint64_t some_id(const ubi_graph *graph, uint8_t choice) {
    return ubi_graph_node_id(graph, (ubi_node_ix)(choice % ubi_graph_node_count(graph)));
}

/* At most 63 characters of the input, without zeros. */
static const char *take_text(feeder *f) {
    static char text[64];
    size_t n = fuzz_take(f) % sizeof text, length = 0;
    while (n-- > 0) {
        uint8_t c = fuzz_take(f);
        if (c)
            text[length++] = (char)c;
    }
    text[length] = 0;
    return text;
}

static void set_columns(uint8_t choice) {
    char columns[8];
    snprintf(columns, sizeof columns, "%u", 20 + choice % 120u);
    setenv("COLUMNS", columns, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    feeder f = { data, size };
    fuzz_tool *tool = fuzz_tool_get();
    char number[24] = "0";
    const char *line = lines[fuzz_take(&f) % N_LINES];
    fuzz_producer producer = fuzz_take(&f) % FUZZ_PRODUCERS;
    set_columns(fuzz_take(&f));
    uint8_t which = fuzz_take(&f);
    const char *text = take_text(&f);
    fuzz_heaps_start(&f);
    for (int i = 0; i < FUZZ_TOOL_FILES; i++) {
        ubi_graph *graph = fuzz_heap(producer);
        save(tool, i, graph, producer);
        if (i == 0)
            snprintf(number, sizeof number, "%llu", (unsigned long long)some_id(graph, which));
        ubi_graph_unref(graph);
    }
    fuzz_tool_say(tool, line, text, number);
    fuzz_tool_run(tool);
    return 0;
}
