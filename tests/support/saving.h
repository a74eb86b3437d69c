/* SPDX-License-Identifier: MIT
 *
 * saving.h: snapshots saved to memory and read again, for tests. Failures abort the test.
 */
#ifndef UBI_TESTS_SAVING_H
#define UBI_TESTS_SAVING_H

#include <ubiheap/core/formats.h>

#include "packing.h"

/** A ubi_write_fn whose payload is a `bytes`. */
bool write_to_bytes(void *payload, const void *data, size_t n);

/** The graph as the bytes of a file; free with bytes_free. `options` and `info` may be NULL. */
bytes saved_graph(const ubi_graph *graph, const ubi_save_options *options, ubi_save_info *info);
/** What is reached from `root`, likewise. */
bytes saved_walk(ubi_node root, const ubi_save_options *options, ubi_save_info *info);
/** A file read as Firefox would. */
ubi_graph *graph_of_bytes(const bytes *file);
/** Saved and read again. */
ubi_graph *graph_round_trip(const ubi_graph *graph, const ubi_save_options *options);
ubi_graph *walk_round_trip(ubi_node root, const ubi_save_options *options);

/** A new directory below $TMPDIR or /tmp. Free the name with remove_directory, which removes what is in it, too. */
char *new_directory(void);
void remove_directory(char *path);
/** Names in a directory, hidden ones too, without "." and "..". */
size_t count_files(const char *directory);

#endif
