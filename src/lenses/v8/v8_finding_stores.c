/* SPDX-License-Identifier: MIT
 *
 * v8_finding_stores.c: storage that is mostly empty, and collections that hold nothing.
 *
 * The file has no lengths of arrays, and no edges for small numbers. So storage without a single reference may be full of
 * numbers and is left alone; one reference in eight slots or more may be a list of mixed things. What has references in less
 * than an eighth of its slots is taken for sparse. Dictionaries take three slots per entry.
 */
#include <stdio.h>

#include "base/human.h"
#include "lenses/v8/v8_findings.h"

#define LEAST_SLOTS 64
#define SPARSE_PARTS 8
#define LEAST_BYTES (64 * 1024)
#define SLOTS_OF_DICTIONARY_ENTRY 3

static uint64_t slot_count(const ubi__finding_facts *f, ubi_node_ix store) {
    uint64_t words = f->graph->size_bytes.at[store] / f->word_bytes;
    return words > 2 ? words - 2 : 0;
}

/*
 * Slots that references account for. Values of a dictionary of elements are in every third slot, the first in the sixth; keys
 * and values of one of properties in two of three.
 */
static uint64_t used_slots(const ubi__finding_facts *f, ubi_node_ix store) {
    const ubi_graph *g = f->graph;
    uint64_t n = 0, n_third = 0;
    for (ubi_edge_ix e = g->first_edge.at[store]; e < g->first_edge.at[store + 1]; e++) {
        uint32_t slot;
        if (!ubi__v8_slot(&slot, g, e))
            continue;
        n++;
        n_third += slot % SLOTS_OF_DICTIONARY_ENTRY == 2;
    }
    return n_third == n || ubi__text_is(ubi_graph_string(g, ubi__graph_node_name(g, store)), "(object properties)")
               ? n * SLOTS_OF_DICTIONARY_ENTRY
               : n;
}

/* Bytes that nothing is in; 0 where that is unknown. */
static uint64_t wasted_bytes(const ubi__finding_facts *f, ubi_node_ix store) {
    uint64_t slots = slot_count(f, store);
    if (slots < LEAST_SLOTS)
        return 0;
    uint64_t used = used_slots(f, store);
    return used == 0 || used * SPARSE_PARTS >= slots ? 0 : (slots - used) * f->word_bytes;
}

ubi_status ubi__finding_v8_stores(ubi__finding_list *out, const ubi__finding_facts *f) {
    char count[UBI__HUMAN_TEXT], size[UBI__HUMAN_TEXT], slots[UBI__HUMAN_TEXT], used[UBI__HUMAN_TEXT];
    ubi_finding finding = { .bytes = 0 };
    ubi_node_ix worst = UBI_NONE;
    uint64_t most = 0;
    for (ubi_node_ix node = 0; ubi__finding_has_node(f, node); node++) {
        uint64_t bytes = ubi__finding_role(f, node) == UBI__ROLE_STORE ? wasted_bytes(f, node) : 0;
        finding.bytes += bytes;
        finding.count += bytes > 0;
        if (bytes > most) {
            most = bytes;
            worst = node;
        }
    }
    if (worst == UBI_NONE || finding.bytes < ubi__finding_worth(f, LEAST_BYTES))
        return UBI_OK;
    ubi_node_ix owner = ubi_dominators_immediate(f->dominators, worst);
    ubi__finding_example(&finding, owner == UBI_NONE ? worst : owner);
    ubi__finding_call(&finding, "lists with empty slots");
    ubi__finding_say(
        &finding,
        "%s with far more room than references waste%s up to %s. The largest has %s of them in %s slots; the "
        "others are empty, or hold small numbers.",
        ubi__human_things(count, finding.count, "list"), finding.count == 1 ? "s" : "",
        ubi__human_size(size, finding.bytes), ubi__human_count(used, used_slots(f, worst)),
        ubi__human_count(slots, slot_count(f, worst)));
    return ubi__finding_add(out, &finding);
}

/* ---- collections without entries ------------------------------------------------------------------------------------ */

#define LEAST_EMPTY 1000
/* The table of a new map or set has room for four entries. */
#define NEW_TABLE_SLOTS 24

static bool has_slots(const ubi_graph *g, ubi_node_ix store) {
    uint32_t slot;
    for (ubi_edge_ix e = g->first_edge.at[store]; e < g->first_edge.at[store + 1]; e++)
        if (ubi__v8_slot(&slot, g, e))
            return true;
    return false;
}

/* Tables in which no slot was found; several collections may share one. */
typedef struct tables {
    ubi__node_bits seen, empty;
} tables;

static bool is_table_empty(tables *t, const ubi__finding_facts *f, ubi_node_ix table) {
    if (ubi__node_bits_add(&t->seen, table) && slot_count(f, table) <= NEW_TABLE_SLOTS && !has_slots(f->graph, table))
        ubi__node_bits_put(&t->empty, table);
    return ubi__node_bits_has(&t->empty, table);
}

static bool is_empty(tables *t, const ubi__finding_facts *f, ubi_node_ix node) {
    ubi__node_role role = ubi__finding_role(f, node);
    if (role == UBI__ROLE_ARRAY)
        return ubi__v8_field(f->fields, node, UBI__FIELD_ELEMENTS) == UBI_NONE &&
               ubi__v8_field(f->fields, node, UBI__FIELD_CONSTRUCTOR) == UBI_NONE;
    if (role != UBI__ROLE_MAP && role != UBI__ROLE_SET)
        return false;
    ubi_node_ix table = ubi__v8_field(f->fields, node, UBI__FIELD_TABLE);
    return table != UBI_NONE && is_table_empty(t, f, table);
}

typedef struct tally {
    uint64_t n_maps, n_sets, n_arrays;
    ubi_node_ix holder; /* that is of the class which most of them are in, by a vote */
    uint64_t lead;
    ubi_node_ix example; /* in such a holder */
} tally;

static void count_empty(tally *t, ubi_finding *finding, const ubi__finding_facts *f, ubi_node_ix node) {
    ubi__node_role role = ubi__finding_role(f, node);
    ubi_node_ix holder = ubi_dominators_immediate(f->dominators, node);
    t->n_maps += role == UBI__ROLE_MAP;
    t->n_sets += role == UBI__ROLE_SET;
    t->n_arrays += role == UBI__ROLE_ARRAY;
    finding->count++;
    finding->bytes += ubi__finding_retained(f, node);
    if (holder == UBI_NONE)
        return;
    if (t->lead == 0)
        t->holder = holder;
    bool typical = ubi_look_class_of(f->look, holder) == ubi_look_class_of(f->look, t->holder);
    t->lead += typical ? 1 : (uint64_t)-1;
    t->example = typical ? node : t->example;
}

static ubi_status find_empties(tally *t, ubi_finding *finding, const ubi__finding_facts *f) {
    tables seen = { .seen = { NULL, 0 } };
    ubi_status status = ubi__node_bits_new(&seen.seen, f);
    if (status == UBI_OK)
        status = ubi__node_bits_new(&seen.empty, f);
    for (ubi_node_ix node = 0; status == UBI_OK && ubi__finding_has_node(f, node); node++) {
        ubi__node_role role = ubi__finding_role(f, node);
        if ((role == UBI__ROLE_ARRAY || role == UBI__ROLE_MAP || role == UBI__ROLE_SET) && is_empty(&seen, f, node))
            count_empty(t, finding, f, node);
    }
    ubi__node_bits_free(&seen.seen, f);
    ubi__node_bits_free(&seen.empty, f);
    return status;
}

ubi_status ubi__finding_v8_empties(ubi__finding_list *out, const ubi__finding_facts *f) {
    char n[4][UBI__HUMAN_TEXT], size[UBI__HUMAN_TEXT];
    ubi_finding finding = { .bytes = 0 };
    tally t = { .holder = UBI_NONE, .example = UBI_NONE };
    UBI_TRY(find_empties(&t, &finding, f));
    if (finding.count < LEAST_EMPTY || finding.bytes < ubi__finding_worth(f, LEAST_BYTES))
        return UBI_OK;
    ubi__finding_name holder = ubi__finding_cut((ubi_text){ "", 0 });
    if (t.lead && t.holder != UBI_NONE)
        holder = ubi__finding_class_name(f, t.holder);
    if (t.example != UBI_NONE)
        ubi__finding_example(&finding, t.example);
    ubi__finding_call(&finding, "empty collections");
    ubi__finding_say(
        &finding, "%s collections hold no objects and take %s (%s, %s, %s)%s%s: make them when the first entry comes.",
        ubi__human_count(n[0], finding.count), ubi__human_size(size, finding.bytes),
        ubi__human_things(n[1], t.n_maps, "Map"), ubi__human_things(n[2], t.n_sets, "Set"),
        ubi__human_things(n[3], t.n_arrays, "Array"), *holder.text ? ", many of them in " : "", holder.text);
    return ubi__finding_add(out, &finding);
}

/* ---- fibers of React --------------------------------------------------------------------------------------------- */

/*
 * Components of React that were unmounted and are still there.
 *
 * React has a FiberNode for each component and element that is mounted, and often a second one, its alternate. What is mounted is
 * in the tree below the `current` of a FiberRootNode. The others are kept by something else: a callback that was not unregistered,
 * a setter of a state in a list. Builds that shorten names of classes have none of these, and nothing is said of them.
 */

#define LEAST_FIBERS 50
#define FIBER_LEAST_BYTES (64 * 1024)

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
    for (ubi_node_ix node = 0; ubi__finding_has_node(f, node); node++)
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
    for (ubi_node_ix node = 0; ubi__finding_has_node(f, node); node++) {
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
    return top.bytes >= ubi__finding_worth(s->f, FIBER_LEAST_BYTES) ? fiber_finding_add(out, s, &top) : UBI_OK;
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
