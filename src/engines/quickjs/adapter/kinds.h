/* SPDX-License-Identifier: MIT
 *
 * kinds.h: what a node of the heap graph is.
 */
#ifndef UBI_QUICKJS_KINDS_H
#define UBI_QUICKJS_KINDS_H

#include <ubiheap/core/node.h>

/** A kind and an address say everything about a node; which structure lies there follows from the kind. */
typedef enum ubi__kind {
    UBI__OBJECT,
    UBI__BYTECODE,
    UBI__SHAPE,
    UBI__VAR_REF,      /**< a closed-over variable that outlived its frame */
    UBI__OPEN_VAR_REF, /**< one whose frame still runs: its value lies in the frame */
    UBI__ASYNC_STATE,
    UBI__REALM,
    UBI__MODULE,
    UBI__STRING,
    UBI__SYMBOL,
    UBI__ROPE,
    UBI__BIG_INT,
    UBI__BIG_FLOAT,
    UBI__BIG_DECIMAL,
    UBI__RUNTIME,
    UBI__ROOT_LIST, /**< made by us: what is held from outside of the heap */
    UBI__KIND_COUNT
} ubi__kind;

typedef struct ubi__kind_facts {
    ubi_text type_name;
    ubi_coarse_type coarse;
} ubi__kind_facts;

#define UBI__TYPE_NAME(literal)                                                                                        \
    { literal, sizeof literal - 1 }

static const ubi__kind_facts ubi__kinds[UBI__KIND_COUNT] = {
    [UBI__OBJECT] = { UBI__TYPE_NAME("JSObject"), UBI_COARSE_OBJECT },
    [UBI__BYTECODE] = { UBI__TYPE_NAME("JSFunctionBytecode"), UBI_COARSE_SCRIPT },
    [UBI__SHAPE] = { UBI__TYPE_NAME("JSShape"), UBI_COARSE_OTHER },
    [UBI__VAR_REF] = { UBI__TYPE_NAME("JSVarRef"), UBI_COARSE_OTHER },
    [UBI__OPEN_VAR_REF] = { UBI__TYPE_NAME("JSVarRef"), UBI_COARSE_OTHER },
    [UBI__ASYNC_STATE] = { UBI__TYPE_NAME("JSAsyncFunctionState"), UBI_COARSE_OTHER },
    [UBI__REALM] = { UBI__TYPE_NAME("JSContext"), UBI_COARSE_OTHER },
    [UBI__MODULE] = { UBI__TYPE_NAME("JSModuleDef"), UBI_COARSE_OTHER },
    [UBI__STRING] = { UBI__TYPE_NAME("JSString"), UBI_COARSE_STRING },
    [UBI__SYMBOL] = { UBI__TYPE_NAME("JSSymbol"), UBI_COARSE_OTHER },
    [UBI__ROPE] = { UBI__TYPE_NAME("JSStringRope"), UBI_COARSE_STRING },
    [UBI__BIG_INT] = { UBI__TYPE_NAME("JSBigInt"), UBI_COARSE_OTHER },
    [UBI__BIG_FLOAT] = { UBI__TYPE_NAME("JSBigFloat"), UBI_COARSE_OTHER },
    [UBI__BIG_DECIMAL] = { UBI__TYPE_NAME("JSBigDecimal"), UBI_COARSE_OTHER },
    [UBI__RUNTIME] = { UBI__TYPE_NAME("JSRuntime"), UBI_COARSE_OTHER },
    [UBI__ROOT_LIST] = { UBI__TYPE_NAME("JS::ubi::RootList"), UBI_COARSE_OTHER },
};

#endif
