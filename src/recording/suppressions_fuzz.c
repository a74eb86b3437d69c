/* SPDX-License-Identifier: MIT
 *
 * Any bytes at all as a file of suppressions. Promises checked:
 *
 *   - a refusal has a message of one line
 *   - patterns are parts of the input, without line ends, and there are no more of them than lines
 *   - matching any of them against any part of the input ends, and says the same again
 *   - all memory is given back
 */
#include "fail_allocator.h"
#include "fuzz_pieces.h"
#include "recording/suppressions.h"

/* As names are: the first bytes, and each pattern itself. */
#define TEXT_BYTES 64

static void pattern_try(const ubi__suppressions *rules, size_t i, ubi_text input) {
    ubi_text pattern = ubi__suppression_pattern(rules, i);
    ubi_text text = { input.ptr, input.len < TEXT_BYTES ? input.len : TEXT_BYTES };
    require(pattern.len <= UBI__SUPPRESSION_BYTES && !memchr(pattern.ptr, '\n', pattern.len), "a pattern is no line");
    require(pattern.len == 0 || memmem(input.ptr, input.len, pattern.ptr, pattern.len), "a pattern is not in the file");
    bool matches = ubi__suppression_matches(pattern, text);
    require(matches == ubi__suppression_matches(pattern, text), "matching is not the same twice");
    require(!matches || text.len, "nothing was matched");
    bool is_plain = !memchr(pattern.ptr, '*', pattern.len) && !memchr(pattern.ptr, '$', pattern.len) &&
                    !memchr(pattern.ptr, '^', pattern.len);
    if (is_plain)
        require(matches == (text.len && (pattern.len == 0 || memmem(text.ptr, text.len, pattern.ptr, pattern.len))),
                "a plain pattern is not found where it is");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    fail_allocator f;
    ubi_text input = { (const char *)data, n };
    fail_allocator_init(&f, FAIL_ALLOCATOR_NEVER);
    ubi__suppressions rules = { .allocator = &f.allocator };
    ubi_status status = ubi__suppressions_add(&rules, input, "input");
    if (status != UBI_OK)
        require(ubi_error_message()[0] && !strchr(ubi_error_message(), '\n'), "message is not one line");
    for (size_t i = 0; i < rules.rows.n && i < 100; i++)
        pattern_try(&rules, i, input);
    ubi__suppressions_fini(&rules);
    fail_allocator_fini(&f);
    return 0;
}
