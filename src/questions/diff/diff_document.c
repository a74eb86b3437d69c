/* SPDX-License-Identifier: MIT
 *
 * diff_document.c: what changed between two heaps, as JSON.
 */
#include "questions/diff/diff_recordings.h"
#include "questions/script_files.h"
#include "render/result_json.h"

static void tally_members_put(ubi__json *json, const ubi_tally *tally) {
    ubi__json_member_u64(json, "count", tally->count);
    ubi__json_member_u64(json, "bytes", tally->bytes);
}

static void tally_put(ubi__json *json, const char *key, const ubi_tally *tally) {
    ubi__json_member_object(json, key);
    tally_members_put(json, tally);
    ubi__json_object_end(json);
}

static void side_put(ubi__json *json, const char *key, const ubi__diff_side *side) {
    ubi__json_member_object(json, key);
    ubi__json_member_string(json, "file", side->name);
    tally_members_put(json, &side->total);
    ubi__json_object_end(json);
}

static ubi_status delta_put(ubi__json *json, const ubi__diff_answer *a, const ubi_allocator *allocator) {
    ubi__breakdown_write_json(json, &a->chosen);
    ubi__json_member_i64(json, "basisTotalBytes", ubi_census_diff_basis_bytes(a->diff));
    ubi__json_member_i64(json, "basisTotalCount", ubi_census_diff_basis_count(a->diff));
    if (a->tree && a->values->by.rows) {
        ubi__json_key(json, "page");
        return ubi__render_census_rows(json, a->tree, &a->rows, allocator);
    }
    ubi__json_key(json, a->tree ? "tree" : "delta");
    return a->tree ? ubi__render_census_tree(json, a->tree) : ubi__render_delta(json, ubi_census_diff_delta(a->diff));
}

static void class_put(ubi__json *json, const ubi_class_change *row) {
    ubi__json_object_begin(json);
    ubi__json_member_string(json, "coarseType", ubi_coarse_type_name(row->name.coarse_type));
    ubi__json_member_text(json, "name", row->name.name);
    if (row->name.place.len)
        ubi__json_member_text(json, "place", row->name.place);
    tally_put(json, "old", &row->start);
    tally_put(json, "new", &row->end);
    tally_put(json, "created", &row->created);
    tally_put(json, "deleted", &row->deleted);
    ubi__json_object_end(json);
}

static void ids_put(ubi__json *json, const char *key, const ubi__vec_u64 *ids) {
    ubi__json_member_array(json, key);
    for (size_t i = 0; i < ids->n && !json->has_failed; i++)
        ubi__json_node_id(json, ids->at[i]);
    ubi__json_array_end(json);
}

static void members_put(ubi__json *json, const ubi__diff_answer *a) {
    ubi__json_member_object(json, "individuals");
    ubi__json_key(json, "class");
    class_put(json, ubi_class_diff_row(a->classes, (uint32_t)a->values->individuals - 1));
    ids_put(json, "created", &a->members.created);
    ids_put(json, "deleted", &a->members.deleted);
    ubi__json_object_end(json);
}

static ubi_status classes_put(ubi__json *json, const ubi__diff_answer *a) {
    ubi__json_member_u64(json, "commonIds", ubi_class_diff_common_count(a->classes));
    ubi__json_member_bool(json, "sameProcess", a->is_one_process);
    if (a->values->side) {
        ubi__json_key(json, "nodes");
        return ubi__counted_nodes_put(json, &a->nodes);
    }
    if (a->values->individuals) {
        members_put(json, a);
        return UBI_OK;
    }
    ubi__json_member_array(json, "byClass");
    for (uint32_t i = 0; i < ubi_class_diff_count(a->classes) && !json->has_failed; i++)
        class_put(json, ubi_class_diff_row(a->classes, i));
    ubi__json_array_end(json);
    return UBI_OK;
}

/* The files that places of classes are in. */
static ubi_status scripts_put(ubi__json *json, const ubi__diff_answer *a, const ubi_allocator *allocator) {
    ubi__vec_script_file files = { 0 };
    ubi_status status = UBI_OK;
    for (uint32_t i = 0; i < ubi_class_diff_count(a->classes) && status == UBI_OK; i++)
        status = ubi__script_files_note(&files, ubi_class_diff_row(a->classes, i)->name.place, allocator);
    ubi__script_files_find(&files, a->new_side.graph);
    ubi__script_files_find(&files, a->old_side.graph);
    ubi__script_files_put(json, &files);
    ubi__vec_script_file_fini(&files, allocator);
    return status;
}

ubi_status ubi__diff_document(ubi__json *json, const void *answer_of, const ubi__asked *asked) {
    const ubi__diff_answer *a = answer_of;
    if (a->recordings)
        return ubi__diff_recordings_document(json, a->recordings);
    if (a->classes && !a->values->individuals)
        UBI_TRY(scripts_put(json, a, ubi__asked_allocator(asked)));
    side_put(json, "old", &a->old_side);
    side_put(json, "new", &a->new_side);
    if (a->diff)
        return delta_put(json, a, ubi__asked_allocator(asked));
    return classes_put(json, a);
}
