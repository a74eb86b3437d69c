/* SPDX-License-Identifier: MIT
 *
 * search.c: nodes by what they are called (ubiheap/views/search.h).
 *
 * Most names are strings of the file, and most strings are the names of many nodes. So each string is matched when the first
 * node asks for it, and the answer kept; so are names of classes. Only names that are put together (detached nodes, plain
 * objects, joined strings) are matched one by one. Threads share the answers: two may find the same one, which is harmless.
 */
#include <stdatomic.h>

#include <ubiheap/views/search.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/parallel.h"
#include "base/text.h"
#include "graph/graph_columns.h"
#include "lenses/name_match.h"

struct ubi_search {
    const ubi_allocator *allocator;
    ubi__vec_u32 nodes;
};

enum { UNKNOWN = 0, NO, YES }; /* of a string or class: does it match? */

typedef struct searcher {
    const ubi_look *look;
    const ubi_graph *graph;
    const ubi_allocator *allocator;
    const ubi_node_ix *among; /* NULL: all */
    uint64_t n;               /* places to look at */
    ubi__wanted_name wanted;
    uint32_t n_strings, n_classes;
    _Atomic uint8_t *of_string, *of_class;
    unsigned n_threads;
    ubi__matcher *matchers; /* matchers[n_threads] */
    uint64_t *found;        /* a bit per place of the current chunk */
    uint64_t chunk_begin;
} searcher;

/* ---- one node ---------------------------------------------------------------------------------------------------- */

static bool name_remembered(const searcher *s, _Atomic uint8_t *answer, ubi__matcher *matcher, ubi_text name) {
    uint8_t known = atomic_load_explicit(answer, memory_order_relaxed);
    if (known == UNKNOWN) {
        known = ubi__name_matches(&s->wanted, matcher, name) ? YES : NO;
        atomic_store_explicit(answer, known, memory_order_relaxed);
    }
    return known == YES;
}

static bool is_same(ubi_text a, ubi_text b) {
    return a.ptr == b.ptr && a.len == b.len;
}

static bool is_found(const searcher *s, ubi__matcher *matcher, ubi_node_ix node) {
    ubi_look_name_buffer buffer;
    if (ubi_look_size_bytes(s->look, node) == 0 || !ubi_look_shows(s->look, node))
        return false;
    ubi_text name = ubi_look_display_name(s->look, node, &buffer);
    ubi_str_ix string = ubi__graph_node_name(s->graph, node);
    if (string != UBI_NONE && is_same(name, ubi_graph_string(s->graph, string)))
        return name_remembered(s, &s->of_string[string], matcher, name);
    if (is_same(name, ubi_look_node_name(s->look, node)))
        return name_remembered(s, &s->of_class[ubi_look_class_of(s->look, node)], matcher, name);
    return ubi__name_matches(&s->wanted, matcher, name);
}

static void look_at(void *payload, uint64_t begin, uint64_t end, unsigned part) {
    const searcher *s = payload;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t place = s->chunk_begin + i;
        ubi_node_ix node = s->among ? s->among[place] : (ubi_node_ix)place;
        if (is_found(s, &s->matchers[part], node))
            s->found[i / 64] |= UINT64_C(1) << (i % 64);
    }
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

#define CHUNK (UINT64_C(1) << 19)
#define CHUNK_WORDS (CHUNK / 64)

static ubi_status matches_collect(ubi_search *search, searcher *s, uint64_t n) {
    for (uint64_t word = 0; word * 64 < n; word++)
        for (uint64_t bits = s->found[word]; bits; bits &= bits - 1) {
            uint64_t place = s->chunk_begin + word * 64 + (uint64_t)__builtin_ctzll(bits);
            UBI_TRY(ubi__vec_u32_push(&search->nodes, s->allocator, s->among ? s->among[place] : (uint32_t)place));
        }
    return UBI_OK;
}

static ubi_status search_all(ubi_search *search, searcher *s, const ubi_progress *progress) {
    for (; s->chunk_begin < s->n; s->chunk_begin += CHUNK) {
        uint64_t n = s->n - s->chunk_begin < CHUNK ? s->n - s->chunk_begin : CHUNK;
        if (!ubi__progress(progress, "searching", s->chunk_begin, s->n))
            return ubi__fail_cancelled();
        memset(s->found, 0, CHUNK_WORDS * sizeof *s->found);
        ubi__parallel_ranges(s->n_threads, n, 64, look_at, s);
        UBI_TRY(matches_collect(search, s, n));
    }
    return UBI_OK;
}

static ubi_status searcher_reserve(searcher *s) {
    const ubi_allocator *a = s->allocator;
    s->n_strings = ubi_graph_string_count(s->graph);
    s->n_classes = ubi_look_class_count(s->look);
    s->of_string = ubi__calloc_array(a, (size_t)s->n_strings + 1, 1);
    s->of_class = ubi__calloc_array(a, (size_t)s->n_classes + 1, 1);
    s->found = ubi__alloc_array(a, CHUNK_WORDS, sizeof *s->found);
    s->matchers = ubi__calloc_array(a, s->n_threads, sizeof *s->matchers);
    if (!s->of_string || !s->of_class || !s->found || !s->matchers)
        return ubi__fail_nomem();
    for (unsigned i = 0; i < s->n_threads; i++)
        UBI_TRY(ubi__matcher_init(&s->matchers[i], ubi__wanted_name_states(&s->wanted), a));
    return UBI_OK;
}

static void searcher_fini(searcher *s) {
    const ubi_allocator *a = s->allocator;
    for (unsigned i = 0; s->matchers && i < s->n_threads; i++)
        ubi__matcher_fini(&s->matchers[i], a);
    ubi__free_array(a, s->matchers, s->n_threads, sizeof *s->matchers);
    ubi__free_array(a, s->found, CHUNK_WORDS, sizeof *s->found);
    ubi__free_array(a, (void *)s->of_class, (size_t)s->n_classes + 1, 1);
    ubi__free_array(a, (void *)s->of_string, (size_t)s->n_strings + 1, 1);
    ubi__wanted_name_fini(&s->wanted, a);
}

static ubi_status options_check(const ubi_search_options *o, const ubi_graph *g) {
    UBI_TRY(ubi__version_check(o->version, UBI_SEARCH_OPTIONS_VERSION, "ubi_search_options"));
    for (uint32_t i = 0; o->among && i < o->n_among; i++)
        if (o->among[i] >= g->n_nodes || (i > 0 && o->among[i - 1] >= o->among[i]))
            return ubi__fail(UBI_EINVAL,
                             "node %u at place %u of those to search is not above the one before, or not "
                             "in the graph",
                             o->among[i], i);
    return UBI_OK;
}

static ubi_status matches_find(ubi_search *search, searcher *s, ubi_text query, const ubi_search_options *o) {
    UBI_TRY(ubi__wanted_name_init(&s->wanted, query, o->how, s->allocator));
    UBI_TRY(searcher_reserve(s));
    return search_all(search, s, &o->progress);
}

ubi_status ubi_search_new(ubi_search **out, const ubi_look *look, ubi_text query, const ubi_search_options *options) {
    static const ubi_search_options defaults = UBI_SEARCH_OPTIONS_INIT;
    const ubi_search_options *o = options ? options : &defaults;
    const ubi_graph *g = ubi_look_view(look)->graph;
    UBI_TRY(options_check(o, g));
    const ubi_allocator *a = ubi__allocator_or_default(o->allocator);
    ubi_search *search = UBI_NEW(a, ubi_search);
    if (!search)
        return ubi__fail_nomem();
    search->allocator = a;
    searcher s = { .look = look,
                   .graph = g,
                   .allocator = a,
                   .among = o->among,
                   .n = o->among ? o->n_among : g->n_nodes,
                   .n_threads = ubi__thread_count(o->threads) };
    ubi_status status = matches_find(search, &s, query, o);
    searcher_fini(&s);
    if (status == UBI_OK)
        *out = search;
    else
        ubi_search_free(search);
    return status;
}

void ubi_search_free(ubi_search *search) {
    if (!search)
        return;
    ubi__vec_u32_fini(&search->nodes, search->allocator);
    UBI_DELETE(search->allocator, search);
}

const ubi_node_ix *ubi_search_nodes(const ubi_search *search, uint32_t *n) {
    *n = (uint32_t)search->nodes.n;
    return search->nodes.at;
}

ubi_status ubi_search_check(ubi_text query, ubi_search_how how) {
    ubi__wanted_name wanted;
    ubi_status status = ubi__wanted_name_init(&wanted, query, how, ubi_allocator_default());
    ubi__wanted_name_fini(&wanted, ubi_allocator_default());
    return status;
}

/* ---- names that match -------------------------------------------------------------------------------------------- */

/*
 * Whether a text matches a search (name_match.h).
 *
 * Texts in any case are found by Knuth, Morris and Pratt's method over folded characters, in one pass whatever the texts.
 * As no character beyond ASCII folds into it, an ASCII text is looked for byte by byte.
 */

/* ---- making ------------------------------------------------------------------------------------------------------ */

/* Bytes that are not UTF-8: characters beyond Unicode. */
#define STRAY 0x110000u

static size_t next_folded(uint32_t *out, const uint8_t *s, size_t n) {
    size_t used = ubi__wtf8_decode(s, n, out);
    *out = used ? ubi__fold(*out) : *out + STRAY;
    return used ? used : 1;
}

static ubi_status fold_case(ubi__wanted_name *w, ubi_text text, const ubi_allocator *a) {
    const uint8_t *s = (const uint8_t *)text.ptr;
    uint32_t c;
    w->is_ascii = true;
    for (size_t at = 0; at < text.len;) {
        at += next_folded(&c, s + at, text.len - at);
        w->is_ascii &= c < 0x80;
        UBI_TRY(ubi__vec_u32_push(&w->folded, a, c));
    }
    return UBI_OK;
}

static ubi_status find_borders(ubi__wanted_name *w, const ubi_allocator *a) {
    const uint32_t *c = w->folded.at;
    UBI_TRY(ubi__vec_u32_reserve(&w->border, a, w->folded.n));
    for (uint32_t i = 0, length = 0; i < w->folded.n; i++) {
        while (length > 0 && c[i] != c[length])
            length = w->border.at[length - 1];
        length += i > 0 && c[i] == c[length];
        UBI_ASSERT(length <= i); /* a border is shorter than its text */
        w->border.at[w->border.n++] = length;
    }
    UBI_ASSERT(w->border.n == w->folded.n);
    return UBI_OK;
}

static ubi_status make_pattern(ubi__wanted_name *w, ubi_text source, const ubi_allocator *a) {
    size_t at = 0;
    const char *problem = NULL;
    ubi_status status = ubi__pattern_new(&w->pattern, source, a, &at, &problem);
    if (status == UBI_EINVAL)
        return ubi__fail(UBI_EINVAL, "%s at character %zu of the pattern", problem, at + 1);
    return status;
}

ubi_status ubi__wanted_name_init(ubi__wanted_name *out, ubi_text query, ubi_search_how how, const ubi_allocator *a) {
    *out = (ubi__wanted_name){ .how = how, .text = query };
    switch (how) {
    case UBI_SEARCH_ANY_CASE:
        UBI_TRY(fold_case(out, query, a));
        return find_borders(out, a);
    case UBI_SEARCH_EXACT:
        return UBI_OK;
    case UBI_SEARCH_PATTERN:
        return make_pattern(out, query, a);
    default:
        return ubi__fail(UBI_EINVAL, "no way %d to search", (int)how);
    }
}

void ubi__wanted_name_fini(ubi__wanted_name *wanted, const ubi_allocator *a) {
    ubi__pattern_free(wanted->pattern);
    ubi__vec_u32_fini(&wanted->folded, a);
    ubi__vec_u32_fini(&wanted->border, a);
    wanted->pattern = NULL;
}

uint32_t ubi__wanted_name_states(const ubi__wanted_name *wanted) {
    return wanted->pattern ? ubi__pattern_state_count(wanted->pattern) : 0;
}

/* ---- matching ---------------------------------------------------------------------------------------------------- */

/* How many characters of the text are met after one more. */
static inline uint32_t match_advance(const ubi__wanted_name *w, uint32_t met, uint32_t c) {
    while (met > 0 && w->folded.at[met] != c)
        met = w->border.at[met - 1];
    return met + (w->folded.at[met] == c);
}

static bool matches_ascii(const ubi__wanted_name *w, ubi_text name) {
    const uint8_t *s = (const uint8_t *)name.ptr;
    uint32_t met = 0, n = (uint32_t)w->folded.n, first = w->folded.at[0];
    uint8_t other = (uint8_t)(first >= 'A' && first <= 'Z' ? first + 32 : first);
    for (size_t at = 0; at < name.len; at++) {
        if (met == 0 && s[at] != first && s[at] != other)
            continue;
        met = match_advance(w, met, s[at] < 0x80 ? ubi__fold(s[at]) : s[at]);
        if (met == n)
            return true;
    }
    return false;
}

static bool matches_folded(const ubi__wanted_name *w, ubi_text name) {
    const uint8_t *s = (const uint8_t *)name.ptr;
    uint32_t met = 0, n = (uint32_t)w->folded.n, c;
    for (size_t at = 0; at < name.len;) {
        at += next_folded(&c, s + at, name.len - at);
        met = match_advance(w, met, c);
        if (met == n)
            return true;
    }
    return false;
}

bool ubi__name_matches(const ubi__wanted_name *wanted, ubi__matcher *matcher, ubi_text name) {
    if (wanted->how == UBI_SEARCH_PATTERN)
        return ubi__pattern_matches(wanted->pattern, matcher, name);
    if (wanted->how == UBI_SEARCH_EXACT)
        return ubi__text_contains(name, wanted->text);
    if (wanted->folded.n == 0)
        return true;
    return wanted->is_ascii ? matches_ascii(wanted, name) : matches_folded(wanted, name);
}
