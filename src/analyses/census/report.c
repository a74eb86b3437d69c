/* SPDX-License-Identifier: MIT
 *
 * report.c: what a census found, for each part of its breakdown: building, walking and reading it (report.h).
 */
#include "analyses/census/report.h"

#include <inttypes.h>

#include "analyses/census/breakdown.h"
#include "analyses/census/census_tables.h"
#include "analyses/census/report_walk.h"
#include "base/merge_sort.h"
#include "base/text.h"

/* ==== STACKS OF A CENSUS ======================================================================================== */

/* Frames of a census as abstract stacks. */

static const ubi__census_tables *tables_of(ubi_stack stack) {
    return stack.owner;
}

/* Firefox keeps the index of a WebAssembly function in a column with the top bit set, and shows such a column as 1. */
#define WASM_COLUMN (UINT32_C(1) << 31)

static void describe_frame(ubi_stack stack, ubi_frame *out) {
    const ubi__census_tables *tables = tables_of(stack);
    ubi__frames_get(tables->frames, tables->strings, (ubi_frame_ix)stack.ref, out);
    if (tables->compat == UBI_COMPAT_FIREFOX && (out->column & WASM_COLUMN))
        out->column = 1;
}

static bool step_to_parent(ubi_stack stack, ubi_stack *out) {
    const ubi__census_tables *tables = tables_of(stack);
    ubi_frame_ix parent = tables->frames->rows.at[stack.ref].parent;
    if (parent == UBI_NONE)
        return false;
    *out = ubi__census_stack(tables, parent);
    return true;
}

static const ubi_stack_ops ops = { .frame = describe_frame, .parent = step_to_parent };

ubi_stack ubi__census_stack(const ubi__census_tables *tables, ubi_frame_ix frame) {
    return (ubi_stack){ &ops, (void *)tables, frame };
}

/* ==== READING =================================================================================================== */

/* Where coarseType puts its parts; report.c sorts cells into the same places. */
static const char *const coarse_keys[UBI_COARSE_TYPE_COUNT] = { "objects", "scripts", "strings", "other", "domNode" };

ubi_report_shape ubi_report_shape_of(const ubi_report *report) {
    switch (report->breakdown->by) {
    case UBI_BY_COUNT:
        return UBI_REPORT_COUNT;
    case UBI_BY_BUCKET:
        return UBI_REPORT_BUCKET;
    case UBI_BY_ALLOCATION_STACK:
        return UBI_REPORT_MAP;
    case UBI_BY_ARRAY:
        return UBI_REPORT_ARRAY;
    default:
        return UBI_REPORT_OBJECT;
    }
}

const ubi_breakdown *ubi_report_breakdown(const ubi_report *report) {
    return report->breakdown;
}

void ubi_report_get_count(const ubi_report *report, ubi_report_count *out) {
    const ubi_breakdown *b = report->breakdown;
    *out = (ubi_report_count){
        .has_count = b->has_count,
        .has_bytes = b->has_bytes,
        .has_label = b->has_label,
        .count = report->count,
        .bytes = report->bytes,
        .label = ubi__breakdown_label(b),
    };
}

const uint64_t *ubi_report_bucket(const ubi_report *report, uint64_t *n) {
    *n = report->n;
    return report->n ? report->census->ids.at + report->first : NULL;
}

uint32_t ubi_report_entry_count(const ubi_report *report) {
    switch (ubi_report_shape_of(report)) {
    case UBI_REPORT_COUNT:
    case UBI_REPORT_BUCKET:
        return 0;
    default:
        return (uint32_t)report->n;
    }
}

uint32_t ubi__array_index(ubi_text text) {
    if (text.len == 0 || text.len > 10 || (text.ptr[0] == '0' && text.len > 1))
        return UBI_NONE;
    uint64_t value = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return UBI_NONE;
        value = value * 10 + (uint64_t)(text.ptr[i] - '0');
    }
    return value < UINT32_MAX ? (uint32_t)value : UBI_NONE;
}

static ubi_text key_text(const ubi_report *report, uint32_t key) {
    switch (report->breakdown->by) {
    case UBI_BY_COARSE_TYPE:
        return ubi__text(coarse_keys[UBI_INDEX(key, UBI_COARSE_TYPE_COUNT)]);
    case UBI_BY_OBJECT_CLASS:
        if (key == UBI_NONE)
            return ubi__text("other");
        break;
    case UBI_BY_FILENAME:
        if (key == UBI_NONE)
            return ubi__text("noFilename");
        break;
    default:
        break;
    }
    return ubi__census_text(&report->census->tables, key);
}

const ubi_report *ubi_report_entry(const ubi_report *report, uint32_t index, ubi_report_key *key) {
    const ubi_census *census = report->census;
    const ubi__report_entry *entry = &census->entries.at[report->first + UBI_INDEX(index, report->n)];
    *key = (ubi_report_key){ .type = entry->key_type };
    switch (entry->key_type) {
    case UBI_KEY_TEXT:
        key->text = key_text(report, entry->key);
        break;
    case UBI_KEY_NO_STACK:
        key->text = ubi__text("noStack");
        break;
    case UBI_KEY_STACK:
        key->stack = ubi__census_stack(&census->tables, entry->key);
        break;
    case UBI_KEY_INDEX:
        key->index = entry->key;
        break;
    case UBI_KEY_NULL_STACK:
        break;
    }
    return &census->reports.at[entry->report];
}

const ubi_report *ubi_census_report(const ubi_census *census) {
    return census->reports.at;
}

const ubi_breakdown *ubi_census_breakdown(const ubi_census *census) {
    return census->breakdown;
}

uint64_t ubi_census_node_count(const ubi_census *census) {
    return census->node_count;
}

uint64_t ubi_census_size_bytes(const ubi_census *census) {
    return census->size_bytes;
}

/* ==== WALKING =================================================================================================== */

typedef struct walk {
    ubi_compat compat;
    const ubi__report_visitor *visitor;
    void *payload;
} walk;

static ubi_status walk_one(const walk *w, const ubi_report *report, const ubi_report_key *edge) {
    if (w->compat == UBI_COMPAT_FIREFOX && !ubi_report_breakdown(report)->was_written)
        return ubi__fail(UBI_EINVAL, "can't access property \"by\", breakdown is undefined");
    UBI_TRY(w->visitor->enter(w->payload, report, edge));
    uint32_t n = ubi_report_entry_count(report);
    for (uint32_t i = 0; i < n; i++) {
        ubi_report_key key;
        const ubi_report *part = ubi_report_entry(report, i, &key);
        UBI_TRY(walk_one(w, part, &key));
    }
    return w->visitor->leave(w->payload, report);
}

ubi_status ubi__report_walk(const ubi_report *report, ubi_compat compat, const ubi__report_visitor *visitor,
                            void *payload) {
    walk w = { compat, visitor, payload };
    return walk_one(&w, report, NULL);
}

/* ==== BUILDING ================================================================================================== */

/*
 * The second step of a census: cells to reports.
 *
 * A breakdown splits a list of cells into groups, one per key, and hands each group to a part of itself. The list is a
 * range of one array of *members*, a member being (key << 32 | cell): to split a range is to write the keys and sort
 * it. Groups are then ranges again, so nothing is copied at any depth.
 *
 *     members [coarse 1|c4  coarse 1|c9  coarse 3|c2]     objects = [0,2)  strings = [2,3)
 *
 * Where Firefox loses nodes, UBI_COMPAT_FIREFOX does too: groups are then made per table entry and per frame, a later
 * group of an equal name replaces the value of an earlier one, and the reserved keys `other` and `noFilename` replace a
 * class or file of that name. Otherwise groups are made per text and per stack, and such a class or file is counted
 * under the reserved key. A replaced group still gets a report that no entry refers to, since building it may fail, and
 * then Firefox's census fails as well.
 *
 * Recursion is bounded by UBI_BREAKDOWN_MAX_DEPTH.
 *
 * Source: mozilla-central js/src/vm/UbiNodeCensus.cpp.
 */

/** Cells of one key: members[begin..end). */
typedef struct group {
    uint32_t key; /* as key_of gives it */
    size_t begin, end;
    uint64_t smallest_id;
} group;

/** A property of the report to be: a key and the group that has the say about its value. */
typedef struct property {
    ubi_key_type key_type;
    uint32_t key;         /* as in ubi__report_entry */
    uint32_t array_index; /* when JavaScript takes the text for an array index, else UBI_NONE */
    bool is_lost;         /* replaced by another of its name: built, but no entry */
    const ubi_breakdown *breakdown;
    size_t begin, end; /* its members */
} property;

UBI_VEC_DECLARE(vec_group, group);
UBI_VEC_DECLARE(vec_property, property);

typedef struct builder {
    ubi_census *census;
    const ubi__cells *cells;
    ubi__bucket_claims *claims;
    uint64_t *members, *spare; /* n_members each */
    size_t n_members;
    vec_group groups, groups_spare; /* of the level being split */
    vec_property properties;        /* a stack: each open level has its own at the end */
    vec_property properties_spare;
    ubi__u64_map seen; /* compat: canonical key -> place in properties, of the level being split */
} builder;

#define U64_BEFORE(ctx, a, b) ((a) < (b))
UBI_SORT_DEFINE(sort_u64, uint64_t, void *, U64_BEFORE);
#define LARGER_ID(ctx, a, b) ((a).smallest_id > (b).smallest_id)
UBI_SORT_DEFINE(sort_groups, group, void *, LARGER_ID);

/** JavaScript lists array indices first, ascending; other keys stay as they were defined. What is lost goes last. */
static bool property_before(void *unused, property a, property b) {
    (void)unused;
    return a.is_lost != b.is_lost ? b.is_lost : a.array_index < b.array_index;
}
UBI_SORT_DEFINE(sort_properties, property, void *, property_before);

static const ubi__cell *cell_of(const builder *b, uint64_t member) {
    return ubi__cells_get(b->cells, (uint32_t)member);
}

static const ubi_kind *kind_of(const builder *b, const ubi__cell *cell) {
    return &b->census->tables.kinds[cell->kind];
}

static bool is_compat(const builder *b) {
    return b->census->compat == UBI_COMPAT_FIREFOX;
}

/* ---- keys -------------------------------------------------------------------------------------------------------- */

/** The key under which `by` reports what has none of its own; NULL: there is no such key. */
static const char *reserved_key(ubi_breakdown_by by) {
    switch (by) {
    case UBI_BY_OBJECT_CLASS:
        return "other";
    case UBI_BY_FILENAME:
        return "noFilename";
    case UBI_BY_ALLOCATION_STACK:
        return "noStack";
    default:
        return NULL;
    }
}

/** Group key of a text; UBI_NONE for none. A text like the reserved key joins them, unless Firefox loses it. */
static uint32_t text_key(const builder *b, ubi_breakdown_by by, ubi_str_ix string) {
    const ubi__strtab *strings = b->census->tables.strings;
    const char *reserved = reserved_key(by);
    if (reserved && !is_compat(b) && string != UBI_NONE && ubi__text_is(ubi__strtab_get(strings, string), reserved))
        return UBI_NONE;
    return ubi__strtab_canonical(strings, string);
}

static uint32_t stack_key(const builder *b, ubi_frame_ix stack) {
    if (stack == UBI__STACK_EMPTY)
        return is_compat(b) ? UBI_NONE : stack; /* Firefox does not distinguish the two */
    if (stack == UBI_NONE || is_compat(b))
        return stack;
    return b->census->tables.frames->canonical.at[stack];
}

/** Which group of a breakdown `by` a cell belongs to. UBI_NONE: to the part that takes the rest. */
static uint32_t key_of(const builder *b, ubi_breakdown_by by, const ubi__cell *cell) {
    const ubi_kind *kind = kind_of(b, cell);
    switch (by) {
    case UBI_BY_OBJECT_CLASS:
        return text_key(b, by, kind->class_name);
    case UBI_BY_FILENAME:
        return text_key(b, by, kind->script_filename);
    case UBI_BY_DESCRIPTIVE_TYPE:
        if (kind->descriptive_name == UBI_NONE && !b->census->must_have_names)
            return text_key(b, by, kind->type_name);
        return text_key(b, by, kind->descriptive_name);
    case UBI_BY_INTERNAL_TYPE:
        return is_compat(b) ? kind->type_name : text_key(b, by, kind->type_name);
    case UBI_BY_ALLOCATION_STACK:
        return stack_key(b, cell->stack);
    default:
        return 0;
    }
}

/* ---- splitting a range of members into groups -------------------------------------------------------------------- */

static ubi_status append_group(builder *b, size_t begin, size_t end) {
    group g = { .key = (uint32_t)(b->members[begin] >> 32), .begin = begin, .end = end, .smallest_id = UINT64_MAX };
    for (size_t i = begin; i < end; i++) {
        uint64_t id = cell_of(b, b->members[i])->smallest_id;
        g.smallest_id = id < g.smallest_id ? id : g.smallest_id;
    }
    return vec_group_push(&b->groups, b->census->allocator, g);
}

/** Sorts members[begin..end), whose keys are in their upper halves. Without any cell there is no array. */
static void sort_members(builder *b, size_t begin, size_t end) {
    if (begin < end)
        sort_u64(b->members + begin, b->spare + begin, end - begin, NULL);
}

/** Sorts members[begin..end) by key and lists its groups in ascending order of key. */
static ubi_status split_members(builder *b, ubi_breakdown_by by, size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++) {
        uint32_t cell = (uint32_t)b->members[i];
        b->members[i] = ubi__u64_pair(key_of(b, by, ubi__cells_get(b->cells, cell)), cell);
    }
    sort_members(b, begin, end);
    b->groups.n = 0;
    for (size_t i = begin, start = begin; i < end; i++)
        if (i + 1 == end || b->members[i + 1] >> 32 != b->members[i] >> 32) {
            UBI_TRY(append_group(b, start, i + 1));
            start = i + 1;
        }
    return UBI_OK;
}

/** Takes the group of what has no key out of the list, if there is one; else an empty one. */
static group take_rest(builder *b, size_t end) {
    if (b->groups.n && b->groups.at[b->groups.n - 1].key == UBI_NONE)
        return b->groups.at[--b->groups.n];
    return (group){ .key = UBI_NONE, .begin = end, .end = end };
}

static ubi_status sort_by_smallest_id(builder *b) {
    b->groups_spare.n = 0;
    UBI_TRY(vec_group_reserve(&b->groups_spare, b->census->allocator, b->groups.n));
    sort_groups(b->groups.at, b->groups_spare.at, b->groups.n, NULL);
    return UBI_OK;
}

/* ---- reports ----------------------------------------------------------------------------------------------------- */

static ubi_status build_report(builder *b, ubi__report_ix at, const ubi_breakdown *breakdown, size_t begin, size_t end);

static ubi_status new_report(builder *b, ubi__report_ix *out) {
    ubi__vec_report *reports = &b->census->reports;
    if (reports->n >= UBI_NONE)
        return ubi__fail(UBI_ELIMIT, "the census has more than 2^32-1 groups");
    UBI_TRY(ubi__vec_report_push(reports, b->census->allocator, (ubi_report){ .census = b->census }));
    *out = (ubi__report_ix)(reports->n - 1);
    return UBI_OK;
}

static ubi_status build_property(builder *b, ubi__report_ix *out, const property *p) {
    const ubi_breakdown *breakdown = p->breakdown; /* `p` may move while we build */
    size_t begin = p->begin, end = p->end;
    UBI_TRY(new_report(b, out));
    return build_report(b, *out, breakdown, begin, end);
}

/** UBI_COMPAT_FIREFOX: a property name that is not UTF-8 fails the census. */
static ubi_status check_filename(const builder *b, ubi_breakdown_by by, const property *p) {
    if (by != UBI_BY_FILENAME || p->key == UBI_NONE || !is_compat(b))
        return UBI_OK;
    ubi_text text = ubi__census_text(&b->census->tables, p->key);
    size_t valid = ubi__utf8_valid_prefix(text);
    if (valid == text.len)
        return UBI_OK;
    return ubi__fail(UBI_EINVAL, "malformed UTF-8 character sequence at offset %zu", valid);
}

/** Reports of properties[first..) as entries of report `at`; pops the properties. */
static ubi_status build_entries(builder *b, ubi__report_ix at, size_t first) {
    ubi_census *census = b->census;
    size_t n = b->properties.n - first, n_entries = n;
    while (n_entries && b->properties.at[first + n_entries - 1].is_lost)
        n_entries--;
    UBI_TRY(ubi__vec_entry_reserve(&census->entries, census->allocator, n_entries));
    size_t start = census->entries.n;
    census->entries.n += n_entries;
    census->reports.at[at].first = start;
    census->reports.at[at].n = n_entries;
    for (size_t i = 0; i < n; i++) {
        ubi__report_ix report;
        UBI_TRY(build_property(b, &report, &b->properties.at[first + i]));
        const property *p = &b->properties.at[first + i];
        UBI_TRY(check_filename(b, census->reports.at[at].breakdown->by, p));
        if (!p->is_lost)
            census->entries.at[start + i] = (ubi__report_entry){ p->key_type, p->key, report };
    }
    b->properties.n = first;
    return UBI_OK;
}

/* ---- keyed kinds ------------------------------------------------------------------------------------------------- */

static property property_of(const builder *b, const ubi_breakdown *breakdown, const group *g) {
    property p = { .key = g->key, .array_index = UBI_NONE, .begin = g->begin, .end = g->end };
    p.breakdown = ubi__breakdown_child(breakdown, g->key == UBI_NONE ? UBI__CHILD_OTHERWISE : UBI__CHILD_THEN);
    if (breakdown->by == UBI_BY_ALLOCATION_STACK) {
        p.key_type = g->key == UBI_NONE           ? UBI_KEY_NO_STACK
                     : g->key == UBI__STACK_EMPTY ? UBI_KEY_NULL_STACK
                                                  : UBI_KEY_STACK;
        return p;
    }
    p.key_type = UBI_KEY_TEXT;
    if (g->key != UBI_NONE)
        p.array_index = ubi__array_index(ubi__census_text(&b->census->tables, g->key));
    return p;
}

/** What two groups have in common when JavaScript would take their keys for one. */
static uint32_t name_of(const builder *b, const property *p) {
    const ubi__census_tables *tables = &b->census->tables;
    if (p->key_type == UBI_KEY_TEXT)
        return ubi__strtab_canonical(tables->strings, p->key);
    return p->key_type == UBI_KEY_STACK ? tables->frames->canonical.at[p->key] : p->key;
}

/** Gives the place of a defined property to another one. */
static ubi_status redefine_property(builder *b, size_t place, const property *p) {
    property lost = b->properties.at[place];
    lost.is_lost = true;
    b->properties.at[place] = *p;
    return vec_property_push(&b->properties, b->census->allocator, lost);
}

/** Adds a property as JavaScript would define it: an equal name keeps its place and takes the new value. */
static ubi_status define_property(builder *b, size_t first, const property *p) {
    if (is_compat(b)) {
        uint32_t name = name_of(b, p), place = ubi__u64_map_get(&b->seen, name);
        if (place != UBI_NONE)
            return redefine_property(b, first + place, p);
        UBI_TRY(ubi__u64_map_put(&b->seen, name, (uint32_t)(b->properties.n - first)));
    }
    return vec_property_push(&b->properties, b->census->allocator, *p);
}

/** Defines the reserved key, last; a class or file that is really called that loses its value, but not its place. */
static ubi_status define_rest(builder *b, size_t first, const ubi_breakdown *breakdown, const group *rest) {
    property p = property_of(b, breakdown, rest);
    const char *reserved = reserved_key(breakdown->by);
    if (is_compat(b) && p.key_type == UBI_KEY_TEXT)
        for (size_t i = first; i < b->properties.n; i++)
            if (ubi__text_is(ubi__census_text(&b->census->tables, b->properties.at[i].key), reserved))
                return redefine_property(b, i, &p);
    return vec_property_push(&b->properties, b->census->allocator, p);
}

static ubi_status order_properties(builder *b, size_t first) {
    size_t n = b->properties.n - first;
    if (n < 2)
        return UBI_OK; /* where there are none at all, there is no array either */
    b->properties_spare.n = 0;
    UBI_TRY(vec_property_reserve(&b->properties_spare, b->census->allocator, n));
    sort_properties(b->properties.at + first, b->properties_spare.at, n, NULL);
    return UBI_OK;
}

/** Some node that has no descriptive name: the one with the smallest id. */
static ubi_status fail_undescribed(const builder *b, const group *rest) {
    const ubi__cell *cell = cell_of(b, b->members[rest->begin]);
    for (size_t i = rest->begin; i < rest->end; i++)
        if (cell_of(b, b->members[i])->smallest_id < cell->smallest_id)
            cell = cell_of(b, b->members[i]);
    ubi_text type = ubi__census_text(&b->census->tables, kind_of(b, cell)->type_name);
    return ubi__fail(UBI_EINVAL,
                     "descriptiveType needs a descriptive name, and node %" PRIu64 " (%.*s) has none: use it only as "
                     "the domNode part of coarseType",
                     cell->smallest_id, (int)(type.len < 100 ? type.len : 100), type.ptr);
}

static ubi_status build_keyed(builder *b, ubi__report_ix at, const ubi_breakdown *breakdown, size_t begin, size_t end) {
    size_t first = b->properties.n;
    UBI_TRY(split_members(b, breakdown->by, begin, end));
    group rest = take_rest(b, end);
    bool has_rest = reserved_key(breakdown->by) != NULL;
    if (!has_rest && rest.begin < rest.end)
        return fail_undescribed(b, &rest);
    UBI_TRY(sort_by_smallest_id(b));
    ubi__u64_map_fini(&b->seen);
    for (size_t i = 0; i < b->groups.n; i++) {
        property p = property_of(b, breakdown, &b->groups.at[i]);
        UBI_TRY(define_property(b, first, &p));
    }
    /* noStack is there only if something is in it; other and noFilename always. */
    if (has_rest && (breakdown->by != UBI_BY_ALLOCATION_STACK || rest.begin < rest.end))
        UBI_TRY(define_rest(b, first, breakdown, &rest));
    UBI_TRY(order_properties(b, first));
    return build_entries(b, at, first);
}

/* ---- coarse types and arrays ------------------------------------------------------------------------------------- */

static const ubi_coarse_type coarse_order[UBI_COARSE_TYPE_COUNT] = { UBI_COARSE_OBJECT, UBI_COARSE_SCRIPT,
                                                                     UBI_COARSE_STRING, UBI_COARSE_OTHER,
                                                                     UBI_COARSE_DOM_NODE };

/** Where coarseType reports a coarse type, 0 to 4. */
static uint32_t coarse_place(ubi_coarse_type type) {
    for (uint32_t place = 0; place < UBI_COARSE_TYPE_COUNT; place++)
        if (coarse_order[place] == type)
            return place;
    return coarse_place(UBI_COARSE_OTHER); /* an engine that makes types up */
}

static ubi_status build_coarse(builder *b, ubi__report_ix at, const ubi_breakdown *breakdown, size_t begin,
                               size_t end) {
    size_t first = b->properties.n;
    for (size_t i = begin; i < end; i++) {
        uint32_t cell = (uint32_t)b->members[i];
        b->members[i] = ubi__u64_pair(coarse_place(kind_of(b, ubi__cells_get(b->cells, cell))->coarse_type), cell);
    }
    sort_members(b, begin, end);
    size_t at_member = begin;
    for (uint32_t place = 0; place < UBI_COARSE_TYPE_COUNT; place++) {
        property p = { .key_type = UBI_KEY_TEXT, .key = place, .breakdown = ubi__breakdown_child(breakdown, place) };
        p.begin = at_member;
        while (at_member < end && b->members[at_member] >> 32 == place)
            at_member++;
        p.end = at_member;
        UBI_TRY(vec_property_push(&b->properties, b->census->allocator, p));
    }
    return build_entries(b, at, first);
}

/** Each member of an array gets all cells. */
static ubi_status build_array(builder *b, ubi__report_ix at, const ubi_breakdown *breakdown, size_t begin, size_t end) {
    size_t first = b->properties.n;
    for (uint32_t i = 0; i < breakdown->n_children; i++) {
        property p = { .key_type = UBI_KEY_INDEX, .key = i, .breakdown = ubi__breakdown_child(breakdown, i) };
        p.begin = begin;
        p.end = end;
        UBI_TRY(vec_property_push(&b->properties, b->census->allocator, p));
    }
    return build_entries(b, at, first);
}

/* ---- leaves ------------------------------------------------------------------------------------------------------ */

static ubi_status claim_cells(builder *b, ubi__report_ix at, size_t begin, size_t end) {
    UBI_TRY(ubi__vec_u64_reserve(b->claims, b->census->allocator, end - begin));
    for (size_t i = begin; i < end; i++)
        b->claims->at[b->claims->n++] = ubi__u64_pair((uint32_t)b->members[i], at);
    b->census->reports.at[at].n = b->census->reports.at[at].count;
    return UBI_OK;
}

static ubi_status build_report(builder *b, ubi__report_ix at, const ubi_breakdown *breakdown, size_t begin,
                               size_t end) {
    ubi_report *report = &b->census->reports.at[at];
    report->breakdown = breakdown;
    for (size_t i = begin; i < end; i++) {
        report->count += cell_of(b, b->members[i])->count;
        report->bytes += cell_of(b, b->members[i])->bytes;
    }
    switch (breakdown->by) {
    case UBI_BY_COUNT:
        return UBI_OK;
    case UBI_BY_BUCKET:
        return claim_cells(b, at, begin, end);
    case UBI_BY_COARSE_TYPE:
        return build_coarse(b, at, breakdown, begin, end);
    case UBI_BY_ARRAY:
        return build_array(b, at, breakdown, begin, end);
    default:
        return build_keyed(b, at, breakdown, begin, end);
    }
}

/* ---- whole ------------------------------------------------------------------------------------------------------- */

static ubi_status list_members(builder *b) {
    uint32_t n_cells = ubi__cells_count(b->cells);
    b->members = ubi__alloc_array(b->census->allocator, n_cells, sizeof *b->members);
    b->spare = ubi__alloc_array(b->census->allocator, n_cells, sizeof *b->spare);
    if (n_cells && (!b->members || !b->spare))
        return ubi__fail_nomem();
    for (uint32_t cell = 0; cell < n_cells; cell++)
        if (ubi__cells_get(b->cells, cell)->count)
            b->members[b->n_members++] = cell;
    return UBI_OK;
}

static ubi_status build_all(builder *b) {
    ubi__report_ix root;
    UBI_TRY(list_members(b));
    UBI_TRY(new_report(b, &root));
    UBI_TRY(build_report(b, root, b->census->breakdown, 0, b->n_members));
    UBI_ASSERT(b->properties.n == 0); /* each level has popped its own */
    b->census->node_count = b->census->reports.at[root].count;
    b->census->size_bytes = b->census->reports.at[root].bytes;
    return UBI_OK;
}

static ubi_status sort_claims(builder *b) {
    ubi__vec_u64 spare = { 0 };
    UBI_TRY(ubi__vec_u64_reserve(&spare, b->census->allocator, b->claims->n));
    sort_u64(b->claims->at, spare.at, b->claims->n, NULL);
    ubi__vec_u64_fini(&spare, b->census->allocator);
    return UBI_OK;
}

ubi_status ubi__report_build(ubi_census *census, const ubi__cells *cells, ubi__bucket_claims *claims) {
    const ubi_allocator *a = census->allocator;
    builder b = { .census = census, .cells = cells, .claims = claims };
    ubi__cells_check(cells);
    ubi__u64_map_init(&b.seen, a);
    ubi_status status = build_all(&b);
    if (status == UBI_OK)
        status = sort_claims(&b);
    uint32_t n_cells = ubi__cells_count(cells);
    ubi__free_array(a, b.members, n_cells, sizeof *b.members);
    ubi__free_array(a, b.spare, n_cells, sizeof *b.spare);
    vec_group_fini(&b.groups, a);
    vec_group_fini(&b.groups_spare, a);
    vec_property_fini(&b.properties, a);
    vec_property_fini(&b.properties_spare, a);
    ubi__u64_map_fini(&b.seen);
    return status;
}
