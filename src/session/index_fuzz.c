/* SPDX-License-Identifier: MIT
 *
 * index_fuzz.c: any bytes as the index of a heap or of a recording.
 *
 * The first byte chooses: the rest is the file, as it is or with checksums made right; or it is made into a heap or a recording, whose
 * index is then changed at places that the bytes name, and sealed again. Promises checked: no read outside of the bytes, no leak; what is
 * refused is refused as damaged, in one line; what is taken can be asked about each node, edge, string and class, or stack and sum.
 */
#include "fuzz_heaps.h"
#include "fuzz_recording.h"
#include "packed_recording.h"
#include "saving.h"

/* From here on the first byte is of recordings; the last two are the file. */
#define RECORDINGS 240
#define RECORDING_BYTES 254

static void require_line(void) {
    require(ubi_error_message()[0] && !strchr(ubi_error_message(), '\n'), "message is not one line");
}

static void unpack_try(packed_bytes packed) {
    packed_heap heap;
    ubi_status status = heap_unpack(&heap, packed, 1, NULL);
    if (status == UBI_OK)
        (void)packed_heap_visit(&heap);
    else {
        require(status == UBI_EFORMAT, "refused for another reason than damage");
        require_line();
    }
    heap_release(&heap);
}

static void recording_unpack_try(packed_bytes packed) {
    packed_recording recording;
    ubi_status status = recording_unpack(&recording, packed, NULL);
    if (status == UBI_OK)
        (void)packed_recording_visit(&recording);
    else {
        require(status == UBI_EFORMAT, "refused for another reason than damage");
        require_line();
    }
    recording_release(&recording);
}

/** Up to eight changes, each a place and a byte, taken from the beginning of the input. */
typedef struct fuzz_changes {
    struct {
        uint32_t at;
        uint8_t byte;
    } rows[8];
    uint32_t n;
} fuzz_changes;

static fuzz_changes changes_take(feeder *f) {
    fuzz_changes changes = { .n = fuzz_take(f) % 8 + 1u };
    for (uint32_t i = 0; i < changes.n; i++) {
        uint32_t high = fuzz_take(f), low = fuzz_take(f);
        changes.rows[i].at = high << 8 | low;
        changes.rows[i].byte = fuzz_take(f);
    }
    return changes;
}

/* Behind the header, most of which is empty. */
static void changes_make(packed_bytes packed, const fuzz_changes *changes) {
    for (uint32_t i = 0; i < changes->n; i++)
        packed.at[UBI__COLUMN_HEADER_BYTES + changes->rows[i].at % (packed.n - UBI__COLUMN_HEADER_BYTES)] ^=
            changes->rows[i].byte;
    packed_seal(packed);
}

/* The rest of the input makes the heap. */
static void changed_heap_try(feeder *f, fuzz_producer producer) {
    fuzz_changes changes = changes_take(f);
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    packed_bytes packed;
    fuzz_heaps_start(f);
    ubi_graph *made = fuzz_heap(producer);
    options.format = producer == FUZZ_FIREFOX ? "fxsnapshot" : "heapsnapshot";
    ubi_graph *graph = graph_round_trip(made, &options);
    require(heap_pack(&packed, graph, NULL) == UBI_OK, "a heap cannot be packed");
    changes_make(packed, &changes);
    unpack_try(packed);
    packed_free(packed);
    ubi_graph_unref(graph);
    ubi_graph_unref(made);
}

/* The rest of the input is the records. */
static void changed_recording_try(feeder *f) {
    fuzz_changes changes = changes_take(f);
    ubi__recording_summary summary;
    ubi__source source;
    packed_bytes packed;
    bytes file = fuzz_recording_of(f->at, f->left < UBI__UBIREC_BLOCK_RAW_MAX ? f->left : UBI__UBIREC_BLOCK_RAW_MAX);
    ubi__source_open_memory(&source, file.at, file.n, ubi_allocator_default());
    if (ubi__recording_summary_read(&summary, &source, NULL, NULL) == UBI_OK) {
        ubi__sites sites;
        require(ubi__sites_init(&sites, &summary, true, NULL) == UBI_OK, "a recording has no places");
        require(recording_pack(&packed, &summary, &sites, NULL) == UBI_OK, "a recording cannot be packed");
        ubi__sites_fini(&sites);
        recording_unpack_try(packed);
        changes_make(packed, &changes);
        recording_unpack_try(packed);
        packed_free(packed);
        ubi__recording_summary_fini(&summary);
    }
    ubi__source_close(&source);
    bytes_free(&file);
}

/* The rest of the input is the index, with its checksums made right or not. */
static void bytes_try(feeder *f, bool is_sealed, void (*unpack)(packed_bytes packed)) {
    packed_bytes packed = packed_copy((packed_bytes){ (uint8_t *)(uintptr_t)f->at, f->left });
    if (is_sealed)
        packed_seal(packed);
    unpack(packed);
    packed_free(packed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    feeder f = { data, size };
    uint8_t choice = fuzz_take(&f);
    if (choice < 2)
        bytes_try(&f, choice == 1, unpack_try);
    else if (choice >= RECORDING_BYTES)
        bytes_try(&f, choice == RECORDING_BYTES, recording_unpack_try);
    else if (choice >= RECORDINGS)
        changed_recording_try(&f);
    else
        changed_heap_try(&f, (fuzz_producer)(choice % FUZZ_PRODUCERS));
    return 0;
}
