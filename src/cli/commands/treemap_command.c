/* SPDX-License-Identifier: MIT
 *
 * treemap_command.c: `ubiheap treemap`, a heap as a picture.
 */
#include <stdio.h>
#include <unistd.h>

#include <ubiheap/core/dominators.h>
#include <ubiheap/core/treemap.h>
#include <ubiheap/views/lens.h>

#include "base/human.h"
#include "base/text.h"
#include "cli/breakdown_file.h"
#include "cli/cli_files.h"
#include "questions/breakdown_choice.h"
#include "render/result_json.h"
#include "render/treemap_text.h"

typedef struct treemap_arguments {
    ubi__breakdown_arguments tree;
    const char *output, *format, *by;
    uint64_t width, height, depth;
} treemap_arguments;

#define AT(field) offsetof(treemap_arguments, field)

typedef enum form { FORM_SVG, FORM_JSON, FORM_TEXT } form;

typedef struct job {
    ubi__cli *cli;
    const treemap_arguments *arguments;
    form form;
    ubi__breakdown_choice chosen;
    const ubi__snapshot *snapshot;
    ubi_treemap_options options;
} job;

/* ---- output ------------------------------------------------------------------------------------------------------ */

static bool by_is(const job *j, const char *word) {
    return strcmp(j->arguments->by, word) == 0;
}

static void put_layout(ubi__json *json, const ubi_treemap_options *o) {
    ubi__json_member_double(json, "width", o->width);
    ubi__json_member_double(json, "height", o->height);
    ubi__json_member_array(json, "padding");
    ubi__json_double(json, o->pad_top);
    ubi__json_double(json, o->pad_right);
    ubi__json_double(json, o->pad_bottom);
    ubi__json_double(json, o->pad_left);
    ubi__json_array_end(json);
    ubi__json_member_string(json, "order", o->order == UBI_TREEMAP_LARGEST_FIRST ? "largestFirst" : "smallestFirst");
}

static ubi_status write_json(const job *j, const ubi_treemap *map, ubi_write_fn write, void *payload) {
    ubi__json json;
    ubi__json_init(&json, write, payload, false);
    json.is_for_terminal = !j->arguments->output && isatty(STDOUT_FILENO);
    ubi__json_object_begin(&json);
    ubi__json_member_string(&json, "schema", "ubiheap.treemap/1");
    ubi__json_member_string(&json, "file", j->snapshot->path);
    ubi__json_member_string(&json, "by", j->arguments->by);
    if (j->chosen.breakdown)
        ubi__breakdown_write_json(&json, &j->chosen);
    put_layout(&json, ubi_treemap_options_of(map));
    ubi__json_key(&json, "boxes");
    ubi__render_treemap(&json, map);
    ubi__document_end(&json);
    return json.has_failed ? UBI_EIO : UBI_OK;
}

static const char *title_of(const job *j) {
    return strcmp(j->snapshot->path, "-") == 0 ? "standard input" : j->snapshot->path;
}

#define SUBTITLE_BYTES 160

/* What the map shows, which with a filter is not everything, and what its areas mean. */
static void map_describe(const job *j, const ubi_treemap *map, char out[SUBTITLE_BYTES]) {
    char bytes[UBI__HUMAN_TEXT], count[UBI__HUMAN_TEXT], shown[UBI__HUMAN_TEXT];
    bool counts = by_is(j, "count");
    ubi_treemap_row root;
    ubi_treemap_get(map, 0, &root);
    ubi__human_size(bytes, root.bytes);
    ubi__human_things(count, root.count, "node");
    if (by_is(j, "retained"))
        snprintf(out, SUBTITLE_BYTES, "%s; a box is what would be freed with its node", bytes);
    else if (j->arguments->tree.filter)
        snprintf(out, SUBTITLE_BYTES, "%s of %s, with \"%.40s\" in a name",
                 counts ? ubi__human_count(shown, root.box.weight) : ubi__human_size(shown, root.box.weight),
                 counts ? count : bytes, j->arguments->tree.filter);
    else
        snprintf(out, SUBTITLE_BYTES, "%s in %s; areas are %s", bytes, count, counts ? "numbers of nodes" : "bytes");
}

static ubi_status write_svg(const job *j, const ubi_treemap *map, ubi_write_fn write, void *payload) {
    char subtitle[SUBTITLE_BYTES];
    ubi_treemap_picture_options options = UBI_TREEMAP_PICTURE_OPTIONS_INIT;
    map_describe(j, map, subtitle);
    options.title = ubi__text(title_of(j));
    options.subtitle = ubi__text(subtitle);
    options.with_firefox_colors = j->cli->compat == UBI_COMPAT_FIREFOX;
    return ubi_render_treemap_svg(write, payload, map, &options);
}

static ubi_status write_document(const job *j, const ubi_treemap *map, ubi_write_fn write, void *payload) {
    return j->form == FORM_JSON ? write_json(j, map, write, payload) : write_svg(j, map, write, payload);
}

static ubi_status write_file(const job *j, const ubi_treemap *map) {
    ubi__output_file file;
    UBI_TRY(ubi__output_file_open(&file, j->cli, j->arguments->output));
    UBI_TRY(ubi__output_file_close(&file, write_document(j, map, ubi__output_file_write, &file)));
    ubi__progress_line_clear(&j->cli->progress);
    ubi__output_file_tell(&file);
    return UBI_OK;
}

static ubi_status draw_text(const job *j, const ubi_treemap *map) {
    ubi__out *out = j->cli->page.out;
    const ubi__style *style = &j->cli->page.style;
    char subtitle[SUBTITLE_BYTES];
    map_describe(j, map, subtitle);
    ubi__display_ink(out, style, UBI__INK_BOLD);
    size_t used = ubi__display_text_end(out, style, ubi__text(title_of(j)), style->columns / 2);
    ubi__display_ink(out, style, UBI__INK_PLAIN);
    ubi__out_string(out, "  ");
    ubi__display_text(out, style, ubi__text(subtitle), style->columns - used - 2);
    ubi__out_char(out, '\n');
    return ubi__render_treemap_text(out, style, map);
}

static ubi_status write_map(const job *j, const ubi_treemap *map) {
    ubi__out *out = j->cli->page.out;
    if (j->arguments->output)
        return write_file(j, map);
    if (j->form == FORM_TEXT)
        return draw_text(j, map);
    ubi_status status = write_document(j, map, ubi__out_write, out);
    return out->has_failed ? UBI_OK : status; /* the program's end says what is wrong with its output */
}

/* ---- the map ----------------------------------------------------------------------------------------------------- */

static ubi_status draw_tree(const job *j, const ubi_census_tree *tree) {
    ubi_treemap *map;
    UBI_TRY(ubi_treemap_of_census(&map, tree, &j->options));
    ubi_status status = write_map(j, map);
    ubi_treemap_free(map);
    return status;
}

static ubi_status draw_census(const job *j) {
    ubi_census_options options = UBI_CENSUS_OPTIONS_INIT;
    ubi_census_tree_options tree_options = ubi__breakdown_tree_options(&j->arguments->tree, &j->chosen);
    ubi_census *census;
    ubi_census_tree *tree;
    options.progress = ubi__progress_line_callbacks(&j->cli->progress);
    options.compat = j->cli->compat;
    options.size_bytes = ubi__snapshot_view(j->snapshot)->size_bytes;
    UBI_TRY(ubi_census_take(&census, j->snapshot->graph, j->chosen.breakdown, &options));
    ubi_status status = ubi_census_tree_new(&tree, census, &tree_options);
    if (status == UBI_OK) {
        status = draw_tree(j, tree);
        ubi_census_tree_free(tree);
    }
    ubi_census_free(census);
    return status;
}

static ubi_text name_of(const void *look, ubi_node_ix node) {
    return ubi_look_node_name(look, node);
}

/* Boxes of less area, in pixels or half lines of text, would not be seen. */
static double least_area(const job *j) {
    return j->form == FORM_TEXT ? 20 : 64;
}

static ubi_status draw_dominators(const job *j) {
    const ubi_view *view = ubi__snapshot_view(j->snapshot);
    ubi_dominators_options options = UBI_DOMINATORS_OPTIONS_INIT;
    ubi_dominators *dominators;
    ubi_treemap *map = NULL;
    options.progress = ubi__progress_line_callbacks(&j->cli->progress);
    options.threads = ubi__cli_threads(j->cli);
    UBI_TRY(ubi_dominators_new(&dominators, view, &options));
    ubi_status status = ubi_treemap_of_dominators(&map, dominators, j->snapshot->graph, view->size_bytes, least_area(j),
                                                  name_of, j->snapshot->look, &j->options);
    if (status == UBI_OK)
        status = write_map(j, map);
    ubi_treemap_free(map);
    ubi_dominators_free(dominators);
    return status;
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static form choose_form(const ubi__cli *cli, const treemap_arguments *a) {
    if (a->format)
        return strcmp(a->format, "json") == 0 ? FORM_JSON : strcmp(a->format, "text") == 0 ? FORM_TEXT : FORM_SVG;
    if (cli->common.wants_json || (a->output && ubi__text_ends(ubi__text(a->output), ".json")))
        return FORM_JSON;
    return !a->output && isatty(STDOUT_FILENO) ? FORM_TEXT : FORM_SVG;
}

static ubi_status arguments_check(const job *j, const char *path) {
    const treemap_arguments *a = j->arguments;
    if (a->output && j->form == FORM_TEXT)
        return ubi__fail(UBI_EINVAL, "--format text is for terminals; it does not go with --output");
    if (j->cli->common.wants_json && j->form != FORM_JSON)
        return ubi__fail(UBI_EINVAL, "--json does not go with --format %s", a->format);
    if (by_is(j, "retained") && (a->tree.breakdown.text || a->tree.filter || a->tree.inverted))
        return ubi__fail(UBI_EINVAL, "--by retained shows nodes; it does not go with --breakdown, --filter or "
                                     "--inverted");
    if (a->width < 1 || a->width > UBI_TREEMAP_MAX_SIDE || a->height < 1 || a->height > UBI_TREEMAP_MAX_SIDE)
        return ubi__fail(UBI_EINVAL, "--width and --height must be from 1 to %d pixels", UBI_TREEMAP_MAX_SIDE);
    UBI_TRY(ubi__output_check(a->output, path));
    UBI_TRY(ubi__breakdown_check_output(&a->tree.breakdown, a->output));
    UBI_TRY(ubi__output_check_kind(a->output, j->form == FORM_JSON ? "document of ubiheap" : "SVG"));
    return UBI_OK;
}

static void set_options(job *j) {
    const treemap_arguments *a = j->arguments;
    j->options = (ubi_treemap_options)UBI_TREEMAP_OPTIONS_INIT;
    j->options.width = (double)a->width;
    j->options.height = (double)a->height;
    j->options.max_depth = a->depth && a->depth < UBI_NONE ? (uint32_t)a->depth : UBI_NONE;
    j->options.measure = by_is(j, "count") ? UBI_TREEMAP_COUNT : UBI_TREEMAP_BYTES;
    j->options.with_own_boxes = j->cli->compat != UBI_COMPAT_FIREFOX;
    j->options.order = j->cli->compat != UBI_COMPAT_FIREFOX ? UBI_TREEMAP_LARGEST_FIRST : UBI_TREEMAP_SMALLEST_FIRST;
    if (j->form == FORM_TEXT)
        ubi__treemap_text_options(&j->options, &j->cli->page.style);
}

static ubi_status open_and_draw(job *j, const char *path) {
    ubi__snapshot snapshot;
    UBI_TRY(ubi__snapshot_open(&snapshot, j->cli, path));
    j->snapshot = &snapshot;
    ubi_status status = by_is(j, "retained") ? draw_dominators(j) : draw_census(j);
    ubi__snapshot_close(&snapshot);
    return status;
}

static ubi_status treemap_run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    treemap_arguments *a = values;
    a->by = a->by ? a->by : "bytes";
    job j = { .cli = cli, .arguments = a, .form = choose_form(cli, a) };
    (void)n_operands, (void)exit_code;
    UBI_TRY(arguments_check(&j, operands[0]));
    set_options(&j);
    ubi_status status = UBI_OK;
    if (!a->tree.breakdown.text)
        a->tree.breakdown.text = "treeMap";
    if (!by_is(&j, "retained"))
        status = ubi__breakdown_choose(&j.chosen, &a->tree.breakdown, cli->subject, cli->compat);
    if (status == UBI_OK)
        status = open_and_draw(&j, operands[0]);
    ubi__breakdown_choice_fini(&j.chosen);
    return status;
}

static const char *const formats[] = { "svg", "json", "text", NULL };
static const char *const measures[] = { "bytes", "count", "retained", NULL };

static const ubi__parameter parameters[] = {
    UBI__TEXT("output", 'o', AT(output), "PATH",
              "write to PATH, as JSON if its name ends in .json, else as SVG; it appears when it is complete", NULL),
    UBI__CHOICE("format", 'f', AT(format), "WORD", formats,
                "what to write; the default is text on a terminal, else SVG", NULL),
    UBI__BREAKDOWN("breakdown", 'b', AT(tree.breakdown), "SPEC",
                   "how to group: a preset, JSON, or @FILE with JSON in it", "the preset treeMap"),
    UBI__SWITCH("inverted", 'i', AT(tree.inverted),
                "turn the tree over: what the nodes are first, then where they are; the default is the preset's"),
    UBI__TEXT("filter", 0, AT(tree.filter), "TEXT",
              "keep only paths of the tree with TEXT in a name, a file or a function; upper and lower case differ",
              NULL),
    UBI__CHOICE("by", 0, AT(by), "WORD", measures,
                "what the areas are: bytes, numbers of nodes, or what single nodes retain, by the dominator tree",
                "bytes"),
    UBI__NUMBER("depth", 'd', AT(depth), "N", "show N levels; 0: all", "0"),
    UBI__NUMBER("width", 0, AT(width), "N", "pixels of the map, without margins", "1200"),
    UBI__NUMBER("height", 0, AT(height), "N", "the same, without title and legend", "700"),
    UBI__PARAMETERS_END,
};

static const ubi__example examples[] = {
    { "treemap app.fxsnapshot", "what fills the heap, in the terminal" },
    { "treemap -o map.svg app.fxsnapshot", "a picture for the browser" },
    { "treemap --by retained -o keepers.svg app.fxsnapshot", "who keeps how much" },
    { "treemap -b allocationStack -o stacks.svg app.fxsnapshot", "where it was allocated" },
    { "treemap --json app.fxsnapshot | jq '.boxes[] | select(.depth==1)'", "the boxes for a script" },
    { NULL, NULL },
};

static const ubi__usage usage = {
    .name = "treemap",
    .operands = "FILE",
    .summary = "draw a heap as nested boxes",
    .question = "Which parts of this heap are large, at a glance?",
    .description =
        "Draws FILE's heap as a tree map: every group is a box, its area by what it weighs, inside of the box of the "
        "group that it belongs to. On a terminal the map is drawn with lines; else, and into the file of --output, it "
        "is an SVG picture: every box has a tooltip with its full name and numbers, and the picture follows the "
        "viewer's choice of a light or dark page. Boxes thinner than 2 pixels are left out.\n"
        "\n"
        "Groups are those of a census; see 'ubiheap help census' for breakdowns. With --by retained, boxes are single "
        "nodes inside of the node that dominates them, so that a box is as large as what would be freed with its node; "
        "nodes too small to be seen share a box.\n"
        "\n"
        "The layout is that of Firefox's memory panel, but with the largest boxes first, and with a box for what a "
        "group has beside its parts. With --compat firefox the boxes are where Firefox has them, in its colours.\n",
    .parameters = parameters,
    .glossary = &ubi__breakdown_presets_glossary,
    .examples = examples,
    .has_firefox_mode = true,
    .min_operands = 1,
    .max_operands = 1,
    .arguments_bytes = sizeof(treemap_arguments),
};

const ubi__command ubi__command_treemap = {
    .usage = &usage,
    .run = treemap_run,
};
