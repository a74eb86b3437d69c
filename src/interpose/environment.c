/* SPDX-License-Identifier: MIT
 *
 * environment.c: reads the program's environment, and takes out what is ours, so that the program and its children
 * see what the user gave them.
 *
 * Everything happens in place, in the strings that the kernel gave the process, for nothing may be allocated yet.
 */
#include <string.h>
#include <unistd.h>

#include "interpose/preload.h"

#define PRELOAD_VARIABLE "LD_PRELOAD"

/* The place of a variable in environ; NULL: it is not there. */
static char **find_variable(const char *name) {
    size_t n = strlen(name);
    for (char **at = environ; at && *at; at++)
        if (!strncmp(*at, name, n) && (*at)[n] == '=')
            return at;
    return NULL;
}

const char *ubi__environment_value(const char *name) {
    char **at = find_variable(name);
    return at ? *at + strlen(name) + 1 : NULL;
}

static void remove_variable(const char *name) {
    for (char **at; (at = find_variable(name)) != NULL;)
        do
            at[0] = at[1];
        while (*at++);
}

/* Whether an entry of LD_PRELOAD is this library, wherever it is. */
static bool is_ours(const char *entry, size_t n) {
    const size_t n_name = sizeof UBI__WIRE_LIBRARY - 1;
    return n >= n_name && !memcmp(entry + n - n_name, UBI__WIRE_LIBRARY, n_name) &&
           (n == n_name || entry[n - n_name - 1] == '/');
}

/* Takes our entries, and the separator after or before each, out of the list. */
static void clean_list(char *list) {
    char *out = list;
    for (const char *at = list; *at;) {
        size_t n = strcspn(at, ": ");
        const char *next = at + n + strspn(at + n, ": ");
        if (!is_ours(at, n)) {
            memmove(out, at, (size_t)(next - at));
            out += next - at;
        } else if (!*next && out > list) {
            out--;
        }
        at = next;
    }
    *out = 0;
}

void ubi__environment_clean(void) {
    remove_variable(UBI__WIRE_SOCKET_VARIABLE);
    char **preload = find_variable(PRELOAD_VARIABLE);
    if (!preload)
        return;
    char *list = *preload + sizeof PRELOAD_VARIABLE; /* with the sign after the name */
    clean_list(list);
    if (!*list)
        remove_variable(PRELOAD_VARIABLE);
}
