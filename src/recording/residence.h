/* SPDX-License-Identifier: MIT
 *
 * residence.h: what the resident memory of a process is used for: a table whose rows add up to what the kernel says.
 *
 *     ubi__residence_init(&r, allocator);
 *     ubi__residence_add(&r, UBI__RESIDENCE_FILE, path, &amount);      as often as there is something
 *     ubi__residence_sort(&r);                                          once all is there: the largest first
 *     ubi__residence_fini(&r);
 *
 * One thread at a time. Memory: 80 bytes per row, and its name.
 */
#ifndef UBI_RECORDING_RESIDENCE_H
#define UBI_RECORDING_RESIDENCE_H

#include "base/strtab.h"
#include "base/u64_map.h"

/** What pages are used for. Rows of one kind may have names: of a file, an allocator, an engine. */
typedef enum ubi__residence_kind {
    UBI__RESIDENCE_BLOCKS, /**< memory that the allocator has given to the program, with what it puts around blocks */
    UBI__RESIDENCE_CACHED, /**< blocks that a thread has freed, and that it keeps for itself */
    UBI__RESIDENCE_FREE,   /**< what the allocator keeps, between blocks and after them */
    UBI__RESIDENCE_ALLOCATOR, /**< of an allocator, which is not looked into: blocks and what is free */
    UBI__RESIDENCE_SCRIPTS,   /**< heap of a JavaScript engine, with its code */
    UBI__RESIDENCE_PYTHON,    /**< objects of Python */
    UBI__RESIDENCE_PYTHON_FREE,
    UBI__RESIDENCE_JAVA_HEAP,
    UBI__RESIDENCE_JAVA_CODE,   /**< compiled */
    UBI__RESIDENCE_JAVA_TABLES, /**< classes, and tables of the collector */
    UBI__RESIDENCE_MAIN_STACK,
    UBI__RESIDENCE_STACKS, /**< of other threads */
    UBI__RESIDENCE_FILE,   /**< mapped, with the variables of a program's file or library */
    UBI__RESIDENCE_SHARED, /**< memory that processes may share, and that is in no file */
    UBI__RESIDENCE_SYSTEM, /**< the kernel's */
    UBI__RESIDENCE_NAMED,  /**< the kernel has a name for it */
    UBI__RESIDENCE_UNKNOWN,
    UBI__RESIDENCE_FREE_PAGES, /**< whole ones of an allocator, which it has not given back to the system */
    UBI__RESIDENCE_OVERHEAD,   /**< tables of an allocator */
    UBI__RESIDENCE_KINDS       /**< numbers are in files: new kinds come last */
} ubi__residence_kind;

/** Kinds that are shown together. */
typedef enum ubi__residence_group {
    UBI__RESIDENCE_OF_MALLOC,
    UBI__RESIDENCE_OF_SCRIPTS,
    UBI__RESIDENCE_OF_PYTHON,
    UBI__RESIDENCE_OF_JAVA,
    UBI__RESIDENCE_OF_STACKS,
    UBI__RESIDENCE_OF_FILES,
    UBI__RESIDENCE_OF_OTHERS,
    UBI__RESIDENCE_OF_NONE, /**< unknown */
    UBI__RESIDENCE_GROUPS
} ubi__residence_group;

ubi__residence_group ubi__residence_group_of(ubi__residence_kind kind);
/** In documents: "malloc", "javascript", ...; for people: "Allocator", "JavaScript heaps", .... Static. */
const char *ubi__residence_group_key(ubi__residence_group group);
const char *ubi__residence_group_words(ubi__residence_group group);
/** In documents: "blocks", "mappedFile", ...; for people: "blocks in use", ...; Static. */
const char *ubi__residence_kind_key(ubi__residence_kind kind);
const char *ubi__residence_kind_words(ubi__residence_kind kind);

typedef struct ubi__residence_amount {
    uint64_t resident_bytes;
    uint64_t share_bytes;   /**< a page that n processes have counts for an n-th: the kernel's PSS */
    uint64_t swapped_bytes; /**< not resident */
} ubi__residence_amount;

void ubi__residence_amount_add(ubi__residence_amount *to, const ubi__residence_amount *more);

typedef struct ubi__residence_row {
    ubi__residence_kind kind;
    ubi_str_ix name; /**< UBI_NONE: none */
    ubi__residence_amount amount;
} ubi__residence_row;

UBI_VEC_DECLARE(ubi__vec_residence_row, ubi__residence_row);

typedef struct ubi__residence {
    const ubi_allocator *allocator;
    ubi__strtab names;
    ubi__vec_residence_row rows; /**< no two of one kind and name */
    ubi__u64_map numbers;        /**< of a kind and a name: its row; while rows are added */
    ubi__residence_amount total, groups[UBI__RESIDENCE_GROUPS];
    uint64_t n_mappings; /**< 0: unknown by now */
    bool is_divided; /**< the process's memory was looked into; else its mappings were judged by their shape alone */
} ubi__residence;

void ubi__residence_init(ubi__residence *r, const ubi_allocator *allocator);
void ubi__residence_fini(ubi__residence *r);
/** Rows add up to the groups, and groups to the total. */
void ubi__residence_check(const ubi__residence *r);
/**
 * Adds to the row of this kind and name, or makes one. Nothing at all adds no row.
 * @param name  NULL text: none. Copied. Errors: UBI_ENOMEM. Cost: O(1).
 */
ubi_status ubi__residence_add(ubi__residence *r, ubi__residence_kind kind, ubi_text name,
                              const ubi__residence_amount *amount);
/** Rows by group, the largest group first, unknown memory last; in it by resident bytes, then by name. Then none is added. */
void ubi__residence_sort(ubi__residence *r);
/** A part of a row, by its bytes in RAM. */
typedef struct ubi__residence_part {
    ubi__residence_kind kind;
    uint64_t resident_bytes;
} ubi__residence_part;
/**
 * Parts of a row, one after the other and as far as it reaches, become rows of other kinds, without a name, or are added to those that there are.
 * What they leave stays as it is.
 * @param r     sorted; it is so afterwards, and as it was after a failure. @param kind, name  of the row; nothing changes if there is none.
 * @param parts  parts[n]. Errors: UBI_ENOMEM. Cost: that of making the table.
 */
ubi_status ubi__residence_divide(ubi__residence *r, ubi__residence_kind kind, ubi_text name,
                                 const ubi__residence_part *parts, size_t n);
/** Its name, or what its kind is for people. Until the next row is added. */
ubi_text ubi__residence_row_name(const ubi__residence *r, const ubi__residence_row *row);

#endif
