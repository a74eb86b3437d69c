/* SPDX-License-Identifier: MIT
 *
 * remote.c: see remote.h.
 */
#include "targets/remote.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/status.h"
#include "base/text.h"

/* What follows "://"; NULL: the path has another scheme, or none. Capitals are the same. */
static const char *scheme_skip(const char *path, const ubi__remote_scheme *scheme) {
    size_t n = strlen(scheme->name);
    return strncasecmp(path, scheme->name, n) == 0 && strncmp(path + n, "://", 3) == 0 ? path + n + 3 : NULL;
}

/* What follows the colon of a process; NULL: the path has another scheme, or one without processes, or is of a host. */
static const char *process_skip(const char *path, const ubi__remote_scheme *scheme) {
    size_t n = strlen(scheme->name);
    bool is_process = scheme->has_processes && strncasecmp(path, scheme->name, n) == 0 && path[n] == ':' &&
                      ubi__is_digit(path[n + 1]);
    return is_process ? path + n + 1 : NULL;
}

bool ubi__remote_is_address(const char *path, const ubi__remote_scheme *const *schemes) {
    for (; schemes && *schemes; schemes++)
        if (scheme_skip(path, *schemes) || process_skip(path, *schemes))
            return true;
    return false;
}

static bool number_read(uint64_t *out, ubi_text text) {
    uint64_t n = 0;
    if (text.len == 0 || text.len > 15)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (!ubi__is_digit(text.ptr[i]))
            return false;
        n = 10 * n + (uint64_t)(text.ptr[i] - '0');
    }
    *out = n;
    return true;
}

/* What is wrong with it, if that can be said; `at`: what follows the scheme. */
static const char *address_fault(const char *at) {
    const char *end = at + strcspn(at, "/");
    const char *colon = memchr(at, ':', (size_t)(end - at));
    if (strncmp(end, "/tab/0", 6) == 0)
        return ": tabs are counted from 1";
    if (*at == '[' || !colon)
        return "";
    if (memchr(colon + 1, ':', (size_t)(end - colon - 1)))
        return ": an address of IPv6 needs brackets, as in [::1]:6000";
    uint64_t port = 0;
    bool is_port = number_read(&port, (ubi_text){ colon + 1, (size_t)(end - colon - 1) }) && port - 1 < UINT16_MAX;
    return is_port ? "" : ": a port is a number from 1 to 65535";
}

static ubi_status address_refuse(const char *path, const char *at) {
    return ubi__fail(UBI_EINVAL, "'%s' is not SCHEME://HOST[:PORT][/tab/N] or .../process/N%s", path,
                     address_fault(at));
}

static ubi_status process_refuse(const char *path, const ubi__remote_scheme *scheme) {
    return ubi__fail(UBI_EINVAL, "'%s' is not %s:PID, with the number of a process", path, scheme->name);
}

/* With the schemes that there are. */
static ubi_status scheme_refuse(const char *path, const ubi__remote_scheme *const *schemes) {
    char names[128] = "";
    size_t n = 0;
    for (size_t i = 0; schemes[i]; i++) {
        size_t length = strlen(schemes[i]->name);
        if (schemes[i]->has_processes && strncasecmp(path, schemes[i]->name, length) == 0 && path[length] == ':')
            return process_refuse(path, schemes[i]);
    }
    for (; *schemes && n < sizeof names; schemes++)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", n ? ", " : "", (*schemes)->name);
    return ubi__fail(UBI_EINVAL, "'%s' is not SCHEME://HOST[:PORT] with one of these schemes: %s", path, names);
}

static const char *name_of(const ubi__remote_address *address) {
    return address->name ? address->name : address->text;
}

bool ubi__remote_name_fits(const ubi__remote_address *address, ubi_text title, ubi_text url) {
    const ubi_text name = ubi__text(name_of(address));
    return ubi__text_contains(title, name) || ubi__text_contains(url, name);
}

ubi_status ubi__remote_fail_missing(const ubi__remote_address *address, uint64_t n) {
    static const char *const kinds[] = {
        [UBI__REMOTE_TAB] = "tab", [UBI__REMOTE_PROCESS] = "process", [UBI__REMOTE_WORKER] = "worker thread"
    };
    if (address->choice == UBI__REMOTE_NAMED)
        return ubi__fail(UBI_ENOTFOUND, "has nothing with '%s' in its title or address; 'attach' lists what there is",
                         name_of(address));
    return ubi__fail(UBI_ENOTFOUND, "has no %s %llu: there %s %llu", kinds[address->choice],
                     (unsigned long long)address->number, n == 1 ? "is" : "are", (unsigned long long)n);
}

/* HOST[:PORT]; of IPv6 [HOST][:PORT]. */
static bool host_read(ubi__remote_address *out, ubi_text text) {
    bool has_brackets = ubi__text_begins(text, "[");
    const char *end = has_brackets ? memchr(text.ptr, ']', text.len) : memchr(text.ptr, ':', text.len);
    uint64_t port = out->port;
    if (has_brackets && !end)
        return false;
    ubi_text host = { text.ptr + has_brackets, (end ? (size_t)(end - text.ptr) : text.len) - has_brackets };
    ubi_text rest = { host.ptr + host.len + has_brackets, text.len - host.len - 2 * (size_t)has_brackets };
    if (rest.len > 0 && (*rest.ptr != ':' || !number_read(&port, (ubi_text){ rest.ptr + 1, rest.len - 1 })))
        return false;
    if (host.len == 0 || host.len >= sizeof out->host || port == 0 || port > UINT16_MAX)
        return false;
    memcpy(out->host, host.ptr, host.len);
    out->host[host.len] = '\0';
    out->port = (uint16_t)port;
    return true;
}

/* Tabs of that name; their numbers change with the order of the list. */
static bool tab_name_read(ubi__remote_address *out, ubi_text name) {
    if (!out->scheme->has_names || name.len == 0 || name.len >= sizeof out->text)
        return false;
    memcpy(out->text, name.ptr, name.len);
    out->text[name.len] = '\0';
    out->choice = UBI__REMOTE_NAMED;
    return true;
}

/* "", "/", "/tab/N", "/tab/TEXT" where there are names, "/process/N", or, where a program has them, "/worker/N". */
static bool choice_read(ubi__remote_address *out, ubi_text text) {
    static const struct {
        const char *word;
        ubi__remote_choice choice;
        uint64_t least;
    } choices[] = { { "/tab/", UBI__REMOTE_TAB, 1 },
                    { "/process/", UBI__REMOTE_PROCESS, 0 },
                    { "/worker/", UBI__REMOTE_WORKER, 0 } };
    if (text.len == 0 || ubi__text_is(text, "/"))
        return true;
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        size_t n = strlen(choices[i].word);
        if (!ubi__text_begins(text, choices[i].word) ||
            (choices[i].choice == UBI__REMOTE_WORKER && !out->scheme->has_workers))
            continue;
        const ubi_text rest = { text.ptr + n, text.len - n };
        out->choice = choices[i].choice;
        if (number_read(&out->number, rest))
            return out->number >= choices[i].least;
        return choices[i].choice == UBI__REMOTE_TAB && tab_name_read(out, rest);
    }
    return false;
}

/* A path of the other side's: characters that can be in a request of HTTP. */
static bool path_read(ubi__remote_address *out, const char *path) {
    size_t n = strlen(path);
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)path[i] <= ' ' || (unsigned char)path[i] >= 0x7f)
            return false;
    if (n >= sizeof out->path)
        return false;
    memcpy(out->path, path, n + 1);
    return true;
}

/* NAME:PID[/tab/N | /worker/N]. */
static ubi_status process_read(ubi__remote_address *out, const char *path, const char *at) {
    size_t n = strcspn(at, "/");
    uint64_t pid = 0;
    if (!number_read(&pid, (ubi_text){ at, n }) || pid == 0 || pid > INT32_MAX || !choice_read(out, ubi__text(at + n)))
        return process_refuse(path, out->scheme);
    out->pid = (uint32_t)pid;
    return UBI_OK;
}

ubi_status ubi__remote_address_parse(ubi__remote_address *out, const char *path,
                                     const ubi__remote_scheme *const *schemes) {
    *out = (ubi__remote_address){ .choice = UBI__REMOTE_ANY };
    const char *at = NULL;
    for (size_t i = 0; schemes[i] && !at; i++) {
        const char *process = process_skip(path, schemes[i]);
        at = scheme_skip(path, schemes[i]);
        out->scheme = schemes[i];
        if (process)
            return process_read(out, path, process);
    }
    if (!at)
        return scheme_refuse(path, schemes);
    out->port = out->scheme->port;
    size_t n = strcspn(at, "/");
    bool is_read = host_read(out, (ubi_text){ at, n }) &&
                   (out->scheme->has_paths ? path_read(out, at + n) : choice_read(out, ubi__text(at + n)));
    if (!is_read)
        return address_refuse(path, at);
    return UBI_OK;
}
