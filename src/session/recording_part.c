/* SPDX-License-Identifier: MIT
 *
 * recording_part.c: a recording, its places, and what its files have (recording_parts.h).
 *
 * Keys say what a part was made of: that of a recording is 's' (with symbols) or '-', and '=' with a process if one was chosen; places
 * have 'w' (without wrappers) or '-' in front of that, sorted ones the digit of their order in front of that.
 */
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "session/recording_parts.h"
#include "session/session_inside.h"

#define MARK_SYMBOLS 's'
#define MARK_WRAPPERS 'w'
#define MARK_NOT '-'

/* ---- a recording --------------------------------------------------------------------------------------------------- */

static ubi_status wanted_copy(ubi__session_recording *r, const char *wanted) {
    r->wanted_bytes = strlen(wanted) + 1;
    r->wanted = ubi__alloc_array(r->allocator, r->wanted_bytes, 1);
    if (!r->wanted)
        return ubi__fail_nomem();
    memcpy(r->wanted, wanted, r->wanted_bytes);
    return UBI_OK;
}

static ubi_status files_read(ubi__session_recording *r, const ubi_session_use *use) {
    ubi__source source;
    if (r->processes.rows.n > 1)
        UBI_TRY(ubi__recording_processes_open(&r->processes, &source, &use->progress));
    else
        UBI_TRY(ubi__source_open_path(&source, r->path, r->allocator));
    ubi_status status = ubi__recording_summary_read(&r->summary, &source, &use->progress, r->allocator);
    ubi__source_close(&source);
    return status;
}

static ubi_status recording_finish(ubi__session_recording *r, const ubi_session_use *use, bool with_symbols) {
    ubi__recording_namer *namer = use->session->pool->namer;
    UBI_TRY(ubi__recording_processes_sum(&r->processes, &r->summary));
    return with_symbols && namer ? namer(&r->summary.tables, &r->hints, &use->progress) : UBI_OK;
}

static ubi_status recording_read(ubi__session_recording *r, ubi_session_use *use, const char *key) {
    ubi__file_identity file;
    if (key[1])
        UBI_TRY(wanted_copy(r, key + 2));
    UBI_TRY(ubi__recording_processes_find(&r->processes, use->session->name, r->wanted, r->allocator));
    UBI_TRY(ubi__session_file_check(&file, use->session, r->processes.identity));
    r->path = r->wanted && r->processes.rows.n == 1 ? r->processes.rows.at[0].path : use->session->name;
    UBI_TRY(files_read(r, use));
    ubi_status status = recording_finish(r, use, key[0] == MARK_SYMBOLS);
    if (status != UBI_OK)
        ubi__recording_summary_fini(&r->summary);
    else
        ubi__session_file_note(use->session, &file, r->processes.identity);
    return status;
}

/* All but the summary. */
static void recording_release(ubi__session_recording *r, const ubi_allocator *allocator) {
    ubi__recording_processes_fini(&r->processes);
    ubi__free_array(allocator, r->wanted, r->wanted_bytes, 1);
    UBI_DELETE(allocator, r);
}

static ubi_status recording_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    if (use->session->kind != UBI_SESSION_RECORDING)
        return ubi__session_refuse(use->session, "recording");
    ubi__session_recording *r = UBI_NEW(allocator, ubi__session_recording);
    if (!r)
        return ubi__fail_nomem();
    r->allocator = allocator;
    ubi_status status = recording_read(r, use, key);
    if (status == UBI_OK)
        *out = r;
    else
        recording_release(r, allocator);
    return status;
}

static void recording_free(void *value, const ubi_allocator *allocator) {
    ubi__session_recording *r = value;
    ubi__recording_summary_fini(&r->summary);
    recording_release(r, allocator);
}

static const ubi__part_type recording_part = { "recording", recording_build, recording_free, .is_of_graph = true };

/* ---- places ---------------------------------------------------------------------------------------------------------- */

static ubi_status sites_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    void *value;
    UBI_TRY(ubi__session_part(&value, use, &recording_part, key + 1));
    const ubi__session_recording *r = value;
    ubi__sites *sites = UBI_NEW(allocator, ubi__sites);
    if (!sites)
        return ubi__fail_nomem();
    ubi_status status = ubi__sites_init(sites, &r->summary, key[0] == MARK_WRAPPERS, allocator);
    if (status == UBI_OK)
        *out = sites;
    else
        UBI_DELETE(allocator, sites);
    return status;
}

static void sites_free(void *value, const ubi_allocator *allocator) {
    ubi__sites *sites = value;
    ubi__sites_fini(sites);
    UBI_DELETE(allocator, sites);
}

static const ubi__part_type sites_part = { "places", sites_build, sites_free, .is_of_graph = true };

static ubi_status sorted_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    void *value;
    UBI_TRY(ubi__session_part(&value, use, &sites_part, key + 1));
    ubi__sites *sites = UBI_NEW(allocator, ubi__sites);
    if (!sites)
        return ubi__fail_nomem();
    ubi_status status = ubi__sites_view(sites, value, (ubi__site_order)(key[0] - '0'), allocator);
    if (status == UBI_OK)
        *out = sites;
    else
        UBI_DELETE(allocator, sites);
    return status;
}

static const ubi__part_type sorted_part = { "sorted places", sorted_build, sites_free, .is_of_graph = true };

/* ---- keys ------------------------------------------------------------------------------------------------------------ */

/* The part whose key is the marks, and then the process. */
static ubi_status part_get(void **out, ubi_session_use *use, const ubi__part_type *type, const char *marks,
                           const char *process) {
    const ubi_allocator *a = ubi_session_use_allocator(use);
    size_t key_bytes = strlen(marks) + (process ? strlen(process) + 1 : 0) + 1;
    char *key = ubi__alloc_array(a, key_bytes, 1);
    if (!key)
        return ubi__fail_nomem();
    snprintf(key, key_bytes, "%s%s%s", marks, process ? "=" : "", process ? process : "");
    ubi_status status = ubi__session_part(out, use, type, key);
    ubi__free_array(a, key, key_bytes, 1);
    return status;
}

ubi_status ubi__session_recording_get(const ubi__session_recording **out, ubi_session_use *use,
                                      const ubi__recording_choice *choice) {
    const char marks[] = { choice->with_symbols ? MARK_SYMBOLS : MARK_NOT, '\0' };
    void *value;
    UBI_TRY(part_get(&value, use, &recording_part, marks, choice->process));
    *out = value;
    return UBI_OK;
}

ubi_status ubi__session_sites_get(const ubi__sites **out, ubi_session_use *use, const ubi__recording_choice *choice,
                                  ubi__site_order order) {
    const char marks[] = { (char)('0' + order), choice->with_wrappers ? MARK_WRAPPERS : MARK_NOT,
                           choice->with_symbols ? MARK_SYMBOLS : MARK_NOT, '\0' };
    void *value;
    UBI_TRY(part_get(&value, use, &sorted_part, marks, choice->process));
    *out = value;
    return UBI_OK;
}

/* ---- what its files have --------------------------------------------------------------------------------------------- */

/* By the index at the end of the file. A pipe can be read once. */
static ubi_status index_glance(bool *found, ubi__recording_file_facts *f, const char *path, const ubi_allocator *a) {
    ubi__source source;
    *found = false;
    if (strcmp(path, "-") == 0)
        return UBI_OK;
    UBI_TRY(ubi__source_open_path(&source, path, a));
    ubi_status status = ubi__recording_summary_glance(&f->summary, &f->index, found, &source, a);
    ubi__source_close(&source);
    return status;
}

/* A file without an index: unfinished, from an older recorder, or read from a pipe. */
static ubi_status file_read(ubi__recording_file_facts *f, const ubi_session_use *use, const char *path,
                            const ubi_allocator *a) {
    ubi__source source;
    UBI_TRY(ubi__source_open_path(&source, path, a));
    ubi_status status = ubi__recording_summary_read(&f->summary, &source, &use->progress, a);
    ubi__source_close(&source);
    if (status == UBI_OK)
        f->index = ubi__recording_summary_index(&f->summary);
    return status;
}

static ubi_status files_gather(ubi__session_recording_files *files, ubi_session_use *use) {
    const char *path = use->session->name;
    ubi__file_identity file;
    bool found;
    UBI_TRY(ubi__recording_processes_find(&files->processes, path, NULL, files->allocator));
    UBI_TRY(ubi__session_file_check(&file, use->session, files->processes.identity));
    files->capacity = ubi__recording_file_count(&files->processes);
    files->at = ubi__calloc_array(files->allocator, files->capacity, sizeof *files->at);
    if (!files->at)
        return ubi__fail_nomem();
    for (; files->n < files->capacity; files->n++) {
        ubi__recording_file_facts *f = &files->at[files->n];
        const char *one = ubi__recording_file(&files->processes, path, files->n);
        if (!ubi__progress(&use->progress, "files", files->n, files->capacity))
            return ubi__fail_cancelled();
        UBI_TRY(index_glance(&found, f, one, files->allocator));
        if (!found)
            UBI_TRY(file_read(f, use, one, files->allocator));
    }
    ubi__session_file_note(use->session, &file, files->processes.identity);
    return UBI_OK;
}

static void files_free(void *value, const ubi_allocator *allocator) {
    ubi__session_recording_files *files = value;
    for (size_t i = 0; i < files->n; i++)
        ubi__recording_summary_fini(&files->at[i].summary);
    ubi__free_array(allocator, files->at, files->capacity, sizeof *files->at);
    ubi__recording_processes_fini(&files->processes);
    UBI_DELETE(allocator, files);
}

static ubi_status files_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    (void)key;
    if (use->session->kind != UBI_SESSION_RECORDING)
        return ubi__session_refuse(use->session, "recording");
    ubi__session_recording_files *files = UBI_NEW(allocator, ubi__session_recording_files);
    if (!files)
        return ubi__fail_nomem();
    files->allocator = allocator;
    ubi_status status = files_gather(files, use);
    if (status == UBI_OK)
        *out = files;
    else
        files_free(files, allocator);
    return status;
}

static const ubi__part_type files_part = { "recording files", files_build, files_free, .is_of_graph = true };

ubi_status ubi__session_recording_files_get(const ubi__session_recording_files **out, ubi_session_use *use) {
    void *value;
    UBI_TRY(ubi__session_part(&value, use, &files_part, ""));
    *out = value;
    return UBI_OK;
}
