/* SPDX-License-Identifier: MIT
 *
 * census_tree_part.c: census trees as parts of a session (part.h), so that who looks at one a few rows at a time has it made once.
 *
 * A key is 'F' (Firefox's answers) or '-', 'i' (inverted) or '-', then "LENGTH:" and the filter, or "-:" if there is none, then the
 * breakdown's JSON text, if there is one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/census/census_tree.h"
#include "base/alloc.h"
#include "base/status.h"
#include "session/part.h"

#define FIREFOX_MARK 'F'
#define INVERTED_MARK 'i'
#define MARK_NOT '-'
#define HEAD_BYTES 32 /* the marks and the length */

typedef struct tree_wishes {
    ubi_compat compat;
    ubi_census_tree_options options; /* filter: of the key */
    ubi_text breakdown;              /* the same */
} tree_wishes;

static tree_wishes wishes_read(const char *key) {
    tree_wishes wishes = { .options = UBI_CENSUS_TREE_OPTIONS_INIT };
    const char *colon = strchr(key, ':');
    wishes.compat = key[0] == FIREFOX_MARK ? UBI_COMPAT_FIREFOX : UBI_COMPAT_NONE;
    wishes.options.is_inverted = key[1] == INVERTED_MARK;
    wishes.options.has_filter = key[2] != MARK_NOT;
    if (wishes.options.has_filter)
        wishes.options.filter = (ubi_text){ colon + 1, strtoul(key + 2, NULL, 10) };
    const char *json = colon + 1 + wishes.options.filter.len;
    wishes.breakdown = (ubi_text){ *json ? json : NULL, strlen(json) };
    return wishes;
}

static ubi_status tree_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    tree_wishes wishes = wishes_read(key);
    const ubi_census *census;
    ubi_census_tree *tree;
    UBI_TRY(ubi_session_census(&census, use, wishes.breakdown, wishes.compat));
    UBI_TRY(ubi__census_tree_new(&tree, census, &wishes.options, allocator));
    *out = tree;
    return UBI_OK;
}

static void tree_free(void *tree, const ubi_allocator *allocator) {
    (void)allocator;
    ubi_census_tree_free(tree);
}

static const ubi__part_type tree_part = { .name = "census tree", .build = tree_build, .free = tree_free };

ubi_status ubi__session_census_tree(const ubi_census_tree **out, ubi_session_use *use, ubi_text breakdown,
                                    ubi_compat compat, const ubi_census_tree_options *options) {
    const ubi_allocator *a = ubi_session_use_allocator(use);
    size_t n_bytes = HEAD_BYTES + options->filter.len + breakdown.len;
    char *key = ubi__alloc_array(a, n_bytes, 1), length[HEAD_BYTES] = { MARK_NOT };
    void *tree;
    if (!key)
        return ubi__fail_nomem();
    if (options->has_filter)
        snprintf(length, sizeof length, "%zu", options->filter.len);
    snprintf(key, n_bytes, "%c%c%s:%.*s%.*s", compat == UBI_COMPAT_FIREFOX ? FIREFOX_MARK : MARK_NOT,
             options->is_inverted ? INVERTED_MARK : MARK_NOT, length, (int)options->filter.len,
             options->filter.ptr ? options->filter.ptr : "", (int)breakdown.len, breakdown.ptr ? breakdown.ptr : "");
    ubi_status status = ubi__session_part(&tree, use, &tree_part, key);
    ubi__free_array(a, key, n_bytes, 1);
    if (status == UBI_OK)
        *out = tree;
    return status;
}
