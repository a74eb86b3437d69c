/* SPDX-License-Identifier: MIT
 *
 * node_cluster.c: see node_cluster.h.
 */
#include "cdp/node_cluster.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/text.h"

/* A list is no reason to keep more. */
#define MOST_MEMBERS 1000

/* 0: it has ended, or that cannot be read. */
static pid_t parent_read(const char *root, pid_t pid) {
    char path[PATH_MAX], line[256];
    int parent = 0;
    snprintf(path, sizeof path, "%s/proc/%d/stat", root, (int)pid);
    FILE *file = fopen(path, "re");
    if (file && fgets(line, sizeof line, file)) {
        const char *name_end = strrchr(line, ')'); /* the name may have any characters, but is short */
        if (!name_end || sscanf(name_end + 1, " %*c %d", &parent) != 1)
            parent = 0;
    }
    if (file)
        fclose(file);
    return (pid_t)parent;
}

/* As it was started with; a member has removed the variable for its own children. */
static bool environment_has(const char *root, pid_t pid, const char *variable) {
    char path[PATH_MAX], *one = NULL;
    size_t room = 0;
    bool is_there = false;
    snprintf(path, sizeof path, "%s/proc/%d/environ", root, (int)pid);
    FILE *file = fopen(path, "re");
    while (file && !is_there && getdelim(&one, &room, '\0', file) > 0)
        is_there = strncmp(one, variable, strlen(variable)) == 0;
    free(one);
    if (file)
        fclose(file);
    return is_there;
}

static ubi_status member_add(ubi__node_members *out, const char *root, pid_t pid, bool has_ports,
                             const ubi_allocator *a) {
    ubi__node_member member = { .pid = pid };
    if (has_ports && ubi__node_ports_find(&member.ports, root, pid) != UBI_OK)
        return UBI_OK; /* it has just ended */
    return ubi__node_members_push(out, a, member);
}

ubi_status ubi__node_members_find(ubi__node_members *out, const char *root, pid_t primary, bool has_ports,
                                  const ubi_allocator *allocator) {
    char path[PATH_MAX];
    ubi_status status = UBI_OK;
    snprintf(path, sizeof path, "%s/proc", root);
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && status == UBI_OK && out->n < MOST_MEMBERS && (entry = readdir(folder));) {
        pid_t pid = ubi__is_digit(entry->d_name[0]) ? (pid_t)strtol(entry->d_name, NULL, 10) : 0;
        if (pid > 0 && parent_read(root, pid) == primary && environment_has(root, pid, "NODE_UNIQUE_ID="))
            status = member_add(out, root, pid, has_ports, allocator);
    }
    if (folder)
        closedir(folder);
    return status;
}

static bool ports_have(const ubi__node_ports *ports, uint16_t port) {
    for (size_t i = 0; i < ports->n; i++)
        if (ports->at[i] == port)
            return true;
    return false;
}

bool ubi__node_member_opens(const ubi__node_member *member, const char *root) {
    ubi__node_ports now;
    uint16_t own = ubi__node_inspector_port(root, member->pid);
    if (ports_have(&member->ports, own) || ubi__node_ports_find(&now, root, member->pid) != UBI_OK)
        return false;
    return ports_have(&now, own) || !ubi__node_port_is_taken(root, member->pid, own);
}
