// Kernels for amd64 with AVX2 (Intel since 2013, AMD since 2015).
#if defined(__x86_64__)
#include "kernels.h"

#include <immintrin.h>
#include <math.h>
#include <string.h>

// Only the functions between this line and the last one use AVX2.
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)

typedef __m256i counters;

// Extends 16 fields to 16 bits, and adds the products of neighbours.
__attribute__((always_inline)) static inline void
multiply_add(counters *products, const uint8_t *bytes, size_t field, size_t field_count,
             const int16_t *weights) {
    int bits = 8 / (int)field_count;
    __m128i fields = _mm_loadu_si128((const void *)bytes);
    // There is no shift of single bytes; the mask removes what comes from the neighbour.
    fields = _mm_srli_epi16(fields, (int)field * bits);
    if (field_count > 1) fields = _mm_and_si128(fields, _mm_set1_epi8((char)((1 << bits) - 1)));
    __m256i factors = _mm256_loadu_si256((const void *)weights);
    __m256i added = _mm256_madd_epi16(_mm256_cvtepu8_epi16(fields), factors);
    *products = _mm256_add_epi32(*products, added);
}

#include "vector_kernels.h"

const divan_vector_kernels divan_avx2_kernels = {
    "avx2",  squared_distances, products,        panel_squared_distances, panel_products,
    nearest, plane_sums,        divan_table_sums,
};

#pragma clang attribute pop
#endif
