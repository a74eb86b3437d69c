/* SPDX-License-Identifier: MIT
 *
 * exit_code.c: the one translation of a status to an exit code.
 */
#include "cli/exit_code.h"

#include "cli/command.h"

int ubi__exit_code(ubi_status status) {
    switch (status) {
    case UBI_OK:
        return UBI__EXIT_OK;
    case UBI_EINVAL:
    case UBI_ENOTFOUND:
    case UBI_EMISMATCH:
        return UBI__EXIT_USAGE;
    case UBI_EFORMAT:
    case UBI_ELIMIT:
        return UBI__EXIT_INPUT;
    case UBI_ENOMEM:
    case UBI_EIO:
    case UBI_EBUSY:
    case UBI_ESTATE:
        return UBI__EXIT_SYSTEM;
    case UBI_ECANCELLED:
        return UBI__EXIT_INTERRUPTED;
    }
    return UBI__EXIT_SYSTEM;
}
