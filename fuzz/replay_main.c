/* SPDX-License-Identifier: MIT
 *
 * replay_main.c: runs a fuzz target over stored inputs, with any compiler.
 *
 *     breakdown_fuzz fuzz/corpus/breakdown_fuzz [more files or directories]
 *
 * Every file of the directories named (not of directories inside them) goes through LLVMFuzzerTestOneInput once, in the
 * order of names. Exit 0 and a count; 2 when there was nothing to run or something could not be read. A fault in the
 * target ends the program as it does under libFuzzer.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void die(const char *path, const char *what) {
    fprintf(stderr, "replay: %s: %s\n", path, what);
    exit(2);
}

/** The whole file in a block of exactly its size, so that a sanitizer sees a read past the end. Free it. */
static uint8_t *read_whole(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    struct stat st;
    if (!file || fstat(fileno(file), &st) != 0)
        die(path, strerror(errno));
    *size = (size_t)st.st_size;
    uint8_t *data = malloc(*size ? *size : 1);
    if (!data)
        die(path, "out of memory");
    if (fread(data, 1, *size, file) != *size)
        die(path, "cannot be read");
    fclose(file);
    return data;
}

static void replay_file(const char *path) {
    size_t size;
    uint8_t *data = read_whole(path, &size);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
}

static int visible(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

static size_t replay_directory(const char *directory) {
    struct dirent **entries;
    int n = scandir(directory, &entries, visible, alphasort);
    if (n < 0)
        die(directory, strerror(errno));
    size_t replayed = 0;
    for (int i = 0; i < n; i++) {
        char path[4096];
        struct stat st;
        if (snprintf(path, sizeof path, "%s/%s", directory, entries[i]->d_name) >= (int)sizeof path)
            die(directory, "path is too long");
        if (stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
            replay_file(path);
            replayed++;
        }
        free(entries[i]);
    }
    free(entries);
    return replayed;
}

int main(int argc, char **argv) {
    size_t replayed = 0;
    for (int i = 1; i < argc; i++) {
        struct stat st;
        if (stat(argv[i], &st) != 0)
            die(argv[i], strerror(errno));
        if (S_ISDIR(st.st_mode)) {
            replayed += replay_directory(argv[i]);
        } else {
            replay_file(argv[i]);
            replayed++;
        }
    }
    if (replayed == 0)
        die(argc > 1 ? argv[1] : "no argument", "nothing to replay");
    printf("%zu inputs replayed\n", replayed);
    return 0;
}
