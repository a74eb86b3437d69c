/* SPDX-License-Identifier: MIT
 *
 * hook_counts.h: how often each hook of the adapter fired, for the self-test of the build (hooks_selftest.c).
 *
 * A hook that reports only while births and deaths are watched counts only then.
 */
#ifndef UBI_QUICKJS_HOOK_COUNTS_H
#define UBI_QUICKJS_HOOK_COUNTS_H

#include <ubiheap/extension/quickjs.h>

typedef enum ubi__hook {
    UBI__HOOK_BIRTH, /**< while watched */
    UBI__HOOK_DEATH, /**< while watched */
    UBI__HOOK_NEW,   /**< while watched */
    UBI__HOOK_REALM_DEATH,
    UBI__HOOK_GC_BY_API,    /**< the exported JS_RunGC */
    UBI__HOOK_GC_BY_ENGINE, /**< because enough was allocated */
    UBI__HOOK_CYCLES_BEGIN,
    UBI__HOOK_CYCLES_END,
    UBI__HOOK_MARK,   /**< by a walk */
    UBI__HOOK_MODULE, /**< by a walk */
    UBI__HOOK_OUT_OF_MEMORY,
    UBI__HOOK_CALL,    /**< while a timeline is observed, as all that follow */
    UBI__HOOK_PROGRAM, /**< a script or module */
    UBI__HOOK_JOB,     /**< of the engine's own */
    UBI__HOOK_REACTION,
    UBI__HOOK_PARSE_BEGIN,
    UBI__HOOK_PARSE_END,
    UBI__HOOK_COUNT
} ubi__hook;

uint64_t ubi__hook_count(const ubi_quickjs *tools, ubi__hook hook);

/** What the interpreter was about to make, at the place that the innermost frame has stored. */
typedef enum ubi__place {
    UBI__PLACE_OBJECT,
    UBI__PLACE_ARRAY,
    UBI__PLACE_CLOSURE,
    UBI__PLACE_ARGUMENTS,
    UBI__PLACE_REST,
    UBI__PLACE_REGEXP,
    UBI__PLACE_CLASS,
    UBI__PLACE_OTHER, /**< something else, or no place is stored */
    UBI__PLACE_COUNT = UBI__PLACE_OTHER
} ubi__place;

/** Inside of an allocation hook. */
ubi__place ubi__stored_place(const ubi_quickjs *tools);

#endif
