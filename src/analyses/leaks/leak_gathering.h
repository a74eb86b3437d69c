/* SPDX-License-Identifier: MIT
 *
 * leak_gathering.h: places being made into clusters.
 */
#ifndef UBI_ANALYSES_LEAK_GATHERING_H
#define UBI_ANALYSES_LEAK_GATHERING_H

#include "analyses/leaks/leak_finder.h"

typedef uint32_t ubi__leak_cluster_ix;

/** A place may be a container of what leaks if it has so few objects. */
#define UBI__LEAK_FEW 2

/** A cluster that is being made. */
typedef struct ubi__leak_draft {
    ubi__leak_place_ix main; /* the first place of the objects that it is about */
    bool is_inner;           /* they are held by one new object */
    ubi_node_ix holder;
} ubi__leak_draft;
UBI_VEC_DECLARE(ubi__vec_leak_draft, ubi__leak_draft);

/** What a place is to its cluster. */
enum {
    UBI__LEAK_PLACE_OTHER,  /* in it */
    UBI__LEAK_PLACE_MAIN,   /* of the objects that it is about */
    UBI__LEAK_PLACE_BETWEEN /* engine internals below these */
};

typedef struct ubi__leak_gathering {
    ubi_leak_finder *f;
    ubi_leaks *leaks;
    ubi__leak_place *places; /* places[n] of the finder */
    size_t n;
    uint64_t *below_bytes;        /* below_bytes[n]: of leaked objects, in the place and all below */
    ubi__leak_place_ix *heaviest; /* heaviest[n]: of the places right below, that with the most of these; UBI_NONE */
    ubi__leak_cluster_ix *cluster_of; /* cluster_of[n]; UBI_NONE */
    uint8_t *part;                    /* part[n] */
    ubi__vec_leak_draft drafts;       /* of each cluster */
    /*
     * owner[n_nodes] of nodes on ways: for what programs hold, the nearest object above that was in OLD; for
     * others, the nearest of all, from which those below continue. UBI_NONE: none.
     */
    ubi_node_ix *owner;
    ubi_node_ix *other_owner; /* the nearest object above of another class or name */
} ubi__leak_gathering;

/** Fills owner and other_owner. Errors: UBI_ENOMEM. */
ubi_status ubi__leak_find_owners(ubi__leak_gathering *g);
/** Who holds a leaked object; UBI_NONE: nothing that programs know. */
ubi_node_ix ubi__leak_holder_of(const ubi__leak_gathering *g, ubi_node_ix node, bool inner);
/** Numbers the clusters and fills drafts, cluster_of and part. Errors: UBI_ENOMEM. */
ubi_status ubi__leak_draft_clusters(ubi__leak_gathering *g);
/** Counts what other classes a cluster keeps, and different holders. Errors: UBI_ENOMEM. */
ubi_status ubi__leak_count_parts(ubi__leak_gathering *g);
/** Room for the curves of all clusters; counts of their classes. Errors: UBI_ENOMEM. */
ubi_status ubi__leak_make_curves(ubi__leak_gathering *g);
/** A leaked object that the cluster is about. */
void ubi__leak_note_birth(ubi__leak_gathering *g, ubi__leak_cluster_ix cluster, ubi_node_ix node);
/** With all births noted: what came with the last step, and with which steps each cluster grew. */
void ubi__leak_finish_curves(ubi__leak_gathering *g);
/** Classes whose nodes became more from OLD to the newest heap. Errors: UBI_ENOMEM. */
ubi_status ubi__leak_find_trends(ubi__leak_gathering *g);
/** Verdicts, sums over all clusters, and their order. Errors: UBI_ENOMEM. */
ubi_status ubi__leak_judge(ubi__leak_gathering *g);

#endif
