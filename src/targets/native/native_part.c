/* SPDX-License-Identifier: MIT
 *
 * native_part.c: see native_part.h.
 */
#include "targets/native/native_part.h"

#include <unistd.h>

#include "base/status.h"

static ubi_status no_results(const ubi__native_part *p) {
    const ubi__control_facts *f = &p->facts;
    if (f->is_running)
        return ubi__fail(UBI_ESTATE, "process %d is recorded: 'ubiheap control %d stop' first", f->pid, f->pid);
    return ubi__fail(UBI_ESTATE, "nothing was recorded of process %d %s", f->pid,
                     f->first_allocation || f->first_ns ? "since it was reset" : "so far");
}

ubi_status ubi__native_part_open(ubi__native_part *out, pid_t pid, bool must_be_results) {
    ubi__native_part p = { .fd = -1 };
    const ubi__control_facts *f = &p.facts;
    UBI_TRY(ubi__control_ask(&p.facts, &p.fd, UBI__CONTROL_LOOK, pid));
    if (p.fd < 0)
        return ubi__fail(UBI_EIO, "the recorder cannot open %.200s", f->path);
    p.range = (ubi__recording_part){ f->first_allocation, f->first_ns, f->has_results ? f->end_bytes : f->file_bytes,
                                     f->has_results ? f->end_ns : f->now_ns };
    if (must_be_results && !f->has_results) {
        ubi__native_part_close(&p);
        return no_results(&p);
    }
    *out = p;
    return UBI_OK;
}

void ubi__native_part_close(ubi__native_part *p) {
    close(p->fd);
    p->fd = -1;
}

ubi_status ubi__native_part_copy(const ubi__native_part *p, ubi__write_fn write, void *to, ubi__recording_namer *namer,
                                 const ubi_progress *progress) {
    ubi__source source;
    ubi__recording_copy copy = { .part = &p->range, .namer = namer };
    if (progress)
        copy.progress = *progress;
    if (lseek(p->fd, 0, SEEK_SET) < 0)
        return ubi__fail(UBI_ESTATE, "%.200s cannot be read while it is written", p->facts.path);
    ubi__source_open_fd(&source, p->fd, ubi_allocator_default());
    ubi_status status = ubi__recording_copy_write(&copy, &source, write, to, NULL);
    ubi__source_close(&source);
    return status == UBI_OK && copy.fault[0] ? ubi__fail(UBI_EFORMAT, "%s", copy.fault) : status;
}
