/* SPDX-License-Identifier: MIT
 *
 * recording_processes.c: see recording_processes.h.
 *
 * Several files become one without a name, in the folder for temporary files, or in memory.
 */
#include "recording/recording_processes.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/atomic_file.h"
#include "base/hash.h"
#include "base/text.h"

#define NAMES_SAID 8

/* ---- which files -------------------------------------------------------------------------------------------------- */

static void free_row(ubi__recording_process *row, const ubi_allocator *a) {
    ubi__free_array(a, row->path, row->path_bytes, 1);
}

void ubi__recording_processes_fini(ubi__recording_processes *p) {
    const ubi_allocator *a = ubi__allocator_or_default(p->allocator);
    for (size_t i = 0; i < p->rows.n; i++)
        free_row(&p->rows.at[i], a);
    ubi__vec_recording_process_fini(&p->rows, a);
    for (size_t i = 0; i < p->missing.n; i++)
        ubi__free_array(a, p->missing.at[i].path, p->missing.at[i].path_bytes, 1);
    ubi__vec_recording_missing_fini(&p->missing, a);
    ubi__ubirec_merge_free(p->merge);
    p->merge = NULL;
}

static void copy_base_name(char *out, size_t size, ubi_text path) {
    const char *slash = memrchr(path.ptr, '/', path.len);
    size_t from = slash ? (size_t)(slash + 1 - path.ptr) : 0;
    snprintf(out, size, "%.*s", (int)(path.len - from < size ? path.len - from : size), path.ptr + from);
}

/* Login shells have a sign before their name. */
static ubi_text started_as(const ubi__ubirec_about *about) {
    ubi_text name = about->arguments;
    name.len = strnlen(name.ptr, name.len);
    if (name.len && name.ptr[0] == '-')
        name = (ubi_text){ name.ptr + 1, name.len - 1 };
    return name;
}

static void take_about(void *payload, const ubi__ubirec_about *about) {
    ubi__recording_process *row = payload;
    row->about = *about;
    row->pid = about->pid;
    row->parent_pid = about->parent_pid;
    row->start_unix_ns = about->start_unix_ns + about->recording_start_ns;
    copy_base_name(row->name, sizeof row->name, about->program);
    copy_base_name(row->started_as, sizeof row->started_as, started_as(about));
    if (strcmp(row->started_as, row->name) == 0)
        row->started_as[0] = '\0';
}

/* A file, if it is one of the recording; `recording` 0: of any. */
static ubi_status add_file(ubi__recording_processes *p, const char *path, uint64_t recording) {
    const ubi_allocator *a = p->allocator;
    ubi__recording_process row = { .path_bytes = strlen(path) + 1 };
    if (!ubi__ubirec_peek_about(path, take_about, &row) || (recording && row.about.recording != recording))
        return UBI_OK;
    row.path = ubi__alloc_array(a, row.path_bytes, 1);
    if (!row.path)
        return ubi__fail_nomem();
    memcpy(row.path, path, row.path_bytes);
    ubi_status status = ubi__vec_recording_process_push(&p->rows, a, row);
    if (status != UBI_OK)
        free_row(&row, a);
    return status;
}

/* ".PID" or ".PID.N" after the name. */
static bool is_number(const char *text, const char **rest) {
    if (*text != '.' || !isdigit((unsigned char)text[1]))
        return false;
    for (text++; isdigit((unsigned char)*text); text++)
        ;
    *rest = text;
    return true;
}

static bool is_of_process(const char *rest) {
    return is_number(rest, &rest) && (!*rest || (is_number(rest, &rest) && !*rest));
}

static ubi_status add_others(ubi__recording_processes *p, const char *path, uint64_t recording) {
    char folder[PATH_MAX], other[PATH_MAX];
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t n_name = strlen(name), n_folder = (size_t)(name - path);
    ubi_status status = UBI_OK;
    if (n_folder >= sizeof folder)
        return UBI_OK;
    memcpy(folder, path, n_folder);
    folder[n_folder] = '\0';
    DIR *all = opendir(n_folder ? folder : ".");
    for (struct dirent *e; all && status == UBI_OK && (e = readdir(all)) != NULL;)
        if (strncmp(e->d_name, name, n_name) == 0 && is_of_process(e->d_name + n_name) &&
            (size_t)snprintf(other, sizeof other, "%s%s", folder, e->d_name) < sizeof other)
            status = add_file(p, other, recording);
    if (all)
        closedir(all);
    return status;
}

int ubi__recording_process_compare(const void *a, const void *b) {
    const ubi__recording_process *x = a, *y = b;
    if (x->start_unix_ns != y->start_unix_ns)
        return x->start_unix_ns < y->start_unix_ns ? -1 : 1;
    return (x->pid > y->pid) - (x->pid < y->pid);
}

static bool is_wanted(const ubi__recording_process *row, const char *wanted) {
    char pid[32];
    snprintf(pid, sizeof pid, "%" PRIu64, row->pid);
    return strcmp(wanted, pid) == 0 || strcmp(wanted, row->name) == 0 || strcmp(wanted, row->started_as) == 0;
}

void ubi__recording_process_name(char out[UBI__PROCESS_NAME], const ubi__recording_process *row) {
    if (row->started_as[0])
        snprintf(out, UBI__PROCESS_NAME, "%s (%s)", row->started_as, row->name);
    else
        snprintf(out, UBI__PROCESS_NAME, "%s", row->name);
}

static ubi_status fail_unknown(const ubi__recording_processes *p, const char *wanted) {
    char names[NAMES_SAID * (UBI__PROCESS_NAME + 32)] = "", name[UBI__PROCESS_NAME];
    size_t n = 0;
    for (size_t i = 0; i < p->rows.n && i < NAMES_SAID; i++) {
        ubi__recording_process_name(name, &p->rows.at[i]);
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s %" PRIu64, i ? ", " : "", name, p->rows.at[i].pid);
    }
    return ubi__fail(UBI_EINVAL, "--process: there is no '%s'; there %s %s%s", wanted, p->rows.n == 1 ? "is" : "are",
                     names, p->rows.n > NAMES_SAID ? ", ..." : "");
}

static ubi_status keep_wanted(ubi__recording_processes *p, const char *wanted) {
    size_t n = 0;
    for (size_t i = 0; i < p->rows.n; i++)
        n += is_wanted(&p->rows.at[i], wanted);
    if (n == 0)
        return fail_unknown(p, wanted);
    n = 0;
    for (size_t i = 0; i < p->rows.n; i++) {
        if (is_wanted(&p->rows.at[i], wanted))
            p->rows.at[n++] = p->rows.at[i];
        else
            free_row(&p->rows.at[i], p->allocator);
    }
    p->rows.n = n;
    return UBI_OK;
}

/* FILE.PID and FILE.PID.N of a process are names of later ones. */
static bool is_first(const char *path, uint64_t pid) {
    char number[32];
    const char *rest = NULL;
    snprintf(number, sizeof number, ".%" PRIu64, pid);
    for (const char *at = path; (at = strstr(at, number)) != NULL; at++)
        rest = at;
    return !rest || !is_of_process(rest);
}

/* Which files they are, and in which state. */
static uint64_t files_identify(const ubi__recording_processes *p) {
    uint64_t hash = 0;
    struct stat about;
    for (size_t i = 0; i < p->rows.n; i++) {
        if (stat(p->rows.at[i].path, &about) != 0)
            about = (struct stat){ .st_size = 0 };
        hash = ubi__hash_combine(hash, (uint64_t)about.st_dev);
        hash = ubi__hash_combine(hash, (uint64_t)about.st_ino);
        hash = ubi__hash_combine(hash, (uint64_t)about.st_size);
        hash = ubi__hash_combine(hash, (uint64_t)about.st_mtim.tv_sec * 1000000000 + (uint64_t)about.st_mtim.tv_nsec);
    }
    return hash;
}

static ubi_status process_find(ubi__recording_processes *p, const char *path, const char *wanted) {
    if (strcmp(path, "-") != 0)
        UBI_TRY(add_file(p, path, 0));
    if (p->rows.n == 0) /* opening it says why */
        return wanted ? ubi__fail(UBI_EINVAL, "--process: there is one process here") : UBI_OK;
    uint64_t recording = p->rows.at[0].about.recording;
    if (recording && is_first(path, p->rows.at[0].pid)) {
        p->first = path;
        p->recording = recording;
        p->wanted = wanted;
        UBI_TRY(add_others(p, path, recording));
    }
    qsort(p->rows.at + 1, p->rows.n - 1, sizeof *p->rows.at, ubi__recording_process_compare);
    p->identity = files_identify(p);
    return wanted ? keep_wanted(p, wanted) : UBI_OK;
}

void ubi__recording_processes_check(const ubi__recording_processes *p) {
    UBI_ASSERT(p->first == NULL || (p->rows.n > 0 && p->recording != 0));
    UBI_ASSERT(p->wanted == NULL || p->first != NULL);
    for (size_t i = 2; UBI_CHECKS && !p->wanted && i < p->rows.n; i++)
        UBI_ASSERT(ubi__recording_process_compare(&p->rows.at[i - 1], &p->rows.at[i]) <= 0);
    for (size_t i = 0; UBI_CHECKS && i < p->rows.n; i++)
        UBI_ASSERT(strlen(p->rows.at[i].path) + 1 == p->rows.at[i].path_bytes);
}

ubi_status ubi__recording_processes_find(ubi__recording_processes *out, const char *path, const char *wanted,
                                         const ubi_allocator *allocator) {
    *out = (ubi__recording_processes){ .allocator = ubi__allocator_or_default(allocator) };
    ubi_status status = process_find(out, path, wanted);
    if (status != UBI_OK)
        ubi__recording_processes_fini(out);
    else
        ubi__recording_processes_check(out);
    return status;
}

/* ---- as one ------------------------------------------------------------------------------------------------------- */

static ubi_status write_to(void *payload, const void *data, size_t n) {
    return ubi__write_fully(*(const int *)payload, data, n);
}

static int open_unnamed(void) {
    const char *folder = getenv("TMPDIR");
    int fd = open(folder && *folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    return fd >= 0 ? fd : memfd_create("ubiheap", MFD_CLOEXEC);
}

static ubi_status put_together(ubi__recording_processes *p, int fd, const ubi_progress *progress) {
    ubi__ubirec_writer *writer;
    UBI_TRY(ubi__ubirec_merge_new(&p->merge, p->allocator));
    for (size_t i = 0; i < p->rows.n; i++)
        UBI_TRY(ubi__ubirec_merge_add(p->merge, p->rows.at[i].path, &p->rows.at[i].about));
    UBI_TRY(ubi__ubirec_writer_new(&writer, write_to, &fd, p->allocator));
    ubi_status status = ubi__ubirec_merge_write(p->merge, writer, progress);
    ubi__ubirec_writer_free(writer);
    if (status == UBI_OK && lseek(fd, 0, SEEK_SET) < 0)
        status = ubi__fail_errno(errno, "cannot read a temporary file");
    return status;
}

ubi_status ubi__recording_processes_open(ubi__recording_processes *p, ubi__source *out, const ubi_progress *progress) {
    int fd = open_unnamed();
    if (fd < 0)
        return ubi__fail_errno(errno, "cannot make a temporary file");
    ubi_status status = put_together(p, fd, progress);
    if (status != UBI_OK) {
        close(fd);
        return status;
    }
    ubi__source_open_fd(out, fd, p->allocator);
    out->owns_fd = true;
    return UBI_OK;
}

/* ---- what is missing ---------------------------------------------------------------------------------------------- */

static void take_recording(void *recording, const ubi__ubirec_about *about) {
    *(uint64_t *)recording = about->recording;
}

static bool is_known(const ubi__recording_processes *p, const char *path) {
    uint64_t recording = 0;
    for (size_t i = 0; i < p->rows.n; i++)
        if (strcmp(p->rows.at[i].path, path) == 0)
            return true;
    for (size_t i = 0; i < p->missing.n; i++)
        if (strcmp(p->missing.at[i].path, path) == 0)
            return true;
    return p->wanted && ubi__ubirec_peek_about(path, take_recording, &recording) && recording == p->recording;
}

/* Whether a process is one of the wanted ones: ".PID", or ".PID.N", and its name. */
static bool is_wanted_companion(const char *wanted, const char *suffix, const char *name) {
    size_t n = wanted ? strlen(wanted) : 0;
    return !wanted || strcmp(wanted, name) == 0 ||
           (suffix[0] == '.' && strncmp(suffix + 1, wanted, n) == 0 && (!suffix[n + 1] || suffix[n + 1] == '.'));
}

static ubi_status note_missing(ubi__recording_processes *p, ubi_text suffix, ubi_text name) {
    const ubi_allocator *a = p->allocator;
    ubi__recording_missing row = { .path = NULL };
    char path[PATH_MAX];
    const char *rest = path + strlen(p->first);
    copy_base_name(row.name, sizeof row.name, name);
    if ((size_t)snprintf(path, sizeof path, "%s%.*s", p->first, (int)suffix.len, suffix.ptr) >= sizeof path ||
        !is_of_process(rest) || !is_wanted_companion(p->wanted, rest, row.name) || is_known(p, path))
        return UBI_OK;
    row.path_bytes = strlen(path) + 1;
    row.path = ubi__alloc_array(a, row.path_bytes, 1);
    if (!row.path)
        return ubi__fail_nomem();
    memcpy(row.path, path, row.path_bytes);
    ubi_status status = ubi__vec_recording_missing_push(&p->missing, a, row);
    if (status != UBI_OK)
        ubi__free_array(a, row.path, row.path_bytes, 1);
    return status;
}

ubi_status ubi__recording_processes_find_missing(ubi__recording_processes *p, const ubi__ubirec_tables *t) {
    for (size_t i = 0; p->first && i < t->companions.n; i++)
        UBI_TRY(note_missing(p, ubi__ubirec_string_at(t, t->companions.at[i].suffix),
                             ubi__ubirec_string_at(t, t->companions.at[i].name)));
    return UBI_OK;
}

/* Gives back the merge. */
static void rows_sum(ubi__recording_processes *p, ubi__recording_summary *s) {
    uint64_t torn_bytes;
    for (uint32_t i = 0; i < s->threads.n; i++) {
        ubi__recording_process *row = &p->rows.at[ubi__ubirec_merge_file_of(p->merge, i)];
        row->n_samples += s->threads.at[i].allocated.samples;
        row->count += s->threads.at[i].allocated.count;
        row->bytes += s->threads.at[i].allocated.bytes;
        row->freed_bytes += s->threads.at[i].freed.bytes;
    }
    for (uint32_t i = 0; i < p->rows.n; i++) {
        const char *fault = ubi__ubirec_merge_fault(p->merge, i, &torn_bytes);
        s->torn_bytes += torn_bytes;
        p->n_given_up += ubi__ubirec_merge_gave_up(p->merge, i);
        if (fault[0] && !s->fault[0])
            snprintf(s->fault, sizeof s->fault, "%.100s: %.150s", p->rows.at[i].path, fault);
    }
    ubi__ubirec_merge_free(p->merge);
    p->merge = NULL;
    p->are_summed = true;
}

ubi_status ubi__recording_processes_sum(ubi__recording_processes *p, ubi__recording_summary *s) {
    UBI_TRY(ubi__recording_processes_find_missing(p, &s->tables));
    if (p->merge)
        rows_sum(p, s);
    return UBI_OK;
}
