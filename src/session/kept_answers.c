/* SPDX-License-Identifier: MIT
 *
 * kept_answers.c: see kept_answers.h.
 */
#include "session/kept_answers.h"

#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/column_file.h"
#include "base/status.h"
#include "base/strtab.h"
#include "session/cache_folder.h"
#include "session/recording_parts.h"
#include "session/session_index.h"

/* ---- keys ------------------------------------------------------------------------------------------------------------ */

typedef struct answer_key {
    uint8_t hash[32]; /* of the key's text */
} answer_key;
UBI_VEC_DECLARE(vec_answer_key, answer_key);

/** The answers of a heap, the newest last. */
typedef struct kept_answers {
    vec_answer_key keys;
    ubi__strtab texts;
} kept_answers;

/* With what an answer about a recording depends on besides its files. */
static ubi_status key_make(answer_key *out, ubi_session_use *use, ubi_text text) {
    uint8_t names[UBI__NAMES_DIGEST_BYTES];
    bool is_recording = use->session->kind == UBI_SESSION_RECORDING;
    if (is_recording)
        UBI_TRY(ubi__session_names_digest(names, use));
    crypto_generichash(out->hash, sizeof out->hash, (const uint8_t *)text.ptr, text.len, is_recording ? names : NULL,
                       is_recording ? sizeof names : 0);
    return UBI_OK;
}

/* Recordings may have names that come and go: no one asks about several. */
static bool is_nameable(const ubi_session_use *use) {
    return use->session->index_place == UBI_SESSION_INDEX_CACHE && ubi__session_is_indexed(use->session) &&
           !use->like && use->session->kind == UBI_SESSION_HEAP && ubi__file_identify(use->session->name).is_known;
}

ubi_status ubi__kept_key_add_heap(ubi__vec_u8 *key, bool *is_known, ubi_session_use *further) {
    ubi__index_note note;
    *is_known = false;
    if (!is_nameable(further))
        return UBI_OK;
    ubi_status status = ubi__session_heap_note(&note, further);
    if (status == UBI_ENOMEM || status == UBI_ECANCELLED)
        return status;
    if (status != UBI_OK) /* it has changed, which the question will say */
        return UBI_OK;
    *is_known = true;
    return ubi__bytes_append(key, &note, sizeof note, ubi_allocator_default());
}

/* ---- files ----------------------------------------------------------------------------------------------------------- */

static ubi_status answers_pass(ubi__columns *c, kept_answers *a) {
    UBI_TRY(UBI__COLUMN(c, "keys", &a->keys, NULL));
    UBI_TRY(ubi__columns_strings(c, "texts", &a->texts));
    return ubi__columns_expect(c, a->keys.n == ubi__strtab_count(&a->texts), "keys");
}

/* What is damaged is as if it were not there; that memory is short is not damage, and costs no answer. */
static ubi_status unless_damaged(ubi_status status) {
    return status == UBI_ENOMEM ? status : UBI_OK;
}

/* NULL: there is none that is of this heap and sound. Errors: UBI_ENOMEM. */
static ubi_status file_open(ubi__column_file **out, const char *path, const ubi__index_note *heap,
                            const ubi_allocator *a) {
    ubi__column_file *file = NULL;
    *out = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return UBI_OK;
    ubi_status status = ubi__column_file_open(&file, fd, a);
    close(fd);
    if (status != UBI_OK)
        return unless_damaged(status);
    const ubi__index_note *note = ubi__index_note_of(file);
    if (note && ubi__index_note_fits(note, heap))
        *out = file;
    else
        ubi__column_file_close(file);
    return UBI_OK;
}

/* ---- finding --------------------------------------------------------------------------------------------------------- */

static ubi_status answer_copy(ubi__vec_u8 *out, const kept_answers *answers, answer_key key, const ubi_allocator *a) {
    for (size_t i = answers->keys.n; i-- > 0;) {
        ubi_text text = ubi__strtab_get(&answers->texts, (ubi_str_ix)i);
        if (memcmp(&answers->keys.at[i], &key, sizeof key) != 0)
            continue;
        UBI_TRY(ubi__vec_u8_reserve(out, a, text.len));
        memcpy(out->at, text.ptr, text.len);
        out->n = text.len;
        return UBI_OK;
    }
    return UBI_OK;
}

static ubi_status answer_read(ubi__vec_u8 *out, const ubi__column_file *file, answer_key key, const ubi_allocator *a) {
    kept_answers answers = { .keys = { NULL, 0, 0 } };
    ubi__column_memory memory;
    ubi__column_memory_init(&memory, a, file);
    ubi__columns c = { .file = file, .scope = "answers", .allocator = &memory.allocator, .threads = 1 };
    ubi__strtab_init(&answers.texts, &memory.allocator);
    ubi_status status = answers_pass(&c, &answers);
    return status == UBI_OK ? answer_copy(out, &answers, key, a) : unless_damaged(status);
}

ubi_status ubi__kept_answer_find(ubi__vec_u8 *out, ubi_session_use *use, ubi_text key) {
    const ubi_allocator *a = ubi_session_use_allocator(use);
    char path[UBI__CACHE_PATH_BYTES + UBI__INDEX_NAME_BYTES + 16];
    ubi__session_index *index;
    if (use->session->index_place != UBI_SESSION_INDEX_CACHE || !ubi__session_is_indexed(use->session) || use->like)
        return UBI_OK;
    UBI_TRY(ubi__session_index_get(&index, use));
    if (!index->file || ubi__session_answers_path(path, sizeof path, use->session, &index->heap) != UBI_OK)
        return UBI_OK;
    ubi__column_file *file;
    answer_key hash;
    UBI_TRY(file_open(&file, path, &index->heap, a));
    if (!file)
        return UBI_OK;
    ubi_status status = key_make(&hash, use, key);
    if (status == UBI_OK)
        status = answer_read(out, file, hash, a);
    ubi__column_file_close(file);
    return status;
}

/* ---- keeping --------------------------------------------------------------------------------------------------------- */

static ubi_status answer_push(kept_answers *to, answer_key key, ubi_text text, const ubi_allocator *a) {
    ubi_str_ix entry;
    UBI_TRY(vec_answer_key_push(&to->keys, a, key));
    return ubi__strtab_append(&to->texts, &entry, text);
}

/* Those of `from` that stay: of other keys, and the newest for which there is room. */
static ubi_status answers_take(kept_answers *to, const kept_answers *from, answer_key replaced, size_t room,
                               const ubi_allocator *a) {
    size_t first = from->keys.n;
    while (first > 0 && ubi__strtab_get(&from->texts, (ubi_str_ix)(first - 1)).len <= room)
        room -= ubi__strtab_get(&from->texts, (ubi_str_ix)--first).len;
    for (size_t i = first; i < from->keys.n; i++)
        if (memcmp(&from->keys.at[i], &replaced, sizeof replaced) != 0)
            UBI_TRY(answer_push(to, from->keys.at[i], ubi__strtab_get(&from->texts, (ubi_str_ix)i), a));
    return UBI_OK;
}

static ubi_status answers_read(kept_answers *to, const ubi__column_file *file, answer_key replaced, size_t room,
                               const ubi_allocator *a) {
    kept_answers from = { .keys = { NULL, 0, 0 } };
    ubi__column_memory memory;
    ubi__column_memory_init(&memory, a, file);
    ubi__columns c = { .file = file, .scope = "answers", .allocator = &memory.allocator, .threads = 1 };
    ubi__strtab_init(&from.texts, &memory.allocator);
    ubi_status status = answers_pass(&c, &from);
    return status == UBI_OK ? answers_take(to, &from, replaced, room, a) : unless_damaged(status);
}

static ubi_status answers_write(const char *path, kept_answers *answers, const ubi__index_note *note,
                                const ubi_allocator *a) {
    ubi__atomic_file file;
    ubi__column_writer writer = { 0 };
    UBI_TRY(ubi__atomic_file_open(&file, path, 0, a));
    ubi__columns c = { .writer = &writer, .scope = "answers", .allocator = a };
    ubi_status status = ubi__column_writer_begin(&writer, ubi__atomic_file_write, &file, note, sizeof *note, a);
    if (status == UBI_OK)
        status = answers_pass(&c, answers);
    if (status == UBI_OK)
        status = ubi__column_writer_end(&writer);
    ubi__column_writer_fini(&writer);
    if (status == UBI_OK)
        return ubi__atomic_file_appear(&file);
    ubi__atomic_file_discard(&file);
    return status;
}

static ubi_status answers_replace(const char *path, const ubi__index_note *note, answer_key key, ubi_text answer,
                                  const ubi_allocator *a) {
    kept_answers answers = { .keys = { NULL, 0, 0 } };
    ubi__column_file *file;
    ubi__strtab_init(&answers.texts, a);
    ubi_status status = file_open(&file, path, note, a);
    if (status == UBI_OK && file)
        status = answers_read(&answers, file, key, UBI__KEPT_ANSWERS_BYTES - answer.len, a);
    ubi__column_file_close(file);
    if (status == UBI_OK)
        status = answer_push(&answers, key, answer, a);
    if (status == UBI_OK)
        status = answers_write(path, &answers, note, a);
    vec_answer_key_fini(&answers.keys, a);
    ubi__strtab_fini(&answers.texts);
    return status;
}

ubi_status ubi__kept_answer_add(ubi_session_use *use, ubi_text key, ubi_text answer) {
    const ubi_session *session = use->session;
    char folder[UBI__CACHE_PATH_BYTES], path[UBI__CACHE_PATH_BYTES + UBI__INDEX_NAME_BYTES + 16];
    ubi__session_index *index;
    ubi__index_note note;
    answer_key hash;
    if (session->index_place != UBI_SESSION_INDEX_CACHE || !ubi__session_is_indexed(session) || use->like ||
        !answer.len || answer.len > UBI__KEPT_ANSWERS_BYTES)
        return UBI_OK;
    UBI_TRY(ubi__session_index_get(&index, use));
    if (!index->identity.is_known) /* not a file that can be read twice */
        return UBI_OK;
    UBI_TRY(ubi__cache_folder_path(folder, session->cache_folder));
    if (ubi__cache_folder_check(folder, false) != UBI_OK) /* then there is no index either, which was an error */
        return UBI_OK;
    UBI_TRY(ubi__session_heap_note(&note, use));
    UBI_TRY(ubi__session_answers_path(path, sizeof path, session, &note));
    UBI_TRY(key_make(&hash, use, key));
    return answers_replace(path, &note, hash, answer, ubi_session_use_allocator(use));
}
