/* SPDX-License-Identifier: MIT
 *
 * node_inspector.c: see node_inspector.h.
 */
#include "cdp/node_inspector.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"

/* States of /proc/net/tcp. */
#define LISTENS 0x0a
#define IS_CONNECTED 0x01
#define MOST_INODES 4096

/* ---- sockets of a process ------------------------------------------------------------------------------------------- */

/* Numbers of the sockets that a process has open. */
typedef struct inodes {
    uint64_t at[MOST_INODES];
    size_t n;
} inodes;

static ubi_status process_fail_errno(pid_t pid, int error) {
    if (error == ENOENT || error == ESRCH)
        return ubi__fail(UBI_ENOTFOUND, "there is no process %d", (int)pid);
    if (error == EACCES || error == EPERM)
        return ubi__fail(UBI_EIO, "process %d belongs to another user", (int)pid);
    return ubi__fail_errno(error, "cannot look at the process");
}

static ubi_status inodes_find(inodes *out, const char *root, pid_t pid) {
    char path[PATH_MAX], link[64];
    snprintf(path, sizeof path, "%s/proc/%d/fd", root, (int)pid);
    DIR *folder = opendir(path);
    if (!folder)
        return process_fail_errno(pid, errno);
    out->n = 0;
    for (struct dirent *entry; out->n < MOST_INODES && (entry = readdir(folder));) {
        ssize_t n = readlinkat(dirfd(folder), entry->d_name, link, sizeof link - 1);
        link[n > 0 ? n : 0] = '\0';
        out->n += sscanf(link, "socket:[%" SCNu64 "]", &out->at[out->n]) == 1;
    }
    closedir(folder);
    return UBI_OK;
}

static bool inodes_have(const inodes *numbers, uint64_t inode) {
    for (size_t i = 0; i < numbers->n; i++)
        if (numbers->at[i] == inode)
            return true;
    return false;
}

/* "", or all zeros, or 127.0.0.1 and ::1 in the kernel's order of bytes. */
static bool is_local(const char *address) {
    static const char *const local[] = { "00000000", "0100007F", "00000000000000000000000000000000",
                                         "00000000000000000000000001000000", "0000000000000000FFFF00000100007F" };
    for (size_t i = 0; i < sizeof local / sizeof *local; i++)
        if (strcmp(address, local[i]) == 0)
            return true;
    return false;
}

static void ports_add(ubi__node_ports *ports, unsigned port) {
    for (size_t i = 0; i < ports->n; i++)
        if (ports->at[i] == port)
            return;
    if (ports->n < UBI__NODE_PORTS)
        ports->at[ports->n++] = (uint16_t)port;
}

/* A socket of a process. */
typedef struct socket_row {
    char address[40];
    unsigned port, state;
} socket_row;

typedef void socket_each(void *payload, const socket_row *row);

/* A table of the kernel: the rows that are the process's, or all. */
static void table_read(const char *path, const inodes *numbers, socket_each *each, void *payload) {
    char line[512];
    socket_row row;
    uint64_t inode;
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, " %*d: %39[0-9A-F]:%4x %*s %2x %*s %*s %*s %*u %*d %" SCNu64, row.address, &row.port,
                   &row.state, &inode) == 4 &&
            (!numbers || inodes_have(numbers, inode)))
            each(payload, &row);
    if (file)
        fclose(file);
}

static ubi_status sockets_read(const char *root, pid_t pid, socket_each *each, void *payload) {
    char path[PATH_MAX];
    static const char *const tables[] = { "tcp", "tcp6" };
    inodes *numbers = malloc(sizeof *numbers);
    if (!numbers)
        return ubi__fail_nomem();
    ubi_status status = inodes_find(numbers, root, pid);
    for (size_t i = 0; status == UBI_OK && i < sizeof tables / sizeof *tables; i++) {
        snprintf(path, sizeof path, "%s/proc/%d/net/%s", root, (int)pid, tables[i]);
        table_read(path, numbers, each, payload);
    }
    free(numbers);
    return status;
}

static void port_note(void *payload, const socket_row *row) {
    if (row->state == LISTENS && row->port && is_local(row->address))
        ports_add(payload, row->port);
}

ubi_status ubi__node_ports_find(ubi__node_ports *out, const char *root, pid_t pid) {
    *out = (ubi__node_ports){ .n = 0 };
    return sockets_read(root, pid, port_note, out);
}

/* ---- the port of an inspector ---------------------------------------------------------------------------------------- */

#define STANDARD_PORT 9229

/* P of --inspect-port=P or HOST:P; false: it is another argument. */
static bool port_read(uint16_t *out, const char *argument) {
    static const char *const options[] = { "--inspect-port=", "--debug-port=" };
    unsigned port;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (strncmp(argument, options[i], strlen(options[i])) != 0)
            continue;
        const char *value = argument + strlen(options[i]), *colon = strrchr(value, ':');
        if (sscanf(colon ? colon + 1 : value, "%5u", &port) == 1 && port <= UINT16_MAX)
            *out = (uint16_t)port;
        return true;
    }
    return false;
}

uint16_t ubi__node_inspector_port(const char *root, pid_t pid) {
    char path[PATH_MAX], *argument = NULL;
    size_t room = 0;
    uint16_t port = STANDARD_PORT;
    snprintf(path, sizeof path, "%s/proc/%d/cmdline", root, (int)pid);
    FILE *file = fopen(path, "re");
    while (file && getdelim(&argument, &room, '\0', file) > 0)
        (void)port_read(&port, argument);
    free(argument);
    if (file)
        fclose(file);
    return port;
}

typedef struct port_search {
    uint16_t port;
    bool is_found;
} port_search;

static void port_compare(void *payload, const socket_row *row) {
    port_search *s = payload;
    s->is_found = s->is_found || (row->state == LISTENS && row->port == s->port && is_local(row->address));
}

bool ubi__node_port_is_taken(const char *root, pid_t pid, uint16_t port) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/proc/%d/net/tcp", root, (int)pid);
    port_search search = { port, false };
    table_read(path, NULL, port_compare, &search);
    return search.is_found;
}

/* ---- connections ----------------------------------------------------------------------------------------------------- */

typedef struct connection_count {
    uint16_t port;
    unsigned n;
} connection_count;

static void connection_note(void *payload, const socket_row *row) {
    connection_count *count = payload;
    count->n += row->state == IS_CONNECTED && row->port == count->port;
}

unsigned ubi__node_connection_count(const char *root, pid_t pid, uint16_t port) {
    connection_count count = { .port = port };
    return sockets_read(root, pid, connection_note, &count) == UBI_OK ? count.n : 0;
}

/* ---- the signal ----------------------------------------------------------------------------------------------------- */

/* A line of /proc/PID/status that is a number in digits of 16; false: there is none. */
static bool mask_read(uint64_t *out, const char *root, pid_t pid, const char *name) {
    char path[PATH_MAX], line[256];
    size_t n = strlen(name);
    bool is_there = false;
    snprintf(path, sizeof path, "%s/proc/%d/status", root, (int)pid);
    FILE *file = fopen(path, "re");
    while (file && !is_there && fgets(line, sizeof line, file))
        is_there = strncmp(line, name, n) == 0 && sscanf(line + n, ":\t%" SCNx64, out) == 1;
    if (file)
        fclose(file);
    return is_there;
}

/* The base name of the file that it runs. */
static ubi_status program_name_read(char out[NAME_MAX + 1], const char *root, pid_t pid) {
    char path[PATH_MAX], link[PATH_MAX];
    snprintf(path, sizeof path, "%s/proc/%d/exe", root, (int)pid);
    ssize_t n = readlink(path, link, sizeof link - 1);
    if (n < 0)
        return process_fail_errno(pid, errno);
    link[n] = '\0';
    const char *slash = strrchr(link, '/');
    snprintf(out, NAME_MAX + 1, "%.*s", NAME_MAX, slash ? slash + 1 : link);
    return UBI_OK;
}

static bool name_is_node(const char *name) {
    return strncmp(name, "node", 4) == 0;
}

static bool process_has_handler(const char *root, pid_t pid) {
    uint64_t caught = 0;
    return mask_read(&caught, root, pid, "SigCgt") && caught >> (SIGUSR1 - 1) & 1;
}

bool ubi__node_has_ended(const char *root, pid_t pid) {
    char path[PATH_MAX], link[2];
    snprintf(path, sizeof path, "%s/proc/%d/exe", root, (int)pid);
    return readlink(path, link, sizeof link) < 0 && (errno == ENOENT || errno == ESRCH);
}

char ubi__node_stop_state(const char *root, pid_t pid) {
    char path[PATH_MAX], line[256], state = '\0';
    snprintf(path, sizeof path, "%s/proc/%d/stat", root, (int)pid);
    FILE *file = fopen(path, "re");
    if (file && fgets(line, sizeof line, file)) {
        const char *name_end = strrchr(line, ')'); /* the name may have any characters, but is short */
        state = name_end && name_end[1] == ' ' ? name_end[2] : '\0';
    }
    if (file)
        fclose(file);
    return state == 'T' || state == 't' ? state : '\0';
}

bool ubi__node_may_be_starting(const char *root, pid_t pid) {
    char name[NAME_MAX + 1];
    return program_name_read(name, root, pid) == UBI_OK && name_is_node(name) && !process_has_handler(root, pid);
}

ubi_status ubi__node_check(const char *root, pid_t pid) {
    char name[NAME_MAX + 1];
    UBI_TRY(program_name_read(name, root, pid));
    if (!name_is_node(name))
        return ubi__fail(UBI_ESTATE,
                         "process %d is %s, not Node.js; if it has an inspector that listens: node://HOST:PORT",
                         (int)pid, name);
    if (!process_has_handler(root, pid))
        return ubi__fail(UBI_ESTATE,
                         "process %d does not open its inspector on SIGUSR1: it is starting, or has "
                         "--disable-sigusr1",
                         (int)pid);
    return UBI_OK;
}

ubi_status ubi__node_open(pid_t pid) {
    UBI_TRY(ubi__node_check("", pid));
    return kill(pid, SIGUSR1) == 0 ? UBI_OK : process_fail_errno(pid, errno);
}
