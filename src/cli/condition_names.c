/* SPDX-License-Identifier: MIT
 *
 * condition_names.c: see condition_names.h.
 */
#include "cli/condition_names.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/human.h"
#include "base/text.h"
#include "cli/finish.h"

/* Longer names are cut in messages. */
#define MOST_TOLD_BYTES 200

struct ubi__condition_name {
    ubi_text name; /* of the condition */
    bool is_quoted, is_found;
    char typed[UBI__SUGGESTED_BYTES + 1], best[UBI__SUGGESTED_BYTES + 1];
    ubi__suggestion near;
};

typedef struct ubi__condition_name missing_name;

static bool is_word(const ubi__condition_words *words, ubi_text name) {
    const char *word;
    for (uint32_t i = 0; words && (word = words->word_at(i)); i++)
        if (ubi__text_is(name, word))
            return true;
    return false;
}

static bool is_known(const ubi__condition_names *names, ubi_text name) {
    for (uint32_t i = 0; i < names->n; i++)
        if (ubi__text_equal(names->at[i].name, name))
            return true;
    return false;
}

static bool is_suggestible(const missing_name *m) {
    return m->name.len > 0 && m->name.len <= UBI__SUGGESTED_BYTES;
}

static void argument_expect(ubi__condition_names *names, ubi_query_value value) {
    if (!value.argument.ptr || is_known(names, value.argument) ||
        (!value.is_quoted && is_word(names->words, value.argument)))
        return;
    missing_name *m = &names->at[names->n++];
    *m = (missing_name){ .name = value.argument, .is_quoted = value.is_quoted };
    if (is_suggestible(m))
        memcpy(m->typed, m->name.ptr, m->name.len);
    m->near = ubi__suggestion_for(m->typed);
}

ubi_status ubi__condition_names_init(ubi__condition_names *out, const ubi__condition *condition,
                                     const ubi__condition_words *words) {
    uint32_t n = ubi__condition_value_count(condition);
    *out = (ubi__condition_names){ .words = words };
    if (n == 0)
        return UBI_OK;
    out->at = ubi__calloc_array(ubi_allocator_default(), n, sizeof *out->at);
    if (!out->at)
        return ubi__fail_nomem();
    out->capacity = n;
    for (uint32_t i = 0; i < n; i++)
        argument_expect(out, ubi__condition_value_at(condition, i));
    return UBI_OK;
}

void ubi__condition_names_fini(ubi__condition_names *names) {
    ubi__free_array(ubi_allocator_default(), names->at, names->capacity, sizeof *names->at);
    *names = (ubi__condition_names){ .at = NULL };
}

void ubi__condition_names_add(ubi__condition_names *names, ubi_text class_name) {
    for (uint32_t i = 0; i < names->n; i++) {
        missing_name *m = &names->at[i];
        if (!m->is_found && ubi__text_equal(m->name, class_name))
            m->is_found = true;
        else if (!m->is_found && is_suggestible(m))
            ubi__suggestion_try_text(&m->near, m->best, class_name);
    }
}

/* If a class and a word are equally near, the word: conditions on verdicts are about words. */
static const char *nearest_word(const ubi__condition_words *words, const missing_name *m) {
    const char *word, *best = NULL;
    ubi__suggestion near = m->near;
    if (!words || m->is_quoted || !is_suggestible(m))
        return NULL;
    near.distance += near.word != NULL;
    for (uint32_t i = 0; (word = words->word_at(i)); i++) {
        near.word = NULL;
        ubi__suggestion_try(&near, word);
        best = near.word ? word : best;
    }
    return best;
}

static void name_tell(const ubi__condition_names *names, const missing_name *m, ubi__cli *cli, int n_files) {
    char line[MOST_TOLD_BYTES + 200];
    const char *word = nearest_word(names->words, m);
    bool is_cut = m->name.len > MOST_TOLD_BYTES;
    int n =
        snprintf(line, sizeof line, "condition: no class '%.*s%s' in %s", (int)(is_cut ? MOST_TOLD_BYTES : m->name.len),
                 m->name.ptr, is_cut ? "..." : "", n_files == 1 ? "this file" : "these files");
    if (word)
        snprintf(line + n, sizeof line - (size_t)n, "; did you mean the %s %s?", names->words->what, word);
    else if (m->near.word)
        snprintf(line + n, sizeof line - (size_t)n, "; did you mean '%s'?", m->best);
    ubi__print_line(cli->subject, line);
}

void ubi__condition_names_tell(const ubi__condition_names *names, ubi__cli *cli, int n_files) {
    ubi__progress_line_clear(&cli->progress);
    for (uint32_t i = 0; i < names->n; i++)
        if (!names->at[i].is_found) {
            if (cli->output)
                ubi__out_flush(&cli->output->out);
            name_tell(names, &names->at[i], cli, n_files);
        }
}
