/* SPDX-License-Identifier: MIT
 *
 * python.c: see python.h.
 *
 * CPython has no interface for this. What a thread runs is a chain of frames from its state on, whose layout is that of the
 * version's, which the interpreter exports (Py_Version). One of 3.11 to 3.13 is known; with any other, and where what is found is not what it
 * should be (a build with a layout of its own), stacks stay native, and ubiheap says so.
 *
 * Every address is looked at before it is read, so nothing here can make the program fail: pages that were found readable are remembered
 * until one is unmapped. The thread that asks runs the frames, so they stand still.
 */
#include "interpose/python.h"

#include <string.h>

#include "base/script_source.h"
#include "interpose/loaded_symbols.h"
#include "interpose/preload.h"
#include "interpose/python_places.h"
#include "interpose/readable.h"
#include "interpose/scripts.h"

#define NAME_MAX_READ 4096u /* bytes of a name or path */
#define TABLE_BYTES 65536u  /* longer tables of locations are not read */
#define TABLE_END_BYTES 64u /* at each end, by which tables are distinguished */
#define FRAMES_MAX 4096u    /* a chain that is longer is taken for a circle of garbage */
/* After this many chains that made no sense, and none that did, the layout is another one. */
#define TRIES 64u

/* ---- layouts ----------------------------------------------------------------------------------------------------- */

/* Offsets. What a version has not is NONE. */
#define NONE UINT16_MAX
typedef struct layout {
    uint8_t minor;                       /* of version 3.minor */
    uint16_t state_frames;               /* thread state: its cframe, or with NONE below its innermost frame */
    uint16_t cframe_frame, cframe_outer; /* what the innermost activation of the interpreter runs; the next one */
    uint16_t frame_code, frame_outer, frame_instruction;
    uint16_t frame_is_entry; /* the outermost one of an activation */
    uint16_t frame_owner;    /* where the outermost one is a frame of the C stack instead */
    uint16_t code_first_line, code_file, code_name, code_table, code_units;
    uint16_t ascii_bytes, compact_bytes; /* of what is before a text's characters */
} layout;

static const layout layouts[] = {
    { 11, 56, 8, 16, 32, 48, 56, 68, NONE, 72, 112, 128, 136, 184, 48, 72 },
    { 12, 56, 0, NONE, 0, 8, 56, NONE, 70, 68, 112, 128, 136, 192, 40, 56 },
    { 13, 72, NONE, NONE, 0, 8, 56, NONE, 70, 68, 112, 128, 136, 200, 40, 56 },
};
#define OWNED_BY_C_STACK 3

/* The same in all of these. */
#define FRAME_BYTES 80u
#define CODE_BYTES 144u
#define OBJECT_TYPE 8u
#define TYPE_NAME 24u
#define SIZE 16u /* of texts and bytes */
#define TEXT_HASH 24u
#define TEXT_STATE 32u /* bits 2 to 4: bytes of a character; 5: compact; 6: ASCII */
#define TEXT_HEAD 40u
#define BYTES_HEAD 32u

_Static_assert(sizeof layouts / sizeof *layouts == 3, "python_renew knows all");

static const layout *known;
static void *(*state_of_this_thread)(void);
static _Atomic uintptr_t code_type; /* the type of code objects, once one was found; 0: not yet */
static _Atomic uint32_t n_sound, n_unsound;

/* ---- reading ------------------------------------------------------------------------------------------------------ */

static uintptr_t word_at(const uint8_t *bytes, unsigned offset) {
    uintptr_t word;
    memcpy(&word, bytes + offset, sizeof word);
    return word;
}

static bool read_word(uintptr_t address, uintptr_t *out) {
    return ubi__read_checked(out, address, sizeof *out);
}

/* Whether an object is code: its type is named so. */
static bool is_code(uintptr_t type) {
    uintptr_t name;
    char text[8];
    if (type == atomic_load_explicit(&code_type, memory_order_relaxed))
        return true;
    if (atomic_load_explicit(&code_type, memory_order_relaxed) || !read_word(type + TYPE_NAME, &name) ||
        !ubi__read_checked(text, name, 5) || memcmp(text, "code", 5) != 0)
        return false;
    atomic_store_explicit(&code_type, type, memory_order_relaxed);
    return true;
}

typedef struct code {
    uintptr_t at, file, name, table;
    int32_t first_line;
} code;

static bool read_code(code *out, uintptr_t at) {
    uint8_t bytes[CODE_BYTES];
    if (!ubi__read_checked(bytes, at, sizeof bytes) || !is_code(word_at(bytes, OBJECT_TYPE)))
        return false;
    *out = (code){ at, word_at(bytes, known->code_file), word_at(bytes, known->code_name),
                   word_at(bytes, known->code_table), 0 };
    memcpy(&out->first_line, bytes + known->code_first_line, sizeof out->first_line);
    return true;
}

/* ---- where an instruction is --------------------------------------------------------------------------------------- */

/* Length and hash of a text: of another text they differ, mostly. */
static uint64_t print_of_text(uintptr_t text) {
    uintptr_t head[2] = { 0, 0 };
    _Static_assert(TEXT_HASH == SIZE + sizeof head[0], "next to each other");
    (void)ubi__read_checked(head, text + SIZE, sizeof head);
    return head[0] * 31 + head[1];
}

/* Of the beginning and the end of a table of locations: texts that are compiled one after the other may differ in their lines alone. */
static uint64_t print_of_table(uintptr_t table, uintptr_t *n) {
    uint8_t ends[2 * TABLE_END_BYTES] = { 0 };
    uint64_t print = 0;
    *n = read_word(table + SIZE, n) && *n < TABLE_BYTES ? *n : 0;
    uintptr_t end = *n < TABLE_END_BYTES ? *n : TABLE_END_BYTES;
    (void)ubi__read_checked(ends, table + BYTES_HEAD, end);
    (void)ubi__read_checked(ends + TABLE_END_BYTES, table + BYTES_HEAD + *n - end, end);
    for (unsigned i = 0; i < sizeof ends; i += sizeof print)
        print = (print ^ word_at(ends, i)) * UINT64_C(0x9e3779b97f4a7c15);
    return print ^ print >> 32 ^ *n;
}

/* @param n_table  out: bytes of its table of locations that are to be read */
static uint64_t print_of_code(const code *c, uintptr_t *n_table) {
    uint64_t print = (uint64_t)(uint32_t)c->first_line << 32 ^ c->table ^ print_of_table(c->table, n_table);
    return (print * UINT64_C(0x9e3779b97f4a7c15)) ^ print_of_text(c->name) ^ print_of_text(c->file) * 7;
}

static ubi__python_position locate(const code *c, uint64_t print, uintptr_t n_table, uint32_t unit) {
    ubi__python_place *p = ubi__python_place_of(c->at, unit);
    ubi__python_position position;
    uintptr_t table = c->table + BYTES_HEAD;
    if (ubi__python_place_recall(p, c->at, print, unit, &position))
        return position;
    n_table = ubi__is_readable(table, n_table) ? n_table : 0;
    position = ubi__python_locate((const uint8_t *)table, n_table, c->first_line, unit);
    ubi__python_place_keep(p, c->at, print, unit, position);
    return position;
}

/* ---- the chain ---------------------------------------------------------------------------------------------------- */

/* Of pages that were found readable: frames are next to each other, and so is what the C stack has of them. */
#define PAGE_BITS 12

static inline bool can_read(ubi__known_pages *pages, uintptr_t address, size_t size_bytes) {
    uintptr_t page = address >> PAGE_BITS, *known_page = &pages->at[(page ^ page >> 5) % UBI__KNOWN_PAGES];
    if (ubi__likely(page == *known_page && page != 0 && (address + size_bytes - 1) >> PAGE_BITS == page))
        return true;
    if (!ubi__is_readable(address, size_bytes))
        return false;
    *known_page = page;
    return true;
}

static inline bool chain_word(ubi__known_pages *pages, uintptr_t address, uintptr_t *out) {
    if (!can_read(pages, address, sizeof *out))
        return false;
    memcpy(out, (const void *)address, sizeof *out);
    return true;
}

/* With a layout that the compiler knows, what it has not needs no instruction. */
#define ALWAYS __attribute__((always_inline))

/* Where in the chain a walk is. */
typedef struct chain {
    ubi__known_pages *pages;
    uintptr_t frame, cframe;
    bool is_first; /* the next frame is the innermost one of its activation */
} chain;

/* False: nothing runs, or it cannot be read. */
static inline ALWAYS bool chain_begin(chain *c, ubi__known_pages *pages, const layout *l) {
    uintptr_t state = (uintptr_t)state_of_this_thread();
    *c = (chain){ .pages = pages, .is_first = true };
    if (!state || !chain_word(pages, state + l->state_frames, &c->frame))
        return false;
    if (l->cframe_frame != NONE) {
        c->cframe = c->frame;
        c->frame = 0;
        if (!c->cframe || !chain_word(pages, c->cframe + l->cframe_frame, &c->frame))
            return false;
    }
    return c->frame != 0;
}

/* A frame of the chain. */
typedef struct chain_link {
    const uint8_t *frame;
    bool is_script;  /* else it is one of the C stack */
    bool is_inlined; /* a script's, which is not the innermost one of its activation */
    uintptr_t place; /* of the activation, if this is where that is seen; else 0 */
} chain_link;

static inline ALWAYS bool is_of_c_stack(const uint8_t *frame, const layout *l) {
    return l->frame_owner != NONE && frame[l->frame_owner] == OWNED_BY_C_STACK;
}

static inline ALWAYS bool is_entry_frame(const uint8_t *frame, const layout *l) {
    return l->frame_is_entry != NONE && frame[l->frame_is_entry];
}

/* From one frame to the next. @return false: it cannot be read. */
static inline ALWAYS bool chain_next(chain *c, chain_link *out, const layout *l) {
    const uint8_t *frame = (const uint8_t *)c->frame;
    if (!can_read(c->pages, c->frame, FRAME_BYTES))
        return false;
    bool is_c = is_of_c_stack(frame, l), is_entry = is_entry_frame(frame, l);
    *out = (chain_link){ frame, !is_c, !is_c && !c->is_first, is_c && !c->is_first ? c->frame : 0 };
    if (is_entry) {
        out->place = c->cframe;
        if (!chain_word(c->pages, c->cframe + l->cframe_outer, &c->cframe))
            return false;
    }
    c->is_first = is_c || is_entry;
    c->frame = word_at(frame, l->frame_outer);
    return true;
}

/* What a code object is known by at a glance: with another one at its address, something of it is elsewhere, mostly. */
static uint64_t glance_at_code(const uint8_t *at) {
    uint64_t line = 0;
    memcpy(&line, at + known->code_first_line, sizeof(int32_t));
    return word_at(at, known->code_table) * 31 ^ word_at(at, known->code_name) ^ line << 40;
}

static uint32_t unit_of(uintptr_t at, uintptr_t instruction) {
    uintptr_t offset = instruction - (at + known->code_units);
    return offset < UINT32_MAX ? (uint32_t)(offset / 2) : UINT32_MAX;
}

static bool make_frame(ubi__script_frame *out, const uint8_t *frame) {
    code f;
    uintptr_t at = word_at(frame, known->frame_code), instruction = word_at(frame, known->frame_instruction);
    if (!read_code(&f, at))
        return false;
    uintptr_t n_table;
    uint64_t print = print_of_code(&f, &n_table);
    ubi__python_position position = locate(&f, print, n_table, unit_of(at, instruction));
    *out = (ubi__script_frame){ .function = at,
                                .version = print,
                                .frame = frame,
                                .memory = { instruction, glance_at_code((const uint8_t *)at) },
                                .line = position.line,
                                .column = position.column };
    return true;
}

/* Frames of the last time, of which some are as they were. */
typedef struct frames_before {
    const ubi__script_frame *at;
    size_t n, next; /* frames before `next` are further in than where the chain is */
} frames_before;

#define LOOK_AHEAD 8

/*
 * The frame of the last time that is at the same address, runs the same code object, and is at the same instruction. It was running then,
 * or has ended since and another one took its place; the code object, too, may be another one only when that was compiled meanwhile, which
 * allocates, when this frame was not in the chain.
 */
static inline const ubi__script_frame *frame_before(frames_before *b, const uint8_t *frame) {
    for (size_t i = b->next; i < b->n && i < b->next + LOOK_AHEAD; i++)
        if (b->at[i].frame == frame) {
            b->next = i + 1;
            return b->at[i].function == word_at(frame, known->frame_code) &&
                           b->at[i].memory[0] == word_at(frame, known->frame_instruction)
                       ? &b->at[i]
                       : NULL;
        }
    return NULL;
}

static bool put_frame(ubi__script_frame *out, frames_before *b, const chain_link *l) {
    const ubi__script_frame *before = frame_before(b, l->frame);
    if (before)
        *out = *before;
    else if (!make_frame(out, l->frame))
        return false;
    out->stack_address = 0;
    out->is_inlined = l->is_inlined;
    return true;
}

static void note_soundness(bool is_sound) {
    _Atomic uint32_t *counter = is_sound ? &n_sound : &n_unsound;
    uint32_t n = atomic_load_explicit(counter, memory_order_relaxed) + 1;
    if (n > TRIES)
        return;
    atomic_store_explicit(counter, n, memory_order_relaxed);
    if (!is_sound && n == TRIES && atomic_load_explicit(&n_sound, memory_order_relaxed) == 0)
        ubi__scripts_note(UBI__SCRIPTS_STRANGE_LAYOUT);
}

static bool is_given_up(void) {
    return atomic_load_explicit(&n_unsound, memory_order_relaxed) >= TRIES &&
           atomic_load_explicit(&n_sound, memory_order_relaxed) == 0;
}

static size_t python_frames(const ubi__script_source *source, ubi__script_frame *frames, size_t max,
                            const ubi__script_frame *before, size_t n_before) {
    frames_before b = { before, n_before, 0 };
    ubi__known_pages pages = { 0 };
    chain c;
    chain_link l;
    size_t n = 0, first = 0;
    (void)source;
    if (is_given_up() || !chain_begin(&c, &pages, known))
        return 0;
    if (max == 0)
        return 1;
    bool is_sound = true;
    for (size_t i = 0; c.frame && n < max && i < FRAMES_MAX && is_sound; i++) {
        is_sound = chain_next(&c, &l, known) && (!l.is_script || put_frame(&frames[n], &b, &l));
        first = is_sound && l.is_script && !l.is_inlined ? n : first;
        n += is_sound && l.is_script;
        if (is_sound && l.place)
            frames[first].stack_address = l.place;
    }
    note_soundness(is_sound || n > 0);
    return n;
}

/* ---- the chain, brought up to date --------------------------------------------------------------------------------- */

/* Reads the chain. @return false: it is too long, or cannot be read to its end. */
static inline ALWAYS bool read_steps(ubi__script_chain *k, chain c, size_t *out, const layout *l) {
    size_t n = 0, first = 0;
    chain_link link;
    for (size_t i = 0; c.frame && i < FRAMES_MAX; i++) {
        if (n == k->depth || !chain_next(&c, &link, l))
            return false;
        if (link.is_script) {
            k->steps[n] = (ubi__script_step){ link.frame, 0, link.is_inlined };
            first = link.is_inlined ? first : n;
            n++;
        }
        if (link.place)
            k->steps[first].stack_address = link.place;
    }
    *out = n;
    return c.frame == 0 && n > 0;
}

/* The same code is at another instruction. It has been read, so it can be. */
static bool move_frame(ubi__script_frame *f, uintptr_t instruction) {
    uintptr_t at = (uintptr_t)f->function;
    ubi__python_position position;
    uint32_t unit = unit_of(at, instruction);
    if (f->memory[1] != glance_at_code((const uint8_t *)at) ||
        !ubi__python_place_recall(ubi__python_place_of(at, unit), at, f->version, unit, &position))
        return false;
    f->memory[0] = instruction;
    f->line = position.line;
    f->column = position.column;
    return true;
}

/* Another instruction of the same frame, or another frame. */
static __attribute__((noinline)) bool change_frame(ubi__script_frame *f, const uint8_t *frame, bool is_same_code) {
    return (is_same_code && move_frame(f, word_at(frame, known->frame_instruction))) || make_frame(f, frame);
}

/* Whether the frame in a place is the one that was there, which runs what it ran. See frame_before. */
static inline ALWAYS bool is_frame_there(const ubi__script_frame *f, const uint8_t *frame, const layout *l) {
    return f->frame == frame && f->function == word_at(frame, l->frame_code);
}

#define ENDED_MAX 4 /* of the innermost frames, to be passed over here */

/* The frame runs what it ran, and has advanced, or begins an activation now, or does not any more. @return false: it runs something else. */
static __attribute__((noinline)) bool change_in_place(ubi__script_frame *f, const uint8_t *frame, bool is_inlined) {
    if (f->function != word_at(frame, known->frame_code) ||
        (f->memory[0] != word_at(frame, known->frame_instruction) && !change_frame(f, frame, true)))
        return false;
    f->stack_address = is_inlined ? 0 : f->stack_address;
    f->is_inlined = is_inlined;
    return true;
}

/*
 * Most allocations come from frames that were there, of which some have ended and one or two have advanced. Where a frame is that was
 * there the last time, it can be read; the same goes for what the C stack has of its activation.
 * @param changed  out: the end of the frames that have changed. @return false: there are new frames, or it cannot be read.
 */
static inline ALWAYS bool renew_in_place(ubi__script_chain *k, chain c, size_t n_before, ubi__script_frame **changed,
                                         const layout *l) {
    ubi__script_frame *end = k->frames + k->depth, *f = end - n_before;
    for (size_t i = 0; i < ENDED_MAX && f < end && f->frame != (const void *)c.frame; i++)
        f++;
    ubi__script_frame *first = f, *head = f; /* the activation that is walked begins at `head` */
    *changed = f;
    while (c.frame) {
        const uint8_t *frame = (const uint8_t *)c.frame;
        bool is_inlined = !c.is_first, is_there = f < end && f->frame == frame;
        if (!is_there && (l->frame_owner == NONE || !can_read(c.pages, c.frame, FRAME_BYTES)))
            return false;
        bool is_c = is_of_c_stack(frame, l), is_entry = is_entry_frame(frame, l);
        if (!is_c) {
            if (!is_there)
                return false;
            if (((f->function ^ word_at(frame, l->frame_code)) | (f->memory[0] ^ word_at(frame, l->frame_instruction)) |
                 (uintptr_t)(f->is_inlined ^ is_inlined)) != 0) {
                *changed = f + 1;
                if (!change_in_place(f, frame, is_inlined))
                    return false;
            }
            head = is_inlined ? head : f;
            f++;
        }
        uintptr_t at = is_entry ? c.cframe : is_c && is_inlined ? c.frame : 0; /* where the activation is seen */
        if (at && head->stack_address != at) {
            if (is_entry && !can_read(c.pages, at + l->cframe_outer, sizeof at))
                return false;
            *changed = *changed > head ? *changed : head + 1;
            head->stack_address = at;
        }
        if (is_entry)
            c.cframe = word_at((const uint8_t *)at, l->cframe_outer);
        c.is_first = is_c || is_entry;
        c.frame = word_at(frame, l->frame_outer);
    }
    k->n = (size_t)(end - first);
    k->n_same = (size_t)(end - *changed);
    return f == end && (c.is_first || head->stack_address == 0);
}

/* Any chain. @param n_same  at most this many of the outermost frames are as they were. */
static inline ALWAYS bool renew_all(ubi__script_chain *k, chain c, size_t n_before, size_t n_same, const layout *l) {
    size_t n, same = 0;
    if (!read_steps(k, c, &n, l))
        return false;
    for (size_t i = 0; i < n; i++) {
        ubi__script_frame *f = k->frames + k->depth - i - 1;
        const ubi__script_step *step = k->steps + n - i - 1;
        bool is_there = i < n_before && is_frame_there(f, step->frame, l);
        bool is_there_still = is_there && f->memory[0] == word_at(step->frame, l->frame_instruction);
        if (!is_there_still && !change_frame(f, step->frame, is_there))
            return false;
        bool is_same = is_there_still && f->stack_address == step->stack_address && f->is_inlined == step->is_inlined;
        same += is_same && same == i && same < n_same;
        f->stack_address = step->stack_address;
        f->is_inlined = step->is_inlined;
    }
    k->n = n;
    k->n_same = same;
    return true;
}

static inline ALWAYS ubi__script_renewal renew_as(ubi__script_chain *k, const layout *l) {
    size_t n_before = k->n;
    ubi__script_frame *changed = k->frames + k->depth;
    chain c;
    k->n = 0;
    if (is_given_up() || !chain_begin(&c, &k->pages, l))
        return UBI__SCRIPT_NONE_RUNS;
    if (n_before && renew_in_place(k, c, n_before, &changed, l))
        return UBI__SCRIPT_RENEWED;
    k->n = 0;
    if (!renew_all(k, c, n_before, (size_t)(k->frames + k->depth - changed), l))
        return UBI__SCRIPT_NOT_RENEWED;
    note_soundness(true);
    return UBI__SCRIPT_RENEWED;
}

static ubi__script_renewal python_renew(ubi__script_chain *k) {
    switch (known - layouts) {
    case 0:
        return renew_as(k, &layouts[0]);
    case 1:
        return renew_as(k, &layouts[1]);
    default:
        return renew_as(k, &layouts[2]);
    }
}

/* ---- names -------------------------------------------------------------------------------------------------------- */

static size_t put_character(char *out, uint32_t c) {
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--, c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3F));
    out[0] = (char)((0xF00 >> n & 0xF0) | c);
    return n;
}

/* As UTF-8, as far as whole characters have room. */
static size_t put_text(char *out, size_t room, uintptr_t text) {
    uint8_t head[TEXT_HEAD];
    if (!ubi__read_checked(head, text, sizeof head))
        return 0;
    uintptr_t length = word_at(head, SIZE);
    uint32_t state = head[TEXT_STATE], width = state >> 2 & 7, value;
    bool is_compact = state >> 5 & 1, is_ascii = state >> 6 & 1;
    uintptr_t at = text + (is_ascii ? known->ascii_bytes : known->compact_bytes);
    size_t n = 0;
    if (!is_compact || (width != 1 && width != 2 && width != 4) || length > NAME_MAX_READ)
        return 0;
    for (uintptr_t i = 0; i < length && n + 4 <= room; i++) {
        value = 0;
        if (!ubi__read_checked(&value, at + i * width, width)) /* the low bytes come first */
            break;
        n += put_character(out + n, value < 0x110000 ? value : '?');
    }
    return n;
}

static size_t python_name(const ubi__script_source *source, const ubi__script_frame *frame, char *text, size_t room,
                          size_t *function_bytes) {
    code c;
    (void)source;
    *function_bytes = 0;
    if (!read_code(&c, (uintptr_t)frame->function))
        return 0;
    *function_bytes = put_text(text, room / 4, c.name);
    return *function_bytes + put_text(text + *function_bytes, room - *function_bytes, c.file);
}

/* ---- finding it --------------------------------------------------------------------------------------------------- */

static ubi__script_source source = { .version = UBI__SCRIPT_SOURCE_VERSION,
                                     .frames = python_frames,
                                     .name = python_name };

static const layout *layout_of(unsigned long version) {
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (version >> 24 == 3 && (version >> 16 & 0xff) == layouts[i].minor)
            return &layouts[i];
    return NULL;
}

static void use_interpreter(const void *address, void *evaluate, unsigned long version) {
    static _Atomic bool is_taken;
    void *state = ubi__loaded_in(address, "PyGILState_GetThisThreadState");
    const layout *found = layout_of(version);
    if (!state || atomic_exchange(&is_taken, true))
        return;
    if (!found) {
        ubi__scripts_note(UBI__SCRIPTS_UNKNOWN_VERSION);
        return;
    }
    known = found;
    memcpy(&state_of_this_thread, &state, sizeof state);
    source.interpreter = (uintptr_t)evaluate;
    ubi__scripts_add_for_all(&source, python_renew);
}

/* Whether a library may be one, by its name. */
static bool may_be_python(const char *path) {
    const char *slash = strrchr(path, '/');
    for (const char *at = slash ? slash + 1 : path; *at; at++)
        if (!strncmp(at, "python", 6))
            return true;
    return false;
}

void ubi__python_look(const struct ubi__unwind_module *module) {
    const void *address = (const void *)module->low;
    if (module->path[0] && !may_be_python(module->path))
        return;
    void *evaluate = ubi__loaded_in(address, "_PyEval_EvalFrameDefault");
    const unsigned long *version =
        evaluate ? ubi__loaded_in(address, "Py_Version") : NULL; /* there is one since 3.11 */
    if (evaluate)
        use_interpreter(address, evaluate, version ? *version : 0);
}
