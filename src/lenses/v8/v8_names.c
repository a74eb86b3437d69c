/* SPDX-License-Identifier: MIT
 *
 * v8_names.c: what single nodes are called.
 *
 * Strings that V8 put together from two halves are shown as the text of their parts, plain objects by the names of their
 * properties, taken in turn from the start and from the end: "{first, second, …, last}". All others have the file's name.
 */
#include "base/assert.h"
#include "lenses/v8/v8_look.h"

#define MOST_OBJECT_UNITS 100 /* of UTF-16 in the name of a plain object, except its first property */

/*
 * What is longer is cut, so that hostile names cannot fill the memory or take all of the time: after the 1,024 characters that
 * V8 writes, if each needs an escape of six bytes.
 */
#define MOST_PROPERTY_BYTES (1024 * 6)
/* Bytes whose units are counted: more than 120 units, after which it does not matter how many there are. */
#define MOST_COUNTED_BYTES 512

const ubi__v8_renamed *ubi__v8_renamed_of(const ubi__v8_look *own, ubi_str_ix name) {
    size_t low = 0, high = own->renamed.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (own->renamed.at[middle].name < name)
            low = middle + 1;
        else
            high = middle;
    }
    UBI_ASSERT(low < own->renamed.n && own->renamed.at[low].name == name);
    return &own->renamed.at[low];
}

ubi_text ubi__v8_raw_name_of(const ubi__v8_look *own, const ubi_graph *g, ubi_node_ix node) {
    ubi_str_ix name = ubi__graph_node_name(g, node);
    if (name == UBI_NONE)
        return ubi__text("");
    return ubi__v8_is_renamed(own, g, node) ? ubi__v8_renamed_of(own, name)->text : ubi__strtab_get(&g->strings, name);
}

ubi_text ubi__v8_node_raw_name(const ubi_look *look, ubi_node_ix node) {
    return ubi__v8_raw_name_of(ubi__v8_look_of(look), look->graph, node);
}

/* ---- names of properties ----------------------------------------------------------------------------------------- */

/* A character of a JSON string: its bytes, and the escape for those that need one. */
typedef struct json_char {
    size_t n_bytes; /* of the text */
    size_t n_units; /* of UTF-16, as it is written */
    char escape[8]; /* "": stands as it is */
} json_char;

static void escape_unit(json_char *out, uint32_t c) {
    static const char hex[] = "0123456789abcdef", plain[] = "\b\f\n\r\t\"\\", letter[] = "bfnrt\"\\";
    const char *known = c < 0x80 && c ? strchr(plain, (int)c) : NULL;
    if (known)
        memcpy(out->escape, (char[]){ '\\', letter[known - plain], 0 }, 3);
    else
        memcpy(out->escape,
               (char[]){ '\\', 'u', hex[c >> 12 & 15], hex[c >> 8 & 15], hex[c >> 4 & 15], hex[c & 15], 0 }, 7);
    out->n_units = strlen(out->escape);
}

static json_char json_char_at(ubi_text text, size_t at) {
    json_char out = { 1, 1, "" };
    uint32_t c = (uint8_t)text.ptr[at];
    if (c >= 0x80) {
        size_t n = ubi__wtf8_decode((const uint8_t *)text.ptr + at, text.len - at, &c);
        out.n_bytes = n ? n : 1;
        out.n_units = c >= 0x10000 ? 2 : 1;
    }
    if (c < 0x20 || c == '"' || c == '\\' || (c >= 0xd800 && c < 0xe000))
        escape_unit(&out, c);
    return out;
}

/* The first n bytes at most, whole characters. */
static ubi_text cut_text(ubi_text text, size_t n) {
    if (text.len <= n)
        return text;
    while (n && ((uint8_t)text.ptr[n] & 0xc0) == 0x80)
        n--;
    return (ubi_text){ text.ptr, n };
}

static bool wants_quotes(ubi_text name) {
    bool wants = false;
    for (size_t i = 0; i < name.len; i++) /* no way out: so it is done in a few steps */
        wants |=
            name.ptr[i] == ',' || name.ptr[i] == '\'' || name.ptr[i] == '"' || name.ptr[i] == '{' || name.ptr[i] == '}';
    return wants;
}

ubi__v8_property_text ubi__v8_property_text_of(ubi_text name) {
    ubi__v8_property_text out = { cut_text(name, MOST_PROPERTY_BYTES), false, 0 };
    out.quoted = wants_quotes(out.name);
    if (out.quoted)
        out.n_units = 2;
    ubi_text begin = cut_text(out.name, MOST_COUNTED_BYTES);
    for (size_t i = 0; i < begin.len;) {
        uint8_t byte = (uint8_t)begin.ptr[i];
        if (byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\') {
            out.n_units++;
            i++;
            continue;
        }
        json_char c = json_char_at(begin, i);
        out.n_units += out.quoted || !*c.escape ? c.n_units : 1;
        i += c.n_bytes;
    }
    return out;
}

static size_t written_bytes(const json_char *c) {
    return *c->escape ? strlen(c->escape) : c->n_bytes;
}

size_t ubi__v8_property_bytes(const ubi__v8_property_text *property) {
    if (!property->quoted)
        return property->name.len;
    size_t n = 0;
    for (size_t i = 0; i < property->name.len;) {
        json_char c = json_char_at(property->name, i);
        if (n + written_bytes(&c) > MOST_PROPERTY_BYTES)
            break;
        n += written_bytes(&c);
        i += c.n_bytes;
    }
    return n + 2;
}

static char *put_bytes(char *out, const char *bytes, size_t n) {
    if (n)
        memcpy(out, bytes, n);
    return out + n;
}

char *ubi__v8_property_write(char *out, const ubi__v8_property_text *property) {
    if (!property->quoted)
        return put_bytes(out, property->name.ptr, property->name.len);
    *out++ = '"';
    const char *begin = out;
    for (size_t i = 0; i < property->name.len;) {
        json_char c = json_char_at(property->name, i);
        if ((size_t)(out - begin) + written_bytes(&c) > MOST_PROPERTY_BYTES)
            break;
        out = put_bytes(out, *c.escape ? c.escape : property->name.ptr + i, written_bytes(&c));
        i += c.n_bytes;
    }
    *out++ = '"';
    UBI_ASSERT((size_t)(out - begin) + 1 == ubi__v8_property_bytes(property));
    return out;
}

/* ---- plain objects ----------------------------------------------------------------------------------------------- */

#define ROOM_IN_THE_MIDDLE 16 /* for commas and ", …" */

/* A name that grows at both ends towards the middle of the buffer: [0, n_start) and [end, size). */
typedef struct object_name {
    char *bytes;
    size_t size, n_start, end;
    size_t start_units, end_units; /* the braces included */
} object_name;

/* Whether an edge is a property that DevTools list. */
static bool is_listed(const ubi_look *look, ubi_edge_ix e) {
    const ubi_graph *g = look->graph;
    return ubi__graph_edge_kind(g, e) == UBI_EDGE_PROPERTY &&
           !ubi__v8_is_word(g, g->name.at[e], ubi__v8_look_of(look)->words.proto);
}

static void put_at_start(object_name *name, const ubi__v8_property_text *property, size_t n_bytes) {
    if (name->start_units > 1) {
        put_bytes(name->bytes + name->n_start, ", ", 2);
        name->n_start += 2;
        name->start_units += 2;
    }
    ubi__v8_property_write(name->bytes + name->n_start, property);
    name->n_start += n_bytes;
    name->start_units += property->n_units;
}

static void put_at_end(object_name *name, const ubi__v8_property_text *property, size_t n_bytes) {
    if (name->end_units > 1) {
        name->end -= 2;
        put_bytes(name->bytes + name->end, ", ", 2);
        name->end_units += 2;
    }
    name->end -= n_bytes;
    ubi__v8_property_write(name->bytes + name->end, property);
    name->end_units += property->n_units;
}

/* Whether the next property still goes in, at the side whose turn it is. */
static bool put_property(object_name *name, ubi_text text, bool at_end) {
    ubi__v8_property_text property = ubi__v8_property_text_of(text);
    if (name->start_units > 1 && name->start_units + name->end_units + property.n_units > MOST_OBJECT_UNITS)
        return false;
    size_t n_bytes = ubi__v8_property_bytes(&property);
    if (n_bytes + ROOM_IN_THE_MIDDLE > name->end - name->n_start)
        return false; /* only where names of no length let in more than one long one */
    if (at_end)
        put_at_end(name, &property, n_bytes);
    else
        put_at_start(name, &property, n_bytes);
    return true;
}

static ubi_text object_name_end(object_name *name, bool is_cut) {
    char *out = name->bytes + name->n_start;
    UBI_ASSERT(name->end < name->size && name->end - name->n_start >= ROOM_IN_THE_MIDDLE - sizeof ", , ");
    if (is_cut)
        out = put_bytes(out, ", \xe2\x80\xa6", 5);
    if (name->end_units > 1)
        out = put_bytes(out, ", ", 2);
    memmove(out, name->bytes + name->end, name->size - name->end);
    out += name->size - name->end;
    return (ubi_text){ name->bytes, (size_t)(out - name->bytes) };
}

static ubi_text plain_object_name(const ubi_look *look, ubi_node_ix node, ubi_look_name_buffer *buffer) {
    const ubi_graph *g = look->graph;
    ubi_edge_ix first = g->first_edge.at[node], end = g->first_edge.at[node + 1];
    object_name name = { buffer->bytes, sizeof buffer->bytes, 1, sizeof buffer->bytes - 1, 1, 1 };
    name.bytes[0] = '{';
    name.bytes[name.end] = '}';
    bool at_end = false;
    while (first < end) {
        ubi_edge_ix e = at_end ? end - 1 : first;
        bool listed = is_listed(look, e);
        if (listed && !put_property(&name, ubi__strtab_get(&g->strings, g->name.at[e]), at_end))
            break;
        end -= at_end;
        first += !at_end;
        at_end ^= listed;
    }
    return object_name_end(&name, first < end);
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

ubi_text ubi__v8_display_name(const ubi_look *look, ubi_node_ix node, ubi_look_name_buffer *buffer) {
    if (ubi__v8_node_type(look, node) == UBI__V8_CONS_STRING)
        return ubi__joined_text(&ubi__v8_look_of(look)->joined, node, buffer);
    if (ubi__v8_is_plain_object(ubi__v8_look_of(look), look->graph, node))
        return plain_object_name(look, node, buffer);
    return ubi__v8_node_raw_name(look, node);
}
