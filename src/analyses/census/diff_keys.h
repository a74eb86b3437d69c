/* SPDX-License-Identifier: MIT
 *
 * diff_keys.h: the keys of two reports, brought together.
 *
 * Each census names its keys by places in tables of its own. Here equal keys of either get one number, so that entries
 * correspond when their numbers do. What was numbered is remembered per place: a long name or a deep stack is looked at
 * once per census, however often it occurs in the reports.
 *
 * Numbers are unique among the keys of one kind of report; only such are ever compared.
 */
#ifndef UBI_CENSUS_DIFF_KEYS_H
#define UBI_CENSUS_DIFF_KEYS_H

#include "analyses/census/report.h"
#include "base/u64_map.h"

typedef struct ubi__diff_side {
    const ubi_census *census;
    ubi__u64_map texts;  /* canonical string of its tables -> number */
    ubi__u64_map frames; /* canonical frame -> number */
} ubi__diff_side;

typedef struct ubi__diff_keys {
    const ubi_allocator *allocator;
    ubi__strtab texts;  /* entry i: text of number i */
    ubi__strtab frames; /* entry i: content of the frame of number i, the number of its caller included */
    ubi__vec_u32 chain; /* frames on the way to a known caller */
} ubi__diff_keys;

void ubi__diff_keys_init(ubi__diff_keys *keys, const ubi_allocator *allocator);
void ubi__diff_keys_fini(ubi__diff_keys *keys);
void ubi__diff_side_init(ubi__diff_side *side, const ubi_census *census, const ubi_allocator *allocator);
void ubi__diff_side_fini(ubi__diff_side *side);

/** Number of the key of entry `place` of a report of that side's census. Errors: UBI_ENOMEM, UBI_ELIMIT. */
ubi_status ubi__diff_key(ubi__diff_keys *keys, uint32_t *out, ubi__diff_side *side, const ubi_report *report,
                         uint32_t place);

#endif
