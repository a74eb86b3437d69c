/* SPDX-License-Identifier: MIT
 *
 * index_fuzz.c: any bytes as the index of a heap.
 *
 * The first byte chooses: the rest is the file, as it is or with checksums made right; or it is made into a heap, whose index is then
 * changed at places that the bytes name, and sealed again. Promises checked: no read outside of the bytes, no leak; what is refused is
 * refused as damaged, in one line; what is taken can be asked about each node, edge, string and class.
 */
#include "fuzz_heaps.h"
#include "packed_heap.h"
#include "saving.h"

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

/* Up to eight changes, each a place and a byte, taken from the beginning of the input; the rest makes the heap. */
static void changed_heap_try(feeder *f, fuzz_producer producer) {
    struct {
        uint32_t at;
        uint8_t byte;
    } changes[8];
    uint32_t n_changes = fuzz_take(f) % 8 + 1u;
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    packed_bytes packed;
    for (uint32_t i = 0; i < n_changes; i++) {
        uint32_t high = fuzz_take(f), low = fuzz_take(f);
        changes[i].at = high << 8 | low;
        changes[i].byte = fuzz_take(f);
    }
    fuzz_heaps_start(f);
    ubi_graph *made = fuzz_heap(producer);
    options.format = producer == FUZZ_FIREFOX ? "fxsnapshot" : "heapsnapshot";
    ubi_graph *graph = graph_round_trip(made, &options);
    require(heap_pack(&packed, graph, NULL) == UBI_OK, "a heap cannot be packed");
    for (uint32_t i = 0; i < n_changes; i++) /* behind the header, most of which is empty */
        packed.at[UBI__COLUMN_HEADER_BYTES + changes[i].at % (packed.n - UBI__COLUMN_HEADER_BYTES)] ^= changes[i].byte;
    packed_seal(packed);
    unpack_try(packed);
    packed_free(packed);
    ubi_graph_unref(graph);
    ubi_graph_unref(made);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    feeder f = { data, size };
    uint8_t choice = fuzz_take(&f);
    if (choice < 2) {
        packed_bytes packed = packed_copy((packed_bytes){ (uint8_t *)(uintptr_t)f.at, f.left });
        if (choice == 1)
            packed_seal(packed);
        unpack_try(packed);
        packed_free(packed);
    } else
        changed_heap_try(&f, (fuzz_producer)(choice % FUZZ_PRODUCERS));
    return 0;
}
