/* SPDX-License-Identifier: MIT
 *
 * treemap_question.c: a heap as a picture. The document has the boxes, the page is an SVG or drawn with lines.
 */
#include <inttypes.h>
#include <stdio.h>

#include <ubiheap/core/treemap.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/human.h"
#include "base/status.h"
#include "base/text.h"
#include "questions/treemap/treemap_values.h"
#include "render/result_json.h"
#include "render/treemap_text.h"

#define AT(field) offsetof(ubi__treemap_values, field)

typedef enum form { FORM_SVG, FORM_JSON, FORM_TEXT } form;

typedef struct answer {
    const ubi__treemap_values *values;
    const char *by;
    form form;
    ubi__breakdown_spec spec; /* as given, or the standard one */
    ubi__breakdown_choice chosen;
    const char *name; /* of the heap */
    ubi_graph *graph;
    const ubi_look *look;
    const ubi_census_tree *tree; /* NULL: by what is retained, and: */
    ubi_census_node_ix top;      /* of the tree */
    const ubi_dominators *dominators;
    ubi_treemap *map; /* owned; NULL: of text, whose columns only the page knows */
} answer;

/* ---- the map ----------------------------------------------------------------------------------------------------- */

static bool by_is(const answer *a, const char *word) {
    return strcmp(a->by, word) == 0;
}

static ubi_treemap_options options_of(const answer *a, const ubi__asked *asked) {
    const ubi__treemap_values *v = a->values;
    ubi_treemap_options options = UBI_TREEMAP_OPTIONS_INIT;
    bool is_compat = asked->compat == UBI_COMPAT_FIREFOX;
    options.allocator = ubi__asked_allocator(asked);
    options.width = (double)v->width;
    options.height = (double)v->height;
    options.max_depth = v->depth && v->depth < UBI_NONE ? (uint32_t)v->depth : UBI_NONE;
    options.measure = by_is(a, "count") ? UBI_TREEMAP_COUNT : UBI_TREEMAP_BYTES;
    options.with_own_boxes = !is_compat;
    options.order = is_compat ? UBI_TREEMAP_SMALLEST_FIRST : UBI_TREEMAP_LARGEST_FIRST;
    return options;
}

static ubi_text name_of(const void *look, ubi_node_ix node) {
    return ubi_look_node_name(look, node);
}

/* Boxes of less area, in pixels or half lines of text, would not be seen. */
static double least_area(const answer *a) {
    return a->form == FORM_TEXT ? 20 : 64;
}

static uint32_t left_out(const answer *a) {
    return (uint32_t)ubi__smaller(a->values->offset, UBI_NONE - 1);
}

static ubi_status map_make(ubi_treemap **out, const answer *a, const ubi_treemap_options *options) {
    if (a->tree)
        return ubi_treemap_of_census_row(out, a->tree, a->top, left_out(a), (double)a->values->least_area, options);
    return ubi_treemap_of_dominators(out, a->dominators, a->graph, ubi_look_view(a->look)->size_bytes, least_area(a),
                                     name_of, a->look, options);
}

static ubi_status tree_make(answer *a, const ubi__asked *asked) {
    ubi_census_tree_options options = ubi__breakdown_tree_options(&a->values->tree, &a->chosen);
    UBI_TRY(ubi__session_census_tree(&a->tree, ubi__asked_heap(asked), a->chosen.json, asked->compat, &options));
    uint64_t top = a->values->top;
    a->top = ubi_census_tree_root(a->tree);
    if (top && (top >= UBI_NONE || !ubi_census_tree_find(&a->top, a->tree, (uint32_t)top)))
        return ubi__fail(UBI_ENOTFOUND, "--parent: the tree has no row %" PRIu64, top);
    return UBI_OK;
}

static ubi_status treemap_compute(void *answer_of, const ubi__asked *asked) {
    answer *a = answer_of;
    ubi_session_use *heap = ubi__asked_heap(asked);
    ubi_treemap_options options = options_of(a, asked);
    a->name = ubi__asked_name(asked);
    UBI_TRY(ubi_session_graph(&a->graph, heap));
    UBI_TRY(ubi_session_look(&a->look, heap));
    if (by_is(a, "retained"))
        UBI_TRY(ubi_session_dominators(&a->dominators, heap, true));
    else
        UBI_TRY(tree_make(a, asked));
    return a->form == FORM_TEXT ? UBI_OK : map_make(&a->map, a, &options);
}

/* ---- output ------------------------------------------------------------------------------------------------------ */

static void layout_put(ubi__json *json, const ubi_treemap_options *o) {
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

static ubi_status treemap_document(ubi__json *json, const void *answer_of, const ubi__asked *asked) {
    const answer *a = answer_of;
    (void)asked;
    ubi__json_member_string(json, "by", a->by);
    if (a->chosen.breakdown)
        ubi__breakdown_write_json(json, &a->chosen);
    layout_put(json, ubi_treemap_options_of(a->map));
    ubi__json_key(json, "boxes");
    ubi__render_treemap(json, a->map);
    return UBI_OK;
}

static const char *title_of(const answer *a) {
    return strcmp(a->name, "-") == 0 ? "standard input" : a->name;
}

#define SUBTITLE_BYTES 160

/* What the map shows, which with a filter is not everything, and what its areas mean. */
static void map_describe(const answer *a, const ubi_treemap *map, char out[SUBTITLE_BYTES]) {
    char bytes[UBI__HUMAN_TEXT], count[UBI__HUMAN_TEXT], shown[UBI__HUMAN_TEXT];
    bool counts = by_is(a, "count");
    ubi_treemap_row root;
    ubi_treemap_get(map, 0, &root);
    ubi__human_size(bytes, root.bytes);
    ubi__human_things(count, root.count, "node");
    if (by_is(a, "retained"))
        snprintf(out, SUBTITLE_BYTES, "%s; a box is what would be freed with its node", bytes);
    else if (a->values->tree.filter)
        snprintf(out, SUBTITLE_BYTES, "%s of %s, with \"%.40s\" in a name",
                 counts ? ubi__human_count(shown, root.box.weight) : ubi__human_size(shown, root.box.weight),
                 counts ? count : bytes, a->values->tree.filter);
    else
        snprintf(out, SUBTITLE_BYTES, "%s in %s; areas are %s", bytes, count, counts ? "numbers of nodes" : "bytes");
}

static ubi_status svg_write(const ubi__page *page, const answer *a, const ubi__asked *asked) {
    char subtitle[SUBTITLE_BYTES];
    ubi_treemap_picture_options options = UBI_TREEMAP_PICTURE_OPTIONS_INIT;
    map_describe(a, a->map, subtitle);
    options.title = ubi__text(title_of(a));
    options.subtitle = ubi__text(subtitle);
    options.with_firefox_colors = asked->compat == UBI_COMPAT_FIREFOX;
    return ubi_render_treemap_svg(ubi__out_write, page->out, a->map, &options);
}

static ubi_status text_draw(const ubi__page *page, const answer *a, const ubi_treemap *map) {
    const ubi__style *style = &page->style;
    char subtitle[SUBTITLE_BYTES];
    map_describe(a, map, subtitle);
    ubi__write_ink(page, UBI__INK_BOLD);
    size_t used = ubi__display_text_end(page->out, style, ubi__text(title_of(a)), style->columns / 2);
    ubi__write_ink(page, UBI__INK_PLAIN);
    ubi__out_string(page->out, "  ");
    ubi__display_text(page->out, style, ubi__text(subtitle), style->columns - used - 2);
    ubi__out_char(page->out, '\n');
    return ubi__render_treemap_text(page->out, style, map);
}

static ubi_status text_write(const ubi__page *page, const answer *a, const ubi__asked *asked) {
    ubi_treemap_options options = options_of(a, asked);
    ubi_treemap *map;
    ubi__treemap_text_options(&options, &page->style);
    UBI_TRY(map_make(&map, a, &options));
    ubi_status status = text_draw(page, a, map);
    ubi_treemap_free(map);
    return status;
}

static ubi_status treemap_page(const ubi__page *page, const void *answer_of, const ubi__asked *asked) {
    const answer *a = answer_of;
    ubi_status status = a->form == FORM_TEXT ? text_write(page, a, asked) : svg_write(page, a, asked);
    return page->out->has_failed ? UBI_OK : status; /* refused writes stick in the output */
}

/* ---- parameters -------------------------------------------------------------------------------------------------- */

static ubi_status form_choose(form *out, const ubi__treemap_values *v, bool is_for_page) {
    bool is_json = v->format && strcmp(v->format, "json") == 0, is_text = v->format && strcmp(v->format, "text") == 0;
    if (v->output && is_text)
        return ubi__fail(UBI_EINVAL, "--format text is for terminals; it does not go with --output");
    if (!is_for_page && v->format && !is_json)
        return ubi__fail(UBI_EINVAL, "--json does not go with --format %s", v->format);
    if (is_for_page && is_json)
        return ubi__fail(UBI_EINVAL, "--format json is a document, not a page");
    *out = !is_for_page ? FORM_JSON : is_text ? FORM_TEXT : FORM_SVG;
    return UBI_OK;
}

static ubi_status values_check(const answer *a) {
    const ubi__treemap_values *v = a->values;
    bool is_about_rows = v->tree.breakdown.text || v->tree.filter || v->tree.inverted;
    if (by_is(a, "retained") && (is_about_rows || v->top || v->offset || v->least_area))
        return ubi__fail(UBI_EINVAL, "--by retained shows nodes; it does not go with %s",
                         is_about_rows ? "--breakdown, --filter or --inverted" : "--parent, --offset or --least-area");
    if (v->width < 1 || v->width > UBI_TREEMAP_MAX_SIDE || v->height < 1 || v->height > UBI_TREEMAP_MAX_SIDE)
        return ubi__fail(UBI_EINVAL, "--width and --height must be from 1 to %d pixels", UBI_TREEMAP_MAX_SIDE);
    return UBI_OK;
}

static ubi_status treemap_prepare(void *answer_of, const ubi__asked *asked) {
    answer *a = answer_of;
    const ubi__treemap_values *v = a->values = asked->values;
    a->by = v->by ? v->by : "bytes";
    UBI_TRY(form_choose(&a->form, v, asked->is_for_page));
    UBI_TRY(values_check(a));
    a->spec = v->tree.breakdown;
    if (!a->spec.text)
        a->spec.text = "treeMap";
    return by_is(a, "retained") ? UBI_OK : ubi__breakdown_choose(&a->chosen, &a->spec, "treemap", asked->compat);
}

static const char *treemap_output_kind(const void *answer_of, const ubi__asked *asked) {
    const answer *a = answer_of;
    (void)asked;
    return a->form == FORM_JSON ? "document of ubiheap" : "SVG";
}

static void treemap_release(void *answer_of, const ubi__asked *asked) {
    answer *a = answer_of;
    (void)asked;
    ubi_treemap_free(a->map);
    ubi__breakdown_choice_fini(&a->chosen);
}

/* ---- question ---------------------------------------------------------------------------------------------------- */

static const char *const formats[] = { "svg", "json", "text", NULL };
static const char *const measures[] = { "bytes", "count", "retained", NULL };

static const ubi__parameter parameters[] = {
    UBI__TEXT("output", 'o', AT(output), "PATH",
              "write to PATH, as JSON if its name ends in .json, else as SVG; it appears when it is complete", NULL,
              .scope = UBI__SCOPE_TERMINAL),
    UBI__CHOICE("format", 'f', AT(format), "WORD", formats,
                "what to write; the default is text on a terminal, else SVG", NULL, .scope = UBI__SCOPE_PAGE),
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
    UBI__NUMBER("parent", 0, AT(top), "ID", "only this row of the census tree and what is below it, by its id",
                "0: the root", .scope = UBI__SCOPE_PROGRAM),
    UBI__NUMBER("offset", 0, AT(offset), "N",
                "leave out the first N of the rows below that one, and what it has itself", "0",
                .scope = UBI__SCOPE_PROGRAM),
    UBI__NUMBER("least-area", 0, AT(least_area), "N",
                "rows whose boxes would have less than N square pixels share one; 0: each has its own", "0",
                .scope = UBI__SCOPE_PROGRAM),
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

const ubi__usage ubi__usage_treemap = {
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
    .arguments_bytes = sizeof(ubi__treemap_values),
};

const ubi__question ubi__question_treemap = {
    .usage = &ubi__usage_treemap,
    .schema = "ubiheap.treemap/1",
    .least_heaps = 1,
    .most_heaps = 1,
    .answer_bytes = sizeof(answer),
    .prepare = treemap_prepare,
    .compute = treemap_compute,
    .document = treemap_document,
    .page = treemap_page,
    .output_kind = treemap_output_kind,
    .release = treemap_release,
};
