/* SPDX-License-Identifier: MIT
 *
 * demangle_fuzz.c: any bytes as the name of a symbol, into rooms of several sizes.
 *
 * Promises checked: what is written is terminated, fits, and has the length reported; a name that is cut ends in "..."; one
 * that is not is the same in a smaller room.
 */
#include "fuzz_pieces.h"
#include "symbolize/demangle.h"

#define LARGE_BYTES 1024

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char large[LARGE_BYTES], small[64];
    size_t n_large = 0, n_small = 0;
    if (size == 0)
        return 0;
    ubi_text name = { (const char *)data + 1, size - 1 };
    size_t room = 8 + data[0] % (sizeof small - 8);
    ubi__demangle(large, sizeof large, &n_large, name);
    ubi__demangle(small, room, &n_small, name);
    require(n_large < sizeof large && large[n_large] == 0, "a long name does not fit");
    require(n_small < room && small[n_small] == 0, "a short name does not fit");
    bool is_cut = n_small >= 3 && memcmp(small + n_small - 3, "...", 3) == 0;
    require(is_cut || (n_small == n_large && memcmp(small, large, n_small) == 0),
            "the size of the room changes the name");
    return 0;
}
