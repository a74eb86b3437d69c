/* SPDX-License-Identifier: MIT
 *
 * node_id.c: the ids of nodes on a command line.
 */
#include "cli/node_id.h"

#include <inttypes.h>
#include <string.h>

#include "base/status.h"

static int digit_of(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
}

ubi_status ubi__node_id_parse(uint64_t *out, const char *text, const char *what) {
    const char *number = text[0] == '@' ? text + 1 : text; /* as DevTools write ids */
    bool hexadecimal = number[0] == '0' && (number[1] == 'x' || number[1] == 'X');
    const char *digits = hexadecimal ? number + 2 : number, *p = digits;
    int base = hexadecimal ? 16 : 10;
    uint64_t value = 0;
    for (; digit_of(*p) < base; p++)
        if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
            __builtin_add_overflow(value, (uint64_t)digit_of(*p), &value))
            return ubi__fail(UBI_EINVAL, "%s: %s is too large for a node id", what, text);
    if (p == digits || *p)
        return ubi__fail(
            UBI_EINVAL,
            "%s: expected a node id, a number such as 20159, not '%s'; 'ubiheap search FILE TEXT' lists ids "
            "by name",
            what, text);
    *out = value;
    return UBI_OK;
}

/* JSON shows a number above 2^53 as JavaScript does: with the fewest digits that give the same double. */
static bool find_same_double(ubi_node_ix *out, const ubi_graph *graph, uint64_t node_id) {
    double value = (double)node_id;
    return value > 0x1p53 && value < 0x1p64 && ubi_graph_find(out, graph, (uint64_t)value) == UBI_OK;
}

ubi_status ubi__node_id_find(ubi_node_ix *out, const ubi_graph *graph, uint64_t node_id) {
    if (ubi_graph_find(out, graph, node_id) == UBI_OK || find_same_double(out, graph, node_id))
        return UBI_OK;
    return ubi__fail(UBI_ENOTFOUND,
                     "no node has the id %" PRIu64 "; the root's is %" PRIu64 ", and 'ubiheap nodes' lists all of them",
                     node_id, ubi_graph_node_id(graph, ubi_graph_root(graph)));
}
