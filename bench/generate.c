/* SPDX-License-Identifier: MIT
 *
 * generate.c: the program that writes made-up snapshots. See generator.h for what they look like.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"
#include "generator.h"

static const char usage[] =
    "usage: generate [--shape NAME] [--edges N] [--nodes N] [--seed N] [--stacks PERCENT] [--v8 VERSION]\n"
    "                [--level 0..3|none] FILE\n"
    "\n"
    "Writes a heap snapshot that is a pure function of the options; FILE - is standard output. It is one of Firefox\n"
    "(.fxsnapshot), or for the v8 shapes one of V8 (.heapsnapshot, or .heapsnapshot.gz), whose details are those of a\n"
    "VERSION: node12, node20 (the default), node24 or chromium.\n"
    "Numbers may end in k, M, G (powers of 1000). Defaults: --shape browser --edges 1M --seed 1 --stacks 0 --level 1.\n"
    "`--level none` leaves the stream uncompressed, as do v8 shapes unless FILE ends in .gz or a level is given. A "
    "JSON line about the file goes to standard error.\n"
    "\n"
    "Shapes:\n";

typedef struct job {
    ubi__generator_options options;
    int level; /* -1: uncompressed */
    bool level_given;
    const char *path;
    int fd;
} job;

static void print_usage(FILE *out) {
    fputs(usage, out);
    for (ubi__shape shape = 0; shape < UBI__SHAPE_COUNT; shape++)
        fprintf(out, "  %-13s %s\n", ubi__shape_name(shape), ubi__shape_help(shape));
}

static int fail_usage(const char *what, const char *value) {
    fprintf(stderr, "generate: %s: %s\n", what, value);
    return 2;
}

static bool parse_number(uint64_t *out, const char *text) {
    char *end;
    unsigned long long n = strtoull(text, &end, 10);
    uint64_t unit = *end == 'k' ? 1000 : *end == 'M' ? 1000000 : *end == 'G' ? 1000000000 : 1;
    end += unit > 1;
    *out = n * unit;
    return end != text && *end == 0 && text[0] >= '0' && text[0] <= '9' && n <= UINT64_C(1) << 40;
}

static bool parse_level(int *out, const char *text) {
    if (strcmp(text, "none") == 0) {
        *out = -1;
        return true;
    }
    *out = text[0] - '0';
    return *out >= 0 && *out <= UBI__DEFLATE_LEVEL_MAX && text[1] == 0;
}

static bool parse_option(job *j, int option, const char *value) {
    uint64_t n = 0;
    switch (option) {
    case 's':
        return (j->options.shape = ubi__shape_find(value)) != UBI__SHAPE_COUNT;
    case 'e':
        return parse_number(&j->options.n_edges, value);
    case 'n':
        return parse_number(&j->options.n_nodes, value);
    case 'r':
        return parse_number(&j->options.seed, value);
    case 'l':
        j->level_given = true;
        return parse_level(&j->level, value);
    case 'v':
        return (j->options.v8 = ubi__v8_version_find(value)) != UBI__V8_VERSION_COUNT;
    default:
        if (!parse_number(&n, value) || n > 100)
            return false;
        j->options.stack_percent = (unsigned)n;
        return true;
    }
}

static bool ends_with(const char *path, const char *end) {
    size_t n = strlen(path), n_end = strlen(end);
    return n > n_end && strcmp(path + n - n_end, end) == 0;
}

/** 0, or an exit code. */
static int parse_arguments(job *j, int argc, char **argv) {
    static const struct option options[] = {
        { "shape", 1, NULL, 's' }, { "edges", 1, NULL, 'e' }, { "nodes", 1, NULL, 'n' },
        { "seed", 1, NULL, 'r' },  { "level", 1, NULL, 'l' }, { "stacks", 1, NULL, 'f' },
        { "help", 0, NULL, 'h' },  { "v8", 1, NULL, 'v' },    { 0 },
    };
    for (int c; (c = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        if (c == 'h') {
            print_usage(stdout);
            exit(0);
        }
        if (c == '?')
            return 2;
        if (!parse_option(j, c, optarg))
            return fail_usage("bad value", optarg);
    }
    if (optind + 1 != argc)
        return fail_usage("expected one FILE; see", "generate --help");
    j->path = argv[optind];
    if (ubi__shape_is_v8(j->options.shape) && !j->level_given && !ends_with(j->path, ".gz"))
        j->level = -1;
    if (!j->options.n_nodes && !j->options.n_edges)
        j->options.n_edges = 1000000;
    return 0;
}

static ubi_status write_fd(void *payload, const void *data, size_t n_bytes) {
    for (const char *p = data; n_bytes;) {
        ssize_t n = write(*(const int *)payload, p, n_bytes);
        if (n < 0)
            return ubi__fail_errno(errno, "cannot write");
        p += n;
        n_bytes -= (size_t)n;
    }
    return UBI_OK;
}

static ubi_status run_compressed(job *j, ubi__generator_result *result) {
    ubi__deflate *deflate;
    UBI_TRY(ubi__deflate_new(&deflate, j->level, write_fd, &j->fd, NULL));
    ubi_status status = ubi__generate(&j->options, ubi__deflate_write, deflate, result);
    if (status == UBI_OK)
        status = ubi__deflate_finish(deflate);
    ubi__deflate_free(deflate);
    return status;
}

static ubi_status run(job *j, ubi__generator_result *result) {
    bool to_stdout = strcmp(j->path, "-") == 0;
    j->fd = to_stdout ? STDOUT_FILENO : open(j->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (j->fd < 0)
        return ubi__fail_errno(errno, "cannot open");
    ubi_status status = j->level < 0 ? ubi__generate(&j->options, write_fd, &j->fd, result) : run_compressed(j, result);
    if (!to_stdout && close(j->fd) != 0 && status == UBI_OK)
        status = ubi__fail_errno(errno, "cannot write");
    return status;
}

int main(int argc, char **argv) {
    job j = { .options = { .shape = UBI__SHAPE_BROWSER, .seed = 1, .v8 = UBI__V8_NODE20 },
              .level = UBI__DEFLATE_LEVEL_DEFAULT };
    ubi__generator_result result;
    int code = parse_arguments(&j, argc, argv);
    if (code)
        return code;
    if (run(&j, &result) != UBI_OK) {
        fprintf(stderr, "generate: %s: %s\n", j.path, ubi_error_message());
        return 4;
    }
    fprintf(stderr,
            "{\"shape\":\"%s\",\"seed\":%llu,\"nodes\":%llu,\"edges\":%llu,\"reachable\":%llu,\"streamBytes\":%llu}\n",
            ubi__shape_name(j.options.shape), (unsigned long long)j.options.seed, (unsigned long long)result.n_nodes,
            (unsigned long long)result.n_edges, (unsigned long long)result.n_reachable,
            (unsigned long long)result.stream_bytes);
    return 0;
}
