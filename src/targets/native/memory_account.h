/* SPDX-License-Identifier: MIT
 *
 * memory_account.h: one mapping, of which part after part is entered into the table of what memory is used for. However the parts were
 * counted, no more is entered than the kernel says, and no less.
 */
#ifndef UBI_TARGETS_NATIVE_MEMORY_ACCOUNT_H
#define UBI_TARGETS_NATIVE_MEMORY_ACCOUNT_H

#include "targets/native/memory_look.h"
#include "targets/native/memory_maps.h"

typedef struct ubi__memory_account {
    ubi__residence *to;
    ubi__memory_look *look;
    const ubi__memory_map *map;
    ubi__residence_amount left; /* of the mapping, not entered yet */
} ubi__memory_account;

#define UBI__NO_NAME ((ubi_text){ NULL, 0 })

/** Enters so much, or what is left if that is less. Errors: UBI_ENOMEM. */
static inline ubi_status ubi__memory_account_enter(ubi__memory_account *a, ubi__residence_kind kind, ubi_text name,
                                                   uint64_t resident_bytes) {
    ubi__residence_amount part = { .resident_bytes = resident_bytes };
    if (part.resident_bytes > a->left.resident_bytes)
        part.resident_bytes = a->left.resident_bytes;
    if (part.resident_bytes == a->left.resident_bytes)
        part.share_bytes = a->left.share_bytes;
    else
        part.share_bytes =
            (uint64_t)((double)a->left.share_bytes / (double)a->left.resident_bytes * (double)part.resident_bytes);
    a->left.resident_bytes -= part.resident_bytes;
    a->left.share_bytes -= part.share_bytes;
    return ubi__residence_add(a->to, kind, name, &part);
}

/** Enters what of [low, high) is in RAM; when we cannot know, a part of the mapping in proportion. */
static inline ubi_status ubi__memory_account_enter_range(ubi__memory_account *a, ubi__residence_kind kind,
                                                         ubi_text name, uint64_t low, uint64_t high) {
    double part = (double)(high - low) / (double)(a->map->high - a->map->low);
    uint64_t bytes = a->look->pages < 0 ? (uint64_t)(part * (double)a->map->amount.resident_bytes)
                                        : ubi__memory_look_resident(a->look, low, high);
    return ubi__memory_account_enter(a, kind, name, bytes);
}

/** Enters what is left, with what is not in RAM. */
static inline ubi_status ubi__memory_account_close(ubi__memory_account *a, ubi__residence_kind kind, ubi_text name) {
    const ubi__residence_amount rest = a->left;
    a->left = (ubi__residence_amount){ 0 };
    return ubi__residence_add(a->to, kind, name, &rest);
}

#endif
