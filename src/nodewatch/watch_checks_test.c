/* SPDX-License-Identifier: MIT
 *
 * watch_checks_test.c: the invariants of a snapshot's file and of the room for it are seen when they break.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "nodewatch/watch_file.c"
#include "nodewatch/watch_room.c"

#include "damage.h"

static void check_file(void *payload) {
    ubi__watch_file_check(payload);
}

static void write_to_file(void *payload) {
    ubi__watch_file *file = payload;
    char text[] = "{}";
    file->table->write(file, text, 2);
}

static void damaged_files_are_seen(void **state) {
    static ubi__watch_file file;
    char folder[] = "/tmp/ubiheap-watch-XXXXXX", text[] = "{}";
    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(ubi__watch_file_open(&file, folder), 0);
    assert_int_equal(file.table->write(&file, text, 2), 0);
    ubi__watch_file_check(&file);
    file.has_ended = true;
    assert_damage_seen(write_to_file, &file, "!file->has_ended");
    file.has_ended = false;
    file.n_bytes++;
    assert_damage_seen(check_file, &file, "== file->n_bytes");
    file.n_bytes--;
    file.part[strlen(folder) + 2]++;
    assert_damage_seen(check_file, &file, "strncmp(file->part, file->path, n) == 0");
    file.part[strlen(folder) + 2]--;
    file.part[strlen(file.path)] = '\0';
    assert_damage_seen(check_file, &file, "strncmp(file->part, file->path, n) == 0");
    file.part[strlen(file.path)] = '.';
    const ubi__v8_stream *table = file.table;
    file.table = NULL;
    assert_damage_seen(check_file, &file, "file->table == &stream_table");
    file.table = table;
    assert_int_equal(ubi__watch_file_close(&file), ECANCELED);
    assert_int_equal(rmdir(folder), 0);
}

static void check_room(void *payload) {
    ubi__watch_room_check(payload);
}

static void a_damaged_room_is_seen(void **state) {
    (void)state;
    ubi__watch_room room = ubi__watch_room_look(UINT64_C(1) << 20, 0);
    ubi__watch_room_check(&room);
    room.is_short = !room.is_short;
    assert_damage_seen(check_room, &room, "room->is_short == (ubi__memory_room");
    room.is_short = true;
    room.needed_bytes = 0;
    assert_damage_seen(check_room, &room, "room->needed_bytes > 0");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_files_are_seen),
        cmocka_unit_test(a_damaged_room_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
