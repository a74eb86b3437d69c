/* SPDX-License-Identifier: MIT
 *
 * http.h: the insides of HTTP servers.
 *
 * libmicrohttpd has one thread, which reads requests and writes responses, and must never wait. So what takes time is a job at the desk
 * (jobs/desk.h), and its connection is *suspended*: out of the poll set until the job wakes it. An **exchange** is one request with its
 * response. The server's thread has it, and the response, if that is made piece by piece; the one that lasts longer frees it.
 *
 *     request ─ guard ─ route ─┬─ reply at once
 *                              └─ job ─ suspended ─ woken ─ reply
 *
 * A connection that is suspended is not polled, so libmicrohttpd does not see its client leave. The **lookout** (lookout.c), a thread with a
 * poll set of its own, does, and wakes the exchange, which leaves its job. It also cuts connections that take too long.
 *
 * Uploads are written by a thread, too (upload_writer.c). Downloads are not: libmicrohttpd sends them with sendfile, 128 KiB at a time,
 * which waits for no client, and for the disk only where that many bytes are not in the system's memory.
 */
#ifndef UBI_HTTP_HTTP_H
#define UBI_HTTP_HTTP_H

#include <pthread.h>
#include <stdatomic.h>

#include <ubiheap/server/http.h>

#include "http/guard.h"
#include "http/html.h"
#include "http/mhd.h"
#include "http/page_files.h"
#include "http/request.h"
#include "jobs/desk.h"
#include "jobs/live_heap.h"
#include "jobs/private_folder.h"
#include "jobs/shelf.h"

/** A JSON body that is larger is refused. */
#define UBI__HTTP_JSON_BODY_BYTES ((size_t)64 << 10)
/** How long a client may take for what is not a file; and for each 16 bytes of one a millisecond. */
#define UBI__HTTP_PATIENCE_MS UINT64_C(60000)
#define UBI__HTTP_PATIENCE_BYTES 16
/** What older versions of the library call differently. */
#define UBI__HTTP_TOO_LARGE 413U
/** Heaps that one question can be about. */
#define UBI__HTTP_MOST_HEAPS 32
#define UBI__HTTP_MOST_TARGETS 16

typedef struct ubi__http_target ubi__http_target;

/* ---- connections ------------------------------------------------------------------------------------------------------ */

/** A connection of a client, as the lookout sees it. */
typedef struct ubi__http_link {
    struct ubi__http_link *next, **place; /* of the server's */
    uint64_t number;                      /* never given twice: what the poll set has instead of an address */
    int fd;
    uint64_t cut_ms;                 /* when the connection is cut; UINT64_MAX: never */
    struct ubi__exchange *suspended; /* or NULL */
} ubi__http_link;

typedef struct ubi__lookout {
    pthread_t thread;
    bool is_running;
    int poll_fd, stop_fd;
    pthread_mutex_t lock; /* guards the list, and what is in it */
    ubi__http_link *links;
    uint64_t last_number;
} ubi__lookout;

/* ---- servers ---------------------------------------------------------------------------------------------------------- */

/** Writes uploads. */
typedef struct ubi__upload_writer {
    pthread_t thread;
    bool is_running;
    pthread_mutex_t lock; /* guards what follows, and what uploads say about themselves */
    pthread_cond_t given;
    struct ubi__upload *first; /* that waits to be written */
    bool must_stop;
} ubi__upload_writer;

struct ubi_http_server {
    ubi__http_guard guard;
    char listen[64];
    char url[192];
    uint64_t most_upload_bytes;
    uint32_t idle_seconds;
    ubi_compat compat;
    uint64_t nonce; /* which server it is: in entity tags of what is not a file, and for clients */
    ubi_session_pool *pool;
    ubi__shelf *shelf;
    ubi__desk *desk;
    ubi__private_folder folder; /* where uploads are */
    ubi__upload_writer writer;
    ubi__lookout lookout;
    int listen_fd;
    struct MHD_Daemon *daemon;
    _Atomic bool is_stopping;
    _Atomic uint32_t n_exchanges;
    ubi__http_target *targets;
    uint64_t last_target;
};

/* ---- exchanges -------------------------------------------------------------------------------------------------------- */

typedef enum ubi__exchange_phase {
    UBI__EXCHANGE_NEW,      /* headers are there */
    UBI__EXCHANGE_BODY,     /* the body comes */
    UBI__EXCHANGE_WAITING,  /* for its job */
    UBI__EXCHANGE_ANSWERED, /* the response is libmicrohttpd's */
} ubi__exchange_phase;

typedef struct ubi__exchange ubi__exchange;

/** A file that is being uploaded. */
typedef struct ubi__upload {
    uint64_t n_bytes; /* that came */
    /* The writer's while it is busy, else the exchange's: */
    int fd; /* -1: closed */
    bool has_file;
    bool is_whole; /* the block is the last */
    char path[4096];
    ubi__vec_u8 block; /* what came and is not written */
    ubi_status status; /* why the rest is dropped */
    char message[UBI__DESK_MESSAGE_BYTES];
    /* With the writer's lock: */
    struct ubi__upload *next;
    ubi__exchange *exchange; /* to be woken; a reference while it is busy. NULL: none */
    bool is_busy, was_left;
} ubi__upload;

struct ubi__exchange {
    ubi_http_server *server;
    struct MHD_Connection *connection;
    _Atomic uint32_t n_refs;
    char *text; /* the address as it came; owned */
    ubi__http_address address;
    ubi__exchange_phase phase;
    bool is_head, is_first_visit; /* the token came in the address */
    const ubi__http_route *route;
    ubi__vec_u8 body;
    uint64_t n_body_bytes; /* that came */
    bool is_body_lost;     /* there was no memory for it */
    ubi__upload *upload;   /* owned; or NULL */
    /* What a question is about. */
    const ubi__question *question;
    const ubi__shelf_heap *heaps[UBI__HTTP_MOST_HEAPS]; /* references */
    uint32_t n_heaps;
    ubi__json_values values; /* of its parameters */
    bool is_page, is_async;
    unsigned columns;
    /* A job that it watches. */
    ubi__desk_job *job; /* NULL: none */
    uint64_t job_id;
    ubi__desk_watcher watcher;
    bool is_errand; /* its answer is a document of ours */
    /* The response that is made piece by piece. */
    ubi__vec_u8 piece;
    size_t piece_at, answer_at;
    struct ubi__deflate *deflate;
    ubi_text answer;
    bool is_ended;
    bool has_reported;  /* an event since it was woken */
    const char *policy; /* what a browser may load for the response; NULL: nothing */
    /* Suspending. */
    pthread_mutex_t lock;
    ubi__http_link *link;
    bool is_woken, is_suspended, is_gone;
};

/** Of the server's thread. */
enum MHD_Result ubi__exchange_take(ubi__exchange *e, const char *method, const char *data, size_t *n_bytes);
ubi__exchange *ubi__exchange_new(ubi_http_server *server, struct MHD_Connection *connection, const char *address);
void ubi__exchange_unref(ubi__exchange *e);
/** The connection is done with it. */
void ubi__exchange_close(ubi__exchange *e);
/** Any thread: its connection is served again, if it is suspended, or is not suspended the next time. */
void ubi__exchange_wake(void *exchange);
/** Suspends the connection until it is woken; false: it was woken before, so there is something to see. */
bool ubi__exchange_suspend(ubi__exchange *e);
/** Its client has left, or the connection is closed. */
bool ubi__exchange_is_gone(ubi__exchange *e);
/** The header of the request; NULL: it has none. */
const char *ubi__exchange_header(const ubi__exchange *e, const char *name);

/** Bytes of the body that the headers announce; 0: they do not say. */
uint64_t ubi__exchange_announced_bytes(const ubi__exchange *e);
/** UBI_ELIMIT: the body is too long. */
ubi_status ubi__exchange_fail_length(uint64_t most_bytes);

/** Whether a browser asks for a page: they name HTML among what they take; curl does not, nor do scripts of a page. */
bool ubi__exchange_is_of_browser(const ubi__exchange *e);

/** Performs the request, when its body is there. */
enum MHD_Result ubi__exchange_perform(ubi__exchange *e);

/* ---- replies ---------------------------------------------------------------------------------------------------------- */

/** The thread's message, with the code of the status: a document, or a page in words for browsers. */
enum MHD_Result ubi__reply_error(ubi__exchange *e, ubi_status status);
enum MHD_Result ubi__reply_error_code(ubi__exchange *e, unsigned code, ubi_status status);
/** With a header. */
enum MHD_Result ubi__reply_error_header(ubi__exchange *e, unsigned code, ubi_status status, const char *header,
                                        const char *value);
/** 507, without memory of ours. */
enum MHD_Result ubi__reply_no_memory(ubi__exchange *e);
/** Without a body. */
enum MHD_Result ubi__reply_empty(ubi__exchange *e, unsigned code);
/** A document that is not to be kept. Takes the bytes. @param location  NULL: none. */
enum MHD_Result ubi__reply_document(ubi__exchange *e, unsigned code, ubi__vec_u8 *document, const char *location);
/** As html.h writes it. Takes the bytes. */
enum MHD_Result ubi__reply_page(ubi__exchange *e, ubi__vec_u8 *html);
/** A file of the page, or 304. Browsers may load more of the page for it. */
enum MHD_Result ubi__reply_page_file(ubi__exchange *e, const ubi__page_file *file);
/** The answer of a question; the exchange watches its job as long as the response lasts. */
enum MHD_Result ubi__reply_answer(ubi__exchange *e, ubi_text answer);
/** 304. */
enum MHD_Result ubi__reply_unchanged(ubi__exchange *e, const char *tag);
/** Queues a response with the headers that all have, and drops it. */
enum MHD_Result ubi__reply_send(ubi__exchange *e, unsigned code, struct MHD_Response *response);
void ubi__reply_header(struct MHD_Response *response, const char *name, const char *value);
/** A response that has the exchange until it is sent. */
void ubi__reply_free(void *exchange);

/* ---- entity tags ------------------------------------------------------------------------------------------------------ */

#define UBI__HTTP_TAG_BYTES 40
/** The tag of the answer that the exchange asks for, in quotes. */
void ubi__http_answer_tag(char out[UBI__HTTP_TAG_BYTES], const ubi__exchange *e, bool is_packed);
/** The tag of a heap's file. */
void ubi__http_file_tag(char out[UBI__HTTP_TAG_BYTES], const ubi__exchange *e);
/** Whether a list such as `"a", W/"b"` or `*` has a tag. */
bool ubi__http_tag_matches(const char *list, const char *tag);
bool ubi__http_accepts_gzip(const char *accept_encoding);

/* ---- what routes do --------------------------------------------------------------------------------------------------- */

/** A vec_u8 of the default allocator as a ubi_write_fn. */
bool ubi__http_bytes_write(void *bytes, const void *data, size_t n);
/** A segment of the address; "": there is none. */
const char *ubi__exchange_name(const ubi__exchange *e, uint32_t segment);

enum MHD_Result ubi__http_front(ubi__exchange *e);
enum MHD_Result ubi__http_page_file(ubi__exchange *e);
enum MHD_Result ubi__http_routes_list(ubi__exchange *e);
enum MHD_Result ubi__http_questions(ubi__exchange *e);
enum MHD_Result ubi__http_heaps(ubi__exchange *e);
enum MHD_Result ubi__http_heap(ubi__exchange *e);
enum MHD_Result ubi__http_heap_open(ubi__exchange *e);
enum MHD_Result ubi__http_heap_close(ubi__exchange *e);
enum MHD_Result ubi__http_heap_file(ubi__exchange *e);
enum MHD_Result ubi__http_files(ubi__exchange *e);
/** 201, the document of a heap that is new. Takes the reference. */
enum MHD_Result ubi__http_heap_created(ubi__exchange *e, const ubi__shelf_heap *heap);
/** A JSON document that is written by `put`, as members of an object; ends with a line. Errors: UBI_ENOMEM. */
ubi_status ubi__http_document(ubi__vec_u8 *out, const char *schema, void (*put)(ubi__json *json, const void *payload),
                              const void *payload);
/** The same, and replies with it. */
enum MHD_Result ubi__http_document_reply(ubi__exchange *e, unsigned code, const char *schema,
                                         void (*put)(ubi__json *json, const void *payload), const void *payload,
                                         const char *location);
/** The document of one heap. Errors: UBI_ENOMEM. */
ubi_status ubi__http_heap_document(ubi__vec_u8 *out, const ubi__shelf_heap *heap);

enum MHD_Result ubi__http_ask(ubi__exchange *e);
/** Hands in an errand, and waits for its document. Takes the payload, also if it fails. */
enum MHD_Result ubi__http_errand(ubi__exchange *e, const ubi__desk_errand *errand);
/** The same, and waits for it, whatever the request says. */
enum MHD_Result ubi__http_errand_now(ubi__exchange *e, const ubi__desk_errand *errand);
enum MHD_Result ubi__http_errand_reply(ubi__exchange *e, ubi_text document);
/** Waits for the job that it watches. */
enum MHD_Result ubi__http_job_look(ubi__exchange *e);

enum MHD_Result ubi__http_jobs(ubi__exchange *e);
enum MHD_Result ubi__http_job(ubi__exchange *e);
enum MHD_Result ubi__http_job_cancel(ubi__exchange *e);
enum MHD_Result ubi__http_job_events(ubi__exchange *e);
enum MHD_Result ubi__http_job_answer(ubi__exchange *e);
/** Says where a job is that was not waited for. */
enum MHD_Result ubi__http_job_accepted(ubi__exchange *e);

/** Begins an upload; the file is its body. */
ubi_status ubi__http_upload_begin(ubi__exchange *e);
/** Takes bytes of the body, or none, and the connection is suspended. @param n  gets how many are left. */
enum MHD_Result ubi__http_upload_take(ubi__exchange *e, const char *data, size_t *n);
/** The body is there. Called again when the connection was suspended. */
enum MHD_Result ubi__http_upload_end(ubi__exchange *e);
void ubi__http_upload_drop(ubi__exchange *e);

ubi_status ubi__upload_writer_start(ubi__upload_writer *writer);
/** Writes what waits; from now on uploads are written at once. May be called again. */
void ubi__upload_writer_stop(ubi__upload_writer *writer);
/** The writer makes the file if there is none, writes the block, or, where the upload has failed, deletes the file; then it wakes the exchange. */
void ubi__upload_give(ubi__upload_writer *writer, ubi__upload *upload, ubi__exchange *e);
bool ubi__upload_is_busy(ubi__upload_writer *writer, const ubi__upload *upload);
/** Takes the upload: its file is deleted if it has one still. */
void ubi__upload_leave(ubi__upload_writer *writer, ubi__upload *upload);
/** Notes the thread's message. */
void ubi__upload_fail(ubi__upload *upload, ubi_status status);

enum MHD_Result ubi__http_targets(ubi__exchange *e);
enum MHD_Result ubi__http_target_describe(ubi__exchange *e);
enum MHD_Result ubi__http_target_save(ubi__exchange *e);
enum MHD_Result ubi__http_target_collect(ubi__exchange *e);
enum MHD_Result ubi__http_target_measure(ubi__exchange *e);
enum MHD_Result ubi__http_target_record(ubi__exchange *e);
/** A live heap, for as long as the reference that it gives. Errors: UBI_ENOTFOUND. */
ubi_status ubi__http_target_get(ubi__live_heap **out, uint64_t *number, const ubi__exchange *e);
/** A reference to the one behind `number` (0: the first), whose number it gets. NULL: there is none. */
ubi__live_heap *ubi__http_target_next(uint64_t *number, const ubi_http_server *server);
/** The document of one. Errors: UBI_ENOMEM. */
ubi_status ubi__http_target_document(ubi__vec_u8 *out, uint64_t number, ubi__live_heap *heap);
/** As ubi_http_server_add_target, also for a thread that has to be woken. */
ubi_status ubi__http_server_offer(ubi_http_server *server, ubi_target target, const ubi__live_offer *offer);
/** The program of a target has ended by itself, and its heap is still offered. A target that is not: nothing happens. */
void ubi__http_server_note_end(ubi_http_server *server, ubi_target target);
/** As ubi_http_server_add_target, for a heap behind an address. Errors: UBI_EINVAL (the address), UBI_ELIMIT, UBI_ENOMEM. */
ubi_status ubi__http_server_add_address(ubi_http_server *server, const char *address,
                                        const ubi__remote_scheme *const *schemes);
void ubi__http_targets_free(ubi_http_server *server);

/* ---- the lookout ------------------------------------------------------------------------------------------------------ */

ubi_status ubi__lookout_start(ubi_http_server *server);
void ubi__lookout_stop(ubi_http_server *server);
/** NULL: no memory. */
ubi__http_link *ubi__lookout_add(ubi_http_server *server, int fd);
void ubi__lookout_remove(ubi_http_server *server, ubi__http_link *link);
/** From now on the connection has this many milliseconds; UINT64_MAX: as many as it wants. */
void ubi__lookout_allow(ubi_http_server *server, ubi__http_link *link, uint64_t ms);
/** The connection has this many milliseconds more. */
void ubi__lookout_allow_more(ubi_http_server *server, ubi__http_link *link, uint64_t ms);
/** The exchange is suspended, and woken when its client leaves; NULL: not any longer. */
void ubi__lookout_watch(ubi_http_server *server, ubi__http_link *link, ubi__exchange *e);

#endif
