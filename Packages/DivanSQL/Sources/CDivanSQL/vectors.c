#include "value.h"

#include <math.h>

// EUCLIDEAN_DISTANCE and COSINE_DISTANCE: vectors are arrays of numbers of the same length.

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

static const divan_function functions[] = {
    {"divan_euclidean_distance", 2, 3, divan_returns_scalar, 2, 0, euclidean_distance, 0},
    {"divan_cosine_distance", 2, 2, divan_returns_scalar, 1, 0, cosine_distance, 0},
};

const divan_function_list divan_vector_functions = divan_list_of(functions);
