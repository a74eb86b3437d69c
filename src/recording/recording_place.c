/* SPDX-License-Identifier: MIT
 *
 * recording_place.c: see recording_place.h.
 */
#include "recording/recording_place.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"

static const ubi_text nothing = { "", 0 };

static void place_of_frame(ubi__recording_place *out, const ubi__ubirec_tables *t, const ubi__ubirec_frame *f) {
    *out = (ubi__recording_place){ .function = nothing, .file = nothing, .module = nothing };
    switch (f->type) {
    case UBI__UBIREC_NATIVE_FRAME:
        out->module = ubi__ubirec_string_at(t, t->modules.at[f->of].path); /* fall through */
    case UBI__UBIREC_RAW_FRAME:
        out->address = f->address;
        out->has_address = true;
        break;
    case UBI__UBIREC_SCRIPT_FRAME:
        out->function = ubi__ubirec_string_at(t, f->of);
        out->file = ubi__ubirec_string_at(t, f->script.file);
        out->line = f->script.line;
        out->column = f->column;
        break;
    default:
        out->function = ubi__ubirec_string_at(t, f->of);
    }
}

static void add_symbol(ubi__recording_place *out, const ubi__ubirec_tables *t, const ubi__ubirec_symbol_row *symbol) {
    out->function = ubi__ubirec_string_at(t, symbol->function);
    out->file = ubi__ubirec_string_at(t, symbol->file);
    out->line = symbol->line;
    out->column = symbol->column;
    if (!out->function.len && out->file.len &&
        !out->module.len) /* made at run time, without a name: where it is says more */
        out->has_address = false;
}

void ubi__recording_frame_place(ubi__recording_place *out, const ubi__ubirec_tables *t, uint32_t frame,
                                uint32_t symbol) {
    uint32_t n;
    const ubi__ubirec_symbol_row *symbols = ubi__ubirec_symbols_of(t, frame, &n);
    place_of_frame(out, t, &t->frames.at[frame]);
    if (symbol < n)
        add_symbol(out, t, &symbols[symbol]);
}

uint32_t ubi__recording_asking_symbol(const ubi__ubirec_tables *t, uint32_t trace) {
    uint32_t n;
    if (trace == UBI__UBIREC_NO_TRACE)
        return 0;
    const ubi__ubirec_symbol_row *symbols = ubi__ubirec_symbols_of(t, t->traces.at[trace].frame, &n);
    return n ? ubi__asking_symbol(t, symbols, n) : 0;
}

void ubi__recording_walk_trace(ubi__recording_walk *walk, const ubi__ubirec_tables *t, uint32_t trace) {
    *walk = (ubi__recording_walk){ .tables = t, .trace = trace, .symbol = ubi__recording_asking_symbol(t, trace) };
}

void ubi__recording_walk_whole(ubi__recording_walk *walk, const ubi__ubirec_tables *t, uint32_t trace) {
    *walk = (ubi__recording_walk){ .tables = t, .trace = trace };
}

void ubi__recording_walk_stack(ubi__recording_walk *walk, const ubi__ubirec_tables *t, const ubi__site *site) {
    ubi__recording_walk_trace(walk, t, site->heavy);
}

void ubi__recording_walk_wrappers(ubi__recording_walk *walk, const ubi__ubirec_tables *t, const ubi__site *site) {
    *walk = (ubi__recording_walk){ .tables = t,
                                   .trace = site->inner,
                                   .end_trace = site->heavy,
                                   .end_symbol = ubi__recording_asking_symbol(t, site->heavy) };
}

bool ubi__recording_walk_next(ubi__recording_walk *walk, ubi__recording_place *out) {
    const ubi__ubirec_tables *t = walk->tables;
    uint32_t n;
    if (walk->trace == UBI__UBIREC_NO_TRACE || (walk->trace == walk->end_trace && walk->symbol == walk->end_symbol))
        return false;
    uint32_t frame = t->traces.at[walk->trace].frame;
    const ubi__ubirec_symbol_row *symbols = ubi__ubirec_symbols_of(t, frame, &n);
    place_of_frame(out, t, &t->frames.at[frame]);
    if (walk->symbol < n) {
        add_symbol(out, t, &symbols[walk->symbol]);
        out->is_inlined = walk->symbol + 1 < n;
        walk->symbol++;
    }
    if (walk->symbol >= n) {
        walk->trace = t->traces.at[walk->trace].caller;
        walk->symbol = 0;
    }
    return true;
}

bool ubi__recording_site_place(ubi__recording_place *out, const ubi__ubirec_tables *t, const ubi__site *site) {
    ubi__recording_walk walk;
    ubi__recording_walk_stack(&walk, t, site);
    return ubi__recording_walk_next(&walk, out);
}

bool ubi__recording_wrapper(ubi__recording_place *out, const ubi__sites *sites, uint32_t *frame) {
    const ubi__ubirec_tables *t = &sites->summary->tables;
    uint32_t n;
    while (*frame < t->frames.n && sites->roles[*frame] != UBI__FRAME_WRAPPER)
        ++*frame;
    if (*frame >= t->frames.n)
        return false;
    const ubi__ubirec_symbol_row *symbols = ubi__ubirec_symbols_of(t, *frame, &n);
    place_of_frame(out, t, &t->frames.at[*frame]);
    if (n > 0)
        add_symbol(out, t, &symbols[ubi__asking_symbol(t, symbols, n)]);
    ++*frame;
    return true;
}

void ubi__recording_place_name(char *out, size_t n, const ubi__recording_place *place) {
    ubi_text module = ubi__text_base_name(place->module);
    if (place->function.len)
        snprintf(out, n, "%.*s", (int)place->function.len, place->function.ptr);
    else if (!place->has_address)
        snprintf(out, n, "(anonymous)");
    else if (module.len)
        snprintf(out, n, "%.*s+0x%" PRIx64, (int)module.len, module.ptr, place->address);
    else
        snprintf(out, n, "0x%" PRIx64, place->address);
}

void ubi__recording_place_position(char *out, size_t n, const ubi__recording_place *place) {
    ubi_text file = ubi__text_base_name(place->file), module = ubi__text_base_name(place->module);
    if (file.len && place->line)
        snprintf(out, n, "%.*s:%" PRIu32, (int)file.len, file.ptr, place->line);
    else if (file.len)
        snprintf(out, n, "%.*s", (int)file.len, file.ptr);
    else if (place->function.len)
        snprintf(out, n, "%.*s", (int)module.len, module.ptr);
    else
        out[0] = 0;
}
