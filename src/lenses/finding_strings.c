/* SPDX-License-Identifier: MIT
 *
 * finding_strings.c: rules about strings: many of one text, and long ones.
 */
#include <ubiheap/views/strings.h>

#include <stdio.h>

#include "base/human.h"
#include "base/text.h"
#include "lenses/finding_facts.h"

#define LEAST_WASTED_BYTES (64 * 1024)

/* The duplicates that waste most, and all together; one pass, for there may be millions of groups. */
typedef struct worst {
    uint32_t groups[UBI_FINDING_NODES];
    uint32_t n;
    uint64_t wasted_bytes, n_copies;
} worst;

/* Some producers write no text for a part of another string: such concatenations may differ. */
static bool has_unknown_part(const ubi__finding_facts *f, const ubi_strings *strings, const ubi_string_group *group) {
    ubi_look_name_buffer buffer;
    const ubi__producer *p = ubi__producer_of(f->graph);
    return p->strings && p->strings->unknown_part && ubi__node_is_rope(f->graph, group->first) &&
           ubi__text_contains(ubi_strings_text(strings, group->first, &buffer), ubi__text(p->strings->unknown_part));
}

static worst find_worst(const ubi__finding_facts *f, const ubi_strings *strings) {
    worst out = { .n = 0 };
    for (uint32_t i = 0; i < ubi_strings_group_count(strings); i++) {
        const ubi_string_group *group = ubi_strings_group(strings, i);
        uint64_t wasted = group->wasted_bytes;
        if (wasted == 0 || has_unknown_part(f, strings, group))
            continue;
        out.wasted_bytes += wasted;
        out.n_copies += group->count - 1;
        uint32_t at = out.n;
        while (at > 0 && wasted > ubi_strings_group(strings, out.groups[at - 1])->wasted_bytes)
            at--;
        if (at == UBI_FINDING_NODES)
            continue;
        out.n += out.n < UBI_FINDING_NODES;
        for (uint32_t k = out.n - 1; k > at; k--)
            out.groups[k] = out.groups[k - 1];
        out.groups[at] = i;
    }
    return out;
}

/* Short, because two of them are quoted. */
static void quote(char *out, size_t n, const ubi_strings *strings, uint32_t index) {
    ubi_look_name_buffer buffer;
    char count[UBI__HUMAN_TEXT];
    const ubi_string_group *group = ubi_strings_group(strings, index);
    ubi__finding_name name = ubi__finding_cut(ubi_strings_text(strings, group->first, &buffer));
    snprintf(out, n, "\"%s\" is there %s times", name.text, ubi__human_count(count, group->count));
}

static const char *copies(char out[UBI__HUMAN_TEXT + 8], uint64_t n) {
    char count[UBI__HUMAN_TEXT];
    snprintf(out, UBI__HUMAN_TEXT + 8, "%s %s", ubi__human_count(count, n), n == 1 ? "copy" : "copies");
    return out;
}

static ubi_status tell_duplicates(ubi__finding_list *out, const ubi__finding_facts *f, const ubi_strings *strings) {
    char size[UBI__HUMAN_TEXT], text[UBI__HUMAN_TEXT + 8], most[160];
    if (ubi_strings_totals_of(strings)->wasted_bytes < ubi__finding_worth(f, LEAST_WASTED_BYTES))
        return UBI_OK;
    worst w = find_worst(f, strings);
    if (w.wasted_bytes < ubi__finding_worth(f, LEAST_WASTED_BYTES))
        return UBI_OK;
    ubi_finding finding = { .bytes = w.wasted_bytes, .count = w.n_copies };
    for (uint32_t i = 0; i < w.n; i++)
        ubi__finding_example(&finding, ubi_strings_group(strings, w.groups[i])->first);
    quote(most, sizeof most, strings, w.groups[0]);
    ubi__finding_call(&finding, "duplicate strings");
    ubi__finding_say(&finding, "Duplicate strings take %s: %s more than needed. %s.",
                     ubi__human_size(size, w.wasted_bytes), copies(text, finding.count), most);
    return ubi__finding_add(out, &finding);
}

ubi_status ubi__finding_duplicate_strings(ubi__finding_list *out, const ubi__finding_facts *f) {
    ubi_strings_options options = UBI_STRINGS_OPTIONS_INIT;
    ubi_strings *strings;
    if (!ubi_strings_known(f->graph))
        return UBI_OK;
    options.allocator = f->allocator;
    options.progress = f->options->progress;
    UBI_TRY(ubi_strings_new(&strings, f->look, &options));
    ubi_status status = tell_duplicates(out, f, strings);
    ubi_strings_free(strings);
    return status;
}

#define LONG_STRING_BYTES (64 * 1024)
#define LONG_STRINGS_SHARE 20 /* a twentieth of everything */

ubi_status ubi__finding_long_strings(ubi__finding_list *out, const ubi__finding_facts *f) {
    char size[UBI__HUMAN_TEXT], count[UBI__HUMAN_TEXT], most[UBI__HUMAN_TEXT];
    const ubi_graph *g = f->graph;
    ubi_finding finding = { .bytes = 0 };
    uint64_t most_bytes = 0, bytes = 0;
    ubi_node_ix largest = UBI_NONE;
    for (ubi_node_ix node = 0; f->producer && node < g->n_nodes; node++) {
        if (g->size_bytes.at[node] < LONG_STRING_BYTES ||
            ubi_graph_kind(g, g->kind.at[node])->coarse_type != UBI_COARSE_STRING)
            continue;
        finding.count++;
        bytes += g->size_bytes.at[node];
        if (g->size_bytes.at[node] > most_bytes) {
            largest = node;
            most_bytes = g->size_bytes.at[node];
        }
    }
    if (largest == UBI_NONE || bytes < f->total_bytes / LONG_STRINGS_SHARE)
        return UBI_OK;
    finding.bytes = bytes;
    ubi__finding_example(&finding, largest);
    ubi__finding_call(&finding, "long strings");
    ubi__finding_say(&finding, "%s of 64 KiB or more take%s %s; the largest has %s.",
                     ubi__human_things(count, finding.count, "string"), finding.count == 1 ? "s" : "",
                     ubi__human_size(size, bytes), ubi__human_size(most, most_bytes));
    return ubi__finding_add(out, &finding);
}
