/* SPDX-License-Identifier: MIT
 *
 * worker_conformance_test.c: the cases of Firefox's HeapAnalysesWorker, by number, on the heap of its tests.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include <ubiheap/core/formats.h>

#include "drawing.h"
#include "jobs/worker_for_tests.h"

static const char heap_text[] =
    "1(size=10 type=root stack=-@a.js:1:2) -> 20 \"a\", 30 \"b\", 10 \"c\", 10 \"dup\", 50 \"s\", 60 \"d\", 1 \"self\";"
    "20(size=100 type=JSObject coarse=object class=Array stack=f@a.js:5:2<-@a.js:1:2) -> 40;"
    "30(size=200 type=JSObject coarse=object class=Object stack=f@a.js:5:2<-@a.js:1:2);"
    "10(size=50 type=JSObject coarse=object class=Array);"
    "50(size=9 type=js::BaseScript coarse=script file=x.js);"
    "60(size=11 type=nsIDOM coarse=dom desc=div class=HTMLDivElement);"
    "40(size=7 type=JSString coarse=string);"
    "70(size=1000 type=unreach);";

#define TIME_US UINT64_C(1700000000123456)
#define COUNT "{\"by\":\"count\",\"count\":true,\"bytes\":true}"
#define CLASSES "{\"by\":\"objectClass\",\"then\":" COUNT ",\"other\":" COUNT "}"
#define TYPES "{\"by\":\"internalType\",\"then\":" COUNT "}"

static char path_p[64], path_q[64];
static ubi_session_pool *pool;
static ubi_worker *worker;
static asker *client;

static void heap_save(char path[64], const char *text) {
    ubi_graph *graph = graph_from_drawing(text);
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    snprintf(path, 64, "/tmp/ubiheap-worker-XXXXXX");
    close(mkstemp(path));
    options.has_time = true;
    options.time_us = TIME_US;
    assert_int_equal(ubi_graph_save_path(graph, path, &options, NULL), UBI_OK);
    ubi_graph_unref(graph);
}

static int heaps_make(void **state) {
    (void)state;
    heap_save(path_p, heap_text);
    heap_save(path_q, "1(size=10 type=root) -> 20; 20(size=300 type=JSObject coarse=object class=Array);");
    return 0;
}

static int heaps_remove(void **state) {
    (void)state;
    unlink(path_p);
    unlink(path_q);
    return 0;
}

static int client_open(void **state) {
    ubi_worker_options options = UBI_WORKER_OPTIONS_INIT;
    (void)state;
    options.compat = UBI_COMPAT_FIREFOX;
    options.threads = 2;
    assert_int_equal(ubi_session_pool_new(&pool, NULL), UBI_OK);
    assert_int_equal(ubi_worker_new(&worker, pool, &options), UBI_OK);
    client = asker_new(worker);
    return 0;
}

static int client_close(void **state) {
    (void)state;
    asker_free(client);
    ubi_worker_free(worker);
    assert_int_equal(ubi_session_pool_held_bytes(pool), 0);
    ubi_session_pool_unref(pool);
    return 0;
}

/* %p in the data is the path of the heap, %q that of the other one, in quotes. */
static const char *asked(const char *task, const char *format) {
    static char data[2048];
    size_t n = 0;
    for (const char *c = format; *c; c++) {
        if (c[0] == '%' && (c[1] == 'p' || c[1] == 'q'))
            n += (size_t)snprintf(data + n, sizeof data - n, "\"%s\"", *++c == 'p' ? path_p : path_q);
        else
            data[n++] = *c;
        data[n] = '\0';
    }
    return asker_ask(client, task, data);
}

static void assert_error(const char *reply, const char *name, const char *format, const char *argument) {
    char message[512], expected[1024];
    snprintf(message, sizeof message, format, argument);
    snprintf(expected, sizeof expected, "{\"name\":\"%s\",\"message\":\"%s\"}", name, message);
    assert_string_equal(reply, expected);
    assert_int_not_equal(client->replies[client->n - 1].status, UBI_OK);
}

static void assert_unknown(const char *reply, const char *path) {
    assert_error(reply, "Error", "No known heap snapshot for '%s'", path);
}

static void assert_begins(const char *reply, const char *expected) {
    if (strncmp(reply, expected, strlen(expected)) != 0)
        fail_msg("%s\ndoes not begin with\n%s", reply, expected);
}

static void assert_part(const char *reply, const char *expected) {
    if (!strstr(reply, expected))
        fail_msg("%s\nhas no part\n%s", reply, expected);
}

static void read_p(void) {
    assert_string_equal(asked("readHeapSnapshot", "{\"snapshotFilePath\":%p}"), "true");
}

static void case_1_before_reading(void **state) {
    (void)state;
    assert_unknown(asked("takeCensus", "{\"snapshotFilePath\":%p,\"censusOptions\":{},\"requestOptions\":{}}"), path_p);
    assert_unknown(asked("getCreationTime", "%p"), path_p);
    assert_unknown(asked("computeDominatorTree", "%p"), path_p);
    assert_unknown(asked("deleteHeapSnapshot", "{\"snapshotFilePath\":%p}"), path_p);
    assert_begins(asked("readHeapSnapshot", "{\"snapshotFilePath\":\"/nowhere/at/all\"}"),
                  "\"Error while performing task \\\"readHeapSnapshot\\\":");
    assert_int_equal(client->replies[client->n - 1].status, UBI_EIO);
    assert_begins(asked("readHeapSnapshot", "{\"snapshotFilePath\":\"README.md\"}"),
                  "\"Error while performing task \\\"readHeapSnapshot\\\":");
    assert_int_equal(client->replies[client->n - 1].status, UBI_EFORMAT);
}

static void case_2_reading(void **state) {
    (void)state;
    read_p();
    read_p();
    assert_string_equal(asked("getCreationTime", "%p"), "1700000000123456");
}

static void case_3_censuses(void **state) {
    (void)state;
    read_p();
    assert_string_equal(asked("takeCensus", "{\"snapshotFilePath\":%p,\"censusOptions\":{\"breakdown\":" COUNT
                                            "},\"requestOptions\":{\"filter\":\"zzz\"}}"),
                        "{\"report\":{\"count\":7,\"bytes\":387}}");
    assert_string_equal(
        asked("takeCensus", "{\"snapshotFilePath\":%p,\"censusOptions\":{}}"),
        "{\"report\":{\"objects\":{\"Object\":{\"count\":1,\"bytes\":200},\"Array\":{\"count\":2,\"bytes\":"
        "150},\"other\":{\"count\":0,\"bytes\":0}},\"scripts\":{\"count\":1,\"bytes\":9},\"strings\":{"
        "\"count\":1,\"bytes\":7},\"other\":{\"root\":{\"count\":1,\"bytes\":10}},\"domNode\":{\"div\":{"
        "\"count\":1,\"bytes\":11}}}}");
    assert_begins(
        asked("takeCensus", "{\"snapshotFilePath\":%p,\"censusOptions\":{},\"requestOptions\":{\"asTreeNode\":true}}"),
        "{\"name\":\"TypeError\"");
}

static void case_4_trees(void **state) {
    (void)state;
    read_p();
    assert_string_equal(
        asked("takeCensus", "{\"snapshotFilePath\":%p,\"censusOptions\":{\"breakdown\":" CLASSES
                            "},\"requestOptions\":{\"asTreeNode\":true}}"),
        "{\"report\":{\"name\":null,\"bytes\":0,\"totalBytes\":387,\"count\":0,\"totalCount\":7,\"id\":1,\"children\":["
        "{\"name\":\"Object\",\"bytes\":200,\"totalBytes\":200,\"count\":1,\"totalCount\":1,\"id\":3,\"parent\":1,"
        "\"reportLeafIndex\":2},"
        "{\"name\":\"Array\",\"bytes\":150,\"totalBytes\":150,\"count\":2,\"totalCount\":2,\"id\":4,\"parent\":1,"
        "\"reportLeafIndex\":3},"
        "{\"name\":\"other\",\"bytes\":26,\"totalBytes\":26,\"count\":3,\"totalCount\":3,\"id\":5,\"parent\":1,"
        "\"reportLeafIndex\":4},"
        "{\"name\":\"HTMLDivElement\",\"bytes\":11,\"totalBytes\":11,\"count\":1,\"totalCount\":1,\"id\":2,\"parent\":"
        "1,"
        "\"reportLeafIndex\":1}]},\"parentMap\":{\"3\":1,\"4\":1,\"5\":1,\"2\":1}}");
    const char *inverted =
        asked("takeCensus", "{\"snapshotFilePath\":%p,\"censusOptions\":{\"breakdown\":" CLASSES
                            "},\"requestOptions\":{\"asInvertedTreeNode\":true,\"filter\":\"Arr\"}}");
    assert_part(inverted, "\"id\":15,\"children\":[{\"name\":\"Array\"");
    assert_part(inverted, "\"id\":16,\"parent\":15,\"reportLeafIndex\":3,\"children\":[{\"name\":null");
    assert_part(inverted, "\"parentMap\":{\"16\":15,\"17\":16}");
}

static void case_5_bad_breakdowns_and_paths(void **state) {
    (void)state;
    read_p();
    assert_error(asked("takeCensus", "{\"snapshotFilePath\":%p,\"censusOptions\":{\"breakdown\":{\"by\":\"nope\"}}}"),
                 "TypeError", "unrecognized 'by' value in takeCensus breakdown: \\\"%s\\\"", "nope");
    assert_unknown(asked("takeCensusDiff",
                         "{\"firstSnapshotFilePath\":%p,\"secondSnapshotFilePath\":%q,\"censusOptions\":{"
                         "\"breakdown\":" COUNT "}}"),
                   path_q);
    assert_unknown(asked("takeCensusDiff", "{\"firstSnapshotFilePath\":%q,\"secondSnapshotFilePath\":\"x\"}"), path_q);
}

static void case_6_differences(void **state) {
    (void)state;
    read_p();
    assert_string_equal(asked("readHeapSnapshot", "{\"snapshotFilePath\":%q}"), "true");
    assert_string_equal(asked("takeCensusDiff", "{\"firstSnapshotFilePath\":%p,\"secondSnapshotFilePath\":%q,"
                                                "\"censusOptions\":{\"breakdown\":" COUNT "}}"),
                        "{\"delta\":{\"count\":-6,\"bytes\":-87}}");
    const char *tree = asked("takeCensusDiff",
                             "{\"firstSnapshotFilePath\":%p,\"secondSnapshotFilePath\":%q,"
                             "\"censusOptions\":{\"breakdown\":" CLASSES "},\"requestOptions\":{\"asTreeNode\":true}}");
    assert_begins(tree, "{\"delta\":{\"name\":null,\"bytes\":0,\"totalBytes\":387,\"count\":0,\"totalCount\":7,");
    assert_part(tree, "{\"name\":\"Object\",\"bytes\":-200,\"totalBytes\":-200,\"count\":-1,");
    assert_part(tree, "{\"name\":\"Array\",\"bytes\":150,\"totalBytes\":150,\"count\":-1,");
    assert_part(tree, "\"parentMap\":{");
}

static void case_7_tree_ids(void **state) {
    static const char no_tree[] = "There does not exist a DominatorTree with the id %s";
    (void)state;
    assert_error(asked("getDominatorTree", "{\"dominatorTreeId\":0}"), "Error", no_tree, "0");
    read_p();
    assert_error(asked("getDominatorTree", "{\"dominatorTreeId\":-1}"), "Error", no_tree, "-1");
    assert_error(asked("getDominatorTree", "{\"dominatorTreeId\":\"x\"}"), "Error", no_tree, "x");
    assert_string_equal(asked("computeDominatorTree", "%p"), "0");
    assert_string_equal(asked("computeDominatorTree", "%p"), "1");
}

static void case_8_dominator_trees(void **state) {
    (void)state;
    read_p();
    asked("computeDominatorTree", "%p");
    assert_string_equal(
        asked("getDominatorTree", "{\"dominatorTreeId\":0,\"breakdown\":" TYPES
                                  ",\"maxDepth\":2,\"maxSiblings\":2,\"maxRetainingPaths\":1}"),
        "{\"nodeId\":1,\"label\":[\"root\"],\"shallowSize\":10,\"retainedSize\":387,\"moreChildrenAvailable\":true,"
        "\"shortestPaths\":{\"nodes\":[{\"id\":1,\"label\":[\"root\"]}],\"edges\":[]},\"children\":["
        "{\"nodeId\":30,\"label\":[\"JSObject\"],\"shallowSize\":200,\"retainedSize\":200,\"moreChildrenAvailable\":"
        "false,\"parentId\":1,\"shortestPaths\":{\"nodes\":[{\"id\":30,\"label\":[\"JSObject\"]},{\"id\":1,\"label\":["
        "\"root\"]}],\"edges\":[{\"from\":1,\"to\":30,\"name\":\"b\"}]}},"
        "{\"nodeId\":20,\"label\":[\"JSObject\"],\"shallowSize\":100,\"retainedSize\":107,\"moreChildrenAvailable\":"
        "true,\"parentId\":1,\"shortestPaths\":{\"nodes\":[{\"id\":20,\"label\":[\"JSObject\"]},{\"id\":1,\"label\":["
        "\"root\"]}],\"edges\":[{\"from\":1,\"to\":20,\"name\":\"a\"}]}}]}");
    assert_begins(asked("getDominatorTree", "{\"dominatorTreeId\":0,\"breakdown\":" TYPES ",\"maxRetainingPaths\":0}"),
                  "\"Error while performing task \\\"getDominatorTree\\\":");
}

static void case_9_children(void **state) {
    (void)state;
    read_p();
    asked("computeDominatorTree", "%p");
    const char *page = asked("getImmediatelyDominated", "{\"dominatorTreeId\":0,\"nodeId\":1,\"breakdown\":" TYPES
                                                        ",\"startIndex\":1,\"maxCount\":2,\"maxRetainingPaths\":1}");
    assert_begins(page, "{\"nodes\":[{\"nodeId\":20,");
    assert_part(page, "{\"nodeId\":10,\"label\":[\"JSObject\"],\"shallowSize\":50,\"retainedSize\":50,"
                      "\"moreChildrenAvailable\":false,\"parentId\":1,");
    assert_part(page, "],\"moreChildrenAvailable\":true,\"path\":[1]}");
    page = asked("getImmediatelyDominated", "{\"dominatorTreeId\":0,\"nodeId\":20,\"breakdown\":" TYPES "}");
    assert_begins(page, "{\"nodes\":[{\"nodeId\":40,");
    assert_part(page,
                "\"shortestPaths\":{\"nodes\":[{\"id\":40,\"label\":[\"JSString\"]},{\"id\":1,\"label\":[\"root\"]},{"
                "\"id\":20,\"label\":[\"JSObject\"]}],\"edges\":[{\"from\":1,\"to\":20,\"name\":\"a\"},{\"from\":20,"
                "\"to\":40,\"name\":null}]}");
    assert_part(page, "],\"moreChildrenAvailable\":false,\"path\":[1,20]}");
    assert_begins(asked("getImmediatelyDominated", "{\"dominatorTreeId\":0,\"nodeId\":40,\"breakdown\":" TYPES "}"),
                  "\"Error while performing task \\\"getImmediatelyDominated\\\":");
    assert_error(asked("getImmediatelyDominated", "{\"dominatorTreeId\":0,\"nodeId\":12345,\"breakdown\":" TYPES "}"),
                 "Error", "%s is not a node id in the dominator tree", "12345");
}

static void case_10_individuals(void **state) {
    (void)state;
    read_p();
    asked("computeDominatorTree", "%p");
    const char *nodes =
        asked("getCensusIndividuals", "{\"dominatorTreeId\":0,\"indices\":[2,3],\"censusBreakdown\":" CLASSES
                                      ",\"labelBreakdown\":" TYPES ",\"maxRetainingPaths\":1,\"maxIndividuals\":2}");
    assert_begins(nodes, "{\"nodes\":[{\"nodeId\":30,\"label\":[\"JSObject\"],\"shallowSize\":200,\"retainedSize\":200,"
                         "\"moreChildrenAvailable\":false,\"shortestPaths\":{");
    assert_part(nodes, "{\"nodeId\":20,\"label\":[\"JSObject\"],\"shallowSize\":100,\"retainedSize\":107,"
                       "\"moreChildrenAvailable\":false,\"shortestPaths\":{");
    assert_null(strstr(nodes, "{\"nodeId\":10,"));
    assert_begins(asked("getCensusIndividuals", "{\"dominatorTreeId\":0,\"indices\":[],\"censusBreakdown\":" CLASSES
                                                ",\"labelBreakdown\":" TYPES "}"),
                  "\"Error while performing task \\\"getCensusIndividuals\\\":");
}

static void case_11_deleting(void **state) {
    (void)state;
    read_p();
    asked("computeDominatorTree", "%p");
    asked("computeDominatorTree", "%p");
    assert_string_equal(asked("deleteHeapSnapshot", "{\"snapshotFilePath\":%p}"), "undefined");
    assert_unknown(asked("takeCensus", "{\"snapshotFilePath\":%p}"), path_p);
    assert_error(asked("getDominatorTree", "{\"dominatorTreeId\":0,\"breakdown\":" TYPES "}"), "TypeError",
                 "can't access property \\\"%s\\\", dominatorTree is undefined", "root");
    assert_error(asked("getCensusIndividuals", "{\"dominatorTreeId\":0,\"indices\":[2]}"), "Error",
                 "There does not exist a DominatorTree with the id %s", "0");
    assert_begins(asked("getDominatorTree", "{\"dominatorTreeId\":1,\"breakdown\":" TYPES "}"), "{\"nodeId\":1,");
    assert_unknown(asked("deleteHeapSnapshot", "{\"snapshotFilePath\":%p}"), path_p);
}

/* Trees of an older reading stay, though the file is the same. */
static void case_11_trees_of_older_readings(void **state) {
    (void)state;
    read_p();
    asked("computeDominatorTree", "%p");
    read_p();
    asked("computeDominatorTree", "%p");
    asked("deleteHeapSnapshot", "{\"snapshotFilePath\":%p}");
    assert_begins(asked("getDominatorTree", "{\"dominatorTreeId\":0,\"breakdown\":" TYPES "}"), "{\"nodeId\":1,");
    assert_begins(asked("getDominatorTree", "{\"dominatorTreeId\":1,\"breakdown\":" TYPES "}"),
                  "{\"name\":\"TypeError\"");
}

static void case_12_unknown_tasks_and_the_end(void **state) {
    uint64_t id;
    (void)state;
    assert_string_equal(asked("nonsense", "{}"), "\"Task \\\"nonsense\\\" not found in worker.\"");
    ubi_worker_client_destroy(client->client);
    assert_int_equal(ubi_worker_client_request(&id, client->client, "takeCensus", (ubi_text){ "{}", 2 }), UBI_ESTATE);
    assert_string_equal(ubi_error_message(), "Cannot call performTask on a destroyed DevToolsWorker");
}

static void case_13_ids_of_files(void **state) {
    static const char *const valid[] = { "123", "123-4", "0" };
    static const char *const invalid[] = { "-1", "1-", "../x", "", "1a", " 12", "12\n", "1-2-3", "1--2", "1/2" };
    char path[UBI_SNAPSHOT_PATH_BYTES], other[UBI_SNAPSHOT_PATH_BYTES];
    (void)state;
    for (size_t i = 0; i < sizeof valid / sizeof *valid; i++) {
        assert_true(ubi_snapshot_temp_path(path, "/folder", (ubi_text){ valid[i], strlen(valid[i]) }));
        snprintf(other, sizeof other, "/folder/%s.fxsnapshot", valid[i]);
        assert_string_equal(path, other);
    }
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++) {
        ubi_text id = { invalid[i], strlen(invalid[i]) };
        assert_false(ubi_snapshot_temp_path(path, "/folder", id));
        assert_string_equal(path, "");
        assert_false(ubi_snapshot_temp_exists("/folder", id));
    }
    assert_int_equal(ubi_snapshot_temp_create(path, NULL), UBI_OK);
    assert_int_equal(ubi_snapshot_temp_create(other, NULL), UBI_OK);
    assert_string_not_equal(path, other);
    const char *name = strrchr(path, '/') + 1;
    assert_true(ubi_snapshot_temp_exists(NULL, (ubi_text){ name, strcspn(name, ".") }));
    unlink(path);
    unlink(other);
    assert_false(ubi_snapshot_temp_exists(NULL, (ubi_text){ name, strcspn(name, ".") }));
    assert_int_equal(ubi_snapshot_temp_create(path, "/nowhere/at/all"), UBI_EIO);
}

/* What a hostile page might send. */
static void nonsense_is_refused(void **state) {
    static const char *const data[] = { "",
                                        "null",
                                        "[]",
                                        "7",
                                        "{",
                                        "\"\"",
                                        "{\"a\":1}",
                                        "{\"a\":1,",
                                        "nope",
                                        "{\"snapshotFilePath\":7}",
                                        "{\"snapshotFilePath\":\"a\\u0000b\"}",
                                        "{\"dominatorTreeId\":1e99}" };
    static const char *const tasks[] = { "readHeapSnapshot", "deleteHeapSnapshot",      "getCreationTime",
                                         "takeCensus",       "takeCensusDiff",          "computeDominatorTree",
                                         "getDominatorTree", "getImmediatelyDominated", "getCensusIndividuals" };
    (void)state;
    for (size_t t = 0; t < sizeof tasks / sizeof *tasks; t++)
        for (size_t i = 0; i < sizeof data / sizeof *data; i++) {
            asker_ask(client, tasks[t], data[i]);
            assert_int_not_equal(client->replies[client->n - 1].status, UBI_OK);
        }
    read_p();
    asked("computeDominatorTree", "%p");
    assert_begins(asked("getDominatorTree", "{\"dominatorTreeId\":0,\"maxDepth\":\"deep\"}"),
                  "{\"name\":\"TypeError\"");
    assert_begins(asked("getCensusIndividuals", "{\"dominatorTreeId\":0,\"indices\":7}"), "{\"name\":\"TypeError\"");
    assert_begins(asked("readHeapSnapshot", "{\"snapshotFilePath\":\"/dev/zero\"}"),
                  "\"Error while performing task \\\"readHeapSnapshot\\\": /dev/zero is not a file");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, client_open, client_close)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(case_1_before_reading),
        CASE(case_2_reading),
        CASE(case_3_censuses),
        CASE(case_4_trees),
        CASE(case_5_bad_breakdowns_and_paths),
        CASE(case_6_differences),
        CASE(case_7_tree_ids),
        CASE(case_8_dominator_trees),
        CASE(case_9_children),
        CASE(case_10_individuals),
        CASE(case_11_deleting),
        CASE(case_11_trees_of_older_readings),
        CASE(case_12_unknown_tasks_and_the_end),
        CASE(case_13_ids_of_files),
        CASE(nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, heaps_make, heaps_remove);
}
