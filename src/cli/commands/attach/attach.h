/* SPDX-License-Identifier: MIT
 *
 * attach.h: what the parts of `ubiheap attach` share.
 */
#ifndef UBI_CLI_ATTACH_H
#define UBI_CLI_ATTACH_H

#include "cli/cli_files.h"
#include "questions/question.h"
#include "targets/remote.h"

typedef struct ubi__attach_arguments {
    const char *tab, *process, *target, *output;
    const char *seconds, *patience;
    bool is_forced;
} ubi__attach_arguments;

/** A command line at work. */
typedef struct ubi__attach {
    ubi__cli *cli;
    const ubi__attach_arguments *arguments;
    const char *target; /**< as given */
    const char *verb;
    const ubi__remote_address *address;
    const ubi__remote_ops *ops;
    ubi__remote *remote;
} ubi__attach;

/** Opens the JSON document: schema, target, verb. */
void ubi__attach_document_begin(ubi__json *json, const ubi__attach *a);

/** Ends it, with the names of runtimes that have no part in the answer. */
void ubi__attach_document_end(ubi__json *json, const ubi__attach *a);
/** A document with the answer as it came, as `key`, without what belongs to the protocol. @param has_objects_only  nothing else is copied. */
void ubi__attach_answer_write(const ubi__attach *a, const char *key, ubi_text answer, bool has_objects_only);
/** Below a table: how long the program paused, if the answer says so. */
void ubi__attach_pause_print(const ubi__attach *a, ubi_text answer);
/** A member that is a number; false: there is none. */
bool ubi__attach_number(uint64_t *out, ubi_text object, const char *name);
/** The same names as a line on standard error, if there are any. */
void ubi__attach_missing_report(const ubi__attach *a);

ubi_status ubi__attach_list(const ubi__attach *a);
ubi_status ubi__attach_census(const ubi__attach *a);
ubi_status ubi__attach_measure(const ubi__attach *a);
/** Measures, collects, measures. */
ubi_status ubi__attach_collect(const ubi__attach *a);
/** Waits. An interrupt ends that, not the command. @param is_over  out: true then, else untouched. */
ubi_status ubi__attach_wait(const ubi__attach *a, bool *is_over, uint64_t wait_us);
/** How long --seconds says; 0: until Ctrl-C. Errors: UBI_EINVAL. */
ubi_status ubi__attach_duration(uint64_t *out_us, const ubi__attach *a);
/** Asks a question about a file that the other side is the source of. */
ubi_status ubi__attach_ask(const ubi__attach *a, const ubi__question *question, char *path, int *exit_code);
/** Has the engine write down what is allocated, and keeps its file, or shows it. */
ubi_status ubi__attach_profile(const ubi__attach *a, int *exit_code);
ubi_status ubi__attach_track(const ubi__attach *a, int *exit_code);
/** Records, and shows the functions that allocated, as `ubiheap allocations` does. */
ubi_status ubi__attach_allocations(const ubi__attach *a, int *exit_code);

#endif
