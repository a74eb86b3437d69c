/* SPDX-License-Identifier: MIT
 *
 * frame_json.c: stack frames and stacks as JSON.
 */
#include "render/result_json.h"

void ubi__render_frame(ubi__json *json, const ubi_frame *frame) {
    ubi__json_object_begin(json);
    ubi__json_member_text(json, "source", frame->source);
    ubi__json_member_u64(json, "line", frame->line);
    ubi__json_member_u64(json, "column", frame->column);
    ubi__json_member_text(json, "functionDisplayName", frame->function_name);
    ubi__json_object_end(json);
}

void ubi__render_stack(ubi__json *json, ubi_stack stack) {
    ubi__json_array_begin(json);
    do {
        ubi_frame frame;
        ubi_stack_frame(stack, &frame);
        ubi__render_frame(json, &frame);
    } while (ubi_stack_parent(stack, &stack));
    ubi__json_array_end(json);
}
