/* SPDX-License-Identifier: MIT
 *
 * audit.h: which words the texts of a file still have: what an anonymizer would replace, and what it replaced already.
 *
 * Fed every text of a file (ubi__audit_text is what a save takes as map_text), it distinguishes words as the anonymizer does. So what
 * it calls the program's own is what --anonymize would replace, and in an anonymized file there is none. One thing is replaced though
 * public: strings of one character up to U+00FF. V8 keeps all of these for every program, so their presence says nothing.
 */
#ifndef UBI_ANALYSES_ANONYMIZE_AUDIT_H
#define UBI_ANALYSES_ANONYMIZE_AUDIT_H

#include <ubiheap/core/anonymize.h>

typedef struct ubi__audit ubi__audit;

/** Kinds of places where texts occur. A word that occurs in several belongs to the first of them. */
typedef enum ubi__audit_group {
    UBI__AUDIT_PROGRAM,    /**< command line, build-ids, threads, system, markers and what they say */
    UBI__AUDIT_PLACES,     /**< files, folders, hosts of URLs */
    UBI__AUDIT_CLASSES,    /**< of objects; types, elements */
    UBI__AUDIT_FUNCTIONS,  /**< and what engines call code */
    UBI__AUDIT_PROPERTIES, /**< and variables */
    UBI__AUDIT_STRINGS,    /**< contents of strings and regular expressions that are not such names */
    UBI__AUDIT_SOURCES,    /**< those with several lines or more than UBI__AUDIT_LONG_BYTES */
    UBI__AUDIT_GROUP_COUNT
} ubi__audit_group;

#define UBI__AUDIT_LONG_BYTES 200

/** A word, and where it occurs. Borrowed from the audit, until the next text. */
typedef struct ubi__audit_word {
    ubi_text word;
    bool is_public;   /**< of an engine or a library, or a character; else it is the program's own */
    uint64_t n_texts; /**< different texts that it occurs in */
    ubi__audit_group group;
    ubi_text_role role; /**< of the first text that is of this group */
    ubi_text example;   /**< that one, cut */
} ubi__audit_word;

/** @param allocator  or NULL. Errors: as ubi_anonymizer_new. */
ubi_status ubi__audit_new(ubi__audit **out, const ubi_allocator *allocator);
/** NULL is fine. */
void ubi__audit_free(ubi__audit *audit);
/** A ubi_text_map_fn that keeps every text. Errors: UBI_ENOMEM, UBI_ELIMIT; afterwards only _free is allowed. */
ubi_status ubi__audit_text(void *audit, ubi_text_role role, ubi_text text, ubi_text *out);

/** Different texts seen; a text counts once for each of its roles. */
uint64_t ubi__audit_text_count(const ubi__audit *audit);
/** Different words in place of others, as an anonymizer makes them: x_ and ten signs. They are not on the list. */
uint32_t ubi__audit_replaced_count(const ubi__audit *audit);
/** Different numbers of elements above 999. Whether they were replaced cannot be seen. */
uint64_t ubi__audit_large_index_count(const ubi__audit *audit);
uint32_t ubi__audit_word_count(const ubi__audit *audit);
ubi__audit_word ubi__audit_word_at(const ubi__audit *audit, uint32_t i);

#endif
