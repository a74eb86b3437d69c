/* SPDX-License-Identifier: MIT
 *
 * standard_output.h: standard output as a buffered text stream that knows why it failed.
 */
#ifndef UBI_CLI_STANDARD_OUTPUT_H
#define UBI_CLI_STANDARD_OUTPUT_H

#include "render/out.h"

typedef struct ubi__standard_output {
    ubi__out out;
    int fd;
    bool reader_gone; /**< the other end of the pipe was closed: stop, but nothing is wrong */
    int error;        /**< errno of the first failed write, or 0 */
} ubi__standard_output;

void ubi__standard_output_init(ubi__standard_output *output, int fd);
/** UBI_OK; UBI_EIO with a message that says why; UBI_ECANCELLED when the user interrupted. */
ubi_status ubi__standard_output_flush(ubi__standard_output *output);

#endif
