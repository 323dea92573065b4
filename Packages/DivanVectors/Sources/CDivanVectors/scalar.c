// The definition of each kernel in plain C. Other sets must return the same bits
// (`KernelContract`).
#include "kernels.h"

#include <math.h>
#include <string.h>

#pragma STDC FP_CONTRACT OFF

enum { lanes = DIVAN_VECTOR_LANES, table_lanes = 8 };

static float float_at(const void *rows, size_t index) {
    float value;
    memcpy(&value, (const uint8_t *)rows + index * sizeof value, sizeof value);
    return value;
}

// Adds the upper half of the lanes to the lower half until one is left.
static float total(float *sums, size_t count) {
    for (size_t half = count / 2; half > 0; half /= 2)
        for (size_t i = 0; i < half; i++) sums[i] += sums[i + half];
    return sums[0];
}

static void squared_distances(const float *query, const void *rows, size_t dimensions, size_t count,
                              float *distances) {
    for (size_t row = 0; row < count; row++) {
        float sums[lanes] = {0};
        for (size_t i = 0; i < dimensions; i++) {
            float difference = query[i] - float_at(rows, row * dimensions + i);
            sums[i % lanes] += difference * difference;
        }
        distances[row] = total(sums, lanes);
    }
}

static void products(const float *query, const void *rows, size_t dimensions, size_t count,
                     float *products, float *squared_lengths) {
    for (size_t row = 0; row < count; row++) {
        float sums[lanes] = {0}, lengths[lanes] = {0};
        for (size_t i = 0; i < dimensions; i++) {
            float value = float_at(rows, row * dimensions + i);
            sums[i % lanes] += query[i] * value;
            lengths[i % lanes] += value * value;
        }
        products[row] = total(sums, lanes);
        squared_lengths[row] = total(lengths, lanes);
    }
}

static void panel_squared_distances(const float *query, const float *panels, size_t dimensions,
                                    size_t panel_count, float *distances) {
    memset(distances, 0, panel_count * lanes * sizeof *distances);
    for (size_t panel = 0; panel < panel_count; panel++, distances += lanes)
        for (size_t i = 0; i < dimensions; i++, panels += lanes)
            for (size_t lane = 0; lane < lanes; lane++) {
                float difference = query[i] - panels[lane];
                distances[lane] += difference * difference;
            }
}

static void panel_products(const float *query, const float *panels, size_t dimensions,
                           size_t panel_count, float *products) {
    memset(products, 0, panel_count * lanes * sizeof *products);
    for (size_t panel = 0; panel < panel_count; panel++, products += lanes)
        for (size_t i = 0; i < dimensions; i++, panels += lanes)
            for (size_t lane = 0; lane < lanes; lane++) products[lane] += query[i] * panels[lane];
}

static void nearest(const float *points, const float *panels, size_t dimensions, size_t panel_count,
                    size_t count, uint32_t *nearest, float *distances) {
    for (size_t point = 0; point < count; point++) {
        nearest[point] = 0;
        distances[point] = INFINITY;
        for (size_t panel = 0; panel < panel_count; panel++) {
            float found[lanes];
            const float *vectors = panels + panel * dimensions * lanes;
            panel_squared_distances(points + point * dimensions, vectors, dimensions, 1, found);
            for (uint32_t lane = 0; lane < lanes; lane++)
                if (found[lane] < distances[point]) {
                    distances[point] = found[lane];
                    nearest[point] = (uint32_t)panel * lanes + lane;
                }
        }
    }
}

static void plane_sums(const int16_t *weights, size_t byte_count, size_t field_count,
                       const uint8_t *codes, size_t stride, size_t count, int32_t multiplier,
                       int64_t *sums) {
    size_t padded = (byte_count + DIVAN_PLANE_STEP - 1) / DIVAN_PLANE_STEP * DIVAN_PLANE_STEP;
    unsigned bits = 8 / (unsigned)field_count;
    for (size_t row = 0; row < count; row++, codes += stride) {
        int64_t sum = 0;
        for (size_t field = 0; field < field_count; field++)
            for (size_t i = 0; i < byte_count; i++) {
                int value = codes[i] >> (field * bits) & ((1 << bits) - 1);
                sum += value * weights[field * padded + i];
            }
        sums[row] += multiplier * sum;
    }
}

static void table_sums(const float *table, size_t subquantizers, unsigned bits,
                       const uint8_t *codes, size_t stride, size_t count, float *sums) {
    for (size_t row = 0; row < count; row++, codes += stride) {
        float parts[table_lanes] = {0};
        for (size_t i = 0; i < subquantizers; i++) {
            size_t number = 0;
            for (size_t bit = 0; bit < bits; bit++) {
                size_t at = i * bits + bit;
                number |= (size_t)(codes[at / 8] >> (at % 8) & 1) << bit;
            }
            parts[i % table_lanes] += table[i << bits | number];
        }
        sums[row] = total(parts, table_lanes);
    }
}

const divan_vector_kernels divan_scalar_kernels = {
    "scalar", squared_distances, products,        panel_squared_distances, panel_products,
    nearest,  plane_sums,        table_sums,
};
