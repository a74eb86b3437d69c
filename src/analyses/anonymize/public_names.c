/* SPDX-License-Identifier: MIT
 *
 * public_names.c: looking names up in the lists.
 */
#include "analyses/anonymize/public_names.h"

#include "analyses/anonymize/grammar.h"
#include "base/alloc.h"
#include "base/assert.h"

static ubi_status add_name(ubi__public_names *n, ubi_text name, uint32_t lists) {
    ubi_str_ix ix;
    UBI_TRY(ubi__vec_u32_reserve(&n->lists, n->names.allocator, 1));
    UBI_TRY(ubi__strtab_intern(&n->names, &ix, name));
    if (ix == n->lists.n)
        n->lists.at[n->lists.n++] = 0;
    n->lists.at[ix] |= lists;
    return UBI_OK;
}

static ubi_status add_groups(ubi__public_names *n, const ubi__name_group *group) {
    for (; group->names; group++)
        for (const char *name = group->names; *name;) {
            size_t length = group->lists & UBI__NAMES_WHOLE ? strlen(name) : strcspn(name, "|");
            UBI_TRY(add_name(n, (ubi_text){ name, length }, group->lists));
            name += length + (name[length] == '|');
        }
    return UBI_OK;
}

void ubi__public_names_check(const ubi__public_names *n) {
    UBI_ASSERT(n->lists.n == ubi__strtab_count(&n->names));
    for (size_t i = 0; UBI_CHECKS && i < n->lists.n; i++) {
        UBI_ASSERT(n->lists.at[i] & (UBI__NAMES_WHOLE - 1));
        UBI_ASSERT(n->lists.at[i] < UBI__NAMES_WHOLE << 1);
    }
}

ubi_status ubi__public_names_init(ubi__public_names *n, const ubi_allocator *allocator) {
    ubi__strtab_init(&n->names, allocator);
    n->lists = (ubi__vec_u32){ NULL, 0, 0 };
    UBI_TRY(add_groups(n, ubi__names_javascript));
    UBI_TRY(add_groups(n, ubi__names_web));
    UBI_TRY(add_groups(n, ubi__names_native));
    UBI_TRY(add_groups(n, ubi__names_libc));
    const ubi__grammar *grammar;
    for (size_t i = 0; (grammar = ubi__grammar_at(i)); i++)
        for (size_t k = 0; grammar->names && grammar->names[k]; k++)
            UBI_TRY(add_groups(n, grammar->names[k]));
    ubi__public_names_check(n);
    return UBI_OK;
}

void ubi__public_names_fini(ubi__public_names *n) {
    ubi__vec_u32_fini(&n->lists, n->names.allocator);
    ubi__strtab_fini(&n->names);
}

bool ubi__public_names_has(const ubi__public_names *n, unsigned lists, ubi_text name) {
    ubi_str_ix ix = ubi__strtab_find_interned(&n->names, name);
    return ix != UBI_NONE && (n->lists.at[ix] & lists) != 0;
}
