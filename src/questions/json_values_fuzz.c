/* SPDX-License-Identifier: MIT
 *
 * json_values_fuzz.c: any bytes as the parameters of every question.
 *
 * Promises checked: no crash, no leak; a refusal has a message of one line; numbers keep their least value; what is written of the
 * values is read as the same values, and written the same again.
 */
#include "fuzz_pieces.h"
#include "questions/question.h"

static void values_write(ubi__vec_u8 *out, const ubi__json_values *values) {
    ubi__json json;
    ubi__bytes_sink sink = { out, ubi_allocator_default() };
    ubi__json_init(&json, ubi__bytes_sink_write, &sink, false);
    ubi__json_values_write(&json, values->usage, values->values, true);
    require(ubi__json_flush(&json) == UBI_OK, "values were not written");
}

static bool are_equal(const ubi__vec_u8 *a, const ubi__vec_u8 *b) {
    return a->n == b->n && memcmp(a->at, b->at, a->n) == 0;
}

static void round_trip_try(const ubi__json_values *values) {
    const ubi_allocator *a = ubi_allocator_default();
    ubi__vec_u8 text = { 0 }, text_again = { 0 }, bytes = { 0 }, bytes_again = { 0 };
    ubi__json_values again;
    values_write(&text, values);
    require(!memchr(text.at, 0, text.n), "a NUL was written");
    ubi_status status = ubi__json_values_read(&again, values->usage, (ubi_text){ (const char *)text.at, text.n });
    require(status == UBI_OK, "what was written is refused");
    values_write(&text_again, &again);
    require(are_equal(&text, &text_again), "written again, values are another text");
    require(ubi__usage_values_append(&bytes, values->values, values->usage->parameters, a) == UBI_OK, "memory");
    require(ubi__usage_values_append(&bytes_again, again.values, again.usage->parameters, a) == UBI_OK, "memory");
    require(are_equal(&bytes, &bytes_again), "what was written is read as other values");
    ubi__json_values_fini(&again);
    ubi__vec_u8_fini(&text, a);
    ubi__vec_u8_fini(&text_again, a);
    ubi__vec_u8_fini(&bytes, a);
    ubi__vec_u8_fini(&bytes_again, a);
}

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
    round_trip_try(&values);
    ubi__json_values_fini(&values);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    for (const ubi__question *const *q = ubi__questions; *q; q++)
        values_try(*q, (ubi_text){ (const char *)data, n });
    return 0;
}
