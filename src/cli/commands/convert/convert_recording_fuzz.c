/* SPDX-License-Identifier: MIT
 *
 * convert_recording_fuzz.c: any bytes as a recording or a timeline, anonymized.
 *
 * Promises checked (docs/security.md): a refusal is UBI_EFORMAT with a message of one line; a copy is sound and can be read; it has the
 * events, sums, markers and times that were read from the original; and making a copy of the copy finds no fault either.
 */
#include <ubiheap/core/anonymize.h>

#include "formats/timeline/timeline_copy.h"
#include "formats/timeline/timeline_read.h"
#include "formats/ubirec/ubirec_copy.h"
#include "fuzz_pieces.h"
#include "fuzz_recording.h"
#include "recording/recording_summary.h"

static ubi_anonymizer *new_anonymizer(void) {
    static const char key[] = "the same key for every input";
    ubi_anonymizer_options options = UBI_ANONYMIZER_OPTIONS_INIT;
    ubi_anonymizer *a = NULL;
    options.key = key;
    options.key_bytes = sizeof key;
    require(ubi_anonymizer_new(&a, &options) == UBI_OK, "no anonymizer");
    return a;
}

static ubi_status keep(void *payload, const void *data, size_t n) {
    bytes_add(payload, data, n);
    return UBI_OK;
}

static bool has_message(ubi_status status) {
    return status == UBI_EFORMAT && ubi_error_message()[0] && !strchr(ubi_error_message(), '\n');
}

/* ---- recordings --------------------------------------------------------------------------------------------------- */

static ubi_status copy_recording(bytes *out, ubi__recording_copy *copy, ubi_anonymizer *a, const bytes *file) {
    ubi__source source;
    *copy = (ubi__recording_copy){ .map_text = ubi_anonymizer_text, .map_text_payload = a, .earlier_ns = 1000 };
    ubi__source_open_memory(&source, file->at, file->n, ubi_allocator_default());
    ubi_status status = ubi__recording_copy_write(copy, &source, keep, out, NULL);
    ubi__source_close(&source);
    return status;
}

static ubi_status sum_up(ubi__recording_summary *out, const bytes *file) {
    ubi__source source;
    ubi__source_open_memory(&source, file->at, file->n, ubi_allocator_default());
    ubi_status status = ubi__recording_summary_read(out, &source, NULL, NULL);
    ubi__source_close(&source);
    return status;
}

static void compare_recordings(const bytes *file, const bytes *made) {
    ubi__recording_summary a, b;
    require(sum_up(&b, made) == UBI_OK && !b.fault[0], "a copy that cannot be read");
    require(sum_up(&a, file) == UBI_OK, "a copy of what cannot be read");
    require(memcmp(a.classes, b.classes, sizeof a.classes) == 0, "other sums in the copy");
    require(a.rss_peak_bytes == b.rss_peak_bytes, "other memory in the copy");
    require(memcmp(a.tables.counters, b.tables.counters, sizeof a.tables.counters) == 0, "other counters in the copy");
    ubi__recording_summary_fini(&a);
    ubi__recording_summary_fini(&b);
}

static void try_recording(ubi_anonymizer *a, const bytes *file) {
    bytes made = { 0 }, again = { 0 };
    ubi__recording_copy copy;
    ubi_status status = copy_recording(&made, &copy, a, file);
    require(status == UBI_OK || has_message(status), "neither a copy nor bad input");
    if (status == UBI_OK) {
        compare_recordings(file, &made);
        require(copy_recording(&again, &copy, a, &made) == UBI_OK && !copy.fault[0], "no copy of the copy");
    }
    bytes_free(&made);
    bytes_free(&again);
}

/* ---- timelines ---------------------------------------------------------------------------------------------------- */

static ubi_status read_timeline(ubi__timeline_file *out, const bytes *file) {
    ubi__source source;
    ubi__source_open_memory(&source, file->at, file->n, ubi_allocator_default());
    ubi_status status = ubi__timeline_read(out, &source, NULL, NULL);
    ubi__source_close(&source);
    return status;
}

static void compare_timelines(const bytes *file, const bytes *made) {
    ubi__timeline_file a, b;
    require(read_timeline(&b, made) == UBI_OK, "a copy that cannot be read");
    require(read_timeline(&a, file) == UBI_OK, "a copy of what cannot be read");
    require(a.data.rows.n == b.data.rows.n, "other markers in the copy");
    require(a.data.frames.n == b.data.frames.n, "other frames in the copy");
    require(a.data.samples.n == b.data.samples.n, "other figures in the copy");
    for (size_t i = 0; i < a.data.rows.n; i++) {
        const ubi__timeline_row *x = &a.data.rows.at[i], *y = &b.data.rows.at[i];
        require(x->start_ns == y->start_ns && x->end_ns == y->end_ns, "other times in the copy");
        require(x->n_details == y->n_details, "other details in the copy");
    }
    ubi__timeline_file_fini(&a);
    ubi__timeline_file_fini(&b);
}

static void try_timeline(ubi_anonymizer *a, const bytes *file) {
    bytes made = { 0 };
    ubi__source source;
    ubi__timeline_copy copy = { .map_text = ubi_anonymizer_text, .map_text_payload = a };
    ubi__source_open_memory(&source, file->at, file->n, ubi_allocator_default());
    ubi_status status = ubi__timeline_copy_write(&copy, &source, keep, &made, NULL);
    ubi__source_close(&source);
    require(status == UBI_OK || has_message(status), "neither a copy nor bad input");
    if (status == UBI_OK)
        compare_timelines(file, &made);
    bytes_free(&made);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ubi_anonymizer *a = new_anonymizer();
    bytes file = { 0 };
    bool is_timeline = ubi__timeline_guess(data, size);
    if (is_timeline || ubi__ubirec_guess(data, size))
        bytes_add(&file, data, size);
    else if (size && size <= UBI__UBIREC_BLOCK_RAW_MAX)
        file = fuzz_recording_of(data, size);
    if (is_timeline)
        try_timeline(a, &file);
    else if (file.n)
        try_recording(a, &file);
    bytes_free(&file);
    ubi_anonymizer_free(a);
    return 0;
}
