/* SPDX-License-Identifier: MIT
 *
 * record_ring.c: see record_ring.h.
 */
#include "cli/commands/record/record_ring.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/status.h"
#include "cli/recording_symbols.h"
#include "recording/recording_sites.h"
#include "recording/ubirec_reader.h"
#include "render/recording_export.h"

#define ENDING ".pb.gz"
#define TIME_BYTES (sizeof "20261128T081500Z" - 1)
#define FILE_BYTES 4096

struct ubi__record_ring {
    const ubi_allocator *allocator;
    char name[FILE_BYTES - 64];
    uint64_t every_ns, next_ns, keep;
    uint64_t n_written;
    char newest[FILE_BYTES];
    bool with_symbols;
    /* What was recorded: blocks come one at a time, and are read at once. */
    const uint8_t *block;
    size_t block_bytes, block_read;
    ubi__source source;
    ubi__ubirec_reader *reader; /* NULL: nothing has come */
    ubi__recording_summary summary;
    size_t n_named;    /* frames whose names were looked for */
    ubi_status status; /* not UBI_OK: nothing more is written */
    char message[512];
};

static void ring_note(ubi__record_ring *ring, ubi_status status) {
    if (status == UBI_OK || ring->status != UBI_OK)
        return;
    ring->status = status;
    snprintf(ring->message, sizeof ring->message, "%s", ubi_error_message());
}

/* ---- what is recorded ------------------------------------------------------------------------------------------------ */

static ptrdiff_t block_give(void *payload, void *buffer, size_t size_bytes) {
    ubi__record_ring *ring = payload;
    size_t n = ring->block_bytes - ring->block_read;
    if (n > size_bytes)
        n = size_bytes;
    memcpy(buffer, ring->block + ring->block_read, n);
    ring->block_read += n;
    return (ptrdiff_t)n;
}

/* The first thing that comes is the header of a file. */
static ubi_status reader_begin(ubi__record_ring *ring) {
    ubi__source_open_callback(&ring->source, block_give, ring, ring->allocator);
    ring->source.is_retaining = false;
    return ubi__ubirec_reader_new(&ring->reader, &ring->source, ring->allocator);
}

static ubi_status block_take(ubi__record_ring *ring) {
    const ubi__ubirec_record *record;
    if (!ring->reader)
        UBI_TRY(reader_begin(ring));
    ubi__ubirec_reader_resume(ring->reader);
    for (;;) {
        UBI_TRY(ubi__ubirec_next(ring->reader, &record));
        if (!record)
            return UBI_OK;
        UBI_TRY(ubi__recording_summary_add(&ring->summary, record));
    }
}

static void on_bytes(void *payload, const void *data, size_t n) {
    ubi__record_ring *ring = payload;
    if (ring->status != UBI_OK)
        return;
    ring->block = data;
    ring->block_bytes = n;
    ring->block_read = 0;
    ring_note(ring, block_take(ring));
}

/* ---- profiles -------------------------------------------------------------------------------------------------------- */

static bool is_digits(const char *text, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (text[i] < '0' || text[i] > '9')
            return false;
    return true;
}

/* Whether a file is one of ours: BASE.YYYYMMDDTHHMMSSZ.pb.gz. */
static bool is_profile(const char *file, const char *base) {
    size_t n = strlen(base);
    const char *at = file + n + 1;
    return strncmp(file, base, n) == 0 && file[n] == '.' && strlen(at) == TIME_BYTES + sizeof ENDING - 1 &&
           is_digits(at, 8) && at[8] == 'T' && is_digits(at + 9, 6) && at[15] == 'Z' &&
           strcmp(at + TIME_BYTES, ENDING) == 0;
}

/* Names order as times do. */
static bool oldest_find(DIR *folder, const char *base, char oldest[NAME_MAX + 1], uint64_t *n) {
    *n = 0;
    oldest[0] = '\0';
    rewinddir(folder);
    for (struct dirent *e; (e = readdir(folder));) {
        if (!is_profile(e->d_name, base))
            continue;
        ++*n;
        if (!oldest[0] || strcmp(e->d_name, oldest) < 0)
            snprintf(oldest, NAME_MAX + 1, "%s", e->d_name);
    }
    return oldest[0] != '\0';
}

/* Also those of earlier runs. */
static ubi_status old_ones_remove(const ubi__record_ring *ring) {
    char path[FILE_BYTES], oldest[NAME_MAX + 1];
    const char *slash = strrchr(ring->name, '/'), *base = slash ? slash + 1 : ring->name;
    uint64_t n;
    snprintf(path, sizeof path, "%.*s", slash ? (int)(slash - ring->name + 1) : 2, slash ? ring->name : "./");
    DIR *folder = opendir(path);
    if (!folder)
        return ubi__fail_errno(errno, "cannot look into '%s'", path);
    ubi_status status = UBI_OK;
    while (status == UBI_OK && oldest_find(folder, base, oldest, &n) && n > ring->keep)
        if (unlinkat(dirfd(folder), oldest, 0) < 0 && errno != ENOENT)
            status = ubi__fail_errno(errno, "cannot remove '%s'", oldest);
    closedir(folder);
    return status;
}

/* One that has a name already is given to the second after it, so that names stay in order. */
static void file_name(ubi__record_ring *ring, char out[FILE_BYTES]) {
    char when[32];
    time_t now = time(NULL);
    struct tm parts;
    for (;; now++) {
        gmtime_r(&now, &parts);
        strftime(when, sizeof when, "%Y%m%dT%H%M%SZ", &parts);
        snprintf(out, FILE_BYTES, "%s.%s" ENDING, ring->name, when);
        if (strcmp(out, ring->newest) > 0)
            return;
    }
}

static bool file_write(void *file, const void *data, size_t n) {
    return ubi__atomic_file_write(file, data, n) == UBI_OK;
}

static ubi_status profile_render(ubi__atomic_file *file, const ubi__recording_summary *summary,
                                 const ubi_allocator *allocator) {
    ubi__sites sites;
    UBI_TRY(ubi__sites_init(&sites, summary, true, allocator));
    const ubi__stack_choice choice = { .sites = &sites, .of_class = UBI__UBIREC_HEAP };
    ubi_status status = ubi__render_pprof(file_write, file, &choice, true, allocator);
    ubi__sites_fini(&sites);
    return status;
}

/* Looked for once: what has no name now has none later, except for libraries that are loaded meanwhile. */
static ubi_status names_add(ubi__record_ring *ring) {
    ubi__ubirec_tables *tables = &ring->summary.tables;
    if (!ring->with_symbols || tables->frames.n == ring->n_named)
        return UBI_OK;
    ring->n_named = tables->frames.n;
    return ubi__recording_name_frames(tables, NULL, NULL);
}

static ubi_status profile_write(ubi__record_ring *ring) {
    char path[FILE_BYTES];
    ubi__recording_summary now;
    ubi__atomic_file file;
    UBI_TRY(names_add(ring));
    UBI_TRY(ubi__recording_summary_view(&now, &ring->summary, ring->allocator));
    ubi__recording_summary_finish(&now);
    file_name(ring, path);
    ubi_status status = ubi__atomic_file_open(&file, path, 0, ring->allocator);
    if (status == UBI_OK) {
        status = profile_render(&file, &now, ring->allocator);
        if (status == UBI_OK)
            status = ubi__atomic_file_appear(&file);
        else
            ubi__atomic_file_discard(&file);
    }
    ubi__recording_summary_fini(&now);
    UBI_TRY(status);
    ring->n_written++;
    snprintf(ring->newest, sizeof ring->newest, "%s", path);
    return old_ones_remove(ring);
}

static void on_time(void *payload, uint64_t now_ns) {
    ubi__record_ring *ring = payload;
    if (ring->next_ns == 0)
        ring->next_ns = now_ns + ring->every_ns;
    if (ring->status != UBI_OK || !ring->reader || now_ns < ring->next_ns)
        return;
    ring->next_ns = now_ns + ring->every_ns;
    ring_note(ring, profile_write(ring));
}

/* ---- all of it ------------------------------------------------------------------------------------------------------- */

ubi_status ubi__record_ring_start(ubi__record_ring **out, ubi__native_settings *settings, const char *name,
                                  uint64_t every_us, uint64_t keep) {
    const ubi_allocator *a = ubi_allocator_default();
    ubi__record_ring *ring = UBI_NEW(a, ubi__record_ring);
    if (!ring)
        return ubi__fail_nomem();
    ring->allocator = a;
    ring->every_ns = every_us * 1000;
    ring->keep = keep;
    ring->with_symbols = settings->with_symbols;
    if ((size_t)snprintf(ring->name, sizeof ring->name, "%s", name) >= sizeof ring->name) {
        UBI_DELETE(a, ring);
        return ubi__fail(UBI_EINVAL, "the name of the profiles is too long");
    }
    ubi_status status = ubi__recording_summary_init(&ring->summary, a);
    if (status != UBI_OK) {
        UBI_DELETE(a, ring);
        return status;
    }
    settings->output = "/dev/null";
    settings->with_symbols = settings->with_markers = false; /* names are looked up here */
    settings->on_bytes = on_bytes;
    settings->on_time = on_time;
    settings->bytes_payload = ring;
    *out = ring;
    return UBI_OK;
}

ubi_status ubi__record_ring_finish(ubi__record_ring *ring, uint64_t *n_written, char newest[4096]) {
    if (ring->reader && ring->status == UBI_OK)
        ring_note(ring, profile_write(ring));
    *n_written = ring->n_written;
    snprintf(newest, FILE_BYTES, "%s", ring->newest);
    return ring->status == UBI_OK ? UBI_OK : ubi__fail(ring->status, "%s", ring->message);
}

void ubi__record_ring_free(ubi__record_ring *ring) {
    if (!ring)
        return;
    ubi__ubirec_reader_free(ring->reader);
    if (ring->reader)
        ubi__source_close(&ring->source);
    ubi__recording_summary_fini(&ring->summary);
    UBI_DELETE(ring->allocator, ring);
}
