/* SPDX-License-Identifier: MIT
 *
 * diff_recordings_page.c: what changed between two recordings, for people.
 *
 *     Old  monday.ubirec   every allocation, 1.00 s, exit status 0
 *     New  tuesday.ubirec  every allocation, 1.02 s, exit status 0
 *
 *                     Old       New    Change
 *     Not freed  1.28 MiB  1.53 MiB  +256 KiB  +19.5%
 *
 *     What grew, by bytes not freed
 *        Change       Old       New  Place, and who called it
 *      +256 KiB   512 KiB   768 KiB  grow_table(Table&)
 *         table.cc:204 ← serve(int) ← main
 */
#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "base/text.h"
#include "questions/diff/diff_recordings.h"
#include "questions/recording/recording_suppressed.h"
#include "recording/known_frames.h"
#include "recording/recording_place.h"
#include "render/function_name.h"

#define NUMBER_COLUMNS 10
#define LABEL_COLUMNS 9
#define INDENT 4
#define CALLERS 3
#define CALLER_COLUMNS 40
#define FLOW_BYTES 2048
#define LEAST_NAME_COLUMNS 18
#define AMOUNT_TEXT (UBI__HUMAN_TEXT + 16)

/* ---- numbers ------------------------------------------------------------------------------------------------------------ */

/* Three digits of what is less than one of its unit by chance: "0.25 B". */
static char *amount_text(char out[AMOUNT_TEXT], const ubi__diff_recordings *r, double value, bool is_count) {
    char text[UBI__HUMAN_TEXT];
    if (ubi__diff_recordings_per(r) && value > 0 && value < (is_count ? 100 : 1024))
        snprintf(out, AMOUNT_TEXT, "%.3g%s", value, is_count ? "" : " B");
    else
        snprintf(out, AMOUNT_TEXT, "%s",
                 is_count ? ubi__human_count(text, ubi__whole(value)) : ubi__human_size(text, ubi__whole(value)));
    return out;
}

static ubi__cell amount_cell(char out[AMOUNT_TEXT], const ubi__diff_recordings *r, double value, bool is_count) {
    if (!(value > 0))
        return ubi__cell_words("-");
    return ubi__cell_words(amount_text(out, r, value, is_count));
}

static ubi__cell growth_cell(char out[AMOUNT_TEXT], const ubi__diff_recordings *r, double growth, bool is_count) {
    char text[AMOUNT_TEXT];
    ubi__cell cell;
    if (growth == 0)
        return ubi__cell_words("0");
    amount_text(text, r, growth < 0 ? -growth : growth, is_count);
    snprintf(out, AMOUNT_TEXT, "%c%.*s", growth < 0 ? '-' : '+', AMOUNT_TEXT - 2, text);
    cell = ubi__cell_words(out);
    cell.ink = growth < 0 ? UBI__INK_GREEN : UBI__INK_RED;
    return cell;
}

/* ---- head --------------------------------------------------------------------------------------------------------------- */

#define SIDE_LABEL_COLUMNS 5
#define SIDE_FACTS_BYTES 160
#define LEAST_FILE_COLUMNS 12

static char *side_facts(char out[SIDE_FACTS_BYTES], const ubi__recording_side *side) {
    char time[UBI__HUMAN_TEXT];
    const ubi__recording_summary *s = side->report->summary;
    if (ubi__recording_is_profile(s)) {
        snprintf(out, SIDE_FACTS_BYTES, "what was alive, sampled by V8");
        return out;
    }
    snprintf(out, SIDE_FACTS_BYTES, "%s, %s%s", side->report->is_exact ? "every allocation" : "sampled",
             ubi__human_duration(time, s->time_ns / 1000), s->tables.has_end ? "" : ", without its end");
    return out;
}

/* Columns that both names may have beside what is said of the files; 0: that has lines of its own. */
static size_t file_columns(const ubi__page *page, const ubi__diff_recordings *r) {
    char facts[SIDE_FACTS_BYTES];
    size_t names = 0, beside = 0, columns = page->style.columns;
    for (int i = 0; i < UBI__DIFF_SIDES; i++) {
        size_t name = ubi__display_columns(ubi__text(r->pair.sides[i].name), &page->style, columns);
        size_t more = strlen(side_facts(facts, &r->pair.sides[i])) + SIDE_LABEL_COLUMNS + 2;
        names = name > names ? name : names;
        beside = more > beside ? more : beside;
    }
    size_t room = columns > beside ? columns - beside : 0;
    return room < LEAST_FILE_COLUMNS && room < names ? 0 : names < room ? names : room;
}

static void side_write(const ubi__page *page, const char *label, const ubi__recording_side *side, size_t columns) {
    char facts[SIDE_FACTS_BYTES];
    size_t room = columns ? columns : page->style.columns - SIDE_LABEL_COLUMNS;
    ubi__write_label(page, UBI__INK_BOLD, label, SIDE_LABEL_COLUMNS);
    size_t used = ubi__display_text_end(page->out, &page->style, ubi__text(side->name), room);
    if (columns)
        ubi__display_pad(page->out, used, columns + 2);
    else
        ubi__out_printf(page->out, "\n%*s", SIDE_LABEL_COLUMNS, "");
    ubi__out_printf(page->out, "%s\n", side_facts(facts, side));
}

enum { LABEL, OLD, NEW, GROWTH, PERCENT, TOTAL_COLUMNS };

static const ubi__text_column total_columns[TOTAL_COLUMNS] = {
    [LABEL] = { NULL, .width = LABEL_COLUMNS, .is_left = true },
    [OLD] = { "Old", .width = NUMBER_COLUMNS },
    [NEW] = { "New", .width = NUMBER_COLUMNS },
    [GROWTH] = { "Change", .width = NUMBER_COLUMNS + 1 },
    [PERCENT] = { NULL, .width = 8, .gap = 2, .from_columns = 60 },
};

static double total_of(const ubi__diff_recordings *r, int side, ubi__measure measure, bool is_count) {
    ubi__estimate e = ubi__class_estimate(r->pair.sides[side].report->summary, r->pair.of_class, measure);
    return (is_count ? e.count : e.bytes) * r->diff.scale[side];
}

static void total_write(const ubi__text_table *table, const ubi__diff_recordings *r, const char *label,
                        ubi__measure measure, bool is_count) {
    char texts[3][AMOUNT_TEXT], percent[UBI__HUMAN_TEXT + 1];
    double old = total_of(r, UBI__DIFF_OLD, measure, is_count), new = total_of(r, UBI__DIFF_NEW, measure, is_count);
    for (int i = 0; i < UBI__DIFF_SIDES; i++)
        if (!ubi__recording_has_measure(r->pair.sides[i].report->summary, r->pair.of_class, measure))
            return;
    const ubi__change change = { ubi__whole(old * 1e6),
                                 ubi__whole(new * 1e6) }; /* shares of what may be less than one */
    const ubi__cell cells[TOTAL_COLUMNS] = {
        [LABEL] = { .kind = UBI__CELL_TEXT, .ink = UBI__INK_DIM, .text = ubi__text(label) },
        [OLD] = amount_cell(texts[0], r, old, is_count),
        [NEW] = amount_cell(texts[1], r, new, is_count),
        [GROWTH] = growth_cell(texts[2], r, new - old, is_count),
        [PERCENT] = old > 0 && new != old ? ubi__cell_words(ubi__change_percent(percent, change)) : ubi__cell_none(),
    };
    ubi__text_table_row(table, cells);
    ubi__out_char(table->out, '\n');
}

static void suppressed_write(const ubi__page *page, const ubi__diff_recordings *r) {
    static const char *const labels[] = { "OLD: suppressed ", "NEW: suppressed " };
    char words[UBI__SUPPRESSED_WORDS], line[UBI__SUPPRESSED_WORDS + 20];
    for (int i = 0; i < UBI__DIFF_SIDES && r->pair.sides[i].report->suppressed; i++) {
        snprintf(line, sizeof line, "%s%s", labels[i],
                 ubi__recording_suppressed_words(words, &page->style, r->pair.sides[i].report, r->pair.of_class));
        ubi__write_words(page, UBI__INK_DIM, line);
    }
}

static void head_write(const ubi__page *page, const ubi__diff_recordings *r) {
    const char *per = ubi__diff_recordings_per(r);
    ubi__text_table table;
    size_t columns = file_columns(page, r);
    side_write(page, "Old", &r->pair.sides[UBI__DIFF_OLD], columns);
    side_write(page, "New", &r->pair.sides[UBI__DIFF_NEW], columns);
    ubi__out_char(page->out, '\n');
    ubi__page_table(&table, page, NULL, total_columns, TOTAL_COLUMNS);
    ubi__text_table_head(&table);
    total_write(&table, r, "Not freed", UBI__MEASURE_LEAKED, false);
    total_write(&table, r, "Peak", UBI__MEASURE_PEAK, false);
    bool is_profile = ubi__recording_is_profile(r->pair.sides[UBI__DIFF_NEW].report->summary);
    total_write(&table, r, is_profile ? "Alive" : "Allocated", UBI__MEASURE_TOTAL, false);
    total_write(&table, r, is_profile ? "Samples" : "Count", UBI__MEASURE_TOTAL, true);
    total_write(&table, r, "Temporary", UBI__MEASURE_TEMPORARY, true);
    if (per)
        ubi__out_printf(page->out, "All numbers are per %s.\n", per);
    suppressed_write(page, r);
}

/* ---- places ------------------------------------------------------------------------------------------------------------- */

enum { P_GROWTH, P_OLD, P_NEW, PLACE_COLUMNS };

static const ubi__text_column place_columns[PLACE_COLUMNS] = {
    [P_GROWTH] = { "Change", .width = NUMBER_COLUMNS + 1 },
    [P_OLD] = { "Old", .width = NUMBER_COLUMNS, .least_name_columns = LEAST_NAME_COLUMNS },
    [P_NEW] = { "New", .width = NUMBER_COLUMNS, .least_name_columns = LEAST_NAME_COLUMNS },
};

/* False: there is no room for it in the line, unless it is the first. */
static bool flow_add(char out[FLOW_BYTES], const ubi__style *style, const char *mark, const char *text) {
    size_t used = strlen(out), columns = style->columns;
    char piece[FLOW_BYTES];
    snprintf(piece, sizeof piece, "%s%s%.600s", used ? " " : "", mark, text);
    if (used && INDENT + ubi__display_columns(ubi__text(out), style, columns) +
                        ubi__display_columns(ubi__text(piece), style, columns) >
                    columns)
        return false;
    snprintf(out + used, FLOW_BYTES - used, "%s", piece);
    return true;
}

static void position_add(char out[FLOW_BYTES], const ubi__style *style, const ubi__diff_recordings *r,
                         const ubi__diff_place *place) {
    int side = place->frame[UBI__DIFF_NEW] != UBI_NONE ? UBI__DIFF_NEW : UBI__DIFF_OLD;
    const ubi__ubirec_tables *t = &r->pair.sides[side].report->summary->tables;
    char position[256] = "";
    ubi__recording_place at;
    uint32_t n, frame = place->frame[side];
    if (frame == UBI_NONE)
        return;
    const ubi__ubirec_symbol_row *symbols = ubi__ubirec_symbols_of(t, frame, &n);
    ubi__recording_frame_place(&at, t, frame, n ? ubi__asking_symbol(t, symbols, n) : 0);
    ubi__recording_place_position(position, sizeof position, &at);
    if (*position)
        flow_add(out, style, "", position);
}

/* Of the stack that changed most, without what all programs have and what says nothing. */
static void callers_add(char out[FLOW_BYTES], const ubi__style *style, const ubi__diff_recordings *r,
                        const ubi__diff_place *place) {
    const ubi__recording_diff *d = &r->diff;
    uint32_t node = place->n_stacks ? d->nodes.at[d->stacks[place->first_stack]].parent : 0;
    for (size_t n = 0; node != 0 && n < CALLERS; node = d->nodes.at[node].parent) {
        char name[UBI__FUNCTION_BYTES];
        const ubi__recording_place caller = { .function = ubi__diff_name(d, d->nodes.at[node].name) };
        if (ubi__recording_is_start_up(&caller) || ubi__allocator_role_of(caller.function) != UBI__NO_ALLOCATOR)
            continue;
        size_t used = ubi__short_function(name, style, caller.function, CALLER_COLUMNS);
        name[used < sizeof name ? used : sizeof name - 1] = '\0';
        if (!flow_add(out, style, style->has_unicode ? "← " : "< ", name))
            return;
        n++;
    }
}

static void place_write(const ubi__text_table *table, const ubi__diff_recordings *r, const ubi__diff_place *place) {
    char texts[PLACE_COLUMNS][AMOUNT_TEXT], flow[FLOW_BYTES] = "", name[UBI__FUNCTION_BYTES];
    bool is_count = r->diff.measure.is_count;
    const ubi__style *style = table->style;
    const ubi__cell cells[PLACE_COLUMNS] = {
        [P_GROWTH] = growth_cell(texts[0], r, ubi__diff_place_growth(&r->diff, place), is_count),
        [P_OLD] = amount_cell(texts[1], r, ubi__diff_place_value(&r->diff, place, UBI__DIFF_OLD), is_count),
        [P_NEW] = amount_cell(texts[2], r, ubi__diff_place_value(&r->diff, place, UBI__DIFF_NEW), is_count),
    };
    size_t room = ubi__text_table_row(table, cells);
    size_t used = ubi__short_function(name, style, ubi__diff_name(&r->diff, place->name), room);
    ubi__display_text(table->out, style, (ubi_text){ name, used }, room);
    position_add(flow, style, r, place);
    callers_add(flow, style, r, place);
    ubi__out_char(table->out, '\n');
    if (!*flow)
        return;
    ubi__display_pad(table->out, 0, INDENT);
    ubi__display_text(table->out, style, ubi__text(flow), style->columns - INDENT);
    ubi__out_char(table->out, '\n');
}

/* Those that grew, or shrank, or changed at all. */
typedef struct place_list {
    const char *title;
    bool is_backwards;
    int sign; /* 1: what grew; -1: what shrank; 0: both */
} place_list;

static bool list_has(const place_list *list, double growth) {
    return list->sign > 0 ? growth > 0 : list->sign < 0 ? growth < 0 : growth != 0;
}

static size_t list_write(const ubi__page *page, const ubi__diff_recordings *r, const place_list *list) {
    const ubi__vec_diff_place *places = &r->diff.places;
    uint64_t limit = r->values->by.limit;
    ubi__text_table table;
    size_t n = 0;
    for (size_t i = 0; i < places->n && !page->out->has_failed; i++) {
        const ubi__diff_place *place = &places->at[list->is_backwards ? places->n - 1 - i : i];
        if (!list_has(list, ubi__diff_place_growth(&r->diff, place)))
            continue;
        if (n == 0) {
            ubi__write_title(page, list->title);
            ubi__page_table(&table, page, "Place, and who called it", place_columns, PLACE_COLUMNS);
            ubi__text_table_head(&table);
        }
        if (limit == 0 || n < limit)
            place_write(&table, r, place);
        n++;
    }
    if (limit && n > limit)
        ubi__write_more_things(page, "more place", limit, n);
    return n;
}

static void places_write(const ubi__page *page, const ubi__diff_recordings *r) {
    static const char *const words[] = { "bytes not freed", "bytes at the peak", "bytes allocated", "allocations",
                                         "temporary allocations" };
    char title[2][80];
    bool by_change = r->values->sort && strcmp(r->values->sort, "change") == 0;
    bool is_profile = ubi__recording_is_profile(r->pair.sides[UBI__DIFF_NEW].report->summary);
    const char *what = is_profile && r->pair.order == UBI__BY_TOTAL ? "bytes alive" : words[r->pair.order];
    snprintf(title[0], sizeof title[0], "What %s, by %s", by_change ? "changed" : "grew", what);
    snprintf(title[1], sizeof title[1], "What shrank");
    const place_list grown = { .title = title[0], .sign = by_change ? 0 : 1 };
    const place_list shrunk = { .title = title[1], .sign = -1, .is_backwards = true };
    size_t n = list_write(page, r, &grown);
    if (!by_change)
        n += list_write(page, r, &shrunk);
    if (n == 0)
        ubi__out_printf(page->out, "\nNo place has more or less %s.\n", what);
}

/* What samples say by chance. */
static void chance_write(const ubi__page *page, const ubi__diff_recordings *r) {
    char line[160], count[UBI__HUMAN_TEXT];
    size_t n = 0, n_certain = 0;
    if (r->pair.sides[UBI__DIFF_OLD].report->is_exact && r->pair.sides[UBI__DIFF_NEW].report->is_exact)
        return;
    if (ubi__recording_is_profile(r->pair.sides[UBI__DIFF_NEW].report->summary))
        return;
    for (size_t i = 0; i < r->diff.places.n; i++)
        if (ubi__diff_place_growth(&r->diff, &r->diff.places.at[i]) != 0) {
            n++;
            n_certain += ubi__diff_place_is_certain(r, &r->diff.places.at[i]);
        }
    if (n == 0)
        return;
    snprintf(line, sizeof line, "Samples: of %s that changed, %zu changed by more than chance explains.",
             ubi__human_things(count, n, "place"), n_certain);
    ubi__out_char(page->out, '\n');
    ubi__write_words(page, UBI__INK_DIM, line);
}

static void next_write(const ubi__page *page, const ubi__diff_recordings *r) {
    const char *old = ubi__file_argument(r->pair.sides[UBI__DIFF_OLD].name, "OLD");
    const char *new = ubi__file_argument(r->pair.sides[UBI__DIFF_NEW].name, "NEW");
    ubi__write_title(page, "Next");
    ubi__write_command(page, "diff --by total", old, new, "or by leaked, peak, count, temporary");
    if (!ubi__diff_recordings_per(r))
        ubi__write_command(page, "diff --per allocation", old, new, "runs of different length");
    ubi__write_command(page, "report", new, NULL, "all about the newer one");
}

ubi_status ubi__diff_recordings_page(const ubi__page *page, const ubi__diff_recordings *r) {
    head_write(page, r);
    places_write(page, r);
    chance_write(page, r);
    next_write(page, r);
    return UBI_OK;
}
