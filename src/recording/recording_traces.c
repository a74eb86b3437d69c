/* SPDX-License-Identifier: MIT
 *
 * recording_traces.c: see recording_traces.h.
 */
#include "recording/recording_traces.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define POSITION_BYTES 64

typedef struct namer {
    const ubi__ubirec_tables *tables;
    ubi__trace_table *traces;
    ubi__vec_u8 text; /* of the name at hand */
} namer;

static ubi_status text_add(namer *n, ubi_text text) {
    UBI_TRY(ubi__vec_u8_reserve(&n->text, n->traces->allocator, text.len + 1));
    if (text.len)
        memcpy(n->text.at + n->text.n, text.ptr, text.len);
    n->text.n += text.len;
    return UBI_OK;
}

/* "function (file:line:column)", as far as it is known, called by `trace`, which becomes the new one. */
static ubi_status function_add(namer *n, ubi__trace_ix *trace, const ubi__ubirec_symbol_row *symbol) {
    char position[POSITION_BYTES] = "";
    ubi_text function = ubi__ubirec_string_at(n->tables, symbol->function);
    ubi_text file = ubi__ubirec_string_at(n->tables, symbol->file);
    ubi_str_ix name;
    n->text.n = 0;
    UBI_TRY(text_add(n, function.len ? function : ubi__text("(anonymous)")));
    if (file.len) {
        if (symbol->column)
            snprintf(position, sizeof position, ":%" PRIu32 ":%" PRIu32, symbol->line, symbol->column);
        else if (symbol->line)
            snprintf(position, sizeof position, ":%" PRIu32, symbol->line);
        UBI_TRY(text_add(n, ubi__text(" (")));
        UBI_TRY(text_add(n, file));
        UBI_TRY(text_add(n, ubi__text(position)));
        UBI_TRY(text_add(n, ubi__text(")")));
    }
    UBI_TRY(ubi__trace_table_name(n->traces, &name, (ubi_text){ (const char *)n->text.at, n->text.n }));
    return ubi__trace_table_child(n->traces, trace, *trace, name);
}

/* A frame without symbols. */
static ubi_status plain_add(namer *n, ubi__trace_ix *trace, const ubi__ubirec_frame *f) {
    char address[POSITION_BYTES];
    bool is_native = f->type == UBI__UBIREC_NATIVE_FRAME;
    ubi_str_ix name;
    if (f->type == UBI__UBIREC_SCRIPT_FRAME) {
        ubi__ubirec_symbol_row symbol = { f->of, f->script.file, f->script.line, f->column };
        return function_add(n, trace, &symbol);
    }
    n->text.n = 0;
    snprintf(address, sizeof address, is_native ? "+0x%" PRIx64 : "0x%" PRIx64, f->address);
    if (is_native)
        UBI_TRY(text_add(n, ubi__text_base_name(ubi__ubirec_string_at(n->tables, n->tables->modules.at[f->of].path))));
    if (f->type == UBI__UBIREC_LABEL_FRAME)
        UBI_TRY(text_add(n, ubi__ubirec_string_at(n->tables, f->of)));
    else
        UBI_TRY(text_add(n, ubi__text(address)));
    UBI_TRY(ubi__trace_table_name(n->traces, &name, (ubi_text){ (const char *)n->text.at, n->text.n }));
    return ubi__trace_table_child(n->traces, trace, *trace, name);
}

/* The functions of a frame on top of `trace`, the outermost first. */
static ubi_status frame_add(namer *n, ubi__trace_ix *trace, uint32_t frame) {
    uint32_t left;
    const ubi__ubirec_symbol_row *symbols = ubi__ubirec_symbols_of(n->tables, frame, &left);
    if (left == 0)
        return plain_add(n, trace, &n->tables->frames.at[frame]);
    while (left > 0)
        UBI_TRY(function_add(n, trace, &symbols[--left]));
    return UBI_OK;
}

static ubi_status traces_name(namer *n, ubi__trace_ix *traces) {
    const ubi__vec_ubirec_trace *of_file = &n->tables->traces;
    traces[UBI__UBIREC_NO_TRACE] = UBI__TRACE_ROOT;
    for (uint32_t i = 1; i < of_file->n; i++) {
        traces[i] = traces[of_file->at[i].caller];
        UBI_TRY(frame_add(n, &traces[i], of_file->at[i].frame));
    }
    return UBI_OK;
}

ubi_status ubi__recording_traces_name(ubi__trace_table *out, ubi__trace_ix *traces, const ubi__ubirec_tables *tables) {
    namer n = { .tables = tables, .traces = out };
    ubi_status status = traces_name(&n, traces);
    ubi__vec_u8_fini(&n.text, out->allocator);
    return status;
}
