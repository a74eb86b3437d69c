/* SPDX-License-Identifier: MIT
 *
 * native_session.c: see native_session.h.
 */
#include "targets/native/native_session.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/atomic_file.h"
#include "base/bits.h"
#include "base/human.h"
#include "base/text.h"
#include "targets/native/allocator_parts.h"
#include "targets/native/native_live.h"
#include "targets/native/native_unrecorded.h"

#define NS_PER_S UINT64_C(1000000000)
#define FIRST_FLUSH_NS (NS_PER_S / 20)
#define FLUSH_NS NS_PER_S
/* Looks at memory: soon at the start, then ever more seldom, and never more than a hundredth of the time. */
/* A longer run has been looked at so often that a peak which was missed would be said of the wrong time. */
#define SHORT_RUN_US 1000000
#define FIRST_LOOK_NS (NS_PER_S / 20)
#define LOOK_NS (5 * NS_PER_S)
#define LOOK_SHARE 100

/* Once it has failed, a session writes nothing more. */
void ubi__native_session_note(ubi__native_session *s, ubi_status status) {
    if (status == UBI_OK || s->status != UBI_OK)
        return;
    s->status = status;
    snprintf(s->message, sizeof s->message, "%s", ubi_error_message());
}

void ubi__native_session_check(const ubi__native_session *s) {
    UBI_ASSERT(s->has_ended == (s->collector == NULL));
    UBI_ASSERT(s->kept_allocations <= ubi__ubirec_allocation_count(s->writer));
    UBI_ASSERT(s->kept_bytes <= ubi__ubirec_bytes_out(s->writer) && s->kept_markers <= s->n_markers);
    UBI_ASSERT(s->n_symbolized <= s->frames.n);
    UBI_ASSERT(!s->has_ended || s->is_stopping);
    for (size_t i = 0; UBI_CHECKS && i < s->modules.n; i++)
        UBI_ASSERT(s->modules.at[i].first <= i &&
                   s->modules.at[s->modules.at[i].first].first == s->modules.at[i].first);
    for (size_t i = 0; UBI_CHECKS && i < s->frames.n; i++) {
        UBI_ASSERT(i == 0 || s->frames.at[i - 1].frame < s->frames.at[i].frame);
        UBI_ASSERT(s->frames.at[i].module < s->modules.n);
    }
}

static bool session_works(const ubi__native_session *s) {
    return s->status == UBI_OK;
}

/* ---- the beginning ------------------------------------------------------------------------------------------------ */

/* The file ends after its last whole block, also when the disk took a part of another. */
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
    if (s->on_bytes)
        s->on_bytes(s->bytes_payload, data, n_bytes);
    return UBI_OK;
}

static ubi_status write_about(ubi__native_session *s, const ubi__native_arrival *arrival) {
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
        .parent_pid = arrival->is_child ? (uint64_t)ubi__proc_parent(s->pid) : 0,
        .period_bytes = s->area.settings.period_bytes,
        .start_unix_ns = arrival->began_unix_ns,
        .recording_start_ns = s->start_ns,
        .page_bytes = (uint64_t)sysconf(_SC_PAGESIZE),
        .writer = ubi__text("ubiheap " UBI_VERSION_STRING),
        .system = ubi__text(system),
        .recording = arrival->recording,
    };
    ubi_status status = ubi__ubirec_write_about(s->writer, &about);
    if (status == UBI_OK && !s->window.is_open)
        status = ubi__ubirec_write_action(s->writer, UBI__UBIREC_ACTION_STOP, s->start_ns);
    ubi__free_array(s->allocator, arguments, UBI__UBIREC_TEXT_MAX, 1);
    return status == UBI_OK ? ubi__ubirec_flush(s->writer) : status;
}

/* From now on others can see it. */
static void session_show(ubi__native_session *s, const ubi__native_arrival *arrival) {
    if (!arrival->live)
        return;
    s->seen = ubi__native_live_begin(arrival->live, s->pid, s->name, s->area.settings.period_bytes, s->face.zero_ns);
    s->live = s->seen ? arrival->live : NULL;
}

static void session_lock_live(const ubi__native_session *s) {
    if (s->live)
        pthread_mutex_lock(&s->live->lock);
}

static void session_unlock_live(const ubi__native_session *s) {
    if (s->live)
        pthread_mutex_unlock(&s->live->lock);
}

static void session_hide(ubi__native_session *s) {
    if (s->live)
        ubi__native_live_end(s->live, s->seen);
    s->live = NULL;
    s->seen = NULL;
}

static ubi_status session_begin(ubi__native_session *s, const ubi__native_arrival *arrival) {
    s->path_bytes = strlen(arrival->path) + 1;
    s->path = ubi__alloc_array(s->allocator, s->path_bytes, 1);
    if (!s->path)
        return ubi__fail_nomem();
    memcpy(s->path, arrival->path, s->path_bytes);
    s->program_bytes = ubi__proc_executable(s->program, sizeof s->program, s->pid);
    ubi__proc_executable_file(&s->executable, s->pid);
    ubi__proc_name(s->name, sizeof s->name, s->pid);
    for (int i = 0; i < UBI__ALLOC_KINDS; i++)
        s->kinds[i] = UBI_NONE;
    s->event_thread = UBI_NONE;
    ubi__preload_sink sink = ubi__native_sink(s);
    ubi__preload_settings settings = arrival->settings;
    uint64_t now = settings.zero_ns = ubi__native_now_ns();
    UBI_TRY(ubi__preload_area_new(&s->area, &settings));
    ubi__native_window_init(s);
    UBI_TRY(ubi__preload_collector_new(&s->collector, &s->area, &sink, s->allocator));
    UBI_TRY(ubi__ubirec_writer_new(&s->writer, write_to_file, s, s->allocator));
    s->start_ns = now > s->began_ns ? now - s->began_ns : 0;
    s->resident_bytes = ubi__proc_resident(s->pid); /* short programs are gone before stock is taken */
    s->resident_at_ns = s->start_ns;
    s->face = (ubi__native_clock_face){ .area = &s->area, .zero_ns = now };
    s->look = arrival->looks ? ubi__native_look_new(arrival->looks, s->pid) : NULL;
    s->look_ns = now + FIRST_LOOK_NS;
    UBI_TRY(write_about(s, arrival));
    session_show(s, arrival);
    return UBI_OK;
}

ubi_status ubi__native_session_new(ubi__native_session **out, const ubi__native_arrival *arrival,
                                   ubi__native_clock *clock, const ubi_allocator *allocator) {
    ubi__native_session *s = UBI_NEW(allocator, ubi__native_session);
    if (!s) {
        close(arrival->pidfd);
        close(arrival->fd);
        if (arrival->socket >= 0)
            close(arrival->socket);
        return ubi__fail_nomem();
    }
    s->allocator = allocator;
    s->pid = arrival->pid;
    s->pidfd = arrival->pidfd;
    s->fd = arrival->fd;
    s->socket = arrival->socket;
    s->is_forked = arrival->is_forked;
    s->is_attached = arrival->is_attached;
    s->on_bytes = arrival->on_bytes;
    s->bytes_payload = arrival->bytes_payload;
    s->area.fd = -1;
    s->began_ns = arrival->began_ns;
    s->began_unix_ns = arrival->began_unix_ns;
    snprintf(s->map_path, sizeof s->map_path, "/tmp/perf-%d.map", (int)s->pid);
    ubi_status status = session_begin(s, arrival);
    if (status != UBI_OK) {
        ubi__native_session_free(s);
        return status;
    }
    s->clock = clock;
    ubi__native_clock_add(clock, &s->face);
    ubi__native_session_check(s);
    *out = s;
    return UBI_OK;
}

/* ---- while it runs ------------------------------------------------------------------------------------------------ */

/* Memory as it was seen last: after what happened before, of which some may be reported later. */
static ubi_status write_resident(ubi__native_session *s) {
    uint64_t bytes = s->resident_bytes;
    if (!bytes)
        return UBI_OK;
    s->resident_bytes = 0;
    s->last_resident_bytes = bytes;
    if (bytes > s->most_resident_bytes)
        s->most_resident_bytes = bytes;
    UBI_TRY(ubi__ubirec_write_time(s->writer, s->resident_at_ns));
    return ubi__ubirec_write_rss(s->writer, bytes);
}

/* Of a program that was hardly looked at before it was over, the system alone knows how much there was. */
static ubi_status write_peak_resident(ubi__native_session *s) {
    if (s->now_us >= SHORT_RUN_US || s->replaced_by[0] || s->peak_resident_bytes <= s->most_resident_bytes)
        return UBI_OK;
    UBI_TRY(ubi__ubirec_write_rss(s->writer, s->peak_resident_bytes));
    return s->last_resident_bytes ? ubi__ubirec_write_rss(s->writer, s->last_resident_bytes) : UBI_OK;
}

ubi_status ubi__native_write_event_time(ubi__native_session *s, uint64_t clock_us) {
    if (clock_us > s->now_us) { /* nothing happens later than now, whatever the program says */
        uint64_t now_us = (ubi__native_now_ns() - s->face.zero_ns) / 1000;
        s->now_us = clock_us = clock_us < now_us ? clock_us : now_us;
    }
    uint64_t time_ns = s->start_ns + clock_us * 1000;
    if (s->resident_bytes && time_ns >= s->resident_at_ns)
        UBI_TRY(write_resident(s));
    return ubi__ubirec_write_time(s->writer, time_ns);
}

/* All that happened before is reported, once nothing waits for what is missing. */
static ubi_status poll_collector(ubi__native_session *s, bool *busy) {
    session_lock_live(s);
    ubi_status status = ubi__preload_collector_poll(s->collector, busy);
    session_unlock_live(s);
    UBI_TRY(status);
    UBI_TRY(ubi__native_window_settle(s));
    return ubi__preload_collector_is_waiting(s->collector) ? UBI_OK : write_resident(s);
}

bool ubi__native_session_poll(ubi__native_session *s) {
    bool busy = false;
    if (session_works(s) && !s->has_ended)
        ubi__native_session_note(s, poll_collector(s, &busy));
    s->is_trampled = !s->has_ended && ubi__preload_collector_is_trampled(s->collector);
    if (!s->has_ended && !s->is_stopping)
        s->has_given_up = ubi__preload_collector_has_stopped(s->collector);
    if (!session_works(s) || s->is_trampled)
        ubi__native_session_stop(s);
    return busy && session_works(s);
}

void ubi__native_session_note_death(ubi__native_session *s) {
    if (s->is_dead)
        return;
    s->died_ns = ubi__native_now_ns();
    s->knows_exit = ubi__proc_exit_status(&s->wait_status, s->pid, s->pidfd);
    s->is_dead = true;
}

void ubi__native_session_look_for_death(ubi__native_session *s) {
    struct pollfd end = { .fd = s->pidfd, .events = POLLIN };
    if (s->pidfd >= 0 && !s->is_dead && poll(&end, 1, 0) > 0)
        ubi__native_session_note_death(s);
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

void ubi__native_session_note_companion(ubi__native_session *s, const char *suffix, const char *name) {
    if (session_works(s) && !s->has_ended)
        ubi__native_session_note(s, ubi__ubirec_write_companion(s->writer, ubi__text(suffix), ubi__text(name)));
}

/* ---- now and then -------------------------------------------------------------------------------------------------- */

static ubi_status write_counters(ubi__native_session *s) {
    ubi__preload_counters c;
    ubi__preload_collector_counters(s->collector, &c);
    UBI_TRY(ubi__native_unrecorded_gather(s, &c));
    UBI_TRY(ubi__ubirec_write_counter(s->writer, UBI__UBIREC_NOT_RECORDED, ubi__native_unrecorded_count(s)));
    UBI_TRY(ubi__ubirec_write_counter(s->writer, UBI__UBIREC_DROPPED, c.dropped + c.lost_events));
    UBI_TRY(ubi__ubirec_write_counter(s->writer, UBI__UBIREC_REENTRANT, c.dropped_reentrant));
    UBI_TRY(ubi__ubirec_write_counter(s->writer, s->is_forked ? UBI__UBIREC_INHERITED_FREES : UBI__UBIREC_UNKNOWN_FREES,
                                      s->window.was_closed ? 0 : c.unknown_frees));
    UBI_TRY(ubi__ubirec_write_counter(s->writer, UBI__UBIREC_UNFINISHED, c.unfinished));
    UBI_TRY(ubi__ubirec_write_counter(s->writer, UBI__UBIREC_UNWIND_FAILURES, c.failed_walks));
    UBI_TRY(ubi__ubirec_write_counter(s->writer, UBI__UBIREC_TRUNCATED_STACKS, s->n_cut_stacks));
    UBI_TRY(ubi__ubirec_write_counter(s->writer, UBI__UBIREC_DEEP_BINDS, c.deep_binds));
    UBI_TRY(ubi__ubirec_write_counter(s->writer, UBI__UBIREC_NAMESPACES, c.namespaces));
    UBI_TRY(ubi__ubirec_write_counter(s->writer, UBI__UBIREC_PAUSED_MS, ubi__native_window_paused_ms(s)));
    UBI_TRY(ubi__ubirec_write_counter(s->writer, UBI__UBIREC_LOST_MARKERS, c.dropped_markers));
    UBI_TRY(ubi__ubirec_write_counter(s->writer, UBI__UBIREC_ATTACHED, s->is_attached));
    return ubi__ubirec_write_counter(s->writer, UBI__UBIREC_REUSED_ADDRESSES, c.reused_addresses);
}

/* A quarter of its age later, then 5 s, then a 64th. */
static uint64_t look_step_ns(uint64_t age_ns, uint64_t took_ns) {
    uint64_t step_ns = age_ns / 4 < LOOK_NS ? age_ns / 4 : age_ns / 64 < LOOK_NS ? LOOK_NS : age_ns / 64;
    step_ns = step_ns < FIRST_LOOK_NS ? FIRST_LOOK_NS : step_ns;
    return took_ns > step_ns / LOOK_SHARE ? took_ns * LOOK_SHARE : step_ns;
}

/* What was found is from a moment before now; then another look may be due. */
static ubi_status take_look(ubi__native_session *s) {
    ubi__allocator_parts parts;
    ubi__residence found;
    uint64_t at_ns, took_ns, now = ubi__native_now_ns();
    ubi_status status = UBI_OK;
    if (!s->look)
        return UBI_OK;
    if (ubi__native_look_take(s->look, &found, &at_ns, &took_ns)) {
        ubi__allocator_parts_read(&parts, &s->area.header->answer);
        status = ubi__allocator_parts_enter(&found, &parts);
        if (status == UBI_OK)
            status =
                ubi__ubirec_write_uses(s->writer, &found, ++s->n_looks, at_ns > s->began_ns ? at_ns - s->began_ns : 0);
        ubi__residence_fini(&found);
        s->look_ns = now + look_step_ns(now - s->face.zero_ns, took_ns);
    } else if (now >= s->look_ns) {
        ubi__native_look_ask(s->look);
    }
    return status;
}

ubi_status ubi__native_session_flush(ubi__native_session *s) {
    UBI_TRY(write_counters(s));
    return ubi__ubirec_flush(s->writer);
}

static ubi_status take_stock(ubi__native_session *s, bool flush) {
    uint64_t now_ns = ubi__native_now_ns() - s->began_ns, resident = ubi__proc_resident(s->pid);
    if (ubi__native_now_ns() - s->face.zero_ns < SHORT_RUN_US * 1000)
        s->peak_resident_bytes = ubi__larger(s->peak_resident_bytes, ubi__proc_peak_resident(s->pid));
    if (!s->resident_bytes) {
        s->resident_bytes = resident;
        s->resident_at_ns = now_ns;
    }
    if (resident)
        ubi__native_live_resident(s->live, s->seen, resident);
    UBI_TRY(take_look(s));
    if (!flush)
        return UBI_OK;
    UBI_TRY(write_names(s));
    return ubi__native_session_flush(s);
}

/* The file gets what there is soon at the start, then once a second. */
static bool is_time_to_flush(ubi__native_session *s) {
    uint64_t now = ubi__native_now_ns(), age = now - s->face.zero_ns;
    if (now < s->flush_ns)
        return false;
    s->flush_ns = now + (age / 2 < FIRST_FLUSH_NS ? FIRST_FLUSH_NS : age / 2 > FLUSH_NS ? FLUSH_NS : age / 2);
    return true;
}

void ubi__native_session_take_stock(ubi__native_session *s) {
    if (!s->has_ended && session_works(s))
        ubi__native_session_note(s, take_stock(s, is_time_to_flush(s)));
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
    if (!s->is_dead && !s->is_trampled)
        ubi__preload_collector_end_after(s->collector, atomic_load(&s->area.header->stamp));
    ubi__preload_area_stop(&s->area);
}

/* ---- the end ------------------------------------------------------------------------------------------------------ */

/* What is of no more use once the process is over, for many sessions may wait for their symbols. */
static void session_release(ubi__native_session *s) {
    ubi__native_look_free(s->look);
    s->look = NULL;
    ubi__preload_collector_free(s->collector);
    s->collector = NULL;
    ubi__preload_area_free(&s->area);
    if (s->pidfd >= 0)
        close(s->pidfd);
    s->pidfd = -1;
    if (s->socket >= 0)
        close(s->socket);
    s->socket = -1;
}

static ubi_status write_end(ubi__native_session *s, const ubi__ubirec_end *end) {
    uint64_t now = s->is_dead ? s->died_ns : ubi__native_now_ns();
    session_lock_live(s);
    ubi_status status = ubi__preload_collector_finish(s->collector);
    session_unlock_live(s);
    UBI_TRY(status);
    if (!s->has_given_up) { /* else it was over at its last event */
        UBI_TRY(write_resident(s));
        UBI_TRY(ubi__ubirec_write_time(s->writer, now > s->began_ns ? now - s->began_ns : 0));
        UBI_TRY(write_peak_resident(s));
    }
    UBI_TRY(ubi__native_unrecorded_look_for_malloc(s));
    UBI_TRY(take_look(s));
    UBI_TRY(write_counters(s));
    UBI_TRY(ubi__native_unrecorded_write(s));
    UBI_TRY(ubi__ubirec_write_end(s->writer, end));
    return ubi__ubirec_flush(s->writer);
}

void ubi__native_session_end(ubi__native_session *s, const ubi__ubirec_end *end) {
    if (s->has_ended)
        return;
    ubi__native_session_stop(s);
    if (session_works(s))
        ubi__native_session_note(s, write_end(s, end));
    session_hide(s);
    s->has_ended = true;
    s->ended_ns = s->start_ns + s->now_us * 1000;
    s->end = *end;
    ubi__preload_collector_counters(s->collector, &s->counters);
    session_release(s);
    if (session_works(s))
        ubi__native_session_check(s);
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
    ubi__native_module *module = &s->modules.at[UBI_INDEX(frame->module, s->modules.n)];
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
    UBI_ASSERT(s->has_ended && !s->is_done);
    if (session_works(s) && s->n_symbolized < s->frames.n)
        ubi__native_session_note(s, symbolize_frame(s, &s->frames.at[s->n_symbolized++], symbolizer));
    return session_works(s) && s->n_symbolized < s->frames.n;
}

static ubi_status write_raw_names(ubi__native_session *s, const ubi__perf_map *map) {
    for (size_t i = 0; i < s->raw.n; i++) {
        ubi__perf_name name = ubi__perf_name_read(ubi__perf_map_name(map, &s->raw.at[i]));
        ubi__ubirec_symbol symbol = { name.function, name.file, name.line, name.column };
        if (s->raw.at[i].name_bytes)
            UBI_TRY(ubi__ubirec_write_symbols(s->writer, s->raw.at[i].payload, &symbol, 1));
    }
    return UBI_OK;
}

/* Code that was made at run time has the names that the program wrote down, as long as its map is there. */
static ubi_status name_raw_frames(ubi__native_session *s) {
    ubi__perf_map map;
    if (s->raw.n == 0)
        return UBI_OK;
    ubi__perf_map_init(&map, &s->raw, s->allocator);
    uint64_t since_ns = s->began_unix_ns > NS_PER_S ? s->began_unix_ns - NS_PER_S : 0; /* clocks of files are coarse */
    ubi_status status = ubi__perf_map_read_file(&map, s->map_path, since_ns);
    if (status == UBI_OK)
        status = write_raw_names(s, &map);
    ubi__perf_map_fini(&map);
    return status;
}

void ubi__native_session_finish(ubi__native_session *s) {
    char time[UBI__HUMAN_TEXT];
    if (session_works(s))
        ubi__native_session_note(s, name_raw_frames(s));
    if (session_works(s))
        ubi__native_session_note(s, ubi__ubirec_finish(s->writer));
    if (s->has_given_up)
        ubi__native_session_note(
            s, ubi__fail(UBI_EIO,
                         "recording was over %s after the start because ubiheap freed nothing for 30 s; how much was "
                         "lost is unknown",
                         ubi__human_duration(time, s->ended_ns / 1000)));
    if (s->counters.is_trampled)
        ubi__native_session_note(
            s,
            ubi__fail(UBI_EFORMAT, "the program wrote over the memory that it shares with the recorder, and how many "
                                   "events were lost by that is unknown"));
    if (s->fd >= 0 && close(s->fd) < 0 && session_works(s))
        ubi__native_session_note(s, ubi__fail_errno(errno, "cannot write"));
    s->fd = -1;
}

void ubi__native_session_free(ubi__native_session *s) {
    const ubi_allocator *a = s->allocator;
    if (s->clock)
        ubi__native_session_stop(s);
    session_hide(s);
    session_release(s);
    ubi__ubirec_writer_free(s->writer);
    if (s->fd >= 0)
        close(s->fd);
    ubi__free_array(a, s->path, s->path_bytes, 1);
    for (size_t i = 0; i < s->modules.n; i++)
        ubi__free_array(a, s->modules.at[i].path, s->modules.at[i].path_bytes + 1, 1);
    ubi__vec_script_class_fini(&s->script_classes, a);
    ubi__vec_native_module_fini(&s->modules, a);
    ubi__vec_native_frame_fini(&s->frames, a);
    ubi__vec_perf_address_fini(&s->raw, a);
    ubi__vec_native_thread_fini(&s->threads, a);
    ubi__vec_native_unrecorded_fini(&s->unrecorded, a);
    ubi__vec_u8_fini(&s->details, a);
    ubi__vec_u8_fini(&s->cut, a);
    UBI_DELETE(a, s);
}
