/* SPDX-License-Identifier: MIT
 *
 * perf_map_fuzz.c: any bytes as a map of code, in pieces. Promises checked: names do not depend on the pieces; parts of a name are within
 * it.
 */
#include "fuzz_pieces.h"
#include "symbolize/perf_map.h"

#define ADDRESSES 64

static void read_map(ubi__perf_map *m, ubi__vec_perf_address *v, const uint8_t *data, size_t size, size_t piece) {
    const ubi_allocator *a = ubi_allocator_default();
    v->n = 0;
    for (uint64_t i = 0; i < ADDRESSES; i++)
        require(ubi__vec_perf_address_push(
                    v, a, (ubi__perf_address){ .address = i * i * 16 + 1, .map_bytes = i % 4 * 20 }) == UBI_OK,
                "no memory");
    ubi__perf_map_init(m, v, a);
    for (size_t at = 0; at < size; at += piece)
        require(ubi__perf_map_feed(m, (const char *)data + at, piece < size - at ? piece : size - at) == UBI_OK,
                "a map is refused");
    require(ubi__perf_map_feed(m, "\n", 1) == UBI_OK, "the end is refused");
}

static void require_inside(ubi_text part, ubi_text whole) {
    require(part.len == 0 || (part.ptr >= whole.ptr && part.ptr + part.len <= whole.ptr + whole.len),
            "a part that is not in the name");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ubi__vec_perf_address v = { 0 }, w = { 0 };
    ubi__perf_map whole, pieces;
    read_map(&whole, &v, data, size, size ? size : 1);
    read_map(&pieces, &w, data, size, size ? 1 + data[0] % 32 : 1);
    for (size_t i = 0; i < ADDRESSES; i++) {
        ubi_text name = ubi__perf_map_name(&whole, &v.at[i]);
        require(ubi__text_equal(name, ubi__perf_map_name(&pieces, &w.at[i])), "pieces change a name");
        ubi__perf_name said = ubi__perf_name_read(name);
        require_inside(said.function, name);
        require_inside(said.file, name);
    }
    ubi__perf_map_fini(&whole);
    ubi__perf_map_fini(&pieces);
    ubi__vec_perf_address_fini(&v, ubi_allocator_default());
    ubi__vec_perf_address_fini(&w, ubi_allocator_default());
    return 0;
}
