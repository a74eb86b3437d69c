/* SPDX-License-Identifier: MIT
 *
 * places_part.c: the places of a recording (recording_parts.h).
 *
 * Keys say what they were made of: 'w' (without wrappers) or '-', 's' (with symbols that were added) or '-', and what of the recording was
 * read (ubi__recording_key). All questions ask what leaked, so places are in that order at first; those in another one are parts of their own, with the
 * digit of the order in front of the key.
 */
#include <string.h>

#include "base/status.h"
#include "session/recording_parts.h"
#include "session/session_index.h"

#define MARK_SYMBOLS 's'
#define MARK_WRAPPERS 'w'
#define MARK_NOT '-'
/* As an index has them. */
#define USUAL_KEY "w-"

static void sites_free(void *value, const ubi_allocator *allocator) {
    ubi__sites *sites = value;
    ubi__sites_fini(sites);
    UBI_DELETE(allocator, sites);
}

/* ---- places ---------------------------------------------------------------------------------------------------------- */

static ubi_status sites_find(ubi__sites *sites, const ubi__recording_summary *summary, bool see_wrappers,
                             const ubi_allocator *allocator) {
    UBI_TRY(ubi__sites_init(sites, summary, see_wrappers, allocator));
    ubi_status status = ubi__sites_sort(sites, UBI__BY_LEAKED);
    if (status != UBI_OK)
        ubi__sites_fini(sites);
    return status;
}

/* Nothing when the recording is not the one of the index. */
static ubi_status sites_load(void **out, ubi__columns *c, ubi_session_use *use) {
    static const ubi__recording_choice all = { .with_symbols = false };
    const ubi__session_recording *r;
    UBI_TRY(ubi__session_recording_get(&r, use, &all));
    if (!r->is_of_index)
        return UBI_OK;
    ubi__sites *sites = UBI_NEW(c->allocator, ubi__sites);
    if (!sites)
        return ubi__fail_nomem();
    ubi_status status = ubi__sites_pass(c, sites, &r->summary);
    if (status == UBI_OK)
        *out = sites;
    else
        sites_free(sites, c->allocator);
    return status;
}

static ubi_status sites_compute(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    ubi__recording_choice choice;
    ubi__recording_key_read(&choice, key + 2);
    choice.with_symbols = key[1] == MARK_SYMBOLS;
    const ubi__session_recording *r;
    UBI_TRY(ubi__session_recording_get(&r, use, &choice));
    ubi__sites *sites = UBI_NEW(allocator, ubi__sites);
    if (!sites)
        return ubi__fail_nomem();
    ubi_status status = sites_find(sites, &r->summary, key[0] == MARK_WRAPPERS, allocator);
    if (status == UBI_OK)
        *out = sites;
    else
        UBI_DELETE(allocator, sites);
    return status;
}

static ubi_status sites_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    *out = NULL;
    if (strcmp(key, USUAL_KEY) == 0)
        UBI_TRY(ubi__session_indexed(out, use, UBI__INDEXED_PLACES, sites_load, allocator));
    return *out ? UBI_OK : sites_compute(out, use, key, allocator);
}

static const ubi__part_type sites_part = { "places", sites_build, sites_free, .is_of_graph = true };

/* ---- in another order ------------------------------------------------------------------------------------------------ */

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

/* ---- getting them ---------------------------------------------------------------------------------------------------- */

/* Whether symbols were added to those that the files have. */
static ubi_status names_look(bool *are_added, ubi_session_use *use, const ubi__recording_choice *choice) {
    ubi__recording_choice plain_choice = *choice;
    const ubi__session_recording *named, *plain;
    plain_choice.with_symbols = false;
    UBI_TRY(ubi__session_recording_get(&named, use, choice));
    UBI_TRY(ubi__session_recording_get(&plain, use, &plain_choice));
    *are_added = named->summary.tables.symbols.n != plain->summary.tables.symbols.n;
    return UBI_OK;
}

ubi_status ubi__session_sites_get(const ubi__sites **out, ubi_session_use *use, const ubi__recording_choice *choice,
                                  ubi__site_order order) {
    const ubi_allocator *a = ubi_session_use_allocator(use);
    bool is_usual_order = order == UBI__BY_LEAKED, are_named;
    ubi__recording_key key;
    void *value = NULL;
    UBI_TRY(names_look(&are_named, use, choice));
    const char head[] = { (char)('0' + (int)order), choice->with_wrappers ? MARK_WRAPPERS : MARK_NOT,
                          are_named ? MARK_SYMBOLS : MARK_NOT, 0 };
    UBI_TRY(ubi__recording_key_make(&key, head, choice, a));
    ubi_status status = ubi__session_part(&value, use, is_usual_order ? &sites_part : &sorted_part,
                                          is_usual_order ? key.text + 1 : key.text);
    ubi__recording_key_free(&key, a);
    *out = value;
    return status;
}
