/* SPDX-License-Identifier: MIT
 *
 * anonymizer.h: what replaces texts is made of.
 *
 * A text is taken apart into words and what is between them. Each word is kept (it is on a list of public names, or
 * a small number) or replaced; what is between is kept. So different texts stay different: no replacement holds a
 * separator or is a public name.
 */
#ifndef UBI_ANALYSES_ANONYMIZE_ANONYMIZER_H
#define UBI_ANALYSES_ANONYMIZE_ANONYMIZER_H

#include <ubiheap/core/anonymize.h>

#include "analyses/anonymize/public_names.h"
#include "analyses/anonymize/word_map.h"

/** Is called with each word of a text; `kept`: it is a public name. Borrowed. A failure is the text's. */
typedef ubi_status ubi__word_watch(void *payload, ubi_text word, bool kept);

struct ubi_anonymizer {
    const ubi_allocator *allocator;
    ubi__public_names names;
    ubi__word_map words;
    ubi__vec_u8 result;     /* the text being made */
    ubi__word_watch *watch; /* NULL: words are not reported */
    void *watch_payload;
};

/** ubi_anonymizer_new with fewer digits, so that tests see what happens when replacements collide. */
ubi_status ubi__anonymizer_new(ubi_anonymizer **out, const ubi_anonymizer_options *options, unsigned n_digits);

/** Whether the word is on one of `lists`, and is kept. */
static inline bool ubi__anonymizer_is_public(const ubi_anonymizer *a, unsigned lists, ubi_text word) {
    return ubi__public_names_has(&a->names, lists, word);
}
/** Reports a word to the watch, if there is one. Errors: the watch's. */
ubi_status ubi__anonymizer_report_word(const ubi_anonymizer *a, ubi_text word, bool kept);
/** Appends `text` as it is. */
ubi_status ubi__anonymizer_keep(ubi_anonymizer *a, ubi_text text);
/** Appends `word`: as it is if it is empty or on one of `lists`, else its replacement. */
ubi_status ubi__anonymizer_word(ubi_anonymizer *a, unsigned lists, ubi_text word);
/** Appends a public name, as it is. */
ubi_status ubi__anonymizer_keep_word(ubi_anonymizer *a, ubi_text word);
/** Appends the number of an element: one up to 999 as it is, else another one, above 999. Anything else is a word. */
ubi_status ubi__anonymizer_index(ubi_anonymizer *a, ubi_text digits);
/** Appends the URL or file name that a script or a stack frame has. */
ubi_status ubi__anonymizer_source(ubi_anonymizer *a, ubi_text source);
/** Appends the name of a function, of a class, of an element. */
ubi_status ubi__anonymizer_function(ubi_anonymizer *a, ubi_text text);
ubi_status ubi__anonymizer_class(ubi_anonymizer *a, ubi_text text);
ubi_status ubi__anonymizer_tag(ubi_anonymizer *a, ubi_text text);
/** Appends a file, a URL, or the name of a function. */
ubi_status ubi__anonymizer_file_or_function(ubi_anonymizer *a, ubi_text text);
/** Appends what recordings and timelines say (anonymize_native.c). */
ubi_status ubi__anonymizer_native_function(ubi_anonymizer *a, ubi_text text);
ubi_status ubi__anonymizer_native_file(ubi_anonymizer *a, ubi_text path);
ubi_status ubi__anonymizer_marker_name(ubi_anonymizer *a, ubi_text text);
ubi_status ubi__anonymizer_detail_key(ubi_anonymizer *a, ubi_text text);
ubi_status ubi__anonymizer_detail(ubi_anonymizer *a, ubi_text text);
ubi_status ubi__anonymizer_words(ubi_anonymizer *a, ubi_text text);
ubi_status ubi__anonymizer_secret(ubi_anonymizer *a, ubi_text text);

/** text[from..to). */
static inline ubi_text ubi__text_slice(ubi_text text, size_t from, size_t to) {
    return (ubi_text){ text.ptr + from, to - from };
}
/** Digits at text[at..), at most ten: as many as the largest index has. */
static inline size_t ubi__count_digits(ubi_text text, size_t at) {
    size_t n = 0;
    while (at + n < text.len && n < 11 && text.ptr[at + n] >= '0' && text.ptr[at + n] <= '9')
        n++;
    return n <= 10 ? n : 0;
}

#endif
