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
static ubi__text_ix ubi__text_of_other_string(ubi_quickjs *tools, const JSString *p) {
    uint32_t len = p->len;
    if (len > UINT32_MAX / 8 || !ubi__tool_reserve(tools->allocator, (void **)&tools->capture.text_buffer,
                                                   &tools->capture.text_buffer_bytes, 3 * len + 1, 1))
        return UBI_NONE;
    return ubi__tracked_texts_intern(&tools->tracking.texts, tools->capture.text_buffer,
                                     ubi__string_to_utf8(tools->capture.text_buffer, p));
}

/*
 * The same few strings are asked for again and again: a slot remembers what the string at an address was. It may have died
 * and left its place to another, so the bytes are compared; only ASCII is kept, for its bytes are those of the text.
 */
static ubi__text_ix ubi__text_of_string(ubi_quickjs *tools, const JSString *p) {
    if (ubi__string_is_wide(p))
        return ubi__text_of_other_string(tools, p);
    const char *bytes = (const char *)ubi__string_units(p);
    uint32_t len = p->len;
    ubi__cached_string *cached = &tools->capture.string_cache[((uintptr_t)p >> 4) % UBI__STRING_CACHE_SLOTS];
    if (cached->string == p) {
        ubi_text text = ubi__tracked_texts_get(&tools->tracking.texts, cached->text);
        if (text.len == len && memcmp(text.ptr, bytes, len) == 0)
            return cached->text;
    }
    if (!ubi__is_ascii((const uint8_t *)bytes, len))
        return ubi__text_of_other_string(tools, p);
    ubi__text_ix text = ubi__tracked_texts_intern(&tools->tracking.texts, bytes, len);
    if (text != UBI_NONE)
        *cached = (ubi__cached_string){ p, text };
    return text;
}

static ubi__text_ix ubi__text_of_atom(ubi_quickjs *tools, JSAtom atom) {
    if (atom == JS_ATOM_NULL)
        return UBI_NONE;
    if (__JS_AtomIsTaggedInt(atom)) {
        char digits[16];
        int n = snprintf(digits, sizeof digits, "%u", (unsigned)__JS_AtomToUInt32(atom));
        return ubi__tracked_texts_intern(&tools->tracking.texts, digits, (size_t)n);
    }
    const JSString *string = ubi__atom_string(tools->runtime, atom);
    return string ? ubi__text_of_string(tools, string) : UBI_NONE;
}

/* As tracking asks for it, once per class. */
static ubi__text_ix ubi__text_of_class(void *engine, uint32_t class_id) {
    ubi_quickjs *tools = engine;
    return class_id == JS_CLASS_PROXY ? ubi__tracked_texts_intern(&tools->tracking.texts, "Proxy", 5)
                                      : ubi__text_of_atom(tools, tools->runtime->class_array[class_id].class_name);
}

/** Name of a function. UBI_NONE: it has none, is a whole script, or there is no memory. */
static ubi__text_ix ubi__text_of_function(ubi_quickjs *tools, JSObject *function) {
    ubi__function_name name = ubi__name_of_function(function);
    if (name.atom == JS_ATOM__eval_)
        return UBI_NONE;
    return name.string ? ubi__text_of_string(tools, name.string) : ubi__text_of_atom(tools, name.atom);
}

#endif
