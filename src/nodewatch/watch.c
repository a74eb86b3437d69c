/* SPDX-License-Identifier: MIT
 *
 * watch.c: a Node.js program that saves a snapshot of its heap before its memory runs out.
 *
 * Node.js loads this library with `--require` into the program's main thread and its workers, each of which has an isolate of V8 with a
 * heap. Three things lead to a snapshot, each in time for the thread of that heap to take it:
 *
 *     V8 is about to give up at the limit of its heap      near_limit: the limit is raised until the snapshot is taken
 *     after a collection, memory of the process is short    after_gc
 *     memory is short whatever V8 does (external memory)    room_watch, a thread of ours
 *
 * The last two ask V8 to call us when its thread is between two steps of JavaScript, also in the middle of a loop. There a full
 * collection comes first, and where that was enough nothing is saved. Node.js calls V8 for its own in the middle of a failed
 * allocation, which from 22.14 on ends the program.
 *
 * One snapshot in the life of a process. Afterwards all is as without us: V8's own limit, and the callbacks that come after ours.
 *
 * Invariant: an isolate in `watched` is alive: Node.js calls isolate_forget before it ends one.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/assert.h"
#include "nodewatch/spill.h"
#include "nodewatch/v8_calls.h"
#include "nodewatch/watch_file.h"
#include "nodewatch/watch_room.h"

#define MIB ((size_t)1 << 20)
/* By which V8's limit is raised for the time until its thread can be interrupted, and while the snapshot collects garbage. */
#define RAISE_BYTES (32 * MIB)
/* So that V8 goes to the next callback. */
#define LAST_RAISE_BYTES MIB
/* JavaScript that is not interrupted for longer, such as the parsing of a long text, ends the program as without us. */
#define MOST_RAISES 8
#define LOOK_EVERY_NS 10000000
/* After a collection of ours that was enough, the next one comes when this much more is in use. */
#define GROWTH_BYTES (8 * MIB)
/* A process with a smaller share of what is in use leaves the snapshot to others. */
#define SHARE 8
/* Bytes of a snapshot per byte of its heap, with small objects. */
#define FILE_PER_HEAP 4
#define WATCH_STACK_BYTES (512 << 10)

typedef struct isolate_watch {
    struct isolate_watch *next;
    ubi__v8_isolate *isolate;    /* NULL: it is gone, and the struct can have another one */
    _Atomic uint64_t heap_bytes; /* when it was last looked at, after a collection */
    _Atomic uint64_t room_bytes; /* of addresses, then */
    atomic_bool is_asked;        /* an interrupt is on its way */
    bool is_near_limit;          /* of V8: why */
    size_t initial_bytes;        /* then: the limit as it was */
    int n_raises;
    bool has_near_limit; /* our callback is V8's newest */
} isolate_watch;

static struct {
    ubi__v8_calls v8;
    char folder[PATH_MAX], spill_folder[PATH_MAX];
    uint64_t reserve_bytes;
    pthread_mutex_t lock; /* for `watched` and what is asked of its isolates */
    isolate_watch *watched;
    atomic_bool is_over;                 /* the snapshot was taken, or has failed */
    atomic_bool is_taking;               /* it is being taken */
    _Atomic uint64_t attend_below_bytes; /* of room */
    _Atomic uint64_t look_after_ns;
} watch = { .lock = PTHREAD_MUTEX_INITIALIZER, .attend_below_bytes = UINT64_MAX };

/* ---- words -------------------------------------------------------------------------------------------------------- */

/* One line by one call, so that lines of several processes do not mix. */
__attribute__((format(printf, 1, 2))) static void line_say(const char *format, ...) {
    char line[2 * PATH_MAX + 512];
    va_list arguments;
    int n = snprintf(line, sizeof line, "ubiheap: process %ld: ", (long)getpid());
    va_start(arguments, format);
    n += vsnprintf(line + n, sizeof line - (size_t)n, format, arguments);
    va_end(arguments);
    size_t length = (size_t)n < sizeof line - 1 ? (size_t)n : sizeof line - 2;
    line[length] = '\n';
    ssize_t written = write(STDERR_FILENO, line, length + 1);
    (void)written; /* there is no other place to say it */
}

static unsigned long long mib(uint64_t bytes) {
    return (bytes + MIB / 2) / MIB;
}

static uint64_t clock_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* ---- the snapshot ------------------------------------------------------------------------------------------------- */

static void control_destroy(void *self) {
    (void)self;
}

static int control_progress(void *self, uint32_t done, uint32_t total) {
    (void)self, (void)done, (void)total;
    return ubi__spill_is_full();
}

static const ubi__v8_control control_table = { { control_destroy, control_destroy }, control_progress };

static int file_fill(ubi__watch_file *file, ubi__v8_isolate *isolate, int *n_nodes) {
    const ubi__v8_control *control = &control_table;
    ubi__v8_snapshot *snapshot = watch.v8.snapshot_take(watch.v8.profiler(isolate), &control, NULL, true, false);
    if (snapshot) {
        *n_nodes = watch.v8.snapshot_nodes(snapshot);
        watch.v8.snapshot_write(snapshot, file, 0);
        watch.v8.snapshot_free(snapshot);
    }
    int error = ubi__watch_file_close(file);
    return error == ECANCELED && ubi__spill_is_full() ? ENOSPC : error;
}

/* A file that reaches `ulimit -f` is an error to us, and not the end of the program. */
static void file_signal_block(sigset_t *before) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &set, before);
}

static void file_signal_restore(const sigset_t *before) {
    const struct timespec none = { 0, 0 };
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    if (!sigismember(before, SIGXFSZ))
        while (sigtimedwait(&set, NULL, &none) > 0)
            continue;
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* A snapshot that cannot fit is not begun: its file has at least the size of the heap. */
static bool disk_check(uint64_t needed_bytes) {
    uint64_t room_bytes = ubi__spill_room(watch.folder);
    if (room_bytes < needed_bytes)
        line_say("no room for a snapshot: a file in %s can have %llu MiB, and it needs up to %llu", watch.folder,
                 mib(room_bytes), mib(needed_bytes));
    return room_bytes >= needed_bytes;
}

/* `why` is what was short, after "for". */
static void snapshot_save(isolate_watch *w, const char *why) {
    static ubi__watch_file file; /* too large for a stack that may be a worker's; one snapshot per process */
    uint64_t start_ns = clock_ns();
    int n_nodes = 0, error = ubi__watch_file_open(&file, watch.folder);
    if (error) {
        line_say("no snapshot in %s: %s", watch.folder, strerror(error));
        return;
    }
    ubi__spill_hooks_install();
    if (!ubi__spill_open(watch.spill_folder, ubi__watch_room_addresses())) {
        line_say("no snapshot: no file for its memory in %s: %s", watch.spill_folder, strerror(errno));
        unlink(file.part);
        close(file.fd);
        return;
    }
    error = file_fill(&file, w->isolate, &n_nodes);
    ubi__spill_close();
    if (error)
        line_say("no snapshot: %s: %s (its memory took %llu MiB in %s)", file.path, strerror(error),
                 mib(ubi__spill_bytes()), watch.spill_folder);
    else
        line_say("%s: snapshot of %d nodes, %llu MiB, for %s; it took %.1f s, and %llu MiB in %s", file.path, n_nodes,
                 mib(file.n_bytes), why, (double)(clock_ns() - start_ns) / 1e9, mib(ubi__spill_bytes()),
                 watch.spill_folder);
}

/* Once: the second one and those of other threads find that it is being taken or over. */
static void snapshot_take(isolate_watch *w, const char *why) {
    sigset_t before;
    if (atomic_load(&watch.is_over) || atomic_exchange(&watch.is_taking, true))
        return;
    file_signal_block(&before);
    if (disk_check(atomic_load(&w->heap_bytes)))
        snapshot_save(w, why);
    file_signal_restore(&before);
    atomic_store(&watch.is_over, true);
    atomic_store(&watch.is_taking, false);
}

/* ---- memory of the process is short ------------------------------------------------------------------------------- */

static void heap_note(isolate_watch *w) {
    size_t numbers[UBI__V8_STATISTICS] = { 0 };
    watch.v8.statistics(w->isolate, numbers);
    atomic_store(&w->heap_bytes, numbers[UBI__V8_USED_BYTES]);
    atomic_store(&w->room_bytes, ubi__watch_room_of_addresses());
}

/* Arrays that are large fill addresses without a collection; what was taken since may all be heap. */
static uint64_t heap_estimate(const isolate_watch *w) {
    uint64_t before_bytes = atomic_load(&w->room_bytes), now_bytes = ubi__watch_room_of_addresses();
    return atomic_load(&w->heap_bytes) + (now_bytes < before_bytes ? before_bytes - now_bytes : 0);
}

static uint64_t own_bytes(void) {
    char text[128];
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    unsigned long long all, resident = 0;
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    return sscanf(text, "%llu %llu", &all, &resident) == 2 ? resident * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

static bool is_small_share(const ubi__watch_room *room) {
    return strcmp(room->limit.name, "the control group") == 0 && own_bytes() < room->limit.used_bytes / SHARE;
}

/* One process of those that share a folder at a time. @return the lock; -1: another one is at it. */
static int turn_take(void) {
    int fd = open(watch.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static void short_take(isolate_watch *w, const ubi__watch_room *room) {
    char why[128];
    snprintf(why, sizeof why, "%s has %llu of %llu MiB left, and it needs %llu", room->limit.name,
             mib(ubi__memory_room(&room->limit)), mib(room->limit.limit_bytes), mib(room->needed_bytes));
    int turn = turn_take();
    if (turn < 0)
        return;
    snapshot_take(w, why);
    close(turn);
}

static void short_attend(isolate_watch *w) {
    heap_note(w);
    ubi__watch_room room = ubi__watch_room_look(atomic_load(&w->heap_bytes), watch.reserve_bytes);
    if (!room.is_short)
        return;
    watch.v8.collect(w->isolate);
    heap_note(w);
    room = ubi__watch_room_look(atomic_load(&w->heap_bytes), watch.reserve_bytes);
    uint64_t room_bytes = ubi__memory_room(&room.limit);
    atomic_store(&watch.attend_below_bytes, room_bytes > GROWTH_BYTES ? room_bytes - GROWTH_BYTES : 0);
    if (room.is_short)
        short_take(w, &room);
}

/* ---- V8's thread is between two steps ----------------------------------------------------------------------------- */

static size_t near_limit(void *payload, size_t current_bytes, size_t initial_bytes);
static void near_limit_end(isolate_watch *w, size_t limit_bytes);

static void interrupted(ubi__v8_isolate *isolate, void *payload) {
    isolate_watch *w = payload;
    UBI_ASSERT(w->isolate == isolate);
    (void)isolate;
    if (w->is_near_limit) {
        char why[96];
        snprintf(why, sizeof why, "the heap is at its limit of %llu MiB (--max-old-space-size)", mib(w->initial_bytes));
        snapshot_take(w, why);
    } else {
        short_attend(w);
    }
    if (atomic_load(&watch.is_over))
        near_limit_end(w, w->initial_bytes);
    atomic_store(&w->is_asked, false);
}

static void interrupt_ask(isolate_watch *w) {
    if (!atomic_exchange(&w->is_asked, true))
        watch.v8.interrupt(w->isolate, interrupted, w);
}

/* On the thread of the heap, or with the lock. */
static void room_attend(isolate_watch *w) {
    uint64_t now_ns = clock_ns();
    if (atomic_load(&watch.is_over) || atomic_load(&watch.is_taking) || atomic_load(&w->is_asked) ||
        now_ns < atomic_load(&watch.look_after_ns))
        return;
    atomic_store(&watch.look_after_ns, now_ns + LOOK_EVERY_NS / 2);
    ubi__watch_room room = ubi__watch_room_look(heap_estimate(w), watch.reserve_bytes);
    if (room.is_short && ubi__memory_room(&room.limit) < atomic_load(&watch.attend_below_bytes) &&
        !is_small_share(&room))
        interrupt_ask(w);
}

static void after_gc(ubi__v8_isolate *isolate, int type, int flags, void *payload) {
    isolate_watch *w = payload;
    (void)isolate, (void)type, (void)flags;
    if (atomic_load(&watch.is_taking))
        return;
    heap_note(w);
    room_attend(w);
}

/* A worker has a callback of Node.js, which is next then. @param limit_bytes  to go back to, or 0. */
static void near_limit_end(isolate_watch *w, size_t limit_bytes) {
    if (w->has_near_limit)
        watch.v8.near_limit_remove(w->isolate, near_limit, limit_bytes);
    w->has_near_limit = false;
}

static size_t near_limit(void *payload, size_t current_bytes, size_t initial_bytes) {
    isolate_watch *w = payload;
    if (atomic_load(&watch.is_over) || w->n_raises >= MOST_RAISES) {
        near_limit_end(w, 0);
        return current_bytes + LAST_RAISE_BYTES;
    }
    w->n_raises++;
    w->is_near_limit = true;
    w->initial_bytes = initial_bytes;
    if (!atomic_load(&watch.is_taking))
        interrupt_ask(w);
    return current_bytes + RAISE_BYTES;
}

/* ---- isolates ----------------------------------------------------------------------------------------------------- */

static void isolate_forget(void *payload) {
    isolate_watch *w = payload;
    watch.v8.after_gc_remove(w->isolate, after_gc, w);
    near_limit_end(w, 0);
    pthread_mutex_lock(&watch.lock);
    w->isolate = NULL;
    pthread_mutex_unlock(&watch.lock);
}

/* One that is free, or a new one; NULL: no memory. */
static isolate_watch *slot_find(void) {
    isolate_watch *w = watch.watched;
    while (w && w->isolate)
        w = w->next;
    if (w)
        return w;
    w = calloc(1, sizeof *w);
    if (w) {
        w->next = watch.watched;
        watch.watched = w;
    }
    return w;
}

static void isolate_watch_begin(void *environment) {
    ubi__v8_isolate *isolate = watch.v8.isolate_current();
    pthread_mutex_lock(&watch.lock);
    isolate_watch *w = slot_find();
    if (w) {
        isolate_watch *next = w->next;
        *w = (isolate_watch){ .next = next, .isolate = isolate, .has_near_limit = true };
    }
    pthread_mutex_unlock(&watch.lock);
    if (!w)
        return;
    heap_note(w);
    watch.v8.near_limit_add(isolate, near_limit, w);
    watch.v8.after_gc_add(isolate, after_gc, w, UBI__V8_ALL_GCS);
    watch.v8.cleanup_add(environment, isolate_forget, w);
}

/* ---- the thread --------------------------------------------------------------------------------------------------- */

/* The one with the largest heap. */
static isolate_watch *largest_find(void) {
    isolate_watch *largest = NULL;
    for (isolate_watch *w = watch.watched; w; w = w->next)
        if (w->isolate && (!largest || atomic_load(&w->heap_bytes) > atomic_load(&largest->heap_bytes)))
            largest = w;
    return largest;
}

static void *room_watch(void *unused) {
    const struct timespec pause = { 0, LOOK_EVERY_NS };
    while (!atomic_load(&watch.is_over)) {
        nanosleep(&pause, NULL);
        pthread_mutex_lock(&watch.lock);
        isolate_watch *largest = largest_find();
        if (largest)
            room_attend(largest);
        pthread_mutex_unlock(&watch.lock);
    }
    return unused;
}

/* Signals are for the program's own threads. */
static bool thread_begin(void) {
    pthread_t thread;
    pthread_attr_t attributes;
    sigset_t all, before;
    sigfillset(&all);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, WATCH_STACK_BYTES);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&thread, &attributes, room_watch, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return error == 0;
}

/* ---- beginning ---------------------------------------------------------------------------------------------------- */

static bool folder_choose(void) {
    const char *named = getenv("UBIHEAP_WATCH_DIRECTORY");
    const char *const folders[] = { watch.folder, "/var/tmp", "/tmp" };
    if (!realpath(named && *named ? named : ".", watch.folder) || access(watch.folder, W_OK) != 0) {
        line_say("not watched: cannot write in %s (UBIHEAP_WATCH_DIRECTORY): %s", named && *named ? named : ".",
                 strerror(errno));
        return false;
    }
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (ubi__spill_suits(folders[i])) {
            snprintf(watch.spill_folder, sizeof watch.spill_folder, "%s", folders[i]);
            return true;
        }
    line_say("no room for a snapshot: it needs a disk with %llu MiB for its memory, and %s, /var/tmp and /tmp are not "
             "on one, "
             "or full, or no files of that size are allowed (ulimit -f)",
             mib(UBI__SPILL_LEAST_BYTES), watch.folder);
    return false;
}

static bool reserve_read(void) {
    const char *text = getenv("UBIHEAP_WATCH_RESERVE");
    watch.reserve_bytes = text && *text ? ubi__watch_size_read(text) : 0;
    if (text && *text && !watch.reserve_bytes)
        line_say("not watched: UBIHEAP_WATCH_RESERVE: expected a size such as 64M, not '%s'", text);
    return !(text && *text) || watch.reserve_bytes;
}

/* A program that has just begun has a small heap; where there is no room for a snapshot of that, there will be none. */
static bool room_check(void) {
    size_t numbers[UBI__V8_STATISTICS] = { 0 };
    watch.v8.statistics(watch.v8.isolate_current(), numbers);
    ubi__watch_room room = ubi__watch_room_look(numbers[UBI__V8_USED_BYTES], watch.reserve_bytes);
    if (room.is_short)
        line_say(
            "no room for a snapshot: the limit of %s is %llu MiB, of which %llu are in use; a snapshot needs %llu MiB "
            "already now",
            room.limit.name, mib(room.limit.limit_bytes), mib(room.limit.used_bytes), mib(room.needed_bytes));
    return !room.is_short && disk_check(numbers[UBI__V8_USED_BYTES] * FILE_PER_HEAP);
}

static void watch_begin(void) {
    const char *missing = ubi__v8_calls_find(&watch.v8);
    if (missing)
        line_say("not watched: this program lacks %s; Node.js 18 to 24 have it", missing);
    if (missing || !reserve_read() || !folder_choose() || !room_check() || !thread_begin())
        atomic_store(&watch.is_over, true);
}

/* What Node.js calls for each environment that loads an addon. */
__attribute__((visibility("default"))) void *napi_register_module_v1(void *environment, void *exports);

void *napi_register_module_v1(void *environment, void *exports) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_begin);
    if (!atomic_load(&watch.is_over))
        isolate_watch_begin(environment);
    return exports;
}
