/* SPDX-License-Identifier: MIT
 *
 * Any bytes at all through the reader of timelines. Promises checked (docs/security.md): every index of what is read is valid and
 * rows are in order; how the bytes arrive does not matter; a refusal has a message of one line; all memory is given back, and
 * there is never more of it than the bytes justify.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail_allocator.h"
#include "formats/timeline/timeline_read.h"
#include "fuzz_pieces.h"
#include "timeline/timeline_nest.h"

/* Windows and the decompressor, and what a byte can turn into at most: nesting takes the most. */
#define FIXED_BYTES (UINT64_C(4) << 20)
#define BYTES_PER_BYTE 64

static void check_rows(const ubi__timeline_data *d) {
    for (size_t i = 0; i < d->rows.n; i++) {
        const ubi__timeline_row *row = &d->rows.at[i];
        require(row->name < ubi__strtab_count(&d->texts), "a name that is not there");
        require(row->end_ns >= row->start_ns && row->end_ns <= d->end_ns && row->start_ns >= d->begin_ns,
                "a wrong time");
        require(row->thread == 0 || row->thread < d->threads.n, "a thread that is not there");
        require(row->stack == UBI_NONE || row->stack < d->frames.n, "a stack that is not there");
        require(row->end_stack == UBI_NONE || row->end_stack < d->frames.n, "an end stack that is not there");
        require((size_t)row->first_detail + row->n_details <= d->details.n, "details that are not there");
        require(i == 0 || row[-1].start_ns <= row->start_ns, "rows out of order");
    }
}

static void check_frames(const ubi__timeline_data *d) {
    for (uint32_t i = 0; i < d->frames.n; i++) {
        const ubi__timeline_frame *f = &d->frames.at[i];
        require(f->parent == UBI_NONE || f->parent < i, "a parent that comes later");
        require(f->async_parent == UBI_NONE || f->async_parent < i, "an async parent that comes later");
    }
}

static void check_nest(const ubi__timeline_data *d, bool firefox) {
    ubi__timeline_nest nest;
    uint64_t total = 0;
    require(ubi__timeline_nest_init(&nest, d, firefox) == UBI_OK, "no nesting");
    for (uint32_t i = 0; i < nest.n; i++) {
        require(nest.parent[i] == UBI_NONE || nest.parent[i] < nest.n, "a parent that is not there");
        require(nest.self_ns[i] <= ubi__timeline_duration_ns(&d->rows.at[i]), "more time in itself than it took");
    }
    for (size_t s = 0; s < nest.sums.n; s++)
        total += nest.sums.at[s].count;
    require(total == nest.n, "a marker that counts twice or not at all");
    ubi__timeline_nest_fini(&nest);
}

static ubi_status read_memory(ubi__timeline_file *out, const uint8_t *data, size_t size, const ubi_allocator *a) {
    ubi__source source;
    ubi__source_open_memory(&source, data, size, a);
    ubi_status status = ubi__timeline_read(out, &source, NULL, a);
    ubi__source_close(&source);
    return status;
}

static ubi_status read_pieces(ubi__timeline_file *out, const uint8_t *data, size_t size) {
    ubi__source source;
    feeder f = { data, size };
    ubi__source_open_callback(&source, feed, &f, ubi_allocator_default());
    ubi_status status = ubi__timeline_read(out, &source, NULL, NULL);
    ubi__source_close(&source);
    return status;
}

static void require_same(const ubi__timeline_file *a, const ubi__timeline_file *b) {
    require(strcmp(a->fault, b->fault) == 0 && a->n_lines == b->n_lines, "short reads give another fault");
    require(a->data.rows.n == b->data.rows.n, "short reads give other markers");
    if (a->data.rows.n)
        require(memcmp(a->data.rows.at, b->data.rows.at, a->data.rows.n * sizeof *a->data.rows.at) == 0,
                "short reads give other markers");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fail_allocator f;
    ubi__timeline_file file, again;
    fail_allocator_init(&f, FAIL_ALLOCATOR_NEVER);
    ubi_status status = read_memory(&file, data, size, &f.allocator);
    require(read_pieces(&again, data, size) == status, "short reads give another status");
    if (status == UBI_OK) {
        check_rows(&file.data);
        check_frames(&file.data);
        require_same(&file, &again);
        check_nest(&file.data, false);
        check_nest(&file.data, true);
        bool is_plain = strcmp(file.compression, "none") == 0;
        require(!is_plain || f.peak_bytes <= FIXED_BYTES + (uint64_t)size * BYTES_PER_BYTE,
                "more memory than the bytes justify");
        require(!strchr(file.fault, '\n'), "a fault of more than one line");
        ubi__timeline_file_fini(&file);
        ubi__timeline_file_fini(&again);
    } else {
        require(ubi_error_message()[0] && !strchr(ubi_error_message(), '\n'), "message is not one line");
    }
    fail_allocator_fini(&f);
    return 0;
}
