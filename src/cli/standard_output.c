/* SPDX-License-Identifier: MIT
 *
 * standard_output.c: writing to a descriptor until everything is out, the reader is gone or the user interrupts.
 */
#include "cli/standard_output.h"

#include <errno.h>
#include <unistd.h>

#include "base/status.h"
#include "cli/interrupt.h"

static bool write_fully(void *payload, const void *data, size_t n) {
    ubi__standard_output *output = payload;
    const char *from = data;
    while (n > 0) {
        if (ubi__interrupted())
            return false;
        ssize_t written = write(output->fd, from, n);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            output->reader_gone = errno == EPIPE;
            output->error = errno;
            return false;
        }
        from += written;
        n -= (size_t)written;
    }
    return true;
}

void ubi__standard_output_init(ubi__standard_output *output, int fd) {
    ubi__out_init(&output->out, write_fully, output);
    output->fd = fd;
    output->reader_gone = false;
    output->error = 0;
}

ubi_status ubi__standard_output_flush(ubi__standard_output *output) {
    if (ubi__out_flush(&output->out) == UBI_OK)
        return UBI_OK;
    if (output->error == 0)
        return ubi__fail_cancelled();
    return ubi__fail_errno(output->error, "cannot write to standard output");
}
