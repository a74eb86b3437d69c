/* SPDX-License-Identifier: MIT
 *
 * Live = offline: what is found in a heap that lives is what is found in the file that is saved of it at the same moment.
 *
 * For several programs and for each scope (the runtime, a Debugger's debuggees, globals), without anything running in
 * between: the heap is counted, captured and saved; the file is read again. Compared are the graphs node by node and edge
 * by edge, censuses by every breakdown, immediate dominators and retained sizes of all nodes, and shortest paths. What a
 * file cannot carry has tests of its own; docs/reference/heap-module.md lists it.
 */
#include <unistd.h>

#include <ubiheap/core/dominators.h>
#include <ubiheap/core/formats.h>
#include <ubiheap/core/paths.h>

#include "census_text.h"
#include "graph_equal.h"
#include "plain_dominators.h"
#include "quickjs_heap.h"
#include "saving.h"

/* ---- programs ---------------------------------------------------------------------------------------------------- */

/* Run in the debuggee, whose allocations are tracked; `other` is a realm that is not watched. */
typedef struct program {
    const char *name, *code;
} program;

static const program programs[] = {
    { "nothing", "" },
    { "objects", "var list = []; for (let i = 0; i < 300; i++) list.push({ i, name: 'item ' + i, next: list[i - 1], "
                 "tags: ['a', i] });"
                 "class Session { constructor(i) { this.id = i; } } var sessions = new Map(); "
                 "for (let i = 0; i < 50; i++) sessions.set('k' + i, new Session(i));"
                 "var sparse = []; sparse[1e6] = sparse; var args = (function () { return arguments; })(list, 2);" },
    { "stacks",
      "function leaf(n) { return { n }; } function deep(k, n) { return k ? deep(k - 1, n) : leaf(n); }"
      "var made = []; for (let i = 0; i < 20; i++) made.push(deep(i * 2, i)); var a = leaf(1), b = (() => leaf(2))();"
      "var m = [1, 2, 3].map(x => leaf(x)); eval('var e = leaf(3)');" },
    { "closures",
      "function counter() { let n = 0, o = {}; return { up: () => ++n, get: () => o, set: v => { o = v; } }; }"
      "var counters = Array.from({ length: 30 }, counter); counters[0].set(counters);"
      "function* gen(x) { let y = { x }; yield y; yield x; } var g = gen(list = []); g.next();"
      "async function wait(v) { const kept = { v }; await new Promise(() => {}); return kept; } var waiting = wait({});"
      "var promise = Promise.resolve(1).then(x => ({ x })); var bound = counter.bind({}, 1);"
      "var proxy = new Proxy({}, { get() { return 1; } });" },
    { "strings",
      "var rope = ''; for (let i = 0; i < 100; i++) rope += 'piece ' + i; var slice = rope.slice(10, 400);"
      "var wide = 'h\\u00e4 \\u20ac \\ud83d\\ude00 ' + 'x'.repeat(50); var lone = '\\ud800'; var o = {};"
      "o['k\\u00e9'] = {}; o['\\u20ac'] = {}; o['\\ud83d\\ude00'] = {}; o['\\ud800'] = {}; o[''] = {}; o[7] = {}; "
      "o['-1'] = {};"
      "o['4294967296'] = {}; o[Symbol('s')] = {}; o[Symbol()] = {}; o[Symbol.iterator] = {}; o['a b\"c\\n'] = {};"
      "var re = /a(b)c/g, date = new Date(0), big = 2n ** 200n, num = new Number(5), err = new Error('x');" },
    { "collections",
      "var key = {}, map = new Map([[key, { v: 1 }], ['s', {}], [NaN, 1]]), set = new Set([key, map, 'x']);"
      "var weak = new WeakMap([[key, { w: 1 }]]), weakSet = new WeakSet([key]); map.set(map, map);"
      "var buffer = new ArrayBuffer(1000), bytes = new Uint8Array(buffer), view = new DataView(buffer, 8);"
      "var it = map.entries(); it.next(); var typed = new Float64Array(100);"
      "class A { #x = {}; static s = []; get v() { return this.#x; } } class B extends A {} var b = new B();"
      "Object.defineProperty(globalThis, 'acc', { get() { return 1; }, set(v) {}, configurable: true });" },
    { "constructors",
      "class Connection {} class Secure extends Connection {} class Cache extends Map {} class Failure extends "
      "TypeError {}"
      "class \\u00c4nderung {} var Euro = class { static name = '\\u20ac\\ud800'; }, many = []; function Old() {}"
      "for (let i = 0; i < 40; i++) many.push(new Connection, new Secure, new Cache, new Failure, new \\u00c4nderung,"
      "  new Euro, new Old, new Proxy({}, {}), Object.create(Connection.prototype), {}, new (class {}));"
      "for (let i = 0; i < 1500; i++) many.push(new (class { static name = 'C' + i; }));"
      "class Getter {} Object.defineProperty(Getter.prototype, 'constructor', { get() { throw 1; } });"
      "var getter = new Getter;" },
    { "realms", "var theirs = other.eval('var mine = { a: {} }; mine'), fn = other.eval('(x => ({ x }))'), kept = "
                "fn(list = [{}]);"
                "other.ours = kept; other.shared = function () { return kept; }; var proto = Object.create(theirs);" },
};

/* ---- scopes ------------------------------------------------------------------------------------------------------ */

typedef enum scope_kind { WHOLE_RUNTIME, DEBUGGEES, GLOBALS, NO_DEBUGGEES } scope_kind;
static const char *const scope_names[] = { "runtime", "debugger", "globals", "no debuggees" };

typedef struct subject {
    quickjs_heap heap;
    JSValue debuggee; /* its global */
    ubi_quickjs_observer *observer, *idle;
    ubi_quickjs_scope *globals;
    char *folder;
} subject;

static JSContext *realm_of(const subject *s) {
    return ubi_quickjs_realm_of_global(s->heap.tools, s->debuggee);
}

/* As many nodes as a program makes must have an empty stack, too: what C code makes while no script runs. */
static void make_on_empty_stack(subject *s) {
    JSContext *realm = realm_of(s);
    for (int i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "native%d", i);
        JSValue object = JS_NewObject(realm);
        assert_true(JS_SetPropertyStr(realm, s->debuggee, name, object) >= 0);
    }
}

static void open_subject(subject *s, const char *code) {
    *s = (subject){ .folder = new_directory() };
    quickjs_heap_open(&s->heap, NULL);
    JSContext *ctx = s->heap.realm;
    quickjs_heap_run(&s->heap, "setup.js", "globalThis.g = newGlobal(); g.other = newGlobal();");
    JSValue global = JS_GetGlobalObject(ctx);
    s->debuggee = JS_GetPropertyStr(ctx, global, "g");
    JS_FreeValue(ctx, global);
    assert_int_equal(ubi_quickjs_observer_new(&s->observer, s->heap.tools), UBI_OK);
    assert_int_equal(ubi_quickjs_observer_new(&s->idle, s->heap.tools), UBI_OK);
    assert_int_equal(ubi_quickjs_observer_add_realm(s->observer, realm_of(s)), UBI_OK);
    assert_int_equal(ubi_quickjs_observer_set_tracking(s->observer, true), UBI_OK);
    assert_int_equal(ubi_quickjs_scope_new(&s->globals, s->heap.tools), UBI_OK);
    assert_int_equal(ubi_quickjs_scope_add(s->globals, realm_of(s)), UBI_OK);
    JSValue result = JS_Eval(realm_of(s), code, strlen(code), "program.js", JS_EVAL_TYPE_GLOBAL);
    if (JS_IsException(result))
        quickjs_heap__fail(&s->heap, "program.js");
    JS_FreeValue(ctx, result);
    for (int i = 0; i < 100 && quickjs_heap_turn(&s->heap, "program.js"); i++)
        ;
    make_on_empty_stack(s);
}

static void close_subject(subject *s) {
    JS_FreeValue(s->heap.realm, s->debuggee);
    ubi_quickjs_scope_free(s->globals);
    ubi_quickjs_observer_free(s->observer);
    ubi_quickjs_observer_free(s->idle);
    quickjs_heap_close(&s->heap);
    remove_directory(s->folder);
}

static const ubi_target_scope *scope_of(const subject *s, scope_kind kind, ubi_target_scope *out) {
    switch (kind) {
    case WHOLE_RUNTIME:
        return NULL;
    case DEBUGGEES:
        *out = ubi_quickjs_observer_scope(s->observer);
        return out;
    case NO_DEBUGGEES:
        *out = ubi_quickjs_observer_scope(s->idle);
        return out;
    default:
        *out = ubi_quickjs_scope_get(s->globals);
        return out;
    }
}

/* ---- both graphs ------------------------------------------------------------------------------------------------- */

typedef struct both {
    subject *subject;
    ubi_target_scope storage;
    const ubi_target_scope *scope;
    ubi_graph *live, *file;
} both;

static void take_both(both *b, subject *s, scope_kind kind) {
    char path[4096];
    ubi_target target = ubi_quickjs_target(s->heap.tools);
    snprintf(path, sizeof path, "%s/saved.fxsnapshot", s->folder);
    b->subject = s;
    b->scope = scope_of(s, kind, &b->storage);
    assert_int_equal(ubi_target_capture(&b->live, target, b->scope, NULL), UBI_OK);
    assert_int_equal(ubi_target_save(target, b->scope, path, NULL, NULL), UBI_OK);
    assert_int_equal(ubi_graph_read_path(&b->file, path, NULL, NULL), UBI_OK);
    unlink(path);
}

static void drop_both(both *b) {
    ubi_graph_unref(b->live);
    ubi_graph_unref(b->file);
}

/* ---- censuses ---------------------------------------------------------------------------------------------------- */

#define BUCKET "{\"by\":\"bucket\"}"
#define STACK "{\"by\":\"allocationStack\"}"
static const char *const breakdowns[] = {
    NULL,
    "{\"by\":\"count\",\"label\":\"all\"}",
    BUCKET,
    "{\"by\":\"coarseType\",\"objects\":{\"by\":\"objectClass\",\"then\":" BUCKET "},\"scripts\":{\"by\":\"filename\"},"
    "\"strings\":" BUCKET ",\"other\":{\"by\":\"internalType\",\"then\":" BUCKET "}}",
    "{\"by\":\"objectClass\",\"then\":" STACK ",\"other\":{\"by\":\"internalType\"}}",
    "{\"by\":\"internalType\",\"then\":{\"by\":\"filename\",\"then\":" BUCKET "}}",
    "{\"by\":\"filename\",\"then\":" BUCKET ",\"noFilename\":{\"by\":\"objectClass\"}}",
    "{\"by\":\"coarseType\",\"domNode\":{\"by\":\"descriptiveType\",\"then\":" BUCKET "}}",
    STACK,
    "{\"by\":\"allocationStack\",\"then\":" BUCKET ",\"noStack\":{\"by\":\"objectClass\",\"then\":" BUCKET "}}",
    "[{\"by\":\"count\"}," STACK ",{\"by\":\"objectClass\"}]",
};

static char *live_census_text(const both *b, const char *json) {
    ubi_breakdown *breakdown = json ? must_parse_breakdown(json, UBI_COMPAT_NONE) : NULL;
    ubi_census *census;
    assert_int_equal(ubi_target_census(&census, ubi_quickjs_target(b->subject->heap.tools), b->scope, breakdown, NULL),
                     UBI_OK);
    char *text = report_text(ubi_census_report(census));
    ubi_census_free(census);
    ubi_breakdown_unref(breakdown);
    return text;
}

static void compare_census(const both *b, const char *breakdown) {
    char *live = live_census_text(b, breakdown);
    char *file = census_text(b->file, breakdown, UBI_COMPAT_NONE);
    char *captured = census_text(b->live, breakdown, UBI_COMPAT_NONE);
    assert_string_equal(live, file);
    assert_string_equal(live, captured);
    free(live);
    free(file);
    free(captured);
}

static const char *const by_description[] = { "{\"by\":\"descriptiveType\"}",
                                              "{\"by\":\"coarseType\",\"objects\":{\"by\":\"descriptiveType\"}}",
                                              "{\"by\":\"objectClass\",\"then\":{\"by\":\"descriptiveType\"}}" };

static void compare_censuses(const both *b) {
    for (size_t i = 0; i < sizeof breakdowns / sizeof *breakdowns; i++)
        compare_census(b, breakdowns[i]);
    for (size_t i = 0; i < sizeof by_description / sizeof *by_description; i++)
        compare_census(b, by_description[i]);
}

/* Not every node has a descriptive name, so such censuses are refused if that is asked for: live and of the file for the same
 * reason. */
static void compare_refusals(const both *b) {
    for (size_t i = 0; i < sizeof by_description / sizeof *by_description; i++) {
        ubi_breakdown *breakdown = must_parse_breakdown(by_description[i], UBI_COMPAT_NONE);
        ubi_target target = ubi_quickjs_target(b->subject->heap.tools);
        ubi_census *census;
        ubi_census_options options = UBI_CENSUS_OPTIONS_INIT;
        char message[500];
        options.must_have_names = true;
        assert_int_equal(ubi_target_census(&census, target, b->scope, breakdown, &options), UBI_EINVAL);
        snprintf(message, sizeof message, "%s", ubi_error_message());
        assert_int_equal(ubi_census_take(&census, b->file, breakdown, &options), UBI_EINVAL);
        assert_string_equal(ubi_error_message(), message);
        ubi_breakdown_unref(breakdown);
    }
}

/* ---- dominators and paths ---------------------------------------------------------------------------------------- */

/* Nodes of both graphs have the same numbers, which is compared before. */
static void compare_dominators(const both *b) {
    ubi_view live_view = ubi_view_of(b->live), file_view = ubi_view_of(b->file);
    ubi_dominators *live, *file;
    uint32_t n = ubi_graph_node_count(b->live);
    ubi_node_ix *plain = malloc(n * sizeof *plain);
    assert_non_null(plain);
    assert_int_equal(ubi_dominators_new(&live, &live_view, NULL), UBI_OK);
    assert_int_equal(ubi_dominators_new(&file, &file_view, NULL), UBI_OK);
    plain_dominators(plain, &live_view);
    for (ubi_node_ix i = 0; i < n; i++) {
        assert_int_equal(ubi_dominators_immediate(live, i), ubi_dominators_immediate(file, i));
        assert_int_equal(ubi_dominators_immediate(live, i), plain[i]);
        assert_int_equal(ubi_dominators_retained_bytes(live, i), ubi_dominators_retained_bytes(file, i));
    }
    ubi_dominators_free(live);
    ubi_dominators_free(file);
    free(plain);
}

static void compare_steps(const both *b, const ubi_path_step *live, const ubi_path_step *file, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        char buffer[UBI_EDGE_LABEL_BYTES];
        ubi_text x = ubi_graph_edge_label(b->live, live[i].edge, buffer);
        ubi_text y = ubi_graph_edge_label(b->file, file[i].edge, buffer);
        assert_int_equal(ubi_graph_node_id(b->live, live[i].predecessor),
                         ubi_graph_node_id(b->file, file[i].predecessor));
        assert_int_equal(x.len, y.len);
        assert_true((x.ptr == NULL) == (y.ptr == NULL) && (x.len == 0 || memcmp(x.ptr, y.ptr, x.len) == 0));
    }
}

#define N_TARGETS 50
#define MAX_PATHS 4

static void compare_paths(const both *b) {
    ubi_view live_view = ubi_view_of(b->live), file_view = ubi_view_of(b->file);
    ubi_paths_options options = UBI_PATHS_OPTIONS_INIT;
    ubi_node_ix targets[N_TARGETS];
    ubi_paths *live, *file;
    options.max_paths = MAX_PATHS;
    for (int i = 0; i < N_TARGETS; i++)
        targets[i] = random_below(ubi_graph_node_count(b->live));
    assert_int_equal(ubi_paths_find(&live, &live_view, targets, N_TARGETS, &options), UBI_OK);
    assert_int_equal(ubi_paths_find(&file, &file_view, targets, N_TARGETS, &options), UBI_OK);
    assert_int_equal(ubi_paths_target_count(live), ubi_paths_target_count(file));
    for (uint32_t t = 0; t < ubi_paths_target_count(live); t++) {
        assert_int_equal(ubi_paths_target(live, t), ubi_paths_target(file, t));
        assert_int_equal(ubi_paths_count(live, t), ubi_paths_count(file, t));
        for (uint32_t p = 0; p < ubi_paths_count(live, t); p++) {
            static ubi_path_step live_steps[10000], file_steps[10000];
            uint32_t n = ubi_paths_length(live, t, p);
            assert_int_equal(n, ubi_paths_length(file, t, p));
            assert_true(n <= sizeof live_steps / sizeof *live_steps);
            ubi_paths_steps(live_steps, live, t, p);
            ubi_paths_steps(file_steps, file, t, p);
            compare_steps(b, live_steps, file_steps, n);
        }
    }
    ubi_paths_free(live);
    ubi_paths_free(file);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static void equal_in_every_scope(void **state) {
    const program *p = *state;
    subject s;
    open_subject(&s, p->code);
    for (scope_kind kind = WHOLE_RUNTIME; kind <= NO_DEBUGGEES; kind++) {
        both b;
        take_both(&b, &s, kind);
        const char *why = graphs_differ_in_content(b.live, b.file);
        if (why)
            print_error("%s, %s: the graphs differ: %s\n", p->name, scope_names[kind], why);
        assert_null(why);
        assert_true(ubi_graph_node_count(b.live) > (kind == NO_DEBUGGEES ? 0u : 500u));
        compare_censuses(&b);
        if (kind != NO_DEBUGGEES)
            compare_refusals(&b);
        compare_dominators(&b);
        compare_paths(&b);
        drop_both(&b);
    }
    close_subject(&s);
}

/* The three objects that C code made have a stack that is known to be empty, live and in the file. */
static void an_empty_stack_differs_from_none(void **state) {
    (void)state;
    subject s;
    open_subject(&s, "var tracked = {};");
    for (scope_kind kind = WHOLE_RUNTIME; kind <= GLOBALS; kind++) {
        both b;
        take_both(&b, &s, kind);
        uint32_t n_live = 0, n_file = 0;
        for (ubi_node_ix i = 0; i < ubi_graph_node_count(b.live); i++) {
            n_live += ubi_graph_node_stack_is_empty(b.live, i);
            n_file += ubi_graph_node_stack_is_empty(b.file, i);
        }
        assert_int_equal(n_live, n_file);
        assert_true(n_live >= 3);
        char *text = live_census_text(&b, STACK);
        assert_non_null(strstr(text, "null: "));
        assert_non_null(strstr(text, "noStack: "));
        free(text);
        drop_both(&b);
    }
    close_subject(&s);
}

/* ---- what a file cannot carry ------------------------------------------------------------------------------------ */

static uint32_t depth_of(const ubi_graph *graph, ubi_frame_ix frame) {
    uint32_t depth = 0;
    for (; frame != UBI_NONE; frame = ubi_graph_frame_parent(graph, frame))
        depth++;
    return depth;
}

static uint32_t deepest_stack(const ubi_graph *graph) {
    uint32_t deepest = 0;
    for (ubi_node_ix i = 0; i < ubi_graph_node_count(graph); i++) {
        uint32_t depth = depth_of(graph, ubi_graph_node_stack(graph, i));
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest;
}

static void stacks_are_cut_at_60_frames(void **state) {
    (void)state;
    subject s;
    both b;
    open_subject(&s, "function deep(k) { return k ? deep(k - 1) : {}; } var made = deep(200);");
    take_both(&b, &s, DEBUGGEES);
    assert_true(deepest_stack(b.live) > 200);
    assert_int_equal(deepest_stack(b.file), UBI_STACK_SAVED_DEPTH);
    /* All else is equal. */
    char *live = live_census_text(&b, "{\"by\":\"objectClass\"}");
    char *file = census_text(b.file, "{\"by\":\"objectClass\"}", UBI_COMPAT_NONE);
    assert_string_equal(live, file);
    free(live);
    free(file);
    compare_dominators(&b);
    drop_both(&b);
    close_subject(&s);
}

static bool has_edge(const ubi_graph *graph, const char *name, size_t len) {
    for (ubi_edge_ix e = 0; e < ubi_graph_edge_count(graph); e++) {
        ubi_text text = ubi_graph_string(graph, ubi_graph_edge_name(graph, e));
        if (text.ptr && text.len == len && memcmp(text.ptr, name, len) == 0)
            return true;
    }
    return false;
}

static void names_end_at_a_zero(void **state) {
    (void)state;
    subject s;
    both b;
    open_subject(&s, "var o = { 'visible\\0hidden': {} };");
    take_both(&b, &s, GLOBALS);
    assert_true(has_edge(b.live, "visible\0hidden", 14) && !has_edge(b.live, "visible", 7));
    assert_true(has_edge(b.file, "visible", 7) && !has_edge(b.file, "visible\0hidden", 14));
    compare_dominators(&b);
    drop_both(&b);
    close_subject(&s);
}

/* Saving, counting and capturing leave the heap as it was. */
static void looking_changes_nothing(void **state) {
    (void)state;
    subject s;
    both first, second;
    open_subject(&s, programs[1].code);
    size_t blocks = s.heap.block_count;
    take_both(&first, &s, WHOLE_RUNTIME);
    char *before = live_census_text(&first, BUCKET);
    take_both(&second, &s, WHOLE_RUNTIME);
    char *after = live_census_text(&second, BUCKET);
    assert_string_equal(before, after);
    assert_null(graphs_differ_in_content(first.file, second.file));
    assert_int_equal(s.heap.block_count, blocks);
    free(before);
    free(after);
    drop_both(&first);
    drop_both(&second);
    close_subject(&s);
}

int main(void) {
    enum { N_PROGRAMS = sizeof programs / sizeof *programs };
    struct CMUnitTest tests[N_PROGRAMS + 4];
    for (int i = 0; i < N_PROGRAMS; i++)
        tests[i] = (struct CMUnitTest){ .name = programs[i].name,
                                        .test_func = equal_in_every_scope,
                                        .initial_state = (void *)(uintptr_t)&programs[i] };
    tests[N_PROGRAMS] = (struct CMUnitTest)cmocka_unit_test(an_empty_stack_differs_from_none);
    tests[N_PROGRAMS + 1] = (struct CMUnitTest)cmocka_unit_test(stacks_are_cut_at_60_frames);
    tests[N_PROGRAMS + 2] = (struct CMUnitTest)cmocka_unit_test(names_end_at_a_zero);
    tests[N_PROGRAMS + 3] = (struct CMUnitTest)cmocka_unit_test(looking_changes_nothing);
    return _cmocka_run_group_tests("live_offline", tests, N_PROGRAMS + 4, NULL, NULL);
}
