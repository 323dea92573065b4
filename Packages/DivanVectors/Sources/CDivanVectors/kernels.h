#ifndef DIVAN_KERNELS_H
#define DIVAN_KERNELS_H

#include "CDivanVectors.h"

// Rows, codes and packed numbers are read as they are in files.
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "DivanVectors needs a little-endian machine");

// Each file defines its set only on machines that can run it.
extern const divan_vector_kernels divan_scalar_kernels;
extern const divan_vector_kernels divan_sse2_kernels;
extern const divan_vector_kernels divan_avx2_kernels;
extern const divan_vector_kernels divan_neon_kernels;

// Table lookups gain nothing from vector instructions, so the other sets share this kernel.
void divan_table_sums(const float *table, size_t subquantizers, unsigned bits, const uint8_t *codes,
                      size_t stride, size_t count, float *sums);

#endif
