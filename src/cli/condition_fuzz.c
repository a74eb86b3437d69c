/* SPDX-License-Identifier: MIT
 *
 * condition_fuzz.c: any text as the condition of --fail-on, of one snapshot, of a selection and of two snapshots.
 *
 * Promises checked: no crash, no leak; a refusal has a message of one line; a condition that holds gives status 1 and a reason,
 * and one that does not gives neither; asking twice gives the same.
 */
#include <ubiheap/views/lens.h>

#include "cli/condition.h"
#include "drawing.h"
#include "fuzz_pieces.h"

static ubi_graph *old, *new;

static void draw(void) {
    if (old)
        return;
    old = graph_from_drawing(
        "root -> a, b; a(class=Array coarse=object size=100) -> c; b(class=Map coarse=object size=50);"
        "c(coarse=string type=JSString size=20)");
    new = graph_from_drawing(
        "root -> a, b, d; a(class=Array coarse=object size=300) -> c; b(class=Map coarse=object size=50);"
        "c(coarse=string type=JSString size=20); d(id=9 class=Array coarse=object size=4000000)");
}

static int check(const ubi__condition *condition, const ubi__condition_facts *facts, char reason[UBI__REASON_TEXT]) {
    ubi__cli cli = { .subject = "fuzz" };
    int exit_code = UBI__EXIT_OK;
    ubi_status status = ubi__condition_check(&exit_code, &cli, condition, facts);
    require(status == UBI_OK || (ubi_error_message()[0] && !strchr(ubi_error_message(), '\n')),
            "message is not one line");
    require((exit_code == UBI__EXIT_CONDITION) == (cli.reason[0] != 0) || exit_code == UBI__EXIT_INPUT,
            "a condition holds without a reason, or a reason without one");
    memcpy(reason, cli.reason, UBI__REASON_TEXT);
    return exit_code;
}

static void try(const char *text, ubi__condition_scope scope) {
    ubi__condition *condition = NULL;
    if (ubi__condition_parse(&condition, text, scope) != UBI_OK) {
        require(condition == NULL, "a condition on failure");
        require(ubi_error_message()[0] && !strchr(ubi_error_message(), '\n'), "message is not one line");
        return;
    }
    const ubi__condition_facts facts = { .graph = new,
                                         .old = scope == UBI__CONDITION_COMPARISON ? old : NULL,
                                         .n_matches = 7 };
    char first[UBI__REASON_TEXT], second[UBI__REASON_TEXT];
    int exit_code = check(condition, &facts, first);
    require(exit_code == check(condition, &facts, second) && strcmp(first, second) == 0,
            "asking twice gives another answer");
    ubi__condition_free(condition);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char text[1024];
    if (size >= sizeof text || memchr(data, 0, size))
        return 0;
    memcpy(text, data, size);
    text[size] = 0;
    draw();
    for (ubi__condition_scope scope = UBI__CONDITION_SNAPSHOT; scope <= UBI__CONDITION_COMPARISON; scope++)
        try(text, scope);
    return 0;
}
