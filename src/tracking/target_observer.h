/* SPDX-License-Identifier: MIT
 *
 * target_observer.h: an observer as a target hands it out (ubi_target_observe), for any engine that has tracking.
 *
 *     static const ubi_target_observer_ops observer_ops = UBI__TARGET_OBSERVER_OPS(my_observer_free);
 *     *out = (ubi_target_observer){ &observer_ops, &observer->base };
 *
 * The payload is the ubi__observer; what the engine allocated around it is the engine's to free.
 */
#ifndef UBI_TRACKING_TARGET_OBSERVER_H
#define UBI_TRACKING_TARGET_OBSERVER_H

#include "tracking/observer.h"

ubi_status ubi__target_observer_set_tracking(void *payload, bool on);
ubi_status ubi__target_observer_set_probability(void *payload, double probability);
ubi_status ubi__target_observer_set_log_limit(void *payload, uint32_t entries);
void ubi__target_observer_state(void *payload, ubi_target_observer_state *out);
ubi_status ubi__target_observer_drain(void *payload, ubi_logged_allocation_fn fn, void *fn_payload);
void ubi__target_observer_on_collection(void *payload, ubi_collection_fn fn, void *fn_payload);

/** Operations of such observers. `free_fn(void *observer)` ends the observer and frees what it is part of. */
#define UBI__TARGET_OBSERVER_OPS(free_fn)                                                                              \
    {                                                                                                                  \
        .version = UBI_TARGET_OBSERVER_OPS_VERSION, .free = (free_fn),                                                 \
        .set_tracking = ubi__target_observer_set_tracking, .set_probability = ubi__target_observer_set_probability,    \
        .set_log_limit = ubi__target_observer_set_log_limit, .state = ubi__target_observer_state,                      \
        .drain = ubi__target_observer_drain, .on_collection = ubi__target_observer_on_collection                       \
    }

#endif
