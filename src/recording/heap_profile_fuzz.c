/* SPDX-License-Identifier: MIT
 *
 * Any bytes at all as a sampling heap profile of V8. Promises checked:
 *
 *   - a refusal is UBI_EFORMAT and has a message of one line
 *   - what was taken is a good recording, in which everything lives, and no sample is larger than a recording may have
 *   - all memory is given back, and there is never more of it than the bytes justify
 */
#include "fail_allocator.h"
#include "fuzz_pieces.h"
#include "recording/heap_profile.h"
#include "recording/recording_summary.h"

/* Of the writer, and of what a byte can become at most. */
#define FIXED_BYTES (UINT64_C(4) << 20)
#define BYTES_PER_BYTE 256

static void recording_check(const ubi__vec_u8 *file, const ubi_allocator *allocator) {
    ubi__recording_summary s;
    ubi__source source;
    ubi__source_open_memory(&source, file->at, file->n, allocator);
    require(ubi__recording_summary_read(&s, &source, NULL, allocator) == UBI_OK, "the recording is not good");
    require(!s.fault[0] && s.torn_bytes == 0 && s.tables.has_end, "the recording is not whole");
    require(s.classes[UBI__UBIREC_HEAP].live == s.classes[UBI__UBIREC_HEAP].count, "something was freed");
    require(s.tables.counters[UBI__UBIREC_WITHOUT_FREES] == UBI__UBIREC_ALIVE_ALONE, "it is no profile");
    ubi__recording_summary_fini(&s);
    ubi__source_close(&source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    fail_allocator f;
    ubi__vec_u8 file = { 0 };
    fail_allocator_init(&f, FAIL_ALLOCATOR_NEVER);
    (void)ubi__heap_profile_guess(data, n);
    ubi_status status = ubi__heap_profile_convert(&file, (ubi_text){ (const char *)data, n }, &f.allocator);
    if (status == UBI_OK) {
        recording_check(&file, &f.allocator);
    } else {
        require(status == UBI_EFORMAT, "neither accepted nor bad input");
        require(ubi_error_message()[0] && !strchr(ubi_error_message(), '\n'), "message is not one line");
    }
    require(f.peak_bytes <= FIXED_BYTES + BYTES_PER_BYTE * (uint64_t)n, "too much memory");
    ubi__vec_u8_fini(&file, &f.allocator);
    fail_allocator_fini(&f);
    return 0;
}
