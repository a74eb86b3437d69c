/* SPDX-License-Identifier: MIT
 *
 * recording_sites.c: see recording_sites.h. Orders are in recording_sites_order.c.
 *
 * The caller of a trace has a smaller number, so one pass in the order of numbers finds where each begins.
 */
#include "recording/recording_sites.h"

#include <string.h>

#include "base/text.h"
#include "recording/recording_summary_inside.h"
#include "recording/wrapping_frames.h"

#define PRELOAD_LIBRARY "libubiheap-preload"
#define LOADER "ld-"
/* Wrappers of wrappers of wrappers ... */
#define ROUNDS 16
/* What a site is known by: class and module, function and file, line. */
#define KEY_WORDS 3

/* ---- who asks ----------------------------------------------------------------------------------------------------- */

static ubi__allocator_role role_of_symbol(const ubi__ubirec_tables *t, const ubi__ubirec_symbol_row *symbol) {
    return ubi__allocator_role_of(ubi__ubirec_string_at(t, symbol->function));
}

uint32_t ubi__asking_symbol(const ubi__ubirec_tables *t, const ubi__ubirec_symbol_row *symbols, uint32_t n) {
    uint32_t at = 0;
    for (uint32_t i = 0; i + 1 < n; i++)
        if (role_of_symbol(t, &symbols[i]) == UBI__ALLOCATOR)
            at = i + 1;
    while (at + 1 < n && role_of_symbol(t, &symbols[at]) != UBI__NO_ALLOCATOR)
        at++;
    return at;
}

/* Whether the file of a frame's module is named so. */
static bool is_of_module(const ubi__ubirec_tables *t, uint32_t frame, const char *beginning) {
    const ubi__ubirec_frame *f = &t->frames.at[frame];
    if (frame == UBI_NONE || f->type != UBI__UBIREC_NATIVE_FRAME)
        return false;
    ubi_text path = ubi__ubirec_string_at(t, t->modules.at[f->of].path);
    const char *slash = path.len ? memrchr(path.ptr, '/', path.len) : NULL;
    size_t from = slash ? (size_t)(slash + 1 - path.ptr) : 0, n = strlen(beginning);
    return path.len - from >= n && memcmp(path.ptr + from, beginning, n) == 0;
}

/* Functions of the C++ library that it does not export. */
static bool is_in_cxx_library(const ubi__ubirec_tables *t, uint32_t frame) {
    static const char *const libraries[] = { "libstdc++.so", "libc++.so", "libc++abi.so" };
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (is_of_module(t, frame, libraries[i]))
            return true;
    return false;
}

static bool is_preload(const ubi__ubirec_tables *t, uint32_t frame) {
    const ubi__ubirec_frame *f = &t->frames.at[frame];
    return f->type == UBI__UBIREC_NATIVE_FRAME &&
           ubi__text_contains(ubi__ubirec_string_at(t, t->modules.at[f->of].path), ubi__text(PRELOAD_LIBRARY));
}

static ubi__frame_role role_by_name(const ubi__ubirec_tables *t, uint32_t frame, bool is_libc) {
    uint32_t n;
    const ubi__ubirec_symbol_row *symbols = ubi__ubirec_symbols_of(t, frame, &n);
    if (is_preload(t, frame))
        return UBI__FRAME_CONTAINER;
    if (n == 0)
        return is_libc ? UBI__FRAME_LIBC : is_in_cxx_library(t, frame) ? UBI__FRAME_CONTAINER : UBI__FRAME_ASKS;
    ubi__allocator_role outermost = role_of_symbol(t, &symbols[n - 1]);
    if (outermost == UBI__ALLOCATOR)
        return UBI__FRAME_ALLOCATOR;
    if (is_libc)
        return UBI__FRAME_LIBC;
    bool all = outermost == UBI__CONTAINER && ubi__asking_symbol(t, symbols, n) == n - 1;
    return all ? UBI__FRAME_CONTAINER : UBI__FRAME_ASKS;
}

/* @param libc  out: libc[frame] */
static void find_roles(ubi__sites *sites, ubi__libc_frame *libc) {
    const ubi__ubirec_tables *t = &sites->summary->tables;
    for (uint32_t i = 0; i < t->frames.n; i++) {
        libc[i] = ubi__libc_frame_of(t, i);
        sites->roles[i] = (uint8_t)role_by_name(t, i, libc[i].is_libc);
    }
}

/* ---- where stacks begin ------------------------------------------------------------------------------------------- */

/* What a library asks for when it is loaded is its own. */
static bool is_called_by_loader(const ubi__ubirec_tables *t, ubi__ubirec_trace_row row) {
    return row.caller != UBI__UBIREC_NO_TRACE && is_in_cxx_library(t, row.frame) &&
           is_of_module(t, t->traces.at[row.caller].frame, LOADER);
}

/* What is known about a trace, from its callers on. */
typedef struct trace_state {
    uint32_t keeper; /* where what a pool of the C library has is asked for */
    uint8_t inner;   /* the pool of what functions of the C library ask for that it calls */
    bool is_libc;
    bool is_alone;      /* of the C library, without another caller */
    bool is_inside;     /* an allocator's, or called by one */
    bool is_for_script; /* native, and called by a script or by what such a one calls */
} trace_state;

/* Pools go inwards: once the C library asks for itself, so does all of it that it calls, up to the first function of others. */
static void find_pool(ubi__sites *sites, trace_state *states, uint32_t trace, const ubi__libc_frame *libc) {
    const ubi__ubirec_tables *t = &sites->summary->tables;
    ubi__ubirec_trace_row row = t->traces.at[trace];
    trace_state *state = &states[trace], *caller = &states[row.caller];
    bool is_allocator =
        caller->is_libc && (sites->roles[row.frame] == UBI__FRAME_ALLOCATOR || is_preload(t, row.frame));
    state->is_libc = libc->is_libc;
    state->is_alone = libc->is_libc && (libc->is_start || row.caller == UBI__UBIREC_NO_TRACE || caller->is_alone);
    if (is_allocator) { /* its caller asks */
        sites->pools[trace] = state->inner = sites->pools[row.caller];
        state->keeper = caller->keeper;
    } else if (libc->is_libc && caller->is_libc && caller->inner) {
        sites->pools[trace] = state->inner = caller->inner;
        state->keeper = sites->pools[row.caller] ? caller->keeper : trace;
    } else if (libc->is_known) {
        sites->pools[trace] = (uint8_t)libc->own;
        state->inner = (uint8_t)libc->inner;
        state->keeper = trace;
    }
}

/* @param libc  libc[frame] */
static void find_pools(ubi__sites *sites, trace_state *states, const ubi__libc_frame *libc) {
    const ubi__ubirec_tables *t = &sites->summary->tables;
    for (uint32_t i = 1; i < t->traces.n; i++)
        find_pool(sites, states, i, &libc[t->traces.at[i].frame]);
}

static bool passes_on(const ubi__sites *sites, const trace_state *state, ubi__ubirec_trace_row row) {
    ubi__frame_role role = (ubi__frame_role)sites->roles[row.frame];
    if (row.caller == UBI__UBIREC_NO_TRACE || is_called_by_loader(&sites->summary->tables, row))
        return false;
    return state->is_for_script || state->is_inside ||
           (role == UBI__FRAME_LIBC ? !state->is_alone : role != UBI__FRAME_ASKS);
}

/* @param see_wrappers  what an interpreter does for a script is the script's. */
static void find_tops(ubi__sites *sites, trace_state *states, bool see_wrappers) {
    const ubi__ubirec_tables *t = &sites->summary->tables;
    sites->top[0] = 0;
    for (uint32_t i = 1; i < t->traces.n; i++) {
        ubi__ubirec_trace_row row = t->traces.at[i];
        trace_state *state = &states[i];
        state->is_for_script =
            see_wrappers && row.caller != UBI__UBIREC_NO_TRACE && !ubi__ubirec_frame_is_script(t, row.frame) &&
            (states[row.caller].is_for_script || ubi__ubirec_frame_is_script(t, t->traces.at[row.caller].frame));
        state->is_inside =
            !sites->pools[i] && (sites->roles[row.frame] == UBI__FRAME_ALLOCATOR || states[row.caller].is_inside);
        sites->top[i] = sites->pools[i] ? state->keeper : passes_on(sites, state, row) ? sites->top[row.caller] : i;
    }
}

/* @return whether there are new ones. */
static bool note_wrappers(ubi__sites *sites, const bool *is_found) {
    bool any = false;
    for (uint32_t i = 0; i < sites->summary->tables.frames.n; i++)
        if (is_found[i] && sites->roles[i] == UBI__FRAME_ASKS) {
            sites->roles[i] = UBI__FRAME_WRAPPER;
            any = true;
        }
    return any;
}

static ubi_status find_wrappers(ubi__sites *sites, trace_state *states, bool *is_found) {
    for (int round = 0; round < ROUNDS; round++) {
        UBI_TRY(ubi__find_wrapping_frames(is_found, sites->summary, sites->top, sites->pools, sites->allocator));
        if (!note_wrappers(sites, is_found))
            break;
        find_tops(sites, states, true);
    }
    return UBI_OK;
}

static ubi_status find_beginnings(ubi__sites *sites, bool see_wrappers) {
    const ubi__ubirec_tables *t = &sites->summary->tables;
    const ubi_allocator *a = sites->allocator;
    trace_state *states = ubi__calloc_array(a, t->traces.n, sizeof *states);
    bool *is_found = ubi__alloc_array(a, t->frames.n + 1, sizeof *is_found);
    ubi__libc_frame *libc = ubi__alloc_array(a, t->frames.n + 1, sizeof *libc);
    ubi_status status = states && is_found && libc ? UBI_OK : ubi__fail_nomem();
    if (status == UBI_OK) {
        find_roles(sites, libc);
        find_pools(sites, states, libc);
        find_tops(sites, states, see_wrappers);
        if (see_wrappers)
            status = find_wrappers(sites, states, is_found);
    }
    ubi__free_array(a, libc, t->frames.n + 1, sizeof *libc);
    ubi__free_array(a, is_found, t->frames.n + 1, sizeof *is_found);
    ubi__free_array(a, states, t->traces.n, sizeof *states);
    return status;
}

/* ---- sums --------------------------------------------------------------------------------------------------------- */

/* Instead of a module. */
#define OF_SCRIPTS (UBI_NONE - 1)

static void make_site_key(uint64_t key[KEY_WORDS], const ubi__ubirec_tables *t, uint32_t frame,
                          ubi__ubirec_class of_class, ubi__libc_pool pool) {
    uint32_t n = 0, module = UBI_NONE;
    const ubi__ubirec_symbol_row *symbols = frame == UBI_NONE ? NULL : ubi__ubirec_symbols_of(t, frame, &n);
    if (n > 0 && t->frames.at[frame].type == UBI__UBIREC_NATIVE_FRAME)
        module = t->frames.at[frame].of;
    key[0] = ((uint64_t)pool << 8 | (uint64_t)of_class) << 32 | module;
    key[1] = UINT64_MAX;
    key[2] = frame;
    if (frame != UBI_NONE && t->frames.at[frame].type == UBI__UBIREC_SCRIPT_FRAME) {
        const ubi__ubirec_frame *f = &t->frames.at[frame];
        key[0] = ((uint64_t)of_class << 32) | OF_SCRIPTS;
        key[1] = (uint64_t)f->of << 32 | f->script.file;
        key[2] = f->script.line;
    }
    if (n == 0)
        return;
    const ubi__ubirec_symbol_row *symbol = &symbols[ubi__asking_symbol(t, symbols, n)];
    key[1] = (uint64_t)symbol->function << 32 | symbol->file;
    key[2] = symbol->line;
}

/* The number of the site of an info, whose row may not be there yet. */
static ubi_status site_of(ubi__sites *sites, uint32_t *out, uint32_t info) {
    const ubi__ubirec_tables *t = &sites->summary->tables;
    uint32_t top = sites->top[t->infos.at[info].trace], frame = t->traces.at[top].frame;
    ubi__libc_pool pool = (ubi__libc_pool)sites->pools[top];
    uint32_t *number = ubi__site_number_at(sites, frame, ubi__info_class(sites->summary, info), pool);
    uint64_t key[KEY_WORDS];
    bool is_new = false;
    if (*number == 0) {
        make_site_key(key, t, frame, ubi__info_class(sites->summary, info), pool);
        UBI_TRY(ubi__tuple_table_number(&sites->numbers, out, &is_new, key));
        *number = *out + 1;
    }
    *out = *number - 1;
    if (!is_new)
        return UBI_OK;
    ubi__site site = {
        .number = *out, .frame = frame, .pool = pool, .of_class = ubi__info_class(sites->summary, info)
    };
    return ubi__vec_site_push(&sites->rows, sites->allocator, site);
}

uint32_t ubi__site_of_info(const ubi__sites *sites, uint32_t info) {
    const ubi__ubirec_tables *t = &sites->summary->tables;
    uint32_t top = sites->top[t->infos.at[info].trace];
    uint32_t number = *ubi__site_number_at(sites, t->traces.at[top].frame, ubi__info_class(sites->summary, info),
                                           sites->pools[top] != UBI__LIBC_NO_POOL);
    return number ? number - 1 : UBI_NONE;
}

static ubi_status add_up_sites(ubi__sites *sites) {
    const ubi__recording_summary *s = sites->summary;
    for (uint32_t i = 0; i < s->infos.n; i++) {
        uint32_t site;
        UBI_TRY(site_of(sites, &site, i));
        for (ubi__measure m = 0; m < UBI__MEASURE_COUNT; m++)
            ubi__estimate_add(&sites->rows.at[site].by[m], s, i, ubi__info_measure(&s->infos.at[i], m));
    }
    return UBI_OK;
}

static size_t number_cells(const ubi__sites *sites) {
    return ubi__sites_cell_count(sites->summary->tables.frames.n);
}

static ubi_status sites_build(ubi__sites *sites, bool see_wrappers) {
    const ubi__ubirec_tables *t = &sites->summary->tables;
    const ubi_allocator *a = sites->allocator;
    sites->roles = ubi__calloc_array(a, t->frames.n + 1, sizeof *sites->roles);
    sites->top = ubi__alloc_array(a, t->traces.n, sizeof *sites->top);
    sites->pools = ubi__calloc_array(a, t->traces.n, sizeof *sites->pools);
    sites->number_of = ubi__calloc_array(a, number_cells(sites), sizeof *sites->number_of);
    if (!sites->roles || !sites->top || !sites->pools || !sites->number_of)
        return ubi__fail_nomem();
    UBI_TRY(find_beginnings(sites, see_wrappers));
    UBI_TRY(add_up_sites(sites));
    ubi__tuple_table_check(&sites->numbers);
    ubi__tuple_table_fini(&sites->numbers);
    ubi__sites_check(sites);
    return UBI_OK;
}

ubi_status ubi__sites_init(ubi__sites *sites, const ubi__recording_summary *summary, bool see_wrappers,
                           const ubi_allocator *allocator) {
    *sites = (ubi__sites){ .summary = summary, .allocator = allocator ? allocator : summary->allocator };
    ubi__tuple_table_init(&sites->numbers, KEY_WORDS, "sites", sites->allocator);
    ubi_status status = sites_build(sites, see_wrappers);
    if (status != UBI_OK)
        ubi__sites_fini(sites);
    return status;
}

void ubi__sites_fini(ubi__sites *sites) {
    const ubi__ubirec_tables *t = &sites->summary->tables;
    const ubi_allocator *a = sites->allocator;
    ubi__vec_site_fini(&sites->rows, a);
    if (sites->is_view)
        return;
    ubi__tuple_table_fini(&sites->numbers);
    ubi__free_array(a, sites->number_of, number_cells(sites), sizeof *sites->number_of);
    ubi__free_array(a, sites->top, t->traces.n, sizeof *sites->top);
    ubi__free_array(a, sites->pools, t->traces.n, sizeof *sites->pools);
    ubi__free_array(a, sites->roles, t->frames.n + 1, sizeof *sites->roles);
    sites->number_of = sites->top = NULL;
    sites->roles = sites->pools = NULL;
}

/* Whether what is older than a window is in it. */
static bool has_older(ubi__measure measure) {
    return measure == UBI__MEASURE_PEAK || measure == UBI__MEASURE_LIVE;
}

static void check_site(const ubi__sites *sites, const ubi__site *site) {
    const ubi__ubirec_tables *t = &sites->summary->tables;
    UBI_ASSERT(site->number < sites->rows.n && (site->frame < t->frames.n || site->frame == UBI_NONE));
    UBI_ASSERT(site->n_stacks <= site->n_all_stacks);
    UBI_ASSERT(sites->top[site->heavy] == site->heavy && sites->top[site->inner] == site->heavy);
    for (int m = 0; m < UBI__MEASURE_COUNT; m++)
        ubi__estimate_check(&site->by[m]);
    for (int m = 0; m < UBI__MEASURE_COUNT; m++)
        UBI_ASSERT(m == UBI__MEASURE_LEAKED || has_older(m) ||
                   site->by[m].samples <= site->by[UBI__MEASURE_TOTAL].samples);
}

void ubi__sites_check(const ubi__sites *sites) {
    const ubi__recording_summary *s = sites->summary;
    uint64_t counted = 0, summed = 0, numbers = 0;
    if (!UBI_CHECKS)
        return;
    for (size_t i = 0; i < s->tables.traces.n; i++)
        UBI_ASSERT(sites->top[i] <= i && sites->top[sites->top[i]] == sites->top[i]);
    for (size_t i = 0; i < s->infos.n; i++)
        counted += s->infos.at[i].count;
    for (size_t i = 0; i < sites->rows.n; i++) {
        check_site(sites, &sites->rows.at[i]);
        summed += sites->rows.at[i].by[UBI__MEASURE_TOTAL].samples;
        numbers += sites->rows.at[i].number;
    }
    UBI_ASSERT(counted == summed);
    UBI_ASSERT(numbers == sites->rows.n * (sites->rows.n - 1) / 2);
}
