// The kernels in terms of vectors of 32 floats, included once per instruction set.
//
// The compiler splits a vector of 32 floats into as many registers as the set needs: 4 of AVX2, 8
// of SSE2 or NEON. That hides the latency of an addition, and gives every set the same lanes. The
// file that includes this one defines for its set:
//
//     counters      a vector of 32-bit integers that add up products
//     multiply_add  adds the products of 16 bytes and 16 weights to counters
//
// It also includes the headers, so that attributes of a set apply to the kernels only. No operation
// is fused or reordered; the compiler would reorder only with -ffast-math.

#pragma STDC FP_CONTRACT OFF

enum { lane_count = DIVAN_VECTOR_LANES, step = DIVAN_PLANE_STEP, points_at_once = 16 };

typedef float lanes __attribute__((vector_size(lane_count * sizeof(float))));
typedef int32_t integer_lanes __attribute__((vector_size(lane_count * sizeof(int32_t))));

// Vectors wider than a register are passed by address: how they are passed by value differs between
// sets.
#define INLINE __attribute__((always_inline)) static inline

INLINE void load(lanes *into, const void *from) { memcpy(into, from, sizeof *into); }

// Loads the last elements of a row; the other lanes are zero, and add nothing to a sum.
INLINE void load_tail(lanes *into, const void *from, size_t count) {
    float values[lane_count] = {0};
    memcpy(values, from, count * sizeof(float));
    load(into, values);
}

// Adds the upper half of the lanes to the lower half until one is left.
INLINE float total(const lanes *sums) {
    float values[lane_count];
    memcpy(values, sums, sizeof values);
#pragma clang loop unroll(full)
    for (size_t half = lane_count / 2; half > 0; half /= 2)
        for (size_t i = 0; i < half; i++) values[i] += values[i + half];
    return values[0];
}

// MARK: Rows

static void squared_distances(const float *query, const void *rows, size_t dimensions, size_t count,
                              float *distances) {
    size_t tail = dimensions % lane_count, end = dimensions - tail;
    lanes values, others, last;
    load_tail(&last, query + end, tail);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *row = (const uint8_t *)rows + i * dimensions * sizeof(float);
        lanes sums = {0};
        for (size_t at = 0; at < end; at += lane_count) {
            load(&values, query + at);
            load(&others, row + at * sizeof(float));
            values -= others;
            sums += values * values;
        }
        if (tail > 0) {
            load_tail(&others, row + end * sizeof(float), tail);
            values = last - others;
            sums += values * values;
        }
        distances[i] = total(&sums);
    }
}

static void products(const float *query, const void *rows, size_t dimensions, size_t count,
                     float *products, float *squared_lengths) {
    size_t tail = dimensions % lane_count, end = dimensions - tail;
    lanes values, others, last;
    load_tail(&last, query + end, tail);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *row = (const uint8_t *)rows + i * dimensions * sizeof(float);
        lanes sums = {0}, lengths = {0};
        for (size_t at = 0; at < end; at += lane_count) {
            load(&values, query + at);
            load(&others, row + at * sizeof(float));
            sums += values * others;
            lengths += others * others;
        }
        if (tail > 0) {
            load_tail(&others, row + end * sizeof(float), tail);
            sums += last * others;
            lengths += others * others;
        }
        products[i] = total(&sums);
        squared_lengths[i] = total(&lengths);
    }
}

// MARK: Panels

INLINE void panel_distance(lanes *sums, const float *query, const float *panel, size_t dimensions) {
    lanes values;
    *sums = (lanes){0};
    for (size_t i = 0; i < dimensions; i++, panel += lane_count) {
        load(&values, panel);
        values = query[i] - values;
        *sums += values * values;
    }
}

static void panel_squared_distances(const float *query, const float *panels, size_t dimensions,
                                    size_t panel_count, float *distances) {
    lanes sums;
    for (size_t i = 0; i < panel_count; i++) {
        panel_distance(&sums, query, panels + i * dimensions * lane_count, dimensions);
        memcpy(distances + i * lane_count, &sums, sizeof sums);
    }
}

static void panel_products(const float *query, const float *panels, size_t dimensions,
                           size_t panel_count, float *products) {
    for (size_t panel = 0; panel < panel_count; panel++, products += lane_count) {
        lanes sums = {0}, values;
        for (size_t i = 0; i < dimensions; i++, panels += lane_count) {
            load(&values, panels);
            sums += query[i] * values;
        }
        memcpy(products, &sums, sizeof sums);
    }
}

// The least distance so far in each lane, and the panel that it was found in.
typedef struct {
    lanes distances;
    integer_lanes panels;
} lane_minima;

INLINE void keep_nearer(lane_minima *minima, const lanes *distances, size_t panel) {
    integer_lanes is_nearer = *distances < minima->distances;
    minima->distances = (lanes)(((integer_lanes)*distances & is_nearer) |
                                ((integer_lanes)minima->distances & ~is_nearer));
    minima->panels = ((int32_t)panel & is_nearer) | (minima->panels & ~is_nearer);
}

// The first of the lanes with the least distance.
static void store_nearest(const lane_minima *minima, uint32_t *nearest, float *distance) {
    float distances[lane_count];
    int32_t panels[lane_count];
    memcpy(distances, &minima->distances, sizeof distances);
    memcpy(panels, &minima->panels, sizeof panels);
    *nearest = 0;
    *distance = INFINITY;
    for (uint32_t lane = 0; lane < lane_count; lane++) {
        uint32_t found = (uint32_t)panels[lane] * lane_count + lane;
        if (distances[lane] > *distance) continue;
        if (distances[lane] == *distance && found >= *nearest) continue;
        *distance = distances[lane];
        *nearest = found;
    }
}

static void nearest(const float *points, const float *panels, size_t dimensions, size_t panel_count,
                    size_t count, uint32_t *nearest, float *distances) {
    // A panel is compared with several points while it is in the nearest cache.
    lane_minima minima[points_at_once];
    for (size_t start = 0; start < count; start += points_at_once) {
        size_t end = count - start < points_at_once ? count - start : points_at_once;
        for (size_t i = 0; i < end; i++) minima[i] = (lane_minima){(lanes){0} + INFINITY, {0}};
        for (size_t panel = 0; panel < panel_count; panel++)
            for (size_t i = 0; i < end; i++) {
                lanes sums;
                panel_distance(&sums, points + (start + i) * dimensions,
                               panels + panel * dimensions * lane_count, dimensions);
                keep_nearer(&minima[i], &sums, panel);
            }
        for (size_t i = 0; i < end; i++)
            store_nearest(&minima[i], nearest + start + i, distances + start + i);
    }
}

// MARK: Planes

// Compiled once per number of fields, so that shifts and masks are constants.
INLINE void add_plane_sums(size_t field_count, const int16_t *weights, size_t byte_count,
                           const uint8_t *codes, size_t stride, size_t count, int32_t multiplier,
                           int64_t *sums) {
    size_t tail = byte_count % step, end = byte_count - tail, padded = end + (tail > 0) * step;
    for (size_t row = 0; row < count; row++, codes += stride) {
        counters products = {0};
        for (size_t at = 0; at < end; at += step)
            for (size_t field = 0; field < field_count; field++) {
                const int16_t *factors = weights + field * padded + at;
                multiply_add(&products, codes + at, field, field_count, factors);
            }
        if (tail > 0) {
            uint8_t last[step] = {0};
            memcpy(last, codes + end, tail);
            for (size_t field = 0; field < field_count; field++)
                multiply_add(&products, last, field, field_count, weights + field * padded + end);
        }
        int32_t parts[sizeof products / sizeof(int32_t)];
        memcpy(parts, &products, sizeof parts);
        int64_t sum = 0;
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) sum += parts[i];
        sums[row] += multiplier * sum;
    }
}

static void plane_sums(const int16_t *weights, size_t byte_count, size_t field_count,
                       const uint8_t *codes, size_t stride, size_t count, int32_t multiplier,
                       int64_t *sums) {
    if (field_count == 1)
        add_plane_sums(1, weights, byte_count, codes, stride, count, multiplier, sums);
    else if (field_count == 2)
        add_plane_sums(2, weights, byte_count, codes, stride, count, multiplier, sums);
    else
        add_plane_sums(4, weights, byte_count, codes, stride, count, multiplier, sums);
}
