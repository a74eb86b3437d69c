/* SPDX-License-Identifier: MIT
 *
 * recording_info.h: what is in the file of a recording, or in the files of all processes that were recorded together.
 */
#ifndef UBI_QUESTIONS_INFO_RECORDING_INFO_H
#define UBI_QUESTIONS_INFO_RECORDING_INFO_H

#include "questions/question.h"
#include "session/recording_parts.h"

typedef struct ubi__recording_info {
    const char *name;
    const ubi__session_recording_files *files; /* of the session */
    ubi__recording_summary
        first; /* of the first file, whose texts it borrows: program, times and end; its counters are of all */
    ubi__ubirec_index sum; /* of all */
    uint64_t file_bytes;   /* of all */
    bool is_given_up;      /* any of them */
    char faulty[512];      /* what is wrong in the first file in which something is; "": nothing */
} ubi__recording_info;

/** Errors: those of the session's files of a recording. */
ubi_status ubi__recording_info_get(ubi__recording_info *out, const ubi__asked *asked);
void ubi__recording_info_document(ubi__json *json, const ubi__recording_info *info);
void ubi__recording_info_page(const ubi__page *page, const ubi__recording_info *info);
void ubi__recording_info_remark(ubi__remarks *remarks, const ubi__recording_info *info);

#endif
