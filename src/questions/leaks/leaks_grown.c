/* SPDX-License-Identifier: MIT
 *
 * leaks_grown.c: objects that were there in OLD and became larger, on the page.
 *
 *     Grown in place
 *
 *     Map, property samples of Metrics: 2.10 MiB → 4.20 MiB → 6.40 MiB
 *         grows steadily
 *         (Stack roots) (variable metrics) → Metrics.samples → Map
 */
#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "base/status.h"
#include "questions/leaks/leaks_answer.h"
#include "render/page.h"

#define PATH_LINES 2
/* Less, and less than a hundredth of OLD, is the noise of any program. */
#define NOTABLE_BYTES (UINT64_C(64) << 10)

typedef struct page {
    const ubi__leaks_answer *answer;
    ubi__leak_memo *memo;
    ubi__style plain; /* for what goes to memory */
    const ubi__page *page;
    ubi__out *out;
} page;

/*
 * A table that grew with the leaked objects in it is reported with these. A text that grows is never noise, however
 * little: only the program does that.
 */
static bool is_listed(const ubi__leaks_answer *answer, const ubi_leak_grown *grown) {
    uint64_t old_bytes = ubi_leaks_summary(answer->leaks)->heap[0].bytes;
    bool is_notable = grown->grown_bytes >= NOTABLE_BYTES && grown->grown_bytes >= old_bytes / 100;
    bool is_listed_above = grown->is_cluster_holder && !grown->is_by_contents && !grown->is_rope;
    return grown->is_counted && !is_listed_above && (is_notable || grown->is_rope);
}

uint64_t ubi__leaks_listed_growth(const ubi__leaks_answer *answer) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < ubi_leaks_grown_count(answer->leaks); i++) {
        const ubi_leak_grown *grown = ubi_leaks_grown(answer->leaks, i);
        uint64_t bytes = is_listed(answer, grown) ? grown->grown_bytes : 0;
        sum = sum + bytes < sum ? UINT64_MAX : sum + bytes;
    }
    return sum;
}

const ubi_leak_grown *ubi__leaks_first_grown(const ubi__leaks_answer *answer) {
    for (uint32_t i = 0; i < ubi_leaks_grown_count(answer->leaks); i++)
        if (is_listed(answer, ubi_leaks_grown(answer->leaks, i)))
            return ubi_leaks_grown(answer->leaks, i);
    return NULL;
}

uint32_t ubi__leaks_grown_limit(const ubi__leaks_answer *answer) {
    return answer->values->limit && answer->values->limit < UBI__LEAKS_MOST_GROWN ? (uint32_t)answer->values->limit
                                                                                  : UBI__LEAKS_MOST_GROWN;
}

/* ---- words -------------------------------------------------------------------------------------------------------- */

const char *ubi__leak_grown_words(char buffer[200], const ubi_leaks *leaks, const ubi_leak_grown *grown) {
    uint32_t n_steps = ubi_leaks_heap_count(leaks) - 1;
    const char *how = grown->is_rope               ? "one string that is added to; "
                      : grown->content != UBI_NONE ? "replaced by a larger one each time; "
                      : grown->is_by_contents      ? "what it holds by names is replaced by larger ones each time; "
                                                   : "";
    switch (grown->verdict) {
    case UBI_LEAK_STEADY:
        snprintf(buffer, 200, n_steps > 2 ? "%sgrows steadily: with %u of %u steps" : "%sgrows steadily", how,
                 grown->n_grew, n_steps);
        return buffer;
    case UBI_LEAK_STEPWISE:
        snprintf(buffer, 200, "%sgrew with %u of %u steps", how, grown->n_grew, n_steps);
        return buffer;
    case UBI_LEAK_ONCE:
        snprintf(buffer, 200,
                 n_steps > 4   ? "%sgrew for a time, and not since: perhaps set up once"
                 : n_steps > 2 ? "%sgrew, but not with all steps: set up once, or with room in reserve; six snapshots "
                                 "would show which"
                               : "%sgrew, but not with both steps: set up once, or with room in reserve; six snapshots "
                                 "would show which",
                 how);
        return buffer;
    case UBI_LEAK_BOUNDED:
        return "became smaller meanwhile";
    case UBI_LEAK_CONTROLLED:
        return "in the control, too";
    default:
        return grown->is_rope ? "one string that is added to" : NULL;
    }
}

/* ": 2.10 MiB → 4.20 MiB → 6.40 MiB". */
static void put_sizes(char *out, size_t capacity, const page *p, const ubi_leak_grown *grown) {
    char size[UBI__HUMAN_TEXT];
    uint32_t n = ubi_leaks_heap_count(p->answer->leaks);
    size_t used = 0;
    for (uint32_t i = 0; i < n && used<capacity; i = n> UBI__LEAK_MOST_SIZES && i == 0 ? n - 1 : i + 1)
        used += (size_t)snprintf(out + used, capacity - used, "%s%s",
                                 i == 0                       ? ": "
                                 : p->page->style.has_unicode ? " → "
                                                              : " -> ",
                                 ubi__human_size(size, grown->bytes[i]));
}

/* ---- lines -------------------------------------------------------------------------------------------------------- */

static uint64_t bytes_at(const ubi__leak_curve *curve, uint32_t i) {
    return ((const uint64_t *)curve->payload)[i];
}

static void write_headline(const page *p, const ubi_leak_grown *grown, const ubi__leak_path *path) {
    char sizes[3 * UBI__HUMAN_TEXT + 16], others[UBI__HUMAN_TEXT];
    put_sizes(sizes, sizeof sizes, p, grown);
    ubi__leak_write_grown(p->memo->out, &p->plain, path);
    if (grown->n_objects > 1)
        ubi__out_printf(p->memo->out, ", and %s", ubi__human_things(others, grown->n_objects - 1, "other"));
    ubi_text name = ubi__leak_memo_take(p->memo);
    ubi__display_ink(p->out, &p->page->style, UBI__INK_RED);
    ubi__display_text(p->out, &p->page->style, name,
                      ubi__leak_line_room(p->page) > strlen(sizes) + 12 ? ubi__leak_line_room(p->page) - strlen(sizes)
                                                                        : 12);
    ubi__display_ink(p->out, &p->page->style, UBI__INK_PLAIN);
    ubi__write_inked(p->page, UBI__INK_BOLD, sizes);
    ubi__out_char(p->out, '\n');
}

static void write_words(const page *p, const ubi_leak_grown *grown) {
    char buffer[200];
    const char *words = ubi__leak_grown_words(buffer, p->answer->leaks, grown);
    uint32_t n = ubi_leaks_heap_count(p->answer->leaks);
    if (!words)
        return;
    ubi__out_string(p->out, "    ");
    ubi__write_inked(p->page, grown->verdict == UBI_LEAK_STEADY ? UBI__INK_RED : UBI__INK_PLAIN, words);
    if (n > UBI__LEAK_MOST_SIZES) {
        ubi__leak_curve curve = { .n = n, .value = bytes_at, .payload = grown->bytes, .is_from_least = true };
        ubi__out_string(p->out, "  ");
        ubi__leak_write_curve(p->out, &p->page->style, &curve);
    }
    ubi__out_char(p->out, '\n');
}

uint64_t ubi__leak_own_size(const ubi__leaks_answer *answer, ubi_node_ix node) {
    const ubi_view *view = ubi_look_view(answer->look);
    return view->size_bytes ? view->size_bytes[node] : ubi_graph_node_size_bytes(answer->graph, node);
}

/* 'show' gives the size of the node alone: a small part of a text that was added to, or of an object with its texts. */
static void write_own_size(const page *p, const ubi_leak_grown *grown) {
    char size[UBI__HUMAN_TEXT], line[200];
    uint64_t own_bytes = ubi__leak_own_size(p->answer, ubi__leak_grown_node(grown));
    uint32_t n_heaps = ubi_leaks_heap_count(p->answer->leaks);
    bool is_own =
        grown->n_objects > 1 ? !grown->is_by_contents && !grown->is_rope : own_bytes == grown->bytes[n_heaps - 1];
    if (is_own)
        return;
    snprintf(line, sizeof line, "    sizes with %s; its own, as 'show' has it: %s\n",
             grown->is_rope ? "all parts" : "what it alone holds", ubi__human_size(size, own_bytes));
    ubi__write_inked(p->page, UBI__INK_DIM, line);
}

static ubi_status write_grown(const page *p, const ubi_leak_grown *grown) {
    ubi__leak_path path;
    UBI_TRY(ubi__leak_path_init_to(&path, p->answer, ubi__leak_grown_node(grown)));
    ubi__out_char(p->out, '\n');
    write_headline(p, grown, &path);
    write_words(p, grown);
    write_own_size(p, grown);
    ubi__out_string(p->out, "    ");
    ubi__display_path_wrapped(p->out, &p->page->style, &path.view, ubi__leak_line_room(p->page), PATH_LINES,
                              UBI__LEAK_INDENT);
    ubi__leak_path_fini(&path);
    return UBI_OK;
}

static void write_rest(const page *p, uint32_t n, uint64_t bytes) {
    char count[UBI__HUMAN_TEXT], size[UBI__HUMAN_TEXT];
    if (n)
        ubi__out_printf(p->out, "\n%s more, which grew by %s; -n 0 shows up to 200.\n",
                        ubi__human_things(count, n, "object"), ubi__human_size(size, bytes));
}

ubi_status ubi__leaks_write_grown(const ubi__page *on, const ubi__leaks_answer *answer, ubi__leak_memo *memo) {
    uint32_t n_listed = 0, n_more = 0;
    uint64_t more_bytes = 0;
    page p = { .answer = answer, .memo = memo, .plain = on->style, .page = on, .out = on->out };
    p.plain.has_color = false;
    for (uint32_t i = 0; i < ubi_leaks_grown_count(answer->leaks) && !p.out->has_failed; i++) {
        const ubi_leak_grown *grown = ubi_leaks_grown(answer->leaks, i);
        if (!is_listed(answer, grown))
            continue;
        if (n_listed >= ubi__leaks_grown_limit(answer)) {
            n_more += grown->n_objects;
            more_bytes = more_bytes + grown->grown_bytes < more_bytes ? UINT64_MAX : more_bytes + grown->grown_bytes;
            continue;
        }
        if (n_listed++ == 0)
            ubi__write_title(p.page, "Grown in place");
        UBI_TRY(write_grown(&p, grown));
    }
    write_rest(&p, n_more, more_bytes);
    return UBI_OK;
}
