/* SPDX-License-Identifier: MIT
 *
 * export.c: a heap of one producer for the tools of another (ubiheap/views/export.h).
 */
#include <ubiheap/views/export.h>

#include "lenses/producer.h"

struct ubi_export {
    const ubi_allocator *allocator;
    const ubi_look *look;
    ubi_view view;
    const ubi__producer_code *code;
    ubi__code_files files; /* nothing where the producer does not know */
};

ubi_status ubi_export_new(ubi_export **out, const ubi_look *look, const ubi_export_options *given) {
    const ubi_export_options defaults = UBI_EXPORT_OPTIONS_INIT;
    const ubi_export_options *options = given ? given : &defaults;
    UBI_TRY(ubi__version_check(options->version, UBI_EXPORT_OPTIONS_VERSION, "ubi_export_options"));
    const ubi_allocator *a = ubi__allocator_or_default(options->allocator);
    ubi_export *e = UBI_NEW(a, ubi_export);
    if (!e)
        return ubi__fail_nomem();
    e->allocator = a;
    e->look = look;
    e->view = *ubi_look_view(look);
    if (options->with_all_edges) {
        e->view.edges = NULL;
        e->view.orphans = UBI_ORPHANS_IGNORE;
    }
    if (options->with_raw_sizes)
        e->view.size_bytes = NULL;
    ubi_status status = UBI_OK;
    e->code = &ubi__producer_of(look->graph)->code;
    if (e->code->files_init)
        status = e->code->files_init(&e->files, look->graph, a);
    if (status != UBI_OK) {
        ubi_export_free(e);
        return status;
    }
    *out = e;
    return UBI_OK;
}

void ubi_export_free(ubi_export *e) {
    if (!e)
        return;
    ubi__code_files_fini(&e->files, e->allocator);
    UBI_DELETE(e->allocator, e);
}

/* The lens may know better than the file whether a node is in its document; then it has another class. */
static ubi_status words_of_node(void *payload, ubi_node_ix node, ubi_node_words *out) {
    const ubi_export *e = payload;
    const ubi_kind *kind = ubi_graph_kind(e->look->graph, ubi_graph_node_kind(e->look->graph, node));
    if (kind->coarse_type == UBI_COARSE_DOM_NODE && ubi_look_detachedness(e->look, node) == UBI_DETACHED)
        out->class_name = out->descriptive_name = ubi_look_node_name(e->look, node);
    if (e->files.script && kind->script_filename == UBI_NONE)
        out->script_filename = e->code->file_of(&e->files, e->look->graph, node);
    return UBI_OK;
}

void ubi_export_apply(const ubi_export *e, ubi_save_options *save) {
    save->view = &e->view;
    save->words_of_node = words_of_node;
    save->words_of_node_payload = (void *)(uintptr_t)e;
}
