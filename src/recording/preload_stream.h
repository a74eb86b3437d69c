/* SPDX-License-Identifier: MIT
 *
 * preload_stream.h: what one context of a recorded program has written (preload_wire.h), as events.
 *
 * The bytes of its chunks are copied into pieces, one per chunk, in the order of their sequence, so that the
 * program cannot change them while they are decoded. A piece that breaks the rules is given up there, and counted.
 *
 * Some events are decoded ahead: what is known about their blocks is fetched from memory while others are reported.
 */
#ifndef UBI_RECORDING_PRELOAD_STREAM_H
#define UBI_RECORDING_PRELOAD_STREAM_H

#include "base/u64_map.h"
#include "recording/block_table.h"
#include "recording/preload_sink.h"

typedef struct ubi__wire_event {
    uint64_t stamp;
    ubi__preload_alloc
        about; /* without the number and kind: an allocation is passed on as it is. Of others, what they have */
    bool is_alloc;
    bool is_marker; /* what it says is in the stream's `marker` */
    bool is_action; /* recording was started, stopped or reset */
    uint8_t kind;   /* ubi__alloc_kind, ubi__free_kind, flags of a marker, ubi__wire_action */
} ubi__wire_event;

/** A marker's own. Its texts are in the stream's first piece, from these places on, which do not move with it. */
typedef struct ubi__stream_marker {
    uint64_t time_ns;
    size_t name_at, name_bytes, details_at, details_bytes;
} ubi__stream_marker;

/** What a stream comes to next. */
typedef enum ubi__stream_step {
    UBI__STREAM_EMPTY,          /* nothing more for now */
    UBI__STREAM_EVENT,          /* stream->event, until the next step */
    UBI__STREAM_REALLOC_UNDONE, /* of the last free of kind realloc */
    UBI__STREAM_REALLOC_FREED,
} ubi__stream_step;

#define UBI__STREAM_AHEAD 16

typedef struct ubi__stream_item {
    ubi__stream_step step; /* not EMPTY */
    ubi__wire_event event; /* if that is EVENT */
} ubi__stream_item;

/** The bytes of a chunk. */
typedef struct ubi__stream_piece {
    struct ubi__stream_piece *next;
    uint64_t sequence;
    uint8_t *bytes; /* bytes[n], room for `capacity` */
    size_t n, capacity;
    size_t at; /* decoded */
    bool is_complete, is_broken;
} ubi__stream_piece;

typedef struct ubi__stream_module {
    uint64_t low, high;
    uint32_t number; /* the sink's */
} ubi__stream_module;
UBI_VEC_DECLARE(ubi__stream_modules, ubi__stream_module);

/** A function of a script: its name and its file's are next to each other in the stream's `texts`. */
typedef struct ubi__stream_function {
    size_t text_at;
    uint32_t name_bytes, file_bytes;
} ubi__stream_function;
UBI_VEC_DECLARE(ubi__stream_functions, ubi__stream_function);

/** What all streams of a process share. */
typedef struct ubi__stream_common {
    const ubi_allocator *allocator;
    const ubi__preload_sink *sink;
    const ubi__block_table *blocks; /* where the addresses of events will be looked for */
    bool is_exact;
    ubi__u64_map threads; /* system's id -> the sink's number */
    uint64_t lost_bytes;
    uint64_t waiting_bytes; /* in pieces, not decoded yet */
} ubi__stream_common;

typedef struct ubi__stream {
    ubi__stream_common *common;
    ubi__stream_piece *first; /* by sequence; NULL: none */
    uint64_t sequence;        /* of the piece that is decoded, or was last; 0: none yet */
    uint64_t lost_bytes;

    /* As of the last record. */
    uint64_t stamp, address, pc, clock_us, marker_ns;
    uint32_t trace, tid, thread;
    uint32_t epoch;
    ubi__vec_u32 traces; /* the context's numbers -> the sink's; traces.at[0] is 0 */
    ubi__stream_modules modules;
    ubi__stream_functions functions; /* by their number; functions.at[0] is of no function */
    ubi__vec_u8 texts;
    uint32_t script_class;                     /* the sink's, of the blocks of scripts that follow */
    uint8_t script_classes[UBI__WIRE_CLASSES]; /* of the chunk: the context's numbers -> the sink's; 0: no class */

    ubi__stream_item
        ahead[UBI__STREAM_AHEAD]; /* ahead[at_ahead..n_ahead): decoded, and not reported. A marker is the last one */
    size_t at_ahead, n_ahead;
    ubi__wire_event *event;    /* the one that the stream is at; NULL: none */
    ubi__stream_marker marker; /* of an event that is one */
} ubi__stream;

/** Pieces ascend and have not been decoded before; what was decoded ahead and not reported is events, of which a marker is the last. */
void ubi__stream_check(const ubi__stream *s);
void ubi__stream_init(ubi__stream *s, ubi__stream_common *common);
void ubi__stream_fini(ubi__stream *s);

/** The piece for a chunk, a new one if need be. Errors: UBI_ENOMEM. *out NULL: such a chunk was there before. */
ubi_status ubi__stream_piece_of(ubi__stream *s, ubi__stream_piece **out, uint64_t sequence);
/** Copies what came. Errors: UBI_ENOMEM. */
ubi_status ubi__stream_piece_append(ubi__stream *s, ubi__stream_piece *piece, const uint8_t *bytes, size_t n);
/** No more will come. */
void ubi__stream_piece_complete(ubi__stream_piece *piece);
/** The rest of it means nothing. */
void ubi__stream_piece_give_up(ubi__stream *s, ubi__stream_piece *piece);
/** The first one is over. */
void ubi__stream_piece_end(ubi__stream *s);
/** Pieces ascend, have not been decoded before, and hold no more than they have room for. */
void ubi__stream_pieces_check(const ubi__stream *s);

/** Decodes what is there next, if anything is. What was decoded before has been reported. Errors: as ubi__wire_stream_next. */
ubi_status ubi__wire_stream_read(ubi__stream *s, bool is_last);
/**
 * Advances to the next event (or what decides a realloc). Traces, modules and threads on the way are reported to the sink.
 * @param is_last  what is missing will not come: pieces are taken as they are. Errors: UBI_ENOMEM, the sink's.
 */
static inline ubi_status ubi__wire_stream_next(ubi__stream *s, ubi__stream_step *out, bool is_last) {
    s->event = NULL;
    *out = UBI__STREAM_EMPTY;
    if (s->at_ahead == s->n_ahead) {
        UBI_TRY(ubi__wire_stream_read(s, is_last));
        if (s->at_ahead == s->n_ahead)
            return UBI_OK;
    }
    ubi__stream_item *item = &s->ahead[s->at_ahead++];
    *out = item->step;
    if (ubi__likely(item->step == UBI__STREAM_EVENT))
        s->event = &item->event;
    return UBI_OK;
}

/** The event that the stream is at, which is a marker. Texts are valid until the stream advances or gets more. */
ubi__preload_marker ubi__stream_marker_event(const ubi__stream *s);

#endif
