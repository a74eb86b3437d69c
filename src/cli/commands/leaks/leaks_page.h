/* SPDX-License-Identifier: MIT
 *
 * leaks_page.h: the answers of `ubiheap leaks`.
 */
#ifndef UBI_CLI_LEAKS_PAGE_H
#define UBI_CLI_LEAKS_PAGE_H

#include <ubiheap/leaks.h>

#include "cli/snapshot.h"
#include "render/path_words.h"

/** What is compared and what came of it. Borrowed. */
typedef struct ubi__leaks_answer {
    ubi__cli *cli;
    char **paths; /**< paths[n_paths]: OLD, NEW and perhaps NEWER */
    int n_paths;
    char **controls; /**< controls[n_controls]: files of the control */
    int n_controls;
    const char *where;
    const ubi__snapshot *newest;
    const ubi_leaks *leaks;
    uint64_t limit; /**< clusters shown; 0: all */
} ubi__leaks_answer;

/** The text page. Errors: UBI_ENOMEM. */
ubi_status ubi__leaks_page(const ubi__leaks_answer *answer);
/** The JSON document. Errors: UBI_ENOMEM. */
ubi_status ubi__leaks_document(const ubi__leaks_answer *answer);

/** How many of the clusters are shown. */
uint32_t ubi__leaks_shown(const ubi__leaks_answer *answer);
/** Whether ids mean the same in OLD and the newest heap. */
bool ubi__leaks_same_run(const ubi__leaks_answer *answer);

/** A path of a cluster's example, to be shown; fini frees it. */
typedef struct ubi__leak_path {
    ubi__path_view view;
    ubi_path_step *steps; /**< owned steps[n] */
    uint32_t n;
    uint32_t n_to_holder; /**< steps that lead to the holder; n: there is none */
} ubi__leak_path;

ubi_status ubi__leak_path_init(ubi__leak_path *out, const ubi__leaks_answer *answer, const ubi_leak_cluster *cluster);
void ubi__leak_path_fini(ubi__leak_path *path);

/* ---- words (leaks_words.c). No newline. -------------------------------------------------------------------------- */

/** "LeakedThing", "Function onData". */
void ubi__leak_write_name(ubi__out *out, const ubi__style *style, const ubi_leak_cluster *cluster, size_t columns);
/** "Map registry, captured by add()": what a cluster hangs on, and how one gets there. */
void ubi__leak_write_holder(ubi__out *out, const ubi__style *style, const ubi_leak_cluster *cluster,
                            const ubi__leak_path *path);
/** One sentence on what the numbers of a cluster say. Static, or in `buffer`. */
const char *ubi__leak_verdict_words(char buffer[200], const ubi_leak_cluster *cluster);

/** Writes to memory, for sentences in JSON: text is "" until written to; out.payload is this. */
typedef struct ubi__leak_memo {
    ubi__out *out; /**< owned */
    char *text;    /**< owned text[capacity], n used */
    size_t n, capacity;
    bool failed;
} ubi__leak_memo;

ubi_status ubi__leak_memo_init(ubi__leak_memo *memo);
void ubi__leak_memo_fini(ubi__leak_memo *memo);
/** What was written since the last call; borrowed until the next write. */
ubi_text ubi__leak_memo_take(ubi__leak_memo *memo);

#endif
