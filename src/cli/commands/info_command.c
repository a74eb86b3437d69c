/* SPDX-License-Identifier: MIT
 *
 * info_command.c: `ubiheap info`, what kind of file this is and what it carries.
 */
#include "base/human.h"
#include "base/status.h"
#include "base/text.h"
#include "cli/cli_ask.h"
#include "cli/cli_files.h"
#include "formats/recognize.h"
#include "lenses/heap_summary.h"
#include "lenses/lens.h"
#include "lenses/producer.h"
#include "render/page.h"

typedef struct facts {
    const ubi__snapshot *snapshot;
    const ubi_graph *graph;
    ubi__heap_summary summary;
    ubi_graph_memory memory;
    uint64_t creation_time_us;
    bool has_creation_time;
    const char *producer; /* or NULL */
} facts;

static uint64_t total_memory(const ubi_graph_memory *m) {
    return m->nodes_bytes + m->edges_bytes + m->index_bytes + m->strings_bytes + m->stacks_bytes;
}

static double per_item(uint64_t bytes, uint64_t n) {
    return n ? (double)bytes / (double)n : 0;
}

#define MOST_CARRIED (6 + UBI__MOST_CARRIED)

static size_t carried_list(ubi__carried out[MOST_CARRIED], const facts *f) {
    const ubi__heap_summary *s = &f->summary;
    const ubi__producer *producer = ubi__producer_of(f->graph);
    out[0] = (ubi__carried){ "edgeNames", "edge names", s->has_edge_names };
    out[1] = (ubi__carried){ "classNames", "class names", s->names.classes > 0 };
    out[2] = (ubi__carried){ "constructorNames", "constructor names", s->names.constructors > 0 };
    out[3] = (ubi__carried){ "domNames", "DOM names", s->names.dom > 0 };
    out[4] = (ubi__carried){ "scriptFilenames", "script file names", s->names.scripts > 0 };
    out[5] = (ubi__carried){ "allocationStacks", "allocation stacks", s->n_with_stack > 0 };
    return 6 + (producer->carried ? producer->carried(out + 6, f->graph) : 0);
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

#define LABEL_COLUMNS 14

static void fact_begin(const ubi__cli *cli, const char *name) {
    ubi__write_label(&cli->page, UBI__INK_BOLD, name, LABEL_COLUMNS);
}

static void fact_write(const ubi__cli *cli, const char *name, const char *text) {
    ubi__write_fact(&cli->page, name, ubi__text(text), LABEL_COLUMNS);
}

static void count_write(const ubi__cli *cli, const char *name, uint64_t n) {
    char count[UBI__HUMAN_TEXT];
    fact_write(cli, name, ubi__human_count(count, n));
}

static void file_write(const ubi__cli *cli, const facts *f) {
    char a[UBI__HUMAN_TEXT], b[UBI__HUMAN_TEXT];
    const ubi_read_info *info = &f->snapshot->info;
    fact_write(cli, "File", f->snapshot->path);
    fact_begin(cli, "Format");
    ubi__out_string(cli->page.out, info->format);
    if (info->compression && strcmp(info->compression, "none") != 0)
        ubi__out_printf(cli->page.out, ", %s, %s (%s inflated)", info->compression,
                        ubi__human_size(a, info->input_bytes), ubi__human_size(b, info->inflated_bytes));
    else
        ubi__out_printf(cli->page.out, ", not compressed, %s", ubi__human_size(a, info->input_bytes));
    ubi__out_char(cli->page.out, '\n');
    if (info->has_ended_early)
        fact_write(cli, "Ended early", info->end_note);
    if (*info->note)
        fact_write(cli, "Note", info->note);
}

static void origin_write(const ubi__cli *cli, const facts *f) {
    char time[UBI__HUMAN_TEXT];
    const char *writer = f->snapshot->info.writer;
    fact_write(cli, "Producer", f->producer ? f->producer : "unknown");
    fact_write(cli, "Created", f->has_creation_time ? ubi__human_time(time, f->creation_time_us) : "unknown");
    if (*writer)
        fact_write(cli, "Written by", writer);
}

static void tally_write(const ubi__cli *cli, const char *name, const ubi__tally *tally) {
    char nodes[UBI__HUMAN_TEXT], size[UBI__HUMAN_TEXT];
    fact_begin(cli, name);
    if (tally->count == 0)
        ubi__out_string(cli->page.out, "none\n");
    else
        ubi__out_printf(cli->page.out, "%s, %s\n", ubi__human_things(nodes, tally->count, "node"),
                        ubi__human_size(size, tally->bytes));
}

/* "14 of classes, 503 of constructors, 4 of scripts". */
static void names_write(const ubi__cli *cli, const ubi__name_counts *names) {
    char text[UBI__HUMAN_TEXT];
    const struct {
        uint32_t n;
        const char *things;
    } all[] = { { names->classes, "classes" },
                { names->constructors, "constructors" },
                { names->dom, "DOM nodes" },
                { names->scripts, "scripts" } };
    bool any = false;
    fact_begin(cli, "Names");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i].n == 0)
            continue;
        ubi__out_printf(cli->page.out, "%s%s of %s", any ? ", " : "", ubi__human_count(text, all[i].n), all[i].things);
        any = true;
    }
    ubi__out_string(cli->page.out, any ? "\n" : "none\n");
}

static void contents_write(const ubi__cli *cli, const facts *f) {
    char a[UBI__HUMAN_TEXT], b[UBI__HUMAN_TEXT];
    const ubi__heap_summary *s = &f->summary;
    count_write(cli, "Nodes", ubi_graph_node_count(f->graph));
    count_write(cli, "Edges", ubi_graph_edge_count(f->graph));
    count_write(cli, "Strings", ubi_graph_string_count(f->graph));
    names_write(cli, &s->names);
    fact_begin(cli, "Stacks");
    if (s->n_with_stack == 0)
        ubi__out_string(cli->page.out, "none\n");
    else
        ubi__out_printf(cli->page.out, "%s, %s %s a stack\n",
                        ubi__human_things(a, ubi_graph_frame_count(f->graph), "frame"),
                        ubi__human_things(b, s->n_with_stack, "node"), s->n_with_stack == 1 ? "has" : "have");
    tally_write(cli, "Reachable", &s->reachable);
    tally_write(cli, "Unreachable", &s->unreachable);
}

static void carried_write(const ubi__cli *cli, const facts *f) {
    ubi__carried all[MOST_CARRIED];
    size_t n_all = carried_list(all, f), n = 0, used = LABEL_COLUMNS;
    fact_begin(cli, "Carries");
    for (size_t i = 0; i < n_all; i++) {
        if (!all[i].is_present)
            continue;
        bool wraps = n && used + 2 + strlen(all[i].word) + 1 > cli->page.style.columns;
        ubi__out_string(cli->page.out, !n ? "" : wraps ? ",\n" : ", ");
        ubi__display_pad(cli->page.out, 0, wraps ? LABEL_COLUMNS : 0);
        ubi__out_string(cli->page.out, all[i].word);
        used = (wraps ? LABEL_COLUMNS : used + (n ? 2 : 0)) + strlen(all[i].word);
        n++;
    }
    ubi__out_string(cli->page.out, n ? "\n" : "types and sizes only\n");
}

static void cost_write(const ubi__cli *cli, const facts *f) {
    char size[UBI__HUMAN_TEXT], time[UBI__HUMAN_TEXT];
    const ubi_graph_memory *m = &f->memory;
    fact_begin(cli, "Memory");
    ubi__out_printf(cli->page.out, "%s: %.1f bytes per node, %.1f per edge, the rest strings and stacks\n",
                    ubi__human_size(size, total_memory(m)),
                    per_item(m->nodes_bytes + m->index_bytes, ubi_graph_node_count(f->graph)),
                    per_item(m->edges_bytes, ubi_graph_edge_count(f->graph)));
    fact_write(cli, "Loaded in", ubi__human_duration(time, f->snapshot->load_us));
}

static void page_write(ubi__cli *cli, const facts *f) {
    file_write(cli, f);
    origin_write(cli, f);
    contents_write(cli, f);
    carried_write(cli, f);
    cost_write(cli, f);
}

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

static void tally_put(ubi__json *j, const char *key, const ubi__tally *tally) {
    ubi__json_member_object(j, key);
    ubi__json_member_u64(j, "count", tally->count);
    ubi__json_member_u64(j, "bytes", tally->bytes);
    ubi__json_object_end(j);
}

static void file_put(ubi__json *j, const facts *f) {
    const ubi_read_info *info = &f->snapshot->info;
    ubi__json_member_string(j, "format", info->format);
    ubi__json_member_string(j, "compression", info->compression);
    ubi__json_member_u64(j, "inputBytes", info->input_bytes);
    ubi__json_member_u64(j, "inflatedBytes", info->inflated_bytes);
    ubi__json_member_u64(j, "messageCount", info->message_count);
    ubi__json_member_bool(j, "endedEarly", info->has_ended_early);
    ubi__json_member_string(j, "endNote", info->has_ended_early ? info->end_note : NULL);
    ubi__json_member_string(j, "note", *info->note ? info->note : NULL);
}

static void origin_put(ubi__json *j, const facts *f) {
    char time[UBI__HUMAN_TEXT];
    const char *writer = f->snapshot->info.writer;
    ubi__json_member_string(j, "producer", f->producer);
    ubi__json_member_string(j, "writer", *writer ? writer : NULL);
    ubi__json_member_string(j, "creationTime", f->has_creation_time ? ubi__iso_time(time, f->creation_time_us) : NULL);
    ubi__json_member_u64_or_null(j, "creationTimeUs", f->has_creation_time, f->creation_time_us);
}

static void contents_put(ubi__json *j, const facts *f) {
    const ubi_graph *g = f->graph;
    ubi__json_member_u64(j, "nodeCount", ubi_graph_node_count(g));
    ubi__json_member_u64(j, "edgeCount", ubi_graph_edge_count(g));
    ubi__json_member_u64(j, "stringCount", ubi_graph_string_count(g));
    ubi__json_member_object(j, "names");
    ubi__json_member_u64(j, "classes", f->summary.names.classes);
    ubi__json_member_u64(j, "constructors", f->summary.names.constructors);
    ubi__json_member_u64(j, "domNodes", f->summary.names.dom);
    ubi__json_member_u64(j, "scripts", f->summary.names.scripts);
    ubi__json_object_end(j);
    ubi__json_member_u64(j, "frameCount", ubi_graph_frame_count(g));
    ubi__json_member_u64(j, "nodesWithStack", f->summary.n_with_stack);
    ubi__json_member_node_id(j, "rootId", ubi_graph_node_id(g, ubi_graph_root(g)));
    tally_put(j, "reachable", &f->summary.reachable);
    tally_put(j, "unreachable", &f->summary.unreachable);
}

static void carried_put(ubi__json *j, const facts *f) {
    ubi__carried all[MOST_CARRIED];
    size_t n = carried_list(all, f);
    ubi__json_member_object(j, "carries");
    for (size_t i = 0; i < n; i++) {
        ubi__json_member_bool(j, all[i].key, all[i].is_present);
    }
    ubi__json_object_end(j);
}

static void memory_put(ubi__json *j, const facts *f) {
    const ubi_graph_memory *m = &f->memory;
    ubi__json_member_object(j, "memory");
    ubi__json_member_u64(j, "totalBytes", total_memory(m));
    ubi__json_member_u64(j, "nodesBytes", m->nodes_bytes);
    ubi__json_member_u64(j, "edgesBytes", m->edges_bytes);
    ubi__json_member_u64(j, "indexBytes", m->index_bytes);
    ubi__json_member_u64(j, "stringsBytes", m->strings_bytes);
    ubi__json_member_u64(j, "stacksBytes", m->stacks_bytes);
    ubi__json_member_double(j, "bytesPerNode",
                            per_item(m->nodes_bytes + m->index_bytes, ubi_graph_node_count(f->graph)));
    ubi__json_member_double(j, "bytesPerEdge", per_item(m->edges_bytes, ubi_graph_edge_count(f->graph)));
    ubi__json_object_end(j);
}

static void document_write(ubi__cli *cli, const facts *f) {
    ubi__json j;
    ubi__document_begin(&j, cli, "ubiheap.info/1", f->snapshot->path);
    file_put(&j, f);
    origin_put(&j, f);
    contents_put(&j, f);
    carried_put(&j, f);
    memory_put(&j, f);
    ubi__json_member_u64(&j, "loadTimeUs", f->snapshot->load_us);
    ubi__document_end(&j);
}

/* ---- command ---------------------------------------------------------------------------------------------------- */

/*
 * Counts as the lens does, without making a look: sizes that it moves between nodes have the same sum, and it says
 * beforehand whether it adopts nodes that the root does not reach.
 */
static void count_as_lens(ubi__heap_summary *summary) {
    if (ubi_lens_for(summary->graph)->orphans != UBI_ORPHANS_ADOPT)
        return;
    summary->reachable.count += summary->unreachable.count;
    summary->reachable.bytes += summary->unreachable.bytes;
    summary->unreachable = (ubi__tally){ 0, 0 };
}

static ubi_status facts_collect(facts *f, const ubi__snapshot *snapshot) {
    *f = (facts){ .snapshot = snapshot, .graph = snapshot->graph, .producer = ubi__producer_title(snapshot->graph) };
    f->has_creation_time = ubi_graph_creation_time_us(snapshot->graph, &f->creation_time_us);
    f->memory = (ubi_graph_memory)UBI_GRAPH_MEMORY_INIT;
    ubi_graph_memory_use(snapshot->graph, &f->memory);
    UBI_TRY(ubi__heap_summary_init(&f->summary, snapshot->graph, ubi_allocator_default()));
    count_as_lens(&f->summary);
    return UBI_OK;
}

static ubi_status info_show(ubi__cli *cli, const ubi__snapshot *snapshot) {
    facts f;
    UBI_TRY(facts_collect(&f, snapshot));
    if (cli->common.wants_json)
        document_write(cli, &f);
    else
        page_write(cli, &f);
    ubi__heap_summary_fini(&f.summary);
    return UBI_OK;
}

extern const ubi__question ubi__question_info;

static ubi_status info_run(ubi__cli *cli, void *arguments, char **operands, int n_operands, int *exit_code) {
    ubi__snapshot snapshot;
    ubi__file_use use = ubi__file_use_peek(operands[0]);
    if (use == UBI__FILE_RECORDING || use == UBI__FILE_TIMELINE)
        return ubi__cli_ask(cli, &ubi__question_info, arguments, operands, n_operands, exit_code);
    UBI_TRY(ubi__snapshot_load(&snapshot, cli, operands[0]));
    ubi_status status = info_show(cli, &snapshot);
    ubi__snapshot_close(&snapshot);
    return status;
}

static const ubi__parameter parameters[] = { UBI__PARAMETERS_END };

static const ubi__example examples[] = {
    { "info app.fxsnapshot", "the facts, one per line" },
    { "info --json app.fxsnapshot | jq .nodeCount", "one of them for a script" },
    { NULL, NULL },
};

static const ubi__usage usage = {
    .name = "info",
    .operands = "FILE",
    .summary = "show what kind of file this is and what it carries",
    .question = "What kind of file is this, and what does it carry?",
    .description =
        "Prints the format of FILE, who wrote it and when, how many nodes, edges, strings and stacks it has, how much "
        "of the heap is reachable from its root, what it carries beside types and sizes, and what it costs in memory.\n"
        "\n"
        "Sizes are sums of the nodes' own (shallow) sizes. Nodes that cannot be reached from the root are in the file "
        "but in no analysis; scoped Firefox snapshots often have some.\n"
        "\n"
        "Of a recording of allocations (.ubirec) and of a timeline: who recorded what and when, and how much there is "
        "of everything.",
    .parameters = parameters,
    .examples = examples,
    .min_operands = 1,
    .max_operands = 1,
};

const ubi__command ubi__command_info = {
    .usage = &usage,
    .run = info_run,
};
