/* SPDX-License-Identifier: MIT
 *
 * json_digits.c: the plain kernel, those of x86-64, and the choice between them (json_digits.h).
 */
#include "formats/json_digits.h"

#include <string.h>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define UBI__DIGITS_X86_KERNELS 1
#include <immintrin.h>
#endif

#include "base/assert.h"
#include "base/text.h"

/* Appends a number; the batch has room. */
static void digits_push(ubi__digits *t, uint64_t value, bool negative) {
    if (value >= UBI__DIGITS_IS_WIDE || negative) {
        t->wide[t->n_wide++] = (ubi__wide_number){ (uint32_t)t->n, negative, value };
        value = UBI__DIGITS_IS_WIDE;
    }
    t->at[t->n++] = (uint32_t)value;
}

/* Digits from `p` on; false: more than 64 bits, or a leading zero. */
static bool parse_digits(const uint8_t **at, const uint8_t *end, uint64_t *out) {
    const uint8_t *p = *at, *start = p;
    uint64_t value = 0;
    bool fits = true;
    for (; p < end && ubi__is_digit(*p); p++) {
        fits = fits && !__builtin_mul_overflow(value, (uint64_t)10, &value);
        fits = fits && !__builtin_add_overflow(value, (uint64_t)(*p - '0'), &value);
        if (!fits)
            return false;
    }
    *at = p;
    *out = value;
    return p > start && !(*start == '0' && p > start + 1);
}

static ubi__digits_end take_number(ubi__digits *t, const uint8_t **at, const uint8_t *end) {
    const uint8_t *p = *at;
    bool negative = *p == '-';
    uint64_t value;
    if (t->is_after_number)
        return UBI__DIGITS_MISSING_COMMA;
    p += negative;
    if (!parse_digits(&p, end, &value))
        return UBI__DIGITS_BAD_NUMBER;
    digits_push(t, value, negative);
    t->is_after_number = true;
    *at = p;
    return UBI__DIGITS_ALL;
}

/* Stops after `until`, at the earliest at the end of one number. */
static ubi__digits_end take_plainly(ubi__digits *t, const uint8_t **at, const uint8_t *until, const uint8_t *end) {
    const uint8_t *p = *at;
    ubi__digits_end result = UBI__DIGITS_ALL;
    while (p < end && p < until && result == UBI__DIGITS_ALL) {
        if (t->n > UBI__DIGITS_BATCH - UBI__DIGITS_BLOCK_NUMBERS)
            result = UBI__DIGITS_FULL;
        else if (ubi__is_digit(*p) || (*p == '-' && t->may_be_negative))
            result = take_number(t, &p, end);
        else if (*p == ',' && !t->is_after_number)
            result = UBI__DIGITS_BAD_COMMA;
        else if (*p == ',') {
            t->is_after_number = false;
            p++;
        } else if (ubi__is_json_space((char)*p))
            p++;
        else
            result = UBI__DIGITS_OTHER;
    }
    *at = p;
    return result;
}

_Static_assert(UBI__DIGITS_BLOCK_NUMBERS == UBI__DIGITS_BLOCK / 2, "a digit and a comma are the shortest number");
_Static_assert(UBI__DIGITS_BLOCK <= 64, "a bit per byte of a block");

void ubi__digits_check(const ubi__digits *t) {
    UBI_ASSERT(t->n <= UBI__DIGITS_BATCH + UBI__DIGITS_BLOCK);
    UBI_ASSERT(t->n_wide <= t->n);
    for (size_t i = 0; UBI_CHECKS && i < t->n_wide; i++) {
        UBI_ASSERT(i == 0 || t->wide[i - 1].index < t->wide[i].index);
        UBI_ASSERT(t->wide[i].index < t->n && t->at[t->wide[i].index] == UBI__DIGITS_IS_WIDE);
        UBI_ASSERT(t->wide[i].value >= UBI__DIGITS_IS_WIDE || t->wide[i].is_negative);
    }
}

ubi__digits_end ubi__digits_take(ubi__digits *t, const uint8_t **at, const uint8_t *end) {
    ubi__digits_end result = UBI__DIGITS_ALL;
    while (result == UBI__DIGITS_ALL && *at < end) {
        const uint8_t *until = end;
        if (t->blocks && end - *at >= UBI__DIGITS_BLOCK) {
            *at = t->blocks(t, *at, end);
            until = end - *at < UBI__DIGITS_BLOCK ? end : *at + UBI__DIGITS_BLOCK;
        }
        result = take_plainly(t, at, until, end);
    }
    ubi__digits_check(t);
    return result;
}

void ubi__digits_drop(ubi__digits *t, size_t first) {
    size_t n_wide = 0;
    UBI_ASSERT(first <= t->n);
    memmove(t->at, t->at + first, (t->n - first) * sizeof *t->at);
    t->n -= first;
    for (size_t i = 0; i < t->n_wide; i++)
        if (t->wide[i].index >= first) {
            t->wide[n_wide] = t->wide[i];
            t->wide[n_wide++].index -= (uint32_t)first;
        }
    t->n_wide = n_wide;
}

#ifdef UBI__DIGITS_X86_KERNELS

/* ---- x86-64: blocks of 64 bytes ----------------------------------------------------------------------------------- */

/*
 * Each block is turned into bit masks, a bit per byte: digit, comma, and so on. The grammar is checked on the masks, and they
 * say where numbers end. The 8 bytes before an end are loaded, those before the number are cleared, and 8 numbers at a
 * time are converted by three multiplications that add neighbours: digits to 2, to 4, to 8 digits. So a number costs the same
 * whatever its length, and no branch depends on it.
 *
 * Numbers of 9 digits and more are seen in the masks, too, and get their upper digits afterwards.
 */

#define INLINE static inline __attribute__((always_inline))
#define SSE41 __attribute__((target("sse4.1,popcnt")))
#define AVX2 __attribute__((target("avx2,bmi,lzcnt,pclmul,popcnt")))

/* A bit per byte of a block. */
typedef struct masks {
    uint64_t digit, zero, comma, known; /* known: comma or white space */
} masks;

/* What a block must know of those before it. */
typedef struct carry {
    uint64_t digit;      /* mask of the block before */
    uint64_t first_zero; /* mask of the block before: a number begins here, with 0 */
    uint64_t odd;        /* all ones: an odd count of numbers and commas came before, so a number was last */
} carry;

INLINE uint64_t shift_in(uint64_t mask, uint64_t before, unsigned n) {
    return mask << n | before >> (64 - n);
}

INLINE uint64_t starts_of(const masks *m, const carry *c) {
    return m->digit & ~shift_in(m->digit, c->digit, 1);
}

/*
 * Checks a block. False: something unusual, look closer; `c` is as it was then. Numbers and commas must alternate, so
 * counted together each number is an odd one and each comma an even one; bit i of `odd` says which it is at byte i.
 */
INLINE bool check_block(const masks *m, carry *c, uint64_t odd, uint64_t *ends, bool *maybe_long) {
    uint64_t digit_before = shift_in(m->digit, c->digit, 1);
    uint64_t starts = m->digit & ~digit_before;
    uint64_t first_zero = starts & m->zero;
    uint64_t bad = ~(m->digit | m->known) | (starts & ~odd) | (m->comma & odd) |
                   (shift_in(first_zero, c->first_zero, 1) & m->digit);
    if (__builtin_expect(bad != 0, 0))
        return false;
    *ends = ~m->digit & digit_before;
    /* Nine digits within the block, or across its beginning: 65 of 64 bits set would be all of both blocks. */
    uint64_t run2 = m->digit & m->digit << 1, run4 = run2 & run2 << 2, run8 = run4 & run4 << 4;
    uint64_t high = ~c->digit, low = ~m->digit;
    unsigned across = (unsigned)__builtin_clzll(high | 1) + (unsigned)__builtin_ctzll(low | UINT64_C(1) << 63);
    *maybe_long = (run8 & m->digit << 8) != 0 || across >= 9;
    *c = (carry){ m->digit, first_zero, (uint64_t)((int64_t)odd >> 63) };
    return true;
}

/* ---- numbers of 9 digits and more ----------------------------------------------------------------------------------- */

INLINE bool is_digit(uint8_t c) {
    return (uint8_t)(c - '0') < 10;
}

/* The upper digits of a number whose last 8 are converted. False: more than 64 bits. */
static bool add_upper_digits(ubi__digits *t, size_t index, const uint8_t *end, const uint8_t *start) {
    uint64_t value = t->at[index], scale = 100000000;
    const uint8_t *p = end - 8;
    for (unsigned n = 0; p > start && is_digit(p[-1]); n++) {
        uint64_t digit = (uint64_t)(*--p - '0'), part;
        if (n == 12 || __builtin_mul_overflow(digit, scale, &part) || __builtin_add_overflow(value, part, &value))
            return false;
        scale *= 10; /* 10^19 at most where it is still used */
    }
    t->at[index] = value < UBI__DIGITS_IS_WIDE ? (uint32_t)value : UBI__DIGITS_IS_WIDE;
    if (value >= UBI__DIGITS_IS_WIDE)
        t->wide[t->n_wide++] = (ubi__wide_number){ (uint32_t)index, false, value };
    return true;
}

static bool has_nine_digits(const uint8_t *end, const uint8_t *start) {
    if (end - start < 9)
        return false;
    for (size_t i = 1; i <= 9; i++)
        if (!is_digit(end[-(ptrdiff_t)i]))
            return false;
    return true;
}

/*
 * Completes the long numbers that end in the block at `block`. Returns where the digits of the first one begin that does not
 * fit 64 bits; it and what follows is dropped, and left to the plain kernel to complain about. NULL: all is well.
 */
static __attribute__((noinline)) const uint8_t *complete_long(ubi__digits *t, size_t first, uint64_t ends,
                                                              const uint8_t *block, const uint8_t *start) {
    for (size_t index = first; ends; ends &= ends - 1, index++) {
        const uint8_t *end = block + __builtin_ctzll(ends);
        if (!has_nine_digits(end, start) || add_upper_digits(t, index, end, start))
            continue;
        t->n = index;
        while (end > start && is_digit(end[-1]))
            end--;
        return end;
    }
    return NULL;
}

/* Ends a kernel that can take no more blocks: a number in progress is given back. */
INLINE const uint8_t *block_settle(ubi__digits *t, const carry *c, const uint8_t *start, const uint8_t *p) {
    const uint8_t *at = p;
    while (at > start && is_digit(at[-1]))
        at--;
    t->is_after_number = at == p && c->odd;
    return at;
}

INLINE bool has_room(const ubi__digits *t, size_t n) {
    (void)t;
    return n <= UBI__DIGITS_BATCH - UBI__DIGITS_BLOCK_NUMBERS;
}

/* ---- AVX2 ----------------------------------------------------------------------------------------------------------- */

AVX2 INLINE uint64_t join_halves(__m256i low, __m256i high) {
    return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}

AVX2 INLINE masks masks_avx2(const uint8_t *p) {
    const __m256i spaces = _mm256_setr_epi8(' ', -1, -1, -1, -1, -1, -1, -1, -1, '\t', '\n', -1, ',', '\r', -1, -1, ' ',
                                            -1, -1, -1, -1, -1, -1, -1, -1, '\t', '\n', -1, ',', '\r', -1, -1);
    const __m256i zero = _mm256_set1_epi8('0'), nine = _mm256_set1_epi8(9), comma = _mm256_set1_epi8(',');
    __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)p);
    __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)(p + 32));
    __m256i da = _mm256_sub_epi8(a, zero), db = _mm256_sub_epi8(b, zero);
    return (masks){
        .digit = join_halves(_mm256_cmpeq_epi8(_mm256_min_epu8(da, nine), da),
                             _mm256_cmpeq_epi8(_mm256_min_epu8(db, nine), db)),
        .zero = join_halves(_mm256_cmpeq_epi8(a, zero), _mm256_cmpeq_epi8(b, zero)),
        .comma = join_halves(_mm256_cmpeq_epi8(a, comma), _mm256_cmpeq_epi8(b, comma)),
        .known = join_halves(_mm256_cmpeq_epi8(_mm256_shuffle_epi8(spaces, a), a),
                             _mm256_cmpeq_epi8(_mm256_shuffle_epi8(spaces, b), b)),
    };
}

/* Bit i: parity of the bits 0..i. */
AVX2 INLINE uint64_t parities_avx2(uint64_t bits) {
    __m128i product = _mm_clmulepi64_si128(_mm_cvtsi64_si128((int64_t)bits), _mm_set1_epi8(-1), 0);
    return (uint64_t)_mm_cvtsi128_si64(product);
}

/* The 8 bytes before the next two ends. When there are none left, those at the end of the block. */
AVX2 INLINE __m128i next_two_avx2(const uint8_t *before, uint64_t *ends) {
    __m128i low = _mm_loadl_epi64((const __m128i *)(const void *)(before + _tzcnt_u64(*ends)));
    *ends = _blsr_u64(*ends);
    __m128 both = _mm_loadh_pi(_mm_castsi128_ps(low), (const __m64 *)(const void *)(before + _tzcnt_u64(*ends)));
    *ends = _blsr_u64(*ends);
    return _mm_castps_si128(both);
}

/* Eight bytes to two numbers of four digits, four times: bytes before a number are cleared. */
AVX2 INLINE __m256i fours_avx2(__m256i text) {
    const __m256i reverse = _mm256_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1,
                                             0, 15, 14, 13, 12, 11, 10, 9, 8);
    /* The last digit comes first now, so the number lies below the lowest byte that is not a digit. */
    __m256i d = _mm256_sub_epi8(_mm256_shuffle_epi8(text, reverse), _mm256_set1_epi8('0'));
    __m256i no_digit = _mm256_cmpeq_epi8(_mm256_max_epu8(d, _mm256_set1_epi8(10)), d);
    __m256i below = _mm256_andnot_si256(no_digit, _mm256_add_epi64(no_digit, _mm256_set1_epi64x(-1)));
    __m256i pairs = _mm256_maddubs_epi16(_mm256_and_si256(d, below), _mm256_set1_epi16(1 | 10 << 8));
    return _mm256_madd_epi16(pairs, _mm256_set1_epi32(1 | 100 << 16));
}

AVX2 INLINE void convert8_avx2(uint32_t *out, const uint8_t *block, uint64_t *ends) {
    const uint8_t *before = block - 8;
    __m128i a = next_two_avx2(before, ends), b = next_two_avx2(before, ends);
    __m128i c = next_two_avx2(before, ends), d = next_two_avx2(before, ends);
    __m256i x = fours_avx2(_mm256_inserti128_si256(_mm256_castsi128_si256(a), c, 1));
    __m256i y = fours_avx2(_mm256_inserti128_si256(_mm256_castsi128_si256(b), d, 1));
    __m256i eights = _mm256_madd_epi16(_mm256_packus_epi32(x, y), _mm256_set1_epi32(1 | 10000 << 16));
    _mm256_storeu_si256((__m256i *)(void *)out, eights);
}

AVX2 static const uint8_t *digits_blocks_avx2(ubi__digits *t, const uint8_t *at, const uint8_t *end) {
    carry c = { .odd = t->is_after_number ? ~UINT64_C(0) : 0 };
    const uint8_t *p = at;
    size_t n = t->n;
    for (; end - p >= UBI__DIGITS_BLOCK && has_room(t, n); p += UBI__DIGITS_BLOCK) {
        masks m = masks_avx2(p);
        uint64_t ends, odd = parities_avx2(starts_of(&m, &c) | m.comma) ^ c.odd;
        bool maybe_long;
        if (!check_block(&m, &c, odd, &ends, &maybe_long))
            break;
        uint64_t left = ends;
        size_t count = (size_t)__builtin_popcountll(ends);
        convert8_avx2(t->at + n, p, &left);
        convert8_avx2(t->at + n + 8, p, &left);
        if (count > 16) {
            convert8_avx2(t->at + n + 16, p, &left);
            convert8_avx2(t->at + n + 24, p, &left);
        }
        n += count;
        if (__builtin_expect(maybe_long, 0)) {
            const uint8_t *too_large = complete_long(t, n - count, ends, p, at);
            if (too_large) {
                t->is_after_number = false;
                return too_large;
            }
        }
    }
    t->n = n;
    return block_settle(t, &c, at, p);
}

/* ---- SSE4.1 --------------------------------------------------------------------------------------------------------- */

SSE41 INLINE masks masks_sse41(const uint8_t *p) {
    const __m128i spaces = _mm_setr_epi8(' ', -1, -1, -1, -1, -1, -1, -1, -1, '\t', '\n', -1, ',', '\r', -1, -1);
    const __m128i zero = _mm_set1_epi8('0'), nine = _mm_set1_epi8(9), comma = _mm_set1_epi8(',');
    masks m = { 0, 0, 0, 0 };
    for (unsigned i = 0; i < 4; i++) {
        __m128i a = _mm_loadu_si128((const __m128i *)(const void *)(p + 16 * i)), d = _mm_sub_epi8(a, zero);
        m.digit |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(d, nine), d)) << 16 * i;
        m.zero |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(a, zero)) << 16 * i;
        m.comma |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(a, comma)) << 16 * i;
        m.known |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_shuffle_epi8(spaces, a), a)) << 16 * i;
    }
    return m;
}

INLINE uint64_t bit_parities(uint64_t x) {
    for (unsigned n = 1; n < 64; n *= 2)
        x ^= x << n;
    return x;
}

INLINE uint64_t next_end(uint64_t *ends) {
    uint64_t end = (uint64_t)__builtin_ctzll(*ends | UINT64_C(1) << 63);
    *ends &= *ends - 1;
    return end;
}

SSE41 INLINE __m128i next_two_sse41(const uint8_t *before, uint64_t *ends) {
    __m128i low = _mm_loadl_epi64((const __m128i *)(const void *)(before + next_end(ends)));
    return _mm_castps_si128(
        _mm_loadh_pi(_mm_castsi128_ps(low), (const __m64 *)(const void *)(before + next_end(ends))));
}

SSE41 INLINE __m128i fours_sse41(__m128i text) {
    const __m128i reverse = _mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);
    __m128i d = _mm_sub_epi8(_mm_shuffle_epi8(text, reverse), _mm_set1_epi8('0'));
    __m128i no_digit = _mm_cmpeq_epi8(_mm_max_epu8(d, _mm_set1_epi8(10)), d);
    __m128i below = _mm_andnot_si128(no_digit, _mm_add_epi64(no_digit, _mm_set1_epi64x(-1)));
    __m128i pairs = _mm_maddubs_epi16(_mm_and_si128(d, below), _mm_set1_epi16(1 | 10 << 8));
    return _mm_madd_epi16(pairs, _mm_set1_epi32(1 | 100 << 16));
}

SSE41 INLINE void convert4_sse41(uint32_t *out, const uint8_t *block, uint64_t *ends) {
    __m128i a = next_two_sse41(block - 8, ends), b = next_two_sse41(block - 8, ends);
    __m128i fours = _mm_packus_epi32(fours_sse41(a), fours_sse41(b));
    _mm_storeu_si128((__m128i *)(void *)out, _mm_madd_epi16(fours, _mm_set1_epi32(1 | 10000 << 16)));
}

SSE41 static const uint8_t *digits_blocks_sse41(ubi__digits *t, const uint8_t *at, const uint8_t *end) {
    carry c = { .odd = t->is_after_number ? ~UINT64_C(0) : 0 };
    const uint8_t *p = at;
    size_t n = t->n;
    for (; end - p >= UBI__DIGITS_BLOCK && has_room(t, n); p += UBI__DIGITS_BLOCK) {
        masks m = masks_sse41(p);
        uint64_t ends, odd = bit_parities(starts_of(&m, &c) | m.comma) ^ c.odd;
        bool maybe_long;
        if (!check_block(&m, &c, odd, &ends, &maybe_long))
            break;
        uint64_t left = ends;
        size_t count = (size_t)__builtin_popcountll(ends);
        for (size_t i = 0; i < 12 || i < count; i += 4)
            convert4_sse41(t->at + n + i, p, &left);
        n += count;
        if (__builtin_expect(maybe_long, 0)) {
            const uint8_t *too_large = complete_long(t, n - count, ends, p, at);
            if (too_large) {
                t->is_after_number = false;
                return too_large;
            }
        }
    }
    t->n = n;
    return block_settle(t, &c, at, p);
}

#endif

/* ---- kernels ------------------------------------------------------------------------------------------------------- */

typedef struct kernel {
    const char *name;
    ubi__digits_blocks_fn *blocks;
} kernel;

/* Those that this processor can run, the fastest first. */
static size_t list_kernels(kernel out[3]) {
    size_t n = 0;
#ifdef UBI__DIGITS_X86_KERNELS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("pclmul") &&
        __builtin_cpu_supports("popcnt"))
        out[n++] = (kernel){ "avx2", digits_blocks_avx2 };
    if (__builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("popcnt"))
        out[n++] = (kernel){ "sse4.1", digits_blocks_sse41 };
#endif
    out[n++] = (kernel){ "plain", NULL };
    return n;
}

const char *ubi__digits_kernel_name(size_t i) {
    kernel all[3];
    return i < list_kernels(all) ? all[i].name : NULL;
}

ubi__digits_blocks_fn *ubi__digits_kernel(size_t i) {
    kernel all[3];
    return i < list_kernels(all) ? all[i].blocks : NULL;
}

void ubi__digits_begin(ubi__digits *t, size_t kernel_number, bool negative_allowed) {
    t->blocks = ubi__digits_kernel(kernel_number);
    t->may_be_negative = negative_allowed;
    t->is_after_number = false;
    t->n = t->n_wide = 0;
}
