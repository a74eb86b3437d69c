/* SPDX-License-Identifier: MIT
 *
 * random_v8.h: small random graphs as the reader of .heapsnapshot files makes them, the same for a seed.
 *
 * Names are hard to write: quotes, control characters, lone surrogates, texts of one page and more, one text under several
 * entries. All tables of V8's facts are there now and then.
 */
#ifndef UBI_TESTS_RANDOM_V8_H
#define UBI_TESTS_RANDOM_V8_H

#include <ubiheap/core/graph.h>

#include "random_numbers.h"

/** The caller's. */
ubi_graph *random_v8_graph(void);

#endif
