/* SPDX-License-Identifier: MIT
 *
 * guard.c: see guard.h.
 */
#include "http/guard.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

#include <sodium.h>

#include "base/status.h"
#include "base/text.h"

#define HOST_BYTES 80

ubi_status ubi__http_token_make(char out[UBI__HTTP_TOKEN_BYTES]) {
    unsigned char bits[16];
    if (getrandom(bits, sizeof bits, 0) != (ssize_t)sizeof bits)
        return ubi__fail_errno(errno, "the system gives no random numbers");
    for (size_t i = 0; i < sizeof bits; i++)
        snprintf(out + 2 * i, 3, "%02x", bits[i]);
    return UBI_OK;
}

bool ubi__http_is_token(const char *text) {
    size_t n = 0;
    while (text[n] && ubi__hex_digit(text[n]) >= 0)
        n++;
    return n == UBI__HTTP_TOKEN_BYTES - 1 && !text[n];
}

/* ---- where it comes from ------------------------------------------------------------------------------------------------ */

/* "name:port" or "[address]:port" in two. False: it is neither, or of another port. */
static bool host_split(char name[HOST_BYTES], const char *host, uint16_t port) {
    bool has_brackets = host[0] == '[';
    const char *begin = host + has_brackets;
    size_t n = strcspn(begin, has_brackets ? "]" : ":");
    const char *after = begin + n + (has_brackets && begin[n] == ']');
    char wanted[16];
    if (n == 0 || n >= HOST_BYTES || (has_brackets && begin[n] != ']'))
        return false;
    memcpy(name, begin, n);
    name[n] = '\0';
    snprintf(wanted, sizeof wanted, ":%u", port);
    return strcmp(after, wanted) == 0 || (port == 80 && !after[0]);
}

static bool is_in_digits(const char *name) {
    unsigned char bytes[sizeof(struct in6_addr)];
    return inet_pton(AF_INET, name, bytes) == 1 || inet_pton(AF_INET6, name, bytes) == 1;
}

static bool is_loopback(const char *name) {
    return strcasecmp(name, "localhost") == 0 || strcmp(name, "127.0.0.1") == 0 || strcmp(name, "::1") == 0;
}

static bool host_is_ours(const ubi__http_guard *guard, const char *host) {
    char name[HOST_BYTES];
    if (!host || !host_split(name, host, guard->port))
        return false;
    if (guard->is_any)
        return is_loopback(name) || is_in_digits(name);
    return strcasecmp(name, guard->listen) == 0 || (is_loopback(guard->listen) && is_loopback(name));
}

/* That of the page that was loaded from the same host. */
static bool origin_is_ours(const char *origin, const char *host) {
    return !origin || (strncmp(origin, "http://", 7) == 0 && strcasecmp(origin + 7, host) == 0);
}

/* ---- the token ------------------------------------------------------------------------------------------------------------ */

static bool token_fits(const ubi__http_guard *guard, ubi_text token) {
    return token.len == UBI__HTTP_TOKEN_BYTES - 1 && sodium_memcmp(token.ptr, guard->token, token.len) == 0;
}

static bool bearer_fits(const ubi__http_guard *guard, const char *authorization) {
    static const char scheme[] = "Bearer ";
    if (!authorization || strncasecmp(authorization, scheme, sizeof scheme - 1) != 0)
        return false;
    const char *token = authorization + sizeof scheme - 1;
    return token_fits(guard, ubi__text(token + strspn(token, " ")));
}

/* One of "name=value; name=value". */
static bool cookie_fits(const ubi__http_guard *guard, const char *cookies) {
    size_t name_bytes = strlen(guard->cookie);
    for (const char *at = cookies; at && *at;) {
        size_t n = strcspn(at, ";");
        bool is_ours = n > name_bytes && at[name_bytes] == '=' && memcmp(at, guard->cookie, name_bytes) == 0;
        if (is_ours && token_fits(guard, (ubi_text){ at + name_bytes + 1, n - name_bytes - 1 }))
            return true;
        at += n + (at[n] == ';');
        at += strspn(at, " ");
    }
    return false;
}

ubi__http_verdict ubi__http_guard_judge(const ubi__http_guard *guard, const ubi__http_claims *claims) {
    if (!host_is_ours(guard, claims->host)) {
        (void)ubi__fail(UBI_EINVAL, "the header Host does not name this server: use the address that it has printed");
        return UBI__HTTP_WRONG_HOST;
    }
    if (!origin_is_ours(claims->origin, claims->host)) {
        (void)ubi__fail(UBI_EINVAL, "the header Origin names another site");
        return UBI__HTTP_WRONG_ORIGIN;
    }
    if ((claims->token && token_fits(guard, ubi__text(claims->token))) || bearer_fits(guard, claims->authorization) ||
        cookie_fits(guard, claims->cookie))
        return UBI__HTTP_MAY_ENTER;
    (void)ubi__fail(UBI_EINVAL,
                    "the token is missing or wrong: it is in the address that the server has printed; send it as "
                    "?token=, or as the header 'Authorization: Bearer TOKEN'");
    return UBI__HTTP_WRONG_TOKEN;
}
