/* SPDX-License-Identifier: MIT
 *
 * picture_format.h: what a picture becomes where no option says so.
 */
#ifndef UBI_CLI_PICTURE_FORMAT_H
#define UBI_CLI_PICTURE_FORMAT_H

#include <unistd.h>

#include "base/text.h"
#include "cli/command.h"

/** "json" for --json and a file that is called so, "text" on a terminal, else "svg". @param output  of --output, or NULL. */
static inline const char *ubi__picture_format(const ubi__cli *cli, const char *output) {
    if (cli->common.wants_json || (output && ubi__text_ends(ubi__text(output), ".json")))
        return "json";
    return !output && isatty(STDOUT_FILENO) ? "text" : "svg";
}

#endif
