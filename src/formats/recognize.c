/* SPDX-License-Identifier: MIT
 *
 * recognize.c: the table of known files (recognize.h).
 *
 * The first row that holds counts, so surer rows come first: our own JSON, heaps whose keys leave no doubt, JSON of others, what
 * else reads as a heap, then magic numbers, then beginnings of texts, and any text last. docs/formats/other-files.md has the same
 * table, and a test compares.
 * Sources: the tools' own files in tests/data/foreign; pages of the formats, named beside what no tool here writes.
 */
#include "formats/recognize.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/inflate.h"
#include "formats/format.h"
#include "formats/line_facts.h"
#include "formats/timeline/timeline_read.h"
#include "recording/heap_profile.h"
#include "recording/ubirec_reader.h"

/* ---- the formats of heaps ------------------------------------------------------------------------------------------- */

/* That of V8 takes any JSON which is no other format. fxsnapshot has no magic number, so it comes last and takes the rest. */
#define FORMATS(X)                                                                                                     \
    X(jsc)                                                                                                             \
    X(v8)                                                                                                              \
    X(fxsnapshot)

#define DECLARE(name) extern const ubi__format ubi__format_##name;
#define ADDRESS(name) &ubi__format_##name,

FORMATS(DECLARE)

static const ubi__format *const formats[] = { FORMATS(ADDRESS) };

const ubi__line_facts *ubi__line_facts_of(const ubi_graph *graph) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i]->line_facts && formats[i]->line_facts->knows_graph(graph))
            return formats[i]->line_facts;
    return NULL;
}

const ubi__format *ubi__format_at(size_t i) {
    return i < sizeof formats / sizeof *formats ? formats[i] : NULL;
}

const ubi__format *ubi__format_guess(const uint8_t *head, size_t n) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i]->guess(head, n))
            return formats[i];
    return formats[sizeof formats / sizeof *formats - 1];
}

/* ---- JSON --------------------------------------------------------------------------------------------------------------- */

static bool has_key(const ubi__beginning *b, unsigned depth, const char *key) {
    return ubi__json_begin_has(&b->json, depth, key);
}

static bool has_value(const ubi__beginning *b, unsigned depth, const char *key, const char *value) {
    return ubi__text_is(ubi__json_begin_value(&b->json, depth, key), value);
}

static bool has_schema(const ubi__beginning *b, const char *beginning) {
    ubi_text schema = ubi__json_begin_value(&b->json, 1, "schema");
    size_t n = strlen(beginning);
    return schema.len >= n && memcmp(schema.ptr, beginning, n) == 0;
}

static bool is_timeline(const ubi__beginning *b) {
    return has_schema(b, "ubiheap.timeline-log/");
}

static bool is_jsonl(const ubi__beginning *b) {
    return has_schema(b, "ubiheap.jsonl/");
}

static bool is_allocation_log(const ubi__beginning *b) {
    return has_schema(b, "ubiheap.allocation-log/");
}

static bool is_document(const ubi__beginning *b) {
    return has_schema(b, "ubiheap.");
}

/* The file that the document is about. */
static void document_detail(char *out, size_t size, const ubi__beginning *b) {
    ubi_text file = ubi__json_begin_value(&b->json, 1, "file");
    *out = '\0';
    if (file.ptr && !memchr(file.ptr, '\\', file.len))
        ubi__quote(out, size, " about ", file.ptr, file.len, "");
}

static bool is_sampling_profile(const ubi__beginning *b) {
    return has_key(b, 1, "head") && has_key(b, 2, "callFrame");
}

static bool is_cpu_profile(const ubi__beginning *b) {
    return has_key(b, 1, "nodes") && has_key(b, 3, "callFrame");
}

/* As an object, or the events alone. */
static bool is_trace(const ubi__beginning *b) {
    if (b->json.first == '[')
        return has_key(b, 2, "ph") && (has_key(b, 2, "ts") || has_key(b, 2, "name"));
    return (has_key(b, 1, "traceEvents") || has_value(b, 2, "source", "DevTools"));
}

/* What the Web Inspector exports of its timelines; snapshots are in it as texts. Source: WebKit, TimelineRecording.js. */
static bool is_web_inspector_recording(const ubi__beginning *b) {
    return has_key(b, 1, "version") && has_key(b, 1, "recording") && has_key(b, 2, "instrumentTypes");
}

/* Source: mozilla-central, tools/profiler/core/platform.cpp and xpcom/base/nsMemoryInfoDumper.cpp. */
static bool is_firefox_profile(const ubi__beginning *b) {
    return has_key(b, 1, "meta") && has_key(b, 2, "interval") && has_key(b, 2, "startTime");
}

static bool is_memory_report(const ubi__beginning *b) {
    return has_key(b, 1, "hasMozMallocUsableSize");
}

static bool is_dhat(const ubi__beginning *b) {
    return has_key(b, 1, "dhatFileVersion");
}

static bool text_begins(const ubi__beginning *b, const char *text) {
    size_t n = strlen(text);
    return b->n >= n && memcmp(b->at, text, n) == 0;
}

static bool is_profiler_tables(const ubi__beginning *b) {
    return text_begins(b, "{\"names\":[\"(unknown)\"");
}

static bool is_json_array(const ubi__beginning *b) {
    return b->json.first == '[' && ubi__json_may_begin(b->at, b->n);
}

/* ---- bytes -------------------------------------------------------------------------------------------------------------- */

static bool is_empty(const ubi__beginning *b) {
    return b->n == 0;
}

static bool is_recording(const ubi__beginning *b) {
    return ubi__ubirec_guess(b->at, b->n);
}

static bool is_bzip2(const ubi__beginning *b) {
    return b->n >= 10 && b->at[3] >= '1' && b->at[3] <= '9' &&
           (memcmp(b->at + 4, "\x31\x41\x59\x26\x53\x59", 6) == 0 || /* a block */
            memcmp(b->at + 4, "\x17\x72\x45\x38\x50\x90", 6) == 0);  /* the end, of nothing */
}

static bool is_elf(const ubi__beginning *b) {
    return b->n >= 18;
}

/* e_type, in the byte order that byte 5 says. */
static bool is_core(const ubi__beginning *b) {
    return is_elf(b) && b->at[b->at[5] == 2 ? 17 : 16] == 4 && b->at[b->at[5] == 2 ? 16 : 17] == 0;
}

static bool is_mach_o(const ubi__beginning *b) {
    static const char magic[][5] = { "\xcf\xfa\xed\xfe", "\xce\xfa\xed\xfe", "\xfe\xed\xfa\xcf", "\xfe\xed\xfa\xce" };
    if (b->n < 8)
        return false;
    for (size_t i = 0; i < sizeof magic / sizeof *magic; i++)
        if (memcmp(b->at, magic[i], 4) == 0)
            return true;
    /* Of several processors; classes of Java begin alike, but with a version from 45 on. */
    return memcmp(b->at, "\xca\xfe\xba\xbe\0\0\0", 7) == 0 && b->at[7] > 0 && b->at[7] < 45;
}

static bool is_pe(const ubi__beginning *b) {
    if (b->n < 0x40)
        return false;
    size_t at = b->at[0x3c] | (size_t)b->at[0x3d] << 8;
    return at + 4 <= b->n && memcmp(b->at + at, "PE\0\0", 4) == 0;
}

/*
 * A Profile begins with its sample types: field 1, each with the number of a string as type (1) and as unit (2). As a message of
 * fxsnapshot, the second byte would be a tag of field 0. Source: github.com/google/pprof, proto/profile.proto.
 */
static bool is_pprof(const ubi__beginning *b) {
    const uint8_t *at = b->at, *end = b->at + b->n;
    int n_types = 0;
    while (end - at >= 2 && at[0] == 0x0a && at[1] >= 2 && at[1] <= 6 && end - at >= 2 + at[1]) {
        const uint8_t *field = at + 2, *type_end = field + at[1];
        while (field < type_end) {
            if (*field != 0x08 && *field != 0x10)
                return false;
            while (++field < type_end && *field & 0x80)
                ;
            field++;
        }
        at = type_end;
        n_types++;
    }
    return n_types > 1 || (n_types == 1 && end > at && *at == 0x12); /* samples are field 2 */
}

/* ---- texts -------------------------------------------------------------------------------------------------------------- */

/* After white space and a byte order mark, in any case. */
static bool begins_tag(const ubi__beginning *b, const char *text) {
    size_t at = b->n >= 3 && memcmp(b->at, "\xef\xbb\xbf", 3) == 0 ? 3 : 0, n = strlen(text);
    while (at < b->n && strchr(" \t\r\n", b->at[at]) && b->at[at])
        at++;
    if (b->n - at < n)
        return false;
    for (size_t i = 0; i < n; i++)
        if ((b->at[at + i] >= 'A' && b->at[at + i] <= 'Z' ? b->at[at + i] | 0x20 : b->at[at + i]) != (uint8_t)text[i])
            return false;
    return true;
}

static bool is_html(const ubi__beginning *b) {
    return begins_tag(b, "<!doctype html") || begins_tag(b, "<html");
}

static bool is_xml(const ubi__beginning *b) {
    return begins_tag(b, "<?xml");
}

static bool is_svg(const ubi__beginning *b) {
    return begins_tag(b, "<svg");
}

/* The line of headings that a census has on a page. */
static bool is_census_table(const ubi__beginning *b) {
    const uint8_t *end = b->n ? memchr(b->at, '\n', b->n) : NULL;
    size_t n = end ? (size_t)(end - b->at) : 0;
    return n > 6 && begins_tag(b, "size ") && memmem(b->at, n, " Count ", 7) && memcmp(end - 6, "  Name", 6) == 0;
}

/* "v", a version in hex, maybe that of the format, and a line of one letter and what it is about. */
static bool is_heaptrack(const ubi__beginning *b) {
    size_t at = 2;
    while (at < b->n && at < 24 && strchr("0123456789abcdef ", b->at[at]) && b->at[at])
        at++;
    return at > 6 && at + 2 < b->n && b->at[at] == '\n' && (b->at[at + 1] == 'X' || b->at[at + 1] == 'x') &&
           b->at[at + 2] == ' ';
}

static bool is_massif(const ubi__beginning *b) {
    return memmem(b->at, b->n, "\ncmd: ", 6) && memmem(b->at, b->n, "\ntime_unit: ", 12);
}

static bool is_callgrind(const ubi__beginning *b) {
    return text_begins(b, "# callgrind format") ||
           (text_begins(b, "version: ") && memmem(b->at, b->n, "\ncreator: callgrind", 19));
}

/* "==PID== ". */
static bool is_valgrind(const ubi__beginning *b) {
    size_t at = 2;
    while (at < b->n && b->at[at] >= '0' && b->at[at] <= '9')
        at++;
    return at > 2 && b->n - at >= 3 && memcmp(b->at + at, "== ", 3) == 0;
}

static bool is_gperftools(const ubi__beginning *b) {
    return text_begins(b, "heap profile: ") || text_begins(b, "heap_v2/");
}

/* Every other byte is 0: characters of Latin letters in two bytes each. */
static bool is_utf16(const ubi__beginning *b, size_t zero_at) {
    size_t n = b->n < 64 ? b->n & ~(size_t)1 : 64;
    for (size_t i = 0; i < n; i += 2) {
        uint8_t c = b->at[i + 1 - zero_at];
        if (b->at[i + zero_at] != 0 || c >= 0x7f || (c < ' ' && c != '\n' && c != '\r' && c != '\t'))
            return false;
    }
    return n >= 8;
}

static bool is_utf16_little(const ubi__beginning *b) {
    return is_utf16(b, 1);
}

static bool is_utf16_big(const ubi__beginning *b) {
    return is_utf16(b, 0);
}

static bool has_mark_and_text(const ubi__beginning *b) {
    return b->n >= 4 && b->n - 2 >= 2 && (b->at[2] | b->at[3]) != 0;
}

/* UTF-8 without control characters but those of terminals; the last character may be cut. */
static bool is_text(const ubi__beginning *b) {
    for (size_t i = 0; i < b->n; i++)
        if ((b->at[i] < ' ' && !strchr("\t\n\r\f\x1b", b->at[i])) || b->at[i] == 0 || b->at[i] == 0x7f)
            return false;
    size_t valid = ubi__utf8_valid_prefix((ubi_text){ (const char *)b->at, b->n });
    return valid == b->n || (b->n - valid < 4 && b->n == UBI__BEGINNING_BYTES);
}

/* Lines may be longer than the beginning. */
static bool is_collapsed(const ubi__beginning *b) {
    const char *line = (const char *)b->at, *end = memchr(line, '\n', b->n);
    size_t at = end ? (size_t)(end - line) : 0, n_digits = 0;
    for (; at > 0 && line[at - 1] >= '0' && line[at - 1] <= '9'; at--)
        n_digits++;
    return n_digits > 0 && at > 1 && line[at - 1] == ' ' && memchr(line, ';', at) && is_text(b);
}

/* The first line that says something. */
static void text_detail(char *out, size_t size, const ubi__beginning *b) {
    size_t at = b->n >= 3 && memcmp(b->at, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (at < b->n && b->at[at] <= ' ')
        at++;
    ubi__quote(out, size, " that begins with ", b->at + at, b->n - at, "");
}

/* ---- the table ---------------------------------------------------------------------------------------------------------- */

#define MAGIC(bytes) .magic = (bytes), .n_magic = sizeof(bytes) - 1
#define FOREIGN(name, told, to_do) .use = UBI__FILE_FOREIGN, .what = (name), .sign = (told), .advice = (to_do)
#define UNPACK(how) "unpack it (" how ") and give what was in it"

static const ubi__file_type ours[] = {
    { FOREIGN("an empty file", "no bytes", "was it written, or downloaded, to its end?"), .is = is_empty },

    { UBI__FILE_TIMELINE, "a timeline of markers", "JSON, `schema` begins with `ubiheap.timeline-log/`",
      "use ubiheap timeline", .output = "timeline", .is = is_timeline },
    { FOREIGN("a file of JSON lines, made by 'ubiheap convert'", "JSON, `schema` begins with `ubiheap.jsonl/`",
              "they are not read back; give the snapshot that they were made of"),
      .output = "jsonl", .is = is_jsonl },
    { FOREIGN("an allocation log", "JSON, `schema` begins with `ubiheap.allocation-log/`",
              "it is for jq and scripts; 'ubiheap run --snapshot' takes snapshots of the same program"),
      .output = "allocation log", .is = is_allocation_log },
    { FOREIGN("what 'ubiheap ... --json' printed", "JSON, `schema` begins with `ubiheap.`",
              "give the file that it is about"),
      .output = "document of ubiheap", .is = is_document, .detail = document_detail },
};

static const ubi__file_type json_of_others[] = {
    { UBI__FILE_RECORDING, "a sampling heap profile of V8 (.heapprofile)", "JSON, `head` with `callFrame` in it",
      "use ubiheap report, on the file itself: not compressed, not through a pipe", .output = "heapprofile",
      .is = is_sampling_profile },
    { FOREIGN("a CPU profile of V8 (.cpuprofile)", "JSON, `nodes` with `callFrame` in them",
              "open it in Chrome's DevTools, Performance; it has no heap"),
      .is = is_cpu_profile },
    { FOREIGN("a trace of Chrome or Node.js", "JSON, `traceEvents`; or an array of events with `ph`",
              "open it in ui.perfetto.dev or Chrome's DevTools, Performance; it has no heap"),
      .output = "trace of Chrome", .is = is_trace },
    { FOREIGN("a recording of the Web Inspector's timelines", "JSON, `recording` with `instrumentTypes`",
              "export the heap snapshot alone: open it in the Web Inspector and use Export"),
      .is = is_web_inspector_recording },
    { FOREIGN("a profile of the Firefox Profiler", "JSON, `meta` with `interval` and `startTime`",
              "open it in profiler.firefox.com; it has no heap"),
      .output = "profile of Firefox", .is = is_firefox_profile },
    { FOREIGN("a memory report of Firefox", "JSON, `hasMozMallocUsableSize`",
              "load it in about:memory; heap snapshots are saved in the Memory panel of the developer tools"),
      .is = is_memory_report },
    { FOREIGN("a file of Valgrind's DHAT", "JSON, `dhatFileVersion`", "open it in Valgrind's dh_view.html"),
      .is = is_dhat },
    { FOREIGN("tables of a memory profiler", "JSON, `names` that begin with `(unknown)`",
              "they are for scripts; give the recording that they were made of"),
      .output = "tables of a memory profiler", .is = is_profiler_tables },
    { FOREIGN("JSON, but an array", "JSON that begins with `[`", UBI__TAKE_HEAP), .is = is_json_array },
};

static const ubi__file_type others[] = {
    { UBI__FILE_RECORDING, "a recording of allocations", "`89 55 42 49 52 45 43 0a`",
      "use ubiheap report, on the file itself: not compressed, not through a pipe", .output = "recording",
      .is = is_recording },
    { FOREIGN("a gzip file", "`1f 8b 08` inside of a gzip or zlib stream",
              "it was compressed twice: unpack it once (gunzip)"),
      MAGIC("\x1f\x8b\x08") },
    { FOREIGN("a file compressed with xz", "`fd 37 7a 58 5a 00`", UNPACK("xz -d")), MAGIC("\xfd"
                                                                                          "7zXZ\0") },
    { FOREIGN("a file compressed with Zstandard", "`28 b5 2f fd`",
              UNPACK("zstd -d") "; recordings of heaptrack (.zst) are for heaptrack_gui"),
      MAGIC("\x28\xb5\x2f\xfd") },
    { FOREIGN("a file compressed with bzip2", "`BZh`, a digit, and the mark of a block", UNPACK("bunzip2")),
      MAGIC("BZh"), .is = is_bzip2 },
    { FOREIGN("a file compressed with LZ4", "`04 22 4d 18`", UNPACK("lz4 -d")), MAGIC("\x04\x22\x4d\x18") },
    { FOREIGN("a zip archive", "`PK 03 04`", UNPACK("unzip")), MAGIC("PK\3\4"), .detail = ubi__zip_detail },
    { FOREIGN("a zip archive with nothing in it", "`PK 05 06`", "was it made of the right folder?"), MAGIC("PK\5\6") },
    { FOREIGN("a 7-Zip archive", "`37 7a bc af 27 1c`", UNPACK("7z x")), MAGIC("7z\xbc\xaf\x27\x1c") },
    { FOREIGN("a RAR archive", "`Rar! 1a 07`", UNPACK("unrar x")), MAGIC("Rar!\x1a\x07") },
    { FOREIGN("a tar archive", "a header of 512 bytes whose checksum is right", UNPACK("tar -xf")), .is = ubi__tar_is,
      .detail = ubi__tar_detail },
    { FOREIGN("a heap dump of Java (HPROF)", "`JAVA PROFILE 1.0.`",
              "open it in Eclipse MAT (Memory Analyzer) or VisualVM"),
      MAGIC("JAVA PROFILE 1.0.") },
    { FOREIGN("a recording of Java Flight Recorder", "`FLR 00`", "open it in JDK Mission Control"), MAGIC("FLR\0") },
    { FOREIGN("a core dump (ELF)", "`7f ELF`, type 4",
              "open it in gdb; 'ubiheap record' records what a program allocates while it runs"),
      MAGIC("\x7f"
            "ELF"),
      .is = is_core },
    { FOREIGN("a program or library (ELF)", "`7f ELF`", "'ubiheap record PROGRAM' records what it allocates"),
      MAGIC("\x7f"
            "ELF"),
      .is = is_elf },
    { FOREIGN("a program or library of macOS (Mach-O)", "`cf fa ed fe` or another magic number of Mach-O",
              UBI__TAKE_HEAP),
      .is = is_mach_o },
    { FOREIGN("a program or library of Windows (PE)", "`MZ`, and `PE 00 00` where byte 60 says", UBI__TAKE_HEAP),
      MAGIC("MZ"), .is = is_pe },
    { FOREIGN("a minidump of Windows or Breakpad", "`MDMP 93 a7`", "open it in a debugger"), MAGIC("MDMP\x93\xa7") },
    { FOREIGN("a recording of perf", "`PERFILE2`", "use perf report"), MAGIC("PERFILE2") },
    { FOREIGN("a profile of pprof", "protobuf, sample types first", "use pprof; it has no heap"),
      .output = "profile of pprof", .is = is_pprof },

    /* texts */
    { FOREIGN("text in UTF-16", "`ff fe`", "convert it (iconv -f UTF-16 -t UTF-8); PowerShell's '>' writes such files"),
      MAGIC("\xff\xfe"), .is = has_mark_and_text },
    { FOREIGN("text in UTF-16, high bytes first", "`fe ff`", "convert it (iconv -f UTF-16 -t UTF-8)"),
      MAGIC("\xfe\xff"), .is = has_mark_and_text },
    { FOREIGN("text in UTF-16 without a byte order mark", "every second byte is 0",
              "convert it (iconv -f UTF-16LE -t UTF-8)"),
      .is = is_utf16_little },
    { FOREIGN("text in UTF-16 without a byte order mark, high bytes first", "every first byte of two is 0",
              "convert it (iconv -f UTF-16BE -t UTF-8)"),
      .is = is_utf16_big },
    { FOREIGN("a web page (HTML)", "`<!doctype html` or `<html`",
              "a server sent it instead of the file; you may have to log in: download it again"),
      .is = is_html },
    { FOREIGN("a picture (SVG)", "`<svg`", "open it in a browser; 'ubiheap treemap' draws such of a heap"),
      .output = "SVG", .is = is_svg },
    { FOREIGN("an XML document", "`<?xml`", "perhaps a server's error message, sent instead of the file"),
      .is = is_xml },
    { FOREIGN("a pointer of Git LFS", "`version https://git-lfs.github.com/spec/`",
              "fetch the file itself (git lfs pull)"),
      MAGIC("version https://git-lfs.github.com/spec/") },
    { FOREIGN("a recording of heaptrack", "`v`, a version, and a line of `X` or `x`", "open it in heaptrack_gui"),
      MAGIC("v "), .output = "recording of heaptrack", .is = is_heaptrack },
    { FOREIGN("a file of Valgrind's Massif", "`desc: `, then `cmd: ` and `time_unit: `", "use ms_print"),
      MAGIC("desc: "), .is = is_massif },
    { FOREIGN("a file of Valgrind's Callgrind", "`# callgrind format`", "use callgrind_annotate or KCachegrind"),
      .is = is_callgrind },
    { FOREIGN("a log of Valgrind", "`==`, a process, `==`", "it is for people to read; ubiheap does not"), MAGIC("=="),
      .is = is_valgrind },
    { FOREIGN("a heap profile of gperftools or jemalloc", "`heap profile: ` or `heap_v2/`", "use pprof or jeprof"),
      .is = is_gperftools },
    { FOREIGN("a table that 'ubiheap census' or 'run' printed", "a first line of `Size`, `Count` and `Name`",
              "give the snapshot that it is about"),
      .output = "table of ubiheap", .is = is_census_table },
    { FOREIGN("collapsed stacks", "a first line of names between semicolons, and a number",
              "draw them with flamegraph.pl or speedscope; give the recording that they were made of"),
      .output = "collapsed stacks", .is = is_collapsed },
    { FOREIGN("plain text", "UTF-8 without control characters", UBI__TAKE_HEAP), .is = is_text, .detail = text_detail },
};

/* The rows of formats that are sure, or those that are not. */
static const ubi__file_type *format_type_at(size_t *i, bool is_sure) {
    for (size_t k = 0; ubi__format_at(k); k++)
        for (const ubi__file_type *type = ubi__format_at(k)->file_types; type->what; type++)
            if (type->is_sure == is_sure && (*i)-- == 0)
                return type;
    return NULL;
}

static const ubi__file_type *row_at(size_t *i, const ubi__file_type *rows, size_t n) {
    if (*i < n)
        return &rows[*i];
    *i -= n;
    return NULL;
}

#define ROW_AT(i, rows) row_at(i, rows, sizeof(rows) / sizeof *(rows))

const ubi__file_type *ubi__file_type_at(size_t i) {
    const ubi__file_type *type = ROW_AT(&i, ours);
    type = type ? type : format_type_at(&i, true);
    type = type ? type : ROW_AT(&i, json_of_others);
    type = type ? type : format_type_at(&i, false);
    return type ? type : ROW_AT(&i, others);
}

static bool type_fits(const ubi__file_type *type, const ubi__beginning *b) {
    if (type->magic && (b->n < type->n_magic || memcmp(b->at, type->magic, type->n_magic) != 0))
        return false;
    return !type->is || type->is(b);
}

static void beginning_read(ubi__beginning *b, const uint8_t *head, size_t n) {
    b->at = head;
    b->n = n < UBI__BEGINNING_BYTES ? n : UBI__BEGINNING_BYTES;
    ubi__json_begin_read(&b->json, b->at, b->n);
}

/* A row says what it is known by and what to do about it; of a magic number, its length. */
static void file_type_check(const ubi__file_type *type) {
    UBI_ASSERT(type->what && type->sign && type->advice);
    UBI_ASSERT(type->magic || type->is);
    UBI_ASSERT(!type->magic == !type->n_magic && type->n_magic <= UBI__BEGINNING_BYTES);
}

const ubi__file_type *ubi__file_recognize(const uint8_t *head, size_t n) {
    ubi__beginning b;
    beginning_read(&b, head, n);
    const ubi__file_type *type;
    for (size_t i = 0; UBI_CHECKS && (type = ubi__file_type_at(i)); i++)
        file_type_check(type);
    for (size_t i = 0; (type = ubi__file_type_at(i)) && !type_fits(type, &b); i++)
        ;
    return type;
}

/* What is to be done with the beginning of a file. */
typedef ubi_status head_use(void *payload, const uint8_t *head, size_t n, const char *compression);

static ubi_status head_read(ubi__source *source, head_use *use, void *payload) {
    const ubi_allocator *a = ubi_allocator_default();
    ubi__inflater *inflater;
    size_t n;
    UBI_TRY(ubi__inflater_new(&inflater, source, true, a));
    uint8_t *head = ubi__alloc_array(a, UBI__INFLATE_BLOCK_BYTES, 1);
    ubi_status status = head ? ubi__inflater_fill(inflater, head, UBI__INFLATE_BLOCK_BYTES, &n) : ubi__fail_nomem();
    if (status == UBI_OK)
        status = use(payload, head, n, ubi__inflater_compression(inflater));
    ubi__free_array(a, head, UBI__INFLATE_BLOCK_BYTES, 1);
    ubi__inflater_free(inflater);
    return status;
}

static ubi_status path_head_read(const char *path, head_use *use, void *payload) {
    ubi__source source;
    UBI_TRY(ubi__source_open_path(&source, path, ubi_allocator_default()));
    ubi_status status = head_read(&source, use, payload);
    ubi__source_close(&source);
    return status;
}

static ubi_status head_recognize(void *out, const uint8_t *head, size_t n, const char *compression) {
    (void)compression;
    *(const ubi__file_type **)out = ubi__file_recognize(head, n);
    return UBI_OK;
}

ubi_status ubi__file_recognize_path(const ubi__file_type **out, const char *path) {
    return path_head_read(path, head_recognize, out);
}

ubi__file_use ubi__file_use_peek(const char *path) {
    uint8_t head[UBI__HEAP_PROFILE_HEAD_BYTES];
    size_t n = ubi__source_peek_path(head, sizeof head, path);
    return n == 0                             ? UBI__FILE_HEAP
           : ubi__ubirec_guess(head, n)       ? UBI__FILE_RECORDING
           : ubi__heap_profile_guess(head, n) ? UBI__FILE_RECORDING
           : ubi__timeline_guess(head, n)     ? UBI__FILE_TIMELINE
                                              : UBI__FILE_HEAP;
}

ubi_status ubi__file_refuse(const ubi__file_type *type, const uint8_t *head, size_t n, const char *compression,
                            const char *wanted) {
    char detail[160] = "";
    bool is_plain = strcmp(compression, "none") == 0;
    ubi__beginning b;
    beginning_read(&b, head, n);
    if (type->detail)
        type->detail(detail, sizeof detail, &b);
    bool is_foreign = type->use == UBI__FILE_FOREIGN;
    return ubi__fail(UBI_EFORMAT, "this is %s%s%s%s%s%s: %s", type->what, detail, is_plain ? "" : ", compressed with ",
                     is_plain ? "" : compression, is_foreign ? "" : ", and no ", is_foreign ? "" : wanted,
                     type->advice);
}

static ubi_status head_refuse(void *wanted, const uint8_t *head, size_t n, const char *compression) {
    const ubi__file_type *type = ubi__file_recognize(head, n);
    return type ? ubi__file_refuse(type, head, n, compression, wanted)
                : ubi__fail(UBI_EFORMAT, "this is not a %s", (const char *)wanted);
}

ubi_status ubi__file_refuse_path(const char *path, const char *wanted) {
    return path_head_read(path, head_refuse, (void *)wanted);
}
