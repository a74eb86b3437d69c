/* SPDX-License-Identifier: MIT
 *
 * token_file.h: a server's token that is the same each time, in a file that only its owner can read.
 */
#ifndef UBI_CLI_TOKEN_FILE_H
#define UBI_CLI_TOKEN_FILE_H

#include "http/guard.h"

/**
 * Reads the token; or makes the file with a random token, for its owner alone. Of several processes that make it at the same
 * time one does, and the others read that. Blocks.
 * Errors: UBI_EINVAL (others can read it, it belongs to another user, or holds no token), UBI_EIO, UBI_ENOMEM.
 */
ubi_status ubi__token_file_read(char out[UBI__HTTP_TOKEN_BYTES], const char *path);

#endif
