/* SPDX-License-Identifier: MIT
 *
 * Any bytes at all as a module with call frame information. Promises checked:
 *
 *   - nothing outside of the module is read (it lies in a block of its very size), and reading ends
 *   - a row that is handed out has known kinds, and its expressions are in the module
 *   - expressions end, and read memory through the given function only
 *
 * The first bytes say where the index is and which address is asked for; the rest is the module.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/cfi.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what) {
    if (condition)
        return;
    fprintf(stderr, "cfi_fuzz: %s\n", what);
    abort();
}

/** Every fourth word can be read. */
static bool read_some(void *payload, uintptr_t address, uintptr_t *out) {
    (void)payload;
    *out = address * 7;
    return address % 32 < 8;
}

static void check_place(const ubi__cfi_bytes *module, const ubi__cfi_place *place, const uintptr_t *pushed) {
    static const ubi__cfi_state state = { .pc = 0x1000, .sp = 0x2000, .bp = 0x3000, .read = read_some };
    require(place->kind <= UBI__CFI_UNSUPPORTED && place->base <= UBI__CFI_BASE_BP, "a kind that there is not");
    if (place->kind != UBI__CFI_AT_EXPRESSION && place->kind != UBI__CFI_VALUE_EXPRESSION)
        return;
    require(place->expression >= module->low && place->expression <= module->high &&
                place->expression_bytes <= (size_t)(module->high - place->expression),
            "an expression outside of the module");
    uintptr_t result;
    (void)ubi__cfi_evaluate(place->expression, place->expression_bytes, &state, pushed, &result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint16_t index, offset;
    if (size < sizeof index + sizeof offset)
        return 0;
    memcpy(&index, data, sizeof index);
    memcpy(&offset, data + sizeof index, sizeof offset);
    size_t n = size - sizeof index - sizeof offset;
    uint8_t *bytes = malloc(n ? n : 1);
    if (!bytes || index > n)
        goto done;
    memcpy(bytes, data + sizeof index + sizeof offset, n);
    ubi__cfi_bytes module = { bytes, bytes + n };
    // From the module on, for pointers that count from where they are; or absolute, for others.
    uintptr_t address = offset & 0x8000 ? offset : (uintptr_t)bytes + offset;
    ubi__cfi_row row;
    if (ubi__cfi_find(&module, bytes + index, address, &row) == UBI__CFI_FOUND) {
        const uintptr_t cfa = 0x2010;
        require(row.cfa.kind == UBI__CFI_VALUE || row.cfa.kind == UBI__CFI_VALUE_EXPRESSION ||
                    row.cfa.kind == UBI__CFI_UNSUPPORTED,
                "a CFA in memory");
        check_place(&module, &row.cfa, NULL);
        check_place(&module, &row.sp, &cfa);
        check_place(&module, &row.bp, &cfa);
        check_place(&module, &row.pc, &cfa);
    }
done:
    free(bytes);
    return 0;
}
