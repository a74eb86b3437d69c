/* SPDX-License-Identifier: MIT
 *
 * mapped_area.c: the memory that is shared with the ubiheap process: how it comes here, how it is mapped (mapped_area.h), and
 * the chunks in it (chunk_writer.h).
 */
#include "interpose/mapped_area.h"

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/assert.h"
#include "interpose/chunk_writer.h"
#include "interpose/pages.h"
#include "interpose/preload.h"
#include "interpose/program_clock.h"
#include "interpose/script_classes.h"
#include "interpose/system_calls.h"

/* ---- the way to the ubiheap process ------------------------------------------------------------------------------- */

/*
 * System calls without the C library's wrappers: also good in a child of a process with threads, right after fork.
 */

#define PATIENCE_S 30

/* Again when a signal came first. */
static long call_again(long number, long a, long b, long c, long d, long e, long f) {
    long result;
    do
        result = ubi__system(number, a, b, c, d, e, f);
    while (result == -EINTR);
    return result;
}

static bool say_hello(int socket, bool is_forked) {
    const ubi__wire_hello hello = {
        .magic = UBI__WIRE_MAGIC,
        .version = UBI__WIRE_VERSION,
        .is_forked = is_forked,
        .pid = (int32_t)ubi__system(SYS_getpid, 0, 0, 0, 0, 0, 0),
    };
    return call_again(SYS_sendto, socket, (long)&hello, sizeof hello, MSG_NOSIGNAL, 0, 0) == (long)sizeof hello;
}

/* The descriptor of the shared memory; -1: none. */
static int receive_area(int socket, ubi__wire_welcome *welcome) {
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control = { 0 };
    struct iovec part = { .iov_base = welcome, .iov_len = sizeof *welcome };
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control
    };
    long n = call_again(SYS_recvmsg, socket, (long)&message, MSG_CMSG_CLOEXEC | MSG_WAITALL, 0, 0, 0);
    const struct cmsghdr *found = n < 0 ? NULL : CMSG_FIRSTHDR(&message);
    int fd = -1;
    if (found && found->cmsg_level == SOL_SOCKET && found->cmsg_type == SCM_RIGHTS)
        memcpy(&fd, CMSG_DATA(found), sizeof fd);
    return n == (long)sizeof *welcome ? fd : -1;
}

/* The listener may be busy or stopped, but not for this long. */
static void limit_waits(int socket) {
    static const struct timeval patience = { .tv_sec = PATIENCE_S };
    (void)call_again(SYS_setsockopt, socket, SOL_SOCKET, SO_SNDTIMEO, (long)&patience, sizeof patience, 0);
    (void)call_again(SYS_setsockopt, socket, SOL_SOCKET, SO_RCVTIMEO, (long)&patience, sizeof patience, 0);
}

static int32_t who_listens(int socket) {
    struct ucred peer = { 0 };
    socklen_t size = sizeof peer;
    return call_again(SYS_getsockopt, socket, SOL_SOCKET, SO_PEERCRED, (long)&peer, (long)&size, 0) == 0 ? peer.pid : 0;
}

/* Into the socket's buffer, where it is found when the process is over. */
static bool report_why(int socket, ubi__unrecorded why) {
    const uint8_t byte = (uint8_t)why;
    return call_again(SYS_sendto, socket, (long)&byte, sizeof byte, MSG_NOSIGNAL, 0, 0) == (long)sizeof byte;
}

static void ask_for_area(int socket, ubi__connection *out) {
    ubi__wire_welcome welcome = { 0 };
    int fd = receive_area(socket, &welcome);
    if (welcome.magic != UBI__WIRE_MAGIC) {
        out->why = UBI__UNRECORDED_REFUSED;
        return;
    }
    if (fd >= 0) {
        out->area = ubi__area_map(fd, &welcome);
        (void)ubi__system(SYS_close, fd, 0, 0, 0, 0, 0);
    }
    if (out->area)
        return;
    out->why = fd < 0 ? UBI__UNRECORDED_DESCRIPTORS : UBI__UNRECORDED_MEMORY;
    out->is_listed = report_why(socket, out->why);
}

ubi__connection ubi__connect(const char *path, bool is_forked) {
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    ubi__connection out = { .why = UBI__UNRECORDED_UNREACHED };
    size_t n = strlen(path);
    if (n == 0 || n >= sizeof address.sun_path)
        return out;
    memcpy(address.sun_path, path, n);
    long socket = ubi__system(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, 0, 0, 0);
    if (socket < 0) {
        out.why = socket == -EMFILE || socket == -ENFILE ? UBI__UNRECORDED_DESCRIPTORS : UBI__UNRECORDED_UNREACHED;
        return out;
    }
    limit_waits((int)socket);
    if (call_again(SYS_connect, socket, (long)&address, sizeof address, 0, 0, 0) == 0 &&
        say_hello((int)socket, is_forked)) {
        out.reader_pid = who_listens((int)socket);
        ask_for_area((int)socket, &out);
    }
    (void)ubi__system(SYS_close, socket, 0, 0, 0, 0, 0);
    return out;
}

bool ubi__say_hello_on(int socket) {
    limit_waits(socket);
    return say_hello(socket, false);
}

ubi__connection ubi__connect_on(int socket, int32_t reader_pid) {
    ubi__connection out = { .why = UBI__UNRECORDED_UNREACHED, .reader_pid = reader_pid };
    ask_for_area(socket, &out);
    return out;
}

/* ---- segments ----------------------------------------------------------------------------------------------------- */

#define PAGE_BYTES 4096u
#define SEGMENT_BYTES ((size_t)UBI__WIRE_SEGMENT_CHUNKS * UBI__WIRE_CHUNK_BYTES)
_Static_assert(SEGMENT_BYTES % PAGE_BYTES == 0, "segments are pages, whose last one leads to the next");

static ubi__wire_header *first; /* NULL: nothing is mapped */
static size_t first_bytes;
/* Where an area has been, of which nothing is left but addresses. NULL: nowhere. */
static void *left_place;
static size_t left_bytes;
/* NULL: not mapped. Those that do not lie in the first piece have a page before them. */
static uint8_t *_Atomic segments[UBI__WIRE_SEGMENTS];

static bool is_error(long p) {
    return p < 0 && p > -4096;
}

static bool is_known(const ubi__wire_header *area, const ubi__wire_welcome *welcome) {
    return area->magic == UBI__WIRE_MAGIC && area->version == UBI__WIRE_VERSION &&
           area->n_chunks == welcome->n_chunks && area->period_bytes > 0;
}

ubi__wire_header *ubi__area_map(int fd, const ubi__wire_welcome *welcome) {
    uint32_t n = welcome->first_chunks;
    long p = -ENOMEM;
    if (welcome->magic != UBI__WIRE_MAGIC || welcome->n_chunks > UBI__WIRE_CHUNKS || n > welcome->n_chunks)
        return NULL;
    n -= n % UBI__WIRE_SEGMENT_CHUNKS;
    for (; n >= UBI__WIRE_SEGMENT_CHUNKS; n -= UBI__WIRE_SEGMENT_CHUNKS) {
        bool has_place = left_place && left_bytes == ubi__wire_area_bytes(n);
        p = ubi__system(SYS_mmap, has_place ? (long)left_place : 0, (long)ubi__wire_area_bytes(n),
                        PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | (has_place ? MAP_FIXED : 0), fd, 0);
        if (!is_error(p))
            break;
    }
    if (is_error(p))
        return NULL;
    if (!is_known((ubi__wire_header *)p, welcome)) {
        ubi__pages_free((void *)p, ubi__wire_area_bytes(n));
        return NULL;
    }
    first = (ubi__wire_header *)p;
    first_bytes = ubi__wire_area_bytes(n);
    for (uint32_t i = 0; i < n / UBI__WIRE_SEGMENT_CHUNKS; i++)
        atomic_store(&segments[i], (uint8_t *)p + UBI__WIRE_CHUNKS_AT + i * SEGMENT_BYTES);
    return first;
}

/*
 * A shared mapping that is "moved" from a size of 0 stays, and appears at a second place, where it may be longer: so the
 * last page of a segment leads to the next one.
 */
static uint8_t *map_segment(uint32_t i) {
    uint8_t *before = i ? atomic_load_explicit(&segments[i - 1], memory_order_acquire) : NULL, *seen = NULL;
    if (!before)
        return NULL;
    long p = ubi__system(SYS_mremap, (long)(before + SEGMENT_BYTES - PAGE_BYTES), 0, PAGE_BYTES + SEGMENT_BYTES,
                         MREMAP_MAYMOVE, 0, 0);
    if (is_error(p))
        return NULL;
    uint8_t *segment = (uint8_t *)p + PAGE_BYTES;
    if (atomic_compare_exchange_strong(&segments[i], &seen, segment))
        return segment;
    ubi__pages_free((void *)p, PAGE_BYTES + SEGMENT_BYTES); /* another thread was faster */
    return seen;
}

uint8_t *ubi__area_chunk(uint32_t i) {
    UBI_ASSERT(i < UBI__WIRE_CHUNKS);
    uint32_t number = i / UBI__WIRE_SEGMENT_CHUNKS;
    uint8_t *segment = atomic_load_explicit(&segments[number], memory_order_acquire);
    if (!segment)
        segment = map_segment(number);
    return segment ? segment + (size_t)(i % UBI__WIRE_SEGMENT_CHUNKS) * UBI__WIRE_CHUNK_BYTES : NULL;
}

ubi__wire_header *ubi__area_map_header_again(ubi__wire_header *area) {
    long p = ubi__system(SYS_mremap, (long)area, 0, PAGE_BYTES, MREMAP_MAYMOVE, 0, 0);
    return is_error(p) ? NULL : (ubi__wire_header *)p;
}

void ubi__area_unmap_header(ubi__wire_header *area) {
    ubi__pages_free(area, PAGE_BYTES);
}

static void replace_mapping(void *p, size_t size_bytes) {
    (void)ubi__system(SYS_mmap, (long)p, (long)size_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

void ubi__area_leave(void) {
    const uint8_t *end = (const uint8_t *)first + first_bytes;
    if (!first)
        return;
    for (uint32_t i = 0; i < UBI__WIRE_SEGMENTS; i++) {
        uint8_t *segment = atomic_exchange(&segments[i], NULL);
        if (segment && (segment < (uint8_t *)first || segment >= end))
            replace_mapping(segment - PAGE_BYTES, PAGE_BYTES + SEGMENT_BYTES);
    }
    replace_mapping(first, first_bytes);
    first = NULL;
}

void ubi__area_leave_place(void) {
    void *place = first;
    size_t size_bytes = first_bytes;
    ubi__area_leave();
    if (!place || (left_place && left_place != place && left_bytes >= size_bytes))
        return;
    left_place = place;
    left_bytes = size_bytes;
}

/* ---- chunks ------------------------------------------------------------------------------------------------------- */

/* How long to sleep before looking whether the reader lives, and how long it may live without freeing a chunk. */
#define SLICE_NS 100000000L
#define GIVEN_UP_NS (UINT64_C(30) * 1000 * 1000 * 1000)
#define STANDS_NS (UINT64_C(5) * 1000 * 1000 * 1000)
/* Looks at all chunks in a row, because one that was taken may have been freed since. */
#define LOOKS 16
_Static_assert(STANDS_NS > 10 * (uint64_t)SLICE_NS && GIVEN_UP_NS > STANDS_NS,
               "several looks before anything is given up");

/* ---- is the reader there? ---------------------------------------------------------------------------------------- */

/* A dead process stays in the process table until its parent has reaped it. */
static bool is_zombie(int32_t pid) {
    char path[32] = "/proc/", digits[12], text[512];
    size_t n = 6, n_digits = 0;
    for (uint32_t rest = (uint32_t)pid; rest || !n_digits; rest /= 10)
        digits[n_digits++] = (char)('0' + rest % 10);
    while (n_digits)
        path[n++] = digits[--n_digits];
    for (const char *tail = "/stat"; *tail; tail++)
        path[n++] = *tail;
    long fd = ubi__system(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
    if (fd < 0)
        return false;
    long n_read = ubi__system(SYS_read, fd, (long)text, sizeof text, 0, 0, 0);
    (void)ubi__system(SYS_close, fd, 0, 0, 0, 0, 0);
    /* pid (name, which may hold anything) state ... */
    while (n_read > 0 && text[n_read - 1] != ')')
        n_read--;
    return n_read > 0 && n_read + 1 < (long)sizeof text && (text[n_read + 1] == 'Z' || text[n_read + 1] == 'X');
}

static bool reader_is_gone(void) {
    int32_t pid = ubi__process_state.reader_pid;
    return ubi__system(SYS_kill, pid, 0, 0, 0, 0, 0) == -ESRCH || is_zombie(pid);
}

#define LOOKS_AT_CLOCK 20
#define CLOCK_PAUSE_NS 20000000L

/* A reader that cannot be seen moves its clock. */
bool ubi__reader_lives(void) {
    static const struct timespec pause = { .tv_nsec = CLOCK_PAUSE_NS };
    const ubi__wire_header *area = ubi__process_state.area;
    uint64_t seen = atomic_load_explicit(&area->clock_us, memory_order_relaxed);
    if (seen == UBI__WIRE_CLOCK_STOP || area->magic != UBI__WIRE_MAGIC)
        return false;
    if (ubi__process_state.reader_pid > 0)
        return !reader_is_gone();
    for (int i = 0; i < LOOKS_AT_CLOCK && atomic_load_explicit(&area->clock_us, memory_order_relaxed) == seen; i++)
        (void)ubi__system(SYS_nanosleep, (long)&pause, 0, 0, 0, 0, 0);
    return atomic_load_explicit(&area->clock_us, memory_order_relaxed) != seen;
}

bool ubi__area_is_deserted(const ubi__wire_header *area) {
    bool is_seen = ubi__process_state.reader_pid > 0; /* else it is in a container of its own, or we are */
    return (is_seen && reader_is_gone()) ||
           atomic_load_explicit(&area->clock_us, memory_order_relaxed) == UBI__WIRE_CLOCK_STOP;
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

/* What the program can write to it may have written to, so the end of a wait depends on nothing in the area. */
typedef struct wait {
    uint64_t since_ns;
    uint32_t n_taken;             /* chunks by all threads, when it was looked at last */
    uint64_t clock_us, stands_ns; /* the reader's clock, and since when it says that */
} wait;

static _Atomic uint32_t n_taken;

static wait begin_wait(void) {
    uint64_t now = ubi__program_clock_ns();
    return (wait){ .since_ns = now, .n_taken = atomic_load_explicit(&n_taken, memory_order_relaxed), .stands_ns = now };
}

/* A reader that we cannot see (from a container) is known by its clock alone. */
static bool clock_stands(wait *w, const ubi__wire_header *area, uint64_t now) {
    uint64_t clock_us = atomic_load_explicit(&area->clock_us, memory_order_relaxed);
    if (clock_us != w->clock_us) {
        w->clock_us = clock_us;
        w->stands_ns = now;
    }
    return now - w->stands_ns > STANDS_NS;
}

static bool is_hopeless(wait *w, const ubi__wire_header *area, bool has_slept) {
    uint64_t now = ubi__program_clock_ns();
    bool is_gone = ubi__process_state.reader_pid > 0 ? has_slept && reader_is_gone() : clock_stands(w, area, now);
    return is_gone || atomic_load_explicit(&area->clock_us, memory_order_relaxed) == UBI__WIRE_CLOCK_STOP ||
           area->magic != UBI__WIRE_MAGIC || now - w->since_ns > GIVEN_UP_NS;
}

/* Sleeps until the reader frees a chunk, or a moment. False: no use. */
static bool wait_for_reader(wait *w, ubi__wire_header *area, uint32_t freed_seen) {
    static const struct timespec slice = { .tv_nsec = SLICE_NS };
    atomic_fetch_add(&area->waiting, 1);
    long answer = ubi__futex_wait((const void *)&area->freed_chunks, freed_seen, true, &slice);
    atomic_fetch_sub(&area->waiting, 1);
    if (ubi__cannot_wait(answer) || ubi__seal_now.is_timeless)
        return false; /* the event is dropped; another one may have more luck */
    if (atomic_load_explicit(&n_taken, memory_order_relaxed) != w->n_taken)
        *w = begin_wait(); /* a thread got one */
    if (is_hopeless(w, area, answer == -ETIMEDOUT))
        ubi__stop();
    return ubi__process_state.is_on;
}

/* ---- chunks ------------------------------------------------------------------------------------------------------ */

static bool is_allowed(ubi__wire_header *area) {
    int64_t limit =
        (int64_t)ubi__process_state.chunk_quota + atomic_load_explicit(&area->n_contexts, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&area->chunks_in_use, 1, memory_order_relaxed) < limit)
        return true;
    atomic_fetch_sub_explicit(&area->chunks_in_use, 1, memory_order_relaxed);
    return false;
}

static void raise_seen(ubi__wire_header *area, uint32_t n) {
    uint32_t seen = atomic_load_explicit(&area->chunks_seen, memory_order_relaxed);
    while (seen < n && !atomic_compare_exchange_weak(&area->chunks_seen, &seen, n)) {
    }
}

typedef enum taken {
    TAKEN,
    WAIT_FOR_READER,
    NO_ROOM, /* other threads have all that there is, and may keep it for any time */
} taken;

/* The first free one, for its memory is likely to be there and warm. */
static taken take_chunk(ubi__wire_header *area, uint32_t *out) {
    bool some_full = false;
    if (!is_allowed(area))
        return WAIT_FOR_READER;
    for (uint32_t i = 0; i < ubi__process_state.n_chunks && ubi__area_chunk(i); i++) {
        ubi__wire_chunk *chunk = ubi__wire_chunk_at(area, i);
        uint32_t state = atomic_load_explicit(&chunk->state, memory_order_relaxed);
        some_full |= state == UBI__CHUNK_FULL;
        if (state == UBI__CHUNK_FREE &&
            atomic_compare_exchange_strong_explicit(&chunk->state, &state, UBI__CHUNK_OPEN, memory_order_acquire,
                                                    memory_order_relaxed)) {
            raise_seen(area, i + 1);
            atomic_fetch_add_explicit(&n_taken, 1, memory_order_relaxed);
            *out = i;
            return TAKEN;
        }
    }
    atomic_fetch_sub_explicit(&area->chunks_in_use, 1, memory_order_relaxed);
    return some_full ? WAIT_FOR_READER : NO_ROOM;
}

static void give_to_reader(ubi__context *c) {
    if (c->chunk)
        atomic_store_explicit(&c->chunk->state, UBI__CHUNK_FULL, memory_order_release);
    c->chunk = NULL;
    c->at = c->end = c->start = NULL;
}

static void open_chunk(ubi__context *c, ubi__wire_header *area, uint32_t i) {
    UBI_ASSERT(!c->chunk && i < ubi__process_state.n_chunks);
    c->chunk = ubi__wire_chunk_at(area, i);
    c->start = ubi__area_chunk(i);
    c->end = c->start + UBI__WIRE_CHUNK_BYTES;
    c->last_address = c->last_pc = c->last_marker_ns = 0;
    c->last_trace = 0;
    ubi__script_classes_restart(c);
    *(ubi__wire_preface *)c->start = (ubi__wire_preface){
        .stamp = c->last_stamp,
        .clock_us = c->clock_us,
        .epoch = c->epoch,
        .next_trace = c->tree.n + 1,
        .tid = c->tid,
    };
    c->chunk->context = c->number;
    ubi__chunk_commit(c, c->start + sizeof(ubi__wire_preface));
    atomic_store_explicit(&c->chunk->sequence, ++c->sequence, memory_order_release);
}

/* The program has written over what it shares, so the reader wants no more, and has no place left to say so. */
static bool is_trampled(const ubi__wire_header *area) {
    return area == ubi__process_state.area && area->magic != UBI__WIRE_MAGIC;
}

bool ubi__chunk_next(ubi__context *c) {
    ubi__wire_header *area = c->area;
    wait w = { 0 };
    give_to_reader(c);
    for (unsigned looks = 1;; looks++) {
        uint32_t i, freed = atomic_load(&area->freed_chunks);
        if (!ubi__process_state.is_on)
            return false;
        if (is_trampled(area)) {
            ubi__stop(); /* else each event from now on would search all chunks for nothing */
            return false;
        }
        taken how = take_chunk(area, &i);
        if (how == TAKEN)
            open_chunk(c, area, i);
        if (how == NO_ROOM && atomic_load_explicit(&area->clock_us, memory_order_relaxed) == UBI__WIRE_CLOCK_STOP)
            ubi__stop(); /* an event with room would have seen it */
        if (how == NO_ROOM && looks < LOOKS && atomic_load(&area->freed_chunks) != freed)
            continue;
        if (how != WAIT_FOR_READER)
            return how == TAKEN;
        if (w.since_ns == 0) {
            atomic_fetch_add_explicit(&area->waits, 1, memory_order_relaxed);
            w = begin_wait();
        }
        if (!wait_for_reader(&w, area, freed))
            return false;
    }
}

void ubi__context_say_thread(ubi__context *c, uint32_t tid) {
    if (c->tid == tid)
        return;
    UBI_ASSERT(tid != 0);
    c->tid = tid;
    if (!c->chunk || (size_t)(c->end - c->at) < UBI__WIRE_RECORD_BYTES)
        return; /* the next chunk will say it */
    uint8_t *at = c->at;
    *at++ = UBI__OP_CONTROL | UBI__CONTROL_THREAD << UBI__OP_KIND_SHIFT;
    ubi__chunk_commit(c, ubi__wire_put(at, tid));
}
