/* SPDX-License-Identifier: MIT
 *
 * native_attach.c: see native_attach.h.
 */
#include "targets/native/native_attach.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/atomic_file.h"
#include "base/status.h"
#include "recording/preload_wire.h"
#include "recording/ubirec_tables.h"
#include "targets/native/native_clock.h"
#include "targets/native/native_filters.h"
#include "targets/native/native_moment.h"
#include "targets/native/native_reach.h"

/* How long good moments are looked for, and how long the program runs between two looks. */
/* A good moment is looked for so long, and on a busy machine, where few looks fit into that, so often; but not longer than the last. */
#define SEARCH_NS (UINT64_C(10) * 1000 * 1000 * 1000)
#define SEARCH_LOOKS 2000
#define MOST_SEARCH_NS (UINT64_C(60) * 1000 * 1000 * 1000)
#define PAUSE_NS 1000000L
#define THREADS_MAX 512
/* The library's name where it comes without a folder. */
#define MEMORY_NAME UBI__WIRE_LIBRARY
/* RTLD_NOW; RTLD_LOCAL is 0. */
#define OPEN_NOW 2

/* ---- the library in the program ------------------------------------------------------------------------------------------ */

static bool is_c_library(const char *name) {
    return strncmp(name, "libc.so.6", 9) == 0 || (strncmp(name, "libc-2.", 7) == 0 && strstr(name, ".so"));
}

static bool is_dl_library(const char *name) {
    return strncmp(name, "libdl.so.2", 10) == 0 || (strncmp(name, "libdl-2.", 8) == 0 && strstr(name, ".so"));
}

static bool is_recorder(const char *name) {
    const char *begin = strncmp(name, "memfd:", 6) == 0 ? name + 6 : name;
    return strncmp(begin, UBI__WIRE_LIBRARY, sizeof UBI__WIRE_LIBRARY - 1) == 0;
}

/* Of a library that the program has; 0: it does not have it, or that. */
static uint64_t function_of(const ubi__native_image *image, bool (*matches)(const char *name), const char *name) {
    const ubi__native_mapping *m = ubi__native_image_find(image, matches);
    int fd = m ? ubi__native_image_file(image, m->name) : -1;
    uint64_t offset = fd >= 0 ? ubi__elf_exported(fd, name) : 0;
    struct stat about;
    bool is_same = fd >= 0 && fstat(fd, &about) == 0 && about.st_ino == m->inode;
    if (fd >= 0)
        close(fd);
    return is_same && offset ? m->low + offset : 0;
}

/*
 * Where errno is from the thread pointer: what __errno_location adds to it, out of a word that the loader has filled. It is read
 * and not run, for a thread that is taken through it step by step does not survive our end. 0: the function is not as we know it.
 */
static int64_t errno_offset_of(const ubi__native_image *image, uint64_t location) {
    static const uint8_t entry[] = { 0xf3, 0x0f, 0x1e, 0xfa };                 /* endbr64 */
    static const uint8_t load[] = { 0x48, 0x8b, 0x05 };                        /* mov word(%rip), %rax */
    static const uint8_t add[] = { 0x64, 0x48, 0x03, 0x04, 0x25, 0, 0, 0, 0 }; /* add %fs:0, %rax */
    uint8_t code[24];
    int32_t to_word;
    int64_t offset;
    if (!ubi__native_image_read(image, code, location, sizeof code))
        return 0;
    size_t at = memcmp(code, entry, sizeof entry) == 0 ? sizeof entry : 0;
    if (memcmp(code + at, load, sizeof load) != 0 ||
        memcmp(code + at + sizeof load + sizeof to_word, add, sizeof add) != 0)
        return 0;
    memcpy(&to_word, code + at + sizeof load, sizeof to_word);
    at += sizeof load + sizeof to_word;
    return ubi__native_image_read(image, &offset, location + at + (uint64_t)(int64_t)to_word, sizeof offset) ? offset
                                                                                                             : 0;
}

static ubi_status c_library_look(ubi__native_attach *a) {
    static const uint8_t way_back[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 }; /* mov $15, %rax; syscall */
    const ubi__native_mapping *library = ubi__native_image_find(&a->image, is_c_library);
    if (!library)
        return ubi__fail(UBI_EINVAL, "process %ld has no C library of GNU: it cannot be recorded", (long)a->image.pid);
    uint64_t location = function_of(&a->image, is_c_library, "__errno_location");
    if (!location)
        return ubi__fail(UBI_EINVAL,
                         "the C library of process %ld is not the one in its file any more (an upgrade?): start the "
                         "program again",
                         (long)a->image.pid);
    a->errno_offset = errno_offset_of(&a->image, location);
    a->way_back = ubi__native_image_search(&a->image, library, way_back, sizeof way_back);
    return a->way_back ? UBI_OK
                       : ubi__fail(UBI_EINVAL, "process %ld has a C library that we do not know", (long)a->image.pid);
}

/* The build that is loaded has to be the one whose file we have: its first page has its build-id. */
static ubi_status library_compare(const ubi__native_attach *a, const ubi__native_mapping *m, int fd) {
    uint8_t ours[4096], theirs[4096];
    if (pread(fd, ours, sizeof ours, 0) == (ssize_t)sizeof ours &&
        ubi__native_image_read(&a->image, theirs, m->low, sizeof theirs) && memcmp(ours, theirs, sizeof ours) == 0)
        return UBI_OK;
    return ubi__fail(
        UBI_EINVAL,
        "process %ld has the recorder of another version of ubiheap, which cannot be unloaded: attach with "
        "that version, or start the program again",
        (long)a->image.pid);
}

/* Where our functions are in the program, if it has the library. @param has_it  out. */
static ubi_status library_look(ubi__native_attach *a, const char *library, bool *has_it) {
    UBI_TRY(ubi__native_image_look(&a->image));
    const ubi__native_mapping *m = ubi__native_image_find(&a->image, is_recorder);
    *has_it = m != NULL;
    if (!m)
        return UBI_OK;
    int fd = open(library, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return ubi__fail_errno(errno, "cannot open '%s'", library);
    ubi_status status = library_compare(a, m, fd);
    a->attachment = m->low + ubi__elf_exported(fd, UBI__ATTACHMENT_SYMBOL);
    a->knock = m->low + ubi__elf_exported(fd, UBI__KNOCK_SYMBOL);
    a->enter = m->low + ubi__elf_exported(fd, UBI__ENTER_SYMBOL);
    a->leave = m->low + ubi__elf_exported(fd, UBI__LEAVE_SYMBOL);
    close(fd);
    return status;
}

/* ---- a thread at a good moment -------------------------------------------------------------------------------------------- */

static size_t threads_list(pid_t *out, size_t capacity, pid_t pid) {
    char path[64];
    size_t n = 0;
    snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
    DIR *folder = opendir(path);
    for (struct dirent *e; folder && n < capacity && (e = readdir(folder));) {
        long tid = strtol(e->d_name, NULL, 10);
        if (tid > 0)
            out[n++] = (pid_t)tid;
    }
    if (folder)
        closedir(folder);
    return n;
}

/* @return whether this thread stands now, at a good moment. @param outcome  out: why it could not be stopped. */
static bool thread_try(ubi__native_attach *a, ubi__native_moments *moments, pid_t tid, bool has_to_wait,
                       ubi__borrow_outcome *outcome) {
    *outcome = ubi__borrow_stop(&a->borrowed, &a->image, tid, a->way_back);
    if (*outcome != UBI__BORROW_DONE)
        return false;
    bool is_good = (!has_to_wait || ubi__borrowed_waits(&a->borrowed)) && ubi__borrowed_has_room(&a->borrowed) &&
                   ubi__native_moment_is_good(moments, tid);
    if (!is_good)
        ubi__borrow_resume(&a->borrowed);
    return is_good;
}

/* One look at all threads. @return UBI_EBUSY: none is at a good moment. */
static ubi_status threads_try(ubi__native_attach *a, ubi__native_moments *moments, bool has_to_wait) {
    static pid_t threads[THREADS_MAX];
    size_t n = threads_list(threads, THREADS_MAX, a->image.pid);
    ubi__borrow_outcome outcome;
    if (n == 0)
        return ubi__fail(UBI_EIO, "process %ld has ended", (long)a->image.pid);
    for (size_t i = 0; i < n; i++) {
        if (thread_try(a, moments, threads[i], has_to_wait, &outcome))
            return UBI_OK;
        if (outcome == UBI__BORROW_FAILED && errno == EPERM)
            return ubi__native_reach_refused(a->image.pid);
        if (outcome == UBI__BORROW_FAILED && errno == EAGAIN)
            return ubi__fail(UBI_EINVAL, "process %ld is stopped: let it continue first (kill -CONT %ld)",
                             (long)a->image.pid, (long)a->image.pid);
    }
    return UBI_EBUSY;
}

static bool is_search_over(uint64_t waited_ns, uint32_t n_looks) {
    return waited_ns > MOST_SEARCH_NS || (waited_ns > SEARCH_NS && n_looks >= SEARCH_LOOKS);
}

static ubi_status moment_await(ubi__native_attach *a, ubi__native_moments *moments) {
    const struct timespec pause = { .tv_nsec = PAUSE_NS };
    uint64_t start_ns = ubi__native_now_ns();
    uint32_t n_looks = 0;
    ubi_status status;
    /* Threads that wait come first: they look at errno when their system call has set it, so whatever happens, they lose nothing. */
    for (bool has_to_wait = true; (status = threads_try(a, moments, has_to_wait)) == UBI_EBUSY;
         has_to_wait = !a->errno_offset) {
        uint64_t waited_ns = ubi__native_now_ns() - start_ns;
        if (is_search_over(waited_ns, ++n_looks))
            return ubi__fail(UBI_EBUSY,
                             "no thread of process %ld came out of the allocator and the loader within %u s: nothing "
                             "was changed; try again",
                             (long)a->image.pid, (unsigned)(waited_ns / 1000000000));
        if (!has_to_wait)
            nanosleep(&pause, NULL);
    }
    return status;
}

static ubi_status thread_borrow(ubi__native_attach *a) {
    ubi__native_moments *moments = NULL;
    UBI_TRY(ubi__native_image_look(&a->image));
    UBI_TRY(ubi__native_moments_open(&moments, &a->image));
    ubi_status status = moment_await(a, moments);
    if (status == UBI_OK && a->errno_offset)
        ubi__borrow_keep_errno(&a->borrowed, a->errno_offset);
    ubi__native_moments_close(moments);
    return status;
}

/* ---- calls ------------------------------------------------------------------------------------------------------------------ */

static ubi_status outcome_status(const ubi__native_attach *a, ubi__borrow_outcome outcome, const char *what) {
    switch (outcome) {
    case UBI__BORROW_DONE:
        return UBI_OK;
    case UBI__BORROW_GONE:
        return ubi__fail(UBI_EIO, "process %ld has ended", (long)a->image.pid);
    case UBI__BORROW_LATE:
        return ubi__fail(UBI_EBUSY,
                         "process %ld did not %s within 20 s: another of its threads may hold the loader; it continues "
                         "alone",
                         (long)a->image.pid, what);
    case UBI__BORROW_FAILED:
        break;
    }
    return ubi__fail(UBI_EIO, "process %ld cannot %s; it continues as it was", (long)a->image.pid, what);
}

static ubi_status program_call(ubi__native_attach *a, uint64_t function, uint64_t first, uint64_t second,
                               const char *what) {
    return outcome_status(a, ubi__borrow_call(&a->borrowed, function, first, second, NULL, 0), what);
}

/* With a text as its first argument. */
static ubi_status program_call_text(ubi__native_attach *a, uint64_t function, const char *text, uint64_t second,
                                    const char *what) {
    if (!function || strlen(text) >= UBI__BORROWED_DATA)
        return ubi__fail(UBI_EINVAL, "process %ld cannot %s", (long)a->image.pid, what);
    return outcome_status(a, ubi__borrow_call(&a->borrowed, function, 0, second, text, strlen(text) + 1), what);
}

/* ---- loading ---------------------------------------------------------------------------------------------------------------- */

static uint64_t loader_function(const ubi__native_attach *a) {
    uint64_t found = function_of(&a->image, is_c_library, "dlopen");
    if (!found)
        found = function_of(&a->image, is_dl_library, "dlopen");
    return found ? found : function_of(&a->image, is_c_library, "__libc_dlopen_mode");
}

/* Whether the program finds our file under our path. */
static bool has_our_file(const ubi__native_attach *a, const char *library) {
    struct stat ours, theirs;
    int fd = ubi__native_image_file(&a->image, library);
    bool is_same = fd >= 0 && fstat(fd, &theirs) == 0 && stat(library, &ours) == 0 && ours.st_dev == theirs.st_dev &&
                   ours.st_ino == theirs.st_ino && (ours.st_mode & S_IROTH);
    if (fd >= 0)
        close(fd);
    return is_same && strlen(library) < UBI__BORROWED_DATA;
}

/* Its descriptor of the memory that it made for us; -1: none. */
static int find_memory(const ubi__native_attach *a) {
    static const char name[] = "/memfd:" MEMORY_NAME;
    char path[64], target[256];
    int found = -1;
    snprintf(path, sizeof path, "/proc/%ld/fd", (long)a->image.pid);
    DIR *folder = opendir(path);
    for (struct dirent *e; folder && (e = readdir(folder));) {
        ssize_t n = readlinkat(dirfd(folder), e->d_name, target, sizeof target - 1);
        if (n >= (ssize_t)sizeof name - 1 && strncmp(target, name, sizeof name - 1) == 0)
            found = (int)strtol(e->d_name, NULL, 10);
    }
    if (folder)
        closedir(folder);
    return found;
}

static ubi_status copy_file(int to, const char *library) {
    uint8_t piece[16384];
    int from = open(library, O_RDONLY | O_CLOEXEC);
    if (from < 0)
        return ubi__fail_errno(errno, "cannot open '%s'", library);
    ubi_status status = UBI_OK;
    for (ssize_t n; status == UBI_OK && (n = read(from, piece, sizeof piece)) > 0;)
        status = ubi__write_fully(to, piece, (size_t)n);
    close(from);
    return status;
}

static ubi_status fill_memory(const ubi__native_attach *a, int fd, const char *library) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)a->image.pid, fd);
    int memory = open(path, O_RDWR | O_CLOEXEC);
    if (memory < 0)
        return ubi__fail_errno(errno, "cannot write to memory of process %ld", (long)a->image.pid);
    ubi_status status = copy_file(memory, library);
    close(memory);
    return status;
}

/* A program with folders of its own (a container) gets the file as memory, and opens its descriptor. */
static ubi_status load_as_memory(ubi__native_attach *a, const char *library, uint64_t opens) {
    static const char load[] = "load the recorder";
    char path[64];
    uint64_t makes = function_of(&a->image, is_c_library, "memfd_create");
    UBI_TRY(program_call_text(a, makes, MEMORY_NAME, 0, "make memory for the recorder"));
    int fd = find_memory(a);
    if (fd < 0)
        return ubi__fail(UBI_EIO, "process %ld cannot make memory for the recorder", (long)a->image.pid);
    ubi_status status = fill_memory(a, fd, library);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (status == UBI_OK)
        status = program_call_text(a, opens, path, OPEN_NOW, load);
    uint64_t closes = function_of(&a->image, is_c_library, "close");
    if (a->borrowed.tid && closes)
        (void)program_call(a, closes, (uint64_t)fd, 0, load);
    return status;
}

static ubi_status library_load(ubi__native_attach *a, const char *library) {
    bool has_it;
    uint64_t opens = loader_function(a);
    if (!opens)
        return ubi__fail(UBI_EINVAL, "process %ld has no function that loads libraries (dlopen)", (long)a->image.pid);
    UBI_TRY(has_our_file(a, library) ? program_call_text(a, opens, library, OPEN_NOW, "load the recorder")
                                     : load_as_memory(a, library, opens));
    UBI_TRY(library_look(a, library, &has_it));
    return has_it ? UBI_OK
                  : ubi__fail(UBI_EIO,
                              "the loader of process %ld refuses the recorder: it may have no room for it "
                              "(thread-local memory, limits), no /proc, or not be allowed to read it",
                              (long)a->image.pid);
}

/* ---- knocking --------------------------------------------------------------------------------------------------------------- */

static ubi_status attachment_read(const ubi__native_attach *a, ubi__attachment *out) {
    if (!ubi__native_image_read(&a->image, out, a->attachment, sizeof *out))
        return ubi__fail(UBI_EIO, "process %ld has ended", (long)a->image.pid);
    return out->magic == UBI__ATTACHMENT_MAGIC && out->version == UBI__ATTACHMENT_VERSION
               ? UBI_OK
               : ubi__fail(UBI_EFORMAT, "process %ld has written over the recorder", (long)a->image.pid);
}

static ubi_status attachment_refused(const ubi__native_attach *a, const ubi__attachment *state) {
    const char *why =
        state->why < UBI__UNRECORDED_COUNT ? ubi__unrecorded_words((ubi__unrecorded)state->why) : "for no known reason";
    return ubi__fail(UBI_EIO, "process %ld cannot be recorded: %s", (long)a->image.pid, why);
}

/* What pidfd_getfd of newer C libraries does. */
static ubi_status socket_take(ubi__native_attach *a, int their_fd) {
    int process = (int)syscall(SYS_pidfd_open, a->image.pid, 0);
    a->socket = process < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, process, their_fd, 0);
    int error = errno;
    if (process >= 0)
        close(process);
    return a->socket < 0 ? ubi__fail_errno(error, "cannot take a socket of process %ld (pidfd_getfd, Linux 5.6)",
                                           (long)a->image.pid)
                         : UBI_OK;
}

static ubi_status knock(ubi__native_attach *a, bool is_exact) {
    ubi__attachment state;
    UBI_TRY(program_call(a, a->knock, 0, 0, "begin a recording"));
    UBI_TRY(attachment_read(a, &state));
    if (state.state == UBI__ATTACHMENT_BUSY)
        return ubi__fail(UBI_EBUSY, "process %ld is being recorded by another ubiheap", (long)a->image.pid);
    if (state.state != UBI__ATTACHMENT_KNOCKED)
        return attachment_refused(a, &state);
    if (is_exact && state.was_sampled)
        return ubi__fail(UBI_EINVAL,
                         "process %ld was sampled before, and its threads still count by that: --exact would miss "
                         "what comes first; attach without it, or start the program again",
                         (long)a->image.pid);
    return socket_take(a, state.socket);
}

/* ---- all of it ---------------------------------------------------------------------------------------------------------------- */

static ubi_status attach_begin(ubi__native_attach *a, const char *library, bool is_exact) {
    bool has_it;
    UBI_TRY(c_library_look(a));
    UBI_TRY(library_look(a, library, &has_it));
    UBI_TRY(thread_borrow(a));
    if (ubi__native_reach_is_filtered(a->image.pid))
        UBI_TRY(ubi__native_filters_try(a->borrowed.tid, a->image.allocator));
    if (!has_it)
        UBI_TRY(library_load(a, library));
    return knock(a, is_exact);
}

ubi_status ubi__native_attach_open(ubi__native_attach *out, pid_t pid, const char *library, bool is_exact,
                                   const ubi_allocator *allocator) {
    *out = (ubi__native_attach){ .socket = -1, .image.memory = -1 };
    UBI_TRY(ubi__native_reach_check(pid));
    ubi_status status = ubi__native_image_open(&out->image, pid, allocator);
    if (status == UBI_EIO)
        return ubi__native_reach_refused(pid);
    if (status == UBI_OK)
        status = attach_begin(out, library, is_exact);
    if (status != UBI_OK)
        ubi__native_attach_close(out);
    return status;
}

ubi_status ubi__native_attach_enter(ubi__native_attach *a) {
    ubi__attachment state;
    uint64_t reader = ubi__native_reach_shares(a->image.pid, "pid") ? (uint64_t)getpid() : 0;
    UBI_ASSERT(a->borrowed.tid && a->enter);
    UBI_TRY(program_call(a, a->enter, reader, 0, "begin a recording"));
    ubi__borrow_resume(&a->borrowed);
    UBI_TRY(attachment_read(a, &state));
    if (state.state != UBI__ATTACHMENT_ON)
        return attachment_refused(a, &state);
    a->n_slots = state.n_slots;
    a->n_refused = state.n_refused;
    return UBI_OK;
}

ubi_status ubi__native_attach_leave(ubi__native_attach *a) {
    UBI_ASSERT(!a->borrowed.tid && a->leave);
    UBI_TRY(thread_borrow(a));
    UBI_TRY(program_call(a, a->leave, 0, 0, "end the recording"));
    ubi__borrow_resume(&a->borrowed);
    return UBI_OK;
}

void ubi__native_attach_close(ubi__native_attach *a) {
    ubi__borrow_resume(&a->borrowed);
    if (a->socket >= 0)
        close(a->socket);
    a->socket = -1;
    ubi__native_image_close(&a->image);
}
