/* SPDX-License-Identifier: MIT
 *
 * memory_use.c: see memory_use.h.
 *
 * Mappings have a name of the kernel's, or a file, or neither. Those without are taken for what they look like, in this order: the
 * variables of the file before them, a thread's stack, a heap of glibc, what engines put elsewhere, and then page by page: segments of
 * mimalloc, large blocks of glibc, pools of Python. What is left is the allocator's, if there is one that makes such mappings, or unknown.
 */
#include "targets/native/memory_use.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"
#include "base/text.h"
#include "targets/native/memory_glibc.h"
#include "targets/native/memory_mimalloc.h"
#include "targets/native/memory_runtimes.h"
#include "targets/native/native_program.h"

/* Larger mappings are not looked into page by page, and have no variables, stacks and heads in them. */
#define PAGES_BYTES (UINT64_C(256) << 30)
#define SMALL_BYTES (UINT64_C(1) << 20)
#define STACK_BYTES (UINT64_C(64) << 20)
/* Of a stack, below it. */
#define GUARD_BYTES (UINT64_C(1) << 20)
/* Where Java puts its heap, and then its classes, if 32 bits are to be enough for an address. */
#define JAVA_HEAP_END (UINT64_C(32) << 30)
#define JAVA_CLASSES_END (UINT64_C(36) << 30)

typedef struct user {
    ubi__residence *to;
    ubi__memory_maps maps;
    ubi__memory_runtimes runtimes;
    ubi__memory_look look;
    int process;           /* the folder */
    bool has_seen_program; /* its file was asked for an allocator */
} user;

/* ---- mappings with a name ----------------------------------------------------------------------------------------- */

static ubi__residence_kind file_kind(const ubi__memory_map *map, ubi_text path) {
    if (ubi__text_begins(path, "/memfd:java_heap"))
        return UBI__RESIDENCE_JAVA_HEAP;
    static const char *const shared[] = { "/memfd:", "/dev/shm/", "/SYSV", "/dev/zero", "/anon_hugepage", "/i915" };
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        if ((map->is_shared || i == 0) && ubi__text_begins(path, shared[i]))
            return UBI__RESIDENCE_SHARED;
    return UBI__RESIDENCE_FILE;
}

static ubi__residence_kind word_kind(ubi_text word) {
    static const struct {
        const char *word;
        ubi__residence_kind kind;
    } words[] = { { "[stack]", UBI__RESIDENCE_MAIN_STACK },
                  { "[anon: glibc: pthread stack", UBI__RESIDENCE_STACKS },
                  { "[vdso]", UBI__RESIDENCE_SYSTEM },
                  { "[vvar", UBI__RESIDENCE_SYSTEM },
                  { "[vsyscall]", UBI__RESIDENCE_SYSTEM } };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ubi__text_begins(word, words[i].word))
            return words[i].kind;
    return UBI__RESIDENCE_NAMED;
}

static ubi_status break_close(user *u, ubi__memory_account *a) {
    const ubi__memory_runtimes *r = &u->runtimes;
    if (r->allocator && r->has_break)
        return ubi__memory_account_close(a, UBI__RESIDENCE_ALLOCATOR, ubi__text(r->allocator));
    if (r->has_glibc && ubi__memory_look_is_open(&u->look))
        UBI_TRY(ubi__glibc_break_enter(a, a->map->low, a->map->high));
    return ubi__memory_account_close(a, r->has_glibc ? UBI__RESIDENCE_ALLOCATOR : UBI__RESIDENCE_NAMED,
                                     ubi__text(r->has_glibc ? "glibc" : "[heap]"));
}

/* Kinds that are no files have words of their own. */
static ubi_status file_close(ubi__memory_account *a, ubi_text path) {
    ubi__residence_kind kind = file_kind(a->map, path);
    return ubi__memory_account_close(a, kind, kind == UBI__RESIDENCE_JAVA_HEAP ? UBI__NO_NAME : path);
}

static ubi_status named_close(user *u, ubi__memory_account *a) {
    ubi_text name = ubi__memory_map_name(&u->maps, a->map);
    if (a->map->has_file)
        return file_close(a, name);
    if (ubi__text_is(name, "[heap]"))
        return break_close(u, a);
    ubi__residence_kind kind = word_kind(name);
    return ubi__memory_account_close(a, kind, kind == UBI__RESIDENCE_NAMED ? name : UBI__NO_NAME);
}

/* ---- mappings without: beginnings --------------------------------------------------------------------------------- */

static const ubi__memory_map *map_before(const user *u, const ubi__memory_map *map) {
    bool is_adjacent = map > u->maps.at.at && map[-1].high == map->low;
    return is_adjacent ? map - 1 : NULL;
}

static const ubi__memory_map *map_after(const user *u, const ubi__memory_map *map) {
    bool is_adjacent = map + 1 < u->maps.at.at + u->maps.at.n && map[1].low == map->high;
    return is_adjacent ? map + 1 : NULL;
}

static bool map_is_barred(const ubi__memory_map *map) {
    return map && map->name == UBI_NONE && !map->can_read && !map->can_write && !map->can_execute;
}

/* Variables that begin as zeros are after those that are in the file. @return where they end; map->low: there are none. */
static uint64_t variables_end(user *u, const ubi__memory_map *map) {
    const ubi__memory_map *file = map_before(u, map), *first = file;
    if (!file || !file->has_file || !map->can_write)
        return map->low;
    while (first > u->maps.at.at && first[-1].has_file && first[-1].name == file->name)
        first--;
    uint64_t end = ubi__loaded_file_end(&u->look, first->low, map->high);
    if (end == 0)
        return map->high - map->low <= SMALL_BYTES ? map->high : map->low;
    return end > map->low ? end : map->low;
}

/* A stack has a part below it that nothing may touch, and its thread's block at the other end. */
static uint64_t stack_end(user *u, const ubi__memory_map *map, uint64_t low) {
    const ubi__memory_map *guard = map_before(u, map);
    if (low != map->low || !map_is_barred(guard) || map->high - low > STACK_BYTES || !map->can_write)
        return low;
    if (!ubi__memory_look_is_open(&u->look))
        return guard->high - guard->low <= GUARD_BYTES ? map->high : low;
    uint64_t block = ubi__thread_block_find(&u->look, low, map->high);
    uint64_t end = block ? (block / UBI__LOOK_PAGE + 1) * UBI__LOOK_PAGE : low;
    return end + UBI__THREAD_BLOCK_BYTES >= map->high && block ? map->high : end;
}

/* ---- mappings without: what is in them ------------------------------------------------------------------------------ */

/* An allocator may be built into the program. Its symbols are many, so they are asked only when there is something to explain. */
static void program_ask(user *u) {
    ubi__native_elf elf;
    if (u->runtimes.allocator || u->has_seen_program)
        return;
    u->has_seen_program = true;
    int fd = openat(u->process, "exe", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return;
    ubi__native_elf_look(&elf, fd);
    close(fd);
    if (elf.allocator)
        ubi__memory_runtimes_take_allocator(&u->runtimes, elf.allocator);
}

/* Mappings without a name that lie end to end: what was one, until parts of it got other rights. */
static bool is_of_allocator(user *u, const ubi__memory_map *map) {
    if (map->high - map->low >= SMALL_BYTES)
        program_ask(u);
    const uint64_t unit = u->runtimes.allocator_bytes;
    const ubi__memory_map *first = map, *last = map, *more;
    if (!u->runtimes.allocator)
        return false;
    while ((more = map_before(u, first)) && more->name == UBI_NONE && first->low % unit)
        first = more;
    while ((more = map_after(u, last)) && more->name == UBI_NONE && last->high % unit)
        last = more;
    return first->low % unit == 0 || last->high % unit == 0 || last->high - first->low >= unit;
}

/* What is left of a mapping when all that is known has been entered. */
static ubi_status rest_close(user *u, ubi__memory_account *a) {
    const ubi__memory_map *map = a->map;
    bool is_next_to_reserve = map_is_barred(map_before(u, map)) || map_is_barred(map_after(u, map));
    if (u->runtimes.has_java && map->can_execute)
        return ubi__memory_account_close(a, UBI__RESIDENCE_JAVA_CODE, UBI__NO_NAME);
    if (u->runtimes.has_java && is_next_to_reserve)
        return ubi__memory_account_close(a, UBI__RESIDENCE_JAVA_TABLES, UBI__NO_NAME);
    if (is_of_allocator(u, map))
        return ubi__memory_account_close(a, UBI__RESIDENCE_ALLOCATOR, ubi__text(u->runtimes.allocator));
    return ubi__memory_account_close(a, UBI__RESIDENCE_UNKNOWN, UBI__NO_NAME);
}

/* Whether a segment of mimalloc may be there: they begin at multiples of their size, but mappings may begin within one. */
static bool may_be_segment(const user *u, const ubi__memory_account *a, uint64_t address) {
    bool is_place = address == a->map->low || address % UBI__MIMALLOC_SEGMENT_BYTES == 0;
    return is_place && (!u->runtimes.allocator || strcmp(u->runtimes.allocator, "mimalloc") == 0);
}

/* Something of known extent at this address. @return where it ends; `low`: there is nothing known. */
static ubi_status thing_enter(user *u, ubi__memory_account *a, uint64_t low, uint64_t high, uint64_t *end) {
    ubi__python_pool pool;
    if (may_be_segment(u, a, low) && (*end = ubi__mimalloc_segment_end(&u->look, low)) != 0) {
        *end = *end < high ? *end : high;
        return ubi__mimalloc_segment_enter(a, low, *end);
    }
    *end = u->runtimes.has_glibc ? ubi__glibc_large_block_end(&u->look, low, high) : 0;
    if (*end)
        return ubi__memory_account_enter_range(a, UBI__RESIDENCE_BLOCKS, UBI__NO_NAME, low, *end);
    *end = low;
    if (u->runtimes.has_python && ubi__python_pool_read(&pool, &u->look, low, high)) {
        uint64_t there = ubi__memory_look_resident(&u->look, low, pool.end);
        uint64_t used = pool.used_bytes < there ? pool.used_bytes : there;
        *end = pool.end;
        UBI_TRY(ubi__memory_account_enter(a, UBI__RESIDENCE_PYTHON, UBI__NO_NAME, used));
        return ubi__memory_account_enter(a, UBI__RESIDENCE_PYTHON_FREE, UBI__NO_NAME, there - used);
    }
    if (u->runtimes.has_glibc && ubi__glibc_is_heap(&u->look, low, high)) {
        *end = high - low < UBI__GLIBC_HEAP_BYTES ? high : low + UBI__GLIBC_HEAP_BYTES;
        return ubi__glibc_heap_enter(a, low, *end);
    }
    return UBI_OK;
}

static ubi_status pages_enter(user *u, ubi__memory_account *a, uint64_t low) {
    const ubi__memory_map *map = a->map;
    if (!ubi__memory_look_is_open(&u->look) || !map->can_write || map->high - map->low > PAGES_BYTES)
        return UBI_OK;
    for (uint64_t at = low, end; at < map->high && a->left.resident_bytes; at = end > at ? end : at + UBI__LOOK_PAGE)
        UBI_TRY(thing_enter(u, a, at, map->high, &end));
    return UBI_OK;
}

/* A thread's heap, told by its shape: where it begins, and the part of it that is not used yet. */
static bool is_shaped_as_heap(user *u, const ubi__memory_map *map) {
    const ubi__memory_map *after = map_after(u, map);
    return u->runtimes.has_glibc && map->low % UBI__GLIBC_HEAP_BYTES == 0 && map_is_barred(after) &&
           after->high - map->low == UBI__GLIBC_HEAP_BYTES;
}

static bool is_main_block(user *u, const ubi__memory_map *map) {
    return map->high - map->low <= SMALL_BYTES && ubi__thread_block_find(&u->look, map->low, map->high);
}

/* Which engine has it, by its place. */
static bool is_placed(const user *u, const ubi__memory_map *map, ubi__residence_kind *kind, ubi_text *name) {
    *name = UBI__NO_NAME;
    if (u->runtimes.has_java && map->low < JAVA_CLASSES_END) {
        *kind = map->low < JAVA_HEAP_END ? UBI__RESIDENCE_JAVA_HEAP : UBI__RESIDENCE_JAVA_TABLES;
        return true;
    }
    if (!u->runtimes.scripts || !ubi__memory_is_elsewhere(&u->runtimes, map->low))
        return false;
    *kind = UBI__RESIDENCE_SCRIPTS;
    *name = ubi__text(u->runtimes.scripts);
    return true;
}

/* Variables of a file and stacks are at beginnings. */
static ubi_status unnamed_close(user *u, ubi__memory_account *a) {
    const ubi__memory_map *map = a->map;
    ubi__residence_kind kind;
    ubi_text name;
    uint64_t low = variables_end(u, map);
    if (low == map->high)
        return ubi__memory_account_close(a, UBI__RESIDENCE_FILE, ubi__memory_map_name(&u->maps, map - 1));
    if (low > map->low)
        UBI_TRY(ubi__memory_account_enter_range(a, UBI__RESIDENCE_FILE, ubi__memory_map_name(&u->maps, map - 1),
                                                map->low, low));
    else if (is_placed(u, map, &kind, &name))
        return ubi__memory_account_close(a, kind, name);
    uint64_t end = stack_end(u, map, low);
    if (end == map->high)
        return ubi__memory_account_close(a, UBI__RESIDENCE_STACKS, UBI__NO_NAME);
    UBI_TRY(ubi__memory_account_enter_range(a, UBI__RESIDENCE_STACKS, UBI__NO_NAME, low, end));
    UBI_TRY(pages_enter(u, a, end));
    if (is_shaped_as_heap(u, map))
        return ubi__memory_account_close(a, UBI__RESIDENCE_ALLOCATOR, ubi__text("glibc"));
    if (is_main_block(u, map))
        return ubi__memory_account_close(a, UBI__RESIDENCE_MAIN_STACK, UBI__NO_NAME);
    return rest_close(u, a);
}

/* ---- all of them -------------------------------------------------------------------------------------------------- */

static ubi_status maps_enter(user *u) {
    for (size_t i = 0; i < u->maps.at.n; i++) {
        const ubi__memory_map *map = &u->maps.at.at[i];
        ubi__memory_account a = { .to = u->to, .look = &u->look, .map = map, .left = map->amount };
        if (map->amount.resident_bytes || map->amount.swapped_bytes)
            UBI_TRY(map->name == UBI_NONE ? unnamed_close(u, &a) : named_close(u, &a));
    }
    return UBI_OK;
}

ubi_status ubi__memory_use_read(ubi__residence *out, int process, const ubi_allocator *allocator) {
    ubi__residence_init(out, allocator);
    user *u = UBI_NEW(allocator, user);
    if (!u)
        return ubi__fail_nomem();
    u->to = out;
    u->process = process;
    ubi__memory_maps_init(&u->maps, allocator);
    ubi__memory_look_open(&u->look, process);
    ubi_status status = ubi__memory_maps_read(&u->maps, process);
    if (status == UBI_OK) {
        ubi__memory_runtimes_find(&u->runtimes, &u->maps);
        status = maps_enter(u);
    }
    out->n_mappings = u->maps.at.n;
    out->is_divided = ubi__memory_look_is_open(&u->look);
    ubi__residence_sort(out);
    ubi__memory_look_close(&u->look);
    ubi__memory_maps_fini(&u->maps);
    UBI_DELETE(allocator, u);
    return status;
}
