/* SPDX-License-Identifier: MIT
 *
 * census_diff.c: subtracting one census from another, and the census tree of the difference.
 *
 * Deltas are a queue: each is taken in turn, and its parts are appended. To pair the entries of two reports, those of the
 * end are put into a hash table under the numbers of their keys (below), and those of the start look there.
 *
 * Source: mozilla-central devtools/shared/heapsnapshot/CensusUtils.js, DiffVisitor.
 */
#include "analyses/census/census_diff.h"

#include <ubiheap/core/marker.h>

#include <string.h>

#include "analyses/census/breakdown.h"
#include "analyses/census/census_tree.h"
#include "analyses/census/report.h"
#include "analyses/census/report_walk.h"
#include "base/bits.h"
#include "base/merge_sort.h"
#include "base/text.h"
#include "base/u64_map.h"

/* ==== KEYS ====================================================================================================== */

/*
 * Each census names its keys by places in tables of its own. Here equal keys of either get one number, so that entries
 * correspond when their numbers do. What was numbered is remembered per place: a long name or a deep stack is looked at
 * once per census, however often it occurs in the reports.
 *
 * Numbers are unique among the keys of one kind of report; only such are ever compared.
 */
typedef struct diff_side {
    const ubi_census *census;
    ubi__u64_map texts;  /* canonical string of its tables -> number */
    ubi__u64_map frames; /* canonical frame -> number */
} diff_side;

typedef struct diff_keys {
    const ubi_allocator *allocator;
    ubi__strtab texts;  /* entry i: text of number i */
    ubi__strtab frames; /* entry i: content of the frame of number i, the number of its caller included */
    ubi__vec_u32 chain; /* frames on the way to a known caller */
} diff_keys;

static void diff_keys_init(diff_keys *keys, const ubi_allocator *allocator) {
    *keys = (diff_keys){ .allocator = allocator };
    ubi__strtab_init(&keys->texts, allocator);
    ubi__strtab_init(&keys->frames, allocator);
}

static void diff_keys_fini(diff_keys *keys) {
    ubi__strtab_fini(&keys->texts);
    ubi__strtab_fini(&keys->frames);
    ubi__vec_u32_fini(&keys->chain, keys->allocator);
}

static void diff_side_init(diff_side *side, const ubi_census *census, const ubi_allocator *allocator) {
    side->census = census;
    ubi__u64_map_init(&side->texts, allocator);
    ubi__u64_map_init(&side->frames, allocator);
}

static void diff_side_fini(diff_side *side) {
    ubi__u64_map_fini(&side->texts);
    ubi__u64_map_fini(&side->frames);
}

static ubi_status text_number(diff_keys *keys, uint32_t *out, diff_side *side, ubi_str_ix string) {
    const ubi__strtab *strings = side->census->tables.strings;
    ubi_str_ix canonical = ubi__strtab_canonical(strings, string);
    if (canonical == UBI_NONE) {
        *out = UBI_NONE;
        return UBI_OK;
    }
    *out = ubi__u64_map_get(&side->texts, canonical);
    if (*out != UBI_NONE)
        return UBI_OK;
    UBI_TRY(ubi__strtab_intern(&keys->texts, out, ubi__strtab_get(strings, canonical)));
    return ubi__u64_map_put(&side->texts, canonical, *out);
}

/** What makes frames equal, as in stacks/frames.h. Written and compared as bytes. */
typedef struct frame_content {
    uint32_t caller, source, function_name, line, column, is_system;
} frame_content;
_Static_assert(sizeof(frame_content) == 6 * sizeof(uint32_t), "no padding");

static ubi_status number_frame(diff_keys *keys, uint32_t *out, diff_side *side, ubi_frame_ix frame, uint32_t caller) {
    const ubi__frame_row *row = &side->census->tables.frames->rows.at[frame];
    frame_content content = { .caller = caller, .line = row->line, .column = row->column };
    content.is_system = row->is_system;
    UBI_TRY(text_number(keys, &content.source, side, row->source));
    UBI_TRY(text_number(keys, &content.function_name, side, row->function_name));
    UBI_TRY(ubi__strtab_intern(&keys->frames, out, (ubi_text){ (const char *)&content, sizeof content }));
    return ubi__u64_map_put(&side->frames, frame, *out);
}

/** Number of a stack: that of its youngest frame. Callers get theirs first. */
static ubi_status stack_number(diff_keys *keys, uint32_t *out, diff_side *side, ubi_frame_ix frame) {
    const ubi__frames *frames = side->census->tables.frames;
    uint32_t known = UBI_NONE;
    keys->chain.n = 0;
    while (frame != UBI_NONE) {
        frame = frames->canonical.at[frame];
        known = ubi__u64_map_get(&side->frames, frame);
        if (known != UBI_NONE)
            break;
        UBI_TRY(ubi__vec_u32_push(&keys->chain, keys->allocator, frame));
        frame = frames->rows.at[frame].parent;
    }
    while (keys->chain.n)
        UBI_TRY(number_frame(keys, &known, side, keys->chain.at[--keys->chain.n], known));
    *out = known;
    return UBI_OK;
}

/* Number of the key of entry `place` of a report of that side's census. Errors: UBI_ENOMEM, UBI_ELIMIT. */
static ubi_status diff_key_number(diff_keys *keys, uint32_t *out, diff_side *side, const ubi_report *report,
                                  uint32_t place) {
    const ubi__report_entry *entry = &side->census->entries.at[report->first + place];
    switch (entry->key_type) {
    case UBI_KEY_STACK:
        return stack_number(keys, out, side, entry->key);
    case UBI_KEY_NULL_STACK:
        *out = UBI__STACK_EMPTY;
        return UBI_OK;
    case UBI_KEY_NO_STACK:
        *out = UBI_NONE;
        return UBI_OK;
    case UBI_KEY_INDEX:
        *out = place;
        return UBI_OK;
    case UBI_KEY_TEXT:
        break;
    }
    if (report->breakdown->by != UBI_BY_COARSE_TYPE)
        return text_number(keys, out, side, entry->key);
    *out = place;
    return UBI_OK;
}

/* ==== SUBTRACTING =============================================================================================== */

typedef struct differ {
    ubi_census_diff *diff;
    const ubi_allocator *allocator;
    diff_keys keys;
    diff_side start, end;
    ubi__u64_map end_places; /* (report of the end, number of a key) -> place among its entries */
    ubi__vec_u8 paired;      /* of the level at hand: which entries of the end are */
    ubi__vec_delta spare;
} differ;

static bool is_compat(const ubi_census_diff *diff) {
    return diff->compat == UBI_COMPAT_FIREFOX;
}

/* ---- the basis --------------------------------------------------------------------------------------------------- */

typedef struct basis {
    ubi_census_diff *diff;
    unsigned depth;
    unsigned apart_depth; /* below member [1] or later of an array, entered at this depth; 0: not */
} basis;

static bool shows_count(const ubi_census_diff *diff, const ubi_breakdown *b) {
    return b->has_count && (b->was_count_written || !is_compat(diff));
}

static bool shows_bytes(const ubi_census_diff *diff, const ubi_breakdown *b) {
    return b->has_bytes && (b->was_bytes_written || !is_compat(diff));
}

static ubi_status enter_basis(void *payload, const ubi_report *report, const ubi_report_key *edge) {
    basis *b = payload;
    b->depth++;
    if (edge && edge->type == UBI_KEY_INDEX && edge->index > 0 && !b->apart_depth)
        b->apart_depth = b->depth;
    if (b->apart_depth || ubi_report_shape_of(report) != UBI_REPORT_COUNT)
        return UBI_OK;
    if (shows_count(b->diff, report->breakdown))
        b->diff->basis_count = ubi__add_i64(b->diff->basis_count, ubi__to_i64(report->count));
    if (shows_bytes(b->diff, report->breakdown))
        b->diff->basis_bytes = ubi__add_i64(b->diff->basis_bytes, ubi__to_i64(report->bytes));
    return UBI_OK;
}

static ubi_status leave_basis(void *payload, const ubi_report *report) {
    basis *b = payload;
    (void)report;
    if (b->apart_depth == b->depth)
        b->apart_depth = 0;
    b->depth--;
    return UBI_OK;
}

/** Also the one visit of all of the start that, in Firefox, trips over parts of a breakdown that were not written. */
static ubi_status sum_basis(ubi_census_diff *diff, const ubi_census *start) {
    static const ubi__report_visitor visitor = { enter_basis, leave_basis };
    basis b = { .diff = diff };
    return ubi__report_walk(ubi_census_report(start), diff->compat, &visitor, &b);
}

/* ---- pairing ----------------------------------------------------------------------------------------------------- */

/** The report of an entry; NULL if there is no report. */
static const ubi_report *part_of(const ubi_report *report, uint32_t place) {
    ubi_report_key unused;
    return report ? ubi_report_entry(report, place, &unused) : NULL;
}

static uint32_t entry_count(const ubi_report *report) {
    return report ? ubi_report_entry_count(report) : 0;
}

/** Firefox's `results["__proto__"] = ...` sets a prototype, and no key. */
static bool is_lost(const differ *d, const ubi_report *report, uint32_t place) {
    ubi_report_key key;
    if (!is_compat(d->diff) || ubi_report_shape_of(report) != UBI_REPORT_OBJECT)
        return false;
    ubi_report_entry(report, place, &key);
    return ubi__text_is(key.text, "__proto__");
}

static ubi_status append_delta(differ *d, const ubi_report *start, const ubi_report *end, uint32_t place) {
    if (d->diff->deltas.n >= UBI_NONE)
        return ubi__fail(UBI_ELIMIT, "the difference has more than 2^32-1 entries");
    ubi_delta delta = { .diff = d->diff, .start = start, .end = end, .place = place };
    return ubi__vec_delta_push(&d->diff->deltas, d->allocator, delta);
}

static uint64_t end_key(const differ *d, const ubi_report *end, uint32_t key) {
    return ubi__u64_pair((uint32_t)(end - d->end.census->reports.at), key);
}

static ubi_status register_end(differ *d, const ubi_report *end) {
    uint32_t n = entry_count(end);
    for (uint32_t place = 0; place < n; place++) {
        uint32_t key;
        UBI_TRY(diff_key_number(&d->keys, &key, &d->end, end, place));
        UBI_TRY(ubi__u64_map_put(&d->end_places, end_key(d, end, key), place));
    }
    d->paired.n = 0;
    UBI_TRY(ubi__vec_u8_reserve(&d->paired, d->allocator, n));
    if (n)
        memset(d->paired.at, 0, n);
    return UBI_OK;
}

/** Entries of the start, with what the end has under the same keys. */
static ubi_status append_start(differ *d, const ubi_report *start, const ubi_report *end) {
    for (uint32_t place = 0; place < entry_count(start); place++) {
        uint32_t key, found = UBI_NONE;
        if (end) {
            UBI_TRY(diff_key_number(&d->keys, &key, &d->start, start, place));
            found = ubi__u64_map_get(&d->end_places, end_key(d, end, key));
        }
        if (found != UBI_NONE)
            d->paired.at[found] = 1;
        if (!is_lost(d, start, place))
            UBI_TRY(append_delta(d, part_of(start, place), found == UBI_NONE ? NULL : part_of(end, found), place));
    }
    return UBI_OK;
}

/** Entries that the end alone has. */
static ubi_status append_end(differ *d, const ubi_report *start, const ubi_report *end) {
    for (uint32_t place = 0; place < entry_count(end); place++)
        if ((!start || !d->paired.at[place]) && !is_lost(d, end, place))
            UBI_TRY(append_delta(d, NULL, part_of(end, place), place));
    return UBI_OK;
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

static uint32_t array_index(const ubi_delta *parent, const ubi_delta *part) {
    ubi_report_key key;
    ubi_report_entry(part->start ? parent->start : parent->end, part->place, &key);
    return ubi__array_index(key.text);
}

#define INDEX_BEFORE(parent, a, b) (array_index((parent), &(a)) < array_index((parent), &(b)))
UBI_SORT_DEFINE(sort_by_index, ubi_delta, const ubi_delta *, INDEX_BEFORE);

/**
 * JavaScript lists array indices first, ascending. Either report is in that order, so only what the end adds after the
 * start, from `first_added` on, can be out of it, and only if it begins with an array index.
 */
static ubi_status order_parts(differ *d, const ubi_delta *parent, uint32_t first_added) {
    ubi_delta *parts = d->diff->deltas.at + parent->first;
    if (parent->n <= first_added || !parent->start || ubi_report_shape_of(parent->start) != UBI_REPORT_OBJECT ||
        array_index(parent, &parts[first_added]) == UBI_NONE)
        return UBI_OK;
    d->spare.n = 0;
    UBI_TRY(ubi__vec_delta_reserve(&d->spare, d->allocator, parent->n));
    sort_by_index(parts, d->spare.at, parent->n, parent);
    return UBI_OK;
}

/** Appends the parts of a delta. */
static ubi_status expand_delta(differ *d, uint32_t at) {
    const ubi_report *start = d->diff->deltas.at[at].start, *end = d->diff->deltas.at[at].end;
    uint32_t first = (uint32_t)d->diff->deltas.n;
    if (start && end)
        UBI_TRY(register_end(d, end));
    UBI_TRY(append_start(d, start, end));
    uint32_t first_added = (uint32_t)d->diff->deltas.n - first;
    UBI_TRY(append_end(d, start, end));
    ubi_delta *delta = &d->diff->deltas.at[at];
    delta->first = first;
    delta->n = (uint32_t)d->diff->deltas.n - first;
    return order_parts(d, delta, first_added);
}

static ubi_status subtract_reports(differ *d) {
    UBI_TRY(append_delta(d, ubi_census_report(d->start.census), ubi_census_report(d->end.census), 0));
    for (uint32_t at = 0; at < d->diff->deltas.n; at++)
        UBI_TRY(expand_delta(d, at));
    ubi__vec_delta_trim(&d->diff->deltas, d->allocator);
    return UBI_OK;
}

/* ---- whole ------------------------------------------------------------------------------------------------------- */

static ubi_status check_match(const ubi_census *start, const ubi_census *end) {
    if (start->compat != end->compat)
        return ubi__fail(UBI_EMISMATCH, "one of the two censuses was taken as Firefox takes it, the other not");
    if (!ubi__breakdown_equal(start->breakdown, end->breakdown))
        return ubi__fail(UBI_EMISMATCH, "the two censuses were taken with different breakdowns");
    return UBI_OK;
}

void ubi__census_diff_check(const ubi_census_diff *diff) {
    uint64_t next = 1;
    for (size_t i = 0; UBI_CHECKS && i < diff->deltas.n; i++) {
        const ubi_delta *delta = &diff->deltas.at[i];
        UBI_ASSERT(delta->diff == diff && (delta->start || delta->end));
        UBI_ASSERT(delta->first == next);
        next += delta->n;
        UBI_ASSERT(next <= diff->deltas.n);
        for (uint32_t k = delta->first; k < next; k++) {
            const ubi_delta *part = &diff->deltas.at[k];
            UBI_ASSERT(!part->start || part->start == part_of(delta->start, part->place));
            UBI_ASSERT(part->start || part->end == part_of(delta->end, part->place));
        }
    }
    UBI_ASSERT(!UBI_CHECKS || next == diff->deltas.n);
}

static ubi_status diff_censuses(ubi_census_diff *diff, const ubi_census *start, const ubi_census *end) {
    differ d = { .diff = diff, .allocator = diff->allocator };
    UBI_TRY(sum_basis(diff, start));
    diff_keys_init(&d.keys, d.allocator);
    diff_side_init(&d.start, start, d.allocator);
    diff_side_init(&d.end, end, d.allocator);
    ubi__u64_map_init(&d.end_places, d.allocator);
    ubi_status status = subtract_reports(&d);
    if (status == UBI_OK)
        ubi__census_diff_check(diff);
    diff_keys_fini(&d.keys);
    diff_side_fini(&d.start);
    diff_side_fini(&d.end);
    ubi__u64_map_fini(&d.end_places);
    ubi__vec_u8_fini(&d.paired, d.allocator);
    ubi__vec_delta_fini(&d.spare, d.allocator);
    return status;
}

ubi_status ubi_census_diff_new(ubi_census_diff **out, const ubi_census *start, const ubi_census *end) {
    UBI_AUTO_GLOBAL_TIMELINE_MARKER("ubiheap::Diff");
    UBI_TRY(check_match(start, end));
    ubi_census_diff *diff = UBI_NEW(start->allocator, ubi_census_diff);
    if (!diff)
        return ubi__fail_nomem();
    diff->allocator = start->allocator;
    diff->compat = start->compat;
    ubi_status status = diff_censuses(diff, start, end);
    if (status == UBI_OK)
        *out = diff;
    else
        ubi_census_diff_free(diff);
    return status;
}

void ubi_census_diff_free(ubi_census_diff *diff) {
    if (!diff)
        return;
    ubi__vec_delta_fini(&diff->deltas, diff->allocator);
    UBI_DELETE(diff->allocator, diff);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

int64_t ubi_census_diff_basis_count(const ubi_census_diff *diff) {
    return diff->basis_count;
}

int64_t ubi_census_diff_basis_bytes(const ubi_census_diff *diff) {
    return diff->basis_bytes;
}

const ubi_delta *ubi_census_diff_delta(const ubi_census_diff *diff) {
    return diff->deltas.at;
}

const ubi_report *ubi_delta_start(const ubi_delta *delta) {
    return delta->start;
}

const ubi_report *ubi_delta_end(const ubi_delta *delta) {
    return delta->end;
}

static const ubi_report *some_report(const ubi_delta *delta) {
    return delta->start ? delta->start : delta->end;
}

ubi_report_shape ubi_delta_shape_of(const ubi_delta *delta) {
    return ubi_report_shape_of(some_report(delta));
}

const ubi_breakdown *ubi_delta_breakdown(const ubi_delta *delta) {
    return ubi_report_breakdown(some_report(delta));
}

/** As doubles are subtracted, when they are Firefox's. */
static int64_t rounded_difference(uint64_t end, uint64_t start) {
    double difference = (double)end - (double)start;
    if (difference >= 0x1p63 || difference <= -0x1p63)
        return difference < 0 ? -INT64_MAX : INT64_MAX;
    return (int64_t)difference;
}

static int64_t number_difference(const ubi_delta *delta, uint64_t end, uint64_t start) {
    if (is_compat(delta->diff))
        return rounded_difference(end, start);
    return end >= start ? ubi__to_i64(end - start) : -ubi__to_i64(start - end);
}

void ubi_delta_get_count(const ubi_delta *delta, ubi_delta_count *out) {
    const ubi_report *start = delta->start, *end = delta->end;
    const ubi_breakdown *b = ubi_delta_breakdown(delta);
    *out = (ubi_delta_count){
        /* what only the end has is its report, unchanged */
        .has_count = start ? shows_count(delta->diff, b) : b->has_count,
        .has_bytes = start ? shows_bytes(delta->diff, b) : b->has_bytes,
        .has_label = b->has_label && !(start && is_compat(delta->diff)),
        .count = number_difference(delta, end ? end->count : 0, start ? start->count : 0),
        .bytes = number_difference(delta, end ? end->bytes : 0, start ? start->bytes : 0),
    };
    if (out->has_label)
        out->label = ubi__breakdown_label(b);
}

uint32_t ubi_delta_entry_count(const ubi_delta *delta) {
    return delta->n;
}

const ubi_delta *ubi_delta_entry(const ubi_delta *delta, uint32_t index, ubi_report_key *key) {
    const ubi_delta *part = &delta->diff->deltas.at[delta->first + UBI_INDEX(index, delta->n)];
    ubi_report_entry(part->start ? delta->start : delta->end, part->place, key);
    return part;
}

/* ==== THE TREE OF A DIFFERENCE ================================================================================== */

/*
 * The census tree of a diff.
 *
 * Source: mozilla-central devtools/shared/heapsnapshot/census-tree-node.js, censusReportToCensusTreeNode.
 */

static ubi_status add_count(ubi__tree_builder *b, const ubi_delta *delta) {
    ubi_delta_count numbers;
    ubi_delta_get_count(delta, &numbers);
    return ubi__tree_count_shown(b, ubi_delta_breakdown(delta), numbers.count, numbers.bytes);
}

/** Recursion is bounded by UBI_BREAKDOWN_MAX_DEPTH. */
static ubi_status add_delta(ubi__tree_builder *b, const ubi_delta *delta, const ubi_report_key *edge) {
    const ubi_breakdown *breakdown = ubi_delta_breakdown(delta);
    if (b->compat == UBI_COMPAT_FIREFOX && !breakdown->was_written)
        return ubi__fail(UBI_EINVAL, "can't access property \"by\", breakdown is undefined");
    UBI_TRY(ubi__tree_enter(b, edge, breakdown));
    if (ubi_delta_shape_of(delta) == UBI_REPORT_COUNT)
        UBI_TRY(add_count(b, delta));
    for (uint32_t i = 0; i < ubi_delta_entry_count(delta); i++) {
        ubi_report_key key;
        const ubi_delta *part = ubi_delta_entry(delta, i, &key);
        UBI_TRY(add_delta(b, part, &key));
    }
    return ubi__tree_leave(b);
}

ubi_status ubi_census_diff_tree_new(ubi_census_tree **out, const ubi_census_diff *diff,
                                    const ubi_census_tree_options *options) {
    ubi_census_tree_options how;
    UBI_TRY(ubi__tree_check_options(&how, options));
    ubi__tree_basis of_start = { .total_bytes = diff->basis_bytes, .total_count = diff->basis_count };
    ubi__tree_builder b;
    ubi__tree_builder_init(&b, diff->allocator, diff->compat);
    ubi_status status = add_delta(&b, ubi_census_diff_delta(diff), NULL);
    if (status == UBI_OK)
        status = ubi__tree_finish(out, &b, &how, &of_start);
    ubi__tree_builder_fini(&b);
    return status;
}
