/* SPDX-License-Identifier: MIT
 *
 * recording_sites.c: see recording_sites.h.
 *
 * The caller of a trace has a smaller number, so one pass in the order of numbers finds where each begins.
 *
 * Some wrappers are known by what they do and not by their names: those of a library's own allocator, of which no name is
 * known, or of a string that grows. A call is one of a wrapper when a tenth of the heap or more is asked for there (of the
 * bytes allocated, at the peak or not freed, or of the allocations), for at least 8 callers, and in at least 8 sizes, which
 * says that these are not its own; of a function without a name, sizes may be fewer. Where all stacks have the same callers
 * for some frames (a wrapper of a wrapper), the callers that count are those where they part, up to 8 frames out, and all
 * frames before that are wrappers.
 */
#include "recording/recording_sites.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/text.h"

#define PRELOAD_LIBRARY "libubiheap-preload"
#define LOADER "ld-"
/* Wrappers of wrappers of wrappers ... */
#define ROUNDS 16
/* What a site is known by: class and module, function and file, line. */
#define KEY_WORDS 3
/* At most ten frames have a tenth of one sum, so what is looked at closely fits into a small array. */
#define ENOUGH 8       /* callers, and sizes */
#define CHAIN_FRAMES 8 /* how far out callers are looked for */
#define SHARES 10      /* a tenth */
#define HEFTS 4        /* sums that reports sort by */
#define MOST_CANDIDATES (HEFTS * SHARES)

/* ---- wrappers known by what they do: what is asked for at a frame ------------------------------------------------ */

typedef struct heft {
    double by[HEFTS]; /* bytes not freed, at the peak and in total; allocations */
} heft;

static bool is_heap(const ubi__recording_summary *s, uint32_t info) {
    return s->tables.kinds.at[s->tables.infos.at[info].kind].class_of_kind == UBI__UBIREC_HEAP;
}

static heft heft_of(const ubi__recording_summary *s, uint32_t info) {
    const ubi__ubirec_info_row *row = &s->tables.infos.at[info];
    const ubi__info_sums *sums = &s->infos.at[info];
    double weight = (double)row->weight_bytes;
    return (heft){ { (double)ubi__info_measure(sums, UBI__MEASURE_LEAKED) * weight, (double)sums->peak_live * weight,
                     (double)sums->count * weight, (double)sums->count * ubi__sample_count(row) } };
}

static void add_heft(heft *sum, const heft *more) {
    for (int i = 0; i < HEFTS; i++)
        sum->by[i] += more->by[i];
}

static bool is_heavy(const heft *part, const heft *all) {
    for (int i = 0; i < HEFTS; i++)
        if (part->by[i] > 0 && part->by[i] * SHARES >= all->by[i])
            return true;
    return false;
}

/* ---- wrappers known by what they do: who calls it, and for how much ---------------------------------------------- */

/* The first different ones of some numbers: enough to know that there are enough. */
typedef struct few {
    uint64_t at[ENOUGH];
    unsigned n;
} few;

static void few_add(few *set, uint64_t number) {
    for (unsigned i = 0; i < set->n; i++)
        if (set->at[i] == number)
            return;
    UBI_ASSERT(set->n <= ENOUGH);
    if (set->n < ENOUGH)
        set->at[set->n++] = number;
}

/* A frame that may be a wrapper, and the callers that all of its stacks have. */
typedef struct candidate {
    uint32_t chain[CHAIN_FRAMES]; /* chain[n_chain], the frame itself first; none before the first stack was seen */
    unsigned n_chain;
    few callers, sizes;
} candidate;

typedef struct search {
    const ubi__recording_summary *summary;
    const uint32_t *top;
    const uint8_t *pools;
    heft *hefts;   /* hefts[frame] */
    uint8_t *rank; /* rank[frame]: of candidates, from 1 on; 0: not one */
    candidate at[MOST_CANDIDATES];
    unsigned n;
} search;

static uint32_t frame_of_trace(const search *x, uint32_t trace) {
    return x->summary->tables.traces.at[trace].frame;
}

static uint32_t top_of(const search *x, uint32_t info) {
    uint32_t trace = x->summary->tables.infos.at[info].trace;
    return x->pools[trace] ? UBI__UBIREC_NO_TRACE : x->top[trace];
}

static void find_candidates(search *x) {
    const ubi__recording_summary *s = x->summary;
    heft all = { { 0 } };
    for (uint32_t i = 0; i < s->infos.n; i++) {
        uint32_t top = top_of(x, i);
        heft one = heft_of(s, i);
        if (!is_heap(s, i))
            continue;
        add_heft(&all, &one);
        if (top != UBI__UBIREC_NO_TRACE)
            add_heft(&x->hefts[frame_of_trace(x, top)], &one);
    }
    for (uint32_t i = 0; i < s->tables.frames.n && x->n < MOST_CANDIDATES; i++)
        if (!ubi__ubirec_frame_is_script(&s->tables, i) && is_heavy(&x->hefts[i], &all))
            x->rank[i] = (uint8_t)++x->n;
}

/* NULL: the info is of another frame. */
static candidate *candidate_of(search *x, uint32_t info) {
    uint32_t top = top_of(x, info);
    unsigned rank = top == UBI__UBIREC_NO_TRACE || !is_heap(x->summary, info) ? 0 : x->rank[frame_of_trace(x, top)];
    return rank ? &x->at[rank - 1] : NULL;
}

/* Cuts the chain down to what this stack has too. */
static void candidate_cut_chain(const search *x, candidate *c, uint32_t trace) {
    bool is_first = c->n_chain == 0;
    unsigned limit = is_first ? CHAIN_FRAMES : c->n_chain, n = 0;
    for (; n < limit && trace != UBI__UBIREC_NO_TRACE; n++) {
        if (is_first)
            c->chain[n] = frame_of_trace(x, trace);
        else if (c->chain[n] != frame_of_trace(x, trace))
            break;
        trace = x->summary->tables.traces.at[trace].caller;
    }
    UBI_ASSERT(is_first || n <= c->n_chain);
    c->n_chain = n;
}

static void note_use(const search *x, candidate *c, uint32_t info) {
    uint32_t trace = top_of(x, info);
    for (unsigned i = 0; i < c->n_chain; i++)
        trace = x->summary->tables.traces.at[trace].caller;
    few_add(&c->callers, trace == UBI__UBIREC_NO_TRACE ? UBI_NONE : frame_of_trace(x, trace));
    few_add(&c->sizes, x->summary->tables.infos.at[info].size_bytes);
}

static bool has_name(const ubi__ubirec_tables *t, uint32_t frame) {
    uint32_t n;
    ubi__ubirec_symbols_of(t, frame, &n);
    return n > 0 || t->frames.at[frame].type == UBI__UBIREC_LABEL_FRAME;
}

static bool is_nameless(const search *x, const candidate *c) {
    for (unsigned i = 0; i < c->n_chain; i++)
        if (has_name(&x->summary->tables, c->chain[i]))
            return false;
    return true;
}

static bool is_wrapper(const search *x, const candidate *c) {
    return c->callers.n == ENOUGH && (c->sizes.n == ENOUGH || is_nameless(x, c));
}

static void judge_candidates(search *x, bool *is_found) {
    uint32_t n_infos = (uint32_t)x->summary->infos.n;
    candidate *c;
    for (uint32_t i = 0; i < n_infos; i++)
        if ((c = candidate_of(x, i)))
            candidate_cut_chain(x, c, top_of(x, i));
    for (uint32_t i = 0; i < n_infos; i++)
        if ((c = candidate_of(x, i)))
            note_use(x, c, i);
    for (c = x->at; c < x->at + x->n; c++)
        for (unsigned i = 0, n = is_wrapper(x, c) ? c->n_chain : 0; i < n; i++)
            is_found[c->chain[i]] = true;
}

/**
 * One step: frames found make way for their callers, some of which may be wrappers too.
 *
 * @param is_found  is_found[frame], set to whether it is one.
 * @param top       top[trace]: the trace where it begins without frames known to pass requests on.
 * @param pools     pools[trace]: not 0: the C library keeps it, unasked.
 * Errors: UBI_ENOMEM. Cost: O(infos + frames); 33 bytes per frame while it runs.
 */
static ubi_status find_wrapping_frames(bool *is_found, const ubi__recording_summary *summary, const uint32_t *top,
                                       const uint8_t *pools, const ubi_allocator *a) {
    size_t n = summary->tables.frames.n + 1;
    search *x = UBI_NEW(a, search);
    if (!x)
        return ubi__fail_nomem();
    *x = (search){ .summary = summary, .top = top, .pools = pools };
    x->hefts = ubi__calloc_array(a, n, sizeof *x->hefts);
    x->rank = ubi__calloc_array(a, n, sizeof *x->rank);
    memset(is_found, 0, n - 1);
    ubi_status status = x->hefts && x->rank ? UBI_OK : ubi__fail_nomem();
    if (status == UBI_OK) {
        find_candidates(x);
        judge_candidates(x, is_found);
    }
    ubi__free_array(a, x->hefts, n, sizeof *x->hefts);
    ubi__free_array(a, x->rank, n, sizeof *x->rank);
    UBI_DELETE(a, x);
    return status;
}

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
        UBI_TRY(find_wrapping_frames(is_found, sites->summary, sites->top, sites->pools, sites->allocator));
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

static ubi__ubirec_class class_of(const ubi__recording_summary *s, uint32_t info) {
    return s->tables.kinds.at[s->tables.infos.at[info].kind].class_of_kind;
}

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

/* Where the number of the site of a frame is. */
static uint32_t *number_at(const ubi__sites *sites, uint32_t frame, ubi__ubirec_class of_class, bool is_pool) {
    size_t n = sites->summary->tables.frames.n;
    return &sites->number_of[((size_t)of_class * 2 + is_pool) * (n + 1) + (frame == UBI_NONE ? n : frame)];
}

/* The number of the site of an info, whose row may not be there yet. */
static ubi_status site_of(ubi__sites *sites, uint32_t *out, uint32_t info) {
    const ubi__ubirec_tables *t = &sites->summary->tables;
    uint32_t top = sites->top[t->infos.at[info].trace], frame = t->traces.at[top].frame;
    ubi__libc_pool pool = (ubi__libc_pool)sites->pools[top];
    uint32_t *number = number_at(sites, frame, class_of(sites->summary, info), pool);
    uint64_t key[KEY_WORDS];
    bool is_new = false;
    if (*number == 0) {
        make_site_key(key, t, frame, class_of(sites->summary, info), pool);
        UBI_TRY(ubi__tuple_table_number(&sites->numbers, out, &is_new, key));
        *number = *out + 1;
    }
    *out = *number - 1;
    if (!is_new)
        return UBI_OK;
    ubi__site site = { .number = *out, .frame = frame, .pool = pool, .of_class = class_of(sites->summary, info) };
    return ubi__vec_site_push(&sites->rows, sites->allocator, site);
}

uint32_t ubi__site_of_info(const ubi__sites *sites, uint32_t info) {
    const ubi__ubirec_tables *t = &sites->summary->tables;
    uint32_t top = sites->top[t->infos.at[info].trace];
    uint32_t number = *number_at(sites, t->traces.at[top].frame, class_of(sites->summary, info),
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

/* ---- order -------------------------------------------------------------------------------------------------------- */

ubi__measure ubi__order_measure(ubi__site_order order) {
    static const ubi__measure measures[UBI__SITE_ORDER_COUNT] = {
        [UBI__BY_LEAKED] = UBI__MEASURE_LEAKED,       [UBI__BY_PEAK] = UBI__MEASURE_PEAK,
        [UBI__BY_TOTAL] = UBI__MEASURE_TOTAL,         [UBI__BY_COUNT] = UBI__MEASURE_TOTAL,
        [UBI__BY_TEMPORARY] = UBI__MEASURE_TEMPORARY, [UBI__BY_LIVE] = UBI__MEASURE_LIVE,
    };
    return measures[order];
}

double ubi__site_value(const ubi__site *site, ubi__site_order order) {
    const ubi__estimate *e = &site->by[ubi__order_measure(order)];
    return order == UBI__BY_COUNT || order == UBI__BY_TEMPORARY ? e->count : e->bytes;
}

static int compare_sites(const void *a, const void *b, void *order) {
    const ubi__site *left = a, *right = b;
    double l = ubi__site_value(left, *(ubi__site_order *)order), r = ubi__site_value(right, *(ubi__site_order *)order);
    if (l != r)
        return l < r ? 1 : -1;
    const ubi__measure ties[] = { UBI__MEASURE_PEAK, UBI__MEASURE_TOTAL };
    for (size_t i = 0; i < sizeof ties / sizeof *ties; i++)
        if (left->by[ties[i]].bytes != right->by[ties[i]].bytes)
            return left->by[ties[i]].bytes < right->by[ties[i]].bytes ? 1 : -1;
    if (left->frame != right->frame)
        return left->frame < right->frame ? -1 : 1;
    return (int)left->of_class - (int)right->of_class;
}

/* What the infos of one class have of what is sorted by. */
typedef struct trace_weight {
    bool is_asked; /* something was allocated with it, of whatever is sorted by */
    double own;    /* of the trace */
    double weight; /* of all whose top it is */
    bool is_used;  /* something was allocated by one whose top it is */
    bool has_any;  /* an allocation of no bytes weighs nothing, and is one */
} trace_weight;

/* Whether a window has nothing of an info, which it only knows from before. */
static bool is_outside(const ubi__recording_summary *s, uint32_t info) {
    const ubi__info_sums *sums = &s->infos.at[info];
    return !ubi__window_is_whole(&s->window) && !sums->count && !sums->live && !sums->peak_live;
}

/* weights[trace] */
static void weigh_traces(trace_weight *weights, const ubi__sites *sites, ubi__site_order order,
                         ubi__ubirec_class of_class) {
    const ubi__recording_summary *s = sites->summary;
    bool by_count = order == UBI__BY_COUNT || order == UBI__BY_TEMPORARY;
    memset(weights, 0, s->tables.traces.n * sizeof *weights);
    for (uint32_t i = 0; i < s->infos.n; i++) {
        const ubi__ubirec_info_row *row = &s->tables.infos.at[i];
        uint64_t n = ubi__info_measure(&s->infos.at[i], ubi__order_measure(order));
        trace_weight *top = &weights[sites->top[row->trace]];
        if (class_of(s, i) != of_class || is_outside(s, i))
            continue;
        weights[row->trace].is_asked = true;
        top->is_used = true;
        if (n == 0)
            continue;
        double weight = (double)n * (by_count ? ubi__sample_count(row) : (double)row->weight_bytes);
        weights[row->trace].own += weight;
        top->weight += weight;
        top->has_any = true;
    }
}

/* The row of the site that a trace begins at, or NULL: the trace begins elsewhere, or nothing of the class was asked for. */
static ubi__site *site_that_begins(const ubi__sites *sites, const uint32_t *row_of, uint32_t trace,
                                   ubi__ubirec_class of_class) {
    uint32_t frame = sites->summary->tables.traces.at[trace].frame;
    uint32_t number =
        sites->top[trace] == trace ? *number_at(sites, frame, of_class, sites->pools[trace] != UBI__LIBC_NO_POOL) : 0;
    return number ? &sites->rows.at[row_of[number - 1]] : NULL;
}

/* The heaviest trace of each site, the first where all weigh nothing, and how many have anything. */
static void find_heavy(const ubi__sites *sites, const trace_weight *weights, const uint32_t *row_of,
                       ubi__ubirec_class of_class) {
    const ubi__ubirec_tables *t = &sites->summary->tables;
    for (uint32_t i = 1; i < t->traces.n; i++) {
        ubi__site *site = site_that_begins(sites, row_of, i, of_class);
        if (!site)
            continue;
        if (site->heavy == UBI__UBIREC_NO_TRACE || weights[i].weight > weights[site->heavy].weight)
            site->heavy = site->inner = i;
        site->n_stacks += weights[i].has_any;
        site->n_all_stacks += weights[i].is_used;
    }
    for (uint32_t i = 1; i < t->traces.n; i++) {
        uint32_t top = sites->top[i];
        ubi__site *site = site_that_begins(sites, row_of, top, of_class);
        if (!site || site->heavy != top || !weights[i].is_asked)
            continue;
        if (!weights[site->inner].is_asked || weights[i].own > weights[site->inner].own)
            site->inner = i;
    }
}

/* @param has_class  out: whether there is a place of it, as there is of each class of which there is an info. */
static void sites_begin_sort(ubi__sites *sites, uint32_t *row_of, bool has_class[UBI__UBIREC_CLASS_COUNT]) {
    for (uint32_t i = 0; i < sites->rows.n; i++) {
        ubi__site *site = &sites->rows.at[i];
        row_of[site->number] = i;
        has_class[site->of_class] = true;
        site->heavy = site->inner = UBI__UBIREC_NO_TRACE;
        site->n_stacks = site->n_all_stacks = 0;
    }
}

/* Only rows are its own. */
static ubi_status view_init(ubi__sites *view, const ubi__sites *sites, const ubi_allocator *allocator) {
    *view = *sites;
    view->allocator = allocator;
    view->is_view = true;
    view->rows = (ubi__vec_site){ .at = NULL };
    UBI_TRY(ubi__vec_site_reserve(&view->rows, allocator, sites->rows.n));
    if (sites->rows.n)
        memcpy(view->rows.at, sites->rows.at, sites->rows.n * sizeof *view->rows.at);
    view->rows.n = sites->rows.n;
    return UBI_OK;
}

static ubi_status view_sort(ubi__sites *out, ubi__sites *view, ubi__site_order order) {
    ubi_status status = ubi__sites_sort(view, order);
    if (status == UBI_OK)
        *out = *view;
    else
        ubi__sites_fini(view);
    return status;
}

ubi_status ubi__sites_view(ubi__sites *out, const ubi__sites *sites, ubi__site_order order,
                           const ubi_allocator *allocator) {
    ubi__sites view;
    UBI_TRY(view_init(&view, sites, allocator));
    return view_sort(out, &view, order);
}

/* Rows have their numbers by now, which are those of places. */
static void view_sum(ubi__sites *view) {
    const ubi__recording_summary *s = view->summary;
    for (size_t i = 0; i < view->rows.n; i++)
        memset(view->rows.at[i].by, 0, sizeof view->rows.at[i].by);
    for (uint32_t i = 0; i < s->infos.n; i++) {
        uint32_t top = view->top[s->tables.infos.at[i].trace];
        uint32_t site = *number_at(view, s->tables.traces.at[top].frame, class_of(s, i), view->pools[top]) - 1;
        for (ubi__measure m = 0; m < UBI__MEASURE_COUNT; m++)
            ubi__estimate_add(&view->rows.at[UBI_INDEX(site, view->rows.n)].by[m], s, i,
                              ubi__info_measure(&s->infos.at[i], m));
    }
}

static int compare_numbers(const void *a, const void *b) {
    const ubi__site *left = a, *right = b;
    return left->number < right->number ? -1 : left->number > right->number;
}

ubi_status ubi__sites_view_of(ubi__sites *out, const ubi__sites *sites, const ubi__recording_summary *summary,
                              ubi__site_order order, const ubi_allocator *allocator) {
    ubi__sites view;
    UBI_TRY(view_init(&view, sites, allocator));
    view.summary = summary;
    if (view.rows.n)
        qsort(view.rows.at, view.rows.n, sizeof *view.rows.at, compare_numbers);
    view_sum(&view);
    return view_sort(out, &view, order);
}

ubi_status ubi__sites_sort(ubi__sites *sites, ubi__site_order order) {
    const ubi__ubirec_tables *t = &sites->summary->tables;
    const ubi_allocator *a = sites->allocator;
    size_t n = sites->rows.n + 1;
    trace_weight *weights = ubi__alloc_array(a, t->traces.n, sizeof *weights);
    uint32_t *row_of = ubi__calloc_array(a, n, sizeof *row_of); /* row_of[number] */
    bool has_class[UBI__UBIREC_CLASS_COUNT] = { false };
    ubi_status status = weights && row_of ? UBI_OK : ubi__fail_nomem();
    if (status == UBI_OK) {
        sites_begin_sort(sites, row_of, has_class);
        for (int c = 0; c < UBI__UBIREC_CLASS_COUNT; c++) {
            if (!has_class[c])
                continue;
            weigh_traces(weights, sites, order, (ubi__ubirec_class)c);
            find_heavy(sites, weights, row_of, (ubi__ubirec_class)c);
        }
        if (sites->rows.n)
            qsort_r(sites->rows.at, sites->rows.n, sizeof *sites->rows.at, compare_sites, &order);
        ubi__sites_check(sites);
    }
    ubi__free_array(a, weights, t->traces.n, sizeof *weights);
    ubi__free_array(a, row_of, n, sizeof *row_of);
    return status;
}
