/* SPDX-License-Identifier: MIT
 *
 * brief_walk.c: the rows of a document, in its order. A stack of cursors is where the walk is; each object and array is passed twice, once
 * for what is on its row, and once for the rows below.
 */
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "base/text.h"
#include "mcp/brief_inside.h"

#define INLINE_BYTES 160

typedef struct walk_frame {
    ubi__json_cursor cursor; /* of the second pass */
    uint32_t indent;
    bool is_array;
    bool is_map;         /* an object of objects and arrays alone: each is a row, however short */
    bool is_below_array; /* one of a list, or below that */
    uint64_t n_containers;
    ubi_text columns; /* names of the cells of rows in lists of an object, or in this list; NULL text: they have none */
} walk_frame;
UBI_VEC_DECLARE(walk_frames, walk_frame);

static bool is_container(const ubi__json_value *value) {
    return value->type == UBI__JSON_OBJECT || value->type == UBI__JSON_ARRAY;
}

/* Like a member of an object; elements have a key without text. */
static bool cursor_next(ubi__json_cursor *c, bool is_array, ubi__json_value *key, ubi__json_value *value) {
    if (!is_array)
        return ubi__json_cursor_next_member(c, key, value);
    *key = (ubi__json_value){ .type = UBI__JSON_NULL };
    return ubi__json_cursor_next_element(c, value);
}

static bool has_containers(const ubi__json_value *of) {
    ubi__json_cursor c;
    ubi__json_value key, value;
    bool is_array = of->type == UBI__JSON_ARRAY;
    ubi__json_cursor_open(&c, of->raw, of->type);
    while (cursor_next(&c, is_array, &key, &value))
        if (is_container(&value))
            return true;
    return false;
}

static bool has_containers_alone(const ubi__json_value *of) {
    ubi__json_cursor c;
    ubi__json_value key, value;
    bool is_empty = true;
    ubi__json_cursor_open(&c, of->raw, of->type);
    while (ubi__json_cursor_next_member(&c, &key, &value)) {
        if (!is_container(&value))
            return false;
        is_empty = false;
    }
    return !is_empty;
}

/* On the row of its owner. */
static bool is_inline(const ubi__json_value *value, bool is_owner_list) {
    return !is_owner_list && value->raw.len <= INLINE_BYTES && !has_containers(value);
}

/* What says nothing about the heap, or is the question itself. */
static bool is_passed_over(const ubi__json_value *key, bool is_top) {
    static const char *const names[] = { "schema", "file", "breakdown" };
    for (size_t i = 0; is_top && i < sizeof names / sizeof *names; i++)
        if (ubi__json_value_is(key, names[i]))
            return true;
    return false;
}

/* ---- nodes that are worth a look -------------------------------------------------------------------------------------- */

static int id_rank(const ubi__json_value *key, const ubi__json_value *owner, bool is_below_array) {
    if (ubi__json_value_is(key, "nodeId"))
        return ubi__json_value_is(owner, "holder") ? 1 : is_below_array ? 2 : 0;
    return ubi__json_value_is(key, "exampleId") || ubi__json_value_is(key, "example") ? 3 : 0;
}

static bool is_id(const ubi__json_value *value) {
    if ((value->type != UBI__JSON_NUMBER && value->type != UBI__JSON_STRING) || !value->raw.len)
        return false;
    for (size_t i = 0; i < value->raw.len; i++)
        if (!ubi__is_digit(value->raw.ptr[i]))
            return false;
    return value->raw.len < UBI__BRIEF_ID_BYTES - 2;
}

static void find_note(ubi__brief_find *find, const ubi__json_value *key, const ubi__json_value *value,
                      const ubi__json_value *owner, bool is_below_array) {
    int rank = key->type == UBI__JSON_STRING ? id_rank(key, owner, is_below_array) : 0;
    if (rank == 0 || (find->rank && find->rank <= rank) || !is_id(value))
        return;
    const char *quote = value->type == UBI__JSON_STRING ? "\"" : "";
    find->rank = rank;
    snprintf(find->id, sizeof find->id, "%s%.*s%s", quote, (int)value->raw.len, value->raw.ptr, quote);
}

/* ---- the line ---------------------------------------------------------------------------------------------------------- */

static ubi_status line_put(ubi__brief_walk *w, const char *text) {
    return ubi__brief_append_text(&w->line, text, w->allocator);
}

static ubi_status blanks_put(ubi__brief_walk *w, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        UBI_TRY(line_put(w, " "));
    return UBI_OK;
}

static ubi_status line_end(ubi__brief_walk *w) {
    ubi_text row = { (const char *)w->line.at, w->line.n };
    ubi_status status = row.len ? w->sink.row(w->sink.payload, row, w->columns) : UBI_OK;
    w->line.n = 0;
    return status;
}

static ubi_status text_put(ubi__brief_walk *w, const ubi__json_value *value) {
    ubi_text text = { NULL, 0 };
    UBI_TRY(ubi__json_value_text(&text, value, &w->scratch, w->allocator));
    for (uint32_t i = 0; i < w->n_names; i++)
        if (ubi__text_equal(text, w->names[i].text))
            text = w->names[i].instead;
    return ubi__brief_quote(&w->line, text, UBI__BRIEF_TEXT_BYTES, w->allocator);
}

static bool is_plain_key(ubi_text key) {
    for (size_t i = 0; i < key.len; i++) {
        char c = key.ptr[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!is_letter && !ubi__is_digit(c) && c != '_' && c != '$' && c != '.')
            return false;
    }
    return 0 < key.len && key.len <= UBI__BRIEF_KEY_BYTES;
}

static ubi_status name_put(ubi__vec_u8 *out, const ubi__json_value *name, ubi__vec_u8 *scratch,
                           const ubi_allocator *allocator) {
    ubi_text text = { NULL, 0 };
    UBI_TRY(ubi__json_value_text(&text, name, scratch, allocator));
    if (is_plain_key(text))
        return ubi__bytes_append(out, text.ptr, text.len, allocator);
    return ubi__brief_quote(out, text, UBI__BRIEF_KEY_BYTES, allocator);
}

static ubi_status key_put(ubi__brief_walk *w, const ubi__json_value *key) {
    return name_put(&w->line, key, &w->scratch, w->allocator);
}

ubi_status ubi__brief_columns_write(ubi__vec_u8 *out, ubi_text columns, const ubi_allocator *allocator) {
    ubi__vec_u8 scratch = { NULL, 0, 0 };
    ubi__json_cursor c;
    ubi__json_value name;
    ubi_status status = ubi__brief_append_text(out, "columns:", allocator);
    ubi__json_cursor_open(&c, columns, UBI__JSON_ARRAY);
    while (status == UBI_OK && ubi__json_cursor_next_element(&c, &name)) {
        status = ubi__brief_append_text(out, " ", allocator);
        if (status == UBI_OK)
            status = name_put(out, &name, &scratch, allocator);
    }
    ubi__vec_u8_fini(&scratch, allocator);
    return status == UBI_OK ? ubi__brief_append_text(out, "\n", allocator) : status;
}

/* Numbers of JSON are short, or nothing that one of our documents has. */
static ubi_status plain_put(ubi__brief_walk *w, const ubi__json_value *value) {
    if (value->type == UBI__JSON_STRING)
        return text_put(w, value);
    size_t n = value->raw.len < UBI__BRIEF_KEY_BYTES ? value->raw.len : UBI__BRIEF_KEY_BYTES;
    return ubi__bytes_append(&w->line, value->raw.ptr, n, w->allocator);
}

static ubi_status inline_put(ubi__brief_walk *w, const ubi__json_value *of, const ubi__json_value *owner,
                             bool is_below_array) {
    ubi__json_cursor c;
    ubi__json_value key, value;
    bool is_array = of->type == UBI__JSON_ARRAY, is_first = true;
    ubi__json_cursor_open(&c, of->raw, of->type);
    UBI_TRY(line_put(w, is_array ? "[" : "{"));
    while (cursor_next(&c, is_array, &key, &value)) {
        if (value.type == UBI__JSON_NULL && !is_array)
            continue;
        UBI_TRY(line_put(w, is_first ? "" : " "));
        is_first = false;
        find_note(&w->find, &key, &value, owner, is_below_array);
        if (!is_array)
            UBI_TRY(key_put(w, &key));
        UBI_TRY(line_put(w, is_array ? "" : "="));
        UBI_TRY(plain_put(w, &value));
    }
    return line_put(w, is_array ? "]" : "}");
}

/* ---- rows -------------------------------------------------------------------------------------------------------------- */

/* An object or array whose row is made. */
typedef struct row_source {
    const ubi__json_value *key; /* its own; type NULL: an element */
    const ubi__json_value *value;
    uint32_t indent;
    bool is_top, is_map, is_below_array;
    ubi_text columns; /* of the frame that it is in */
} row_source;

static ubi_status label_put(ubi__brief_walk *w, const row_source *r) {
    if (r->is_top)
        return UBI_OK;
    UBI_TRY(blanks_put(w, r->indent));
    if (r->key->type == UBI__JSON_NULL)
        return line_put(w, "-");
    UBI_TRY(key_put(w, r->key));
    return line_put(w, ":");
}

static ubi_status item_put(ubi__brief_walk *w, const row_source *r, const ubi__json_value *key,
                           const ubi__json_value *value) {
    if (w->line.n > UBI__BRIEF_ROW_BYTES) { /* continued on another row */
        UBI_TRY(line_end(w));
        UBI_TRY(blanks_put(w, r->indent + 1));
        UBI_TRY(line_put(w, "+"));
    }
    UBI_TRY(line_put(w, w->line.n ? " " : ""));
    find_note(&w->find, key, value, r->key, !r->is_top && r->is_below_array);
    if (key->type != UBI__JSON_NULL) {
        UBI_TRY(key_put(w, key));
        UBI_TRY(line_put(w, "="));
    }
    return is_container(value) ? inline_put(w, value, key, r->is_below_array) : plain_put(w, value);
}

/* The first pass. */
static ubi_status container_row(ubi__brief_walk *w, const row_source *r) {
    ubi__json_cursor c;
    ubi__json_value key, value;
    bool is_array = r->value->type == UBI__JSON_ARRAY;
    UBI_TRY(label_put(w, r));
    ubi__json_cursor_open(&c, r->value->raw, r->value->type);
    while (cursor_next(&c, is_array, &key, &value)) {
        if (is_passed_over(&key, r->is_top) || (value.type == UBI__JSON_NULL && !is_array))
            continue;
        if (!is_container(&value) || is_inline(&value, is_array || r->is_map))
            UBI_TRY(item_put(w, r, &key, &value));
    }
    if (c.fault)
        return ubi__fail(UBI_EFORMAT, "the answer is not JSON: expected %s", c.fault);
    return line_end(w);
}

static bool is_list_of_texts(const ubi__json_value *value) {
    ubi__json_cursor c;
    ubi__json_value element;
    if (value->type != UBI__JSON_ARRAY)
        return false;
    ubi__json_cursor_open(&c, value->raw, UBI__JSON_ARRAY);
    while (ubi__json_cursor_next_element(&c, &element))
        if (element.type != UBI__JSON_STRING)
            return false;
    return true;
}

/* The member "columns" of an object, which names the cells of the rows beside it. */
static ubi_text columns_find(const ubi__json_value *object) {
    ubi__json_cursor c;
    ubi__json_value key, value;
    ubi__json_cursor_open(&c, object->raw, UBI__JSON_OBJECT);
    while (ubi__json_cursor_next_member(&c, &key, &value))
        if (ubi__json_value_is(&key, "columns") && is_list_of_texts(&value))
            return value.raw;
    return (ubi_text){ NULL, 0 };
}

static ubi_status container_begin(ubi__brief_walk *w, walk_frames *stack, const row_source *r) {
    row_source row = *r;
    walk_frame frame = { .indent = r->is_top ? 0 : r->indent + 1, .is_array = r->value->type == UBI__JSON_ARRAY };
    row.is_map = frame.is_map = !r->is_top && !frame.is_array && has_containers_alone(r->value);
    frame.is_below_array = r->is_below_array || frame.is_array;
    bool is_element = r->key->type == UBI__JSON_NULL && !r->is_top;
    if (!frame.is_array)
        frame.columns = columns_find(r->value);
    else if (!is_element)
        frame.columns = r->columns;
    w->columns = frame.is_array && is_element ? r->columns : (ubi_text){ NULL, 0 };
    UBI_TRY(container_row(w, &row));
    ubi__json_cursor_open(&frame.cursor, r->value->raw, r->value->type);
    return walk_frames_push(stack, w->allocator, frame);
}

/* The next row below, of the second pass; or the end of a frame. */
static ubi_status frame_step(ubi__brief_walk *w, walk_frames *stack) {
    ubi__json_value key, value;
    walk_frame *f = &stack->at[stack->n - 1];
    bool is_top = stack->n == 1;
    if (!cursor_next(&f->cursor, f->is_array, &key, &value)) {
        if (f->n_containers > w->n_longest_list)
            w->n_longest_list = f->n_containers;
        stack->n--;
        return UBI_OK;
    }
    if (!is_container(&value) || is_passed_over(&key, is_top) || is_inline(&value, f->is_array || f->is_map))
        return UBI_OK;
    f->n_containers += f->is_array;
    const row_source row = {
        .key = &key, .value = &value, .indent = f->indent, .is_below_array = f->is_below_array, .columns = f->columns
    };
    return container_begin(w, stack, &row);
}

ubi_status ubi__brief_walk_document(ubi__brief_walk *w, ubi_text document) {
    static const ubi__json_value no_key = { .type = UBI__JSON_NULL };
    walk_frames stack = { NULL, 0, 0 };
    ubi__json_cursor c;
    ubi__json_value whole;
    if (!ubi__json_value_whole(&c, &whole, document) || whole.type != UBI__JSON_OBJECT)
        return ubi__fail(UBI_EFORMAT, "the answer is not a JSON object");
    const row_source top = { .key = &no_key, .value = &whole, .is_top = true };
    ubi_status status = container_begin(w, &stack, &top);
    while (status == UBI_OK && stack.n > 0)
        status = frame_step(w, &stack);
    walk_frames_fini(&stack, w->allocator);
    w->line.n = 0;
    return status;
}

void ubi__brief_walk_fini(ubi__brief_walk *w) {
    ubi__vec_u8_fini(&w->line, w->allocator);
    ubi__vec_u8_fini(&w->scratch, w->allocator);
}
