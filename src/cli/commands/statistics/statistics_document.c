/* SPDX-License-Identifier: MIT
 *
 * statistics_document.c: what a heap consists of, as JSON.
 */
#include "cli/commands/statistics/statistics_page.h"

static void put_parts(ubi__json *j, const ubi_statistics *s) {
    ubi__json_member_array(j, "parts");
    for (uint32_t i = 0; i < s->n_parts; i++) {
        ubi__json_object_begin(j);
        ubi__json_member_string(j, "name", s->parts[i].name);
        ubi__json_member_string(j, "title", s->parts[i].title);
        ubi__json_member_u64(j, "size", s->parts[i].size_bytes);
        ubi__json_member_u64(j, "count", s->parts[i].count);
        ubi__json_object_end(j);
    }
    ubi__json_array_end(j);
}

static void put_context(ubi__json *j, const ubi__snapshot *snapshot, const ubi_dominators *dominators,
                        const ubi_native_context *context) {
    ubi_lens_name_buffer buffer;
    ubi__json_object_begin(j);
    ubi__json_member_node_id(j, "id", ubi_graph_node_id(snapshot->graph, context->node));
    ubi__json_member_text(j, "name", ubi_lens_display_name(snapshot->look, context->node, &buffer));
    ubi__json_member_u64(j, "attributedSize", context->attributed_bytes);
    ubi__json_member_u64(j, "selfSize", context->size_bytes);
    ubi__json_member_u64(j, "retainedSize", ubi_dominators_retained_bytes(dominators, context->node));
    ubi__json_object_end(j);
}

void ubi__statistics_document(ubi__cli *cli, const ubi__snapshot *snapshot, const ubi__statistics_answer *answer) {
    ubi__json j;
    const ubi_native_contexts *contexts = answer->contexts;
    ubi__document_begin(&j, cli, "ubiheap.statistics/1", snapshot->path);
    ubi__json_member_string(&j, "lens", ubi_lens_name(ubi_lens_of(snapshot->look)));
    ubi__json_member_u64(&j, "totalSize", answer->statistics.total_bytes);
    ubi__json_member_u64(&j, "nativeSize", answer->statistics.native_bytes);
    put_parts(&j, &answer->statistics);
    ubi__json_member_array(&j, "nativeContexts");
    for (uint32_t i = 0; i < ubi_native_contexts_count(contexts); i++)
        put_context(&j, snapshot, answer->dominators, ubi_native_contexts_at(contexts, i));
    ubi__json_array_end(&j);
    ubi__json_member_u64(&j, "sharedSize", ubi_native_contexts_shared_bytes(contexts));
    ubi__json_member_u64(&j, "noAttributionSize", ubi_native_contexts_unattributed_bytes(contexts));
    ubi__document_end(&j);
}
