/* SPDX-License-Identifier: MIT
 *
 * limit_bench.c: whether sessions keep the memory limit of their pool, with heaps that are large beside it.
 *
 * All questions are asked about each file: without a limit that matters, then with shares of what that took as the limit, by one
 * caller, and by two at once, of which the second begins with the last question. wallNs is what all of it took; limitBytes the limit (0:
 * none), heldBytes the most that the pool held, residentBytes the most memory of the process meanwhile above what it had before. A
 * question is answered or refused for lack of memory.
 *
 * {"file":"x.fxsnapshot","row":"limit:two callers","threads":0,"wallNs":9000000,"limitBytes":900,"heldBytes":950,"residentBytes":960,
 *  "answered":40,"refused":0}
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include <ubiheap/extension/ask.h>

#include "base/status.h"
#include "bench_program.h"

static const char usage[] = "usage: limit_bench [--repeats N] FILE...\n"
                            "\n"
                            "Asks all questions about each FILE with little memory, N times each (default 1).\n";

/* `%` stands for the id of a node. */
static const struct asked {
    const char *question, *parameters;
} questions[] = {
    { "report", NULL },
    { "info", NULL },
    { "statistics", NULL },
    { "summary", NULL },
    { "summary", "{\"where\": \"selfSize > 100\"}" },
    { "census", NULL },
    { "census", "{\"breakdown\": \"objectClass\", \"tree\": true}" },
    { "treemap", NULL },
    { "treemap", "{\"by\": \"retained\"}" },
    { "dominators", "{\"depth\": 3}" },
    { "dominators", "{\"limit\": 20}" },
    { "retainers", "{\"node\": %}" },
    { "paths", "{\"nodes\": [%]}" },
    { "containment", "{\"depth\": 2, \"rows\": 50}" },
    { "show", "{\"node\": %}" },
    { "search", "{\"text\": \"Map\", \"limit\": 20}" },
    { "nodes", "{\"sort\": \"-retainedSize\", \"limit\": 200}" },
    { "nodes", "{\"where\": \"selfSize > 100\", \"sort\": \"className\", \"limit\": 200}" },
    { "strings", "{\"limit\": 20}" },
    { "strings", "{\"duplicates\": true, \"limit\": 20}" },
    { "allocations", NULL },
};

#define N_QUESTIONS (sizeof questions / sizeof *questions)

/* ---- one caller ------------------------------------------------------------------------------------------------------ */

typedef struct caller {
    ubi_session *session;
    uint64_t node_id;
    bool is_reversed;
    uint32_t n_answered, n_refused;
    ubi_status status; /* of the first question that failed otherwise */
    pthread_t thread;
} caller;

static bool answer_drop(void *payload, const void *data, size_t n_bytes) {
    (void)payload, (void)data, (void)n_bytes;
    return true;
}

static const char *parameters_fill(char *out, size_t n_bytes, const char *parameters, uint64_t node_id) {
    size_t n = 0;
    if (!parameters)
        return NULL;
    for (; *parameters && n + 24 < n_bytes; parameters++)
        if (*parameters == '%')
            n += (size_t)snprintf(out + n, n_bytes - n, "%" PRIu64, node_id);
        else
            out[n++] = *parameters;
    out[n] = '\0';
    return out;
}

static void question_ask(caller *c, const struct asked *asked) {
    char parameters[200];
    ubi_status status =
        ubi_ask(c->session, asked->question,
                parameters_fill(parameters, sizeof parameters, asked->parameters, c->node_id), answer_drop, NULL, NULL);
    if (status == UBI_OK)
        c->n_answered++;
    else if (status == UBI_ENOMEM)
        c->n_refused++;
    else if (c->status == UBI_OK) {
        fprintf(stderr, "limit_bench: %s: %s\n", asked->question, ubi_error_message());
        c->status = status;
    }
}

static void *questions_ask(void *payload) {
    caller *c = payload;
    for (size_t i = 0; i < N_QUESTIONS; i++)
        question_ask(c, &questions[c->is_reversed ? N_QUESTIONS - 1 - i : i]);
    return NULL;
}

/* ---- all of them ----------------------------------------------------------------------------------------------------- */

/* Something that is not the root: the last that it leads to. */
static ubi_status node_choose(uint64_t *out, ubi_session *session) {
    ubi_session_use *use;
    ubi_graph *graph;
    UBI_TRY(ubi_session_use_begin(&use, session, NULL));
    ubi_status status = ubi_session_graph(&graph, use);
    if (status == UBI_OK) {
        ubi_edge_ix end = ubi_graph_first_edge(graph, ubi_graph_root(graph) + 1);
        *out = ubi_graph_node_id(graph, ubi_graph_edge_target(graph, end - 1));
    }
    ubi_session_use_end(use);
    return status;
}

static ubi_status callers_run(caller callers[2], unsigned n_callers) {
    UBI_TRY(node_choose(&callers[0].node_id, callers[0].session));
    callers[1].node_id = callers[0].node_id;
    bool has_thread = n_callers == 2 && pthread_create(&callers[1].thread, NULL, questions_ask, &callers[1]) == 0;
    questions_ask(&callers[0]);
    if (has_thread)
        pthread_join(callers[1].thread, NULL);
    if (n_callers == 2 && !has_thread)
        return ubi__fail(UBI_ENOMEM, "no second thread");
    return callers[0].status != UBI_OK ? callers[0].status : callers[1].status;
}

/* @param limit_bytes  0: none that matters. @param held_bytes  or NULL: gets the most that the pool held. */
static ubi_status session_measure(uint64_t *held_bytes, const char *path, ubi_session_pool *pool, uint64_t limit_bytes,
                                  unsigned n_callers) {
    static const char *const rows[] = { "limit:one caller", "limit:two callers" };
    caller callers[2] = { { .is_reversed = false }, { .is_reversed = true } };
    ubi_session *session = NULL;
    (void)ubi__peak_rss_reset();
    uint64_t before_bytes = ubi__status_bytes("VmRSS:"), started_ns = ubi__wall_ns();
    ubi_status status = ubi_session_open_path(&session, pool, path, NULL);
    if (status == UBI_ENOMEM) /* the heap alone is too large */
        callers[0].n_refused = (uint32_t)(N_QUESTIONS * n_callers);
    if (status == UBI_OK) {
        callers[0].session = callers[1].session = session;
        status = callers_run(callers, n_callers);
    }
    uint64_t wall_ns = ubi__wall_ns() - started_ns, peak_bytes = ubi__status_bytes("VmHWM:");
    ubi_session_unref(session);
    if (status != UBI_ENOMEM)
        UBI_TRY(status);
    if (held_bytes)
        *held_bytes = ubi_session_pool_peak_bytes(pool);
    ubi__row_begin(path, rows[n_callers - 1], 0, wall_ns);
    ubi__row_u64("limitBytes", limit_bytes);
    ubi__row_u64("heldBytes", ubi_session_pool_peak_bytes(pool));
    ubi__row_u64("residentBytes", peak_bytes > before_bytes ? peak_bytes - before_bytes : 0);
    ubi__row_u64("answered", callers[0].n_answered + callers[1].n_answered);
    ubi__row_u64("refused", callers[0].n_refused + callers[1].n_refused);
    return ubi__row_end();
}

static ubi_status limit_measure(uint64_t *held_bytes, const char *path, uint64_t limit_bytes, unsigned n_callers) {
    ubi_session_pool_options options = UBI_SESSION_POOL_OPTIONS_INIT;
    ubi_session_pool *pool;
    options.limit_bytes = limit_bytes ? limit_bytes : UINT64_MAX / 2;
    UBI_TRY(ubi_session_pool_new(&pool, &options));
    ubi_status status = session_measure(held_bytes, path, pool, limit_bytes, n_callers);
    ubi_session_pool_unref(pool);
    return status;
}

/* Of 100, of what all of it takes. */
static const unsigned shares[] = { 95, 85, 60 };

static ubi_status measure(const char *path, unsigned repeats) {
    uint64_t all_bytes;
    for (unsigned i = 0; i < repeats; i++) {
        UBI_TRY(limit_measure(&all_bytes, path, 0, 1));
        for (size_t k = 0; k < sizeof shares / sizeof *shares; k++)
            for (unsigned n_callers = 1; n_callers <= 2; n_callers++)
                UBI_TRY(limit_measure(NULL, path, all_bytes / 100 * shares[k], n_callers));
    }
    return UBI_OK;
}

int main(int argc, char **argv) {
    static const struct option options[] = { UBI__BENCH_OPTIONS };
    static const ubi__bench bench = {
        .name = "limit_bench",
        .usage = usage,
        .repeats = 1,
        .options = options,
        .measure = measure,
    };
    return ubi__bench_main(&bench, argc, argv);
}
