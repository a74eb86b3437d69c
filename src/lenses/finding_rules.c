/* SPDX-License-Identifier: MIT
 *
 * finding_rules.c: the table of rules, and how they are checked, side by side.
 */
#include <stdio.h>

#include "base/parallel.h"
#include "lenses/finding_facts.h"

/* Those of the producer come between the two. */
static const ubi__finding_entry first_rules[] = {
    { "endedEarly", ubi__finding_ended_early },
    { "duplicateStrings", ubi__finding_duplicate_strings },
    { "deadEntries", ubi__finding_dead_entries },
    { "growingCollection", ubi__finding_collections },
    { NULL, NULL },
};
static const ubi__finding_entry last_rules[] = {
    { "package", ubi__finding_packages },
    { "pendingPromises", ubi__finding_promises },
    { "longStrings", ubi__finding_long_strings },
    { "outsideMemory", ubi__finding_outside_bytes },
    { "largeNode", ubi__finding_large_node },
    { "dominatingKind", ubi__finding_dominating_kind },
    { "unreachable", ubi__finding_unreachable },
    { "wideNode", ubi__finding_wide_node },
    { "manyDocuments", ubi__finding_many_documents },
    { "crowd", ubi__finding_crowd },
    { NULL, NULL },
};

static uint64_t rule_count(const ubi__finding_entry *rules) {
    uint64_t n = 0;
    while (rules[n].name)
        n++;
    return n;
}

#define FAULT_BYTES 256

/* A rule that either thread may check. */
typedef struct rule_task {
    ubi__chore chore;
    struct checking *checking;
    const ubi__finding_entry *rule;
    ubi__finding_list found;
    ubi_status status;
    char fault[FAULT_BYTES]; /* the message, of the thread that it failed on */
} rule_task;

/* The first rules say how far they are, so they are the caller's; the helper begins at the end of the others. */
typedef struct checking {
    ubi__finding_list *list;
    ubi__finding_facts *facts; /* of the caller's thread */
    ubi__finding_facts beside; /* of the helper's: the same, with fields of its own */
    pthread_t caller;
    uint64_t n_done, n;
    rule_task *tasks; /* tasks[n_tasks]: those of the producer, and the last ones */
    uint64_t n_tasks;
    ubi__helper helper;
} checking;

static ubi_status rule_check(ubi__finding_list *list, const ubi__finding_entry *rule, ubi__finding_facts *f) {
    if (ubi__pulse_is_stopped(f->pulse))
        return ubi__fail_cancelled();
    list->rule = rule->name;
    UBI_TRY(rule->rule(list, f));
    UBI_TRY(f->fields->status);
    return ubi__pulse_is_stopped(f->pulse) ? ubi__fail_cancelled() : UBI_OK;
}

static void task_perform(void *payload) {
    rule_task *task = payload;
    checking *c = task->checking;
    ubi__finding_facts *f = pthread_equal(pthread_self(), c->caller) ? c->facts : &c->beside;
    task->status = rule_check(&task->found, task->rule, f);
    if (task->status != UBI_OK)
        snprintf(task->fault, sizeof task->fault, "%s", ubi_error_message());
}

static ubi_status progress_say(checking *c) {
    return ubi__pulse_at(c->facts->pulse, "looking for oddities", c->n_done++, c->n) ? UBI_OK : ubi__fail_cancelled();
}

static ubi_status first_rules_check(checking *c) {
    for (const ubi__finding_entry *rule = first_rules; rule->name; rule++) {
        UBI_TRY(progress_say(c));
        UBI_TRY(rule_check(c->list, rule, c->facts));
    }
    return UBI_OK;
}

static ubi_status task_collect(checking *c, rule_task *task) {
    ubi__helper_wait(&c->helper, &task->chore, c->facts->pulse);
    if (task->status != UBI_OK)
        return ubi__fail(task->status, "%s", task->fault);
    for (size_t i = 0; i < task->found.rows.n; i++)
        UBI_TRY(ubi__vec_finding_push(&c->list->rows, c->list->allocator, task->found.rows.at[i]));
    return progress_say(c);
}

static ubi_status tasks_check(checking *c) {
    for (uint64_t i = c->n_tasks; i-- > 0;)
        ubi__helper_give(&c->helper, &c->tasks[i].chore, task_perform, &c->tasks[i]);
    UBI_TRY(first_rules_check(c));
    for (uint64_t i = 0; i < c->n_tasks; i++)
        UBI_TRY(task_collect(c, &c->tasks[i]));
    return UBI_OK;
}

static void tasks_add(checking *c, const ubi__finding_entry *rules) {
    for (; rules->name; rules++)
        c->tasks[c->n_tasks++] =
            (rule_task){ .checking = c, .rule = rules, .found = { .allocator = c->list->allocator } };
}

static ubi_status tasks_share(checking *c, unsigned threads) {
    ubi__fields fields;
    ubi__fields_init(&fields, c->facts->graph, c->facts->allocator);
    c->beside = *c->facts;
    c->beside.fields = &fields;
    ubi__helper_start(&c->helper, threads);
    ubi_status status = tasks_check(c);
    ubi__helper_stop(&c->helper);
    ubi__fields_fini(&fields);
    return status;
}

ubi_status ubi__finding_rules_check(ubi__finding_list *list, ubi__finding_facts *f, unsigned threads) {
    static const ubi__finding_entry none[] = { { NULL, NULL } };
    const ubi__finding_entry *own = f->producer && f->producer->rules ? f->producer->rules : none;
    checking c = { .list = list, .facts = f, .caller = pthread_self() };
    uint64_t n_tasks = rule_count(own) + rule_count(last_rules);
    c.n = rule_count(first_rules) + n_tasks;
    c.tasks = ubi__alloc_array(list->allocator, n_tasks, sizeof *c.tasks);
    if (!c.tasks)
        return ubi__fail_nomem();
    tasks_add(&c, own);
    tasks_add(&c, last_rules);
    ubi_status status = tasks_share(&c, threads);
    for (uint64_t i = 0; i < n_tasks; i++)
        ubi__vec_finding_fini(&c.tasks[i].found.rows, list->allocator);
    ubi__free_array(list->allocator, c.tasks, n_tasks, sizeof *c.tasks);
    return status;
}
