/* SPDX-License-Identifier: MIT
 *
 * page.c: see page.h.
 */
#include "render/page.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/human.h"
#include "base/text.h"
#include "render/heap_labels.h"

/* Narrower names say nothing: rather exceed the terminal's width. */
#define LEAST_NAME_COLUMNS 16

/* ---- text --------------------------------------------------------------------------------------------------------- */

void ubi__write_ink(const ubi__page *page, ubi__ink ink) {
    ubi__display_ink(page->out, &page->style, ink);
}

void ubi__write_inked(const ubi__page *page, ubi__ink ink, const char *text) {
    ubi__write_ink(page, ink);
    ubi__out_string(page->out, text);
    ubi__write_ink(page, UBI__INK_PLAIN);
}

void ubi__write_title(const ubi__page *page, const char *text) {
    ubi__out_char(page->out, '\n');
    ubi__write_inked(page, UBI__INK_BOLD, text);
    ubi__out_char(page->out, '\n');
}

void ubi__write_words(const ubi__page *page, ubi__ink ink, const char *text) {
    ubi__out *out = page->out;
    size_t indent = strspn(text, " ");
    ubi__write_ink(page, ink);
    ubi__display_pad(out, 0, indent);
    ubi__wrap_words(out, &page->style, ubi__text(text + indent), indent, indent, page->style.columns);
    ubi__write_ink(page, UBI__INK_PLAIN);
    ubi__out_char(out, '\n');
}

static void put_break(ubi__out *out, bool wraps, size_t indent) {
    if (wraps) {
        ubi__out_char(out, '\n');
        ubi__display_pad(out, 0, indent);
    } else {
        ubi__out_char(out, ' ');
    }
}

size_t ubi__wrap_words(ubi__out *out, const ubi__style *style, ubi_text text, size_t at, size_t indent,
                       size_t columns) {
    size_t lines = 1, start = at;
    while (text.len) {
        const char *space = memchr(text.ptr, ' ', text.len);
        ubi_text word = { text.ptr, space ? (size_t)(space - text.ptr) : text.len };
        size_t n = ubi__display_columns(word, style, columns), taken = word.len + (space != NULL);
        bool first = at == start, wraps = !first && at + 1 + n > columns;
        if (out && !first)
            put_break(out, wraps, indent);
        if (out)
            ubi__display_text(out, style, word, columns);
        lines += wraps;
        start = wraps ? indent : start;
        at = (wraps ? indent : at + !first) + n;
        text.ptr += taken;
        text.len -= taken;
    }
    return lines;
}

/* ---- tables ------------------------------------------------------------------------------------------------------- */

void ubi__page_table(ubi__text_table *table, const ubi__page *page, const char *name, const ubi__text_column *columns,
                     size_t n) {
    ubi__text_table_init(table, page->out, &page->style, name, columns, n);
}

size_t ubi__name_room(const ubi__page *page, size_t used) {
    size_t columns = page->style.columns;
    return columns > used + LEAST_NAME_COLUMNS ? columns - used : LEAST_NAME_COLUMNS;
}

void ubi__write_more(const ubi__page *page, uint64_t n, const char *how) {
    char line[UBI__HUMAN_TEXT + 80], text[UBI__HUMAN_TEXT];
    if (n == 0)
        return;
    snprintf(line, sizeof line, "  %s more; %s", ubi__human_count(text, n), how);
    ubi__write_inked(page, UBI__INK_DIM, line);
    ubi__out_char(page->out, '\n');
}

void ubi__write_more_things(const ubi__page *page, const char *singular, uint64_t n_shown, uint64_t n) {
    char line[UBI__HUMAN_TEXT + 80], text[UBI__HUMAN_TEXT];
    if (n == n_shown)
        return;
    snprintf(line, sizeof line, "  %s; --limit %" PRIu64 " shows all", ubi__human_things(text, n - n_shown, singular),
             n);
    ubi__write_inked(page, UBI__INK_DIM, line);
    ubi__out_char(page->out, '\n');
}

void ubi__write_label(const ubi__page *page, ubi__ink ink, const char *text, size_t columns) {
    ubi__write_inked(page, ink, text);
    ubi__display_pad(page->out, strlen(text), columns);
}

void ubi__write_fact(const ubi__page *page, const char *name, ubi_text text, size_t columns) {
    ubi__write_label(page, UBI__INK_BOLD, name, columns);
    ubi__display_text(page->out, &page->style, text, ubi__name_room(page, columns));
    ubi__out_char(page->out, '\n');
}

/* ---- numbers that went up or down --------------------------------------------------------------------------------- */

char *ubi__change_text(char out[UBI__HUMAN_TEXT + 1], ubi__number_format *format, ubi__change c) {
    format(out + 1, ubi__change_size(c));
    out[0] = c.to > c.from ? '+' : '-';
    return c.to == c.from ? out + 1 : out;
}

static char *signed_percent(char out[UBI__HUMAN_TEXT + 1], ubi__change c) {
    if (c.from == c.to) {
        snprintf(out, UBI__HUMAN_TEXT, "0%%");
        return out;
    }
    ubi__human_percent(out + 1, ubi__change_size(c), c.from);
    out[0] = c.to > c.from ? '+' : '-';
    return out;
}

char *ubi__change_percent(char out[UBI__HUMAN_TEXT + 1], ubi__change c) {
    if (c.from == 0 && c.to)
        snprintf(out, UBI__HUMAN_TEXT, "from 0");
    else if (c.from && c.to / c.from >= 10)
        snprintf(out, UBI__HUMAN_TEXT, "x%.1f", (double)c.to / (double)c.from);
    else
        return signed_percent(out, c);
    return out;
}

/* ---- what to run next --------------------------------------------------------------------------------------------- */

/* Of letters that need quotes, addresses have brackets. */
#define BRACKETS "[]"

/* What follows a number; NULL: there is none. */
static const char *number_skip(const char *at) {
    size_t n = strspn(at, "0123456789");
    return n ? at + n : NULL;
}

/* SCHEME:NUMBER, perhaps /tab/NUMBER or /worker/NUMBER, and perhaps #NUMBER. */
static bool is_of_process(const char *name) {
    static const char *const choices[] = { "/tab/", "/worker/" };
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    const char *rest = n && name[n] == ':' ? number_skip(name + n + 1) : NULL;
    for (size_t i = 0; i < sizeof choices / sizeof *choices && rest; i++)
        if (strncmp(rest, choices[i], strlen(choices[i])) == 0)
            rest = number_skip(rest + strlen(choices[i]));
    if (rest && *rest == '#')
        rest = number_skip(rest + 1);
    return rest && !*rest;
}

bool ubi__is_of_program(const char *name) {
    return strstr(name, "://") || is_of_process(name);
}

const char *ubi__file_argument(const char *path, const char *otherwise) {
    static const char plain[] = BRACKETS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-:";
    const char *letters = ubi__is_of_program(path) ? plain : plain + strlen(BRACKETS);
    return path[strspn(path, letters)] == 0 && path[0] != '-' ? path : otherwise;
}

/* Programs whose objects get other ids, and when. */
static const struct renumbering {
    const char *scheme, *file, *why;
    bool is_traced; /* has files of what is allocated */
} renumberings[] = {
    { "firefox:", "heap.fxsnapshot", "ids change when objects move", false },
    { "node:", "heap.heapsnapshot", "ids are those of one connection", true },
    { "chrome:", "heap.heapsnapshot", "ids are those of one connection", true },
    { "ws:", "heap.heapsnapshot", "ids are those of one connection", true },
};

static const struct renumbering *renumbering_of(const char *argument) {
    for (size_t i = 0; i < sizeof renumberings / sizeof *renumberings; i++)
        if (ubi__is_of_program(argument) &&
            strncasecmp(argument, renumberings[i].scheme, strlen(renumberings[i].scheme)) == 0)
            return &renumberings[i];
    return NULL;
}

bool ubi__has_next_snapshot(const char *argument) {
    return renumbering_of(argument) != NULL;
}

const char *ubi__write_next_snapshot(const ubi__page *page, const char *argument, const char *target) {
    const struct renumbering *renumbering = renumbering_of(argument);
    char more[160];
    if (!renumbering)
        return argument;
    snprintf(more, sizeof more, "snapshot%s%.80s -o %s", target ? " --target " : "", target ? target : "",
             renumbering->file);
    ubi__write_command(page, "attach", argument, more, renumbering->why);
    return renumbering->file;
}

static const char *quote_of(const char *argument) {
    return strpbrk(argument, BRACKETS) ? "'" : "";
}

/* As a shell takes it. The file may be longer than what is formatted. */
static void argument_write(ubi__out *out, const char *file) {
    ubi__out_string(out, quote_of(file));
    ubi__out_string(out, file);
    ubi__out_string(out, quote_of(file));
}

void ubi__write_no_stacks(const ubi__page *page, const char *name, const char *how) {
    const char *argument = ubi__is_of_program(name) ? ubi__file_argument(name, NULL) : NULL;
    ubi__out_string(page->out, "Not recorded");
    ubi__out_string(page->out, argument ? ": ubiheap attach " : how);
    if (argument)
        argument_write(page->out, argument);
    const struct renumbering *renumbering = argument ? renumbering_of(argument) : NULL;
    ubi__out_string(page->out, !argument ? ".\n"
                               : renumbering && renumbering->is_traced
                                   ? " track shows which functions allocate.\n"
                                   : " allocations shows which functions allocate.\n");
}

void ubi__write_command(const ubi__page *page, const char *command, const char *file, const char *more,
                        const char *help) {
    ubi__out *out = page->out;
    size_t used = strlen("  ubiheap ") + strlen(command) + 1 + strlen(file) + 2 * strlen(quote_of(file)) +
                  (more ? 1 + strlen(more) : 0);
    ubi__out_printf(out, "  ubiheap %s ", command);
    argument_write(out, file);
    if (more) {
        ubi__out_char(out, ' ');
        ubi__out_string(out, more);
    }
    if (help && used + strlen("  # ") + strlen(help) <= page->style.columns) {
        ubi__write_ink(page, UBI__INK_DIM);
        ubi__out_printf(out, "  # %s", help);
        ubi__write_ink(page, UBI__INK_PLAIN);
    }
    ubi__out_char(out, '\n');
}

/* ---- rows of nodes ---------------------------------------------------------------------------------------------- */

#define LEAST_OBJECT_NAME_COLUMNS 12

enum { DISTANCE, OWN_SIZE, RETAINED, COLUMNS };

static const ubi__text_column object_columns[COLUMNS] = {
    [DISTANCE] = { "Distance", .width = 8 },
    [OWN_SIZE] = { "Own size", .width = 9, .gap = 2 },
    [RETAINED] = { "Retained", .width = 9, .gap = 2 },
};

static const ubi_graph *graph_of(const ubi__object_facts *facts) {
    return ubi_look_view(facts->look)->graph;
}

void ubi__object_rows_init(ubi__object_rows *r, const ubi__page *page, const ubi__object_facts *facts,
                           const char *name) {
    *r = (ubi__object_rows){ .facts = *facts };
    ubi__text_table_init(&r->table, page->out, &page->style, name, object_columns, COLUMNS);
    r->table.least_name = LEAST_OBJECT_NAME_COLUMNS;
}

const char *ubi__distance_text(char out[24], uint32_t distance, bool unicode) {
    if (distance == UBI_NONE)
        return "none";
    if (distance >= UBI_LOOK_SYSTEM_DISTANCE)
        return unicode ? "\u2212" : "-";
    snprintf(out, 24, "%" PRIu32, distance);
    return out;
}

void ubi__object_rows_numbers(const ubi__object_rows *r, ubi_node_ix node, uint32_t distance) {
    char digits[24];
    const ubi__cell cells[COLUMNS] = {
        [DISTANCE] = ubi__cell_words(ubi__distance_text(digits, distance, r->table.style->has_unicode)),
        [OWN_SIZE] = ubi__cell_size(ubi_look_size_bytes(r->facts.look, node)),
        [RETAINED] = ubi__cell_size(ubi_dominators_retained_bytes(r->facts.dominators, node)),
    };
    ubi__text_table_row(&r->table, cells);
}

size_t ubi__object_rows_name(const ubi__object_rows *r, ubi_node_ix node, size_t columns) {
    char id[24];
    ubi_look_name_buffer buffer;
    ubi__out *out = r->table.out;
    const ubi__style *style = r->table.style;
    size_t id_columns = (size_t)snprintf(id, sizeof id, "  %" PRIu64, ubi_graph_node_id(graph_of(&r->facts), node));
    size_t room = columns > id_columns + LEAST_OBJECT_NAME_COLUMNS ? columns - id_columns : LEAST_OBJECT_NAME_COLUMNS;
    ubi__display_ink(out, style,
                     ubi_look_detachedness(r->facts.look, node) == UBI_DETACHED ? UBI__INK_RED : UBI__INK_PLAIN);
    size_t used =
        ubi__display_text(out, style, ubi__node_title(graph_of(&r->facts), r->facts.look, node, &buffer), room);
    ubi__display_ink(out, style, UBI__INK_DIM);
    ubi__out_string(out, id);
    ubi__display_ink(out, style, UBI__INK_PLAIN);
    return used + id_columns;
}

void ubi__object_rows_line(const ubi__object_rows *r, ubi_node_ix node) {
    ubi__object_rows_numbers(r, node, r->facts.distances[node]);
    ubi__object_rows_name(r, node, ubi__text_table_room(&r->table, r->table.used));
    ubi__out_char(r->table.out, '\n');
}

void ubi__object_json(ubi__json *json, const ubi__object_facts *f, ubi_node_ix node, uint32_t distance) {
    ubi_look_name_buffer buffer;
    ubi__json_member_node_id(json, "nodeId", ubi_graph_node_id(graph_of(f), node));
    ubi__json_member_text(json, "displayName", ubi_look_display_name(f->look, node, &buffer));
    ubi__json_member_text(json, "className", ubi_look_node_name(f->look, node));
    ubi__json_member_u64(json, "shallowSize", ubi_look_size_bytes(f->look, node));
    ubi__json_member_u64(json, "retainedSize", ubi_dominators_retained_bytes(f->dominators, node));
    ubi__json_member_u64_or_null(json, "distance", distance != UBI_NONE, distance);
    ubi__json_member_u64(json, "detachedness", ubi_look_detachedness(f->look, node));
}
