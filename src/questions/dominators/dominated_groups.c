/* SPDX-License-Identifier: MIT
 *
 * dominated_groups.c: see dominated_groups.h.
 */
#include "questions/dominators/dominated_groups.h"

#include <stdlib.h>

#include "base/status.h"
#include "base/u64_map.h"
#include "questions/node_columns.h"

typedef struct gathering {
    ubi__dominated_groups *groups;
    ubi__u64_map places; /* of a name, its meaning and a coarse type: in the list */
    const ubi__node_column *class_name, *type_name;
    ubi__node_table table;
} gathering;

static uint64_t place_key(const ubi__dominated_group *group) {
    return ubi__u64_pair(group->name, (uint32_t)group->coarse_type << 1 | group->is_of_type);
}

/* The group of a node that stands alone. */
static ubi_status group_of(ubi__dominated_group *out, gathering *g, ubi_node_ix node) {
    const ubi_graph *graph = g->table.graph;
    ubi_look_name_buffer buffer;
    ubi_text name = ubi__node_column_text(g->class_name, &g->table, node, &buffer);
    *out = (ubi__dominated_group){
        .coarse_type = ubi_graph_kind(graph, ubi_graph_node_kind(graph, node))->coarse_type,
        .is_of_type = !name.ptr,
        .largest = node,
        .count = 1,
        .shallow_bytes = ubi_look_size_bytes(g->table.look, node),
        .retained_bytes = ubi_dominators_retained_bytes(g->table.dominators, node),
    };
    if (out->is_of_type)
        name = ubi__node_column_text(g->type_name, &g->table, node, &buffer);
    return ubi__strtab_intern(&g->groups->names, &out->name, name.ptr ? name : (ubi_text){ "", 0 });
}

static void group_join(ubi__dominated_group *to, const ubi__dominated_group *more, const ubi_dominators *dominators) {
    to->count += more->count;
    to->shallow_bytes += more->shallow_bytes;
    to->retained_bytes += more->retained_bytes;
    if (more->retained_bytes > ubi_dominators_retained_bytes(dominators, to->largest))
        to->largest = more->largest;
}

static ubi_status node_gather(gathering *g, ubi_node_ix node) {
    ubi__vec_dominated_group *list = &g->groups->list;
    ubi__dominated_group alone;
    UBI_TRY(group_of(&alone, g, node));
    uint32_t place = ubi__u64_map_get(&g->places, place_key(&alone));
    if (place != UBI_NONE) {
        group_join(&list->at[place], &alone, g->table.dominators);
        return UBI_OK;
    }
    UBI_TRY(ubi__u64_map_put(&g->places, place_key(&alone), (uint32_t)list->n));
    return ubi__vec_dominated_group_push(list, g->groups->allocator, alone);
}

static bool is_same_group(const ubi__dominated_group *a, const ubi__dominated_group *b) {
    return a->coarse_type == b->coarse_type && a->is_of_type == b->is_of_type && a->name == b->name;
}

static int groups_compare(const void *a_, const void *b_) {
    const ubi__dominated_group *a = a_, *b = b_;
    if (a->retained_bytes != b->retained_bytes)
        return a->retained_bytes < b->retained_bytes ? 1 : -1;
    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return (a->largest > b->largest) - (a->largest < b->largest);
}

static ubi_status gathering_begin(gathering *g, ubi__dominated_groups *groups, const ubi_dominators *dominators,
                                  const ubi_look *look, const ubi_allocator *allocator) {
    *g = (gathering){ .groups = groups, .table = { .look = look, .dominators = dominators } };
    g->table.graph = ubi_look_view(look)->graph;
    *groups = (ubi__dominated_groups){ .allocator = allocator };
    ubi__strtab_init(&groups->names, allocator);
    ubi__u64_map_init(&g->places, allocator);
    UBI_TRY(ubi__node_column_find(&g->class_name, "className", sizeof "className" - 1));
    return ubi__node_column_find(&g->type_name, "typeName", sizeof "typeName" - 1);
}

static ubi_status nodes_gather(gathering *g, ubi_node_ix node) {
    uint32_t n;
    const ubi_node_ix *dominated = ubi_dominators_dominated(g->table.dominators, node, &n);
    for (uint32_t i = 0; i < n; i++)
        UBI_TRY(node_gather(g, dominated[i]));
    return UBI_OK;
}

static ubi_status members_gather(ubi__vec_u32 *out, gathering *g, ubi_node_ix like) {
    uint32_t n;
    ubi__dominated_group wanted, alone;
    const ubi_node_ix *siblings =
        ubi_dominators_dominated(g->table.dominators, ubi_dominators_immediate(g->table.dominators, like), &n);
    UBI_TRY(group_of(&wanted, g, like));
    for (uint32_t i = 0; i < n; i++) {
        UBI_TRY(group_of(&alone, g, siblings[i]));
        if (is_same_group(&alone, &wanted))
            UBI_TRY(ubi__vec_u32_push(out, g->groups->allocator, siblings[i]));
    }
    return UBI_OK;
}

ubi_status ubi__dominated_group_members(ubi__vec_u32 *out, const ubi_dominators *dominators, const ubi_look *look,
                                        ubi_node_ix like, const ubi_allocator *allocator) {
    gathering g;
    ubi__dominated_groups groups;
    ubi_status status = gathering_begin(&g, &groups, dominators, look, allocator);
    if (status == UBI_OK && ubi_dominators_immediate(dominators, like) != UBI_NONE)
        status = members_gather(out, &g, like);
    ubi__u64_map_fini(&g.places);
    ubi__dominated_groups_fini(&groups);
    return status;
}

ubi_status ubi__dominated_groups_find(ubi__dominated_groups *out, const ubi_dominators *dominators,
                                      const ubi_look *look, ubi_node_ix node, const ubi_allocator *allocator) {
    gathering g;
    ubi_status status = gathering_begin(&g, out, dominators, look, allocator);
    if (status == UBI_OK)
        status = nodes_gather(&g, node);
    ubi__u64_map_fini(&g.places);
    if (status != UBI_OK)
        ubi__dominated_groups_fini(out);
    else if (out->list.n)
        qsort(out->list.at, out->list.n, sizeof *out->list.at, groups_compare);
    return status;
}

/* ---- output ------------------------------------------------------------------------------------------------------ */

void ubi__dominated_groups_put(ubi__json *json, const ubi__dominated_groups *groups, const ubi_graph *graph,
                               uint64_t most) {
    ubi__json_array_begin(json);
    for (size_t i = 0; i < groups->list.n && i < most && !json->has_failed; i++) {
        const ubi__dominated_group *group = &groups->list.at[i];
        ubi__json_object_begin(json);
        ubi__json_member_string(json, "coarseType", ubi_coarse_type_name(group->coarse_type));
        ubi__json_member_text(json, group->is_of_type ? "typeName" : "className",
                              ubi__strtab_get(&groups->names, group->name));
        ubi__json_member_u64(json, "count", group->count);
        ubi__json_member_u64(json, "shallowSize", group->shallow_bytes);
        ubi__json_member_u64(json, "retainedSize", group->retained_bytes);
        ubi__json_member_node_id(json, "largestNodeId", ubi_graph_node_id(graph, group->largest));
        ubi__json_object_end(json);
    }
    ubi__json_array_end(json);
}

enum { RETAINED, SHARE, OWN, COUNT, GROUP_COLUMNS };

static const ubi__text_column group_columns[GROUP_COLUMNS] = {
    [RETAINED] = { "Retained", .width = 10 },
    [SHARE] = { "%", .width = 6, .gap = 1 },
    [OWN] = { "Own size", .width = 10, .gap = 1 },
    [COUNT] = { "Nodes", .width = 9, .gap = 2 },
};

void ubi__dominated_groups_write(const ubi__page *page, const ubi__dominated_groups *groups, uint64_t most,
                                 uint64_t node_bytes) {
    ubi__text_table table;
    ubi__page_table(&table, page, "Class", group_columns, GROUP_COLUMNS);
    ubi__text_table_head(&table);
    for (size_t i = 0; i < groups->list.n && i < most && !table.out->has_failed; i++) {
        const ubi__dominated_group *group = &groups->list.at[i];
        const ubi__cell cells[GROUP_COLUMNS] = {
            [RETAINED] = ubi__cell_size(group->retained_bytes),
            [SHARE] = ubi__cell_share(group->retained_bytes, node_bytes),
            [OWN] = ubi__cell_size(group->shallow_bytes),
            [COUNT] = ubi__cell_count(group->count),
        };
        ubi__text_table_line(&table, cells, ubi__strtab_get(&groups->names, group->name));
    }
    if (groups->list.n > most)
        ubi__write_more(page, groups->list.n - most, "--siblings 0 shows all");
}

void ubi__dominated_groups_fini(ubi__dominated_groups *groups) {
    if (!groups->allocator)
        return;
    ubi__vec_dominated_group_fini(&groups->list, groups->allocator);
    ubi__strtab_fini(&groups->names);
    *groups = (ubi__dominated_groups){ .allocator = NULL };
}
