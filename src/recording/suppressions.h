/* SPDX-License-Identifier: MIT
 *
 * suppressions.h: what of a recording is known not to be freed, and need not be listed: rules in the form of LeakSanitizer's
 * suppression files.
 *
 * A file has a rule in each line, "leak:PATTERN"; lines that are empty or begin with '#' say nothing, blanks around a line do not
 * count. A pattern matches a text that has it anywhere: '*' stands for anything, '^' in front for the beginning, '$' for the end. An
 * allocation is hidden if the pattern matches a module (the path of its file), a function or a source file anywhere in its stack. Of
 * several rules, the one counts that the innermost frame meets, there the first one of the file.
 *
 * Hidden allocations stay in all sums of the recording; what was not freed has them no more.
 */
#ifndef UBI_RECORDING_SUPPRESSIONS_H
#define UBI_RECORDING_SUPPRESSIONS_H

#include "recording/recording_summary.h"

typedef struct ubi__suppression {
    size_t first, n; /* of its pattern in `text`; may be empty, which matches everything */
} ubi__suppression;
UBI_VEC_DECLARE(ubi__vec_suppression, ubi__suppression);

/** Rules, in order. All zeroes but the allocator: none. */
typedef struct ubi__suppressions {
    const ubi_allocator *allocator;
    ubi__vec_u8 text;
    ubi__vec_suppression rows;
} ubi__suppressions;

/** Most rules, and bytes of a pattern. */
#define UBI__SUPPRESSIONS_MOST 10000
#define UBI__SUPPRESSION_BYTES 4096

/**
 * Adds the rules of a file. @param name  of the file, for messages.
 * Errors: UBI_EINVAL with the line, UBI_ELIMIT, UBI_ENOMEM; rules in front of it stay. Cost: O(text).
 */
ubi_status ubi__suppressions_add(ubi__suppressions *s, ubi_text file, const char *name);
void ubi__suppressions_fini(ubi__suppressions *s);
static inline ubi_text ubi__suppression_pattern(const ubi__suppressions *s, size_t i) {
    const ubi__suppression *row = &s->rows.at[UBI_INDEX(i, s->rows.n)];
    return row->n ? (ubi_text){ (const char *)s->text.at + row->first, row->n } : (ubi_text){ "", 0 };
}
/** Whether a pattern matches a text. An empty text is matched by nothing. Cost: O(pattern + text). */
bool ubi__suppression_matches(ubi_text pattern, ubi_text text);

/** What rules hide of a recording. */
typedef struct ubi__suppressed {
    const ubi_allocator *allocator;
    ubi__recording_summary
        summary;            /* borrowed, its infos aside: nothing that is hidden was left; totals are as they were */
    ubi__estimate *by_rule; /* by_rule[n_rules]: of all classes */
    size_t n_rules, n_used; /* n_used: of those that hide anything */
    ubi__estimate sums[UBI__UBIREC_CLASS_COUNT];
} ubi__suppressed;

/** Each rule that is used hides something, and rules make up the sums. */
void ubi__suppressed_check(const ubi__suppressed *s);
/**
 * Of a finished summary, which must live as long. Errors: UBI_ENOMEM; nothing is left.
 * Cost: O(traces + infos), and each name that a frame has once against every rule. Memory: 48 bytes per info and rule; while it looks, 4
 * bytes per name and trace.
 */
ubi_status ubi__suppressed_init(ubi__suppressed *s, const ubi__suppressions *rules,
                                const ubi__recording_summary *summary, const ubi_allocator *allocator);
void ubi__suppressed_fini(ubi__suppressed *s);

#endif
