#define _GNU_SOURCE
#include "value.h"

#include <math.h>

typedef enum {
    f_abs, f_acos, f_asin, f_atan, f_ceil, f_cos, f_degrees, f_exp, f_floor, f_ln, f_log, f_radians,
    f_sin, f_sqrt, f_tan,
} one_argument;

static double apply(one_argument function, double x) {
    switch (function) {
        case f_abs: return fabs(x);
        case f_acos: return acos(x);
        case f_asin: return asin(x);
        case f_atan: return atan(x);
        case f_ceil: return ceil(x);
        case f_cos: return cos(x);
        case f_degrees: return x * 180 / M_PI;
        case f_exp: return exp(x);
        case f_floor: return floor(x);
        case f_ln: return log(x);
        case f_log: return log10(x);
        case f_radians: return x * M_PI / 180;
        case f_sin: return sin(x);
        case f_sqrt: return sqrt(x);
        case f_tan: return tan(x);
    }
    return NAN;
}

/// Takes all arguments as numbers; otherwise sets the result: MISSING, else null.
static bool
take(sqlite3_context *context, int count, sqlite3_value **arguments, double *numbers) {
    if (divan_passes_on(context, count, arguments)) return false;
    for (int index = 0; index < count; index++) {
        if (divan_number(divan_argument(arguments[index]), &numbers[index])) continue;
        divan_return_null(context);
        return false;
    }
    return true;
}

static void of_one(sqlite3_context *context, int count, sqlite3_value **arguments) {
    double x;
    if (!take(context, count, arguments, &x)) return;
    one_argument function = (one_argument)(intptr_t)sqlite3_user_data(context);
    divan_value value = divan_argument(arguments[0]);
    bool keeps_integers = function == f_abs || function == f_ceil || function == f_floor;
    if (keeps_integers && divan_is_between_doubles(value)) {
        // The least integer is a double, so the sign can be changed.
        bool is_negated = function == f_abs && value.integer < 0;
        sqlite3_result_int64(context, is_negated ? -value.integer : value.integer);
    } else {
        divan_return_real(context, apply(function, x));
    }
}

/// A power of integers; false if it is no integer of 64 bits.
static bool whole_power(int64_t base, int64_t exponent, int64_t *power) {
    if (exponent < 0) return false;
    *power = 1;
    while (true) {
        if (exponent & 1 && __builtin_mul_overflow(*power, base, power)) return false;
        exponent >>= 1;
        if (exponent == 0) return true;
        if (__builtin_mul_overflow(base, base, &base)) return false;
    }
}

/// A power or a quotient of integers that is an integer; false if it is none of 64 bits.
static bool whole_of_two(bool is_power, int64_t a, int64_t b, int64_t *result) {
    if (is_power) return whole_power(a, b, result);
    if (b == 0 || (b == -1 && a == INT64_MIN) || a % b != 0) return false;
    *result = a / b;
    return true;
}

/// The exact value of a number.
static long double exact(divan_value value) {
    return value.kind == divan_real ? (long double)value.real : (long double)value.integer;
}

typedef enum { f_atan2, f_power, f_divide } two_arguments;

static void of_two(sqlite3_context *context, int count, sqlite3_value **arguments) {
    double x[2];
    if (!take(context, count, arguments, x)) return;
    two_arguments function = (two_arguments)(intptr_t)sqlite3_user_data(context);
    divan_value a = divan_argument(arguments[0]), b = divan_argument(arguments[1]);
    bool are_integers = a.kind != divan_real && b.kind != divan_real;
    int64_t result;
    if (function == f_atan2) {
        divan_return_real(context, atan2(x[0], x[1]));
    } else if (are_integers && whole_of_two(function == f_power, a.integer, b.integer, &result)) {
        divan_return_whole(context, result);
    } else if (function == f_power) {
        divan_return_real(context, pow(x[0], x[1]));
    } else if (divan_is_between_doubles(a) || divan_is_between_doubles(b)) {
        divan_return_real(context, (double)(exact(a) / exact(b)));
    } else {
        divan_return_real(context, x[0] / x[1]);
    }
}

static void integer_divide(sqlite3_context *context, int count, sqlite3_value **arguments) {
    double ignored[2];
    if (!take(context, count, arguments, ignored)) return;
    long double a = truncl(exact(divan_argument(arguments[0])));
    long double b = truncl(exact(divan_argument(arguments[1])));
    if (b == 0) return divan_return_null(context);
    bool are_integers = a >= -0x1p63L && a < 0x1p63L && b >= -0x1p63L && b < 0x1p63L;
    if (are_integers && !(a == -0x1p63L && b == -1)) {
        sqlite3_result_int64(context, (int64_t)a / (int64_t)b);
        return;
    }
    long double quotient = truncl(a / b);
    // What a double holds exactly is an integer like other results; greater ones are doubles.
    if (fabsl(quotient) <= 0x1p53L) sqlite3_result_int64(context, (int64_t)quotient);
    else divan_return_real(context, (double)quotient);
}

static void sign(sqlite3_context *context, int count, sqlite3_value **arguments) {
    double x;
    if (take(context, count, arguments, &x)) sqlite3_result_int(context, (x > 0) - (x < 0));
}

typedef enum { f_round, f_round_even, f_trunc } rounding;

// The C library of musl has no roundeven; its rint does the same unless a program sets another
// rounding mode.
#ifndef __GLIBC__
#define roundeven rint
#endif

static double round_whole(rounding function, double x) {
    switch (function) {
        case f_round: return round(x);
        case f_round_even: return roundeven(x);
        case f_trunc: return trunc(x);
    }
    return x;
}

/// Rounds an integer to a multiple of a power of ten; false if the result does not fit in 64 bits.
static bool round_integer(rounding function, int64_t number, double digits, int64_t *result) {
    *result = number;
    if (digits >= 0) return true;
    if (digits < -18) return false;
    int64_t scale = 1;
    for (double digit = digits; digit < 0; digit++) scale *= 10;
    int64_t quotient = number / scale, rest = number % scale, half = scale / 2;
    if (rest < 0) rest = -rest;
    bool is_even = quotient % 2 == 0;
    bool is_up = function == f_round ? rest >= half
        : function == f_round_even && (rest > half || (rest == half && !is_even));
    if (is_up) quotient += number < 0 ? -1 : 1;
    return !__builtin_mul_overflow(quotient, scale, result);
}

static void round_digits(sqlite3_context *context, int count, sqlite3_value **arguments) {
    double x[2] = {0, 0};
    if (!take(context, count, arguments, x)) return;
    rounding function = (rounding)(intptr_t)sqlite3_user_data(context);
    double digits = trunc(x[1]);
    double result = x[0];
    divan_value value = divan_argument(arguments[0]);
    int64_t rounded;
    if (value.kind != divan_real && round_integer(function, value.integer, digits, &rounded)) {
        divan_return_whole(context, rounded);
        return;
    }
    if (digits == 0) {
        result = round_whole(function, x[0]);
    } else if (digits < 0) {
        double scale = pow(10, -digits);
        result = isfinite(scale) ? round_whole(function, x[0] / scale) * scale : 0;
    } else {
        double scaled = x[0] * pow(10, digits);
        // Beyond 2^53 there is no fraction to round.
        if (fabs(scaled) < 0x1p53) result = round_whole(function, scaled) / pow(10, digits);
    }
    divan_return_real(context, result);
}

static void constant_e(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    (void)arguments;
    sqlite3_result_double(context, M_E);
}

static void constant_pi(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    (void)arguments;
    sqlite3_result_double(context, M_PI);
}

static const divan_function functions[] = {
    {"divan_e", 0, 0, divan_returns_scalar, 1, 0, constant_e, 0},
    {"divan_pi", 0, 0, divan_returns_scalar, 1, 0, constant_pi, 0},
    {"divan_abs", 1, 1, divan_returns_scalar, 2, 0, of_one, f_abs},
    {"divan_acos", 1, 1, divan_returns_scalar, 1, 0, of_one, f_acos},
    {"divan_asin", 1, 1, divan_returns_scalar, 1, 0, of_one, f_asin},
    {"divan_atan", 1, 1, divan_returns_scalar, 1, 0, of_one, f_atan},
    {"divan_ceil", 1, 1, divan_returns_scalar, 2, 0, of_one, f_ceil},
    {"divan_cos", 1, 1, divan_returns_scalar, 1, 0, of_one, f_cos},
    {"divan_degrees", 1, 1, divan_returns_scalar, 1, 0, of_one, f_degrees},
    {"divan_exp", 1, 1, divan_returns_scalar, 1, 0, of_one, f_exp},
    {"divan_floor", 1, 1, divan_returns_scalar, 2, 0, of_one, f_floor},
    {"divan_ln", 1, 1, divan_returns_scalar, 1, 0, of_one, f_ln},
    {"divan_log", 1, 1, divan_returns_scalar, 1, 0, of_one, f_log},
    {"divan_radians", 1, 1, divan_returns_scalar, 1, 0, of_one, f_radians},
    {"divan_sin", 1, 1, divan_returns_scalar, 1, 0, of_one, f_sin},
    {"divan_sqrt", 1, 1, divan_returns_scalar, 1, 0, of_one, f_sqrt},
    {"divan_tan", 1, 1, divan_returns_scalar, 1, 0, of_one, f_tan},
    {"divan_atan2", 2, 2, divan_returns_scalar, 1, 0, of_two, f_atan2},
    {"divan_power", 2, 2, divan_returns_scalar, 2, 0, of_two, f_power},
    {"divan_div", 2, 2, divan_returns_scalar, 2, 0, of_two, f_divide},
    {"divan_idiv", 2, 2, divan_returns_scalar, 2, 0, integer_divide, 0},
    {"divan_sign", 1, 1, divan_returns_scalar, 1, 0, sign, 0},
    {"divan_round", 1, 2, divan_returns_scalar, 2, 0, round_digits, f_round},
    {"divan_round_even", 1, 2, divan_returns_scalar, 2, 0, round_digits, f_round_even},
    {"divan_trunc", 1, 2, divan_returns_scalar, 2, 0, round_digits, f_trunc},
};

const divan_function_list divan_number_functions = divan_list_of(functions);
