/* SPDX-License-Identifier: MIT
 *
 * query_pattern_match.c: walking a text with the set of states that a pattern can be in.
 *
 * Between two characters, `stack` holds states that are to be followed and `current` those that wait for a character. A
 * state is pushed once per place in the text, which bounds both the work and the memory.
 */
#include <string.h>

#include "analyses/query/query_pattern_states.h"
#include "base/text.h"

/* No character: before the first and behind the last. */
#define NO_CHAR UINT32_MAX
/* Bytes that are no UTF-8 are characters beyond Unicode. */
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
            return !set->negated;
    }
    return set->negated;
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
