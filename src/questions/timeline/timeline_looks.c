/* SPDX-License-Identifier: MIT
 *
 * timeline_looks.c: times, subjects and colours of markers (timeline_view.h).
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/human.h"
#include "base/text.h"
#include "questions/timeline/timeline_view.h"

char *ubi__timeline_time_text(char out[24], uint64_t ns) {
    char text[UBI__HUMAN_TEXT];
    snprintf(out, 24, "%.23s", ubi__human_nanoseconds(text, ns));
    return out;
}

char *ubi__timeline_moment_text(char out[32], uint64_t ns, uint64_t span_ns) {
    uint64_t unit = ns < 1000000 ? 1000 : ns < 1000000000 ? 1000000 : 1000000000, digit = unit;
    const char *name = unit == 1000 ? "us" : unit == 1000000 ? "ms" : "s";
    int decimals = 0;
    /* What three digits distinguish is a hundredth of the time, or less. */
    if (ns < 1000 || span_ns >= ns / 10)
        return ubi__timeline_time_text(out, ns);
    for (; digit > 1 && digit > span_ns / 100; digit /= 10)
        decimals++;
    snprintf(out, 32, "%.*f %s", decimals, (double)ns / (double)unit, name);
    return out;
}

ubi_text ubi__timeline_thread_name(const ubi__timeline_view *view, uint32_t thread, char buffer[UBI__THREAD_NAME]) {
    const ubi__timeline_data *data = &view->data;
    if (thread >= data->threads.n || (view->nest.n_threads == 1 && data->threads.n > 1))
        return ubi__text(data->threads.n ? "all threads" : "all markers");
    const ubi__timeline_thread *t = &data->threads.at[thread];
    ubi_text name = ubi__timeline_text(data, t->name);
    if (name.len && !view->nest.threads[thread].has_namesake)
        return name;
    size_t n = name.len < UBI__THREAD_NAME - 32 ? name.len : UBI__THREAD_NAME - 32;
    while (n > 0 && n < name.len && ((uint8_t)name.ptr[n] & 0xc0) == 0x80)
        n--;
    memcpy(buffer, n ? name.ptr : "thread", n ? n : 6);
    n = n ? n : 6;
    return (ubi_text){ buffer, n + (size_t)snprintf(buffer + n, UBI__THREAD_NAME - n, " %" PRIu64, t->id) };
}

ubi_text ubi__timeline_subject(const ubi__timeline_data *data, const ubi__timeline_row *row) {
    ubi__marker_field field;
    size_t at = 0;
    bool is_script = ubi__text_is(ubi__timeline_text(data, row->name), "Javascript");
    if (is_script && row->stack != UBI_NONE) {
        const ubi__timeline_frame *top = &data->frames.at[row->stack];
        return ubi__timeline_text(data, top->function != UBI_NONE ? top->function : top->source);
    }
    ubi_text type = ubi__timeline_detail_text(data, row, "type");
    if (type.len)
        return type;
    if (ubi__marker_blueprint_of(ubi__timeline_text(data, row->name))->is_collection)
        return (ubi_text){ NULL, 0 };
    while (ubi__marker_next_field(&field, data, row, &at))
        if (ubi__text_is(field.title, "cause"))
            return field.value;
    return (ubi_text){ NULL, 0 };
}

ubi__ink ubi__timeline_ink(const ubi__marker_blueprint *blueprint) {
    static const ubi__ink inks[UBI__MARKER_COLOR_COUNT] = {
        [UBI__MARKER_GREY] = UBI__INK_CYAN,      [UBI__MARKER_PURPLE] = UBI__INK_MAGENTA,
        [UBI__MARKER_GREEN] = UBI__INK_GREEN,    [UBI__MARKER_BLUEGREY] = UBI__INK_CYAN,
        [UBI__MARKER_YELLOW] = UBI__INK_YELLOW,  [UBI__MARKER_FULL_RED] = UBI__INK_RED,
        [UBI__MARKER_FULL_BLUE] = UBI__INK_BLUE, [UBI__MARKER_RED] = UBI__INK_RED,
        [UBI__MARKER_ORANGE] = UBI__INK_MAGENTA, [UBI__MARKER_BLUE] = UBI__INK_BLUE,
    };
    return inks[blueprint->color];
}
