/* SPDX-License-Identifier: MIT
 *
 * live_places.c: see live_places.h.
 */
#include "cli/commands/record/live_places.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/status.h"
#include "base/text.h"
#include "recording/known_frames.h"

/* Frames in which allocators are looked for; and places. */
#define ALLOCATOR_FRAMES 12
#define MOST_FRAMES 256

typedef enum role { UNSEEN, ASKS, PASSES_ON, ALLOCATES } role;

ubi_status ubi__live_places_init(ubi__live_places *places, const ubi_allocator *allocator) {
    *places = (ubi__live_places){ .allocator = allocator };
    ubi__strtab_init(&places->names, allocator);
    return ubi__symbolizer_new(&places->symbolizer, NULL, allocator);
}

void ubi__live_places_fini(ubi__live_places *places) {
    const ubi_allocator *a = places->allocator;
    ubi__symbolizer_free(places->symbolizer);
    ubi__vec_u32_fini(&places->modules, a);
    ubi__vec_live_fact_fini(&places->frames, a);
    ubi__vec_u32_fini(&places->of_traces, a);
    ubi__vec_live_place_fini(&places->rows, a);
    ubi__strtab_fini(&places->names);
}

/* ---- names -------------------------------------------------------------------------------------------------------- */

static ubi_status name_intern(ubi__live_places *places, ubi_str_ix *out, ubi_text function, const char *position) {
    char text[UBI__SYMBOL_NAME_BYTES + 320];
    size_t n = function.len < UBI__SYMBOL_NAME_BYTES ? function.len : UBI__SYMBOL_NAME_BYTES;
    memcpy(text, function.ptr, n);
    text[n] = '\0';
    int more = snprintf(text + n + 1, sizeof text - n - 1, "%s", position);
    return ubi__strtab_intern(&places->names, out, (ubi_text){ text, n + 1 + (size_t)more });
}

static ubi_status symbol_name(ubi__live_places *places, ubi_str_ix *out, const ubi__symbol *symbol, ubi_text module) {
    char position[300];
    ubi_text file = ubi__text_base_name(symbol->file);
    int n = file.len < 256 ? (int)file.len : 256;
    if (symbol->line && n)
        snprintf(position, sizeof position, "%.*s:%" PRIu32, n, file.ptr, symbol->line);
    else
        snprintf(position, sizeof position, "%.*s", module.len < 256 ? (int)module.len : 256, module.ptr);
    return name_intern(places, out, symbol->function, position);
}

static ubi_status offset_name(ubi__live_places *places, ubi_str_ix *out, ubi_text module, uint64_t offset) {
    char text[300];
    int n =
        snprintf(text, sizeof text, "%.*s+0x%" PRIx64, module.len < 256 ? (int)module.len : 256, module.ptr, offset);
    return name_intern(places, out, (ubi_text){ text, (size_t)n }, "");
}

static bool is_of_library(ubi_text module) {
    static const char *const libraries[] = { "libc.so", "libc-2.", "ld-linux", "libstdc++.so", "libc++.so" };
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (ubi__text_begins(module, libraries[i]))
            return true;
    return false;
}

/* The symbols of a frame, innermost first: what is inside of an allocator is the allocator's. */
static ubi_status symbols_judge(ubi__live_places *places, ubi__live_fact *out, const ubi__symbol *symbols, size_t n,
                                ubi_text module) {
    size_t at = 0;
    for (size_t i = 0; i < n; i++)
        if (ubi__allocator_role_of(symbols[i].function) == UBI__ALLOCATOR)
            at = i + 1;
    if (at == n)
        out->role = ALLOCATES;
    while (at < n && ubi__allocator_role_of(symbols[at].function) != UBI__NO_ALLOCATOR)
        at++;
    if (at == n) {
        out->role = out->role ? out->role : PASSES_ON;
        at = n - 1;
    } else
        out->role = is_of_library(module) ? PASSES_ON : ASKS;
    return symbol_name(places, &out->name, &symbols[at], module);
}

static ubi_status module_number(ubi__live_places *places, uint32_t *out, const ubi__live_copy *copy, uint32_t module) {
    while (places->modules.n <= module)
        UBI_TRY(ubi__vec_u32_push(&places->modules, places->allocator, UBI_NONE));
    const ubi__live_module *m = &copy->modules.at[module];
    if (places->modules.at[module] == UBI_NONE)
        UBI_TRY(ubi__symbolizer_add_module(places->symbolizer, &places->modules.at[module],
                                           (ubi_text){ m->path, m->path_bytes }, m->build_id, m->build_id_bytes));
    *out = places->modules.at[module];
    return UBI_OK;
}

static ubi_status frame_judge(ubi__live_places *places, ubi__live_fact *out, const ubi__live_copy *copy,
                              uint32_t frame) {
    const ubi__symbol *symbols;
    size_t n;
    uint32_t module;
    const ubi__live_frame *f = &copy->frames.at[frame];
    if (f->module >= copy->modules.n) {
        out->role = ASKS;
        return name_intern(places, &out->name, ubi__text("(code of no file)"), "");
    }
    ubi_text path = { copy->modules.at[f->module].path, copy->modules.at[f->module].path_bytes };
    ubi_text name = ubi__text_base_name(path);
    UBI_TRY(module_number(places, &module, copy, f->module));
    UBI_TRY(ubi__symbolizer_look_up_return(places->symbolizer, &symbols, &n, module, f->offset));
    if (n > 0 && symbols[0].function.len)
        return symbols_judge(places, out, symbols, n, name);
    out->role = is_of_library(name) ? PASSES_ON : ASKS;
    return offset_name(places, &out->name, name, f->offset);
}

/* ---- places of stacks --------------------------------------------------------------------------------------------- */

/* @param n_left  frames that may still be looked up. UNSEEN through `out`: 0, and it has not been. */
static ubi_status frame_fact(ubi__live_places *places, ubi__live_fact *out, const ubi__live_copy *copy, uint32_t frame,
                             size_t *n_left) {
    const ubi__live_fact none = { .name = UBI_NONE };
    *out = none;
    if (frame >= copy->frames.n) {
        out->role = ASKS;
        return name_intern(places, &out->name, ubi__text("(code of no file)"), "");
    }
    while (places->frames.n <= frame)
        UBI_TRY(ubi__vec_live_fact_push(&places->frames, places->allocator, none));
    ubi__live_fact *fact = &places->frames.at[frame];
    if (fact->role == UNSEEN && *n_left > 0) {
        --*n_left;
        ubi__live_fact found = none;
        UBI_TRY(frame_judge(places, &found, copy, frame));
        *fact = found;
    }
    *out = *fact;
    return UBI_OK;
}

/* @param out  UBI_NONE: not all of it is known yet. */
static ubi_status trace_place(ubi__live_places *places, ubi_str_ix *out, const ubi__live_copy *copy, uint32_t trace,
                              size_t *n_left) {
    ubi__live_fact fact;
    ubi_str_ix found = UBI_NONE, last = UBI_NONE;
    *out = UBI_NONE;
    for (unsigned i = 0; trace && i < MOST_FRAMES && (found == UBI_NONE || i < ALLOCATOR_FRAMES); i++) {
        UBI_TRY(frame_fact(places, &fact, copy, copy->traces.at[trace].frame, n_left));
        if (fact.role == UNSEEN)
            return UBI_OK;
        last = fact.name;
        if (fact.role == ALLOCATES)
            found = UBI_NONE;
        else if (fact.role == ASKS && found == UBI_NONE)
            found = fact.name;
        trace = copy->traces.at[trace].caller;
    }
    if (found == UBI_NONE && last == UBI_NONE)
        return name_intern(places, out, ubi__text("(no stack)"), "");
    *out = found == UBI_NONE ? last : found;
    return UBI_OK;
}

/* ---- sums --------------------------------------------------------------------------------------------------------- */

static int rows_compare(const void *a, const void *b) {
    const ubi__live_place *x = a, *y = b;
    int order = (x->live_bytes < y->live_bytes) - (x->live_bytes > y->live_bytes);
    return order ? order : (x->name > y->name) - (x->name < y->name);
}

/* Names are numbered from 0 on, so a row for each. */
static ubi_status rows_sum(ubi__live_places *places, const ubi__live_copy *copy) {
    uint32_t n = ubi__strtab_count(&places->names);
    places->rows.n = 0;
    places->unnamed_bytes = 0;
    UBI_TRY(ubi__vec_live_place_reserve(&places->rows, places->allocator, n));
    for (uint32_t i = 0; i < n; i++)
        places->rows.at[places->rows.n++] = (ubi__live_place){ .name = i };
    for (size_t i = 0; i < copy->traces.n; i++) {
        const ubi__live_trace *t = &copy->traces.at[i];
        ubi_str_ix name = i < places->of_traces.n ? places->of_traces.at[i] : UBI_NONE;
        if (name == UBI_NONE) {
            places->unnamed_bytes += t->live_bytes;
            continue;
        }
        places->rows.at[name].live_bytes += t->live_bytes;
        places->rows.at[name].total_bytes += t->total_bytes;
    }
    if (places->rows.n)
        qsort(places->rows.at, places->rows.n, sizeof *places->rows.at, rows_compare);
    return UBI_OK;
}

/* Another process has other numbers for everything; what the symbolizer knows of files stays. */
static void process_change(ubi__live_places *places, uint32_t process) {
    places->process = process;
    places->modules.n = places->frames.n = places->of_traces.n = 0;
}

ubi_status ubi__live_places_update(ubi__live_places *places, const ubi__live_copy *copy, size_t n_frames,
                                   bool *is_whole) {
    *is_whole = true;
    if (places->process != copy->number)
        process_change(places, copy->number);
    for (uint32_t i = 0; i < copy->traces.n; i++) {
        bool is_known = i < places->of_traces.n && places->of_traces.at[i] != UBI_NONE;
        if (is_known)
            continue;
        if (i >= places->of_traces.n)
            UBI_TRY(ubi__vec_u32_push(&places->of_traces, places->allocator, UBI_NONE));
        /* Stacks that only lead to others have nothing to name. */
        if (copy->traces.at[i].total_bytes)
            UBI_TRY(trace_place(places, &places->of_traces.at[i], copy, i, &n_frames));
        *is_whole &= !copy->traces.at[i].total_bytes || places->of_traces.at[i] != UBI_NONE;
    }
    return rows_sum(places, copy);
}

ubi_text ubi__live_place_function(const ubi__live_places *places, const ubi__live_place *row) {
    ubi_text name = ubi__strtab_get(&places->names, row->name);
    const char *end = memrchr(name.ptr, '\0', name.len);
    return (ubi_text){ name.ptr, end ? (size_t)(end - name.ptr) : name.len };
}

ubi_text ubi__live_place_position(const ubi__live_places *places, const ubi__live_place *row) {
    ubi_text name = ubi__strtab_get(&places->names, row->name);
    const char *end = memrchr(name.ptr, '\0', name.len);
    return end ? (ubi_text){ end + 1, (size_t)(name.ptr + name.len - end - 1) } : ubi__text("");
}
