/* SPDX-License-Identifier: MIT
 *
 * elf_fuzz.c: any bytes as a program with symbols and DWARF, and addresses in it.
 *
 * The first eight bytes are an address, the rest the file. Promises checked: a damaged file makes the answer poorer
 * and is not an error; texts end, and answers are the same when asked again (where functions overlap, once all that was
 * asked is read).
 */
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"
#include "fuzz_pieces.h"
#include "symbolize/symbolize.h"

#define ADDRESSES 24

static int file; /* in memory */
static char path[32];

static void put(const uint8_t *data, size_t size) {
    if (file == 0) {
        file = memfd_create("module", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    require(ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == (ssize_t)size,
            "a file in memory cannot be written");
}

static uint64_t sum_of_text(ubi_text text, uint64_t sum) {
    for (size_t i = 0; i < text.len; i++)
        sum = sum * 31 + (uint8_t)text.ptr[i];
    return sum;
}

/* Looks at every byte of the answer. */
static uint64_t look_up(ubi__symbolizer *s, uint32_t module, uint64_t address, bool is_return) {
    const ubi__symbol *found;
    size_t n;
    uint64_t sum = 0;
    ubi_status status = is_return ? ubi__symbolizer_look_up_return(s, &found, &n, module, address)
                                  : ubi__symbolizer_look_up(s, &found, &n, module, address);
    require(status == UBI_OK, "a damaged file is an error");
    for (size_t i = 0; i < n; i++) {
        sum = sum_of_text(found[i].file, sum_of_text(found[i].function, sum));
        sum = (sum * 31 + found[i].line) * 31 + found[i].column;
        require(found[i].function.len <= UBI__SYMBOL_NAME_BYTES, "a name is too long");
        require(i + 1 < n || !found[i].is_inlined, "an inlined function that is in none");
    }
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const ubi__symbolizer_options options = { .debug_root = "/nonexistent", .package_root = "/nonexistent" };
    ubi__symbolizer *s;
    uint32_t module;
    uint64_t address;
    ubi__symbol_facts facts;
    if (size < sizeof address)
        return 0;
    memcpy(&address, data, sizeof address);
    put(data + sizeof address, size - sizeof address);
    require(ubi__symbolizer_new(&s, &options, NULL) == UBI_OK, "no symbolizer");
    require(ubi__symbolizer_add_module(s, &module, ubi__text(path), NULL, 0) == UBI_OK, "no module");
    look_up(s, module, address, false);
    for (uint64_t i = 0; i < ADDRESSES; i++)
        look_up(s, module, i * 0x40 + 0x1000, i & 1);
    uint64_t sum = look_up(s, module, address, false);
    require(look_up(s, module, address, false) == sum, "asking again gives another answer");
    require(ubi__symbolizer_facts(s, &facts, module) == UBI_OK, "no facts");
    require((facts.obstacle == UBI__OBSTACLE_NONE) == (facts.detail == UBI__SYMBOLS_LINES),
            "facts that contradict each other");
    ubi__symbolizer_free(s);
    return 0;
}
