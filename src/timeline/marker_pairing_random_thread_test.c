/* SPDX-License-Identifier: MIT
 *
 * marker_pairing_random_thread_test.c: pops give what a plain transcription of the algorithm gives, for any mix of kinds, and
 * so does the pairing of markers from elsewhere.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ubiheap/core/timeline.h>

#include "base/text.h"
#include "marker_lines.h"
#include "random_numbers.h"

/* ---- markers that are made up ------------------------------------------------------------------------------------ */

typedef enum how { PLAIN, KEYED, ASKING, LAYER, HOWS } how;

/* A marker, and the payload of one that is no plain one. */
typedef struct sample {
    const char *name;
    ubi_marker_tracing tracing;
    how how;
    unsigned number; /* keyed: which key; asking: what it asks with */
    unsigned thread;
    uint64_t time_ns;
} sample;

static const char *const keys[] = { "x", "y", "" };

static void *copy_sample(const void *payload) {
    sample *copy = malloc(sizeof *copy);
    memcpy(copy, payload, sizeof *copy);
    return copy;
}

static ubi_text key(const void *payload) {
    return ubi__text(keys[((const sample *)payload)->number % 3]);
}

/* No equivalence: not symmetric, not transitive. */
static bool asks(unsigned number, bool other_asks, unsigned other_number, uint64_t other_time_ns) {
    return other_asks ? (2 * number + other_number) % 3 != 0 : (number + other_time_ns) % 2 != 0;
}

static void details(const ubi_timeline_marker *marker, ubi_marker_details *out) {
    const sample *s = ubi_timeline_marker_payload(marker);
    ubi_marker_details_number(out, s->tracing == UBI_MARKER_END ? "end" : "start", s->number);
}

static bool equals(const ubi_timeline_marker *start, const ubi_timeline_marker *other);

static const ubi_marker_kind keyed_kind = {
    .version = UBI_MARKER_KIND_VERSION, .clone = copy_sample, .free = free, .key = key, .add_details = details
};
static const ubi_marker_kind asking_kind = {
    .version = UBI_MARKER_KIND_VERSION, .clone = copy_sample, .free = free, .equals = equals, .add_details = details
};

static bool equals(const ubi_timeline_marker *start, const ubi_timeline_marker *other) {
    const sample *m = ubi_timeline_marker_payload(start), *n = ubi_timeline_marker_payload(other);
    bool other_asks = ubi_timeline_marker_kind(other) == &asking_kind;
    assert_int_equal(ubi_timeline_marker_tracing(start), UBI_MARKER_START);
    assert_true(ubi__text_equal(ubi_timeline_marker_name(start), ubi_timeline_marker_name(other)));
    return asks(m->number, other_asks, other_asks ? n->number : 0, ubi_timeline_marker_time_ns(other));
}

static sample random_sample(unsigned n_threads) {
    static const char *const names[] = { "A", "B", "Paint", "Layer" };
    static const ubi_marker_tracing tracings[] = { UBI_MARKER_START, UBI_MARKER_START,     UBI_MARKER_END,
                                                   UBI_MARKER_END,   UBI_MARKER_TIMESTAMP, UBI_MARKER_HELPER_EVENT };
    sample s = { names[random_below(4)], tracings[random_below(6)], (how)random_below(LAYER),
                 random_below(5),        random_below(n_threads),   1 + random_below(1000) };
    if (random_below(6) == 0) {
        s.how = LAYER;
        s.name = "Layer";
        s.tracing = UBI_MARKER_HELPER_EVENT;
    }
    return s;
}

static ubi_timeline_rectangle rectangle_of(const sample *s) {
    return (ubi_timeline_rectangle){ (int32_t)s->number, 0, 1, 1 };
}

/* ---- the model: section 4 of the specification, word for word ---------------------------------------------------- */

#define MOST 400

typedef struct list {
    sample at[MOST];
    size_t n;
} list;

typedef struct text {
    char at[1 << 16];
    size_t n;
} text;

static __attribute__((format(printf, 2, 3))) void put(text *t, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(t->at + t->n, sizeof t->at - t->n, format, arguments);
    va_end(arguments);
    t->n += (size_t)n;
    assert_true(t->n < sizeof t->at);
}

static bool model_equals(const sample *m, const sample *n) {
    if (strcmp(m->name, n->name) != 0)
        return false;
    switch (m->how) {
    case KEYED:
        return n->how == KEYED && m->number % 3 == n->number % 3;
    case ASKING:
        return asks(m->number, n->how == ASKING, n->how == ASKING ? n->number : 0, n->time_ns);
    default:
        return true;
    }
}

static void put_details(text *t, const sample *s) {
    if (s->how == KEYED || s->how == ASKING)
        put(t, " %s=%u", s->tracing == UBI_MARKER_END ? "end" : "start", s->number);
}

static void put_row(text *out, const sample *m, const sample *n, const list *layers, bool saw_layer) {
    put(out, "%s %llu %llu", m->name, (unsigned long long)m->time_ns, (unsigned long long)n->time_ns);
    put_details(out, m);
    if (saw_layer)
        put(out, " rectangles=");
    for (size_t i = 0; i < layers->n; i++)
        put(out, "%s%u,0,1,1", i ? "/" : "", layers->at[i].number);
    if (n != m)
        put_details(out, n);
    put(out, "\n");
}

/* What becomes of a START at `i`. @return false: it has no END. */
static bool find_end(const list *all, size_t i, text *out) {
    static list layers;
    const sample *m = &all->at[i];
    bool is_paint = strcmp(m->name, "Paint") == 0, saw_layer = false;
    int depth = 0;
    layers.n = 0;
    for (size_t j = i + 1; j < all->n; j++) {
        const sample *n = &all->at[j];
        if (is_paint && strcmp(n->name, "Layer") == 0) {
            saw_layer = true;
            if (n->how == LAYER)
                layers.at[layers.n++] = *n;
        }
        if (!model_equals(m, n))
            continue;
        if (n->tracing == UBI_MARKER_START) {
            depth++;
        } else if (n->tracing == UBI_MARKER_END) {
            if (depth-- > 0)
                continue;
            if (!is_paint || saw_layer)
                put_row(out, m, n, &layers, saw_layer);
            return true;
        }
    }
    return false;
}

/* Pops: `all` keeps what waits. */
static void model_pop(list *all, text *out) {
    static const list no_layers;
    static list kept;
    kept.n = 0;
    out->n = 0;
    out->at[0] = 0;
    for (size_t i = 0; i < all->n; i++) {
        const sample *m = &all->at[i];
        if (m->tracing == UBI_MARKER_TIMESTAMP)
            put_row(out, m, m, &no_layers, false);
        else if (m->tracing == UBI_MARKER_START && !find_end(all, i, out))
            kept.at[kept.n++] = *m;
    }
    *all = kept;
}

/* ---- pops -------------------------------------------------------------------------------------------------------- */

static ubi_timeline_marker *marker_of(const sample *s) {
    ubi_timeline_rectangle r = rectangle_of(s);
    ubi_marker_make make = { .name = s->name, .tracing = s->tracing, .time_ns = s->time_ns, .has_time = true };
    if (s->how == LAYER)
        return ubi_layer_timeline_marker_new(&r, 1);
    if (s->how == KEYED)
        make.kind = &keyed_kind;
    if (s->how == ASKING)
        make.kind = &asking_kind;
    if (make.kind)
        make.payload = copy_sample(s);
    return ubi_timeline_marker_new(&make);
}

typedef struct batch {
    const sample *at;
    size_t n;
} batch;

/* Markers of another thread, for all that is observed. */
static void *post_batch(void *payload) {
    const batch *b = payload;
    ubi_timeline_consumers *consumers = ubi_timeline_consumers_get();
    for (size_t i = 0; i < b->n; i++) {
        ubi_timeline_marker *marker = marker_of(&b->at[i]);
        if (b->at[i].how == LAYER) {
            ubi_timeline_marker_free(marker); /* its kind cannot be cloned */
        } else {
            ubi_timeline_consumers_add_existing_marker_for_all_observed_targets(consumers, marker);
            ubi_timeline_marker_free(marker);
        }
    }
    return NULL;
}

static void post_off_main(list *all, size_t n) {
    sample made[40];
    pthread_t thread;
    for (size_t i = 0; i < n; i++) {
        do
            made[i] = random_sample(1);
        while (made[i].how == LAYER);
        all->at[all->n++] = made[i];
    }
    batch b = { made, n };
    assert_int_equal(pthread_create(&thread, NULL, post_batch, &b), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void post_main(ubi_timeline_target *target, list *all, size_t n) {
    for (size_t i = 0; i < n; i++) {
        sample s = random_sample(1);
        all->at[all->n++] = s;
        ubi_timeline_consumers_add_existing_marker_for_target(ubi_timeline_consumers_get(), target, marker_of(&s));
    }
}

static void pops_are_those_of_the_model(void **state) {
    static list all;
    static text expected;
    (void)state;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        ubi_timeline_target *target = observed_target();
        random_start(seed);
        all.n = 0;
        for (int pop = 0; pop < 5 && all.n < MOST - 100; pop++) {
            post_main(target, &all, random_below(40));
            for (uint32_t threads = random_below(3); threads > 0; threads--)
                post_off_main(&all, random_below(20));
            model_pop(&all, &expected);
            assert_string_equal(pop_lines(target), expected.at);
        }
        ubi_timeline_target_free(target);
    }
}

/* ---- markers from elsewhere -------------------------------------------------------------------------------------- */

static void feed(ubi_marker_pairing *p, const uint32_t *threads, const sample *s) {
    ubi_timeline_rectangle r = rectangle_of(s);
    ubi_timeline_detail detail = { .key = ubi__text(s->tracing == UBI_MARKER_END ? "end" : "start"),
                                   .type = UBI_MARKER_NUMBER,
                                   .number = s->number };
    ubi_raw_marker raw = {
        .thread = threads[s->thread], .stack = UBI_NONE, .tracing = s->tracing, .time_ns = s->time_ns
    };
    assert_int_equal(ubi_marker_pairing_name(&raw.name, p, ubi__text(s->name)), UBI_OK);
    if (s->how == LAYER)
        detail = (ubi_timeline_detail){
            .key = ubi__text("rectangles"), .type = UBI_MARKER_RECTANGLES, .rectangles = &r, .rectangle_count = 1
        };
    if (s->how == KEYED)
        raw.key = key(s);
    if (s->how != PLAIN) {
        raw.details = &detail;
        raw.detail_count = 1;
    }
    assert_int_equal(ubi_marker_pairing_add(p, &raw), UBI_OK);
}

static void give_threads(ubi_marker_pairing *p, uint32_t *threads, unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        ubi_timeline_thread thread = { .id = i, .name = ubi__text("t") };
        assert_int_equal(ubi_marker_pairing_thread(&threads[i], p, &thread), UBI_OK);
    }
}

static void pairing_alone_is_that_of_the_model(void **state) {
    static list all;
    static text expected;
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        ubi_marker_pairing *p;
        uint32_t threads[1];
        assert_int_equal(ubi_marker_pairing_new(&p, NULL), UBI_OK);
        random_start(seed);
        all.n = 0;
        for (int pop = 0; pop < 4; pop++) {
            give_threads(p, threads, 1);
            for (uint32_t n = random_below(60); n > 0 && all.n < MOST; n--) {
                sample s = random_sample(1);
                if (s.how == ASKING)
                    s.how = PLAIN;
                all.at[all.n++] = s;
                feed(p, threads, &s);
            }
            ubi_timeline_markers *markers;
            assert_int_equal(ubi_marker_pairing_finish(&markers, p, false), UBI_OK);
            model_pop(&all, &expected);
            assert_string_equal(marker_lines(markers, false), expected.at);
            ubi_timeline_markers_free(markers);
        }
        ubi_marker_pairing_free(p);
    }
}

/* Rows of one thread. */
static void put_rows_of(text *out, const ubi_timeline_markers *m, uint32_t thread) {
    out->n = 0;
    out->at[0] = 0;
    for (size_t i = 0; i < ubi_timeline_markers_count(m); i++) {
        ubi_timeline_row row = ubi_timeline_markers_row(m, i);
        if (row.thread == thread)
            put(out, "%s %llu %llu\n", row.name.ptr, (unsigned long long)row.start_ns, (unsigned long long)row.end_ns);
    }
}

/* With is_per_thread, each thread is by itself, and Paint is a name as any other. */
static void pairing_per_thread_is_that_of_each_thread_alone(void **state) {
    enum { THREADS = 3 };
    static list of_thread[THREADS];
    static text expected, got;
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        ubi_marker_pairing *p;
        uint32_t threads[THREADS];
        ubi_marker_pairing_options options = UBI_MARKER_PAIRING_OPTIONS_INIT;
        options.is_per_thread = true;
        assert_int_equal(ubi_marker_pairing_new(&p, &options), UBI_OK);
        give_threads(p, threads, THREADS);
        random_start(seed);
        for (int i = 0; i < THREADS; i++)
            of_thread[i].n = 0;
        for (int n = 0; n < 90; n++) {
            sample s = random_sample(THREADS);
            s.how = PLAIN;
            feed(p, threads, &s);
            if (strcmp(s.name, "Paint") == 0)
                s.name = "C"; /* for the model, which has it in a way of its own */
            of_thread[s.thread].at[of_thread[s.thread].n++] = s;
        }
        ubi_timeline_markers *markers;
        assert_int_equal(ubi_marker_pairing_finish(&markers, p, false), UBI_OK);
        for (uint32_t i = 0; i < THREADS; i++) {
            model_pop(&of_thread[i], &expected);
            for (char *c = expected.at; (c = strstr(c, "C ")) != NULL;) { /* back to its name, which is longer */
                size_t rest = strlen(c) + 1;
                memmove(c + 4, c, rest);
                memcpy(c, "Paint", 5);
                c += 5;
            }
            put_rows_of(&got, markers, i);
            assert_string_equal(got.at, expected.at);
        }
        ubi_timeline_markers_free(markers);
        ubi_marker_pairing_free(p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pops_are_those_of_the_model),
        cmocka_unit_test(pairing_alone_is_that_of_the_model),
        cmocka_unit_test(pairing_per_thread_is_that_of_each_thread_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
