/* SPDX-License-Identifier: MIT
 *
 * run_report.c: what is printed when the script has ended: the census of --census-at, or the document of --json.
 */
#include <stdio.h>

#include "base/status.h"
#include "cli/cli_files.h"
#include "cli/commands/run/run.h"
#include "cli/option_files.h"
#include "cli/terminal.h"
#include "render/result_json.h"

/* ---- the census --------------------------------------------------------------------------------------------------- */

static ubi_status census_take(ubi_census **out, const ubi__run *run, const ubi__breakdown_choice *choice,
                              const ubi__script_runtime *runtime) {
    ubi_census_options options = UBI_CENSUS_OPTIONS_INIT;
    options.progress = ubi__progress_line_callbacks(&run->cli->progress);
    options.compat = run->cli->compat;
    ubi_status status = ubi_target_census(out, runtime->target, NULL, choice->breakdown, &options);
    ubi__progress_line_clear(&run->cli->progress);
    return status;
}

static ubi_status census_write_tree(const ubi__run *run, const ubi__breakdown_choice *choice, const ubi_census *census,
                                    ubi__json *json) {
    ubi_census_tree_options options = ubi__breakdown_tree_options(&run->arguments->by, choice);
    ubi__census_text_options text = ubi__breakdown_text_options(&run->arguments->by, choice, run->cli->compat);
    ubi_census_tree *tree;
    UBI_TRY(ubi_census_tree_new(&tree, census, &options));
    ubi_status status = json ? ubi__render_census_tree(json, tree)
                             : ubi__render_census_text(run->cli->page.out, &run->cli->page.style, tree, &text);
    ubi_census_tree_free(tree);
    return status;
}

static ubi_status census_put(const ubi__run *run, ubi__json *json, const ubi_census *census) {
    ubi__breakdown_write_json(json, run->breakdown);
    if (ubi__breakdown_wants_tree(&run->arguments->by)) {
        ubi__json_key(json, "tree");
        return census_write_tree(run, run->breakdown, census, json);
    }
    ubi__json_key(json, "report");
    return ubi__render_report(json, ubi_census_report(census));
}

/* ---- the document ------------------------------------------------------------------------------------------------- */

static void snapshot_put(ubi__json *json, const ubi__run_snapshot *s) {
    ubi__json_object_begin(json);
    ubi__json_member_string(json, "file", s->file);
    ubi__json_member_string(json, "trigger", ubi__run_trigger_names[s->trigger]);
    ubi__json_member_u64(json, "worker", s->worker);
    ubi__json_member_u64(json, "nodeCount", s->info.node_count);
    ubi__json_member_u64(json, "edgeCount", s->info.edge_count);
    ubi__json_member_u64(json, "fileSize", s->info.output_bytes);
    ubi__json_object_end(json);
}

static void log_put(ubi__json *json, const ubi__run *run) {
    ubi__json_member_object(json, "allocationLog");
    ubi__json_member_string(json, "file", run->arguments->allocation_log);
    ubi__json_member_u64(json, "entries", run->log.entries);
    ubi__json_member_bool(json, "lost", run->log.has_lost_some);
    ubi__json_object_end(json);
}

static void timeline_put(ubi__json *json, const ubi__run *run) {
    ubi__json_member_object(json, "timeline");
    ubi__json_member_string(json, "file", run->arguments->timeline);
    ubi__json_member_u64(json, "markers", run->timeline.markers);
    ubi__json_member_u64(json, "lost", run->timeline.lost);
    ubi__json_object_end(json);
}

static ubi_status document_write(const ubi__run *run, const ubi_census *census, int exit_code) {
    ubi__json json;
    ubi_status status = UBI_OK;
    ubi__document_begin(&json, run->cli, "ubiheap.run/1", run->script);
    ubi__json_member_u64(&json, "exitCode", (uint64_t)exit_code);
    ubi__json_member_array(&json, "snapshots");
    for (size_t i = 0; i < run->snapshots.n; i++)
        snapshot_put(&json, &run->snapshots.at[i]);
    ubi__json_array_end(&json);
    if (run->arguments->allocation_log)
        log_put(&json, run);
    if (run->arguments->timeline)
        timeline_put(&json, run);
    if (census)
        status = census_put(run, &json, census);
    ubi__document_end(&json);
    return status;
}

static ubi_status output_write(const ubi__run *run, const ubi_census *census, int exit_code) {
    if (run->cli->common.wants_json)
        return document_write(run, census, exit_code);
    return census ? census_write_tree(run, run->breakdown, census, NULL) : UBI_OK;
}

/* ---- where it goes ------------------------------------------------------------------------------------------------ */

/* Leaves standard output to the script. Large, so not on the stack. */
static ubi__standard_output file_output;

/* Errors are about the script; this one is about a file of ours. */
static ubi_status output_fail(const ubi__run *run, ubi_status status) {
    char why[256];
    snprintf(why, sizeof why, "%s", ubi_error_message());
    return ubi__fail(status, "%s: %s", run->arguments->output, why);
}

static ubi_status output_write_file(ubi__run *run, const ubi_census *census, int exit_code) {
    const char *subject = run->cli->subject;
    ubi__standard_output *standard = run->cli->output;
    const ubi__page page = run->cli->page;
    ubi__output_file file;
    ubi_status status = ubi__output_file_open(&file, run->cli, run->arguments->output);
    run->cli->subject = subject;
    if (status != UBI_OK)
        return output_fail(run, status);
    ubi__standard_output_init(&file_output, file.file.fd);
    run->cli->output = &file_output;
    run->cli->page =
        (ubi__page){ .out = &file_output.out, .style = ubi__terminal_style(file.file.fd, run->cli->common.color) };
    status = output_write(run, census, exit_code);
    if (status == UBI_OK && ubi__out_flush(&file_output.out) != UBI_OK)
        status = ubi__fail_errno(file_output.error, "cannot write");
    run->cli->output = standard;
    run->cli->page = page;
    status = ubi__output_file_close(&file, status);
    return status == UBI_OK || status == UBI_ECANCELLED ? status : output_fail(run, status);
}

ubi_status ubi__run_report(ubi__run *run, const ubi__script_runtime *runtime, int exit_code) {
    ubi_census *census = NULL;
    if (run->settings.wants_census)
        UBI_TRY(census_take(&census, run, run->breakdown, runtime));
    ubi_status status =
        run->arguments->output ? output_write_file(run, census, exit_code) : output_write(run, census, exit_code);
    ubi_census_free(census);
    return status;
}

static ubi_status census_print(ubi__run *run, const ubi__breakdown_choice *choice, const ubi__script_runtime *runtime) {
    ubi_census *census;
    UBI_TRY(census_take(&census, run, choice, runtime));
    ubi_status status = census_write_tree(run, choice, census, NULL);
    ubi_census_free(census);
    return status;
}

ubi_status ubi__run_census(ubi__run *run, const ubi__script_runtime *runtime, const char *breakdown) {
    ubi__breakdown_choice choice = { 0 };
    if (!breakdown)
        return census_print(run, run->breakdown, runtime);
    ubi__breakdown_spec spec = { .text = breakdown };
    ubi_status status = ubi__breakdown_file_read(&spec);
    if (status == UBI_OK)
        status = ubi__breakdown_choose(&choice, &spec, "run", run->cli->compat);
    if (status == UBI_OK)
        status = census_print(run, &choice, runtime);
    ubi__breakdown_choice_fini(&choice);
    ubi__vec_u8_fini(&spec.file, ubi_allocator_default());
    return status;
}
