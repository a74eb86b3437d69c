/* SPDX-License-Identifier: MIT
 *
 * memprof_actor.c: the memory profiler of a target: what it allocates, where, and what is left of it. Each request is an errand
 * (memprof_link.h).
 */
#include "rdp/actors/actors.h"
#include "rdp/memprof_link.h"

ubi_status ubi__rdp_memprof_make(ubi__rdp_actor **out, ubi__rdp_actor *target) {
    ubi__rdp_link *link = NULL;
    return ubi__rdp_link_make(&link, out, target, &ubi__rdp_memprof_type, &ubi__rdp_memprof_link_type);
}

static void memprof_destroy(ubi__rdp_actor *actor) {
    ubi__rdp_link_leave(actor->payload);
}

static ubi_status errand_run(ubi__rdp_call *call, ubi__rdp_errand_fn perform) {
    ubi__rdp_errand *errand = ubi__rdp_errand_new(ubi__rdp_call_actor(call)->payload, call, perform);
    return errand ? ubi__rdp_errand_send(errand) : ubi__fail_nomem();
}

static ubi_status profiler_start(ubi__rdp_call *call) {
    return errand_run(call, ubi__rdp_memprof_start);
}

static ubi_status profiler_stop(ubi__rdp_call *call) {
    return errand_run(call, ubi__rdp_memprof_stop);
}

static ubi_status profiler_reset(ubi__rdp_call *call) {
    return errand_run(call, ubi__rdp_memprof_reset);
}

static ubi_status results_get(ubi__rdp_call *call) {
    return errand_run(call, ubi__rdp_memprof_results);
}

static const ubi__rdp_field results_replies[] = {
    { "ret", UBI__RDP_OBJECT, UBI__RDP_OPTIONAL,
      "[`names`, `traces`, `events`](memory-profiler.md); null while it records, before it has started, and after a "
      "reset. 512 MiB at most" },
    UBI__RDP_END,
};

static const ubi__rdp_method methods[] = {
    { "startProfiler", profiler_start, NULL, NULL, false,
      "records from now on, in place of what was recorded; when it does already, changes nothing", "" },
    { "stopProfiler", profiler_stop, NULL, NULL, false,
      "ends that, for all clients; not a recording that the program has begun itself", "" },
    { "resetProfiler", profiler_reset, NULL, NULL, false, "drops what was recorded; nothing while it records", "" },
    { "getResults", results_get, NULL, results_replies, false, "what was recorded; it stays", "" },
    UBI__RDP_METHODS_END,
};
const ubi__rdp_actor_type ubi__rdp_memprof_type = {
    .name = "memprof",
    .help = "the [memory profiler](memory-profiler.md) of a target; a client that leaves ends what it has begun; of "
            "the process: "
            "of its first runtime. Of a native program it is its recording, which the user may have started before: a "
            "client that "
            "leaves does not end that",
    .methods = methods,
    .destroy = memprof_destroy,
};
