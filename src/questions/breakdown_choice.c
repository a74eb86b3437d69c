/* SPDX-License-Identifier: MIT
 *
 * breakdown_choice.c: see breakdown_choice.h.
 */
#include "questions/breakdown_choice.h"

#include <inttypes.h>
#include <string.h>

#include "base/human.h"
#include "base/status.h"
#include "base/text.h"

/* Names of presets are words; so are three JSON values. */
static bool is_preset_name(const char *text) {
    if (strcmp(text, "null") == 0 || strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        return false;
    return text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_")] == 0;
}

static ubi_status choose_preset(ubi__breakdown_choice *c, const char *name, const char *asking) {
    const ubi_breakdown_preset *preset = ubi_breakdown_preset_find(name);
    if (preset) {
        c->json = ubi__text(preset->json);
        c->is_inverted = preset->is_inverted;
        return UBI_OK;
    }
    ubi__suggestion best = ubi__suggestion_for(name);
    for (const ubi_breakdown_preset *p = ubi_breakdown_presets(); p->name; p++)
        ubi__suggestion_try(&best, p->name);
    if (best.word)
        return ubi__fail(UBI_EINVAL, "unknown breakdown '%s'; did you mean '%s'?", name, best.word);
    return ubi__fail(UBI_EINVAL, "unknown breakdown '%s'; see 'ubiheap help %s'", name, asking);
}

ubi_status ubi__breakdown_choose(ubi__breakdown_choice *choice, const ubi__breakdown_spec *spec, const char *asking,
                                 ubi_compat compat) {
    if (!spec->text)
        choice->json = (ubi_text){ NULL, 0 };
    else if (!spec->is_json && is_preset_name(spec->text))
        UBI_TRY(choose_preset(choice, spec->text, asking));
    else
        choice->json = ubi__text(spec->text);
    return ubi_breakdown_parse(&choice->breakdown, choice->json, compat, NULL);
}

void ubi__breakdown_choice_fini(ubi__breakdown_choice *choice) {
    ubi_breakdown_unref(choice->breakdown);
}

ubi_status ubi__breakdown_check_rows(const ubi__breakdown_arguments *arguments) {
    ubi__census_order order;
    if (!ubi__census_order_parse(&order, arguments->order))
        return ubi__fail(UBI_EINVAL, "--order: expected %s, not '%s'", UBI__CENSUS_ORDER_WORDS, arguments->order);
    if (!arguments->rows && (arguments->parent || arguments->offset || arguments->order))
        return ubi__fail(UBI_EINVAL, "%s goes with --rows",
                         arguments->parent   ? "--parent"
                         : arguments->offset ? "--offset"
                                             : "--order");
    return UBI_OK;
}

ubi_status ubi__breakdown_rows(ubi__census_rows *out, const ubi__breakdown_arguments *arguments,
                               const ubi_census_tree *tree) {
    *out = (ubi__census_rows){ .parent = ubi_census_tree_root(tree),
                               .offset = arguments->offset,
                               .most = arguments->rows };
    (void)ubi__census_order_parse(&out->order, arguments->order); /* was checked */
    if (!arguments->parent)
        return UBI_OK;
    if (arguments->parent < UBI_NONE && ubi_census_tree_find(&out->parent, tree, (uint32_t)arguments->parent))
        return UBI_OK;
    return ubi__fail(UBI_ENOTFOUND, "--parent: the tree has no row %" PRIu64, arguments->parent);
}

bool ubi__breakdown_wants_tree(const ubi__breakdown_arguments *arguments) {
    return arguments->wants_tree || arguments->rows || arguments->inverted > 0 || arguments->filter;
}

static bool is_inverted(const ubi__breakdown_arguments *arguments, const ubi__breakdown_choice *choice) {
    return arguments->inverted ? arguments->inverted > 0 : choice->is_inverted;
}

ubi_census_tree_options ubi__breakdown_tree_options(const ubi__breakdown_arguments *arguments,
                                                    const ubi__breakdown_choice *choice) {
    ubi_census_tree_options options = UBI_CENSUS_TREE_OPTIONS_INIT;
    options.is_inverted = is_inverted(arguments, choice);
    options.has_filter = arguments->filter != NULL;
    options.filter = ubi__text(arguments->filter);
    return options;
}

ubi__census_text_options ubi__breakdown_text_options(const ubi__breakdown_arguments *arguments,
                                                     const ubi__breakdown_choice *choice, ubi_compat compat) {
    return (ubi__census_text_options){
        .is_inverted = is_inverted(arguments, choice),
        .is_compat = compat == UBI_COMPAT_FIREFOX,
        .limit = arguments->limit,
        .depth = arguments->depth,
    };
}

void ubi__breakdown_write_json(ubi__json *json, const ubi__breakdown_choice *choice) {
    const ubi_breakdown_preset *standard = ubi_breakdown_preset_find("default");
    ubi__json_member_raw(json, "breakdown", choice->json.ptr ? choice->json : ubi__text(standard->json));
}

static bool preset_entry(size_t i, const char **word, const char **help) {
    *word = ubi_breakdown_presets()[i].name;
    *help = ubi_breakdown_presets()[i].help;
    return *word != NULL;
}

const ubi__glossary ubi__breakdown_presets_glossary = { "Presets", preset_entry };
