/* SPDX-License-Identifier: MIT
 *
 * report.c: reading a report.
 */
#include "analyses/census/report.h"

#include "base/text.h"

/* Where coarseType puts its parts; report_build.c sorts cells into the same places. */
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
