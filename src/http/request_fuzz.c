/* SPDX-License-Identifier: MIT
 *
 * request_fuzz.c: any bytes as a request: lines of method, address, and headers about who asks and what is kept.
 *
 * Promises checked: no crash, no leak; a refusal has a message of one line; what an address gives is UTF-8 without NULs; parameters of a
 * query become JSON that is read or refused with a message; only the right token enters.
 */
#include "base/json_reader.h"
#include "base/text.h"
#include "fuzz_pieces.h"
#include "http/guard.h"
#include "http/http.h"
#include "questions/question.h"

#define LINES 6
#define LINE_BYTES 16384

static const ubi__http_guard guard = {
    .token = "0123456789abcdef0123456789abcdef", .cookie = "ubiheap-8123", .listen = "127.0.0.1", .port = 8123
};

static void message_require(void) {
    require(ubi_error_message()[0] && !strchr(ubi_error_message(), '\n'), "message is not one line");
}

static void text_require(const char *text) {
    size_t n = strlen(text);
    require(ubi__utf8_valid_prefix((ubi_text){ text, n }) == n, "a decoded text is not UTF-8");
}

static void parameters_try(const ubi__question *question, const ubi__http_address *address) {
    ubi__vec_u8 json = { 0 };
    ubi__json_cursor c;
    ubi__json_value whole;
    ubi__json_values values;
    require(ubi__http_parameters_write(&json, question->usage, address) == UBI_OK, "no memory");
    const ubi_text text = { (const char *)json.at, json.n };
    require(ubi__json_value_whole(&c, &whole, text) && whole.type == UBI__JSON_OBJECT, "parameters are not JSON");
    if (ubi__json_values_read(&values, question->usage, text) == UBI_OK)
        ubi__json_values_fini(&values);
    else
        message_require();
    ubi__vec_u8_fini(&json, ubi_allocator_default());
}

static void route_try(const char *method, const ubi__http_address *address) {
    const ubi__http_route *route = NULL;
    char allow[UBI__HTTP_ALLOW_BYTES];
    ubi_status status = ubi__http_route_find(&route, allow, method, address);
    require(status == UBI_OK ? route != NULL : (status == UBI_EINVAL) == (allow[0] != '\0'),
            "a route, or why there is none");
    if (status != UBI_OK)
        message_require();
}

static void address_try(const char *method, const char *text) {
    ubi__http_address address;
    if (ubi__http_address_read(&address, text) != UBI_OK) {
        message_require();
        return;
    }
    require(address.n_segments <= UBI__HTTP_SEGMENTS && address.n_pairs <= UBI__HTTP_PAIRS, "too much of an address");
    for (uint32_t i = 0; i < address.n_segments; i++)
        text_require(address.segments[i]);
    for (uint32_t i = 0; i < address.n_pairs; i++) {
        text_require(address.pairs[i].name);
        text_require(address.pairs[i].value);
    }
    route_try(method, &address);
    for (const ubi__question *const *q = ubi__questions; *q; q++)
        parameters_try(*q, &address);
    ubi__http_address_fini(&address);
}

static void byte_range_try(const char *text) {
    for (uint64_t size = 0; size < 3; size++) {
        ubi__http_range r = ubi__http_range_read(text, size);
        require(r.is_beyond || (r.begin <= r.end && r.end <= size), "a range is outside of its file");
    }
}

/* The token is in none of the lines unless the fuzzer has found it. */
static void claims_try(char lines[LINES][LINE_BYTES]) {
    const ubi__http_claims claims = { .host = lines[2],
                                      .origin = lines[3][0] ? lines[3] : NULL,
                                      .authorization = lines[4],
                                      .cookie = lines[5],
                                      .token = lines[0] };
    ubi__http_verdict verdict = ubi__http_guard_judge(&guard, &claims);
    bool has_token =
        strstr(lines[4], guard.token) || strstr(lines[5], guard.token) || strcmp(lines[0], guard.token) == 0;
    require(verdict != UBI__HTTP_MAY_ENTER || has_token, "someone entered without the token");
    require(verdict != UBI__HTTP_MAY_ENTER || strstr(lines[2], ":8123"), "someone entered by another port");
    if (verdict != UBI__HTTP_MAY_ENTER)
        message_require();
    (void)ubi__http_tag_matches(lines[4], "\"a\"");
    (void)ubi__http_accepts_gzip(lines[5]);
    byte_range_try(lines[4]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    static char lines[LINES][LINE_BYTES];
    memset(lines, 0, sizeof lines);
    for (size_t line = 0, at = 0, i = 0; i < n && line < LINES; i++)
        if (data[i] == '\n') {
            line++;
            at = 0;
        } else if (data[i] && at < LINE_BYTES - 1) {
            lines[line][at++] = (char)data[i];
        }
    address_try(lines[0], lines[1]);
    claims_try(lines);
    return 0;
}
