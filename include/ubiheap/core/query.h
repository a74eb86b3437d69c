/* SPDX-License-Identifier: MIT
 *
 * ubiheap/core/query.h: expressions: filters and conditions over rows.
 *
 *     className == "Array" and rawSize > 1KiB
 *     count(Session) > 100 or growth > 5%
 *
 * The grammar is in docs/reference/expressions.md. The language has no names of its own: the caller brings a vocabulary,
 * such as the columns of a table of nodes. All mistakes (a name that is not in the vocabulary, a text compared with a
 * number, a size with a count) are found while parsing, with the place and, where one is near, the name that was meant.
 *
 * Steps: ubi_query_parse turns text into a query; ubi_query_value_at says which values it needs; ubi_filter_new binds it to
 * rows that have those values; ubi_filter_select finds the rows for which it holds.
 *
 * Rows often share attributes: the nodes of a heap are of a few hundred kinds, and all their texts belong to kinds. Names
 * marked `is_by_group` are asked for once per group, and what depends on nothing else is decided once per group too. So a
 * filter by texts costs a table lookup per row.
 *
 * Numbers are whole numbers of any sign, exact up to 127 bits; a division that leaves a remainder, a literal such as
 * 0.5, and whole numbers that grow too large are doubles. A whole number and a double compare exactly.
 * A value may be missing. A missing value equals null and nothing else and is neither less nor more than anything; `!=` and
 * `!~` are the opposites of `==` and `~`; arithmetic with it, and division by zero, give a missing value.
 */
#ifndef UBIHEAP_QUERY_H
#define UBIHEAP_QUERY_H

#include <ubiheap/core/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Limits of an expression; beyond them UBI_EINVAL. */
#define UBI_QUERY_MAX_BYTES 65536
#define UBI_QUERY_MAX_DEPTH 64 /**< of parentheses and signs before one operand */

typedef enum ubi_query_type {
    UBI_QUERY_BOOL,
    UBI_QUERY_NUMBER, /**< a count, an id, ... */
    UBI_QUERY_SIZE,   /**< a number of bytes: compares with 4KiB and 4096, not with a count */
    UBI_QUERY_TEXT,
    /**
     * Given in nanoseconds; in an expression a number of microseconds, with a fraction: compares with 20ms and 20000, not with a
     * count. A share's basis is in nanoseconds too.
     */
    UBI_QUERY_DURATION
} ubi_query_type;

/** Whether a name is followed by a text in parentheses, as in count(Session). */
typedef enum ubi_query_argument {
    UBI_QUERY_NO_ARGUMENT,
    UBI_QUERY_MAY_HAVE_ARGUMENT,
    UBI_QUERY_HAS_ARGUMENT,
    /** It may; and some texts are words of the name's own, unless they are in quotes: ubi_query_value.is_quoted. */
    UBI_QUERY_MAY_HAVE_WORD
} ubi_query_argument;

typedef struct ubi_query_name {
    const char *name; /**< letters, digits and _; not one of the language's own words */
    const char *help; /**< one line */
    ubi_query_type type;
    ubi_query_argument argument;
    bool is_by_group; /**< a property of a row's group */
    bool has_basis;   /**< a number of which a share makes sense: `name > 5%` */
} ubi_query_name;

/** An expression, checked. Immutable: any number of threads may read it. */
typedef struct ubi_query ubi_query;

/**
 * @param text        the expression; copied.
 * @param vocabulary  ended by a row whose name is NULL; borrowed as long as the query lives.
 * Errors: UBI_EINVAL with a message that says what is wrong at which character; UBI_ENOMEM.
 * Cost: linear in the length of the text and the size of its patterns; no recursion.
 */
UBI_API ubi_status ubi_query_parse(ubi_query **out, ubi_text text, const ubi_query_name *vocabulary,
                                   const ubi_allocator *allocator);
/** NULL is fine. */
UBI_API void ubi_query_free(ubi_query *query);

/** One of the values that an expression needs: a name, with its argument if it has one. */
typedef struct ubi_query_value {
    const ubi_query_name *name; /**< a row of the vocabulary */
    ubi_text argument;          /**< NULL text: none; borrowed from the query */
    bool needs_basis;           /**< it is compared with a share */
    bool is_quoted;             /**< the argument is in quotes; only set for UBI_QUERY_MAY_HAVE_WORD only */
} ubi_query_value;

/** Values are numbered from 0; equal ones (name and argument) are one. O(1). */
UBI_API uint32_t ubi_query_value_count(const ubi_query *query);
UBI_API ubi_query_value ubi_query_value_at(const ubi_query *query, uint32_t value);

/* ---- evaluation ------------------------------------------------------------------------------------------------- */

/** State of a number or bool. */
enum { UBI_QUERY_MISSING = 0, UBI_QUERY_PRESENT = 1, UBI_QUERY_NEGATIVE = 2 };

/**
 * Where the values of rows come from. `value` is a number of ubi_query_value_at. Names marked is_by_group are asked for by
 * group, the others by row. Functions that the query's values do not need may be NULL.
 */
typedef struct ubi_query_source {
    void *payload;
    /**
     * Numbers, sizes and bools (0 or 1) of rows (or groups) first .. first + n - 1. n is at most UBI_QUERY_BLOCK.
     * @param magnitude  magnitude[n]: the number without its sign.
     * @param state      state[n]: PRESENT, NEGATIVE or MISSING; all PRESENT when called.
     */
    void (*numbers)(void *payload, uint32_t value, uint32_t first, uint32_t n, uint64_t *magnitude, uint8_t *state);
    /** NULL text: missing. Borrowed until the filter is freed. */
    ubi_text (*text)(void *payload, uint32_t value, uint32_t row_or_group);
    /** What 100% of a value is; false: unknown, which no share compares with. */
    bool (*basis)(void *payload, uint32_t value, uint64_t *out);
    uint32_t n_groups;
    /** group[i]: the group of row first + i, below n_groups. */
    void (*groups)(void *payload, uint32_t first, uint32_t n, uint32_t *group);
} ubi_query_source;

#define UBI_QUERY_BLOCK 1024

/** A query bound to rows. One thread at a time. */
typedef struct ubi_filter ubi_filter;

/**
 * @param query   borrowed as long as the filter lives.
 * @param source  copied; what it points to is borrowed as long.
 * Cost: O(groups) per part of the query that depends on groups alone; patterns are matched in time O(text * pattern).
 * Memory: a byte per group for each such part, and about 9 KiB per value. Errors: UBI_ENOMEM.
 */
UBI_API ubi_status ubi_filter_new(ubi_filter **out, const ubi_query *query, const ubi_query_source *source,
                                  const ubi_allocator *allocator);
/** NULL is fine. */
UBI_API void ubi_filter_free(ubi_filter *filter);

/**
 * Stores those of the rows first .. first + n - 1 for which the query holds, ascending.
 *
 * @param out  out[n], caller's.
 * @param n    at most UBI_QUERY_BLOCK.
 * @return how many were stored.
 * Cost: a few instructions per row and comparison of values with each other or a literal, besides what the source takes;
 * some tens where there is arithmetic.
 */
UBI_API uint32_t ubi_filter_select(uint32_t *out, ubi_filter *filter, uint32_t first, uint32_t n);

#ifdef __cplusplus
}
#endif
#endif
