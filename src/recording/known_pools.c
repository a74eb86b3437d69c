/* SPDX-License-Identifier: MIT
 *
 * known_pools.c: see known_pools.h.
 *
 * Those of the C library are known by its functions (known_frames.h); others by the source file of the function that asks, or, in
 * libraries without symbols, by the module, who calls it and the size.
 */
#include "recording/known_pools.h"

#include "base/text.h"

typedef struct pool {
    const char *words;
    const char *file;            /* the source file of the function that asks ends so; NULL: any */
    const char *module, *caller; /* their file names begin so; NULL: any */
    uint64_t least_bytes, most_bytes;
} pool;

/*
 * The reserve (libsupc++/eh_alloc.cc) is made by a constructor of the library: 72,704 bytes up to GCC 12, 73,728 since 13, on 64 bits.
 */
static const pool pools[] = {
    { "libstdc++'s reserve for exceptions", "eh_alloc.cc", NULL, NULL, 0, UINT64_MAX },
    { "libstdc++'s reserve for exceptions", NULL, "libstdc++.so", "ld-", 64 << 10, 80 << 10 },
};

/* What is known of a frame; empty texts: nothing. */
typedef struct place {
    ubi_text file, module;
} place;

static place place_of(const ubi__ubirec_tables *t, uint32_t trace) {
    const ubi__ubirec_frame *f = &t->frames.at[t->traces.at[trace].frame];
    place p = { { "", 0 }, { "", 0 } };
    uint32_t n;
    const ubi__ubirec_symbol_row *symbols = ubi__ubirec_symbols_of(t, t->traces.at[trace].frame, &n);
    if (f->type == UBI__UBIREC_NATIVE_FRAME)
        p.module = ubi__text_base_name(ubi__ubirec_string_at(t, t->modules.at[f->of].path));
    if (n > 0) {
        const ubi__ubirec_symbol_row *symbol = &symbols[ubi__asking_symbol(t, symbols, n)];
        p.file = ubi__ubirec_string_at(t, symbol->file);
    }
    return p;
}

static bool has_beginning(ubi_text text, const char *start) {
    ubi_text prefix = ubi__text(start ? start : "");
    return text.len >= prefix.len && ubi__text_equal((ubi_text){ text.ptr, prefix.len }, prefix);
}

static bool has_ending(ubi_text text, const char *end) {
    ubi_text suffix = ubi__text(end ? end : "");
    return text.len >= suffix.len &&
           ubi__text_equal((ubi_text){ text.ptr + text.len - suffix.len, suffix.len }, suffix);
}

static bool is_pool(const pool *p, const place *asks, const place *calls, uint64_t mean_bytes) {
    return has_ending(asks->file, p->file) && has_beginning(asks->module, p->module) &&
           has_beginning(calls->module, p->caller) && p->least_bytes <= mean_bytes && mean_bytes <= p->most_bytes;
}

const char *ubi__known_pool(const ubi__sites *sites, const ubi__site *site) {
    const ubi__ubirec_tables *t = &sites->summary->tables;
    const ubi__estimate *all = &site->by[UBI__MEASURE_TOTAL];
    if (site->pool != UBI__LIBC_NO_POOL && site->of_class == UBI__UBIREC_HEAP)
        return ubi__libc_pool_words(site->pool);
    if (site->heavy == UBI__UBIREC_NO_TRACE || all->samples == 0 || site->of_class != UBI__UBIREC_HEAP)
        return NULL;
    uint32_t caller = t->traces.at[site->heavy].caller;
    place asks = place_of(t, site->heavy), calls = { { "", 0 }, { "", 0 } };
    if (caller != UBI__UBIREC_NO_TRACE)
        calls = place_of(t, caller);
    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++)
        if (is_pool(&pools[i], &asks, &calls, (uint64_t)(all->met_bytes / (double)all->samples)))
            return pools[i].words;
    return NULL;
}

void ubi__known_pools_sum(ubi__estimate *kept, ubi__estimate *rest, const ubi__sites *sites) {
    *kept = *rest = (ubi__estimate){ 0 };
    for (size_t i = 0; i < sites->rows.n; i++) {
        const ubi__site *site = &sites->rows.at[i];
        const ubi__estimate *leaked = &site->by[UBI__MEASURE_LEAKED];
        if (site->of_class == UBI__UBIREC_HEAP && leaked->samples)
            ubi__estimate_join(ubi__known_pool(sites, site) ? kept : rest, leaked);
    }
}
