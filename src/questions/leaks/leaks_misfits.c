/* SPDX-License-Identifier: MIT
 *
 * leaks_misfits.c: heaps that cannot be compared, on the page: why, and what to do.
 */
#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "questions/leaks/leaks_answer.h"
#include "render/page.h"

/* Its nodes whose ids the newest heap has, those of the same class, and texts of strings. */
static void write_other_process(const ubi__page *page, const ubi__leaks_answer *answer, uint32_t i) {
    char line[500], nodes[UBI__HUMAN_TEXT], common[UBI__HUMAN_TEXT], same[UBI__HUMAN_TEXT], texts[120] = "";
    const ubi_leak_heap *heap = ubi_leaks_heap(answer->leaks, i);
    const ubi_leak_heap *newest = ubi_leaks_heap(answer->leaks, ubi_leaks_heap_count(answer->leaks) - 1);
    if (ubi__leaks_renews_ids(heap, newest)) {
        snprintf(line, sizeof line,
                 "%.160s may be of the process of the newest file, which has higher ids, but shares none of them: such "
                 "a program gives each object a new id in each snapshot, so that nothing shows which one was there.",
                 ubi__leaks_name(&answer->series, i));
        ubi__write_words(page, UBI__INK_YELLOW, line);
        return;
    }
    if (answer->series.is_of_one_program) {
        snprintf(line, sizeof line, "%.160s has %s, of which %s have ids that are in the newest snapshot, too.",
                 ubi__leaks_name(&answer->series, i), ubi__human_things(nodes, heap->tally.count, "node"),
                 ubi__human_count(common, heap->n_common));
        ubi__write_words(page, UBI__INK_YELLOW, line);
        return;
    }
    if (heap->n_texts)
        snprintf(texts, sizeof texts, ", and of %s %s have the same text",
                 ubi__human_things(nodes, heap->n_texts, "string"), ubi__human_count(same, heap->n_texts_same));
    snprintf(line, sizeof line,
             "%.160s is hardly of the process of the newest file: of its %s, %s have ids that are there, too; %s of "
             "these are "
             "of the same class%s.",
             ubi__leaks_name(&answer->series, i), ubi__human_things(nodes, heap->tally.count, "node"),
             ubi__human_count(common, heap->n_common), ubi__human_count(same, heap->n_common_same), texts);
    ubi__write_words(page, UBI__INK_YELLOW, line);
}

#define MOST_MISFITS 3

void ubi__leaks_write_misfits(const ubi__page *page, const ubi__leaks_answer *answer) {
    uint32_t n = ubi_leaks_heap_count(answer->leaks), n_listed = 0;
    for (uint32_t i = 0; i < n; i++)
        if (ubi_leaks_heap(answer->leaks, i)->fit == UBI_LEAK_OTHER_PROCESS && n_listed++ < MOST_MISFITS)
            write_other_process(page, answer, i);
}

/* The page ends here: such files show nothing. */
void ubi__leaks_write_nothing_to_judge(const ubi__page *page, const ubi__leaks_answer *answer) {
    char reason[UBI__LEAKS_REASON];
    bool by_key = answer->fit == UBI_LEAK_OTHER_PROCESS && ubi__leaks_differ_by_key(answer->leaks);
    if (!by_key)
        ubi__leaks_write_misfits(page, answer);
    ubi__leaks_reason(reason, &answer->series, answer->leaks, answer->fit);
    reason[0] = 'C';
    strcat(reason, ".");
    ubi__write_words(page, UBI__INK_BOLD, reason);
    ubi__write_words(
        page, UBI__INK_PLAIN,
        answer->fit == UBI_LEAK_SAME_HEAP
            ? "A program that leaks nothing would look the same: take another snapshot, after the same work."
        : answer->series.is_of_one_program
            ? "Take the series again, while no other debugger and no other ubiheap looks into the program."
        : by_key ? "Names show nothing then, and hardly whether the files are of one process; --allow-other-process "
                   "shows the result anyway."
                 : "Compare files of one process; --allow-other-process shows the result anyway.");
}
