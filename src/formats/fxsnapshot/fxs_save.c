/* SPDX-License-Identifier: MIT
 *
 * fxs_save.c: fxsnapshot as a format to save in: metadata and nodes.
 */
#include "formats/fxsnapshot/fxs_save.h"

#include "base/text.h"
#include "formats/save_format.h"

#define NODES_PER_PROGRESS 4096 /* power of two */

/* ---- metadata, nodes ---------------------------------------------------------------------------------------------- */

ubi_status ubi__fxs_save_begin(ubi__fxs_save *s, const uint64_t *time_us) {
    const ubi_save_options *o = s->options;
    const char *writer = o->writer && *o->writer ? o->writer : "ubiheap " UBI_VERSION_STRING;
    ubi__fxs_metadata metadata = { .has_time = o->has_time || time_us, .writer = ubi__text(writer) };
    if (metadata.has_time)
        metadata.time_us = o->has_time ? o->time_us : *time_us;
    return ubi__fxs_encode_begin(s->encoder, &metadata);
}

ubi_status ubi__fxs_save_node(ubi__fxs_save *s, const ubi__fxs_node *node) {
    UBI_TRY(ubi__fxs_encode_node(s->encoder, node));
    uint64_t n = ubi__fxs_encode_node_count(s->encoder);
    if ((n & (NODES_PER_PROGRESS - 1)) == 1 && !ubi__progress(&s->options->progress, "writing", n, s->n_total))
        return ubi__fail_cancelled();
    return UBI_OK;
}

/* ---- the format ---------------------------------------------------------------------------------------------------- */

static void init_save(ubi__fxs_save *s, const ubi_save_options *options) {
    *s = (ubi__fxs_save){ .allocator = ubi__allocator_or_default(options->allocator), .options = options };
    for (int role = 0; role < UBI_TEXT_ROLE_COUNT; role++)
        ubi__strtab_init(&s->mapped[role].texts, s->allocator);
}

static void fini_save(ubi__fxs_save *s) {
    for (int role = 0; role < UBI_TEXT_ROLE_COUNT; role++) {
        ubi__strtab_fini(&s->mapped[role].texts);
        ubi__vec_u32_fini(&s->mapped[role].handle, s->allocator);
    }
    ubi__vec_u8_fini(&s->scratch, s->allocator);
    ubi__vec_u32_fini(&s->handle_of_number, s->allocator);
    ubi__fxs_encode_free(s->encoder);
}

static void save_info_fill(ubi_save_info *info, const ubi__fxs_encoder *encoder) {
    ubi__fxs_totals totals = ubi__fxs_encode_totals(encoder);
    *info = (ubi_save_info){ .stream_bytes = totals.stream_bytes,
                             .node_count = totals.nodes,
                             .edge_count = totals.edges,
                             .string_count = totals.strings,
                             .frame_count = totals.frames,
                             .cut_stacks = totals.cut_stacks };
}

static ubi_status save_fxsnapshot(const ubi__save_subject *what, const ubi_save_options *options, ubi__write_fn write,
                                  void *payload, ubi_save_info *info) {
    ubi__fxs_save s;
    init_save(&s, options);
    ubi_status status = ubi__fxs_encode_new(&s.encoder, write, payload, s.allocator);
    if (status == UBI_OK)
        status = what->graph ? ubi__fxs_save_graph(&s, what->graph) : ubi__fxs_save_walk(&s, what->root);
    if (status == UBI_OK)
        status = ubi__fxs_encode_end(s.encoder);
    if (status == UBI_OK)
        save_info_fill(info, s.encoder);
    fini_save(&s);
    return status;
}

const ubi__save_format ubi__save_format_fxsnapshot = {
    .about = { "fxsnapshot", ".fxsnapshot", "Firefox's format: everything, for Firefox and for ubiheap" },
    .saves_walks = true,
    .saves_views = true,
    .save = save_fxsnapshot,
};
