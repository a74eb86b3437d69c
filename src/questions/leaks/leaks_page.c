/* SPDX-License-Identifier: MIT
 *
 * leaks_page.c: what a program holds on to, as text.
 *
 *     LeakedThing: +300 objects, 55.2 KiB retained
 *         held by Map, variable registry of makeCache(); it has no older ones
 *         with 300 Array (21.1 KiB), 300 Object (9.38 KiB), 300 (string) (9.30 KiB)
 *         global.keepCacheAlive → add() (variable registry) → Map (entry) → LeakedThing
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/status.h"
#include "base/text.h"
#include "lenses/producer.h"
#include "questions/leaks/leaks_answer.h"
#include "render/heap_labels.h"
#include "render/page.h"

#define PATH_LINES 3

typedef struct page {
    ubi__leak_memo *memo;
    ubi__style plain; /* for what goes to memory */
    const ubi__leaks_answer *answer;
    const ubi__page *page;
    ubi__out *out;
    const ubi_leak_summary *summary;
} page;

uint32_t ubi__leaks_shown(const ubi__leaks_answer *answer) {
    uint32_t n = ubi__leaks_listed(answer);
    return answer->values->limit && answer->values->limit < n ? (uint32_t)answer->values->limit : n;
}

bool ubi__leaks_verdict_counts(const ubi__leaks_answer *answer, ubi_leak_verdict verdict) {
    return answer->verdicts ? (answer->verdicts & UBI_LEAK_VERDICT_BIT(verdict)) != 0
                            : ubi_leak_verdict_is_leak(verdict);
}

uint32_t ubi__leaks_listed(const ubi__leaks_answer *answer) {
    return answer->verdicts ? ubi_leaks_summary(answer->leaks)->n_clusters : ubi_leaks_count(answer->leaks);
}

bool ubi__leaks_same_run(const ubi__leaks_answer *answer) {
    return ubi_leaks_fit(answer->leaks) != UBI_LEAK_OTHER_PROCESS;
}

/* ---- head --------------------------------------------------------------------------------------------------------- */

static uint64_t bytes_of_heap(const ubi__leak_curve *curve, uint32_t i) {
    return ubi_leaks_heap(curve->payload, i)->tally.bytes;
}

static uint64_t bytes_of_heap_at(const page *p, uint32_t i) {
    return ubi_leaks_heap(p->answer->leaks, i)->tally.bytes;
}

/* " in 12 snapshots over 1 m 50 s ▁▂▃▄▅▆▇█". */
static void write_series(const page *p, uint32_t n) {
    char time[UBI__HUMAN_TEXT];
    uint64_t elapsed_us;
    ubi__leak_curve curve = { .n = n, .value = bytes_of_heap, .payload = p->answer->leaks, .is_from_least = true };
    ubi__out_printf(p->out, " in %u snapshots", n);
    if (ubi_leaks_elapsed_us(&elapsed_us, p->answer->leaks))
        ubi__out_printf(p->out, " over %s", ubi__human_duration(time, elapsed_us));
    ubi__out_string(p->out, "  ");
    ubi__leak_write_curve(p->out, &p->page->style, &curve);
}

/* None of them became another one. */
static void write_no_series(const page *p, uint32_t n) {
    ubi__out_string(p->out, " (not of one process, as far as is known");
    if (n > UBI__LEAK_MOST_SIZES)
        ubi__out_printf(p->out, "; the first and the last of %u snapshots", n);
    ubi__out_string(p->out, ")\n");
}

static void write_heaps(const page *p) {
    char size[UBI__HUMAN_TEXT], change[UBI__HUMAN_TEXT + 1], share[UBI__HUMAN_TEXT + 1];
    const ubi_leak_summary *s = p->summary;
    uint32_t n = ubi_leaks_heap_count(p->answer->leaks);
    ubi__change bytes = { s->heap[0].bytes, s->heap[2].bytes };
    bool is_one_run = ubi__leaks_same_run(p->answer);
    ubi__out_string(p->out, "Heap: ");
    for (uint32_t i = 0; i<n; i = n> UBI__LEAK_MOST_SIZES && i == 0 ? n - 1 : i + 1) {
        if (i)
            ubi__out_string(p->out, !is_one_run ? ", " : p->page->style.has_unicode ? " → " : " -> ");
        ubi__out_string(p->out, ubi__human_size(size, ubi_leaks_heap(p->answer->leaks, i)->tally.bytes));
    }
    if (!is_one_run) {
        write_no_series(p, n);
        return;
    }
    ubi__out_printf(p->out, " (%s, %s)", ubi__change_text(change, ubi__human_size, bytes),
                    ubi__change_percent(share, bytes));
    if (n > UBI__LEAK_MOST_SIZES)
        write_series(p, n);
    ubi__out_char(p->out, '\n');
}

/* "Order: 1.heapsnapshot, 2.heapsnapshot, 3.heapsnapshot", if the files were sorted. */
static void write_order(const page *p) {
    if (!p->answer->values->must_reorder)
        return;
    for (uint32_t i = 0; i < p->answer->series.n; i++) {
        ubi__out_string(p->out, i ? ", " : "Order: ");
        ubi__display_text(p->out, &p->page->style, ubi__text(ubi__leaks_name(&p->answer->series, i)), SIZE_MAX);
    }
    ubi__out_char(p->out, '\n');
}

#define TALLY_TEXT 200

/* "2 steady, 5 once": clusters of verdicts that count, or of the others. */
static const char *verdict_tally(char out[TALLY_TEXT], const page *p, bool counting) {
    char count[UBI__HUMAN_TEXT];
    size_t n = 0;
    out[0] = 0;
    for (int i = 0; i < UBI_LEAK_VERDICTS; i++) {
        ubi_leak_verdict verdict = (ubi_leak_verdict)i;
        const ubi_leak_sums *sums = ubi_leaks_of_verdict(p->answer->leaks, verdict);
        if (sums->n_clusters && ubi__leaks_verdict_counts(p->answer, verdict) == counting)
            n += (size_t)snprintf(out + n, TALLY_TEXT - n, "%s%s %s", n ? ", " : "",
                                  ubi__human_count(count, sums->n_clusters), ubi_leak_verdict_name(verdict));
    }
    return out;
}

/* Then that nothing leaks goes without saying. */
static void write_nothing_chosen(const page *p, char *line, size_t capacity) {
    char objects[UBI__HUMAN_TEXT];
    snprintf(line, capacity, "Nothing of what %s matches --where (%s without it).",
             p->summary->has_three_heaps ? "stayed" : "came with NEW",
             ubi__human_things(objects, p->summary->n_not_chosen, "object"));
}

static void write_nothing(const page *p, char *line, size_t capacity) {
    char tally[TALLY_TEXT];
    bool others = ubi_leaks_count(p->answer->leaks) > 0;
    if (ubi__leaks_first_grown(p->answer))
        snprintf(line, capacity, "No new object leaks. Objects that were there in OLD became larger by %s.",
                 ubi__human_size(tally, ubi__leaks_listed_growth(p->answer)));
    else if (ubi__leaks_remaining_growth(p->answer))
        snprintf(line, capacity, "No object leaks.");
    else if (!others && p->summary->n_not_chosen && p->answer->filter)
        write_nothing_chosen(p, line, capacity);
    else if (p->answer->verdicts)
        snprintf(line, capacity, others ? "No such leak: there are clusters of other verdicts, %s." : "No leak.",
                 verdict_tally(tally, p, false));
    else
        snprintf(line, capacity, "No leak: %s",
                 others                        ? "what is new has other reasons."
                 : p->answer->values->script   ? "nothing that the action made is there after the way back."
                 : p->summary->has_three_heaps ? "nothing that came with NEW is still there in NEWER."
                                               : "nothing came with NEW.");
}

static void write_something(const page *p, char *line, size_t capacity) {
    char objects[UBI__HUMAN_TEXT], size[UBI__HUMAN_TEXT], clusters[UBI__HUMAN_TEXT], tally[TALLY_TEXT];
    const ubi_leak_summary *s = p->summary;
    bool several = s->has_three_heaps && s->n_clusters > 1;
    snprintf(line, capacity, "%s%s %s %s, in %s%s%s.", ubi__human_things(objects, s->leaked.count, "object"),
             p->answer->values->script ? " that the action made and that the way back left"
             : s->has_three_heaps      ? " new since OLD and alive in NEWER"
                                       : " new since OLD",
             s->leaked.count == 1 ? "keeps" : "keep", ubi__human_size(size, s->retained_bytes),
             ubi__human_things(clusters, s->n_clusters, "cluster"), several ? ": " : "",
             several ? verdict_tally(tally, p, true) : "");
}

/* Only new objects are listed; a table that grew in place is not one. */
static void write_unlisted_growth(const page *p) {
    char line[400], size[UBI__HUMAN_TEXT], gate[80] = "";
    const char *fact =
        p->summary->has_three_heaps && !p->answer->values->script ? "unlisted(steady)" : "unlisted(grew)";
    uint64_t growth_bytes = ubi__leaks_remaining_growth(p->answer);
    if (growth_bytes == 0 || p->answer->values->keeps_ids)
        return;
    if (!p->answer->values->fail_on || !strstr(p->answer->values->fail_on, "unlisted"))
        snprintf(gate, sizeof gate, "; a gate asks for it with --fail-on '%s > 1MiB'", fact);
    snprintf(line, sizeof line,
             "But from OLD to NEW the heap grew by %s that no object listed here accounts for: objects that became a "
             "little larger each, things of the engine, or objects to which no edge of the file leads, which are not "
             "listed. 'ubiheap diff --by class' says which%s.",
             ubi__human_size(size, growth_bytes), gate);
    ubi__write_words(p->page, UBI__INK_YELLOW, line);
}

#define NOTABLE_RAM_BYTES ((uint64_t)16 << 20)

/* What is no heap of the engine's grew. */
static void write_ram(const page *p) {
    char line[300], ram[UBI__HUMAN_TEXT], heap[UBI__HUMAN_TEXT];
    uint32_t last = ubi_leaks_heap_count(p->answer->leaks) - 1;
    uint64_t ram_bytes = p->answer->values->ram_growth_bytes;
    uint64_t heap_bytes = ram_bytes ? ubi__subtract_u64(bytes_of_heap_at(p, last), bytes_of_heap_at(p, 0)) : 0;
    if (ram_bytes < NOTABLE_RAM_BYTES || ram_bytes / 4 < heap_bytes)
        return;
    snprintf(line, sizeof line,
             "RAM of the process grew by %s between the snapshots, its heap by %s: 'ubiheap rss %u' shows the rest.",
             ubi__human_size(ram, ram_bytes), ubi__human_size(heap, heap_bytes), p->answer->values->pid);
    ubi__write_words(p->page, UBI__INK_YELLOW, line);
}

/* In addition to leaked objects, and listed below them. */
static void write_grown_total(const page *p) {
    char line[200], size[UBI__HUMAN_TEXT];
    if (!ubi__leaks_first_grown(p->answer) || p->summary->n_clusters == 0)
        return;
    snprintf(line, sizeof line, "Objects that were there in OLD became larger by %s.",
             ubi__human_size(size, ubi__leaks_listed_growth(p->answer)));
    ubi__write_words(p->page, UBI__INK_BOLD, line);
}

static void write_total(const page *p) {
    char line[400];
    if (ubi__leaks_is_quiet(p->answer) && p->summary->n_clusters) {
        ubi__write_inked(p->page, UBI__INK_BOLD, "Nothing grows steadily.");
        ubi__out_char(p->out, '\n');
    }
    if (p->summary->n_clusters == 0)
        write_nothing(p, line, sizeof line);
    else
        write_something(p, line, sizeof line);
    ubi__write_inked(p->page, UBI__INK_BOLD, line);
    ubi__out_char(p->out, '\n');
}

/* ---- warnings ------------------------------------------------------------------------------------------------------ */

/* Comes before what it refers to. */
static void write_warning(const page *p) {
    if (!ubi__leaks_same_run(p->answer)) {
        ubi__leaks_write_misfits(p->page, p->answer);
        ubi__write_words(p->page, UBI__INK_YELLOW, "Nothing below can be trusted.");
    } else if (!ubi_leaks_order_is_known(p->answer->leaks))
        ubi__write_words(p->page, UBI__INK_YELLOW,
                         "Whether the files are in the order in which they were taken could not be checked: neither "
                         "ids nor times of creation show it. In another order, nothing below can be trusted.");
}

static void write_remark(const page *p) {
    if (!ubi__leaks_same_run(p->answer) || !ubi_look_reuses_ids(p->answer->look) || !ubi_leaks_count(p->answer->leaks))
        return;
    bool moves = !ubi__producer_of(p->answer->graph)->keeps_addresses;
    ubi__write_words(p->page, UBI__INK_DIM,
                     moves ? "Ids in these files are addresses: objects that the collector moved count as new, and "
                             "objects at the address of a dead one of their class as old."
                           : "Ids in these files are addresses: objects at the address of a dead one of their class "
                             "count as old.");
}

/* ---- clusters ----------------------------------------------------------------------------------------------------- */

static void write_headline(const page *p, const ubi_leak_cluster *c) {
    char objects[UBI__HUMAN_TEXT], size[UBI__HUMAN_TEXT], rest[3 * UBI__HUMAN_TEXT];
    snprintf(rest, sizeof rest, ": +%s, %s retained", ubi__human_things(objects, c->leaked.count, "object"),
             ubi__human_size(size, c->retained_bytes));
    ubi__display_ink(p->out, &p->page->style, UBI__INK_RED);
    ubi__leak_write_name(p->out, &p->page->style, p->answer, c,
                         ubi__leak_line_room(p->page) > strlen(rest) + 12 ? ubi__leak_line_room(p->page) - strlen(rest)
                                                                          : 12);
    ubi__display_ink(p->out, &p->page->style, UBI__INK_PLAIN);
    ubi__write_inked(p->page, UBI__INK_BOLD, rest);
    ubi__out_char(p->out, '\n');
}

static void write_older(ubi__out *out, const ubi_leak_cluster *c) {
    char count[UBI__HUMAN_TEXT];
    if (c->n_holders > 1)
        ubi__out_printf(out, ", and %s", ubi__human_things(count, c->n_holders - 1, "other"));
    if (c->is_holder_new)
        ubi__out_string(out, c->n_holders > 1 ? "; new themselves" : "; new itself");
    else if (c->n_older)
        ubi__out_printf(out, "; %s older", ubi__human_count(count, c->n_older));
}

/* Lines are put together in memory and cut in the middle where they are too long. */
static void write_line(const page *p) {
    ubi__out_string(p->out, "    ");
    ubi__display_text(p->out, &p->page->style, ubi__leak_memo_take(p->memo), ubi__leak_line_room(p->page));
    ubi__out_char(p->out, '\n');
}

static void write_holder(const page *p, const ubi_leak_cluster *c, const ubi__leak_path *path) {
    ubi__out_string(p->memo->out, "held by ");
    ubi__leak_write_holder(p->memo->out, &p->plain, c, path);
    write_older(p->memo->out, c);
    ubi__display_pad(p->out, 0, UBI__LEAK_INDENT);
    ubi__wrap_words(p->out, &p->page->style, ubi__leak_memo_take(p->memo), UBI__LEAK_INDENT, UBI__LEAK_INDENT + 2,
                    p->page->style.columns > UBI__LEAK_LEAST_COLUMNS ? p->page->style.columns
                                                                     : UBI__LEAK_LEAST_COLUMNS);
    ubi__out_char(p->out, '\n');
}

/* "300 Array (21.1 KiB)"; false: it does not fit after `used` columns. */
static bool write_part(const page *p, size_t *used, const char *before, ubi_text name, ubi_leak_tally tally) {
    char count[UBI__HUMAN_TEXT], size[UBI__HUMAN_TEXT];
    size_t columns = strlen(before) + strlen(ubi__human_count(count, tally.count)) +
                     ubi__display_columns(name, &p->plain, ubi__leak_line_room(p->page)) +
                     strlen(ubi__human_size(size, tally.bytes)) + 4;
    if (*used && *used + columns > ubi__leak_line_room(p->page))
        return false;
    *used += columns;
    ubi__out_printf(p->memo->out, "%s%s ", before, count);
    ubi__display_text(p->memo->out, &p->plain, name, ubi__leak_line_room(p->page));
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
    const char *words = ubi__leak_verdict_words(buffer, p->answer->leaks, c);
    if (!words)
        return;
    ubi__out_string(p->out, "    ");
    ubi__write_inked(p->page, c->verdict == UBI_LEAK_STEADY ? UBI__INK_RED : UBI__INK_PLAIN, words);
    if (ubi_leaks_heap_count(p->answer->leaks) > UBI__LEAK_MOST_SIZES) {
        ubi__out_string(p->out, "  ");
        ubi__leak_write_came(p->out, &p->page->style, p->answer->leaks, c);
    }
    ubi__out_char(p->out, '\n');
}

/* How many clusters to look ahead for others of the same holder. */
#define LOOK_AHEAD 200
#define MOST_BESIDE 3

static bool is_beside(const page *p, uint32_t i, uint32_t other) {
    const ubi_leak_cluster *a = ubi_leaks_cluster(p->answer->leaks, i), *b = ubi_leaks_cluster(p->answer->leaks, other);
    return a->holder != UBI_NONE && a->holder == b->holder && other < p->summary->n_clusters;
}

/* Whether a cluster above covers this one: keys next to the values of a map. */
static bool is_reported_above(const page *p, uint32_t i) {
    for (uint32_t j = i > LOOK_AHEAD ? i - LOOK_AHEAD : 0; j < i; j++)
        if (is_beside(p, j, i))
            return true;
    return false;
}

/* "also there: 300 (string) (9.30 KiB)". */
static void write_beside(const page *p, uint32_t i) {
    char count[UBI__HUMAN_TEXT];
    uint32_t n = ubi_leaks_count(p->answer->leaks), n_listed = 0, n_beside = 0;
    size_t used = 0;
    for (uint32_t j = i + 1; j < n && j - i <= LOOK_AHEAD; j++) {
        const ubi_leak_cluster *c = ubi_leaks_cluster(p->answer->leaks, j);
        if (!is_beside(p, i, j))
            continue;
        ubi_leak_tally kept = { c->leaked.count, c->retained_bytes };
        n_listed += n_beside++ < MOST_BESIDE &&
                    write_part(p, &used, n_listed ? ", " : "also there: ", c->class_name.name, kept);
    }
    if (n_listed < n_beside)
        ubi__out_printf(p->memo->out, ", and %s", ubi__human_things(count, n_beside - n_listed, "more cluster"));
    if (n_beside)
        write_line(p);
}

#define CALLERS 2

/* Where the example was allocated, and its callers, if the file has them. */
static void write_site(const page *p, const ubi_leak_cluster *c) {
    const ubi_graph *g = p->answer->graph;
    ubi_frame_ix at = ubi_graph_node_stack(g, c->example);
    ubi_frame frame;
    for (unsigned i = 0; at != UBI_NONE && i <= CALLERS; i++, at = ubi_graph_frame_parent(g, at)) {
        ubi_graph_frame(g, at, &frame);
        ubi__out_string(p->out, i ? "      called by " : "    allocated by ");
        ubi__display_frame(p->out, &p->page->style, &frame, ubi__leak_line_room(p->page));
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
    ubi__display_path_wrapped(p->out, &p->page->style, &path.view, ubi__leak_line_room(p->page), PATH_LINES,
                              UBI__LEAK_INDENT);
    ubi__leak_path_fini(&path);
    return UBI_OK;
}

/* One line: it is hardly worth more. */
static void write_other(const page *p, const ubi_leak_cluster *c) {
    char objects[UBI__HUMAN_TEXT], size[UBI__HUMAN_TEXT], buffer[200];
    const char *words = ubi__leak_verdict_words(buffer, p->answer->leaks, c);
    ubi__out_string(p->out, "  ");
    ubi__leak_write_name(p->out, &p->page->style, p->answer, c, ubi__leak_line_room(p->page) / 3);
    ubi__out_printf(p->out, ": +%s, %s", ubi__human_things(objects, c->leaked.count, "object"),
                    ubi__human_size(size, c->retained_bytes));
    ubi__display_ink(p->out, &p->page->style, UBI__INK_DIM);
    ubi__out_printf(p->out, "; %s\n", words ? words : "");
    ubi__display_ink(p->out, &p->page->style, UBI__INK_PLAIN);
}

static void write_rest(const page *p, uint32_t n_shown) {
    char count[UBI__HUMAN_TEXT], size[UBI__HUMAN_TEXT];
    uint32_t n = ubi__leaks_listed(p->answer);
    uint64_t bytes = 0;
    for (uint32_t i = n_shown; i < n; i++)
        bytes += ubi_leaks_cluster(p->answer->leaks, i)->retained_bytes;
    if (n_shown == n)
        return;
    ubi__out_printf(p->out, "\n%s more, which %s %s; -n 0 shows all.\n",
                    ubi__human_things(count, n - n_shown, "cluster"), n - n_shown == 1 ? "keeps" : "keep",
                    ubi__human_size(size, bytes));
}

/* Where nothing grows steadily, a line for each is enough. */
static void write_quiet_clusters(const page *p) {
    uint32_t n = ubi__leaks_shown(p->answer);
    for (uint32_t i = 0; i < n && !p->out->has_failed; i++) {
        if (i == 0 && p->summary->n_clusters)
            ubi__write_title(p->page, "Came and stayed");
        if (i == p->summary->n_clusters)
            ubi__write_title(p->page, "Probably no leaks");
        write_other(p, ubi_leaks_cluster(p->answer->leaks, i));
    }
    write_rest(p, n);
}

static ubi_status write_clusters(const page *p) {
    uint32_t n = ubi__leaks_shown(p->answer);
    for (uint32_t i = 0; i < n && !p->out->has_failed; i++) {
        if (i == p->summary->n_clusters)
            ubi__write_title(p->page, "Probably no leaks");
        if (i >= p->summary->n_clusters)
            write_other(p, ubi_leaks_cluster(p->answer->leaks, i));
        else if (!is_reported_above(p, i))
            UBI_TRY(write_leak(p, i));
    }
    write_rest(p, n);
    return UBI_OK;
}

/* ---- next --------------------------------------------------------------------------------------------------------- */

/* Longer names of classes are not written into a command. */
#define CLASS_BYTES 100
#define ADDRESS_BYTES 256

/* The address of a series that was taken from it, without the number of the snapshot. False: there is none. */
static bool address_read(char out[ADDRESS_BYTES], const char *name) {
    const char *end = strrchr(name, '#');
    size_t n = end ? (size_t)(end - name) : 0;
    if (!ubi__is_of_program(name) || n == 0 || n >= ADDRESS_BYTES)
        return false;
    memcpy(out, name, n);
    out[n] = 0;
    return true;
}

/* What the next commands are about: the last file, or the program itself. */
static const char *next_argument(const page *p, char address[ADDRESS_BYTES]) {
    const char *name = ubi__leaks_name(&p->answer->series, p->answer->series.n - 1);
    return ubi__file_argument(address_read(address, name) ? address : name, "FILE");
}

static void write_command(const page *p, const char *command, const char *file, uint64_t id, const char *help) {
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, id);
    ubi__write_command(p->page, command, file, text, help);
}

/* As a shell takes it, of characters that need no quotes; NULL: there is none, or it has others. */
static const char *target_argument(const page *p) {
    const char *target = p->answer->values->target;
    return target ? ubi__file_argument(target, NULL) : NULL;
}

/* As a shell takes it between the quotes of an expression. */
static bool class_is_plain(ubi_text name) {
    for (size_t i = 0; i < name.len; i++)
        if (strchr("\"'\\", name.ptr[i]) || (unsigned char)name.ptr[i] < ' ')
            return false;
    return true;
}

/*
 * Of a program that runs: in another snapshot, objects have other ids, and are found by their class. What its snapshots were taken of is chosen
 * again.
 */
static void write_next_of_program(const page *p, const char *argument, const ubi_leak_cluster *c) {
    char options[CLASS_BYTES + 64];
    if (p->answer->values->has_ended) {
        ubi__write_words(p->page, UBI__INK_DIM,
                         "  The program has ended. With --keep FILE the newest snapshot stays, for paths and show.");
        return;
    }
    const char *file = ubi__write_next_snapshot(p->page, argument, target_argument(p));
    ubi_text class_name = c ? c->class_name.name : ubi__text("");
    if (class_name.len == 0 || class_name.len > CLASS_BYTES || !class_is_plain(class_name))
        return;
    snprintf(options, sizeof options, "--where 'className == \"%.*s\"' --limit 5", (int)class_name.len, class_name.ptr);
    ubi__write_command(p->page, "nodes", file, options, "their ids there, for paths and show");
}

static void write_next(const page *p) {
    char address[ADDRESS_BYTES];
    const ubi_graph *g = p->answer->graph;
    const ubi_leak_grown *grown = ubi__leaks_first_grown(p->answer);
    const ubi_leak_cluster *c = p->summary->n_clusters ? ubi_leaks_cluster(p->answer->leaks, 0) : NULL;
    if (!c && !grown)
        return;
    if (p->answer->values->script)
        return; /* its heaps are gone with its browser */
    ubi__write_title(p->page, "Next");
    const char *file = next_argument(p, address);
    if (ubi__has_next_snapshot(file)) {
        write_next_of_program(p, file, c);
        return;
    }
    if (c)
        write_command(p, "paths", file, ubi_graph_node_id(g, c->example), "every way that keeps one alive");
    if (c && c->holder != UBI_NONE)
        write_command(p, "show", file, ubi_graph_node_id(g, c->holder), "what holds them");
    if (grown)
        write_command(p, "show", file, ubi_graph_node_id(g, ubi__leak_grown_node(grown)), "what became larger");
    if (!p->summary->has_three_heaps)
        ubi__write_words(p->page, UBI__INK_DIM,
                         "  A third snapshot, after the same work again, separates leaks from what is set up once.");
}

static ubi_status write_judgement(const page *p) {
    write_warning(p);
    write_total(p);
    write_grown_total(p);
    write_unlisted_growth(p);
    write_ram(p);
    if (p->answer->values->keeps_ids)
        ubi__write_words(p->page, UBI__INK_DIM,
                         "Objects that became larger are not looked for: --keep-ids keeps ids and classes alone.");
    write_remark(p);
    if (ubi__leaks_is_quiet(p->answer)) {
        write_quiet_clusters(p);
        return UBI_OK;
    }
    UBI_TRY(write_clusters(p));
    UBI_TRY(ubi__leaks_write_grown(p->page, p->answer, p->memo));
    ubi__leaks_write_classes(p->page, p->answer);
    write_next(p);
    return UBI_OK;
}

ubi_status ubi__leaks_page(const ubi__page *on, const void *answer_of, const ubi__asked *asked) {
    const ubi__leaks_answer *answer = answer_of;
    ubi__leak_memo memo;
    page p = { .memo = &memo, .plain = on->style, .answer = answer, .page = on, .out = on->out };
    UBI_TRY(ubi__leak_memo_init(&memo, ubi__asked_allocator(asked)));
    p.plain.has_color = false;
    p.summary = ubi_leaks_summary(answer->leaks);
    write_heaps(&p);
    write_order(&p);
    ubi_status status = UBI_OK;
    if (answer->fit == UBI_LEAK_FITS)
        status = write_judgement(&p);
    else
        ubi__leaks_write_nothing_to_judge(on, answer);
    ubi__leak_memo_fini(&memo);
    return status;
}
