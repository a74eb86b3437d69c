/* SPDX-License-Identifier: MIT
 *
 * attach_sizes.c: what the other side says of sizes, and what collecting garbage changes: measure, gc.
 */
#include <stdio.h>

#include "base/human.h"
#include "base/json_reader.h"
#include "base/status.h"
#include "base/text.h"
#include "cli/commands/attach/attach.h"
#include "render/page.h"

/* Runtimes of a process that are looked at. */
#define MOST_RUNTIMES 1000

/* The next runtime of a process; false: there is none. */
static bool runtime_next(ubi__json_cursor *runtimes, ubi_text *out) {
    ubi__json_value value;
    while (ubi__json_cursor_next_element(runtimes, &value))
        if (value.type == UBI__JSON_OBJECT) {
            *out = value.raw;
            return true;
        }
    return false;
}

/* False: the sizes are not of a process of ours. */
static bool runtimes_open(ubi__json_cursor *out, ubi_text json) {
    ubi__json_value value;
    if (!ubi__json_object_find(&value, json, "runtimeSizes") || value.type != UBI__JSON_ARRAY)
        return false;
    ubi__json_cursor_open(out, value.raw, UBI__JSON_ARRAY);
    return true;
}

/* ---- measure -------------------------------------------------------------------------------------------------------- */

static const struct use {
    const char *member, *words;
    bool is_of_scripts;
} uses[] = {
    { "jsObjectsSize", "objects", true },
    { "jsStringsSize", "strings", true },
    { "jsOtherSize", "other of JavaScript", true },
    { "heapUsedSize", "in use in the heap of JavaScript", true },
    { "heapTotalSize", "the heap of JavaScript", false },
    { "heapLimitSize", "its limit", false },
    { "backingStoresSize", "array buffers, outside of it", false },
    { "externalSize", "held by objects, outside of it", false },
    { "embedderSize", "of the embedder's heap, in use", false },
    { "domSize", "DOM", false },
    { "styleSize", "style", false },
    { "otherSize", "other", false },
    { "total", "total", false },
    { "resident", "in RAM, of the process", false },
    { "residentUnique", "in RAM, of no other process", false },
};

static const ubi__text_column measure_columns[] = { { "Size", .width = 10 } };

/* A second table. */
static ubi_status runtimes_print(const ubi__attach *a, ubi__json_cursor *runtimes) {
    ubi__vec_u8 scratch = { NULL, 0, 0 };
    ubi_status status = UBI_OK;
    ubi__text_table table;
    ubi_text runtime;
    ubi__out_char(a->cli->page.out, '\n');
    ubi__page_table(&table, &a->cli->page, "Runtime", measure_columns, 1);
    ubi__text_table_head(&table);
    while (status == UBI_OK && runtime_next(runtimes, &runtime)) {
        ubi_text title = { "", 0 };
        ubi__json_value value;
        uint64_t size_bytes = 0;
        if (ubi__json_object_find(&value, runtime, "title") && value.type == UBI__JSON_STRING)
            status = ubi__json_value_text(&title, &value, &scratch, ubi_allocator_default());
        (void)ubi__attach_number(&size_bytes, runtime, "total");
        const ubi__cell cells[] = { ubi__cell_size(size_bytes) };
        ubi__text_table_line(&table, cells, title);
    }
    ubi__vec_u8_fini(&scratch, ubi_allocator_default());
    return status;
}

static bool has_any_size(ubi_text json) {
    uint64_t size_bytes;
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        if (ubi__attach_number(&size_bytes, json, uses[i].member))
            return true;
    return false;
}

static ubi_status measure_take(void *payload, ubi_text json) {
    const ubi__attach *a = payload;
    ubi__json_cursor runtimes;
    ubi__text_table table;
    uint64_t size_bytes;
    if (!has_any_size(json))
        return ubi__fail(UBI_EFORMAT, "the answer to measure has no size: this is not measured there");
    if (a->cli->common.wants_json) {
        ubi__attach_answer_write(a, "measure", json, false);
        return UBI_OK;
    }
    ubi__page_table(&table, &a->cli->page, "Of what", measure_columns, 1);
    ubi__text_table_head(&table);
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        if (!ubi__attach_number(&size_bytes, json, uses[i].member))
            continue;
        const ubi__cell cells[] = { ubi__cell_size(size_bytes) };
        ubi__text_table_line(&table, cells, ubi__text(uses[i].words));
    }
    ubi_status status = runtimes_open(&runtimes, json) ? runtimes_print(a, &runtimes) : UBI_OK;
    if (status == UBI_OK)
        ubi__attach_pause_print(a, json);
    return status;
}

ubi_status ubi__attach_measure(const ubi__attach *a) {
    UBI_TRY(a->ops->measure(a->remote, measure_take, (void *)(uintptr_t)a));
    ubi__attach_missing_report(a);
    return UBI_OK;
}

/* ---- gc ------------------------------------------------------------------------------------------------------------- */

typedef struct runtime_size {
    uint64_t number, size_bytes;
} runtime_size;

UBI_VEC_DECLARE(runtime_sizes, runtime_size);

/* What scripts have, at one time. */
typedef struct script_sizes {
    uint64_t sum_bytes;
    bool is_of_process;
    runtime_sizes runtimes; /* of a process */
} script_sizes;

static void size_add(uint64_t *sum_bytes, uint64_t size_bytes) {
    if (*sum_bytes <= UINT64_MAX / 4 && size_bytes <= UINT64_MAX / 4)
        *sum_bytes += size_bytes;
}

static ubi_status script_sizes_take(void *payload, ubi_text json) {
    script_sizes *s = payload;
    ubi__json_cursor runtimes;
    ubi_text runtime;
    runtime_size row;
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        if (uses[i].is_of_scripts && ubi__attach_number(&row.size_bytes, json, uses[i].member))
            size_add(&s->sum_bytes, row.size_bytes);
    s->is_of_process = runtimes_open(&runtimes, json);
    while (s->is_of_process && s->runtimes.n < MOST_RUNTIMES && runtime_next(&runtimes, &runtime))
        if (ubi__attach_number(&row.number, runtime, "browserId") &&
            ubi__attach_number(&row.size_bytes, runtime, "jsSize"))
            UBI_TRY(runtime_sizes_push(&s->runtimes, ubi_allocator_default(), row));
    return UBI_OK;
}

static const runtime_size *runtime_find(const script_sizes *s, uint64_t number) {
    for (size_t i = 0; i < s->runtimes.n; i++)
        if (s->runtimes.at[i].number == number)
            return &s->runtimes.at[i];
    return NULL;
}

/* What was collected. */
typedef struct collection {
    script_sizes before, after;
    uint64_t n_runtimes; /* of a process: those that were measured both times, which the sums are of; else 0 */
} collection;

static void collection_compare(collection *c) {
    if (!c->before.is_of_process || !c->after.is_of_process)
        return;
    c->before.sum_bytes = c->after.sum_bytes = 0;
    for (size_t i = 0; i < c->before.runtimes.n; i++) {
        const runtime_size *before = &c->before.runtimes.at[i], *after = runtime_find(&c->after, before->number);
        if (!after)
            continue;
        size_add(&c->before.sum_bytes, before->size_bytes);
        size_add(&c->after.sum_bytes, after->size_bytes);
        c->n_runtimes++;
    }
}

static ubi_status collection_make(collection *c, const ubi__attach *a) {
    UBI_TRY(a->ops->measure(a->remote, script_sizes_take, &c->before));
    UBI_TRY(a->ops->collect(a->remote));
    UBI_TRY(a->ops->measure(a->remote, script_sizes_take, &c->after));
    collection_compare(c);
    return UBI_OK;
}

static void collection_print(const collection *c, const ubi__attach *a) {
    char before[UBI__HUMAN_TEXT], after[UBI__HUMAN_TEXT], where[40] = "";
    if (c->n_runtimes)
        snprintf(where, sizeof where, " in %llu runtime%s", (unsigned long long)c->n_runtimes,
                 c->n_runtimes == 1 ? "" : "s");
    ubi__out_printf(a->cli->page.out, "Garbage was collected%s: JavaScript took %s before, and takes %s now.\n", where,
                    ubi__human_size(before, c->before.sum_bytes), ubi__human_size(after, c->after.sum_bytes));
    ubi__attach_missing_report(a);
}

static void collection_write(const collection *c, const ubi__attach *a) {
    ubi__json json;
    ubi__attach_document_begin(&json, a);
    ubi__json_member_u64(&json, "sizeBefore", c->before.sum_bytes);
    ubi__json_member_u64(&json, "sizeAfter", c->after.sum_bytes);
    if (c->n_runtimes)
        ubi__json_member_u64(&json, "runtimes", c->n_runtimes);
    ubi__attach_document_end(&json, a);
}

ubi_status ubi__attach_collect(const ubi__attach *a) {
    collection c = { .n_runtimes = 0 };
    ubi_status status = collection_make(&c, a);
    if (status == UBI_OK && a->cli->common.wants_json)
        collection_write(&c, a);
    else if (status == UBI_OK)
        collection_print(&c, a);
    runtime_sizes_fini(&c.before.runtimes, ubi_allocator_default());
    runtime_sizes_fini(&c.after.runtimes, ubi_allocator_default());
    return status;
}
