/* SPDX-License-Identifier: MIT
 *
 * cli_ask.c: see cli_ask.h.
 *
 * One command asks one question, so its sessions have no limit: what is computed is needed.
 */
#include "cli/cli_ask.h"

#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/status.h"
#include "session/part.h"

typedef struct heaps {
    ubi_session_pool *pool;
    ubi_session **sessions; /* sessions[n], as uses */
    ubi_session_use **uses;
    uint32_t n;
} heaps;

static ubi_status heap_open(heaps *h, ubi__cli *cli, const char *path) {
    ubi_session_options options = UBI_SESSION_OPTIONS_INIT;
    ubi_session_use_options use = UBI_SESSION_USE_OPTIONS_INIT;
    options.threads = ubi__cli_threads(cli);
    options.compat = cli->compat;
    use.progress = ubi__progress_line_callbacks(&cli->progress);
    UBI_TRY(ubi__session_open_unread(&h->sessions[h->n], h->pool, path, &options));
    ubi_status status = ubi_session_use_begin(&h->uses[h->n], h->sessions[h->n], &use);
    if (status == UBI_OK)
        h->n++;
    else
        ubi_session_unref(h->sessions[h->n]);
    return status;
}

static ubi_status heaps_open(heaps *h, ubi__cli *cli, char **paths, uint32_t n) {
    ubi_session_pool_options options = UBI_SESSION_POOL_OPTIONS_INIT;
    options.limit_bytes = UINT64_MAX;
    UBI_TRY(ubi_session_pool_new(&h->pool, &options));
    h->sessions = ubi__calloc_array(ubi_allocator_default(), n, sizeof *h->sessions);
    h->uses = ubi__calloc_array(ubi_allocator_default(), n, sizeof *h->uses);
    if (!h->sessions || !h->uses)
        return ubi__fail_nomem();
    for (uint32_t i = 0; i < n; i++)
        UBI_TRY(heap_open(h, cli, paths[i]));
    return UBI_OK;
}

static void heaps_close(heaps *h, uint32_t n) {
    for (uint32_t i = 0; i < h->n; i++) {
        ubi_session_use_end(h->uses[i]);
        ubi_session_unref(h->sessions[i]);
    }
    ubi__free_array(ubi_allocator_default(), h->uses, n, sizeof *h->uses);
    ubi__free_array(ubi_allocator_default(), h->sessions, n, sizeof *h->sessions);
    ubi_session_pool_unref(h->pool);
}

/* The operands behind the heaps. A list takes all that are left. */
static ubi_status operands_store(void *values, const ubi__usage *usage, char **operands, int n) {
    int i = 0;
    for (const ubi__parameter *p = usage->parameters; (p = ubi__parameter_at(p)); p++) {
        if (!p->is_operand)
            continue;
        bool is_list = p->kind == UBI__PARAMETER_NODES || p->kind == UBI__PARAMETER_TEXTS;
        for (int last = is_list ? n : i + 1; i < last && i < n; i++)
            UBI_TRY(ubi__parameter_store_text(values, p, operands[i], p->argument));
    }
    UBI_ASSERT(i == n);
    return UBI_OK;
}

static ubi_status inquiry_write(const ubi__inquiry *inquiry, ubi__cli *cli) {
    ubi__json json;
    if (!cli->common.wants_json)
        return ubi__inquiry_write_page(inquiry, &cli->page);
    ubi__json_init(&json, ubi__out_write, cli->page.out, false);
    json.is_for_terminal = isatty(cli->output->fd);
    ubi_status status = ubi__inquiry_write_document(inquiry, &json);
    return status == UBI_EIO ? UBI_OK : status; /* refused writes stick in the output, where they are reported */
}

static ubi_status heaps_ask(ubi__cli *cli, const ubi__question *question, const void *values, const heaps *h,
                            const char *subject) {
    ubi__asked asked = { .heaps = h->uses,
                         .n_heaps = h->n,
                         .values = values,
                         .compat = cli->compat,
                         .is_for_page = !cli->common.wants_json };
    ubi__inquiry *inquiry;
    UBI_TRY(ubi__inquiry_begin(&inquiry, question, &asked));
    cli->subject = subject;
    ubi_status status = ubi__inquiry_compute(inquiry);
    ubi__progress_line_clear(&cli->progress);
    if (status == UBI_OK)
        status = inquiry_write(inquiry, cli);
    ubi__inquiry_end(inquiry);
    return status;
}

ubi_status ubi__cli_ask(ubi__cli *cli, const ubi__question *question, void *values, char **operands, int n_operands) {
    heaps h = { 0 };
    uint32_t n = question->most_heaps < (uint32_t)n_operands ? question->most_heaps : (uint32_t)n_operands;
    const char *subject = strcmp(operands[0], "-") == 0 ? "standard input" : operands[0];
    UBI_TRY(operands_store(values, &question->usage, operands + n, n_operands - (int)n));
    ubi_status status = heaps_open(&h, cli, operands, n);
    if (status == UBI_OK)
        status = heaps_ask(cli, question, values, &h, subject);
    heaps_close(&h, n);
    return status;
}
