/* SPDX-License-Identifier: MIT
 *
 * errors.c: what a status is called by HTTP; also a table of the reference page.
 */
#include "base/assert.h"
#include "http/request.h"

const ubi__http_error ubi__http_errors[] = {
    { UBI_EINVAL, 400, "wrongArgument", "a parameter, an address, a header or a body is wrong" },
    { UBI_EINVAL, 401, "unauthorized", "no token, or a wrong one" },
    { UBI_EINVAL, 403, "forbidden", "`Host` does not name this server, or `Origin` names another site" },
    { UBI_ENOTFOUND, 404, "notFound", "no such heap, question, node, job, file or address" },
    { UBI_ECANCELLED, 409, "cancelled", "the job was cancelled" },
    { UBI_EMISMATCH, 409, "mismatch", "the file has changed since it was opened" },
    { UBI_ESTATE, 409, "wrongState", "not possible now, such as saving a live heap that is gone" },
    { UBI_EFORMAT, 422, "badInput", "the file is damaged, or of a kind that the question does not take" },
    { UBI_ELIMIT, 422, "limitReached", "a limit, such as heaps that are open, or the length of an answer" },
    { UBI_EIO, 500, "inputOutput", "a file cannot be read or written" },
    { UBI_EBUSY, 503, "busy", "too many requests wait; `Retry-After` says when to ask again" },
    { UBI_ENOMEM, 507, "outOfMemory", "the limit of memory, with what is in use; others are not affected" },
    { .status = UBI_OK },
};

const ubi__http_error *ubi__http_error_of(ubi_status status) {
    const ubi__http_error *error = ubi__http_errors;
    while (error->status != status && error[1].status != UBI_OK)
        error++;
    UBI_ASSERT(error->status == status);
    return error;
}

const ubi__http_error *ubi__http_error_at(ubi_status status, unsigned code) {
    for (const ubi__http_error *error = ubi__http_errors; error->status != UBI_OK; error++)
        if (error->status == status && error->code == code)
            return error;
    return ubi__http_error_of(status);
}
