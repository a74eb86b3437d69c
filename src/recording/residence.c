/* SPDX-License-Identifier: MIT
 *
 * residence.c: see residence.h.
 */
#include "recording/residence.h"

#include <stdlib.h>

#include "base/assert.h"
#include "base/text.h"

static const struct {
    const char *key, *words;
} groups[UBI__RESIDENCE_GROUPS] = {
    [UBI__RESIDENCE_OF_MALLOC] = { "malloc", "Allocator" },
    [UBI__RESIDENCE_OF_SCRIPTS] = { "javascript", "JavaScript heaps" },
    [UBI__RESIDENCE_OF_PYTHON] = { "python", "Python objects" },
    [UBI__RESIDENCE_OF_JAVA] = { "java", "Java VM" },
    [UBI__RESIDENCE_OF_STACKS] = { "stacks", "Thread stacks" },
    [UBI__RESIDENCE_OF_FILES] = { "files", "Mapped files" },
    [UBI__RESIDENCE_OF_OTHERS] = { "others", "Other mappings" },
    [UBI__RESIDENCE_OF_NONE] = { "unknown", "Unknown" },
};

static const struct {
    ubi__residence_group group;
    const char *key, *words;
} kinds[UBI__RESIDENCE_KINDS] = {
    [UBI__RESIDENCE_BLOCKS] = { UBI__RESIDENCE_OF_MALLOC, "blocks", "blocks in use, with their headers" },
    [UBI__RESIDENCE_CACHED] = { UBI__RESIDENCE_OF_MALLOC, "cached", "freed, kept by a thread for itself" },
    [UBI__RESIDENCE_FREE] = { UBI__RESIDENCE_OF_MALLOC, "free", "free, between blocks and after them" },
    [UBI__RESIDENCE_ALLOCATOR] = { UBI__RESIDENCE_OF_MALLOC, "allocator", "blocks, and what is free" },
    [UBI__RESIDENCE_SCRIPTS] = { UBI__RESIDENCE_OF_SCRIPTS, "scripts", "objects and code" },
    [UBI__RESIDENCE_PYTHON] = { UBI__RESIDENCE_OF_PYTHON, "objects", "objects" },
    [UBI__RESIDENCE_PYTHON_FREE] = { UBI__RESIDENCE_OF_PYTHON, "objectsFree", "free, in pools of objects" },
    [UBI__RESIDENCE_JAVA_HEAP] = { UBI__RESIDENCE_OF_JAVA, "heap", "heap" },
    [UBI__RESIDENCE_JAVA_CODE] = { UBI__RESIDENCE_OF_JAVA, "code", "compiled code" },
    [UBI__RESIDENCE_JAVA_TABLES] = { UBI__RESIDENCE_OF_JAVA, "tables", "classes, tables; a heap above 32 GiB" },
    [UBI__RESIDENCE_MAIN_STACK] = { UBI__RESIDENCE_OF_STACKS, "mainStack", "main thread" },
    [UBI__RESIDENCE_STACKS] = { UBI__RESIDENCE_OF_STACKS, "stacks", "other threads" },
    [UBI__RESIDENCE_FILE] = { UBI__RESIDENCE_OF_FILES, "file", "files" },
    [UBI__RESIDENCE_SHARED] = { UBI__RESIDENCE_OF_OTHERS, "shared", "shared memory" },
    [UBI__RESIDENCE_SYSTEM] = { UBI__RESIDENCE_OF_OTHERS, "system", "the kernel's own pages" },
    [UBI__RESIDENCE_NAMED] = { UBI__RESIDENCE_OF_OTHERS, "named", "named mappings" },
    [UBI__RESIDENCE_UNKNOWN] = { UBI__RESIDENCE_OF_NONE, "unknown", "mappings without a name" },
    [UBI__RESIDENCE_FREE_PAGES] = { UBI__RESIDENCE_OF_MALLOC, "freePages", "free pages, not given back to the system" },
    [UBI__RESIDENCE_OVERHEAD] = { UBI__RESIDENCE_OF_MALLOC, "overhead", "tables of the allocator" },
};

ubi__residence_group ubi__residence_group_of(ubi__residence_kind kind) {
    return kinds[UBI_INDEX(kind, UBI__RESIDENCE_KINDS)].group;
}
const char *ubi__residence_group_key(ubi__residence_group group) {
    return groups[UBI_INDEX(group, UBI__RESIDENCE_GROUPS)].key;
}
const char *ubi__residence_group_words(ubi__residence_group group) {
    return groups[UBI_INDEX(group, UBI__RESIDENCE_GROUPS)].words;
}
const char *ubi__residence_kind_key(ubi__residence_kind kind) {
    return kinds[UBI_INDEX(kind, UBI__RESIDENCE_KINDS)].key;
}
const char *ubi__residence_kind_words(ubi__residence_kind kind) {
    return kinds[UBI_INDEX(kind, UBI__RESIDENCE_KINDS)].words;
}

void ubi__residence_init(ubi__residence *r, const ubi_allocator *allocator) {
    *r = (ubi__residence){ .allocator = allocator };
    ubi__strtab_init(&r->names, allocator);
    ubi__u64_map_init(&r->numbers, allocator);
}

void ubi__residence_fini(ubi__residence *r) {
    ubi__strtab_fini(&r->names);
    ubi__u64_map_fini(&r->numbers);
    ubi__vec_residence_row_fini(&r->rows, r->allocator);
}

void ubi__residence_amount_add(ubi__residence_amount *to, const ubi__residence_amount *more) {
    to->resident_bytes += more->resident_bytes;
    to->share_bytes += more->share_bytes;
    to->swapped_bytes += more->swapped_bytes;
}

void ubi__residence_check(const ubi__residence *r) {
    ubi__residence_amount total = { 0 };
    for (int i = 0; UBI_CHECKS && i < UBI__RESIDENCE_GROUPS; i++) {
        ubi__residence_amount sum = { 0 };
        for (size_t k = 0; k < r->rows.n; k++)
            if (ubi__residence_group_of(r->rows.at[k].kind) == (ubi__residence_group)i)
                ubi__residence_amount_add(&sum, &r->rows.at[k].amount);
        UBI_ASSERT(sum.resident_bytes == r->groups[i].resident_bytes && sum.share_bytes == r->groups[i].share_bytes);
        ubi__residence_amount_add(&total, &sum);
    }
    UBI_ASSERT(!UBI_CHECKS || total.resident_bytes == r->total.resident_bytes);
}

static ubi_status row_find(ubi__residence_row **out, ubi__residence *r, ubi__residence_kind kind, ubi_text text) {
    ubi_str_ix name = UBI_NONE;
    if (text.ptr)
        UBI_TRY(ubi__strtab_intern(&r->names, &name, text));
    uint64_t key = ubi__u64_pair((uint32_t)kind, name);
    uint32_t i = ubi__u64_map_get(&r->numbers, key);
    if (i == UBI_NONE) {
        i = (uint32_t)r->rows.n;
        UBI_TRY(ubi__vec_residence_row_reserve(&r->rows, r->allocator, 1));
        UBI_TRY(ubi__u64_map_put(&r->numbers, key, i));
        r->rows.at[r->rows.n++] = (ubi__residence_row){ .kind = kind, .name = name };
    }
    *out = &r->rows.at[i];
    return UBI_OK;
}

ubi_status ubi__residence_add(ubi__residence *r, ubi__residence_kind kind, ubi_text name,
                              const ubi__residence_amount *amount) {
    ubi__residence_row *row;
    if (amount->resident_bytes == 0 && amount->share_bytes == 0 && amount->swapped_bytes == 0)
        return UBI_OK;
    UBI_TRY(row_find(&row, r, kind, name));
    ubi__residence_amount_add(&row->amount, amount);
    ubi__residence_amount_add(&r->total, amount);
    ubi__residence_amount_add(&r->groups[ubi__residence_group_of(kind)], amount);
    return UBI_OK;
}

/* ---- order -------------------------------------------------------------------------------------------------------- */

static int compare_bytes(uint64_t a, uint64_t b) {
    return (a < b) - (a > b);
}

/* What is unknown comes last, however large it is. */
static int groups_compare(const ubi__residence *r, ubi__residence_group a, ubi__residence_group b) {
    bool a_is_last = a == UBI__RESIDENCE_OF_NONE, b_is_last = b == UBI__RESIDENCE_OF_NONE;
    if (a == b || a_is_last != b_is_last)
        return (a_is_last - b_is_last);
    int order = compare_bytes(r->groups[a].resident_bytes, r->groups[b].resident_bytes);
    return order ? order : (a > b) - (a < b);
}

static int rows_compare(const void *a, const void *b, void *payload) {
    const ubi__residence_row *x = a, *y = b;
    const ubi__residence *r = payload;
    int order = groups_compare(r, ubi__residence_group_of(x->kind), ubi__residence_group_of(y->kind));
    if (order == 0)
        order = compare_bytes(x->amount.resident_bytes, y->amount.resident_bytes);
    if (order == 0)
        order = (x->kind > y->kind) - (x->kind < y->kind);
    return order ? order : ubi__text_compare(ubi__residence_row_name(r, x), ubi__residence_row_name(r, y));
}

void ubi__residence_sort(ubi__residence *r) {
    if (r->rows.n)
        qsort_r(r->rows.at, r->rows.n, sizeof *r->rows.at, rows_compare, r);
    ubi__u64_map_fini(&r->numbers);
}

ubi_text ubi__residence_row_name(const ubi__residence *r, const ubi__residence_row *row) {
    return row->name == UBI_NONE ? ubi__text(ubi__residence_kind_words(row->kind))
                                 : ubi__strtab_get(&r->names, row->name);
}

/* ---- parts of rows -------------------------------------------------------------------------------------------------- */

/* NULL text: it has none. */
static ubi_text row_own_name(const ubi__residence *r, const ubi__residence_row *row) {
    return row->name == UBI_NONE ? (ubi_text){ NULL, 0 } : ubi__strtab_get(&r->names, row->name);
}

static ubi_status part_add(ubi__residence *to, ubi__residence_amount *left, const ubi__residence_part *part) {
    ubi__residence_amount amount = *left;
    if (part->resident_bytes == 0 || left->resident_bytes == 0)
        return UBI_OK;
    if (part->resident_bytes < left->resident_bytes) {
        double share = (double)part->resident_bytes / (double)left->resident_bytes;
        amount.resident_bytes = part->resident_bytes;
        amount.share_bytes = (uint64_t)(share * (double)left->share_bytes);
    }
    amount.swapped_bytes = 0;
    left->resident_bytes -= amount.resident_bytes;
    left->share_bytes -= amount.share_bytes;
    return ubi__residence_add(to, part->kind, (ubi_text){ NULL, 0 }, &amount);
}

static ubi_status rows_copy(ubi__residence *to, const ubi__residence *r, ubi__residence_kind kind, ubi_text name,
                            const ubi__residence_part *parts, size_t n) {
    for (size_t i = 0; i < r->rows.n; i++) {
        const ubi__residence_row *row = &r->rows.at[i];
        ubi__residence_amount left = row->amount;
        const ubi_text own = row_own_name(r, row);
        bool is_it = row->kind == kind && ubi__text_compare(own, name) == 0;
        for (size_t k = 0; is_it && k < n; k++)
            UBI_TRY(part_add(to, &left, &parts[k]));
        UBI_TRY(ubi__residence_add(to, row->kind, own, &left));
    }
    return UBI_OK;
}

ubi_status ubi__residence_divide(ubi__residence *r, ubi__residence_kind kind, ubi_text name,
                                 const ubi__residence_part *parts, size_t n) {
    ubi__residence divided;
    ubi__residence_init(&divided, r->allocator);
    divided.n_mappings = r->n_mappings;
    divided.is_divided = r->is_divided;
    ubi_status status = rows_copy(&divided, r, kind, name, parts, n);
    if (status != UBI_OK) {
        ubi__residence_fini(&divided);
        return status;
    }
    ubi__residence_sort(&divided);
    ubi__residence_fini(r);
    *r = divided;
    return UBI_OK;
}
