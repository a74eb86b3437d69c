/* SPDX-License-Identifier: MIT
 *
 * memory_maps_fuzz.c: any bytes as the list of a process's mappings.
 *
 * Promises checked: mappings rise, are not empty and do not overlap; none has more in RAM than it is large; a list that is cut
 * gives the mappings of the whole one, up to the cut.
 */
#include "targets/native/memory_maps.h"

#include "fuzz_pieces.h"

static ubi_status list_parse(ubi__memory_maps *maps, const uint8_t *data, size_t size) {
    ubi__memory_maps_init(maps, ubi_allocator_default());
    return ubi__memory_maps_parse(maps, (ubi_text){ (const char *)data, size });
}

static void maps_check(const ubi__memory_maps *maps) {
    for (size_t i = 0; i < maps->at.n; i++) {
        const ubi__memory_map *map = &maps->at.at[i];
        require(map->low < map->high, "an empty mapping");
        require(i == 0 || map[-1].high <= map->low, "mappings that overlap");
        require(map->amount.resident_bytes <= map->high - map->low, "more in RAM than there is");
        require(map->name == UBI_NONE || ubi__memory_map_name(maps, map).len > 0, "an empty name");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ubi__memory_maps whole, part;
    ubi_status status = list_parse(&whole, data, size);
    maps_check(&whole);
    size_t cut = size / 2;
    while (cut > 0 && data[cut - 1] != '\n')
        cut--;
    ubi_status of_part = list_parse(&part, data, cut);
    require(status != UBI_OK || of_part == UBI_OK, "a part of a list is none");
    require(part.at.n <= whole.at.n, "a part of a list has more mappings");
    ubi__memory_maps_fini(&whole);
    ubi__memory_maps_fini(&part);
    return 0;
}
