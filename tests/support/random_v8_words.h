/* SPDX-License-Identifier: MIT
 *
 * random_v8_words.h: names and types that random heaps of V8 are made of, for random_v8_heap.c.
 */
#ifndef UBI_TESTS_RANDOM_V8_WORDS_H
#define UBI_TESTS_RANDOM_V8_WORDS_H

#include <stdint.h>

enum { RANDOM_V8_MAX_NAMES = 32 };

/* What a topic is made of. */
typedef struct random_v8_words {
    const char *const *nodes, *const *edges; /* names */
    uint32_t n_nodes, n_edges;
    uint32_t first; /* place of "first" in `edges`; "second" is behind it */
    uint32_t n_numbers;
    const uint8_t *types; /* that are there more often than others */
    uint32_t n_types;
} random_v8_words;

/** By random_v8_topic. */
extern const random_v8_words random_v8_topics[];

#endif
