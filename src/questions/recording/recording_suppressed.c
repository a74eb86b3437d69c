/* SPDX-License-Identifier: MIT
 *
 * recording_suppressed.c: see recording_suppressed.h.
 */
#include "questions/recording/recording_suppressed.h"

#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "base/status.h"
#include "base/text.h"

/* ---- finding them ------------------------------------------------------------------------------------------------------- */

static ubi_status rules_read(ubi__suppressions *rules, const ubi__texts *texts) {
    for (uint32_t i = 0; i < texts->n; i++)
        UBI_TRY(
            ubi__suppressions_add(rules, ubi__text(texts->at[i]), texts->paths[i] ? texts->paths[i] : "--suppress"));
    return UBI_OK;
}

static ubi_status suppressed_find(ubi__recording_suppressed *s, ubi__recording_report *report) {
    UBI_TRY(rules_read(&s->rules, &report->wishes->suppress));
    if (!ubi__recording_has_frees(report->summary))
        return ubi__fail(UBI_EINVAL, "--suppress: frees were not recorded, so what was not freed is unknown");
    UBI_TRY(ubi__suppressed_init(&s->what, &s->rules, report->summary, report->allocator));
    s->is_found = true;
    UBI_TRY(ubi__sites_view_of(&s->leaked, report->leaked_sites, &s->what.summary, UBI__BY_LEAKED, report->allocator));
    s->has_leaked = true;
    report->sites = report->leaked_sites = &s->leaked;
    return UBI_OK;
}

ubi_status ubi__recording_suppress(ubi__recording_report *report) {
    if (report->wishes->suppress.n == 0)
        return UBI_OK;
    report->suppressed = UBI_NEW(report->allocator, ubi__recording_suppressed);
    if (!report->suppressed)
        return ubi__fail_nomem();
    report->suppressed->rules.allocator = report->allocator;
    return suppressed_find(report->suppressed, report);
}

ubi_status ubi__recording_suppressed_sort(ubi__recording_report *report, ubi__site_order order) {
    ubi__recording_suppressed *s = report->suppressed;
    report->sites = &s->leaked;
    if (order == UBI__BY_LEAKED)
        return UBI_OK;
    if (s->has_sorted)
        ubi__sites_fini(&s->sorted);
    s->has_sorted = false;
    UBI_TRY(ubi__sites_view(&s->sorted, &s->leaked, order, report->allocator));
    s->has_sorted = true;
    report->sites = &s->sorted;
    return UBI_OK;
}

void ubi__recording_suppressed_free(ubi__recording_suppressed *s, const ubi_allocator *allocator) {
    if (!s)
        return;
    if (s->has_sorted)
        ubi__sites_fini(&s->sorted);
    if (s->has_leaked)
        ubi__sites_fini(&s->leaked);
    if (s->is_found)
        ubi__suppressed_fini(&s->what);
    ubi__suppressions_fini(&s->rules);
    UBI_DELETE(allocator, s);
}

/* ---- saying it ---------------------------------------------------------------------------------------------------------- */

char *ubi__recording_suppressed_words(char out[UBI__SUPPRESSED_WORDS], const ubi__style *style,
                                      const ubi__recording_report *report, ubi__ubirec_class of_class) {
    const ubi__suppressed *what = &report->suppressed->what;
    const ubi__estimate *e = &what->sums[of_class];
    char bytes[UBI__ESTIMATE_TEXT], count[UBI__ESTIMATE_TEXT], rules[UBI__HUMAN_TEXT];
    ubi__range n = ubi__recording_count_range(report->summary, of_class, e);
    ubi__human_things(rules, what->n_rules, "suppression");
    if (what->n_used == 0) {
        snprintf(out, UBI__SUPPRESSED_WORDS, "nothing, by %s", rules);
        return out;
    }
    ubi__range_bytes(bytes, style, ubi__recording_bytes_range(report->summary, of_class, e));
    ubi__count_guess(count, style, e->count, n);
    snprintf(out, UBI__SUPPRESSED_WORDS, "%s in %s %s%s, by %zu of %s", bytes, count, ubi__recording_things(of_class),
             n.high == 1 ? "" : "s", what->n_used, rules);
    return out;
}

/* "; not used: leak:a, leak:b" */
static void unused_say(char *out, size_t n, const ubi__recording_suppressed *s) {
    size_t used = 0;
    for (size_t i = 0; i < s->what.n_rules && used < n; i++) {
        ubi_text pattern = ubi__suppression_pattern(&s->rules, i);
        if (s->what.by_rule[i].samples)
            continue;
        int more =
            snprintf(out + used, n - used, "%s leak:%.*s", used ? "," : "; not used:", (int)pattern.len, pattern.ptr);
        used += more > 0 ? (size_t)more : 0;
    }
}

size_t ubi__recording_suppressed_write(const ubi__page *page, const ubi__recording_report *report,
                                       ubi__ubirec_class of_class, size_t label_columns) {
    char words[UBI__SUPPRESSED_WORDS], unused[4096] = "", line[UBI__SUPPRESSED_WORDS + sizeof unused];
    if (!report->suppressed)
        return 0;
    ubi__recording_suppressed_words(words, &page->style, report, of_class);
    if (report->wishes->with_detail)
        unused_say(unused, sizeof unused, report->suppressed);
    snprintf(line, sizeof line, "%s%s", words, unused);
    ubi__write_label(page, UBI__INK_DIM, "Suppressed", label_columns);
    size_t lines =
        ubi__wrap_words(page->out, &page->style, ubi__text(line), label_columns, label_columns, page->style.columns);
    ubi__out_char(page->out, '\n');
    return lines;
}

static void sum_put(ubi__json *json, const ubi__estimate *e) {
    ubi__json_member_double(json, "count", e->count);
    ubi__json_member_double(json, "bytes", e->bytes);
}

static void rules_put(ubi__json *json, const ubi__recording_report *report) {
    const ubi__recording_suppressed *s = report->suppressed;
    ubi__json_member_array(json, "rules");
    for (size_t i = 0; i < s->what.n_rules && !json->has_failed; i++) {
        ubi__json_object_begin(json);
        ubi__json_member_text(json, "pattern", ubi__suppression_pattern(&s->rules, i));
        sum_put(json, &s->what.by_rule[i]);
        ubi__json_object_end(json);
    }
    ubi__json_array_end(json);
}

void ubi__recording_suppressed_document(ubi__json *json, const ubi__recording_report *report) {
    if (!report->suppressed) {
        ubi__json_member_null(json, "suppressed");
        return;
    }
    const ubi__suppressed *what = &report->suppressed->what;
    ubi__json_member_object(json, "suppressed");
    for (int c = 0; c < UBI__UBIREC_CLASS_COUNT; c++) {
        ubi__json_member_object(json, ubi__recording_class_name(c));
        sum_put(json, &what->sums[c]);
        ubi__json_object_end(json);
    }
    ubi__json_member_u64(json, "unusedRules", what->n_rules - what->n_used);
    rules_put(json, report);
    ubi__json_object_end(json);
}

void ubi__recording_suppressed_remark(ubi__remarks *remarks, const ubi__recording_report *report,
                                      ubi__ubirec_class of_class, ubi__site_order order) {
    static const ubi__style plain = { .columns = 100 };
    char words[UBI__SUPPRESSED_WORDS];
    size_t used = strlen(remarks->note);
    if (!report->suppressed)
        return;
    snprintf(remarks->note + used, sizeof remarks->note - used, "%s%s%s", used ? "; " : "",
             order == UBI__BY_LEAKED ? "suppressed: "
                                     : "suppressions change nothing here, they are about what was not freed",
             order == UBI__BY_LEAKED ? ubi__recording_suppressed_words(words, &plain, report, of_class) : "");
}
