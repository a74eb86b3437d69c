/* SPDX-License-Identifier: MIT
 *
 * Tests of query_judge.h: golden answers, and random expressions over ranges against the exact filter at points in them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "analyses/query/query_judge.h"
#include "base/text.h"
#include "fail_allocator.h"
#include "random_numbers.h"

static const ubi_query_name vocabulary[] = {
    { "a", "", UBI_QUERY_NUMBER, UBI_QUERY_NO_ARGUMENT, false, true },
    { "b", "", UBI_QUERY_NUMBER, UBI_QUERY_NO_ARGUMENT, false, false },
    { "size", "", UBI_QUERY_SIZE, UBI_QUERY_NO_ARGUMENT, false, true },
    { "time", "", UBI_QUERY_DURATION, UBI_QUERY_NO_ARGUMENT, false, false },
    { 0 },
};
enum { NAMES = 4 };

/* By the place of a name in the vocabulary. */
typedef struct known {
    ubi__query_range of[NAMES];
} known;

static ubi_query *parse(const char *text) {
    ubi_query *query;
    if (ubi_query_parse(&query, ubi__text(text), vocabulary, NULL) != UBI_OK)
        fail_msg("%s: %s", text, ubi_error_message());
    return query;
}

static size_t name_of(const ubi_query *query, uint32_t value) {
    return (size_t)(ubi_query_value_at(query, value).name - vocabulary);
}

static ubi_status judge_with(ubi__answer *out, const ubi_query *query, const known *k, const ubi_allocator *a) {
    ubi__query_range ranges[16];
    for (uint32_t i = 0; i < ubi_query_value_count(query); i++)
        ranges[i] = k->of[name_of(query, i)];
    return ubi__query_judge(out, query, ranges, a);
}

static ubi__answer judge(const char *text, const known *k) {
    ubi__answer answer;
    ubi_query *query = parse(text);
    assert_int_equal(judge_with(&answer, query, k, NULL), UBI_OK);
    ubi_query_free(query);
    return answer;
}

static void golden_answers(void **state) {
    /* a is between 10 and 20 of 100 to 200, b is 15, the size between 1 and 2 KiB of 4 KiB, the time between 1 and 2 ms */
    const known k = {
        { { 10, 20, 100, 200 }, { 15, 15, 0, 0 }, { 1024, 2048, 4096, 4096 }, { 1000000, 2000000, 0, 0 } }
    };
    static const struct {
        const char *text;
        ubi__answer answer;
    } cases[] = {
        { "a > 9", UBI__ANSWER_YES },
        { "a > 10", UBI__ANSWER_OPEN },
        { "a >= 10", UBI__ANSWER_YES },
        { "a > 20", UBI__ANSWER_NO },
        { "a >= 20", UBI__ANSWER_OPEN },
        { "a < 10", UBI__ANSWER_NO },
        { "21 > a", UBI__ANSWER_YES },
        { "a == 21", UBI__ANSWER_NO },
        { "a == 15", UBI__ANSWER_OPEN },
        { "a != 21", UBI__ANSWER_YES },
        { "b == 15", UBI__ANSWER_YES },
        { "a == null", UBI__ANSWER_NO },
        { "not (a > 15)", UBI__ANSWER_OPEN },
        { "a > 15 and b > 20", UBI__ANSWER_NO },
        { "a > 15 and b > 10", UBI__ANSWER_OPEN },
        { "a > 15 or b > 10", UBI__ANSWER_YES },
        { "a > 15 or b > 20", UBI__ANSWER_OPEN },
        { "a > 15 or a <= 15", UBI__ANSWER_OPEN }, /* two that know nothing of each other */
        { "a < 12 or a > 18", UBI__ANSWER_OPEN },
        { "a < 5 or a > 30", UBI__ANSWER_NO },
        { "(a - 15) * (a - 15) <= 25", UBI__ANSWER_YES },
        { "(a - 15) * (a - 15) >= 0", UBI__ANSWER_OPEN },
        { "-a < -9", UBI__ANSWER_YES },
        { "100 / a >= 5", UBI__ANSWER_YES },
        { "100 / (a - 15) > 1", UBI__ANSWER_OPEN },
        { "100 / (b - 15) > 1", UBI__ANSWER_NO_VALUE },
        { "not (100 / (b - 15) > 1)", UBI__ANSWER_NO_VALUE },
        { "100 / (b - 15) == 3", UBI__ANSWER_NO_VALUE },
        { "100 / (b - 15) != 100 / (b - 15)", UBI__ANSWER_NO_VALUE },
        { "b > 1 / 0", UBI__ANSWER_NO_VALUE },
        { "b + 1 / 0 < 3 or b < 3", UBI__ANSWER_NO_VALUE },
        { "100 / (b - 15) > 1 or b > 3", UBI__ANSWER_YES },
        { "100 / (b - 15) > 1 and b < 3", UBI__ANSWER_NO },
        { "100 / (b - 15) == null", UBI__ANSWER_YES },
        { "100 / (b - 15) != null", UBI__ANSWER_NO },
        { "null == null", UBI__ANSWER_YES },
        { "100 / (a - 15) == null", UBI__ANSWER_OPEN },
        { "a > 25%", UBI__ANSWER_NO }, /* of 100 to 200: of 25 to 50 */
        { "a > 4%", UBI__ANSWER_YES },
        { "a > 8%", UBI__ANSWER_OPEN },
        { "size > 24%", UBI__ANSWER_YES },
        { "size > 1KiB and size < 3KiB", UBI__ANSWER_OPEN },
        { "time > 0.9ms", UBI__ANSWER_YES },
        { "time > 1.5ms", UBI__ANSWER_OPEN },
        { "time > 2ms", UBI__ANSWER_NO },
        { "true", UBI__ANSWER_YES },
        { "a > 15 and false", UBI__ANSWER_NO },
        { "\"abc\" == \"abd\" or a > 9", UBI__ANSWER_YES },
        { "\"abc\" contains \"bc\" and a > 15", UBI__ANSWER_OPEN },
        { "\"abc\" ~ /^b/ and a > 15", UBI__ANSWER_NO },
        { "(a > 15) == (b > 20)", UBI__ANSWER_OPEN },
        { "(a > 25) == (b > 20)", UBI__ANSWER_YES },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (judge(cases[i].text, &k) != cases[i].answer)
            fail_msg("%s: %d", cases[i].text, judge(cases[i].text, &k));
}

/* ---- against the filter ------------------------------------------------------------------------------------------- */

typedef struct point {
    const ubi_query *query;
    ubi__whole of[NAMES];
    uint64_t basis[NAMES];
} point;

static void give_numbers(void *payload, uint32_t value, uint32_t first, uint32_t n, uint64_t *magnitude,
                         uint8_t *state) {
    const point *p = payload;
    ubi__whole number = p->of[name_of(p->query, value)];
    (void)first, (void)n;
    magnitude[0] = (uint64_t)(number < 0 ? -number : number);
    state[0] = number < 0 ? UBI_QUERY_NEGATIVE : UBI_QUERY_PRESENT;
}

static bool give_basis(void *payload, uint32_t value, uint64_t *out) {
    const point *p = payload;
    *out = p->basis[name_of(p->query, value)];
    return true;
}

static bool holds_at(point *p) {
    ubi_query_source source = { .payload = p, .numbers = give_numbers, .basis = give_basis };
    ubi_filter *filter;
    uint32_t row;
    assert_int_equal(ubi_filter_new(&filter, p->query, &source, NULL), UBI_OK);
    bool holds = ubi_filter_select(&row, filter, 0, 1) == 1;
    ubi_filter_free(filter);
    return holds;
}

#define PICK(array) array[random_below(sizeof array / sizeof *array)]

static void write_number(char *out, size_t n, int depth) {
    static const char *const operators[] = { "+", "-", "*", "/" };
    char left[256], right[256];
    if (depth == 0 || random_below(3) == 0) {
        static const char *const leaves[] = { "a", "b", "3", "10", "0", "-4" };
        snprintf(out, n, "%s", PICK(leaves));
        return;
    }
    write_number(left, sizeof left, depth - 1);
    write_number(right, sizeof right, depth - 1);
    snprintf(out, n, "(%.100s %s %.100s)", left, PICK(operators), right);
}

static void write_truth(char *out, size_t n, int depth) {
    static const char *const comparisons[] = { "<", "<=", ">", ">=", "==", "!=" };
    char left[1024], right[1024];
    if (depth == 0) {
        if (random_below(5) == 0) {
            snprintf(out, n, "a %s %u%%", comparisons[random_below(4)], random_below(30));
            return;
        }
        write_number(left, sizeof left, 2);
        write_number(right, sizeof right, 1);
        snprintf(out, n, "%.300s %s %.300s", left, PICK(comparisons), right);
        return;
    }
    write_truth(left, sizeof left, depth - 1);
    write_truth(right, sizeof right, depth - 1);
    switch (random_below(3)) {
    case 0:
        snprintf(out, n, "(%.480s and %.480s)", left, right);
        break;
    case 1:
        snprintf(out, n, "(%.480s or %.480s)", left, right);
        break;
    default:
        snprintf(out, n, "not (%.480s)", left);
    }
}

static ubi__query_range draw_range(void) {
    ubi__whole low = (ubi__whole)random_below(40) - 20;
    uint64_t basis = random_below(100);
    return (ubi__query_range){ low, low + random_below(8), basis, basis + random_below(40) };
}

static void no_answer_is_wrong(void **state) {
    unsigned answers[4] = { 0 };
    char text[1024];
    (void)state;
    random_start(3);
    for (int round = 0; round < 4000; round++) {
        known k = { { draw_range(), draw_range(), { 0, 0, 0, 0 }, { 0, 0, 0, 0 } } };
        if (round % 4 == 0) { /* points: nothing is open */
            k.of[0].high = k.of[0].low;
            k.of[1].high = k.of[1].low;
            k.of[0].basis_high = k.of[0].basis_low;
        }
        write_truth(text, sizeof text, (int)random_below(3));
        ubi__answer answer;
        point p = { .query = parse(text) };
        assert_int_equal(judge_with(&answer, p.query, &k, NULL), UBI_OK);
        answers[answer]++;
        assert_true(round % 4 || answer != UBI__ANSWER_OPEN);
        for (ubi__whole a = k.of[0].low; a <= k.of[0].high; a++)
            for (ubi__whole b = k.of[1].low; b <= k.of[1].high; b++) {
                p.of[0] = a;
                p.of[1] = b;
                p.basis[0] = k.of[0].basis_low + random_below((uint32_t)(k.of[0].basis_high - k.of[0].basis_low + 1));
                if (answer < UBI__ANSWER_OPEN && holds_at(&p) != (answer == UBI__ANSWER_YES))
                    fail_msg("%s with a = %d and b = %d: %d", text, (int)a, (int)b, (int)answer);
            }
        ubi_query_free((ubi_query *)p.query);
    }
    answers[2] += answers[3]; /* what divides by 0 is open, too */
    if (answers[0] < 300 || answers[1] < 300 || answers[2] < 300)
        fail_msg("%u do not hold, %u hold, %u are open", answers[0], answers[1], answers[2]);
}

static ubi_status judge_in_memory(void *payload, const ubi_allocator *allocator) {
    const known k = { { { 1, 2, 3, 4 } } };
    ubi__answer answer;
    return judge_with(&answer, payload, &k, allocator);
}

static void no_memory_is_said(void **state) {
    ubi_query *query = parse("a > 1 or \"x\" ~ /y/ or a > 5%");
    (void)state;
    assert_true(fail_each_allocation(judge_in_memory, query) >= 3);
    ubi_query_free(query);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_answers),
        cmocka_unit_test(no_answer_is_wrong),
        cmocka_unit_test(no_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
