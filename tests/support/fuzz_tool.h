/* SPDX-License-Identifier: MIT
 *
 * fuzz_tool.h: whole command lines of the tool in a fuzz target: files in memory, what is printed, and what must hold of it.
 */
#ifndef UBI_TESTS_SUPPORT_FUZZ_TOOL_H
#define UBI_TESTS_SUPPORT_FUZZ_TOOL_H

#include <sys/mman.h>
#include <unistd.h>

#include <jansson.h>

#include "base/text.h"
#include "cli/terminal.h"
#include "cli/tool.h"
#include "fuzz_pieces.h"

#define FUZZ_TOOL_FILES 3
#define FUZZ_TOOL_WORDS 16

typedef struct fuzz_tool {
    int files[FUZZ_TOOL_FILES], output; /* in memory */
    char paths[FUZZ_TOOL_FILES][32];
    char *words[FUZZ_TOOL_WORDS + 1]; /* of the command line */
    int n_words;
    char line[4096];  /* what they point into */
    const char *said; /* the line before its words stood for anything */
    bool is_json;
} fuzz_tool;

/** The one of this process, which reuses its files; standard output goes into one of them from here on. */
static inline fuzz_tool *fuzz_tool_get(void) {
    static fuzz_tool tool;
    if (tool.output)
        return &tool;
    for (int i = 0; i < FUZZ_TOOL_FILES; i++) {
        tool.files[i] = memfd_create("file", MFD_CLOEXEC);
        snprintf(tool.paths[i], sizeof tool.paths[i], "/proc/self/fd/%d", tool.files[i]);
    }
    tool.output = memfd_create("output", MFD_CLOEXEC);
    require(tool.output > 0 && dup2(tool.output, STDOUT_FILENO) == STDOUT_FILENO, "no file in memory");
    return &tool;
}

static inline void fuzz_tool_rewind(int fd) {
    require(ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0, "a file in memory cannot be emptied");
}

/** Puts the bytes into the i-th file. */
static inline void fuzz_tool_put(fuzz_tool *tool, int i, const void *data, size_t size) {
    fuzz_tool_rewind(tool->files[i]);
    require(write(tool->files[i], data, size) == (ssize_t)size, "a file in memory cannot be written");
}

/**
 * The words of a line, in which A, B and C stand for the files, ? for `text`, and # for `number`.
 * @param text  without zeros; cut where there is no room.
 */
static inline void fuzz_tool_say(fuzz_tool *tool, const char *line, const char *text, const char *number) {
    static char name[] = "ubiheap";
    char *at = tool->line, *end = tool->line + sizeof tool->line;
    tool->words[0] = name;
    tool->said = line;
    tool->is_json = strstr(line, "--json") || strstr(line, "--format json");
    tool->n_words = 1;
    while (*line) {
        size_t n = strcspn(line, " ");
        const char *word = line;
        if (n == 1 && *line >= 'A' && *line < 'A' + FUZZ_TOOL_FILES)
            word = tool->paths[*line - 'A'];
        else if (n == 1 && (*line == '?' || *line == '#'))
            word = *line == '?' ? text : number;
        size_t length = word == line ? n : strlen(word);
        if (length >= (size_t)(end - at))
            length = (size_t)(end - at) - 1;
        require(tool->n_words < FUZZ_TOOL_WORDS, "a line of too many words");
        tool->words[tool->n_words++] = at;
        memcpy(at, word, length);
        at[length] = 0;
        at += length + 1 < (size_t)(end - at) ? length + 1 : 0;
        line += n + (line[n] == ' ');
    }
    tool->words[tool->n_words] = NULL;
}

/** As `require`, and says which line it was. */
static inline void fuzz_tool_require(const fuzz_tool *tool, bool condition, const char *what) {
    if (condition)
        return;
    fprintf(stderr, "fuzz: ubiheap %s\n", tool->said);
    require(false, what);
}

/** Tabs are for tables that programs read. */
static inline bool fuzz_tool_is_fit(const fuzz_tool *tool, char c) {
    bool is_table = strncmp(tool->said, "nodes ", 6) == 0;
    return ((unsigned char)c >= 0x20 && c != 0x7f) || c == '\n' || (c == '\t' && is_table);
}

/** No control characters but newlines, and valid UTF-8: what a terminal may be given. */
static inline void fuzz_tool_require_safe(const fuzz_tool *tool, const char *text, size_t n) {
    for (size_t i = 0; i < n; i++)
        fuzz_tool_require(tool, fuzz_tool_is_fit(tool, text[i]), "a control character is printed");
    fuzz_tool_require(tool, ubi__utf8_valid_prefix((ubi_text){ text, n }) == n, "the output is not UTF-8");
}

/** Writes an A in the place of every half of a surrogate pair: JSON may have lone ones, jansson takes none. */
static inline void fuzz_tool_hide_surrogates(char *json, size_t n) {
    for (size_t i = 0; i + 6 <= n; i++) {
        if (json[i] != '\\')
            continue;
        if (json[i + 1] == 'u' && (json[i + 2] == 'd' || json[i + 2] == 'D') && json[i + 3] > '7')
            memcpy(json + i + 2, "0041", 4);
        i++; /* what is escaped, perhaps a backslash */
    }
}

static inline void fuzz_tool_check_json(const fuzz_tool *tool, char *text, size_t n) {
    json_error_t error;
    fuzz_tool_hide_surrogates(text, n);
    json_t *json = json_loadb(text, n, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL | JSON_ALLOW_NUL, &error);
    if (!json)
        fprintf(stderr, "fuzz: %s (line %d)\n", error.text, error.line);
    fuzz_tool_require(tool, json != NULL, "--json does not give JSON");
    json_decref(json);
}

static inline void fuzz_tool_check_output(const fuzz_tool *tool) {
    off_t n = lseek(tool->output, 0, SEEK_END);
    if (n <= 0)
        return;
    char *text = mmap(NULL, (size_t)n, PROT_READ | PROT_WRITE, MAP_PRIVATE, tool->output, 0);
    fuzz_tool_require(tool, text != MAP_FAILED, "what is printed cannot be read");
    if (tool->is_json)
        fuzz_tool_check_json(tool, text, (size_t)n);
    else
        fuzz_tool_require_safe(tool, text, (size_t)n);
    munmap(text, (size_t)n);
}

/** The message, as the tool prints it: arguments and names that it quotes are made safe there. */
static inline void fuzz_tool_check_message(fuzz_tool *tool, ubi__standard_output *output) {
    char text[4096];
    ubi__style style = ubi__terminal_style(STDOUT_FILENO, "never");
    fuzz_tool_require(tool, ubi_error_message()[0], "a failure without a message");
    fuzz_tool_rewind(tool->output);
    ubi__standard_output_init(output, STDOUT_FILENO);
    ubi__display_text(&output->out, &style, ubi__text(ubi_error_message()), SIZE_MAX);
    ubi__out_flush(&output->out);
    ssize_t n = pread(tool->output, text, sizeof text, 0);
    fuzz_tool_require(tool, n > 0 && !memchr(text, '\n', (size_t)n), "message is not one line");
    fuzz_tool_require_safe(tool, text, (size_t)n);
}

/** Runs the line, and checks how it ends and what it prints. */
static inline ubi_status fuzz_tool_run(fuzz_tool *tool) {
    static ubi__standard_output output;
    ubi__cli cli = { .output = &output };
    int exit_code = UBI__EXIT_OK;
    fuzz_tool_rewind(tool->output);
    ubi__standard_output_init(&output, STDOUT_FILENO);
    ubi_status status = ubi__tool_run(&cli, tool->words, tool->n_words, &exit_code);
    fuzz_tool_require(tool, status != UBI_OK || ubi__standard_output_flush(&output) == UBI_OK, "output fails");
    fuzz_tool_require(tool, exit_code != UBI__EXIT_CONDITION || cli.reason[0], "a condition holds without a reason");
    if (status == UBI_OK)
        fuzz_tool_check_output(tool);
    else
        fuzz_tool_check_message(tool, &output);
    return status;
}

#endif
