/* SPDX-License-Identifier: MIT
 *
 * treemap_label.c: the words in and about the boxes of a tree map.
 */
#include "render/treemap_label.h"

#include "base/human.h"
#include "base/text.h"
#include "render/node_label.h"

static const ubi__style plain = { .color = false, .unicode = true, .columns = UINT16_MAX };

/* Drops what does not fit. */
static bool label_take(void *payload, const void *data, size_t n) {
    ubi__label *label = payload;
    size_t room = sizeof label->bytes - label->n;
    n = n < room ? n : room;
    memcpy(label->bytes + label->n, data, n);
    label->n += n;
    return true;
}

static ubi__out *label_begin(ubi__label *label) {
    label->n = 0;
    ubi__out_init(&label->out, label_take, label);
    return &label->out;
}

/* The text without a partial last character. */
static ubi_text label_end(ubi__label *label) {
    (void)ubi__out_flush(&label->out);
    ubi_text text = { label->bytes, label->n };
    text.len = ubi__utf8_valid_prefix(text);
    return text;
}

ubi_text ubi__label_of(ubi__label *label, ubi_text text, size_t columns) {
    ubi__display_text(label_begin(label), &plain, text, columns);
    return label_end(label);
}

static ubi_text special_name(const ubi_treemap_row *row) {
    if (row->type == UBI_TREEMAP_OWN)
        return ubi__text("(itself)");
    if (row->name_type == UBI_CENSUS_NAME_NULL)
        return ubi__text(row->box.depth == 0 ? "(everything)" : row->box.depth == 1 ? "(empty stack)" : "(no caller)");
    if (row->type == UBI_TREEMAP_ROW && ubi__text_is(row->name, "noStack"))
        return ubi__text("(no stack recorded)");
    if (row->type == UBI_TREEMAP_ROW && ubi__text_is(row->name, "noFilename"))
        return ubi__text("(no file name)");
    return row->name.len ? row->name : ubi__text("(empty name)");
}

static ubi_text rest_name(ubi__label *label, const ubi_treemap_row *row) {
    char count[UBI__HUMAN_TEXT];
    ubi__out_printf(label_begin(label), "%s smaller", ubi__human_count(count, row->count));
    return label_end(label);
}

static ubi_text frame_name(ubi__label *label, ubi_stack stack, bool with_place, size_t columns) {
    ubi_frame frame;
    ubi_stack_frame(stack, &frame);
    if (with_place) {
        ubi__display_frame(label_begin(label), &plain, &frame, columns);
        return label_end(label);
    }
    bool named = frame.function_name.ptr && frame.function_name.len;
    return ubi__label_of(label, named ? frame.function_name : ubi__text("(anonymous)"), columns);
}

static ubi_text row_name(ubi__label *label, const ubi_treemap_row *row, bool with_place, size_t columns) {
    if (row->type == UBI_TREEMAP_REST)
        return rest_name(label, row);
    if (row->name_type == UBI_CENSUS_NAME_FRAME)
        return frame_name(label, row->frame, with_place, columns);
    return ubi__label_of(label, special_name(row), columns);
}

ubi_text ubi__treemap_name(ubi__label *label, const ubi_treemap_row *row, size_t columns) {
    return row_name(label, row, false, columns);
}

ubi_text ubi__treemap_long_name(ubi__label *label, const ubi_treemap_row *row, size_t columns) {
    return row_name(label, row, true, columns);
}

bool ubi__treemap_shows_types(const ubi_treemap *map) {
    ubi_treemap_row row;
    uint32_t n = ubi_treemap_row_count(map);
    ubi_treemap_get(map, 0, &row);
    if (row.type == UBI_TREEMAP_NODE)
        return true;
    for (uint32_t i = 1; i < n; i++) {
        ubi_treemap_get(map, i, &row);
        if (row.box.depth > 1)
            return true;
        bool text = row.name_type == UBI_CENSUS_NAME_TEXT;
        if (!text || !ubi__text_is(row.name, ubi_treemap_color_name(row.color)))
            return false;
    }
    return n > 1;
}
