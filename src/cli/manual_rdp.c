/* SPDX-License-Identifier: MIT
 *
 * manual_rdp.c: the reference page of the remote protocol: actors, methods and events from their tables.
 */
#include "cli/manual.h"
#include "rdp/actors/actors.h"

static const char introduction[] =
    "# Remote protocol\n\n"
    "<!-- made by `ubiheap help --rdp`; edit the tables in src/rdp/actors/ and src/cli/manual_rdp.c -->\n\n"
    "[`ubiheap run --listen`](cli.md#run) lets clients of Firefox's remote debugging protocol look into a program: "
    "Firefox itself, by\n"
    "about:debugging, and the npm package foxdriver. Programs can embed the server (`ubiheap/server/rdp.h`), or have "
    "what the memory actor has\n"
    "without a wire (`ubiheap/server/memory_bridge.h`). What can be reached, and by whom, is in "
    "[Security](../security.md#the-remote-protocol).\n\n"
    "Column *works with*: clients that were seen to use the method with this server, in tests.\n\n";

static const char packets[] =
    "## Packets\n\n"
    "`LEN:JSON` is a packet, `bulk ACTOR TYPE LEN:BYTES` one of raw bytes; LEN counts bytes. A request has `to` (an "
    "actor) and `type`, a reply has "
    "`from`, an\n"
    "event `from` and `type`. The server begins with a greeting of `root`. Replies of one actor come in the order of "
    "its requests; events of an "
    "actor\n"
    "come after what it owes. A client that has sent neither `connect` nor `getRoot` may take any packet for a reply: "
    "it gets events of an actor when "
    "that\n"
    "had no request for 100 ms.\n\n"
    "An error is `{\"from\", \"error\", \"message\"}`:\n\n"
    "| `error` | when |\n|---|---|\n"
    "| `noSuchActor` | there is no actor with that id, or no longer |\n"
    "| `unrecognizedPacketType` | the actor has no such method |\n"
    "| `badParameterType` | an argument is of another kind |\n"
    "| `Error` | an argument is missing, the state is wrong, or the method failed |\n"
    "| `TypeError` | a value is out of its range |\n"
    "| `wrongParameter`, `noProcess`, `noTab` | of `getProcess`, `getTab` |\n"
    "| `NotFoundError` | there is no such snapshot |\n"
    "| `NS_ERROR_ILLEGAL_VALUE` | of `saveHeapSnapshot`: unknown boundaries |\n"
    "| `unknownError` | there was no memory for the reply |\n\n"
    "A packet that is not a JSON object is dropped. What is not a packet, or a request of more than 1 MiB, closes the "
    "connection. Other limits: "
    "10,000\n"
    "actors and 64 snapshots of a connection, 1,000 connections.\n\n"
    "## Differences from Firefox\n\n"
    "- `allocationsTimestamps` are microseconds since the epoch, as the documentation of the actor says; Firefox sends "
    "milliseconds since its "
    "start.\n"
    "  Times of `startRecordingAllocations`, `stopRecordingAllocations` and collections are milliseconds since the "
    "process started.\n"
    "- `frames` begins with null also when there are no frames; `summary` says how much was allocated since the "
    "recording began.\n"
    "- `measure` speaks of the target alone; that of the process of all its runtimes, with `runtimes`, `missing`, "
    "`resident` and `residentUnique` besides.\n"
    "- A forced collection is done by every runtime of the process, each on its own thread, and so is a `measure` of "
    "the process. A runtime that comes\n"
    "  to no safe point within 2 s, for it waits in code that is not the engine's, is not waited for: it collects when "
    "it comes.\n"
    "- The reply of `evaluateJSAsync` comes with the result, and its event in the same write.\n"
    "- Of a map or a set a preview has the properties, not the entries. Messages of before a client listened have "
    "texts "
    "in place of objects.\n"
    "- Ids of snapshots are `ubi-N`: a client would look for a number among its own files.\n"
    "- `readHeapSnapshot` is ours, for clients without bulk packets.\n\n";

static void fields_write(ubi__out *out, const ubi__rdp_field *fields) {
    static const char *const kinds[] = { "", "text", "number", "boolean", "object", "array" };
    for (const ubi__rdp_field *f = fields; f && f->name; f++) {
        ubi__out_printf(out, "%s`%s`", f == fields ? "" : "<br>", f->name);
        if (kinds[f->kind][0])
            ubi__out_printf(out, " (%s%s)", kinds[f->kind], f->need == UBI__RDP_OPTIONAL ? ", optional" : "");
        ubi__out_string(out, ": ");
        ubi__manual_cell(out, f->help);
    }
}

static void method_write(ubi__out *out, const ubi__rdp_method *m) {
    ubi__out_printf(out, "| `%s` | ", m->type);
    ubi__manual_cell(out, m->help);
    ubi__out_string(out, " | ");
    fields_write(out, m->arguments);
    ubi__out_string(out, " | ");
    if (m->is_one_way)
        ubi__out_string(out, "none");
    else
        fields_write(out, m->replies);
    ubi__out_printf(out, " | %s |\n", m->clients);
}

static void type_write(ubi__out *out, const ubi__rdp_actor_type *type) {
    ubi__out_printf(out, "### %s\n\n", type->name);
    ubi__out_printf(out, "%c%s.\n\n", (char)(type->help[0] & ~0x20), type->help + 1);
    if (type->methods)
        ubi__out_string(out, "| request | | arguments | reply | works with |\n|---|---|---|---|---|\n");
    for (const ubi__rdp_method *m = type->methods; m && m->type; m++)
        method_write(out, m);
    if (type->events)
        ubi__out_string(out, "\n| event | | members |\n|---|---|---|\n");
    for (const ubi__rdp_event *e = type->events; e && e->type; e++) {
        ubi__out_printf(out, "| `%s` | ", e->type);
        ubi__manual_cell(out, e->help);
        ubi__out_string(out, " | ");
        fields_write(out, e->fields);
        ubi__out_string(out, " |\n");
    }
    if (type->methods || type->events)
        ubi__out_char(out, '\n');
}

void ubi__manual_rdp_markdown(ubi__out *out) {
    ubi__out_string(out, introduction);
    ubi__out_string(out, packets);
    ubi__out_string(out, "## Actors\n\nEach actor also answers `requestTypes`, with the names of its methods.\n\n");
    for (const ubi__rdp_actor_type *const *type = ubi__rdp_actor_types; *type; type++)
        type_write(out, *type);
}
