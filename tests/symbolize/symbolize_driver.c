/* SPDX-License-Identifier: MIT
 *
 * symbolize_driver.c: looks addresses up for the tests of this folder.
 *
 *     symbolize_driver [--debug-root D] [--package-root D] [--debuginfod] [--build-id HEX] MODULE < ADDRESSES
 *
 * Reads one hexadecimal address per line. Writes for each a line of it, one for each function there ("inlined" or "code",
 * function, file, line, column, with tabs between), and at last "facts", the detail and the obstacle as numbers, and the
 * package.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "symbolize/symbolize.h"

static void check(ubi_status status) {
    if (status == UBI_OK)
        return;
    fprintf(stderr, "%s\n", ubi_error_message());
    exit(1);
}

static size_t read_hex(uint8_t out[64], const char *text) {
    size_t n = 0;
    for (unsigned byte; n < 64 && sscanf(text + 2 * n, "%2x", &byte) == 1; n++)
        out[n] = (uint8_t)byte;
    return n;
}

static void print_text(ubi_text text) {
    if (text.ptr)
        fwrite(text.ptr, 1, text.len, stdout);
    else
        putchar('?');
    putchar('\t');
}

static void look_up(ubi__symbolizer *s, uint32_t module, uint64_t address) {
    const ubi__symbol *at;
    size_t n;
    check(ubi__symbolizer_look_up(s, &at, &n, module, address));
    printf("%llx\n", (unsigned long long)address);
    for (size_t i = 0; i < n; i++) {
        printf("%s\t", at[i].is_inlined ? "inlined" : "code");
        print_text(at[i].function);
        print_text(at[i].file);
        printf("%u\t%u\n", at[i].line, at[i].column);
    }
}

int main(int argc, char **argv) {
    ubi__symbolizer_options options = { .with_debuginfod = false };
    uint8_t build_id[64];
    size_t n_build_id = 0;
    int i = 1;
    for (; i + 1 < argc; i++) {
        if (strcmp(argv[i], "--debug-root") == 0)
            options.debug_root = argv[++i];
        else if (strcmp(argv[i], "--package-root") == 0)
            options.package_root = argv[++i];
        else if (strcmp(argv[i], "--build-id") == 0)
            n_build_id = read_hex(build_id, argv[++i]);
        else if (strcmp(argv[i], "--debuginfod") == 0)
            options.with_debuginfod = true;
    }
    ubi__symbolizer *s;
    uint32_t module;
    ubi__symbol_facts facts;
    check(ubi__symbolizer_new(&s, &options, NULL));
    check(ubi__symbolizer_add_module(s, &module, ubi__text(argv[i]), build_id, n_build_id));
    for (unsigned long long address; scanf("%llx", &address) == 1;)
        look_up(s, module, address);
    check(ubi__symbolizer_facts(s, &facts, module));
    printf("facts\t%d\t%d\t%.*s\n", facts.detail, facts.obstacle, (int)facts.package.len,
           facts.package.ptr ? facts.package.ptr : "");
    ubi__symbolizer_free(s);
    return 0;
}
