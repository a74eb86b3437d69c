/* SPDX-License-Identifier: MIT
 *
 * Any bytes at all through the table of known files. Promises checked:
 *
 *   - nothing after the bytes is read, and of more than UBI__BEGINNING_BYTES only these
 *   - the same bytes are always called the same, alone, read as a heap from pieces, and read as a timeline
 *   - what has sections of V8, or the beginning of one of our files, is not foreign
 *   - a refusal is one line of visible characters, which says what the file is and what to do
 */
#include "formats/recognize.h"

#include <ubiheap/core/formats.h>

#include "formats/timeline/timeline_read.h"
#include "fuzz_pieces.h"

static void require_line(const char *message) {
    size_t n = strlen(message);
    require(n > 0 && n < 500, "no message, or one that may be cut");
    for (size_t i = 0; i < n; i++)
        require((unsigned char)message[i] >= ' ' && message[i] != 0x7f, "a control character in a message");
    require(ubi__utf8_valid_prefix((ubi_text){ message, n }) == n, "a message that is not UTF-8");
}

static void check_refusal(const ubi__file_type *type, const uint8_t *data, size_t size) {
    char message[512];
    require(ubi__file_refuse(type, data, size, "none", "heap snapshot") == UBI_EFORMAT, "the file is not refused");
    snprintf(message, sizeof message, "%s", ubi_error_message());
    require_line(message);
    require(strncmp(message, "this is ", 8) == 0 && strstr(message, type->what) == message + 8, "it is not named");
    require(strstr(message, type->advice) != NULL, "no advice");
    require(ubi__file_refuse(type, data, size, "gzip", "timeline") == UBI_EFORMAT, "the file is not refused");
    require_line(ubi_error_message());
}

/* As a pipe gives them. Packed files are named by their content, which is for fuzzers of inflating. */
static void check_reading(const ubi__file_type *type, const uint8_t *data, size_t size) {
    ubi_read_options options = UBI_READ_OPTIONS_INIT;
    ubi_read_info info = UBI_READ_INFO_INIT;
    feeder f = { data, size };
    ubi_graph *graph = NULL;
    char message[512];
    options.threads = 1;
    ubi_status status = ubi_graph_read_callback(&graph, feed, &f, &options, &info);
    snprintf(message, sizeof message, "%s", ubi_error_message());
    ubi_graph_unref(graph);
    if (!info.compression || strcmp(info.compression, "none") != 0)
        return;
    if (type && type->use != UBI__FILE_HEAP) {
        require(status == UBI_EFORMAT, "a foreign file is read");
        require(ubi__file_refuse(type, data, size, "none", "heap snapshot") == UBI_EFORMAT, "the file is not refused");
        require(strcmp(message, ubi_error_message()) == 0, "pieces are called otherwise");
    }
    if (status != UBI_OK && !type)
        require(strncmp(message, "this is no kind of file", 23) == 0, "an unknown file is not called unknown");
}

static void check_timeline(const ubi__file_type *type, const uint8_t *data, size_t size) {
    ubi__timeline_file file;
    ubi__source source;
    ubi__source_open_memory(&source, data, size, ubi_allocator_default());
    ubi_status status = ubi__timeline_read(&file, &source, NULL, NULL);
    if (status == UBI_OK) {
        require(!type || type->use != UBI__FILE_RECORDING, "a recording is read as a timeline");
        ubi__timeline_file_fini(&file);
    } else {
        require(status == UBI_EFORMAT, "a failure of another kind");
        require_line(ubi_error_message());
    }
    ubi__source_close(&source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    /* Exactly as long as what may be looked at, so that a sanitizer sees more. */
    size_t n = size < UBI__BEGINNING_BYTES ? size : UBI__BEGINNING_BYTES;
    uint8_t *head = malloc(n ? n : 1);
    require(head != NULL, "out of memory");
    if (n)
        memcpy(head, data, n);
    const ubi__file_type *type = ubi__file_recognize(head, n);
    require(type == ubi__file_recognize(data, size), "what lies behind changes the answer");
    if (type)
        check_refusal(type, head, n);
    if (ubi__timeline_guess(head, n))
        require(type && (type->use == UBI__FILE_TIMELINE || n < 50 || !memchr(head + 32, '"', n - 32)),
                "a timeline is called something else");
    free(head);
    check_reading(type, data, size);
    check_timeline(type, data, size);
    return 0;
}
