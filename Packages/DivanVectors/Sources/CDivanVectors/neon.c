// Kernels for arm64: every processor has NEON.
#if defined(__aarch64__)
#include "kernels.h"

#include <arm_neon.h>
#include <math.h>
#include <string.h>

typedef int32x4_t counters;

// Extends 16 fields to 16 bits, and adds their products.
__attribute__((always_inline)) static inline void
multiply_add(counters *products, const uint8_t *bytes, size_t field, size_t field_count,
             const int16_t *weights) {
    int bits = 8 / (int)field_count;
    // A negative count shifts to the right.
    uint8x16_t fields = vshlq_u8(vld1q_u8(bytes), vdupq_n_s8((int8_t)(-(int)field * bits)));
    if (field_count > 1) fields = vandq_u8(fields, vdupq_n_u8((uint8_t)((1 << bits) - 1)));
    int16x8_t first = vreinterpretq_s16_u16(vmovl_u8(vget_low_u8(fields)));
    int16x8_t last = vreinterpretq_s16_u16(vmovl_u8(vget_high_u8(fields)));
    int16x8_t first_weights = vld1q_s16(weights), last_weights = vld1q_s16(weights + 8);
    *products = vmlal_s16(*products, vget_low_s16(first), vget_low_s16(first_weights));
    *products = vmlal_s16(*products, vget_high_s16(first), vget_high_s16(first_weights));
    *products = vmlal_s16(*products, vget_low_s16(last), vget_low_s16(last_weights));
    *products = vmlal_s16(*products, vget_high_s16(last), vget_high_s16(last_weights));
}

#include "vector_kernels.h"

const divan_vector_kernels divan_neon_kernels = {
    "neon",  squared_distances, products,        panel_squared_distances, panel_products,
    nearest, plane_sums,        divan_table_sums,
};
#endif
