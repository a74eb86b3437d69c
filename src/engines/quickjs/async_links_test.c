/* SPDX-License-Identifier: MIT
 *
 * async_links_test.c: the invariants of links to where callbacks were registered are seen when they break.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "damage.h"
#include "engines/quickjs/timeline.c"

static void check_links(void *links) {
    async_links_check(links);
}

static void damaged_links_are_seen(void **state) {
    (void)state;
    ubi__async_links links;
    async_links_init(&links, ubi_allocator_default());
    ubi__async_ix first = async_links_register(&links, 5, 0), second = async_links_register(&links, 6, first);
    ubi__async_ix named = async_links_named(&links, second, "setTimeout handler");
    assert_int_equal(named, 3);
    async_links_check(&links);
    links.at[second].parent = second;
    assert_damage_seen(check_links, &links, "l->at[ix].parent < ix");
    links.at[second].parent = first;
    links.at[first].stack = UBI__STACK_EMPTY;
    assert_damage_seen(check_links, &links, "l->at[ix].stack != UBI__STACK_EMPTY");
    links.at[first].stack = 7;
    assert_damage_seen(check_links, &links, "link_find(&l->table");
    links.at[first].stack = 5;
    links.table.n--;
    assert_damage_seen(check_links, &links, "l->table.n ==");
    links.table.n++;
    links.n = links.capacity + 1;
    assert_damage_seen(check_links, &links, "l->n <= l->capacity");
    links.n = 4;
    async_links_check(&links);
    async_links_fini(&links);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(damaged_links_are_seen) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
