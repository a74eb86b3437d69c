/* SPDX-License-Identifier: MIT
 *
 * memory_navigation_test.c: a host that makes a new global in place of a page, and what a client of the remote protocol gets to see of
 * that: case MEM-19 of the memory actor, events, and values of the console.
 */
#include "quickjs_heap.h"
#include "rdp/wire_for_tests.h"

/* A page is a realm of its own, whose scope is what the tab is. */
typedef struct host {
    quickjs_heap heap;
    wire_client wire;
    JSContext *page;
    ubi_quickjs_scope *scope;
    ubi_target_scope part;
    char memory[UBI__RDP_ID_BYTES], console[UBI__RDP_ID_BYTES];
    unsigned n_reloads; /* that were asked for */
} host;

static void note_reload(void *payload) {
    ((host *)payload)->n_reloads++;
}

static ubi_target host_target(const host *h) {
    return ubi_quickjs_target(h->heap.tools);
}

static void page_open(host *h) {
    h->page = JS_NewContext(h->heap.runtime);
    assert_non_null(h->page);
    assert_int_equal(ubi_quickjs_scope_new(&h->scope, h->heap.tools), UBI_OK);
    assert_int_equal(ubi_quickjs_scope_add(h->scope, h->page), UBI_OK);
    h->part = ubi_quickjs_scope_get(h->scope);
}

static void host_open(host *h) {
    h->n_reloads = 0;
    quickjs_heap_open(&h->heap, NULL);
    wire_open(&h->wire);
    page_open(h);
    const ubi__rdp_tab_options tab = {
        .title = "first", .url = "qjs://first", .scope = &h->part, .reload = note_reload, .payload = h
    };
    assert_int_equal(ubi__rdp_offer_add(h->wire.offer, host_target(h), &tab), UBI_OK);
    wire_connect(&h->wire, NULL);
    wire_send(&h->wire, "root", "connect", ",\"frontendVersion\":\"153.0\"");
    wire_find(&h->wire, h->memory, "memoryActor", false);
    wire_find(&h->wire, h->console, "consoleActor", false);
}

/* The new page is there before the old one goes; the scope is another, at the same place or not. */
static void host_navigate(host *h, const char *title, const char *url) {
    static ubi_target_scope parts[8];
    static unsigned n_parts;
    JSContext *old = h->page;
    ubi_quickjs_scope *old_scope = h->scope;
    page_open(h);
    ubi_target_scope *part = &parts[n_parts++ % 8];
    *part = h->part;
    const ubi__rdp_tab_options tab = { .title = title, .url = url, .scope = part };
    assert_int_equal(ubi__rdp_offer_navigated(h->wire.offer, host_target(h), &tab), UBI_OK);
    ubi_quickjs_scope_free(old_scope);
    JS_FreeContext(old);
}

static void host_close(host *h) {
    wire_leave(&h->wire);
    ubi_quickjs_safe_point(h->heap.tools);
    assert_int_equal(ubi__rdp_offer_remove(h->wire.offer, host_target(h)), UBI_OK);
    wire_end(&h->wire);
    ubi_quickjs_scope_free(h->scope);
    JS_FreeContext(h->page);
    JS_RunGC(h->heap.runtime);
    quickjs_heap_close(&h->heap);
}

/* Until all that was asked has been answered. */
static void host_serve(host *h) {
    do {
        ubi_quickjs_safe_point(h->heap.tools);
        wire_hear(&h->wire);
    } while (h->wire.connection->n_waiting);
    ubi_quickjs_safe_point(h->heap.tools);
    wire_hear(&h->wire);
}

static void ask(host *h, const char *actor, const char *type, const char *members) {
    wire_forget(&h->wire);
    wire_send(&h->wire, actor, type, members);
    host_serve(h);
}

static void page_run(const host *h, const char *file, const char *code) {
    JSValue value = JS_Eval(h->page, code, strlen(code), file, JS_EVAL_TYPE_GLOBAL);
    assert_false(JS_IsException(value));
    JS_FreeValue(h->page, value);
}

/* ---- frames: MEM-19 ----------------------------------------------------------------------------------------------------- */

/* Of each frame of the reply its function and the index of its caller. */
static void assert_frames(host *h, const char *expected) {
    char found[1024] = "";
    const char *at;
    ask(h, h->memory, "getAllocations", "");
    at = strstr(h->wire.text, "\"frames\":[null");
    if (!at)
        fail_msg("no frames in: %s", h->wire.text);
    while ((at = strstr(at, "\"functionDisplayName\":"))) {
        const char *name = at + strlen("\"functionDisplayName\":");
        const char *parent = strstr(at, "\"parent\":") + strlen("\"parent\":");
        size_t n = strlen(found);
        snprintf(found + n, sizeof found - n, "%.*s{%.*s} ", (int)strcspn(name, ","), name, (int)strcspn(parent, ","),
                 parent);
        at = parent;
    }
    assert_string_equal(found, expected);
}

#define PAGE                                                                                                           \
    "function c() { return {}; }"                                                                                      \
    "function d() { return []; }"                                                                                      \
    "function b() { c(); }"                                                                                            \
    "function a(next) { next(); }"
/* What calls a is the script, whose frame is 1. */
#define FRAMES_OF_C "null{0} \"a\"{1} \"b\"{2} \"c\"{3} "
#define FRAMES_OF_D "null{0} \"a\"{1} \"d\"{2} "

static void frames_begin_again_with_a_recording_and_a_page(void **state) {
    host h;
    (void)state;
    host_open(&h);
    page_run(&h, "page.js", PAGE);
    ask(&h, h.memory, "attach", "");
    ask(&h, h.memory, "startRecordingAllocations", "");
    page_run(&h, "first.js", "a(b);");
    assert_frames(&h, FRAMES_OF_C);
    page_run(&h, "first.js", "a(d);");
    assert_frames(&h, FRAMES_OF_C "\"d\"{2} ");
    ask(&h, h.memory, "stopRecordingAllocations", "");
    ask(&h, h.memory, "startRecordingAllocations", "");
    page_run(&h, "first.js", "a(d);");
    assert_frames(&h, FRAMES_OF_D);
    host_navigate(&h, "second", "qjs://second");
    assert_frames(&h, "");
    page_run(&h, "page.js", PAGE);
    host_serve(&h);
    ask(&h, h.memory, "stopRecordingAllocations", "");
    ask(&h, h.memory, "startRecordingAllocations", "");
    page_run(&h, "second.js", "a(b);");
    assert_frames(&h, FRAMES_OF_C);
    ask(&h, h.memory, "getState", "");
    wire_assert_came(&h.wire, "\"state\":\"attached\"");
    host_close(&h);
}

static void a_recording_lasts_and_counts_on(void **state) {
    host h;
    (void)state;
    host_open(&h);
    page_run(&h, "page.js", PAGE);
    ask(&h, h.memory, "attach", "");
    ask(&h, h.memory, "startRecordingAllocations", ",\"options\":{\"maxLogLength\":17,\"probability\":1}");
    page_run(&h, "first.js", "a(b);");
    host_navigate(&h, "second", "qjs://second");
    page_run(&h, "second.js", "globalThis.made = {};");
    ask(&h, h.memory, "getAllocationsSettings", "");
    wire_assert_came(&h.wire, "\"maxLogLength\":17,\"probability\":1");
    ask(&h, h.memory, "getAllocations", "");
    assert_non_null(strstr(h.wire.text, "second.js"));
    assert_null(strstr(h.wire.text, "first.js"));
    wire_assert_came(&h.wire, "\"overflowed\":true"); /* what was not asked for before */
    host_close(&h);
}

/* ---- what clients are told ---------------------------------------------------------------------------------------------- */

static void clients_get_messages(void **state) {
    static const char *const parts[] = { "\"type\":\"tabNavigated\",\"state\":\"start\",\"url\":\"qjs://second\"",
                                         "\"name\":\"will-navigate\"",
                                         "\"newURI\":\"qjs://second\"",
                                         "\"name\":\"dom-loading\"",
                                         "\"title\":\"second\"",
                                         "\"name\":\"dom-complete\"",
                                         "\"type\":\"tabNavigated\",\"state\":\"stop\"",
                                         "\"type\":\"tabListChanged\"",
                                         NULL };
    char descriptor[UBI__RDP_ID_BYTES], watcher[UBI__RDP_ID_BYTES];
    host h;
    (void)state;
    host_open(&h);
    wire_find_descriptor(&h.wire, descriptor, false);
    ask(&h, descriptor, "getWatcher", "");
    wire_take_member(&h.wire, watcher, "actor");
    ask(&h, watcher, "watchResources", ",\"resourceTypes\":[\"document-event\"]");
    ask(&h, "root", "listTabs", "");
    wire_assert_came(&h.wire, "\"title\":\"first\"");
    host_navigate(&h, "second", "qjs://second");
    host_serve(&h);
    wire_assert_came_in_order(&h.wire, parts);
    ask(&h, "root", "listTabs", "");
    wire_assert_came(&h.wire, "\"title\":\"second\",\"url\":\"qjs://second\"");
    wire_send(&h.wire, watcher, "unwatchResources", ",\"resourceTypes\":[\"document-event\"]");
    host_navigate(&h, NULL, NULL);
    host_serve(&h);
    assert_null(strstr(h.wire.text, "document-event"));
    wire_assert_came(&h.wire, "\"state\":\"stop\",\"url\":\"quickjs://quickjs\"");
    host_close(&h);
}

/* ---- timelines and profilers: of the runtime, with whatever page --------------------------------------------------------- */

static void timelines_and_profilers_record_further(void **state) {
    char timeline[UBI__RDP_ID_BYTES], profiler[UBI__RDP_ID_BYTES];
    host h;
    (void)state;
    host_open(&h);
    wire_find(&h.wire, timeline, "timelineActor", false);
    wire_find(&h.wire, profiler, "memprofActor", false);
    ask(&h, timeline, "start", ",\"withMarkers\":true,\"withGCEvents\":true");
    ask(&h, profiler, "startProfiler", "");
    host_navigate(&h, "second", "qjs://second");
    page_run(&h, "second.js", "globalThis.made = Array(20000).fill(0).map(c => ({ c }));");
    host_serve(&h);
    ask(&h, timeline, "isRecording", "");
    wire_assert_came(&h.wire, "\"value\":true");
    ask(&h, profiler, "stopProfiler", "");
    ask(&h, profiler, "getResults", "");
    wire_assert_came(&h.wire, "second.js");
    ask(&h, timeline, "stop", "");
    assert_null(strstr(h.wire.text, "\"error\""));
    host_close(&h);
}

/* ---- consoles ----------------------------------------------------------------------------------------------------------- */

static void consoles_are_of_the_new_page(void **state) {
    char object[UBI__RDP_ID_BYTES], next[UBI__RDP_ID_BYTES];
    host h;
    (void)state;
    host_open(&h);
    page_run(&h, "page.js", "globalThis.name = 'first'; globalThis.thing = { x: 1 };");
    ask(&h, h.console, "evaluateJSAsync", ",\"text\":\"thing\"");
    wire_take_member(&h.wire, object, "type\":\"object\",\"actor");
    host_navigate(&h, "second", "qjs://second");
    wire_send(&h.wire, object, "prototype", ""); /* asked before the client has heard of it */
    host_serve(&h);
    wire_assert_came(&h.wire, "noSuchActor");
    ask(&h, object, "prototype", "");
    wire_assert_came(&h.wire, "noSuchActor");
    page_run(&h, "page.js", "globalThis.name = 'second'; globalThis.thing = { y: 1 };");
    ask(&h, h.console, "evaluateJSAsync", ",\"text\":\"name\"");
    wire_assert_came(&h.wire, "\"result\":\"second\"");
    ask(&h, h.console, "evaluateJSAsync", ",\"text\":\"thing\"");
    wire_take_member(&h.wire, next, "type\":\"object\",\"actor");
    assert_string_not_equal(next, object);
    ask(&h, next, "prototypeAndProperties", "");
    wire_assert_came(&h.wire, "\"y\":");
    host_close(&h);
}

static void values_of_a_page_do_not_keep_it(void **state) {
    host h;
    (void)state;
    host_open(&h);
    ask(&h, h.console, "evaluateJSAsync", ",\"text\":\"globalThis\"");
    host_navigate(&h, "second", "qjs://second");
    JS_RunGC(h.heap.runtime);
    host_serve(&h);
    ask(&h, h.memory, "attach", "");
    ask(&h, h.memory, "saveHeapSnapshot", "");
    wire_assert_came(&h.wire, "\"snapshotId\":\"ubi-1\"");
    ubi_quickjs_coverage c;
    assert_int_equal(ubi_quickjs_measure_coverage(h.heap.tools, &c), UBI_OK);
    assert_int_equal(c.overcounts, 0);
    host_close(&h);
}

/* ---- the end ------------------------------------------------------------------------------------------------------------ */

/* Its bridge and its consoles are its thread's. */
static void a_target_that_outlives_the_server_lets_go(void **state) {
    host h;
    (void)state;
    host_open(&h);
    ask(&h, h.memory, "attach", "");
    ask(&h, h.memory, "startRecordingAllocations", "");
    ask(&h, h.console, "evaluateJSAsync", ",\"text\":\"({})\"");
    wire_end(&h.wire);
    ubi_quickjs_safe_point(h.heap.tools);
    ubi_quickjs_scope_free(h.scope);
    JS_FreeContext(h.page);
    JS_RunGC(h.heap.runtime);
    quickjs_heap_close(&h.heap); /* fails when something of it is left */
}

/* ---- what is refused ---------------------------------------------------------------------------------------------------- */

static void only_what_is_offered_navigates(void **state) {
    const ubi__rdp_tab_options tab = { .title = "other" };
    quickjs_heap other;
    host h;
    (void)state;
    host_open(&h);
    quickjs_heap_open(&other, NULL);
    assert_int_equal(ubi__rdp_offer_navigated(h.wire.offer, ubi_quickjs_target(other.tools), &tab), UBI_ENOTFOUND);
    quickjs_heap_close(&other);
    host_close(&h);
}

static void clients_ask_for_another_run(void **state) {
    const ubi__rdp_tab_options plain = { .title = "plain" };
    char tab[UBI__RDP_ID_BYTES], target[UBI__RDP_ID_BYTES];
    host h;
    (void)state;
    host_open(&h);
    wire_find_descriptor(&h.wire, tab, false);
    assert_non_null(strstr(h.wire.text, "\"supportsReloadDescriptor\":true"));
    ask(&h, tab, "reloadDescriptor", ",\"bypassCache\":true");
    assert_null(strstr(h.wire.text, "error"));
    wire_find(&h.wire, target, "actor", false);
    ask(&h, target, "reload", "");
    assert_int_equal(h.n_reloads, 2);
    assert_int_equal(ubi__rdp_offer_remove(h.wire.offer, host_target(&h)), UBI_OK);
    assert_int_equal(ubi__rdp_offer_add(h.wire.offer, host_target(&h), &plain), UBI_OK);
    wire_find_descriptor(&h.wire, tab, false);
    assert_non_null(strstr(h.wire.text, "\"supportsReloadDescriptor\":false"));
    ask(&h, tab, "reloadDescriptor", "");
    wire_assert_came(&h.wire, "a client cannot make this program run again");
    assert_int_equal(h.n_reloads, 2);
    host_close(&h);
}

static host *navigating; /* of the function that follows */
static ubi_status navigated;

static JSValue navigate_within(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv) {
    const ubi__rdp_tab_options tab = { .title = "too early", .scope = &navigating->part };
    (void)ctx, (void)self, (void)argc, (void)argv;
    navigated = ubi__rdp_offer_navigated(navigating->wire.offer, host_target(navigating), &tab);
    return JS_UNDEFINED;
}

static void a_request_that_runs_is_not_navigated_away(void **state) {
    host h;
    (void)state;
    host_open(&h);
    navigating = &h;
    navigated = UBI_OK;
    JSValue global = JS_GetGlobalObject(h.page);
    JS_SetPropertyStr(h.page, global, "leave", JS_NewCFunction(h.page, navigate_within, "leave", 0));
    JS_FreeValue(h.page, global);
    ask(&h, h.console, "evaluateJSAsync", ",\"text\":\"leave(); 7\"");
    wire_assert_came(&h.wire, "\"result\":7");
    assert_int_equal(navigated, UBI_ESTATE);
    host_close(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_begin_again_with_a_recording_and_a_page),
        cmocka_unit_test(a_recording_lasts_and_counts_on),
        cmocka_unit_test(clients_get_messages),
        cmocka_unit_test(timelines_and_profilers_record_further),
        cmocka_unit_test(consoles_are_of_the_new_page),
        cmocka_unit_test(values_of_a_page_do_not_keep_it),
        cmocka_unit_test(a_target_that_outlives_the_server_lets_go),
        cmocka_unit_test(only_what_is_offered_navigates),
        cmocka_unit_test(clients_ask_for_another_run),
        cmocka_unit_test(a_request_that_runs_is_not_navigated_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
