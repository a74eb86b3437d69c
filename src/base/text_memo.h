/* SPDX-License-Identifier: MIT
 *
 * text_memo.h: what was found out about a few long texts, so that a text that recurs is not read again.
 *
 * Texts are distinguished by a key: where they lie, or their number in a table. The owner promises that a text of this key and
 * length does not change while the memo is in use. Short texts are not remembered: reading them costs no more.
 */
#ifndef UBI_BASE_TEXT_MEMO_H
#define UBI_BASE_TEXT_MEMO_H

#include <ubiheap/core/base.h>

#include "base/bits.h"

#define UBI__TEXT_MEMO_SLOTS_LOG2 4
#define UBI__TEXT_MEMO_SLOTS (1 << UBI__TEXT_MEMO_SLOTS_LOG2)
#define UBI__TEXT_MEMO_LEAST_BYTES 1024

/** All zero: empty. */
typedef struct ubi__text_memo {
    struct {
        uint64_t key, len, value;
    } slots[UBI__TEXT_MEMO_SLOTS];
} ubi__text_memo;

/** False: unknown or replaced. */
static inline bool ubi__text_memo_get(uint64_t *out, const ubi__text_memo *memo, uint64_t key, size_t len) {
    size_t i = ubi__cache_place(key, UBI__TEXT_MEMO_SLOTS_LOG2);
    if (len < UBI__TEXT_MEMO_LEAST_BYTES || memo->slots[i].key != key || memo->slots[i].len != len)
        return false;
    *out = memo->slots[i].value;
    return true;
}

static inline void ubi__text_memo_put(ubi__text_memo *memo, uint64_t key, size_t len, uint64_t value) {
    size_t i = ubi__cache_place(key, UBI__TEXT_MEMO_SLOTS_LOG2);
    if (len < UBI__TEXT_MEMO_LEAST_BYTES)
        return;
    memo->slots[i].key = key;
    memo->slots[i].len = len;
    memo->slots[i].value = value;
}

#endif
