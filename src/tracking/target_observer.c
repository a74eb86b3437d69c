/* SPDX-License-Identifier: MIT
 *
 * target_observer.c: see target_observer.h.
 */
#include "tracking/target_observer.h"

ubi_status ubi__target_observer_set_tracking(void *payload, bool on) {
    return ubi__observer_set_tracking((ubi__observer *)payload, on);
}

ubi_status ubi__target_observer_set_probability(void *payload, double probability) {
    return ubi__observer_set_probability((ubi__observer *)payload, probability);
}

ubi_status ubi__target_observer_set_log_limit(void *payload, uint32_t entries) {
    return ubi__observer_set_log_limit((ubi__observer *)payload, entries);
}

void ubi__target_observer_state(void *payload, ubi_target_observer_state *out) {
    const ubi__observer *o = (const ubi__observer *)payload;
    *out = (ubi_target_observer_state){ .is_tracking = o->is_tracking,
                                        .probability = o->probability,
                                        .log_limit = o->log.limit,
                                        .log_length = o->log.count,
                                        .has_overflowed = o->log.has_overflowed,
                                        .logged_count = o->log.first_number + o->log.count,
                                        .now_ms = (double)ubi__tracking_now_us(o->tracking) / 1000 };
}

ubi_status ubi__target_observer_drain(void *payload, ubi_logged_allocation_fn fn, void *fn_payload) {
    return ubi__observer_drain((ubi__observer *)payload, fn, fn_payload);
}

void ubi__target_observer_on_collection(void *payload, ubi_collection_fn fn, void *fn_payload) {
    ubi__observer_on_collection((ubi__observer *)payload, fn, fn_payload);
}
