/* SPDX-License-Identifier: MIT
 *
 * recording_memory.h: what the resident memory of a recorded program was used for, as it was seen last, with the places of the blocks.
 */
#ifndef UBI_QUESTIONS_RECORDING_MEMORY_H
#define UBI_QUESTIONS_RECORDING_MEMORY_H

#include "questions/recording/recording_page.h"

/**
 * Before the others: sums what script engines had when memory was seen last, if blocks of theirs were recorded. Of one process alone:
 * those of several were seen at different times. Errors: those of the session's recording.
 */
ubi_status ubi__recording_memory_ask(ubi__recording_report *report, const ubi__asked *asked);
/** The part of the page; nothing if it was not seen. Errors: UBI_ENOMEM. */
ubi_status ubi__recording_memory_page(const ubi__recording_view *v);
/** The member `memoryUse`, null if it was not seen. Errors: UBI_ENOMEM. */
ubi_status ubi__recording_memory_document(ubi__json *j, const ubi__recording_report *report);

#endif
