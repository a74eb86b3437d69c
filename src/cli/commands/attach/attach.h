/* SPDX-License-Identifier: MIT
 *
 * attach.h: what the parts of `ubiheap attach` share.
 */
#ifndef UBI_CLI_ATTACH_H
#define UBI_CLI_ATTACH_H

#include "cli/cli_files.h"
#include "targets/remote.h"

typedef struct ubi__attach_arguments {
    const char *tab, *process, *output;
    const char *seconds;
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

ubi_status ubi__attach_list(const ubi__attach *a);
ubi_status ubi__attach_census(const ubi__attach *a);
ubi_status ubi__attach_measure(const ubi__attach *a);
ubi_status ubi__attach_collect(const ubi__attach *a);
/** Records, and shows the functions that allocated, as `ubiheap allocations` does. */
ubi_status ubi__attach_allocations(const ubi__attach *a, int *exit_code);

#endif
