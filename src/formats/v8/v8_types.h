/* SPDX-License-Identifier: MIT
 *
 * v8_types.h: V8's node types under fixed numbers (ubi_kind.raw_type), whatever numbers a file gives them.
 */
#ifndef UBI_FORMATS_V8_TYPES_H
#define UBI_FORMATS_V8_TYPES_H

#include <ubiheap/core/base.h>

typedef enum ubi__v8_type {
    UBI__V8_NONE = 0, /* not from V8 */
    UBI__V8_HIDDEN,
    UBI__V8_ARRAY,
    UBI__V8_STRING,
    UBI__V8_OBJECT,
    UBI__V8_CODE,
    UBI__V8_CLOSURE,
    UBI__V8_REGEXP,
    UBI__V8_NUMBER,
    UBI__V8_NATIVE,
    UBI__V8_SYNTHETIC,
    UBI__V8_CONS_STRING,
    UBI__V8_SLICED_STRING,
    UBI__V8_SYMBOL,
    UBI__V8_BIGINT,
    UBI__V8_OBJECT_SHAPE,
    UBI__V8_WASM_OBJECT,
    UBI__V8_OTHER /* a type of a later V8; the kind's type_name has its name */
} ubi__v8_type;

#define UBI__V8_TYPE_COUNT (UBI__V8_OTHER + 1)

/** As files name it, such as "concatenated string"; "" for NONE and OTHER. Static. */
const char *ubi__v8_type_name(ubi__v8_type type);
/** OTHER for unknown names. */
ubi__v8_type ubi__v8_type_of(ubi_text name);

#endif
