/* SPDX-License-Identifier: MIT
 *
 * dominated_list.c: see dominated_list.h.
 */
#include "questions/dominators/dominated_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bits.h"
#include "base/status.h"
#include "session/part.h"

#define KEY_BYTES 32

bool ubi__dominates_many(const ubi_dominators *dominators, ubi_node_ix node) {
    uint32_t n;
    ubi_dominators_dominated(dominators, node, &n);
    return n > UBI__DOMINATED_MANY;
}

/* ---- order ----------------------------------------------------------------------------------------------------------- */

typedef struct dominated_order {
    uint32_t n;
    ubi_node_ix nodes[];
} dominated_order;

static size_t order_bytes(uint32_t n) {
    return sizeof(dominated_order) + (size_t)n * sizeof(ubi_node_ix);
}

static void order_free(void *value, const ubi_allocator *allocator) {
    dominated_order *order = value;
    ubi__free_array(allocator, order, 1, order_bytes(order->n));
}

/* A key is the node and how many of its children are wanted. */
static ubi_status order_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    const ubi_dominators *dominators;
    char *rest;
    ubi_node_ix node = (ubi_node_ix)strtoul(key, &rest, 10);
    uint32_t n = (uint32_t)strtoul(rest, NULL, 10);
    UBI_TRY(ubi_session_dominators(&dominators, use, true));
    dominated_order *order = ubi__alloc_array(allocator, 1, order_bytes(n));
    if (!order)
        return ubi__fail_nomem();
    order->n = n;
    uint32_t n_found;
    ubi_status status = ubi_dominators_largest(order->nodes, &n_found, dominators, node, n);
    UBI_ASSERT(status != UBI_OK || n_found == n);
    if (status == UBI_OK)
        *out = order;
    else
        order_free(order, allocator);
    return status;
}

static const ubi__part_type order_part = { .name = "dominated order",
                                           .build = order_build,
                                           .free = order_free,
                                           .is_self_contained = true,
                                           .is_quickly_made = true };

/* Powers of two, so that a list that is read to its end is ordered few times. */
static uint32_t order_length(uint32_t n_wanted, uint32_t n_children) {
    uint32_t n = UBI__DOMINATED_MANY;
    while (n < n_wanted && n < n_children / 2)
        n *= 2;
    return n < n_wanted ? n_children : n;
}

ubi_status ubi__dominated_first(const ubi_node_ix **out, ubi_session_use *use, ubi_node_ix node, uint32_t n) {
    const ubi_dominators *dominators;
    char key[KEY_BYTES];
    void *order;
    uint32_t n_children;
    UBI_TRY(ubi_session_dominators(&dominators, use, true));
    ubi_dominators_dominated(dominators, node, &n_children);
    UBI_ASSERT(n <= n_children && n_children > UBI__DOMINATED_MANY);
    snprintf(key, sizeof key, "%" PRIu32 " %" PRIu32, node, order_length(n, n_children));
    UBI_TRY(ubi__session_part(&order, use, &order_part, key));
    *out = ((dominated_order *)order)->nodes;
    return UBI_OK;
}

/* ---- sums ------------------------------------------------------------------------------------------------------------ */

static void sums_free(void *value, const ubi_allocator *allocator) {
    ubi__dominated_sums *sums = value;
    UBI_DELETE(allocator, sums);
}

/* A key is the node. */
static ubi_status sums_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    const ubi_look *look;
    const ubi_dominators *dominators;
    UBI_TRY(ubi_session_look(&look, use));
    UBI_TRY(ubi_session_dominators(&dominators, use, true));
    ubi__dominated_sums *sums = UBI_NEW(allocator, ubi__dominated_sums);
    if (!sums)
        return ubi__fail_nomem();
    *sums = ubi__dominated_sums_of(dominators, look, (ubi_node_ix)strtoul(key, NULL, 10));
    *out = sums;
    return UBI_OK;
}

static const ubi__part_type sums_part = {
    .name = "dominated sums", .build = sums_build, .free = sums_free, .is_self_contained = true, .is_quickly_made = true
};

ubi_status ubi__dominated_sums_get(ubi__dominated_sums *out, ubi_session_use *use, ubi_node_ix node) {
    const ubi_look *look;
    const ubi_dominators *dominators;
    char key[KEY_BYTES];
    void *sums;
    UBI_TRY(ubi_session_look(&look, use));
    UBI_TRY(ubi_session_dominators(&dominators, use, true));
    if (!ubi__dominates_many(dominators, node)) {
        *out = ubi__dominated_sums_of(dominators, look, node);
        return UBI_OK;
    }
    snprintf(key, sizeof key, "%" PRIu32, node);
    UBI_TRY(ubi__session_part(&sums, use, &sums_part, key));
    *out = *(ubi__dominated_sums *)sums;
    return UBI_OK;
}
