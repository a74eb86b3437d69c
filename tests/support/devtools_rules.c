/* SPDX-License-Identifier: MIT
 *
 * devtools_rules.c: see devtools_rules.h.
 */
#include "devtools_rules.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "formats/v8/v8_facts.h"

/* ---- texts ------------------------------------------------------------------------------------------------------- */

static char *copy(ubi_text text) {
    char *out = malloc(text.len + 1);
    if (text.len)
        memcpy(out, text.ptr, text.len);
    out[text.len] = 0;
    return out;
}

static char *join(char *first, const char *second) {
    first = realloc(first, strlen(first) + strlen(second) + 1);
    strcat(first, second);
    return first;
}

static bool starts(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* UTF-16 units, decoding one character after the other. */
static size_t units(const char *text) {
    size_t n = 0, len = strlen(text);
    for (size_t i = 0; i < len;) {
        uint32_t c;
        size_t used = ubi__wtf8_decode((const uint8_t *)text + i, len - i, &c);
        n += used && c > 0xffff ? 2 : 1;
        i += used ? used : 1;
    }
    return n;
}

/* ---- the graph --------------------------------------------------------------------------------------------------- */

static ubi__v8_type type_of(const devtools *d, ubi_node_ix node) {
    return (ubi__v8_type)ubi_graph_kind(d->g, ubi_graph_node_kind(d->g, node))->raw_type;
}

static ubi_edge_ix first_edge(const devtools *d, ubi_node_ix node) {
    return ubi_graph_first_edge(d->g, node);
}

/* Name or number of an edge as text. */
static char *edge_name(const devtools *d, ubi_edge_ix e) {
    char buffer[UBI_EDGE_LABEL_BYTES];
    return copy(ubi_graph_edge_label(d->g, e, buffer));
}

static bool edge_is_named(const devtools *d, ubi_edge_ix e, const char *name) {
    char *ours = edge_name(d, e);
    bool same = strcmp(ours, name) == 0;
    free(ours);
    return same;
}

static const ubi__v8_location *location_of(const devtools *d, ubi_node_ix node) {
    const ubi__v8_facts *facts = ubi__v8_facts_of(d->g);
    for (size_t i = 0; facts && i < facts->locations.n; i++)
        if (facts->locations.at[i].node == node)
            return &facts->locations.at[i];
    return NULL;
}

#define each_edge(d, e, node)                                                                                          \
    ubi_edge_ix e = first_edge(d, node);                                                                               \
    e < first_edge(d, (node) + 1);                                                                                     \
    e++

/* ---- detachedness ------------------------------------------------------------------------------------------------ */

typedef struct detaching {
    devtools *d;
    bool *visited;
    ubi_node_ix *stacks[3]; /* by state */
    size_t depths[3];
} detaching;

static void process(detaching *t, ubi_node_ix node, int state) {
    if (t->visited[node])
        return;
    t->visited[node] = true;
    if (type_of(t->d, node) != UBI__V8_NATIVE)
        return;
    t->d->detachedness[node] = (uint8_t)state;
    t->stacks[state][t->depths[state]++] = node;
    if (state == 2) {
        char *name = join(copy(ubi__text("Detached ")), t->d->raw_name[node]);
        free(t->d->raw_name[node]);
        t->d->raw_name[node] = name;
    }
}

static void process_children(detaching *t, ubi_node_ix node, int state) {
    for (each_edge(t->d, e, node)) {
        ubi_edge_kind kind = ubi_graph_edge_kind(t->d->g, e);
        if (kind != UBI_EDGE_HIDDEN && kind != UBI_EDGE_WEAK)
            process(t, ubi_graph_edge_target(t->d->g, e), state);
    }
}

static void find_detachedness(devtools *d) {
    const ubi__v8_facts *facts = ubi__v8_facts_of(d->g);
    if (!facts || !facts->has_detachedness) {
        for (ubi_node_ix node = 0; node < d->n; node++)
            if (type_of(d, node) == UBI__V8_NATIVE && starts(d->raw_name[node], "Detached "))
                d->detachedness[node] = 2;
        return;
    }
    detaching t = { .d = d, .visited = calloc(d->n, sizeof(bool)) };
    for (int state = 1; state <= 2; state++)
        t.stacks[state] = malloc(d->n * sizeof(ubi_node_ix));
    for (ubi_node_ix node = 0; node < d->n; node++)
        d->detachedness[node] = ubi_graph_kind(d->g, ubi_graph_node_kind(d->g, node))->detachedness;
    for (ubi_node_ix node = 0; node < d->n; node++)
        if (d->detachedness[node])
            process(&t, node, d->detachedness[node]);
    for (int state = 1; state <= 2; state++)
        while (t.depths[state]) {
            ubi_node_ix node = t.stacks[state][--t.depths[state]];
            if (d->detachedness[node] == state)
                process_children(&t, node, state);
        }
    free(t.visited);
    free(t.stacks[1]);
    free(t.stacks[2]);
}

/* ---- ephemerons -------------------------------------------------------------------------------------------------- */

static const char *digits(const char *text) {
    const char *end = text;
    while (*end >= '0' && *end <= '9')
        end++;
    return end > text ? end : NULL;
}

static const char *literal(const char *text, const char *word) {
    return text && starts(text, word) ? text + strlen(word) : NULL;
}

/* Where a "." of a regular expression may not stand. */
static bool breaks_line(const char *text) {
    return *text == '\n' || *text == '\r' || starts(text, "\xe2\x80\xa8") || starts(text, "\xe2\x80\xa9");
}

/* " @DIGITS)" + word at some place of the text; from there on, `then` must match. */
typedef const char *matcher(const char *text);

static const char *match_anything_up_to(const char *text, const char *word, matcher *then) {
    for (const char *p = text; p && *p; p++) {
        const char *after = literal(p, " @");
        after = after ? digits(after) : NULL;
        after = literal(after, word);
        const char *found = after ? then(after) : NULL;
        if (found)
            return found;
        if (breaks_line(p))
            return NULL;
    }
    return NULL;
}

/* The end of the name; the result is where the table's id stands. */
static const char *match_end(const char *text) {
    const char *end = digits(text);
    return end && strcmp(end, ")") == 0 ? text : NULL;
}

static const char *match_value(const char *text) {
    return match_anything_up_to(text, ") pair in WeakMap (table @", match_end);
}

/* The part that both edges of a pair share, or NULL; *table: where the id of the table stands. */
static const char *ephemeron(const char *name, const char **table) {
    const char *shared = digits(name);
    const char *key = literal(shared, " / part of key (");
    *table = key ? match_anything_up_to(key, ") -> value (", match_value) : NULL;
    return *table ? shared : NULL;
}

/* ---- essential edges --------------------------------------------------------------------------------------------- */

static bool is_document_trees(const devtools *d, ubi_node_ix node) {
    return type_of(d, node) == UBI__V8_SYNTHETIC && strcmp(d->raw_name[node], "(Document DOM trees)") == 0;
}

static bool is_user_root(const devtools *d, ubi_node_ix node) {
    return type_of(d, node) != UBI__V8_SYNTHETIC || is_document_trees(d, node);
}

static void mark_page(const devtools *d, bool *page, ubi_node_ix node) {
    ubi_node_ix *stack = malloc(d->n * sizeof *stack);
    size_t depth = 0;
    if (!page[node]) {
        page[node] = true;
        stack[depth++] = node;
    }
    while (depth) {
        node = stack[--depth];
        for (each_edge(d, e, node)) {
            ubi_node_ix target = ubi_graph_edge_target(d->g, e);
            if (ubi_graph_edge_kind(d->g, e) != UBI_EDGE_WEAK && !page[target]) {
                page[target] = true;
                stack[depth++] = target;
            }
        }
    }
    free(stack);
}

static bool is_table_edge(const devtools *d, ubi_node_ix node, ubi_edge_ix e) {
    if (ubi_graph_edge_kind(d->g, e) != UBI_EDGE_INTERNAL)
        return false;
    char *name = edge_name(d, e);
    const char *table;
    bool is = ephemeron(name, &table) && strtoull(table, NULL, 10) == ubi_graph_node_id(d->g, node);
    free(name);
    return is;
}

static void find_essential(devtools *d) {
    ubi_node_ix root = ubi_graph_root(d->g);
    bool *page = calloc(d->n, sizeof *page);
    for (each_edge(d, e, root)) {
        ubi_edge_kind kind = ubi_graph_edge_kind(d->g, e);
        ubi_node_ix target = ubi_graph_edge_target(d->g, e);
        if (kind == UBI_EDGE_SHORTCUT || (kind == UBI_EDGE_ELEMENT && is_document_trees(d, target)))
            mark_page(d, page, target);
    }
    for (ubi_node_ix node = 0; node < d->n; node++)
        for (each_edge(d, e, node)) {
            ubi_node_ix target = ubi_graph_edge_target(d->g, e);
            bool essential =
                ubi_graph_edge_kind(d->g, e) != UBI_EDGE_WEAK && target != node && !is_table_edge(d, node, e);
            if (node != root && (ubi_graph_edge_kind(d->g, e) == UBI_EDGE_SHORTCUT || (page[target] && !page[node])))
                essential = false;
            d->essential[e] = essential;
        }
    free(page);
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

#define NO_OWNER (UINT32_MAX - 1)
#define MANY_OWNERS (UINT32_MAX - 2)

static bool has_user_root(const devtools *d) {
    ubi_node_ix root = ubi_graph_root(d->g);
    for (each_edge(d, e, root))
        if (is_user_root(d, ubi_graph_edge_target(d->g, e)))
            return true;
    return false;
}

static uint32_t owner_at_first(const devtools *d, ubi_node_ix node) {
    ubi__v8_type type = type_of(d, node);
    bool is_part = type == UBI__V8_HIDDEN || type == UBI__V8_ARRAY ||
                   (type == UBI__V8_NATIVE && strcmp(d->raw_name[node], "system / ExternalStringData") == 0);
    return is_part ? NO_OWNER : node;
}

/* Over all edges until nothing changes. */
static void spread_owners(const devtools *d, uint32_t *owner) {
    for (bool changed = true; changed;) {
        changed = false;
        for (ubi_node_ix node = 0; node < d->n; node++)
            for (each_edge(d, e, node)) {
                ubi_node_ix target = ubi_graph_edge_target(d->g, e);
                if (owner[node] == NO_OWNER || ubi_graph_edge_kind(d->g, e) == UBI_EDGE_WEAK ||
                    owner[target] == target || owner[target] == owner[node] || owner[target] == MANY_OWNERS)
                    continue;
                owner[target] = owner[target] == NO_OWNER ? owner[node] : MANY_OWNERS;
                changed = true;
            }
    }
}

static void find_sizes(devtools *d) {
    for (ubi_node_ix node = 0; node < d->n; node++)
        d->size_bytes[node] = ubi_graph_node_size_bytes(d->g, node);
    if (!has_user_root(d))
        return;
    uint32_t *owner = malloc(d->n * sizeof *owner);
    for (ubi_node_ix node = 0; node < d->n; node++)
        owner[node] = owner_at_first(d, node);
    spread_owners(d, owner);
    for (ubi_node_ix node = 0; node < d->n; node++) {
        ubi_node_ix to = owner[node];
        if (to == node || to >= MANY_OWNERS || to == ubi_graph_root(d->g) || type_of(d, to) == UBI__V8_SYNTHETIC)
            continue;
        d->size_bytes[to] += ubi_graph_node_size_bytes(d->g, node);
        d->size_bytes[node] = 0;
    }
    free(owner);
}

/* ---- distances --------------------------------------------------------------------------------------------------- */

typedef struct counting {
    devtools *d;
    ubi_node_ix *queue;
    size_t n_queue;
    char **pending; /* pairs of which one edge was met */
    size_t n_pending;
} counting;

/* Takes the pair out if it is there, else puts it in; whether it was there. */
static bool was_pending(counting *c, const char *pair) {
    for (size_t i = 0; i < c->n_pending; i++)
        if (strcmp(c->pending[i], pair) == 0) {
            free(c->pending[i]);
            c->pending[i] = c->pending[--c->n_pending];
            return true;
        }
    c->pending = realloc(c->pending, (c->n_pending + 1) * sizeof *c->pending);
    c->pending[c->n_pending++] = copy(ubi__text(pair));
    return false;
}

static bool passes(counting *c, ubi_node_ix node, ubi_edge_ix e) {
    const devtools *d = c->d;
    const char *table, *pair;
    bool pass = true;
    char *name = edge_name(d, e);
    if (type_of(d, node) == UBI__V8_HIDDEN && strcmp(d->raw_name[node], "system / NativeContext") == 0 &&
        strcmp(name, "sloppy_function_map") == 0) {
        pass = false;
    } else if (type_of(d, node) == UBI__V8_ARRAY && strcmp(d->raw_name[node], "(map descriptors)") == 0) {
        char *end;
        long index = strtol(name, &end, 10);
        pass = end == name || index < 2 || index % 3 != 1;
    } else if (ubi_graph_edge_kind(d->g, e) == UBI_EDGE_INTERNAL && (pair = ephemeron(name, &table))) {
        pass = was_pending(c, pair);
    }
    free(name);
    return pass;
}

static void walk(counting *c) {
    devtools *d = c->d;
    for (size_t i = 0; i < c->n_queue; i++)
        for (each_edge(d, e, c->queue[i])) {
            ubi_node_ix target = ubi_graph_edge_target(d->g, e);
            if (ubi_graph_edge_kind(d->g, e) == UBI_EDGE_WEAK || d->distance[target] != UBI_NONE ||
                !passes(c, c->queue[i], e))
                continue;
            d->distance[target] = d->distance[c->queue[i]] + 1;
            c->queue[c->n_queue++] = target;
        }
}

static void find_distances(devtools *d) {
    ubi_node_ix root = ubi_graph_root(d->g);
    counting c = { .d = d, .queue = malloc((d->n + 1) * sizeof *c.queue) };
    memset(d->distance, 0xff, d->n * sizeof *d->distance);
    for (each_edge(d, e, root)) {
        ubi_node_ix target = ubi_graph_edge_target(d->g, e);
        if (is_user_root(d, target) && d->distance[target] == UBI_NONE) {
            d->distance[target] = 1;
            c.queue[c.n_queue++] = target;
        }
    }
    bool any = c.n_queue > 0;
    walk(&c);
    d->distance[root] = any ? 100000000 : 0;
    c.queue[0] = root;
    c.n_queue = 1;
    walk(&c);
    while (c.n_pending)
        free(c.pending[--c.n_pending]);
    free(c.pending);
    free(c.queue);
}

/* ---- names of properties ----------------------------------------------------------------------------------------- */

static char *quoted(const char *name) {
    char *out = copy(ubi__text("\""));
    for (size_t i = 0, len = strlen(name); i < len;) {
        uint32_t c;
        char piece[16] = "";
        size_t used = ubi__wtf8_decode((const uint8_t *)name + i, len - i, &c);
        if (c == '"' || c == '\\')
            snprintf(piece, sizeof piece, "\\%c", (int)c);
        else if (c == '\n' || c == '\t' || c == '\r' || c == '\b' || c == '\f')
            snprintf(piece, sizeof piece, "\\%c",
                     c == '\n'   ? 'n'
                     : c == '\t' ? 't'
                     : c == '\r' ? 'r'
                     : c == '\b' ? 'b'
                                 : 'f');
        else if (c < 0x20 || (c >= 0xd800 && c <= 0xdfff))
            snprintf(piece, sizeof piece, "\\u%04x", c);
        else
            memcpy(piece, name + i, used);
        out = join(out, piece);
        i += used;
    }
    return join(out, "\"");
}

static char *formatted(const char *name) {
    return strpbrk(name, ",'\"{}") ? quoted(name) : copy(ubi__text(name));
}

static bool is_plain(const devtools *d, ubi_node_ix node) {
    return type_of(d, node) == UBI__V8_OBJECT && strcmp(d->raw_name[node], "Object") == 0;
}

static bool is_listed(const devtools *d, ubi_edge_ix e) {
    return ubi_graph_edge_kind(d->g, e) == UBI_EDGE_PROPERTY && !edge_is_named(d, e, "__proto__");
}

/* ---- interfaces -------------------------------------------------------------------------------------------------- */

static devtools_interface candidate_of(const devtools *d, ubi_node_ix node) {
    devtools_interface out = { copy(ubi__text("{")), NULL, 0, 1 };
    for (each_edge(d, e, node)) {
        if (!is_listed(d, e))
            continue;
        char *name = edge_name(d, e), *text = formatted(name);
        if (units(out.name) > 1 && units(out.name) + units(text) > 120) {
            free(name);
            free(text);
            break;
        }
        if (units(out.name) != 1)
            out.name = join(out.name, ", ");
        out.name = join(out.name, text);
        free(text);
        out.properties = realloc(out.properties, (out.n_properties + 1) * sizeof *out.properties);
        out.properties[out.n_properties++] = name;
    }
    out.name = join(out.name, "}");
    return out;
}

static void free_interface(devtools_interface *i) {
    for (size_t k = 0; k < i->n_properties; k++)
        free(i->properties[k]);
    free(i->properties);
    free(i->name);
}

/* Takes the candidate over. */
static void add_candidate(devtools *d, devtools_interface *candidate) {
    for (size_t i = 0; i < d->n_interfaces; i++)
        if (strcmp(d->interfaces[i].name, candidate->name) == 0) {
            d->interfaces[i].count++;
            free_interface(candidate);
            return;
        }
    if (candidate->n_properties == 0) {
        free_interface(candidate);
        return;
    }
    d->interfaces = realloc(d->interfaces, (d->n_interfaces + 1) * sizeof *d->interfaces);
    d->interfaces[d->n_interfaces++] = *candidate;
}

/* Stable: each goes before those with smaller counts, behind those with equal ones. */
static void sort_interfaces(devtools *d) {
    for (size_t i = 1; i < d->n_interfaces; i++)
        for (size_t k = i; k && d->interfaces[k].count > d->interfaces[k - 1].count; k--) {
            devtools_interface swap = d->interfaces[k];
            d->interfaces[k] = d->interfaces[k - 1];
            d->interfaces[k - 1] = swap;
        }
}

static void infer(devtools *d) {
    uint64_t n_plain = 0;
    for (ubi_node_ix node = 0; node < d->n; node++)
        if (is_plain(d, node)) {
            devtools_interface candidate = candidate_of(d, node);
            n_plain++;
            if (candidate.n_properties)
                add_candidate(d, &candidate);
            else
                free_interface(&candidate);
        }
    sort_interfaces(d);
    double least = (double)n_plain / 1000;
    while (d->n_interfaces && (double)d->interfaces[d->n_interfaces - 1].count < (least > 2 ? least : 2))
        free_interface(&d->interfaces[--d->n_interfaces]);
}

static void copy_interfaces(devtools *d, const devtools *like) {
    d->interfaces = calloc(like->n_interfaces + 1, sizeof *d->interfaces);
    d->n_interfaces = like->n_interfaces;
    for (size_t i = 0; i < like->n_interfaces; i++) {
        const devtools_interface *from = &like->interfaces[i];
        d->interfaces[i] =
            (devtools_interface){ copy(ubi__text(from->name)), calloc(from->n_properties + 1, sizeof(char *)),
                                  from->n_properties, from->count };
        for (size_t k = 0; k < from->n_properties; k++)
            d->interfaces[i].properties[k] = copy(ubi__text(from->properties[k]));
    }
}

static size_t n_properties_named(const devtools *d, ubi_node_ix node, const char *name) {
    size_t n = 0;
    for (each_edge(d, e, node))
        n += ubi_graph_edge_kind(d->g, e) == UBI_EDGE_PROPERTY && edge_is_named(d, e, name);
    return n;
}

static bool has_all(const devtools *d, ubi_node_ix node, const devtools_interface *i) {
    for (size_t k = 0; k < i->n_properties; k++) {
        size_t n_needed = 0;
        for (size_t m = 0; m < i->n_properties; m++)
            n_needed += strcmp(i->properties[m], i->properties[k]) == 0;
        if (n_properties_named(d, node, i->properties[k]) < n_needed)
            return false;
    }
    return true;
}

static const devtools_interface *interface_of(const devtools *d, ubi_node_ix node) {
    const devtools_interface *best = NULL;
    for (size_t i = 0; i < d->n_interfaces; i++)
        if ((!best || d->interfaces[i].n_properties > best->n_properties) && has_all(d, node, &d->interfaces[i]))
            best = &d->interfaces[i];
    return best;
}

/* ---- classes ----------------------------------------------------------------------------------------------------- */

static char *class_part(const char *name) {
    size_t tag = starts(name, "<") ? 1 : starts(name, "Detached <") ? 10 : 0;
    const char *space = tag ? strchr(name + tag, ' ') : NULL;
    return space ? join(copy((ubi_text){ name, (size_t)(space - name) }), ">") : copy(ubi__text(name));
}

static char *class_of(const devtools *d, ubi_node_ix node) {
    char text[64];
    const devtools_interface *interface = is_plain(d, node) ? interface_of(d, node) : NULL;
    switch (type_of(d, node)) {
    case UBI__V8_HIDDEN:
        return copy(ubi__text("(system)"));
    case UBI__V8_CODE:
        return copy(ubi__text("(compiled code)"));
    case UBI__V8_CLOSURE:
        return copy(ubi__text("Function"));
    case UBI__V8_REGEXP:
        return copy(ubi__text("RegExp"));
    case UBI__V8_OBJECT:
    case UBI__V8_NATIVE:
        return interface ? copy(ubi__text(interface->name)) : class_part(d->raw_name[node]);
    default:
        snprintf(text, sizeof text, "(%s)", ubi__v8_type_name(type_of(d, node)));
        return copy(ubi__text(text));
    }
}

static char *place_of(const devtools *d, ubi_node_ix node) {
    char text[64] = "";
    const ubi__v8_location *l = type_of(d, node) == UBI__V8_OBJECT ? location_of(d, node) : NULL;
    if (l)
        snprintf(text, sizeof text, "%" PRIu32 ",%" PRIu32 ",%" PRIu32, l->script_id, l->line, l->column);
    return copy(ubi__text(text));
}

/* ---- display names ----------------------------------------------------------------------------------------------- */

static char *object_name(const devtools *d, ubi_node_ix node) {
    char *start = copy(ubi__text("{")), *end = copy(ubi__text("}"));
    ubi_edge_ix first = first_edge(d, node), last = first_edge(d, node + 1);
    bool from_end = false, stopped = false;
    while (first < last && !stopped) {
        ubi_edge_ix e = from_end ? last - 1 : first;
        if (is_listed(d, e)) {
            char *name = edge_name(d, e), *text = formatted(name), *grown;
            stopped = units(start) > 1 && units(start) + units(end) + units(text) > 100;
            if (!stopped && from_end) {
                grown = join(copy(ubi__text(text)), units(end) > 1 ? ", " : "");
                grown = join(grown, end);
                free(end);
                end = grown;
            } else if (!stopped) {
                start = join(start, units(start) > 1 ? ", " : "");
                start = join(start, text);
            }
            free(name);
            free(text);
            if (stopped)
                break;
            last -= from_end;
            first += !from_end;
            from_end = !from_end;
        } else {
            last -= from_end;
            first += !from_end;
        }
    }
    if (first < last)
        start = join(start, ", \xe2\x80\xa6");
    if (units(end) > 1)
        start = join(start, ", ");
    start = join(start, end);
    free(end);
    return start;
}

/* 0 is none. */
static void find_halves(const devtools *d, ubi_node_ix node, ubi_node_ix *first, ubi_node_ix *second) {
    *first = *second = 0;
    for (each_edge(d, e, node)) {
        if (*first && *second)
            return;
        if (ubi_graph_edge_kind(d->g, e) != UBI_EDGE_INTERNAL)
            continue;
        if (edge_is_named(d, e, "first"))
            *first = ubi_graph_edge_target(d->g, e);
        else if (edge_is_named(d, e, "second"))
            *second = ubi_graph_edge_target(d->g, e);
    }
}

/* With a way out of cycles, which must not occur. */
static char *string_name(const devtools *d, ubi_node_ix node) {
    char *name = copy(ubi__text(""));
    ubi_node_ix stack[4096];
    size_t depth = 0;
    stack[depth++] = node;
    while (depth && depth + 2 < 4096 && units(name) < 1024) {
        node = stack[--depth];
        if (type_of(d, node) != UBI__V8_CONS_STRING) {
            char *part = copy(ubi_graph_string(d->g, ubi_graph_node_name(d->g, node)));
            name = join(name, part);
            free(part);
            continue;
        }
        ubi_node_ix first, second;
        find_halves(d, node, &first, &second);
        if (second)
            stack[depth++] = second;
        if (first)
            stack[depth++] = first;
    }
    return name;
}

static char *display_name(const devtools *d, ubi_node_ix node) {
    if (type_of(d, node) == UBI__V8_CONS_STRING)
        return string_name(d, node);
    return is_plain(d, node) ? object_name(d, node) : copy(ubi__text(d->raw_name[node]));
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static devtools *new_devtools(const ubi_graph *g) {
    devtools *d = calloc(1, sizeof *d);
    d->g = g;
    d->n = ubi_graph_node_count(g);
    d->detachedness = calloc(d->n, sizeof *d->detachedness);
    d->raw_name = calloc(d->n, sizeof *d->raw_name);
    d->essential = calloc(ubi_graph_edge_count(g) + 1, sizeof *d->essential);
    d->size_bytes = calloc(d->n, sizeof *d->size_bytes);
    d->distance = calloc(d->n, sizeof *d->distance);
    d->class_name = calloc(d->n, sizeof *d->class_name);
    d->place = calloc(d->n, sizeof *d->place);
    d->display_name = calloc(d->n, sizeof *d->display_name);
    for (ubi_node_ix node = 0; node < d->n; node++)
        d->raw_name[node] = copy(ubi_graph_string(g, ubi_graph_node_name(g, node)));
    return d;
}

devtools *devtools_of(const ubi_graph *graph, const devtools *like) {
    devtools *d = new_devtools(graph);
    find_detachedness(d);
    find_essential(d);
    find_sizes(d);
    find_distances(d);
    if (like)
        copy_interfaces(d, like);
    else
        infer(d);
    for (ubi_node_ix node = 0; node < d->n; node++) {
        d->class_name[node] = class_of(d, node);
        d->place[node] = place_of(d, node);
        d->display_name[node] = display_name(d, node);
    }
    return d;
}

void devtools_free(devtools *d) {
    for (ubi_node_ix node = 0; node < d->n; node++) {
        free(d->raw_name[node]);
        free(d->class_name[node]);
        free(d->place[node]);
        free(d->display_name[node]);
    }
    for (size_t i = 0; i < d->n_interfaces; i++)
        free_interface(&d->interfaces[i]);
    free(d->interfaces);
    free(d->detachedness);
    free(d->raw_name);
    free(d->essential);
    free(d->size_bytes);
    free(d->distance);
    free(d->class_name);
    free(d->place);
    free(d->display_name);
    free(d);
}
