/* SPDX-License-Identifier: MIT
 *
 * json_values_fuzz.c: any bytes as the parameters of every question.
 *
 * Promises checked: no crash, no leak; a refusal has a message of one line; numbers keep their least value.
 */
#include "fuzz_pieces.h"
#include "questions/question.h"

static void values_try(const ubi__question *question, ubi_text json) {
    ubi__json_values values;
    ubi_status status = ubi__json_values_read(&values, question->usage, json);
    if (status != UBI_OK) {
        require(ubi_error_message()[0] && !strchr(ubi_error_message(), '\n'), "message is not one line");
        return;
    }
    for (const ubi__parameter *p = question->usage->parameters; (p = ubi__parameter_at(p)); p++)
        if (p->kind == UBI__PARAMETER_NUMBER)
            require(*(uint64_t *)((char *)values.values + p->offset) >= p->least, "a number is below its least value");
    ubi__json_values_fini(&values);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    for (const ubi__question *const *q = ubi__questions; *q; q++)
        values_try(*q, (ubi_text){ (const char *)data, n });
    return 0;
}
