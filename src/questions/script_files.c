/* SPDX-License-Identifier: MIT
 *
 * script_files.c: see script_files.h.
 */
#include "questions/script_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lenses/producer.h"

/* Digits before the first comma, of a number that fits; false: there are none. */
static bool script_read(uint32_t *out, ubi_text place) {
    uint64_t number = 0;
    size_t n = 0;
    for (; n < place.len && place.ptr[n] >= '0' && place.ptr[n] <= '9' && number <= UINT32_MAX; n++)
        number = number * 10 + (uint64_t)(place.ptr[n] - '0');
    *out = (uint32_t)number;
    return n > 0 && n < place.len && place.ptr[n] == ',' && number <= UINT32_MAX;
}

/* Where the script is, or would be. */
static size_t place_of_script(const ubi__vec_script_file *files, uint32_t script) {
    size_t low = 0, high = files->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (files->at[middle].script < script)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool has_script(const ubi__vec_script_file *files, size_t at, uint32_t script) {
    return at < files->n && files->at[at].script == script;
}

ubi_status ubi__script_files_note(ubi__vec_script_file *files, ubi_text place, const ubi_allocator *allocator) {
    uint32_t script;
    if (!script_read(&script, place))
        return UBI_OK;
    size_t at = place_of_script(files, script);
    if (has_script(files, at, script))
        return UBI_OK;
    UBI_TRY(ubi__vec_script_file_reserve(files, allocator, 1));
    memmove(files->at + at + 1, files->at + at, (files->n - at) * sizeof *files->at);
    files->at[at] = (ubi__script_file){ script, { NULL, 0 } };
    files->n++;
    return UBI_OK;
}

static size_t missing_count(const ubi__vec_script_file *files) {
    size_t n = 0;
    for (size_t i = 0; i < files->n; i++)
        n += !files->at[i].file.ptr;
    return n;
}

void ubi__script_files_find(ubi__vec_script_file *files, const ubi_graph *graph) {
    size_t n_missing = missing_count(files);
    for (ubi_node_ix node = 0; n_missing && node < ubi_graph_node_count(graph); node++) {
        ubi__code_place at;
        if (!ubi__code_place_of(&at, graph, node))
            continue;
        size_t i = place_of_script(files, at.script_id);
        if (!has_script(files, i, at.script_id) || files->at[i].file.ptr)
            continue;
        const ubi_kind *kind = ubi_graph_kind(graph, ubi_graph_node_kind(graph, node));
        ubi_text file = ubi_graph_string(graph, kind->script_filename);
        if (file.len == 0)
            continue;
        files->at[i].file = file;
        n_missing--;
    }
}

void ubi__script_files_put(ubi__json *json, const ubi__vec_script_file *files) {
    if (missing_count(files) == files->n)
        return;
    ubi__json_member_object(json, "scripts");
    for (size_t i = 0; i < files->n; i++) {
        char digits[16];
        snprintf(digits, sizeof digits, "%" PRIu32, files->at[i].script);
        if (files->at[i].file.ptr)
            ubi__json_member_text(json, digits, files->at[i].file);
    }
    ubi__json_object_end(json);
}
