/* SPDX-License-Identifier: MIT
 *
 * script_files.h: the files of the scripts that places of classes name, such as 82 of "82,3,29".
 */
#ifndef UBI_QUESTIONS_SCRIPT_FILES_H
#define UBI_QUESTIONS_SCRIPT_FILES_H

#include <ubiheap/core/graph.h>

#include "base/alloc.h"
#include "base/json_writer.h"

typedef struct ubi__script_file {
    uint32_t script;
    ubi_text file; /**< borrowed from the graph; NULL text: not found so far */
} ubi__script_file;

/** By the numbers of their scripts. */
UBI_VEC_DECLARE(ubi__vec_script_file, ubi__script_file);

/** Notes the script of a place, once; other texts name none. Errors: UBI_ENOMEM. Cost: O(log n), and O(n) for a new one. */
ubi_status ubi__script_files_note(ubi__vec_script_file *files, ubi_text place, const ubi_allocator *allocator);
/** Looks in a graph for the files of those that have none so far. Cost: O(nodes * log n); O(n) where none is missing. */
void ubi__script_files_find(ubi__vec_script_file *files, const ubi_graph *graph);
/** "scripts", in an open object: the files that were found, by the numbers of their scripts; nothing where there are none. */
void ubi__script_files_put(ubi__json *json, const ubi__vec_script_file *files);

#endif
