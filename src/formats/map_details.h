/* SPDX-License-Identifier: MIT
 *
 * map_details.h: the details of a marker, a JSON object, with other texts: for formats that have markers.
 */
#ifndef UBI_FORMATS_MAP_DETAILS_H
#define UBI_FORMATS_MAP_DETAILS_H

#include <ubiheap/core/formats.h>

#include "base/json_reader.h"
#include "base/json_writer.h"

/** How texts are replaced, and room for it. */
typedef struct ubi__text_mapper {
    ubi_text_map_fn map;
    void *payload;
    const ubi_allocator *allocator;
    ubi__vec_u8 scratch, key; /* texts with escapes, and a key while its value is looked at */
} ubi__text_mapper;

void ubi__text_mapper_fini(ubi__text_mapper *m);
/** Rereads a string, writes what replaces it. Errors: those of `map`, UBI_ENOMEM. */
ubi_status ubi__map_json_string(ubi__json *json, ubi__text_mapper *m, ubi_text_role role, const ubi__json_value *value);
/**
 * Writes the object with other keys and texts. Numbers stay where the key does; those of other keys only up to 999, for they may
 * be personal. A time of day is cut to its day. Of arrays what rectangles have stays, of objects nothing: null.
 *
 * @param object  the object's text, up to what is not JSON.
 * @return through *is_sound whether all of it was JSON. Errors: those of `map`, UBI_ENOMEM.
 */
ubi_status ubi__map_details(ubi__json *json, ubi__text_mapper *m, ubi_text object, bool *is_sound);

#define UBI__DAY_US UINT64_C(86400000000)

#endif
