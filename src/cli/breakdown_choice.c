/* SPDX-License-Identifier: MIT
 *
 * breakdown_choice.c: see breakdown_choice.h.
 */
#include "cli/breakdown_choice.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/human.h"
#include "base/text.h"
#include "cli/cli_files.h"

/* Breakdowns are small; this keeps a wrong @FILE from filling memory. */
#define MAX_BREAKDOWN_BYTES (16u << 20)

static ubi_status read_all(ubi__vec_u8 *out, int fd, const char *path) {
    for (;;) {
        UBI_TRY(ubi__vec_u8_reserve(out, ubi_allocator_default(), 4096));
        ssize_t n = read(fd, out->at + out->n, out->cap - out->n);
        if (n < 0)
            return ubi__fail_errno(errno, "cannot read the breakdown %s", path);
        if (n == 0)
            return UBI_OK;
        out->n += (size_t)n;
        if (out->n > MAX_BREAKDOWN_BYTES)
            return ubi__fail(UBI_EINVAL, "the breakdown %s is larger than 16 MiB", path);
    }
}

static ubi_status read_file(ubi__breakdown_choice *c, const char *path) {
    int fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return ubi__fail_errno(errno, "cannot open the breakdown %s", path);
    ubi_status status = read_all(&c->file, fd, path);
    close(fd);
    c->json = (ubi_text){ c->file.at ? (const char *)c->file.at : "", c->file.n };
    return status;
}

/* Names of presets are words; so are three JSON values. */
static bool is_preset_name(const char *text) {
    if (strcmp(text, "null") == 0 || strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        return false;
    return text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_")] == 0;
}

static ubi_status choose_preset(ubi__breakdown_choice *c, const char *name, const ubi__cli *cli) {
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
    return ubi__fail(UBI_EINVAL, "unknown breakdown '%s'; see 'ubiheap help %s'", name, cli->subject);
}

ubi_status ubi__breakdown_choose(ubi__breakdown_choice *choice, const char *spec, const ubi__cli *cli) {
    if (!spec)
        choice->json = (ubi_text){ NULL, 0 };
    else if (spec[0] == '@')
        UBI_TRY(read_file(choice, spec + 1));
    else if (is_preset_name(spec))
        UBI_TRY(choose_preset(choice, spec, cli));
    else
        choice->json = ubi__text(spec);
    return ubi_breakdown_parse(&choice->breakdown, choice->json, cli->compat, NULL);
}

void ubi__breakdown_choice_fini(ubi__breakdown_choice *choice) {
    ubi_breakdown_unref(choice->breakdown);
    ubi__vec_u8_fini(&choice->file, ubi_allocator_default());
}

ubi_status ubi__breakdown_check_input(const ubi__breakdown_arguments *arguments, const char *path) {
    if (arguments->breakdown && strcmp(arguments->breakdown, "@-") == 0 && strcmp(path, "-") == 0)
        return ubi__fail(UBI_EINVAL, "the breakdown and the snapshot cannot both come from standard input");
    return UBI_OK;
}

ubi_status ubi__breakdown_check_output(const ubi__breakdown_arguments *arguments, const char *output) {
    const char *spec = arguments->breakdown;
    return ubi__output_check(output, spec && spec[0] == '@' ? spec + 1 : NULL);
}

bool ubi__breakdown_wants_tree(const ubi__breakdown_arguments *arguments) {
    return arguments->wants_tree || arguments->inverted > 0 || arguments->filter;
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
                                                     const ubi__breakdown_choice *choice, const ubi__cli *cli) {
    return (ubi__census_text_options){
        .is_inverted = is_inverted(arguments, choice),
        .is_compat = cli->compat == UBI_COMPAT_FIREFOX,
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
