/* SPDX-License-Identifier: MIT
 *
 * timeline_select.c: the view of a timeline, and --marker, --from, --to and --where: the rows that fit are moved together, the others are gone.
 */
#include <stdio.h>
#include <string.h>

#include "base/quantity.h"
#include "base/text.h"
#include "questions/timeline/timeline_view.h"

#define LABEL_BYTES 256

/* ---- the view --------------------------------------------------------------------------------------------------------------- */

static ubi_status rows_copy(ubi__timeline_data *data, const ubi__timeline_data *from) {
    const ubi_allocator *a = data->allocator;
    UBI_TRY(ubi__vec_timeline_row_reserve(&data->rows, a, from->rows.n));
    UBI_TRY(ubi__vec_timeline_sample_reserve(&data->samples, a, from->samples.n));
    if (from->rows.n)
        memcpy(data->rows.at, from->rows.at, from->rows.n * sizeof *data->rows.at);
    if (from->samples.n)
        memcpy(data->samples.at, from->samples.at, from->samples.n * sizeof *data->samples.at);
    data->rows.n = from->rows.n;
    data->samples.n = from->samples.n;
    return UBI_OK;
}

ubi_status ubi__timeline_view_new(ubi__timeline_view **out, const ubi__asked *asked) {
    const ubi_allocator *a = ubi__asked_allocator(asked);
    const ubi__session_timeline *timeline;
    UBI_TRY(ubi__session_timeline_get(&timeline, ubi__asked_heap(asked)));
    ubi__timeline_view *view = UBI_NEW(a, ubi__timeline_view);
    if (!view)
        return ubi__fail_nomem();
    view->name = ubi__asked_name(asked);
    view->values = asked->values;
    view->file = &timeline->file;
    view->processes = &timeline->processes;
    view->is_recording = ubi__asked_kind(asked) == UBI_SESSION_RECORDING;
    view->data = timeline->file.data;
    view->data.allocator = a;
    view->data.rows = (ubi__vec_timeline_row){ .at = NULL };
    view->data.samples = (ubi__vec_timeline_sample){ .at = NULL };
    ubi_status status = rows_copy(&view->data, &timeline->file.data);
    if (status == UBI_OK)
        *out = view;
    else
        ubi__timeline_view_free(view);
    return status;
}

void ubi__timeline_view_free(ubi__timeline_view *view) {
    if (!view)
        return;
    const ubi_allocator *a = view->data.allocator;
    ubi__timeline_nest_fini(&view->nest);
    ubi__timeline_nest_fini(&view->whole);
    ubi__vec_timeline_row_fini(&view->data.rows, a);
    ubi__vec_timeline_sample_fini(&view->data.samples, a);
    UBI_DELETE(a, view);
}

/* ---- times --------------------------------------------------------------------------------------------------------------- */

typedef struct window {
    bool has_from, has_to;
    uint64_t from_ns, to_ns;
} window;

static ubi_status parse_window(window *w, const ubi__timeline_values *values) {
    *w = (window){ .has_from = values->from, .has_to = values->to, .to_ns = UINT64_MAX };
    if (values->from)
        UBI_TRY(ubi__parse_program_time(&w->from_ns, values->from, "--from"));
    if (values->to)
        UBI_TRY(ubi__parse_program_time(&w->to_ns, values->to, "--to"));
    return w->from_ns < w->to_ns ? UBI_OK : ubi__fail(UBI_EINVAL, "--from must be before --to");
}

/* ---- the vocabulary of --where ---------------------------------------------------------------------------------------------- */

typedef enum column {
    COLUMN_NAME,
    COLUMN_LABEL,
    COLUMN_CAUSE,
    COLUMN_FUNCTION,
    COLUMN_SOURCE,
    COLUMN_THREAD,
    COLUMN_START,
    COLUMN_END,
    COLUMN_DURATION
} column;

static const ubi_query_name vocabulary[] = {
    [COLUMN_NAME] = { "name", "the marker's name", UBI_QUERY_TEXT, 0, false, false },
    [COLUMN_LABEL] = { "label", "its label, as the page shows it", UBI_QUERY_TEXT, 0, false, false },
    [COLUMN_CAUSE] = { "cause", "its detail causeName", UBI_QUERY_TEXT, 0, false, false },
    [COLUMN_FUNCTION] = { "function", "the function on top of its stack", UBI_QUERY_TEXT, 0, false, false },
    [COLUMN_SOURCE] = { "source", "the file of that function", UBI_QUERY_TEXT, 0, false, false },
    [COLUMN_THREAD] = { "thread", "the name of its thread", UBI_QUERY_TEXT, 0, false, false },
    [COLUMN_START] = { "start", "when it began, since the program did", UBI_QUERY_DURATION, 0, false, false },
    [COLUMN_END] = { "end", "when it ended", UBI_QUERY_DURATION, 0, false, false },
    [COLUMN_DURATION] = { "duration", "how long it took", UBI_QUERY_DURATION, 0, false, false },
    { 0 },
};

bool ubi__timeline_column_entry(size_t i, const char **word, const char **help) {
    if (i + 1 >= sizeof vocabulary / sizeof *vocabulary)
        return false;
    *word = vocabulary[i].name;
    *help = vocabulary[i].help;
    return true;
}

static ubi_status parse_where(ubi_query **out, const char *text, const ubi_allocator *allocator) {
    char problem[320];
    ubi_status status = ubi_query_parse(out, ubi__text(text), vocabulary, allocator);
    if (status != UBI_EINVAL)
        return status;
    snprintf(problem, sizeof problem, "%s", ubi_error_message());
    return ubi__fail(UBI_EINVAL, "--where: %s", problem);
}

ubi_status ubi__timeline_check_selection(const ubi__timeline_values *values, const ubi_allocator *allocator) {
    window w;
    ubi_query *query = NULL;
    UBI_TRY(parse_window(&w, values));
    if (values->where)
        UBI_TRY(parse_where(&query, values->where, allocator));
    ubi_query_free(query);
    return UBI_OK;
}

/* ---- rows as what a query asks ------------------------------------------------------------------------------------------------ */

typedef struct source {
    const ubi__timeline_data *data;
    const ubi_query *query;
    char (*labels)[LABEL_BYTES]; /* a buffer per value of the query: a text is looked at before the next row's */
} source;

static column column_of(const source *s, uint32_t value) {
    return (column)(ubi_query_value_at(s->query, value).name - vocabulary);
}

static void give_numbers(void *payload, uint32_t value, uint32_t first, uint32_t n, uint64_t *magnitude,
                         uint8_t *state) {
    const source *s = payload;
    column what = column_of(s, value);
    (void)state;
    for (uint32_t i = 0; i < n; i++) {
        const ubi__timeline_row *row = &s->data->rows.at[first + i];
        magnitude[i] = what == COLUMN_START ? row->start_ns
                       : what == COLUMN_END ? row->end_ns
                                            : ubi__timeline_duration_ns(row);
    }
}

static ubi_text frame_text(const ubi__timeline_data *data, const ubi__timeline_row *row, column what) {
    if (row->stack == UBI_NONE)
        return (ubi_text){ NULL, 0 };
    const ubi__timeline_frame *frame = &data->frames.at[row->stack];
    return ubi__timeline_text(data, what == COLUMN_FUNCTION ? frame->function : frame->source);
}

static ubi_text give_text(void *payload, uint32_t value, uint32_t i) {
    const source *s = payload;
    const ubi__timeline_row *row = &s->data->rows.at[i];
    column what = column_of(s, value);
    switch (what) {
    case COLUMN_NAME:
        return ubi__timeline_text(s->data, row->name);
    case COLUMN_LABEL:
        return ubi__text(ubi__marker_label(s->labels[value], LABEL_BYTES, s->data, row));
    case COLUMN_CAUSE:
        return ubi__timeline_detail_text(s->data, row, "causeName");
    case COLUMN_THREAD:
        return row->thread < s->data->threads.n ? ubi__timeline_text(s->data, s->data->threads.at[row->thread].name)
                                                : (ubi_text){ NULL, 0 };
    default:
        return frame_text(s->data, row, what);
    }
}

/* ---- keeping -------------------------------------------------------------------------------------------------------------------- */

static ubi_status keep_selected(ubi__timeline_data *data, source *s) {
    ubi_query_source rows = { .payload = s, .numbers = give_numbers, .text = give_text };
    uint32_t kept[UBI_QUERY_BLOCK], n = (uint32_t)data->rows.n;
    size_t n_kept = 0;
    ubi_filter *filter;
    UBI_TRY(ubi_filter_new(&filter, s->query, &rows, data->allocator));
    for (uint32_t first = 0; first < n; first += UBI_QUERY_BLOCK) {
        uint32_t block = n - first < UBI_QUERY_BLOCK ? n - first : UBI_QUERY_BLOCK;
        uint32_t found = ubi_filter_select(kept, filter, first, block);
        for (uint32_t i = 0; i < found; i++)
            data->rows.at[n_kept++] = data->rows.at[kept[i]];
    }
    ubi_filter_free(filter);
    data->rows.n = n_kept;
    return UBI_OK;
}

static ubi_status keep_where(ubi__timeline_data *data, const char *where) {
    ubi_query *query;
    UBI_TRY(parse_where(&query, where, data->allocator));
    size_t n = (size_t)ubi_query_value_count(query) + 1;
    source s = { .data = data, .query = query, .labels = ubi__alloc_array(data->allocator, n, sizeof *s.labels) };
    ubi_status status = s.labels ? keep_selected(data, &s) : ubi__fail_nomem();
    ubi__free_array(data->allocator, s.labels, n, sizeof *s.labels);
    ubi_query_free(query);
    return status;
}

static bool is_wanted(const ubi__timeline_data *data, const ubi__timeline_row *row, const ubi__texts *names) {
    char label[LABEL_BYTES];
    ubi_text name = ubi__timeline_text(data, row->name);
    ubi__marker_label(label, sizeof label, data, row);
    for (uint32_t i = 0; i < names->n; i++)
        if (ubi__text_is(name, names->at[i]) || strcmp(label, names->at[i]) == 0)
            return true;
    return names->n == 0;
}

static void keep_named(ubi__timeline_data *data, const ubi__texts *names) {
    size_t n = 0;
    for (size_t i = 0; i < data->rows.n && names->n; i++)
        if (is_wanted(data, &data->rows.at[i], names))
            data->rows.at[n++] = data->rows.at[i];
    if (names->n)
        data->rows.n = n;
}

static void row_clip(ubi__timeline_row *row, const window *w) {
    row->start_ns = row->start_ns > w->from_ns ? row->start_ns : w->from_ns;
    row->end_ns = row->end_ns < w->to_ns ? row->end_ns : w->to_ns;
}

static void keep_window(ubi__timeline_data *data, const window *w, bool clips) {
    size_t n = 0, n_samples = 0;
    for (size_t i = 0; i < data->rows.n; i++) {
        ubi__timeline_row row = data->rows.at[i];
        if (row.end_ns < w->from_ns || row.start_ns > w->to_ns)
            continue;
        if (clips)
            row_clip(&row, w);
        data->rows.at[n++] = row;
    }
    data->rows.n = n;
    for (size_t i = 0; i < data->samples.n; i++)
        if (data->samples.at[i].time_ns >= w->from_ns && data->samples.at[i].time_ns <= w->to_ns)
            data->samples.at[n_samples++] = data->samples.at[i];
    data->samples.n = n_samples;
}

/* Clipping makes markers begin together, and then the longer one comes first. */
static ubi_status sort_again(ubi__timeline_view *view) {
    uint64_t begin = view->data.begin_ns, end = view->data.end_ns;
    UBI_TRY(ubi__timeline_data_sort(&view->data));
    view->data.begin_ns = begin;
    view->data.end_ns = end;
    return UBI_OK;
}

ubi_status ubi__timeline_select_time(ubi__timeline_view *view, bool clips) {
    ubi__timeline_data *data = &view->data;
    window w;
    UBI_TRY(parse_window(&w, view->values));
    keep_window(data, &w, clips);
    view->begin_ns = w.has_from ? w.from_ns : data->begin_ns;
    view->end_ns = w.has_to ? w.to_ns : data->end_ns;
    view->end_ns = view->end_ns > view->begin_ns ? view->end_ns : view->begin_ns;
    return clips ? sort_again(view) : UBI_OK;
}

bool ubi__timeline_is_filtered(const ubi__timeline_view *view) {
    return view->values->markers.n || view->values->where;
}

ubi_status ubi__timeline_select_markers(ubi__timeline_view *view) {
    keep_named(&view->data, &view->values->markers);
    return view->values->where ? keep_where(&view->data, view->values->where) : UBI_OK;
}
