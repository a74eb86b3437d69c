/* SPDX-License-Identifier: MIT
 *
 * Real beginnings of foreign files are called what they are, cut ones are never taken for something else, and what ubiheap reads
 * is never refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <ubiheap/core/formats.h>

#include "fail_allocator.h"
#include "formats/recognize.h"
#include "packing.h"

#define GIVE "give a heap snapshot (.heapsnapshot, .fxsnapshot), a recording (.ubirec) or a timeline"
#define UTF16 "convert it (iconv -f UTF-16 -t UTF-8)"

/* Each file of tests/data/foreign, and what is said of it. */
static const char *const samples[][2] = {
    { "java.hprof", "this is a heap dump of Java (HPROF): open it in Eclipse MAT (Memory Analyzer) or VisualVM" },
    { "java.jfr", "this is a recording of Java Flight Recorder: open it in JDK Mission Control" },
    { "node.cpuprofile",
      "this is a CPU profile of V8 (.cpuprofile): open it in Chrome's DevTools, Performance; it has no heap" },
    { "chrome-trace.json",
      "this is a trace of Chrome or Node.js: open it in ui.perfetto.dev or Chrome's DevTools, Performance; "
      "it has no heap" },
    { "devtools-trace.json", "this is a trace of Chrome or Node.js: " },
    { "events.json", "this is a trace of Chrome or Node.js: " },
    { "massif.out", "this is a file of Valgrind's Massif: use ms_print" },
    { "callgrind.out", "this is a file of Valgrind's Callgrind: use callgrind_annotate or KCachegrind" },
    { "dhat.json", "this is a file of Valgrind's DHAT: open it in Valgrind's dh_view.html" },
    { "memcheck.txt", "this is a log of Valgrind: it is for people to read; ubiheap does not" },
    { "heaptrack-raw.txt", "this is a recording of heaptrack: open it in heaptrack_gui" },
    { "heaptrack.txt", "this is a recording of heaptrack: open it in heaptrack_gui" },
    { "heaptrack.gz", "this is a recording of heaptrack, compressed with gzip: open it in heaptrack_gui" },
    { "perf.data", "this is a recording of perf: use perf report" },
    { "elf.core", "this is a core dump (ELF): open it in gdb; " },
    { "elf-program", "this is a program or library (ELF): 'ubiheap record PROGRAM' records what it allocates" },
    { "mach-o.o", "this is a program or library of macOS (Mach-O): " GIVE },
    { "universal-mach-o", "this is a program or library of macOS (Mach-O): " GIVE },
    { "program.exe", "this is a program or library of Windows (PE): " GIVE },
    { "crash.dmp", "this is a minidump of Windows or Breakpad: open it in a debugger" },
    { "text.xz", "this is a file compressed with xz: unpack it (xz -d) and give what was in it" },
    { "text.zst", "this is a file compressed with Zstandard: unpack it (zstd -d) and give what was in it; " },
    { "text.bz2", "this is a file compressed with bzip2: unpack it (bunzip2) and give what was in it" },
    { "text.lz4", "this is a file compressed with LZ4: unpack it (lz4 -d) and give what was in it" },
    { "gzip-in-gzip.gz",
      "this is a gzip file, compressed with gzip: it was compressed twice: unpack it once (gunzip)" },
    { "snapshot.zip",
      "this is a zip archive that holds 'run/app.heapsnapshot': unpack it (unzip) and give what was in it" },
    { "notes.zip", "this is a zip archive that holds 'run/notes.txt': unpack it (unzip) and give what was in it" },
    { "piped.zip",
      "this is a zip archive that holds 'run/app.heapsnapshot': unpack it (unzip) and give what was in it" },
    { "empty.zip", "this is a zip archive with nothing in it: " },
    { "archive.7z", "this is a 7-Zip archive: unpack it (7z x) and give what was in it" },
    { "archive.rar", "this is a RAR archive: unpack it (unrar x) and give what was in it" },
    { "snapshot.tar",
      "this is a tar archive that holds 'run/app.heapsnapshot': unpack it (tar -xf) and give what was in it" },
    { "snapshot.tar.gz",
      "this is a tar archive that holds 'run/app.heapsnapshot', compressed with gzip: unpack it (tar -xf) " },
    { "v7.tar", "this is a tar archive that holds 'run/notes.txt': unpack it (tar -xf) and give what was in it" },
    { "web-inspector-timelines.json",
      "this is a recording of the Web Inspector's timelines: export the heap snapshot alone" },
    { "firefox-profile.json",
      "this is a profile of the Firefox Profiler: open it in profiler.firefox.com; it has no heap" },
    { "memory-report.json", "this is a memory report of Firefox: load it in about:memory; " },
    { "utf16-little-mark.txt", "this is text in UTF-16: " UTF16 "; PowerShell's '>' writes such files" },
    { "utf16-big-mark.txt", "this is text in UTF-16, high bytes first: " UTF16 },
    { "utf16-little.txt", "this is text in UTF-16 without a byte order mark: convert it (iconv -f UTF-16LE -t UTF-8)" },
    { "utf16-big.txt",
      "this is text in UTF-16 without a byte order mark, high bytes first: convert it (iconv -f UTF-16BE " },
    { "login.html", "this is a web page (HTML): a server sent it instead of the file; " },
    { "map.svg", "this is a picture (SVG): open it in a browser; " },
    { "census.txt", "this is a table that 'ubiheap census' or 'run' printed: give the snapshot that it is about" },
    { "denied.xml", "this is an XML document: perhaps a server's error message, sent instead of the file" },
    { "pointer-lfs.txt", "this is a pointer of Git LFS: fetch the file itself (git lfs pull)" },
    { "jemalloc.heap", "this is a heap profile of gperftools or jemalloc: use pprof or jeprof" },
    { "gperftools.heap", "this is a heap profile of gperftools or jemalloc: use pprof or jeprof" },
    { "heap.pb", "this is a profile of pprof: use pprof; it has no heap" },
    { "one-type.pb", "this is a profile of pprof: use pprof; it has no heap" },
    { "stacks.folded", "this is collapsed stacks: draw them with flamegraph.pl or speedscope; " },
    { "profiler-tables.json", "this is tables of a memory profiler: they are for scripts; " },
    { "notes.txt", "this is plain text that begins with 'Tomorrow's tests': " GIVE },
    { "array.json", "this is JSON, but an array: " GIVE },
    { "report.json",
      "this is what 'ubiheap ... --json' printed about 'app.heapsnapshot': give the file that it is about" },
    { "jsonl.jsonl", "this is a file of JSON lines, made by 'ubiheap convert': they are not read back; " },
    { "allocation-log.jsonl", "this is an allocation log: it is for jq and scripts; " },
};

#define N_SAMPLES (sizeof samples / sizeof *samples)
#define MOST_BYTES (1 << 16)

static FILE *open_source(const char *folder, const char *name) {
    const char *source_dir = getenv("UBI_SOURCE_DIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/%s/%s", source_dir ? source_dir : ".", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("cannot open %s", path);
    return file;
}

/* Of its own size, so that a sanitizer sees what reaches beyond; free it. */
static uint8_t *copy_of(const void *from, size_t n) {
    uint8_t *copy = malloc(n ? n : 1);
    assert_non_null(copy);
    if (n)
        memcpy(copy, from, n);
    return copy;
}

static uint8_t *load(const char *folder, const char *name, size_t *n) {
    static uint8_t all[MOST_BYTES];
    FILE *file = open_source(folder, name);
    *n = fread(all, 1, sizeof all, file);
    fclose(file);
    return copy_of(all, *n);
}

static ubi_status read_bytes(const void *data, size_t n, const ubi_allocator *a) {
    ubi_read_options options = UBI_READ_OPTIONS_INIT;
    ubi_graph *graph = NULL;
    options.threads = 1;
    options.allocator = a;
    ubi_status status = ubi_graph_read_memory(&graph, data, n, &options, NULL);
    ubi_graph_unref(graph);
    return status;
}

static void assert_begins(const char *text, const char *beginning, const char *about) {
    if (strncmp(text, beginning, strlen(beginning)) != 0)
        fail_msg("%s: \"%s\" does not begin with \"%s\"", about, text, beginning);
}

static void foreign_files_are_called_what_they_are(void **state) {
    (void)state;
    for (size_t i = 0; i < N_SAMPLES; i++) {
        size_t n;
        uint8_t *sample = load("tests/data/foreign", samples[i][0], &n);
        assert_int_equal(read_bytes(sample, n, NULL), UBI_EFORMAT);
        assert_begins(ubi_error_message(), samples[i][1], samples[i][0]);
        assert_null(strchr(ubi_error_message(), '\n'));
        free(sample);
    }
}

static void packed_foreign_files_are_called_the_same(void **state) {
    (void)state;
    for (size_t i = 0; i < N_SAMPLES; i++) {
        bytes plain = { NULL, 0, 0 }, packed = { NULL, 0, 0 };
        size_t n;
        uint8_t *sample = load("tests/data/foreign", samples[i][0], &n);
        const ubi__file_type *type = ubi__file_recognize(sample, n);
        bytes_add(&plain, sample, n);
        bytes_add_gzip(&packed, &plain, PACKING_DEFAULT);
        assert_int_equal(read_bytes(packed.at, packed.n, NULL), UBI_EFORMAT);
        assert_non_null(type);
        assert_non_null(strstr(ubi_error_message(), type->what));
        assert_non_null(strstr(ubi_error_message(), ", compressed with gzip: "));
        bytes_free(&plain);
        bytes_free(&packed);
        free(sample);
    }
}

/* What a beginning may be called before it says more. */
static bool is_less_sure(const ubi__file_type *type) {
    static const char *const words[] = { "an empty file", "plain text", "JSON", "JSON, but an array" };
    for (size_t i = 0; type && i < sizeof words / sizeof *words; i++)
        if (strcmp(type->what, words[i]) == 0)
            return true;
    return !type;
}

static void cut_files_are_never_taken_for_others(void **state) {
    (void)state;
    for (size_t i = 0; i < N_SAMPLES; i++) {
        size_t n_all;
        uint8_t *whole = load("tests/data/foreign", samples[i][0], &n_all);
        const ubi__file_type *type = ubi__file_recognize(whole, n_all);
        for (size_t n = 0; n <= n_all; n++) {
            uint8_t *cut = copy_of(whole, n);
            const ubi__file_type *now = ubi__file_recognize(cut, n);
            if (now != type && !is_less_sure(now))
                fail_msg("%zu bytes of %s are %s", n, samples[i][0], now->what);
            assert_int_equal(read_bytes(cut, n, NULL), UBI_EFORMAT);
            assert_true(ubi_error_message()[0] && !strchr(ubi_error_message(), '\n'));
            free(cut);
        }
        free(whole);
    }
}

static void what_is_read_is_not_refused(void **state) {
    static const struct {
        const char *folder, *name;
        ubi__file_use use;
    } ours[] = {
        { "tests/data/ubirec", "few.ubirec", UBI__FILE_RECORDING },
        { "tests/data/heapprofile", "cut.heapprofile", UBI__FILE_RECORDING },
        { "tests/data/timeline", "small.timeline", UBI__FILE_TIMELINE },
        { "tests/data/timeline", "hostile.timeline", UBI__FILE_TIMELINE },
        { "tests/data/fx/crafted", "not-gzip-raw-stream.fxsnapshot", UBI__FILE_HEAP },
    };
    (void)state;
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        size_t n;
        uint8_t *sample = load(ours[i].folder, ours[i].name, &n);
        const ubi__file_type *type = ubi__file_recognize(sample, n);
        assert_non_null(type);
        assert_int_equal(type->use, ours[i].use);
        free(sample);
    }
}

/* The sections of V8 decide, wherever they are and whatever else is there. */
static void keys_of_others_do_not_make_a_heap_snapshot_foreign(void **state) {
    static const char *const texts[] = {
        "{\"snapshot\":{\"meta\":{}},\"type\":\"Inspector\",\"version\":2,\"nodes\":[{\"callFrame\":{}}]}",
        "{\"traceEvents\":[],\"snapshot\":{}}",
        "{\"head\":{\"callFrame\":1},\"hasMozMallocUsableSize\":1,\"nodeClassNames\":[],\"snapshot\":{}}",
        "\xef\xbb\xbf {\n\"dhatFileVersion\":2,\"snapshot\":{}}",
        "{\"meta\":{\"interval\":1,\"startTime\":2},\"snapshot\":{}}",
        "{\"nodes\":[1,2,3],\"a\":{\"traceEvents\":[],\"type\":\"Inspector\"},\"b\":\"nodeClassNames\"",
        "{\"strings\":[\"head\",\"callFrame\",\"traceEvents\",\"{\\\"nodeClassNames\\\":1}\"]",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const ubi__file_type *type = ubi__file_recognize((const uint8_t *)texts[i], strlen(texts[i]));
        assert_non_null(type);
        assert_int_equal(type->use, UBI__FILE_HEAP);
    }
}

static void names_in_messages_have_no_control_characters_and_an_end(void **state) {
    static const uint8_t zip[] = "PK\3\4\24\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\7\0\0\0ab\nc\x1b[m";
    char text[400];
    (void)state;
    assert_int_equal(read_bytes(zip, sizeof zip - 1, NULL), UBI_EFORMAT);
    assert_begins(ubi_error_message(), "this is a zip archive that holds 'ab': ", "zip");
    memset(text, 'x', sizeof text);
    assert_int_equal(read_bytes(text, sizeof text, NULL), UBI_EFORMAT);
    assert_non_null(strstr(ubi_error_message(), "xxx...': "));
    assert_true(strlen(ubi_error_message()) < 250);
}

static void what_is_unknown_is_said_so_first(void **state) {
    static const uint8_t strange[] = { 3, 0x6b, 1, 2, 3, 4, 0xff, 0 };
    bytes plain = { NULL, 0, 0 }, packed = { NULL, 0, 0 };
    (void)state;
    assert_int_equal(read_bytes(strange, sizeof strange, NULL), UBI_EFORMAT);
    assert_begins(ubi_error_message(), "this is no kind of file that ubiheap knows (message 0 at byte ",
                  "strange bytes");
    bytes_add(&plain, strange, sizeof strange);
    bytes_add_gzip(&packed, &plain, PACKING_DEFAULT);
    assert_int_equal(read_bytes(packed.at, packed.n, NULL), UBI_EFORMAT);
    assert_begins(ubi_error_message(), "this is no kind of file that ubiheap knows (message 0 at byte ", "packed");
    packed.at[packed.n - 1] ^= 1;
    assert_int_equal(read_bytes(packed.at, packed.n, NULL), UBI_EFORMAT);
    assert_begins(ubi_error_message(), "the gzip data is damaged at byte ", "packed and damaged");
    bytes_free(&plain);
    bytes_free(&packed);
}

static void a_refusal_stands_a_refused_allocation(void **state) {
    size_t n;
    uint8_t *sample = load("tests/data/foreign", "snapshot.tar.gz", &n);
    ubi_status status = UBI_ENOMEM;
    (void)state;
    for (uint64_t at = 0; status == UBI_ENOMEM; at++) {
        fail_allocator f;
        fail_allocator_init(&f, at);
        status = read_bytes(sample, n, &f.allocator);
        fail_allocator_fini(&f);
    }
    assert_int_equal(status, UBI_EFORMAT);
    free(sample);
}

/* docs/formats/other-files.md has a row for each of the table, in its order, and no other. */
static void the_documents_have_the_table(void **state) {
    static char page[MOST_BYTES];
    FILE *file = open_source("docs/formats", "other-files.md");
    (void)state;
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
    const char *at = strstr(page, "|---|---|---|\n");
    assert_non_null(at);
    at += strlen("|---|---|---|\n");
    for (size_t i = 0; ubi__file_type_at(i); i++) {
        const ubi__file_type *type = ubi__file_type_at(i);
        char row[1024];
        int n = snprintf(row, sizeof row, "| %s | %s | %s |\n", type->what, type->sign, type->advice);
        if (strncmp(at, row, (size_t)n) != 0)
            fail_msg("docs/formats/other-files.md lacks in this place: %s", row);
        at += n;
    }
    assert_true(*at != '|');
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(foreign_files_are_called_what_they_are),
        cmocka_unit_test(packed_foreign_files_are_called_the_same),
        cmocka_unit_test(cut_files_are_never_taken_for_others),
        cmocka_unit_test(what_is_read_is_not_refused),
        cmocka_unit_test(keys_of_others_do_not_make_a_heap_snapshot_foreign),
        cmocka_unit_test(names_in_messages_have_no_control_characters_and_an_end),
        cmocka_unit_test(what_is_unknown_is_said_so_first),
        cmocka_unit_test(a_refusal_stands_a_refused_allocation),
        cmocka_unit_test(the_documents_have_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
