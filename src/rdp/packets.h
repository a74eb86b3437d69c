/* SPDX-License-Identifier: MIT
 *
 * packets.h: the bytes of the remote debugging protocol as packets, and back: no socket and no JSON is known here.
 *
 *     LEN:JSON                     a JSON packet; LEN counts bytes
 *     bulk ACTOR TYPE LEN:BYTES    a bulk packet
 *
 * Bytes come in pieces of any size. A JSON text is given whole, up to a limit; the bytes of a bulk packet are given as they come and are
 * never kept. Memory grows with what has come, not with what a header promises.
 *
 *     while (ubi__rdp_packets_next(&reader, &input, &piece), piece.kind != UBI__RDP_NO_PIECE) ...
 *
 * Server and client read with this. Source: docs/explanation/architecture.md.
 */
#ifndef UBI_RDP_PACKETS_H
#define UBI_RDP_PACKETS_H

#include "base/alloc.h"

/** The longest header, its colon included. */
#define UBI__RDP_HEADER_BYTES 200
/** The greatest LEN. */
#define UBI__RDP_MOST_LENGTH ((uint64_t)1 << 40)
/** The longest JSON text unless the reader is given another limit. */
#define UBI__RDP_JSON_BYTES ((size_t)1 << 20)

/** The `error` of a reply for a target that has ended; Firefox's word. */
#define UBI__RDP_TAB_DESTROYED "tabDestroyed"

typedef enum ubi__rdp_piece_kind {
    UBI__RDP_NO_PIECE,   /**< the input is used up */
    UBI__RDP_JSON,       /**< `bytes`: the text of a JSON packet */
    UBI__RDP_BULK_BEGIN, /**< the header of a bulk packet; `n_left` bytes follow */
    UBI__RDP_BULK_BYTES, /**< `bytes` of it, 1 or more; `n_left` follow */
    UBI__RDP_FATAL       /**< the peer keeps no rules: the connection is to be closed; see the thread's message */
} ubi__rdp_piece_kind;

/** What was found; texts are borrowed until the next call, or as long as the input. */
typedef struct ubi__rdp_piece {
    ubi__rdp_piece_kind kind;
    ubi_status status;    /**< of UBI__RDP_FATAL: UBI_EFORMAT, UBI_ELIMIT, UBI_ENOMEM */
    ubi_text actor, type; /**< of UBI__RDP_BULK_BEGIN: any bytes without space and colon */
    ubi_text bytes;
    uint64_t n_left;
} ubi__rdp_piece;

typedef struct ubi__rdp_packets {
    const ubi_allocator *allocator;
    size_t most_json_bytes;
    ubi_status failed; /* what made it end; UBI_OK: nothing did */
    uint64_t n_left;   /* of the packet that is being read */
    bool is_in_json, is_in_bulk;
    uint32_t n_header;
    char header[UBI__RDP_HEADER_BYTES];
    ubi__vec_u8 json; /* of a packet that came in pieces */
} ubi__rdp_packets;

/** @param most_json_bytes  0: UBI__RDP_JSON_BYTES. @param allocator  NULL: the default. */
void ubi__rdp_packets_init(ubi__rdp_packets *reader, size_t most_json_bytes, const ubi_allocator *allocator);
void ubi__rdp_packets_fini(ubi__rdp_packets *reader);
/**
 * Takes bytes from the beginning of `input`, up to the end of one piece. After a fatal one, there are only such.
 * Cost: O(bytes taken). A JSON text that is whole in the input is not copied.
 */
void ubi__rdp_packets_next(ubi__rdp_packets *reader, ubi_text *input, ubi__rdp_piece *out);
/** Whether the peer may end here: between two packets. */
bool ubi__rdp_packets_is_between(const ubi__rdp_packets *reader);

/** The header of a JSON packet, NUL-terminated; its length. */
size_t ubi__rdp_json_header(char out[24], uint64_t n_bytes);
/**
 * The header of a bulk packet, NUL-terminated, and its length.
 * Errors: UBI_EINVAL (a word that is empty or holds a space or colon, or too many bytes), UBI_ELIMIT (the header is too long).
 */
ubi_status ubi__rdp_bulk_header(char out[UBI__RDP_HEADER_BYTES + 1], size_t *n, const char *actor, const char *type,
                                uint64_t n_bytes);

#endif
