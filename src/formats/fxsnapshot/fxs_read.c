/* SPDX-License-Identifier: MIT
 *
 * fxs_read.c: the stream of messages, and what happens when it has ended.
 *
 *     stream := frame*        frame := varint length, message        metadata, root node, further nodes
 *
 * After the root, anything that keeps a length from being read (end of input, a cut or overlong varint, damaged compressed
 * data) and a length of 0 end the stream without error; a message cut inside its body does not. Numbers in error messages
 * are message numbers (metadata is 0) and byte offsets in the inflated stream. Rules R1..R14: docs/formats/fxsnapshot.md.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/text.h"
#include "formats/fxsnapshot/fxs_reader.h"

extern const ubi__format ubi__format_fxsnapshot;

#define LONGEST_VARINT 10

/* ---- message bodies ----------------------------------------------------------------------------------------------- */

/* When the compressed data is damaged, that is said in front (format.c), and the advice with it. */
static ubi_status UBI_PRINTF(2, 3) fail_end(const ubi__fxs_reader *r, const char *format, ...) {
    char what[160];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    bool is_damaged = *ubi__stream_note(r->window.stream);
    return ubi__fail(UBI_EFORMAT, "the file ends %s%s%s", what, is_damaged ? "" : ": ",
                     is_damaged ? "" : ubi__damage_advice(UBI__END_TRUNCATED));
}

static ubi_status fail_cut(const ubi__fxs_reader *r) {
    return fail_end(r, "at byte %llu, in the middle of message %llu, which began at byte %llu",
                    (unsigned long long)r->window.end_offset, (unsigned long long)r->message,
                    (unsigned long long)r->message_offset);
}

static ubi_status report_progress(ubi__fxs_reader *r) {
    const ubi_progress *progress = &r->input->options->progress;
    if (progress->fn &&
        !ubi__progress(progress, "reading", ubi__stream_input_bytes(r->window.stream), r->input->total_bytes))
        return ubi__fail_cancelled();
    return UBI_OK;
}

static ubi_status window_more(ubi__fxs_reader *r) {
    UBI_TRY(report_progress(r));
    return ubi__fxs_window_more(&r->window);
}

static void step_over_skipped(ubi__fxs_reader *r, const uint8_t *limit) {
    uint64_t here = (uint64_t)(limit - r->window.at);
    uint64_t n = r->skip_left < here ? r->skip_left : here;
    r->window.at += n;
    r->skip_left -= n;
}

/* One turn with what is at hand. */
static ubi__fxs_progress take_at_hand(ubi__fxs_reader *r, ubi__fxs_fields_fn fields, ubi_status *status) {
    ubi__fxs_window *w = &r->window;
    uint64_t at_hand = (uint64_t)(w->end - w->at);
    const uint8_t *start = w->at, *limit = at_hand < r->body_left ? w->end : w->at + r->body_left;
    ubi__fxs_progress progress = UBI__FXS_ALL_TAKEN;
    while (progress == UBI__FXS_ALL_TAKEN && w->at < limit) {
        step_over_skipped(r, limit);
        progress = fields(r, limit, status);
        UBI_ASSERT(w->at >= start && w->at <= limit);
    }
    UBI_ASSERT(progress != UBI__FXS_ALL_TAKEN || w->at == limit);
    r->body_left -= (uint64_t)(w->at - start);
    if (progress == UBI__FXS_NEED_MORE && at_hand >= r->body_left + (uint64_t)(w->at - start)) {
        *status = ubi__fxs_fail(r, ubi__fxs_window_offset(w, w->at), "a field is longer than the message around it");
        return UBI__FXS_FAILED;
    }
    return progress;
}

/* Decodes the body of the current message; body_left says how long it is. */
static ubi_status take_body(ubi__fxs_reader *r, ubi__fxs_fields_fn fields) {
    for (;;) {
        ubi_status status = UBI_OK;
        if (take_at_hand(r, fields, &status) == UBI__FXS_FAILED)
            return status;
        if (r->body_left == 0)
            break;
        uint64_t end_before = r->window.end_offset;
        UBI_TRY(ubi__fxs_node_pin(r));
        UBI_TRY(window_more(r));
        if (r->window.end_offset == end_before)
            return fail_cut(r);
    }
    if (r->skip_left)
        return ubi__fxs_fail(r, r->message_offset, "a field is longer than the message around it");
    return UBI_OK;
}

/* ---- frames ------------------------------------------------------------------------------------------------------- */

/* Reads a length prefix. *got false: no length could be read. Its upper bits are dropped, as in protobuf. */
static ubi_status read_length(ubi__fxs_reader *r, uint32_t *length, bool *got) {
    ubi__fxs_window *w = &r->window;
    while (w->end - w->at < LONGEST_VARINT && !w->has_ended)
        UBI_TRY(window_more(r));
    r->message_offset = ubi__fxs_window_offset(w, w->at);
    uint64_t value;
    const uint8_t *q = w->at < w->end ? ubi__wire_varint(w->at, &value) : NULL;
    *got = q && q <= w->end;
    if (*got) {
        *length = (uint32_t)value;
        w->at = q;
    }
    return UBI_OK;
}

static ubi_status begin_message(ubi__fxs_reader *r, uint32_t length) {
    if (length > INT32_MAX)
        return ubi__fxs_fail(r, r->message_offset, "message length %u is above 2^31-1", length);
    r->body_left = length;
    r->skip_left = 0;
    return UBI_OK;
}

/* The two messages that must be there. */
static ubi_status need_message(ubi__fxs_reader *r, const char *what) {
    uint32_t length = 0;
    bool got;
    UBI_TRY(read_length(r, &length, &got));
    if (got && length > 0)
        return begin_message(r, length);
    if (got)
        return ubi__fxs_fail(r, r->message_offset, "%s expected, but the message is empty", what);
    if (r->window.end - r->window.at >= LONGEST_VARINT)
        return ubi__fxs_fail(r, r->message_offset, "%s expected, but its length is longer than %d bytes", what,
                             LONGEST_VARINT);
    return fail_end(r, "at byte %llu, before message %llu, the %s", (unsigned long long)r->window.end_offset,
                    (unsigned long long)r->message, what);
}

#define WRITER_TAG UBI__TAG(UBI__FXS_WRITER_FIELD, UBI__WIRE_BYTES)

/* Firefox gives no time rather than one that a double cannot count to. */
static void set_creation_time(ubi__fxs_reader *r, uint64_t time_us) {
    if (r->input->options->compat == UBI_COMPAT_FIREFOX && time_us > UINT64_C(1) << 53)
        r->builder->graph->has_creation_time = false;
    else
        ubi_graph_builder_set_creation_time_us(r->builder, time_us);
}

/*
 * The name of the program, in a field of our own. It is worth no error: a strange one is stepped over as any unknown field.
 * False: it was not taken.
 */
static bool take_writer(ubi__fxs_reader *r, const uint8_t *p, const uint8_t *limit) {
    ubi_read_info *info = r->input->info;
    uint64_t n;
    const uint8_t *q = ubi__wire_length(p, &n);
    if (!q || q > limit || n > (uint64_t)(limit - q) || n >= sizeof info->writer)
        return false;
    memcpy(info->writer, q, n);
    info->writer[n] = '\0';
    r->window.at = q + n;
    return true;
}

static ubi__fxs_progress metadata_fields(ubi__fxs_reader *r, const uint8_t *limit, ubi_status *status) {
    while (r->window.at < limit && r->skip_left == 0) {
        uint32_t tag;
        uint64_t value;
        const uint8_t *p = ubi__wire_tag(r->window.at, &tag), *q = NULL;
        if (!p && limit - r->window.at >= 5) {
            *status = ubi__fxs_fail(r, ubi__fxs_window_offset(&r->window, r->window.at), "malformed field tag");
            return UBI__FXS_FAILED;
        }
        if (!p || p > limit)
            return UBI__FXS_NEED_MORE;
        if (tag == UBI__TAG(1, UBI__WIRE_VARINT) && (q = ubi__wire_varint(p, &value)) && q <= limit) {
            set_creation_time(r, value);
            r->window.at = q;
            continue;
        }
        if (tag == WRITER_TAG && take_writer(r, p, limit))
            continue;
        ubi__fxs_progress progress = ubi__fxs_skip_unknown(r, p, limit, tag, status);
        if (progress != UBI__FXS_ALL_TAKEN)
            return progress;
    }
    return UBI__FXS_ALL_TAKEN;
}

static ubi_status read_metadata(ubi__fxs_reader *r) {
    ubi__fxs_node_begin(r); /* nothing to pin while metadata is read */
    UBI_TRY(need_message(r, "metadata"));
    return take_body(r, metadata_fields);
}

static ubi_status read_node(ubi__fxs_reader *r, uint32_t length) {
    UBI_TRY(begin_message(r, length));
    ubi__fxs_node_begin(r);
    UBI_TRY(take_body(r, ubi__fxs_node_fields));
    UBI_TRY(ubi__fxs_node_end(r));
    UBI_ASSERT(r->builder->graph->id.n == r->message); /* metadata is message 0, the root 1 */
    if (!r->input->is_final)
        return UBI_OK;
    uint64_t frame_bytes = ubi__fxs_window_offset(&r->window, r->window.at) - r->message_offset;
    return ubi__vec_u32_push(&r->frame_bytes, r->allocator, (uint32_t)frame_bytes);
}

static ubi_status read_nodes(ubi__fxs_reader *r) {
    r->message = 1;
    UBI_TRY(need_message(r, "root node"));
    r->nodes_offset = r->message_offset;
    uint32_t length = (uint32_t)r->body_left;
    bool got;
    do {
        UBI_TRY(read_node(r, length));
        r->message++;
        UBI_TRY(read_length(r, &length, &got));
    } while (got && length > 0);
    return UBI_OK;
}

/* ---- after the last message --------------------------------------------------------------------------------------- */

static bool is_ascii(ubi_text text) {
    for (size_t i = 0; i < text.len; i++)
        if ((uint8_t)text.ptr[i] >= 0x80)
            return false;
    return true;
}

/*
 * One-byte strings go after the two-byte ones. They are shown as Latin-1 where they are class names and are UTF-8 where
 * they are file names, so one that is neither ASCII nor used in one way only becomes two entries.
 */
static ubi_status place_one_byte(ubi__fxs_reader *r, ubi_str_ix entry, bool latin1, ubi_str_ix *placed) {
    if (entry == UBI_NONE || placed[entry] != UBI_NONE)
        return UBI_OK;
    ubi_text text = ubi__strtab_get(&r->one_byte, entry);
    ubi__strtab *table = &r->builder->graph->strings;
    if (latin1)
        return ubi__strtab_append_latin1(table, &placed[entry], (const uint8_t *)text.ptr, text.len);
    return ubi__strtab_append(table, &placed[entry], text);
}

static ubi_status place_kind_names(ubi__fxs_reader *r, ubi_kind *kind, ubi_str_ix *as_class, ubi_str_ix *as_file) {
    UBI_TRY(place_one_byte(r, kind->class_name, true, as_class));
    if (kind->class_name != UBI_NONE) {
        ubi_str_ix entry = kind->class_name;
        if (is_ascii(ubi__strtab_get(&r->one_byte, entry)))
            as_file[entry] = as_class[entry];
        kind->class_name = as_class[entry];
    }
    UBI_TRY(place_one_byte(r, kind->script_filename, false, as_file));
    if (kind->script_filename != UBI_NONE) {
        ubi_str_ix entry = kind->script_filename;
        if (is_ascii(ubi__strtab_get(&r->one_byte, entry)))
            as_class[entry] = as_file[entry];
        kind->script_filename = as_file[entry];
    }
    return UBI_OK;
}

static ubi_status place_all_one_byte(ubi__fxs_reader *r) {
    size_t n = ubi__strtab_count(&r->one_byte);
    ubi__kinds *kinds = &r->builder->graph->kinds;
    if (n == 0)
        return UBI_OK;
    ubi_str_ix *placed = ubi__alloc_array(r->allocator, 2 * n, sizeof *placed);
    if (!placed)
        return ubi__fail_nomem();
    memset(placed, 0xff, 2 * n * sizeof *placed);
    ubi_status status = UBI_OK;
    for (size_t i = 0; i < kinds->rows.n && status == UBI_OK; i++)
        status = place_kind_names(r, &kinds->rows.at[i], placed, placed + n);
    for (size_t i = 0; UBI_CHECKS && i < n; i++) /* of a text of ASCII there is one entry */
        UBI_ASSERT(placed[i] == placed[n + i] || !is_ascii(ubi__strtab_get(&r->one_byte, (ubi_str_ix)i)) ||
                   status != UBI_OK);
    ubi__free_array(r->allocator, placed, 2 * n, sizeof *placed);
    return status;
}

/* Points an error found after the last message at the message of node `n`. */
static ubi_status blame_node(ubi__fxs_reader *r, ubi_node_ix n) {
    r->message = (uint64_t)n + 1;
    r->message_offset = r->nodes_offset;
    for (ubi_node_ix i = 0; i < n && i < r->frame_bytes.n; i++)
        r->message_offset += r->frame_bytes.at[i];
    return UBI_EFORMAT;
}

static ubi_node_ix source_of_edge(const ubi_graph *g, ubi_edge_ix edge) {
    ubi_node_ix low = 0, high = (ubi_node_ix)g->id.n - 1;
    while (low < high) { /* the last node whose edges begin at or before `edge` */
        ubi_node_ix middle = low + (high - low + 1) / 2;
        if (g->first_edge.at[middle] <= edge)
            low = middle;
        else
            high = middle - 1;
    }
    UBI_ASSERT(g->first_edge.at[low] <= edge);
    UBI_ASSERT(low + 1 == g->id.n || edge < g->first_edge.at[low + 1]);
    return low;
}

static ubi_status explain_fault(ubi__fxs_reader *r, const ubi__id_fault *fault) {
    const ubi_graph *g = r->builder->graph;
    unsigned long long id = fault->id;
    if (fault->kind == UBI__ID_FAULT_DUPLICATE) {
        ubi_node_ix first = 0;
        while (g->id.at[first] != fault->id)
            first++;
        blame_node(r, fault->node);
        return ubi__fxs_fail(r, r->message_offset, "node id %llu (field 1) was used before, by message %llu", id,
                             (unsigned long long)first + 1);
    }
    ubi_node_ix source = source_of_edge(g, fault->edge);
    blame_node(r, source);
    return ubi__fxs_fail(r, r->message_offset,
                         "edge %llu (field 5) leads to id %llu (field 5.1), which is no node of this file",
                         (unsigned long long)(fault->edge - g->first_edge.at[source]), id);
}

static ubi_status graph_finish(ubi__fxs_reader *r, ubi_graph **out) {
    ubi__id_fault fault = { UBI__ID_FAULT_NONE, 0, 0, 0 };
    UBI_TRY(place_all_one_byte(r));
    r->builder->graph->format = ubi__format_fxsnapshot.name;
    ubi__pulse pulse = ubi__pulse_of(&r->input->options->progress);
    ubi_status status = ubi__builder_finish(out, r->builder, (ubi__crew){ r->input->threads, &pulse }, &fault);
    return status == UBI_EFORMAT && fault.kind != UBI__ID_FAULT_NONE ? explain_fault(r, &fault) : status;
}

static void note_early_end(ubi__fxs_reader *r) {
    ubi_read_info *info = r->input->info;
    ubi__fxs_window *w = &r->window;
    info->message_count = r->message;
    info->inflated_bytes = w->end_offset;
    if (w->at == w->end && w->has_ended)
        return;
    info->has_ended_early = true;
    snprintf(info->end_note, sizeof info->end_note,
             "the stream of messages ends at byte %llu, before the end of the data",
             (unsigned long long)r->message_offset);
}

/* ---- entry point -------------------------------------------------------------------------------------------------- */

static ubi_status read_all(ubi__fxs_reader *r, ubi_graph **out) {
    UBI_TRY(ubi_graph_builder_new(&r->builder, r->allocator));
    UBI_TRY(read_metadata(r));
    UBI_TRY(read_nodes(r));
    note_early_end(r);
    return graph_finish(r, out);
}

static ubi_status read_fxsnapshot(ubi_graph **out, ubi__format_input *input) {
    bool uncompressed = strcmp(input->info->compression, "none") == 0;
    if (uncompressed && input->options->compat == UBI_COMPAT_FIREFOX)
        return ubi__fail(UBI_EFORMAT, "message 0 at byte 0: expected gzip or zlib data");
    const ubi_allocator *a = input->allocator;
    ubi__fxs_reader *r = UBI_NEW(a, ubi__fxs_reader);
    if (!r)
        return ubi__fail_nomem();
    r->input = input;
    r->allocator = a;
    ubi__fxs_window_init(&r->window, input->stream, input->first, input->n_first, a);
    ubi__strtab_init(&r->one_byte, a);
    ubi__strtab_init(&r->side_texts, a);
    ubi_status status = read_all(r, out);
    ubi_graph_builder_free(r->builder);
    ubi__fxs_window_fini(&r->window);
    ubi__strtab_fini(&r->one_byte);
    ubi__strtab_fini(&r->side_texts);
    ubi__vec_u32_fini(&r->frame_bytes, a);
    ubi__vec_u8_fini(&r->scratch, a);
    ubi__vec_side_name_fini(&r->side_names, a);
    UBI_DELETE(a, r);
    return status;
}

/* The format has no magic number: anything may be a length and a message. */
static bool guess_fxsnapshot(const uint8_t *head, size_t n) {
    (void)head;
    (void)n;
    return true;
}

/* But the first message has a time, or our name, and nothing else is known that does. */
static bool is_fxsnapshot(const ubi__beginning *b) {
    return b->n >= 2 && b->at[0] < 0x80 && (b->at[1] == 0x08 || (b->n >= 3 && b->at[1] == 0xc2 && b->at[2] == 0x3e));
}

static const ubi__file_type file_types[] = {
    { UBI__FILE_HEAP, "a heap snapshot of Firefox or QuickJS", "its first message has a time or the name of its writer",
      "use ubiheap report", .output = "fxsnapshot", .is = is_fxsnapshot },
    { .what = NULL },
};

const ubi__format ubi__format_fxsnapshot = {
    .name = "fxsnapshot",
    .guess = guess_fxsnapshot,
    .read = read_fxsnapshot,
    .can_survive_damage = true,
    .file_types = file_types,
    .type_sorts = ubi__fxs_type_sorts,
    .edge_names = &ubi__fxs_edge_names,
};

/* ---- words of SpiderMonkey ---------------------------------------------------------------------------------------- */

/*
 * Edges of JS::ubi have names and no kinds, so their names alone distinguish elements and fields of the engine from properties.
 */

const ubi__type_sort ubi__fxs_type_sorts[] = {
    { "JS::Symbol", UBI__SORT_SYMBOL },
    { "JS::BigInt", UBI__SORT_BIGINT },
    { "js::Shape", UBI__SORT_SHAPE },
    { "js::BaseShape", UBI__SORT_SHAPE },
    { "js::PropMap", UBI__SORT_SHAPE },
    { "js::GetterSetter", UBI__SORT_SHAPE },
    { "js::ObjectGroup", UBI__SORT_SHAPE },
    { "js::jit::JitCode", UBI__SORT_CODE },
    { NULL, UBI__SORT_OTHER },
};

/* "objectElements[12]" is how SpiderMonkey writes an index. */
static bool is_element(uint32_t *out, ubi_text name) {
    static const char prefix[] = "objectElements[";
    size_t n = sizeof prefix - 1;
    uint64_t value = 0;
    if (name.len < n + 2 || name.len > n + 11 || memcmp(name.ptr, prefix, n) != 0 || name.ptr[name.len - 1] != ']')
        return false;
    for (size_t i = n; i < name.len - 1; i++) {
        if (name.ptr[i] < '0' || name.ptr[i] > '9')
            return false;
        value = value * 10 + (uint64_t)(name.ptr[i] - '0');
    }
    *out = (uint32_t)value;
    return value <= UINT32_MAX;
}

/* SpiderMonkey's fields that could be properties by their looks; most others have a blank, a colon or a star in them. */
static bool is_field(ubi_text name) {
    static const char *const fields[] = { "shape",
                                          "script",
                                          "base",
                                          "function",
                                          "sourceObject",
                                          "enclosingScope",
                                          "script-gcthing",
                                          "propertymap",
                                          "propmap_key",
                                          "propmap_parent",
                                          "propmap_previous",
                                          "baseshape_global",
                                          "baseshape_proto",
                                          "gettersetter_getter",
                                          "gettersetter_setter",
                                          "enclosing_environment",
                                          "callee_slot",
                                          "cross-compartment wrapper target",
                                          "expando" };
    for (size_t i = 0; i < name.len; i++)
        if (name.ptr[i] && strchr(" :*[", name.ptr[i]))
            return true;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (ubi__text_is(name, fields[i]))
            return true;
    return false;
}

const ubi__edge_names ubi__fxs_edge_names = { .is_element = is_element, .is_field = is_field };
