/* SPDX-License-Identifier: MIT
 *
 * stack_values.h: what is counted at the stacks of a recording, in whole numbers, for other tools: their formats have no fractions.
 *
 * Bytes of an allocation are those that it stands for, so sums are those of reports to the byte. A sample may stand for two and
 * a half allocations: counts are rounded so that the sum of any number of them in a row is right to one.
 */
#ifndef UBI_RECORDING_STACK_VALUES_H
#define UBI_RECORDING_STACK_VALUES_H

#include "recording/recording_sites.h"

struct ubi__recording_place;
/** How functions are called where trees of them are made; NUL-terminated, cut to `n` bytes. */
typedef struct ubi__stack_naming {
    void (*name)(char *out, size_t n, const struct ubi__recording_place *place, const void *payload);
    const void *payload;
} ubi__stack_naming;

/** What is looked at. */
typedef struct ubi__stack_choice {
    const ubi__sites *sites; /* borrowed, as is their summary, which is finished */
    ubi__ubirec_class of_class;
    bool with_wrappers;              /* stacks begin at the allocation, not at what asks for it (recording_sites.h) */
    const ubi__stack_naming *naming; /* borrowed; NULL: by the name, else module and address, or position in a script */
} ubi__stack_choice;

/** One number for each allocation of a class. */
typedef struct ubi__stack_measure {
    ubi__measure measure;
    bool is_count;
} ubi__stack_measure;

/** A number that is given away in whole parts. All zeroes to begin with. */
typedef struct ubi__whole_parts {
    double all;
    uint64_t given;
} ubi__whole_parts;

static inline const ubi__ubirec_tables *ubi__stack_tables(const ubi__stack_choice *choice) {
    return &choice->sites->summary->tables;
}
/** Whether allocations of an info are looked at. */
static inline bool ubi__stack_has_info(const ubi__stack_choice *choice, uint32_t info) {
    const ubi__ubirec_tables *t = ubi__stack_tables(choice);
    return t->kinds.at[t->infos.at[info].kind].class_of_kind == choice->of_class;
}
/** The trace at which the stack of an info begins; UBI__UBIREC_NO_TRACE: it has none. */
static inline uint32_t ubi__stack_of_info(const ubi__stack_choice *choice, uint32_t info) {
    uint32_t trace = ubi__stack_tables(choice)->infos.at[info].trace;
    return choice->with_wrappers ? trace : choice->sites->top[trace];
}
/**
 * What an info has of a measure. Infos are asked for in their order, once each.
 * @param parts  of this measure. More than 2^63 - 1, which formats cannot say, is that.
 */
uint64_t ubi__stack_value(const ubi__stack_choice *choice, ubi__stack_measure measure, uint32_t info,
                          ubi__whole_parts *parts);

#endif
