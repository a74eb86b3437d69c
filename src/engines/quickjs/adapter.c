/* SPDX-License-Identifier: MIT
 *
 * adapter.c: the engine and what looks into it, compiled as one unit.
 *
 * The engine's source is included as it is; hooks come before it as macros, and what knows its structures after it. What
 * is in adapter/ is part of this unit, one idea per file:
 *
 *     hooks       macros over the engine's functions, and notify, which they call
 *     state       tools of one runtime; registry finds them; attach makes them
 *     facts       small questions whose answer differs between versions of the engine
 *     kinds, sizes, edges (object, frame, code), texts    what nodes are
 *     function_names, constructor_names                   what a program calls them
 *     node_index, freeze, roots, scope, guard             freezing the heap
 *     node_ops, coverage, target_ops                      showing it
 *     births, collections and what they need              tracking
 *     positions                                           where the text of a script makes objects
 *     held, preview                                       leaked references, and the end of a runtime
 *     recorded, block_classes                             frames of scripts and what blocks are, for `ubiheap record`
 *     timeline                                            runs of scripts, reactions and parsing, for the timeline
 */
#include "engines/quickjs/adapter/hooks.h"

#include <quickjs.c>

#include "engines/quickjs/adapter/unhook.h"

#include "engines/quickjs/engine.h"

#include "engines/quickjs/adapter/facts.h"
#include "engines/quickjs/adapter/state.h"

#include "engines/quickjs/adapter/notify.h"
#include "engines/quickjs/adapter/positions.h"

#include "engines/quickjs/adapter/attach.h"
#include "engines/quickjs/adapter/content_facts.h"
#include "engines/quickjs/adapter/held.h"
#include "engines/quickjs/adapter/script_facts.h"
