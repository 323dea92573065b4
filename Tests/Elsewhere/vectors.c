// Distances of random vectors and codes, computed by the fastest kernels of the machine: all of them must
// return the same bits.
#include "CDivanVectors.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { most_dimensions = 300, row_count = 5, panel_count = 2 };

static uint64_t state = 88172645463325252u;

/// The next number of a sequence that is the same everywhere (xorshift64).
static uint32_t draw(uint32_t bound) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (uint32_t)(state >> 32) % bound;
}

/// Mostly ordinary numbers; some are tiny, huge, infinite or NaN.
static void fill(float *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        values[i] = ((float)draw(1 << 24) - (1 << 23)) / (1 << 20);
        uint32_t kind = draw(4000);
        if (kind < 40) values[i] *= kind % 2 ? 0x1p-140f : 0x1p120f;
        if (kind == 40) values[i] = kind % 3 ? INFINITY : NAN;
    }
}

static void print_floats(const char *name, const float *values, size_t count) {
    printf("%s", name);
    // Whether a NaN has a sign differs between machines.
    for (size_t i = 0; i < count; i++) isnan(values[i]) ? printf(" nan") : printf(" %a", values[i]);
    printf("\n");
}

static void print_rows(const divan_vector_kernels *kernels, size_t dimensions) {
    static float query[most_dimensions], rows[row_count * most_dimensions];
    static float panels[panel_count * DIVAN_VECTOR_LANES * most_dimensions];
    float first[panel_count * DIVAN_VECTOR_LANES], second[row_count];
    uint32_t nearest[row_count];
    fill(query, dimensions);
    fill(rows, row_count * dimensions);
    fill(panels, panel_count * DIVAN_VECTOR_LANES * dimensions);
    kernels->squared_distances(query, rows, dimensions, row_count, first);
    print_floats("distances", first, row_count);
    kernels->products(query, rows, dimensions, row_count, first, second);
    print_floats("products", first, row_count);
    print_floats("lengths", second, row_count);
    kernels->panel_squared_distances(query, panels, dimensions, panel_count, first);
    print_floats("panel distances", first, panel_count * DIVAN_VECTOR_LANES);
    kernels->panel_products(query, panels, dimensions, panel_count, first);
    print_floats("panel products", first, panel_count * DIVAN_VECTOR_LANES);
    kernels->nearest(rows, panels, dimensions, panel_count, row_count, nearest, second);
    print_floats("nearest distances", second, row_count);
    for (size_t i = 0; i < row_count; i++) printf(" %u", nearest[i]);
    printf("\n");
}

static void print_codes(const divan_vector_kernels *kernels, size_t dimensions) {
    static uint8_t codes[row_count * most_dimensions];
    static int16_t weights[4 * (most_dimensions + DIVAN_PLANE_STEP)];
    static float table[16 << 12];
    for (size_t i = 0; i < sizeof codes; i++) codes[i] = (uint8_t)draw(256);
    for (size_t fields = 1; fields <= 4; fields *= 2) {
        size_t byte_count = (dimensions + fields - 1) / fields;
        size_t padded = (byte_count + DIVAN_PLANE_STEP - 1) / DIVAN_PLANE_STEP * DIVAN_PLANE_STEP;
        memset(weights, 0, sizeof weights);
        for (size_t i = 0; i < dimensions; i++)
            weights[i / byte_count * padded + i % byte_count] = (int16_t)((int)draw(16383) - 8191);
        int64_t sums[row_count] = {0};
        kernels->plane_sums(weights, byte_count, fields, codes, dimensions, row_count, 16, sums);
        for (size_t i = 0; i < row_count; i++) printf(" %lld", (long long)sums[i]);
        printf("\n");
    }
    for (unsigned bits = 1; bits <= 12; bits++) {
        float sums[row_count];
        fill(table, (size_t)16 << bits);
        kernels->table_sums(table, 1 + dimensions % 16, bits, codes, 24, row_count, sums);
        print_floats("tables", sums, row_count);
    }
}

void print_vectors(void) {
    for (size_t dimensions = 1; dimensions <= most_dimensions; dimensions += dimensions < 70 ? 1 : 23) {
        print_rows(divan_vector_kernels_at(0), dimensions);
        print_codes(divan_vector_kernels_at(0), dimensions);
    }
    uint8_t bytes[100];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)i;
    for (size_t count = 0; count <= sizeof bytes; count++)
        printf("%llx\n", (unsigned long long)divan_block_checksum(bytes, count));
}
