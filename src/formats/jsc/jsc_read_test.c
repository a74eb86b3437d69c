/* SPDX-License-Identifier: MIT
 *
 * jsc_read_test.c: small heap snapshots of JavaScriptCore, read exactly; damaged ones, refused in one line; and reading under
 * pressure: memory that runs out at any point, small pieces, and an unreadable page right after the last byte.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <ubiheap/core/formats.h>

#include "damage.h"
#include "fail_allocator.h"
#include "formats/jsc/jsc_reader.h"

/* Nodes are not in the order of their ids, edges are; 7 is noted twice as target of 3. */
#define INSPECTOR                                                                                                      \
    "{\"version\":3,\"type\":\"Inspector\",\"nodes\":[0,0,0,0,7,16,2,0,3,4294967296,1,2,5,8,3,1,9,48,4,4],"            \
    "\"nodeClassNames\":[\"<root>\",\"P\\u00e4int\",\"string\",\"Structure\",\"HTMLDivElement\"],"                     \
    "\"edges\":[0,3,0,0,3,7,0,0,3,5,0,0,3,7,1,1,3,9,2,4,5,3,3,0],"                                                     \
    "\"edgeTypes\":[\"Internal\",\"Property\",\"Index\",\"Variable\"],\"edgeNames\":[\"v\",\"name\"]}"

#define DEBUGGING                                                                                                      \
    "{\"version\":3,\"type\":\"GCDebugging\",\"nodes\":[0,0,0,0,0,\"0x0\",\"0x0\",4,32,1,0,1,\"0x7f0010\",\"0x0\","    \
    "2,16,2,0,0,\"0x7F00A0\",\"0xdeadbeef00000001\"],\"nodeClassNames\":[\"<root>\",\"Function\",\"Window\"],"         \
    "\"edges\":[0,2,0,0,2,4,1,0],\"edgeTypes\":[\"Internal\",\"Property\",\"Index\",\"Variable\"],"                    \
    "\"edgeNames\":[\"add\"],\"roots\":[2,2,3,2,3,0],\"labels\":[\"\",\"add\",\"StrongHandles\",\"opaque\"]}\n"

/* What reading gave. */
typedef struct result {
    ubi_status status;
    ubi_graph *graph;
    char message[512];
} result;

static result finish(ubi_status status, ubi_graph *g) {
    result r = { status, g, "" };
    assert_true((status == UBI_OK) == (g != NULL));
    if (status == UBI_OK)
        assert_int_equal(ubi_graph_check(g), UBI_OK);
    else
        snprintf(r.message, sizeof r.message, "%s", ubi_error_message());
    assert_true(g || (r.message[0] && !strchr(r.message, '\n')));
    return r;
}

static result read_bytes(const void *bytes, size_t n) {
    ubi_read_options options = UBI_READ_OPTIONS_INIT;
    ubi_graph *g = NULL;
    options.threads = 1;
    ubi_status status = ubi_graph_read_memory(&g, bytes, n, &options, NULL);
    return finish(status, g);
}

static ubi_graph *read_good(const char *text) {
    result r = read_bytes(text, strlen(text));
    if (r.status != UBI_OK)
        fail_msg("%s: %s", text, r.message);
    assert_string_equal(ubi_graph_format_name(r.graph), "jscsnapshot");
    return r.graph;
}

static void assert_text(ubi_text text, const char *expected) {
    if (text.len != strlen(expected) || memcmp(text.ptr, expected, text.len) != 0)
        fail_msg("\"%.*s\", expected \"%s\"", (int)text.len, text.ptr, expected);
}

static const ubi_kind *kind_at(const ubi_graph *g, ubi_node_ix n) {
    return ubi_graph_kind(g, ubi_graph_node_kind(g, n));
}

/* ---- what is read ------------------------------------------------------------------------------------------------------ */

static void nodes_keep_their_order_ids_sizes_and_classes(void **state) {
    static const uint64_t ids[] = { 0, 7, 3, 5, 9 }, sizes[] = { 0, 16, UINT64_C(1) << 32, 8, 48 };
    static const char *const types[] = { "root", "string", "object", "Structure", "element" };
    static const uint8_t raw_types[] = { UBI__JSC_ROOT, UBI__JSC_STRING, UBI__JSC_INSTANCE, UBI__JSC_SHAPE,
                                         UBI__JSC_ELEMENT };
    ubi_graph *g = read_good(INSPECTOR);
    (void)state;
    assert_int_equal(ubi_graph_node_count(g), 5);
    assert_int_equal(ubi_graph_root(g), 0);
    for (ubi_node_ix n = 0; n < 5; n++) {
        assert_true(ubi_graph_node_id(g, n) == ids[n] && ubi_graph_node_size_bytes(g, n) == sizes[n]);
        assert_text(ubi_graph_string(g, kind_at(g, n)->type_name), types[n]);
        assert_int_equal(kind_at(g, n)->raw_type, raw_types[n]);
    }
    assert_text(ubi_graph_string(g, kind_at(g, 2)->class_name), "P\xc3\xa4int");
    assert_text(ubi_graph_string(g, kind_at(g, 4)->class_name), "HTMLDivElement");
    assert_int_equal(kind_at(g, 1)->class_name, UBI_NONE);
    assert_false(ubi__jsc_facts_of(g)->is_debugging);
    ubi_graph_unref(g);
}

static void edges_lead_from_node_to_node_and_those_with_a_name_come_first(void **state) {
    ubi_graph *g = read_good(INSPECTOR);
    char buffer[UBI_EDGE_LABEL_BYTES];
    uint32_t number;
    (void)state;
    assert_true(ubi_graph_edge_count(g) == 6);
    assert_true(g->first_edge.at[2] == 1 && g->first_edge.at[3] == 5 && g->first_edge.at[4] == 6);
    assert_int_equal(g->target.at[1], 1);
    assert_int_equal(ubi_graph_edge_kind(g, 1), UBI_EDGE_PROPERTY);
    assert_text(ubi_graph_edge_label(g, 1, buffer), "name");
    assert_int_equal(g->target.at[2], 4);
    assert_true(ubi_graph_edge_number(&number, g, 2) && number == 4);
    assert_int_equal(g->target.at[3], 1);
    assert_int_equal(g->target.at[4], 3);
    assert_int_equal(ubi_graph_edge_kind(g, 4), UBI_EDGE_INTERNAL);
    assert_int_equal(ubi_graph_edge_name(g, 4), UBI_NONE);
    assert_int_equal(ubi_graph_edge_kind(g, 5), UBI_EDGE_CONTEXT);
    assert_text(ubi_graph_edge_label(g, 5, buffer), "v");
    ubi_graph_unref(g);
}

static void debugging_files_have_labels_addresses_and_reasons_of_roots(void **state) {
    ubi_graph *g = read_good(DEBUGGING);
    const ubi__jsc_facts *facts = ubi__jsc_facts_of(g);
    (void)state;
    assert_non_null(facts);
    assert_true(facts->is_debugging && facts->version == 3);
    assert_true(ubi_graph_node_id(g, 1) == 0x7f0010 && ubi_graph_node_id(g, 2) == 0x7f00a0);
    assert_text(ubi_graph_string(g, ubi__graph_node_name(g, 1)), "add");
    assert_int_equal(ubi__graph_node_name(g, 2), UBI_NONE);
    assert_int_equal(kind_at(g, 1)->raw_type, UBI__JSC_FUNCTION);
    assert_int_equal(kind_at(g, 2)->raw_type, UBI__JSC_GLOBAL);
    assert_true(ubi__jsc_wrapped_of(facts, 2) == UINT64_C(0xdeadbeef00000001) && ubi__jsc_wrapped_of(facts, 1) == 0);
    const ubi__jsc_root *root = ubi__jsc_root_of(facts, 2);
    assert_non_null(root);
    assert_text(ubi_graph_string(g, root[0].reason), "StrongHandles");
    assert_text(ubi_graph_string(g, root[0].reachability), "opaque");
    assert_text(ubi_graph_string(g, root[1].reason), "opaque");
    assert_null(ubi__jsc_root_of(facts, 1));
    ubi_graph_unref(g);
}

static void earlier_versions_later_members_and_other_orders_are_read(void **state) {
    static const char *const texts[] = {
        "{\"version\":1,\"nodes\":[0,0,0,0],\"nodeClassNames\":[\"<root>\"],\"edges\":[],\"edgeTypes\":[],"
        "\"edgeNames\":[]}",
        "\xef\xbb\xbf{ \"version\" : 2 "
        ",\"type\":\"Inspector\",\n\"edgeNames\":[],\"edgeTypes\":[\"Internal\"],\"edges\":"
        "[1,0,0,9],\"nodeClassNames\":[\"<root>\",\"A\"],\"later\":{\"a\":[{}]},\"nodes\":[1,2,1,255, 0,0,0,0]}  ",
        "{\"version\":3,\"type\":\"Inspector\",\"nodes\":[0,0,0,0,4294967295,1,0,0],\"nodeClassNames\":[\"<root>\"],"
        "\"edges\":[0,4294967295,2,4294967295,4294967295,0,4,7],\"edgeNames\":[],"
        "\"edgeTypes\":[\"Internal\",\"Property\",\"Index\",\"Variable\",\"Later\"]}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ubi_graph_unref(read_good(texts[i]));
    ubi_graph *g = read_good(texts[1]);
    assert_int_equal(ubi_graph_root(g), 1);
    assert_int_equal(kind_at(g, 0)->raw_type, UBI__JSC_ELEMENT);
    ubi_graph_unref(g);
}

static void classes_and_flags_say_what_a_node_is(void **state) {
    static const struct {
        const char *name;
        unsigned flags;
        ubi__jsc_type type;
    } rows[] = {
        { "Object", 2, UBI__JSC_INSTANCE },         { "global", 2, UBI__JSC_INSTANCE },
        { "GlobalObject", 0, UBI__JSC_GLOBAL },     { "Map", 0, UBI__JSC_OBJECT },
        { "AsyncFunction", 0, UBI__JSC_FUNCTION },  { "FunctionExecutable", 1, UBI__JSC_CODE },
        { "PropertyTable", 1, UBI__JSC_SHAPE },     { "GetterSetter", 1, UBI__JSC_INTERNAL },
        { "string", 0, UBI__JSC_STRING },           { "symbol", 1, UBI__JSC_SYMBOL },
        { "BigInt", 0, UBI__JSC_BIGINT },           { "JSLexicalEnvironment", 0, UBI__JSC_SCOPE },
        { "HTMLBodyElement", 4, UBI__JSC_ELEMENT },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(ubi__jsc_type_of((ubi_text){ rows[i].name, strlen(rows[i].name) }, rows[i].flags),
                         rows[i].type);
}

/* ---- what is refused --------------------------------------------------------------------------------------------------- */

/* `text` with the first `from` replaced. */
static char *replace(const char *text, const char *from, const char *to) {
    const char *at = strstr(text, from);
    char *out = malloc(strlen(text) + strlen(to) + 1);
    assert_non_null(at);
    assert_non_null(out);
    memcpy(out, text, (size_t)(at - text));
    strcpy(out + (at - text), to);
    strcat(out, at + strlen(from));
    return out;
}

typedef struct pieces {
    const char *at;
    size_t left, piece;
} pieces;

static ptrdiff_t feed(void *payload, void *buffer, size_t size) {
    pieces *p = payload;
    size_t n = p->left < p->piece ? p->left : p->piece;
    n = n < size ? n : size;
    memcpy(buffer, p->at, n);
    p->at += n;
    p->left -= n;
    return (ptrdiff_t)n;
}

/* However the text arrives, the message is the same. */
static void assert_refused_in_pieces(const char *text, const char *message) {
    for (size_t piece = 1; piece < 12; piece++) {
        pieces p = { text, strlen(text), piece };
        ubi_graph *g = NULL;
        assert_int_equal(ubi_graph_read_callback(&g, feed, &p, NULL, NULL), UBI_EFORMAT);
        assert_string_equal(ubi_error_message(), message);
    }
}

static void bad_files_are_refused_with_place_and_expectation(void **state) {
    static const struct {
        const char *text, *from, *to, *message;
    } cases[] = {
        { INSPECTOR, "\"version\":3", "\"version\":4", "byte 11, in \"version\": unknown version 4, expected 1 to 3" },
        { INSPECTOR, "\"Inspector\"", "\"Other\"",
          "byte 20, in \"type\": unknown type of snapshot, expected \"Inspector\" or \"GCDebugging\"" },
        { INSPECTOR, "[0,0,0,0,7,16,2,0", "[0,0,0,0,7,16,9,0",
          "byte 40, in \"nodes\": node 1 of the array, counted from 0: class 9, expected one of \"nodeClassNames\"" },
        { INSPECTOR, "[0,0,0,0,7", "[1,0,0,0,7",
          "byte 40, in \"nodes\": no node has the id 0, expected one: the root" },
        { INSPECTOR, "[0,0,0,0,7,16", "[0,0,0,0,3,16",
          "byte 40, in \"nodes\": node 2 of the array, counted from 0: id 3, expected one that no earlier node has" },
        { INSPECTOR, ",9,48,4,4]", ",9,48,4]", "in \"nodes\": the array ends with 3 numbers of a row, expected 4" },
        { INSPECTOR, "[0,0,0,0,7", "[0,0,0,0,-7",
          "byte 49, in \"nodes\": a number is negative, expected a whole number from 0 on" },
        { INSPECTOR, "[0,0,0,0,7", "[0,0,0,0,4294967296",
          "byte 49, in \"nodes\": 4294967296 is out of range, expected a whole number from 0 to 2^32-1" },
        { INSPECTOR, "\"nodes\":[", "\"nodes\":[[", "byte 41, in \"nodes\": expected a number, found '['" },
        { INSPECTOR, "[0,3,0,0", "[0,4,0,0",
          "edge 0 of the array, counted from 0: toNodeId 4, expected the id of a node" },
        { INSPECTOR, "5,3,3,0]", "6,3,3,0]",
          "edge 5 of the array, counted from 0: fromNodeId 6, expected the id of a node" },
        { INSPECTOR, "5,3,3,0]", "5,3,3,2]",
          "edge 5 of the array, counted from 0: name 2, expected one of \"edgeNames\"" },
        { INSPECTOR, "5,3,3,0]", "5,3,4,0]",
          "edge 5 of the array, counted from 0: type 4, expected one of \"edgeTypes\"" },
        { INSPECTOR, "5,3,3,0]", "5,3,64,0]",
          "edge type 64 is out of range, expected a number of one of \"edgeTypes\"" },
        { INSPECTOR, "\"edgeNames\"", "\"edgeTypes\"", "this section is here a second time" },
        { INSPECTOR, "\"edgeNames\"", "\"other\"", "the file ends, and there was no \"edgeNames\"" },
        { INSPECTOR, "\"name\"]}", "\"name\"]}x", "expected the end of the file behind the last '}', found 'x'" },
        { INSPECTOR, "\"version\":3,\"type\":\"Inspector\",", "\"version\":3,\"edgeNames\":[\"", "expected" },
        { DEBUGGING, "4,32,1,0,1,", "4,32,1,0,9,",
          "node 1 of the array, counted from 0: label 9, expected one of \"labels\"" },
        { DEBUGGING, "\"0x7f0010\"", "\"7f0010\"", "expected an address such as \"0x7f0012345678\"" },
        { DEBUGGING, "\"0x7f0010\"", "12", "in \"nodes\": expected an address in quotes, found '1'" },
        { DEBUGGING, ",\"0xdeadbeef00000001\"]", "]", "expected ',' and the rest of a node's seven values, found ']'" },
        { DEBUGGING, "[2,2,3,2,3,0]", "[2,2,3,3,3,0]",
          "root 1 of the array, counted from 0: node 3, expected the id of a node" },
        { DEBUGGING, "[2,2,3,2,3,0]", "[2,2,3,2,3,4]",
          "root 1 of the array, counted from 0: reason 4, expected one of \"labels\"" },
        { DEBUGGING, "\"roots\"", "\"other\"", "the file ends, and there was no \"roots\"" },
        { "{\"version\":3,\"nodes\":[0,0,0,0],\"nodeClassNames\":[\"\"],\"type\":\"GCDebugging\"}", "3", "3",
          "in \"type\": the type comes after \"nodes\", expected before: it says what a node consists of" },
        { "{\"version\":3,\"type\":\"Inspector\",\"nodes\":[],\"nodeClassNames\":[],\"edges\":[],\"edgeTypes\":[],"
          "\"edgeNames\":[]}",
          "3", "3", "byte 40, in \"nodes\": there are no nodes, not even a root" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = replace(cases[i].text, cases[i].from, cases[i].to);
        result r = read_bytes(text, strlen(text));
        if (r.status != UBI_EFORMAT || !strstr(r.message, cases[i].message))
            fail_msg("%s: status %d, \"%s\", expected \"%s\"", text, (int)r.status, r.message, cases[i].message);
        assert_refused_in_pieces(text, r.message);
        free(text);
    }
}

static const char *const small_files[] = { INSPECTOR, DEBUGGING };

static void files_cut_at_any_byte_are_refused_as_cut(void **state) {
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        size_t n = strlen(small_files[i]);
        for (size_t cut = 60; cut < n; cut++) {
            result r = read_bytes(small_files[i], cut);
            if (r.status == UBI_OK && cut == n - 1) /* the line's end */
                ubi_graph_unref(r.graph);
            else if (r.status != UBI_EFORMAT || strncmp(r.message, "the file ends ", 14) != 0)
                fail_msg("cut at %zu: status %d, \"%s\"", cut, (int)r.status, r.message);
        }
    }
}

static void a_flipped_bit_changes_a_value_or_is_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        size_t n = strlen(small_files[i]);
        char *text = malloc(n + 1);
        assert_non_null(text);
        for (size_t bit = 0; bit < 8 * n; bit++) {
            strcpy(text, small_files[i]);
            text[bit / 8] ^= (char)(1 << bit % 8);
            result r = read_bytes(text, n);
            assert_true(r.status == UBI_OK || r.status == UBI_EFORMAT);
            ubi_graph_unref(r.graph);
        }
        free(text);
    }
}

/* ---- under pressure ---------------------------------------------------------------------------------------------------- */

/* With `n_allowed` allocations; what does not need them all, such as giving spare room back, may do without. */
static bool is_read_with(const char *text, uint64_t n_allowed) {
    fail_allocator f;
    ubi_read_options options = UBI_READ_OPTIONS_INIT;
    ubi_graph *g = NULL;
    fail_allocator_init(&f, n_allowed);
    options.allocator = &f.allocator;
    options.threads = 1;
    ubi_status status = ubi_graph_read_memory(&g, text, strlen(text), &options, NULL);
    bool is_whole = f.n_refused == 0;
    f.n_allowed = FAIL_ALLOCATOR_NEVER; /* the check needs memory, too */
    assert_true(status == UBI_OK || (status == UBI_ENOMEM && !is_whole && !g));
    if (g)
        assert_int_equal(ubi_graph_check(g), UBI_OK);
    ubi_graph_unref(g);
    fail_allocator_fini(&f);
    return is_whole;
}

static void try_every_failure(const char *text) {
    uint64_t n = 0;
    while (!is_read_with(text, n))
        n++;
    assert_true(n > 20);
}

/* Ids far apart, which no table is made for. */
static char *sparse_file(void) {
    char *text = malloc(1 << 16);
    assert_non_null(text);
    size_t n = (size_t)sprintf(text, "{\"version\":3,\"type\":\"Inspector\",\"nodes\":[0,0,0,0");
    for (unsigned i = 1; i < 600; i++)
        n += (size_t)sprintf(text + n, ",%u,8,0,0", (599 - i) * 7000001u + 1);
    n += (size_t)sprintf(text + n, "],\"nodeClassNames\":[\"<root>\"],\"edges\":[");
    for (unsigned i = 1; i < 600; i++)
        n += (size_t)sprintf(text + n, "%s0,%u,0,0", i > 1 ? "," : "", (599 - i) * 7000001u + 1);
    sprintf(text + n, "],\"edgeTypes\":[\"Internal\"],\"edgeNames\":[]}");
    return text;
}

static void ids_far_apart_are_found(void **state) {
    char *text = sparse_file();
    ubi_graph *g = read_good(text);
    (void)state;
    assert_int_equal(ubi_graph_reachable_count(g), 600);
    for (uint64_t e = 0; e < ubi_graph_edge_count(g); e++)
        assert_true(ubi_graph_node_id(g, g->target.at[e]) == (598 - e) * UINT64_C(7000001) + 1);
    char *repeated = replace(text, ",7000002,8,0,0", ",1,8,0,0");
    result r = read_bytes(repeated, strlen(repeated));
    assert_int_equal(r.status, UBI_EFORMAT);
    assert_non_null(strstr(r.message, "id 1, expected one that no earlier node has"));
    ubi_graph_unref(g);
    free(repeated);
    free(text);
}

static void memory_that_runs_out_anywhere_is_reported_and_leaves_nothing(void **state) {
    char *sparse = sparse_file();
    (void)state;
    try_every_failure(INSPECTOR);
    try_every_failure(DEBUGGING);
    try_every_failure(sparse);
    free(sparse);
}

static void pieces_of_any_size_give_the_same_graph(void **state) {
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        ubi_graph *whole = read_good(small_files[i]);
        for (size_t piece = 1; piece < 40; piece++) {
            pieces p = { small_files[i], strlen(small_files[i]), piece };
            ubi_graph *g = NULL;
            assert_int_equal(ubi_graph_read_callback(&g, feed, &p, NULL, NULL), UBI_OK);
            assert_int_equal(ubi_graph_node_count(g), ubi_graph_node_count(whole));
            assert_memory_equal(g->id.at, whole->id.at, g->id.n * sizeof *g->id.at);
            assert_memory_equal(g->kind.at, whole->kind.at, g->kind.n * sizeof *g->kind.at);
            assert_memory_equal(g->target.at, whole->target.at, g->target.n * sizeof *g->target.at);
            assert_memory_equal(g->name.at, whole->name.at, g->name.n * sizeof *g->name.at);
            assert_int_equal(g->strings.bytes.n, whole->strings.bytes.n);
            ubi_graph_unref(g);
        }
        ubi_graph_unref(whole);
    }
}

static void nothing_is_read_beyond_the_last_byte(void **state) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    (void)state;
    uint8_t *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    assert_int_equal(mprotect(pages + page, page, PROT_NONE), 0);
    for (size_t i = 0; i < 2; i++) {
        size_t n = strlen(small_files[i]);
        for (size_t cut = n - 80; cut <= n; cut++) {
            memcpy(pages + page - cut, small_files[i], cut);
            result r = read_bytes(pages + page - cut, cut);
            ubi_graph_unref(r.graph);
        }
    }
    munmap(pages, 2 * page);
}

/* ---- checks ------------------------------------------------------------------------------------------------------------ */

static void check_facts(void *facts) {
    ubi__jsc_facts_check(facts, 10);
}

static void damage_of_facts_is_seen(void **state) {
    ubi__jsc_root roots[] = { { 3, 0, 0 }, { 3, 1, 0 }, { 9, 0, 0 } };
    ubi__jsc_wrapped wrapped[] = { { 3, 1 }, { 4, 1 } };
    ubi__jsc_facts f = { .version = 3, .is_debugging = true, .roots = { roots, 3, 3 }, .wrapped = { wrapped, 2, 2 } };
    (void)state;
    ubi__jsc_facts_check(&f, 10);
    roots[1].node = 9;
    roots[2].node = 4;
    assert_damage_seen(check_facts, &f, "roots.at[i - 1].node <= facts->roots.at[i].node");
    roots[1].node = roots[2].node = 10;
    assert_damage_seen(check_facts, &f, "roots.at[i].node < n_nodes");
    f.roots.n = 1;
    wrapped[1].node = 3;
    assert_damage_seen(check_facts, &f, "wrapped.at[i - 1].node < facts->wrapped.at[i].node");
    f.is_debugging = false;
    assert_damage_seen(check_facts, &f, "is_debugging || ");
    f.version = 4;
    assert_damage_seen(check_facts, &f, "version");
}

static void check_reader(void *reader) {
    ubi__jsc_reader_check(reader);
}

static void damage_of_the_reader_is_seen(void **state) {
    static ubi__jsc_reader r;
    ubi__jsc_facts facts = { .version = 3 };
    ubi_graph *g = ubi__graph_new(ubi_allocator_default());
    (void)state;
    r.graph = g;
    r.facts = &facts;
    ubi__jsc_reader_check(&r);
    r.from.n = 1;
    assert_damage_seen(check_reader, &r, "r->from.n == g->target.n");
    r.from.n = 0;
    r.flags.n = 1;
    assert_damage_seen(check_reader, &r, "r->flags.n == g->id.n");
    r.flags.n = 0;
    r.n_edge_types = UBI__JSC_MAX_EDGE_TYPES + 1;
    assert_damage_seen(check_reader, &r, "n_edge_types");
    ubi_graph_unref(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_keep_their_order_ids_sizes_and_classes),
        cmocka_unit_test(edges_lead_from_node_to_node_and_those_with_a_name_come_first),
        cmocka_unit_test(debugging_files_have_labels_addresses_and_reasons_of_roots),
        cmocka_unit_test(earlier_versions_later_members_and_other_orders_are_read),
        cmocka_unit_test(classes_and_flags_say_what_a_node_is),
        cmocka_unit_test(bad_files_are_refused_with_place_and_expectation),
        cmocka_unit_test(files_cut_at_any_byte_are_refused_as_cut),
        cmocka_unit_test(a_flipped_bit_changes_a_value_or_is_refused),
        cmocka_unit_test(ids_far_apart_are_found),
        cmocka_unit_test(memory_that_runs_out_anywhere_is_reported_and_leaves_nothing),
        cmocka_unit_test(pieces_of_any_size_give_the_same_graph),
        cmocka_unit_test(nothing_is_read_beyond_the_last_byte),
        cmocka_unit_test(damage_of_facts_is_seen),
        cmocka_unit_test(damage_of_the_reader_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
