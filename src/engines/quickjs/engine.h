/* SPDX-License-Identifier: MIT
 *
 * engine.h: what the adapter, compiled in one unit with the engine's source, offers to the rest of this folder.
 *
 * On one side are the files that see the engine's structures (adapter.c and what it includes, the folder adapter/), on
 * the other those that know only quickjs.h (tools, observers' API for scripts, heap module). This header is the border: no
 * engine structure crosses it, so the second side compiles in a moment and does not care about versions.
 *
 * This folder is installed as source and compiled with the user's engine: it includes <ubiheap/...> and itself, nothing else
 * of ours.
 */
#ifndef UBI_QUICKJS_ENGINE_H
#define UBI_QUICKJS_ENGINE_H

#include <ubiheap/extension/quickjs.h>

/** How many blocks the runtime has: those in arenas, not the arenas. */
uint64_t ubi__block_count(JSRuntime *rt);

/** Takes a realm out of a scope. */
void ubi__scope_remove(ubi_quickjs_scope *scope, JSContext *realm);
/** How the edges of the scope's root are named: "debuggee global" unless told otherwise. Borrowed. */
void ubi__scope_name_edges(ubi_quickjs_scope *scope, const char *name);

#endif
