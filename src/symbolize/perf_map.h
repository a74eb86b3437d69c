/* SPDX-License-Identifier: MIT
 *
 * perf_map.h: names of code that a program made at run time, from the map that it writes for profilers.
 *
 * Node.js (--perf-basic-prof), and others that compile at run time, append a line for each piece of code to /tmp/perf-PID.map: where it
 * begins, how many bytes it has (both hexadecimal), and its name. Code moves and dies, and later lines are about the same addresses.
 * Programs keep lines back for a while, too. So of the lines about an address, the last one is taken that was in the map when the
 * address was seen first; if there was none, the first that came afterwards.
 *
 * The map is anything that a program wrote: what is no line is skipped, and there is a limit to what is read.
 */
#ifndef UBI_SYMBOLIZE_PERF_MAP_H
#define UBI_SYMBOLIZE_PERF_MAP_H

#include "base/alloc.h"
#include "base/text.h"

/** An address that is to be named. */
typedef struct ubi__perf_address {
    uint64_t address;
    uint64_t map_bytes; /* of the map when it was seen first */
    uint32_t payload;   /* the caller's */
    uint32_t name_bytes;
    size_t name_at; /* in `names`, once name_bytes is not 0 */
} ubi__perf_address;
UBI_VEC_DECLARE(ubi__vec_perf_address, ubi__perf_address);

/** A map that is being read. */
typedef struct ubi__perf_map {
    const ubi_allocator *allocator;
    ubi__vec_perf_address *addresses; /* borrowed, ascending */
    ubi__vec_u8 names;
    ubi__vec_u8 line;    /* the beginning of one that is not whole yet */
    bool is_too_long;    /* the rest of it is skipped */
    uint64_t read_bytes; /* up to the beginning of the line at hand */
    uint64_t n_hits;
} ubi__perf_map;

/** Longer names are cut. */
#define UBI__PERF_NAME_BYTES 4096u

/** @param addresses  borrowed; sorted, and all without names from here on. */
void ubi__perf_map_init(ubi__perf_map *m, ubi__vec_perf_address *addresses, const ubi_allocator *allocator);
void ubi__perf_map_fini(ubi__perf_map *m);
/** What comes next of the map. Errors: UBI_ENOMEM. Cost: O(lines * log addresses). */
ubi_status ubi__perf_map_feed(ubi__perf_map *m, const char *bytes, size_t n);
/** The name of an address; empty: none. Borrowed until more is read. */
ubi_text ubi__perf_map_name(const ubi__perf_map *m, const ubi__perf_address *address);

/** What a name says. */
typedef struct ubi__perf_name {
    ubi_text function, file; /* parts of the name; file empty: it is not code of a script */
    uint32_t line, column;   /* where the function begins; 0: unknown */
    bool is_script;
} ubi__perf_name;

/**
 * Names of V8: "JS:~outer /app/app.js:7:15", with the kind of code before the function; of CPython: "py::outer:/app/app.py". Anything else is
 * a function.
 */
ubi__perf_name ubi__perf_name_read(ubi_text name);

/** Reads the map of a process, if it has written one: a regular file that is its own, and not older than it. Others are left alone.
 *  @param since_unix_ns  when the process began. Errors: UBI_ENOMEM. */
ubi_status ubi__perf_map_read_file(ubi__perf_map *m, const char *path, uint64_t since_unix_ns);

#endif
