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
    ENGINE_UNLISTS_HALF_MADE,  /**< without memory for a coroutine's frame, the coroutine leaves the collector's list */
    ENGINE_HAS_WEAK_REFS,      /**< WeakRef and FinalizationRegistry */
    ENGINE_REGISTRY_HAS_REALM, /**< a FinalizationRegistry leads to its realm */
    ENGINE_REGISTRY_HAS_TOKENS, /**< and to the tokens of what is registered, as the lists of weak references belong to targets */
    ENGINE_ENTRIES_HAVE_REALMS, /**< each thing that is registered has a callback and a realm of its own */
    ENGINE_MAPS_BY_VARIABLES,   /**< what mapped arguments hold are variables, in a list of their own */
    ENGINE_BINDS_GLOBALS,       /**< functions hold global variables as they hold those of other functions */
    ENGINE_HAS_ROPES,           /**< long texts that were put together hold their parts */
    ENGINE_HAS_SLICES,          /**< long parts of a text hold the whole */
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
    [ENGINE_MAPS_BY_VARIABLES] = { "UBI_MAPPED_REFS", true, false },
    [ENGINE_BINDS_GLOBALS] = { "UBI_GLOBAL_OBJECT_CLASS", true, false },
    [ENGINE_HAS_ROPES] = { "UBI_ROPE", true, false },
    [ENGINE_HAS_SLICES] = { "UBI_STR_KIND", true, false },
    [ENGINE_REGISTRY_HAS_REALM] = { "UBI_FINREC_REALM", true, false },
    [ENGINE_REGISTRY_HAS_TOKENS] = { "UBI_OBJ_FIRST_WEAK", true, false },
    [ENGINE_ENTRIES_HAVE_REALMS] = { "UBI_FINREC_ENTRY_REALM", true, false },
};

/* Why a test that needs such a fact is left out. */
static const char *const engine_lacks[ENGINE_FACT_COUNT] = { [ENGINE_HAS_WEAK_REFS] = "the engine has no WeakRef" };

static inline bool engine_is(engine_fact fact) {
    const char *feature = engine_facts[fact].feature;
    size_t n = strlen(feature);
    for (const char *at = ubi_quickjs_engine_description(); (at = strstr(at, feature)); at += n)
        if (at[n] == ' ' || at[n] == ')')
            return engine_facts[fact].with;
    return engine_facts[fact].without;
}

/** Leaves out the test that asks, with the reason (`make check-engines` reads it), unless the engine has what it needs. */
#define ENGINE_NEEDS(fact)                                                                                             \
    do {                                                                                                               \
        if (!engine_is(fact)) {                                                                                        \
            print_message("left out: %s: %s\n", __func__, engine_lacks[fact]);                                         \
            skip();                                                                                                    \
        }                                                                                                              \
    } while (0)

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
