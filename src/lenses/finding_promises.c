/* SPDX-License-Identifier: MIT
 *
 * finding_promises.c: promises that are pending, and the function that waits for most of them.
 *
 * Only those count that something waits for: of others, files do not tell whether they are pending. A promise that an async
 * function will settle, which itself waits for another, says nothing new: what counts is the last one of such a chain.
 */
#include <stdio.h>

#include "base/human.h"
#include "base/u64_map.h"
#include "lenses/finding_facts.h"

#define LEAST_PENDING 100
#define LEAST_BYTES (64 * 1024)

typedef struct pending {
    const ubi__finding_facts *f;
    ubi__node_bits results; /* promises that a waiting function will settle */
    ubi__u64_map counts;    /* by the code that waits */
    uint64_t n_all, n_most;
    ubi_node_ix code, function; /* those that wait for most; UBI_NONE: nothing waits */
} pending;

static void find_results(pending *p) {
    ubi__awaited awaited;
    for (ubi_node_ix node = 0; node < p->f->graph->n_nodes; node++)
        if (p->f->producer->promise_awaited(&awaited, p->f, node) && awaited.result != UBI_NONE)
            ubi__node_bits_put(&p->results, awaited.result);
}

static bool is_last_of_chain(ubi__awaited *out, const pending *p, ubi_node_ix node) {
    return p->f->producer->promise_awaited(out, p->f, node) && !ubi__node_bits_has(&p->results, node);
}

static ubi_status count_by_code(pending *p) {
    ubi__awaited awaited;
    for (ubi_node_ix node = 0; node < p->f->graph->n_nodes; node++) {
        if (!is_last_of_chain(&awaited, p, node))
            continue;
        uint32_t before = ubi__u64_map_get(&p->counts, awaited.code), count = before == UBI_NONE ? 1 : before + 1;
        UBI_TRY(ubi__u64_map_put(&p->counts, awaited.code, count));
        p->n_all++;
        if (count > p->n_most) {
            p->n_most = count;
            p->code = awaited.code;
            p->function = awaited.function;
        }
    }
    return UBI_OK;
}

static ubi_status promise_finding_add(ubi__finding_list *out, const pending *p, const ubi__outermost *top) {
    char words[UBI__FUNCTION_WORDS], count[UBI__HUMAN_TEXT], size[UBI__HUMAN_TEXT], others[UBI__HUMAN_TEXT];
    char more[UBI__HUMAN_TEXT + 40] = "";
    ubi_finding finding = { .bytes = top->bytes, .count = p->n_most };
    p->f->producer->function_words(words, p->f, p->function);
    for (uint32_t i = 0; i < top->n_largest; i++)
        ubi__finding_example(&finding, top->largest[i]);
    if (p->n_all > p->n_most)
        snprintf(more, sizeof more, " Other functions wait for %s more.",
                 ubi__human_count(others, p->n_all - p->n_most));
    ubi__finding_call(&finding, "pending promises");
    ubi__finding_say(&finding,
                     "%s promises that %s waits for are pending and keep %s alive. Does anything ever settle them?%s",
                     ubi__human_count(count, p->n_most), words, ubi__human_size(size, top->bytes), more);
    return ubi__finding_add(out, &finding);
}

static ubi_status tell_most(ubi__finding_list *out, const pending *p) {
    const ubi__finding_facts *f = p->f;
    ubi__node_bits members;
    ubi__outermost top = { .count = 0 };
    ubi__awaited awaited;
    UBI_TRY(ubi__node_bits_new(&members, f));
    for (ubi_node_ix node = 0; node < f->graph->n_nodes; node++)
        if (is_last_of_chain(&awaited, p, node) && awaited.code == p->code)
            ubi__node_bits_put(&members, node);
    ubi_status status = ubi__outermost_find(&top, &members, f);
    if (status == UBI_OK && top.bytes >= ubi__finding_worth(f, LEAST_BYTES))
        status = promise_finding_add(out, p, &top);
    ubi__node_bits_free(&top.bits, f);
    ubi__node_bits_free(&members, f);
    return status;
}

ubi_status ubi__finding_promises(ubi__finding_list *out, const ubi__finding_facts *f) {
    pending p = { .f = f, .code = UBI_NONE, .function = UBI_NONE };
    if (!f->producer || !f->producer->promise_awaited)
        return UBI_OK;
    UBI_TRY(ubi__node_bits_new(&p.results, f));
    ubi__u64_map_init(&p.counts, f->allocator);
    find_results(&p);
    ubi_status status = count_by_code(&p);
    if (status == UBI_OK && p.n_most >= LEAST_PENDING)
        status = tell_most(out, &p);
    ubi__u64_map_fini(&p.counts);
    ubi__node_bits_free(&p.results, f);
    return status;
}
