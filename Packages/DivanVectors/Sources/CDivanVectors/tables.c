// Sums of table entries, which all sets with vector instructions share. A gather instruction of AVX2 was measured: it takes
// 3.5 times as long as these loads, of which the processor starts two per cycle.
#include "kernels.h"

#include <string.h>

#pragma STDC FP_CONTRACT OFF

enum { lane_count = 8 };

// Eight numbers of `bits` bits take `bits` bytes, so each group of eight begins with a byte.
__attribute__((always_inline)) static inline void
add_entries(float *sums, const float *table, size_t count, unsigned bits, const uint8_t *code) {
    unsigned __int128 window = 0;
    memcpy(&window, code, (count * bits + 7) / 8);
    for (size_t i = 0; i < count; i++) {
        size_t number = (size_t)(window >> (i * bits)) & ((1u << bits) - 1);
        sums[i] += table[i << bits | number];
    }
}

__attribute__((always_inline)) static inline float
table_sum(const float *table, size_t subquantizers, unsigned bits, const uint8_t *code) {
    float sums[lane_count] = {0};
    for (; subquantizers >= lane_count; subquantizers -= lane_count) {
        add_entries(sums, table, lane_count, bits, code);
        table += (size_t)lane_count << bits;
        code += bits;
    }
    if (subquantizers > 0) add_entries(sums, table, subquantizers, bits, code);
    for (size_t half = lane_count / 2; half > 0; half /= 2)
        for (size_t i = 0; i < half; i++) sums[i] += sums[i + half];
    return sums[0];
}

// With constant shifts, a sum takes a sixth of the time.
#define SUMS_OF(constant)                                                                          \
    case constant:                                                                                 \
        for (size_t row = 0; row < count; row++, codes += stride)                                  \
            sums[row] = table_sum(table, subquantizers, constant, codes);                          \
        break;

void divan_table_sums(const float *table, size_t subquantizers, unsigned bits, const uint8_t *codes,
                      size_t stride, size_t count, float *sums) {
    switch (bits) {
        SUMS_OF(4)
        SUMS_OF(5)
        SUMS_OF(6)
        SUMS_OF(7)
        SUMS_OF(8)
        SUMS_OF(9)
        SUMS_OF(10)
        SUMS_OF(11)
        SUMS_OF(12)
    default:
        for (size_t row = 0; row < count; row++, codes += stride)
            sums[row] = table_sum(table, subquantizers, bits, codes);
    }
}
