/* SPDX-License-Identifier: MIT
 *
 * v8_names.c: what single nodes are called, the texts of strings, and what kinds are to the lens.
 *
 * Strings that V8 put together from two halves are shown as the text of their parts, plain objects by the names of their
 * properties, taken in turn from the start and from the end: "{first, second, …, last}". All others have the file's name.
 */
#include <string.h>

#include "base/assert.h"
#include "base/parallel.h"
#include "lenses/v8/v8_look.h"
#include "lenses/v8/v8_producer.h"
#include "lenses/v8/v8_text_pool.h"

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
    out.is_quoted = wants_quotes(out.name);
    if (out.is_quoted)
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
        out.n_units += out.is_quoted || !*c.escape ? c.n_units : 1;
        i += c.n_bytes;
    }
    return out;
}

static size_t written_bytes(const json_char *c) {
    return *c->escape ? strlen(c->escape) : c->n_bytes;
}

size_t ubi__v8_property_bytes(const ubi__v8_property_text *property) {
    if (!property->is_quoted)
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
    if (!property->is_quoted)
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

/* ---- texts that are made ----------------------------------------------------------------------------------------- */

/* Texts in blocks that never move. */

#define BLOCK_BYTES ((size_t)16 << 10)

struct ubi__v8_text_block {
    ubi__v8_text_block *before;
    size_t n, cap; /* bytes of text */
    char bytes[];
};

static ubi__v8_text_block *new_block(ubi__v8_text_pool *pool, const ubi_allocator *a, size_t n) {
    size_t cap = n > BLOCK_BYTES ? n : BLOCK_BYTES;
    if (cap > SIZE_MAX / 2)
        return NULL;
    ubi__v8_text_block *block = (ubi__v8_text_block *)ubi__alloc_array(a, sizeof *block + cap, 1);
    if (!block)
        return NULL;
    block->before = pool->last;
    block->n = 0;
    block->cap = cap;
    return pool->last = block;
}

char *ubi__v8_text_pool_room(ubi__v8_text_pool *pool, const ubi_allocator *a, size_t n) {
    ubi__v8_text_block *block = pool->last;
    if (!block || block->cap - block->n < n)
        block = new_block(pool, a, n);
    if (!block)
        return NULL;
    block->n += n;
    UBI_ASSERT(block->n <= block->cap);
    return block->bytes + block->n - n;
}

ubi_status ubi__v8_text_pool_join(ubi_text *out, ubi__v8_text_pool *pool, const ubi_allocator *a, ubi_text first,
                                  ubi_text second) {
    char *room = ubi__v8_text_pool_room(pool, a, first.len + second.len);
    if (!room)
        return ubi__fail_nomem();
    if (first.len)
        memcpy(room, first.ptr, first.len);
    if (second.len)
        memcpy(room + first.len, second.ptr, second.len);
    *out = (ubi_text){ room, first.len + second.len };
    return UBI_OK;
}

void ubi__v8_text_pool_fini(ubi__v8_text_pool *pool, const ubi_allocator *a) {
    while (pool->last) {
        ubi__v8_text_block *block = pool->last;
        pool->last = block->before;
        ubi__free_array(a, block, sizeof *block + block->cap, 1);
    }
}

/* ---- strings ----------------------------------------------------------------------------------------------------- */

/* How files of V8 write strings (string_keys.h). */

static ubi__string_part part_of_kind(const ubi_graph *graph, const ubi_kind *kind) {
    if (!ubi__v8_facts_of(graph) || kind->raw_type == UBI__V8_STRING)
        return UBI__STRING_TEXT;
    if (kind->raw_type == UBI__V8_CONS_STRING)
        return UBI__STRING_ROPE;
    return kind->raw_type == UBI__V8_SLICED_STRING ? UBI__STRING_SLICE : UBI__STRING_TEXTLESS;
}

/* ---- strings that were cut ------------------------------------------------------------------------------------------ */

static bool has_cut_strings(const ubi_look *look) {
    return ubi__v8_look_of(look)->words.truncated != UBI_NONE;
}

static ubi_node_ix internal_field(const ubi_graph *g, ubi_node_ix node, const char *name) {
    return ubi__target_named(g, node, UBI_EDGE_INTERNAL, name);
}

/* What a number or a truth value says: the name of the string that its field `value` leads to. */
static ubi_str_ix said_by(const ubi_graph *g, ubi_node_ix number) {
    ubi_node_ix value = internal_field(g, number, "value");
    return value == UBI_NONE ? UBI_NONE : ubi_graph_canonical_string(g, ubi__graph_node_name(g, value));
}

/* Numbers of both say which text it was, hashed with a seed of the process. */
static bool string_cut(ubi__string_cut *out, const ubi_graph *g, ubi_node_ix node) {
    ubi_str_ix said = said_by(g, internal_field(g, node, "truncated"));
    if (said == UBI_NONE || !ubi__text_is(ubi_graph_string(g, said), "true"))
        return false;
    *out =
        (ubi__string_cut){ said_by(g, internal_field(g, node, "length")), said_by(g, internal_field(g, node, "hash")) };
    return true;
}

const ubi__string_rules ubi__v8_string_rules = {
    .part_of_kind = part_of_kind,
    .has_cut_strings = has_cut_strings,
    .string_cut = string_cut,
    .unknown_part = "(sliced string)",
};

/* ---- traits of kinds --------------------------------------------------------------------------------------------- */

/*
 * What loops over nodes ask of each, in one byte: so that looking at the other end of an edge costs one access to
 * a column that mostly stays in the cache.
 */

typedef struct finding {
    ubi__v8_look *own;
    const ubi_graph *g;
    uint8_t *type_of_kind;
    ubi__pulse *pulse;
} finding;

static bool is_named(const finding *f, ubi_node_ix node, ubi_str_ix word) {
    ubi_str_ix name = ubi__graph_node_name(f->g, node);
    return name == word ? name != UBI_NONE : ubi__v8_is_word(f->g, name, word);
}

static uint8_t traits_of(const finding *f, ubi_node_ix node) {
    const ubi__v8_words *words = &f->own->words;
    uint8_t type = f->type_of_kind[f->g->kind.at[node]];
    switch (type) {
    case UBI__V8_OBJECT:
        return is_named(f, node, words->object) ? type | UBI__V8_PLAIN : type;
    case UBI__V8_HIDDEN:
        return is_named(f, node, words->native_context) ? type | UBI__V8_PART | UBI__V8_SPECIAL : type | UBI__V8_PART;
    case UBI__V8_ARRAY:
        return is_named(f, node, words->map_descriptors) ? type | UBI__V8_PART | UBI__V8_SPECIAL : type | UBI__V8_PART;
    case UBI__V8_NATIVE:
        return is_named(f, node, words->external_string_data) ? type | UBI__V8_PART : type;
    default:
        return type;
    }
}

static void find_range(void *payload, uint64_t begin, uint64_t end, unsigned part) {
    finding *f = payload;
    (void)part;
    for (ubi_node_ix node = (ubi_node_ix)begin; node < end; node++) {
        if (ubi__unlikely(node % UBI__PULSE_NODES == 0) && !ubi__pulse_again(f->pulse))
            return;
        f->own->traits[node] = traits_of(f, node);
    }
}

ubi_status ubi__v8_find_traits(ubi__v8_look *own, const ubi_graph *g, ubi__v8_opening *opening) {
    const ubi_allocator *a = opening->allocator;
    ubi__crew crew = { opening->threads, &opening->pulse };
    size_t n_kinds = g->kinds.rows.n;
    finding f = { own, g, ubi__alloc_array(a, n_kinds, sizeof *f.type_of_kind), &opening->pulse };
    own->traits = ubi__alloc_array(a, g->n_nodes, sizeof *own->traits);
    if (!own->traits || !f.type_of_kind) {
        ubi__free_array(a, f.type_of_kind, n_kinds, sizeof *f.type_of_kind);
        return ubi__fail_nomem();
    }
    for (size_t kind = 0; kind < n_kinds; kind++) {
        uint8_t type = g->kinds.rows.at[kind].raw_type;
        f.type_of_kind[kind] = type < UBI__V8_TYPE_COUNT ? type : UBI__V8_OTHER;
    }
    ubi_status status = ubi__parallel_pieces(crew, "looking at nodes", g->n_nodes, UBI__V8_CHUNK, find_range, &f);
    ubi__free_array(a, f.type_of_kind, n_kinds, sizeof *f.type_of_kind);
    return status;
}
