/* SPDX-License-Identifier: MIT
 *
 * fxs_encode_test.c: bytes of small messages written out by hand, and large ones measured.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/text.h"
#include "damage.h"
#include "fail_allocator.h"
#include "formats/fxsnapshot/fxs_encoder.h"

/* ---- a target that remembers, and may refuse --------------------------------------------------------------------- */

typedef struct target {
    ubi__vec_u8 bytes;
    size_t largest_write;
    bool must_refuse;
} target;

static ubi_status write_to_target(void *payload, const void *data, size_t n) {
    target *t = payload;
    if (t->must_refuse)
        return ubi__fail(UBI_EIO, "the disk is full");
    UBI_TRY(ubi__vec_u8_reserve(&t->bytes, ubi_allocator_default(), n));
    memcpy(t->bytes.at + t->bytes.n, data, n);
    t->bytes.n += n;
    if (n > t->largest_write)
        t->largest_write = n;
    return UBI_OK;
}

typedef struct fixture {
    target target;
    ubi__fxs_encoder *encoder;
} fixture;

static int set_up(void **state) {
    fixture *f = calloc(1, sizeof *f);
    *state = f;
    return ubi__fxs_encode_new(&f->encoder, write_to_target, &f->target, NULL);
}

static int tear_down(void **state) {
    fixture *f = *state;
    ubi__fxs_encode_free(f->encoder);
    ubi__vec_u8_fini(&f->target.bytes, ubi_allocator_default());
    free(f);
    return 0;
}

static ubi_str_ix string(fixture *f, const char *text) {
    ubi_str_ix out;
    assert_int_equal(ubi__fxs_encode_string(f->encoder, &out, ubi__text(text)), UBI_OK);
    return out;
}

static ubi_str_ix byte_string(fixture *f, const char *text) {
    ubi_str_ix out;
    assert_int_equal(ubi__fxs_encode_byte_string(f->encoder, &out, ubi__text(text)), UBI_OK);
    return out;
}

/** The least a node can be. */
static ubi__fxs_node plain_node(fixture *f, uint64_t id, const char *type) {
    return (ubi__fxs_node){ .id = id,
                            .size_bytes = 1,
                            .type_name = string(f, type),
                            .descriptive_name = UBI_NONE,
                            .class_name = UBI_NONE,
                            .script_filename = UBI_NONE };
}

static void encode(fixture *f, const ubi__fxs_node *node) {
    assert_int_equal(ubi__fxs_encode_node(f->encoder, node), UBI_OK);
}

/** Ends the stream and compares all of it. */
static void assert_stream(fixture *f, const char *expected, size_t n) {
    assert_int_equal(ubi__fxs_encode_end(f->encoder), UBI_OK);
    assert_int_equal(f->target.bytes.n, n);
    assert_memory_equal(f->target.bytes.at, expected, n);
    assert_int_equal(ubi__fxs_encode_totals(f->encoder).stream_bytes, n);
}
#define ASSERT_STREAM(f, literal) assert_stream((f), (literal), sizeof(literal) - 1)

/* ---- edges from an array ----------------------------------------------------------------------------------------- */

typedef struct edge_list {
    const ubi__fxs_edge *at;
    size_t n;
    unsigned n_enumerations;
    size_t n_lost_second_time; /* a heap that changes under our feet */
} edge_list;

static ubi_status list_edges(void *payload, ubi__fxs_edge_fn fn, void *fn_payload) {
    edge_list *list = payload;
    size_t n = list->n_enumerations++ ? list->n - list->n_lost_second_time : list->n;
    for (size_t i = 0; i < n; i++)
        UBI_TRY(fn(fn_payload, &list->at[i]));
    return UBI_OK;
}

/* ---- frames from an array, youngest first ------------------------------------------------------------------------ */

static void frame_of(ubi_stack stack, ubi_frame *out) {
    *out = ((const ubi_frame *)stack.owner)[stack.ref];
}
static bool parent_of(ubi_stack stack, ubi_stack *out) {
    *out = stack;
    out->ref++;
    return ((const ubi_frame *)stack.owner)[out->ref].source.ptr != NULL; /* an entry without source ends the array */
}
static const ubi_stack_ops array_stack = { frame_of, parent_of };

static ubi_stack stack_of(const ubi_frame *frames) {
    return (ubi_stack){ &array_stack, (void *)frames, 0 };
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static const ubi__fxs_metadata time_only = { .has_time = true, .time_us = 300 };

static void metadata_and_a_bare_root_are_the_smallest_stream(void **state) {
    fixture *f = *state;
    assert_int_equal(ubi__fxs_encode_begin(f->encoder, &time_only), UBI_OK);
    ubi__fxs_node root = plain_node(f, 5, "ab");
    encode(f, &root);
    ASSERT_STREAM(f, "\x03\x08\xac\x02"
                     "\x0c\x08\x05\x12\x04"
                     "a\0b\0"
                     "\x20\x01\x48\x00");
}

static void the_writer_is_field_1000_of_the_metadata(void **state) {
    fixture *f = *state;
    ubi__fxs_metadata both = { true, 300, ubi__text("me") }, neither = { .has_time = false };
    assert_int_equal(ubi__fxs_encode_begin(f->encoder, &neither), UBI_EINVAL);
    assert_int_equal(ubi__fxs_encode_begin(f->encoder, &both), UBI_OK);
    ubi__fxs_node root = plain_node(f, 5, "ab");
    encode(f, &root);
    ASSERT_STREAM(f, "\x08\x08\xac\x02\xc2\x3e\x02me"
                     "\x0c\x08\x05\x12\x04"
                     "a\0b\0"
                     "\x20\x01\x48\x00");
}

static void every_field_is_written_in_ascending_order(void **state) {
    fixture *f = *state;
    ubi__fxs_node node = plain_node(f, 1, "T");
    node.size_bytes = 200;
    node.coarse_type = UBI_COARSE_DOM_NODE;
    node.class_name = byte_string(f, "C");
    node.script_filename = byte_string(f, "f");
    node.descriptive_name = string(f, "d");
    ubi__fxs_edge edge = { .referent = 1, .name = UBI_NONE };
    edge_list list = { .at = &edge, .n = 1 };
    node.edges = list_edges;
    node.edges_payload = &list;
    encode(f, &node);
    ASSERT_STREAM(f, "\x19\x08\x01\x12\x02T\0\x20\xc8\x01\x2a\x02\x08\x01\x3a\x01"
                     "C\x48\x04\x52\x01"
                     "f\x62\x02"
                     "d\0");
}

static void a_text_is_inline_once_and_a_reference_later(void **state) {
    fixture *f = *state;
    ubi__fxs_node a = plain_node(f, 1, "T"), b = plain_node(f, 2, "T");
    a.class_name = b.class_name = byte_string(f, "T"); /* of the other table, which has its own numbers */
    encode(f, &a);
    encode(f, &b);
    ASSERT_STREAM(f, "\x0d\x08\x01\x12\x02T\0\x20\x01\x3a\x01T\x48\x00"
                     "\x0a\x08\x02\x18\x00\x20\x01\x40\x00\x48\x00");
}

static void the_two_tables_number_their_entries_separately(void **state) {
    fixture *f = *state;
    ubi__fxs_node a = plain_node(f, 1, "T"), b = plain_node(f, 2, "U");
    a.class_name = byte_string(f, "C");
    b.script_filename = byte_string(f, "f");
    b.class_name = byte_string(f, "C");
    encode(f, &a);
    encode(f, &b);
    ubi__fxs_node c = plain_node(f, 3, "U");
    c.class_name = byte_string(f, "f");
    encode(f, &c);
    ASSERT_STREAM(f, "\x0d\x08\x01\x12\x02T\0\x20\x01\x3a\x01"
                     "C\x48\x00"
                     "\x0f\x08\x02\x12\x02U\0\x20\x01\x40\x00\x48\x00\x52\x01"
                     "f"
                     "\x0a\x08\x03\x18\x01\x20\x01\x40\x01\x48\x00");
}

static void an_edge_may_be_unnamed_or_named_with_empty_text(void **state) {
    fixture *f = *state;
    ubi__fxs_edge edges[] = { { .referent = 1, .name = UBI_NONE },
                              { .referent = 1, .name = string(f, "") },
                              { .referent = 1, .name = string(f, "") } };
    edge_list list = { .at = edges, .n = 3 };
    ubi__fxs_node node = plain_node(f, 1, "T");
    node.edges = list_edges;
    node.edges_payload = &list;
    encode(f, &node);
    ASSERT_STREAM(f, "\x1a\x08\x01\x12\x02T\0\x20\x01"
                     "\x2a\x02\x08\x01"
                     "\x2a\x04\x08\x01\x12\x00"
                     "\x2a\x04\x08\x01\x18\x01"
                     "\x48\x00");
}

static void an_own_name_takes_an_entry_each_time(void **state) {
    fixture *f = *state;
    ubi__fxs_edge edges[] = { { .referent = 1, .name = UBI_NONE, .own_name = ubi__text("T") },
                              { .referent = 1, .name = string(f, "e") },
                              { .referent = 1, .name = string(f, "e") } };
    edge_list list = { .at = edges, .n = 3 };
    ubi__fxs_node node = plain_node(f, 1, "T");
    node.edges = list_edges;
    node.edges_payload = &list;
    encode(f, &node);
    ASSERT_STREAM(f, "\x20\x08\x01\x12\x02T\0\x20\x01"
                     "\x2a\x06\x08\x01\x12\x02T\0"
                     "\x2a\x06\x08\x01\x12\x02"
                     "e\0"
                     "\x2a\x04\x08\x01\x18\x02"
                     "\x48\x00");
}

static void text_becomes_utf16_and_lone_surrogates_survive(void **state) {
    fixture *f = *state;
    ubi__fxs_node node = plain_node(f, 1, "\xc3\xa9\xf0\x9f\x98\x80\xed\xa0\x80"); /* e acute, U+1F600, lone U+D800 */
    encode(f, &node);
    ASSERT_STREAM(f, "\x10\x08\x01\x12\x08\xe9\x00\x3d\xd8\x00\xde\x00\xd8\x20\x01\x48\x00");
}

static void text_from_a_nul_on_is_cut_and_shares_the_entry_of_the_rest(void **state) {
    fixture *f = *state;
    ubi_str_ix cut;
    assert_int_equal(ubi__fxs_encode_string(f->encoder, &cut, (ubi_text){ "ab\0c", 4 }), UBI_OK);
    assert_int_equal(cut, string(f, "ab"));
}

/** Case 45 of the format's conformance list: a frame's source is numbered before its parent's, though written after. */
static void frame_strings_are_numbered_in_logical_order(void **state) {
    fixture *f = *state;
    const ubi_frame frames[] = {
        { .id = 7, .source = ubi__text("s"), .function_name = ubi__text("f"), .line = 1, .column = 2 },
        { .id = 8, .source = ubi__text("p"), .line = 3, .column = 4, .is_system = true },
        { .id = 0 }
    };
    ubi_stack stack = stack_of(frames);
    ubi__fxs_edge edges[] = { { .referent = 1, .name = string(f, "x") } };
    edge_list list = { .at = edges, .n = 1 };
    ubi__fxs_node node = plain_node(f, 1, "r");
    node.edges = list_edges;
    node.edges_payload = &list;
    node.stack = &stack;
    node.descriptive_name = string(f, "d");
    encode(f, &node);
    static const char *in_order[] = { "r", "x", "s", "f", "p", "d" };
    for (int i = 0; i < 6; i++) {
        ubi__fxs_node probe = plain_node(f, (uint64_t)i + 2, in_order[i]);
        encode(f, &probe);
    }
    ASSERT_STREAM(f, "\x3e\x08\x01\x12\x02r\0\x20\x01\x2a\x06\x08\x01\x12\x02x\0"
                     "\x32\x26\x0a\x24\x08\x07\x12\x10"
                     "\x0a\x0e\x08\x08\x18\x03\x20\x04\x2a\x02p\0\x48\x01\x50\x00"
                     "\x18\x01\x20\x02\x2a\x02s\0\x3a\x02"
                     "f\0\x48\x00\x50\x00"
                     "\x48\x00\x62\x02"
                     "d\0"
                     "\x08\x08\x02\x18\x00\x20\x01\x48\x00"
                     "\x08\x08\x03\x18\x01\x20\x01\x48\x00"
                     "\x08\x08\x04\x18\x02\x20\x01\x48\x00"
                     "\x08\x08\x05\x18\x03\x20\x01\x48\x00"
                     "\x08\x08\x06\x18\x04\x20\x01\x48\x00"
                     "\x08\x08\x07\x18\x05\x20\x01\x48\x00");
}

static void a_frame_is_data_once_and_a_reference_later(void **state) {
    fixture *f = *state;
    const ubi_frame first[] = { { .id = 7, .source = ubi__text("s"), .line = 1, .column = 1 }, { .id = 0 } };
    const ubi_frame second[] = { { .id = 9, .source = ubi__text("s"), .line = 2, .column = 1 }, first[0], { .id = 0 } };
    ubi_stack stacks[] = { stack_of(first), stack_of(first), stack_of(second) };
    for (uint64_t i = 0; i < 3; i++) {
        ubi__fxs_node node = plain_node(f, i + 1, "T");
        node.stack = &stacks[i];
        encode(f, &node);
    }
    ASSERT_STREAM(f, "\x1c\x08\x01\x12\x02T\0\x20\x01"
                     "\x32\x10\x0a\x0e\x08\x07\x18\x01\x20\x01\x2a\x02s\0\x48\x00\x50\x00"
                     "\x48\x00"
                     "\x0c\x08\x02\x18\x00\x20\x01\x32\x02\x10\x07\x48\x00"
                     "\x1c\x08\x03\x18\x00\x20\x01"
                     "\x32\x12\x0a\x10\x08\x09\x12\x02\x10\x07\x18\x02\x20\x01\x30\x01\x48\x00\x50\x00"
                     "\x48\x00");
}

/** Number of StackFrame.Data messages in the only node, found by walking down the parents. */
static unsigned nested_frames(const uint8_t *p, const uint8_t *end, bool *ends_in_ref) {
    unsigned n = 0;
    *ends_in_ref = false;
    while (p < end) {
        uint8_t tag = *p++;
        uint64_t value = 0;
        for (int shift = 0;; shift += 7) {
            value |= (uint64_t)(*p & 0x7f) << shift;
            if (!(*p++ & 0x80))
                break;
        }
        bool in_data = n % 2; /* StackFrame and Data alternate on the way down */
        if (tag == 0x32 || (tag == 0x0a && !in_data) || (tag == 0x12 && in_data))
            n += tag != 0x32; /* step into the message */
        else if ((tag & 7) == 2)
            p += value;
        else if (tag == 0x10 && !in_data && n)
            *ends_in_ref = true;
    }
    return (n + 1) / 2;
}

static void a_stack_is_cut_after_sixty_frames(void **state) {
    fixture *f = *state;
    ubi_frame frames[101] = { 0 };
    for (uint32_t i = 0; i < 100; i++)
        frames[i] = (ubi_frame){ .id = 1000 + i, .source = ubi__text("s"), .line = i, .column = 1 };
    ubi_stack stack = stack_of(frames);
    ubi__fxs_node node = plain_node(f, 1, "T");
    node.stack = &stack;
    encode(f, &node);
    assert_int_equal(ubi__fxs_encode_end(f->encoder), UBI_OK);
    const uint8_t *start = memchr(f->target.bytes.at, 0x32, f->target.bytes.n);
    bool ends_in_ref;
    assert_int_equal(nested_frames(start, f->target.bytes.at + f->target.bytes.n, &ends_in_ref), 60);
    assert_false(ends_in_ref);
}

/** The only frame, whose parent it is itself. */
static bool same_again(ubi_stack stack, ubi_stack *out) {
    *out = stack;
    return true;
}

static void a_stack_that_goes_in_a_circle_is_refused(void **state) {
    fixture *f = *state;
    static const ubi_stack_ops circle = { frame_of, same_again };
    const ubi_frame frames[] = { { .id = 7, .source = ubi__text("s") } };
    ubi_stack stack = { &circle, (void *)frames, 0 };
    ubi__fxs_node node = plain_node(f, 1, "T");
    node.stack = &stack;
    assert_int_equal(ubi__fxs_encode_node(f->encoder, &node), UBI_EINVAL);
    assert_string_equal(ubi_error_message(), "a stack goes in a circle at frame id 7");
}

/** Edges made up on the way: `n` of them, every tenth with a name of its own. */
static ubi_status many_edges(void *payload, ubi__fxs_edge_fn fn, void *fn_payload) {
    uint64_t n = *(const uint64_t *)payload;
    for (uint64_t i = 0; i < n; i++) {
        ubi__fxs_edge edge = { .referent = i, .name = UBI_NONE, .own_name = { i % 10 ? NULL : "own", i % 10 ? 0 : 3 } };
        UBI_TRY(fn(fn_payload, &edge));
    }
    return UBI_OK;
}

static uint64_t read_varint(const uint8_t *p, size_t *at) {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
        uint8_t b = p[(*at)++];
        value |= (uint64_t)(b & 0x7f) << shift;
        if (!(b & 0x80))
            return value;
    }
}

static void a_node_with_a_million_edges_streams_through_the_buffer(void **state) {
    fixture *f = *state;
    uint64_t n = 1000000, seen = 0;
    ubi__fxs_node node = plain_node(f, 1, "T");
    node.edges = many_edges;
    node.edges_payload = &n;
    encode(f, &node);
    assert_int_equal(ubi__fxs_encode_end(f->encoder), UBI_OK);
    assert_true(f->target.largest_write <= 64 * 1024);

    const uint8_t *p = f->target.bytes.at;
    size_t at = 0;
    uint64_t length = read_varint(p, &at);
    assert_int_equal(at + length, f->target.bytes.n);
    at += 2 + 4 + 2; /* id, type name, size */
    for (; p[at] == 0x2a; seen++) {
        at++;
        uint64_t edge_length = read_varint(p, &at);
        size_t start = at;
        assert_int_equal(p[at++], 0x08);
        assert_int_equal(read_varint(p, &at), seen);
        if (seen % 10 == 0) {
            assert_memory_equal(p + at, "\x12\x06o\0w\0n\0", 8);
            at += 8;
        }
        assert_int_equal(at - start, edge_length);
    }
    assert_int_equal(seen, n);
}

#define KEPT_EDGES (UBI__FXS_KEPT_BYTES / 4) /* of the smallest there are: 2a 02 08 01 */

static void few_edges_are_enumerated_once_and_many_twice(void **state) {
    fixture *f = *state;
    static ubi__fxs_edge edges[KEPT_EDGES + 1];
    for (size_t i = 0; i < KEPT_EDGES + 1; i++)
        edges[i] = (ubi__fxs_edge){ .referent = 1, .name = UBI_NONE };
    edge_list few = { .at = edges, .n = KEPT_EDGES }, many = { .at = edges, .n = KEPT_EDGES + 1 };
    ubi__fxs_node node = plain_node(f, 1, "T");
    node.edges = list_edges;
    node.edges_payload = &few;
    encode(f, &node);
    node.id = 2;
    node.edges_payload = &many;
    encode(f, &node);
    assert_int_equal(few.n_enumerations, 1);
    assert_int_equal(many.n_enumerations, 2);
}

static void edges_that_change_between_two_enumerations_are_an_error(void **state) {
    fixture *f = *state;
    static ubi__fxs_edge edges[KEPT_EDGES + 1];
    for (size_t i = 0; i < KEPT_EDGES + 1; i++)
        edges[i] = (ubi__fxs_edge){ .referent = 1, .name = UBI_NONE };
    edge_list list = { .at = edges, .n = KEPT_EDGES + 1, .n_lost_second_time = 1 };
    ubi__fxs_node node = plain_node(f, 1, "T");
    node.edges = list_edges;
    node.edges_payload = &list;
    assert_int_equal(ubi__fxs_encode_node(f->encoder, &node), UBI_EINVAL);
}

static void ids_that_no_double_holds_are_refused(void **state) {
    fixture *f = *state;
    static const uint64_t good[] = { 0, UINT64_C(1) << 53, (UINT64_C(1) << 53) + 2, UINT64_C(1) << 63 };
    static const uint64_t bad[] = { (UINT64_C(1) << 53) + 1, UINT64_MAX };
    for (size_t i = 0; i < 4; i++) {
        ubi__fxs_node node = plain_node(f, good[i], "T");
        encode(f, &node);
    }
    for (size_t i = 0; i < 2; i++) {
        ubi__fxs_node node = plain_node(f, bad[i], "T");
        assert_int_equal(ubi__fxs_encode_node(f->encoder, &node), UBI_EINVAL);
    }
}

static void nodes_that_no_reader_accepts_are_refused(void **state) {
    fixture *f = *state;
    ubi__fxs_node node = plain_node(f, 1, "T");
    node.coarse_type = (ubi_coarse_type)5;
    assert_int_equal(ubi__fxs_encode_node(f->encoder, &node), UBI_EINVAL);
    node = plain_node(f, 1, "T");
    node.type_name = UBI_NONE;
    assert_int_equal(ubi__fxs_encode_node(f->encoder, &node), UBI_EINVAL);
    node.type_name = 4711;
    assert_int_equal(ubi__fxs_encode_node(f->encoder, &node), UBI_EINVAL);
    assert_int_equal(ubi__fxs_encode_end(f->encoder), UBI_EINVAL); /* and there is no root */
}

static void a_refused_write_is_passed_up(void **state) {
    fixture *f = *state;
    uint64_t n = 100000;
    ubi__fxs_node node = plain_node(f, 1, "T");
    node.edges = many_edges;
    node.edges_payload = &n;
    f->target.must_refuse = true;
    assert_int_equal(ubi__fxs_encode_node(f->encoder, &node), UBI_EIO);
    assert_string_equal(ubi_error_message(), "the disk is full");
}

static ubi_status discard(void *payload, const void *data, size_t n) {
    (void)payload, (void)data, (void)n;
    return UBI_OK;
}

/** A node of every field, with names and frames that are new. */
static ubi_status encode_with_strings(ubi__fxs_encoder *e) {
    const ubi_frame frames[] = { { .id = 7, .source = ubi__text("s"), .function_name = ubi__text("f") }, { .id = 0 } };
    ubi_stack stack = stack_of(frames);
    ubi__fxs_edge edge = { .referent = 1 };
    edge_list list = { .at = &edge, .n = 1 };
    ubi__fxs_node node = { .id = 1, .stack = &stack, .edges = list_edges, .edges_payload = &list };
    UBI_TRY(ubi__fxs_encode_begin(e, &time_only));
    UBI_TRY(ubi__fxs_encode_string(e, &node.type_name, ubi__text("T")));
    UBI_TRY(ubi__fxs_encode_string(e, &node.descriptive_name, ubi__text("d")));
    UBI_TRY(ubi__fxs_encode_string(e, &edge.name, ubi__text("e")));
    UBI_TRY(ubi__fxs_encode_byte_string(e, &node.class_name, ubi__text("c")));
    UBI_TRY(ubi__fxs_encode_byte_string(e, &node.script_filename, ubi__text("f")));
    UBI_TRY(ubi__fxs_encode_node(e, &node));
    return ubi__fxs_encode_end(e);
}

static void every_refused_allocation_is_out_of_memory_without_a_leak(void **state) {
    (void)state;
    uint64_t n_allowed = 0;
    for (ubi_status status = UBI_ENOMEM; status != UBI_OK; n_allowed++) {
        fail_allocator f;
        ubi__fxs_encoder *e;
        fail_allocator_init(&f, n_allowed);
        status = ubi__fxs_encode_new(&e, discard, NULL, &f.allocator);
        if (status == UBI_OK) {
            status = encode_with_strings(e);
            ubi__fxs_encode_free(e);
        }
        fail_allocator_fini(&f);
        assert_true(status == UBI_OK || status == UBI_ENOMEM);
    }
    assert_true(n_allowed > 5);
}

/* ---- invariants -------------------------------------------------------------------------------------------------- */

static void check_encoder(void *payload) {
    ubi__fxs_encoder_check(payload);
}
static void check_string_table(void *payload) {
    ubi__fxs_string_table_check(payload);
}
static void check_stack_plan(void *payload) {
    ubi__fxs_stack_plan_check(payload);
}

static void a_damaged_encoder_is_seen(void **state) {
    fixture *f = *state;
    ubi__fxs_encoder *e = f->encoder;
    ubi__fxs_node node = plain_node(f, 1, "T");
    encode(f, &node);
    ubi__fxs_encoder_check(e);
    e->one_byte.n_wire = 1;
    assert_damage_seen(check_encoder, e, "e->one_byte.n_wire <=");
    assert_damage_seen(check_string_table, &e->one_byte, "t->is_two_byte || n_written == t->n_wire");
    e->one_byte.n_wire = 0;
    e->two_byte.wire_ix.at[0] = 1;
    assert_damage_seen(check_string_table, &e->two_byte, "t->wire_ix.at[i] < t->n_wire");
    e->two_byte.wire_ix.at[0] = 0;
    e->frames.n_linked = 1;
    assert_damage_seen(check_encoder, e, "f->n_linked <= f->rows.n");
    e->frames.n_linked = 0;
    e->node.edges_bytes = e->node.n_kept + 1;
    assert_damage_seen(check_encoder, e, "e->node.n_kept == e->node.edges_bytes");
    e->node.edges_bytes = e->node.n_kept;
    ubi__fxs_encoder_check(e);
}

static void a_damaged_plan_of_a_stack_is_seen(void **state) {
    fixture *f = *state;
    ubi__fxs_stack_plan *plan = &f->encoder->stack;
    *plan = (ubi__fxs_stack_plan){ .n = 2, .ref_row = UBI_NONE, .n_bytes = 12 };
    plan->at[0] = (ubi__fxs_frame_plan){ .row = UBI_NONE, .data_bytes = 10, .frame_bytes = 12 };
    plan->at[1] = (ubi__fxs_frame_plan){ .row = UBI_NONE, .data_bytes = 5, .frame_bytes = 7 };
    check_stack_plan(f->encoder);
    plan->n_bytes = 13;
    assert_damage_seen(check_stack_plan, f->encoder, "plan->n_bytes == plan->at[0].frame_bytes");
    plan->n_bytes = 12;
    plan->at[1].frame_bytes = 10;
    assert_damage_seen(check_stack_plan, f->encoder, "f->data_bytes > f[1].frame_bytes");
    plan->is_cut = true;
    plan->ref_row = 0;
    assert_damage_seen(check_stack_plan, f->encoder, "!plan->is_cut || plan->ref_row == UBI_NONE");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(metadata_and_a_bare_root_are_the_smallest_stream),
        TEST(the_writer_is_field_1000_of_the_metadata),
        TEST(every_field_is_written_in_ascending_order),
        TEST(a_text_is_inline_once_and_a_reference_later),
        TEST(the_two_tables_number_their_entries_separately),
        TEST(an_edge_may_be_unnamed_or_named_with_empty_text),
        TEST(an_own_name_takes_an_entry_each_time),
        TEST(text_becomes_utf16_and_lone_surrogates_survive),
        TEST(text_from_a_nul_on_is_cut_and_shares_the_entry_of_the_rest),
        TEST(frame_strings_are_numbered_in_logical_order),
        TEST(a_frame_is_data_once_and_a_reference_later),
        TEST(a_stack_is_cut_after_sixty_frames),
        TEST(a_stack_that_goes_in_a_circle_is_refused),
        TEST(a_node_with_a_million_edges_streams_through_the_buffer),
        TEST(few_edges_are_enumerated_once_and_many_twice),
        TEST(edges_that_change_between_two_enumerations_are_an_error),
        TEST(ids_that_no_double_holds_are_refused),
        TEST(nodes_that_no_reader_accepts_are_refused),
        TEST(a_refused_write_is_passed_up),
        TEST(every_refused_allocation_is_out_of_memory_without_a_leak),
        TEST(a_damaged_encoder_is_seen),
        TEST(a_damaged_plan_of_a_stack_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
