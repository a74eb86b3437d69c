/* SPDX-License-Identifier: MIT
 *
 * guard.h: who may ask: the token, and the headers with which a browser says where a request comes from. Functions of texts alone.
 *
 * A page of another site can make a browser send requests here, under a name that it lets point to this machine (DNS rebinding), or with
 * our cookie. So the header Host must name an address of ours, Origin, if it is there, must be ours, and all else is behind a token.
 */
#ifndef UBI_HTTP_GUARD_H
#define UBI_HTTP_GUARD_H

#include <ubiheap/core/base.h>

#include <stdbool.h>
#include <stdint.h>

#define UBI__HTTP_TOKEN_BYTES 33 /**< 128 bits in hexadecimal, and a NUL */

/** What the server is. */
typedef struct ubi__http_guard {
    char token[UBI__HTTP_TOKEN_BYTES];
    char cookie[32];    /**< its name, which has the port: browsers send cookies to all ports */
    const char *listen; /**< the address, in words */
    bool is_any; /**< it listens on all addresses: then Host must be one in digits, which no name can be made to be */
    uint16_t port;
} ubi__http_guard;

/** Of a request; NULL: the header, or the value of the query, is not there. */
typedef struct ubi__http_claims {
    const char *host, *origin, *authorization, *cookie, *token;
} ubi__http_claims;

/** A random token. Errors: UBI_EIO. */
ubi_status ubi__http_token_make(char out[UBI__HTTP_TOKEN_BYTES]);
/** Whether a text can be a token: 32 digits of a hexadecimal number. */
bool ubi__http_is_token(const char *text);

typedef enum ubi__http_verdict {
    UBI__HTTP_MAY_ENTER,
    UBI__HTTP_WRONG_HOST,
    UBI__HTTP_WRONG_ORIGIN,
    UBI__HTTP_WRONG_TOKEN
} ubi__http_verdict;

/** Compares tokens in a time that does not depend on them. Sets the message. */
ubi__http_verdict ubi__http_guard_judge(const ubi__http_guard *guard, const ubi__http_claims *claims);

#endif
