/* SPDX-License-Identifier: MIT
 *
 * js_values.h: JavaScript values described as plain data (ubiheap/extension/console.h), and those that a console holds.
 *
 * Nothing here calls a script: objects are looked at through js_properties.h. Texts are copies outside of the engine's heap. A function
 * that returns a status leaves no pending exception.
 */
#ifndef UBI_QUICKJS_JS_VALUES_H
#define UBI_QUICKJS_JS_VALUES_H

#include <ubiheap/extension/console.h>

#include "engines/quickjs/engine.h"

#define UBI__JS_TRY(call)                                                                                              \
    do {                                                                                                               \
        ubi_status try_status_ = (call);                                                                               \
        if (try_status_ != UBI_OK)                                                                                     \
            return try_status_;                                                                                        \
    } while (0)

/** UBI_ENOMEM; forgets what the engine has thrown. */
ubi_status ubi__js_fail_nomem(JSContext *ctx);

/* ---- texts ---------------------------------------------------------------------------------------------------------- */

/** Texts that live as long as a result. All zero with an allocator: none. */
typedef struct ubi__js_texts {
    const ubi_allocator *allocator;
    struct ubi__js_text_copy *first;
} ubi__js_texts;

void ubi__js_texts_clear(ubi__js_texts *texts);
/** Zeroed bytes that live as long, aligned as a pointer is. NULL: no memory. */
void *ubi__js_texts_allot(ubi__js_texts *texts, size_t n);
/** Copies bytes. */
ubi_status ubi__js_texts_add(ubi_text *out, ubi__js_texts *texts, const char *bytes, size_t n);
/** Of a string, a number or another value whose conversion runs no script. */
ubi_status ubi__js_texts_add_value(ubi_text *out, ubi__js_texts *texts, JSContext *ctx, JSValueConst value);
ubi_status ubi__js_texts_add_atom(ubi_text *out, ubi__js_texts *texts, JSContext *ctx, JSAtom atom);
/** Units [first, end) of a string. *length_units: all of it; may be NULL. */
ubi_status ubi__js_texts_add_units(ubi_text *out, ubi__js_texts *texts, JSContext *ctx, JSValueConst string,
                                   uint64_t first, uint64_t end, uint64_t *length_units);

/* ---- values that are held ------------------------------------------------------------------------------------------- */

typedef struct ubi__js_held {
    JSValue value; /* undefined: free */
    uint32_t generation;
    uint32_t next_free; /* of one that is free: index + 1 of the next; 0: none */
} ubi__js_held;

typedef struct ubi__js_values {
    const ubi_allocator *allocator;
    JSRuntime *runtime;
    ubi__js_held *at;
    uint32_t n, capacity, first_free;
} ubi__js_values;

void ubi__js_values_fini(ubi__js_values *values);
/** Errors: UBI_ENOMEM. */
ubi_status ubi__js_values_hold(ubi_value_handle *out, ubi__js_values *values, JSContext *ctx, JSValueConst value);
/** Borrowed. Errors: UBI_ENOTFOUND. */
ubi_status ubi__js_values_find(JSValueConst *out, const ubi__js_values *values, ubi_value_handle handle);
ubi_status ubi__js_values_release(ubi__js_values *values, ubi_value_handle handle);

/* ---- descriptions --------------------------------------------------------------------------------------------------- */

/** What a description is made with. */
typedef struct ubi__js_describer {
    JSContext *ctx;
    ubi__js_values *values;
    ubi__js_texts *texts;
} ubi__js_describer;

/** A value; holds it if that is needed. Errors: UBI_ENOMEM. */
ubi_status ubi__js_describe_value(const ubi__js_describer *d, JSValueConst value, ubi_value *out);
/** Of a description that is not handed over: what it holds is released. */
void ubi__js_drop_value(const ubi__js_describer *d, ubi_value *value);
/** An object. Errors: UBI_ENOMEM. */
ubi_status ubi__js_describe_object(const ubi__js_describer *d, JSValueConst object, ubi_object_description *out);
/** Own properties; see ubi_console_properties. The texts of one are gone when `fn` has returned. */
ubi_status ubi__js_describe_properties(const ubi__js_describer *d, JSValueConst object, uint32_t selection,
                                       uint64_t first, uint64_t count, ubi_property_fn fn, void *payload,
                                       uint64_t *total);

/** Entries of a collection; see ubi_console_entries. The texts of one are gone when `fn` has returned. */
ubi_status ubi__js_describe_entries(const ubi__js_describer *d, JSValueConst object, uint64_t first, uint64_t count,
                                    ubi_entry_fn fn, void *payload, uint64_t *total);
/** See ubi_console_slots. */
ubi_status ubi__js_describe_slots(const ubi__js_describer *d, JSValueConst object, ubi_object_slots *out);
/** What an object of the language's classes is and holds, beside its properties. Leaves others alone. */
ubi_status ubi__js_describe_content(const ubi__js_describer *d, JSValueConst object, ubi_object_description *out);

/** The text of a value, which is taken, cut as strings are; NULL text where it is no string. */
ubi_status ubi__js_describe_text(const ubi__js_describer *d, JSValue value, ubi_text *out);
/** A count or place, which is taken; 0 where it is neither. */
uint32_t ubi__js_count_of(const ubi__js_describer *d, JSValue value);
ubi_status ubi__js_describe_error(const ubi__js_describer *d, JSValueConst error, ubi_object_description *out);

/** What was thrown, in words, and where, as far as an error knows it. */
typedef struct ubi__js_thrown {
    ubi_text message, source;
    uint32_t line, column;
    const ubi_console_frame *frames; /* frames[frame_count]: the stack, youngest first */
    uint32_t frame_count;
} ubi__js_thrown;
ubi_status ubi__js_describe_thrown(const ubi__js_describer *d, JSValueConst thrown, ubi__js_thrown *out);
/** Where the script is: the caller of the native function that runs. Unknown: NULL text. */
ubi_status ubi__js_describe_place(const ubi__js_describer *d, ubi__js_thrown *out);

#endif
