/* SPDX-License-Identifier: MIT
 *
 * remote_missing.c: see remote_missing.h.
 */
#include "cli/remote_missing.h"

#include <stdio.h>

#include "cli/remote_schemes.h"

#define MISSING_TEXT 600

typedef struct missing_names {
    char text[MISSING_TEXT / 2];
    size_t n_bytes; /* of the text; what does not fit is left out */
    unsigned n, n_left_out;
} missing_names;

static void name_append(void *payload, ubi_text name) {
    missing_names *m = payload;
    size_t room = sizeof m->text - m->n_bytes;
    bool fits = name.len + 3 <= room;
    m->n++;
    m->n_left_out += !fits;
    if (fits)
        m->n_bytes +=
            (size_t)snprintf(m->text + m->n_bytes, room, "%s%.*s", m->n_bytes ? "; " : "", (int)name.len, name.ptr);
}

/* False: none was missing since the last call. */
static bool missing_describe(char out[MISSING_TEXT], ubi__remote *remote, const ubi__remote_ops *ops) {
    missing_names m = { .n = 0 };
    char more[40] = "";
    ops->missing(remote, name_append, &m);
    if (m.n_left_out)
        snprintf(more, sizeof more, "%s%u more", m.n_bytes ? "; " : "", m.n_left_out);
    snprintf(out, MISSING_TEXT, "did not answer, and %s not in this: %s%s", m.n == 1 ? "is" : "are", m.text, more);
    return m.n > 0;
}

static void other_heaps_report(ubi__cli *cli, const char *path, ubi__remote *remote, const ubi__remote_ops *ops) {
    ubi__remote_address address;
    char line[1000];
    uint64_t n = ops->other_heaps ? ops->other_heaps(remote, true) : 0;
    if (n == 0)
        return;
    bool has_threads =
        ubi__remote_address_parse(&address, path, ubi__remote_schemes) == UBI_OK && address.scheme->has_workers;
    int at = snprintf(line, sizeof line, "%llu worker%s%s of it ha%s own, not looked at: 'ubiheap attach' lists %s",
                      (unsigned long long)n, has_threads ? " thread" : "", n == 1 ? "" : "s",
                      n == 1 ? "s a heap of its" : "ve heaps of their", n == 1 ? "it" : "them");
    if (has_threads)
        snprintf(line + at, sizeof line - (size_t)at, ", %s/worker/N is one", path);
    ubi__progress_line_clear(&cli->progress);
    ubi__print_line(path, line);
}

#define MOST_NAMED 8

/* With the addresses of some of them. */
static void other_processes_report(ubi__cli *cli, const char *path, ubi__remote *remote, const ubi__remote_ops *ops) {
    char line[1000];
    uint32_t pids[MOST_NAMED];
    uint64_t n = ops->other_processes ? ops->other_processes(remote, pids, MOST_NAMED, true) : 0;
    if (n == 0)
        return;
    int at =
        snprintf(line, sizeof line, "%llu process%s of its cluster ha%s own, not looked at: ", (unsigned long long)n,
                 n == 1 ? "" : "es", n == 1 ? "s a heap of its" : "ve heaps of their");
    for (uint64_t i = 0; i < n && i < MOST_NAMED; i++)
        at += snprintf(line + at, sizeof line - (size_t)at, "%snode:%u", i ? ", " : "", pids[i]);
    if (n > MOST_NAMED)
        snprintf(line + at, sizeof line - (size_t)at, ", ...");
    ubi__progress_line_clear(&cli->progress);
    ubi__print_line(path, line);
}

static void missing_report(void *payload, const char *path, ubi__remote *remote, const ubi__remote_ops *ops) {
    ubi__cli *cli = payload;
    char line[MISSING_TEXT];
    other_heaps_report(cli, path, remote, ops);
    other_processes_report(cli, path, remote, ops);
    if (!missing_describe(line, remote, ops))
        return;
    ubi__progress_line_clear(&cli->progress);
    ubi__print_line(path, line);
}

ubi__remote_witness ubi__remote_missing_witness(ubi__cli *cli) {
    return (ubi__remote_witness){ missing_report, cli };
}
