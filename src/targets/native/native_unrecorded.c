/* SPDX-License-Identifier: MIT
 *
 * native_unrecorded.c: see native_unrecorded.h.
 */
#include "targets/native/native_unrecorded.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text.h"
#include "targets/native/native_program.h"

static ubi_status add_unrecorded(ubi__native_session *s, const char *name, size_t n_name, uint64_t count,
                                 ubi__unrecorded why) {
    ubi__native_unrecorded row = { .count = count, .why = why };
    if (count == 0)
        return UBI_OK;
    snprintf(row.name, sizeof row.name, "%.*s", (int)(n_name < sizeof row.name ? n_name : sizeof row.name - 1), name);
    return ubi__vec_native_unrecorded_push(&s->unrecorded, s->allocator, row);
}

ubi_status ubi__native_session_note_unrecorded(ubi__native_session *s, const char *name, ubi__unrecorded why) {
    s->unrecorded.n = s->n_unrecorded_known;
    UBI_TRY(add_unrecorded(s, name, strlen(name), 1, why));
    s->n_unrecorded_known = s->unrecorded.n;
    return UBI_OK;
}

/* What the program says on the socket, when it cannot take part, it says once. */
static ubi_status hear_why_not(ubi__native_session *s, ubi_text name) {
    uint8_t why;
    if (s->socket < 0 || recv(s->socket, &why, 1, MSG_DONTWAIT) != 1)
        return UBI_OK;
    close(s->socket);
    s->socket = -1;
    s->unrecorded.n = s->n_unrecorded_known;
    UBI_TRY(add_unrecorded(s, name.ptr, name.len, 1, why < UBI__UNRECORDED_COUNT ? why : UBI__UNRECORDED_REFUSED));
    s->n_unrecorded_known = s->unrecorded.n;
    return UBI_OK;
}

/* The program that the process has become, where it has not said so itself. */
static ubi_status gather_replacement(ubi__native_session *s) {
    const char *slash = strrchr(s->replaced_by, '/');
    if (!slash || (s->area.settings.flags & UBI__WIRE_FOLLOW_CHILDREN))
        return UBI_OK;
    for (size_t i = 0; i < s->unrecorded.n; i++)
        if (s->unrecorded.at[i].why == UBI__UNRECORDED_REPLACED)
            return UBI_OK;
    return add_unrecorded(s, slash + 1, strlen(slash + 1), 1, UBI__UNRECORDED_REPLACED);
}

/* All as of now. Children of fork are of the same program. */
ubi_status ubi__native_unrecorded_gather(ubi__native_session *s, const ubi__preload_counters *c) {
    const char *slash = memrchr(s->program, '/', s->program_bytes), *name = slash ? slash + 1 : s->program;
    size_t n_name = s->program_bytes - (size_t)(name - s->program);
    UBI_TRY(hear_why_not(s, (ubi_text){ name, n_name }));
    s->unrecorded.n = s->n_unrecorded_known;
    for (int why = 0; why < UBI__UNRECORDED_COUNT; why++)
        UBI_TRY(add_unrecorded(s, name, n_name, c->lost_children[why], (ubi__unrecorded)why));
    for (size_t i = 0; i < UBI__WIRE_STARTED; i++) {
        ubi__preload_started row = ubi__preload_collector_started(s->collector, i);
        if (row.name[0])
            UBI_TRY(add_unrecorded(s, row.name, strlen(row.name), row.count, row.why));
    }
    return gather_replacement(s);
}

/* Of what was to be recorded. */
uint64_t ubi__native_unrecorded_count(const ubi__native_session *s) {
    bool follows = s->area.settings.flags & UBI__WIRE_FOLLOW_CHILDREN;
    uint64_t n = 0;
    for (size_t i = 0; i < s->unrecorded.n; i++)
        n += follows || i < s->n_unrecorded_known ? s->unrecorded.at[i].count : 0;
    return n;
}

/* Where nothing was seen, that may be because another malloc was called. */
ubi_status ubi__native_unrecorded_look_for_malloc(ubi__native_session *s) {
    ubi__native_elf elf;
    char path[sizeof s->program + 1];
    if (ubi__ubirec_allocation_count(s->writer) > 0)
        return UBI_OK;
    snprintf(path, sizeof path, "%.*s", (int)s->program_bytes, s->program);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return UBI_OK;
    ubi__native_elf_look(&elf, fd);
    close(fd);
    const char *slash = strrchr(path, '/');
    return elf.has_malloc ? ubi__native_session_note_unrecorded(s, slash ? slash + 1 : path, UBI__UNRECORDED_ALLOCATOR)
                          : UBI_OK;
}

ubi_status ubi__native_unrecorded_write(ubi__native_session *s) {
    for (size_t i = 0; i < s->unrecorded.n; i++) {
        const ubi__native_unrecorded *row = &s->unrecorded.at[i];
        UBI_TRY(ubi__ubirec_write_started(s->writer, ubi__text(row->name), row->count, row->why));
    }
    return UBI_OK;
}
