/* SPDX-License-Identifier: MIT
 *
 * heap_profile.c: see heap_profile.h.
 *
 * Functions may call each other a million levels deep, so the tree is read with one cursor and a stack of its own.
 */
#include "recording/heap_profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_reader.h"
#include "base/status.h"
#include "base/strtab.h"
#include "base/text.h"
#include "base/u64_map.h"
#include "recording/ubirec_writer.h"

#define READ_BYTES ((size_t)1 << 20)

typedef struct profile_node {
    uint32_t parent; /* of the root itself */
    ubi_str_ix function, url;
    uint32_t line, column; /* from 1; 0: unknown */
    uint32_t trace;
    uint64_t self_bytes, sampled_bytes, met_bytes; /* met: of the samples, so far */
} profile_node;
UBI_VEC_DECLARE(vec_profile_node, profile_node);

typedef struct profile_sample {
    uint64_t ordinal, bytes;
    uint32_t node, unused; /* 0 */
} profile_sample;
UBI_VEC_DECLARE(vec_profile_sample, profile_sample);

typedef struct profile {
    const ubi_allocator *allocator;
    ubi_text text;
    ubi__json_cursor c;
    ubi__strtab names;
    vec_profile_node nodes;
    ubi__vec_u32 open; /* nodes that the cursor is in, from the root on */
    ubi__u64_map by_id;
    vec_profile_sample samples;
    ubi__vec_u8 scratch;
    ubi_text sample_list; /* NULL: there is none */
} profile;

/* ---- guessing ----------------------------------------------------------------------------------------------------------- */

static bool head_has(const uint8_t **at, const uint8_t *end, const char *token) {
    while (*at < end && ubi__is_json_space((char)**at))
        ++*at;
    size_t n = strlen(token);
    if ((size_t)(end - *at) < n || memcmp(*at, token, n) != 0)
        return false;
    *at += n;
    return true;
}

/* {"head":{"callFrame":{"functionName" or another key of a frame, the keys of a node in any order; or the samples come first. */
bool ubi__heap_profile_guess(const uint8_t *head, size_t n) {
    static const char *const roots[][6] = { { "\"head\"", ":", "{", "\"callFrame\"", ":", "{" },
                                            { "\"head\"", ":", "{", "\"selfSize\"", ":", "" },
                                            { "\"samples\"", ":", "[", "{", "\"size\"", ":" },
                                            { "\"samples\"", ":", "[", "{", "\"nodeId\"", ":" } };
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        const uint8_t *at = head, *end = head + n;
        bool is_so = head_has(&at, end, "{");
        for (size_t k = 0; k < 6 && is_so; k++)
            is_so = head_has(&at, end, roots[i][k]);
        if (is_so)
            return true;
    }
    return false;
}

/* ---- faults ------------------------------------------------------------------------------------------------------------- */

static ubi_status fault_at(const profile *p, const char *at, const char *expected) {
    size_t offset = (size_t)(at - p->text.ptr);
    if (at >= p->text.ptr + p->text.len)
        return ubi__fail(UBI_EFORMAT,
                         "the profile ends too early, at byte %zu: was it written, and downloaded, to its end?",
                         offset);
    return ubi__fail(UBI_EFORMAT, "this profile of V8 is damaged at byte %zu: expected %s", offset, expected);
}

static ubi_status cursor_fault(const profile *p, const ubi__json_cursor *c) {
    return fault_at(p, c->at, c->fault ? c->fault : "something else");
}

/* ---- functions ---------------------------------------------------------------------------------------------------------- */

static ubi_status name_intern(profile *p, ubi_str_ix *out, const ubi__json_value *value) {
    ubi_text text;
    if (value->type != UBI__JSON_STRING)
        return fault_at(p, value->raw.ptr, "a string");
    UBI_TRY(ubi__json_value_text(&text, value, &p->scratch, p->allocator));
    return ubi__strtab_intern(&p->names, out, text);
}

/* From 0; -1 and what is no number: unknown. */
static uint32_t position_of(const ubi__json_value *value) {
    uint64_t number;
    return ubi__json_value_u64(&number, value) && number < UINT32_MAX ? (uint32_t)number + 1 : 0;
}

static ubi_status frame_read(profile *p, profile_node *node, const ubi__json_value *frame) {
    ubi__json_cursor c;
    ubi__json_value key, value;
    if (frame->type != UBI__JSON_OBJECT)
        return fault_at(p, frame->raw.ptr, "an object");
    ubi__json_cursor_open(&c, frame->raw, UBI__JSON_OBJECT);
    while (ubi__json_cursor_next_member(&c, &key, &value)) {
        if (ubi__json_value_is(&key, "functionName"))
            UBI_TRY(name_intern(p, &node->function, &value));
        else if (ubi__json_value_is(&key, "url"))
            UBI_TRY(name_intern(p, &node->url, &value));
        else if (ubi__json_value_is(&key, "lineNumber"))
            node->line = position_of(&value);
        else if (ubi__json_value_is(&key, "columnNumber"))
            node->column = position_of(&value);
    }
    return c.fault ? cursor_fault(p, &c) : UBI_OK;
}

static ubi_status bytes_read(const profile *p, uint64_t *out, const ubi__json_value *value) {
    double number;
    if (!ubi__json_value_number(&number, value) || !(number >= 0) || number > (double)UBI__UBIREC_SIZE_MAX)
        return fault_at(p, value->raw.ptr, "a size in bytes");
    *out = (uint64_t)(number + 0.5);
    return UBI_OK;
}

static ubi_status id_note(profile *p, uint32_t node, const ubi__json_value *value) {
    uint64_t id;
    if (!ubi__json_value_u64(&id, value) || ubi__u64_map_get(&p->by_id, id) != UBI_NONE)
        return fault_at(p, value->raw.ptr, "an id that no other function has");
    return ubi__u64_map_put(&p->by_id, id, node);
}

/* A member of the innermost open node, whose value is no list of children. */
static ubi_status member_read(profile *p, const ubi__json_value *key) {
    uint32_t node = p->open.at[p->open.n - 1];
    ubi__json_value value;
    if (!ubi__json_cursor_take(&p->c, &value) || p->c.at == p->c.end) /* a number may have been cut, too */
        return cursor_fault(p, &p->c);
    if (ubi__json_value_is(key, "callFrame"))
        return frame_read(p, &p->nodes.at[node], &value);
    if (ubi__json_value_is(key, "selfSize"))
        return bytes_read(p, &p->nodes.at[node].self_bytes, &value);
    return ubi__json_value_is(key, "id") ? id_note(p, node, &value) : UBI_OK;
}

static ubi_status node_enter(profile *p) {
    uint32_t parent = p->open.n ? p->open.at[p->open.n - 1] : 0;
    const profile_node node = { .parent = parent, .function = UBI_NONE, .url = UBI_NONE };
    if (!ubi__json_cursor_enter(&p->c, UBI__JSON_OBJECT))
        return cursor_fault(p, &p->c);
    if (p->nodes.n == UINT32_MAX - 1)
        return ubi__fail(UBI_ELIMIT, "the profile has more than 2^32 - 2 functions");
    UBI_TRY(ubi__vec_u32_push(&p->open, p->allocator, (uint32_t)p->nodes.n));
    return vec_profile_node_push(&p->nodes, p->allocator, node);
}

/* Behind the members that are no children: into the next child, or out. */
static ubi_status node_step(profile *p) {
    ubi__json_value key;
    while (ubi__json_cursor_next_key(&p->c, &key)) {
        if (!ubi__json_value_is(&key, "children")) {
            UBI_TRY(member_read(p, &key));
            continue;
        }
        if (!ubi__json_cursor_enter(&p->c, UBI__JSON_ARRAY))
            break;
        if (ubi__json_cursor_next_item(&p->c))
            return node_enter(p);
        if (p->c.fault)
            break;
    }
    if (p->c.fault)
        return cursor_fault(p, &p->c);
    p->open.n--;
    return UBI_OK;
}

/* The next sibling of a node that ended; behind the last, the members of its parent come. */
static ubi_status siblings_step(profile *p) {
    if (ubi__json_cursor_next_item(&p->c))
        return node_enter(p);
    return p->c.fault ? cursor_fault(p, &p->c) : UBI_OK;
}

static ubi_status tree_read(profile *p) {
    if (p->nodes.n)
        return fault_at(p, p->c.at, "one head");
    bool has_ended = false; /* a node: its siblings come */
    UBI_TRY(node_enter(p));
    while (p->open.n) {
        size_t depth = p->open.n;
        UBI_TRY(has_ended ? siblings_step(p) : node_step(p));
        has_ended = p->open.n < depth;
    }
    return UBI_OK;
}

/* ---- samples ------------------------------------------------------------------------------------------------------------ */

static ubi_status sample_read(profile *p, const ubi__json_value *object) {
    ubi__json_cursor c;
    ubi__json_value key, value;
    profile_sample sample = { .node = UBI_NONE };
    uint64_t id;
    if (object->type != UBI__JSON_OBJECT)
        return fault_at(p, object->raw.ptr, "an object");
    ubi__json_cursor_open(&c, object->raw, UBI__JSON_OBJECT);
    while (ubi__json_cursor_next_member(&c, &key, &value)) {
        if (ubi__json_value_is(&key, "size"))
            UBI_TRY(bytes_read(p, &sample.bytes, &value));
        else if (ubi__json_value_is(&key, "ordinal"))
            (void)ubi__json_value_u64(&sample.ordinal, &value); /* of older versions there is none */
        else if (ubi__json_value_is(&key, "nodeId") && ubi__json_value_u64(&id, &value))
            sample.node = ubi__u64_map_get(&p->by_id, id);
    }
    if (c.fault)
        return cursor_fault(p, &c);
    if (sample.node == UBI_NONE) /* V8 makes the tree first, and allocates in between */
        return UBI_OK;
    profile_node *node = &p->nodes.at[sample.node];
    if (sample.bytes > UINT64_MAX - node->sampled_bytes)
        return fault_at(p, object->raw.ptr, "less than 2^64 bytes");
    node->sampled_bytes += sample.bytes;
    return vec_profile_sample_push(&p->samples, p->allocator, sample);
}

static ubi_status samples_read(profile *p) {
    ubi__json_cursor c;
    ubi__json_value value;
    if (!p->sample_list.ptr)
        return UBI_OK;
    ubi__json_cursor_open(&c, p->sample_list, UBI__JSON_ARRAY);
    while (ubi__json_cursor_next_element(&c, &value))
        UBI_TRY(sample_read(p, &value));
    return c.fault ? cursor_fault(p, &c) : UBI_OK;
}

/* Of what a function has, the part that is due by the samples that were met. */
static uint64_t part_due(const profile_node *node) {
    return (uint64_t)((unsigned __int128)node->met_bytes * node->self_bytes / node->sampled_bytes);
}

/*
 * What a function has counts, as DevTools show it. V8 rounds once for all of its samples and once for each, and there may have been more
 * since: samples get their parts of it.
 */
static ubi_status samples_settle(profile *p) {
    size_t n = 0;
    for (size_t i = 0; i < p->samples.n; i++) {
        profile_sample sample = p->samples.at[i];
        profile_node *node = &p->nodes.at[sample.node];
        if (node->sampled_bytes == 0)
            continue;
        uint64_t before = part_due(node);
        node->met_bytes += sample.bytes;
        sample.bytes = part_due(node) - before;
        if (sample.bytes)
            p->samples.at[n++] = sample;
    }
    p->samples.n = n;
    for (uint32_t i = 0; i < p->nodes.n; i++) {
        const profile_node *node = &p->nodes.at[i];
        const profile_sample all = { .ordinal = UINT64_MAX, .bytes = node->self_bytes, .node = i };
        if (node->sampled_bytes == 0 && node->self_bytes)
            UBI_TRY(vec_profile_sample_push(&p->samples, p->allocator, all));
    }
    return UBI_OK;
}

static int sample_compare(const void *a, const void *b) {
    const profile_sample *left = a, *right = b;
    if (left->ordinal != right->ordinal)
        return left->ordinal < right->ordinal ? -1 : 1;
    if (left->node != right->node)
        return left->node < right->node ? -1 : 1;
    return left->bytes < right->bytes ? -1 : left->bytes > right->bytes;
}

/* ---- the whole file ----------------------------------------------------------------------------------------------------- */

static ubi_status profile_read(profile *p) {
    ubi__json_value key, value;
    p->c = (ubi__json_cursor){ p->text.ptr, p->text.ptr + p->text.len, true, NULL };
    if (!ubi__json_cursor_enter(&p->c, UBI__JSON_OBJECT))
        return cursor_fault(p, &p->c);
    while (ubi__json_cursor_next_key(&p->c, &key)) {
        if (ubi__json_value_is(&key, "head")) {
            UBI_TRY(tree_read(p));
            continue;
        }
        if (!ubi__json_cursor_take(&p->c, &value))
            break;
        if (ubi__json_value_is(&key, "samples") && value.type == UBI__JSON_ARRAY)
            p->sample_list = value.raw;
    }
    if (p->c.fault)
        return cursor_fault(p, &p->c);
    if (p->nodes.n == 0)
        return fault_at(p, p->c.at - 1, "a head");
    UBI_TRY(samples_read(p));
    return samples_settle(p);
}

static ubi_text name_at(const profile *p, ubi_str_ix name) {
    return name == UBI_NONE ? (ubi_text){ "", 0 } : ubi__strtab_get(&p->names, name);
}

/* Callers have smaller numbers. The root is no function. */
static ubi_status traces_write(profile *p, ubi__ubirec_writer *w) {
    for (uint32_t i = 1; i < p->nodes.n; i++) {
        profile_node *node = &p->nodes.at[i];
        uint32_t frame;
        UBI_TRY(ubi__ubirec_script_frame(w, &frame, name_at(p, node->function), name_at(p, node->url), node->line,
                                         node->column));
        UBI_TRY(ubi__ubirec_trace(w, &node->trace, p->nodes.at[node->parent].trace, frame));
    }
    return UBI_OK;
}

static ubi_status samples_write(profile *p, ubi__ubirec_writer *w) {
    uint32_t kind, info;
    uint64_t number;
    UBI_TRY(ubi__ubirec_kind(w, &kind, ubi__text("object"), UBI__UBIREC_HEAP));
    if (p->samples.n)
        qsort(p->samples.at, p->samples.n, sizeof *p->samples.at, sample_compare);
    for (size_t i = 0; i < p->samples.n; i++) {
        const profile_sample *sample = &p->samples.at[i];
        UBI_TRY(ubi__ubirec_info(w, &info, kind, sample->bytes, p->nodes.at[sample->node].trace, sample->bytes));
        UBI_TRY(ubi__ubirec_write_alloc(w, &number, info));
    }
    return UBI_OK;
}

static ubi_status recording_write(profile *p, ubi__ubirec_writer *w) {
    static const ubi__ubirec_end end = { UBI__UBIREC_STOPPED, 0 };
    const ubi__ubirec_about about = { .program = ubi__text("a program that V8 ran"),
                                      .arguments = { "", 0 },
                                      .period_bytes = 1,
                                      .page_bytes = 4096,
                                      .writer = ubi__text("V8"),
                                      .system = ubi__text("unknown") };
    uint32_t thread;
    UBI_TRY(ubi__ubirec_write_about(w, &about));
    UBI_TRY(ubi__ubirec_write_counter(w, UBI__UBIREC_WITHOUT_FREES, UBI__UBIREC_ALIVE_ALONE));
    UBI_TRY(ubi__ubirec_thread(w, &thread, 0, ubi__text("scripts")));
    UBI_TRY(ubi__ubirec_write_thread(w, thread));
    UBI_TRY(traces_write(p, w));
    UBI_TRY(samples_write(p, w));
    UBI_TRY(ubi__ubirec_write_end(w, &end));
    return ubi__ubirec_finish(w);
}

/* A ubi__write_fn. */
typedef struct bytes_sink {
    ubi__vec_u8 *to;
    const ubi_allocator *allocator;
} bytes_sink;

static ubi_status bytes_add(void *payload, const void *data, size_t n) {
    const bytes_sink *sink = payload;
    return ubi__bytes_append(sink->to, data, n, sink->allocator);
}

static ubi_status profile_convert(profile *p, ubi__vec_u8 *ubirec) {
    bytes_sink sink = { ubirec, p->allocator };
    ubi__ubirec_writer *w;
    UBI_TRY(profile_read(p));
    UBI_TRY(ubi__ubirec_writer_new(&w, bytes_add, &sink, p->allocator));
    ubi_status status = recording_write(p, w);
    ubi__ubirec_writer_free(w);
    return status;
}

ubi_status ubi__heap_profile_convert(ubi__vec_u8 *ubirec, ubi_text text, const ubi_allocator *allocator) {
    profile p = { .allocator = allocator, .text = text };
    ubi__strtab_init(&p.names, allocator);
    ubi__u64_map_init(&p.by_id, allocator);
    ubi_status status = profile_convert(&p, ubirec);
    ubi__vec_u8_fini(&p.scratch, allocator);
    vec_profile_sample_fini(&p.samples, allocator);
    ubi__u64_map_fini(&p.by_id);
    ubi__vec_u32_fini(&p.open, allocator);
    vec_profile_node_fini(&p.nodes, allocator);
    ubi__strtab_fini(&p.names);
    return status;
}

/* ---- sources ------------------------------------------------------------------------------------------------------------ */

static ubi_status all_read(ubi__vec_u8 *out, ubi__source *source, const ubi_allocator *a) {
    size_t n;
    do {
        UBI_TRY(ubi__vec_u8_reserve(out, a, READ_BYTES));
        UBI_TRY(ubi__source_read(source, out->at + out->n, READ_BYTES, &n));
        out->n += n;
    } while (n);
    return UBI_OK;
}

static ubi_status profile_open(ubi__source *out, const char *path, const ubi_allocator *a) {
    ubi__vec_u8 text = { 0 }, ubirec = { 0 };
    ubi__source source;
    UBI_TRY(ubi__source_open_path(&source, path, a));
    ubi_status status = all_read(&text, &source, a);
    ubi__source_close(&source);
    if (status == UBI_OK)
        status = ubi__heap_profile_convert(&ubirec, (ubi_text){ (const char *)text.at, text.n }, a);
    ubi__vec_u8_fini(&text, a);
    if (status == UBI_OK)
        ubi__source_open_owned(out, &ubirec, a);
    else
        ubi__vec_u8_fini(&ubirec, a);
    return status;
}

ubi_status ubi__recording_source_open(ubi__source *out, const char *path, const ubi_allocator *allocator) {
    uint8_t head[UBI__HEAP_PROFILE_HEAD_BYTES];
    size_t n = ubi__source_peek_path(head, sizeof head, path);
    return ubi__heap_profile_guess(head, n) ? profile_open(out, path, allocator)
                                            : ubi__source_open_path(out, path, allocator);
}
