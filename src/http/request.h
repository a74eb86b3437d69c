/* SPDX-License-Identifier: MIT
 *
 * request.h: what a request says, as a function of its method and address alone: no socket is needed.
 *
 * Addresses are hostile. A path is split at its slashes and then decoded, so that a coded slash is a character of a name; a segment is
 * never a path of a file. What is not UTF-8, has a NUL, or is coded wrongly is refused.
 */
#ifndef UBI_HTTP_REQUEST_H
#define UBI_HTTP_REQUEST_H

#include "questions/usage.h"

/* ---- addresses ------------------------------------------------------------------------------------------------------ */

#define UBI__HTTP_ADDRESS_BYTES 8192 /**< the longest that is read */
#define UBI__HTTP_SEGMENTS 8
#define UBI__HTTP_PAIRS 128

/** A name and a value of the query, decoded. */
typedef struct ubi__http_pair {
    const char *name, *value;
} ubi__http_pair;

/** An address, taken apart. All zeroes: none. */
typedef struct ubi__http_address {
    char *texts; /**< owned */
    size_t n_bytes;
    uint32_t n_segments; /**< "/" has none */
    const char *segments[UBI__HTTP_SEGMENTS];
    uint32_t n_pairs;
    ubi__http_pair pairs[UBI__HTTP_PAIRS];
} ubi__http_address;

/**
 * Takes an address such as "/api/1/heaps/h1/nodes?limit=5" apart.
 * Errors: UBI_EINVAL (with what is wrong), UBI_ELIMIT (too long, too many segments or pairs), UBI_ENOMEM; nothing is left then.
 */
ubi_status ubi__http_address_read(ubi__http_address *out, const char *text);
void ubi__http_address_fini(ubi__http_address *address);
/** The first value of a name; NULL: it is not given. */
const char *ubi__http_address_value(const ubi__http_address *address, const char *name);

/* ---- routes --------------------------------------------------------------------------------------------------------- */

typedef enum ubi__http_action {
    UBI__HTTP_FRONT,
    UBI__HTTP_PAGE_FILE,
    UBI__HTTP_ROUTES,
    UBI__HTTP_HEAPS,
    UBI__HTTP_HEAP_OPEN,
    UBI__HTTP_HEAP_UPLOAD,
    UBI__HTTP_HEAP,
    UBI__HTTP_HEAP_CLOSE,
    UBI__HTTP_HEAP_FILE,
    UBI__HTTP_FILES,
    UBI__HTTP_QUESTIONS,
    UBI__HTTP_ASK,
    UBI__HTTP_JOBS,
    UBI__HTTP_JOB,
    UBI__HTTP_JOB_CANCEL,
    UBI__HTTP_JOB_EVENTS,
    UBI__HTTP_JOB_ANSWER,
    UBI__HTTP_TARGETS,
    UBI__HTTP_TARGET,
    UBI__HTTP_TARGET_SAVE,
    UBI__HTTP_TARGET_COLLECT,
    UBI__HTTP_TARGET_MEASURE,
    UBI__HTTP_TARGET_RECORD
} ubi__http_action;

/** What the body of a request is. */
typedef enum ubi__http_body { UBI__HTTP_NO_BODY, UBI__HTTP_JSON_BODY, UBI__HTTP_FILE_BODY } ubi__http_body;

typedef struct ubi__http_route {
    ubi__http_action action;
    const char *method;  /**< GET is HEAD as well */
    const char *pattern; /**< "{...}" is any name */
    ubi__http_body body;
    const char *query;   /**< names in the query, as people read them; or NULL */
    const char *answer;  /**< schema or media type, as people read it */
    const char *summary; /**< one sentence */
} ubi__http_route;

/** All routes, ended by one without a method. */
extern const ubi__http_route ubi__http_routes[];

#define UBI__HTTP_ALLOW_BYTES 64

/**
 * The route of a request.
 * @param allow  gets the methods of the path, for the header Allow; "" if there is no such path.
 * Errors: UBI_ENOTFOUND (no such path), UBI_EINVAL (another method).
 */
ubi_status ubi__http_route_find(const ubi__http_route **out, char allow[UBI__HTTP_ALLOW_BYTES], const char *method,
                                const ubi__http_address *address);

/* ---- ranges ----------------------------------------------------------------------------------------------------------- */

/** The bytes [begin, end) of a file. */
typedef struct ubi__http_range {
    uint64_t begin, end;
    bool is_given;  /**< else it is all of them */
    bool is_beyond; /**< the file has none of them */
} ubi__http_range;

/** Reads the header Range. @param text  NULL: there is none. What is not one range of bytes asks for all. */
ubi__http_range ubi__http_range_read(const char *text, uint64_t size);

/* ---- errors ----------------------------------------------------------------------------------------------------------- */

/** A status, as clients see it. */
typedef struct ubi__http_error {
    ubi_status status;
    unsigned code;
    const char *name;    /**< in documents */
    const char *meaning; /**< for people */
} ubi__http_error;

/** All but UBI_OK, ended by it. */
extern const ubi__http_error ubi__http_errors[];
/** The first row of a status that is an error. */
const ubi__http_error *ubi__http_error_of(ubi_status status);
/** Its row with this code, if it has one, else the first. */
const ubi__http_error *ubi__http_error_at(ubi_status status, unsigned code);

/* ---- parameters of questions ------------------------------------------------------------------------------------------ */

/** Whether a pair of the query is for the door: token, with, pageColumns, async, and a format that is page or document. */
bool ubi__http_is_own_pair(const ubi__http_pair *pair);
/**
 * Writes what the query says about a question as the JSON object that ubi__json_values_read takes. Flags are true without a value; lists
 * are repeated or between commas; a breakdown is a name or JSON.
 * @param out  was empty; of the default allocator. Errors: UBI_ENOMEM. Mistakes are found by who reads it.
 */
ubi_status ubi__http_parameters_write(ubi__vec_u8 *out, const ubi__usage *usage, const ubi__http_address *address);

#endif
