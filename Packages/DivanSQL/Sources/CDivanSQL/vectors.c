#include "value.h"

#include <math.h>
#include <string.h>

// EUCLIDEAN_DISTANCE and COSINE_DISTANCE: vectors are arrays of numbers of the same length.
// `divan_vector` makes vectors for an index.

typedef struct sums {
    double squares;
    double products;
    double left_squares;
    double right_squares;
    int64_t count;
} sums;

/// The difference of two numbers; of integers it is exact before it becomes a double.
static double difference(divan_value left, divan_value right, double a, double b) {
    int64_t whole;
    bool are_integers = left.kind != divan_real && right.kind != divan_real;
    bool is_exact = are_integers && !__builtin_sub_overflow(left.integer, right.integer, &whole);
    return is_exact ? (double)whole : a - b;
}

/// Walks two vectors; false if one is invalid, or their lengths differ.
static bool add_up(divan_value left, divan_value right, sums *sums) {
    divan_walk left_walk, right_walk;
    divan_slice left_item, right_item;
    *sums = (struct sums){0};
    if (left.kind != divan_array || right.kind != divan_array) return false;
    if (!divan_begin_walk(&left_walk, left.text) || !divan_begin_walk(&right_walk, right.text))
        return false;
    while (divan_next(&left_walk, &left_item)) {
        double a, b;
        if (!divan_next(&right_walk, &right_item)) return false;
        divan_value left_value = divan_read(left_item), right_value = divan_read(right_item);
        if (!divan_number(left_value, &a) || !divan_number(right_value, &b)) return false;
        double distance = difference(left_value, right_value, a, b);
        sums->squares += distance * distance;
        sums->products += a * b;
        sums->left_squares += a * a;
        sums->right_squares += b * b;
        sums->count++;
    }
    return !divan_next(&right_walk, &right_item);
}

/// A third argument of 2 asks for the square.
static void euclidean_distance(sqlite3_context *context, int count, sqlite3_value **arguments) {
    sums found;
    if (divan_passes_on(context, count, arguments)) return;
    if (!add_up(divan_argument(arguments[0]), divan_argument(arguments[1]), &found)) {
        divan_return_null(context);
        return;
    }
    bool is_square = count > 2 && sqlite3_value_double(arguments[2]) == 2;
    divan_return_real(context, is_square ? found.squares : sqrt(found.squares));
}

static void cosine_distance(sqlite3_context *context, int count, sqlite3_value **arguments) {
    sums found;
    if (divan_passes_on(context, count, arguments)) return;
    bool are_vectors = add_up(divan_argument(arguments[0]), divan_argument(arguments[1]), &found);
    // Zero vectors have no direction: the result would be no number, and so is null.
    if (!are_vectors || found.count == 0) divan_return_null(context);
    else divan_return_real(
        context, 1 - found.products / sqrt(found.left_squares * found.right_squares));
}

/// The values of base64 digits plus one; 0 for other characters.
static const uint8_t digits[256] = {
    ['A'] = 1,  ['B'] = 2,  ['C'] = 3,  ['D'] = 4,  ['E'] = 5,  ['F'] = 6,  ['G'] = 7,  ['H'] = 8,
    ['I'] = 9,  ['J'] = 10, ['K'] = 11, ['L'] = 12, ['M'] = 13, ['N'] = 14, ['O'] = 15, ['P'] = 16,
    ['Q'] = 17, ['R'] = 18, ['S'] = 19, ['T'] = 20, ['U'] = 21, ['V'] = 22, ['W'] = 23, ['X'] = 24,
    ['Y'] = 25, ['Z'] = 26, ['a'] = 27, ['b'] = 28, ['c'] = 29, ['d'] = 30, ['e'] = 31, ['f'] = 32,
    ['g'] = 33, ['h'] = 34, ['i'] = 35, ['j'] = 36, ['k'] = 37, ['l'] = 38, ['m'] = 39, ['n'] = 40,
    ['o'] = 41, ['p'] = 42, ['q'] = 43, ['r'] = 44, ['s'] = 45, ['t'] = 46, ['u'] = 47, ['v'] = 48,
    ['w'] = 49, ['x'] = 50, ['y'] = 51, ['z'] = 52, ['0'] = 53, ['1'] = 54, ['2'] = 55, ['3'] = 56,
    ['4'] = 57, ['5'] = 58, ['6'] = 59, ['7'] = 60, ['8'] = 61, ['9'] = 62, ['+'] = 63, ['/'] = 64,
};

/// Decodes exactly `count` bytes, with or without padding; false for any other text.
static bool decode(divan_slice text, uint8_t *bytes, int64_t count) {
    int64_t digit_count = (count * 4 + 2) / 3;
    if (divan_count(text) < digit_count) return false;
    const uint8_t *from = text.start;
    // Three bytes at a time; what is wrong with a digit is found at the end.
    uint32_t invalid = 0;
    for (int64_t group = 0; group < count / 3; group++, from += 4, bytes += 3) {
        uint32_t a = digits[from[0]] - 1u, b = digits[from[1]] - 1u, c = digits[from[2]] - 1u,
                 d = digits[from[3]] - 1u;
        uint32_t window = a << 18 | b << 12 | c << 6 | d;
        invalid |= a | b | c | d;
        bytes[0] = (uint8_t)(window >> 16);
        bytes[1] = (uint8_t)(window >> 8);
        bytes[2] = (uint8_t)window;
    }
    uint32_t window = 0;
    int filled = 0;
    for (const uint8_t *end = text.start + digit_count; from < end; from++) {
        uint32_t value = digits[*from] - 1u;
        invalid |= value;
        window = window << 6 | (value & 63);
        filled += 6;
        if (filled < 8) continue;
        filled -= 8;
        *bytes++ = (uint8_t)(window >> filled);
    }
    for (; from < text.end; from++)
        if (*from != '=') return false;
    return invalid < 64 && (window & ((1u << filled) - 1)) == 0;
}

/// Reads the numbers of an array, of which there must be `count`.
static bool read_floats(divan_slice array, float *floats, int64_t count) {
    divan_walk walk;
    divan_slice item;
    int64_t found = 0;
    if (!divan_begin_walk(&walk, array)) return false;
    while (divan_next(&walk, &item)) {
        divan_value value = divan_read(item);
        double number;
        if (found == count || value.kind == divan_boolean || !divan_number(value, &number))
            return false;
        floats[found++] = (float)number;
    }
    return found == count;
}

/// Vectors have at most this many dimensions.
enum { most_dimensions = 4096 };

/// `divan_vector(value, dimensions)`: the little-endian floats of a vector, which is an array of numbers, the
/// base64 text of floats, or binary; MISSING for anything else.
static void vector(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    divan_value value = divan_argument(arguments[0]);
    int64_t dimensions = sqlite3_value_int64(arguments[1]);
    float floats[most_dimensions];
    if (dimensions < 1 || dimensions > most_dimensions) return;
    int64_t byte_count = dimensions * (int64_t)sizeof *floats;
    switch (value.kind) {
        case divan_array:
            if (!read_floats(value.text, floats, dimensions)) return;
            break;
        case divan_text:
            if (value.has_escapes || !decode(value.text, (uint8_t *)floats, byte_count)) return;
            break;
        case divan_binary:
            if (divan_count(value.text) != byte_count + 1) return;
            memcpy(floats, value.text.start + 1, (size_t)byte_count);
            break;
        default: return;
    }
    for (int64_t index = 0; index < dimensions; index++)
        if (!isfinite(floats[index])) return;
    sqlite3_result_blob(context, floats, (int)byte_count, SQLITE_TRANSIENT);
}

static const divan_function functions[] = {
    {"divan_euclidean_distance", 2, 3, divan_returns_scalar, 2, 0, euclidean_distance, 0},
    {"divan_cosine_distance", 2, 2, divan_returns_scalar, 1, 0, cosine_distance, 0},
    {"divan_vector", 2, 2, divan_returns_scalar, 1, 0, vector, 0},
};

const divan_function_list divan_vector_functions = divan_list_of(functions);
