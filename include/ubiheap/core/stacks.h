/* SPDX-License-Identifier: MIT
 *
 * ubiheap/core/stacks.h: stack frames as an abstract chain.
 *
 * A stack is its youngest frame; each frame names its parent, the older frame that called it. Frames of a loaded graph
 * live in the graph's frame table (ubiheap/core/graph.h); a live engine offers its own through the same operations.
 */
#ifndef UBIHEAP_STACKS_H
#define UBIHEAP_STACKS_H

#include <ubiheap/core/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Everything about one frame. Texts are borrowed from the frame's owner. */
typedef struct ubi_frame {
    uint64_t id;
    ubi_text source;        /**< URL or file name; never NULL text */
    ubi_text function_name; /**< display name; NULL text: anonymous or top level */
    uint32_t line;          /**< from 1 */
    uint32_t column;        /**< as the producer stored it (from 1 in current engines) */
    bool is_system;
    bool is_self_hosted;
} ubi_frame;

struct ubi_stack_ops;

/** A stack, seen from one of its frames. A value; valid while its owner is frozen. */
typedef struct ubi_stack {
    const struct ubi_stack_ops *ops;
    void *owner;
    uint64_t ref;
} ubi_stack;

typedef struct ubi_stack_ops {
    void (*frame)(ubi_stack stack, ubi_frame *out);  /**< describe the frame of `stack` */
    bool (*parent)(ubi_stack stack, ubi_stack *out); /**< step to the caller; false at the oldest frame */
} ubi_stack_ops;

static inline void ubi_stack_frame(ubi_stack stack, ubi_frame *out) {
    stack.ops->frame(stack, out);
}
static inline bool ubi_stack_parent(ubi_stack stack, ubi_stack *out) {
    return stack.ops->parent(stack, out);
}

/** Frames that a saved stack keeps, counted from the youngest, as Firefox's MAX_STACK_DEPTH. */
#define UBI_STACK_SAVED_DEPTH 60

#ifdef __cplusplus
}
#endif
#endif
