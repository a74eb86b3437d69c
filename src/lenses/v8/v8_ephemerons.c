/* SPDX-License-Identifier: MIT
 *
 * v8_ephemerons.c: what strings of the graph mean: a few words, and names of the edges of WeakMaps.
 *
 * A value in a WeakMap is retained by key and table together. The file has an edge from each, both with a name of the form
 *
 *     DIGITS / part of key (ANY @DIGITS) -> value (ANY @DIGITS) pair in WeakMap (table @DIGITS)
 *
 * whose part after the first digits is the same in both; ANY has no line break. What a name means is found once per string.
 */
#include "base/assert.h"
#include "base/merge_sort.h"
#include "base/parallel.h"
#include "base/text.h"
#include "lenses/retaining.h"
#include "lenses/v8/v8_look.h"

/* Stage of progress. */
#define STAGE "looking at names"

#define KEY_PART " / part of key ("
#define VALUE_PART ") -> value ("
#define MAP_PART " pair in WeakMap (table @"

/* Takes `word` from the end of the text. */
static bool cut_word(ubi_text *text, const char *word) {
    size_t n = strlen(word);
    if (text->len < n || memcmp(text->ptr + text->len - n, word, n) != 0)
        return false;
    text->len -= n;
    return true;
}

/* Takes digits from the end of the text, at least one; *value: the number, at most 2^64-1. */
static bool cut_digits(ubi_text *text, uint64_t *value) {
    size_t end = text->len, start = end;
    while (start && ubi__is_digit(text->ptr[start - 1]))
        start--;
    *value = 0;
    for (size_t i = start; i < end; i++)
        if (__builtin_mul_overflow(*value, (uint64_t)10, value) ||
            __builtin_add_overflow(*value, (uint64_t)(text->ptr[i] - '0'), value)) {
            *value = UINT64_MAX;
            break;
        }
    text->len = start;
    return start < end;
}

/* Line breaks as regular expressions of JavaScript know them: \n, \r, U+2028, U+2029. */
static bool has_line_break(ubi_text text) {
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '\n' || text.ptr[i] == '\r')
            return true;
        if (text.ptr[i] == '\xe2' && text.len - i > 2 && text.ptr[i + 1] == '\x80' &&
            (text.ptr[i + 2] == '\xa8' || text.ptr[i + 2] == '\xa9'))
            return true;
    }
    return false;
}

/* Whether the text holds " @DIGITS) -> value (", with anything around it. */
static bool has_middle(ubi_text text) {
    const char *end = text.ptr + text.len;
    for (const char *p = text.ptr; (p = memmem(p, (size_t)(end - p), VALUE_PART, strlen(VALUE_PART))); p++) {
        ubi_text before = { text.ptr, (size_t)(p - text.ptr) };
        uint64_t value;
        if (cut_digits(&before, &value) && cut_word(&before, " @"))
            return true;
    }
    return false;
}

bool ubi__v8_ephemeron_parse(ubi_text name, size_t *pair_from, uint64_t *table_id) {
    size_t from = 0;
    uint64_t ignored;
    ubi_text rest = name;
    if (!cut_word(&rest, ")") || !cut_digits(&rest, table_id) || !cut_word(&rest, MAP_PART) || !cut_word(&rest, ")") ||
        !cut_digits(&rest, &ignored) || !cut_word(&rest, " @"))
        return false;
    while (from < rest.len && ubi__is_digit(rest.ptr[from]))
        from++;
    size_t middle = from + strlen(KEY_PART);
    if (from == 0 || rest.len < middle || memcmp(rest.ptr + from, KEY_PART, strlen(KEY_PART)) != 0)
        return false;
    *pair_from = from;
    return has_middle((ubi_text){ rest.ptr + middle, rest.len - middle }) && !has_line_break(name);
}

const ubi__v8_ephemeron *ubi__v8_ephemeron_named(const ubi__v8_look *own, ubi_str_ix name) {
    if (!own->is_ephemeron || name == UBI_NONE || !(own->is_ephemeron[name / 64] >> (name % 64) & 1))
        return NULL;
    size_t low = 0, high = own->ephemerons.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (own->ephemerons.at[middle].name < name)
            low = middle + 1;
        else
            high = middle;
    }
    UBI_ASSERT(low < own->ephemerons.n && own->ephemerons.at[low].name == name);
    return &own->ephemerons.at[low];
}

/* ---- reading all strings ----------------------------------------------------------------------------------------- */

/* In the order of the members of ubi__v8_words. */
static const char *const word_texts[] = { "__proto__",
                                          "Object",
                                          "first",
                                          "second",
                                          "sloppy_function_map",
                                          "system / NativeContext",
                                          "(map descriptors)",
                                          "(Document DOM trees)",
                                          "system / ExternalStringData",
                                          "truncated",
                                          "Node / CleanupQueue",
                                          "Node / BaseObjectList" };
#define N_WORDS (sizeof word_texts / sizeof *word_texts)
_Static_assert(sizeof(ubi__v8_words) == N_WORDS * sizeof(ubi_str_ix), "a member for each word");

/* What a range of strings has. */
typedef struct part {
    ubi_str_ix words[N_WORDS];
    ubi__vec_u32 ephemerons; /* strings, ascending */
    ubi_status status;
} part;

typedef struct reading {
    ubi__pulse *pulse;
    const ubi_graph *g;
    const ubi_allocator *a;
    part parts[UBI__MAX_THREADS];
} reading;

static void note_word(part *p, ubi_str_ix string, ubi_text text) {
    for (size_t i = 0; i < N_WORDS; i++)
        if (p->words[i] == UBI_NONE && ubi__text_is(text, word_texts[i]))
            p->words[i] = string;
}

static void read_range(void *payload, uint64_t begin, uint64_t end, unsigned part_number) {
    reading *r = payload;
    part *p = &r->parts[part_number];
    uint64_t ignored;
    size_t pair_from;
    for (ubi_str_ix string = (ubi_str_ix)begin; string < end; string++) {
        ubi_text text = ubi__strtab_get(&r->g->strings, string);
        if (ubi__unlikely(string % UBI__PULSE_NODES == 0) && !ubi__pulse_again(r->pulse))
            return;
        if (text.len < 5)
            continue;
        char c = *text.ptr;
        if (text.len <= 27 && (c == '_' || c == 'O' || c == 'f' || c == 's' || c == 't' || c == 'N' || c == '('))
            note_word(p, string, text);
        else if (ubi__is_digit(c) && ubi__v8_ephemeron_parse(text, &pair_from, &ignored) && p->status == UBI_OK)
            p->status = ubi__vec_u32_push(&p->ephemerons, r->a, string);
    }
}

/* A name gets the number of its pair; the same text after the digits, the same number. */
static ubi_status add_ephemeron(ubi__v8_look *own, ubi__strtab *pairs, const reading *r, ubi_str_ix string) {
    ubi_text text = ubi__strtab_get(&r->g->strings, string);
    ubi_str_ix pair;
    size_t from = 0;
    uint64_t table_id = 0;
    ubi__v8_ephemeron_parse(text, &from, &table_id);
    UBI_TRY(ubi__strtab_intern(pairs, &pair, (ubi_text){ text.ptr + from, text.len - from }));
    own->is_ephemeron[string / 64] |= UINT64_C(1) << (string % 64);
    return ubi__vec_v8_ephemeron_push(&own->ephemerons, r->a, (ubi__v8_ephemeron){ string, pair, table_id });
}

static ubi_status join_parts(ubi__v8_look *own, ubi__strtab *pairs, const reading *r, ubi__pulse *pulse) {
    size_t n = 0;
    for (size_t i = 0; i < UBI__MAX_THREADS; i++) {
        UBI_TRY(r->parts[i].status == UBI_OK ? UBI_OK : ubi__fail_nomem());
        n += r->parts[i].ephemerons.n;
        for (size_t k = 0; k < N_WORDS; k++)
            if (((ubi_str_ix *)&own->words)[k] == UBI_NONE)
                ((ubi_str_ix *)&own->words)[k] = r->parts[i].words[k];
    }
    if (n == 0)
        return UBI_OK;
    own->is_ephemeron = ubi__calloc_array(r->a, ubi__strtab_count(&r->g->strings) / 64 + 1, sizeof *own->is_ephemeron);
    if (!own->is_ephemeron)
        return ubi__fail_nomem();
    for (size_t i = 0; i < UBI__MAX_THREADS; i++)
        for (size_t k = 0; k < r->parts[i].ephemerons.n; k++) {
            if (ubi__unlikely(k % (UBI__PULSE_NODES / 4) == 0) && !ubi__pulse_at(pulse, STAGE, k, n))
                return ubi__fail_cancelled();
            UBI_TRY(add_ephemeron(own, pairs, r, r->parts[i].ephemerons.at[k]));
        }
    own->n_pairs = ubi__strtab_count(pairs);
    UBI_ASSERT(own->ephemerons.n == n);
    return UBI_OK;
}

ubi_status ubi__v8_find_words(ubi__v8_look *own, const ubi_graph *g, ubi__v8_opening *opening) {
    reading r = { .pulse = &opening->pulse, .g = g, .a = opening->allocator };
    ubi__strtab pairs;
    for (size_t i = 0; i < UBI__MAX_THREADS; i++)
        memset(r.parts[i].words, 0xff, sizeof r.parts[i].words);
    memset(&own->words, 0xff, sizeof own->words);
    ubi__strtab_init(&pairs, r.a);
    ubi__crew crew = { opening->threads, &opening->pulse };
    ubi_status status =
        ubi__parallel_pieces(crew, STAGE, ubi__strtab_count(&g->strings), UBI__V8_CHUNK, read_range, &r);
    if (status == UBI_OK)
        status = join_parts(own, &pairs, &r, &opening->pulse);
    for (size_t i = 0; i < UBI__MAX_THREADS; i++)
        ubi__vec_u32_fini(&r.parts[i].ephemerons, r.a);
    ubi__strtab_fini(&pairs);
    return status;
}

/* ---- retainers as DevTools list them ----------------------------------------------------------------------------- */

/*
 * Edges to values of WeakMaps that keep nothing because their partner is out of reach (retaining.h).
 *
 * A value lives as long as both its key and the map do, and an edge leads to it from either. Where one of them is out of
 * reach, both edges of the pair are useless. Edges that leave nodes out of reach give pairs of value and name; then the
 * edges to each such value are read once.
 */

typedef struct broken {
    ubi_node_ix value;
    uint32_t pair;
} broken;

UBI_VEC_DECLARE(broken_list, broken);

#define BROKEN_BEFORE(ctx, a, b) ((a).value != (b).value ? (a).value < (b).value : (a).pair < (b).pair)
UBI_SORT_DEFINE(sort_broken, broken, void *, BROKEN_BEFORE);

static const ubi__v8_ephemeron *ephemeron_of(const ubi_retaining *r, ubi_edge_ix edge) {
    const ubi_graph *g = r->look->graph;
    if (ubi__graph_edge_kind(g, edge) != UBI_EDGE_INTERNAL)
        return NULL;
    return ubi__v8_ephemeron_named(ubi__v8_look_of(r->look), g->name.at[edge]);
}

static ubi_status find_broken(broken_list *out, const ubi_retaining *r, const uint32_t *without) {
    const ubi_graph *g = r->look->graph;
    for (ubi_node_ix node = 0; node < g->n_nodes; node++) {
        if (without[node] != UBI_NONE)
            continue;
        for (ubi_edge_ix e = g->first_edge.at[node]; e < g->first_edge.at[node + 1]; e++) {
            const ubi__v8_ephemeron *ephemeron = ephemeron_of(r, e);
            if (ephemeron)
                UBI_TRY(broken_list_push(out, r->allocator, (broken){ g->target.at[e], ephemeron->pair }));
        }
    }
    return UBI_OK;
}

static ubi_status broken_sort(broken_list *list, const ubi_allocator *a) {
    if (list->n < 2)
        return UBI_OK;
    broken *spare = ubi__alloc_array(a, list->n, sizeof *spare);
    if (!spare)
        return ubi__fail_nomem();
    sort_broken(list->at, spare, list->n, NULL);
    ubi__free_array(a, spare, list->n, sizeof *spare);
    return UBI_OK;
}

/* Whether list[0..n), ascending, has the pair. */
static bool has_pair(const broken *list, size_t n, uint32_t pair) {
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (list[middle].pair < pair)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && list[low].pair == pair;
}

/* list[0..n) is of one value. */
static ubi_status add_useless(ubi__vec_u64 *out, const ubi_retaining *r, const broken *list, size_t n) {
    uint64_t i = 0;
    ubi_edge_ix edge;
    while (ubi__retaining_next(&edge, r, list->value, &i)) {
        const ubi__v8_ephemeron *ephemeron = ephemeron_of(r, edge);
        if (ephemeron && has_pair(list, n, ephemeron->pair))
            UBI_TRY(ubi__vec_u64_push(out, r->allocator, edge));
    }
    return UBI_OK;
}

#define U64_BEFORE(ctx, a, b) ((a) < (b))
UBI_SORT_DEFINE(sort_edges, uint64_t, void *, U64_BEFORE);

static ubi_status sort_useless(ubi__vec_u64 *edges, const ubi_allocator *a) {
    if (edges->n < 2)
        return UBI_OK;
    uint64_t *spare = ubi__alloc_array(a, edges->n, sizeof *spare);
    if (!spare)
        return ubi__fail_nomem();
    sort_edges(edges->at, spare, edges->n, NULL);
    ubi__free_array(a, spare, edges->n, sizeof *spare);
    return UBI_OK;
}

static ubi_status find_useless(ubi__vec_u64 *out, const ubi_retaining *r, broken_list *list, const uint32_t *without) {
    UBI_TRY(find_broken(list, r, without));
    UBI_TRY(broken_sort(list, r->allocator));
    for (size_t i = 1; UBI_CHECKS && i < list->n; i++)
        UBI_ASSERT(!BROKEN_BEFORE(NULL, list->at[i], list->at[i - 1]));
    for (size_t first = 0, i = 1; i <= list->n; i++)
        if (i == list->n || list->at[i].value != list->at[first].value) {
            UBI_TRY(add_useless(out, r, list->at + first, i - first));
            first = i;
        }
    return sort_useless(out, r->allocator);
}

static ubi_status find_useless_edges(ubi__vec_u64 *out, const ubi_retaining *retaining, const uint32_t *without) {
    broken_list list = { 0 };
    if (ubi__v8_look_of(retaining->look)->n_pairs == 0)
        return UBI_OK;
    ubi_status status = find_useless(out, retaining, &list, without);
    for (size_t i = 1; UBI_CHECKS && status == UBI_OK && i < out->n; i++)
        UBI_ASSERT(out->at[i - 1] < out->at[i]); /* each edge leads to one value */
    broken_list_fini(&list, retaining->allocator);
    return status;
}

const ubi__retaining_rules ubi__v8_retaining = { ubi__v8_distances_without, find_useless_edges };
