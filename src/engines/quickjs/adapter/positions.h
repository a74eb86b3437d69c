/* SPDX-License-Identifier: MIT
 *
 * positions.h: where in the source text objects are made, told by us while the engine compiles.
 *
 * Engines that record a position per statement or per operation do not need it (UBI_SOURCE_POS): these record one only
 * before operations that throw, so a literal on a line of its own would be found at the line of what came before.
 */
#ifndef UBI_QUICKJS_POSITIONS_H
#define UBI_QUICKJS_POSITIONS_H

#include "ubi_features.h"

#if UBI_SOURCE_POS

#include "base/assert.h"

static int ubi__parse_literal(JSParseState *s, int (*parse)(JSParseState *s)) {
    const uint8_t *outer = ubi__literal_begins;
    ubi__literal_begins = s->token.ptr;
    int status = parse(s);
    ubi__literal_begins = outer;
    return status;
}

static int ubi__parse_class(JSParseState *s, int is_expression, int export_flag) {
    const uint8_t *outer = ubi__literal_begins;
    ubi__literal_begins = s->token.ptr;
    int status = js_parse_class(s, is_expression, export_flag);
    ubi__literal_begins = outer;
    return status;
}

/* Before operations that allocate, as the engine does it before those that throw. NULL: it begins at the current token. */
static void ubi__emit_op(JSParseState *s, const uint8_t *begins, uint8_t op) {
    if (op == OP_object || op == OP_array_from || op == OP_fclosure || op == OP_regexp || op == OP_define_class ||
        op == OP_rest) {
        const uint8_t *position = begins && op != OP_rest ? begins : s->token.ptr;
        UBI_ASSERT(position >= s->buf_start && position <= s->buf_end);
        emit_source_pos(s, position);
    }
    emit_op(s, op);
}

#endif
#endif
