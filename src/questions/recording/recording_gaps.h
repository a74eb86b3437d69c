/* SPDX-License-Identifier: MIT
 *
 * recording_gaps.h: why a recording is no full account of what was asked about, and what can be judged in spite of that.
 *
 * One list for conditions of one recording and of two, for documents and for notes. Which fact suffers from what is a table.
 */
#ifndef UBI_QUESTIONS_RECORDING_GAPS_H
#define UBI_QUESTIONS_RECORDING_GAPS_H

#include <stdbool.h>
#include <stddef.h>

struct ubi__recording_report;
struct ubi__recording_summary;

/** Those that leave least known first. */
typedef enum ubi__recording_gap_kind {
    UBI__GAP_NOT_RECORDED,  /**< processes could not be recorded */
    UBI__GAP_GIVEN_UP,      /**< the program gave up the recorder */
    UBI__GAP_FILES,         /**< files of processes are missing */
    UBI__GAP_REPLACED,      /**< the program became another one, which is in no file */
    UBI__GAP_OUTSIDE,       /**< the part of the time that was asked about is after the recording */
    UBI__GAP_PROFILE,       /**< samples without limits */
    UBI__GAP_FREES,         /**< frees were not recorded */
    UBI__GAP_END,           /**< the file has no end */
    UBI__GAP_EVENTS,        /**< events were lost */
    UBI__GAP_ALL_PAUSED,    /**< recording was paused all the time */
    UBI__GAP_STOPPED,       /**< recording was stopped before the program ended */
    UBI__GAP_PAUSED,        /**< recording was paused for a time */
    UBI__GAP_PAUSED_BEFORE, /**< it was, before the part of the time that was asked about */
    UBI__GAP_ATTACHED,      /**< the program had allocated before, and that was asked about */
    UBI__GAP_OLDER,         /**< it had, and a part of the time is asked about that begins later */
    UBI__GAP_KINDS
} ubi__recording_gap_kind;

/** Facts of conditions, in the order of ubi__recording_facts. */
typedef enum ubi__recording_fact {
    UBI__FACT_LEAKED,
    UBI__FACT_LEAKED_COUNT,
    UBI__FACT_POOLS,
    UBI__FACT_PEAK,
    UBI__FACT_TOTAL,
    UBI__FACT_COUNT,
    UBI__FACT_TEMPORARY,
    UBI__FACT_RSS,
    UBI__FACT_DROPPED,
    UBI__FACT_SUPPRESSED,
    UBI__FACT_KINDS
} ubi__recording_fact;

/** What of a fact is known in spite of a gap. */
typedef enum ubi__known {
    UBI__KNOWN,
    UBI__KNOWN_AT_LEAST, /**< what is missing can only add to it */
    UBI__KNOWN_NOTHING
} ubi__known;

typedef struct ubi__recording_gap {
    ubi__recording_gap_kind kind;
    char words[200]; /**< "recording was stopped before the program ended" */
} ubi__recording_gap;

typedef struct ubi__recording_gaps {
    size_t n;
    ubi__recording_gap at[UBI__GAP_KINDS];
} ubi__recording_gaps;

/** All that there are, in the order of kinds. Cost: O(programs that were started). */
void ubi__recording_gaps_find(ubi__recording_gaps *out, const struct ubi__recording_report *report);
/** Whether recording was paused in the part of the time that was asked about, or it is unknown when it was. Cost: O(pauses). */
bool ubi__recording_was_paused(const struct ubi__recording_summary *s);
/** In a document: "stopped". */
const char *ubi__recording_gap_key(ubi__recording_gap_kind kind);
/** What all of them together leave of a fact. @param gap  out: the first one that leaves so little; NULL: none does. */
ubi__known ubi__recording_gaps_leave(const ubi__recording_gap **gap, const ubi__recording_gaps *gaps,
                                     ubi__recording_fact fact);

#endif
