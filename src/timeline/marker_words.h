/* SPDX-License-Identifier: MIT
 *
 * marker_words.h: how markers are shown: row of the overview, colour, label, and the words for what else is known about them.
 *
 * Source: mozilla-central devtools/client/performance/modules/{markers,marker-formatters}.js. A collection counts as
 * non-incremental when its `nonincrementalReason` is a text, not when the key is there, which it always is.
 */
#ifndef UBI_TIMELINE_MARKER_WORDS_H
#define UBI_TIMELINE_MARKER_WORDS_H

#include "timeline/timeline_data.h"

typedef enum ubi__marker_color {
    UBI__MARKER_GREY,
    UBI__MARKER_PURPLE,
    UBI__MARKER_GREEN,
    UBI__MARKER_BLUEGREY,
    UBI__MARKER_YELLOW,
    UBI__MARKER_FULL_RED,
    UBI__MARKER_FULL_BLUE,
    UBI__MARKER_RED,
    UBI__MARKER_ORANGE,
    UBI__MARKER_BLUE,
    UBI__MARKER_COLOR_COUNT
} ubi__marker_color;

/** What is the same for all markers of a name. */
typedef struct ubi__marker_blueprint {
    const char *name; /**< NULL: any other */
    uint8_t group;    /**< row of the overview: 0 rendering, 1 scripts and memory, 2 the program's own */
    ubi__marker_color color;
    const char *label; /**< short; NULL: the name */
    bool is_not_nestable, is_not_collapsible;
    bool is_collection; /**< of garbage or cycles */
} ubi__marker_blueprint;

#define UBI__MARKER_GROUPS 3

/** Never NULL. O(1). */
const ubi__marker_blueprint *ubi__marker_blueprint_of(ubi_text name);
/** The i-th of the table, of which the first is that of all other names; NULL after the last. */
const ubi__marker_blueprint *ubi__marker_blueprint_at(size_t i);
/** The theme's name of a colour, such as "graphs-purple". */
const char *ubi__marker_color_name(ubi__marker_color color);

/** Text for a cause of the marker Javascript, such as "setTimeout" for "setTimeout handler"; NULL: it has none. */
const char *ubi__friendly_cause(ubi_text cause);

/** Of one marker, such as "Console (load)". Written to out[size], cut at whole characters, NUL-terminated. */
const char *ubi__marker_label(char *out, size_t size, const ubi__timeline_data *data, const ubi__timeline_row *row);

/** Something else to show of a marker. Both texts are borrowed, and `value` may be in `buffer`. */
typedef struct ubi__marker_field {
    ubi_text title, value;
    char buffer[32];
} ubi__marker_field;

/**
 * Steps through what else there is to show of a marker, in the order of its details, in words for people. Left out are process
 * and thread, what the label says already, rectangles, stacks, and what is missing.
 * @param at  0 at first; advanced.
 * @return false: no more.
 */
bool ubi__marker_next_field(ubi__marker_field *out, const ubi__timeline_data *data, const ubi__timeline_row *row,
                            size_t *at);

#endif
