/* SPDX-License-Identifier: MIT
 *
 * plain_v8.h: the slow and obvious reader of .heapsnapshot files, to compare the fast one with.
 *
 * The whole file becomes a JSON tree (jansson), every number is looked up in it, and the graph is built through the builder's
 * ids. It judges as docs/formats/heapsnapshot.md says, with these limits: no lone surrogates, no numbers above 2^63-1, no more
 * than 2,000 nested arrays, no two nodes with one id, the smaller sections with the usual fields.
 */
#ifndef UBI_TESTS_PLAIN_V8_H
#define UBI_TESTS_PLAIN_V8_H

#include <ubiheap/core/graph.h>

/** UBI_OK, UBI_EFORMAT with a message, or UBI_ENOMEM. */
ubi_status plain_v8_read(ubi_graph **out, const void *data, size_t size);

#endif
