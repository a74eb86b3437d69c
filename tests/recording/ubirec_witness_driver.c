/* SPDX-License-Identifier: MIT
 *
 * ubirec_witness_driver.c: makes recordings for ubirec_witness_test.py.
 *
 *     ubirec_witness_driver make SEED STEPS FILE     writes a random recording; prints the lines that it must give
 *     ubirec_witness_driver lines FILE               prints the lines that our reader makes of a file
 */
#include <stdlib.h>

#include "ubirec_lines.h"

static ubi_status write_file(void *payload, const void *data, size_t n) {
    return fwrite(data, 1, n, payload) == n ? UBI_OK : UBI_EIO;
}

static ubi_status make(char **arguments) {
    FILE *file = fopen(arguments[2], "wb");
    if (!file)
        return UBI_EIO;
    unsigned steps = (unsigned)strtoul(arguments[1], NULL, 10);
    ubi_status status = random_ubirec(strtoull(arguments[0], NULL, 10), steps, write_file, file, stdout, NULL);
    return fclose(file) == 0 ? status : UBI_EIO;
}

static ubi_status lines(const char *path) {
    ubi__source source;
    ubi_status status = ubi__source_open_path(&source, path, ubi_allocator_default());
    if (status != UBI_OK)
        return status;
    status = ubirec_lines(stdout, &source, NULL);
    ubi__source_close(&source);
    return status;
}

int main(int argc, char **argv) {
    ubi_status status = UBI_EINVAL;
    if (argc == 5 && strcmp(argv[1], "make") == 0)
        status = make(argv + 2);
    else if (argc == 3 && strcmp(argv[1], "lines") == 0)
        status = lines(argv[2]);
    if (status != UBI_OK)
        fprintf(stderr, "ubirec_witness_driver: %s\n", ubi_error_message());
    return status == UBI_OK ? 0 : 1;
}
