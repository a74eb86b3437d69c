/* SPDX-License-Identifier: MIT
 *
 * same_process.c: see same_process.h.
 */
#include "analyses/same_process.h"

#include "base/text.h"

/* Of the nodes that could be the same, at least this share must be. */
#define LEAST_COMMON_PERCENT 10
#define LEAST_SAME_PERCENT 98
/* Fewer texts than these say nothing. */
#define LEAST_TEXTS 50
/* This many different strings, anonymized in at least one heap, are no coincidence. */
#define LEAST_WORDS 10

static const ubi_kind *kind_of(const ubi_graph *g, ubi_node_ix node) {
    return &g->kinds.rows.at[g->kind.at[node]];
}

/* What the anonymizer writes for a word: x_ and ten of these digits (analyses/anonymize/word_map.h). */
#define WORD_DIGITS "0123456789abcdefghjkmnpqrstvwxyz"
#define WORD_DIGIT_COUNT 10
/* Bytes of a text that are looked at: what is anonymized is so from its first word on. */
#define LOOK_BYTES 256

static bool has_word(ubi_text text) {
    size_t n = 0; /* digits after an x_ */
    for (size_t i = 2; i < text.len && i < LOOK_BYTES; i++) {
        bool begins = text.ptr[i - 2] == 'x' && text.ptr[i - 1] == '_';
        bool is_digit = text.ptr[i] && strchr(WORD_DIGITS, text.ptr[i]);
        n = is_digit && (begins || n) ? n + 1 : 0;
        if (n == WORD_DIGIT_COUNT)
            return true;
    }
    return false;
}

static ubi_text type_of(const ubi_graph *g, const ubi_kind *kind) {
    return ubi__strtab_get(&g->strings, kind->type_name);
}

static bool is_string(const ubi_kind *kind) {
    return kind->coarse_type == UBI_COARSE_STRING;
}

static bool is_type_equal(const ubi_graph *past, const ubi_kind *was, const ubi_graph *g, const ubi_kind *is) {
    if (is_string(was) || is_string(is))
        return is_string(was) == is_string(is);
    if (was->raw_type && is->raw_type)
        return was->raw_type == is->raw_type;
    return was->coarse_type == is->coarse_type && ubi__text_equal(type_of(past, was), type_of(g, is));
}

/* A string that was put together of others becomes a plain one when it is used as a key, and has a text then. */
static bool has_own_text(const ubi_graph *g, ubi_node_ix node) {
    return !g->string_has_text || g->string_has_text(kind_of(g, node));
}

/* Anonymized with keys of their own, equal texts become different words (x_...): these depend on the keys, not on the process. */
static void compare_texts(ubi__id_match *match, const ubi_graph *past, ubi_node_ix before, const ubi_graph *g,
                          ubi_node_ix node) {
    ubi_str_ix a = ubi__graph_node_name(past, before), b = ubi__graph_node_name(g, node);
    if (a == UBI_NONE || b == UBI_NONE || !has_own_text(past, before) || !has_own_text(g, node))
        return;
    ubi_text was = ubi__strtab_get(&past->strings, a), is = ubi__strtab_get(&g->strings, b);
    bool same = ubi__text_equal(was, is);
    if (!same && (has_word(was) || has_word(is))) {
        match->n_words++;
        return;
    }
    match->n_texts++;
    match->n_texts_same += same;
    match->n_words_same += same && has_word(is);
}

void ubi__id_match_check(const ubi__id_match *match) {
    UBI_ASSERT(match->n_common_same <= match->n_common && match->n_types_same <= match->n_common);
    UBI_ASSERT(match->n_texts_same <= match->n_texts && match->n_words_same <= match->n_texts_same);
    UBI_ASSERT(match->n_texts + match->n_words <= match->n_common);
}

void ubi__id_match_count(ubi__id_match *match, const ubi_graph *past, ubi_node_ix before, const ubi_graph *graph,
                         ubi_node_ix node, bool is_class_equal) {
    const ubi_kind *was = kind_of(past, before), *is = kind_of(graph, node);
    bool are_strings = is_string(was) && is_string(is);
    match->n_common++;
    match->n_common_same += is_class_equal || are_strings;
    match->n_types_same += is_type_equal(past, was, graph, is);
    if (are_strings)
        compare_texts(match, past, before, graph, node);
}

void ubi__id_match_add(ubi__id_match *to, const ubi__id_match *part) {
    ubi__id_match_check(part);
    to->n_common += part->n_common;
    to->n_common_same += part->n_common_same;
    to->n_types_same += part->n_types_same;
    to->n_texts += part->n_texts;
    to->n_texts_same += part->n_texts_same;
    to->n_words += part->n_words;
    to->n_words_same += part->n_words_same;
}

static bool is_most(uint64_t part, uint64_t whole) {
    return part * 100 >= whole * LEAST_SAME_PERCENT; /* of nodes: far below 2^57 */
}

bool ubi__is_same_process(const ubi__id_match *match, uint64_t n_fewer, bool reuses_ids) {
    ubi__id_match_check(match);
    if (match->n_common * 100 < n_fewer * LEAST_COMMON_PERCENT)
        return false;
    if (reuses_ids)
        return true;
    if (match->n_words >= LEAST_WORDS && match->n_words > match->n_words_same)
        return false; /* of several keys: perhaps one process, but classes and names are not to be compared */
    if (match->n_texts < LEAST_TEXTS)
        return is_most(match->n_common_same, match->n_common);
    return is_most(match->n_types_same, match->n_common) && is_most(match->n_texts_same, match->n_texts);
}
