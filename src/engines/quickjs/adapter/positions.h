/* SPDX-License-Identifier: MIT
 *
 * positions.h: where in the source text objects are made, supplied by us while the engine compiles.
 *
 * Engines record a place per operation that throws (UBI_SOURCE_POS: as an offset in the text; UBI_SOURCE_LOC: as line and column),
 * or the line of the token before each operation. Neither is where a literal begins, or a loop asks its iterator. So each operation
 * that makes an object, or calls what may, gets the place where its construct begins. Two kinds need none: calls, whose
 * place newer engines record, and functions, whose bytecode says where its text begins (stack_capture.h).
 */
#ifndef UBI_QUICKJS_POSITIONS_H
#define UBI_QUICKJS_POSITIONS_H

#include "base/assert.h"
#include "engines/quickjs/adapter/texts.h"
#include "ubi_features.h"

static _Thread_local ubi__construct ubi__parsing; /* a thread parses one text at a time */

static ubi__text_place ubi__token_place(const JSParseState *s) {
#if UBI_SOURCE_POS
    return (ubi__text_place){ .text = s->token.ptr };
#elif UBI_SOURCE_LOC
    return (ubi__text_place){ .line = s->token.line_num, .column = s->token.col_num };
#else
    return (ubi__text_place){ .line = s->token.line_num };
#endif
}
static inline bool ubi__is_place(ubi__text_place place) {
#if UBI_SOURCE_POS
    return place.text != NULL;
#else
    return place.line != 0;
#endif
}

static ubi__construct ubi__construct_begins(JSParseState *s) {
    ubi__construct outer = ubi__parsing;
    ubi__parsing = (ubi__construct){ .begins = ubi__token_place(s) };
    return outer;
}
static void ubi__construct_ends(const ubi__construct *outer) {
    ubi__parsing = *outer;
}

/* ---- columns ---------------------------------------------------------------------------------------------------------- */

#if UBI_SOURCE_LOC && !UBI_SOURCE_POS

/*
 * These engines take a token to be where the white space before it ended, count bytes, and begin with 0 in a text's first line.
 * Each token gets the column where it begins, in characters, from 1. The one before it was counted already, mostly.
 */
static _Thread_local struct {
    const uint8_t *line, *at;
    int column;             /* of `at` */
    bool is_ascii;          /* the whole text: nothing has to be counted */
    ubi__text_place before; /* where the token before the one at hand is */
} ubi__counted;

static int ubi__characters(const uint8_t *from, const uint8_t *to) {
    int n = 0;
    if (ubi__counted.is_ascii)
        return to > from ? (int)(to - from) : 0;
    for (; from < to; from++)
        n += (*from & 0xc0) != 0x80;
    return n;
}

/* `eol` is the last end of a line; a template that has several is begun before it. */
static const uint8_t *ubi__line_of_token(const JSParseState *s) {
    const uint8_t *at = s->token.ptr;
    if (s->eol < at)
        return s->eol + 1;
    while (at > s->buf_start && at[-1] != '\n' && at[-1] != '\r')
        at--;
    return at;
}

static void ubi__count_column(JSParseState *s) {
    const uint8_t *line = ubi__line_of_token(s), *at = s->token.ptr;
    if (line != ubi__counted.line) {
        ubi__counted.line = ubi__counted.at = line;
        ubi__counted.column = 1;
    }
    ubi__counted.column += ubi__characters(ubi__counted.at, at) - ubi__characters(at, ubi__counted.at);
    ubi__counted.at = at;
    s->token.col_num = ubi__counted.column;
}

/* Of a text that begins at most a few tokens before the one at hand. */
static ubi__text_place ubi__place_of_text(const JSParseState *s, const uint8_t *text) {
    const uint8_t *line = ubi__counted.line, *at = text;
    ubi__text_place place = { .line = s->token.line_num };
    if (text >= line) {
        place.column = ubi__counted.column - ubi__characters(text, ubi__counted.at);
        return place;
    }
    for (; at < line; at++)
        place.line -= *at == '\n' || (*at == '\r' && at[1] != '\n');
    for (at = text; at > s->buf_start && at[-1] != '\n' && at[-1] != '\r'; at--)
        ;
    place.column = ubi__characters(at, text) + 1;
    return place;
}

static int ubi__read_token(JSParseState *s) {
    if (!s->last_ptr) { /* the first token of a text, whose first line has no end of another before it */
        s->eol = s->buf_start - 1;
        ubi__counted.line = NULL;
        ubi__counted.is_ascii = ubi__is_ascii(s->buf_start, (size_t)(s->buf_end - s->buf_start));
    }
    ubi__counted.before = ubi__token_place(s);
    int status = next_token(s);
    if (status == 0)
        ubi__count_column(s);
    return status;
}

#else

static int ubi__read_token(JSParseState *s) {
    return next_token(s);
}

#endif

static int ubi__next_token(JSParseState *s) {
    if (s->token.val == TOK_ELLIPSIS)
        ubi__parsing.spread = ubi__token_place(s);
    else if (s->token.val == '(')
        ubi__parsing.call = ubi__token_place(s);
    else if (s->token.val == TOK_STATIC)
        ubi__parsing.block = ubi__token_place(s);
    ubi__parsing.last_token = s->token.val;
    return ubi__read_token(s);
}

/* A tag is called where its template begins. */
static int ubi__parse_template(JSParseState *s, int call, int *argc) {
    ubi__construct outer = ubi__construct_begins(s);
    outer.call = ubi__parsing.begins;
    int status = js_parse_template(s, call, argc);
    ubi__construct_ends(&outer);
    return status;
}

static int ubi__parse_property_name(JSParseState *s, JSAtom *name, int with_method, int with_var, int with_private) {
    ubi__parsing.name = ubi__token_place(s);
    ubi__parsing.block = (ubi__text_place){ 0 };
    return js_parse_property_name(s, name, with_method, with_var, with_private);
}

/* ---- which operation is where ----------------------------------------------------------------------------------------- */

static ubi__text_place ubi__place_of_construct(void) {
    return ubi__is_place(ubi__parsing.spread) ? ubi__parsing.spread : ubi__parsing.begins;
}

/*
 * What a class runs when it is made, or an instance: one function calls all its static blocks and defines its static fields, another
 * one defines the fields of an instance. The engine places nothing in them, and says that they begin where the whole text does.
 */
static ubi__text_place ubi__place_in_class(uint8_t op) {
    switch (op) {
    case OP_define_field:
    case OP_define_array_el:
    case OP_define_private_field:
        return ubi__parsing.name;
    case OP_call_method: { /* of a block, else of the function that has them all */
        ubi__text_place block = ubi__parsing.block;
        ubi__parsing.block = (ubi__text_place){ 0 };
        return ubi__is_place(block) ? block : ubi__parsing.begins;
    }
    default:
        return (ubi__text_place){ 0 };
    }
}

/* No place: where the engine says. */
static ubi__text_place ubi__place_of_op(const JSParseState *s, ubi__emitter emitter, uint8_t op) {
    const bool in_call = emitter == UBI__CALL_EMITTER;
    if (emitter == UBI__CLASS_EMITTER) {
        ubi__text_place place = ubi__place_in_class(op);
        if (ubi__is_place(place))
            return place;
    }
    switch (op) {
    case OP_regexp:
        return ubi__token_place(s);
    case OP_array_from: /* of arguments, before the first `...` among them */
        return in_call ? ubi__token_place(s) : ubi__place_of_construct();
    case OP_object:
    case OP_define_class:
    case OP_define_class_computed:
    case OP_rest:
    case OP_append:
    case OP_copy_data_properties:
    case OP_to_object:
    case OP_for_in_start:
    case OP_for_in_next:
    case OP_for_of_start:
    case OP_for_of_next:
    case OP_for_await_of_start:
#if UBI_OP_FOR_AWAIT_OF_NEXT
    case OP_for_await_of_next:
#endif
    case OP_iterator_next:
    case OP_iterator_call:
    case OP_iterator_close:
#if UBI_OP_INIT_CTOR
    case OP_init_ctor:
#endif
    case OP_add_brand:
        return ubi__place_of_construct();
#if UBI_SOURCE_LOC &&                                                                                                  \
    !UBI_SOURCE_POS /* the engine places these by what was before them, except some in newer versions */
    case OP_scope_get_var:
    case OP_get_super:
    case OP_get_super_value:
        return in_call ? ubi__counted.before : (ubi__text_place){ 0 };
#endif
#if !UBI_SOURCE_POS /* the engine places these where their last argument is, or the first */
    case OP_call_constructor:
        if (ubi__parsing.last_token != ')') /* it has no arguments */
            return (ubi__text_place){ 0 };
        return in_call ? ubi__parsing.call : (ubi__text_place){ 0 };
    case OP_call:
    case OP_call_method:
    case OP_apply:
    case OP_eval:
    case OP_apply_eval:
        return in_call ? ubi__parsing.call : (ubi__text_place){ 0 };
#endif
    default:
        return (ubi__text_place){ 0 };
    }
}

/* ---- places for the engine -------------------------------------------------------------------------------------------- */

#if UBI_SOURCE_POS

static void ubi__emit_op(JSParseState *s, ubi__emitter emitter, uint8_t op) {
    ubi__text_place place = ubi__place_of_op(s, emitter, op);
    if (place.text) {
        UBI_ASSERT(place.text >= s->buf_start && place.text <= s->buf_end);
        emit_source_pos(s, place.text);
    }
    emit_op(s, op);
}

/*
 * A call that is the last thing a function does is compiled to one operation, which these engines place at the `return`: that
 * may be lines away. The place of the `return` is taken back, so the call keeps its own.
 */
static void ubi__emit_return(JSParseState *s, int has_value) {
    enum { PLACE_BYTES = 5, CALL_BYTES = 3 };
    JSFunctionDef *fd = s->cur_func;
    DynBuf *code = &fd->byte_code;
    if (has_value && fd->last_opcode_pos >= 0 && (size_t)fd->last_opcode_pos + CALL_BYTES + PLACE_BYTES == code->size) {
        const uint8_t *last = code->buf + fd->last_opcode_pos;
        if ((*last == OP_call || *last == OP_call_method) && last[CALL_BYTES] == OP_line_num) {
            code->size -= PLACE_BYTES;
            fd->last_opcode_source_ptr = NULL;
        }
    }
    emit_return(s, has_value);
}

#else

static void ubi__emit_op(JSParseState *s, ubi__emitter emitter, uint8_t op) {
    ubi__text_place place = ubi__place_of_op(s, emitter, op);
#if UBI_SOURCE_LOC
    if (place.line) {
        DynBuf *code = &s->cur_func->byte_code;
        dbuf_putc(code, OP_source_loc);
        dbuf_put_u32(code, place.line);
        dbuf_put_u32(code, place.column);
    }
    emit_op(s, op);
#else
    int last_line = s->last_line_num;
    if (place.line)
        s->last_line_num = place.line;
    emit_op(s, op);
    s->last_line_num = last_line;
#endif
}

static void ubi__emit_return(JSParseState *s, int has_value) {
    emit_return(s, has_value);
}

#endif
#endif
