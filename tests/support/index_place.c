/* SPDX-License-Identifier: MIT
 *
 * index_place.c: see index_place.h.
 */
#include "index_place.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/column_file_layout.h"
#include "saving.h"
#include "session/cache_folder.h"
#include "session/kept_answers.h"

/* ---- places ---------------------------------------------------------------------------------------------------------- */

packed_bytes file_read(const char *path) {
    struct stat about;
    int fd = open(path, O_RDONLY);
    assert_true(fd >= 0 && fstat(fd, &about) == 0);
    packed_bytes content = packed_copy((packed_bytes){ NULL, 0 });
    packed_free(content);
    content = (packed_bytes){ aligned_alloc(64, ((size_t)about.st_size + 64) / 64 * 64), (size_t)about.st_size };
    assert_int_equal(read(fd, content.at, content.n), content.n);
    close(fd);
    return content;
}

void file_write(const char *path, packed_bytes content) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, content.at, content.n), content.n);
    close(fd);
}

void file_copy(const char *to, const char *from) {
    packed_bytes content = file_read(from);
    file_write(to, content);
    packed_free(content);
}

index_place place_of(const char *file) {
    index_place p = { new_directory(), "", "" };
    snprintf(p.cache, sizeof p.cache, "%s/cache", p.folder);
    snprintf(p.heap, sizeof p.heap, "%s/heap", p.folder);
    file_copy(p.heap, file);
    return p;
}

void place_remove(index_place *p) {
    char command[1000];
    snprintf(command, sizeof command, "rm -rf '%s/cache'", p->folder);
    assert_int_equal(system(command), 0);
    remove_directory(p->folder);
}

/* ---- sessions -------------------------------------------------------------------------------------------------------- */

ubi_status opened_begin(opened_heap *o, const index_place *p, ubi_session_index index, const ubi_allocator *allocator,
                        ubi_progress progress) {
    ubi_session_pool_options pool = UBI_SESSION_POOL_OPTIONS_INIT;
    ubi_session_options options = UBI_SESSION_OPTIONS_INIT;
    ubi_session_use_options use = UBI_SESSION_USE_OPTIONS_INIT;
    *o = (opened_heap){ NULL, NULL, NULL };
    pool.allocator = allocator;
    options.index = index;
    options.cache_folder = p->cache;
    options.threads = 1;
    use.progress = progress;
    UBI_TRY(ubi_session_pool_new(&o->pool, &pool));
    UBI_TRY(ubi_session_open_path(&o->session, o->pool, p->heap, &options));
    return ubi_session_use_begin(&o->use, o->session, &use);
}

opened_heap open_with(const index_place *p, ubi_session_index index) {
    opened_heap o;
    if (opened_begin(&o, p, index, NULL, (ubi_progress){ NULL, NULL }) != UBI_OK)
        fail_msg("%s", ubi_error_message());
    return o;
}

void opened_end(opened_heap *o) {
    ubi_session_use_end(o->use);
    ubi_session_unref(o->session);
    ubi_session_pool_unref(o->pool);
}

ubi_session_index_info index_about(ubi_session_use *use) {
    ubi_session_index_info info = UBI_SESSION_INDEX_INFO_INIT;
    assert_int_equal(ubi_session_index_about(&info, use), UBI_OK);
    return info;
}

void index_write(const index_place *p, ubi_session_index index) {
    opened_heap o = open_with(p, index);
    if (ubi_session_write_index(o.use) != UBI_OK)
        fail_msg("%s", ubi_error_message());
    opened_end(&o);
}

const char *cached_path(const index_place *p) {
    static char path[800];
    ubi__cache_rows rows;
    assert_int_equal(ubi__cache_folder_list(&rows, p->cache, ubi_allocator_default()), UBI_OK);
    assert_int_equal(rows.n, 1);
    snprintf(path, sizeof path, "%s/%s", p->cache, rows.at[0].name);
    ubi__cache_rows_fini(&rows, ubi_allocator_default());
    return path;
}

void note_change(const char *path, size_t offset, uint8_t byte) {
    packed_bytes content = file_read(path);
    content.at[offsetof(ubi__column_header, note) + offset] ^= byte;
    packed_seal(content);
    file_write(path, content);
    packed_free(content);
}

bool answer_is(const index_place *p, const char *key, const char *expected) {
    opened_heap o = open_with(p, UBI_SESSION_INDEX_CACHE);
    ubi__vec_u8 answer = { NULL, 0, 0 };
    assert_int_equal(ubi__kept_answer_find(&answer, o.use, (ubi_text){ key, strlen(key) }), UBI_OK);
    bool is_equal = answer.n == strlen(expected) && (!answer.n || memcmp(answer.at, expected, answer.n) == 0);
    ubi__vec_u8_fini(&answer, ubi_session_use_allocator(o.use));
    opened_end(&o);
    return is_equal;
}

ubi_status answer_keep(const index_place *p, const char *key, ubi_text answer) {
    opened_heap o = open_with(p, UBI_SESSION_INDEX_CACHE);
    ubi_status status = ubi__kept_answer_add(o.use, (ubi_text){ key, strlen(key) }, answer);
    opened_end(&o);
    return status;
}

bool report_end(void *payload, const char *stage, uint64_t done, uint64_t total) {
    ending *e = payload;
    (void)done, (void)total;
    if (strcmp(stage, "writing the index") != 0 || ++e->n_reports < e->at)
        return true;
    if (e->must_kill)
        (void)kill(getpid(), SIGKILL);
    return false;
}

size_t files_in(const char *folder) {
    return access(folder, F_OK) == 0 ? count_files(folder) : 0;
}

void index_write_killed(const index_place *p, uint32_t n) {
    int how;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        ending e = { 0, n, true };
        opened_heap o;
        if (opened_begin(&o, p, UBI_SESSION_INDEX_CACHE, NULL, (ubi_progress){ report_end, &e }) == UBI_OK)
            (void)ubi_session_write_index(o.use);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL);
}
