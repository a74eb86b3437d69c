/* SPDX-License-Identifier: MIT
 *
 * cache_command.c: `ubiheap cache`, what is in the cache folder, and clearing it.
 */
#include <string.h>
#include <time.h>

#include "base/quantity.h"
#include "base/status.h"
#include "cli/cli_files.h"
#include "session/cache_folder.h"

typedef struct cache_arguments {
    const char *folder, *older_than;
} cache_arguments;

#define AT(field) offsetof(cache_arguments, field)

/** What a command line asks for. */
typedef struct cache_wish {
    char folder[UBI__CACHE_PATH_BYTES];
    bool must_clear;
    int64_t unused_s; /* of indexes that were not used for this long; -1: of all */
    int64_t now_s;
} cache_wish;

/* The clock may have been set back since. */
static uint64_t age_s(const ubi__cache_row *row, const cache_wish *wish) {
    return wish->now_s > row->used_s ? (uint64_t)(wish->now_s - row->used_s) : 0;
}

static bool row_is_wanted(const ubi__cache_row *row, const cache_wish *wish) {
    return wish->unused_s < 0 || age_s(row, wish) >= (uint64_t)wish->unused_s;
}

static ubi_status rows_select(ubi__cache_rows *rows, const cache_wish *wish) {
    size_t n = 0;
    for (size_t i = 0; i < rows->n; i++)
        if (row_is_wanted(&rows->at[i], wish))
            rows->at[n++] = rows->at[i];
    rows->n = n;
    for (size_t i = 0; wish->must_clear && i < n; i++)
        UBI_TRY(ubi__cache_folder_remove(wish->folder, rows->at[i].name));
    return UBI_OK;
}

static uint64_t rows_bytes(const ubi__cache_rows *rows) {
    uint64_t sum_bytes = 0;
    for (size_t i = 0; i < rows->n; i++)
        sum_bytes += rows->at[i].size_bytes;
    return sum_bytes;
}

/* ---- what is shown --------------------------------------------------------------------------------------------------- */

static void document_write(ubi__cli *cli, const ubi__cache_rows *rows, const cache_wish *wish) {
    ubi__json json;
    ubi__document_open(&json, cli, "ubiheap.cache/1");
    ubi__json_member_string(&json, "folder", wish->folder);
    ubi__json_member_bool(&json, "cleared", wish->must_clear);
    ubi__json_member_u64(&json, "size", rows_bytes(rows));
    ubi__json_member_u64(&json, "limit", UBI__CACHE_LIMIT_BYTES);
    ubi__json_member_array(&json, "indexes");
    for (size_t i = 0; i < rows->n; i++) {
        const ubi__cache_row *row = &rows->at[i];
        ubi__json_object_begin(&json);
        ubi__json_member_string(&json, "name", row->name);
        ubi__json_member_string(&json, "heap", row->heap);
        ubi__json_member_u64(&json, "heapSize", row->heap_bytes);
        ubi__json_member_u64(&json, "size", row->size_bytes);
        ubi__json_member_i64(&json, "usedTime", row->used_s);
        ubi__json_member_bool(&json, "isCurrent", row->is_current);
        ubi__json_object_end(&json);
    }
    ubi__json_array_end(&json);
    ubi__document_end(&json);
}

enum { SIZE, USED, STATE, N_COLUMNS };

static const ubi__text_column columns[N_COLUMNS] = {
    [SIZE] = { .title = "Size", .width = 9 },
    [USED] = { .title = "Last used", .width = 13, .gap = 2 },
    [STATE] = { .title = "State", .width = 12, .gap = 2, .is_left = true },
};

static const char *age_words(char out[UBI__HUMAN_TEXT], uint64_t seconds) {
    static const struct {
        uint64_t seconds;
        const char *singular;
    } units[] = { { 86400, "day" }, { 3600, "hour" }, { 60, "minute" } };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (seconds >= units[i].seconds)
            return ubi__human_things(out, seconds / units[i].seconds, units[i].singular);
    return "now";
}

static void row_write(const ubi__text_table *table, const ubi__cache_row *row, const cache_wish *wish) {
    char age[UBI__HUMAN_TEXT];
    ubi__cell cells[N_COLUMNS] = {
        [SIZE] = ubi__cell_size(row->size_bytes),
        [USED] = ubi__cell_words(age_words(age, age_s(row, wish))),
        [STATE] = ubi__cell_words(row->is_current ? "current" : "out of date"),
    };
    ubi__text_table_line(table, cells, row->heap[0] ? ubi__text(row->heap) : ubi__text(row->name));
}

static void page_write(const ubi__page *page, const ubi__cache_rows *rows, const cache_wish *wish) {
    char count[UBI__HUMAN_TEXT], bytes[UBI__HUMAN_TEXT], limit[UBI__HUMAN_TEXT];
    ubi__text_table table;
    ubi__write_fact(page, wish->must_clear ? "Cleared" : "Folder", ubi__text(wish->folder), 10);
    if (rows->n) {
        ubi__out_char(page->out, '\n');
        ubi__page_table(&table, page, "File", columns, N_COLUMNS);
        ubi__text_table_head(&table);
        for (size_t i = 0; i < rows->n; i++)
            row_write(&table, &rows->at[i], wish);
    }
    ubi__out_printf(page->out, "\n%s, %s%s", ubi__human_things(count, rows->n, "index file"),
                    ubi__human_size(bytes, rows_bytes(rows)), wish->must_clear ? " removed\n" : "");
    if (!wish->must_clear)
        ubi__out_printf(page->out, "; above %s, those not used for the longest time go\n",
                        ubi__human_size(limit, UBI__CACHE_LIMIT_BYTES));
}

/* ---- the command ------------------------------------------------------------------------------------------------------ */

static ubi_status wish_read(cache_wish *out, const cache_arguments *arguments, const char *word) {
    uint64_t unused_us;
    *out = (cache_wish){ .unused_s = -1, .now_s = (int64_t)time(NULL), .must_clear = strcmp(word, "clear") == 0 };
    if (!out->must_clear && strcmp(word, "list") != 0)
        return ubi__fail(UBI_EINVAL, "expected list or clear, not '%s'", word);
    if (arguments->older_than) {
        UBI_TRY(ubi__parse_duration(&unused_us, arguments->older_than, "--older-than"));
        out->unused_s = (int64_t)(unused_us / 1000000);
    }
    return ubi__cache_folder_path(out->folder, arguments->folder);
}

static ubi_status cache_run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    const ubi_allocator *a = ubi_allocator_default();
    ubi__cache_rows rows = { NULL, 0, 0 };
    cache_wish wish;
    (void)exit_code;
    UBI_TRY(wish_read(&wish, values, n_operands ? operands[0] : "list"));
    UBI_TRY(ubi__cache_folder_list(&rows, wish.folder, a));
    ubi_status status = rows_select(&rows, &wish);
    if (status == UBI_OK && cli->common.wants_json)
        document_write(cli, &rows, &wish);
    else if (status == UBI_OK)
        page_write(&cli->page, &rows, &wish);
    ubi__cache_rows_fini(&rows, a);
    return status;
}

static const ubi__parameter parameters[] = {
    UBI__TEXT("older-than", 0, AT(older_than), "TIME", "only what was not used for this long: 12h, 720h", NULL),
    UBI__TEXT("cache-dir", 0, AT(folder), "DIR", "the cache folder", "ubiheap in $XDG_CACHE_HOME or ~/.cache"),
    UBI__PARAMETERS_END,
};

static const ubi__example examples[] = {
    { "cache list", "what is there, the index used last first" },
    { "cache clear", "remove all of it" },
    { "cache clear --older-than 720h", "remove what was not used for 30 days" },
    { NULL, NULL },
};

static const ubi__usage usage = {
    .name = "cache",
    .operands = "[list|clear]",
    .summary = "list or remove what was kept of files to open them at once",
    .question = "What does the cache folder hold?",
    .description =
        "Lists the indexes in the cache folder, or removes them. An index holds what was computed of a heap (its "
        "graph, dominators, retained sizes, distances) or read of a recording (its stacks and sums), so that the next "
        "command maps it instead of computing it again. "
        "Commands make one when --cache is given, and use one that is there unless --no-cache is.\n"
        "\n"
        "An index is out of date when its file has changed or is gone, or another version of ubiheap made it. It is "
        "not "
        "used then, and replaced by the next --cache. Indexes that were not used for the longest time make room for "
        "new "
        "ones. The folder is used only if no one else can write in it.",
    .parameters = parameters,
    .examples = examples,
    .min_operands = 0,
    .max_operands = 1,
    .arguments_bytes = sizeof(cache_arguments),
};

const ubi__command ubi__command_cache = {
    .usage = &usage,
    .run = cache_run,
};
