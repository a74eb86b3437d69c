/* SPDX-License-Identifier: MIT
 *
 * mapping_list.c: see mapping_list.h.
 */
#include "recording/mapping_list.h"

#include <string.h>

size_t ubi__mapping_at(const ubi__mapping_list *list, uint64_t address) {
    size_t low = 0, high = list->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->at[middle].high > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

ubi_status ubi__mapping_add(ubi__mapping_list *list, const ubi_allocator *allocator, ubi__mapping mapping) {
    UBI_TRY(ubi__mapping_list_reserve(list, allocator, 1));
    size_t i = ubi__mapping_at(list, mapping.low);
    memmove(&list->at[i + 1], &list->at[i], (list->n - i) * sizeof *list->at);
    list->at[i] = mapping;
    list->n++;
    return UBI_OK;
}

void ubi__mapping_remove(ubi__mapping_list *list, size_t i) {
    memmove(&list->at[i], &list->at[i + 1], (list->n - i - 1) * sizeof *list->at);
    list->n--;
}
