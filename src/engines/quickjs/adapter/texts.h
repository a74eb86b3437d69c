/* SPDX-License-Identifier: MIT
 *
 * texts.h: names in the engine's heap as UTF-8 text.
 *
 * ASCII is borrowed as it lies; everything else is converted, lone surrogates as in WTF-8. Names of edges share one buffer,
 * for they are borrowed during a call; texts of nodes are kept until thaw.
 */
#ifndef UBI_QUICKJS_TEXTS_H
#define UBI_QUICKJS_TEXTS_H

#include "engines/quickjs/adapter/facts.h"
#include "engines/quickjs/adapter/state.h"

/** How an edge is named: made at no cost, spelled out only for those who want names. */
typedef struct ubi__name {
    const char *text; /* before the atom or number, or alone */
    uint32_t number;  /* an atom, a number, or which root it is that has the name */
    enum { UBI__NAME_TEXT, UBI__NAME_ATOM, UBI__NAME_NUMBER, UBI__NAME_ROOT } how;
} ubi__name;

#define UBI__NAMED(literal) ((ubi__name){ (literal), 0, UBI__NAME_TEXT })
#define UBI__ATOM_NAMED(atom) ((ubi__name){ "", (atom), UBI__NAME_ATOM })
#define UBI__ATOM_NAMED_AFTER(literal, atom) ((ubi__name){ (literal), (atom), UBI__NAME_ATOM })
#define UBI__NUMBERED(literal, i) ((ubi__name){ (literal), (i), UBI__NAME_NUMBER })

/* As a key: `how` in the low bits of `base`, above it the text. */
#define UBI__HOW_BITS 2

static inline ubi_edge_key ubi__key_of_name(ubi__name name) {
    if (!name.text && name.how != UBI__NAME_ROOT)
        return (ubi_edge_key){ UBI_EDGE_KEY_UNNAMED, 0 };
    if (name.how == UBI__NAME_NUMBER && !*name.text)
        return (ubi_edge_key){ UBI_EDGE_KEY_NUMBER, name.number };
    return (ubi_edge_key){ (uint64_t)(uintptr_t)name.text << UBI__HOW_BITS | (uint64_t)name.how, name.number };
}

static inline ubi__name ubi__name_of_key(ubi_edge_key key) {
    if (key.base == UBI_EDGE_KEY_NUMBER)
        return UBI__NUMBERED("", (uint32_t)key.number);
    return (ubi__name){ (const char *)(uintptr_t)(key.base >> UBI__HOW_BITS), (uint32_t)key.number,
                        key.base & ((1u << UBI__HOW_BITS) - 1) };
}

static bool ubi__is_ascii(const uint8_t *p, size_t n) {
    uint8_t all = 0;
    for (size_t i = 0; i < n; i++)
        all |= p[i];
    return all < 0x80;
}

static size_t ubi__put_utf8(char *out, uint32_t c) {
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--, c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3F));
    out[0] = (char)((0xF00 >> n & 0xF0) | c);
    return n;
}

/* As far as whole characters have room. Returns the length. */
static size_t ubi__put_string(char *out, size_t room, const JSString *p) {
    const uint8_t *narrow = ubi__string_units(p);
    const uint16_t *wide = ubi__string_units(p);
    size_t n = 0;
    for (uint32_t i = 0; i < p->len && n + 4 <= room; i++) {
        uint32_t c = ubi__string_is_wide(p) ? wide[i] : narrow[i];
        if ((c & 0xFC00) == 0xD800 && i + 1 < p->len && (wide[i + 1] & 0xFC00) == 0xDC00)
            c = 0x10000 + ((c & 0x3FF) << 10) + (wide[++i] & 0x3FF);
        n += ubi__put_utf8(out + n, c);
    }
    return n;
}

/* At most 3 bytes per unit, for which there is room. Returns the length. */
static size_t ubi__string_to_utf8(char *out, const JSString *p) {
    return ubi__put_string(out, SIZE_MAX, p);
}

/* The text of a string where it lies; NULL text: it has to be converted. */
static ubi_text ubi__borrowed_text(const JSString *p) {
    const char *units = ubi__string_units(p);
    if (!ubi__string_is_wide(p) && ubi__is_ascii((const uint8_t *)units, p->len))
        return (ubi_text){ units, p->len };
    return (ubi_text){ NULL, 0 };
}

/* The digits of an atom that is a number (a file named "7"), until thaw. */
static ubi_text ubi__node_digits(ubi_quickjs *tools, JSAtom atom) {
    ubi__kept_text *kept = tools->walk.texts;
    while (kept && kept->atom != atom)
        kept = kept->next;
    if (!kept) {
        enum { CAPACITY = 16 };
        kept = ubi__tools_alloc(tools, sizeof *kept + CAPACITY);
        if (!kept)
            return (ubi_text){ NULL, 0 };
        *kept = (ubi__kept_text){ tools->walk.texts, atom, CAPACITY, 0 };
        kept->length = (uint32_t)snprintf(kept->bytes, CAPACITY, "%u", (unsigned)__JS_AtomToUInt32(atom));
        tools->walk.texts = kept;
    }
    return (ubi_text){ kept->bytes, kept->length };
}

/** The text of an atom, until thaw. NULL text: it has none, or there is no memory. */
static ubi_text ubi__node_text(ubi_quickjs *tools, JSAtom atom) {
    if (__JS_AtomIsTaggedInt(atom))
        return ubi__node_digits(tools, atom);
    const JSString *p = ubi__atom_string(tools->runtime, atom);
    if (!p)
        return (ubi_text){ NULL, 0 };
    ubi_text text = ubi__borrowed_text(p);
    ubi__kept_text *kept = tools->walk.texts;
    while (!text.ptr && kept && kept->atom != atom)
        kept = kept->next;
    if (!text.ptr && !kept) {
        size_t capacity = (size_t)p->len * 3;
        kept = ubi__tools_alloc(tools, sizeof *kept + capacity);
        if (!kept)
            return text;
        *kept = (ubi__kept_text){ tools->walk.texts, atom, (uint32_t)capacity, 0 };
        kept->length = (uint32_t)ubi__string_to_utf8(kept->bytes, p);
        tools->walk.texts = kept;
    }
    return text.ptr ? text : (ubi_text){ kept->bytes, kept->length };
}

static void ubi__free_texts(ubi_quickjs *tools) {
    while (tools->walk.texts) {
        ubi__kept_text *text = tools->walk.texts;
        tools->walk.texts = text->next;
        ubi__tools_free(tools, text, sizeof *text + text->capacity);
    }
    ubi__tool_free(tools->allocator, tools->walk.name.at, tools->walk.name.capacity, 1);
    tools->walk.name = (ubi__name_buffer){ NULL, 0 };
}

/* Puts `before`, the string and `behind` together in the buffer of names. */
static ubi_text ubi__composed_name(ubi_quickjs *tools, const char *before, const JSString *p, const char *behind) {
    ubi__name_buffer *buffer = &tools->walk.name;
    size_t n = strlen(before), most = n + (size_t)p->len * 3 + strlen(behind);
    if (most > UINT32_MAX / 2 ||
        !ubi__tool_reserve(tools->allocator, (void **)&buffer->at, &buffer->capacity, (uint32_t)most + 1, 1))
        return (ubi_text){ NULL, 0 };
    memcpy(buffer->at, before, n);
    n += ubi__string_to_utf8(buffer->at + n, p);
    memcpy(buffer->at + n, behind, strlen(behind));
    return (ubi_text){ buffer->at, n + strlen(behind) };
}

static ubi_text ubi__numbered_name(ubi_quickjs *tools, const char *before, uint32_t number) {
    ubi__name_buffer *buffer = &tools->walk.name;
    enum { DIGITS = 10 };
    size_t n = strlen(before), end = n + DIGITS, at = end;
    if (!ubi__tool_reserve(tools->allocator, (void **)&buffer->at, &buffer->capacity, (uint32_t)end, 1))
        return (ubi_text){ NULL, 0 };
    do
        buffer->at[--at] = (char)('0' + number % 10);
    while (number /= 10);
    memcpy(buffer->at + at - n, before, n);
    return (ubi_text){ buffer->at + at - n, end - at + n };
}

/** The name in full, borrowed until the next one. */
static ubi_text ubi__name_text(ubi_quickjs *tools, ubi__name name) {
    if (name.how == UBI__NAME_TEXT)
        return (ubi_text){ name.text, name.text ? strlen(name.text) : 0 };
    if (name.how == UBI__NAME_NUMBER)
        return ubi__numbered_name(tools, name.text, name.number);
    if (__JS_AtomIsTaggedInt(name.number))
        return ubi__numbered_name(tools, name.text, __JS_AtomToUInt32(name.number));
    const JSString *p = ubi__atom_string(tools->runtime, name.number);
    if (!p)
        return (ubi_text){ NULL, 0 };
    if (*name.text == 0 && ubi__is_symbol(p))
        return ubi__composed_name(tools, "Symbol(", p, ")");
    ubi_text borrowed = ubi__borrowed_text(p);
    return *name.text == 0 && borrowed.ptr ? borrowed : ubi__composed_name(tools, name.text, p, "");
}

#endif
