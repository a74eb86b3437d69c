/* SPDX-License-Identifier: MIT
 *
 * native_session.c: see native_session.h.
 */
#include "targets/native/native_session.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/text.h"

#define NS_PER_S UINT64_C(1000000000)
#define FIRST_FLUSH_NS (NS_PER_S / 20)
#define FLUSH_NS NS_PER_S

/* Once it has failed, a session writes nothing more. */
static void note(ubi__native_session *s, ubi_status status) {
    if (status == UBI_OK || s->status != UBI_OK)
        return;
    s->status = status;
    snprintf(s->message, sizeof s->message, "%s", ubi_error_message());
}

static bool works(const ubi__native_session *s) {
    return s->status == UBI_OK;
}

/* ---- the beginning ------------------------------------------------------------------------------------------------ */

/* The file ends behind its last whole block, also when the disk took a part of another. */
static void cut_off(const ubi__native_session *s) {
    struct stat about;
    if (fstat(s->fd, &about) == 0 && S_ISREG(about.st_mode) && (uint64_t)about.st_size > s->kept_bytes)
        (void)!ftruncate(s->fd, (off_t)s->kept_bytes);
}

/* A ubi__write_fn: a block, or the header. */
static ubi_status write_to_file(void *payload, const void *data, size_t n_bytes) {
    ubi__native_session *s = payload;
    ubi_status status = ubi__write_fully(s->fd, data, n_bytes);
    if (status != UBI_OK) {
        cut_off(s);
        return status;
    }
    s->kept_bytes += n_bytes;
    s->kept_allocations = s->writer ? ubi__ubirec_allocation_count(s->writer) : 0;
    s->kept_markers = s->n_markers;
    return UBI_OK;
}

static uint64_t unix_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static ubi_status write_about(ubi__native_session *s, bool is_child) {
    struct utsname machine;
    char system[3 * sizeof machine.sysname + 4] = "";
    char *arguments = ubi__alloc_array(s->allocator, UBI__UBIREC_TEXT_MAX, 1);
    if (!arguments)
        return ubi__fail_nomem();
    if (uname(&machine) == 0)
        snprintf(system, sizeof system, "%s %s %s", machine.sysname, machine.release, machine.machine);
    ubi__ubirec_about about = {
        .program = { s->program, s->program_bytes },
        .arguments = { arguments, ubi__proc_arguments(arguments, UBI__UBIREC_TEXT_MAX, s->pid) },
        .pid = (uint64_t)s->pid,
        .parent_pid = is_child ? (uint64_t)ubi__proc_parent(s->pid) : 0,
        .period_bytes = s->area.settings.period_bytes,
        .start_unix_ns = unix_ns() - s->start_ns,
        .recording_start_ns = s->start_ns,
        .page_bytes = (uint64_t)sysconf(_SC_PAGESIZE),
        .writer = ubi__text("ubiheap " UBI_VERSION_STRING),
        .system = ubi__text(system),
    };
    ubi_status status = ubi__ubirec_write_about(s->writer, &about);
    ubi__free_array(s->allocator, arguments, UBI__UBIREC_TEXT_MAX, 1);
    return status == UBI_OK ? ubi__ubirec_flush(s->writer) : status;
}

static ubi_status begin(ubi__native_session *s, const ubi__native_arrival *arrival) {
    s->path_bytes = strlen(arrival->path) + 1;
    s->path = ubi__alloc_array(s->allocator, s->path_bytes, 1);
    if (!s->path)
        return ubi__fail_nomem();
    memcpy(s->path, arrival->path, s->path_bytes);
    s->program_bytes = ubi__proc_executable(s->program, sizeof s->program, s->pid);
    ubi__proc_executable_file(&s->executable, s->pid);
    for (int i = 0; i < UBI__ALLOC_KINDS; i++)
        s->kinds[i] = UBI_NONE;
    ubi__preload_sink sink = ubi__native_sink(s);
    UBI_TRY(ubi__preload_area_new(&s->area, &arrival->settings));
    UBI_TRY(ubi__preload_collector_new(&s->collector, &s->area, &sink, s->allocator));
    UBI_TRY(ubi__ubirec_writer_new(&s->writer, write_to_file, s, s->allocator));
    uint64_t now = ubi__native_now_ns();
    s->start_ns = now > s->began_ns ? now - s->began_ns : 0;
    s->face = (ubi__native_clock_face){ .area = &s->area, .zero_ns = now };
    return write_about(s, arrival->is_child);
}

ubi_status ubi__native_session_new(ubi__native_session **out, const ubi__native_arrival *arrival,
                                   ubi__native_clock *clock, const ubi_allocator *allocator) {
    ubi__native_session *s = UBI_NEW(allocator, ubi__native_session);
    if (!s) {
        close(arrival->pidfd);
        close(arrival->fd);
        return ubi__fail_nomem();
    }
    s->allocator = allocator;
    s->pid = arrival->pid;
    s->pidfd = arrival->pidfd;
    s->fd = arrival->fd;
    s->area.fd = -1;
    s->began_ns = arrival->began_ns;
    ubi_status status = begin(s, arrival);
    if (status != UBI_OK) {
        ubi__native_session_free(s);
        return status;
    }
    s->clock = clock;
    ubi__native_clock_add(clock, &s->face);
    *out = s;
    return UBI_OK;
}

/* ---- while it runs ------------------------------------------------------------------------------------------------ */

bool ubi__native_session_poll(ubi__native_session *s) {
    bool busy = false;
    if (works(s) && !s->has_ended)
        note(s, ubi__preload_collector_poll(s->collector, &busy));
    if (!works(s))
        ubi__native_session_stop(s);
    return busy && works(s);
}

void ubi__native_session_note_death(ubi__native_session *s) {
    if (!s->is_dead)
        s->knows_exit = ubi__proc_exit_status(&s->wait_status, s->pid, s->pidfd);
    s->is_dead = true;
}

static ubi_status write_names(ubi__native_session *s) {
    char name[UBI__THREAD_NAME_BYTES];
    for (size_t i = 0; i < s->threads.n; i++) {
        ubi__native_thread *t = &s->threads.at[i];
        if (t->tid == 0)
            continue;
        if (!ubi__proc_thread_name(name, s->pid, t->tid))
            t->tid = 0; /* it has ended; another may have its number one day */
        else if (strcmp(name, t->name) != 0) {
            memcpy(t->name, name, sizeof name);
            UBI_TRY(ubi__ubirec_write_thread_name(s->writer, (uint32_t)i, ubi__text(name)));
        }
    }
    return UBI_OK;
}

static ubi_status write_counters(ubi__native_session *s) {
    ubi__preload_counters c;
    ubi__preload_collector_counters(s->collector, &c);
    UBI_TRY(ubi__ubirec_write_counter(s->writer, UBI__UBIREC_DROPPED, c.dropped + c.lost_events));
    UBI_TRY(ubi__ubirec_write_counter(s->writer, UBI__UBIREC_REENTRANT, c.dropped_reentrant));
    UBI_TRY(ubi__ubirec_write_counter(s->writer, UBI__UBIREC_UNKNOWN_FREES, c.unknown_frees));
    UBI_TRY(ubi__ubirec_write_counter(s->writer, UBI__UBIREC_UNWIND_FAILURES, c.failed_walks));
    UBI_TRY(ubi__ubirec_write_counter(s->writer, UBI__UBIREC_DEEP_BINDS, c.deep_binds));
    UBI_TRY(ubi__ubirec_write_counter(s->writer, UBI__UBIREC_NAMESPACES, c.namespaces));
    UBI_TRY(ubi__ubirec_write_counter(s->writer, UBI__UBIREC_LOST_MARKERS, c.dropped_markers));
    return ubi__ubirec_write_counter(s->writer, UBI__UBIREC_REUSED_ADDRESSES, c.reused_addresses);
}

static ubi_status take_stock(ubi__native_session *s, bool flush) {
    uint64_t resident = ubi__proc_resident(s->pid);
    if (resident) {
        UBI_TRY(ubi__ubirec_write_time(s->writer, ubi__native_now_ns() - s->began_ns));
        UBI_TRY(ubi__ubirec_write_rss(s->writer, resident));
    }
    if (!flush)
        return UBI_OK;
    UBI_TRY(write_names(s));
    UBI_TRY(write_counters(s));
    return ubi__ubirec_flush(s->writer);
}

/* The file gets what there is soon in the beginning, and then once a second. */
static bool is_time_to_flush(ubi__native_session *s) {
    uint64_t now = ubi__native_now_ns(), age = now - s->face.zero_ns;
    if (now < s->flush_ns)
        return false;
    s->flush_ns = now + (age / 2 < FIRST_FLUSH_NS ? FIRST_FLUSH_NS : age / 2 > FLUSH_NS ? FLUSH_NS : age / 2);
    return true;
}

void ubi__native_session_take_stock(ubi__native_session *s) {
    if (!s->has_ended && works(s))
        note(s, take_stock(s, is_time_to_flush(s)));
}

bool ubi__native_session_is_replaced(ubi__native_session *s) {
    ubi__proc_file now;
    if (s->has_ended || s->executable.inode == 0 || !ubi__proc_executable_file(&now, s->pid) ||
        (now.device == s->executable.device && now.inode == s->executable.inode))
        return false;
    s->replaced_by[ubi__proc_executable(s->replaced_by, sizeof s->replaced_by - 1, s->pid)] = '\0';
    return true;
}

void ubi__native_session_stop(ubi__native_session *s) {
    if (s->is_stopping)
        return;
    s->is_stopping = true;
    ubi__native_clock_remove(s->clock, &s->face);
    ubi__preload_area_stop(&s->area);
}

/* ---- the end ------------------------------------------------------------------------------------------------------ */

/* What is of no more use once the process is over, for many sessions may wait for their symbols. */
static void release(ubi__native_session *s) {
    ubi__preload_collector_free(s->collector);
    s->collector = NULL;
    ubi__preload_area_free(&s->area);
    if (s->pidfd >= 0)
        close(s->pidfd);
    s->pidfd = -1;
}

static ubi_status write_end(ubi__native_session *s, const ubi__ubirec_end *end) {
    uint64_t now = ubi__native_now_ns();
    UBI_TRY(ubi__preload_collector_finish(s->collector));
    UBI_TRY(ubi__ubirec_write_time(s->writer, now > s->began_ns ? now - s->began_ns : 0));
    UBI_TRY(write_counters(s));
    UBI_TRY(ubi__ubirec_write_end(s->writer, end));
    return ubi__ubirec_flush(s->writer);
}

void ubi__native_session_end(ubi__native_session *s, const ubi__ubirec_end *end) {
    if (s->has_ended)
        return;
    ubi__native_session_stop(s);
    if (works(s))
        note(s, write_end(s, end));
    s->has_ended = true;
    s->end = *end;
    ubi__preload_collector_counters(s->collector, &s->counters);
    release(s);
}

static ubi_status know_module(ubi__native_module *m, ubi__symbolizer *symbolizer) {
    if (m->symbols != UBI_NONE)
        return UBI_OK;
    ubi_text path = { m->path, m->path_bytes };
    return ubi__symbolizer_add_module(symbolizer, &m->symbols, path, m->build_id, m->build_id_bytes);
}

static ubi_status symbolize_frame(ubi__native_session *s, const ubi__native_frame *frame, ubi__symbolizer *symbolizer) {
    const ubi__symbol *found;
    ubi__ubirec_symbol symbols[UBI__UBIREC_SYMBOLS_MAX];
    ubi__native_module *module = &s->modules.at[frame->module];
    size_t n;
    UBI_TRY(know_module(module, symbolizer));
    UBI_TRY(ubi__symbolizer_look_up_return(symbolizer, &found, &n, module->symbols, frame->offset));
    if (n == 0)
        return UBI_OK;
    size_t left_out = n > UBI__UBIREC_SYMBOLS_MAX ? n - UBI__UBIREC_SYMBOLS_MAX : 0;
    for (size_t i = left_out; i < n; i++)
        symbols[i - left_out] = (ubi__ubirec_symbol){
            .function = found[i].function, .file = found[i].file, .line = found[i].line, .column = found[i].column
        };
    return ubi__ubirec_write_symbols(s->writer, frame->frame, symbols, n - left_out);
}

bool ubi__native_session_symbolize(ubi__native_session *s, ubi__symbolizer *symbolizer) {
    if (works(s) && s->n_symbolized < s->frames.n)
        note(s, symbolize_frame(s, &s->frames.at[s->n_symbolized++], symbolizer));
    return works(s) && s->n_symbolized < s->frames.n;
}

void ubi__native_session_finish(ubi__native_session *s) {
    if (works(s))
        note(s, ubi__ubirec_flush(s->writer));
    if (s->fd >= 0 && close(s->fd) < 0 && works(s))
        note(s, ubi__fail_errno(errno, "cannot write"));
    s->fd = -1;
}

void ubi__native_session_free(ubi__native_session *s) {
    const ubi_allocator *a = s->allocator;
    if (s->clock)
        ubi__native_session_stop(s);
    release(s);
    ubi__ubirec_writer_free(s->writer);
    if (s->fd >= 0)
        close(s->fd);
    ubi__free_array(a, s->path, s->path_bytes, 1);
    for (size_t i = 0; i < s->modules.n; i++)
        ubi__free_array(a, s->modules.at[i].path, s->modules.at[i].path_bytes + 1, 1);
    ubi__vec_native_module_fini(&s->modules, a);
    ubi__vec_native_frame_fini(&s->frames, a);
    ubi__vec_native_thread_fini(&s->threads, a);
    ubi__vec_u8_fini(&s->details, a);
    UBI_DELETE(a, s);
}
