/* SPDX-License-Identifier: MIT
 *
 * leaks_page.c: the answers of `ubiheap leaks` as text.
 *
 *     LeakedThing: +300 objects, 55.2 KiB retained
 *         held by Map, variable registry of add(); it has no older ones
 *         with 300 Array (21.1 KiB), 300 Object (9.38 KiB), 300 (string) (9.30 KiB)
 *         global.keepCacheAlive → add() (variable registry) → Map (entry) → LeakedThing
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "base/text.h"
#include "cli/commands/diff/diff_numbers.h"
#include "cli/commands/leaks/leaks_page.h"
#include "cli/heap_summary.h"
#include "render/node_label.h"

#define INDENT 4
#define LEAST_COLUMNS 40
#define PATH_LINES 3

typedef struct page {
    ubi__leak_memo *memo;
    ubi__style plain; /* for what goes to memory */
    const ubi__leaks_answer *answer;
    ubi__cli *cli;
    ubi__out *out;
    const ubi_leak_summary *summary;
} page;

uint32_t ubi__leaks_shown(const ubi__leaks_answer *answer) {
    uint32_t n = ubi_leaks_count(answer->leaks);
    return answer->limit && answer->limit < n ? (uint32_t)answer->limit : n;
}

bool ubi__leaks_same_run(const ubi__leaks_answer *answer) {
    const ubi_leak_summary *s = ubi_leaks_summary(answer->leaks);
    uint64_t smaller = s->heap[0].count < s->heap[2].count ? s->heap[0].count : s->heap[2].count;
    bool reuses = ubi_lens_reuses_ids(answer->newest->look);
    return s->n_common * 10 >= smaller && (reuses || s->n_common_same * 100 >= s->n_common * 98);
}

static size_t room(const page *p) {
    return p->cli->style.columns > LEAST_COLUMNS + INDENT ? p->cli->style.columns - INDENT : LEAST_COLUMNS;
}

/* ---- head --------------------------------------------------------------------------------------------------------- */

static void write_heaps(const page *p) {
    char size[UBI__HUMAN_TEXT], change[UBI__HUMAN_TEXT + 1], share[UBI__HUMAN_TEXT + 1];
    const ubi_leak_summary *s = p->summary;
    ubi__change bytes = { s->heap[0].bytes, s->heap[2].bytes };
    ubi__out_string(p->out, "Heap: ");
    for (int i = 0; i < p->answer->n_paths; i++) {
        if (i)
            ubi__out_string(p->out, p->cli->style.unicode ? " → " : " -> ");
        ubi__out_string(p->out, ubi__human_size(size, s->heap[i].bytes));
    }
    ubi__out_printf(p->out, " (%s, %s)\n", ubi__change_text(change, ubi__human_size, bytes),
                    ubi__change_percent(share, bytes));
}

static void write_total(const page *p) {
    char line[160], objects[UBI__HUMAN_TEXT], size[UBI__HUMAN_TEXT], clusters[UBI__HUMAN_TEXT];
    const ubi_leak_summary *s = p->summary;
    if (s->n_clusters == 0)
        snprintf(line, sizeof line, "No leak: %s",
                 ubi_leaks_count(p->answer->leaks) ? "what is new has other reasons."
                 : s->three                        ? "nothing that came with NEW is still there in NEWER."
                                                   : "nothing came with NEW.");
    else
        snprintf(line, sizeof line, "%s new since OLD%s %s %s, in %s.",
                 ubi__human_things(objects, s->leaked.count, "object"), s->three ? " and alive in NEWER" : "",
                 s->leaked.count == 1 ? "keeps" : "keep", ubi__human_size(size, s->retained_bytes),
                 ubi__human_things(clusters, s->n_clusters, "cluster"));
    ubi__write_inked(p->cli, UBI__INK_BOLD, line);
    ubi__out_char(p->out, '\n');
}

static void write_warnings(const page *p) {
    char line[400], common[UBI__HUMAN_TEXT], same[UBI__HUMAN_TEXT], nodes[UBI__HUMAN_TEXT];
    const ubi_leak_summary *s = p->summary;
    if (!ubi__leaks_same_run(p->answer)) {
        snprintf(
            line, sizeof line,
            "These are hardly snapshots of one process: of %s in OLD, %s ids are in the newest file too, %s of them "
            "with the same class. Nothing below can be trusted.",
            ubi__human_things(nodes, s->heap[0].count, "node"), ubi__human_count(common, s->n_common),
            ubi__human_count(same, s->n_common_same));
        ubi__write_words(p->cli, UBI__INK_YELLOW, line);
    } else if (ubi_lens_reuses_ids(p->answer->newest->look) && ubi_leaks_count(p->answer->leaks)) {
        const char *producer = ubi__guess_producer(p->answer->newest->graph);
        bool moves = !producer || strcmp(producer, "QuickJS") != 0;
        ubi__write_words(p->cli, UBI__INK_DIM,
                         moves
                             ? "Ids in these files are addresses: objects that the collector moved count as new, and "
                               "objects at the address of a dead one of their class as old."
                             : "Ids in these files are addresses: objects at the address of a dead one of their class "
                               "count as old.");
    }
}

/* ---- clusters ----------------------------------------------------------------------------------------------------- */

static void write_headline(const page *p, const ubi_leak_cluster *c) {
    char objects[UBI__HUMAN_TEXT], size[UBI__HUMAN_TEXT], rest[3 * UBI__HUMAN_TEXT];
    snprintf(rest, sizeof rest, ": +%s, %s retained", ubi__human_things(objects, c->leaked.count, "object"),
             ubi__human_size(size, c->retained_bytes));
    ubi__display_ink(p->out, &p->cli->style, UBI__INK_RED);
    ubi__leak_write_name(p->out, &p->cli->style, c, room(p) > strlen(rest) + 12 ? room(p) - strlen(rest) : 12);
    ubi__display_ink(p->out, &p->cli->style, UBI__INK_PLAIN);
    ubi__write_inked(p->cli, UBI__INK_BOLD, rest);
    ubi__out_char(p->out, '\n');
}

static void write_older(ubi__out *out, const ubi_leak_cluster *c) {
    char count[UBI__HUMAN_TEXT];
    if (c->n_holders > 1)
        ubi__out_printf(out, ", and %s", ubi__human_things(count, c->n_holders - 1, "other"));
    if (c->holder_is_new)
        ubi__out_string(out, c->n_holders > 1 ? "; new themselves" : "; new itself");
    else if (c->n_older)
        ubi__out_printf(out, "; %s older", ubi__human_count(count, c->n_older));
}

/* Lines are put together in memory and cut in the middle where they are too long. */
static void write_line(const page *p) {
    ubi__out_string(p->out, "    ");
    ubi__display_text(p->out, &p->cli->style, ubi__leak_memo_take(p->memo), room(p));
    ubi__out_char(p->out, '\n');
}

static void write_holder(const page *p, const ubi_leak_cluster *c, const ubi__leak_path *path) {
    ubi__out_string(p->memo->out, "held by ");
    ubi__leak_write_holder(p->memo->out, &p->plain, c, path);
    write_older(p->memo->out, c);
    write_line(p);
}

/* "300 Array (21.1 KiB)"; false: it does not fit behind `used` columns. */
static bool write_part(const page *p, size_t *used, const char *before, ubi_text name, ubi_leak_tally tally) {
    char count[UBI__HUMAN_TEXT], size[UBI__HUMAN_TEXT];
    size_t columns = strlen(before) + strlen(ubi__human_count(count, tally.count)) +
                     ubi__display_columns(name, &p->plain) + strlen(ubi__human_size(size, tally.bytes)) + 4;
    if (*used && *used + columns > room(p))
        return false;
    *used += columns;
    ubi__out_printf(p->memo->out, "%s%s ", before, count);
    ubi__display_text(p->memo->out, &p->plain, name, room(p));
    ubi__out_printf(p->memo->out, " (%s)", size);
    return true;
}

static void write_parts(const page *p, const ubi_leak_cluster *c) {
    size_t used = 0;
    for (uint32_t i = 0; i < c->n_parts; i++)
        if (!write_part(p, &used, i ? ", " : "with ", c->parts[i].name.name, c->parts[i].tally))
            break;
    if (c->n_parts)
        write_line(p);
}

static void write_verdict(const page *p, const ubi_leak_cluster *c) {
    char buffer[200];
    const char *words = ubi__leak_verdict_words(buffer, c);
    if (!words)
        return;
    ubi__out_string(p->out, "    ");
    ubi__write_inked(p->cli, c->verdict == UBI_LEAK_STEADY ? UBI__INK_RED : UBI__INK_PLAIN, words);
    ubi__out_char(p->out, '\n');
}

/* Clusters are looked at so far ahead for others of the same holder. */
#define LOOK_AHEAD 200
#define MOST_BESIDE 3

static bool is_beside(const page *p, uint32_t i, uint32_t other) {
    const ubi_leak_cluster *a = ubi_leaks_cluster(p->answer->leaks, i), *b = ubi_leaks_cluster(p->answer->leaks, other);
    return a->holder != UBI_NONE && a->holder == b->holder && other < p->summary->n_clusters;
}

/* Whether a cluster above tells of this one: keys beside the values of a map. */
static bool is_told_above(const page *p, uint32_t i) {
    for (uint32_t j = i > LOOK_AHEAD ? i - LOOK_AHEAD : 0; j < i; j++)
        if (is_beside(p, j, i))
            return true;
    return false;
}

/* "also there: 300 (string) (9.30 KiB)". */
static void write_beside(const page *p, uint32_t i) {
    char count[UBI__HUMAN_TEXT];
    uint32_t n = ubi_leaks_count(p->answer->leaks), n_told = 0, n_beside = 0;
    size_t used = 0;
    for (uint32_t j = i + 1; j < n && j - i <= LOOK_AHEAD; j++) {
        const ubi_leak_cluster *c = ubi_leaks_cluster(p->answer->leaks, j);
        if (!is_beside(p, i, j))
            continue;
        ubi_leak_tally kept = { c->leaked.count, c->retained_bytes };
        n_told +=
            n_beside++ < MOST_BESIDE && write_part(p, &used, n_told ? ", " : "also there: ", c->class_name.name, kept);
    }
    if (n_told < n_beside)
        ubi__out_printf(p->memo->out, ", and %s", ubi__human_things(count, n_beside - n_told, "more cluster"));
    if (n_beside)
        write_line(p);
}

#define CALLERS 2

/* Where the example was allocated, and who called that, of files that know it. */
static void write_site(const page *p, const ubi_leak_cluster *c) {
    const ubi_graph *g = p->answer->newest->graph;
    ubi_frame_ix at = ubi_graph_node_stack(g, c->example);
    ubi_frame frame;
    for (unsigned i = 0; at != UBI_NONE && i <= CALLERS; i++, at = ubi_graph_frame_parent(g, at)) {
        ubi_graph_frame(g, at, &frame);
        ubi__out_string(p->out, i ? "      called by " : "    allocated by ");
        ubi__display_frame(p->out, &p->cli->style, &frame, room(p));
        ubi__out_char(p->out, '\n');
    }
}

static ubi_status write_leak(const page *p, uint32_t i) {
    const ubi_leak_cluster *c = ubi_leaks_cluster(p->answer->leaks, i);
    ubi__leak_path path;
    UBI_TRY(ubi__leak_path_init(&path, p->answer, c));
    ubi__out_char(p->out, '\n');
    write_headline(p, c);
    write_holder(p, c, &path);
    write_parts(p, c);
    write_beside(p, i);
    write_verdict(p, c);
    write_site(p, c);
    ubi__out_string(p->out, "    ");
    ubi__display_path_wrapped(p->out, &p->cli->style, &path.view, room(p), PATH_LINES, INDENT);
    ubi__leak_path_fini(&path);
    return UBI_OK;
}

/* One line: it is hardly worth more. */
static void write_other(const page *p, const ubi_leak_cluster *c) {
    char objects[UBI__HUMAN_TEXT], size[UBI__HUMAN_TEXT], buffer[200];
    const char *words = ubi__leak_verdict_words(buffer, c);
    ubi__out_string(p->out, "  ");
    ubi__leak_write_name(p->out, &p->cli->style, c, room(p) / 3);
    ubi__out_printf(p->out, ": +%s, %s", ubi__human_things(objects, c->leaked.count, "object"),
                    ubi__human_size(size, c->retained_bytes));
    ubi__display_ink(p->out, &p->cli->style, UBI__INK_DIM);
    ubi__out_printf(p->out, "; %s\n", words ? words : "");
    ubi__display_ink(p->out, &p->cli->style, UBI__INK_PLAIN);
}

static void write_rest(const page *p, uint32_t n_shown) {
    char count[UBI__HUMAN_TEXT], size[UBI__HUMAN_TEXT];
    uint32_t n = ubi_leaks_count(p->answer->leaks);
    uint64_t bytes = 0;
    for (uint32_t i = n_shown; i < n; i++)
        bytes += ubi_leaks_cluster(p->answer->leaks, i)->retained_bytes;
    if (n_shown == n)
        return;
    ubi__out_printf(p->out, "\n%s more, which %s %s; -n 0 shows all.\n",
                    ubi__human_things(count, n - n_shown, "cluster"), n - n_shown == 1 ? "keeps" : "keep",
                    ubi__human_size(size, bytes));
}

static ubi_status write_clusters(const page *p) {
    uint32_t n = ubi__leaks_shown(p->answer);
    for (uint32_t i = 0; i < n && !p->out->failed; i++) {
        if (i == p->summary->n_clusters)
            ubi__write_title(p->cli, "Probably no leaks");
        if (i >= p->summary->n_clusters)
            write_other(p, ubi_leaks_cluster(p->answer->leaks, i));
        else if (!is_told_above(p, i))
            UBI_TRY(write_leak(p, i));
    }
    write_rest(p, n);
    return UBI_OK;
}

/* ---- next --------------------------------------------------------------------------------------------------------- */

static void write_command(const page *p, const char *command, uint64_t id, const char *help) {
    const char *file = ubi__file_argument(p->answer->paths[p->answer->n_paths - 1], "FILE");
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, id);
    ubi__write_command(p->cli, command, file, text, help);
}

static void write_next(const page *p) {
    if (p->summary->n_clusters == 0)
        return;
    const ubi_leak_cluster *c = ubi_leaks_cluster(p->answer->leaks, 0);
    const ubi_graph *g = p->answer->newest->graph;
    ubi__write_title(p->cli, "Next");
    write_command(p, "paths", ubi_graph_node_id(g, c->example), "every way that keeps one alive");
    if (c->holder != UBI_NONE)
        write_command(p, "node", ubi_graph_node_id(g, c->holder), "what holds them");
    if (!p->summary->three)
        ubi__write_words(p->cli, UBI__INK_DIM,
                         "  A third snapshot, after the same work again, tells leaks from what is set up once.");
}

ubi_status ubi__leaks_page(const ubi__leaks_answer *answer) {
    ubi__leak_memo memo;
    page p = { .memo = &memo, .plain = answer->cli->style, .answer = answer, .cli = answer->cli };
    UBI_TRY(ubi__leak_memo_init(&memo));
    p.plain.color = false;
    p.out = &answer->cli->output->out;
    p.summary = ubi_leaks_summary(answer->leaks);
    write_heaps(&p);
    write_total(&p);
    write_warnings(&p);
    ubi_status status = write_clusters(&p);
    if (status == UBI_OK)
        write_next(&p);
    ubi__leak_memo_fini(&memo);
    return status;
}
