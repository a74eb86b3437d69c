/* SPDX-License-Identifier: MIT
 *
 * recording_part.c: a recording, and what its files have (recording_parts.h). Its key says what of it is read.
 */
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "base/status.h"
#include "recording/heap_profile.h"
#include "session/recording_parts.h"
#include "session/session_index.h"

/* ---- keys ------------------------------------------------------------------------------------------------------------ */

/* Two numbers, and what is between and after them. */
#define WINDOW_KEY_BYTES 44

ubi_status ubi__recording_key_make(ubi__recording_key *out, const char *head, const ubi__recording_choice *choice,
                                   const ubi_allocator *allocator) {
    const char *process = choice->process ? choice->process : "";
    char window[WINDOW_KEY_BYTES] = "";
    const char *by_thread = choice->is_by_thread ? "t" : "";
    if (!ubi__window_is_whole(&choice->window))
        snprintf(window, sizeof window, "%" PRIu64 "-%" PRIu64, choice->window.from_ns, choice->window.to_ns);
    out->n_bytes = strlen(head) + strlen(window) + strlen(process) + 3;
    out->text = ubi__alloc_array(allocator, out->n_bytes, 1);
    if (!out->text)
        return ubi__fail_nomem();
    snprintf(out->text, out->n_bytes, "%s%s%s%s%s", head, by_thread, window, choice->process ? "=" : "", process);
    return UBI_OK;
}

void ubi__recording_key_free(ubi__recording_key *key, const ubi_allocator *allocator) {
    ubi__free_array(allocator, key->text, key->n_bytes, 1);
}

void ubi__recording_key_read(ubi__recording_choice *out, const char *key) {
    char *rest = (char *)(uintptr_t)key;
    *out = (ubi__recording_choice){ .is_by_thread = *rest == 't' };
    rest += out->is_by_thread;
    if (*rest && *rest != '=') {
        out->window.from_ns = strtoull(rest, &rest, 10);
        out->window.to_ns = strtoull(rest + 1, &rest, 10);
    }
    out->process = *rest ? rest + 1 : NULL;
}

/* ---- a recording, as its files have it ------------------------------------------------------------------------------- */

static ubi_status wanted_copy(ubi__session_recording *r, const char *wanted) {
    r->wanted_bytes = strlen(wanted) + 1;
    r->wanted = ubi__alloc_array(r->allocator, r->wanted_bytes, 1);
    if (!r->wanted)
        return ubi__fail_nomem();
    memcpy(r->wanted, wanted, r->wanted_bytes);
    return UBI_OK;
}

static ubi_status files_read(ubi__session_recording *r, const ubi_session_use *use, const ubi__summary_choice *choice) {
    ubi__source source;
    if (r->processes.rows.n > 1)
        UBI_TRY(ubi__recording_processes_open(&r->processes, &source, &use->progress));
    else
        UBI_TRY(ubi__recording_source_open(&source, r->path, r->allocator));
    ubi_status status = ubi__recording_summary_read_choice(&r->summary, &source, choice, &use->progress, r->allocator);
    ubi__source_close(&source);
    return status;
}

/* By the index, or else from the files. */
static ubi_status summary_read(ubi__session_recording *r, ubi_session_use *use, const ubi__recording_choice *choice) {
    const ubi__summary_choice how = { .window = choice->window,
                                      .is_by_thread = choice->is_by_thread,
                                      .threads = ubi__thread_count(use->threads) };
    bool found = false, is_part = !ubi__window_is_whole(&choice->window) || choice->is_by_thread;
    if (is_part && !choice->process && r->processes.rows.n <= 1)
        UBI_TRY(ubi__session_checkpoints_window(&r->summary, &found, use, r->path, &how, r->allocator));
    return found ? UBI_OK : files_read(r, use, &how);
}

static ubi_status recording_read(ubi__session_recording *r, ubi_session_use *use, const char *key) {
    ubi__file_identity file;
    ubi__recording_choice choice;
    ubi__recording_key_read(&choice, key);
    if (choice.process)
        UBI_TRY(wanted_copy(r, choice.process));
    UBI_TRY(ubi__recording_processes_find(&r->processes, use->session->name, r->wanted, r->allocator));
    UBI_TRY(ubi__session_file_check(&file, use->session, r->processes.identity));
    r->path = r->wanted && r->processes.rows.n == 1 ? r->processes.rows.at[0].path : use->session->name;
    UBI_TRY(ubi__session_fault_note(use->session, summary_read(r, use, &choice)));
    ubi_status status = ubi__recording_processes_sum(&r->processes, &r->summary);
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

static void recording_free(void *value, const ubi_allocator *allocator) {
    ubi__session_recording *r = value;
    ubi__recording_summary_fini(&r->summary);
    recording_release(r, allocator);
}

static ubi_status columns_take(ubi__session_recording *r, ubi__columns *c, ubi_session_use *use) {
    UBI_TRY(ubi__session_recording_pass(c, r));
    return ubi__session_index_note(use, NULL);
}

/* Nothing when there are other files by now than when the index was found to be of them. */
static ubi_status recording_load(void **out, ubi__columns *c, ubi_session_use *use) {
    const ubi_allocator *a = c->allocator;
    ubi__session_index *index;
    UBI_TRY(ubi__session_index_get(&index, use));
    ubi__session_recording *r = UBI_NEW(a, ubi__session_recording);
    if (!r)
        return ubi__fail_nomem();
    r->allocator = a;
    r->path = use->session->name;
    r->is_of_index = true;
    ubi_status status = ubi__recording_processes_find(&r->processes, r->path, NULL, a);
    if (status != UBI_OK || r->processes.identity != index->others_identity) {
        recording_release(r, a);
        return status;
    }
    status = columns_take(r, c, use);
    if (status == UBI_OK)
        *out = r;
    else
        recording_free(r, a);
    return status;
}

ubi_status ubi__session_recording_pass(ubi__columns *c, ubi__session_recording *r) {
    UBI_TRY(ubi__recording_summary_pass(c, &r->summary));
    return ubi__recording_processes_pass(c, &r->processes, &r->summary.tables);
}

static ubi_status recording_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    if (use->session->kind != UBI_SESSION_RECORDING)
        return ubi__session_refuse(use->session, "recording");
    if (!key[0])
        UBI_TRY(ubi__session_indexed(out, use, UBI__INDEXED_RECORDING, recording_load, allocator));
    else
        *out = NULL;
    if (*out)
        return UBI_OK;
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

static const ubi__part_type recording_part = { "recording", recording_build, recording_free, .is_of_graph = true };

/* ---- with names that it lacks ---------------------------------------------------------------------------------------- */

static ubi_status names_add(ubi__session_recording *r, const ubi__session_recording *of, const ubi_session_use *use,
                            const ubi_allocator *a) {
    UBI_TRY(ubi__recording_summary_view(&r->summary, &of->summary, a));
    ubi_status status = use->session->pool->namer(&r->summary.tables, &r->hints, &use->progress);
    if (status != UBI_OK)
        ubi__recording_summary_fini(&r->summary);
    return status;
}

static ubi_status named_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    void *value;
    UBI_TRY(ubi__session_part(&value, use, &recording_part, key));
    const ubi__session_recording *of = value;
    ubi__session_recording *r = UBI_NEW(allocator, ubi__session_recording);
    if (!r)
        return ubi__fail_nomem();
    *r = *of;
    r->allocator = allocator;
    ubi_status status = names_add(r, of, use, allocator);
    if (status == UBI_OK)
        *out = r;
    else
        UBI_DELETE(allocator, r);
    return status;
}

static void named_free(void *value, const ubi_allocator *allocator) {
    ubi__session_recording *r = value;
    ubi__recording_summary_fini(&r->summary);
    UBI_DELETE(allocator, r);
}

static const ubi__part_type named_part = { "names", named_build, named_free, .is_of_graph = true };

/* ---- getting one ----------------------------------------------------------------------------------------------------- */

ubi_status ubi__session_recording_get(const ubi__session_recording **out, ubi_session_use *use,
                                      const ubi__recording_choice *choice) {
    const ubi_allocator *a = ubi_session_use_allocator(use);
    bool with_names = choice->with_symbols && use->session->pool->namer;
    ubi__recording_key key;
    void *value = NULL;
    UBI_TRY(ubi__recording_key_make(&key, "", choice, a));
    ubi_status status = ubi__session_part(&value, use, with_names ? &named_part : &recording_part, key.text);
    ubi__recording_key_free(&key, a);
    *out = value;
    return status;
}

/* ---- its events --------------------------------------------------------------------------------------------------------- */

static ubi_status files_reopen(ubi__source *out, ubi__recording_processes *processes, const ubi__session_recording *r,
                               const ubi_session_use *use, const ubi_allocator *a) {
    if (processes->identity != r->processes.identity)
        return ubi__fail(UBI_EFORMAT, "the file was changed while it was read");
    if (processes->rows.n > 1)
        return ubi__recording_processes_open(processes, out, &use->progress);
    return ubi__recording_source_open(out, r->path, a);
}

/* Which frees are left out. */
static ubi_status undone_look(ubi__vec_u64 *taken_back, ubi__source *source, unsigned threads,
                              const ubi_session_use *use, const ubi_allocator *a) {
    UBI_TRY(ubi__event_stream_look(taken_back, source, threads, &use->progress, a));
    if (!ubi__source_rewind(source))
        return ubi__fail(UBI_EINVAL, "events are read again, which a pipe cannot give: name a file");
    return UBI_OK;
}

static ubi_status events_read(const ubi__event_stream *given, ubi__source *source,
                              const ubi__recording_summary *summary, const ubi_session_use *use,
                              const ubi_allocator *a) {
    ubi__event_stream stream = *given;
    ubi__vec_u64 taken_back = { 0 };
    stream.threads = ubi__thread_count(use->threads);
    if (!given->is_of_all)
        stream.window = summary->window;
    ubi_status status = summary->has_undone ? undone_look(&taken_back, source, stream.threads, use, a) : UBI_OK;
    if (status == UBI_OK)
        status = ubi__event_stream_read(&stream, &taken_back, source, &use->progress, a);
    ubi__vec_u64_fini(&taken_back, a);
    return status;
}

ubi_status ubi__session_recording_events(const ubi__session_recording *recording, ubi_session_use *use,
                                         const ubi__event_stream *stream) {
    const ubi_allocator *a = ubi_session_use_allocator(use);
    ubi__recording_processes processes;
    ubi__source source;
    if (strcmp(recording->path, "-") == 0)
        return ubi__fail(UBI_EINVAL, "events are read again, which a pipe cannot give: name a file");
    UBI_TRY(ubi__recording_processes_find(&processes, use->session->name, recording->wanted, a));
    ubi_status status = files_reopen(&source, &processes, recording, use, a);
    if (status == UBI_OK) {
        status = events_read(stream, &source, &recording->summary, use, a);
        ubi__source_close(&source);
    }
    ubi__recording_processes_fini(&processes);
    return status;
}

/* ---- what names were added ------------------------------------------------------------------------------------------- */

/* What comes after the first n items of a vector, of the same vector with names. */
#define TAIL_HASH(state, vec, n_before)                                                                                \
    do {                                                                                                               \
        if ((vec)->n > (n_before))                                                                                     \
            crypto_generichash_update((state), (const uint8_t *)((vec)->at + (n_before)),                              \
                                      ((vec)->n - (n_before)) * sizeof *(vec)->at);                                    \
    } while (0)

static void names_hash(uint8_t out[UBI__NAMES_DIGEST_BYTES], const ubi__session_recording *named,
                       const ubi__session_recording *plain) {
    const ubi__ubirec_tables *t = &named->summary.tables, *before = &plain->summary.tables;
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, UBI__NAMES_DIGEST_BYTES);
    TAIL_HASH(&state, &t->strings.bytes, before->strings.bytes.n);
    TAIL_HASH(&state, &t->strings.end, before->strings.end.n);
    TAIL_HASH(&state, &t->symbols, before->symbols.n);
    TAIL_HASH(&state, &t->spans, 0);
    crypto_generichash_update(&state, (const uint8_t *)&named->hints, sizeof named->hints);
    crypto_generichash_final(&state, out, UBI__NAMES_DIGEST_BYTES);
}

ubi_status ubi__session_names_digest(uint8_t out[UBI__NAMES_DIGEST_BYTES], ubi_session_use *use) {
    static const ubi__recording_choice plain_choice = { .with_symbols = false },
                                       named_choice = { .with_symbols = true };
    const ubi__session_recording *plain, *named;
    memset(out, 0, UBI__NAMES_DIGEST_BYTES);
    if (use->session->kind != UBI_SESSION_RECORDING || !use->session->pool->namer)
        return UBI_OK;
    UBI_TRY(ubi__session_recording_get(&plain, use, &plain_choice));
    UBI_TRY(ubi__session_recording_get(&named, use, &named_choice));
    names_hash(out, named, plain);
    return UBI_OK;
}

/* ---- what its files have --------------------------------------------------------------------------------------------- */

/* By the index at the end of the file. A pipe can be read once. */
static ubi_status index_glance(bool *found, ubi__recording_file_facts *f, const char *path, const ubi_allocator *a) {
    ubi__source source;
    *found = false;
    if (strcmp(path, "-") == 0)
        return UBI_OK;
    UBI_TRY(ubi__recording_source_open(&source, path, a));
    ubi_status status = ubi__recording_summary_glance(&f->own, &f->index, found, &source, a);
    ubi__source_close(&source);
    if (status == UBI_OK && *found)
        f->summary = &f->own;
    return status;
}

/* A file without an index: unfinished, from an older recorder, or read from a pipe. */
static ubi_status file_read(ubi__recording_file_facts *f, const ubi_session_use *use, const char *path,
                            const ubi_allocator *a) {
    ubi__source source;
    UBI_TRY(ubi__recording_source_open(&source, path, a));
    ubi_status status = ubi__recording_summary_read(&f->own, &source, &use->progress, a);
    ubi__source_close(&source);
    if (status == UBI_OK)
        f->summary = &f->own;
    return status;
}

/* The same of one that is alone: it is read once for all that is asked. */
static ubi_status recording_look(ubi__recording_file_facts *f, ubi_session_use *use) {
    void *value;
    UBI_TRY(ubi__session_part(&value, use, &recording_part, ""));
    const ubi__session_recording *r = value;
    f->summary = &r->summary;
    return UBI_OK;
}

static ubi_status facts_gather(ubi__recording_file_facts *f, const ubi__session_recording_files *files,
                               ubi_session_use *use, const char *path) {
    bool found;
    UBI_TRY(index_glance(&found, f, path, files->allocator));
    if (found)
        return UBI_OK;
    UBI_TRY(files->capacity == 1 ? recording_look(f, use) : file_read(f, use, path, files->allocator));
    f->index = ubi__recording_summary_index(f->summary);
    return UBI_OK;
}

static ubi_status files_gather(ubi__session_recording_files *files, ubi_session_use *use) {
    const char *path = use->session->name;
    ubi__file_identity file;
    UBI_TRY(ubi__recording_processes_find(&files->processes, path, NULL, files->allocator));
    UBI_TRY(ubi__session_file_check(&file, use->session, files->processes.identity));
    files->capacity = ubi__recording_file_count(&files->processes);
    files->at = ubi__calloc_array(files->allocator, files->capacity, sizeof *files->at);
    if (!files->at)
        return ubi__fail_nomem();
    for (; files->n < files->capacity; files->n++) {
        const char *one = ubi__recording_file(&files->processes, path, files->n);
        if (!ubi__progress(&use->progress, "files", files->n, files->capacity))
            return ubi__fail_cancelled();
        UBI_TRY(facts_gather(&files->at[files->n], files, use, one));
    }
    ubi__session_file_note(use->session, &file, files->processes.identity);
    return UBI_OK;
}

static void files_free(void *value, const ubi_allocator *allocator) {
    ubi__session_recording_files *files = value;
    for (size_t i = 0; i < files->n; i++)
        if (files->at[i].summary == &files->at[i].own)
            ubi__recording_summary_fini(&files->at[i].own);
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
