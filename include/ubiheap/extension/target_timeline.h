/* SPDX-License-Identifier: MIT
 *
 * ubiheap/extension/target_timeline.h: what a target does, as markers that a tool observes.
 *
 *     ubi_target_timeline timeline;
 *     ubi_target_open_timeline(&timeline, target, NULL, NULL);
 *     ubi_timeline_front_add_target(front, ubi_target_timeline_observed(timeline));
 *     ubi_timeline_front_start(&started_ns, front, &options);                        pulls follow; see views/timeline_front.h
 *     ...
 *     ubi_timeline_front_remove_target(front, ubi_target_timeline_observed(timeline));
 *     ubi_target_timeline_close(timeline);
 *
 * Opening costs the target nothing: it reports only while what was opened is observed. Several may be open at once.
 *
 * Threads: all belongs to the thread that runs the target, at a safe point.
 *
 * Extension point: an engine implements ubi_target_timeline_ops. May change between minor versions.
 */
#ifndef UBIHEAP_TARGET_TIMELINE_H
#define UBIHEAP_TARGET_TIMELINE_H

#include <ubiheap/core/base.h>
#include <ubiheap/core/timeline.h>
#include <ubiheap/extension/target.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ubi_target_timeline_options {
    uint32_t version;   /**< UBI_TARGET_TIMELINE_OPTIONS_VERSION */
    bool is_per_thread; /**< an END pairs with a START of its own thread alone */
} ubi_target_timeline_options;

#define UBI_TARGET_TIMELINE_OPTIONS_VERSION 1
#define UBI_TARGET_TIMELINE_OPTIONS_INIT                                                                               \
    { .version = UBI_TARGET_TIMELINE_OPTIONS_VERSION }

/** What an engine implements; the calls are those of ubi_target_timeline_*. */
typedef struct ubi_target_timeline_ops {
    uint32_t version; /**< UBI_TARGET_TIMELINE_OPS_VERSION */
    void (*close)(void *payload);
    ubi_timeline_target *(*observed)(void *payload);
} ubi_target_timeline_ops;

#define UBI_TARGET_TIMELINE_OPS_VERSION 1

/** A value; valid until ubi_target_timeline_close. */
typedef struct ubi_target_timeline {
    const ubi_target_timeline_ops *ops;
    void *payload;
} ubi_target_timeline;

/**
 * Opens a timeline of a target; its markers go to what ubi_target_timeline_observed returns, once that is observed.
 * @param out  to be closed, before the target goes. @param scope  whose thread it is about; a target may report more than that: all that
 * runs on the thread. NULL: the whole target. Borrowed. @param options  NULL: the defaults.
 * Errors: UBI_ESTATE (the target has no timeline), UBI_EMISMATCH (the scope is another target's), UBI_EINVAL (options), UBI_ENOMEM.
 */
UBI_API ubi_status ubi_target_open_timeline(ubi_target_timeline *out, ubi_target target, const ubi_target_scope *scope,
                                            const ubi_target_timeline_options *options);
/** What is to be observed, by the functions of ubiheap/core/timeline.h or a front. Borrowed until the timeline is closed. */
UBI_API ubi_timeline_target *ubi_target_timeline_observed(ubi_target_timeline timeline);
/** Ends its observation, too. */
UBI_API void ubi_target_timeline_close(ubi_target_timeline timeline);

#ifdef __cplusplus
}
#endif
#endif
