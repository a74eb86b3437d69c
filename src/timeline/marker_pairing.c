/* SPDX-License-Identifier: MIT
 *
 * marker_pairing.c: see marker_pairing.h.
 *
 * A row is made when its START comes, so rows are in that order. An open one is linked into the stack of its class through
 * the place where its end will be. Rows without END, and Paint rows without a Layer between their ends, are taken out at the end.
 */
#include "timeline/marker_pairing.h"

#include <string.h>

#include "timeline/marker_details.h"

#define NONE UBI_NONE

/* ---- life -------------------------------------------------------------------------------------------------------- */

ubi_status ubi__marker_pairing_init(ubi_marker_pairing *p, bool per_thread, const ubi_allocator *a) {
    *p = (ubi_marker_pairing){
        .allocator = a, .is_per_thread = per_thread, .free_special = NONE, .paint = NONE, .layer = NONE
    };
    ubi__u64_map_init(&p->thread_of_serial, a);
    ubi__u64_map_init(&p->class_of, a);
    ubi__u64_map_init(&p->key_class_of, a);
    return UBI_OK;
}

void ubi__marker_pairing_fini(ubi_marker_pairing *p) {
    const ubi_allocator *a = p->allocator;
    for (size_t i = 0; i < p->specials.n; i++)
        ubi__timeline_marker_unref(p->specials.at[i].marker);
    ubi__open_specials_fini(&p->specials, a);
    ubi__marker_columns_fini(&p->it, a);
    ubi__vec_u32_fini(&p->name_of_text, a);
    ubi__vec_u32_fini(&p->top, a);
    ubi__vec_u32_fini(&p->key_top, a);
    ubi__vec_u32_fini(&p->asking, a);
    ubi__u64_map_fini(&p->thread_of_serial);
    ubi__u64_map_fini(&p->class_of);
    ubi__u64_map_fini(&p->key_class_of);
}

void ubi__marker_pairing_reset(ubi_marker_pairing *p) {
    bool per_thread = p->is_per_thread;
    const ubi_allocator *a = p->allocator;
    ubi__marker_pairing_fini(p);
    (void)ubi__marker_pairing_init(p, per_thread, a);
}

/* A stack of a class, from its newest row down. */
static void assert_stack(const ubi_marker_pairing *p, uint32_t top) {
    for (uint32_t above = UINT32_MAX, row, below; top != NONE; top = below, above = row) {
        bool is_by_name = !(top & UBI__NOT_BY_NAME);
        uint32_t special = top & ~UBI__NOT_BY_NAME;
        UBI_ASSERT(is_by_name ? top < p->it.rows.n : special < p->specials.n && p->specials.at[special].holds > 0);
        row = is_by_name ? top : p->specials.at[special].row;
        below = is_by_name ? p->it.rows.at[top].below : p->specials.at[special].name_below;
        UBI_ASSERT(row < above && (!is_by_name || p->it.rows.at[row].flags & UBI__ROW_OPEN));
    }
}

void ubi__marker_pairing_check(const ubi_marker_pairing *p) {
    uint32_t n_asking = 0;
    for (size_t class = 0; UBI_CHECKS && class < p->top.n; class ++)
        assert_stack(p, p->top.at[class]);
    for (size_t class = 0; UBI_CHECKS && class < p->asking.n; class ++)
        for (uint32_t i = p->asking.at[class]; i != NONE; i = p->specials.at[i].next_asking, n_asking++)
            UBI_ASSERT(i < p->specials.n && p->it.rows.at[p->specials.at[i].row].flags & UBI__ROW_OPEN);
    UBI_ASSERT(!UBI_CHECKS || n_asking == p->n_asking);
    for (uint32_t i = 0; UBI_CHECKS && i < p->it.rows.n; i++) {
        const ubi__marker_row *row = &p->it.rows.at[i];
        if (row->flags & UBI__ROW_OPEN && row->special != NONE)
            UBI_ASSERT(row->special < p->specials.n && p->specials.at[row->special].row == i);
    }
    ubi__marker_columns_check(&p->it);
}

/* ---- names and threads ------------------------------------------------------------------------------------------- */

ubi_status ubi__marker_pairing_start(ubi_marker_pairing *p) {
    if (p->it.tables)
        return UBI_OK;
    p->it.tables = ubi__marker_tables_new(p->allocator);
    return p->it.tables ? UBI_OK : ubi__fail_nomem();
}

static bool text_is(const ubi_marker_pairing *p, uint32_t text, const char *what) {
    ubi_text it = ubi__marker_tables_get(p->it.tables, text);
    return it.len == strlen(what) && memcmp(it.ptr, what, it.len) == 0;
}

ubi_status ubi__marker_pairing_name_of(uint32_t *out, ubi_marker_pairing *p, uint32_t text) {
    UBI_TRY(ubi__marker_reach(&p->name_of_text, text, p->allocator));
    uint32_t *name = &p->name_of_text.at[text];
    if (*name == NONE) {
        UBI_TRY(ubi__vec_u32_push(&p->it.names, p->allocator, text));
        *name = (uint32_t)p->it.names.n - 1;
        if (!p->is_per_thread && text_is(p, text, "Paint"))
            p->paint = *name;
        if (!p->is_per_thread && text_is(p, text, "Layer"))
            p->layer = *name;
    }
    *out = *name;
    return UBI_OK;
}

static ubi_status add_thread(uint32_t *out, ubi_marker_pairing *p, uint64_t serial, const ubi_timeline_thread *thread) {
    ubi__marker_thread copy = { .serial = serial, .id = thread->id, .is_main = thread->is_main };
    UBI_TRY(ubi__marker_pairing_start(p));
    UBI_TRY(ubi__marker_tables_text(&copy.name, p->it.tables, thread->name.ptr ? thread->name : (ubi_text){ "", 0 }));
    UBI_TRY(ubi__marker_threads_push(&p->it.threads, p->allocator, copy));
    *out = (uint32_t)p->it.threads.n - 1;
    return UBI_OK;
}

ubi_status ubi__marker_pairing_thread_of(uint32_t *out, ubi_marker_pairing *p, uint64_t serial,
                                         const ubi_timeline_thread *thread) {
    uint32_t known = ubi__u64_map_get(&p->thread_of_serial, serial);
    if (known == NONE) {
        UBI_TRY(add_thread(&known, p, serial, thread));
        UBI_TRY(ubi__u64_map_put(&p->thread_of_serial, serial, known));
    }
    *out = known;
    return UBI_OK;
}

/* ---- classes ----------------------------------------------------------------------------------------------------- */

/* What STARTs and ENDs have in common that may pair: the name, and the thread if that counts. */
static ubi_status class_of(uint32_t *out, ubi_marker_pairing *p, uint32_t name, uint32_t thread) {
    uint32_t class = name;
    if (p->is_per_thread) {
        uint64_t pair = ubi__u64_pair(name, thread);
        class = ubi__u64_map_get(&p->class_of, pair);
        if (class == NONE) {
            UBI_TRY(ubi__u64_map_put(&p->class_of, pair, p->n_classes));
            class = p->n_classes++;
        }
    }
    UBI_TRY(ubi__marker_reach(&p->top, class, p->allocator));
    *out = class;
    return UBI_OK;
}

static ubi_status key_class_of(uint32_t *out, ubi_marker_pairing *p, uint32_t class, uint32_t key) {
    uint64_t pair = ubi__u64_pair(class, key);
    *out = ubi__u64_map_get(&p->key_class_of, pair);
    if (*out != NONE)
        return UBI_OK;
    uint32_t made = (uint32_t)p->key_top.n;
    UBI_TRY(ubi__marker_reach(&p->key_top, made, p->allocator));
    UBI_TRY(ubi__u64_map_put(&p->key_class_of, pair, made));
    *out = made;
    return UBI_OK;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static bool says_something(const ubi__fed_marker *fed) {
    return fed->has_details || fed->has_base || fed->n_details || fed->has_end_stack;
}

static ubi_status add_fed_details(ubi_marker_pairing *p, ubi__marker_row *row, const ubi__fed_marker *fed) {
    ubi_marker_details details = { p, row, fed->stack, UBI_OK };
    if (fed->has_base)
        row->flags |= UBI__ROW_HAS_BASE;
    if (fed->has_end_stack)
        ubi__marker_details_own_end_stack(&details);
    if (fed->has_details)
        fed->view->kind->add_details(fed->view, &details);
    for (size_t i = 0; i < fed->n_details; i++)
        ubi__marker_details_copy(&details, &fed->details[i]);
    return details.status;
}

static ubi_status new_row(ubi__marker_row **out, ubi_marker_pairing *p, const ubi__fed_marker *fed) {
    if (p->it.rows.n >= NONE)
        return ubi__fail(UBI_ELIMIT, "more than 2^32 rows of markers");
    UBI_TRY(ubi__marker_rows_reserve(&p->it.rows, p->allocator, 1));
    ubi__marker_row *row = &p->it.rows.at[p->it.rows.n];
    *row = (ubi__marker_row){ .name = fed->name,
                              .thread = fed->thread,
                              .start_ns = fed->time_ns,
                              .stack = fed->stack,
                              .process_type = fed->process_type,
                              .flags = fed->is_off_main ? UBI__ROW_OFF_MAIN : 0 };
    if (says_something(fed))
        UBI_TRY(add_fed_details(p, row, fed));
    p->it.rows.n++;
    *out = row;
    return UBI_OK;
}

static ubi_status add_timestamp(ubi_marker_pairing *p, const ubi__fed_marker *fed) {
    ubi__marker_row *row;
    UBI_TRY(new_row(&row, p, fed));
    row->end_ns = fed->time_ns;
    row->flags |= UBI__ROW_TIMESTAMP;
    return UBI_OK;
}

/* One hold less; with the last it is free. */
static void release_special(ubi_marker_pairing *p, uint32_t special) {
    ubi__open_special *s = &p->specials.at[UBI_INDEX(special, p->specials.n)];
    UBI_ASSERT(s->holds > 0);
    if (--s->holds > 0)
        return;
    ubi__timeline_marker_unref(s->marker);
    s->marker = NULL;
    s->next_asking = p->free_special;
    p->free_special = special;
}

/* A Paint is a row only with Layers in between, whose rectangles it has. */
static ubi_status close_paint(ubi_marker_pairing *p, ubi__marker_row *row, const ubi__open_special *s) {
    ubi_marker_details details = { p, row, UBI_NONE, UBI_OK };
    if (s->n_layers == p->n_layers)
        row->flags |= UBI__ROW_DROPPED;
    else
        ubi__marker_details_rectangles(&details, s->n_rectangles, (uint32_t)p->it.rectangles.n - s->n_rectangles);
    return details.status;
}

static ubi_status close_row(ubi_marker_pairing *p, uint32_t i, const ubi__fed_marker *fed) {
    ubi__marker_row *row = &p->it.rows.at[i];
    uint32_t special = row->special;
    UBI_ASSERT(row->flags & UBI__ROW_OPEN);
    row->flags &= (uint8_t)~UBI__ROW_OPEN;
    row->end_ns = fed->time_ns;
    if (special != NONE) {
        if (row->name == p->paint)
            UBI_TRY(close_paint(p, row, &p->specials.at[special]));
        release_special(p, special);
    }
    return says_something(fed) ? add_fed_details(p, row, fed) : UBI_OK;
}

/* ---- by asking --------------------------------------------------------------------------------------------------- */

/* An open row, as kinds see it. */
static ubi_timeline_marker view_of(const ubi_marker_pairing *p, const ubi__marker_row *row) {
    const ubi_timeline_marker *marker = row->special == NONE ? NULL : p->specials.at[row->special].marker;
    return (ubi_timeline_marker){ .kind = marker ? marker->kind : NULL,
                                  .payload = marker ? marker->payload : NULL,
                                  .tracing = UBI_MARKER_START,
                                  .has_time = true,
                                  .is_off_main = row->flags & UBI__ROW_OFF_MAIN,
                                  .process_type = row->process_type,
                                  .time_ns = row->start_ns,
                                  .frame = row->stack,
                                  .name_text = ubi__marker_tables_get(p->it.tables, p->it.names.at[row->name]) };
}

/* Shows a START or END to the open rows of its class that ask. */
static ubi_status show_to_asking(ubi_marker_pairing *p, uint32_t class, const ubi__fed_marker *fed) {
    uint32_t *link = &p->asking.at[class];
    while (*link != NONE) {
        uint32_t special = *link;
        ubi__open_special *s = &p->specials.at[special];
        ubi_timeline_marker open = view_of(p, &p->it.rows.at[s->row]);
        bool counts = open.kind->equals(&open, fed->view);
        if (counts && fed->tracing == UBI_MARKER_START) {
            s->depth++;
        } else if (counts && s->depth > 0) {
            s->depth--;
        } else if (counts) {
            UBI_ASSERT(p->n_asking > 0);
            *link = s->next_asking;
            p->n_asking--;
            UBI_TRY(close_row(p, s->row, fed));
            continue;
        }
        link = &s->next_asking;
    }
    return UBI_OK;
}

static bool special_asks(const ubi__open_special *s) {
    return s->marker && s->marker->kind && s->marker->kind->equals && !s->marker->kind->key;
}

/* ---- feeding ----------------------------------------------------------------------------------------------------- */

static ubi_status new_special(uint32_t *out, ubi_marker_pairing *p, uint32_t row) {
    uint32_t special = p->free_special;
    if (special != NONE) {
        p->free_special = p->specials.at[special].next_asking;
    } else {
        special = (uint32_t)p->specials.n;
        UBI_TRY(ubi__open_specials_push(&p->specials, p->allocator, (ubi__open_special){ .marker = NULL }));
    }
    p->specials.at[special] = (ubi__open_special){ .row = row,
                                                   .key = NONE,
                                                   .key_below = NONE,
                                                   .next_asking = NONE,
                                                   .name_below = NONE,
                                                   .holds = 1,
                                                   .n_layers = p->n_layers,
                                                   .n_rectangles = (uint32_t)p->it.rectangles.n };
    *out = special;
    return UBI_OK;
}

static ubi_status open_by_key(ubi_marker_pairing *p, ubi__open_special *s, uint32_t class, uint32_t key) {
    uint32_t key_class;
    UBI_TRY(key_class_of(&key_class, p, class, key));
    s->key = key;
    s->key_below = p->key_top.at[key_class];
    p->key_top.at[key_class] = s->row;
    return UBI_OK;
}

static ubi_status open_by_asking(ubi_marker_pairing *p, uint32_t special, uint32_t class) {
    UBI_TRY(ubi__marker_reach(&p->asking, class, p->allocator));
    p->specials.at[special].next_asking = p->asking.at[class];
    p->asking.at[class] = special;
    p->n_asking++;
    return UBI_OK;
}

/* An open row that is more than a plain one. */
static ubi_status open_special(ubi_marker_pairing *p, uint32_t i, uint32_t class, const ubi__fed_marker *fed) {
    ubi__marker_row *row = &p->it.rows.at[i];
    uint32_t special;
    UBI_TRY(new_special(&special, p, i));
    row->special = special;
    ubi__open_special *s = &p->specials.at[special];
    if (fed->marker)
        s->marker = ubi__timeline_marker_ref(fed->marker);
    bool has_key = fed->key != NONE;
    if (!has_key && !special_asks(s))
        return UBI_OK;
    s->name_below = row->below;
    s->holds = 2;
    p->top.at[class] = special | UBI__NOT_BY_NAME;
    return has_key ? open_by_key(p, s, class, fed->key) : open_by_asking(p, special, class);
}

static ubi_status add_start(ubi_marker_pairing *p, uint32_t class, const ubi__fed_marker *fed) {
    ubi__marker_row *row;
    UBI_TRY(new_row(&row, p, fed));
    uint32_t i = (uint32_t)p->it.rows.n - 1;
    row->flags |= UBI__ROW_OPEN;
    row->special = NONE;
    row->below = p->top.at[class];
    p->top.at[class] = i;
    return fed->marker || fed->key != NONE || fed->name == p->paint ? open_special(p, i, class, fed) : UBI_OK;
}

static ubi_status end_by_name(ubi_marker_pairing *p, uint32_t class, const ubi__fed_marker *fed) {
    uint32_t top = p->top.at[class];
    if (top == NONE)
        return UBI_OK;
    if (top & UBI__NOT_BY_NAME) {
        p->top.at[class] = p->specials.at[top & ~UBI__NOT_BY_NAME].name_below;
        release_special(p, top & ~UBI__NOT_BY_NAME);
        return UBI_OK;
    }
    p->top.at[class] = p->it.rows.at[top].below;
    return close_row(p, top, fed);
}

static ubi_status end_by_key(ubi_marker_pairing *p, uint32_t class, const ubi__fed_marker *fed) {
    uint32_t key_class = ubi__u64_map_get(&p->key_class_of, ubi__u64_pair(class, fed->key));
    uint32_t i = key_class == NONE ? NONE : p->key_top.at[key_class];
    if (i == NONE)
        return UBI_OK;
    p->key_top.at[key_class] = p->specials.at[p->it.rows.at[i].special].key_below;
    return close_row(p, i, fed);
}

static ubi_status add_bracket(ubi_marker_pairing *p, const ubi__fed_marker *fed) {
    uint32_t class;
    UBI_TRY(class_of(&class, p, fed->name, fed->thread));
    if (p->n_asking && class < p->asking.n)
        UBI_TRY(show_to_asking(p, class, fed));
    if (fed->tracing == UBI_MARKER_START)
        return add_start(p, class, fed);
    UBI_TRY(end_by_name(p, class, fed));
    return fed->key != NONE ? end_by_key(p, class, fed) : UBI_OK;
}

static ubi_status see_layer(ubi_marker_pairing *p, const ubi__fed_marker *fed) {
    ubi__marker_rectangles *all = &p->it.rectangles;
    if (fed->n_rectangles >= NONE - all->n)
        return ubi__fail(UBI_ELIMIT, "more than 2^32 rectangles of markers");
    p->n_layers++;
    for (size_t i = 0; i < fed->n_rectangles; i++)
        UBI_TRY(ubi__marker_rectangles_push(all, p->allocator, fed->rectangles[i]));
    return UBI_OK;
}

ubi_status ubi__marker_pairing_feed(ubi_marker_pairing *p, const ubi__fed_marker *fed) {
    UBI_ASSERT(fed->name < p->it.names.n && fed->thread < p->it.threads.n);
    p->n_fed++;
    if (fed->name == p->layer)
        UBI_TRY(see_layer(p, fed));
    switch (fed->tracing) {
    case UBI_MARKER_START:
    case UBI_MARKER_END:
        return add_bracket(p, fed);
    case UBI_MARKER_TIMESTAMP:
        return add_timestamp(p, fed);
    default:
        return UBI_OK;
    }
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

/* What carries an open row from one pairing to the next. */
typedef struct carrier {
    const ubi_marker_pairing *from;
    ubi_marker_pairing *to;
    ubi__marker_import import;
    ubi__vec_u32 threads; /* of `to`, by those of `from`; UBI_NONE: not yet known */
} carrier;

static ubi_status carry_thread(uint32_t *out, carrier *c, uint32_t thread) {
    UBI_TRY(ubi__marker_reach(&c->threads, thread, c->to->allocator));
    uint32_t *known = &c->threads.at[thread];
    if (*known == NONE) {
        const ubi__marker_thread *it = &c->from->it.threads.at[thread];
        ubi_timeline_thread copy = { it->id, ubi__marker_tables_get(c->from->it.tables, it->name), it->is_main };
        if (it->serial)
            UBI_TRY(ubi__marker_pairing_thread_of(known, c->to, it->serial, &copy));
        else
            UBI_TRY(add_thread(known, c->to, 0, &copy));
    }
    *out = *known;
    return UBI_OK;
}

static ubi_status carry_detail(carrier *c, const ubi__marker_detail *detail) {
    ubi__marker_detail copy = *detail;
    UBI_TRY(ubi__marker_import_text(&copy.key, &c->import, detail->key));
    if (detail->type == UBI_MARKER_TEXT)
        UBI_TRY(ubi__marker_import_text(&copy.text, &c->import, detail->text));
    if (detail->type == UBI__DETAIL_END_STACK)
        UBI_TRY(ubi__marker_import_frame(&copy.stack, &c->import, detail->stack));
    if (detail->type == UBI_MARKER_RECTANGLES) {
        copy.rectangles.first = (uint32_t)c->to->it.rectangles.n;
        for (uint32_t i = 0; i < detail->rectangles.count; i++)
            UBI_TRY(ubi__marker_rectangles_push(&c->to->it.rectangles, c->to->allocator,
                                                c->from->it.rectangles.at[detail->rectangles.first + i]));
    }
    return ubi__marker_detail_column_push(&c->to->it.details, c->to->allocator, copy);
}

static ubi_status carry_details(carrier *c, const ubi__marker_row *row) {
    ubi__marker_row *copy = &c->to->it.rows.at[c->to->it.rows.n - 1];
    copy->first_detail = (uint32_t)c->to->it.details.n;
    copy->n_details = row->n_details;
    copy->flags |= row->flags & (UBI__ROW_HAS_BASE | UBI__ROW_END_STACK);
    for (uint32_t i = 0; i < row->n_details; i++)
        UBI_TRY(carry_detail(c, &c->from->it.details.at[row->first_detail + i]));
    return UBI_OK;
}

static ubi_status carry_row(carrier *c, const ubi__marker_row *row) {
    const ubi__open_special *s = row->special == NONE ? NULL : &c->from->specials.at[row->special];
    ubi_timeline_marker view = view_of(c->from, row);
    ubi__fed_marker fed = { .tracing = UBI_MARKER_START,
                            .is_off_main = row->flags & UBI__ROW_OFF_MAIN,
                            .process_type = row->process_type,
                            .time_ns = row->start_ns,
                            .marker = s ? s->marker : NULL,
                            .view = &view };
    UBI_TRY(ubi__marker_import_text(&fed.name, &c->import, c->from->it.names.at[row->name]));
    UBI_TRY(ubi__marker_pairing_name_of(&fed.name, c->to, fed.name));
    UBI_TRY(ubi__marker_import_text(&fed.key, &c->import, s ? s->key : NONE));
    UBI_TRY(ubi__marker_import_frame(&fed.stack, &c->import, row->stack));
    UBI_TRY(carry_thread(&fed.thread, c, row->thread));
    UBI_TRY(ubi__marker_pairing_feed(c->to, &fed));
    return carry_details(c, row);
}

/* About what a row that waits takes. */
static uint64_t waiting_bytes(const ubi_marker_pairing *p, const ubi__marker_row *row) {
    const ubi__open_special *s = row->special == NONE ? NULL : &p->specials.at[row->special];
    uint64_t bytes = sizeof *row + row->n_details * sizeof(ubi__marker_detail) + (s ? sizeof *s : 0);
    if (s && s->marker)
        bytes += ubi__timeline_marker_bytes(s->marker);
    for (uint32_t i = 0; i < row->n_details; i++) {
        const ubi__marker_detail *detail = &p->it.details.at[row->first_detail + i];
        if (detail->type == UBI_MARKER_TEXT)
            bytes += ubi__marker_tables_get(p->it.tables, detail->text).len;
    }
    return bytes;
}

/* The first row that is new enough to wait. @param n_lost  open ones before it. */
static size_t first_to_wait(const ubi_marker_pairing *p, uint64_t limit_bytes, uint64_t *n_lost) {
    uint64_t bytes = 0;
    size_t i = p->it.rows.n;
    while (i > 0) {
        const ubi__marker_row *row = &p->it.rows.at[i - 1];
        if (row->flags & UBI__ROW_OPEN)
            bytes += waiting_bytes(p, row);
        if (bytes > limit_bytes)
            break;
        i--;
    }
    for (size_t j = 0; j < i; j++)
        *n_lost += (p->it.rows.at[j].flags & UBI__ROW_OPEN) != 0;
    return i;
}

/* Open rows from `first` on go to a pairing of their own. */
static ubi_status carry_open(ubi_marker_pairing *to, const ubi_marker_pairing *from, size_t first) {
    carrier c = { .from = from, .to = to };
    ubi_status status = UBI_OK;
    for (size_t i = first; i < from->it.rows.n && status == UBI_OK; i++) {
        if (!(from->it.rows.at[i].flags & UBI__ROW_OPEN))
            continue;
        if (!c.import.to)
            status = ubi__marker_pairing_start(to);
        c.import.from = from->it.tables;
        c.import.to = to->it.tables;
        if (status == UBI_OK)
            status = carry_row(&c, &from->it.rows.at[i]);
    }
    ubi__marker_import_fini(&c.import, to->allocator);
    ubi__vec_u32_fini(&c.threads, to->allocator);
    return status;
}

/* Leaves the rows that are results. */
static void compact_rows(ubi_marker_pairing *p, bool with_open) {
    size_t n = 0;
    for (size_t i = 0; i < p->it.rows.n; i++) {
        ubi__marker_row *row = &p->it.rows.at[i];
        bool is_open = row->flags & UBI__ROW_OPEN;
        if ((row->flags & UBI__ROW_DROPPED) || (is_open && !with_open))
            continue;
        if (is_open)
            row->end_ns = 0;
        if (n != i)
            p->it.rows.at[n] = *row;
        n++;
    }
    p->it.rows.n = n;
    ubi__marker_rows_trim(&p->it.rows, p->allocator);
}

ubi_status ubi__marker_pairing_end(ubi_timeline_markers **out, ubi_marker_pairing *p, bool with_open,
                                   uint64_t open_limit_bytes) {
    ubi_marker_pairing next;
    ubi__marker_pairing_check(p);
    ubi__marker_pairing_init(&next, p->is_per_thread, p->allocator);
    ubi_timeline_markers *made = ubi__timeline_markers_new(p->allocator);
    ubi_status status = made ? UBI_OK : ubi__fail_nomem();
    if (status == UBI_OK && !with_open)
        status = carry_open(&next, p, first_to_wait(p, open_limit_bytes, &made->n_lost));
    if (status == UBI_OK) {
        compact_rows(p, with_open);
        made->it = p->it;
        p->it = (ubi__marker_columns){ .tables = NULL };
        *out = made;
    } else {
        ubi__marker_pairing_reset(&next);
        ubi_timeline_markers_free(made);
    }
    ubi__marker_pairing_fini(p);
    *p = next;
    return status;
}

/* ---- the public one ---------------------------------------------------------------------------------------------- */

ubi_status ubi_marker_pairing_new(ubi_marker_pairing **out, const ubi_marker_pairing_options *options) {
    ubi_marker_pairing_options used = options ? *options : (ubi_marker_pairing_options)UBI_MARKER_PAIRING_OPTIONS_INIT;
    UBI_TRY(ubi__version_check(used.version, UBI_MARKER_PAIRING_OPTIONS_VERSION, "ubi_marker_pairing_options"));
    const ubi_allocator *a = ubi__allocator_or_default(used.allocator);
    ubi_marker_pairing *p = UBI_NEW(a, ubi_marker_pairing);
    if (!p)
        return ubi__fail_nomem();
    ubi__marker_pairing_init(p, used.is_per_thread, a);
    *out = p;
    return UBI_OK;
}

void ubi_marker_pairing_free(ubi_marker_pairing *p) {
    if (!p)
        return;
    const ubi_allocator *a = p->allocator;
    ubi__marker_pairing_fini(p);
    UBI_DELETE(a, p);
}

ubi_status ubi_marker_pairing_name(uint32_t *out, ubi_marker_pairing *p, ubi_text name) {
    uint32_t text;
    UBI_TRY(ubi__marker_pairing_start(p));
    UBI_TRY(ubi__marker_tables_text(&text, p->it.tables, name.ptr ? name : (ubi_text){ "", 0 }));
    return ubi__marker_pairing_name_of(out, p, text);
}

ubi_status ubi_marker_pairing_thread(uint32_t *out, ubi_marker_pairing *p, const ubi_timeline_thread *thread) {
    return add_thread(out, p, 0, thread);
}

ubi_status ubi_marker_pairing_frame(uint32_t *out, ubi_marker_pairing *p, const ubi_timeline_frame *frame) {
    ubi__marker_frame copy = {
        .line = frame->line, .column = frame->column, .parent = frame->parent, .async_parent = frame->async_parent
    };
    UBI_TRY(ubi__marker_pairing_start(p));
    uint32_t n = p->it.tables->n_frames;
    if ((frame->parent != NONE && frame->parent >= n) || (frame->async_parent != NONE && frame->async_parent >= n))
        return ubi__fail(UBI_EINVAL, "the parent of a frame is none of the %u that were given", (unsigned)n);
    if (frame->parent != NONE && frame->async_parent != NONE)
        return ubi__fail(UBI_EINVAL, "a frame with two parents");
    UBI_TRY(ubi__marker_tables_text(&copy.function_name, p->it.tables, frame->function_name));
    UBI_TRY(ubi__marker_tables_text(&copy.source, p->it.tables, frame->source));
    UBI_TRY(ubi__marker_tables_text(&copy.async_cause, p->it.tables, frame->async_cause));
    return ubi__marker_tables_frame(out, p->it.tables, &copy);
}

static ubi_status check_raw(const ubi_marker_pairing *p, const ubi_raw_marker *m) {
    if (m->name >= p->it.names.n)
        return ubi__fail(UBI_EINVAL, "name %u of a marker was not given", (unsigned)m->name);
    if (m->thread >= p->it.threads.n)
        return ubi__fail(UBI_EINVAL, "thread %u of a marker was not given", (unsigned)m->thread);
    if (m->stack != NONE && m->stack >= p->it.tables->n_frames)
        return ubi__fail(UBI_EINVAL, "frame %u of a marker was not given", (unsigned)m->stack);
    if ((unsigned)m->tracing > UBI_MARKER_HELPER_EVENT)
        return ubi__fail(UBI_EINVAL, "%u is no tracing type", (unsigned)m->tracing);
    for (size_t i = 0; i < m->detail_count; i++) {
        if (!m->details[i].key.ptr || (unsigned)m->details[i].type > UBI_MARKER_RECTANGLES)
            return ubi__fail(UBI_EINVAL, "detail %zu of a marker has no key, or an unknown type", i);
    }
    return UBI_OK;
}

ubi_status ubi_marker_pairing_add(ubi_marker_pairing *p, const ubi_raw_marker *m) {
    UBI_TRY(check_raw(p, m));
    bool is_end = m->tracing == UBI_MARKER_END;
    ubi__fed_marker fed = { .name = m->name,
                            .thread = m->thread,
                            .stack = m->stack,
                            .tracing = (uint8_t)m->tracing,
                            .is_off_main = m->is_off_main_thread,
                            .has_base = m->tracing == UBI_MARKER_START,
                            .process_type = m->process_type,
                            .time_ns = m->time_ns,
                            .details = m->details,
                            .n_details = m->detail_count,
                            .has_end_stack = is_end && m->has_end_stack };
    for (size_t i = 0; i < m->detail_count; i++) {
        if (m->details[i].type == UBI_MARKER_RECTANGLES) {
            fed.rectangles = m->details[i].rectangles;
            fed.n_rectangles = m->details[i].rectangle_count;
        }
    }
    UBI_TRY(ubi__marker_tables_text(&fed.key, p->it.tables, m->key));
    return ubi__marker_pairing_feed(p, &fed);
}

ubi_status ubi_marker_pairing_finish(ubi_timeline_markers **out, ubi_marker_pairing *p, bool with_open) {
    return ubi__marker_pairing_end(out, p, with_open, UINT64_MAX);
}
