/* SPDX-License-Identifier: MIT
 *
 * summary_document.c: a heap by class as JSON.
 */
#include "base/alloc.h"
#include "cli/commands/summary/summary_page.h"

/* What DevTools show for a class with nodes that nothing reaches. */
#define UNREACHED_DISTANCE (-5)

ubi_status ubi__summary_answer_members(ubi_node_ix **nodes, uint32_t *n, const ubi__summary_answer *answer,
                                       const ubi_summary_row *row) {
    const ubi_allocator *a = ubi_allocator_default();
    uint32_t wanted = row->count < answer->max_members ? row->count : answer->max_members;
    ubi_node_ix *found = ubi__alloc_array(a, wanted, sizeof *found);
    *n = 0;
    if (!found && wanted)
        return ubi__fail_nomem();
    ubi_status status = ubi_summary_members(found, n, answer->summary, row->class_ix, wanted);
    if (status == UBI_OK)
        *nodes = found;
    else
        ubi__free_array(a, found, wanted, sizeof *found);
    return status;
}

static void put_distance(ubi__json *j, uint32_t distance, bool all_reached) {
    ubi__json_key(j, "distance");
    if (!all_reached)
        ubi__json_i64(j, UNREACHED_DISTANCE);
    else
        ubi__json_u64(j, distance);
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static void put_node(ubi__json *j, const ubi__snapshot *snapshot, const ubi_summary *summary, ubi_node_ix node) {
    ubi_lens_name_buffer buffer;
    uint32_t distance = ubi_summary_distances(summary)[node];
    ubi__json_object_begin(j);
    ubi__json_member_node_id(j, "id", ubi_graph_node_id(snapshot->graph, node));
    ubi__json_member_text(j, "name", ubi_lens_display_name(snapshot->look, node, &buffer));
    put_distance(j, distance, distance != UBI_NONE);
    ubi__json_member_u64(j, "selfSize", ubi_lens_size_bytes(snapshot->look, node));
    ubi__json_member_u64(j, "retainedSize", ubi_dominators_retained_bytes(ubi_summary_dominators(summary), node));
    ubi__json_object_end(j);
}

static ubi_status put_members(ubi__json *j, const ubi__snapshot *snapshot, const ubi__summary_answer *answer,
                              const ubi_summary_row *row) {
    ubi_node_ix *nodes;
    uint32_t n;
    UBI_TRY(ubi__summary_answer_members(&nodes, &n, answer, row));
    ubi__json_member_array(j, "nodes");
    for (uint32_t i = 0; i < n && !j->failed; i++)
        put_node(j, snapshot, answer->summary, nodes[i]);
    ubi__json_array_end(j);
    ubi__free_array(ubi_allocator_default(), nodes, n, sizeof *nodes);
    return UBI_OK;
}

/* ---- classes ----------------------------------------------------------------------------------------------------- */

static ubi_status put_row(ubi__json *j, const ubi__snapshot *snapshot, const ubi__summary_answer *answer,
                          const ubi_summary_row *row) {
    ubi_lens_class class;
    ubi_lens_class_get(snapshot->look, row->class_ix, &class);
    ubi__json_object_begin(j);
    ubi__json_member_text(j, "name", class.name);
    ubi__json_member_text(j, "place", class.place);
    ubi__json_member_u64(j, "count", row->count);
    put_distance(j, row->distance, row->n_unreached == 0);
    ubi__json_member_u64(j, "unreachedCount", row->n_unreached);
    ubi__json_member_u64(j, "selfSize", row->size_bytes);
    ubi__json_member_u64(j, "retainedSize", row->retained_bytes);
    ubi__json_member_node_id(j, "exampleId", ubi_graph_node_id(snapshot->graph, row->first));
    ubi_status status = answer->class_name ? put_members(j, snapshot, answer, row) : UBI_OK;
    ubi__json_object_end(j);
    return status;
}

static void put_head(ubi__json *j, const ubi__snapshot *snapshot, const ubi__summary_answer *answer) {
    const ubi__summary_choice_arguments *a = answer->choice->arguments;
    ubi__json_member_string(j, "lens", ubi_lens_name(ubi_lens_of(snapshot->look)));
    ubi__json_member_text(j, "filter", (ubi_text){ a->filter, a->filter ? strlen(a->filter) : 0 });
    ubi__json_member_text(j, "context", (ubi_text){ a->context, a->context ? strlen(a->context) : 0 });
    ubi__json_member_text(j, "since", (ubi_text){ a->since, a->since ? strlen(a->since) : 0 });
    ubi__json_member_text(j, "until", (ubi_text){ a->until, a->until ? strlen(a->until) : 0 });
    ubi__json_member_text(j, "where", (ubi_text){ a->where, a->where ? strlen(a->where) : 0 });
    ubi__json_member_u64(j, "totalSize", answer->total_bytes);
    ubi__json_member_u64(j, "nodeCount", ubi_summary_node_count(answer->summary));
    ubi__json_member_u64(j, "selfSize", ubi_summary_size_bytes(answer->summary));
    ubi__json_member_u64(j, "classCount", ubi_summary_row_count(answer->summary));
}

ubi_status ubi__summary_document(ubi__cli *cli, const ubi__snapshot *snapshot, const ubi__summary_answer *answer) {
    ubi__json j;
    ubi_status status = UBI_OK;
    ubi__document_begin(&j, cli, "ubiheap.summary/1", snapshot->path);
    put_head(&j, snapshot, answer);
    ubi__json_member_array(&j, "classes");
    for (uint32_t i = 0; status == UBI_OK && i < answer->n && !j.failed; i++)
        status = put_row(&j, snapshot, answer, ubi_summary_row_at(answer->summary, answer->order[i]));
    ubi__json_array_end(&j);
    ubi__document_end(&j);
    return status;
}
