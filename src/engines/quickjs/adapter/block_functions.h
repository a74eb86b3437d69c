/* SPDX-License-Identifier: MIT
 *
 * block_functions.h: the functions through which the blocks of a heap go, by type; see blocks.h.
 */
#ifndef UBI_QUICKJS_BLOCK_FUNCTIONS_H
#define UBI_QUICKJS_BLOCK_FUNCTIONS_H

#include <stddef.h>

#include <quickjs.h>

#include "ubi_features.h"

#if UBI_BLOCK_HOOKS

/** By this, these functions know whose block it is. */
typedef JSRuntime ubi__block_owner;
typedef struct ubi__block_functions {
    void *(*js_malloc)(ubi__block_owner *owner, size_t size);
    void *(*js_realloc)(ubi__block_owner *owner, void *block, size_t size);
    void (*js_free)(ubi__block_owner *owner, void *block);
} ubi__block_functions;

#else

typedef JSMallocState ubi__block_owner;
typedef JSMallocFunctions ubi__block_functions;

#endif
#endif
