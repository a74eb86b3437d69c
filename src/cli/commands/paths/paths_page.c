/* SPDX-License-Identifier: MIT
 *
 * paths_page.c: the answers of `ubiheap paths` as text.
 *
 * Each path is told twice: in one line of words, to be understood, and step by step, to be exact. Beginnings that a path
 * shares with one above are not listed again.
 */
#include "cli/commands/paths/paths_page.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/human.h"
#include "base/text.h"
#include "render/node_label.h"
#include "render/path_words.h"

#define LEAST_COLUMNS 20
/* Lines of words for one path. */
#define WORD_LINES 3
/* Paths above that one is compared with. */
#define COMPARED 16
/* A shorter beginning in common is listed again: saying so would take as many lines. */
#define LEAST_SHARED 2

UBI_VEC_DECLARE(vec_step, ubi_path_step);

typedef struct page {
    ubi__out *out;
    const ubi__style *style;
    const ubi__paths_answer *answer;
    const ubi_graph *graph;
    const ubi_paths *paths;
    vec_step steps; /* of the current path */
} page;

static void ink(const page *p, ubi__ink color) {
    ubi__display_ink(p->out, p->style, color);
}

static size_t room_behind(const page *p, size_t used) {
    return p->style->columns > used + LEAST_COLUMNS ? p->style->columns - used : LEAST_COLUMNS;
}

static void write_label(const page *p, ubi_node_ix node, size_t columns) {
    ubi_lens_name_buffer buffer;
    ubi__display_text(p->out, p->style, ubi__node_title(p->graph, p->answer->snapshot->look, node, &buffer), columns);
}

static void write_id(const page *p, ubi_node_ix node) {
    ink(p, UBI__INK_DIM);
    ubi__out_printf(p->out, "  %" PRIu64, ubi_graph_node_id(p->graph, node));
    ink(p, UBI__INK_PLAIN);
}

/* ---- head --------------------------------------------------------------------------------------------------------- */

static void write_start(const page *p) {
    ubi_node_ix start = ubi_paths_start(p->paths);
    if (start == ubi_graph_root(p->graph)) {
        ubi__out_string(p->out, "the root");
        return;
    }
    write_label(p, start, LEAST_COLUMNS);
    ubi__out_printf(p->out, " %" PRIu64, ubi_graph_node_id(p->graph, start));
}

static void write_count(const page *p, uint32_t n) {
    char count[UBI__HUMAN_TEXT];
    if (n == p->answer->max_paths && n > 1)
        ubi__out_printf(p->out, "The %s shortest paths from ", ubi__human_count(count, n));
    else if (n == p->answer->max_paths)
        ubi__out_string(p->out, "The shortest path from ");
    else
        ubi__out_printf(p->out, "%s from ", ubi__human_things(count, n, "path"));
    write_start(p);
    ubi__out_char(p->out, '\n');
}

/* Why there is no path, in one or two lines. */
static void write_reason(const page *p, ubi_node_ix target) {
    ubi_node_ix start = ubi_paths_start(p->paths), root = ubi_graph_root(p->graph);
    if (target == start) {
        ubi__out_string(p->out, "No path: nothing that it reaches leads back to it.\n");
        return;
    }
    ubi__out_string(p->out, "No path from ");
    write_start(p);
    if (start == root)
        ubi__out_string(p->out, ": nothing that the root reaches leads here.\n"
                                "It is in the file, but nothing in the file keeps it alive.\n");
    else if (target == root)
        ubi__out_string(p->out, " leads here.\n");
    else
        ubi__out_printf(p->out, " leads here; the root %s.\n",
                        ubi_graph_is_reachable(p->graph, target) ? "keeps it in other ways"
                                                                 : "does not reach it either");
}

static void write_head(const page *p, uint32_t target) {
    char size[UBI__HUMAN_TEXT];
    ubi_node_ix node = ubi_paths_target(p->paths, target);
    uint32_t n = ubi_paths_count(p->paths, target);
    ink(p, UBI__INK_BOLD);
    write_label(p, node, room_behind(p, 40));
    ink(p, UBI__INK_PLAIN);
    write_id(p, node);
    ubi__out_printf(p->out, "  %s\n", ubi__human_size(size, ubi_lens_size_bytes(p->answer->snapshot->look, node)));
    if (n)
        write_count(p, n);
    else
        write_reason(p, node);
}

/* ---- paths -------------------------------------------------------------------------------------------------------- */

/* The earlier path that begins most like this one, and how many steps they share. */
static uint32_t most_shared(uint32_t *like, const page *p, uint32_t target, uint32_t path) {
    uint32_t most = 0;
    for (uint32_t i = path < COMPARED ? 0 : path - COMPARED; i < path; i++) {
        uint32_t shared = ubi_paths_shared(p->paths, target, i, path);
        if (shared <= most)
            continue;
        most = shared;
        *like = i;
    }
    return most;
}

static void write_shared(const page *p, uint32_t like, uint32_t shared, bool whole) {
    char path[UBI__HUMAN_TEXT], steps[UBI__HUMAN_TEXT];
    ubi__human_count(path, (uint64_t)like + 1);
    ink(p, UBI__INK_DIM);
    if (whole)
        ubi__out_printf(p->out, "        all steps as in path %s\n", path);
    else
        ubi__out_printf(p->out, "        steps 1 to %s as in path %s\n", ubi__human_count(steps, shared), path);
    ink(p, UBI__INK_PLAIN);
}

static void write_words(const page *p, const ubi__path_view *view, uint32_t path) {
    char number[UBI__HUMAN_TEXT], title[UBI__HUMAN_TEXT + 8];
    snprintf(title, sizeof title, "Path %s", ubi__human_count(number, (uint64_t)path + 1));
    ubi__out_char(p->out, '\n');
    ink(p, UBI__INK_BOLD);
    ubi__out_string(p->out, title);
    ink(p, UBI__INK_PLAIN);
    ubi__out_string(p->out, "  ");
    size_t used = strlen(title) + 2;
    ubi__display_path_wrapped(p->out, p->style, view, room_behind(p, used), WORD_LINES, used);
}

static ubi_status write_path(page *p, uint32_t target, uint32_t path) {
    uint32_t length = ubi_paths_length(p->paths, target, path), like = 0;
    uint32_t shared = most_shared(&like, p, target, path);
    p->steps.n = 0;
    UBI_TRY(vec_step_reserve(&p->steps, ubi_allocator_default(), length));
    ubi_paths_steps(p->steps.at, p->paths, target, path);
    ubi__path_view view = { p->graph, p->steps.at, length, ubi_paths_target(p->paths, target),
                            p->answer->snapshot->look };
    ubi__path_list_options options = { shared < LEAST_SHARED && shared < length ? 0 : shared, p->answer->limit };
    write_words(p, &view, path);
    if (options.skip)
        write_shared(p, like, shared, shared == length && length == ubi_paths_length(p->paths, target, like));
    if (options.skip < length)
        ubi__display_path_list(p->out, p->style, &view, &options);
    return UBI_OK;
}

static ubi_status write_all(page *p) {
    for (uint32_t t = 0; t < ubi_paths_target_count(p->paths); t++) {
        if (t)
            ubi__out_char(p->out, '\n');
        write_head(p, t);
        for (uint32_t i = 0; i < ubi_paths_count(p->paths, t) && !p->out->failed; i++)
            UBI_TRY(write_path(p, t, i));
    }
    return UBI_OK;
}

ubi_status ubi__paths_page(const ubi__paths_answer *answer) {
    page p = { .out = &answer->cli->output->out,
               .style = &answer->cli->style,
               .answer = answer,
               .graph = answer->snapshot->graph,
               .paths = answer->paths };
    ubi_status status = write_all(&p);
    vec_step_fini(&p.steps, ubi_allocator_default());
    return status;
}
