/* SPDX-License-Identifier: MIT
 *
 * leaks_facts.c: see leaks_facts.h.
 */
#include "questions/leaks/leaks_facts.h"

#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/status.h"
#include "base/text.h"
#include "questions/leaks/leaks_answer.h"

enum {
    FACT_LEAKED,
    FACT_COUNT,
    FACT_RETAINED,
    FACT_LARGEST,
    FACT_CLUSTERS,
    FACT_GROWN,
    FACT_GROWTH,
    FACT_UNLISTED,
    FACT_BYTES
};

const ubi_query_name ubi__leaks_facts[] = {
    { "leaked", "leaked objects, or those of a class or verdict", UBI_QUERY_NUMBER, UBI_QUERY_MAY_HAVE_WORD, false,
      true },
    { "count", "the same", UBI_QUERY_NUMBER, UBI_QUERY_MAY_HAVE_WORD, false, true },
    { "retained", "bytes that leaked objects keep, or the clusters of a class or verdict", UBI_QUERY_SIZE,
      UBI_QUERY_MAY_HAVE_WORD, false, true },
    { "largest", "bytes that the largest cluster keeps, or that of a class or verdict", UBI_QUERY_SIZE,
      UBI_QUERY_MAY_HAVE_WORD, false, true },
    { "clusters", "how many clusters there are, or of a class or verdict", UBI_QUERY_NUMBER, UBI_QUERY_MAY_HAVE_WORD,
      false, false },
    { "grown", "bytes by which objects that were there in OLD became larger, or those of a class or verdict",
      UBI_QUERY_SIZE, UBI_QUERY_MAY_HAVE_WORD, false, true },
    { "growth", "bytes of the newest heap less those of OLD", UBI_QUERY_SIZE, UBI_QUERY_NO_ARGUMENT, false, true },
    { "unlisted",
      "bytes of growth from OLD to NEW that no cluster keeps; with a verdict: what came and stayed or became larger, "
      "and is in no list",
      UBI_QUERY_SIZE, UBI_QUERY_MAY_HAVE_WORD, false, true },
    { "bytes", "bytes of the newest heap", UBI_QUERY_SIZE, UBI_QUERY_NO_ARGUMENT, false, false },
    { NULL, NULL, UBI_QUERY_BOOL, UBI_QUERY_NO_ARGUMENT, false, false },
};

/* ---- verdicts ----------------------------------------------------------------------------------------------------- */

static ubi_status check_possible(ubi_leak_verdict verdict, const ubi__leaks_answer *answer) {
    if (answer->values->script) /* a round trip */
        return verdict == UBI_LEAK_GREW || verdict == UBI_LEAK_LARGE
                   ? UBI_OK
                   : ubi__fail(UBI_EINVAL, "a scenario has the verdicts 'grew' and 'large', not '%s'",
                               ubi_leak_verdict_name(verdict));
    if (ubi_leak_verdict_is_possible(verdict, answer->series.n, answer->controls.n > 0))
        return UBI_OK;
    const char *name = ubi_leak_verdict_name(verdict);
    if (verdict == UBI_LEAK_CONTROLLED)
        return ubi__fail(UBI_EINVAL, "'%s' is a verdict that needs --control", name);
    if (verdict == UBI_LEAK_STEPWISE)
        return ubi__fail(UBI_EINVAL, "'stepwise' is a verdict on four snapshots or more");
    return ubi__fail(UBI_EINVAL,
                     answer->series.n == 2
                         ? "two snapshots cannot show what is '%s'; take a third, after the same work"
                         : "'%s' is a verdict on two snapshots; 'steady' and 'once' are those on more",
                     name);
}

static ubi_status fail_unknown(ubi_text word) {
    char all[160] = "";
    for (int i = 0; i < UBI_LEAK_VERDICTS; i++) {
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", ubi_leak_verdict_name((ubi_leak_verdict)i));
    }
    return ubi__fail(UBI_EINVAL, "unknown verdict '%.*s', expected some of %s", (int)(word.len < 40 ? word.len : 40),
                     word.ptr, all);
}

static ubi_status add_verdict(uint32_t *bits, ubi_text word, const ubi__leaks_answer *answer) {
    ubi_leak_verdict verdict;
    if (!ubi_leak_verdict_named(&verdict, word))
        return fail_unknown(word);
    UBI_TRY(check_possible(verdict, answer));
    *bits |= UBI_LEAK_VERDICT_BIT(verdict);
    return UBI_OK;
}

static ubi_status in_option(ubi_status status, const char *option) {
    char problem[320];
    if (status != UBI_EINVAL)
        return status;
    snprintf(problem, sizeof problem, "%s", ubi_error_message());
    return ubi__fail(UBI_EINVAL, "%s: %s", option, problem);
}

ubi_status ubi__leaks_parse_verdicts(uint32_t *out, const char *list, const ubi__leaks_answer *answer) {
    *out = 0;
    for (const char *at = list; at; at = *at ? at + 1 : NULL) {
        size_t n = strcspn(at, ",");
        UBI_TRY(in_option(add_verdict(out, (ubi_text){ at, n }, answer), "--verdict"));
        at += n;
    }
    return UBI_OK;
}

/* ---- conditions --------------------------------------------------------------------------------------------------- */

/* A word without quotes; false: it is the name of a class, or missing. */
static bool asks_verdict(ubi_leak_verdict *out, const ubi_query_value *value) {
    return value->argument.ptr && !value->is_quoted && ubi_leak_verdict_named(out, value->argument);
}

ubi_status ubi__leaks_check_fact(const void *answer_of, const ubi_query_value *value) {
    const ubi__leaks_answer *answer = answer_of;
    ubi_leak_verdict verdict;
    size_t fact = (size_t)(value->name - ubi__leaks_facts);
    if (answer->values->keeps_ids && (fact == FACT_GROWN || fact == FACT_UNLISTED))
        return ubi__fail(UBI_EINVAL, "--fail-on: '%s' is unknown with --keep-ids", value->name->name);
    return asks_verdict(&verdict, value) ? in_option(check_possible(verdict, answer), "--fail-on") : UBI_OK;
}

static const char *verdict_word(uint32_t ix) {
    return ix < UBI_LEAK_VERDICTS ? ubi_leak_verdict_name((ubi_leak_verdict)ix) : NULL;
}

const ubi__condition_words ubi__leaks_verdict_words = { "verdict", verdict_word };

static ubi_leak_sums sums_of_all(const ubi_leaks *leaks) {
    const ubi_leak_summary *s = ubi_leaks_summary(leaks);
    return (ubi_leak_sums){ s->leaked, s->retained_bytes, s->largest_bytes, s->n_clusters };
}

static ubi_leak_sums sums_of_class(const ubi_leaks *leaks, ubi_text name) {
    ubi_leak_sums sums = { .leaked = ubi_leaks_of_class(leaks, name) };
    sums.retained_bytes = ubi_leaks_retained_by_class(leaks, name);
    for (uint32_t i = 0; i < ubi_leaks_summary(leaks)->n_clusters; i++) {
        const ubi_leak_cluster *c = ubi_leaks_cluster(leaks, i);
        if (!ubi__text_equal(c->class_name.name, name))
            continue;
        sums.n_clusters++;
        sums.largest_bytes = c->retained_bytes > sums.largest_bytes ? c->retained_bytes : sums.largest_bytes;
    }
    return sums;
}

static ubi_leak_sums sums_of(const ubi_leaks *leaks, const ubi_query_value *value) {
    ubi_leak_verdict verdict;
    if (asks_verdict(&verdict, value))
        return *ubi_leaks_of_verdict(leaks, verdict);
    return value->argument.ptr ? sums_of_class(leaks, value->argument) : sums_of_all(leaks);
}

static uint64_t fact_add(uint64_t a, uint64_t b) {
    return a + b < a ? UINT64_MAX : a + b;
}

uint64_t ubi__leaks_grown_of(const ubi_leaks *leaks, ubi_leak_verdict verdict) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < ubi_leaks_grown_count(leaks); i++)
        if (ubi_leaks_grown(leaks, i)->verdict == verdict)
            sum = fact_add(sum, ubi_leaks_grown(leaks, i)->grown_bytes);
    return sum;
}

/* From this number of heaps on, steps without growth are more than a table's room. */
#define DECIDING_HEAPS 6
/* A table becomes half as large again, or larger: a third of it may be room. */
#define ROOM_SHARE 3

/*
 * A table is made larger by a quarter or more at a time, and did not grow with all steps. Steps without growth after that may be in its room:
 * if it grew before by as much on the average.
 */
static bool may_have_room(const ubi_leak_grown *grown, uint32_t n_steps) {
    bool is_store = !grown->is_rope && grown->content == UBI_NONE && !grown->is_by_contents;
    uint32_t last = n_steps;
    if (grown->verdict != UBI_LEAK_ONCE || !is_store || grown->n_grew == 0)
        return false;
    while (last > 0 && !grown->grew[last - 1])
        last--;
    uint64_t before = grown->bytes[last - 1], after = grown->bytes[last];
    uint64_t by_step = ubi__subtract_u64(after, grown->bytes[0]) / last, n_quiet = n_steps - last;
    return after / 5 >= before / 4 && after > before && (n_steps == 2 || by_step * n_quiet <= after / ROOM_SHARE);
}

uint64_t ubi__leaks_growth_with_room(const ubi_leaks *leaks) {
    uint64_t sum = 0;
    uint32_t n_heaps = ubi_leaks_heap_count(leaks);
    for (uint32_t i = 0; n_heaps > 2 && n_heaps < DECIDING_HEAPS && i < ubi_leaks_grown_count(leaks); i++)
        if (may_have_room(ubi_leaks_grown(leaks, i), n_heaps - 1))
            sum = fact_add(sum, ubi_leaks_grown(leaks, i)->grown_bytes);
    return sum;
}

/* Healthy programs have tables of some megabytes that are set up late; more than this is worth another look at them. */
#define LEAST_UNDECIDED_BYTES (UINT64_C(4) << 20)

/* Few files do not show whether tables with room grow steadily. */
static void widen_steady(ubi__condition_value *out, const ubi_leaks *leaks) {
    uint64_t room_bytes = ubi__leaks_growth_with_room(leaks);
    if (room_bytes < LEAST_UNDECIDED_BYTES)
        return;
    out->is_estimate = true;
    out->because = ubi_leaks_heap_count(leaks) == 3
                       ? "a table that grew with one of the two steps may have room for the other; six snapshots decide"
                       : "a table that did not grow with all steps may have room for the others; six snapshots decide";
    out->low = out->magnitude;
    out->high = fact_add(out->magnitude, room_bytes);
    out->basis_low = out->basis_high = out->basis;
}

static uint64_t grown_of(const ubi_leaks *leaks, const ubi_query_value *value) {
    ubi_leak_verdict verdict;
    uint64_t sum = 0;
    if (asks_verdict(&verdict, value))
        return ubi__leaks_grown_of(leaks, verdict);
    for (uint32_t i = 0; i < ubi_leaks_grown_count(leaks); i++) {
        const ubi_leak_grown *grown = ubi_leaks_grown(leaks, i);
        bool is_meant =
            grown->is_counted && (!value->argument.ptr || ubi__text_equal(grown->class_name.name, value->argument));
        sum = is_meant ? fact_add(sum, grown->grown_bytes) : sum;
    }
    return sum;
}

/* With a verdict, what is in no list at all, if its growth has this verdict. */
static uint64_t unlisted_of(const ubi_leaks *leaks, const ubi_query_value *value) {
    const ubi_leak_unlisted *unlisted = ubi_leaks_unlisted(leaks);
    ubi_leak_verdict verdict;
    if (!asks_verdict(&verdict, value))
        return ubi__leaks_unlisted_growth(leaks);
    return unlisted->verdict == verdict ? unlisted->stayed_bytes : 0;
}

static void measure_growth(ubi__condition_value *out, const ubi_leak_summary *s) {
    uint64_t old = s->heap[0].bytes, new = s->heap[2].bytes;
    *out = (ubi__condition_value){ .magnitude = new < old ? old - new : new - old,
                                   .is_negative = new < old,
                                   .basis = old };
}

ubi_status ubi__leaks_measure(ubi__condition_value *out, void *payload, ubi_query_value value) {
    const ubi_leaks *leaks = ((const ubi__leaks_answer *)payload)->leaks;
    const ubi_leak_summary *s = ubi_leaks_summary(leaks);
    ubi_leak_sums sums = sums_of(leaks, &value);
    ubi_leak_verdict verdict;
    *out = (ubi__condition_value){ .basis = s->heap[2].bytes };
    switch (value.name - ubi__leaks_facts) {
    case FACT_LEAKED:
    case FACT_COUNT:
        out->magnitude = sums.leaked.count;
        out->basis = s->heap[2].count;
        break;
    case FACT_RETAINED:
        out->magnitude = sums.retained_bytes;
        break;
    case FACT_LARGEST:
        out->magnitude = sums.largest_bytes;
        break;
    case FACT_CLUSTERS:
        out->magnitude = sums.n_clusters;
        break;
    case FACT_GROWTH:
        measure_growth(out, s);
        break;
    case FACT_GROWN:
        out->magnitude = grown_of(leaks, &value);
        out->basis = s->heap[0].bytes;
        if (asks_verdict(&verdict, &value) && verdict == UBI_LEAK_STEADY)
            widen_steady(out, leaks);
        break;
    case FACT_UNLISTED:
        out->magnitude = unlisted_of(leaks, &value);
        out->basis = s->heap[0].bytes;
        break;
    default:
        out->magnitude = s->heap[2].bytes;
    }
    return UBI_OK;
}
