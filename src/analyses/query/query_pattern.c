/* SPDX-License-Identifier: MIT
 *
 * query_pattern.c: patterns as automata, and matching them (query_pattern.h).
 *
 * What a repetition applies to is the piece of the row since `atom`; repeating it moves and copies states, whose branches
 * are relative. Open groups are a small stack; the jumps at the ends of a group's alternatives are chained through their
 * own targets until the group closes.
 */
#include "analyses/query/query_pattern.h"

#include <string.h>

#include "base/assert.h"
#include "base/text.h"

/* ==== COMPILING ================================================================================================= */

typedef struct group {
    size_t at;            /* of its parenthesis */
    uint32_t start;       /* its first state */
    uint32_t alternative; /* the first state of the alternative that is read */
    int32_t last_jump;    /* at the end of an alternative, to the group's end; -1: none */
} group;

typedef struct parser {
    ubi__pattern *pattern;
    const uint8_t *s;
    size_t n, at;
    group open[UBI__PATTERN_MAX_DEPTH + 1]; /* the first is the whole pattern */
    uint32_t depth;
    uint32_t atom; /* first state of what a repetition would apply to; UBI_NONE: nothing */
    size_t problem_at;
    const char *problem;
} parser;

static ubi_status fail_pattern(parser *p, size_t at, const char *problem) {
    p->problem_at = at;
    p->problem = problem;
    return UBI_EINVAL;
}

static bool next_is(const parser *p, char c) {
    return p->at < p->n && p->s[p->at] == (uint8_t)c;
}

static bool is_one_of(uint8_t c, const char *characters) {
    return c && strchr(characters, c);
}

static uint32_t state_count(const parser *p) {
    return (uint32_t)p->pattern->states.n;
}

/* ---- the row of states ------------------------------------------------------------------------------------------ */

static ubi_status make_room(parser *p, size_t n) {
    if (p->pattern->states.n + n > UBI__PATTERN_MAX_STATES)
        return fail_pattern(p, 0, "the pattern is too large");
    return ubi__vec_state_reserve(&p->pattern->states, p->pattern->allocator, n);
}

static ubi_status append_state(parser *p, ubi__state_kind kind, int32_t x) {
    UBI_TRY(make_room(p, 1));
    p->pattern->states.at[p->pattern->states.n++] = (ubi__state){ kind, x };
    return UBI_OK;
}

static ubi_status insert_state(parser *p, uint32_t place, ubi__state_kind kind, int32_t x) {
    UBI_TRY(make_room(p, 1));
    ubi__state *at = p->pattern->states.at + place;
    memmove(at + 1, at, (p->pattern->states.n - place) * sizeof *at);
    *at = (ubi__state){ kind, x };
    p->pattern->states.n++;
    return UBI_OK;
}

static ubi_status append_copy(parser *p, uint32_t from, uint32_t n) {
    UBI_TRY(make_room(p, n));
    ubi__vec_state *states = &p->pattern->states;
    if (n)
        memcpy(states->at + states->n, states->at + from, n * sizeof *states->at);
    states->n += n;
    return UBI_OK;
}

/* ---- escapes and sets ------------------------------------------------------------------------------------------- */

static ubi_status read_plain(parser *p, uint32_t *c) {
    size_t used = ubi__wtf8_decode(p->s + p->at, p->n - p->at, c);
    if (!used)
        return fail_pattern(p, p->at, "a byte that is not UTF-8");
    p->at += used;
    return UBI_OK;
}

static ubi_status read_hex(parser *p, uint32_t *c, size_t n_digits) {
    *c = 0;
    for (size_t i = 0; i < n_digits; i++, p->at++) {
        int digit = p->at < p->n ? ubi__hex_digit((char)p->s[p->at]) : -1;
        if (digit < 0)
            return fail_pattern(p, p->at, "expected a hexadecimal digit");
        *c = *c << 4 | (uint32_t)digit;
    }
    return UBI_OK;
}

static ubi_status read_braced_hex(parser *p, uint32_t *c) {
    size_t start = p->at++;
    size_t digits = 0;
    while (p->at + digits < p->n && p->s[p->at + digits] != '}')
        digits++;
    if (digits == 0 || digits > 6 || p->at + digits == p->n)
        return fail_pattern(p, start, "expected one to six hexadecimal digits in braces");
    UBI_TRY(read_hex(p, c, digits));
    p->at++;
    return *c <= 0x10ffff ? UBI_OK : fail_pattern(p, start, "no such character");
}

/* Behind a backslash: a character in *c, or one of d D w W s S b B in *special. */
static ubi_status read_escape(parser *p, uint32_t *c, char *special) {
    static const char plain[] = "n\nt\tr\rf\fv\v0\0";
    size_t start = p->at - 1;
    if (p->at == p->n)
        return fail_pattern(p, start, "a backslash at the end of the pattern");
    uint8_t letter = p->s[p->at++];
    if (is_one_of(letter, "dDwWsSbB")) {
        *special = (char)letter;
        return UBI_OK;
    }
    if (letter == 'x')
        return read_hex(p, c, 2);
    if (letter == 'u')
        return next_is(p, '{') ? read_braced_hex(p, c) : read_hex(p, c, 4);
    for (size_t i = 0; i + 1 < sizeof plain; i += 2)
        if (letter == (uint8_t)plain[i]) {
            *c = (uint8_t)plain[i + 1];
            return UBI_OK;
        }
    if (letter >= '1' && letter <= '9')
        return fail_pattern(p, start, "there are no references to groups");
    if ((letter | 0x20) >= 'a' && (letter | 0x20) <= 'z')
        return fail_pattern(p, start, "unknown escape");
    p->at--;
    return read_plain(p, c);
}

static ubi_status add_range(parser *p, ubi__set *set, uint32_t low, uint32_t high) {
    UBI_TRY(ubi__vec_range_push(&p->pattern->ranges, p->pattern->allocator, (ubi__range){ low, high }));
    set->n++;
    return UBI_OK;
}

static ubi_status add_named(parser *p, ubi__set *set, char name) {
    static const char *const ranges[] = { "d09", "w09AZaz__", "s\t\r  " };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        for (const char *r = ranges[i] + 1; ranges[i][0] == name && *r; r += 2)
            UBI_TRY(add_range(p, set, (uint8_t)r[0], (uint8_t)r[1]));
    return UBI_OK;
}

static ubi_status append_set(parser *p, ubi__set set) {
    UBI_TRY(ubi__vec_set_push(&p->pattern->sets, p->pattern->allocator, set));
    return append_state(p, UBI__STATE_SET, (int32_t)p->pattern->sets.n - 1);
}

/* A character of a set, or \d \w \s in *special. */
static ubi_status read_member(parser *p, uint32_t *c, char *special) {
    size_t start = p->at;
    *special = 0;
    if (!next_is(p, '\\'))
        return read_plain(p, c);
    p->at++;
    UBI_TRY(read_escape(p, c, special));
    return *special && !is_one_of((uint8_t)*special, "dws") ? fail_pattern(p, start, "this escape cannot be in a set")
                                                            : UBI_OK;
}

static ubi_status read_set_item(parser *p, ubi__set *set) {
    size_t start = p->at;
    uint32_t low = 0, high;
    char special;
    if (next_is(p, '[') && p->at + 1 < p->n && is_one_of(p->s[p->at + 1], ":.="))
        return fail_pattern(p, start, "there are no [:classes:]; write \\d, \\w, \\s or ranges");
    UBI_TRY(read_member(p, &low, &special));
    if (special)
        return add_named(p, set, special);
    if (!next_is(p, '-') || p->at + 1 == p->n || p->s[p->at + 1] == ']')
        return add_range(p, set, low, low);
    p->at++;
    UBI_TRY(read_member(p, &high, &special));
    if (special || high < low)
        return fail_pattern(p, start, "a range that goes backwards or has no end");
    return add_range(p, set, low, high);
}

/* Behind the opening bracket. */
static ubi_status read_set(parser *p) {
    size_t start = p->at - 1;
    ubi__set set = { .first = (uint32_t)p->pattern->ranges.n, .is_negated = next_is(p, '^') };
    p->at += set.is_negated;
    if (next_is(p, ']'))
        return fail_pattern(p, start, "an empty set; a bracket in a set is written \\]");
    while (p->at < p->n && p->s[p->at] != ']')
        UBI_TRY(read_set_item(p, &set));
    if (p->at == p->n)
        return fail_pattern(p, start, "a set that is never closed");
    p->at++;
    return append_set(p, set);
}

/* ---- atoms ------------------------------------------------------------------------------------------------------ */

static ubi_status append_named_set(parser *p, char name) {
    ubi__set set = { .first = (uint32_t)p->pattern->ranges.n, .is_negated = name < 'a' };
    UBI_TRY(add_named(p, &set, (char)(name | 0x20)));
    return append_set(p, set);
}

static ubi_status read_escaped_atom(parser *p) {
    uint32_t c = 0;
    char special = 0;
    UBI_TRY(read_escape(p, &c, &special));
    if (special == 'b' || special == 'B') {
        p->atom = UBI_NONE;
        return append_state(p, special == 'b' ? UBI__STATE_EDGE : UBI__STATE_NOT_EDGE, 0);
    }
    return special ? append_named_set(p, special) : append_state(p, UBI__STATE_CHAR, (int32_t)c);
}

static ubi_status open_group(parser *p) {
    size_t start = p->at - 1;
    if (next_is(p, '?')) {
        if (p->at + 1 == p->n || p->s[p->at + 1] != ':')
            return fail_pattern(p, start, "of the groups that begin with (? there is only (?:");
        p->at += 2;
    }
    if (p->depth == UBI__PATTERN_MAX_DEPTH)
        return fail_pattern(p, start, "groups are nested too deeply");
    p->open[++p->depth] = (group){ start, state_count(p), state_count(p), -1 };
    p->atom = UBI_NONE;
    return UBI_OK;
}

/* Lets the alternatives of the innermost group lead to what comes next. */
static void join_alternatives(parser *p) {
    for (int32_t at = p->open[p->depth].last_jump; at >= 0;) {
        ubi__state *jump = &p->pattern->states.at[at];
        int32_t earlier = jump->x;
        jump->x = (int32_t)state_count(p) - at;
        at = earlier;
    }
}

static ubi_status close_group(parser *p) {
    if (p->depth == 0)
        return fail_pattern(p, p->at - 1, "a ) without (");
    join_alternatives(p);
    p->atom = p->open[p->depth--].start;
    return UBI_OK;
}

static ubi_status begin_alternative(parser *p) {
    group *g = &p->open[p->depth];
    int32_t length = (int32_t)(state_count(p) - g->alternative);
    UBI_TRY(insert_state(p, g->alternative, UBI__STATE_SPLIT, length + 2));
    UBI_TRY(append_state(p, UBI__STATE_JUMP, g->last_jump));
    g->last_jump = (int32_t)state_count(p) - 1;
    g->alternative = state_count(p);
    p->atom = UBI_NONE;
    return UBI_OK;
}

/* ---- repetitions ------------------------------------------------------------------------------------------------ */

#define NO_LIMIT UINT32_MAX
#define MAX_REPETITIONS 1000

static ubi_status make_optional(parser *p) {
    return insert_state(p, p->atom, UBI__STATE_SPLIT, (int32_t)(state_count(p) - p->atom) + 1);
}

static ubi_status repeat_without_limit(parser *p, uint32_t least) {
    int32_t length = (int32_t)(state_count(p) - p->atom);
    if (least == 0) {
        UBI_TRY(insert_state(p, p->atom, UBI__STATE_SPLIT, length + 2));
        return append_state(p, UBI__STATE_JUMP, -length - 1);
    }
    for (uint32_t i = 1; i < least; i++)
        UBI_TRY(append_copy(p, p->atom, (uint32_t)length));
    return append_state(p, UBI__STATE_SPLIT, -length);
}

static ubi_status repeat_atom(parser *p, uint32_t least, uint32_t most) {
    if (most == NO_LIMIT)
        return repeat_without_limit(p, least);
    if (most == 0) {
        p->pattern->states.n = p->atom;
        return UBI_OK;
    }
    uint32_t length = state_count(p) - p->atom;
    if (least == 0) {
        UBI_TRY(make_optional(p));
        length++;
    }
    uint32_t copies = 1;
    for (; copies < (least ? least : most); copies++)
        UBI_TRY(append_copy(p, p->atom, length));
    for (; copies < most; copies++) {
        UBI_TRY(append_state(p, UBI__STATE_SPLIT, (int32_t)length + 1));
        UBI_TRY(append_copy(p, p->atom, length));
    }
    return UBI_OK;
}

static ubi_status read_bound(parser *p, uint32_t *bound) {
    size_t start = p->at;
    *bound = 0;
    for (; p->at < p->n && p->s[p->at] >= '0' && p->s[p->at] <= '9'; p->at++) {
        *bound = *bound * 10 + (p->s[p->at] - '0');
        if (*bound > MAX_REPETITIONS)
            return fail_pattern(p, start, "more than 1000 repetitions");
    }
    return p->at > start ? UBI_OK : fail_pattern(p, start, "expected a number of repetitions");
}

/* Behind the opening brace. */
static ubi_status read_bounds(parser *p, uint32_t *least, uint32_t *most) {
    size_t start = p->at - 1;
    UBI_TRY(read_bound(p, least));
    *most = *least;
    if (next_is(p, ',')) {
        p->at++;
        *most = NO_LIMIT;
        if (!next_is(p, '}'))
            UBI_TRY(read_bound(p, most));
    }
    if (!next_is(p, '}') || *most < *least)
        return fail_pattern(p, start, "expected repetitions as {2}, {2,} or {2,5}");
    p->at++;
    return UBI_OK;
}

static ubi_status read_repetition(parser *p, char sign) {
    uint32_t least = sign == '+', most = sign == '?' ? 1 : NO_LIMIT;
    if (p->atom == UBI_NONE)
        return fail_pattern(p, p->at - 1, "nothing to repeat");
    if (sign == '{')
        UBI_TRY(read_bounds(p, &least, &most));
    return repeat_atom(p, least, most);
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

static ubi_status read_character(parser *p) {
    uint32_t c;
    UBI_TRY(read_plain(p, &c));
    return append_state(p, UBI__STATE_CHAR, (int32_t)c);
}

static ubi_status read_item(parser *p) {
    uint8_t c = p->s[p->at];
    if (is_one_of(c, "*+?{")) {
        p->at++;
        return read_repetition(p, (char)c);
    }
    p->atom = state_count(p);
    if (!is_one_of(c, "()|.[\\^$"))
        return read_character(p);
    p->at++;
    switch (c) {
    case '(':
        return open_group(p);
    case ')':
        return close_group(p);
    case '|':
        return begin_alternative(p);
    case '.':
        return append_state(p, UBI__STATE_ANY, 0);
    case '[':
        return read_set(p);
    case '\\':
        return read_escaped_atom(p);
    default:
        p->atom = UBI_NONE;
        return append_state(p, c == '^' ? UBI__STATE_START : UBI__STATE_END, 0);
    }
}

static ubi_status read_pattern(parser *p) {
    while (p->at < p->n)
        UBI_TRY(read_item(p));
    if (p->depth)
        return fail_pattern(p, p->open[p->depth].at, "a ( that is never closed");
    join_alternatives(p);
    return append_state(p, UBI__STATE_MATCH, 0);
}

void ubi__pattern_check(const ubi__pattern *p) {
    int64_t n = (int64_t)p->states.n;
    UBI_ASSERT(n > 0 && n <= UBI__PATTERN_MAX_STATES);
    for (int64_t i = 0; UBI_CHECKS && i < n; i++) {
        ubi__state state = p->states.at[i];
        bool branches = state.kind == UBI__STATE_SPLIT || state.kind == UBI__STATE_JUMP;
        UBI_ASSERT((state.kind == UBI__STATE_MATCH) == (i == n - 1));
        UBI_ASSERT(!branches || (i + state.x >= 0 && i + state.x < n));
        UBI_ASSERT(state.kind != UBI__STATE_SET || (size_t)state.x < p->sets.n);
    }
    for (size_t i = 0; UBI_CHECKS && i < p->sets.n; i++)
        UBI_ASSERT((uint64_t)p->sets.at[i].first + p->sets.at[i].n <= p->ranges.n);
    for (size_t i = 0; UBI_CHECKS && i < p->ranges.n; i++)
        UBI_ASSERT(p->ranges.at[i].low <= p->ranges.at[i].high);
}

ubi_status ubi__pattern_new(ubi__pattern **out, ubi_text source, const ubi_allocator *allocator, size_t *at,
                            const char **problem) {
    parser p = { .s = (const uint8_t *)source.ptr, .n = source.len, .atom = UBI_NONE };
    p.open[0].last_jump = -1;
    p.pattern = UBI_NEW(allocator, ubi__pattern);
    if (!p.pattern)
        return ubi__fail_nomem();
    p.pattern->allocator = allocator;
    ubi_status status = read_pattern(&p);
    if (status != UBI_OK) {
        ubi__pattern_free(p.pattern);
        *at = p.problem_at;
        *problem = p.problem;
        return status;
    }
    ubi__pattern_check(p.pattern);
    *out = p.pattern;
    return UBI_OK;
}

void ubi__pattern_free(ubi__pattern *pattern) {
    if (!pattern)
        return;
    const ubi_allocator *allocator = pattern->allocator;
    ubi__vec_state_fini(&pattern->states, allocator);
    ubi__vec_range_fini(&pattern->ranges, allocator);
    ubi__vec_set_fini(&pattern->sets, allocator);
    UBI_DELETE(allocator, pattern);
}

uint32_t ubi__pattern_state_count(const ubi__pattern *pattern) {
    return (uint32_t)pattern->states.n;
}

/* ==== MATCHING ================================================================================================== */

/*
 * Walking a text with the set of states that a pattern can be in.
 *
 * Between two characters, `stack` holds states that are to be followed and `current` those that wait for a character. A
 * state is pushed once per place in the text, which bounds both the work and the memory.
 */

/* No character: before the first and after the last. */
#define NO_CHAR UINT32_MAX
/* Bytes that are not UTF-8 are characters beyond Unicode. */
#define STRAY 0x110000u

typedef struct walk {
    const ubi__pattern *pattern;
    uint32_t *stack, *current, *mark;
    uint32_t n_stack, n_current;
    uint32_t step;
    uint32_t before, after; /* the characters on both sides of this place */
} walk;

ubi_status ubi__matcher_init(ubi__matcher *matcher, uint32_t n_states, const ubi_allocator *allocator) {
    *matcher = (ubi__matcher){ .n_states = n_states };
    if (!n_states)
        return UBI_OK;
    matcher->memory = ubi__calloc_array(allocator, (size_t)n_states * 3, sizeof *matcher->memory);
    return matcher->memory ? UBI_OK : ubi__fail_nomem();
}

void ubi__matcher_fini(ubi__matcher *matcher, const ubi_allocator *allocator) {
    ubi__free_array(allocator, matcher->memory, (size_t)matcher->n_states * 3, sizeof *matcher->memory);
    matcher->memory = NULL;
}

static void push_state(walk *w, uint32_t state) {
    UBI_ASSERT(state < w->pattern->states.n);
    if (w->mark[state] == w->step)
        return;
    UBI_ASSERT(w->n_stack < w->pattern->states.n); /* each state is pushed once a step */
    w->mark[state] = w->step;
    w->stack[w->n_stack++] = state;
}

static bool is_word(uint32_t c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static bool in_set(const ubi__pattern *p, const ubi__set *set, uint32_t c) {
    for (uint32_t i = 0; i < set->n; i++) {
        const ubi__range *range = &p->ranges.at[set->first + i];
        if (c >= range->low && c <= range->high)
            return !set->is_negated;
    }
    return set->is_negated;
}

static bool state_accepts(const ubi__pattern *p, ubi__state state, uint32_t c) {
    switch (state.kind) {
    case UBI__STATE_CHAR:
        return c == (uint32_t)state.x;
    case UBI__STATE_ANY:
        return true;
    default:
        return in_set(p, &p->sets.at[state.x], c);
    }
}

/* Whether a state that takes no character lets the walk pass here. */
static bool state_passes(const walk *w, ubi__state_kind kind) {
    switch (kind) {
    case UBI__STATE_START:
        return w->before == NO_CHAR;
    case UBI__STATE_END:
        return w->after == NO_CHAR;
    case UBI__STATE_EDGE:
        return is_word(w->before) != is_word(w->after);
    case UBI__STATE_NOT_EDGE:
        return is_word(w->before) == is_word(w->after);
    default:
        return true;
    }
}

static void follow_state(walk *w, uint32_t at, ubi__state state) {
    if (state.kind != UBI__STATE_JUMP && state_passes(w, state.kind))
        push_state(w, at + 1);
    if (state.kind == UBI__STATE_SPLIT || state.kind == UBI__STATE_JUMP)
        push_state(w, (uint32_t)((int32_t)at + state.x));
}

/* Empties the stack; true when that meets the end of the pattern. */
static bool follow_all(walk *w) {
    w->n_current = 0;
    while (w->n_stack) {
        uint32_t at = w->stack[--w->n_stack];
        ubi__state state = w->pattern->states.at[at];
        if (state.kind == UBI__STATE_MATCH)
            return true;
        if (state.kind <= UBI__STATE_SET)
            w->current[w->n_current++] = at;
        else
            follow_state(w, at, state);
    }
    return false;
}

static void begin_step(walk *w) {
    if (++w->step != 0)
        return;
    memset(w->mark, 0, w->pattern->states.n * sizeof *w->mark);
    w->step = 1;
}

static size_t decode_char(ubi_text text, size_t at, uint32_t *c) {
    if (at == text.len) {
        *c = NO_CHAR;
        return 0;
    }
    size_t used = ubi__wtf8_decode((const uint8_t *)text.ptr + at, text.len - at, c);
    if (used)
        return used;
    *c += STRAY;
    return 1;
}

static bool walk_text(walk *w, ubi_text text) {
    size_t at = 0;
    begin_step(w);
    for (;;) {
        size_t used = decode_char(text, at, &w->after);
        push_state(w, 0);
        if (follow_all(w))
            return true;
        if (!used)
            return false;
        begin_step(w);
        for (uint32_t i = 0; i < w->n_current; i++)
            if (state_accepts(w->pattern, w->pattern->states.at[w->current[i]], w->after))
                push_state(w, w->current[i] + 1);
        w->before = w->after;
        at += used;
    }
}

bool ubi__pattern_matches(const ubi__pattern *pattern, ubi__matcher *matcher, ubi_text text) {
    uint32_t n = matcher->n_states;
    UBI_ASSERT(n >= pattern->states.n);
    walk w = { .pattern = pattern,
               .stack = matcher->memory,
               .current = matcher->memory + n,
               .mark = matcher->memory + 2 * (size_t)n,
               .step = matcher->step,
               .before = NO_CHAR };
    bool found = walk_text(&w, text);
    matcher->step = w.step;
    return found;
}
