/* SPDX-License-Identifier: MIT
 *
 * v8_finding_fibers.c: components of React that were unmounted and are still there.
 *
 * React has a FiberNode for each component and element that is mounted, and often a second one, its alternate. What is mounted is
 * in the tree below the `current` of a FiberRootNode. The others are kept by something else: a callback that was not unregistered,
 * a setter of a state in a list. Builds that shorten names of classes have none of these, and nothing is said of them.
 */
#include <stdio.h>

#include "base/human.h"
#include "lenses/v8/v8_findings.h"

#define LEAST_FIBERS 50
#define LEAST_BYTES (64 * 1024)

typedef struct fibers {
    const ubi__finding_facts *f;
    ubi__node_bits all, mounted;
    ubi__vec_u32 waiting;
    uint64_t n_mounted, n_unmounted;
    ubi_node_ix type; /* the component that most unmounted ones are of, by a vote; UBI_NONE: none has one */
    uint64_t lead;
} fibers;

/* The prototype of fibers is called so, too, but has no state. */
static bool is_fiber(const ubi__finding_facts *f, ubi_node_ix node) {
    return ubi__finding_role(f, node) == UBI__ROLE_FIBER &&
           ubi__v8_field(f->fields, node, UBI__FIELD_MEMOIZED_STATE) != UBI_NONE;
}

static ubi_status mount(fibers *s, ubi_node_ix node) {
    if (node == UBI_NONE || ubi__finding_role(s->f, node) != UBI__ROLE_FIBER || !ubi__node_bits_add(&s->mounted, node))
        return UBI_OK;
    s->n_mounted++;
    return ubi__vec_u32_push(&s->waiting, s->f->allocator, node);
}

static ubi_status find_mounted(fibers *s) {
    static const ubi__v8_field_name ways[] = { UBI__FIELD_CHILD, UBI__FIELD_SIBLING, UBI__FIELD_ALTERNATE };
    const ubi__finding_facts *f = s->f;
    for (ubi_node_ix node = 0; node < f->graph->n_nodes; node++)
        if (ubi__finding_role(f, node) == UBI__ROLE_FIBER_ROOT)
            UBI_TRY(mount(s, ubi__v8_field(f->fields, node, UBI__FIELD_CURRENT)));
    while (s->waiting.n) {
        ubi_node_ix node = s->waiting.at[--s->waiting.n];
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
            UBI_TRY(mount(s, ubi__v8_field(f->fields, node, ways[i])));
    }
    return UBI_OK;
}

static void find_unmounted(fibers *s) {
    const ubi__finding_facts *f = s->f;
    for (ubi_node_ix node = 0; node < f->graph->n_nodes; node++) {
        if (ubi__node_bits_has(&s->mounted, node) || !is_fiber(f, node))
            continue;
        ubi__node_bits_put(&s->all, node);
        s->n_unmounted++;
        ubi_node_ix type = ubi__v8_field(f->fields, node, UBI__FIELD_TYPE);
        if (type == UBI_NONE || ubi__finding_role(f, type) != UBI__ROLE_CLOSURE)
            continue;
        s->type = s->lead == 0 ? type : s->type;
        s->lead += type == s->type ? 1 : (uint64_t)-1;
    }
}

static ubi_status fiber_finding_add(ubi__finding_list *out, const fibers *s, const ubi__outermost *top) {
    char count[UBI__HUMAN_TEXT], size[UBI__HUMAN_TEXT], words[UBI__FUNCTION_WORDS], typical[UBI__FUNCTION_WORDS + 40];
    ubi_finding finding = { .bytes = top->bytes, .count = s->n_unmounted };
    *typical = 0;
    if (s->type != UBI_NONE) {
        ubi__v8_function_words(words, ubi__v8_facts_of(s->f->graph), s->f->fields, s->type);
        snprintf(typical, sizeof typical, "; many are of %s", words);
    }
    for (uint32_t i = 0; i < top->n_largest; i++)
        ubi__finding_example(&finding, top->largest[i]);
    ubi__finding_call(&finding, "unmounted React components");
    ubi__finding_say(&finding,
                     "%s fibers of React are in no mounted tree, and keep %s alive%s. What still refers to them?",
                     ubi__human_count(count, s->n_unmounted), ubi__human_size(size, top->bytes), typical);
    return ubi__finding_add(out, &finding);
}

static ubi_status judge(ubi__finding_list *out, fibers *s) {
    ubi__outermost top = { .count = 0 };
    UBI_TRY(find_mounted(s));
    if (s->n_mounted == 0)
        return UBI_OK;
    find_unmounted(s);
    if (s->n_unmounted < LEAST_FIBERS)
        return UBI_OK;
    UBI_TRY(ubi__outermost_find(&top, &s->all, s->f));
    ubi__node_bits_free(&top.bits, s->f);
    return top.bytes >= ubi__finding_worth(s->f, LEAST_BYTES) ? fiber_finding_add(out, s, &top) : UBI_OK;
}

static bool has_roots(const ubi__finding_facts *f) {
    for (uint32_t kind = 0; kind < f->n_kinds; kind++)
        if (f->role_of_kind[kind] == UBI__ROLE_FIBER_ROOT)
            return true;
    return false;
}

ubi_status ubi__finding_v8_fibers(ubi__finding_list *out, const ubi__finding_facts *f) {
    fibers s = { .f = f, .type = UBI_NONE };
    if (!has_roots(f))
        return UBI_OK;
    UBI_TRY(ubi__node_bits_new(&s.all, f));
    ubi_status status = ubi__node_bits_new(&s.mounted, f);
    if (status == UBI_OK)
        status = judge(out, &s);
    ubi__vec_u32_fini(&s.waiting, f->allocator);
    ubi__node_bits_free(&s.all, f);
    ubi__node_bits_free(&s.mounted, f);
    return status;
}
