/* SPDX-License-Identifier: MIT
 *
 * answers.c: see answers.h.
 */
#include "questions/answers.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/human.h"
#include "base/key_bytes.h"
#include "base/status.h"
#include "base/text.h"
#include "session/kept_answers.h"

static const ubi_allocator *memory(void) {
    return ubi_allocator_default();
}

/* ---- keys --------------------------------------------------------------------------------------------------------- */

static bool key_write(void *payload, const void *data, size_t n) {
    return ubi__bytes_append(payload, data, n, memory()) == UBI_OK;
}

static ubi_status key_put(ubi__vec_u8 *key, const char *format, ...) UBI_PRINTF(2, 3);

static ubi_status key_put(ubi__vec_u8 *key, const char *format, ...) {
    char text[128];
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    UBI_ASSERT(n >= 0 && (size_t)n < sizeof text);
    return key_write(key, text, (size_t)n) ? UBI_OK : ubi__fail_nomem();
}

static ubi_status sessions_put(ubi__vec_u8 *key, ubi_session *const *sessions, uint32_t n) {
    if (n < 2)
        return key_put(key, "-");
    for (uint32_t i = 1; i < n; i++)
        UBI_TRY(key_put(key, "%s%" PRIu64, i > 1 ? "," : "", ubi__session_number(sessions[i])));
    return UBI_OK;
}

static ubi_status key_make(ubi__vec_u8 *key, const ubi__answer_terms *t, ubi_session *const *sessions, uint32_t n) {
    ubi__json json;
    UBI_TRY(key_put(key, "%.60s %c %u %d ", t->question->usage->name, t->is_page ? 'p' : 'd',
                    t->is_page ? t->columns : 0, (int)t->compat));
    UBI_TRY(sessions_put(key, sessions, n));
    UBI_TRY(key_put(key, " "));
    ubi__json_init(&json, key_write, key, false);
    ubi__json_values_write(&json, t->question->usage, t->values, t->is_page);
    if (ubi__json_flush(&json) != UBI_OK)
        return ubi__fail_nomem();
    return ubi__vec_u8_push(key, memory(), 0);
}

ubi_status ubi__answer_key(ubi__vec_u8 *out, const ubi__answer_terms *terms, ubi_session *const *sessions, uint32_t n) {
    ubi_status status = key_make(out, terms, sessions, n);
    if (status != UBI_OK)
        ubi__vec_u8_fini(out, memory());
    return status;
}

/* ---- what a key says ---------------------------------------------------------------------------------------------- */

typedef struct request {
    ubi__answer_terms terms;
    ubi__json_values values;
    const char *numbers; /* of the further sessions, up to the space */
    uint32_t n;          /* of heaps */
    uint32_t n_begun;
    ubi_session **sessions;  /* sessions[n], references but the first */
    ubi_session_use **heaps; /* heaps[n], owned but the first */
} request;

static uint32_t numbers_count(const char *numbers) {
    uint32_t n = 0;
    for (; *numbers != ' '; numbers++)
        n += n == 0 ? *numbers != '-' : *numbers == ',';
    return n;
}

static const char *after_space(const char *text) {
    const char *space = strchr(text, ' ');
    UBI_ASSERT(space);
    return space + 1;
}

/* Keys are our own, so they are as key_make writes them. */
static ubi_status request_read(request *r, const char *key) {
    const char *form = after_space(key), *columns = after_space(form), *compat = after_space(columns);
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(key, " "), key);
    *r = (request){ .numbers = after_space(compat) };
    r->n = 1 + numbers_count(r->numbers);
    UBI_TRY(ubi__question_get(&r->terms.question, name));
    r->terms.is_page = *form == 'p';
    r->terms.columns = (unsigned)strtoul(columns, NULL, 10);
    r->terms.compat = (ubi_compat)strtol(compat, NULL, 10);
    UBI_TRY(ubi__json_values_read(&r->values, r->terms.question->usage, ubi__text(after_space(r->numbers))));
    r->terms.values = r->values.values;
    return UBI_OK;
}

static ubi_status further_begin(request *r, ubi_session_use *first, uint64_t number) {
    ubi_session_use_options options = UBI_SESSION_USE_OPTIONS_INIT;
    uint32_t i = r->n_begun;
    options.progress = *ubi_session_use_progress(first);
    options.threads = ubi_session_use_threads(first);
    r->sessions[i] = ubi__session_numbered(ubi__session_pool_of(ubi_session_use_session(first)), number);
    if (!r->sessions[i])
        return ubi__fail(UBI_ENOTFOUND, "a heap that the question is about was closed");
    r->n_begun++;
    return ubi_session_use_begin(&r->heaps[i], r->sessions[i], &options);
}

/* The caller has the further sessions open, so their numbers lead to them. */
static ubi_status request_begin(request *r, ubi_session_use *first) {
    const char *number = r->numbers;
    char *end;
    r->heaps = ubi__calloc_array(memory(), r->n, sizeof *r->heaps);
    r->sessions = ubi__calloc_array(memory(), r->n, sizeof *r->sessions);
    if (!r->heaps || !r->sessions)
        return ubi__fail_nomem();
    r->heaps[0] = first;
    r->n_begun = 1;
    while (r->n_begun < r->n) {
        uint64_t value = strtoull(number, &end, 10);
        UBI_TRY(further_begin(r, first, value));
        number = end + 1;
    }
    return UBI_OK;
}

static void request_end(request *r) {
    for (uint32_t i = 1; i < r->n_begun; i++) {
        ubi_session_use_end(r->heaps[i]);
        ubi_session_unref(r->sessions[i]);
    }
    ubi__free_array(memory(), r->heaps, r->n, sizeof *r->heaps);
    ubi__free_array(memory(), r->sessions, r->n, sizeof *r->sessions);
    ubi__json_values_fini(&r->values);
}

static ubi__asked asked_of(const request *r, uint32_t *fault) {
    return (ubi__asked){ .heaps = r->heaps,
                         .n_heaps = r->n,
                         .fault = fault,
                         .values = r->terms.values,
                         .compat = r->terms.compat,
                         .writing = *ubi_session_use_progress(r->heaps[0]),
                         .is_kept = true,
                         .is_for_page = r->terms.is_page };
}

/* ---- answers ------------------------------------------------------------------------------------------------------ */

typedef struct answer {
    ubi__vec_u8 bytes;
    const ubi_allocator *allocator;
    uint64_t most_bytes;
    ubi_status refused; /* why a write was */
} answer;

static bool answer_write(void *payload, const void *data, size_t n) {
    answer *a = payload;
    if (a->refused != UBI_OK)
        return false;
    a->refused = n > a->most_bytes - a->bytes.n ? UBI_ELIMIT : ubi__bytes_append(&a->bytes, data, n, a->allocator);
    return a->refused == UBI_OK;
}

static ubi_status fail_refused(const answer *a) {
    char most[UBI__HUMAN_TEXT];
    if (a->refused == UBI_ENOMEM)
        return ubi__fail_nomem();
    return ubi__fail(UBI_ELIMIT, "the answer has more than %s: ask for fewer rows (limit, offset)",
                     ubi__human_size(most, a->most_bytes));
}

static ubi_status inquiry_perform(answer *a, const request *r, const ubi__asked *asked) {
    ubi__inquiry *inquiry;
    UBI_TRY(ubi__inquiry_begin(&inquiry, r->terms.question, asked));
    ubi_status status = ubi__inquiry_compute(inquiry);
    if (status == UBI_OK)
        status = ubi__inquiry_write(inquiry, answer_write, a, r->terms.columns);
    ubi__inquiry_end(inquiry);
    return a->refused != UBI_OK ? fail_refused(a) : status;
}

static void answer_free(void *value, const ubi_allocator *allocator) {
    answer *a = value;
    ubi__vec_u8_fini(&a->bytes, allocator);
    UBI_DELETE(allocator, a);
}

static ubi_status request_answer(answer *a, const request *r) {
    uint32_t fault = UBI_NONE;
    ubi__asked asked = asked_of(r, &fault);
    return ubi__asked_blame(&asked, inquiry_perform(a, r, &asked));
}

/* ---- kept ones ------------------------------------------------------------------------------------------------------ */

/*
 * Documents begin with what the heap is called, which differs from door to door. It is cut out of what is kept, and the session's own is put
 * in: {"schema":"ubiheap.report/1","file":,"producer": ...
 */
#define FILE_MEMBER "\"file\":"
#define HEAD_BYTES 200

/* Where the name begins; 0: the answer has none. */
static size_t name_place(ubi_text text) {
    size_t n = text.len < HEAD_BYTES ? text.len : HEAD_BYTES;
    const char *at = n ? memmem(text.ptr, n, FILE_MEMBER, sizeof FILE_MEMBER - 1) : NULL;
    return at ? (size_t)(at - text.ptr) + sizeof FILE_MEMBER - 1 : 0;
}

static ubi_status name_put(ubi__vec_u8 *out, const ubi_session_use *use) {
    ubi__json json;
    ubi__json_init(&json, key_write, out, false);
    ubi__json_string(&json, ubi_session_name(ubi_session_use_session(use)));
    return ubi__json_flush(&json) == UBI_OK ? UBI_OK : ubi__fail_nomem();
}

/* Names are all over an answer about several heaps: they are in its key, as what the heaps are, instead of numbers of sessions. */
static ubi_status further_heaps_add(ubi__vec_u8 *out, bool *is_known, const request *r) {
    for (uint32_t i = 0; i < r->n; i++)
        UBI_TRY(ubi__key_add_text(out, ubi_session_name(ubi_session_use_session(r->heaps[i])), memory()));
    for (uint32_t i = 1; i < r->n && *is_known; i++)
        UBI_TRY(ubi__kept_key_add_heap(out, is_known, r->heaps[i]));
    return UBI_OK;
}

/* @param is_known  out: false: there can be no kept answer. */
static ubi_status kept_key_make(ubi__vec_u8 *out, bool *is_known, const request *r, const char *key) {
    *is_known = true;
    UBI_TRY(ubi__key_add_text(out, r->n == 1 ? "an answer" : "an answer about several", memory()));
    if (r->n == 1)
        return ubi__key_add_text(out, key, memory());
    if (!key_write(out, key, (size_t)(r->numbers - key)))
        return ubi__fail_nomem();
    UBI_TRY(ubi__key_add_text(out, after_space(r->numbers), memory()));
    return further_heaps_add(out, is_known, r);
}

static ubi_status kept_take(answer *a, ubi_text kept, const request *r) {
    ubi__vec_u8 name = { NULL, 0, 0 };
    size_t place = r->n == 1 ? name_place(kept) : 0;
    ubi_status status = place ? name_put(&name, r->heaps[0]) : UBI_OK;
    if (status == UBI_OK && !(answer_write(a, kept.ptr, place) && answer_write(a, name.at, name.n) &&
                              answer_write(a, kept.ptr + place, kept.len - place)))
        status = ubi__fail_nomem();
    ubi__vec_u8_fini(&name, memory());
    return status;
}

/* The answer stays empty if none was kept. */
static ubi_status kept_find(answer *a, const request *r, const char *key) {
    ubi__vec_u8 kept_key = { NULL, 0, 0 }, kept = { NULL, 0, 0 };
    ubi_session_use *use = r->heaps[0];
    bool is_known;
    ubi_status status = kept_key_make(&kept_key, &is_known, r, key);
    if (status == UBI_OK && is_known)
        status = ubi__kept_answer_find(&kept, use, (ubi_text){ (const char *)kept_key.at, kept_key.n });
    if (status == UBI_OK && kept.n)
        status = kept_take(a, (ubi_text){ (const char *)kept.at, kept.n }, r);
    ubi__vec_u8_fini(&kept, ubi_session_use_allocator(use));
    ubi__vec_u8_fini(&kept_key, memory());
    return status;
}

/* The answer without the name; one of which that is not the beginning is not kept. */
static ubi_status nameless_make(ubi__vec_u8 *out, ubi_text text, const ubi_session_use *use) {
    ubi__vec_u8 name = { NULL, 0, 0 };
    size_t place = name_place(text);
    ubi_status status = name_put(&name, use);
    bool is_named =
        status == UBI_OK && place && text.len - place > name.n && memcmp(text.ptr + place, name.at, name.n) == 0;
    if (is_named &&
        !(key_write(out, text.ptr, place) && key_write(out, text.ptr + place + name.n, text.len - place - name.n)))
        status = ubi__fail_nomem();
    ubi__vec_u8_fini(&name, memory());
    return status;
}

static ubi_status answer_keep(const request *r, ubi_text text, const char *key) {
    ubi__vec_u8 kept_key = { NULL, 0, 0 }, kept = { NULL, 0, 0 };
    ubi_session_use *use = r->heaps[0];
    bool is_known = false;
    ubi_status status = r->n == 1                              ? nameless_make(&kept, text, use)
                        : key_write(&kept, text.ptr, text.len) ? UBI_OK
                                                               : ubi__fail_nomem();
    if (status == UBI_OK)
        status = kept_key_make(&kept_key, &is_known, r, key);
    if (status == UBI_OK && kept.n && is_known)
        status = ubi__kept_answer_add(use, (ubi_text){ (const char *)kept_key.at, kept_key.n },
                                      (ubi_text){ (const char *)kept.at, kept.n });
    ubi__vec_u8_fini(&kept_key, memory());
    ubi__vec_u8_fini(&kept, memory());
    return status;
}

ubi_status ubi__answer_keep(ubi_session_use *use, const char *key) {
    ubi_text text = { NULL, 0 };
    request r;
    UBI_TRY(ubi__answer_get(&text, use, key));
    ubi_status status = request_read(&r, key);
    if (status == UBI_OK)
        status = request_begin(&r, use);
    if (status == UBI_OK)
        status = answer_keep(&r, text, key);
    request_end(&r);
    return status;
}

/* ---- the part ------------------------------------------------------------------------------------------------------- */

static uint64_t most_bytes_of(const ubi_session_use *use) {
    uint64_t limit_bytes = ubi_session_pool_limit_bytes(ubi__session_pool_of(ubi_session_use_session(use)));
    return limit_bytes / 16 < UBI__ANSWER_MOST_BYTES ? limit_bytes / 16 : UBI__ANSWER_MOST_BYTES;
}

static ubi_status answer_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    request r;
    answer *a = UBI_NEW(allocator, answer);
    if (!a)
        return ubi__fail_nomem();
    a->allocator = allocator;
    a->most_bytes = most_bytes_of(use);
    ubi_status status = request_read(&r, key);
    if (status == UBI_OK)
        status = request_begin(&r, use);
    if (status == UBI_OK)
        status = kept_find(a, &r, key);
    if (status == UBI_OK && a->bytes.n == 0)
        status = request_answer(a, &r);
    request_end(&r);
    ubi__vec_u8_trim(&a->bytes, allocator);
    if (status == UBI_OK)
        *out = a;
    else
        answer_free(a, allocator);
    return status;
}

static const ubi__part_type answer_part = {
    .name = "answer", .build = answer_build, .free = answer_free, .is_self_contained = true
};

ubi_status ubi__answer_get(ubi_text *out, ubi_session_use *use, const char *key) {
    void *value;
    UBI_TRY(ubi__session_part(&value, use, &answer_part, key));
    const answer *a = value;
    *out = (ubi_text){ (const char *)a->bytes.at, a->bytes.n };
    ubi__session_part_trim(ubi_session_use_session(use), &answer_part, UBI__ANSWERS_KEPT);
    return UBI_OK;
}

ubi_status ubi__answer_if_present(ubi_text *out, ubi_session_use *use, const char *key) {
    void *value;
    UBI_TRY(ubi__session_part_if_present(&value, use, &answer_part, key));
    const answer *a = value;
    *out = a ? (ubi_text){ (const char *)a->bytes.at, a->bytes.n } : (ubi_text){ NULL, 0 };
    return UBI_OK;
}

/* ---- checks before anything is computed ---------------------------------------------------------------------------- */

static ubi_status heaps_begin(ubi_session_use **heaps, ubi_session *const *sessions, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (ubi__session_pool_of(sessions[i]) != ubi__session_pool_of(sessions[0]))
            return ubi__fail(UBI_EINVAL, "%s and %s are sessions of different pools", ubi_session_name(sessions[0]),
                             ubi_session_name(sessions[i]));
        UBI_TRY(ubi_session_use_begin(&heaps[i], sessions[i], NULL));
    }
    return UBI_OK;
}

static ubi_status heaps_check(const ubi__answer_terms *terms, ubi_session_use *const *heaps, uint32_t n) {
    uint32_t fault = UBI_NONE;
    const ubi__asked asked = { .heaps = heaps,
                               .n_heaps = n,
                               .fault = &fault,
                               .values = terms->values,
                               .compat = terms->compat,
                               .is_for_page = terms->is_page };
    ubi__inquiry *inquiry = NULL;
    ubi_status status = ubi__asked_blame(&asked, ubi__inquiry_begin(&inquiry, terms->question, &asked));
    ubi__inquiry_end(inquiry);
    return status;
}

ubi_status ubi__answer_check(const ubi__answer_terms *terms, ubi_session *const *sessions, uint32_t n) {
    ubi_session_use **heaps = ubi__calloc_array(memory(), n + 1, sizeof *heaps);
    if (!heaps)
        return ubi__fail_nomem();
    ubi_status status = heaps_begin(heaps, sessions, n);
    if (status == UBI_OK)
        status = heaps_check(terms, heaps, n);
    for (uint32_t i = 0; i < n; i++)
        ubi_session_use_end(heaps[i]);
    ubi__free_array(memory(), heaps, n + 1, sizeof *heaps);
    return status;
}
