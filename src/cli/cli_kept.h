/* SPDX-License-Identifier: MIT
 *
 * cli_kept.h: answers of the command line that were given before: a question about one heap that has an index in the cache folder, asked
 * again in the same words and for the same page, is answered with the same bytes.
 */
#ifndef UBI_CLI_CLI_KEPT_H
#define UBI_CLI_CLI_KEPT_H

#include "cli/command.h"

typedef struct ubi__kept {
    ubi_session_use *use; /* NULL: nothing is kept of this question */
    ubi__vec_u8 key;      /* everything that the answer depends on besides the heap */
    ubi__vec_u8 answer;   /* found, or written so far */
    ubi__out *to;         /* where what is written goes as well */
    ubi__out *out;        /* that passes it on; NULL: nothing is captured */
    bool is_too_long;
} ubi__kept;

/**
 * Looks for an answer: kept->answer.n is 0 if there is none.
 * @param out  where the answer will go. Free it, whatever comes of it. Errors: UBI_ENOMEM, UBI_ECANCELLED.
 */
ubi_status ubi__kept_begin(ubi__kept *kept, const ubi__cli *cli, const ubi__question *question, const ubi__asked *asked,
                           ubi__out *out);
/** Where to write an answer that is to be kept: everything goes to `out` of the beginning, too. NULL: no memory. */
ubi__out *ubi__kept_capture(ubi__kept *kept);
/** Keeps what was captured, now that the index is there. Errors: those of ubi__kept_answer_add. */
ubi_status ubi__kept_store(ubi__kept *kept);
void ubi__kept_end(ubi__kept *kept);

#endif
