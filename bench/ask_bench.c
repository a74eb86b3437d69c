/* SPDX-License-Identifier: MIT
 *
 * ask_bench.c: how long a session takes to answer questions by ubi_ask(), the first time and again.
 *
 * A row per question, for bench/report.py. What the question shares with others (graph, look, dominators, distances) is there before,
 * so firstNs is what it alone costs; wallNs is the median of further ones, answerBytes what is written.
 *
 * {"file":"x.fxsnapshot","row":"ask:nodes by retained size","threads":0,"wallNs":90000,"firstNs":180000000,"answerBytes":20000}
 */
#include <stdlib.h>

#include <ubiheap/extension/ask.h>

#include "base/status.h"
#include "bench_program.h"

static const char usage[] = "usage: ask_bench [--repeats N] FILE...\n"
                            "\n"
                            "Asks questions about each FILE, once and N times again (default 15).\n";

static const struct asked {
    const char *row, *question, *parameters;
} questions[] = {
    { "ask:nodes by retained size", "nodes", "{\"sort\": \"retainedSize\", \"limit\": 200}" },
    { "ask:nodes by class", "nodes", "{\"sort\": \"className\", \"limit\": 200}" },
    { "ask:nodes chosen by size", "nodes", "{\"where\": \"selfSize > 100\", \"limit\": 200}" },
    { "ask:nodes chosen and sorted", "nodes",
      "{\"where\": \"retainedSize > 1KiB and coarseType == \\\"Object\\\"\", \"sort\": \"distance\", \"limit\": 200}" },
    { "ask:nodes, a page in the middle", "nodes", "{\"sort\": \"retainedSize\", \"limit\": 200, \"offset\": 100000}" },
    { "ask:census tree", "census", "{\"breakdown\": \"objectClass\", \"tree\": true}" },
    { "ask:dominators", "dominators", "{\"depth\": 3}" },
    { "ask:largest dominators", "dominators", "{\"limit\": 20}" },
    { "ask:statistics", "statistics", NULL },
    { "ask:search", "search", "{\"text\": \"Map\", \"limit\": 20}" },
};

#define N_QUESTIONS (sizeof questions / sizeof *questions)
#define MOST_REPEATS 1000

static bool bytes_count(void *payload, const void *data, size_t n_bytes) {
    (void)data;
    *(uint64_t *)payload += n_bytes;
    return true;
}

static ubi_status question_time(uint64_t *wall_ns, uint64_t *n_bytes, ubi_session *session, const struct asked *asked) {
    uint64_t start_ns = ubi__wall_ns();
    *n_bytes = 0;
    UBI_TRY(ubi_ask(session, asked->question, asked->parameters, bytes_count, n_bytes, NULL));
    *wall_ns = ubi__wall_ns() - start_ns;
    return UBI_OK;
}

static int compare_times(const void *left, const void *right) {
    const uint64_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

static ubi_status question_measure(const char *path, ubi_session *session, const struct asked *asked,
                                   unsigned repeats) {
    uint64_t first_ns, n_bytes, again_ns[MOST_REPEATS];
    UBI_TRY(question_time(&first_ns, &n_bytes, session, asked));
    for (unsigned i = 0; i < repeats; i++)
        UBI_TRY(question_time(&again_ns[i], &n_bytes, session, asked));
    qsort(again_ns, repeats, sizeof *again_ns, compare_times);
    ubi__row_begin(path, asked->row, 0, again_ns[repeats / 2]);
    ubi__row_u64("firstNs", first_ns);
    ubi__row_u64("answerBytes", n_bytes);
    return ubi__row_end();
}

/* What the questions share. */
static ubi_status parts_get(ubi_session *session) {
    ubi_session_use *use;
    const ubi_dominators *dominators;
    const uint32_t *distances;
    UBI_TRY(ubi_session_use_begin(&use, session, NULL));
    ubi_status status = ubi_session_dominators(&dominators, use, true);
    if (status == UBI_OK)
        status = ubi_session_distances(&distances, use);
    ubi_session_use_end(use);
    return status;
}

static ubi_status session_measure(const char *path, ubi_session *session, unsigned repeats) {
    UBI_TRY(parts_get(session));
    for (size_t i = 0; i < N_QUESTIONS; i++)
        UBI_TRY(question_measure(path, session, &questions[i], repeats));
    return UBI_OK;
}

static ubi_status measure(const char *path, unsigned repeats) {
    ubi_session_pool *pool;
    ubi_session *session;
    UBI_TRY(ubi_session_pool_new(&pool, NULL));
    ubi_status status = ubi_session_open_path(&session, pool, path, NULL);
    if (status == UBI_OK) {
        status = session_measure(path, session, repeats == 0 ? 1 : repeats < MOST_REPEATS ? repeats : MOST_REPEATS);
        ubi_session_unref(session);
    }
    ubi_session_pool_unref(pool);
    return status;
}

int main(int argc, char **argv) {
    static const struct option options[] = { UBI__BENCH_OPTIONS };
    static const ubi__bench bench = {
        .name = "ask_bench",
        .usage = usage,
        .repeats = 15,
        .options = options,
        .measure = measure,
    };
    return ubi__bench_main(&bench, argc, argv);
}
