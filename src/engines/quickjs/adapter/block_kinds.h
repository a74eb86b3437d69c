/* SPDX-License-Identifier: MIT
 *
 * block_kinds.h: what is said of blocks that the engine asks for (block_hooks.h).
 */
#ifndef UBI_QUICKJS_BLOCK_KINDS_H
#define UBI_QUICKJS_BLOCK_KINDS_H

#include <stdint.h>

typedef enum ubi__block_kind { UBI__BLOCK_STRING, UBI__BLOCK_SHAPE, UBI__BLOCK_CODE, UBI__BLOCK_KINDS } ubi__block_kind;
typedef struct ubi__block_class { /* the recorder's numbers; 0: unknown */
    uint8_t made, resized;
} ubi__block_class;

#endif
