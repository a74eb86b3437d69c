/* SPDX-License-Identifier: MIT
 *
 * watched_realms.c: who watches a realm, and how closely.
 */
#include "engines/quickjs/observer.h"
#include "tracking/tool_memory.h"

ubi__watched_realm *ubi__watched_realm_find(const ubi__tracking *t, const JSContext *realm) {
    ubi__watched_realm *w = t->realms;
    while (w && w->realm != realm)
        w = w->next;
    return w;
}

ubi__watched_realm *ubi__watched_realm_get(ubi__tracking *t, JSContext *realm) {
    ubi__watched_realm *w = ubi__watched_realm_find(t, realm);
    if (w)
        return w;
    w = (ubi__watched_realm *)ubi__tool_calloc(t->allocator, 1, sizeof *w);
    if (!w)
        return NULL;
    w->realm = realm;
    w->next = t->realms;
    t->realms = w;
    ubi__tracking_update_watch(t);
    return w;
}

bool ubi__watched_realm_add_observer(ubi__tracking *t, ubi__watched_realm *w, ubi_quickjs_observer *observer) {
    if (!ubi__tool_reserve(t->allocator, (void **)&w->observers, &w->observer_capacity, w->observer_count + 1,
                           sizeof(ubi_quickjs_observer *)))
        return false;
    w->observers[w->observer_count++] = observer;
    return true;
}

void ubi__watched_realm_remove_observer(ubi__watched_realm *w, const ubi_quickjs_observer *observer) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < w->observer_count; i++)
        if (w->observers[i] != observer)
            w->observers[kept++] = w->observers[i];
    w->observer_count = kept;
}

void ubi__watched_realm_free(ubi__tracking *t, ubi__watched_realm *w) {
    ubi__watched_realm **at = &t->realms;
    while (*at != w)
        at = &(*at)->next;
    *at = w->next;
    if (w->foreign_hook)
        t->foreign_hook_count--;
    if (t->last_realm == w) {
        t->last_realm = NULL;
        t->last_object = NULL;
    }
    ubi__tool_free(t->allocator, w->observers, w->observer_capacity, sizeof(ubi_quickjs_observer *));
    ubi__tool_free(t->allocator, w, 1, sizeof *w);
    ubi__tracking_update_watch(t);
}

void ubi__watched_realm_free_if_unused(ubi__tracking *t, ubi__watched_realm *w) {
    if (w->observer_count == 0 && !w->foreign_hook)
        ubi__watched_realm_free(t, w);
}

/* All observers of the realm count for the probability, but only a tracking one makes it worth a trial. */
static void update_realm(ubi__watched_realm *w) {
    w->tracker_count = 0;
    w->probability = 0;
    for (uint32_t i = 0; i < w->observer_count; i++) {
        const ubi_quickjs_observer *o = w->observers[i];
        w->tracker_count += o->tracks;
        if (o->probability > w->probability)
            w->probability = o->probability;
    }
    if (w->tracker_count == 0)
        w->probability = 0;
}

void ubi__watched_realms_update(ubi__tracking *t) {
    ubi__tracking_settle_births(t);
    t->probability = 0;
    for (ubi__watched_realm *w = t->realms; w; w = w->next) {
        update_realm(w);
        if (w->probability > t->probability)
            t->probability = w->probability;
    }
    t->births_until_trial = ubi__sampler_skip(&t->sampler, t->probability);
    ubi__tracking_plan_births(t);
}
