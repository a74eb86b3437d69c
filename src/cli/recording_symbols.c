/* SPDX-License-Identifier: MIT
 *
 * recording_symbols.c: see recording_symbols.h.
 */
#include "cli/recording_symbols.h"

#include <stdio.h>

#include "analyses/anonymize/word_map.h"
#include "base/human.h"
#include "base/text.h"
#include "symbolize/symbolize.h"

#define FRAMES_PER_PROGRESS 256
#define MODULES_TRIED (4 * UBI__RECORDING_HINTS)

typedef struct work {
    ubi__recording_hints *hints; /* NULL: do not look for what is missing */
    ubi__ubirec_tables *tables;
    ubi__symbolizer *symbolizer;
    uint32_t *numbers; /* numbers[module]: the symbolizer's; that of a file which was loaded twice comes twice */
    uint32_t *missing; /* missing[module]: its frames without names or lines */
    ubi_progress progress;
} work;

static ubi_status add_modules(work *w) {
    for (uint32_t i = 0; i < w->tables->modules.n; i++) {
        const ubi__ubirec_module_row *m = &w->tables->modules.at[i];
        ubi_text id = ubi__ubirec_string_at(w->tables, m->build_id);
        UBI_TRY(ubi__symbolizer_add_module(w->symbolizer, &w->numbers[i], ubi__ubirec_string_at(w->tables, m->path),
                                           (const uint8_t *)id.ptr, id.len));
    }
    return UBI_OK;
}

static ubi_text text_or_empty(ubi_text text) {
    return text.ptr ? text : (ubi_text){ "", 0 };
}

/* Too long chains drop the outermost, as in the file. */
static ubi_status look_up(work *w, uint32_t frame) {
    const ubi__ubirec_frame *f = &w->tables->frames.at[frame];
    ubi__ubirec_symbol symbols[UBI__UBIREC_SYMBOLS_MAX];
    const ubi__symbol *found;
    size_t n;
    UBI_TRY(ubi__symbolizer_look_up_return(w->symbolizer, &found, &n, w->numbers[f->of], f->address));
    n = n < UBI__UBIREC_SYMBOLS_MAX ? n : UBI__UBIREC_SYMBOLS_MAX;
    for (size_t i = 0; i < n; i++)
        symbols[i] = (ubi__ubirec_symbol){ text_or_empty(found[i].function), text_or_empty(found[i].file),
                                           found[i].line, found[i].column };
    return n ? ubi__ubirec_tables_add_symbols(w->tables, frame, symbols, n) : UBI_OK;
}

static bool has_lines(const ubi__ubirec_tables *t, uint32_t frame) {
    uint32_t n;
    const ubi__ubirec_symbol_row *symbols = ubi__ubirec_symbols_of(t, frame, &n);
    return n > 0 && symbols[0].line > 0;
}

static ubi_status fill_in(work *w) {
    for (uint32_t i = 0; i < w->tables->frames.n; i++) {
        uint32_t n;
        if (w->tables->frames.at[i].type != UBI__UBIREC_NATIVE_FRAME)
            continue;
        if (i % FRAMES_PER_PROGRESS == 0 && !ubi__progress(&w->progress, "symbols", i, w->tables->frames.n))
            return ubi__fail_cancelled();
        ubi__ubirec_symbols_of(w->tables, i, &n);
        if (n == 0)
            UBI_TRY(look_up(w, i));
        w->missing[w->tables->frames.at[i].of] += !has_lines(w->tables, i);
    }
    return UBI_OK;
}

/* ---- what to install ---------------------------------------------------------------------------------------------- */

/* The file of that name, if any, is a different one: its build-id was replaced, too. */
static const char *obstacle_words(const ubi__symbol_facts *facts, ubi_text build_id) {
    if (ubi__word_is_replacement(build_id))
        return "this is an anonymized copy, for which none can be found";
    return ubi__symbol_obstacle_words(facts->obstacle);
}

static void put_hint(char *out, size_t n, ubi_text path, ubi_text build_id, uint32_t n_missing,
                     const ubi__symbol_facts *facts) {
    char count[UBI__HUMAN_TEXT];
    size_t start = path.len;
    while (start > 0 && path.ptr[start - 1] != '/')
        start--;
    int used = snprintf(out, n, "%s address%s of %.*s %s no line: ", ubi__human_count(count, n_missing),
                        n_missing == 1 ? "" : "es", (int)(path.len - start < 80 ? path.len - start : 80),
                        path.ptr + start, n_missing == 1 ? "has" : "have");
    if (facts->package.ptr)
        snprintf(out + used, n - (size_t)used, "install %.*s", (int)(facts->package.len < 80 ? facts->package.len : 80),
                 facts->package.ptr);
    else
        snprintf(out + used, n - (size_t)used, "%s", obstacle_words(facts, build_id));
}

/* The modules that lack most come first. */
static uint32_t next_missing(work *w) {
    uint32_t most = 0;
    for (uint32_t i = 1; i < w->tables->modules.n; i++)
        if (w->missing[i] > w->missing[most])
            most = i;
    return w->missing[most] ? most : UBI_NONE;
}

/* Those that lack most; more are tried than shown, as some have nothing to report. */
static ubi_status gather_hints(work *w) {
    ubi__recording_hints *hints = w->hints;
    for (unsigned tries = 0; tries < MODULES_TRIED && hints->n < UBI__RECORDING_HINTS; tries++) {
        ubi__symbol_facts facts;
        uint32_t module = w->tables->modules.n ? next_missing(w) : UBI_NONE;
        if (module == UBI_NONE)
            return UBI_OK;
        UBI_TRY(ubi__symbolizer_facts(w->symbolizer, &facts, w->numbers[module]));
        if (facts.obstacle != UBI__OBSTACLE_NONE) { /* else single unknown functions, as in start-up code */
            ubi__recording_hint *hint = &hints->at[hints->n++];
            hint->module = module;
            const ubi__ubirec_module_row *row = &w->tables->modules.at[module];
            put_hint(hint->text, sizeof hint->text, ubi__ubirec_string_at(w->tables, row->path),
                     ubi__ubirec_string_at(w->tables, row->build_id), w->missing[module], &facts);
        }
        w->missing[module] = 0;
    }
    for (uint32_t i = 0; i < w->tables->modules.n; i++)
        hints->n_left_out += w->missing[i] > 0;
    return UBI_OK;
}

static ubi_status frames_symbolize(work *w) {
    UBI_TRY(add_modules(w));
    UBI_TRY(fill_in(w));
    return w->hints ? gather_hints(w) : UBI_OK;
}

static ubi_status symbolizer_run(work *w) {
    const ubi_allocator *a = ubi_allocator_default();
    size_t n = w->tables->modules.n + 1;
    UBI_TRY(ubi__symbolizer_new(&w->symbolizer, NULL, NULL));
    w->missing = ubi__calloc_array(a, n, sizeof *w->missing);
    w->numbers = ubi__calloc_array(a, n, sizeof *w->numbers);
    ubi_status status = w->missing && w->numbers ? frames_symbolize(w) : ubi__fail_nomem();
    ubi__free_array(a, w->numbers, n, sizeof *w->numbers);
    ubi__free_array(a, w->missing, n, sizeof *w->missing);
    ubi__symbolizer_free(w->symbolizer);
    return status;
}

ubi_status ubi__recording_name_frames(ubi__ubirec_tables *tables, ubi__recording_hints *hints,
                                      const ubi_progress *progress) {
    work w = { .hints = hints, .tables = tables };
    if (progress)
        w.progress = *progress;
    return symbolizer_run(&w);
}
