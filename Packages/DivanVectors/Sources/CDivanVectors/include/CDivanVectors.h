#ifndef CDIVANVECTORS_H
#define CDIVANVECTORS_H

#include <stddef.h>
#include <stdint.h>

// Distance kernels: the inner loops of vector search, once per instruction set.
//
// All sets return the same bits for the same input, except for the payload of a NaN. So centroids
// and the order of results do not depend on the machine. This works because the order of the
// additions is part of the definition of each kernel, and because products are rounded before they
// are added: no set uses fused multiply-add, which not every machine has. `scalar.c` is the
// definition in plain C.
//
// Rows and codes may be at any address; all other arrays are aligned to their elements. Pointers to
// no elements may be NULL. Output arrays do not overlap input.

// The lanes over which sums of floats are distributed: element i is added to lane i % 32.
#define DIVAN_VECTOR_LANES 32

// The bytes to which the weights of a plane are padded with zeros.
#define DIVAN_PLANE_STEP 16

typedef struct {
    // "avx2", "sse2", "neon" or "scalar".
    const char *name;

    // The squared Euclidean distances of `count` rows from the query. A row is `dimensions` floats,
    // and directly follows the previous row.
    void (*squared_distances)(const float *query, const void *rows, size_t dimensions, size_t count,
                              float *distances);

    // The dot products of the rows with the query, and the rows' squared lengths.
    void (*products)(const float *query, const void *rows, size_t dimensions, size_t count,
                     float *products, float *squared_lengths);

    // Panels are the transposed form of vectors to which others are compared often, such as
    // centroids: panels[(vector / 32 * dimensions + dimension) * 32 + vector % 32]. Sums run over
    // the dimensions in order. Each function writes 32 results per panel.
    void (*panel_squared_distances)(const float *query, const float *panels, size_t dimensions,
                                    size_t panel_count, float *distances);
    void (*panel_products)(const float *query, const float *panels, size_t dimensions,
                           size_t panel_count, float *products);

    // For each point the vector in the panels with the least squared distance, the first of equals;
    // 0 and infinity if no distance is below infinity. Points are rows of `dimensions` floats.
    void (*nearest)(const float *points, const float *panels, size_t dimensions, size_t panel_count,
                    size_t count, uint32_t *nearest, float *distances);

    // Adds to each sum `multiplier` times the weighted sum of a plane's fields. Each byte of a
    // plane has `field_count` (1, 2 or 4) fields of 8 / field_count bits. The weight of field f in
    // byte i is weights[f * padded + i], where `padded` is `byte_count` rounded up to
    // DIVAN_PLANE_STEP. Exact if weights are within ±8191 and a plane has at most 4096 fields.
    void (*plane_sums)(const int16_t *weights, size_t byte_count, size_t field_count,
                       const uint8_t *codes, size_t stride, size_t count, int32_t multiplier,
                       int64_t *sums);

    // The sum of table[m << bits | number m] over the `subquantizers` numbers of each code, which
    // have `bits` (1 to 12) bits and are packed from the lowest bit on. Number m is added to lane m
    // % 8.
    void (*table_sums)(const float *table, size_t subquantizers, unsigned bits,
                       const uint8_t *codes, size_t stride, size_t count, float *sums);
} divan_vector_kernels;

// The sets that this machine can run, the fastest first and "scalar" last; NULL after the last one.
const divan_vector_kernels *divan_vector_kernels_at(size_t index);

// A 64-bit checksum of bytes. A change within one aligned group of 8 bytes always changes it.
uint64_t divan_block_checksum(const uint8_t *bytes, size_t count);

#endif
