/* SPDX-License-Identifier: MIT
 *
 * recording_summary.h: what a recording file amounts to: sums by info, class and thread, the peak, lifetimes, sizes, a curve.
 *
 * One pass over the records, and no event is kept. An allocation is a row of the live table until it is freed; everything
 * else is counted where its info is, since allocations of one info are alike. What lived of each info when the most bytes
 * lived is known exactly: each new maximum is an epoch, and an info notes what it had when it changes for the first time in
 * a later epoch.
 *
 * A summary may be of a window of time alone: see ubi__time_window.
 *
 * In a recording of several processes, what one holds when it ends does not live any more, and was not freed: it leaves the peak and
 * the curve, and is leaked.
 *
 * In sampled recordings bytes are estimates: sums of the weights of samples. ubi__estimate has the variances.
 * Memory: the tables, 120 bytes per info, by thread 80 per info and thread that allocated it, 16 more of each in windows and with several processes,
 * 8 to 32 per live allocation, and 36 to 48 for those made in a marker.
 */
#ifndef UBI_RECORDING_RECORDING_SUMMARY_H
#define UBI_RECORDING_RECORDING_SUMMARY_H

#include "base/bits.h"
#include "recording/estimate.h"
#include "recording/live_ledger.h"
#include "recording/marker_sums.h"
#include "recording/time_window.h"
#include "recording/ubirec_index.h"
#include "recording/ubirec_tables.h"

typedef enum ubi__measure {
    UBI__MEASURE_LEAKED,    /* not freed at the end */
    UBI__MEASURE_PEAK,      /* alive when the most bytes of the class were */
    UBI__MEASURE_TOTAL,     /* ever allocated */
    UBI__MEASURE_TEMPORARY, /* freed at once */
    UBI__MEASURE_LIVE,      /* alive at the end, also what is older than the window */
    UBI__MEASURE_COUNT
} ubi__measure;

/** Allocations of one info. `live`, `n_older` and `peak_live` are counts. */
typedef struct ubi__info_sums {
    uint64_t count;
    uint64_t live;      /* not freed, by processes that run */
    uint64_t n_left;    /* not freed by processes that ended; with `live` at the end, without n_older: leaked */
    uint64_t n_older;   /* of `live`: from before the window */
    uint64_t peak_live; /* at the maximum that `epoch` is the number of */
    uint64_t epoch;
    uint64_t
        temporary; /* freed by the thread that made it, as the next thing that this thread did; exact periods only */
} ubi__info_sums;

/**
 * What was allocated of an info; of a summary by thread, what one thread allocated of it. Makers are anywhere in memory, and each event
 * changes one: with size and weight of its info, all that it needs is in one cache line.
 */
typedef struct ubi__maker_sums {
    uint32_t info, thread; /* 0 of a summary that is not by thread */
    uint64_t size_bytes : 57;
    uint64_t of_class : 7; /* a ubi__ubirec_class */
    uint64_t weight_bytes;
    uint64_t count, live, peak_live, epoch, temporary; /* as in ubi__info_sums */
} ubi__maker_sums;
static_assert(sizeof(ubi__maker_sums) == 64, "a cache line");
static_assert(UBI__UBIREC_SIZE_MAX >> 57 == 0, "sizes have room");

/** What makers have only in windows and where processes ended: apart, as few events change it, and elsewhere there is none. */
typedef struct ubi__maker_rest {
    uint64_t n_left, n_older; /* as in ubi__info_sums */
} ubi__maker_rest;

/**
 * One half of the samples of a class, drawn at random. The most that an estimate ever says lies above the most that ever was, the
 * more the fewer samples there are: it is taken when chance was on its side. When one half says that there was most, the other
 * one knows nothing of that half's luck, and what it estimates for that moment is right on average.
 */
typedef struct ubi__half_sums {
    double live_bytes, live_variance;   /* as if each sample had twice its weight */
    double peak_bytes;                  /* the most of live_bytes */
    double other_bytes, other_variance; /* what the other half had then */
} ubi__half_sums;

/** Bytes are weights. */
typedef struct ubi__class_sums {
    uint64_t count, n_frees;
    uint64_t n_left;  /* not freed by processes that ended */
    uint64_t n_older; /* that lived when the window began, and were not left since */
    uint64_t bytes;
    uint64_t live, live_bytes, live_met_bytes; /* met: sizes of what lives and was sampled */
    double live_variance;
    uint64_t peak_bytes, peak_time_ns; /* the first time that so much lived */
    uint64_t peak_met_bytes;           /* the most that was met and lived at a time */
    uint64_t epoch;                    /* how often there was a new maximum */
    ubi__half_sums halves[2];
} ubi__class_sums;

/** Of the heap. */
typedef struct ubi__thread_sums {
    ubi__estimate allocated, freed, temporary; /* by it; what it freed may be of another */
    ubi__estimate by[UBI__MEASURE_COUNT];      /* what it allocated; of a finished summary by thread */
    uint64_t last_allocation;                  /* number + 1, when that was the last thing that it did; else 0 */
    uint64_t last_temporary; /* number + 1 of what it freed at once, when that was the last thing that it did; else 0 */
    uint32_t last_maker;     /* of what it freed as the last thing */
    uint32_t last_free;      /* a ubi__last_free */
} ubi__thread_sums;

/** Whether the last thing that a thread did was a free, which may be taken back. */
typedef enum ubi__last_free { UBI__LAST_FREE_NONE, UBI__LAST_FREE, UBI__LAST_FREE_BEFORE_WINDOW } ubi__last_free;

UBI_VEC_DECLARE(ubi__vec_info_sums, ubi__info_sums);
UBI_VEC_DECLARE(ubi__vec_thread_sums, ubi__thread_sums);
UBI_VEC_DECLARE(ubi__vec_maker_sums, ubi__maker_sums);
UBI_VEC_DECLARE(ubi__vec_maker_rest, ubi__maker_rest);

/** Bucket 0: size 0; bucket i: sizes from 2^(i-1) up to below 2^i. Heap only. */
#define UBI__SIZE_BUCKETS 58
/** Bucket i: freed within 10^i ms; the last: later. Heap only. */
#define UBI__LIFETIME_BUCKETS 7
/** Points of the curve at most; when there are more, two become one. */
#define UBI__CURVE_POINTS 512

/** The most that lived, and that was resident, in a span of time. */
typedef struct ubi__curve_point {
    uint64_t live_bytes; /* heap */
    uint64_t live_met_bytes;
    double live_variance;
    uint64_t rss_bytes; /* 0: not measured */
} ubi__curve_point;

/**
 * What is asked of a summary that is made in parts, each a window that begins where the last one ended (recording_checkpoints.h): what is of
 * two parts. Neither is in its sums.
 */
typedef struct ubi__part_notes {
    void *payload;
    /** An allocation of the heap from before this part was freed; its lifetime is in this bucket. */
    void (*older_freed)(void *payload, uint64_t number, unsigned bucket);
    /** It was temporary: the last thing that its thread did in an earlier part, and the free the first one in this. */
    void (*older_temporary)(void *payload, uint64_t number, uint32_t maker, uint32_t thread);
} ubi__part_notes;

typedef struct ubi__recording_summary {
    const ubi_allocator *allocator;
    bool is_view;                 /* tables alone are its own (ubi__recording_summary_view) */
    bool has_crossed;             /* a free from before the window was taken back in it */
    const ubi__part_notes *notes; /* NULL: it is not made in parts */
    ubi__time_window window;
    bool has_begun, is_over;           /* the window */
    uint64_t n_numbers;                /* allocations so far, also outside of the window */
    uint64_t first_number, end_number; /* of allocations in the window, up to but not including the last one */
    ubi__ubirec_tables tables;
    ubi__vec_info_sums infos;   /* once it is finished */
    ubi__vec_maker_sums makers; /* until then; of a summary that is not by thread, by info */
    ubi__vec_maker_rest rests;  /* by maker, as far as any has something; there is room for all */
    ubi__u64_map maker_of;      /* (info, thread) -> of a summary by thread */
    bool is_by_thread;
    ubi__vec_thread_sums threads;
    ubi__live_ledger live;       /* number -> maker + 1, and the ms when it was made above it */
    bool is_exact, is_exact_now; /* all that came, and what comes */
    ubi__class_sums classes[UBI__UBIREC_CLASS_COUNT];
    ubi__estimate totals[UBI__UBIREC_CLASS_COUNT][UBI__MEASURE_COUNT];        /* once it is finished: over all infos */
    ubi__estimate lifetimes[UBI__LIFETIME_BUCKETS], sizes[UBI__SIZE_BUCKETS]; /* sizes: as well */
    ubi__curve_point curve[UBI__CURVE_POINTS];
    size_t n_curve;
    uint64_t curve_step_ns; /* of each point; points begin at multiples of it, but the first one with the window */
    uint64_t curve_first;   /* that multiple at or before the window's beginning */
    uint64_t time_ns;       /* now, or the end */
    uint32_t thread;
    uint64_t rss_peak_bytes, rss_peak_time_ns, rss_last_bytes;
    uint64_t n_markers; /* STARTs and TIMESTAMPs */
    ubi__marker_sums markers;
    bool has_undone;       /* frees that were taken back */
    uint64_t double_frees; /* of what did not live: the file is wrong there, and they were passed over */
    uint64_t file_bytes, torn_bytes;
    uint32_t n_blocks;
    char fault[256]; /* what is wrong in the file, and where: everything before counts; "": nothing is */
} ubi__recording_summary;

/**
 * Sums of infos, of classes and of what lives agree: what was allocated lives, was freed, or was left by a process that ended. No
 * maximum is below what lives now. (What lives may be one more than was counted: see `fault`.)
 */
void ubi__recording_summary_check(const ubi__recording_summary *s);
/** Errors: UBI_ENOMEM, and nothing is left. */
ubi_status ubi__recording_summary_init(ubi__recording_summary *s, const ubi_allocator *allocator);
void ubi__recording_summary_fini(ubi__recording_summary *s);
/** Takes the next record of a file. Errors: UBI_ENOMEM, UBI_ELIMIT, UBI_EFORMAT (2^64 bytes live). Cost: O(1). */
ubi_status ubi__recording_summary_add(ubi__recording_summary *s, const ubi__ubirec_record *record);
/** Takes events of it that came in a row: the same as one after the other, and faster. */
ubi_status ubi__recording_summary_add_events(ubi__recording_summary *s, const ubi__ubirec_events *events);
/** After the last record. */
void ubi__recording_summary_finish(ubi__recording_summary *s);
/**
 * All of a file, or what comes before `fault`. On success it is finished, on failure nothing is left.
 * Errors: UBI_EFORMAT: not even the first record is good; those of the source, UBI_ENOMEM, UBI_ELIMIT, UBI_ECANCELLED.
 * @param progress  or NULL.
 */
ubi_status ubi__recording_summary_read(ubi__recording_summary *s, ubi__source *source, const ubi_progress *progress,
                                       const ubi_allocator *allocator);
/** How a summary is made. All zeroes: of the whole. */
typedef struct ubi__summary_choice {
    ubi__time_window window; /* begins before it ends */
    bool is_by_thread;       /* threads also have what lives of what they allocated, and so on: ubi__thread_sums.by */
    unsigned threads;        /* 2 or more: blocks are read by a second one */
} ubi__summary_choice;
/** The same, as it is chosen. */
ubi_status ubi__recording_summary_read_choice(ubi__recording_summary *s, ubi__source *source,
                                              const ubi__summary_choice *choice, const ubi_progress *progress,
                                              const ubi_allocator *allocator);
/** What it had at the last maximum of its class, before that changes. */
static inline void ubi__maker_note_peak(ubi__maker_sums *maker, const ubi__class_sums *of_class) {
    if (maker->epoch == of_class->epoch)
        return;
    maker->peak_live = maker->live;
    maker->epoch = of_class->epoch;
}

/** All that a maker has. */
static inline ubi__info_sums ubi__maker_made(const ubi__recording_summary *s, size_t i) {
    const ubi__maker_sums *maker = &s->makers.at[i];
    ubi__maker_rest rest = i < s->rests.n ? s->rests.at[i] : (ubi__maker_rest){ 0 };
    return (ubi__info_sums){ .count = maker->count,
                             .live = maker->live,
                             .n_left = rest.n_left,
                             .n_older = rest.n_older,
                             .peak_live = maker->peak_live,
                             .epoch = maker->epoch,
                             .temporary = maker->temporary };
}

/** The window begins now: sums are zero, and the peak is what lives. */
void ubi__recording_window_begin(ubi__recording_summary *s);

/**
 * What the index of a file says, and the record about the whole; nothing else is read. On success the summary has `about`, counters, end
 * and time, and no sums.
 * @param found  out: false: there is no index, and nothing is left; the source may have moved.
 * Errors: UBI_ENOMEM, and those of the source; nothing is left.
 */
ubi_status ubi__recording_summary_glance(ubi__recording_summary *s, ubi__ubirec_index *index, bool *found,
                                         ubi__source *source, const ubi_allocator *allocator);
/** The same numbers, of a summary. */
ubi__ubirec_index ubi__recording_summary_index(const ubi__recording_summary *s);

struct ubi__columns;
/**
 * Passes a summary that is finished (base/column_file.h). Read, `s` is overwritten; free it, whatever comes of it. It has no live table:
 * questions alone can be asked, nothing can be added. Errors: those of passing.
 */
ubi_status ubi__recording_summary_pass(struct ubi__columns *c, ubi__recording_summary *s);
/**
 * The same summary, with tables to which symbols can be added (ubi__ubirec_tables_view); all else is borrowed from `of`. Errors: UBI_ENOMEM,
 * and nothing is left.
 */
ubi_status ubi__recording_summary_view(ubi__recording_summary *out, const ubi__recording_summary *of,
                                       const ubi_allocator *allocator);

/* ---- estimates ---------------------------------------------------------------------------------------------------- */

/** Adds n allocations of an info, each with its own weight. */
void ubi__estimate_add(ubi__estimate *estimate, const ubi__recording_summary *s, uint32_t info, uint64_t n);
/** How many allocations a sample of this info stands for. */
double ubi__sample_count(const ubi__ubirec_info_row *info);

/** How many allocations of an info a measure has. The summary is finished. */
uint64_t ubi__info_measure(const ubi__info_sums *sums, ubi__measure measure);
/** The period that a class was sampled with, the largest if there were several; 1: all of it was recorded. */
uint64_t ubi__class_period(const ubi__recording_summary *s, ubi__ubirec_class of_class);
/** Whether anything of a class was allocated, or lived when the window began. */
static inline bool ubi__class_has_any(const ubi__recording_summary *s, ubi__ubirec_class of_class) {
    return s->classes[of_class].count || s->classes[of_class].n_older;
}
/** When a point of the curve begins. */
static inline uint64_t ubi__curve_time_ns(const ubi__recording_summary *s, size_t point) {
    return ubi__larger(s->window.from_ns, (s->window.from_ns / s->curve_step_ns + point) * s->curve_step_ns);
}
/** Of a point of the curve. */
ubi__range ubi__curve_range(const ubi__recording_summary *s, const ubi__curve_point *point);
/** Over all infos of a class. The summary is finished. */
static inline ubi__estimate ubi__class_estimate(const ubi__recording_summary *s, ubi__ubirec_class of_class,
                                                ubi__measure measure) {
    return s->totals[of_class][measure];
}
/** What the bytes of such an estimate lie between. Of the peak, the lower limit does not believe in luck (ubi__half_sums). */
ubi__range ubi__measure_bytes_range(const ubi__recording_summary *s, ubi__ubirec_class of_class, ubi__measure measure,
                                    const ubi__estimate *estimate);

#endif
