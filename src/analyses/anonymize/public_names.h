/* SPDX-License-Identifier: MIT
 *
 * public_names.h: names that snapshots of every program have.
 *
 * They stay readable in an anonymized snapshot. Each belongs to one or more lists, by where it may occur. What is on no
 * list is taken for private.
 */
#ifndef UBI_ANALYSES_ANONYMIZE_PUBLIC_NAMES_H
#define UBI_ANALYSES_ANONYMIZE_PUBLIC_NAMES_H

#include "base/strtab.h"

/** Lists, as bits. */
enum {
    UBI__NAMES_TYPE = 1,          /**< the engine's types */
    UBI__NAMES_CLASS = 2,         /**< classes of objects, without a final "Prototype" and the like */
    UBI__NAMES_EDGE = 4,          /**< edges that the engine names; # stands for a number */
    UBI__NAMES_MEMBER = 8,        /**< properties and functions of the standard library */
    UBI__NAMES_TAG = 16,          /**< DOM nodes and their name spaces, in lower case */
    UBI__NAMES_FILE = 32,         /**< what stands for a file where there is none */
    UBI__NAMES_SCHEME = 64,       /**< schemes of URLs */
    UBI__NAMES_HOST = 128,        /**< this machine, and parts of the browser */
    UBI__NAMES_EXTENSION = 256,   /**< of file names */
    UBI__NAMES_INTRODUCER = 512,  /**< how code without a file came to be, such as eval */
    UBI__NAMES_FIELD = 1024,      /**< edges that are fields of the engine; # stands for a number */
    UBI__NAMES_NODE = 2048,       /**< whole names of nodes */
    UBI__NAMES_SYSTEM = 4096,     /**< what follows "system / " */
    UBI__NAMES_NODEJS = 8192,     /**< what follows "Node / " */
    UBI__NAMES_MODULE = 16384,    /**< modules of Node.js, which follow "node:" */
    UBI__NAMES_NATIVE = 1 << 15,  /**< words of compiled code: of C and C++, of the C library, of symbols */
    UBI__NAMES_PREFIX = 1 << 16,  /**< beginnings of such names that are public */
    UBI__NAMES_FOLDER = 1 << 17,  /**< of systems, and of the sources of their libraries, and files in these */
    UBI__NAMES_LIBRARY = 1 << 18, /**< files of well-known libraries, without ".so" and what follows */
    UBI__NAMES_SOURCE = 1 << 19,  /**< extensions of source files that become compiled code */
    UBI__NAMES_DETAIL = 1 << 20,  /**< keys of markers' details, and what engines write there */
    UBI__NAMES_WORD = 1 << 21,    /**< of threads and systems */
    UBI__NAMES_WHOLE = 1 << 22    /**< no list: the group is one name, which may have a | in it */
};

/** A part of a list, as written in the sources. */
typedef struct ubi__name_group {
    uint32_t lists;
    const char *names; /**< separated by |; one with UBI__NAMES_WHOLE */
} ubi__name_group;

/** Ended by a group without names. */
extern const ubi__name_group ubi__names_javascript[], ubi__names_web[], ubi__names_native[], ubi__names_libc[];

typedef struct ubi__public_names {
    ubi__strtab names;
    ubi__vec_u32 lists; /* lists[i]: of names entry i */
} ubi__public_names;

/** These, and those of all grammars (grammar.h). Cost: some 30,000 short strings. Errors: UBI_ENOMEM; _fini is allowed even then. */
ubi_status ubi__public_names_init(ubi__public_names *n, const ubi_allocator *allocator);
void ubi__public_names_fini(ubi__public_names *n);
/** Each name is on a list, and marks that are not lists are on none. Cost: O(names). */
void ubi__public_names_check(const ubi__public_names *n);
/** Whether `name` is on one of `lists`. */
bool ubi__public_names_has(const ubi__public_names *n, unsigned lists, ubi_text name);

#endif
