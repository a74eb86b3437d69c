/* SPDX-License-Identifier: MIT
 *
 * diff_keys.c: see diff_keys.h.
 */
#include "analyses/census/diff_keys.h"

void ubi__diff_keys_init(ubi__diff_keys *keys, const ubi_allocator *allocator) {
    *keys = (ubi__diff_keys){ .allocator = allocator };
    ubi__strtab_init(&keys->texts, allocator);
    ubi__strtab_init(&keys->frames, allocator);
}

void ubi__diff_keys_fini(ubi__diff_keys *keys) {
    ubi__strtab_fini(&keys->texts);
    ubi__strtab_fini(&keys->frames);
    ubi__vec_u32_fini(&keys->chain, keys->allocator);
}

void ubi__diff_side_init(ubi__diff_side *side, const ubi_census *census, const ubi_allocator *allocator) {
    side->census = census;
    ubi__u64_map_init(&side->texts, allocator);
    ubi__u64_map_init(&side->frames, allocator);
}

void ubi__diff_side_fini(ubi__diff_side *side) {
    ubi__u64_map_fini(&side->texts);
    ubi__u64_map_fini(&side->frames);
}

static ubi_status text_number(ubi__diff_keys *keys, uint32_t *out, ubi__diff_side *side, ubi_str_ix string) {
    const ubi__strtab *strings = side->census->tables.strings;
    ubi_str_ix canonical = ubi__strtab_canonical(strings, string);
    if (canonical == UBI_NONE) {
        *out = UBI_NONE;
        return UBI_OK;
    }
    *out = ubi__u64_map_get(&side->texts, canonical);
    if (*out != UBI_NONE)
        return UBI_OK;
    UBI_TRY(ubi__strtab_intern(&keys->texts, out, ubi__strtab_get(strings, canonical)));
    return ubi__u64_map_put(&side->texts, canonical, *out);
}

/** What makes frames equal, as in stacks/frames.h. Written and compared as bytes. */
typedef struct frame_content {
    uint32_t caller, source, function_name, line, column, is_system;
} frame_content;
_Static_assert(sizeof(frame_content) == 6 * sizeof(uint32_t), "no padding");

static ubi_status number_frame(ubi__diff_keys *keys, uint32_t *out, ubi__diff_side *side, ubi_frame_ix frame,
                               uint32_t caller) {
    const ubi__frame_row *row = &side->census->tables.frames->rows.at[frame];
    frame_content content = { .caller = caller, .line = row->line, .column = row->column };
    content.is_system = row->is_system;
    UBI_TRY(text_number(keys, &content.source, side, row->source));
    UBI_TRY(text_number(keys, &content.function_name, side, row->function_name));
    UBI_TRY(ubi__strtab_intern(&keys->frames, out, (ubi_text){ (const char *)&content, sizeof content }));
    return ubi__u64_map_put(&side->frames, frame, *out);
}

/** Number of a stack: that of its youngest frame. Callers get theirs first. */
static ubi_status stack_number(ubi__diff_keys *keys, uint32_t *out, ubi__diff_side *side, ubi_frame_ix frame) {
    const ubi__frames *frames = side->census->tables.frames;
    uint32_t known = UBI_NONE;
    keys->chain.n = 0;
    while (frame != UBI_NONE) {
        frame = frames->canonical.at[frame];
        known = ubi__u64_map_get(&side->frames, frame);
        if (known != UBI_NONE)
            break;
        UBI_TRY(ubi__vec_u32_push(&keys->chain, keys->allocator, frame));
        frame = frames->rows.at[frame].parent;
    }
    while (keys->chain.n)
        UBI_TRY(number_frame(keys, &known, side, keys->chain.at[--keys->chain.n], known));
    *out = known;
    return UBI_OK;
}

ubi_status ubi__diff_key(ubi__diff_keys *keys, uint32_t *out, ubi__diff_side *side, const ubi_report *report,
                         uint32_t place) {
    const ubi__report_entry *entry = &side->census->entries.at[report->first + place];
    switch (entry->key_type) {
    case UBI_KEY_STACK:
        return stack_number(keys, out, side, entry->key);
    case UBI_KEY_NULL_STACK:
        *out = UBI__STACK_EMPTY;
        return UBI_OK;
    case UBI_KEY_NO_STACK:
        *out = UBI_NONE;
        return UBI_OK;
    case UBI_KEY_INDEX:
        *out = place;
        return UBI_OK;
    case UBI_KEY_TEXT:
        break;
    }
    if (report->breakdown->by != UBI_BY_COARSE_TYPE)
        return text_number(keys, out, side, entry->key);
    *out = place;
    return UBI_OK;
}
