/* SPDX-License-Identifier: MIT
 *
 * strings_document.c: the strings of a heap as JSON.
 */
#include "cli/commands/strings/strings_page.h"

static void put_tally(ubi__json *j, const char *key, const ubi_strings_tally *tally) {
    ubi__json_member_object(j, key);
    ubi__json_member_u64(j, "count", tally->count);
    ubi__json_member_u64(j, "bytes", tally->size_bytes);
    ubi__json_object_end(j);
}

static void put_lengths(ubi__json *j, const ubi_strings_totals *t) {
    ubi__json_member_array(j, "lengths");
    for (size_t i = 0; i < UBI_STRINGS_LENGTHS; i++) {
        ubi__json_object_begin(j);
        ubi__json_member_u64(j, "from", i ? UINT64_C(1) << (i - 1) : 0);
        ubi__json_member_u64(j, "count", t->lengths[i].count);
        ubi__json_member_u64(j, "bytes", t->lengths[i].size_bytes);
        ubi__json_object_end(j);
    }
    ubi__json_array_end(j);
}

static void put_group(ubi__json *j, const ubi_graph *g, const ubi_strings *strings, const ubi_string_group *group) {
    ubi_lens_name_buffer buffer;
    ubi__json_object_begin(j);
    ubi__json_member_text(j, "value", ubi_strings_text(strings, group->first, &buffer));
    ubi__json_member_u64(j, "length", group->length);
    ubi__json_member_bool(j, "truncated", group->truncated);
    ubi__json_member_u64(j, "count", group->count);
    ubi__json_member_u64(j, "totalSelfSize", group->size_bytes);
    ubi__json_member_u64(j, "totalRetainedSize", group->retained_bytes);
    ubi__json_member_u64(j, "wastedSize", group->wasted_bytes);
    ubi__json_member_node_id(j, "exampleId", ubi_graph_node_id(g, group->first));
    ubi__json_object_end(j);
}

void ubi__strings_document(ubi__cli *cli, const ubi__snapshot *snapshot, const ubi__strings_answer *answer) {
    ubi__json j;
    const ubi_strings_totals *t = ubi_strings_totals_of(answer->strings);
    ubi__document_begin(&j, cli, "ubiheap.strings/1", snapshot->path);
    ubi__json_member_bool(&j, "textsKnown", answer->texts_known);
    put_tally(&j, "all", &t->all);
    put_tally(&j, "withText", &t->with_text);
    put_tally(&j, "slices", &t->slices);
    put_tally(&j, "duplicates", &t->duplicates);
    ubi__json_member_u64(&j, "textCount", ubi_strings_group_count(answer->strings));
    ubi__json_member_u64(&j, "duplicateTextCount", t->n_duplicate_groups);
    ubi__json_member_u64(&j, "wastedSize", t->wasted_bytes);
    put_lengths(&j, t);
    ubi__json_member_u64(&j, "found", answer->n_found);
    ubi__json_member_array(&j, "strings");
    for (uint32_t i = 0; i < answer->n && !j.failed; i++)
        put_group(&j, snapshot->graph, answer->strings, ubi_strings_group(answer->strings, answer->order[i]));
    ubi__json_array_end(&j);
    ubi__document_end(&j);
}
