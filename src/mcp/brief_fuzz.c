/* SPDX-License-Identifier: MIT
 *
 * brief_fuzz.c: any bytes as a document: the text is within its budget, and the cursor comes to an end.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/text.h"
#include "mcp/brief.h"

#define MOST_PAGES 50

static void pages_write(ubi__brief_terms *terms) {
    const ubi_allocator *a = ubi_allocator_default();
    for (unsigned i = 0; i < MOST_PAGES; i++) {
        ubi__vec_u8 out = { NULL, 0, 0 };
        ubi__brief_count count;
        ubi_status status = ubi__brief_write(&out, &count, terms, a);
        ubi_text text = { (const char *)out.at, out.n };
        if (status == UBI_OK && ubi__brief_escaped_bytes(text) > terms->budget_bytes)
            abort();
        if (status == UBI_OK && count.n_shown == 0 && terms->cursor < count.n_rows)
            abort(); /* it would never end */
        terms->cursor += count.n_shown;
        ubi__vec_u8_fini(&out, a);
        if (status != UBI_OK || terms->cursor >= count.n_rows)
            return;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    if (n < 1)
        return 0;
    ubi_text document = { (const char *)data + 1, n - 1 };
    ubi__brief_terms terms = { .documents = &document,
                               .n_documents = 1,
                               .headline = "an answer",
                               .budget_bytes = 1024 + 16 * (size_t)data[0],
                               .limit = 2,
                               .more_call = "ask {\"question\":\"x\"",
                               .explain_call = "explain {\"node\":" };
    pages_write(&terms);
    return 0;
}
