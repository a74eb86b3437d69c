/* SPDX-License-Identifier: MIT
 *
 * sample_recordings_driver.c: makes the recordings of tests/data/ubirec, of a program that never was.
 *
 *     sample_recordings_driver FOLDER
 *
 * Nothing in them comes from this machine, and none of their modules exists, so reports on them are the same everywhere.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "random_numbers.h"
#include "recording/byte_sampler.h"
#include "recording/ubirec_writer.h"

#define MS UINT64_C(1000000)

static void must(ubi_status status) {
    if (status == UBI_OK)
        return;
    fprintf(stderr, "sample_recordings_driver: %s\n", ubi_error_message());
    exit(1);
}

/* ---- files -------------------------------------------------------------------------------------------------------- */

enum { PROGRAM, PARSER, RUNTIME };

typedef struct sample {
    FILE *file;
    ubi__ubirec_writer *w;
    uint64_t period_bytes;
    uint32_t modules[3];
    uint32_t malloc_kind, new_kind, mmap_kind, object_kind;
    bool has_symbols;
} sample;

static ubi_status write_file(void *payload, const void *data, size_t n) {
    return fwrite(data, 1, n, payload) == n ? UBI_OK : UBI_EIO;
}

static void add_module(sample *s, uint32_t *out, const char *path, uint64_t bias) {
    static const uint8_t id[20] = { 0xd0, 0x0d, 1, 2, 3 };
    ubi__ubirec_module_about module = { ubi__text(path), id, sizeof id, bias, bias, bias + 0x100000 };
    must(ubi__ubirec_module(s->w, out, &module));
}

static void open_sample(sample *s, const char *folder, const char *name, uint64_t period_bytes) {
    static const char arguments[] = "/opt/demo/server\0--port\0"
                                    "8080\0--title\0a demo";
    char path[4096];
    uint32_t thread;
    snprintf(path, sizeof path, "%s/%s.ubirec", folder, name);
    *s = (sample){ .file = fopen(path, "wb"), .period_bytes = period_bytes, .has_symbols = true };
    if (!s->file) {
        perror(path);
        exit(1);
    }
    must(ubi__ubirec_writer_new(&s->w, write_file, s->file, NULL));
    ubi__ubirec_about about = { .program = ubi__text("/opt/demo/server"),
                                .arguments = { arguments, sizeof arguments },
                                .pid = 4711,
                                .period_bytes = period_bytes,
                                .start_unix_ns = UINT64_C(1700000000) * 1000 * MS,
                                .page_bytes = 4096,
                                .writer = ubi__text("ubiheap 0.0"),
                                .system = ubi__text("Linux 6.1 x86_64") };
    must(ubi__ubirec_write_about(s->w, &about));
    must(ubi__ubirec_thread(s->w, &thread, 4711, ubi__text("server")));
    must(ubi__ubirec_thread(s->w, &thread, 4712, ubi__text("worker")));
    add_module(s, &s->modules[PROGRAM], "/opt/demo/server", 0x555555554000);
    add_module(s, &s->modules[PARSER], "/opt/demo/lib/libparse.so.2", 0x7f0000000000);
    add_module(s, &s->modules[RUNTIME], "/opt/demo/lib/libstdc++.so.6", 0x7f0000200000);
    must(ubi__ubirec_kind(s->w, &s->malloc_kind, ubi__text("malloc"), UBI__UBIREC_HEAP));
    must(ubi__ubirec_kind(s->w, &s->new_kind, ubi__text("operator new"), UBI__UBIREC_HEAP));
    must(ubi__ubirec_kind(s->w, &s->mmap_kind, ubi__text("mmap"), UBI__UBIREC_MAPPING));
    must(ubi__ubirec_kind(s->w, &s->object_kind, ubi__text("Array"), UBI__UBIREC_OBJECT));
}

static void close_sample(sample *s) {
    must(ubi__ubirec_flush(s->w));
    ubi__ubirec_writer_free(s->w);
    if (fclose(s->file) != 0)
        exit(1);
}

static void end_sample(sample *s, ubi__ubirec_end_reason reason, uint32_t value) {
    ubi__ubirec_end end = { reason, value };
    must(ubi__ubirec_write_end(s->w, &end));
    close_sample(s);
}

/* ---- frames ------------------------------------------------------------------------------------------------------- */

/* A frame and what is there; functions that have the same offset are inlined, the innermost first. */
static const struct code {
    int module;
    uint64_t offset;
    const char *function, *file;
    uint32_t line;
} codes[] = {
    { PROGRAM, 0x1100, "main", "/src/demo/server.cc", 88 },
    { PROGRAM, 0x1200, "serve(int)", "/src/demo/server.cc", 61 },
    { PROGRAM, 0x1300, "Session::Session(Request const&)", "/src/demo/session.cc", 17 },
    { PROGRAM, 0x1400, "std::__new_allocator<Session>::allocate(unsigned long, void const*)",
      "/usr/include/c++/12/bits/new_allocator.h", 137 },
    { PROGRAM, 0x1400, "std::vector<Session, std::allocator<Session> >::reserve(unsigned long)",
      "/usr/include/c++/12/bits/vector.tcc", 79 },
    { PROGRAM, 0x1400, "grow_table(Table&)", "/src/demo/table.cc", 204 },
    { RUNTIME, 0x1500, "operator new(unsigned long)", "", 0 },
    { PARSER, 0x2100, "parse_document", "/src/parse/parse.c", 310 },
    { PARSER, 0x2200, "new_node", "/src/parse/node.c", 25 },
    { PARSER, 0x2300, "read_token", "/src/parse/token.c", 77 },
    { PARSER, 0x2400, "xmalloc", "/src/parse/memory.c", 9 },
    { PROGRAM, 0x1600, "load_cache(char const*)", "/src/demo/cache.cc", 33 },
    { RUNTIME, 0x1700, "__libc_start_call_main", "libc_start_call_main.h", 58 },
    { PARSER, 0x3100, NULL, NULL, 0 }, /* an allocator without names, in two layers */
    { PARSER, 0x3200, NULL, NULL, 0 },
    { PARSER, 0x3310, NULL, NULL, 0 }, /* who calls it */
    { PARSER, 0x3320, NULL, NULL, 0 },
    { PARSER, 0x3330, NULL, NULL, 0 },
    { PARSER, 0x3340, NULL, NULL, 0 },
    { PARSER, 0x3350, NULL, NULL, 0 },
    { PARSER, 0x3360, NULL, NULL, 0 },
    { PROGRAM, 0x1800,
      "void shop::Cache<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, "
      "shop::Entry<unsigned "
      "long> >::insert<shop::Item>(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > "
      "const&, "
      "shop::Item&&)",
      "/src/demo/cache.h", 40 },
    { PROGRAM, 0x1900,
      "void std::vector<shop::Entry<unsigned long>, std::allocator<shop::Entry<unsigned long> > "
      ">::_M_realloc_insert<shop::Item>(__gnu_cxx::__normal_iterator<shop::Entry<unsigned long>*, "
      "std::vector<shop::Entry<unsigned long>, std::allocator<shop::Entry<unsigned long> > > >, shop::Item&&)",
      "/usr/include/c++/12/bits/vector.tcc", 440 },
    { PROGRAM, 0x1a00,
      "std::_Function_handler<void (int), shop::start(shop::Shop&)::{lambda(int)#1}>::_M_invoke(std::_Any_data const&, "
      "int&&)",
      "/usr/include/c++/12/bits/std_function.h", 290 },
};
#define CODES (sizeof codes / sizeof *codes)

static void add_symbols(const sample *s, uint32_t frame, const struct code *code) {
    ubi__ubirec_symbol symbols[8];
    size_t n = 0;
    for (const struct code *c = code; c < codes + CODES && c->offset == code->offset; c++)
        symbols[n++] = (ubi__ubirec_symbol){ ubi__text(c->function), ubi__text(c->file), c->line, 0 };
    must(ubi__ubirec_write_symbols(s->w, frame, symbols, n));
}

/* A stack by the offsets of its frames, outermost first, 0 behind the last. */
static uint32_t stack(const sample *s, const uint64_t *offsets) {
    uint32_t trace = UBI__UBIREC_NO_TRACE;
    for (; *offsets; offsets++) {
        const struct code *code = codes;
        uint32_t frame;
        while (code->offset != *offsets)
            code++;
        must(ubi__ubirec_native_frame(s->w, &frame, s->modules[code->module], code->offset));
        if (s->has_symbols && code->function)
            add_symbols(s, frame, code);
        must(ubi__ubirec_trace(s->w, &trace, trace, frame));
    }
    return trace;
}

#define STACK(s, ...) stack((s), (const uint64_t[]){ __VA_ARGS__, 0 })

static uint32_t info(const sample *s, uint32_t kind, uint64_t size_bytes, uint32_t trace) {
    uint32_t out;
    uint64_t weight = ubi__sample_weight_bytes(size_bytes, s->period_bytes, 1);
    must(ubi__ubirec_info(s->w, &out, kind, size_bytes, trace, weight));
    return out;
}

static uint64_t allocate(const sample *s, uint32_t kind, uint64_t size_bytes, uint32_t trace) {
    uint64_t number;
    must(ubi__ubirec_write_alloc(s->w, &number, info(s, kind, size_bytes, trace)));
    return number;
}

/* ---- a server ----------------------------------------------------------------------------------------------------- */

/* A request: a document with nodes, tokens that are gone at once, and a session that nobody ends. */
static void serve(const sample *s, unsigned request) {
    uint64_t nodes[20];
    for (unsigned i = 0; i < 20; i++) {
        nodes[i] = allocate(s, s->malloc_kind, 96 + i % 3 * 32, STACK(s, 0x1100, 0x1200, 0x2100, 0x2200, 0x2400));
        for (unsigned k = 0; k < 3; k++) {
            uint64_t token =
                allocate(s, s->malloc_kind, 16 + random_below(48), STACK(s, 0x1100, 0x1200, 0x2100, 0x2300, 0x2400));
            must(ubi__ubirec_write_free(s->w, token));
        }
    }
    allocate(s, s->new_kind, 4096, STACK(s, 0x1100, 0x1200, 0x1300, 0x1500));
    must(ubi__ubirec_write_time(s->w, (request + 1) * 5 * MS));
    for (unsigned i = 0; i < 20; i++)
        must(ubi__ubirec_write_free(s->w, nodes[i]));
}

static void write_server(const char *folder) {
    sample s;
    uint64_t table = 0, undone;
    bool has_table = false;
    open_sample(&s, folder, "server", 1);
    random_start(1);
    undone = allocate(&s, s.malloc_kind, 3 << 20, STACK(&s, 0x1100, 0x1600));
    allocate(&s, s.mmap_kind, 64 << 20, STACK(&s, 0x1100, 0x1600));
    allocate(&s, s.object_kind, 56, UBI__UBIREC_NO_TRACE);
    for (unsigned i = 0; i < 200; i++) {
        must(ubi__ubirec_write_thread(s.w, i % 4 == 3));
        serve(&s, i);
        if (i % 50 == 0) {
            uint64_t larger =
                allocate(&s, s.new_kind, (uint64_t)65536 << i / 50, STACK(&s, 0x1100, 0x1200, 0x1400, 0x1500));
            if (has_table)
                must(ubi__ubirec_write_free(s.w, table));
            table = larger;
            has_table = true;
        }
        if (i % 10 == 0)
            must(ubi__ubirec_write_rss(s.w, (uint64_t)(8 + i / 10) << 20));
        if (i == 150) {
            must(ubi__ubirec_write_free(s.w, undone));
            must(ubi__ubirec_write_free_undone(s.w, undone,
                                               info(&s, s.malloc_kind, 3 << 20, STACK(&s, 0x1100, 0x1600))));
            must(ubi__ubirec_write_free(s.w, undone));
        }
    }
    end_sample(&s, UBI__UBIREC_EXITED, 0);
}

static void write_sampled(const char *folder, const char *name, uint64_t n_lost, uint64_t n_lost_markers) {
    sample s;
    uint64_t live[64];
    open_sample(&s, folder, name, 512 << 10);
    random_start(2);
    for (unsigned i = 0; i < 400; i++) {
        uint64_t size = 1000 + random_below(60000);
        must(ubi__ubirec_write_time(s.w, (i + 1) * 7 * MS));
        uint64_t number = i % 5 ? allocate(&s, s.malloc_kind, size, STACK(&s, 0x1100, 0x1200, 0x2100, 0x2200, 0x2400))
                                : allocate(&s, s.new_kind, 40 * size, STACK(&s, 0x1100, 0x1200, 0x1400, 0x1500));
        if (i >= 64)
            must(ubi__ubirec_write_free(s.w, live[i % 64]));
        live[i % 64] = number;
    }
    must(ubi__ubirec_write_counter(s.w, UBI__UBIREC_DROPPED, n_lost));
    if (n_lost_markers)
        must(ubi__ubirec_write_counter(s.w, UBI__UBIREC_LOST_MARKERS, n_lost_markers));
    must(ubi__ubirec_write_counter(s.w, UBI__UBIREC_UNWIND_FAILURES, 1));
    end_sample(&s, UBI__UBIREC_KILLED, 15);
}

/* No symbols, no end, and the last block is cut. */
static void write_crashed(const char *folder) {
    static const char cut[] = "\1\1\0\0\377\0\0\0\377\1\0\0????cut";
    sample s;
    uint32_t label, raw, trace;
    open_sample(&s, folder, "crashed", 1);
    s.has_symbols = false;
    random_start(3);
    for (unsigned i = 0; i < 5; i++)
        serve(&s, i);
    must(ubi__ubirec_label_frame(s.w, &label, ubi__text("(truncated)")));
    must(ubi__ubirec_raw_frame(s.w, &raw, 0x7fffdeadbeef));
    must(ubi__ubirec_trace(s.w, &trace, UBI__UBIREC_NO_TRACE, label));
    must(ubi__ubirec_trace(s.w, &trace, trace, raw));
    allocate(&s, s.malloc_kind, 9999, trace);
    allocate(&s, s.malloc_kind, 500, UBI__UBIREC_NO_TRACE);
    must(ubi__ubirec_flush(s.w));
    must(write_file(s.file, cut, sizeof cut - 1));
    close_sample(&s);
}

static void write_idle(const char *folder) {
    sample s;
    open_sample(&s, folder, "idle", 512 << 10);
    must(ubi__ubirec_write_time(s.w, 3 * MS));
    end_sample(&s, UBI__UBIREC_EXITED, 1);
}

/* A few samples, and none of what is left at the end. */
static void write_few(const char *folder) {
    sample s;
    open_sample(&s, folder, "few", 512 << 10);
    for (unsigned i = 0; i < 5; i++) {
        must(ubi__ubirec_write_time(s.w, (i + 1) * MS));
        uint64_t number = allocate(&s, s.malloc_kind, 100000, STACK(&s, 0x1100, 0x1200, 0x2100, 0x2200, 0x2400));
        must(ubi__ubirec_write_free(s.w, number));
    }
    end_sample(&s, UBI__UBIREC_EXITED, 0);
}

/* A library without names asks for everything at one place, in the name of many. */
static void write_stripped(const char *folder) {
    static const uint64_t callers[] = { 0x2200, 0x2300, 0x3310, 0x3320, 0x3330, 0x3340, 0x3350, 0x3360 };
    sample s;
    open_sample(&s, folder, "stripped", 1);
    for (unsigned i = 0; i < 64; i++) {
        const uint64_t nested = i % 3 == 0 ? 0x3320 : 0x2300, caller = callers[i % 8];
        must(ubi__ubirec_write_time(s.w, (i + 1) * MS));
        uint64_t number = allocate(&s, s.malloc_kind, 40 + i % 8 * 100,
                                   STACK(&s, 0x1700, 0x1100, 0x1200, 0x2100, nested, caller, 0x3200, 0x3100));
        if (i % 8)
            must(ubi__ubirec_write_free(s.w, number));
    }
    allocate(&s, s.malloc_kind, 100, STACK(&s, 0x1100, 0x1600));
    end_sample(&s, UBI__UBIREC_EXITED, 0);
}

/* Four seconds in which ever more is alive, most of it of a template; a script is served as well. */
static void write_growing(const char *folder) {
    sample s;
    uint32_t frame, script;
    open_sample(&s, folder, "growing", 1);
    uint32_t cached = STACK(&s, 0x1700, 0x1100, 0x1a00, 0x1200, 0x1800, 0x1900, 0x1500);
    must(ubi__ubirec_script_frame(s.w, &frame, ubi__text("render"), ubi__text("https://demo.example/page.js"), 12, 5));
    must(ubi__ubirec_trace(s.w, &script, STACK(&s, 0x1700, 0x1100), frame));
    for (unsigned i = 0; i < 400; i++) {
        must(ubi__ubirec_write_time(s.w, (i + 1) * 10 * MS));
        allocate(&s, s.new_kind, 2000, cached);
        uint64_t number = allocate(&s, s.malloc_kind, 500 + i % 3, script);
        allocate(&s, s.malloc_kind, 100, i % 100 == 0 ? script : cached);
        must(ubi__ubirec_write_free(s.w, number));
    }
    end_sample(&s, UBI__UBIREC_EXITED, 0);
}

/* Texts hold what a terminal, a table or a parser must not take literally. */
static void write_hostile(const char *folder) {
    static const char *const names[] = {
        "\x1b]0;owned\x07\x1b[31mred", "line\nfeed\ttab\\backslash",        "-", "comma, \"quote\"",
        "bad utf-8 \xff\x1b[2J",       "rtl \xe2\x80\xae wide \xe6\x97\xa5"
    };
    sample s;
    uint32_t kind, thread;
    open_sample(&s, folder, "hostile", 1);
    must(ubi__ubirec_kind(s.w, &kind, ubi__text(names[0]), UBI__UBIREC_HEAP));
    must(ubi__ubirec_write_thread_name(s.w, 0, ubi__text(names[1])));
    must(ubi__ubirec_thread(s.w, &thread, UINT64_MAX, ubi__text(names[4])));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        uint32_t frame, trace;
        ubi_text name = ubi__text(names[i]);
        must(ubi__ubirec_script_frame(s.w, &frame, name, name, UINT32_MAX, UINT32_MAX));
        must(ubi__ubirec_trace(s.w, &trace, UBI__UBIREC_NO_TRACE, frame));
        allocate(&s, kind, UBI__UBIREC_SIZE_MAX >> i, trace);
    }
    must(ubi__ubirec_write_rss(s.w, UINT64_MAX));
    end_sample(&s, UBI__UBIREC_REPLACED, 0);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fputs("usage: sample_recordings_driver FOLDER\n", stderr);
        return 2;
    }
    write_server(argv[1]);
    write_sampled(argv[1], "sampled", 12, 0);
    write_sampled(argv[1], "lost-markers", 7, 7);
    write_crashed(argv[1]);
    write_idle(argv[1]);
    write_few(argv[1]);
    write_stripped(argv[1]);
    write_growing(argv[1]);
    write_hostile(argv[1]);
    return 0;
}
