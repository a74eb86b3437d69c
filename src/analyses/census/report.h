/* SPDX-License-Identifier: MIT
 *
 * report.h: the inside of a census, and how cells become a report.
 *
 * Reports and their entries are two flat arrays; the entries of a report are contiguous, in the order in which
 * JavaScript would enumerate them, and name their reports by index. Bucket ids are a third array.
 */
#ifndef UBI_CENSUS_REPORT_H
#define UBI_CENSUS_REPORT_H

#include <ubiheap/core/census.h>

#include "analyses/census/breakdown.h"
#include "analyses/census/census_cells.h"
#include "analyses/census/census_live.h"
#include "analyses/census/census_tables.h"

typedef uint32_t ubi__report_ix;

struct ubi_report {
    const ubi_census *census;
    const ubi_breakdown *breakdown;
    uint64_t count, bytes; /* of all nodes passed in, whatever the shape; bytes modulo 2^64 */
    uint64_t first;        /* of its entries in `entries`, or of its ids in `ids` */
    uint64_t n;            /* entries, or ids */
};

typedef struct ubi__report_entry {
    ubi_key_type key_type;
    uint32_t key; /* TEXT: ubi_str_ix, or a place in coarse_keys; STACK: ubi_frame_ix; INDEX */
    ubi__report_ix report;
} ubi__report_entry;

UBI_VEC_DECLARE(ubi__vec_report, ubi_report);
UBI_VEC_DECLARE(ubi__vec_entry, ubi__report_entry);

struct ubi_census {
    const ubi_allocator *allocator;
    ubi_compat compat;
    bool must_have_names;      /* at descriptiveType */
    ubi_breakdown *breakdown;  /* a reference */
    ubi_graph *graph;          /* a reference; NULL in a live census */
    ubi__census_live live;     /* empty in a census of a graph */
    ubi__census_tables tables; /* of either */
    ubi__vec_report reports;   /* [0] is the report of everything */
    ubi__vec_entry entries;
    ubi__vec_u64 ids;
    uint64_t node_count, size_bytes;
};

/**
 * Reports come after the one that they are part of. What their entries count adds up to what they count, unless Firefox loses
 * some of it; members of an array count everything each. Buckets are full. O(reports + entries).
 */
void ubi__census_check(const ubi_census *census);

/** A bucket that wants the nodes of a cell: cell in the high half, report in the low. Sorted by cell once built. */
typedef ubi__vec_u64 ubi__bucket_claims;

/**
 * Runs the breakdown over the cells and fills `census`, except for the ids in buckets: those reports say how many they
 * will be (`n`), and `claims` (the caller's, empty) says from which cells.
 */
ubi_status ubi__report_build(ubi_census *census, const ubi__cells *cells, ubi__bucket_claims *claims);

/** Value of what JavaScript takes for an array index ("0", "7", not "07"), else UBI_NONE. Such keys come first. */
uint32_t ubi__array_index(ubi_text text);

#endif
