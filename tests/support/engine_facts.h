/* SPDX-License-Identifier: MIT
 *
 * engine_facts.h: what differs between versions of QuickJS, for tests of the adapter: the one table that they ask.
 *
 * Expectations are written for engines that know columns; engine_places makes those of an engine that knows lines only.
 */
#ifndef ENGINE_FACTS_H
#define ENGINE_FACTS_H

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <ubiheap/extension/quickjs.h>

/** Facts by what the engine's source has (probe.sh). */
typedef enum engine_fact {
    ENGINE_HAS_COLUMNS,          /**< places are lines and columns */
    ENGINE_COROUTINES_ARE_NODES, /**< a generator leads to its frame by one edge, "state" */
    ENGINE_UNLISTS_HALF_MADE, /**< without memory for a coroutine's frame, the coroutine leaves the collector's list */
    ENGINE_HAS_WEAK_REFS,     /**< WeakRef and FinalizationRegistry */
    ENGINE_FACT_COUNT
} engine_fact;

static const struct {
    const char *feature; /* of probe.sh */
    bool with, without;
} engine_facts[ENGINE_FACT_COUNT] = {
    [ENGINE_HAS_COLUMNS] = { "UBI_FIND_COL", true, false },
    [ENGINE_COROUTINES_ARE_NODES] = { "UBI_ASYNC_STATE_GC", true, false },
    [ENGINE_UNLISTS_HALF_MADE] = { "UBI_ASYNC_STATE_GC", false, true },
    [ENGINE_HAS_WEAK_REFS] = { "UBI_CLASS_WEAKREF", true, false },
};

static inline bool engine_is(engine_fact fact) {
    const char *feature = engine_facts[fact].feature;
    size_t n = strlen(feature);
    for (const char *at = ubi_quickjs_engine_description(); (at = strstr(at, feature)); at += n)
        if (at[n] == ' ' || at[n] == ')')
            return engine_facts[fact].with;
    return engine_facts[fact].without;
}

/** `text` with its places as this engine knows them: (a.js:2:17) is (a.js:2) without columns. Good until the next call. */
static inline const char *engine_places(const char *text) {
    static char out[4096];
    size_t n = 0;
    if (engine_is(ENGINE_HAS_COLUMNS))
        return text;
    for (const char *at = text; *at && n + 1 < sizeof out; at++) {
        const char *end = at + 1;
        while (*at == ':' && isdigit((unsigned char)*end))
            end++;
        bool is_column = *at == ':' && end > at + 1 && n > 0 && isdigit((unsigned char)out[n - 1]);
        if (is_column)
            at = end - 1;
        else
            out[n++] = *at;
    }
    out[n] = '\0';
    return out;
}

/** A column as this engine knows it. */
static inline unsigned engine_column(unsigned column) {
    return engine_is(ENGINE_HAS_COLUMNS) ? column : 0;
}

#endif
