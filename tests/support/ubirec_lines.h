/* SPDX-License-Identifier: MIT
 *
 * ubirec_lines.h: recordings as lines of text that say all there is without a number of the file, for tests: what went into a
 * file can be compared with what comes out of it, whoever reads it.
 *
 * A line is a word and fields between spaces; texts are percent-encoded but for letters, digits and - . _ / ~, and an empty
 * one is a single %. tests/recording/ubirec_decoder.py prints the same.
 */
#ifndef UBI_TESTS_UBIREC_LINES_H
#define UBI_TESTS_UBIREC_LINES_H

#include <stdio.h>

#include "recording/ubirec_tables.h"
#include "recording/ubirec_writer.h"

void put_text(FILE *out, ubi_text text);
void put_about(FILE *out, const ubi__ubirec_about *about);

/** Everything that a reader gives, as lines. Its status; lines of what came before a failure are there. */
ubi_status ubirec_lines(FILE *out, ubi__source *source, const ubi_allocator *allocator);

/**
 * A recording with every type of record, always the same for a seed, through a writer; and, if `expected` is not NULL, the lines
 * that it must give, which are made from what the writer is given.
 */
ubi_status random_ubirec(uint64_t seed, unsigned n_steps, ubi__write_fn write, void *payload, FILE *expected,
                         const ubi_allocator *allocator);

#endif
