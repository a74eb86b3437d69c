/* SPDX-License-Identifier: MIT
 *
 * script_sources.h: which interpreters run something on a thread, so that stacks can have frames of their scripts (scripts.c).
 */
#ifndef UBI_INTERPOSE_SCRIPT_SOURCES_H
#define UBI_INTERPOSE_SCRIPT_SOURCES_H

#include "interpose/scripts.h"

#define UBI__SOURCES_OF_THREAD 8u

struct ubi__source_slot;

/** Those of a thread that run something; they stay until they are released. */
typedef struct ubi__held_sources {
    const ubi__script_source *sources[UBI__SOURCES_OF_THREAD];
    size_t n;
    struct ubi__source_slot *slots[UBI__SOURCES_OF_THREAD];
    size_t n_slots;
} ubi__held_sources;

/** @return there are some. Either way they are to be released. */
bool ubi__script_sources_hold(ubi__held_sources *held);
/** The source for all threads, where there has never been another one. @return NULL: none. */
const ubi__script_source *ubi__script_source_alone(ubi__script_renew_fn **renew);
void ubi__script_sources_release(ubi__held_sources *held);

#endif
