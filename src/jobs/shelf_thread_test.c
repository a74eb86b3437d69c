/* SPDX-License-Identifier: MIT
 *
 * shelf_thread_test.c: heaps by their ids; nothing outside of the folders is opened, whatever a path tries; a file that was swapped is
 * not read; bounds, threads, and memory that is refused.
 */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <ubiheap/extension/ask.h>

#include "damage.h"
#include "fail_allocator.h"
#include "jobs/shelf.h"

#define HEAP "tests/data/fx/tiny-before.fxsnapshot"
#define OTHER_HEAP "tests/data/fx/tiny-after.fxsnapshot"
#define RECORDING "tests/data/ubirec/few.ubirec"

/* ---- a folder to play in ------------------------------------------------------------------------------------------ */

static char place[] = "/tmp/ubi-shelf-XXXXXX";
static char source[1024]; /* the source directory */

static const char *at(const char *path) {
    static _Thread_local char whole[8][1200];
    static _Thread_local unsigned turn;
    char *out = whole[turn++ % 8];
    snprintf(out, sizeof *whole, "%s/%s", place, path);
    return out;
}

static void copy_to(const char *to, const char *from) {
    char command[3000];
    snprintf(command, sizeof command, "cp '%s/%s' '%s'", source, from, at(to));
    assert_int_equal(system(command), 0);
}

static void text_to(const char *to, const char *text) {
    FILE *file = fopen(at(to), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int place_make(void **state) {
    (void)state;
    assert_non_null(getcwd(source, sizeof source));
    assert_non_null(mkdtemp(place));
    assert_int_equal(mkdir(at("root"), 0700) | mkdir(at("root/below"), 0700) | mkdir(at("other"), 0700), 0);
    assert_int_equal(mkdir(at("rootless"), 0700) | mkdir(at("root/.hidden"), 0700), 0);
    copy_to("root/a.fxsnapshot", HEAP);
    copy_to("root/below/b.fxsnapshot", OTHER_HEAP);
    copy_to("root/below/few.ubirec", RECORDING);
    copy_to("root/.hidden/a.fxsnapshot", HEAP);
    copy_to("other/a.fxsnapshot", HEAP);
    copy_to("other/c.fxsnapshot", OTHER_HEAP);
    copy_to("outside.fxsnapshot", HEAP);
    copy_to("rootless/near.fxsnapshot", HEAP);
    copy_to("root/notes.zip", "tests/data/foreign/notes.zip");
    text_to("root/notes.txt", "not a heap\n");
    text_to("root/some.json", "{\"name\": \"a package\"}\n"); /* perhaps a heap, by its beginning */
    return 0;
}

static int place_remove(void **state) {
    char command[100];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", place);
    return system(command);
}

typedef struct playing {
    ubi_session_pool *pool;
    ubi__shelf *shelf;
} playing;

static playing play(const ubi__shelf_options *options) {
    playing p;
    ubi__shelf_options o = *options;
    assert_int_equal(ubi_session_pool_new(&p.pool, NULL), UBI_OK);
    o.pool = p.pool;
    if (ubi__shelf_new(&p.shelf, &o) != UBI_OK)
        fail_msg("%s", ubi_error_message());
    return p;
}

static playing play_with_roots(const char *root, const char *other) {
    const char *roots[] = { root, other };
    return play(&(ubi__shelf_options){ .roots = roots, .n_roots = other ? 2 : 1 });
}

static void play_end(playing p) {
    ubi__shelf_free(p.shelf);
    ubi_session_pool_unref(p.pool);
}

static bool text_skip(void *payload, const void *data, size_t n) {
    (void)data;
    *(size_t *)payload += n;
    return true;
}

static ubi_status ask(const ubi__shelf_heap *heap, const char *question) {
    size_t n = 0;
    return ubi_ask(heap->session, question, NULL, text_skip, &n, NULL);
}

static void assert_opens(playing p, const char *path, const char *name) {
    const ubi__shelf_heap *heap = NULL;
    if (ubi__shelf_open(&heap, p.shelf, path) != UBI_OK)
        fail_msg("%s: %s", path, ubi_error_message());
    assert_string_equal(heap->name, name);
    ubi__shelf_heap_unref(heap);
}

/* One message, which says nothing about what is there. */
static void assert_refused(playing p, const char *path) {
    const ubi__shelf_heap *heap = NULL;
    char message[300];
    snprintf(message, sizeof message, "no file '%.200s' below the allowed folders", path);
    assert_int_equal(ubi__shelf_open(&heap, p.shelf, path), UBI_ENOTFOUND);
    assert_string_equal(ubi_error_message(), message);
    assert_null(heap);
}

/* ---- ids ----------------------------------------------------------------------------------------------------------- */

static void heaps_have_ids_that_are_never_given_twice(void **state) {
    playing p = play_with_roots(at("root"), NULL);
    const ubi__shelf_heap *a, *b, *again, *next;
    (void)state;
    assert_int_equal(ubi__shelf_add(&a, p.shelf, &(ubi__shelf_item){ .path = at("outside.fxsnapshot") }), UBI_OK);
    assert_int_equal(ubi__shelf_open(&b, p.shelf, "below/b.fxsnapshot"), UBI_OK);
    assert_string_equal(a->id, "h1");
    assert_string_equal(a->name, "outside.fxsnapshot");
    assert_string_equal(ubi__shelf_origin_name(a->origin), "given");
    assert_string_equal(b->id, "h2");
    assert_string_equal(b->name, "below/b.fxsnapshot");
    assert_string_equal(ubi__shelf_origin_name(b->origin), "opened");
    assert_true(b->size_bytes > 1000 && b->what && strstr(b->what, "Firefox"));
    assert_int_equal(ask(b, "summary"), UBI_OK);

    next = ubi__shelf_next(p.shelf, 0);
    assert_ptr_equal(next, a);
    ubi__shelf_heap_unref(next);
    assert_null(ubi__shelf_next(p.shelf, b->number));

    assert_int_equal(ubi__shelf_remove(p.shelf, "h2"), UBI_OK);
    assert_int_equal(ask(b, "info"), UBI_OK); /* a reference keeps it */
    assert_int_equal(ubi__shelf_get(&again, p.shelf, "h2"), UBI_ENOTFOUND);
    assert_string_equal(ubi_error_message(), "no heap has the id 'h2': 1 is open, h1");
    assert_int_equal(ubi__shelf_remove(p.shelf, "h2"), UBI_ENOTFOUND);
    assert_int_equal(ubi__shelf_open(&again, p.shelf, "below/b.fxsnapshot"), UBI_OK);
    assert_string_equal(again->id, "h3");
    assert_int_equal(ubi__shelf_count(p.shelf), 2);
    ubi__shelf_heap_unref(a);
    ubi__shelf_heap_unref(b);
    ubi__shelf_heap_unref(again);
    play_end(p);
}

static void the_same_file_is_the_same_heap_while_it_is_unchanged(void **state) {
    playing p = play_with_roots(at("root"), NULL);
    const ubi__shelf_heap *a, *b, *c;
    (void)state;
    copy_to("root/changing.fxsnapshot", HEAP);
    assert_int_equal(symlink("changing.fxsnapshot", at("root/link")), 0);
    assert_int_equal(ubi__shelf_open(&a, p.shelf, "changing.fxsnapshot"), UBI_OK);
    assert_int_equal(ubi__shelf_open(&b, p.shelf, "below/../link"), UBI_OK); /* a link that stays inside is fine */
    assert_ptr_equal(a, b);
    assert_string_equal(b->name, "changing.fxsnapshot");
    ubi__shelf_heap_unref(b);
    assert_int_equal(ubi__shelf_add(&b, p.shelf, &(ubi__shelf_item){ .path = at("root/link") }), UBI_OK);
    assert_ptr_equal(a, b);
    ubi__shelf_heap_unref(b);
    copy_to("root/changing.fxsnapshot", OTHER_HEAP);
    assert_int_equal(ubi__shelf_open(&c, p.shelf, "changing.fxsnapshot"), UBI_OK);
    assert_ptr_not_equal(a, c);
    assert_int_equal(ask(a, "info"), UBI_EMISMATCH);
    assert_int_equal(ask(c, "info"), UBI_OK);
    ubi__shelf_heap_unref(a);
    ubi__shelf_heap_unref(c);
    unlink(at("root/link"));
    unlink(at("root/changing.fxsnapshot"));
    play_end(p);
}

static void what_the_shelf_owns_is_deleted_with_it(void **state) {
    static const ubi__shelf_origin origins[] = { UBI__SHELF_UPLOADED, UBI__SHELF_SAVED };
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        playing p = play_with_roots(at("root"), NULL);
        const ubi__shelf_heap *heap;
        copy_to("upload-17", HEAP);
        ubi__shelf_item item = { at("upload-17"), "../../mine.fxsnapshot", origins[i % 2] };
        assert_int_equal(ubi__shelf_add(&heap, p.shelf, &item), UBI_OK);
        assert_string_equal(heap->name, "mine.fxsnapshot");
        if (i < 2)
            assert_int_equal(ubi__shelf_remove(p.shelf, heap->id), UBI_OK);
        ubi__shelf_heap_unref(heap);
        play_end(p);
        assert_int_equal(access(at("upload-17"), F_OK), -1);
        assert_int_equal(access(at("outside.fxsnapshot"), F_OK), 0);
    }
}

/* ---- what may be opened ---------------------------------------------------------------------------------------------- */

static void links_make(void) {
    assert_int_equal(symlink(at("outside.fxsnapshot"), at("root/absolute-link")), 0);
    assert_int_equal(symlink("../outside.fxsnapshot", at("root/link-out")), 0);
    assert_int_equal(symlink("..", at("root/folder-out")), 0);
    assert_int_equal(symlink("loop", at("root/loop")), 0);
    assert_int_equal(symlink("/proc/self/fd/0", at("root/magic-link")), 0);
    assert_int_equal(mkfifo(at("root/pipe"), 0600), 0);
}

static void links_remove(void) {
    static const char *const names[] = { "absolute-link", "link-out", "folder-out", "loop", "magic-link", "pipe" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[64];
        snprintf(path, sizeof path, "root/%s", names[i]);
        unlink(at(path));
    }
}

static void traversal_try(playing p) {
    static const char *const paths[] = { "../outside.fxsnapshot",
                                         "below/../../outside.fxsnapshot",
                                         "/etc/passwd",
                                         "absolute-link",
                                         "link-out",
                                         "folder-out/outside.fxsnapshot",
                                         "folder-out/root/a.fxsnapshot",
                                         "loop",
                                         "magic-link",
                                         "pipe",
                                         "below",
                                         ".",
                                         "..",
                                         "",
                                         "/",
                                         "nowhere",
                                         "a.fxsnapshot/..",
                                         "a.fxsnapshot/",
                                         "\n",
                                         "/proc/self/fd/0",
                                         "below/../../root/a.fxsnapshot" };
    char long_path[5000];
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        assert_refused(p, paths[i]);
    assert_refused(p, at("outside.fxsnapshot"));
    assert_refused(p, at("rootless/near.fxsnapshot")); /* its path begins with the letters of the folder's */
    assert_refused(p, at("root"));
    assert_refused(p, at("root/../outside.fxsnapshot"));
    memset(long_path, 'a', sizeof long_path);
    long_path[sizeof long_path - 1] = '\0';
    assert_refused(p, long_path);
    assert_opens(p, "a.fxsnapshot", "a.fxsnapshot");
    assert_opens(p, "./below//b.fxsnapshot", "below/b.fxsnapshot");
    assert_opens(p, "below/../a.fxsnapshot", "a.fxsnapshot");
    assert_opens(p, at("root/a.fxsnapshot"), "a.fxsnapshot");
    assert_opens(p, at("root//below/few.ubirec"), "below/few.ubirec");
}

static void nothing_outside_of_the_folders_is_opened(void **state) {
    (void)state;
    playing p = play_with_roots(at("root"), NULL);
    links_make();
    traversal_try(p);
    play_end(p);
    p = play_with_roots(at("root/below/.."), NULL); /* a folder by another path */
    traversal_try(p);
    play_end(p);
    links_remove();
}

static void a_kernel_without_openat2_refuses_the_same(void **state) {
    static const char *const paths[] = { "../outside.fxsnapshot",
                                         "absolute-link",
                                         "link-out",
                                         "loop",
                                         "pipe",
                                         "magic-link",
                                         "folder-out/outside.fxsnapshot",
                                         "below/../../outside.fxsnapshot",
                                         "nowhere" };
    ubi__beneath root;
    ubi__beneath_file file;
    (void)state;
    links_make();
    assert_int_equal(ubi__beneath_open(&root, at("root")), UBI_OK);
    root.knows_openat2 = false;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        assert_int_equal(ubi__beneath_find(&file, &root, paths[i]), UBI_ENOTFOUND);
    assert_int_equal(ubi__beneath_find(&file, &root, "below/../a.fxsnapshot"), UBI_OK);
    assert_string_equal(file.path, at("root/a.fxsnapshot"));
    ubi__beneath_close(&root);
    links_remove();
}

static void a_file_that_was_swapped_is_not_read(void **state) {
    static const char *const questions[] = { "info", "summary", "nodes" };
    playing p = play_with_roots(at("root"), NULL);
    const ubi__shelf_heap *heap;
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        copy_to("root/swapped.fxsnapshot", HEAP);
        assert_int_equal(ubi__shelf_open(&heap, p.shelf, "swapped.fxsnapshot"), UBI_OK);
        unlink(at("root/swapped.fxsnapshot"));
        if (i == 0)
            assert_int_equal(symlink("../outside.fxsnapshot", at("root/swapped.fxsnapshot")), 0);
        else
            copy_to("root/swapped.fxsnapshot", HEAP);
        for (size_t q = 0; q < 3; q++)
            assert_int_equal(ask(heap, questions[q]), UBI_EMISMATCH);
        unlink(at("root/swapped.fxsnapshot"));
        assert_int_equal(ask(heap, "summary"), UBI_EIO);
        ubi__shelf_heap_unref(heap);
    }
    copy_to("root/swapped.ubirec", RECORDING);
    assert_int_equal(ubi__shelf_open(&heap, p.shelf, "swapped.ubirec"), UBI_OK);
    unlink(at("root/swapped.ubirec"));
    copy_to("root/swapped.ubirec", RECORDING);
    assert_int_equal(ask(heap, "report"), UBI_EMISMATCH);
    ubi__shelf_heap_unref(heap);
    unlink(at("root/swapped.ubirec"));
    play_end(p);
}

static void what_was_opened_is_read_like_any_other(void **state) {
    playing p = play_with_roots(at("root"), NULL);
    const ubi__shelf_heap *heap;
    (void)state;
    assert_int_equal(ubi__shelf_open(&heap, p.shelf, "a.fxsnapshot"), UBI_OK);
    assert_int_equal(ask(heap, "summary"), UBI_OK);
    assert_true(ubi_session_read_info(heap->session)->message_count > 100);
    ubi_session_pool_drop_unused(p.pool);
    assert_int_equal(ask(heap, "summary"), UBI_OK);
    ubi__shelf_heap_unref(heap);
    play_end(p);
}

static void errors_are_one_clear_line(void **state) {
    playing p = play(&(ubi__shelf_options){ .most_heaps = 1 });
    const ubi__shelf_heap *heap, *other = NULL;
    const char *missing = at("missing");
    ubi__shelf *shelf;
    (void)state;
    assert_int_equal(ubi__shelf_get(&heap, p.shelf, "h1"), UBI_ENOTFOUND);
    assert_string_equal(ubi_error_message(), "no heap is open, so there is no 'h1'");
    assert_int_equal(ubi__shelf_open(&heap, p.shelf, "a.fxsnapshot"), UBI_ENOTFOUND);
    assert_string_equal(ubi_error_message(), "no folder was given in which files may be opened");
    assert_int_equal(ubi__shelf_add(&heap, p.shelf, &(ubi__shelf_item){ .path = missing }), UBI_EIO);
    assert_non_null(strstr(ubi_error_message(), "No such file or directory"));
    assert_int_equal(ubi__shelf_add(&heap, p.shelf, &(ubi__shelf_item){ .path = at("root") }), UBI_EFORMAT);
    assert_int_equal(ubi__shelf_add(&heap, p.shelf, &(ubi__shelf_item){ .path = at("root/notes.zip") }), UBI_EFORMAT);
    assert_int_equal(ubi__shelf_add(&heap, p.shelf, &(ubi__shelf_item){ .path = at("outside.fxsnapshot") }), UBI_OK);
    assert_int_equal(ubi__shelf_add(&other, p.shelf, &(ubi__shelf_item){ .path = at("other/c.fxsnapshot") }),
                     UBI_ELIMIT);
    assert_string_equal(ubi_error_message(), "1 heaps are open, which is the most");
    assert_int_equal(ubi__shelf_add(&other, p.shelf, &(ubi__shelf_item){ .path = at("outside.fxsnapshot") }), UBI_OK);
    assert_ptr_equal(heap, other);
    ubi__shelf_heap_unref(heap);
    ubi__shelf_heap_unref(other);
    ubi__shelf_options options = { .pool = p.pool, .roots = &missing, .n_roots = 1 };
    assert_int_equal(ubi__shelf_new(&shelf, &options), UBI_EIO);
    play_end(p);
}

/* ---- listing --------------------------------------------------------------------------------------------------------- */

static void files_are_listed_sorted_and_without_links(void **state) {
    playing p = play_with_roots(at("root"), at("other"));
    ubi__beneath_rows rows = { NULL, 0, 0 };
    bool was_cut = false;
    (void)state;
    links_make();
    assert_int_equal(ubi__shelf_list_files(&rows, &was_cut, p.shelf, ubi_allocator_default()), UBI_OK);
    assert_false(was_cut);
    assert_int_equal(rows.n, 5);
    assert_string_equal(rows.at[0].path, "a.fxsnapshot");
    assert_string_equal(rows.at[1].path, "below/b.fxsnapshot");
    assert_string_equal(rows.at[2].path, "below/few.ubirec");
    assert_string_equal(rows.at[3].path, at("other/a.fxsnapshot")); /* the first folder has one, too */
    assert_string_equal(rows.at[4].path, "c.fxsnapshot");
    for (size_t i = 0; i < rows.n; i++) {
        const ubi__shelf_heap *heap;
        assert_int_equal(ubi__shelf_open(&heap, p.shelf, rows.at[i].path), UBI_OK); /* as it is listed */
        assert_int_equal(heap->size_bytes, rows.at[i].size_bytes);
        assert_string_equal(heap->what, rows.at[i].what);
        ubi__shelf_heap_unref(heap);
    }
    assert_int_equal(ubi__shelf_count(p.shelf), 5);
    ubi__beneath_rows_free(&rows, ubi_allocator_default());
    links_remove();
    play_end(p);
}

static void a_listing_says_that_it_was_cut(void **state) {
    static const ubi__beneath_bounds bounds[] = {
        { 1, 1000, 1000, 100000 }, { 8, 1, 1000, 100000 }, { 8, 1000, 1, 100000 }, { 8, 1000, 1000, 0 }
    };
    static const size_t n_rows[] = { 1, 1, 1, 0 };
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        const char *root = at("root");
        playing p = play(&(ubi__shelf_options){ .roots = &root, .n_roots = 1, .listing = bounds[i] });
        ubi__beneath_rows rows = { NULL, 0, 0 };
        bool was_cut = false;
        assert_int_equal(ubi__shelf_list_files(&rows, &was_cut, p.shelf, ubi_allocator_default()), UBI_OK);
        assert_true(was_cut);
        assert_true(rows.n <= n_rows[i]);
        ubi__beneath_rows_free(&rows, ubi_allocator_default());
        play_end(p);
    }
}

/* ---- refused memory -------------------------------------------------------------------------------------------------- */

static ubi_status shelf_use(void *payload, const ubi_allocator *allocator) {
    const char *roots[] = { at("root"), at("other") };
    ubi_session_options session = UBI_SESSION_OPTIONS_INIT;
    ubi_session_pool_options pool_options = UBI_SESSION_POOL_OPTIONS_INIT;
    const ubi__shelf_heap *heap = NULL;
    ubi__beneath_rows rows = { NULL, 0, 0 };
    ubi_session_pool *pool;
    ubi__shelf *shelf;
    bool was_cut = false;
    (void)payload;
    pool_options.allocator = allocator;
    session.cache_folder = roots[1];
    UBI_TRY(ubi_session_pool_new(&pool, &pool_options));
    ubi__shelf_options options = {
        .allocator = allocator, .pool = pool, .roots = roots, .n_roots = 2, .session = &session
    };
    ubi_status status = ubi__shelf_new(&shelf, &options);
    ubi_session_pool_unref(pool);
    UBI_TRY(status);
    status = ubi__shelf_open(&heap, shelf, "a.fxsnapshot");
    ubi__shelf_heap_unref(heap);
    if (status == UBI_OK)
        status = ubi__shelf_list_files(&rows, &was_cut, shelf, allocator);
    ubi__beneath_rows_free(&rows, allocator);
    ubi__shelf_free(shelf);
    return status;
}

static void refused_memory_is_reported_and_nothing_is_lost(void **state) {
    (void)state;
    assert_true(fail_each_allocation(shelf_use, NULL) > 10);
}

/* ---- threads ---------------------------------------------------------------------------------------------------------- */

static void *heaps_open_and_remove(void *payload) {
    ubi__shelf *shelf = payload;
    static const char *const paths[] = { "a.fxsnapshot", "below/b.fxsnapshot", "below/few.ubirec" };
    for (unsigned i = 0; i < 60; i++) {
        const ubi__shelf_heap *heap, *same;
        assert_int_equal(ubi__shelf_open(&heap, shelf, paths[i % 3]), UBI_OK);
        if (ubi__shelf_get(&same, shelf, heap->id) == UBI_OK) {
            assert_ptr_equal(heap, same);
            ubi__shelf_heap_unref(same);
        }
        if (i % 20 == 0)
            assert_int_equal(ask(heap, "info"), UBI_OK);
        for (uint64_t number = 0; (same = ubi__shelf_next(shelf, number)); number = same->number)
            ubi__shelf_heap_unref(same);
        if (i % 3 == 0)
            (void)ubi__shelf_remove(shelf, heap->id);
        ubi__shelf_heap_unref(heap);
    }
    return NULL;
}

static void threads_open_and_remove_at_once(void **state) {
    playing p = play_with_roots(at("root"), NULL);
    pthread_t threads[6];
    (void)state;
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, heaps_open_and_remove, p.shelf), 0);
    for (size_t i = 0; i < 6; i++)
        pthread_join(threads[i], NULL);
    assert_true(ubi__shelf_count(p.shelf) <= 3);
    play_end(p);
}

/* ---- checks ------------------------------------------------------------------------------------------------------------ */

static void beneath_check(void *folder) {
    ubi__beneath_check(folder);
}

static void a_damaged_folder_is_seen(void **state) {
    ubi__beneath folder, damaged;
    (void)state;
    assert_int_equal(ubi__beneath_open(&folder, place), UBI_OK);
    damaged = folder;
    damaged.fd = -1;
    assert_damage_seen(beneath_check, &damaged, "folder->fd >= 0");
    damaged = folder;
    damaged.path[0] = '.';
    assert_damage_seen(beneath_check, &damaged, "folder->path[0] == '/'");
    ubi__beneath_close(&folder);
}

static void shelf_check(void *shelf) {
    ubi__shelf_check(shelf);
}

static void a_damaged_shelf_is_seen(void **state) {
    playing p = play_with_roots(at("root"), NULL);
    const ubi__shelf_heap *a, *b;
    (void)state;
    assert_int_equal(ubi__shelf_open(&a, p.shelf, "a.fxsnapshot"), UBI_OK);
    assert_int_equal(ubi__shelf_open(&b, p.shelf, "below/b.fxsnapshot"), UBI_OK);
    ubi__shelf_heap *damaged = (ubi__shelf_heap *)(uintptr_t)b;
    damaged->number = 1;
    assert_damage_seen(shelf_check, p.shelf, "last < e->heap.number");
    damaged->number = 2;
    ubi__shelf_heap_unref(a);
    ubi__shelf_heap_unref(b);
    play_end(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heaps_have_ids_that_are_never_given_twice),
        cmocka_unit_test(the_same_file_is_the_same_heap_while_it_is_unchanged),
        cmocka_unit_test(what_the_shelf_owns_is_deleted_with_it),
        cmocka_unit_test(nothing_outside_of_the_folders_is_opened),
        cmocka_unit_test(a_kernel_without_openat2_refuses_the_same),
        cmocka_unit_test(a_file_that_was_swapped_is_not_read),
        cmocka_unit_test(what_was_opened_is_read_like_any_other),
        cmocka_unit_test(errors_are_one_clear_line),
        cmocka_unit_test(files_are_listed_sorted_and_without_links),
        cmocka_unit_test(a_listing_says_that_it_was_cut),
        cmocka_unit_test(refused_memory_is_reported_and_nothing_is_lost),
        cmocka_unit_test(threads_open_and_remove_at_once),
        cmocka_unit_test(a_damaged_folder_is_seen),
        cmocka_unit_test(a_damaged_shelf_is_seen),
    };
    return cmocka_run_group_tests(tests, place_make, place_remove);
}
