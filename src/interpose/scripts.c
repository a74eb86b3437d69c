/* SPDX-License-Identifier: MIT
 *
 * scripts.c: see scripts.h.
 *
 * The native stack is walked whole, for the same native frames may stand for other lines by now. Then the interpreter's
 * own frames are replaced by those that its source gives (script_places.h), and the stack gets a number as any other.
 *
 * Where the unwinder remembers the native stack, and the frames of scripts are those of a stack that was met with it, the answer is
 * known: what is made of both depends on nothing else. The unwinder's number of a native stack is given once, so it stands for all
 * return addresses and where they are.
 *
 * Where everything is recorded and the only source is Python's, most frames of one allocation are those of the allocation before. So
 * they are kept, each with the print of what is from there outwards, and only those further in than the outermost one that has changed
 * are made again.
 *
 * In a signal handler the interpreter may be between any two of its instructions: then it is not asked.
 */
#include "interpose/scripts.h"

#include <string.h>

#include "base/assert.h"
#include "interpose/chunk_writer.h"
#include "interpose/event.h"
#include "interpose/pages.h"
#include "interpose/readable.h"
#include "interpose/script_sources.h"
#include "recording/script_places.h"

#define KNOWN_ADDRESSES 1024u
#define KNOWN_STACKS 4096u
#define FIRST_FUNCTIONS 256u
#define TEXT_BYTES (UBI__WIRE_FUNCTION_BYTES + UBI__WIRE_PATH_BYTES)

/* A function that the reader knows, by its number. */
typedef struct known_function {
    uint64_t function, version;
    uint32_t number; /* 0: an empty place */
} known_function;

typedef struct known_address {
    uintptr_t pc, function;
} known_address;

/* The print of a native stack's number and its frames of scripts, and the number of what became of both. */
typedef struct known_stack {
    uint64_t print; /* 0: an empty place */
    uint32_t number;
} known_stack;

/* A frame of a script that was found, and whose. */
typedef struct found_frame {
    ubi__script_frame *frame;
    const ubi__script_source *source;
    uintptr_t place; /* on the native stack; where it is unknown, that of the frame further in */
} found_frame;

/* A frame of the stack as it is recorded: of a script, or native. */
typedef struct mixed_frame {
    uintptr_t pc;
    uint64_t print;
    const found_frame *script; /* NULL: native */
    uint32_t function;
} mixed_frame;

/* What a context needs for it; pages of its own, made at the first script. */
typedef struct ubi__scripts {
    size_t size_bytes;
    uint32_t epoch;            /* of the context, when the functions got their numbers */
    known_function *functions; /* open addressing, at most half full */
    size_t n_functions, function_capacity;
    known_address addresses[KNOWN_ADDRESSES];
    known_stack known[KNOWN_STACKS];
    uint32_t n_native; /* native stacks that got a number from us */
    ubi__held_sources held;
    /* All have room for the greatest depth. */
    ubi__unwind_registers *states;
    ubi__native_frame *native;
    ubi__script_frame *read, *before; /* this time and the last */
    size_t n_before;
    const ubi__script_source *source_before; /* alone; NULL: there were several */
    uint32_t round_before;                   /* ubi__readable_round */
    found_frame *found;
    mixed_frame *mixed;
    size_t n_found, n_mixed;
    ubi__script_chain chain; /* of the source for all, when it is alone */
    bool is_renewed;         /* the frames are that chain's */
    uint32_t chain_round;    /* ubi__readable_round */
    uint64_t *prints;        /* prints[depth + 1], of the frames of the chain from a place to the end */
    size_t printed_from;     /* they are there from this place on */
    char text[TEXT_BYTES];
} scripts;

/* ---- memory of a context ------------------------------------------------------------------------------------------ */

static size_t room_for(size_t *at, size_t n, size_t size) {
    size_t place = *at;
    *at += (n * size + 63) & ~(size_t)63;
    return place;
}

static scripts *make_scripts(size_t depth) {
    size_t n = (sizeof(scripts) + 63) & ~(size_t)63;
    size_t states = room_for(&n, depth, sizeof(ubi__unwind_registers));
    size_t native = room_for(&n, depth, sizeof(ubi__native_frame));
    size_t read = room_for(&n, depth, sizeof(ubi__script_frame));
    size_t before = room_for(&n, depth, sizeof(ubi__script_frame));
    size_t found = room_for(&n, depth, sizeof(found_frame));
    size_t mixed = room_for(&n, depth, sizeof(mixed_frame));
    size_t chain = room_for(&n, depth, sizeof(ubi__script_frame));
    size_t steps = room_for(&n, depth, sizeof(ubi__script_step));
    size_t prints = room_for(&n, depth + 1, sizeof(uint64_t));
    char *block = ubi__pages(n);
    scripts *s = (scripts *)(void *)block;
    if (!s)
        return NULL;
    s->size_bytes = n;
    s->states = (void *)(block + states);
    s->native = (void *)(block + native);
    s->read = (void *)(block + read);
    s->before = (void *)(block + before);
    s->found = (void *)(block + found);
    s->mixed = (void *)(block + mixed);
    s->chain = (ubi__script_chain){ (void *)(block + chain), (void *)(block + steps), depth, 0, 0, { { 0 } } };
    s->prints = (void *)(block + prints);
    s->prints[depth] = UBI__TRACE_ROOT_OUTERMOST;
    s->printed_from = depth;
    return s;
}

/* Numbers and addresses restart when the context's do. */
static scripts *scripts_of(ubi__context *c) {
    if (!c->scripts)
        c->scripts = make_scripts(c->unwinder.max_depth);
    scripts *s = c->scripts;
    if (s && s->epoch != c->epoch) {
        s->epoch = c->epoch;
        s->n_functions = s->n_before = s->chain.n = 0;
        if (s->functions)
            memset(s->functions, 0, s->function_capacity * sizeof *s->functions);
        memset(s->addresses, 0, sizeof s->addresses);
        memset(s->known, 0, sizeof s->known);
    }
    return s;
}

/* ---- functions ---------------------------------------------------------------------------------------------------- */

static known_function *function_place(const scripts *s, uint64_t function, uint64_t version) {
    uint64_t hash = (function ^ version * 31) * UINT64_C(0x9e3779b97f4a7c15);
    size_t i = (size_t)(hash >> 32) & (s->function_capacity - 1);
    while (s->functions[i].number && (s->functions[i].function != function || s->functions[i].version != version))
        i = (i + 1) & (s->function_capacity - 1);
    return &s->functions[i];
}

static bool grow_functions(scripts *s) {
    scripts larger = { .function_capacity = s->function_capacity ? 2 * s->function_capacity : FIRST_FUNCTIONS };
    larger.functions = ubi__pages(larger.function_capacity * sizeof *larger.functions);
    if (!larger.functions)
        return false;
    for (size_t i = 0; i < s->function_capacity; i++)
        if (s->functions[i].number)
            *function_place(&larger, s->functions[i].function, s->functions[i].version) = s->functions[i];
    if (s->functions)
        ubi__pages_free(s->functions, s->function_capacity * sizeof *s->functions);
    s->functions = larger.functions;
    s->function_capacity = larger.function_capacity;
    return true;
}

/* Announces it to the reader. @return false: no room. */
static bool write_function(ubi__context *c, const found_frame *f, uint32_t number) {
    scripts *s = c->scripts;
    size_t name_bytes = 0, n = f->source->name(f->source, f->frame, s->text, sizeof s->text, &name_bytes);
    const char *file = s->text + name_bytes;
    size_t file_bytes = n - name_bytes;
    UBI_ASSERT(name_bytes <= n && n <= sizeof s->text);
    name_bytes = name_bytes < UBI__WIRE_FUNCTION_BYTES ? name_bytes : UBI__WIRE_FUNCTION_BYTES;
    file_bytes = file_bytes < UBI__WIRE_PATH_BYTES ? file_bytes : UBI__WIRE_PATH_BYTES;
    if (!ubi__chunk_has_room(c, UBI__WIRE_SCRIPT_BYTES))
        return false;
    uint8_t *at = c->at;
    *at++ = UBI__OP_CONTROL | UBI__CONTROL_FUNCTION << UBI__OP_KIND_SHIFT;
    at = ubi__wire_put(at, number);
    at = ubi__wire_put(at, name_bytes);
    at = ubi__wire_put(at, file_bytes);
    memcpy(at, s->text, name_bytes);
    memcpy(at + name_bytes, file, file_bytes);
    ubi__chunk_commit(c, at + name_bytes + file_bytes);
    return true;
}

/* The number of a frame's function, which the reader knows. 0: no room. */
static uint32_t function_number(ubi__context *c, const found_frame *f) {
    scripts *s = c->scripts;
    if (f->frame->number)
        return f->frame->number;
    if (2 * (s->n_functions + 1) > s->function_capacity && !grow_functions(s))
        return 0;
    known_function *known = function_place(s, f->frame->function, f->frame->version);
    if (known->number)
        return f->frame->number = known->number;
    uint32_t number = (uint32_t)s->n_functions + 1;
    if (!write_function(c, f, number))
        return 0;
    *known = (known_function){ f->frame->function, f->frame->version, number };
    s->n_functions++;
    return f->frame->number = number;
}

/* ---- the native stack --------------------------------------------------------------------------------------------- */

static bool is_interpreter(scripts *s, uintptr_t pc) {
    known_address *known = &s->addresses[(pc ^ pc >> 12) % KNOWN_ADDRESSES];
    if (known->pc != pc)
        *known = (known_address){ pc, ubi__unwind_function_of(pc) };
    for (size_t i = 0; i < s->held.n; i++)
        if (known->function && known->function == s->held.sources[i]->interpreter)
            return true;
    return false;
}

/* @param is_interrupted  out: the innermost interpreter was, and is not to be asked. */
static size_t walk_native(ubi__context *c, const ubi__unwind_registers *caller, ubi__unwind_end *end,
                          bool *is_interrupted) {
    scripts *s = c->scripts;
    bool is_inside = true;
    size_t n = ubi__unwind_states(&c->unwinder, caller, s->states, c->unwinder.max_depth, end);
    *is_interrupted = false;
    for (size_t i = 0; i < n; i++) {
        const ubi__unwind_registers *state = &s->states[i];
        bool runs = is_interpreter(s, state->pc);
        s->native[i] = (ubi__native_frame){ state->pc, state->sp, i + 1 < n ? s->states[i + 1].sp : UINTPTR_MAX, runs };
        if (is_inside && ubi__unwind_is_signal_frame(&c->unwinder, state->pc))
            *is_interrupted = true;
        is_inside &= !runs;
    }
    return n;
}

/* ---- both together ------------------------------------------------------------------------------------------------ */

/* How many frames of the last time are of use. Of samples there are too few. */
static size_t frames_before(const scripts *s, const ubi__script_source *source, uint32_t round) {
    bool is_same = s->held.n == 1 && source == s->source_before && round == s->round_before;
    return is_same && ubi__process_state.is_exact ? s->n_before : 0;
}

/* Adds a source's, each in its place. */
static void add_frames(scripts *s, const ubi__script_source *source, ubi__script_frame *frames, size_t n) {
    uintptr_t place = 0;
    for (size_t i = 0; i < n; i++) {
        place = frames[i].stack_address     ? frames[i].stack_address
                : frames[i].resumer_address ? frames[i].resumer_address
                                            : place;
        size_t at = s->n_found++;
        for (; at > 0 && s->found[at - 1].place > place; at--)
            s->found[at] = s->found[at - 1];
        s->found[at] = (found_frame){ &frames[i], source, place };
    }
}

/* Brings the chain of the source for all up to date, where that is alone. NOT_RENEWED: ask all sources. */
static ubi__script_renewal renew_chain(scripts *s) {
    ubi__script_renew_fn *renew;
    const ubi__script_source *all = ubi__script_source_alone(&renew);
    s->is_renewed = false;
    if (!all || !ubi__process_state.is_exact)
        return UBI__SCRIPT_NOT_RENEWED;
    uint32_t round = ubi__readable_round();
    if (round != s->chain_round) {
        s->chain_round = round;
        s->chain.n = 0;
        s->chain.pages = (ubi__known_pages){ { 0 } };
    }
    ubi__script_renewal renewal = renew(&s->chain);
    s->is_renewed = renewal == UBI__SCRIPT_RENEWED;
    if (!s->is_renewed)
        return renewal;
    size_t same_from = s->chain.depth - s->chain.n_same;
    s->printed_from = s->printed_from > same_from ? s->printed_from : same_from;
    s->held.sources[0] = all;
    s->held.n = 1;
    s->held.n_slots = 0;
    return renewal;
}

/* Frames of all sources, innermost first. */
static void find_frames(scripts *s, size_t depth) {
    uint32_t round = ubi__readable_round();
    if (s->is_renewed) {
        s->n_found = 0;
        add_frames(s, s->held.sources[0], s->chain.frames + depth - s->chain.n, s->chain.n);
        return;
    }
    ubi__script_frame *read = s->before; /* is written this time */
    s->before = s->read;
    s->read = read;
    s->n_found = 0;
    for (size_t k = 0; k < s->held.n && s->n_found < depth; k++) {
        const ubi__script_source *source = s->held.sources[k];
        ubi__script_frame *frames = s->read + s->n_found;
        size_t n = source->frames(source, frames, depth - s->n_found, s->before, frames_before(s, source, round));
        add_frames(s, source, frames, n);
    }
    s->n_before = s->n_found;
    s->source_before = s->held.n == 1 ? s->held.sources[0] : NULL;
    s->round_before = round;
    UBI_ASSERT(s->n_found <= depth);
}

/* @return false: the greatest depth is reached. */
static bool put_mixed(scripts *s, size_t depth, uintptr_t pc, const found_frame *script) {
    if (s->n_mixed == depth)
        return false;
    s->mixed[s->n_mixed++] = (mixed_frame){ .pc = pc, .script = script };
    return true;
}

/* Native frames up to one, without those in which the interpreter runs no script. */
static bool put_natives(scripts *s, ubi__native_rest *r, size_t end, size_t depth) {
    for (; r->next < end; r->next++)
        if (!r->native[r->next].is_interpreter && !put_mixed(s, depth, r->native[r->next].pc, NULL))
            return false;
    return true;
}

static bool put_script(scripts *s, ubi__native_rest *r, const found_frame *f, size_t depth) {
    ubi__script_place place = { f->frame->stack_address, f->frame->resumer_address };
    size_t at = f->frame->is_inlined ? r->n_native : ubi__native_of_script(r, place);
    if (at < r->n_native) {
        if (!put_natives(s, r, at, depth))
            return false;
        r->next = at + 1;
    } else if (!f->frame->is_inlined && ubi__is_beyond_native(r, place) && !put_natives(s, r, r->n_native, depth)) {
        return false;
    }
    return put_mixed(s, depth, 0, f);
}

/* @return false: there were more than the greatest depth. */
static bool mix(scripts *s, size_t n_native, size_t depth) {
    ubi__native_rest rest = { s->native, n_native, 0 };
    s->n_mixed = 0;
    for (size_t i = 0; i < s->n_found; i++)
        if (!put_script(s, &rest, &s->found[i], depth))
            return false;
    return put_natives(s, &rest, n_native, depth);
}

/* A script's frame in prints of stacks: a number that no return address has. */
static uint64_t script_pc(uint32_t function, uint32_t line, uint32_t column) {
    return UINT64_C(1) << 63 | (uint64_t)(function & 0x7fffff) << 40 | (uint64_t)(line & 0x3ffffff) << 14 |
           (column & 0x3fff);
}

/* Prints of all stacks from the outermost frame on. @return false: no room for a function. */
static bool print_mixed(ubi__context *c, uint64_t root) {
    scripts *s = c->scripts;
    uint64_t print = root;
    for (size_t i = s->n_mixed; i-- > 0;) {
        mixed_frame *m = &s->mixed[i];
        if (m->script && !(m->function = function_number(c, m->script)))
            return false;
        uint64_t pc =
            m->script ? script_pc(m->function, m->script->frame->line, m->script->frame->column) : (uint64_t)m->pc;
        m->print = print = ubi__trace_print(print, pc);
    }
    return true;
}

/* A new stack whose innermost frame is a script's. 0: no room. */
static uint32_t new_script_trace(ubi__context *c, uint32_t caller, const mixed_frame *m) {
    if (!ubi__chunk_has_room(c, UBI__WIRE_RECORD_BYTES))
        return 0;
    uint32_t number = ubi__trace_tree_add(&c->tree, m->print);
    if (!number)
        return 0;
    uint8_t *at = c->at;
    *at++ = UBI__OP_TRACE | UBI__TRACE_SCRIPT << UBI__OP_KIND_SHIFT;
    at = ubi__wire_put(at, number - caller);
    at = ubi__wire_put(at, m->function);
    at = ubi__wire_put(at, m->script->frame->line);
    at = ubi__wire_put(at, m->script->frame->column);
    ubi__chunk_commit(c, at);
    return number;
}

/* The number of the mixed stack. 0: no room. */
static uint32_t number_mixed(ubi__context *c, uint64_t root, ubi__unwind_end end, uintptr_t failed_pc) {
    const scripts *s = c->scripts;
    uint32_t number = 0;
    size_t i = 0;
    while (i < s->n_mixed && !(number = ubi__trace_tree_find(&c->tree, s->mixed[i].print)))
        i++;
    if (i == s->n_mixed && end != UBI__UNWIND_COMPLETE && !(number = ubi__trace_tree_find(&c->tree, root)))
        number = ubi__event_new_trace(c, end == UBI__UNWIND_FAILED ? UBI__TRACE_FAILED : UBI__TRACE_TRUNCATED, 0,
                                      end == UBI__UNWIND_FAILED ? failed_pc : 0, root);
    if (i == s->n_mixed && end != UBI__UNWIND_COMPLETE && !number)
        return 0;
    while (i-- > 0) {
        const mixed_frame *m = &s->mixed[i];
        number = m->script ? new_script_trace(c, number, m)
                           : ubi__event_new_trace(c, UBI__TRACE_FRAME, number, m->pc, m->print);
        if (!number)
            return 0;
    }
    return number;
}

static uint64_t root_print(ubi__unwind_end end, uintptr_t failed_pc) {
    return end == UBI__UNWIND_COMPLETE    ? UBI__TRACE_ROOT_OUTERMOST
           : end == UBI__UNWIND_TRUNCATED ? UBI__TRACE_ROOT_TRUNCATED
                                          : ubi__trace_print(UBI__TRACE_ROOT_FAILED, failed_pc);
}

/* ---- stacks that are known ----------------------------------------------------------------------------------------- */

/* Of a frame, what decides where it belongs, and those further out. 0: no room for its function. */
static inline uint64_t print_frame(ubi__context *c, const found_frame *f, uint64_t outer) {
    const ubi__script_frame *frame = f->frame;
    uint32_t number = ubi__likely(frame->number != 0) ? frame->number : function_number(c, f);
    uint64_t place = frame->stack_address + frame->resumer_address * 3 + frame->is_inlined;
    return number ? ubi__trace_print(outer ^ place * UINT64_C(0xbf58476d1ce4e5b9),
                                     script_pc(number, frame->line, frame->column))
                  : 0;
}

/* Of the chain: those that stayed have been printed. 0: no room for a function. */
static uint64_t print_chain(ubi__context *c) {
    scripts *s = c->scripts;
    size_t first = s->chain.depth - s->chain.n;
    while (s->printed_from > first) {
        size_t i = s->printed_from - 1;
        const found_frame f = { &s->chain.frames[i], s->held.sources[0], 0 };
        if (!(s->prints[i] = print_frame(c, &f, s->prints[i + 1])))
            return 0;
        s->printed_from = i;
    }
    s->printed_from = first;
    return s->prints[first];
}

/* Of the frames that were found and a native stack. @param out  not 0. @return false: no room for a function. */
static bool print_found(ubi__context *c, uint32_t native, uint64_t *out) {
    const scripts *s = c->scripts;
    uint64_t print = s->is_renewed ? print_chain(c) : s->held.n;
    for (size_t i = s->is_renewed ? 0 : s->n_found; i-- > 0 && print;)
        print = print_frame(c, &s->found[i], print);
    *out = ubi__trace_print(print, native);
    return print != 0;
}

static known_stack *known_place(scripts *s, uint64_t print) {
    return &s->known[print % KNOWN_STACKS];
}

/* The number of the native stack from `caller` on, if the unwinder remembers it as one with scripts. 0: it does not. */
static uint32_t recall_native(ubi__context *c, const ubi__unwind_registers *caller) {
    uint32_t number = ubi__process_state.is_exact ? ubi__unwind_recall(&c->unwinder, caller) : 0;
    return number & UBI__SCRIPTS_NUMBER ? number : 0;
}

/* Has the unwinder remember it. @return the number; 0: there are none left. */
static uint32_t remember_native(ubi__context *c, const ubi__unwind_registers *caller) {
    scripts *s = c->scripts;
    ubi__walk walk;
    if (s->n_native == UBI__SCRIPTS_NUMBER - 1)
        return 0;
    uint32_t number = ++s->n_native | UBI__SCRIPTS_NUMBER;
    (void)ubi__event_walk(c, caller, &walk);
    ubi__unwind_remember(&c->unwinder, caller, number);
    return number;
}

/* ---- the whole ---------------------------------------------------------------------------------------------------- */

/* The stack of frames that were found in native[n]. 0: no room. */
static uint32_t mixed_stack(ubi__context *c, size_t n, ubi__unwind_end end) {
    scripts *s = c->scripts;
    uintptr_t failed_pc = s->states[n - 1].pc;
    if (!mix(s, n, c->unwinder.max_depth))
        end = UBI__UNWIND_TRUNCATED;
    if (end == UBI__UNWIND_FAILED)
        atomic_fetch_add_explicit(&c->area->failed_walks, 1, memory_order_relaxed);
    uint64_t root = root_print(end, failed_pc);
    return print_mixed(c, root) ? number_mixed(c, root, end, failed_pc) : 0;
}

/* False: the interpreter was interrupted. */
static bool stack_with_sources(ubi__context *c, const ubi__unwind_registers *caller, uint32_t *out) {
    scripts *s = c->scripts;
    ubi__unwind_end end;
    bool is_interrupted;
    uint64_t print = 0;
    uint32_t native = recall_native(c, caller);
    if (native) { /* so it was not interrupted: no signal's frame is in it */
        if (!s->is_renewed)
            find_frames(s, c->unwinder.max_depth);
        if (!print_found(c, native, &print)) {
            *out = 0;
            return true;
        }
        if (known_place(s, print)->print == print) {
            *out = known_place(s, print)->number;
            return true;
        }
    }
    size_t n = walk_native(c, caller, &end, &is_interrupted);
    if (n == 0 || is_interrupted) {
        s->chain.n = 0; /* it was read in the middle of something */
        return false;
    }
    if (!native || s->is_renewed)
        find_frames(s, c->unwinder.max_depth);
    *out = mixed_stack(c, n, end);
    if (!*out || end != UBI__UNWIND_COMPLETE || !ubi__process_state.is_exact)
        return true;
    if (!native && (native = remember_native(c, caller)) != 0 && !print_found(c, native, &print))
        return true;
    if (native)
        *known_place(s, print) = (known_stack){ print, *out };
    return true;
}

bool ubi__scripts_stack(ubi__context *c, const ubi__unwind_registers *caller, uint32_t *out) {
    scripts *s = scripts_of(c);
    if (!s)
        return false;
    ubi__script_renewal renewal = renew_chain(s);
    if (renewal == UBI__SCRIPT_NONE_RUNS)
        return false;
    bool is_mixed =
        (renewal == UBI__SCRIPT_RENEWED || ubi__script_sources_hold(&s->held)) && stack_with_sources(c, caller, out);
    ubi__script_sources_release(&s->held);
    return is_mixed;
}
