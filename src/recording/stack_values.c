/* SPDX-License-Identifier: MIT
 *
 * stack_values.c: see stack_values.h.
 */
#include "recording/stack_values.h"

/* The part that is due by now. */
static uint64_t whole_part_take(ubi__whole_parts *parts, double more) {
    parts->all += more;
    double due = parts->all + 0.5;
    if (due >= 0x1p63)
        return INT64_MAX;
    uint64_t part = (uint64_t)due > parts->given ? (uint64_t)due - parts->given : 0;
    parts->given += part;
    return part;
}

uint64_t ubi__stack_value(const ubi__stack_choice *choice, ubi__stack_measure measure, uint32_t info,
                          ubi__whole_parts *parts) {
    const ubi__recording_summary *s = choice->sites->summary;
    const ubi__ubirec_info_row *row = &s->tables.infos.at[info];
    uint64_t n = ubi__info_measure(&s->infos.at[info], measure.measure), bytes;
    if (measure.is_count)
        return whole_part_take(parts, (double)n * ubi__sample_count(row));
    bool is_too_much = __builtin_mul_overflow(n, row->weight_bytes, &bytes) || bytes > INT64_MAX;
    return is_too_much ? INT64_MAX : bytes;
}
