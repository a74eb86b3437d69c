/* SPDX-License-Identifier: MIT
 *
 * ubirec_writer.h: writes a recording file (.ubirec), block by block, as things happen.
 *
 *     ubi__ubirec_writer *w;
 *     ubi__ubirec_writer_new(&w, ubi__atomic_file_write, &file, NULL, NULL);
 *     ubi__ubirec_write_about(w, &about);                                     once, before anything else
 *     ubi__ubirec_module(w, &module, &(ubi__ubirec_module_about){ ... });
 *     ubi__ubirec_native_frame(w, &frame, module, return_address - bias);
 *     ubi__ubirec_trace(w, &trace, caller, frame);                            caller: UBI__UBIREC_NO_TRACE at the outermost
 *     ubi__ubirec_info(w, &info, kind, size_bytes, trace, size_bytes);
 *     ubi__ubirec_write_time(w, now_ns);  ubi__ubirec_write_thread(w, thread);
 *     ubi__ubirec_write_alloc(w, &allocation, info);   ...   ubi__ubirec_write_free(w, allocation);
 *     ubi__ubirec_write_end(w, &end);  symbols may follow;  ubi__ubirec_finish(w);
 *
 * Functions named `write` put a record into the stream each time. The others look something up: what they are given is
 * numbered when it is new, and then becomes a record; given again, it has the same number. Numbers are dense, from 0.
 *
 * What is written is in the file as soon as its block is: when 256 KiB of records have gathered (16 KiB at the start,
 * so that a disk which is full soon has lost little), and at ubi__ubirec_flush, which the caller calls as often as it
 * wants to limit what can be lost. The format is in docs/formats/ubirec.md.
 *
 * Texts may be any bytes; they are copied. After a failure only _free is allowed: what is in the file is whole up to there.
 * Errors of all: UBI_ENOMEM, UBI_ELIMIT (2^32 - 2 of something), and those of `write`. For one thread.
 * Memory: 2.1 MiB, 20 to 24 bytes per trace, 36 to 40 per frame and info, and the strings.
 */
#ifndef UBI_RECORDING_UBIREC_WRITER_H
#define UBI_RECORDING_UBIREC_WRITER_H

#include "base/deflate.h"
#include "recording/residence.h"
#include "recording/ubirec_layout.h"
#include "recording/unrecorded.h"

typedef struct ubi__ubirec_writer ubi__ubirec_writer;

/** `write` gets the file from its first byte on, whole blocks at a time. @param allocator  or NULL. */
ubi_status ubi__ubirec_writer_new(ubi__ubirec_writer **out, ubi__write_fn write, void *payload,
                                  const ubi_allocator *allocator);
/** NULL is fine. What was not flushed is dropped. */
void ubi__ubirec_writer_free(ubi__ubirec_writer *w);
/** Makes a block of what has gathered and hands it on; nothing when there is nothing. */
ubi_status ubi__ubirec_flush(ubi__ubirec_writer *w);
/** As ubi__ubirec_flush, then the index, which ends the file: nothing may be written after it. */
ubi_status ubi__ubirec_finish(ubi__ubirec_writer *w);
/** Bytes handed to `write` so far. */
uint64_t ubi__ubirec_bytes_out(const ubi__ubirec_writer *w);
/** Allocations written so far; the next one has this number. */
uint64_t ubi__ubirec_allocation_count(const ubi__ubirec_writer *w);

/* ---- what is numbered --------------------------------------------------------------------------------------------- */

/** Equal ones, in all fields, are one; so are those of one build-id that lie nowhere, as two links to a file: it has the first path. */
ubi_status ubi__ubirec_module(ubi__ubirec_writer *w, uint32_t *out, const ubi__ubirec_module_about *module);
/**
 * Code in a module. @param offset  address less the module's bias. The address is a return address: readers look one byte
 * before it. Of code that was interrupted and did not call, that is, below a signal frame, it is the address plus one.
 */
ubi_status ubi__ubirec_native_frame(ubi__ubirec_writer *w, uint32_t *out, uint32_t module, uint64_t offset);
/** Code that no module has, such as of a JIT; a return address as above. */
ubi_status ubi__ubirec_raw_frame(ubi__ubirec_writer *w, uint32_t *out, uint64_t address);
/** A function of a script. @param line, column  from 1; 0: unknown. */
ubi_status ubi__ubirec_script_frame(ubi__ubirec_writer *w, uint32_t *out, ubi_text function, ubi_text file,
                                    uint32_t line, uint32_t column);
/** A frame that is only a text, such as "(truncated)". */
ubi_status ubi__ubirec_label_frame(ubi__ubirec_writer *w, uint32_t *out, ubi_text text);
/**
 * A frame and the trace that called it, or UBI__UBIREC_NO_TRACE (0, which is also the trace of what has no stack); so real
 * ones begin with 1.
 */
ubi_status ubi__ubirec_trace(ubi__ubirec_writer *w, uint32_t *out, uint32_t caller, uint32_t frame);
/** What was called to allocate, such as "malloc", "operator new[]", "mmap", "Array". */
ubi_status ubi__ubirec_kind(ubi__ubirec_writer *w, uint32_t *out, ubi_text word, ubi__ubirec_class class_of_kind);
/**
 * What allocations have in common.
 * @param size_bytes    that were asked for, at most UBI__UBIREC_SIZE_MAX.
 * @param weight_bytes  that one stands for: ubi__sample_weight_bytes() of the period at this time; size_bytes when exact. At
 *                      most UBI__UBIREC_SIZE_MAX.
 */
ubi_status ubi__ubirec_info(ubi__ubirec_writer *w, uint32_t *out, uint32_t kind, uint64_t size_bytes, uint32_t trace,
                            uint64_t weight_bytes);
/** What is asked about this info soon will not wait for memory. Any numbers. */
void ubi__ubirec_info_prefetch(const ubi__ubirec_writer *w, uint32_t kind, uint64_t size_bytes, uint32_t trace);
/** A thread, new at each call, for system ids come again. @param tid  its id in the system. `name` may be empty. */
ubi_status ubi__ubirec_thread(ubi__ubirec_writer *w, uint32_t *out, uint64_t tid, ubi_text name);

/* ---- what happens ------------------------------------------------------------------------------------------------- */

ubi_status ubi__ubirec_write_about(ubi__ubirec_writer *w, const ubi__ubirec_about *about);
/** What follows happens at this time, ns since the process began. The same or an earlier one: nothing happens. */
ubi_status ubi__ubirec_write_time(ubi__ubirec_writer *w, uint64_t time_ns);
/** What follows is done by this thread. The same again: nothing happens. Before the first: thread 0 must exist by then. */
ubi_status ubi__ubirec_write_thread(ubi__ubirec_writer *w, uint32_t thread);
ubi_status ubi__ubirec_write_thread_name(ubi__ubirec_writer *w, uint32_t thread, ubi_text name);
/** @param number  out: of the allocation, from 0 in steps of 1. */
ubi_status ubi__ubirec_write_alloc(ubi__ubirec_writer *w, uint64_t *number, uint32_t info);
/** The same of what has no number yet: ubi__ubirec_info() and this, in one call. */
ubi_status ubi__ubirec_write_alloc_of(ubi__ubirec_writer *w, uint64_t *number, uint32_t kind, uint64_t size_bytes,
                                      uint32_t trace, uint64_t weight_bytes);
/** Of what lives. */
ubi_status ubi__ubirec_write_free(ubi__ubirec_writer *w, uint64_t number);
/**
 * A free that did not happen after all (realloc without memory): allocation `number`, of this info, lives on. It is the next
 * thing that the thread of the free does.
 */
ubi_status ubi__ubirec_write_free_undone(ubi__ubirec_writer *w, uint64_t number, uint32_t info);
/** Of what lives: the process that had it ended, and did not free it. In recordings of several processes alone. */
ubi_status ubi__ubirec_write_left(ubi__ubirec_writer *w, uint64_t number);
/** A row of what resident memory is used for, which replaces those of other tables. @param name  NULL text: none. `row->name` counts not. */
ubi_status ubi__ubirec_write_use(ubi__ubirec_writer *w, const ubi__ubirec_use_row *row, ubi_text name);
/** All rows of a table of this number. */
ubi_status ubi__ubirec_write_uses(ubi__ubirec_writer *w, const ubi__residence *r, uint32_t table, uint64_t time_ns);
/** Resident memory of the process now. */
ubi_status ubi__ubirec_write_rss(ubi__ubirec_writer *w, uint64_t bytes);
/** The value of a counter by now; it counts from the start of the recording. */
ubi_status ubi__ubirec_write_counter(ubi__ubirec_writer *w, ubi__ubirec_counter counter, uint64_t value);
/** A program that was started `count` times and is not recorded. Once for each name and reason. */
ubi_status ubi__ubirec_write_started(ubi__ubirec_writer *w, ubi_text name, uint64_t count, ubi__unrecorded why);
/**
 * A process that is recorded in a file of its own from now on, of this program. @param suffix  of that file's
 * name, after the name of the first process's.
 */
ubi_status ubi__ubirec_write_companion(ubi__ubirec_writer *w, ubi_text suffix, ubi_text name);
/** From here on allocations are sampled with this period: infos have to be looked up again. */
ubi_status ubi__ubirec_write_period(ubi__ubirec_writer *w, uint64_t period_bytes);
ubi_status ubi__ubirec_write_marker(ubi__ubirec_writer *w, const ubi__ubirec_marker *marker);
/** Recording was paused, was started again, or its results were reset, at this time since the process began. */
ubi_status ubi__ubirec_write_action(ubi__ubirec_writer *w, ubi__ubirec_action action, uint64_t time_ns);
/**
 * What is at a frame's address: symbols[n], the innermost inlined function first, the one that has the code last. n 0: that
 * nothing is known. A later record about the same frame takes the place of an earlier one.
 */
ubi_status ubi__ubirec_write_symbols(ubi__ubirec_writer *w, uint32_t frame, const ubi__ubirec_symbol *symbols,
                                     size_t n);
/** How the recording ended. Once; events are not allowed after it, symbols and counters are. */
ubi_status ubi__ubirec_write_end(ubi__ubirec_writer *w, const ubi__ubirec_end *end);

#endif
