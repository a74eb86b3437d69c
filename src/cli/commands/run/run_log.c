/* SPDX-License-Identifier: MIT
 *
 * run_log.c: see run_log.h.
 */
#include "cli/commands/run/run_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/status.h"
#include "render/result_json.h"

/* ---- the file ----------------------------------------------------------------------------------------------------- */

static bool write_fully(void *payload, const void *data, size_t n) {
    ubi__run_log *log = payload;
    const char *from = data;
    while (n > 0) {
        ssize_t written = write(log->fd, from, n);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            log->error = errno;
            return false;
        }
        from += written;
        n -= (size_t)written;
    }
    return true;
}

static void begin_line(ubi__json *json, ubi__run_log *log, const char *record) {
    ubi__json_init(json, ubi__out_write, log->out, false);
    ubi__json_object_begin(json);
    if (strcmp(record, "header") == 0) {
        ubi__json_member_string(json, "schema", "ubiheap.allocation-log/1");
    }
    ubi__json_member_string(json, "record", record);
}

static void end_line(ubi__json *json, ubi__run_log *log) {
    ubi__json_object_end(json);
    if (ubi__json_flush(json) == UBI_OK)
        ubi__out_char(log->out, '\n');
}

static void write_header(ubi__run_log *log, const char *script, double probability) {
    ubi__json json;
    begin_line(&json, log, "header");
    ubi__json_member_string(&json, "script", script);
    ubi__json_member_double(&json, "samplingProbability", probability);
    end_line(&json, log);
}

ubi_status ubi__run_log_open(ubi__run_log *log, const char *path, const char *script, double probability) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return ubi__fail_errno(errno, "cannot create %s", path);
    ubi__out *out = malloc(sizeof *out);
    if (!out) {
        close(fd);
        return ubi__fail_nomem();
    }
    *log = (ubi__run_log){ .out = out, .fd = fd };
    ubi__out_init(out, write_fully, log);
    write_header(log, script, probability);
    return UBI_OK;
}

void ubi__run_log_flush(ubi__run_log *log) {
    if (log->out)
        ubi__out_flush(log->out);
}

ubi_status ubi__run_log_close(ubi__run_log *log) {
    ubi__json json;
    if (!log->out)
        return UBI_OK;
    begin_line(&json, log, "end");
    ubi__json_member_u64(&json, "entries", log->entries);
    ubi__json_member_bool(&json, "lost", log->has_lost_some);
    end_line(&json, log);
    ubi__out_flush(log->out);
    free(log->out);
    log->out = NULL;
    for (size_t i = 0; i < UBI__RUN_LOG_STACKS; i++)
        ubi__vec_u8_fini(&log->stacks[i].json, ubi_allocator_default());
    if (close(log->fd) < 0 && log->error == 0)
        log->error = errno;
    return log->error ? ubi__fail_errno(log->error, "cannot write") : UBI_OK;
}

/* ---- allocations -------------------------------------------------------------------------------------------------- */

typedef struct sink {
    ubi__run_log *log;
    unsigned worker;
} sink;

#define DIGITS 24

/* Backwards from `end`. Numbers are most of a line: this is ten times faster than the general way. */
static char *write_digits(char *end, uint64_t value, unsigned least) {
    char *p = end;
    for (unsigned n = 0; value || n < least; n++, value /= 10)
        *--p = (char)('0' + value % 10);
    return p;
}

static void write_whole(ubi__json *json, uint64_t value) {
    char digits[DIGITS], *end = digits + sizeof digits, *start = write_digits(end, value, 1);
    ubi__json_raw(json, (ubi_text){ start, (size_t)(end - start) });
}

/* Microseconds as milliseconds, without zeros at the end. */
static void write_time(ubi__json *json, double ms) {
    uint64_t us = (uint64_t)(ms * 1000 + 0.5);
    char digits[2 * DIGITS], *end = digits + sizeof digits, *p = write_digits(end, us % 1000, 3);
    *--p = '.';
    p = write_digits(p, us / 1000, 1);
    while (end[-1] == '0')
        end--;
    end -= end[-1] == '.';
    ubi__json_raw(json, (ubi_text){ p, (size_t)(end - p) });
}

static bool log_keep(void *payload, const void *data, size_t n) {
    ubi__vec_u8 *to = payload;
    if (ubi__vec_u8_reserve(to, ubi_allocator_default(), n) != UBI_OK)
        return false;
    memcpy(to->at + to->n, data, n);
    to->n += n;
    return true;
}

static void write_stack(ubi__json *json, ubi__run_log *log, ubi_stack stack) {
    ubi__run_log_stack *s = &log->stacks[stack.ref % UBI__RUN_LOG_STACKS];
    if (!s->is_known || s->ref != stack.ref) {
        ubi__json own;
        s->json.n = 0;
        s->ref = stack.ref;
        ubi__json_init(&own, log_keep, &s->json, false);
        ubi__render_stack(&own, stack);
        s->is_known = ubi__json_flush(&own) == UBI_OK;
    }
    if (s->is_known)
        ubi__json_raw(json, (ubi_text){ (const char *)s->json.at, s->json.n });
    else
        ubi__render_stack(json, stack);
}

static bool write_allocation(void *payload, const ubi_logged_allocation *a) {
    const sink *to = payload;
    ubi__json json;
    begin_line(&json, to->log, "allocation");
    if (to->worker) {
        ubi__json_member_u64(&json, "worker", to->worker);
    }
    ubi__json_key(&json, "timestamp");
    write_time(&json, a->timestamp_ms);
    ubi__json_member_text(&json, "class", a->class_name);
    ubi__json_member_text(&json, "constructor", a->constructor_name);
    ubi__json_key(&json, "size");
    write_whole(&json, a->size_bytes);
    ubi__json_key(&json, "stack");
    if (a->has_frame)
        write_stack(&json, to->log, a->frame);
    else
        ubi__json_null(&json);
    end_line(&json, to->log);
    to->log->entries++;
    return true;
}

static void write_loss(ubi__run_log *log, unsigned worker) {
    ubi__json json;
    log->has_lost_some = true;
    begin_line(&json, log, "lost");
    if (worker) {
        ubi__json_member_u64(&json, "worker", worker);
    }
    end_line(&json, log);
}

/* What was lost is older than all that is left. */
void ubi__run_log_drain(ubi__run_log *log, ubi__observer *observer, unsigned worker) {
    sink to = { log, worker };
    if (!log->out)
        return;
    for (size_t i = 0; i < UBI__RUN_LOG_STACKS; i++)
        log->stacks[i].is_known = false;
    if (observer->log.has_overflowed)
        write_loss(log, worker);
    (void)ubi__observer_drain(observer, write_allocation, &to);
}
