/* SPDX-License-Identifier: MIT
 *
 * Runs every script of tests/quickjs/heap_module/ in a runtime of its own that has the heap module, and looks whether it
 * left anything behind. Besides what prelude.js lists, scripts find
 *
 *     ubiheap             the module
 *     draw(text)          a heap as tests/support/drawing.h has it, saved; its path
 *     scratch(name)       a path in a folder that goes away afterwards; files without a name are made there, too
 *     write(path, text)   a file
 *     exists(path)
 *     globalsAreVariables whether the engine keeps a global variable as those of functions, with its value one edge further
 */
#include <unistd.h>

#include <dirent.h>

#include <ubiheap/core/formats.h>

#include "drawing.h"
#include "engine_facts.h"
#include "fail_allocator.h"
#include "quickjs_heap.h"
#include "saving.h"

#define FOLDER "tests/quickjs/heap_module"
#define MAX_SCRIPTS 100

static char *folder, *folder_before; /* for temporary files; NULL: none is named */
static unsigned n_drawn;

/* ---- what scripts find ------------------------------------------------------------------------------------------- */

static JSValue new_path(JSContext *ctx, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return JS_NewString(ctx, path);
}

static JSValue scratch(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)this_value, (void)argc;
    const char *name = JS_ToCString(ctx, argv[0]);
    assert_non_null(name);
    JSValue path = new_path(ctx, name);
    JS_FreeCString(ctx, name);
    return path;
}

static JSValue draw(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)this_value, (void)argc;
    char name[64];
    snprintf(name, sizeof name, "drawn-%u.fxsnapshot", n_drawn++);
    JSValue path = new_path(ctx, name);
    const char *text = JS_ToCString(ctx, argv[0]), *at = JS_ToCString(ctx, path);
    ubi_graph *graph = graph_from_drawing(text);
    assert_int_equal(ubi_graph_save_path(graph, at, NULL, NULL), UBI_OK);
    ubi_graph_unref(graph);
    JS_FreeCString(ctx, text);
    JS_FreeCString(ctx, at);
    return path;
}

static JSValue write_file(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)this_value, (void)argc;
    const char *path = JS_ToCString(ctx, argv[0]), *text = JS_ToCString(ctx, argv[1]);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    JS_FreeCString(ctx, path);
    JS_FreeCString(ctx, text);
    return JS_UNDEFINED;
}

static JSValue exists(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)this_value, (void)argc;
    const char *path = JS_ToCString(ctx, argv[0]);
    JSValue result = JS_NewBool(ctx, access(path, F_OK) == 0);
    JS_FreeCString(ctx, path);
    return result;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

/** Here the engine itself does not look whether it got memory, so none may be refused. */
static void add_module(quickjs_heap *heap) {
    assert_non_null(ubi_quickjs_add_heap_module(heap->tools, heap->realm, "ubiheap"));
}

/** False: an exception is pending. */
static bool import_module(quickjs_heap *heap) {
    static const char code[] = "import * as m from 'ubiheap'; globalThis.ubiheap = m;";
    JSValue result = JS_Eval(heap->realm, code, sizeof code - 1, "import.js", JS_EVAL_TYPE_MODULE);
    bool done = !JS_IsException(result);
    JS_FreeValue(heap->realm, result);
    return done;
}

static void open_heap(quickjs_heap *heap, const ubi_allocator *allocator) {
    folder = new_directory();
    const char *before = getenv("TMPDIR");
    folder_before = before ? strdup(before) : NULL;
    assert_int_equal(setenv("TMPDIR", folder, 1), 0);
    quickjs_heap_open(heap, allocator);
    quickjs_heap__define(heap, "scratch", scratch, 1);
    quickjs_heap__define(heap, "draw", draw, 1);
    quickjs_heap__define(heap, "write", write_file, 2);
    quickjs_heap__define(heap, "exists", exists, 1);
    quickjs_heap_run(heap, "facts.js",
                     engine_is(ENGINE_BINDS_GLOBALS) ? "globalThis.globalsAreVariables = true"
                                                     : "globalThis.globalsAreVariables = false");
    add_module(heap);
}

static void close_heap(quickjs_heap *heap) {
    quickjs_heap_close(heap);
    remove_directory(folder);
    assert_int_equal(folder_before ? setenv("TMPDIR", folder_before, 1) : unsetenv("TMPDIR"), 0);
    free(folder_before);
}

static void runs(void **state) {
    quickjs_heap heap;
    open_heap(&heap, NULL);
    if (!import_module(&heap))
        quickjs_heap__fail(&heap, "import.js");
    quickjs_heap_run_file(&heap, *state);
    close_heap(&heap);
}

/* ---- without memory ---------------------------------------------------------------------------------------------- */

/* What is done while each allocation fails in turn: everything once. Read before, since the engine's parser does not look. */
static const char everything[] =
    "globalThis.everything = path => {\n"
    "    ubiheap.saveHeapSnapshot({ globals: [globalThis] }, scratch('a'));\n"
    "    const snapshot = ubiheap.readHeapSnapshot(path);\n"
    "    snapshot.takeCensus({ breakdown: { by: 'allocationStack', then: { by: 'bucket' } } });\n"
    "    snapshot.describeNode({ by: 'objectClass' }, 3);\n"
    "    const tree = snapshot.computeDominatorTree();\n"
    "    tree.getImmediatelyDominated(tree.root);\n"
    "    snapshot.computeShortestPaths(1, [3, 4], 5);\n"
    "    ubiheap.timeline.recordProfileTimelineMarkers = true;\n"
    "    (async () => { await null; })();\n"
    "    ubiheap.saveHeapSnapshot({ globals: [globalThis] }, scratch('b'));\n"
    "    ubiheap.timeline.popProfileTimelineMarkers();\n"
    "    ubiheap.timeline.recordProfileTimelineMarkers = false;\n"
    "};\n"
    "globalThis.drawn = draw('1 -> 2 \"a\", 3; 2(stack=f@a.js:1:2) -> 3 \"b\"; 3 -> 4');\n";

typedef struct everything_call {
    JSValue global, function, path;
} everything_call;

static void prepare(quickjs_heap *heap, everything_call *call) {
    quickjs_heap_run(heap, "everything.js", everything);
    call->global = JS_GetGlobalObject(heap->realm);
    call->function = JS_GetPropertyStr(heap->realm, call->global, "everything");
    call->path = JS_GetPropertyStr(heap->realm, call->global, "drawn");
}

static void release(quickjs_heap *heap, everything_call *call) {
    JS_FreeValue(heap->realm, call->global);
    JS_FreeValue(heap->realm, call->function);
    JS_FreeValue(heap->realm, call->path);
}

/** True: nothing failed. */
static bool run_everything(quickjs_heap *heap, const everything_call *call) {
    JSValue path = call->path, result = JS_Call(heap->realm, call->function, JS_UNDEFINED, 1, &path);
    bool done = !JS_IsException(result);
    JS_FreeValue(heap->realm, result);
    JS_FreeValue(heap->realm, JS_GetException(heap->realm));
    return done;
}

static void import_or_fail(quickjs_heap *heap) {
    if (!import_module(heap))
        quickjs_heap__fail(heap, "import.js");
}

/* More allocations than there can be: then something else is wrong. */
#define TOO_MANY 1000000

static void every_allocation_of_the_engine_may_fail(void **state) {
    (void)state;
    bool done = false;
    for (size_t n = 0; !done; n += 1 + n / 16) {
        quickjs_heap heap;
        everything_call call;
        assert_true(n < TOO_MANY);
        open_heap(&heap, NULL);
        import_or_fail(&heap);
        prepare(&heap, &call);
        heap.allocations_allowed = n;
        done = run_everything(&heap, &call);
        heap.allocations_allowed = SIZE_MAX;
        JS_FreeValue(heap.realm, JS_GetException(heap.realm));
        release(&heap, &call);
        close_heap(&heap);
    }
}

static void every_allocation_of_the_tools_may_fail(void **state) {
    (void)state;
    bool done = false;
    for (size_t n = 0; !done; n += 1 + n / 16) {
        fail_allocator failing;
        quickjs_heap heap;
        everything_call call;
        assert_true(n < TOO_MANY);
        fail_allocator_init(&failing, FAIL_ALLOCATOR_NEVER);
        open_heap(&heap, &failing.allocator);
        import_or_fail(&heap);
        prepare(&heap, &call);
        failing.n_allowed = failing.n_requests + n;
        done = run_everything(&heap, &call);
        failing.n_allowed = FAIL_ALLOCATOR_NEVER;
        release(&heap, &call);
        close_heap(&heap);
        fail_allocator_fini(&failing);
    }
}

static int is_script(const struct dirent *entry) {
    const char *end = strrchr(entry->d_name, '.');
    return end && strcmp(end, ".js") == 0;
}

int main(int argc, char **argv) {
    static char paths[MAX_SCRIPTS][300];
    struct CMUnitTest tests[MAX_SCRIPTS + 2] = { cmocka_unit_test(every_allocation_of_the_tools_may_fail),
                                                 cmocka_unit_test(every_allocation_of_the_engine_may_fail) };
    struct dirent **entries;
    size_t n_tests = argc < 2 ? 2 : 0;
    int n = scandir(FOLDER, &entries, is_script, alphasort);
    for (int i = 0; i < n && i < MAX_SCRIPTS; i++) {
        snprintf(paths[i], sizeof paths[0], FOLDER "/%s", entries[i]->d_name);
        if (argc < 2 || strstr(paths[i], argv[1]))
            tests[n_tests++] = (struct CMUnitTest){ .name = paths[i], .test_func = runs, .initial_state = paths[i] };
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
    if (n <= 0 || !n_tests) {
        fprintf(stderr, "no scripts in " FOLDER "\n");
        return 1;
    }
    return _cmocka_run_group_tests("heap_module", tests, n_tests, NULL, NULL);
}
