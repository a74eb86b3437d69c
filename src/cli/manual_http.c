/* SPDX-License-Identifier: MIT
 *
 * manual_http.c: the reference page of the HTTP interface: routes, parameters, errors and schemas from their tables.
 */
#include <string.h>

#include "cli/manual.h"
#include "http/request.h"

static const char introduction[] =
    "# HTTP interface\n\n"
    "<!-- made by `ubiheap help --http`; edit the tables in src/http/ and src/cli/manual_http.c -->\n\n"
    "[`ubiheap serve`](cli.md#serve) answers questions about heaps by HTTP/1.1; [Ask over "
    "HTTP](../how-to/ask-over-http.md) shows how.\n"
    "Programs can embed the server (`ubiheap/server/http.h`). What can be reached, and by whom, is in\n"
    "[Security](../security.md#the-http-server).\n\n"
    "Each request needs the token of the address that the server prints: as `?token=` in the address, as the header\n"
    "`Authorization: Bearer TOKEN`, or as the cookie that the first visit with `?token=` sets. `Host` must name the "
    "server's address and\n"
    "port, and `Origin`, if it is there, must be the server's.\n\n";

static const char asking[] =
    "## Asking\n\n"
    "`GET /api/1/heaps/{heap}/{question}` answers with the document that `ubiheap QUESTION --json` prints, without the "
    "time that loading took:\n"
    "answers are kept. The names in the query are those of [the parameters in JSON](options.md):\n\n"
    "- a flag needs no value; else it is `true`, `1`, `false` or `0`;\n"
    "- a list is repeated, and ids of nodes may be between commas;\n"
    "- a breakdown is a name, or JSON.\n\n"
    "`POST` takes the same parameters as a JSON object in the body. Besides, the query can have:\n\n"
    "| name | |\n|---|---|\n"
    "| `with` | further heaps, their ids between commas or repeated, for questions that compare; the heap of the "
    "address is the first |\n"
    "| `format` | `document`, or `page` for the text that the command prints; other words are for questions with "
    "formats of their own |\n"
    "| `pageColumns` | of a page: 40 to 1000; default 100 |\n"
    "| `async` | answer at once with a job; the header `Prefer: respond-async` does the same |\n\n"
    "An answer is computed once for all that ask, and kept as long as there is memory. It has a strong `ETag` of all "
    "that "
    "it depends on: the\n"
    "files, the question with its parameters, and the version of ubiheap. `If-None-Match` is answered with 304 without "
    "computing anything, also\n"
    "by another server process. Answers of 1 KiB and more are compressed for clients that send `Accept-Encoding: "
    "gzip`.\n\n"
    "A client that leaves cancels what it alone waits for. One that has half-closed its connection counts as one that "
    "has left.\n\n";

static const char jobs[] = "## Jobs\n\n"
                           "With `async`, the answer is 202 and an `ubiheap.job/1`, whose `events` is a stream of "
                           "server-sent events: `progress`, at most ten times a\n"
                           "second, with the stage in words and its `fraction`, and `end` as the last. `answer` waits "
                           "for the answer, and has the code of the error\n"
                           "if there is one. The newest 64 jobs that are finished are kept. `DELETE` cancels a job for "
                           "all who wait for it.\n\n"
                           "Answers of the same question about the same heaps are one job, however many ask.\n\n";

static const char files[] =
    "## Files\n\n"
    "Downloads take one range of bytes (`Range`, `If-Range`). An upload is the body of `PUT /api/1/heaps?name=NAME` or "
    "`POST`, as it is: no form. It\n"
    "is deleted when its heap is closed and when the server ends; one that is cut leaves nothing. Uploads are written "
    "by a thread of their own: a slow\n"
    "disk delays uploads, and no other request. Downloads are sent by the one thread that has all connections, 128 KiB "
    "at "
    "a time; it waits for the\n"
    "disk only where these are not in the system's memory.\n\n"
    "## Live heaps\n\n"
    "A live heap (`/api/1/targets`) is one of the program that embeds the server, such as that of `ubiheap run --ui`, "
    "or a `--target` behind an address. "
    "Its `link` says where it "
    "is: `here`, which is saved at a safe point of its program, so that requests wait until then; `ended`, "
    "the same when its program has ended and its heap is still there; or behind an address "
    "`idle` (nothing was "
    "asked yet, or the last request was refused), `connected`, or `lost`, with the reason in `fault`. Whatever it is, "
    "the next request "
    "connects. One request is served at a time, others wait for it; cancelling one closes the connection.\n\n"
    "A recording of allocation stacks belongs to the connection and ends with it. A snapshot is a file of the "
    "server's: the program is not "
    "needed after that. One of an address that is given no `name` is called after the program and the time, as "
    "`127.0.0.1-6080-tab-2 2026-11-28 14.05.09 UTC`.\n\n";

static const char limits[] = "## Limits\n\n"
                             "| | |\n|---|---|\n"
                             "| address | 8 KiB, 8 segments, 128 values |\n"
                             "| headers | 32 KiB with the address |\n"
                             "| JSON body | 64 KiB |\n"
                             "| upload | `--max-upload`, 8 GiB |\n"
                             "| heaps | 64 open, 32 in one question |\n"
                             "| connections | 256, 128 of one address |\n"
                             "| requests that wait for a thread | 64, then 503 |\n"
                             "| an answer | a sixteenth of `--memory`, at most 64 MiB |\n"
                             "| a connection that is idle, or whose headers do not end | 30 seconds |\n"
                             "| a body, or a client that reads | 60 seconds, and one for each 16 KB |\n";

static const char refusals[] =
    "\nBesides: 405 (the method), 413 (the body), 414 (the address), 416 (the range). A server that is being stopped "
    "says 503.\n\n"
    "What is not a request comes no further than libmicrohttpd, which answers it in HTML and closes the connection; it "
    "has "
    "no way to say it\n"
    "otherwise. These are a request line (414) or headers (431) of more than about 31 KiB; a request without `Host`, a "
    "line "
    "of the headers without a colon, a\n"
    "negative `Content-Length`, and chunks that are malformed (400); a `Content-Length` of more than 64 bits (413); "
    "another "
    "version than HTTP/1 (505).\n"
    "Where there is no room left for an answer, or no request line at all, it closes the connection without one.\n\n";

void ubi__manual_cell(ubi__out *out, const char *text) {
    for (; *text; text++) {
        if (*text == '|')
            ubi__out_char(out, '\\');
        ubi__out_char(out, *text);
    }
}

/* A link to the schema, if it is the name of one. */
static void answer_cell(ubi__out *out, const char *answer) {
    const char *name = strstr(answer, "ubiheap.");
    const char *slash = name ? strchr(name, '/') : NULL;
    if (!slash) {
        ubi__manual_cell(out, answer);
        return;
    }
    ubi__out_printf(out, "%.*s[%s](schema/%.*s-%s.schema.json)", (int)(name - answer), answer, name,
                    (int)(slash - name), name, slash + 1);
}

static void routes_write(ubi__out *out) {
    ubi__out_string(out, "## Addresses\n\n| request | | query | answer |\n|---|---|---|---|\n");
    for (const ubi__http_route *r = ubi__http_routes; r->method; r++) {
        ubi__out_printf(out, "| `%s %s` | ", r->method, r->pattern);
        ubi__manual_cell(out, r->summary);
        ubi__out_string(out, " | ");
        ubi__manual_cell(out, r->query ? r->query : "");
        ubi__out_string(out, " | ");
        answer_cell(out, r->answer);
        ubi__out_string(out, " |\n");
    }
    ubi__out_string(out, "\n`HEAD` is possible where `GET` is. Another method is 405, with `Allow`.\n\n");
}

static void errors_write(ubi__out *out) {
    ubi__out_string(
        out, "## Errors\n\nAn error is a [`ubiheap.error/1`](schema/ubiheap.error-1.schema.json): `status`, a word "
             "for programs, and `message`, a line for people. Browsers, which ask for `text/html`, get a page in words "
             "instead.\n\n| code | `status` | |\n|---|---|---|\n");
    for (const ubi__http_error *e = ubi__http_errors; e->status != UBI_OK; e++)
        ubi__out_printf(out, "| %u | `%s` | %s |\n", e->code, e->name, e->meaning);
    ubi__out_string(out, refusals);
}

static void schema_link(ubi__out *out, const char *schema) {
    const char *slash = schema ? strchr(schema, '/') : NULL;
    if (slash)
        ubi__out_printf(out, "[%s](schema/%.*s-%s.schema.json)", schema, (int)(slash - schema), schema, slash + 1);
}

static void questions_write(ubi__out *out) {
    ubi__out_string(
        out,
        "## Questions\n\n| question | of a heap | of a recording | of a timeline | heaps |\n|---|---|---|---|---|\n");
    for (const ubi__question *const *q = ubi__questions; *q; q++) {
        ubi__out_printf(out, "| [`%s`](options.md#%s) | ", (*q)->usage->name, (*q)->usage->name);
        schema_link(out, (*q)->schema);
        ubi__out_string(out, " | ");
        schema_link(out, (*q)->recording_schema);
        ubi__out_string(out, " | ");
        schema_link(out, (*q)->timeline_schema);
        ubi__out_printf(out, " | %u", (*q)->least_heaps);
        if ((*q)->most_heaps == UBI__ANY_NUMBER)
            ubi__out_string(out, " or more");
        else if ((*q)->most_heaps > (*q)->least_heaps)
            ubi__out_printf(out, " or %u", (*q)->most_heaps);
        ubi__out_string(out, " |\n");
    }
    ubi__out_string(out, "\n");
}

void ubi__manual_http_markdown(ubi__out *out) {
    ubi__out_string(out, introduction);
    routes_write(out);
    ubi__out_string(out, asking);
    questions_write(out);
    ubi__out_string(out, jobs);
    ubi__out_string(out, files);
    errors_write(out);
    ubi__out_string(out, limits);
}
