/* SPDX-License-Identifier: MIT
 *
 * ubiheap/core/anonymize.h: copies of snapshots that are safe to share.
 *
 * The texts of a snapshot reveal whose it is: property and function names, URLs, file paths, names of custom elements, contents
 * of strings. An anonymizer replaces them, one at a time, by meaningless ones such as x_7k3v9mq2dp, and keeps what every program
 * has: names of the engine, of JavaScript's own library and of the web's interfaces, positions in arrays up to 999, and the outline of
 * URLs and of V8's composed names. Sizes, ids, edges, line numbers and counts are not its business. Roles from
 * UBI_TEXT_NATIVE_FUNCTION on are of recordings and timelines.
 *
 *     ubi_anonymizer *a;
 *     ubi_anonymizer_new(&a, NULL);
 *     ubi_save_options save = UBI_SAVE_OPTIONS_INIT;
 *     save.map_text = ubi_anonymizer_text, save.map_text_payload = a;
 *     ubi_graph_save_path(graph, "shared.fxsnapshot", &save, NULL);
 *     ubi_anonymizer_free(a);
 *
 * What is promised: without the key, the original of a replacement cannot be found, nor a guess be checked; equal
 * words get equal replacements, in every role and with one key in every file; different words get different ones. The
 * list of what is kept, and what a reader of the result may still learn: docs/how-to/share-a-snapshot-safely.md.
 */
#ifndef UBIHEAP_ANONYMIZE_H
#define UBIHEAP_ANONYMIZE_H

#include <ubiheap/core/base.h>
#include <ubiheap/core/node.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Remembers the words it has replaced. One thread at a time. */
typedef struct ubi_anonymizer ubi_anonymizer;

typedef struct ubi_anonymizer_options {
    uint32_t version;               /**< UBI_ANONYMIZER_OPTIONS_VERSION */
    const ubi_allocator *allocator; /**< NULL: the default; must outlive the anonymizer */
    const void *key;                /**< borrowed during the call; NULL: a random one that is never shown */
    size_t key_bytes;               /**< at least UBI_ANONYMIZER_KEY_MIN with a key */
} ubi_anonymizer_options;

#define UBI_ANONYMIZER_OPTIONS_VERSION 1
#define UBI_ANONYMIZER_OPTIONS_INIT                                                                                    \
    { UBI_ANONYMIZER_OPTIONS_VERSION, NULL, NULL, 0 }

/** Shorter keys could be found by trying them all. */
#define UBI_ANONYMIZER_KEY_MIN 16

/**
 * An anonymizer. Owned.
 *
 * Use one key for snapshots that shall be compared with each other. It should be random: who guesses it can test
 * guesses of the texts.
 * Errors: UBI_EINVAL (version, a key that is too short), UBI_ENOMEM, UBI_EIO (no random numbers from the system).
 * Cost: about 500 KiB; the lists of known names are hashed.
 */
UBI_API ubi_status ubi_anonymizer_new(ubi_anonymizer **out, const ubi_anonymizer_options *options);
/** Forgets the key. NULL is fine. */
UBI_API void ubi_anonymizer_free(ubi_anonymizer *anonymizer);

/**
 * The text to show in place of `text`; equal for equal arguments. A ubi_text_map_fn (ubiheap/core/formats.h) whose payload
 * is the ubi_anonymizer. A NULL text gives NULL text, an empty one an empty one.
 *
 * @param out  borrowed until the next call.
 * Errors: UBI_EINVAL (no such role), UBI_ENOMEM, UBI_ELIMIT (2^32-1 words); after the last two only _free is allowed.
 * Cost: O(length), and for a new word a keyed hash, its text and 50 bytes.
 */
UBI_API ubi_status ubi_anonymizer_text(void *anonymizer, ubi_text_role role, ubi_text text, ubi_text *out);

/** Different words replaced so far. */
UBI_API uint32_t ubi_anonymizer_word_count(const ubi_anonymizer *anonymizer);

#ifdef __cplusplus
}
#endif
#endif
