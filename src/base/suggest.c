/* SPDX-License-Identifier: MIT
 *
 * suggest.c: optimal string alignment distance over a small table.
 */
#include "base/suggest.h"

#include <stdbool.h>
#include <string.h>

#define LONGEST UBI__SUGGESTED_BYTES

static unsigned least_of_three(unsigned a, unsigned b, unsigned c) {
    unsigned ab = a < b ? a : b;
    return ab < c ? ab : c;
}

unsigned ubi__edit_distance(const char *a, const char *b) {
    size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST || m > LONGEST)
        return 99;
    unsigned d[LONGEST + 1][LONGEST + 1];
    for (size_t i = 0; i <= n; i++)
        d[i][0] = (unsigned)i;
    for (size_t j = 0; j <= m; j++)
        d[0][j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        for (size_t j = 1; j <= m; j++) {
            unsigned replace = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            d[i][j] = least_of_three(d[i - 1][j] + 1, d[i][j - 1] + 1, replace);
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && d[i - 2][j - 2] + 1 < d[i][j])
                d[i][j] = d[i - 2][j - 2] + 1;
        }
    }
    return d[n][m];
}

ubi__suggestion ubi__suggestion_for(const char *typed) {
    size_t n = strlen(typed);
    return (ubi__suggestion){ typed, NULL, n <= 3 ? 2 : n <= 6 ? 3 : 4 };
}

/* Shorter words are the beginning of too many. */
#define SHORTEST_BEGINNING 4

/* Whether at most one change makes `typed` the beginning of `word`. */
static bool is_nearly_beginning(const char *typed, const char *word) {
    size_t n = strlen(typed), length = strlen(word);
    char beginning[LONGEST + 2];
    if (n < SHORTEST_BEGINNING || n > LONGEST || length <= n)
        return false;
    for (size_t k = n; k <= n + 1 && k <= length; k++) {
        memcpy(beginning, word, k);
        beginning[k] = 0;
        if (ubi__edit_distance(typed, beginning) <= 1)
            return true;
    }
    return false;
}

void ubi__suggestion_try(ubi__suggestion *suggestion, const char *word) {
    unsigned distance = ubi__edit_distance(suggestion->typed, word);
    if (distance > 2 && is_nearly_beginning(suggestion->typed, word))
        distance = 2;
    if (distance < suggestion->distance) {
        suggestion->word = word;
        suggestion->distance = distance;
    }
}

void ubi__suggestion_try_text(ubi__suggestion *suggestion, char best[UBI__SUGGESTED_BYTES + 1], ubi_text word) {
    char copy[UBI__SUGGESTED_BYTES + 1];
    if (word.len == 0 || word.len > UBI__SUGGESTED_BYTES)
        return;
    memcpy(copy, word.ptr, word.len);
    copy[word.len] = 0;
    ubi__suggestion_try(suggestion, copy);
    if (suggestion->word != copy)
        return;
    memcpy(best, copy, sizeof copy);
    suggestion->word = best;
}
