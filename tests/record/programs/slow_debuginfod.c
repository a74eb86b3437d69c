/* SPDX-License-Identifier: MIT
 *
 * slow_debuginfod.c: takes the place of libdebuginfod: finds nothing, and only when the file $WAIT_FOR is there. Built by
 * record_test.py.
 */
#include <stdlib.h>
#include <unistd.h>

void *debuginfod_begin(void);
int debuginfod_find_debuginfo(void *client, const unsigned char *build_id, int n_build_id, char **path);
void debuginfod_end(void *client);

void *debuginfod_begin(void) {
    static int client;
    return &client;
}

int debuginfod_find_debuginfo(void *client, const unsigned char *build_id, int n_build_id, char **path) {
    (void)client, (void)build_id, (void)n_build_id, (void)path;
    while (access(getenv("WAIT_FOR"), F_OK) != 0)
        usleep(1000);
    return -1;
}

void debuginfod_end(void *client) {
    (void)client;
}
