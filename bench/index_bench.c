/* SPDX-License-Identifier: MIT
 *
 * index_bench.c: what an index costs when it is made, and what it saves when a heap or a recording is opened again.
 *
 * A row per step, for bench/report.py: parts computed, index written, parts mapped (each with the time of all threads, cpuNs), and a
 * question that was never asked before, on a session that has just been opened. indexBytes is the size of the file, residentBytes what
 * of it is in memory after the step. The median of the repeats.
 *
 * {"file":"x.heapsnapshot","row":"index:mapped","threads":0,"wallNs":90000000,"cpuNs":180000000,"indexBytes":999,"residentBytes":999}
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <ubiheap/extension/ask.h>

#include "base/status.h"
#include "base/text.h"
#include "bench_program.h"

static const char usage[] = "usage: index_bench [--repeats N] FILE...\n"
                            "\n"
                            "Opens each FILE N times (default 5) without an index, making one, and with it.\n";

#define MOST_REPEATS 100

typedef struct step {
    uint64_t wall_ns, cpu_ns;
} step;

static char folder[] = "/tmp/ubiheap-index-bench-XXXXXX";

static ubi_status session_open(ubi_session **out, ubi_session_pool *pool, const char *path, ubi_session_index index) {
    ubi_session_options options = UBI_SESSION_OPTIONS_INIT;
    options.index = index;
    options.cache_folder = folder;
    return ubi_session_open_path(out, pool, path, &options);
}

/* All that an index holds. A recording was read when it was opened. */
static ubi_status parts_get(ubi_session_use *use) {
    const ubi_dominators *dominators;
    const uint32_t *distances;
    if (ubi_session_kind_of(ubi_session_use_session(use)) == UBI_SESSION_RECORDING)
        return UBI_OK;
    UBI_TRY(ubi_session_dominators(&dominators, use, true));
    return ubi_session_distances(&distances, use);
}

static bool bytes_drop(void *payload, const void *data, size_t n_bytes) {
    (void)data;
    *(uint64_t *)payload += n_bytes;
    return true;
}

/** What is done with a session that was just opened. */
typedef ubi_status session_step(ubi_session *session, ubi_session_use *use);

static ubi_status parts_compute(ubi_session *session, ubi_session_use *use) {
    (void)session;
    return parts_get(use);
}

static ubi_status parts_compute_and_write(ubi_session *session, ubi_session_use *use) {
    (void)session;
    UBI_TRY(parts_get(use));
    return ubi_session_write_index(use);
}

static ubi_status ask_nodes(ubi_session *session, ubi_session_use *use) {
    uint64_t n_bytes = 0;
    (void)use;
    return ubi_ask(session, "nodes", "{\"where\": \"selfSize > 100 and retainedSize > 1KiB\", \"limit\": 200}",
                   bytes_drop, &n_bytes, NULL);
}

static ubi_status ask_report(ubi_session *session, ubi_session_use *use) {
    uint64_t n_bytes = 0;
    (void)use;
    return ubi_ask(session, "report", NULL, bytes_drop, &n_bytes, NULL);
}

static ubi_status step_time(step *out, ubi_session_index_info *info, const char *path, ubi_session_index index,
                            session_step *run) {
    ubi_session_pool *pool;
    ubi_session *session = NULL;
    ubi_session_use *use = NULL;
    uint64_t wall_ns = ubi__wall_ns(), cpu_ns = ubi__cpu_ns();
    UBI_TRY(ubi_session_pool_new(&pool, NULL));
    ubi_status status = session_open(&session, pool, path, index);
    if (status == UBI_OK)
        status = ubi_session_use_begin(&use, session, NULL);
    if (status == UBI_OK)
        status = run(session, use);
    *out = (step){ ubi__wall_ns() - wall_ns, ubi__cpu_ns() - cpu_ns };
    if (status == UBI_OK)
        status = ubi_session_index_about(info, use);
    ubi_session_use_end(use);
    ubi_session_unref(session);
    ubi_session_pool_unref(pool);
    return status;
}

static int compare_steps(const void *left, const void *right) {
    const step *a = left, *b = right;
    return a->wall_ns < b->wall_ns ? -1 : a->wall_ns > b->wall_ns;
}

/* Nothing may be there when an index is to be written. */
static void folder_empty(void) {
    char command[sizeof folder + 32];
    snprintf(command, sizeof command, "rm -f %s/*", folder);
    if (system(command) != 0)
        fprintf(stderr, "index_bench: %s cannot be emptied\n", folder);
}

static ubi_status step_measure(const char *path, const char *row, ubi_session_index index, session_step *run,
                               unsigned repeats) {
    step steps[MOST_REPEATS];
    ubi_session_index_info info = UBI_SESSION_INDEX_INFO_INIT;
    for (unsigned i = 0; i < repeats; i++) {
        if (run == parts_compute_and_write)
            folder_empty();
        UBI_TRY(step_time(&steps[i], &info, path, index, run));
    }
    qsort(steps, repeats, sizeof *steps, compare_steps);
    ubi__row_begin(path, row, 0, steps[repeats / 2].wall_ns);
    ubi__row_u64("cpuNs", steps[repeats / 2].cpu_ns);
    ubi__row_u64("leastNs", steps[0].wall_ns);
    ubi__row_u64("indexBytes", info.size_bytes);
    ubi__row_u64("residentBytes", info.resident_bytes);
    return ubi__row_end();
}

static ubi_status measure(const char *path, unsigned repeats) {
    unsigned n = repeats == 0 ? 1 : repeats < MOST_REPEATS ? repeats : MOST_REPEATS;
    UBI_TRY(step_measure(path, "index:computed", UBI_SESSION_INDEX_NONE, parts_compute, n));
    UBI_TRY(step_measure(path, "index:computed and written", UBI_SESSION_INDEX_CACHE, parts_compute_and_write, n));
    UBI_TRY(step_measure(path, "index:mapped", UBI_SESSION_INDEX_CACHE, parts_compute, n));
    if (ubi__text_ends(ubi__text(path), ".ubirec"))
        UBI_TRY(step_measure(path, "index:report, without", UBI_SESSION_INDEX_NONE, ask_report, n));
    else
        UBI_TRY(step_measure(path, "index:nodes chosen", UBI_SESSION_INDEX_CACHE, ask_nodes, n));
    return step_measure(path, "index:report", UBI_SESSION_INDEX_CACHE, ask_report, n);
}

int main(int argc, char **argv) {
    static const struct option options[] = { UBI__BENCH_OPTIONS };
    static const ubi__bench bench = {
        .name = "index_bench",
        .usage = usage,
        .repeats = 5,
        .options = options,
        .measure = measure,
    };
    if (!mkdtemp(folder)) {
        perror("index_bench");
        return 3;
    }
    int status = ubi__bench_main(&bench, argc, argv);
    folder_empty();
    rmdir(folder);
    return status;
}
