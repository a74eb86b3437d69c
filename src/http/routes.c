/* SPDX-License-Identifier: MIT
 *
 * routes.c: what can be asked for by HTTP: the table, which is also the source of the reference page, and the search in it.
 */
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/status.h"
#include "http/request.h"

const ubi__http_route ubi__http_routes[] = {
    { UBI__HTTP_FRONT, "GET", "/", UBI__HTTP_NO_BODY, NULL, "text/html",
      "the web page, for browsers that ask for `text/html`; for others, and in a build without it, what is open, with "
      "links" },
    { UBI__HTTP_PAGE_FILE, "GET", "/assets/{file}", UBI__HTTP_NO_BODY, NULL,
      "text/javascript, text/css or image/svg+xml", "a file of the web page" },
    { UBI__HTTP_ROUTES, "GET", "/api/1", UBI__HTTP_NO_BODY, NULL, "ubiheap.routes/1", "lists these routes" },
    { UBI__HTTP_HEAPS, "GET", "/api/1/heaps", UBI__HTTP_NO_BODY, NULL, "ubiheap.heaps/1",
      "lists what is open: heaps, recordings, timelines" },
    { UBI__HTTP_HEAP_OPEN, "POST", "/api/1/heaps", UBI__HTTP_JSON_BODY, NULL, "201, ubiheap.heap/1",
      "opens a file below a folder of `--root`: `{\"path\": \"...\"}`; or again, as it is now, the file of one that is "
      "open: `{\"again\": \"h1\"}`" },
    { UBI__HTTP_HEAP_UPLOAD, "PUT", "/api/1/heaps", UBI__HTTP_FILE_BODY, "name", "201, ubiheap.heap/1",
      "uploads a file, which is the body, and opens it; it is deleted when it is closed, or the server ends" },
    { UBI__HTTP_HEAP, "GET", "/api/1/heaps/{heap}", UBI__HTTP_NO_BODY, NULL, "ubiheap.heap/1", "describes one" },
    { UBI__HTTP_HEAP_CLOSE, "DELETE", "/api/1/heaps/{heap}", UBI__HTTP_NO_BODY, NULL, "204",
      "closes it, and deletes its file if it was uploaded or saved" },
    { UBI__HTTP_HEAP_FILE, "GET", "/api/1/heaps/{heap}/file", UBI__HTTP_NO_BODY, NULL, "application/octet-stream",
      "downloads its file; also a range of its bytes" },
    { UBI__HTTP_FILES, "GET", "/api/1/files", UBI__HTTP_NO_BODY, NULL, "ubiheap.files/1",
      "lists the files below the folders of `--root` that can be opened" },
    { UBI__HTTP_QUESTIONS, "GET", "/api/1/questions", UBI__HTTP_NO_BODY, NULL, "ubiheap.questions/1",
      "lists the questions and their parameters" },
    { UBI__HTTP_ASK, "GET", "/api/1/heaps/{heap}/{question}", UBI__HTTP_NO_BODY,
      "parameters of the question; with, format, pageColumns, async", "the question's document",
      "asks a question; with `async`: 202 and a job" },
    { UBI__HTTP_ASK, "POST", "/api/1/heaps/{heap}/{question}", UBI__HTTP_JSON_BODY, "with, format, pageColumns, async",
      "the question's document", "the same; the parameters are the body, a JSON object" },
    { UBI__HTTP_JOBS, "GET", "/api/1/jobs", UBI__HTTP_NO_BODY, NULL, "ubiheap.jobs/1",
      "lists what waits and runs, and the jobs that are kept" },
    { UBI__HTTP_JOB, "GET", "/api/1/jobs/{job}", UBI__HTTP_NO_BODY, NULL, "ubiheap.job/1", "says how far a job is" },
    { UBI__HTTP_JOB_CANCEL, "DELETE", "/api/1/jobs/{job}", UBI__HTTP_NO_BODY, NULL, "204",
      "cancels it; one that is finished goes" },
    { UBI__HTTP_JOB_EVENTS, "GET", "/api/1/jobs/{job}/events", UBI__HTTP_NO_BODY, NULL, "text/event-stream",
      "server-sent events `progress`, and `end` as the last; each has an ubiheap.job/1 as data" },
    { UBI__HTTP_JOB_ANSWER, "GET", "/api/1/jobs/{job}/answer", UBI__HTTP_NO_BODY, NULL, "the job's answer",
      "waits for the answer of a job" },
    { UBI__HTTP_TARGETS, "GET", "/api/1/targets", UBI__HTTP_NO_BODY, NULL, "ubiheap.targets/1",
      "lists live heaps: those of `--target`, of `ubiheap run --ui`, or that the program that embeds the server has "
      "added" },
    { UBI__HTTP_TARGET, "GET", "/api/1/targets/{target}", UBI__HTTP_NO_BODY, NULL, "ubiheap.target/1",
      "describes one, without asking it" },
    { UBI__HTTP_TARGET_SAVE, "POST", "/api/1/targets/{target}/heaps", UBI__HTTP_NO_BODY, "name, async",
      "201, ubiheap.heap/1", "saves a live heap, and opens what was saved" },
    { UBI__HTTP_TARGET_COLLECT, "POST", "/api/1/targets/{target}/collections", UBI__HTTP_NO_BODY, "async",
      "ubiheap.target/1", "has garbage collected" },
    { UBI__HTTP_TARGET_MEASURE, "GET", "/api/1/targets/{target}/measure", UBI__HTTP_NO_BODY, "async",
      "ubiheap.measure/1", "measures its memory by use" },
    { UBI__HTTP_TARGET_RECORD, "PUT", "/api/1/targets/{target}/recording", UBI__HTTP_JSON_BODY, "async",
      "ubiheap.target/1",
      "switches the recording of allocation stacks, which snapshots then have: `{\"isOn\": true}`, and perhaps "
      "`\"probability\": 0.1` and `\"maxLogLength\": 5000`; one that is on begins again" },
    { .method = NULL },
};

/* ---- search ----------------------------------------------------------------------------------------------------------- */

/* The segment of the pattern at `at`, which it moves to the next. */
static bool segment_fits(const char **at, const char *segment) {
    const char *begin = *at + 1;
    size_t n = strcspn(begin, "/");
    *at = begin + n;
    return begin[0] == '{' ? segment[0] != '\0' : strlen(segment) == n && memcmp(begin, segment, n) == 0;
}

static bool pattern_fits(const char *pattern, const ubi__http_address *address) {
    const char *at = pattern;
    if (pattern[1] == '\0')
        return address->n_segments == 0;
    for (uint32_t i = 0; i < address->n_segments; i++)
        if (*at != '/' || !segment_fits(&at, address->segments[i]))
            return false;
    return *at == '\0';
}

static bool method_fits(const char *method, const char *asked) {
    return strcmp(method, asked) == 0 || (strcmp(method, "GET") == 0 && strcmp(asked, "HEAD") == 0);
}

static void allow_add(char allow[UBI__HTTP_ALLOW_BYTES], const char *method) {
    size_t n = strlen(allow);
    bool is_get = strcmp(method, "GET") == 0;
    int added = snprintf(allow + n, UBI__HTTP_ALLOW_BYTES - n, "%s%s", n ? ", " : "", is_get ? "GET, HEAD" : method);
    UBI_ASSERT(added > 0 && n + (size_t)added < UBI__HTTP_ALLOW_BYTES);
}

/* A path with names belongs to the first pattern that it fits: "file" is no question. */
static const char *pattern_of(const ubi__http_address *address) {
    for (const ubi__http_route *route = ubi__http_routes; route->method; route++)
        if (pattern_fits(route->pattern, address))
            return route->pattern;
    return NULL;
}

/* What is uploaded with POST has a name, as a form or curl gives it. */
static bool is_upload(const ubi__http_address *address, const char *method) {
    return strcmp(method, "POST") == 0 && ubi__http_address_value(address, "name") != NULL;
}

ubi_status ubi__http_route_find(const ubi__http_route **out, char allow[UBI__HTTP_ALLOW_BYTES], const char *method,
                                const ubi__http_address *address) {
    const char *pattern = pattern_of(address);
    allow[0] = '\0';
    if (!pattern)
        return ubi__fail(UBI_ENOTFOUND, "there is nothing at this address; GET /api/1 lists what there is");
    for (const ubi__http_route *route = ubi__http_routes; route->method; route++) {
        if (strcmp(route->pattern, pattern) != 0)
            continue;
        bool is_put_by_post = route->action == UBI__HTTP_HEAP_UPLOAD && is_upload(address, method);
        bool is_opening_by_post = route->action == UBI__HTTP_HEAP_OPEN && is_upload(address, method);
        if (is_put_by_post || (method_fits(route->method, method) && !is_opening_by_post)) {
            *out = route;
            return UBI_OK;
        }
        allow_add(allow, route->method);
    }
    return ubi__fail(UBI_EINVAL, "the method %.20s is not possible here, but %s", method, allow);
}
