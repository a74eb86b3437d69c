/* SPDX-License-Identifier: MIT
 *
 * finish.c: see finish.h.
 */
#include "cli/finish.h"

#include <unistd.h>

#include "base/text.h"
#include "cli/exit_code.h"
#include "cli/terminal.h"

/* Large buffer, one per process. */
static ubi__standard_output standard_error;

/* Made safe: messages quote file names, arguments and strings of snapshots. */
void ubi__print_line(const char *subject, const char *message) {
    ubi__style style = ubi__terminal_style(STDERR_FILENO, "never");
    ubi__out *out = &standard_error.out;
    ubi__standard_output_init(&standard_error, STDERR_FILENO);
    ubi__out_string(out, "ubiheap: ");
    if (subject) {
        ubi__display_text(out, &style, ubi__text(subject), SIZE_MAX);
        ubi__out_string(out, ": ");
    }
    ubi__display_text(out, &style, ubi__text(message), SIZE_MAX);
    ubi__out_char(out, '\n');
    ubi__out_flush(out);
}

int ubi__finish(ubi__cli *cli, ubi_status status, int exit_code) {
    const char *subject = cli->subject;
    ubi__standard_output *output = cli->output;
    ubi__progress_line_clear(&cli->progress);
    /* A failed write is why the command stopped, if it did: it comes first. */
    if (status == UBI_OK || output->out.failed) {
        ubi_status written = ubi__standard_output_flush(output);
        if (written != UBI_OK) {
            status = written;
            subject = NULL;
        }
    }
    if (cli->reason[0] && (status == UBI_OK || output->reader_gone))
        ubi__print_line(cli->subject, cli->reason);
    if (output->reader_gone)
        return exit_code;
    if (status == UBI_OK)
        return exit_code;
    if (status != UBI_ECANCELLED)
        ubi__print_line(subject, ubi_error_message());
    return ubi__exit_code(status);
}
