/* SPDX-License-Identifier: MIT
 *
 * remote_schemes.c: see remote_schemes.h.
 */
#include "cli/remote_schemes.h"

#include "rdp/remote_heap.h"

/* SCHEME(name, port, operations, how to make it listen) */
#define SCHEMES(SCHEME)                                                                                                \
    SCHEME(firefox, 6000, ubi__rdp_remote_ops, "is it a Firefox that was started with --start-debugger-server?")       \
    SCHEME(ubi, 6080, ubi__rdp_remote_ops, "is it a program under 'ubiheap run --listen'?")

#define DEFINITION(name_, port_, ops_, hint_)                                                                          \
    static const ubi__remote_scheme scheme_##name_ = { .name = #name_, .port = port_, .ops = &(ops_), .hint = hint_ };
SCHEMES(DEFINITION)

#define ADDRESS(name_, port_, ops_, hint_) &scheme_##name_,
const ubi__remote_scheme *const ubi__remote_schemes[] = { SCHEMES(ADDRESS) NULL };
