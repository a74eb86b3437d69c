/* SPDX-License-Identifier: MIT
 *
 * cli_kept.c: see cli_kept.h.
 */
#include "cli/cli_kept.h"

#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/key_bytes.h"
#include "base/status.h"
#include "session/kept_answers.h"

static const ubi_allocator *memory(void) {
    return ubi_allocator_default();
}

/* What a page looks like, and a document on a terminal. */
static ubi_status surroundings_append(ubi__vec_u8 *key, const ubi__cli *cli, const ubi__asked *asked) {
    const ubi__style *style = &cli->page.style;
    const uint8_t flags[] = { asked->is_for_page, style->has_color, style->has_unicode, cli->page.is_terminal,
                              isatty(cli->output->fd) != 0 };
    const unsigned sizes[] = { style->columns, cli->page.lines };
    UBI_TRY(ubi__vec_u8_reserve(key, memory(), sizeof flags + sizeof sizes));
    memcpy(key->at + key->n, flags, sizeof flags);
    memcpy(key->at + key->n + sizeof flags, sizes, sizeof sizes);
    key->n += sizeof flags + sizeof sizes;
    return UBI_OK;
}

/* @param is_known  out: false: there can be no answer. */
static ubi_status heaps_append(ubi__vec_u8 *key, bool *is_known, const ubi__asked *asked) {
    *is_known = true;
    for (uint32_t i = 0; i < asked->n_heaps && *is_known; i++) {
        UBI_TRY(ubi__key_add_text(key, ubi_session_name(ubi_session_use_session(asked->heaps[i])), memory()));
        if (i > 0)
            UBI_TRY(ubi__kept_key_add_heap(key, is_known, asked->heaps[i]));
    }
    return UBI_OK;
}

static ubi_status key_make(ubi__vec_u8 *key, bool *is_known, const ubi__cli *cli, const ubi__question *question,
                           const ubi__asked *asked) {
    UBI_TRY(ubi__key_add_text(key, question->usage->name, memory()));
    UBI_TRY(heaps_append(key, is_known, asked));
    UBI_TRY(surroundings_append(key, cli, asked));
    return ubi__usage_values_append(key, asked->values, question->usage->parameters, memory());
}

/* Such an answer is of more than the heap that the index is of. */
static bool needs_other_files(const ubi__usage *usage, const void *values) {
    for (const ubi__parameter *p = usage->parameters; (p = ubi__parameter_at(p)); p++)
        if (p->is_path && ubi__parameter_text(values, usage->parameters, p->name))
            return true;
    return false;
}

ubi_status ubi__kept_begin(ubi__kept *kept, const ubi__cli *cli, const ubi__question *question, const ubi__asked *asked,
                           ubi__out *out) {
    bool is_known;
    *kept = (ubi__kept){ .to = out };
    if (question->counts_time || cli->common.cache < 0 || cli->common.with_index ||
        needs_other_files(question->usage, asked->values))
        return UBI_OK;
    UBI_TRY(key_make(&kept->key, &is_known, cli, question, asked));
    if (!is_known)
        return UBI_OK;
    kept->use = asked->heaps[0];
    return ubi__kept_answer_find(&kept->answer, kept->use, (ubi_text){ (const char *)kept->key.at, kept->key.n });
}

/* An answer that is too long, or for which memory is missing, is not kept. */
static bool capture_write(void *payload, const void *data, size_t n) {
    ubi__kept *kept = payload;
    ubi__out_bytes(kept->to, data, n);
    if (kept->is_too_long || n > UBI__KEPT_ANSWERS_BYTES - kept->answer.n ||
        ubi__vec_u8_reserve(&kept->answer, memory(), n) != UBI_OK) {
        kept->is_too_long = true;
        return !kept->to->has_failed;
    }
    memcpy(kept->answer.at + kept->answer.n, data, n);
    kept->answer.n += n;
    return !kept->to->has_failed;
}

ubi__out *ubi__kept_capture(ubi__kept *kept) {
    kept->out = UBI_NEW(memory(), ubi__out); /* a large buffer */
    if (kept->out)
        ubi__out_init(kept->out, capture_write, kept);
    return kept->out;
}

ubi_status ubi__kept_store(ubi__kept *kept) {
    if (!kept->out || ubi__out_flush(kept->out) != UBI_OK || kept->is_too_long)
        return UBI_OK;
    return ubi__kept_answer_add(kept->use, (ubi_text){ (const char *)kept->key.at, kept->key.n },
                                (ubi_text){ (const char *)kept->answer.at, kept->answer.n });
}

void ubi__kept_end(ubi__kept *kept) {
    const ubi_allocator *of_answer = kept->out || !kept->use ? memory() : ubi_session_use_allocator(kept->use);
    ubi__vec_u8_fini(&kept->answer, of_answer);
    ubi__vec_u8_fini(&kept->key, memory());
    UBI_DELETE(memory(), kept->out);
}
