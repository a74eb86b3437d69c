/* SPDX-License-Identifier: MIT
 *
 * large_recording_bench.c: makes large recordings for benchmarks, of a program that never was.
 *
 *     large_recording_bench FILE ALLOCATIONS [wide]
 *
 * Four threads allocate by 4,096 stacks (100,000 infos) and free most of it soon, as programs do: 1 to 3 bytes for an allocation or a
 * free. With `wide`, infos are 2^20, blocks live long (a million of them at a time) and each event has a time of its own: 5 bytes or
 * more for each.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "recording/ubirec_writer.h"

#define THREADS 4
#define FRAMES 1024
#define STACKS 4096
#define INFOS 100000
#define WIDE_INFOS (1u << 20)
#define LIVE 20000
#define WIDE_LIVE (1u << 20)
#define EVENTS_PER_TIME 64
#define EVENTS_PER_SWITCH 50
#define STEP_NS UINT64_C(20000)
#define WIDE_STEPS_NS UINT64_C(4096) /* times of which nothing can be foreseen */

static void must(ubi_status status) {
    if (status == UBI_OK)
        return;
    fprintf(stderr, "large_recording_bench: %s\n", ubi_error_message());
    exit(1);
}

typedef struct maker {
    FILE *file;
    uint64_t n_bytes, state, now_ns, n_events;
    ubi__ubirec_writer *w;
    bool is_wide;
    uint32_t n_infos, n_live;
    uint64_t *live; /* live[n_live]: numbers + 1; 0: none yet */
    uint32_t stacks[STACKS];
    uint32_t infos[WIDE_INFOS]; /* equal ones are one */
} maker;

static uint64_t next_random(maker *m) {
    m->state ^= m->state << 13;
    m->state ^= m->state >> 7;
    m->state ^= m->state << 17;
    return m->state;
}

static ubi_status write_file(void *payload, const void *data, size_t n) {
    maker *m = payload;
    m->n_bytes += n;
    return fwrite(data, 1, n, m->file) == n ? UBI_OK : UBI_EIO;
}

/* Some size classes are asked for more often than others. */
static uint64_t size_of(maker *m) {
    return (uint64_t)16 << (next_random(m) % 8) | next_random(m) % 16;
}

static void tables_make(maker *m) {
    const ubi__ubirec_about about = { .program = ubi__text("/opt/demo/large"),
                                      .arguments = ubi__text("/opt/demo/large"),
                                      .pid = 1,
                                      .period_bytes = 1,
                                      .page_bytes = 4096,
                                      .writer = ubi__text("ubiheap"),
                                      .system = ubi__text("") };
    uint32_t kind, frame[FRAMES], number;
    char name[32];
    must(ubi__ubirec_write_about(m->w, &about));
    must(ubi__ubirec_kind(m->w, &kind, ubi__text("malloc"), UBI__UBIREC_HEAP));
    for (uint32_t i = 0; i < FRAMES; i++) {
        snprintf(name, sizeof name, "function_%" PRIu32, i);
        must(ubi__ubirec_label_frame(m->w, &frame[i], ubi__text(name)));
    }
    for (uint32_t i = 0; i < STACKS; i++)
        must(ubi__ubirec_trace(m->w, &m->stacks[i], i ? m->stacks[next_random(m) % i] : UBI__UBIREC_NO_TRACE,
                               frame[next_random(m) % FRAMES]));
    for (uint32_t i = 0; i < m->n_infos; i++) {
        uint64_t size = m->is_wide ? i : size_of(m);
        must(ubi__ubirec_info(m->w, &m->infos[i], kind, size, m->stacks[next_random(m) % STACKS], size));
    }
    for (uint32_t i = 0; i < THREADS; i++)
        must(ubi__ubirec_thread(m->w, &number, 100 + i, ubi__text("worker")));
}

/* Time passes, and threads take turns. */
static void event_begin(maker *m) {
    if (m->is_wide)
        must(ubi__ubirec_write_time(m->w, m->now_ns += 1 + next_random(m) % WIDE_STEPS_NS));
    else if (m->n_events % EVENTS_PER_TIME == 0)
        must(ubi__ubirec_write_time(m->w, m->now_ns += STEP_NS));
    if (m->n_events % EVENTS_PER_SWITCH == 0)
        must(ubi__ubirec_write_thread(m->w, (uint32_t)(next_random(m) % THREADS)));
    m->n_events++;
}

static void events_make(maker *m, uint64_t n) {
    for (uint64_t i = 0; i < n; i++) {
        uint64_t *slot = &m->live[next_random(m) % m->n_live], number;
        event_begin(m);
        must(ubi__ubirec_write_alloc(m->w, &number, m->infos[next_random(m) % m->n_infos]));
        if (*slot) {
            event_begin(m);
            must(ubi__ubirec_write_free(m->w, *slot - 1));
        }
        *slot = number + 1;
    }
}

int main(int argc, char **argv) {
    static maker m = { .state = 88172645463325252u };
    if (argc < 3 || argc > 4) {
        fputs("usage: large_recording_bench FILE ALLOCATIONS [wide]\n", stderr);
        return 2;
    }
    m.is_wide = argc == 4 && strcmp(argv[3], "wide") == 0;
    m.n_infos = m.is_wide ? WIDE_INFOS : INFOS;
    m.n_live = m.is_wide ? WIDE_LIVE : LIVE;
    m.live = calloc(m.n_live, sizeof *m.live);
    m.file = fopen(argv[1], "wb");
    if (!m.live || !m.file) {
        perror(argv[1]);
        return 1;
    }
    const ubi__ubirec_end end = { UBI__UBIREC_EXITED, 0 };
    must(ubi__ubirec_writer_new(&m.w, write_file, &m, NULL));
    tables_make(&m);
    events_make(&m, strtoull(argv[2], NULL, 10));
    must(ubi__ubirec_write_end(m.w, &end));
    must(ubi__ubirec_finish(m.w));
    ubi__ubirec_writer_free(m.w);
    free(m.live);
    printf("%" PRIu64 " events, %" PRIu64 " bytes, %.2f bytes each\n", m.n_events, m.n_bytes,
           (double)m.n_bytes / (double)m.n_events);
    return fclose(m.file) == 0 ? 0 : 1;
}
