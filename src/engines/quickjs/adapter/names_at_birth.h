/* SPDX-License-Identifier: MIT
 *
 * names_at_birth.h: the engine's names as texts of ours.
 *
 * Everything is read from structures, nothing is asked of scripts: no getter runs, nothing is allocated on the heap.
 */
#ifndef UBI_QUICKJS_NAMES_AT_BIRTH_H
#define UBI_QUICKJS_NAMES_AT_BIRTH_H

#include "engines/quickjs/adapter/function_names.h"
#include "engines/quickjs/adapter/texts.h"
#include "tracking/tool_memory.h"

/* Latin-1 and UTF-16: at most 3 bytes per unit. */
static ubi__text_ix ubi__text_of_other_string(ubi__tracking *t, const JSString *p) {
    uint32_t len = p->len;
    if (len > UINT32_MAX / 8 ||
        !ubi__tool_reserve(t->allocator, (void **)&t->text_buffer, &t->text_buffer_bytes, 3 * len + 1, 1))
        return UBI_NONE;
    return ubi__tracked_texts_intern(&t->texts, t->text_buffer, ubi__string_to_utf8(t->text_buffer, p));
}

/*
 * The same few strings are asked for again and again: a slot remembers what the string at an address was. It may have died
 * and left its place to another, so the bytes are compared; only ASCII is kept, for its bytes are those of the text.
 */
static ubi__text_ix ubi__text_of_string(ubi__tracking *t, const JSString *p) {
    if (ubi__string_is_wide(p))
        return ubi__text_of_other_string(t, p);
    const char *bytes = (const char *)ubi__string_units(p);
    uint32_t len = p->len;
    ubi__cached_string *cached = &t->string_cache[((uintptr_t)p >> 4) % UBI__STRING_CACHE_SLOTS];
    if (cached->string == p) {
        ubi_text text = ubi__tracked_texts_get(&t->texts, cached->text);
        if (text.len == len && memcmp(text.ptr, bytes, len) == 0)
            return cached->text;
    }
    if (!ubi__is_ascii((const uint8_t *)bytes, len))
        return ubi__text_of_other_string(t, p);
    ubi__text_ix text = ubi__tracked_texts_intern(&t->texts, bytes, len);
    if (text != UBI_NONE)
        *cached = (ubi__cached_string){ p, text };
    return text;
}

static ubi__text_ix ubi__text_of_atom(ubi__tracking *t, JSRuntime *rt, JSAtom atom) {
    if (atom == JS_ATOM_NULL)
        return UBI_NONE;
    if (__JS_AtomIsTaggedInt(atom)) {
        char digits[16];
        int n = snprintf(digits, sizeof digits, "%u", (unsigned)__JS_AtomToUInt32(atom));
        return ubi__tracked_texts_intern(&t->texts, digits, (size_t)n);
    }
    const JSString *string = ubi__atom_string(rt, atom);
    return string ? ubi__text_of_string(t, string) : UBI_NONE;
}

static UBI_OUT_OF_LINE ubi__text_ix ubi__text_of_new_class(ubi__tracking *t, JSRuntime *rt, uint32_t class_id) {
    uint32_t had = t->class_text_count;
    if (!ubi__tool_reserve(t->allocator, (void **)&t->class_texts, &t->class_text_count, class_id + 1,
                           sizeof *t->class_texts))
        return UBI_NONE;
    memset(t->class_texts + had, 0xff, (t->class_text_count - had) * sizeof *t->class_texts);
    return t->class_texts[class_id] = class_id == JS_CLASS_PROXY
                                          ? ubi__tracked_texts_intern(&t->texts, "Proxy", 5)
                                          : ubi__text_of_atom(t, rt, rt->class_array[class_id].class_name);
}

/** Name of a class, such as "Array". UBI_NONE: no memory. */
static inline ubi__text_ix ubi__text_of_class(ubi__tracking *t, JSRuntime *rt, uint32_t class_id) {
    if (__builtin_expect(class_id < t->class_text_count && t->class_texts[class_id] != UBI_NONE, 1))
        return t->class_texts[class_id];
    return ubi__text_of_new_class(t, rt, class_id);
}

/** Name of a function. UBI_NONE: it has none, is a whole script, or there is no memory. */
static ubi__text_ix ubi__text_of_function(ubi__tracking *t, JSRuntime *rt, JSObject *function) {
    ubi__function_name name = ubi__name_of_function(function);
    if (name.atom == JS_ATOM__eval_)
        return UBI_NONE;
    return name.string ? ubi__text_of_string(t, name.string) : ubi__text_of_atom(t, rt, name.atom);
}

#endif
