/* SPDX-License-Identifier: MIT
 *
 * recording_sites_test.c: where memory is asked for: after which frames, under which names, in which order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "recording/known_frames.h"
#include "recording/known_pools.h"
#include "recording/recording_sites.h"
#include "small_recording.h"

/* ---- sites -------------------------------------------------------------------------------------------------------- */

static void name_frames(recording *r, const char *const *names, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint32_t frame;
        must(ubi__ubirec_label_frame(r->w, &frame, ubi__text(names[i])));
        ubi__ubirec_symbol symbol = { .function = ubi__text(names[i]), .file = ubi__text("") };
        must(ubi__ubirec_write_symbols(r->w, frame, &symbol, 1));
    }
}

static ubi_text site_name(const ubi__sites *sites, size_t i) {
    const ubi__ubirec_tables *t = &sites->summary->tables;
    return ubi__ubirec_string_at(t, t->frames.at[sites->rows.at[i].frame].of);
}

static void sites_begin_behind_allocators(void **state) {
    static const char *const names[] = { "main", "work", "xmalloc", "malloc", "play" };
    recording r;
    ubi__recording_summary s;
    ubi__sites sites;
    (void)state;
    open_recording(&r, 1, 1);
    name_frames(&r, names, sizeof names / sizeof *names);
    allocate(&r, r.heap, 10, stack(&r, "main work xmalloc malloc"));
    uint32_t heavy = stack(&r, "main play work malloc");
    allocate(&r, r.heap, 30, heavy);
    allocate(&r, r.heap, 5, stack(&r, "main play"));
    allocate(&r, r.heap, 7, stack(&r, "xmalloc malloc")); /* something must be left */
    allocate(&r, r.mapping, 100, stack(&r, "main work"));
    allocate(&r, r.heap, 1, UBI__UBIREC_NO_TRACE);
    close_recording(&r, &s);
    must(ubi__sites_init(&sites, &s, true, NULL));
    must(ubi__sites_sort(&sites, UBI__BY_TOTAL));
    assert_int_equal(sites.rows.n, 5);
    assert_int_equal(sites.rows.at[0].of_class, UBI__UBIREC_MAPPING);
    assert_true(ubi__text_is(site_name(&sites, 1), "work"));
    assert_true(sites.rows.at[1].by[UBI__MEASURE_TOTAL].bytes == 40);
    assert_int_equal(sites.rows.at[1].n_stacks, 2);
    assert_int_equal(sites.top[heavy], sites.rows.at[1].heavy);
    assert_true(ubi__text_is(site_name(&sites, 2), "xmalloc"));
    assert_true(ubi__text_is(site_name(&sites, 3), "play"));
    assert_int_equal(sites.rows.at[4].frame, UBI_NONE);
    assert_int_equal(sites.rows.at[4].heavy, UBI__UBIREC_NO_TRACE);
    ubi__sites_fini(&sites);
    ubi__recording_summary_fini(&s);
}

/* ---- what allocators call ------------------------------------------------------------------------------------------ */

static void all_that_an_allocator_calls_is_its_own_but_not_what_a_container_calls(void **state) {
    static const char *const names[] = { "main", "work", "my_malloc2", "std::for_each<int>(int)", "hidden" };
    recording r;
    ubi__recording_summary s;
    ubi__sites sites;
    (void)state;
    open_recording(&r, 1, 1);
    name_frames(&r, names, sizeof names / sizeof *names);
    uint32_t deep = stack(&r, "main work my_malloc2 hidden hidden");
    allocate(&r, r.heap, 10, deep);
    allocate(&r, r.heap, 5, stack(&r, "main std::for_each<int>(int) hidden"));
    close_recording(&r, &s);
    must(ubi__sites_init(&sites, &s, true, NULL));
    must(ubi__sites_sort(&sites, UBI__BY_TOTAL));
    assert_int_equal(sites.rows.n, 2);
    assert_true(ubi__text_is(site_name(&sites, 0), "work"));
    assert_int_equal(sites.rows.at[0].inner, deep);
    assert_true(ubi__text_is(site_name(&sites, 1), "hidden"));
    assert_int_equal(sites.rows.at[1].inner, sites.rows.at[1].heavy);
    ubi__sites_fini(&sites);
    ubi__recording_summary_fini(&s);
}

static void what_has_the_same_words_is_one_site(void **state) {
    static const uint32_t lines[] = { 0, 0, 7, 7, 8 };
    recording r;
    ubi__recording_summary s;
    ubi__sites sites;
    (void)state;
    open_recording(&r, 1, 1);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        uint32_t frame, trace;
        ubi__ubirec_symbol symbol = { .function = ubi__text("f"), .file = ubi__text("f.c"), .line = lines[i] };
        must(ubi__ubirec_raw_frame(r.w, &frame, 0x1000 + i));
        must(ubi__ubirec_write_symbols(r.w, frame, &symbol, 1));
        must(ubi__ubirec_trace(r.w, &trace, UBI__UBIREC_NO_TRACE, frame));
        allocate(&r, r.heap, (uint64_t)1 << i, trace);
        allocate(&r, r.mapping, 1, trace); /* another class is another site */
    }
    close_recording(&r, &s);
    must(ubi__sites_init(&sites, &s, true, NULL));
    must(ubi__sites_sort(&sites, UBI__BY_TOTAL));
    assert_int_equal(sites.rows.n, 6);
    assert_true(sites.rows.at[0].by[UBI__MEASURE_TOTAL].bytes == 16);
    assert_true(sites.rows.at[1].by[UBI__MEASURE_TOTAL].bytes == 4 + 8);
    assert_true(sites.rows.at[2].by[UBI__MEASURE_TOTAL].bytes == 1 + 2);
    assert_int_equal(sites.rows.at[2].n_stacks, 2);
    assert_int_equal(s.tables.traces.at[sites.rows.at[2].heavy].frame, 1);
    assert_int_equal(sites.rows.at[3].of_class, UBI__UBIREC_MAPPING);
    ubi__sites_fini(&sites);
    ubi__recording_summary_fini(&s);
}

/* ---- wrappers ----------------------------------------------------------------------------------------------------- */

/* Some callers that ask a function for memory, in some sizes, and bytes that are asked for elsewhere, alone and once. */
typedef struct use {
    const char *chain; /* from the caller on, inwards */
    unsigned n_callers, n_sizes;
    uint64_t other_bytes;
    bool is_seen; /* whether wrappers are looked for */
} use;

/* How often the use's function, or the innermost one, is a site; and in *n_sites, how many sites there are. */
static uint32_t sites_of_use(const use *u, const char *name, uint32_t *n_sites) {
    recording r;
    ubi__recording_summary s;
    ubi__sites sites;
    uint32_t n = 0;
    char labels[128];
    open_recording(&r, 1, 1);
    for (unsigned i = 0; i < 24; i++) {
        snprintf(labels, sizeof labels, "main caller%u %s", i % u->n_callers, u->chain);
        allocate(&r, r.heap, 100 + i % u->n_sizes, stack(&r, labels));
    }
    for (unsigned i = 0; u->other_bytes && i < 300; i++)
        allocate(&r, r.heap, u->other_bytes, stack(&r, "main other"));
    close_recording(&r, &s);
    must(ubi__sites_init(&sites, &s, u->is_seen, NULL));
    must(ubi__sites_sort(&sites, UBI__BY_TOTAL));
    for (size_t i = 0; i < sites.rows.n; i++)
        n += ubi__text_is(site_name(&sites, i), name);
    *n_sites = (uint32_t)sites.rows.n;
    ubi__sites_fini(&sites);
    ubi__recording_summary_fini(&s);
    return n;
}

static void who_asks_in_the_name_of_many_makes_way_for_them(void **state) {
    const use seen = { .chain = "give", .n_callers = 8, .n_sizes = 8, .is_seen = true };
    uint32_t n;
    (void)state;
    assert_int_equal(sites_of_use(&seen, "give", &n), 0);
    assert_int_equal(n, 8);
    use u = seen;
    u.n_callers = 7;
    assert_int_equal(sites_of_use(&u, "give", &n), 1);
    assert_int_equal(n, 1);
    u = seen;
    u.n_sizes = 7; /* things of its own */
    assert_int_equal(sites_of_use(&u, "give", &n), 1);
    u = seen;
    u.other_bytes = 100; /* less than a tenth: it is not in the way */
    assert_int_equal(sites_of_use(&u, "give", &n), 1);
    assert_int_equal(n, 2);
    u = seen;
    u.other_bytes = 50; /* a tenth of the bytes, and less of the allocations */
    assert_int_equal(sites_of_use(&u, "give", &n), 0);
    assert_int_equal(n, 9);
    u = seen;
    u.is_seen = false;
    assert_int_equal(sites_of_use(&u, "give", &n), 1);
}

static void wrappers_of_wrappers_make_way_too(void **state) {
    use u = { .chain = "outer middle give", .n_callers = 8, .n_sizes = 8, .is_seen = true };
    uint32_t n;
    (void)state;
    assert_int_equal(sites_of_use(&u, "caller3", &n), 1);
    assert_int_equal(n, 8);
    u.chain = "a b c d e f g give"; /* as far out as is looked */
    assert_int_equal(sites_of_use(&u, "caller3", &n), 1);
    u.chain = "a b c d e f g h give";
    assert_int_equal(sites_of_use(&u, "give", &n), 1);
    assert_int_equal(n, 1);
}

/* What is called by many, one of which is called by many: the second is seen when the first is out of the way. */
static void wrappers_are_looked_for_until_there_are_none(void **state) {
    recording r;
    ubi__recording_summary s;
    ubi__sites sites;
    char labels[128];
    (void)state;
    open_recording(&r, 1, 1);
    for (unsigned i = 0; i < 40; i++) {
        snprintf(labels, sizeof labels, i % 2 ? "main direct%u give" : "main indirect%u grow give", i % 20);
        allocate(&r, r.heap, 100 + i, stack(&r, labels));
    }
    uint32_t grow = stack(&r, "main indirect0 grow");
    close_recording(&r, &s);
    must(ubi__sites_init(&sites, &s, true, NULL));
    must(ubi__sites_sort(&sites, UBI__BY_COUNT));
    assert_int_equal(sites.rows.n, 20);
    assert_int_equal(sites.roles[s.tables.traces.at[grow].frame], UBI__FRAME_WRAPPER);
    for (size_t i = 0; i < 20; i++) {
        const ubi__site *site = &sites.rows.at[i];
        uint32_t above = s.tables.traces.at[site->inner].caller;
        assert_true(above == site->heavy || s.tables.traces.at[above].caller == site->heavy);
    }
    ubi__sites_fini(&sites);
    ubi__recording_summary_fini(&s);
}

static void a_call_without_a_name_makes_way_whatever_the_sizes_are(void **state) {
    recording r;
    ubi__recording_summary s;
    ubi__sites sites;
    (void)state;
    for (int has_name = 0; has_name < 2; has_name++) {
        open_recording(&r, 1, 1);
        for (unsigned i = 0; i < 8; i++) {
            uint32_t frame, trace;
            char caller[16];
            snprintf(caller, sizeof caller, "caller%u", i);
            must(ubi__ubirec_raw_frame(r.w, &frame, 0x1234));
            must(ubi__ubirec_trace(r.w, &trace, stack(&r, caller), frame));
            allocate(&r, r.heap, 64, trace);
            ubi__ubirec_symbol symbol = { .function = ubi__text("new_node"), .file = ubi__text("") };
            if (has_name)
                must(ubi__ubirec_write_symbols(r.w, frame, &symbol, 1));
        }
        close_recording(&r, &s);
        must(ubi__sites_init(&sites, &s, true, NULL));
        assert_int_equal(sites.rows.n, has_name ? 1 : 8);
        ubi__sites_fini(&sites);
        ubi__recording_summary_fini(&s);
    }
}

/* What comes through a wrapper and nothing else of the same caller: the heaviest way in is shown. */
static void the_way_in_is_that_of_most(void **state) {
    recording r;
    ubi__recording_summary s;
    ubi__sites sites;
    (void)state;
    open_recording(&r, 1, 1);
    allocate(&r, r.heap, 90, stack(&r, "main work"));
    uint32_t heavy = stack(&r, "main work xmalloc malloc");
    static const char *const names[] = { "xmalloc", "malloc", "realloc" };
    name_frames(&r, names, 3);
    for (unsigned i = 0; i < 10; i++)
        allocate(&r, r.heap, 10 + i, heavy); /* one by one less than what is asked for without it */
    must(ubi__ubirec_write_free(r.w, allocate(&r, r.heap, 95, stack(&r, "main work realloc"))));
    close_recording(&r, &s);
    must(ubi__sites_init(&sites, &s, true, NULL));
    must(ubi__sites_sort(&sites, UBI__BY_TOTAL));
    assert_int_equal(sites.rows.n, 1);
    assert_int_equal(sites.rows.at[0].inner, heavy);
    must(ubi__sites_sort(&sites, UBI__BY_TEMPORARY));
    assert_int_not_equal(sites.rows.at[0].inner, heavy);
    assert_int_not_equal(sites.rows.at[0].inner, sites.rows.at[0].heavy);
    ubi__sites_fini(&sites);
    ubi__recording_summary_fini(&s);
}

/* ---- order -------------------------------------------------------------------------------------------------------- */

static void stacks_count_that_have_what_is_asked_for(void **state) {
    recording r;
    ubi__recording_summary s;
    ubi__sites sites;
    (void)state;
    open_recording(&r, 1, 1);
    uint64_t freed = allocate(&r, r.heap, 10, stack(&r, "main freed work"));
    allocate(&r, r.heap, 20, stack(&r, "main kept work"));
    allocate(&r, r.heap, 30, stack(&r, "main kept work"));
    allocate(&r, r.heap, 0, stack(&r, "main empty work")); /* no byte of it, but it is there */
    must(ubi__ubirec_write_free(r.w, freed));
    close_recording(&r, &s);
    must(ubi__sites_init(&sites, &s, true, NULL));
    must(ubi__sites_sort(&sites, UBI__BY_TOTAL));
    assert_int_equal(sites.rows.n, 1);
    assert_int_equal(sites.rows.at[0].n_stacks, 3);
    must(ubi__sites_sort(&sites, UBI__BY_LEAKED));
    assert_int_equal(sites.rows.at[0].n_stacks, 2);
    must(ubi__sites_sort(&sites, UBI__BY_TEMPORARY));
    assert_int_equal(sites.rows.at[0].n_stacks, 0);
    assert_int_equal(sites.rows.at[0].n_all_stacks, 3); /* whatever it is sorted by */
    assert_null(ubi__known_pool(&sites, &sites.rows.at[0]));
    ubi__sites_fini(&sites);
    ubi__recording_summary_fini(&s);
}

/* ---- the C library ------------------------------------------------------------------------------------------------- */

/* A stack of "module:function", outermost first; "module:" has no name. Each name of a module stands for one address. */
static uint32_t native_stack(recording *r, const char *places) {
    uint32_t trace = UBI__UBIREC_NO_TRACE;
    while (*places) {
        size_t n_module = strcspn(places, ":"), n = strcspn(places, " ");
        const char *function = places + n_module + 1;
        ubi_text name = { function, n - n_module - 1 };
        uint32_t module, frame;
        uint64_t offset = 1;
        for (size_t i = 0; i < name.len; i++)
            offset = offset * 131 + (uint8_t)name.ptr[i];
        ubi__ubirec_module_about about = { .path = { places, n_module }, .start = 0, .end = UINT64_MAX };
        must(ubi__ubirec_module(r->w, &module, &about));
        must(ubi__ubirec_native_frame(r->w, &frame, module, offset & 0xffffffff));
        ubi__ubirec_symbol symbol = { .function = name, .file = ubi__text("") };
        must(ubi__ubirec_write_symbols(r->w, frame, &symbol, name.len ? 1 : 0));
        must(ubi__ubirec_trace(r->w, &trace, trace, frame));
        places += n + (places[n] == ' ');
    }
    return trace;
}

#define LIBC "/lib/libc.so.6:"
#define LD "/lib/ld-linux-x86-64.so.2:"
#define NSS "/lib/libnss_files.so.2:"

static void what_the_c_library_asks_for_is_its_callers_or_kept(void **state) {
    static const struct {
        const char *stack, *site, *pool;
    } rows[] = {
        { "p:main p:work " LIBC "asprintf " LIBC, "work", NULL },
        { "p:main p:work " LIBC "getdelim", "work", NULL },
        { "p:main p:work " LIBC "realpath " LIBC "strdup", "work", NULL },
        { "p:main p:work " LIBC, "work", NULL }, /* fopen continues where it has no name */
        { "p:main " LIBC "qsort p:compare " LIBC "strdup", "compare", NULL },
        { "p:main p:work " LIBC "setlocale " LIBC " " LIBC "strndup", "setlocale", "libc's locales and translations" },
        { "p:main p:work " LIBC "setlocale", "setlocale", "libc's locales and translations" },
        { "p:main p:work " LIBC "newlocale", "work", NULL },
        { "p:main p:work " LIBC "__newlocale " LIBC, "", "libc's locales and translations" },
        { "p:main p:work " LIBC "getaddrinfo " LIBC "strdup", "work", NULL },
        { "p:main p:work " LIBC "getaddrinfo " LIBC "__nss_database_get " LIBC, "__nss_database_get",
          "libc's tables of users, hosts and services" },
        { "p:main " LIBC "getpwnam " NSS "_nss_files_getpwnam_r " LIBC "fopen", "getpwnam",
          "libc's tables of users, hosts and services" },
        { "p:main " LIBC "getpwnam " LIBC "__libc_dlopen " LD " plugin.so:start", "start", NULL }, /* a constructor */
        { "p:main " LIBC "pthread_create " LD "_dl_allocate_tls " LD, "pthread_create",
          "libc's tables of threads and exits" },
        { "p:main " LIBC "dlopen " LD " " LIBC "_dl_catch_exception " LD, "dlopen", "tables of loaded libraries" },
        { "p:main " LIBC "puts " LIBC "_IO_file_doallocate", "_IO_file_doallocate", "buffers of stdio" },
        { "p:main p:setlocale", "setlocale", NULL },                           /* the program's own */
        { LIBC "clone3 " LIBC "start_thread " LIBC "finish", "finish", NULL }, /* no caller */
        { "p:_start " LIBC "__libc_start_main " LIBC "begin", "begin", NULL },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        recording r;
        ubi__recording_summary s;
        ubi__sites sites;
        open_recording(&r, 1, 1);
        allocate(&r, r.heap, 10, native_stack(&r, rows[i].stack));
        close_recording(&r, &s);
        must(ubi__sites_init(&sites, &s, true, NULL));
        must(ubi__sites_sort(&sites, UBI__BY_LEAKED));
        assert_int_equal(sites.rows.n, 1);
        uint32_t n;
        const ubi__ubirec_symbol_row *symbols = ubi__ubirec_symbols_of(&s.tables, sites.rows.at[0].frame, &n);
        ubi_text name = n ? ubi__ubirec_string_at(&s.tables, symbols[0].function) : ubi__text("");
        const char *pool = ubi__known_pool(&sites, &sites.rows.at[0]);
        if (!ubi__text_is(name, rows[i].site) || !pool != !rows[i].pool || (pool && strcmp(pool, rows[i].pool) != 0))
            fail_msg("%s: '%.*s', %s", rows[i].stack, (int)name.len, name.ptr, pool ? pool : "no pool");
        ubi__sites_fini(&sites);
        ubi__recording_summary_fini(&s);
    }
}

static void what_is_kept_and_what_is_leaked_of_one_function_are_two_sites(void **state) {
    recording r;
    ubi__recording_summary s;
    ubi__sites sites;
    ubi__estimate kept, rest;
    (void)state;
    open_recording(&r, 1, 1);
    allocate(&r, r.heap, 10, native_stack(&r, "p:main " LIBC "setlocale"));
    allocate(&r, r.heap, 200, native_stack(&r, "p:main " LIBC "strdup"));
    allocate(&r, r.heap, 3000, native_stack(&r, "p:main"));
    close_recording(&r, &s);
    must(ubi__sites_init(&sites, &s, true, NULL));
    must(ubi__sites_sort(&sites, UBI__BY_LEAKED));
    assert_int_equal(sites.rows.n, 2);
    ubi__known_pools_sum(&kept, &rest, &sites);
    assert_true(kept.bytes == 10);
    assert_true(rest.bytes == 3200);
    ubi__sites_fini(&sites);
    ubi__recording_summary_fini(&s);
}

static void sites_are_sorted_by_what_is_asked_for(void **state) {
    recording r;
    ubi__recording_summary s;
    ubi__sites sites;
    (void)state;
    open_recording(&r, 1, 1);
    uint32_t many = stack(&r, "main many"), large = stack(&r, "main large");
    uint64_t held = allocate(&r, r.heap, 1000, large);
    for (int i = 0; i < 50; i++) {
        uint64_t a = allocate(&r, r.heap, 8, many);
        if (i)
            must(ubi__ubirec_write_free(r.w, a));
    }
    must(ubi__ubirec_write_free(r.w, held));
    close_recording(&r, &s);
    must(ubi__sites_init(&sites, &s, true, NULL));
    for (ubi__site_order order = 0; order < UBI__SITE_ORDER_COUNT; order++) {
        bool large_first = order == UBI__BY_PEAK || order == UBI__BY_TOTAL;
        must(ubi__sites_sort(&sites, order));
        assert_true(ubi__text_is(site_name(&sites, 0), large_first ? "large" : "many"));
        assert_true(ubi__site_value(&sites.rows.at[0], order) > ubi__site_value(&sites.rows.at[1], order));
    }
    ubi__sites_fini(&sites);
    ubi__recording_summary_fini(&s);
}

static void allocators_are_known_by_name(void **state) {
    static const char *const yes[] = {
        "malloc",
        "operator new(unsigned long)",
        "operator new[](unsigned long, std::align_val_t)",
        "std::vector<int, std::allocator<int> >::_M_default_append(unsigned long)",
        "void std::vector<int, std::allocator<int> >::_M_realloc_insert<int>(x<int*, y>, int&&)",
        "__gnu_cxx::new_allocator<Session>::allocate(unsigned long, void const*)",
        "xrealloc",
        "alloc::raw_vec::finish_grow",
    };
    static const char *const no[] = {
        "",
        "main",
        "mallocate",
        "my::malloc(int)",
        "Widget::operator new(unsigned long)",
        "standard::f()",
        "serve(std::string const&)",
        "void serve<std::string>(std::string)",
        "(anonymous namespace)::f(int)",
    };
    (void)state;
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        if (ubi__allocator_role_of(ubi__text(yes[i])) == UBI__NO_ALLOCATOR)
            fail_msg("%s", yes[i]);
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        if (ubi__allocator_role_of(ubi__text(no[i])) != UBI__NO_ALLOCATOR)
            fail_msg("%s", no[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sites_begin_behind_allocators),
        cmocka_unit_test(all_that_an_allocator_calls_is_its_own_but_not_what_a_container_calls),
        cmocka_unit_test(what_has_the_same_words_is_one_site),
        cmocka_unit_test(who_asks_in_the_name_of_many_makes_way_for_them),
        cmocka_unit_test(wrappers_of_wrappers_make_way_too),
        cmocka_unit_test(wrappers_are_looked_for_until_there_are_none),
        cmocka_unit_test(a_call_without_a_name_makes_way_whatever_the_sizes_are),
        cmocka_unit_test(the_way_in_is_that_of_most),
        cmocka_unit_test(stacks_count_that_have_what_is_asked_for),
        cmocka_unit_test(what_the_c_library_asks_for_is_its_callers_or_kept),
        cmocka_unit_test(what_is_kept_and_what_is_leaked_of_one_function_are_two_sites),
        cmocka_unit_test(sites_are_sorted_by_what_is_asked_for),
        cmocka_unit_test(allocators_are_known_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
