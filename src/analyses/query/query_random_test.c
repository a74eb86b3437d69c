/* SPDX-License-Identifier: MIT
 *
 * query_random_test.c: random expressions, against an evaluator that walks the tree they were written from.
 *
 * Trees are drawn by type, written with as few parentheses as the grammar allows, and evaluated here node by node and row
 * by row: so the parser's precedences, the planning of steps and their loops are all checked by one question.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ubiheap/core/query.h>

#include "base/text.h"
#include "query_rows.h"
#include "random_numbers.h"

__extension__ typedef __int128 whole;

/* ---- trees ------------------------------------------------------------------------------------------------------ */

typedef enum sort { LEAF, NOT, MINUS, BINARY } sort;

typedef struct node {
    sort sort;
    const char *sign; /* operator, or what a leaf looks like */
    int precedence;
    const char *name; /* leaf: a value, or NULL */
    whole literal;
    struct node *left, *right;
} node;

static node pool[4096];
static size_t n_pool;

static node *make(node n) {
    assert_true(n_pool < sizeof pool / sizeof *pool);
    pool[n_pool] = n;
    return &pool[n_pool++];
}

static node *binary(const char *sign, int precedence, node *left, node *right) {
    return make((node){ BINARY, sign, precedence, NULL, 0, left, right });
}

static node *value(const char *name) {
    return make((node){ .sort = LEAF, .sign = name, .name = name, .precedence = 9 });
}

#define PICK(array) array[random_below(sizeof array / sizeof *array)]

static node *draw_literal(bool of_bytes) {
    static const struct {
        const char *text;
        int number;
    } plain[] = { { "0", 0 }, { "1", 1 }, { "5", 5 }, { "50", 50 }, { "1024", 1024 } },
      sizes[] = { { "50B", 50 }, { "1KiB", 1024 }, { "0.5 KB", 500 }, { "2B", 2 } };
    uint32_t i = random_below(4);
    return make((node){ .sort = LEAF,
                        .sign = of_bytes ? sizes[i].text : plain[i].text,
                        .precedence = 9,
                        .literal = of_bytes ? sizes[i].number : plain[i].number });
}

static node *draw_number(bool of_bytes, unsigned depth) {
    static const char *const counts[] = { "id", "delta", "maybe" };
    if (depth == 0 || random_below(3) == 0)
        return random_below(3) == 0 ? draw_literal(of_bytes) : value(of_bytes ? "size" : PICK(counts));
    switch (random_below(5)) {
    case 0:
        return make((node){ .sort = MINUS, .sign = "-", .precedence = 7, .left = draw_number(of_bytes, depth - 1) });
    case 1:
        return binary("*", 6, draw_number(of_bytes, depth - 1), draw_number(false, depth - 1));
    case 2:
        return of_bytes ? binary("/", 6, draw_number(true, depth - 1), draw_number(false, depth - 1))
                        : binary("/", 6, draw_number(true, depth - 1), draw_number(true, depth - 1));
    default:
        return binary(random_below(2) ? "+" : "-", 5, draw_number(of_bytes, depth - 1),
                      draw_number(of_bytes, depth - 1));
    }
}

static node *draw_text(void) {
    static const char *const literals[] = { "''", "'Array'", "'Map'", "'a'" };
    static const char *const names[] = { "name", "alias" };
    return random_below(2) ? value(PICK(names)) : make((node){ .sort = LEAF, .sign = PICK(literals), .precedence = 9 });
}

static node *draw_comparison(unsigned depth) {
    static const char *const orders[] = { "==", "!=", "<", "<=", ">", ">=" };
    static const char *const of_texts[] = { "==", "!=", "<", ">=", "contains", "startswith", "endswith" };
    bool of_bytes = random_below(2);
    switch (random_below(5)) {
    case 0:
        return binary(PICK(of_texts), 4, draw_text(), draw_text());
    case 1:
        return binary(random_below(2) ? "==" : "!=", 4, random_below(2) ? draw_text() : draw_number(of_bytes, depth),
                      value("null"));
    case 2: /* the shape with a quick loop */
        return binary(PICK(orders), 4, value(of_bytes ? "size" : "delta"), draw_literal(of_bytes));
    default:
        return binary(PICK(orders), 4, draw_number(of_bytes, depth), draw_number(of_bytes, depth));
    }
}

static node *draw_condition(unsigned depth) {
    if (depth == 0 || random_below(4) == 0)
        return random_below(4) == 0 ? value("flag") : draw_comparison(random_below(3));
    switch (random_below(5)) {
    case 0:
        return make((node){ .sort = NOT, .sign = "not ", .precedence = 3, .left = draw_condition(depth - 1) });
    case 1:
        return binary(random_below(2) ? "==" : "!=", 4, draw_condition(depth - 1), draw_condition(depth - 1));
    case 2:
    case 3:
        return binary("and", 2, draw_condition(depth - 1), draw_condition(depth - 1));
    default:
        return binary("or", 1, draw_condition(depth - 1), draw_condition(depth - 1));
    }
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

typedef struct page {
    char text[32768];
    size_t n;
} page;

static void put(page *p, const char *s) {
    p->n += (size_t)snprintf(p->text + p->n, sizeof p->text - p->n, "%s", s);
    assert_true(p->n < sizeof p->text);
}

static void write_node(page *p, const node *n, int least) {
    bool parentheses = n->precedence < least || random_below(10) == 0;
    if (parentheses)
        put(p, "(");
    if (n->sort == BINARY)
        write_node(p, n->left, n->precedence + (n->precedence == 4));
    if (n->sort == BINARY)
        put(p, " ");
    put(p, n->sign);
    if (n->sort == BINARY)
        put(p, " ");
    if (n->sort == BINARY)
        write_node(p, n->right, n->precedence + 1);
    else if (n->sort != LEAF)
        write_node(p, n->left, n->precedence);
    if (parentheses)
        put(p, ")");
}

/* ---- evaluating ------------------------------------------------------------------------------------------------- */

typedef struct result {
    enum { MISSING, TRUTH, WHOLE, REAL, TEXT } is;
    bool is_true;
    whole number;
    double real;
    ubi_text text;
} result;

static result truth(bool b) {
    return (result){ .is = TRUTH, .is_true = b };
}

static double real(result r) {
    return r.is == WHOLE ? (double)r.number : r.real;
}

static result leaf(const node *n, uint32_t row) {
    if (!n->name && *n->sign == '\'')
        return (result){ .is = TEXT, .text = { n->sign + 1, strlen(n->sign) - 2 } };
    if (!n->name)
        return (result){ .is = WHOLE, .number = n->literal };
    if (strcmp(n->name, "null") == 0)
        return (result){ .is = MISSING };
    if (strcmp(n->name, "name") == 0 || strcmp(n->name, "alias") == 0) {
        ubi_text text = query_rows_text(n->name, row);
        return (result){ .is = text.ptr ? TEXT : MISSING, .text = text };
    }
    query_cell cell = query_rows_number(n->name, row);
    if (strcmp(n->name, "flag") == 0)
        return truth(cell.magnitude);
    whole number = cell.state == UBI_QUERY_NEGATIVE ? -(whole)cell.magnitude : (whole)cell.magnitude;
    return (result){ .is = cell.state ? WHOLE : MISSING, .number = number };
}

static result calculate(char sign, result a, result b) {
    result r = { .is = REAL };
    bool overflow = true, exact = a.is == WHOLE && b.is == WHOLE;
    if (a.is == MISSING || b.is == MISSING || (sign == '/' && real(b) == 0))
        return (result){ .is = MISSING };
    if (exact && sign == '+')
        overflow = __builtin_add_overflow(a.number, b.number, &r.number);
    else if (exact && sign == '-')
        overflow = __builtin_sub_overflow(a.number, b.number, &r.number);
    else if (exact && sign == '*')
        overflow = __builtin_mul_overflow(a.number, b.number, &r.number);
    else if (exact && a.number % b.number == 0)
        overflow = false, r.number = a.number / b.number;
    double x = real(a), y = real(b);
    r.real = sign == '+' ? x + y : sign == '-' ? x - y : sign == '*' ? x * y : x / y;
    if (!overflow)
        r.is = WHOLE;
    else if (r.real != r.real)
        r.is = MISSING;
    return r;
}

/* -1, 0 or 1. A large double is a whole number itself; beside a smaller one, a long double of 64 bits is exact enough. */
static int order_mixed(whole a, double b) {
    if (fabs(b) >= 0x1p63 && fabs(b) < 0x1p127)
        return (a > (whole)b) - (a < (whole)b);
    return ((long double)a > b) - ((long double)a < b);
}

static int order(result a, result b) {
    if (a.is == TEXT)
        return ubi__text_compare(a.text, b.text);
    if (a.is == WHOLE)
        return b.is == WHOLE ? (a.number > b.number) - (a.number < b.number) : order_mixed(a.number, b.real);
    return b.is == WHOLE ? -order_mixed(b.number, a.real) : (a.real > b.real) - (a.real < b.real);
}

static bool equal(result a, result b) {
    if (a.is == MISSING || b.is == MISSING)
        return a.is == b.is;
    return a.is == TRUTH ? a.is_true == b.is_true : order(a, b) == 0;
}

static bool compare_texts(const char *sign, ubi_text a, ubi_text b) {
    bool fits = b.len <= a.len;
    switch (*sign) {
    case 'c':
        return ubi__text_contains(a, b);
    case 's':
        return fits && (b.len == 0 || memcmp(a.ptr, b.ptr, b.len) == 0);
    default:
        return fits && (b.len == 0 || memcmp(a.ptr + a.len - b.len, b.ptr, b.len) == 0);
    }
}

static bool compare(const char *sign, result a, result b) {
    if (strcmp(sign, "==") == 0)
        return equal(a, b);
    if (strcmp(sign, "!=") == 0)
        return !equal(a, b);
    if (a.is == MISSING || b.is == MISSING)
        return false;
    if (strchr("cse", *sign))
        return compare_texts(sign, a.text, b.text);
    int o = order(a, b);
    return (sign[1] == '=' && o == 0) || (*sign == '<' ? o < 0 : o > 0);
}

static result evaluate(const node *n, uint32_t row) {
    if (n->sort == LEAF)
        return leaf(n, row);
    result a = evaluate(n->left, row);
    if (n->sort == NOT)
        return truth(!a.is_true);
    if (n->sort == MINUS)
        return calculate('-', (result){ .is = WHOLE }, a);
    result b = evaluate(n->right, row);
    if (n->precedence >= 5)
        return calculate(*n->sign, a, b);
    if (n->precedence == 4)
        return truth(compare(n->sign, a, b));
    return truth(n->precedence == 2 ? a.is_true && b.is_true : a.is_true || b.is_true);
}

/* ---- tests ------------------------------------------------------------------------------------------------------ */

static void check_rows(const page *p, const node *tree, ubi_filter *filter, uint32_t first, uint32_t n) {
    uint32_t found[UBI_QUERY_BLOCK], n_found = ubi_filter_select(found, filter, first, n), at = 0;
    for (uint32_t row = first; row < first + n; row++) {
        bool expected = evaluate(tree, row).is_true, got = at < n_found && found[at] == row;
        if (expected != got)
            fail_msg("%s\n  row %u: expected %d", p->text, row % QUERY_ROWS, expected);
        at += got;
    }
    assert_int_equal(at, n_found);
}

static void check_expression(page *p) {
    ubi_query *query;
    ubi_filter *filter;
    n_pool = 0;
    p->n = 0;
    node *tree = draw_condition(4);
    write_node(p, tree, 0);
    if (ubi_query_parse(&query, ubi__text(p->text), query_rows_vocabulary, NULL) != UBI_OK)
        fail_msg("%s\n  %s", p->text, ubi_error_message());
    ubi_query_source source = query_rows_source(query);
    assert_int_equal(ubi_filter_new(&filter, query, &source, NULL), UBI_OK);
    check_rows(p, tree, filter, 0, QUERY_ROWS);
    check_rows(p, tree, filter, random_below(1000), 1 + random_below(40));
    check_rows(p, tree, filter, 3, 1); /* one row: operands are skipped most often */
    ubi_filter_free(filter);
    ubi_query_free(query);
}

static void random_expressions_hold_where_their_trees_say(void **state) {
    (void)state;
    random_start(7);
    static page p;
    int n = (int)random_cases(getenv("UBI_DEEP") ? 1000000 : 20000);
    for (int i = 0; i < n; i++)
        check_expression(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_expressions_hold_where_their_trees_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
