/* SPDX-License-Identifier: MIT
 *
 * ubirec_numbers.c: see ubirec_numbers.h.
 */
#include "recording/ubirec_numbers.h"

#include <string.h>

#include "base/assert.h"

void ubi__ubirec_numbers_check(const ubi__ubirec_numbers *n) {
    const ubi__ubirec_tables *t = &n->tables;
    ubi__ubirec_tables_check(t);
    UBI_ASSERT(n->modules.n == t->modules.n && n->frames.n == t->frames.n && n->traces.n == t->traces.n);
    UBI_ASSERT(n->kinds.n == t->kinds.n && n->infos.n == t->infos.n && n->threads.n == t->threads.n);
    UBI_ASSERT(n->traces.at[UBI__UBIREC_NO_TRACE] == UBI__UBIREC_NO_TRACE);
    UBI_ASSERT(n->map || (ubi__strtab_count(&n->mapped) == 0 && n->next_module_address == 0));
    if (UBI_CHECKS && n->map)
        for (int what = 0; what < UBI__UBIREC_TEXT_COUNT; what++)
            for (size_t i = 0; i < n->mapped_of[what].n; i++)
                UBI_ASSERT(n->mapped_of[what].at[i] == UBI_NONE ||
                           n->mapped_of[what].at[i] < ubi__strtab_count(&n->mapped));
}

ubi_status ubi__ubirec_numbers_init(ubi__ubirec_numbers *n, ubi__ubirec_writer *writer, ubi__ubirec_map_fn *map,
                                    void *map_payload, const ubi_allocator *allocator) {
    *n = (ubi__ubirec_numbers){ .allocator = allocator, .writer = writer, .map = map, .map_payload = map_payload };
    UBI_TRY(ubi__ubirec_tables_init(&n->tables, allocator));
    ubi__strtab_init(&n->mapped, allocator);
    ubi__tuple_table_init(&n->raw_addresses, 1, "addresses", allocator);
    ubi_status status = ubi__vec_u32_push(&n->traces, allocator, UBI__UBIREC_NO_TRACE);
    if (status != UBI_OK)
        ubi__ubirec_numbers_fini(n);
    return status;
}

void ubi__ubirec_numbers_fini(ubi__ubirec_numbers *n) {
    const ubi_allocator *a = n->allocator;
    ubi__ubirec_tables_fini(&n->tables);
    ubi__vec_u32_fini(&n->modules, a);
    ubi__vec_u32_fini(&n->frames, a);
    ubi__vec_u32_fini(&n->traces, a);
    ubi__vec_u32_fini(&n->kinds, a);
    ubi__vec_u32_fini(&n->infos, a);
    ubi__vec_u32_fini(&n->threads, a);
    ubi__strtab_fini(&n->mapped);
    for (int i = 0; i < UBI__UBIREC_TEXT_COUNT; i++)
        ubi__vec_u32_fini(&n->mapped_of[i], a);
    ubi__tuple_table_fini(&n->raw_addresses);
}

/* ---- texts -------------------------------------------------------------------------------------------------------- */

/* Number of the text that is written: a string of the input, or an entry of `mapped`. */
static ubi_status number_text(ubi__ubirec_numbers *n, uint32_t *out, ubi__ubirec_text what, ubi_str_ix string) {
    ubi__vec_u32 *entries = &n->mapped_of[what];
    ubi_text text = { NULL, 0 };
    *out = string;
    if (!n->map)
        return UBI_OK;
    while (entries->n <= string)
        UBI_TRY(ubi__vec_u32_push(entries, n->allocator, UBI_NONE));
    if (entries->at[string] == UBI_NONE) {
        UBI_TRY(n->map(n->map_payload, what, ubi__ubirec_string_at(&n->tables, string), &text));
        UBI_TRY(ubi__strtab_append(&n->mapped, &entries->at[string], text));
    }
    *out = entries->at[string];
    return UBI_OK;
}

/* Borrowed until a text is numbered or a record comes. */
static ubi_text text_at(const ubi__ubirec_numbers *n, uint32_t number) {
    return n->map ? ubi__strtab_get(&n->mapped, number) : ubi__ubirec_string_at(&n->tables, number);
}

ubi_status ubi__ubirec_numbers_text(ubi__ubirec_numbers *n, ubi_text *out, ubi__ubirec_text what, ubi_str_ix string) {
    uint32_t number;
    UBI_TRY(number_text(n, &number, what, string));
    *out = text_at(n, number);
    return UBI_OK;
}

/* ---- definitions -------------------------------------------------------------------------------------------------- */

/* Where it lies in memory is another matter in each process. Those of one file that was loaded twice stay two. */
static void place_module(ubi__ubirec_numbers *n, ubi__ubirec_module_about *about, const ubi__ubirec_module_row *row) {
    if (!n->map)
        return;
    about->start = n->next_module_address;
    about->end = about->start + (row->end - row->start);
    about->bias = about->start + (row->bias - row->start);
    n->next_module_address = about->end + 1;
}

static ubi_status add_module(ubi__ubirec_numbers *n, const ubi__ubirec_module_row *row) {
    uint32_t path, build_id, number;
    UBI_TRY(number_text(n, &path, UBI__UBIREC_TEXT_FILE, row->path));
    UBI_TRY(number_text(n, &build_id, UBI__UBIREC_TEXT_BUILD_ID, row->build_id));
    ubi_text id = text_at(n, build_id);
    ubi__ubirec_module_about about = { .path = text_at(n, path),
                                       .build_id = (const uint8_t *)id.ptr,
                                       .build_id_bytes = id.len };
    place_module(n, &about, row);
    UBI_TRY(ubi__ubirec_module(n->writer, &number, &about));
    return ubi__vec_u32_push(&n->modules, n->allocator, number);
}

static ubi_status add_raw_frame(ubi__ubirec_numbers *n, uint32_t *out, uint64_t address) {
    uint32_t number;
    bool is_new;
    if (!n->map)
        return ubi__ubirec_raw_frame(n->writer, out, address);
    UBI_TRY(ubi__tuple_table_number(&n->raw_addresses, &number, &is_new, &address));
    return ubi__ubirec_raw_frame(n->writer, out, (uint64_t)number + 1);
}

static ubi_status add_script_frame(ubi__ubirec_numbers *n, uint32_t *out, const ubi__ubirec_frame *f) {
    uint32_t function, file;
    UBI_TRY(number_text(n, &function, UBI__UBIREC_TEXT_SCRIPT_FUNCTION, f->of));
    UBI_TRY(number_text(n, &file, UBI__UBIREC_TEXT_SCRIPT_FILE, f->script.file));
    return ubi__ubirec_script_frame(n->writer, out, text_at(n, function), text_at(n, file), f->script.line, f->column);
}

static ubi_status number_frame(ubi__ubirec_numbers *n, uint32_t *out, const ubi__ubirec_frame *f) {
    ubi_text label;
    switch (f->type) {
    case UBI__UBIREC_NATIVE_FRAME:
        return ubi__ubirec_native_frame(n->writer, out, n->modules.at[f->of], f->address);
    case UBI__UBIREC_RAW_FRAME:
        return add_raw_frame(n, out, f->address);
    case UBI__UBIREC_SCRIPT_FRAME:
        return add_script_frame(n, out, f);
    default:
        UBI_TRY(ubi__ubirec_numbers_text(n, &label, UBI__UBIREC_TEXT_LABEL, f->of));
        return ubi__ubirec_label_frame(n->writer, out, label);
    }
}

static ubi_status add_frame(ubi__ubirec_numbers *n, const ubi__ubirec_frame *frame) {
    uint32_t number;
    UBI_TRY(number_frame(n, &number, frame));
    return ubi__vec_u32_push(&n->frames, n->allocator, number);
}

static ubi_status add_trace(ubi__ubirec_numbers *n, uint32_t caller, uint32_t frame) {
    uint32_t number;
    UBI_TRY(ubi__ubirec_trace(n->writer, &number, n->traces.at[caller], n->frames.at[frame]));
    return ubi__vec_u32_push(&n->traces, n->allocator, number);
}

static ubi_status add_kind(ubi__ubirec_numbers *n, ubi_str_ix word, ubi__ubirec_class class_of_kind) {
    bool is_object = class_of_kind == UBI__UBIREC_OBJECT;
    ubi_text text;
    uint32_t number;
    UBI_TRY(ubi__ubirec_numbers_text(n, &text, is_object ? UBI__UBIREC_TEXT_CLASS : UBI__UBIREC_TEXT_KIND, word));
    UBI_TRY(ubi__ubirec_kind(n->writer, &number, text, class_of_kind));
    return ubi__vec_u32_push(&n->kinds, n->allocator, number);
}

static ubi_status add_info(ubi__ubirec_numbers *n, const ubi__ubirec_info_row *row) {
    uint32_t number;
    UBI_TRY(ubi__ubirec_info(n->writer, &number, n->kinds.at[row->kind], row->size_bytes, n->traces.at[row->trace],
                             row->weight_bytes));
    return ubi__vec_u32_push(&n->infos, n->allocator, number);
}

static ubi_status add_thread(ubi__ubirec_numbers *n, uint64_t tid, ubi_str_ix name) {
    ubi_text text;
    uint32_t number;
    UBI_TRY(ubi__ubirec_numbers_text(n, &text, UBI__UBIREC_TEXT_THREAD, name));
    UBI_TRY(ubi__ubirec_thread(n->writer, &number, tid, text));
    return ubi__vec_u32_push(&n->threads, n->allocator, number);
}

ubi_status ubi__ubirec_numbers_add(ubi__ubirec_numbers *n, const ubi__ubirec_record *r, bool *done) {
    UBI_TRY(ubi__ubirec_tables_add(&n->tables, r));
    *done = true;
    switch (r->type) {
    case UBI__UBIREC_STRING:
        return UBI_OK;
    case UBI__UBIREC_MODULE:
        return add_module(n, &r->module);
    case UBI__UBIREC_NATIVE_FRAME:
    case UBI__UBIREC_RAW_FRAME:
    case UBI__UBIREC_SCRIPT_FRAME:
    case UBI__UBIREC_LABEL_FRAME:
        return add_frame(n, &r->frame);
    case UBI__UBIREC_TRACE:
        return add_trace(n, r->trace.caller, r->trace.frame);
    case UBI__UBIREC_KIND:
        return add_kind(n, r->kind.word, r->kind.class_of_kind);
    case UBI__UBIREC_INFO:
        return add_info(n, &r->info);
    case UBI__UBIREC_THREAD:
        return add_thread(n, r->thread.tid, r->thread.name);
    default:
        *done = false;
        return UBI_OK;
    }
}

ubi_status ubi__ubirec_numbers_write_symbols(ubi__ubirec_numbers *n, uint32_t frame, const ubi__ubirec_symbol_row *rows,
                                             uint32_t n_rows) {
    ubi__ubirec_symbol symbols[UBI__UBIREC_SYMBOLS_MAX];
    uint32_t texts[UBI__UBIREC_SYMBOLS_MAX][2];
    for (uint32_t i = 0; i < n_rows; i++) {
        UBI_TRY(number_text(n, &texts[i][0], UBI__UBIREC_TEXT_FUNCTION, rows[i].function));
        UBI_TRY(number_text(n, &texts[i][1], UBI__UBIREC_TEXT_FILE, rows[i].file));
    }
    for (uint32_t i = 0; i < n_rows; i++)
        symbols[i] =
            (ubi__ubirec_symbol){ text_at(n, texts[i][0]), text_at(n, texts[i][1]), rows[i].line, rows[i].column };
    return ubi__ubirec_write_symbols(n->writer, n->frames.at[frame], symbols, n_rows);
}
