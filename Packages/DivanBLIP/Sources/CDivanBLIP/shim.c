#if !__has_include(<zlib.h>)
#error "The headers of zlib are missing; run: sudo apt-get install zlib1g-dev"
#endif

#include "CDivanBLIP.h"

#include <string.h>
#include <zlib.h>

#if defined(__x86_64__)
#include <immintrin.h>

#define WITH_CLMUL __attribute__((target("pclmul,sse4.1")))

// Multiplies both halves of `value` by the constants and adds `next`: moves `value` by the distance that the constants
// represent.
WITH_CLMUL static inline __m128i fold(__m128i value, __m128i constants, __m128i next) {
    __m128i low = _mm_clmulepi64_si128(value, constants, 0x00);
    __m128i high = _mm_clmulepi64_si128(value, constants, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

// The constants that move a value by 64 bytes and by 16: x^(8n+32) and x^(8n-32) modulo the polynomial, for n bytes,
// reflected.
#define BY_64_BYTES 0x01c6e41596, 0x0154442bd4
#define BY_16_BYTES 0x00ccaa009e, 0x01751997d0

// Reduces 16 bytes and the `count` (1 to 15) before `end` to 16: the first `count` bytes are folded into the remaining
// ones and those that follow, which together are the last 16. Leading zeros change nothing.
WITH_CLMUL static inline __m128i fold_rest(__m128i value, __m128i by_16_bytes, const uint8_t *end,
                                           size_t count) {
    // Read at an offset, it shifts bytes up or down; an index with its top bit set gives zero.
    static const uint8_t moves[48] = {
        0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
        0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
        0,    1,    2,    3,    4,    5,    6,    7,
        8,    9,    10,   11,   12,   13,   14,   15,
        0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
        0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
    };
    __m128i up = _mm_loadu_si128((const __m128i *)(moves + count));
    __m128i down = _mm_loadu_si128((const __m128i *)(moves + 16 + count));
    __m128i rest = _mm_loadu_si128((const __m128i *)(end - 16));
    // `up` is negative where the last 16 bytes still belong to `value`.
    __m128i last = _mm_blendv_epi8(rest, _mm_shuffle_epi8(value, down), up);
    return fold(_mm_shuffle_epi8(value, up), by_16_bytes, last);
}

// Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction" (Intel, 2009), reflected
// form. Takes 16 already folded bytes and `count` more; there are at least 16 in all before the end. Returns the
// inverted checksum.
WITH_CLMUL static inline uint32_t finish(__m128i a, const __m128i *next, size_t count) {
    const __m128i by_16_bytes = _mm_set_epi64x(BY_16_BYTES);
    const __m128i by_8_bytes = _mm_set_epi64x(0, 0x0163cd6124);
    const __m128i polynomial = _mm_set_epi64x(0x01f7011641, 0x01db710641);
    const __m128i low_words = _mm_setr_epi32(~0, 0, ~0, 0);
    for (; count >= 16; next += 1, count -= 16) a = fold(a, by_16_bytes, _mm_loadu_si128(next));
    if (count > 0) a = fold_rest(a, by_16_bytes, (const uint8_t *)next + count, count);

    // 128 bits to 96, to 64, and by Barrett's reduction to 32.
    a = _mm_xor_si128(_mm_srli_si128(a, 8), _mm_clmulepi64_si128(a, by_16_bytes, 0x10));
    __m128i b = _mm_clmulepi64_si128(_mm_and_si128(a, low_words), by_8_bytes, 0x00);
    a = _mm_xor_si128(_mm_srli_si128(a, 4), b);
    b = _mm_clmulepi64_si128(_mm_and_si128(a, low_words), polynomial, 0x10);
    b = _mm_clmulepi64_si128(_mm_and_si128(b, low_words), polynomial, 0x00);
    return (uint32_t)_mm_extract_epi32(_mm_xor_si128(a, b), 1);
}

// The same for 64 already folded bytes.
WITH_CLMUL static uint32_t finish_four(__m128i a, __m128i b, __m128i c, __m128i d,
                                       const __m128i *next, size_t count) {
    const __m128i by_64_bytes = _mm_set_epi64x(BY_64_BYTES);
    const __m128i by_16_bytes = _mm_set_epi64x(BY_16_BYTES);
    for (; count >= 64; next += 4, count -= 64) {
        a = fold(a, by_64_bytes, _mm_loadu_si128(next));
        b = fold(b, by_64_bytes, _mm_loadu_si128(next + 1));
        c = fold(c, by_64_bytes, _mm_loadu_si128(next + 2));
        d = fold(d, by_64_bytes, _mm_loadu_si128(next + 3));
    }
    a = fold(fold(fold(a, by_16_bytes, b), by_16_bytes, c), by_16_bytes, d);
    return finish(a, next, count);
}

// `crc` is inverted on input and output; `count` is at least 16.
WITH_CLMUL static uint32_t crc_by_folding(uint32_t crc, const uint8_t *bytes, size_t count) {
    const __m128i *next = (const __m128i *)bytes;
    __m128i a = _mm_xor_si128(_mm_loadu_si128(next), _mm_cvtsi32_si128((int)crc));
    if (count < 64) return finish(a, next + 1, count - 16);
    return finish_four(a, _mm_loadu_si128(next + 1), _mm_loadu_si128(next + 2),
                       _mm_loadu_si128(next + 3), next + 4, count - 64);
}

#define WITH_WIDE_CLMUL __attribute__((target("avx512f,avx512vl,vpclmulqdq,pclmul,sse4.1")))

WITH_WIDE_CLMUL static inline __m512i fold_wide(__m512i value, __m512i constants, __m512i next) {
    __m512i low = _mm512_clmulepi64_epi128(value, constants, 0x00);
    __m512i high = _mm512_clmulepi64_epi128(value, constants, 0x11);
    return _mm512_ternarylogic_epi64(low, high, next, 0x96);
}

// The same with four times the width: `first` is 256 bytes and `bytes` the `count` after them. The last 16 of all are
// contiguous before `bytes + count`.
WITH_WIDE_CLMUL static uint32_t crc_by_wide_folding(uint32_t crc, const uint8_t *first,
                                                    const uint8_t *bytes, size_t count) {
    const __m512i by_256_bytes = _mm512_broadcast_i32x4(_mm_set_epi64x(0x01322d1430, 0x011542778a));
    const __m512i by_64_bytes = _mm512_broadcast_i32x4(_mm_set_epi64x(BY_64_BYTES));
    __m512i start = _mm512_zextsi128_si512(_mm_cvtsi32_si128((int)crc));
    __m512i a = _mm512_xor_si512(_mm512_loadu_si512(first), start);
    __m512i b = _mm512_loadu_si512(first + 64);
    __m512i c = _mm512_loadu_si512(first + 128);
    __m512i d = _mm512_loadu_si512(first + 192);
    for (; count >= 256; bytes += 256, count -= 256) {
        a = fold_wide(a, by_256_bytes, _mm512_loadu_si512(bytes));
        b = fold_wide(b, by_256_bytes, _mm512_loadu_si512(bytes + 64));
        c = fold_wide(c, by_256_bytes, _mm512_loadu_si512(bytes + 128));
        d = fold_wide(d, by_256_bytes, _mm512_loadu_si512(bytes + 192));
    }
    a = fold_wide(fold_wide(fold_wide(a, by_64_bytes, b), by_64_bytes, c), by_64_bytes, d);
    for (; count >= 64; bytes += 64, count -= 64)
        a = fold_wide(a, by_64_bytes, _mm512_loadu_si512(bytes));
    return finish_four(_mm512_extracti32x4_epi32(a, 0), _mm512_extracti32x4_epi32(a, 1),
                       _mm512_extracti32x4_epi32(a, 2), _mm512_extracti32x4_epi32(a, 3),
                       (const __m128i *)bytes, count);
}

static int has_wide_clmul(void) {
    return __builtin_cpu_supports("vpclmulqdq") && __builtin_cpu_supports("avx512f")
        && __builtin_cpu_supports("avx512vl");
}

uint32_t divan_crc32(uint32_t crc, const uint8_t *bytes, size_t count) {
    if (count >= 256 && has_wide_clmul())
        return ~crc_by_wide_folding(~crc, bytes, bytes + 256, count - 256);
    if (count >= 16 && __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1"))
        return ~crc_by_folding(~crc, bytes, count);
    return count == 0 ? crc : (uint32_t)crc32_z(crc, bytes, count);
}

uint32_t divan_crc32_parts(uint32_t crc, const uint8_t *head, size_t head_count,
                           const uint8_t *body, size_t body_count) {
    // Each finish costs as much as some hundred bytes, so a short head is put before the body's first bytes. The block
    // has at least 64 of those, more than the 16 that the finish may read back to.
    if (head_count <= 192 && body_count >= 256 && has_wide_clmul()) {
        uint8_t first[256];
        size_t rest = sizeof first - head_count;
        if (head_count > 0) memcpy(first, head, head_count);
        memcpy(first + head_count, body, rest);
        return ~crc_by_wide_folding(~crc, first, body + rest, body_count - rest);
    }
    return divan_crc32(divan_crc32(crc, head, head_count), body, body_count);
}
#else
uint32_t divan_crc32(uint32_t crc, const uint8_t *bytes, size_t count) {
    return count == 0 ? crc : (uint32_t)crc32_z(crc, bytes, count);
}

uint32_t divan_crc32_parts(uint32_t crc, const uint8_t *head, size_t head_count,
                           const uint8_t *body, size_t body_count) {
    return divan_crc32(divan_crc32(crc, head, head_count), body, body_count);
}
#endif
