/* SPDX-License-Identifier: MIT
 *
 * fuzz_heaps.h: the bytes of a fuzzer as heaps: one after the other, whose ids and names come from the same small pools, so that
 * two of them meet in all the ways that two snapshots of a program can, and in those that they cannot.
 */
#ifndef UBI_TESTS_SUPPORT_FUZZ_HEAPS_H
#define UBI_TESTS_SUPPORT_FUZZ_HEAPS_H

#include "fuzz_pieces.h"
#include "random_heap.h"
#include "random_v8.h"
#include "random_v8_heap.h"

typedef enum fuzz_producer {
    FUZZ_FIREFOX,
    FUZZ_V8_FILTERS,
    FUZZ_V8_RULES,
    FUZZ_V8_FACTS,
    FUZZ_PRODUCERS
} fuzz_producer;

/** What is left of an input in which single bytes come first. 0 when all is used. */
static inline uint8_t fuzz_take(feeder *f) {
    if (f->left == 0)
        return 0;
    f->left--;
    return *f->at++;
}

/** The rest of the input is what heaps are made of from here on. */
static inline void fuzz_heaps_start(const feeder *f) {
    random_start_from(f->at, f->left);
}

/** The next heap, the caller's. */
static inline ubi_graph *fuzz_heap(fuzz_producer producer) {
    switch (producer) {
    case FUZZ_V8_FILTERS:
        return random_v8_heap(40);
    case FUZZ_V8_RULES:
        return random_v8_heap_of(&(random_v8_options){
            .topic = RANDOM_V8_RULES, .n_nodes = 40, .n_edges_per_node = 4, .cycles_of_strings = true });
    case FUZZ_V8_FACTS:
        return random_v8_graph();
    default:
        return random_heap();
    }
}

#endif
