/* SPDX-License-Identifier: MIT
 *
 * symbolize.h: from an address in a module to functions, files and lines.
 *
 * A module is a file and, when it was recorded, its build-id; an address is the file's own (what its program headers count
 * in): the run-time address less the load bias. The address is looked up as it is, so for a return address the caller
 * subtracts 1 first, or the line is that of the next statement.
 *
 * What there is to know comes from, the best first: DWARF in the module or in its separate debug file (by build-id below
 * `debug_root`, or by .gnu_debuglink; supplementary files of dwz and split units are found by libdw), .symtab, .dynsym. A
 * file whose build-id is not the recorded one is another file and says nothing, but a debug file with that build-id does,
 * even when the module itself is gone. Nothing is ever sent anywhere, unless `with_debuginfod` asks for it.
 *
 * Invariant: modules are opened when they are first asked for, compilation units read when an address falls into them, and
 * functions when an address falls into these; what was read is kept. So addresses may come in any order, and those of one
 * module cost a search each once its functions are known.
 *
 * For one thread. Files are mapped: they must not shrink while the symbolizer lives.
 */
#ifndef UBI_SYMBOLIZE_SYMBOLIZE_H
#define UBI_SYMBOLIZE_SYMBOLIZE_H

#include <ubiheap/core/base.h>

/** What is shown of a name; longer ones end in "...". */
#define UBI__SYMBOL_NAME_BYTES 4096

typedef struct ubi__symbolizer_options {
    const char *debug_root;   /**< of separate debug files; NULL: /usr/lib/debug */
    const char *package_root; /**< where dpkg lists the files of packages; NULL: /var/lib/dpkg/info */
    bool with_debuginfod;     /**< ask the servers of DEBUGINFOD_URLS, when that is set, for what is not here */
} ubi__symbolizer_options;

/** One function that is active at an address. Texts are borrowed until the next call on the symbolizer. */
typedef struct ubi__symbol {
    ubi_text function; /**< demangled; NULL: unknown */
    ubi_text file;     /**< as the compiler had it, with its folder; NULL: unknown */
    uint32_t line;     /**< 0: unknown */
    uint32_t column;   /**< in bytes from 1; 0: unknown */
    bool is_inlined;   /**< its code is in the function that follows */
} ubi__symbol;

/** How much a module says. */
typedef enum ubi__symbol_detail {
    UBI__SYMBOLS_NONE,
    UBI__SYMBOLS_EXPORTED, /**< names of exported functions */
    UBI__SYMBOLS_NAMES,    /**< names of all functions */
    UBI__SYMBOLS_LINES     /**< names, files, lines, inlined functions */
} ubi__symbol_detail;

/** Why it does not say more. */
typedef enum ubi__symbol_obstacle {
    UBI__OBSTACLE_NONE,
    UBI__OBSTACLE_NO_FILE,  /**< not a file's: such as [vdso] */
    UBI__OBSTACLE_MISSING,  /**< the file is not there or cannot be read */
    UBI__OBSTACLE_CHANGED,  /**< the file has another build-id than was recorded */
    UBI__OBSTACLE_DAMAGED,  /**< it is no ELF file that can be read */
    UBI__OBSTACLE_STRIPPED, /**< it has no debug information, and there is none for it */
} ubi__symbol_obstacle;

/** What is to be said of a module, once. */
typedef struct ubi__symbol_facts {
    ubi__symbol_detail detail;
    ubi__symbol_obstacle obstacle; /**< NONE if and only if the detail is LINES */
    ubi_text package; /**< Debian package that would bring the debug information; NULL: unknown, or not needed */
} ubi__symbol_facts;

typedef struct ubi__symbolizer ubi__symbolizer;

/** @param options  NULL: the defaults; texts are copied. Errors: UBI_ENOMEM. */
ubi_status ubi__symbolizer_new(ubi__symbolizer **out, const ubi__symbolizer_options *options,
                               const ubi_allocator *allocator);
void ubi__symbolizer_free(ubi__symbolizer *s);

/**
 * Makes a module known; nothing is opened yet. One that is known has the same number again: what was read of a file serves all
 * processes that have it. Cost: O(path and build-id).
 *
 * @param out       its number, from 0.
 * @param path      as recorded, copied.
 * @param build_id  build_id[n_build_id], copied; 0 bytes: unknown, and any file of the path is taken.
 * Errors: UBI_ENOMEM.
 */
ubi_status ubi__symbolizer_add_module(ubi__symbolizer *s, uint32_t *out, ubi_text path, const uint8_t *build_id,
                                      size_t n_build_id);

/**
 * The functions at an address of a module, innermost first: those inlined there, then the one that holds the code.
 *
 * @param out, n_out  (*out)[*n_out], borrowed until the next call; 0 when nothing is known, and the facts say why.
 * Errors: UBI_ENOMEM. Faults of files are not errors, but make the answer poorer.
 */
ubi_status ubi__symbolizer_look_up(ubi__symbolizer *s, const ubi__symbol **out, size_t *n_out, uint32_t module,
                                   uint64_t address);

/**
 * The same for the address that a call returns to: what holds the call. Some addresses look like that and no call comes
 * before: where signal handlers and coroutines return to. Of these it is what begins there.
 */
ubi_status ubi__symbolizer_look_up_return(ubi__symbolizer *s, const ubi__symbol **out, size_t *n_out, uint32_t module,
                                          uint64_t address);

/**
 * What can be said of a module.
 * Cost: the first module that lacks debug information makes it read dpkg's lists of files, some tens of milliseconds.
 * Errors: UBI_ENOMEM.
 */
ubi_status ubi__symbolizer_facts(ubi__symbolizer *s, ubi__symbol_facts *out, uint32_t module);

/** Such as "the file has changed since"; "" for NONE. Static. */
const char *ubi__symbol_obstacle_words(ubi__symbol_obstacle obstacle);

#endif
