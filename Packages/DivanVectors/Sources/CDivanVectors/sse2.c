// Kernels for amd64 without AVX2: every processor has SSE2.
#if defined(__x86_64__)
#include "kernels.h"

#include <emmintrin.h>
#include <math.h>
#include <string.h>

typedef __m128i counters;

// Extends 16 fields to 16 bits, and adds the products of neighbours.
__attribute__((always_inline)) static inline void
multiply_add(counters *products, const uint8_t *bytes, size_t field, size_t field_count,
             const int16_t *weights) {
    int bits = 8 / (int)field_count;
    __m128i fields = _mm_loadu_si128((const void *)bytes);
    // There is no shift of single bytes; the mask removes what comes from the neighbour.
    fields = _mm_srli_epi16(fields, (int)field * bits);
    if (field_count > 1) fields = _mm_and_si128(fields, _mm_set1_epi8((char)((1 << bits) - 1)));
    __m128i first = _mm_unpacklo_epi8(fields, _mm_setzero_si128());
    __m128i last = _mm_unpackhi_epi8(fields, _mm_setzero_si128());
    first = _mm_madd_epi16(first, _mm_loadu_si128((const void *)weights));
    last = _mm_madd_epi16(last, _mm_loadu_si128((const void *)(weights + 8)));
    *products = _mm_add_epi32(*products, _mm_add_epi32(first, last));
}

#include "vector_kernels.h"

const divan_vector_kernels divan_sse2_kernels = {
    "sse2",  squared_distances, products,        panel_squared_distances, panel_products,
    nearest, plane_sums,        divan_table_sums,
};
#endif
