/* SPDX-License-Identifier: MIT
 *
 * leak_record_inside.h: the state of a record, for its files.
 */
#ifndef UBI_ANALYSES_LEAK_RECORD_INSIDE_H
#define UBI_ANALYSES_LEAK_RECORD_INSIDE_H

#include <stdatomic.h>

#include "analyses/leaks/leak_record.h"
#include "analyses/leaks/leak_record_rows.h"
#include "base/strtab.h"

typedef struct ubi__record_class {
    ubi_coarse_type coarse_type;
    ubi_str_ix name, place; /* of texts; UBI_NONE: NULL text */
} ubi__record_class;
UBI_VEC_DECLARE(ubi__vec_record_class, ubi__record_class);

typedef struct ubi__record_text {
    uint64_t id;
    ubi_str_ix text;
} ubi__record_text;
UBI_VEC_DECLARE(ubi__vec_record_text, ubi__record_text);

/* A heap. */
typedef struct ubi__record_step {
    uint32_t n_nodes;
    uint64_t id_mark;
    const char *lens; /* static */
    uint64_t creation_time_us;
    bool has_creation_time, has_mixed_coarse_types;
    size_t first_sample, end_sample;
} ubi__record_step;
UBI_VEC_DECLARE(ubi__vec_record_step, ubi__record_step);

struct ubi__leak_record {
    _Atomic uint32_t references;
    const ubi_allocator *allocator;
    ubi__vec_u8 rows;
    ubi__vec_record_class classes; /* one for each of class_keys */
    ubi__strtab class_keys;
    ubi__kinds kinds; /* type names are of texts */
    ubi__strtab texts;
    ubi__vec_record_step steps;
    ubi__vec_record_text samples; /* of one step after the other */
};

struct ubi__recorded_heap {
    ubi__leak_record *record; /* reference */
    uint32_t step;
    uint32_t *class_of; /* owned class_of[n_nodes]; a token: NULL */
    uint32_t n_nodes;
    ubi_class_scheme scheme;
};

ubi__leak_record *ubi__leak_record_ref(ubi__leak_record *record);

#endif
