/* SPDX-License-Identifier: MIT
 *
 * demangle.c: see demangle.h.
 */
#include "symbolize/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

#include "base/assert.h"

#define ELLIPSIS "..."

/* Where the text goes. */
typedef struct sink {
    char *at;
    size_t n, room; /* without the final NUL */
    jmp_buf full;
} sink;

/* libiberty cannot be asked to stop; it holds nothing while it calls this, so leaving it is safe. */
static void sink_take(const char *piece, size_t n, void *payload) {
    sink *s = payload;
    size_t fits = n < s->room - s->n ? n : s->room - s->n;
    memcpy(s->at + s->n, piece, fits);
    s->n += fits;
    UBI_ASSERT(s->n <= s->room);
    if (fits < n)
        longjmp(s->full, 1);
}

static void mark_as_cut(sink *s) {
    UBI_ASSERT(s->room >= strlen(ELLIPSIS));
    s->n = s->room;
    memcpy(s->at + s->room - strlen(ELLIPSIS), ELLIPSIS, strlen(ELLIPSIS));
}

/* Whether `mangled` is what it seems to be; the text is in the sink then. */
static bool sink_unfold(sink *s, const char *mangled) {
    if (setjmp(s->full)) {
        mark_as_cut(s);
        return true;
    }
    s->n = 0;
    if (rust_demangle_callback(mangled, DMGL_PARAMS | DMGL_ANSI, sink_take, s))
        return true;
    s->n = 0;
    /* Its own limit of recursion refuses names of 1,025 bytes; ours is the length. */
    return cplus_demangle_v3_callback(mangled, DMGL_PARAMS | DMGL_ANSI | DMGL_NO_RECURSE_LIMIT, sink_take, s);
}

static void take_plainly(sink *s, ubi_text name) {
    s->n = name.len < s->room ? name.len : s->room;
    memcpy(s->at, name.ptr, s->n);
    if (name.len > s->room)
        mark_as_cut(s);
}

/* ---- shorter ------------------------------------------------------------------------------------------------------ */

/* The names that people use for what they mean. */
static const struct alias {
    const char *full, *usual;
} aliases[] = {
    { "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >", "std::string" },
    { "std::basic_string<char, std::char_traits<char>, std::allocator<char> >", "std::string" },
    { "std::basic_string_view<char, std::char_traits<char> >", "std::string_view" },
};

/* Every `full` becomes `usual`, which is shorter. */
static void sink_shorten(sink *s, const struct alias *alias) {
    size_t n_full = strlen(alias->full), n_usual = strlen(alias->usual), out = 0;
    for (size_t at = 0; at < s->n;) {
        if (s->n - at >= n_full && memcmp(s->at + at, alias->full, n_full) == 0) {
            memcpy(s->at + out, alias->usual, n_usual);
            out += n_usual;
            at += n_full;
        } else {
            s->at[out++] = s->at[at++];
        }
    }
    UBI_ASSERT(n_usual < n_full && out <= s->n);
    s->n = out;
}

/* ---- the name itself ---------------------------------------------------------------------------------------------- */

static bool begins_with(ubi_text text, const char *word) {
    return text.len >= strlen(word) && memcmp(text.ptr, word, strlen(word)) == 0;
}

/* What compilers append, each after a point. */
static bool is_addition(ubi_text rest) {
    static const char *const words[] = { ".isra.",     ".part.",      ".constprop.", ".cold",
                                         ".lto_priv.", ".localalias", ".llvm.",      ".clone." };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (begins_with(rest, words[i]))
            return true;
    return false;
}

/* Of the name itself. */
static size_t length_of_name(ubi_text name) {
    for (size_t i = 1; i < name.len; i++)
        if (name.ptr[i] == '@' || (name.ptr[i] == '.' && is_addition((ubi_text){ name.ptr + i, name.len - i })))
            return i;
    return name.len;
}

void ubi__demangle(char *out, size_t size, size_t *n, ubi_text name) {
    char mangled[UBI__MANGLED_BYTES + 1];
    UBI_ASSERT(size >= 8);
    sink s = { .at = out, .room = size - 1 };
    name.len = length_of_name(name);
    bool is_mangled = name.len > 2 && name.len <= UBI__MANGLED_BYTES && name.ptr[0] == '_' &&
                      (name.ptr[1] == 'Z' || name.ptr[1] == 'R');
    if (is_mangled) {
        memcpy(mangled, name.ptr, name.len);
        mangled[name.len] = '\0';
        is_mangled = sink_unfold(&s, mangled);
    }
    if (!is_mangled)
        take_plainly(&s, name);
    for (size_t i = 0; is_mangled && i < sizeof aliases / sizeof *aliases; i++)
        sink_shorten(&s, &aliases[i]);
    out[s.n] = '\0';
    *n = s.n;
}
