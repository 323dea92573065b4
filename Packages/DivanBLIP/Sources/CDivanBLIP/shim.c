#include "CDivanBLIP.h"

#include <zlib.h>

#if defined(__x86_64__)
#include <immintrin.h>

#define WITH_CLMUL __attribute__((target("pclmul,sse4.1")))

// Multiplies both halves of `value` by the constants and adds `next`: moves `value` over the
// distance that the constants stand for.
WITH_CLMUL static inline __m128i fold(__m128i value, __m128i constants, __m128i next) {
    __m128i low = _mm_clmulepi64_si128(value, constants, 0x00);
    __m128i high = _mm_clmulepi64_si128(value, constants, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

// Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction" (Intel,
// 2009), reflected form. `crc` goes in and comes out inverted; `count` is a multiple of 16, >= 64.
WITH_CLMUL static uint32_t crc_by_folding(uint32_t crc, const uint8_t *bytes, size_t count) {
    const __m128i by_64_bytes = _mm_set_epi64x(0x01c6e41596, 0x0154442bd4);
    const __m128i by_16_bytes = _mm_set_epi64x(0x00ccaa009e, 0x01751997d0);
    const __m128i by_8_bytes = _mm_set_epi64x(0, 0x0163cd6124);
    const __m128i polynomial = _mm_set_epi64x(0x01f7011641, 0x01db710641);
    const __m128i low_words = _mm_setr_epi32(~0, 0, ~0, 0);
    const __m128i *next = (const __m128i *)bytes;

    __m128i a = _mm_xor_si128(_mm_loadu_si128(next), _mm_cvtsi32_si128((int)crc));
    __m128i b = _mm_loadu_si128(next + 1);
    __m128i c = _mm_loadu_si128(next + 2);
    __m128i d = _mm_loadu_si128(next + 3);
    for (next += 4, count -= 64; count >= 64; next += 4, count -= 64) {
        a = fold(a, by_64_bytes, _mm_loadu_si128(next));
        b = fold(b, by_64_bytes, _mm_loadu_si128(next + 1));
        c = fold(c, by_64_bytes, _mm_loadu_si128(next + 2));
        d = fold(d, by_64_bytes, _mm_loadu_si128(next + 3));
    }
    a = fold(fold(fold(a, by_16_bytes, b), by_16_bytes, c), by_16_bytes, d);
    for (; count >= 16; next += 1, count -= 16) a = fold(a, by_16_bytes, _mm_loadu_si128(next));

    // 128 bits to 96, to 64, and by Barrett's reduction to 32.
    a = _mm_xor_si128(_mm_srli_si128(a, 8), _mm_clmulepi64_si128(a, by_16_bytes, 0x10));
    b = _mm_clmulepi64_si128(_mm_and_si128(a, low_words), by_8_bytes, 0x00);
    a = _mm_xor_si128(_mm_srli_si128(a, 4), b);
    b = _mm_clmulepi64_si128(_mm_and_si128(a, low_words), polynomial, 0x10);
    b = _mm_clmulepi64_si128(_mm_and_si128(b, low_words), polynomial, 0x00);
    return (uint32_t)_mm_extract_epi32(_mm_xor_si128(a, b), 1);
}

uint32_t divan_crc32(uint32_t crc, const uint8_t *bytes, size_t count) {
    if (count >= 64 && __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1")) {
        size_t folded = count & ~(size_t)15;
        crc = ~crc_by_folding(~crc, bytes, folded);
        bytes += folded;
        count -= folded;
    }
    return count == 0 ? crc : (uint32_t)crc32_z(crc, bytes, count);
}
#else
uint32_t divan_crc32(uint32_t crc, const uint8_t *bytes, size_t count) {
    return count == 0 ? crc : (uint32_t)crc32_z(crc, bytes, count);
}
#endif
