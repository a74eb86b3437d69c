/* SPDX-License-Identifier: MIT
 *
 * js_saved_frame.h: SavedFrame, a stack as scripts see it.
 *
 * A SavedFrame is one frame of a stack and holds the frame that called it. Two stacks of equal content are the same object
 * within a realm, as long as it is referenced; scripts cannot see what happens then, for SavedFrames are frozen.
 */
#ifndef UBI_QUICKJS_JS_SAVED_FRAME_H
#define UBI_QUICKJS_JS_SAVED_FRAME_H

#include "engines/quickjs/js_realm.h"

/** The prototype, for a new realm. 0, or -1 with a pending exception. */
int ubi__saved_frame_init(JSContext *ctx);

/**
 * The SavedFrame of a stack in a realm that has `Debugger`. Owned, or an exception.
 * Cost: O(depth), and one object per frame that is new.
 */
JSValue ubi__saved_frame_of(JSContext *ctx, ubi_stack stack);

#endif
