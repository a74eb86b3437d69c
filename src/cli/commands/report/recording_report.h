/* SPDX-License-Identifier: MIT
 *
 * recording_report.h: the report on a recording (.ubirec), in place of that on a snapshot: what all of its forms are made
 * from, and the forms.
 */
#ifndef UBI_CLI_RECORDING_REPORT_H
#define UBI_CLI_RECORDING_REPORT_H

#include <ubiheap/query.h>

#include "cli/command.h"
#include "cli/condition.h"
#include "recording/recording_sites.h"

/** What the command line asks of a recording. Texts are borrowed from it. */
typedef struct ubi__recording_wishes {
    const char *by;       /**< "leaked", ...; NULL: all of them */
    const char *columns;  /**< names between commas; NULL: the usual ones */
    const char *format;   /**< "tsv", "csv" or "json"; NULL: a page, or a document with --json; with columns a table */
    const char *site;     /**< only sites whose function, file or module has this text; NULL: all */
    const char *fail_on;  /**< condition, or NULL */
    uint64_t top;         /**< sites of each list; 0: as many as the form usually has */
    uint64_t stack_depth; /**< frames of each stack; 0: as many as the form usually has */
    int symbols;          /**< -1: do not look for symbols that are not in the recording */
    int wrappers;         /**< -1: only those that are known by name are left out */
    bool detail;          /**< leave nothing out */
} ubi__recording_wishes;

/** Why addresses of a module have no names, or no lines. */
typedef struct ubi__recording_hint {
    uint32_t module;
    char text[256]; /**< one sentence, without final point */
} ubi__recording_hint;

#define UBI__RECORDING_HINTS 8

typedef struct ubi__recording_report {
    const char *path;
    const ubi__recording_wishes *wishes;
    ubi__recording_summary summary;
    ubi__sites sites;
    ubi__estimate heap[UBI__MEASURE_COUNT]; /**< totals of the heap class */
    bool is_exact;
    ubi__recording_hint hints[UBI__RECORDING_HINTS];
    size_t n_hints, n_hints_left_out;
} ubi__recording_report;

/** Whether the file is a recording. False when it cannot be read: who opens it says why. */
bool ubi__is_recording(const char *path);

/**
 * Reads, symbolizes and sums up. On failure nothing is left. From here on error messages are about the file.
 * Errors: those of the reader, UBI_EIO, UBI_ENOMEM, UBI_ECANCELLED.
 */
ubi_status ubi__recording_report_open(ubi__recording_report *report, ubi__cli *cli, const char *path,
                                      const ubi__recording_wishes *wishes);
void ubi__recording_report_close(ubi__recording_report *report);
/** When everything is said: if there is a fault in the file, behind which nothing was read, the command fails. */
void ubi__recording_judge(ubi__cli *cli, const ubi__recording_report *report, int *exit_code);

/** The whole of `ubiheap report` on a recording. */
ubi_status ubi__report_recording(ubi__cli *cli, const char *path, const ubi__recording_wishes *given, int *exit_code);
/** The whole of `ubiheap info` on one. */
ubi_status ubi__info_recording(ubi__cli *cli, const char *path, int *exit_code);

/* ---- forms -------------------------------------------------------------------------------------------------------- */

ubi_status ubi__recording_page(ubi__cli *cli, ubi__recording_report *report);
ubi_status ubi__recording_document(ubi__cli *cli, ubi__recording_report *report);
ubi_status ubi__recording_rows(ubi__cli *cli, ubi__recording_report *report);
/** Complains about what is no column, before anything is read. */
ubi_status ubi__recording_columns_check(const char *columns);
/** Entries of the manual; false behind the last. */
bool ubi__recording_column_entry(size_t i, const char **word, const char **help);

/** Facts of --fail-on, ended by one without a name, and their values; the payload is a ubi__recording_report. */
extern const ubi_query_name ubi__recording_facts[];
ubi_status ubi__recording_measure(ubi__condition_value *out, void *report, ubi_query_value value);

/* ---- parts of the forms ------------------------------------------------------------------------------------------- */

/** Fills in symbols that the recording lacks and that are at hand, and says what is missing. Errors: UBI_ENOMEM. */
ubi_status ubi__recording_symbolize(ubi__recording_report *report, ubi_progress progress);

/** The same for tables alone, without saying what is missing. Errors: UBI_ENOMEM, UBI_ECANCELLED. */
ubi_status ubi__recording_name_frames(ubi__ubirec_tables *tables, const ubi_progress *progress);

/** The orders by their words, ended by NULL; numbers are those of ubi__site_order. */
extern const char *const ubi__recording_orders[];
ubi__site_order ubi__recording_order(const char *word);
/** Whether a site is among those that are asked for. */
bool ubi__recording_has_site(const ubi__recording_report *report, const ubi__site *site);

/** One function of a stack. Texts are borrowed from the tables, empty when not known. */
typedef struct ubi__recording_place {
    ubi_text function, file, module;
    uint32_t line, column;
    uint64_t address; /**< of a native frame: in its module; of a raw one: in memory */
    bool has_address;
    bool is_inlined; /**< its code stands in the function that comes next */
} ubi__recording_place;

/** Walks over a stack, from the inside out; functions that were inlined are places of their own. */
typedef struct ubi__recording_walk {
    const ubi__recording_report *report;
    uint32_t trace, symbol;         /**< the next one of the trace's frame */
    uint32_t end_trace, end_symbol; /**< the first that does not come any more; UBI__UBIREC_NO_TRACE: the stack's end */
} ubi__recording_walk;

/** The heaviest stack of a site, from where it asks for memory outwards. Sites are sorted by now. */
void ubi__recording_walk_stack(ubi__recording_walk *walk, const ubi__recording_report *report, const ubi__site *site);
/** What comes before that: wrappers, from the allocation outwards. */
void ubi__recording_walk_wrappers(ubi__recording_walk *walk, const ubi__recording_report *report,
                                  const ubi__site *site);
/** The next place; false behind the last. */
bool ubi__recording_walk_next(ubi__recording_walk *walk, ubi__recording_place *out);
/** How a place is called: the function, or module and address, or what is known; NUL-terminated, cut to `n` bytes. */
void ubi__recording_place_name(char *out, size_t n, const ubi__recording_place *place);
/** "widget.c:31", "libfoo.so", or ""; NUL-terminated, cut to `n` bytes. */
void ubi__recording_place_position(char *out, size_t n, const ubi__recording_place *place);
/** Where a site is, without its callers. False: it has no stack. */
bool ubi__recording_site_place(ubi__recording_place *out, const ubi__recording_report *report, const ubi__site *site);

/** The next call that is taken for one of a wrapper, from *frame on; which is behind it then. False: there is none. */
bool ubi__recording_wrapper(ubi__recording_place *out, const ubi__recording_report *report, uint32_t *frame);

/** Whether what is known of a class are samples. Mappings are all recorded. */
bool ubi__recording_is_sampled(const ubi__recording_summary *s, ubi__ubirec_class of_class);
/** A number of bytes, with "± error" in the same unit when it is an estimate. */
#define UBI__ESTIMATE_TEXT 96
char *ubi__estimate_bytes(char out[UBI__ESTIMATE_TEXT], const ubi__cli *cli, double bytes, double variance);
/** The same of a count. */
char *ubi__estimate_count(char out[UBI__ESTIMATE_TEXT], const ubi__cli *cli, double count, double variance);
/** A sum as a whole number, rounded; never negative. */
uint64_t ubi__whole(double value);

#endif
