/* SPDX-License-Identifier: MIT
 *
 * token_file.h: a server's token that is the same each time, in a file that only its owner can read.
 */
#ifndef UBI_CLI_TOKEN_FILE_H
#define UBI_CLI_TOKEN_FILE_H

#include <ubiheap/server/http.h>

#include "cli/command.h"
#include "http/guard.h"

/**
 * Reads the token; or makes the file with a random token, for its owner alone. Of several processes that make it at the same
 * time one does, and the others read that. Blocks.
 * Errors: UBI_EINVAL (others can read it, it belongs to another user, or holds no token), UBI_EIO, UBI_ENOMEM.
 */
ubi_status ubi__token_file_read(char out[UBI__HTTP_TOKEN_BYTES], const char *path);

/** Has a server use it; what is wrong is said of the file. @param token  for as long as the options. @param path  NULL: a token of its own. */
ubi_status ubi__token_file_use(ubi_http_options *options, char token[UBI__HTTP_TOKEN_BYTES], ubi__cli *cli,
                               const char *path);
/** The port of --port. Errors: UBI_EINVAL. */
ubi_status ubi__port_read(ubi_http_options *options, uint64_t port);

#endif
