/* SPDX-License-Identifier: MIT
 *
 * manual_rdp.c: the reference page of the remote protocol: actors, methods and events from their tables.
 */
#include "cli/manual.h"

#include <string.h>

#include "rdp/actors/actors.h"

static const char introduction[] =
    "# Remote protocol\n\n"
    "<!-- made by `ubiheap help --rdp`; edit the tables in src/rdp/actors/ and src/cli/manual_rdp.c -->\n\n"
    "[`ubiheap run --listen`](cli.md#run) lets clients of Firefox's remote debugging protocol look into a program: "
    "Firefox itself, by\n"
    "about:debugging, and packages of npm: foxdriver, firefox-debugadapter. [`ubiheap record --listen`](cli.md#record) "
    "offers recorded native "
    "processes, whose memory\n"
    "actors know sizes and allocations, and whose recording is their memory profiler: requests about objects fail, "
    "with "
    "a message that says so. Programs can embed the server "
    "(`ubiheap/server/rdp.h`), or have "
    "what the memory actor has\n"
    "without a wire (`ubiheap/server/memory_bridge.h`). What can be reached, and by whom, is in "
    "[Security](../security.md#the-remote-protocol).\n\n"
    "Column *driven by*: clients that tests drive with this server, through a relay that notes what they ask for "
    "(`tests/rdp/witness.py`): what they\n"
    "ask for is here, and nothing else. The other requests have tests of ours alone.\n\n";

/* What the documentation of foxdriver's memory actor says, of which this server is one. */
static const struct {
    const char *type, *words;
} memory_words[] = {
    { "attach", "Attach to this MemoryBridge. This attaches the MemoryBridge's Debugger instance so that you can start "
                "recording allocations or take a census of the heap. In addition, the MemoryBridge will start emitting "
                "GC events." },
    { "detach", "Detach from this MemoryBridge." },
    { "getState", "Gets the current MemoryBridge attach/detach state." },
    { "takeCensus", "Take a census of the heap." },
    { "startRecordingAllocations", "Start recording allocation sites." },
    { "stopRecordingAllocations", "Stop recording allocation sites." },
    { "getAllocationsSettings", "Return settings used in startRecordingAllocations for probability and maxLogLength." },
    { "getAllocations", "Get a list of the most recent allocations since the last time we got allocations, as well as "
                        "a summary of all allocations since we've been recording." },
    { "forceGarbageCollection", "Force a browser-wide GC." },
    { "forceCycleCollection", "Force an XPCOM cycle collection." },
    { "measure", "A method that returns a detailed breakdown of the memory consumption of the associated window." },
    { "saveHeapSnapshot",
      "Save a heap snapshot scoped to the current debuggees' portion of the heap graph. Returns the snapshot id." },
};

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
    "| `connectionRefused` | of `root`, in place of its greeting: this client may not enter; then the connection is "
    "closed |\n"
    "| `noSuchActor` | there is no actor with that id, or no longer |\n"
    "| `tabDestroyed` | the program or worker has ended while it was asked |\n"
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
    "- `measure` speaks of the target alone; that of the process of all its runtimes, each with its size in "
    "`runtimeSizes`, with `resident` and `residentUnique` besides.\n"
    "- Counts and snapshots of the process are of all its runtimes, each counted or captured at a safe point of its "
    "own: not all at one moment. What a\n"
    "  snapshot has of one is below a root with its title. Allocations of the process are those of its first runtime: "
    "others have actors of their own.\n"
    "- A forced collection is done by every runtime of the process, each on its own thread, and so is a `measure` of "
    "the process. A runtime that comes\n"
    "  to no safe point within 2 s, for it waits in code that is not the engine's, is not waited for: it collects when "
    "it comes. Until then no request\n"
    "  waits for it again. Replies name those that are missing.\n"
    "- A tab navigates when its host makes a new global in place of the one before (`ubi_rdp_server_navigated`). "
    "Its target stays, with all its actors:\n"
    "  `tabNavigated` and `document-event` say what happened, what is attached stays so, and frames begin at 0 again. "
    "`listFrames` has no frames, so there\n"
    "  is no `frameUpdate`.\n"
    "- The reply of `evaluateJSAsync` comes with the result, and its event in the same write.\n"
    "- Of a map or a set a preview has the properties, not the entries. Messages of before a client listened have "
    "texts "
    "in place of objects.\n"
    "- What waits for the heap waits for a safe point, and the program waits while it is done: that is "
    "[`ubiheap::Pause`](timeline.md#what-ubiheap-itself-marks) on its\n"
    "  timeline. The reply of `saveHeapSnapshot` says how long it was.\n"
    "- A timeline's `ticks` are moments when the program came back to its event loop, for it draws no frames; each "
    "event "
    "has those since the one before.\n"
    "  What is left when it is stopped is sent. With `withMemory`, pulls are rarer where measuring takes long.\n"
    "- Of a native program, allocations are those that its recording has: `startRecordingAllocations` starts that "
    "where it is paused, and in a "
    "sampled one an allocation is a sample, with the size that it stands for. Frames are those of the program, with "
    "inlined functions.\n"
    "- Of `memprof`, Firefox had it until version 55; null in place of results that there are not.\n"
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

static const ubi__rdp_method *method_find(const ubi__rdp_actor_type *type, const char *name) {
    const ubi__rdp_method *m = type->methods;
    while (m->type && strcmp(m->type, name) != 0)
        m++;
    return m->type ? m : NULL;
}

static void memory_words_write(ubi__out *out) {
    ubi__out_string(
        out, "## The memory actor, beside its documentation\n\nThe methods that the documentation of "
             "foxdriver has, in its words:\n\n| request | its documentation | works, driven by |\n|---|---|---|\n");
    for (size_t i = 0; i < sizeof memory_words / sizeof *memory_words; i++) {
        const ubi__rdp_method *m = method_find(&ubi__rdp_memory_type, memory_words[i].type);
        ubi__out_printf(out, "| `%s` | %s | %s |\n", memory_words[i].type, memory_words[i].words,
                        m ? m->clients : "no");
    }
    ubi__out_char(out, '\n');
}

static void type_write(ubi__out *out, const ubi__rdp_actor_type *type) {
    ubi__out_printf(out, "### %s\n\n", type->name);
    ubi__out_printf(out, "%c%s.\n\n", (char)(type->help[0] & ~0x20), type->help + 1);
    if (type->methods)
        ubi__out_string(out, "| request | | arguments | reply | driven by |\n|---|---|---|---|---|\n");
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
    memory_words_write(out);
    ubi__out_string(out, "## Actors\n\nEach actor also answers `requestTypes`, with the names of its methods.\n\n");
    for (const ubi__rdp_actor_type *const *type = ubi__rdp_actor_types; *type; type++)
        type_write(out, *type);
}
