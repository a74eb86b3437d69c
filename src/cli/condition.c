/* SPDX-License-Identifier: MIT
 *
 * condition.c: the vocabulary of conditions, and saying why one holds.
 *
 * A fact is a quantity of a heap, seen from one of three sides: of the snapshot (or NEW), of OLD, or how much it grew.
 */
#include "cli/condition.h"

#include <stdarg.h>
#include <stdio.h>

#include "analyses/query/query_judge.h"
#include "base/alloc.h"
#include "base/assert.h"
#include "base/human.h"
#include "base/text.h"
#include "cli/heap_facts.h"
#include "cli/terminal.h"

typedef enum side { OF_NEW, OF_OLD, GROWTH } side;

typedef struct fact {
    ubi_query_name name;
    ubi__quantity quantity;
    side side;
    ubi__condition_scope scope; /* which conditions know it; ANY: all */
} fact;

#define ANY UBI__CONDITION_SNAPSHOT
#define PAIR UBI__CONDITION_COMPARISON
#define COUNT(name, argument, basis, help)                                                                             \
    { name, help, UBI_QUERY_NUMBER, argument, false, basis }
#define SIZE(name, argument, basis, help)                                                                              \
    { name, help, UBI_QUERY_SIZE, argument, false, basis }
#define NONE UBI_QUERY_NO_ARGUMENT
#define LABEL UBI_QUERY_HAS_ARGUMENT
#define MAYBE UBI_QUERY_MAY_HAVE_ARGUMENT

static const fact facts[] = {
    { SIZE("bytes", MAYBE, true, "own sizes of all that can be reached, or of a kind"), UBI__QUANTITY_BYTES, OF_NEW,
      ANY },
    { COUNT("count", MAYBE, true, "how many nodes can be reached, or of a kind"), UBI__QUANTITY_COUNT, OF_NEW, ANY },
    { SIZE("retained", LABEL, true, "what the nodes of a kind keep alive together"), UBI__QUANTITY_RETAINED, OF_NEW,
      ANY },
    { SIZE("largest", NONE, true, "own size of the largest node"), UBI__QUANTITY_LARGEST, OF_NEW, ANY },
    { COUNT("nodes", NONE, false, "all nodes of the file"), UBI__QUANTITY_NODES, OF_NEW, ANY },
    { COUNT("edges", NONE, false, "all edges of the file"), UBI__QUANTITY_EDGES, OF_NEW, ANY },
    { COUNT("unreachable", NONE, true, "nodes that cannot be reached"), UBI__QUANTITY_UNREACHABLE, OF_NEW, ANY },
    { SIZE("unreachableBytes", NONE, true, "own sizes of nodes that cannot be reached"),
      UBI__QUANTITY_UNREACHABLE_BYTES, OF_NEW, ANY },
    { SIZE("growth", MAYBE, true, "bytes, NEW less OLD"), UBI__QUANTITY_BYTES, GROWTH, PAIR },
    { COUNT("countGrowth", MAYBE, true, "count, NEW less OLD"), UBI__QUANTITY_COUNT, GROWTH, PAIR },
    { SIZE("retainedGrowth", LABEL, true, "retained, NEW less OLD"), UBI__QUANTITY_RETAINED, GROWTH, PAIR },
    { SIZE("oldBytes", MAYBE, true, "bytes of OLD"), UBI__QUANTITY_BYTES, OF_OLD, PAIR },
    { COUNT("oldCount", MAYBE, true, "count of OLD"), UBI__QUANTITY_COUNT, OF_OLD, PAIR },
    { SIZE("oldRetained", LABEL, true, "retained of OLD"), UBI__QUANTITY_RETAINED, OF_OLD, PAIR },
    { COUNT("matches", NONE, true, "how many nodes --where selects"), UBI__QUANTITY_MATCHES, OF_NEW,
      UBI__CONDITION_SELECTION },
};

#define N_FACTS (sizeof facts / sizeof *facts)

struct ubi__condition {
    const char *text;
    ubi_query *query;
    ubi_query_name vocabulary[N_FACTS + 1]; /* the names of the facts */
};

static const fact *meaning_of(const ubi__condition *c, ubi_query_value value) {
    return &facts[value.name - c->vocabulary];
}

/* ---- parsing ---------------------------------------------------------------------------------------------------- */

/* A selection has what a snapshot has, and a pair too, but no selection. */
static ubi_status check_scope(const ubi__condition *c, ubi__condition_scope scope) {
    for (uint32_t i = 0; i < ubi_query_value_count(c->query); i++) {
        const fact *f = meaning_of(c, ubi_query_value_at(c->query, i));
        if (f->scope != UBI__CONDITION_SNAPSHOT && f->scope != scope)
            return ubi__fail(UBI_EINVAL,
                             f->scope == PAIR ? "%s is a fact of two snapshots; see 'ubiheap help diff'"
                                              : "%s is a fact of listed nodes; see 'ubiheap help nodes'",
                             f->name.name);
    }
    return UBI_OK;
}

static ubi_status condition_parse(ubi__condition *c, ubi__condition_scope scope, const ubi_query_name *own) {
    for (size_t i = 0; i < N_FACTS; i++)
        c->vocabulary[i] = facts[i].name;
    UBI_TRY(ubi_query_parse(&c->query, ubi__text(c->text), own ? own : c->vocabulary, NULL));
    return own ? UBI_OK : check_scope(c, scope);
}

static ubi_status fail_parse(ubi_status status) {
    char problem[480];
    if (status != UBI_EINVAL)
        return status;
    snprintf(problem, sizeof problem, "%s", ubi_error_message());
    return ubi__fail(UBI_EINVAL, "--fail-on: %s", problem);
}

static ubi_status condition_make(ubi__condition **out, const char *text, ubi__condition_scope scope,
                                 const ubi_query_name *own) {
    *out = NULL;
    if (!text)
        return UBI_OK;
    ubi__condition *c = UBI_NEW(ubi_allocator_default(), ubi__condition);
    if (!c)
        return ubi__fail_nomem();
    c->text = text;
    ubi_status status = condition_parse(c, scope, own);
    if (status != UBI_OK) {
        ubi__condition_free(c);
        return fail_parse(status);
    }
    *out = c;
    return UBI_OK;
}

ubi_status ubi__condition_parse(ubi__condition **out, const char *text, ubi__condition_scope scope) {
    return condition_make(out, text, scope, NULL);
}

ubi_status ubi__condition_parse_own(ubi__condition **out, const char *text, const ubi_query_name *vocabulary) {
    return condition_make(out, text, UBI__CONDITION_SNAPSHOT, vocabulary);
}

void ubi__condition_free(ubi__condition *condition) {
    if (!condition)
        return;
    ubi_query_free(condition->query);
    UBI_DELETE(ubi_allocator_default(), condition);
}

uint32_t ubi__condition_value_count(const ubi__condition *condition) {
    return condition ? ubi_query_value_count(condition->query) : 0;
}

ubi_query_value ubi__condition_value_at(const ubi__condition *condition, uint32_t i) {
    return ubi_query_value_at(condition->query, i);
}

bool ubi__condition_asks(const ubi__condition *condition, const char *name) {
    for (uint32_t i = 0; condition && i < ubi_query_value_count(condition->query); i++)
        if (strcmp(ubi_query_value_at(condition->query, i).name->name, name) == 0)
            return true;
    return false;
}

/* ---- gathering -------------------------------------------------------------------------------------------------- */

typedef ubi__condition_value measured;

typedef struct gathering {
    const ubi__condition *condition;
    const ubi__condition_facts *facts; /* or: */
    const ubi__condition_estimates *own;
    ubi_progress progress;
    ubi__heap_facts new, old;
    measured *values; /* owned, one per value of the query */
} gathering;

static ubi_status value_measure(uint64_t *out, gathering *g, ubi__heap_facts *heap, ubi__quantity quantity,
                                ubi_text label) {
    if (quantity == UBI__QUANTITY_MATCHES)
        *out = g->facts->n_matches;
    else
        return ubi__heap_facts_measure(out, heap, quantity, label, g->progress);
    return UBI_OK;
}

static ubi_status gather_growth(measured *out, gathering *g, ubi__quantity quantity, ubi_text label) {
    uint64_t old, new;
    UBI_TRY(value_measure(&old, g, &g->old, quantity, label));
    UBI_TRY(value_measure(&new, g, &g->new, quantity, label));
    *out = (measured){ .magnitude = new < old ? old - new : new - old, .is_negative = new < old, .basis = old };
    return UBI_OK;
}

static ubi_status gather_value(measured *out, gathering *g, ubi_query_value value) {
    const fact *f = meaning_of(g->condition, value);
    if (f->side == GROWTH)
        return gather_growth(out, g, f->quantity, value.argument);
    ubi__heap_facts *heap = f->side == OF_OLD ? &g->old : &g->new;
    UBI_TRY(value_measure(&out->magnitude, g, heap, f->quantity, value.argument));
    out->basis = ubi__heap_facts_whole(heap, f->quantity);
    return UBI_OK;
}

static ubi_status gather_own(gathering *g) {
    for (uint32_t i = 0; i < ubi_query_value_count(g->condition->query); i++) {
        UBI_TRY(g->own->measure(&g->values[i], g->own->payload, ubi_query_value_at(g->condition->query, i)));
        ubi__condition_value_check(&g->values[i]);
    }
    return UBI_OK;
}

static ubi_status values_gather(gathering *g) {
    if (g->own)
        return gather_own(g);
    if (g->facts->look)
        UBI_TRY(ubi__heap_facts_of(&g->new, g->facts->look, g->facts->dominators));
    else
        UBI_TRY(ubi__heap_facts_init(&g->new, g->facts->graph, g->facts->view, g->facts->dominators));
    if (g->facts->old_look)
        UBI_TRY(ubi__heap_facts_of(&g->old, g->facts->old_look, NULL));
    else if (g->facts->old)
        UBI_TRY(ubi__heap_facts_init(&g->old, g->facts->old, g->facts->old_view, NULL));
    for (uint32_t i = 0; i < ubi_query_value_count(g->condition->query); i++)
        UBI_TRY(gather_value(&g->values[i], g, ubi_query_value_at(g->condition->query, i)));
    for (uint32_t i = 0; UBI_CHECKS && i < ubi_query_value_count(g->condition->query); i++)
        ubi__condition_value_check(&g->values[i]);
    return UBI_OK;
}

/* ---- judging ---------------------------------------------------------------------------------------------------- */

static ubi__query_range range_of(const measured *m) {
    ubi__whole number = m->is_negative ? -(ubi__whole)m->magnitude : (ubi__whole)m->magnitude;
    if (m->unknown)
        return (ubi__query_range){ 0, UINT64_MAX, 0, UINT64_MAX };
    if (m->is_estimate)
        return (ubi__query_range){ m->low_below ? -(ubi__whole)m->low_below : (ubi__whole)m->low,
                                   m->high_below ? -(ubi__whole)m->high_below : (ubi__whole)m->high, m->basis_low,
                                   m->basis_high };
    return (ubi__query_range){ number, number, m->basis, m->basis };
}

static ubi_status condition_judge(ubi__answer *answer, const gathering *g) {
    const ubi_allocator *a = ubi_allocator_default();
    size_t n = ubi_query_value_count(g->condition->query) + 1;
    ubi__query_range *ranges = ubi__calloc_array(a, n, sizeof *ranges);
    if (!ranges)
        return ubi__fail_nomem();
    for (size_t i = 0; i + 1 < n; i++)
        ranges[i] = range_of(&g->values[i]);
    ubi_status status = ubi__query_judge(answer, g->condition->query, ranges, a);
    ubi__free_array(a, ranges, n, sizeof *ranges);
    return status;
}

/* ---- the reason ------------------------------------------------------------------------------------------------- */

typedef struct reason_line {
    char *at;
    size_t n, capacity;
} reason_line;

static void UBI_PRINTF(2, 3) reason_put(reason_line *l, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(l->at + l->n, l->capacity - l->n, format, arguments);
    va_end(arguments);
    l->n = l->n + (size_t)n < l->capacity ? l->n + (size_t)n : l->capacity - 1;
}

static void put_name(reason_line *l, ubi_query_value value) {
    reason_put(l, "%s", value.name->name);
    if (value.argument.ptr)
        reason_put(l, value.is_quoted ? "('%.*s')" : "(%.*s)", (int)value.argument.len, value.argument.ptr);
}

/* In the unit of the fact. */
static const char *amount_words(char out[UBI__HUMAN_TEXT], ubi_query_value value, uint64_t magnitude) {
    switch (value.name->type) {
    case UBI_QUERY_SIZE:
        return ubi__human_size(out, magnitude);
    case UBI_QUERY_DURATION:
        return ubi__human_nanoseconds(out, magnitude);
    default:
        return ubi__human_count(out, magnitude);
    }
}

/* "is 1.20 MiB to 2.10 MiB", or "is less than 1.50 MiB". */
static void put_limits(reason_line *l, ubi_query_value value, const measured *m) {
    char low[UBI__HUMAN_TEXT], high[UBI__HUMAN_TEXT];
    amount_words(high, value, m->high_below ? m->high_below : m->high);
    amount_words(low, value, m->low_below ? m->low_below : m->low);
    if (m->high == UINT64_MAX)
        reason_put(l, "at least %s%s", m->low_below ? "-" : "", low);
    else if (m->low_below == UINT64_MAX)
        reason_put(l, "at most %s%s", m->high_below ? "-" : "", high);
    else if (m->low_below)
        reason_put(l, "-%s to %s%s", low, m->high_below ? "-" : "", high);
    else if (m->low == 0)
        reason_put(l, "less than %s", high);
    else
        reason_put(l, "%s to %s", low, high);
    if (value.needs_basis && m->basis_high == UINT64_MAX)
        reason_put(l, " (of at least %s)", amount_words(low, value, m->basis_low));
    else if (value.needs_basis && m->basis_low < m->basis_high)
        reason_put(l, " (of %s to %s)", amount_words(low, value, m->basis_low),
                   amount_words(high, value, m->basis_high));
    else if (value.needs_basis)
        reason_put(l, " (of %s)", amount_words(low, value, m->basis_low));
    if (m->because)
        reason_put(l, ", because %s", m->because);
}

static void put_number(reason_line *l, ubi_query_value value, const measured *m) {
    char number[UBI__HUMAN_TEXT], exact[UBI__HUMAN_TEXT], share[UBI__HUMAN_TEXT];
    if (m->is_estimate && (m->low < m->high || m->low_below)) {
        put_limits(l, value, m);
        return;
    }
    bool is_size = value.name->type == UBI_QUERY_SIZE, in_detail = is_size && m->magnitude >= 1024;
    const char *sign = m->is_negative ? "-" : "";
    ubi__human_count(exact, m->magnitude);
    reason_put(l, "%s%s", sign, amount_words(number, value, m->magnitude));
    if (in_detail)
        reason_put(l, " (%s%s B", sign, exact);
    if (value.needs_basis)
        reason_put(l, "%s%s%s of %s", in_detail ? ", " : " (", sign, ubi__human_percent(share, m->magnitude, m->basis),
                   amount_words(number, value, m->basis));
    if (in_detail || value.needs_basis)
        reason_put(l, ")");
}

/* Longer expressions are cut: the values matter more. */
#define MOST_OF_EXPRESSION 300

static void put_condition(reason_line *l, const char *verdict, const ubi__condition *condition) {
    reason_put(l, "%s: %.*s", verdict, MOST_OF_EXPRESSION, condition->text);
    if (strlen(condition->text) > MOST_OF_EXPRESSION)
        reason_put(l, "...");
}

static reason_line condition_explain(char reason[UBI__REASON_TEXT], const gathering *g, const char *verdict) {
    const ubi_query *query = g->condition->query;
    reason_line l = { reason, 0, UBI__REASON_TEXT };
    put_condition(&l, verdict, g->condition);
    for (uint32_t i = 0; i < ubi_query_value_count(query); i++) {
        ubi_query_value value = ubi_query_value_at(query, i);
        reason_put(&l, i ? ", " : "; ");
        put_name(&l, value);
        if (g->values[i].unknown) {
            reason_put(&l, " %s", g->values[i].unknown);
            if (g->values[i].because)
                reason_put(&l, ", because %s", g->values[i].because);
            continue;
        }
        reason_put(&l, " is ");
        put_number(&l, value, &g->values[i]);
    }
    return l;
}

/* ---- checking --------------------------------------------------------------------------------------------------- */

/*
 * What would decide it: the coarsest measurement whose expected limits leave nothing open. Limits cannot show that two
 * numbers are equal, unless they turn out other than expected.
 */
static ubi_status put_advice(reason_line *l, gathering *g) {
    const ubi__condition_estimates *own = g->own;
    ubi__answer answer = UBI__ANSWER_OPEN;
    char name[128];
    bool needs_exact = ubi__query_asks_equality(g->condition->query);
    while (needs_exact && own->refine(own->payload)) {
    }
    while (answer == UBI__ANSWER_OPEN && own->refine(own->payload)) {
        UBI_TRY(gather_own(g));
        UBI_TRY(condition_judge(&answer, g));
    }
    own->name(name, sizeof name, own->payload);
    reason_put(l, "; %s %s decide", name, answer == UBI__ANSWER_OPEN ? "would" : "should");
    return UBI_OK;
}

/* A finer measurement of the same kind does not provide what was not measured, either. */
static bool lacks_value(const gathering *g) {
    for (uint32_t i = 0; i < ubi_query_value_count(g->condition->query); i++)
        if (g->values[i].unknown || g->values[i].is_partial)
            return true;
    return false;
}

static ubi_status condition_check(int *exit_code, ubi__cli *cli, gathering *g) {
    ubi__answer answer = UBI__ANSWER_NO;
    UBI_TRY(values_gather(g));
    UBI_TRY(condition_judge(&answer, g));
    if (answer == UBI__ANSWER_NO)
        return UBI_OK;
    bool is_open = answer != UBI__ANSWER_YES;
    *exit_code = is_open ? UBI__EXIT_INPUT : UBI__EXIT_CONDITION;
    reason_line l =
        condition_explain(cli->reason, g, is_open ? "cannot tell whether the condition holds" : "condition holds");
    if (answer == UBI__ANSWER_NO_VALUE)
        reason_put(&l, "; it divides by 0");
    return answer == UBI__ANSWER_OPEN && g->own && g->own->refine && !lacks_value(g) ? put_advice(&l, g) : UBI_OK;
}

/* Every class that either heap has. */
static void add_labels(ubi__condition_names *names, const ubi__heap_facts *heap) {
    for (uint32_t i = 0; heap->graph && i < ubi__heap_facts_label_count(heap); i++)
        ubi__condition_names_add(names, ubi__heap_facts_label(heap, i));
}

/* A command with its own facts reports itself what they lack. */
static ubi_status report_missing_classes(gathering *g, ubi__cli *cli) {
    ubi__condition_names names;
    if (g->own)
        return UBI_OK;
    UBI_TRY(ubi__condition_names_init(&names, g->condition, NULL));
    add_labels(&names, &g->new);
    add_labels(&names, &g->old);
    ubi__condition_names_report(&names, cli, g->old.graph ? 2 : 1);
    ubi__condition_names_fini(&names);
    return UBI_OK;
}

static ubi_status check_all(int *exit_code, ubi__cli *cli, gathering *g) {
    const ubi_allocator *a = ubi_allocator_default();
    size_t n = ubi_query_value_count(g->condition->query) + 1; /* `1 > 2` has no value */
    g->progress = ubi__progress_line_callbacks(&cli->progress);
    g->values = ubi__calloc_array(a, n, sizeof *g->values);
    ubi_status status = g->values ? condition_check(exit_code, cli, g) : ubi__fail_nomem();
    if (status == UBI_OK)
        status = report_missing_classes(g, cli);
    ubi__progress_line_clear(&cli->progress);
    ubi__heap_facts_fini(&g->old);
    ubi__heap_facts_fini(&g->new);
    ubi__free_array(a, g->values, n, sizeof *g->values);
    return status;
}

ubi_status ubi__condition_check(int *exit_code, ubi__cli *cli, const ubi__condition *condition,
                                const ubi__condition_facts *given) {
    gathering g = { .condition = condition, .facts = given };
    return condition ? check_all(exit_code, cli, &g) : UBI_OK;
}

ubi_status ubi__condition_check_estimates(int *exit_code, ubi__cli *cli, const ubi__condition *condition,
                                          const ubi__condition_estimates *estimates) {
    gathering g = { .condition = condition, .own = estimates };
    return condition ? check_all(exit_code, cli, &g) : UBI_OK;
}

ubi_status ubi__condition_check_own(int *exit_code, ubi__cli *cli, const ubi__condition *condition,
                                    ubi__condition_measure *measure_own, void *payload) {
    const ubi__condition_estimates own = { .measure = measure_own, .payload = payload };
    return ubi__condition_check_estimates(exit_code, cli, condition, &own);
}

/* ---- names of classes ------------------------------------------------------------------------------------------- */

/* Longer names are cut in messages. */
#define MOST_REPORTED_BYTES 200

struct ubi__condition_name {
    ubi_text name; /* of the condition */
    bool is_quoted, is_found;
    char typed[UBI__SUGGESTED_BYTES + 1], best[UBI__SUGGESTED_BYTES + 1];
    ubi__suggestion near;
};

typedef struct ubi__condition_name missing_name;

static bool is_word(const ubi__condition_words *words, ubi_text name) {
    const char *word;
    for (uint32_t i = 0; words && (word = words->word_at(i)); i++)
        if (ubi__text_is(name, word))
            return true;
    return false;
}

static bool is_known(const ubi__condition_names *names, ubi_text name) {
    for (uint32_t i = 0; i < names->n; i++)
        if (ubi__text_equal(names->at[i].name, name))
            return true;
    return false;
}

static bool is_suggestible(const missing_name *m) {
    return m->name.len > 0 && m->name.len <= UBI__SUGGESTED_BYTES;
}

static void argument_expect(ubi__condition_names *names, ubi_query_value value) {
    if (!value.argument.ptr || is_known(names, value.argument) ||
        (!value.is_quoted && is_word(names->words, value.argument)))
        return;
    missing_name *m = &names->at[names->n++];
    *m = (missing_name){ .name = value.argument, .is_quoted = value.is_quoted };
    if (is_suggestible(m))
        memcpy(m->typed, m->name.ptr, m->name.len);
    m->near = ubi__suggestion_for(m->typed);
}

ubi_status ubi__condition_names_init(ubi__condition_names *out, const ubi__condition *condition,
                                     const ubi__condition_words *words) {
    uint32_t n = ubi__condition_value_count(condition);
    *out = (ubi__condition_names){ .words = words };
    if (n == 0)
        return UBI_OK;
    out->at = ubi__calloc_array(ubi_allocator_default(), n, sizeof *out->at);
    if (!out->at)
        return ubi__fail_nomem();
    out->capacity = n;
    for (uint32_t i = 0; i < n; i++)
        argument_expect(out, ubi__condition_value_at(condition, i));
    return UBI_OK;
}

void ubi__condition_names_fini(ubi__condition_names *names) {
    ubi__free_array(ubi_allocator_default(), names->at, names->capacity, sizeof *names->at);
    *names = (ubi__condition_names){ .at = NULL };
}

void ubi__condition_names_add(ubi__condition_names *names, ubi_text class_name) {
    for (uint32_t i = 0; i < names->n; i++) {
        missing_name *m = &names->at[i];
        if (!m->is_found && ubi__text_equal(m->name, class_name))
            m->is_found = true;
        else if (!m->is_found && is_suggestible(m))
            ubi__suggestion_try_text(&m->near, m->best, class_name);
    }
}

/* If a class and a word are equally near, the word: conditions on verdicts are about words. */
static const char *nearest_word(const ubi__condition_words *words, const missing_name *m) {
    const char *word, *best = NULL;
    ubi__suggestion near = m->near;
    if (!words || m->is_quoted || !is_suggestible(m))
        return NULL;
    near.distance += near.word != NULL;
    for (uint32_t i = 0; (word = words->word_at(i)); i++) {
        near.word = NULL;
        ubi__suggestion_try(&near, word);
        best = near.word ? word : best;
    }
    return best;
}

/* Names of classes have other letters, as a rule. */
const char *ubi__condition_word_meant(const ubi__condition_words *words, const ubi_query_value *value) {
    missing_name m = { .name = value->argument, .is_quoted = value->is_quoted };
    if (!m.name.ptr || m.is_quoted || !is_suggestible(&m) || is_word(words, m.name))
        return NULL;
    memcpy(m.typed, m.name.ptr, m.name.len);
    if (strspn(m.typed, "abcdefghijklmnopqrstuvwxyz") != m.name.len)
        return NULL;
    m.near = ubi__suggestion_for(m.typed);
    return nearest_word(words, &m);
}

/* Whether it is a misspelt word. */
static bool name_report(const ubi__condition_names *names, const missing_name *m, ubi__cli *cli, int n_files) {
    char line[MOST_REPORTED_BYTES + 200];
    const char *word = nearest_word(names->words, m);
    bool is_cut = m->name.len > MOST_REPORTED_BYTES;
    int n = snprintf(line, sizeof line, "condition: no class '%.*s%s' in %s",
                     (int)(is_cut ? MOST_REPORTED_BYTES : m->name.len), m->name.ptr, is_cut ? "..." : "",
                     n_files == 1 ? "this file" : "these files");
    if (word)
        snprintf(line + n, sizeof line - (size_t)n, "; did you mean the %s %s?", names->words->what, word);
    else if (m->near.word)
        snprintf(line + n, sizeof line - (size_t)n, "; did you mean '%s'?", m->best);
    ubi__print_line(cli->subject, line);
    return word != NULL;
}

bool ubi__condition_names_report(const ubi__condition_names *names, ubi__cli *cli, int n_files) {
    bool is_word_misspelt = false;
    ubi__progress_line_clear(&cli->progress);
    for (uint32_t i = 0; i < names->n; i++)
        if (!names->at[i].is_found) {
            if (cli->output)
                ubi__out_flush(cli->page.out);
            is_word_misspelt |= name_report(names, &names->at[i], cli, n_files);
        }
    return is_word_misspelt;
}
