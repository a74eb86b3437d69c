/* SPDX-License-Identifier: MIT
 *
 * column_file.h: a file of named columns, written in one go and read by mapping it.
 *
 *     | header | column | column | ...  | table of columns | a checksum per block | trailer |
 *
 * Columns are arrays as they are in memory, of the machine that wrote them; the header says which byte order that
 * is. They are cut into blocks of UBI__COLUMN_BLOCK_BYTES, each with a CRC-64. A block is believed once its checksum is right and its
 * items follow the rule that the reader gives, both checked in one pass when the column is asked for: what no one asks for costs
 * nothing. That pass reads the file into a small buffer and leaves the mapping alone: looking into a column is 4 times as expensive
 * where each page is new to the process, and would make all of it resident. Opening a file checks header, table and trailer.
 *
 * What has columns passes them by one function, which serves both directions:
 *
 *     ubi_status tally_pass(ubi__columns *c, tally *t) {
 *         UBI_TRY(UBI__COLUMN(c, "counts", &t->counts, NULL));
 *         return ubi__columns_value(c, "total", &t->total, sizeof t->total);
 *     }
 *
 * Written, the columns of `t` are copied to the file. Read, they are set to what is mapped, which must not be changed. Code that frees
 * them needs no case for that: it gets a ubi__column_memory, an allocator that lets be what is part of the file.
 *
 * Layout: docs/formats/ubindex.md.
 */
#ifndef UBI_BASE_COLUMN_FILE_H
#define UBI_BASE_COLUMN_FILE_H

#include "base/alloc.h"
#include "base/deflate.h"
#include "base/pulse.h"

#define UBI__COLUMN_FILE_VERSION 1
#define UBI__COLUMN_BLOCK_BYTES ((size_t)1 << 18)
#define UBI__COLUMN_HEADER_BYTES ((size_t)4096)
#define UBI__COLUMN_ALIGN_BYTES ((size_t)64) /* where columns begin */
#define UBI__COLUMN_NAME_BYTES 56
/** The most that a header can say beside its own. */
#define UBI__COLUMN_NOTE_BYTES 3072

/** A row of the table of columns, as in the file. */
typedef struct ubi__column_row {
    char name[UBI__COLUMN_NAME_BYTES]; /* "graph/node sizes"; filled up with NULs */
    uint64_t offset_bytes;             /* a multiple of UBI__COLUMN_ALIGN_BYTES */
    uint64_t size_bytes;
    uint64_t first_checksum; /* of the first block; the others follow */
    uint32_t item_bytes;
    uint32_t unused; /* 0 */
} ubi__column_row;
_Static_assert(sizeof(ubi__column_row) == 88, "as in the file");

UBI_VEC_DECLARE(ubi__vec_column_row, ubi__column_row);

/* ---- writing ------------------------------------------------------------------------------------------------------ */

typedef struct ubi__column_writer {
    const ubi_allocator *allocator;
    ubi__write_fn write;
    void *payload;
    ubi__pulse *pulse; /* or NULL */
    uint64_t n_bytes;  /* written so far */
    ubi__vec_column_row rows;
    ubi__vec_u64 checksums;
} ubi__column_writer;

/**
 * Writes the header.
 * @param note  note[n_note], at most UBI__COLUMN_NOTE_BYTES: what the file is about, for its reader.
 * Free the writer, whatever comes of it. Errors: those of `write`.
 */
ubi_status ubi__column_writer_begin(ubi__column_writer *w, ubi__write_fn write, void *payload, const void *note,
                                    size_t n_note, const ubi_allocator *allocator);
/** Writes what comes after the columns. Errors: those of `write`. */
ubi_status ubi__column_writer_end(ubi__column_writer *w);
void ubi__column_writer_fini(ubi__column_writer *w);

/* ---- reading ------------------------------------------------------------------------------------------------------ */

/** An opened file. Immutable; any thread. */
typedef struct ubi__column_file {
    const ubi_allocator *allocator;
    const uint8_t *bytes; /* bytes[n_bytes] */
    size_t n_bytes;
    bool is_mapped; /* by us */
    int fd;         /* of what is mapped, to read what is not looked into yet; -1: there is none */
    const ubi__column_row *rows;
    size_t n_rows;
    const uint64_t *checksums;
    size_t n_checksums;
    const void *note; /* note[n_note] */
    size_t n_note;
} ubi__column_file;

/**
 * Maps the file that `fd` leads to, which may be closed afterwards.
 * Errors: UBI_EFORMAT (not such a file, of another version or machine, or damaged), UBI_EIO, UBI_ENOMEM.
 */
ubi_status ubi__column_file_open(ubi__column_file **out, int fd, const ubi_allocator *allocator);
/** The same of bytes[n_bytes], which begin at a multiple of UBI__COLUMN_ALIGN_BYTES; borrowed. */
ubi_status ubi__column_file_of_memory(ubi__column_file **out, const void *bytes, size_t n_bytes,
                                      const ubi_allocator *allocator);
/** Nothing of it may be in use. NULL is fine. */
void ubi__column_file_close(ubi__column_file *file);
/** Rows lie within the file, and blocks have checksums. O(columns). */
void ubi__column_file_check(const ubi__column_file *file);
/** How many bytes of the file are part of this process's memory now, in pages. 0: the system does not say. Cost: O(pages). */
uint64_t ubi__column_file_resident_bytes(const ubi__column_file *file);

/** An allocator that lets be what is part of a file, and passes everything else to the one below. */
typedef struct ubi__column_memory {
    ubi_allocator allocator; /* ctx: this struct */
    const ubi_allocator *below;
    const ubi__column_file *file; /* NULL: none */
} ubi__column_memory;

void ubi__column_memory_init(ubi__column_memory *memory, const ubi_allocator *below, const ubi__column_file *file);

struct ubi__strtab;

/* ---- both directions ----------------------------------------------------------------------------------------------- */

/** What items must be like before they are believed. */
typedef struct ubi__column_rule {
    /**
     * Whether items[n] are right, a copy of those from number `first` of the column on. items[-1] is there, too, unless `first` is 0.
     * Called for parts of the column, on several threads.
     */
    bool (*holds)(const struct ubi__column_rule *rule, const void *items, size_t first, size_t n);
    uint64_t limit;
    const void *payload;
} ubi__column_rule;

typedef struct ubi__columns {
    ubi__column_writer *writer;     /* NULL: columns are read */
    const ubi__column_file *file;   /* read */
    const char *scope;              /* what comes before names */
    const ubi_allocator *allocator; /* for what is made when columns are read: a ubi__column_memory of the file */
    unsigned threads;
    const ubi_progress *progress; /* or NULL */
} ubi__columns;

/**
 * Passes an array. Read, *at and *n are set; an empty one is NULL.
 * Errors: UBI_EFORMAT (there is no such column, of such items, or it is damaged or cannot be read), UBI_ENOMEM, UBI_ECANCELLED, those
 * of writing.
 */
ubi_status ubi__columns_array(ubi__columns *c, const char *name, void **at, size_t *n, size_t item_bytes,
                              const ubi__column_rule *rule);
/** The same with a capacity, as vectors have it. */
ubi_status ubi__columns_vec(ubi__columns *c, const char *name, void **at, size_t *n, size_t *cap, size_t item_bytes,
                            const ubi__column_rule *rule);
#define UBI__COLUMN(c, name, vec, rule)                                                                                \
    ubi__columns_vec((c), (name), (void **)&(vec)->at, &(vec)->n, &(vec)->cap, sizeof *(vec)->at, (rule))
/** Passes one value of n_bytes; read, it is copied. */
ubi_status ubi__columns_value(ubi__columns *c, const char *name, void *value, size_t n_bytes);
/** Passes texts: "NAME bytes" and "NAME ends". What is equal to what is not passed. Read, `t` was empty. */
ubi_status ubi__columns_strings(ubi__columns *c, const char *name, struct ubi__strtab *t);
/** UBI_EFORMAT unless `is_right`: says that the column of that name is not what it must be. */
ubi_status ubi__columns_expect(const ubi__columns *c, bool is_right, const char *name);

/* ---- rules --------------------------------------------------------------------------------------------------------- */

/** Numbers of 32 bits below `limit`, or 2^32-1 (UBI_NONE). */
ubi__column_rule ubi__column_below_or_none(uint64_t limit);
/** Numbers of 32 bits below `limit`. */
ubi__column_rule ubi__column_below(uint64_t limit);
/** Bytes below `limit`. */
ubi__column_rule ubi__column_bytes_below(uint64_t limit);
/** Numbers of 64 bits that do not descend, up to `limit`. */
ubi__column_rule ubi__column_ascending(uint64_t limit);

#endif
