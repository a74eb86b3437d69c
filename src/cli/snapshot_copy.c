/* SPDX-License-Identifier: MIT
 *
 * snapshot_copy.c: see snapshot_copy.h.
 */
#include "cli/snapshot_copy.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"
#include "cli/remote_schemes.h"

#define PART_BYTES ((size_t)256 << 10)

/* ---- before anything is asked for ------------------------------------------------------------------------------------ */

/* A series may take an hour until its file is opened. What is not on a disk, such as a pipe, is opened once. */
static ubi_status place_try(const char *path) {
    ubi__atomic_file file;
    struct stat about;
    char why[256];
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return UBI_OK;
    ubi_status status = ubi__atomic_file_open(&file, path, 0, ubi_allocator_default());
    if (status == UBI_OK)
        ubi__atomic_file_discard(&file);
    else
        snprintf(why, sizeof why, "%s", ubi_error_message());
    return status == UBI_OK ? UBI_OK : ubi__fail(status, "--keep: %s: %s", path, why);
}

ubi_status ubi__snapshot_copy_check_kind(const ubi__cli *cli, const char *kind) {
    const char *keep = cli->common.keep;
    if (!keep)
        return UBI_OK;
    if (strcmp(keep, "-") == 0)
        return ubi__fail(UBI_EINVAL, "--keep: standard output is for the answer; name a file");
    const ubi_save_format *format = ubi__output_format(keep);
    if (format && strcmp(format->name, kind) != 0)
        return ubi__fail(UBI_EINVAL, "--keep: what comes is a .%s, and %s has another name", kind, keep);
    UBI_TRY(ubi__output_check_kind(keep, kind));
    return place_try(keep);
}

ubi_status ubi__snapshot_copy_check(const ubi__cli *cli, char *const *paths, uint32_t n) {
    const char *chosen = NULL;
    ubi__remote_address address;
    if (!cli->common.keep)
        return UBI_OK;
    for (uint32_t i = 0; i < n; i++) {
        if (!ubi__remote_is_address(paths[i], ubi__remote_schemes)) {
            UBI_TRY(ubi__output_check(cli->common.keep, paths[i]));
            continue;
        }
        if (chosen)
            return ubi__fail(UBI_EINVAL, "--keep is for one snapshot, and %s and %s are two", chosen, paths[i]);
        chosen = paths[i];
    }
    if (!chosen)
        return ubi__fail(UBI_EINVAL, "--keep is for a program that runs, such as node:4711; a FILE is there already");
    UBI_TRY(ubi__remote_address_parse(&address, chosen, ubi__remote_schemes));
    return ubi__snapshot_copy_check_kind(cli, ubi__remote_snapshot_kind(address.scheme));
}

/* ---- one copy -------------------------------------------------------------------------------------------------------- */

ubi_status ubi__snapshot_copy_open(ubi__snapshot_copy *out, ubi__cli *cli, const char *address) {
    *out = (ubi__snapshot_copy){ .address = address, .to = { ubi__output_file_write, &out->file } };
    UBI_TRY(ubi__output_file_open(&out->file, cli, cli->common.keep));
    cli->subject = address;
    return UBI_OK;
}

/* Not as ubi__output_file_close does: the command has more to do, which an interrupt ends. */
static ubi_status file_end(ubi__output_file *file, ubi_status status) {
    if (status == UBI_OK)
        status = ubi__atomic_file_sync(&file->file);
    if (status == UBI_OK)
        return ubi__atomic_file_commit(&file->file);
    ubi__atomic_file_discard(&file->file);
    return file->status == UBI_OK ? status : ubi__fail(file->status, "%s", file->message);
}

ubi_status ubi__snapshot_copy_close(ubi__snapshot_copy *c, ubi__cli *cli, ubi_status status) {
    bool was_received = status == UBI_OK;
    status = file_end(&c->file, status);
    ubi__progress_line_clear(&cli->progress);
    if (status == UBI_OK)
        ubi__output_file_report(&c->file, "");
    else if (was_received || c->file.status != UBI_OK)
        cli->subject = c->file.path;
    return status;
}

/* ---- of a series ----------------------------------------------------------------------------------------------------- */

static ubi_status descriptor_copy(ubi__snapshot_copy *c, int fd, uint8_t *room) {
    ssize_t n;
    for (off_t at = 0; (n = pread(fd, room, PART_BYTES, at)) != 0; at += n > 0 ? n : 0) {
        if (ubi__interrupted())
            return ubi__fail_cancelled();
        if (n < 0 && errno != EINTR)
            return ubi__fail_errno(errno, "cannot read a snapshot that was taken");
        if (n > 0 && !c->to.write(c->to.payload, room, (size_t)n))
            return UBI_EIO;
    }
    return UBI_OK;
}

ubi_status ubi__snapshot_copy_newest(ubi__cli *cli, ubi__heap_series *series) {
    const ubi_allocator *memory = ubi_allocator_default();
    ubi__snapshot_copy copy;
    if (!cli->common.keep || series->n == 0)
        return UBI_OK;
    ubi__taken_heap *newest = &series->heaps[series->n - 1];
    uint8_t *room = ubi__alloc_array(memory, PART_BYTES, 1);
    if (!room)
        return ubi__fail_nomem();
    ubi_status status = ubi__snapshot_copy_open(&copy, cli, newest->label);
    if (status == UBI_OK)
        status = ubi__snapshot_copy_close(&copy, cli, descriptor_copy(&copy, newest->fd, room));
    if (status == UBI_OK && strlen(cli->common.keep) < sizeof newest->label)
        snprintf(newest->label, sizeof newest->label, "%s", cli->common.keep);
    ubi__free_array(memory, room, PART_BYTES, 1);
    return status;
}
