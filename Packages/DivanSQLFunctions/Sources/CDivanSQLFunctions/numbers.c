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
    divan_return_real(context, apply((one_argument)(intptr_t)sqlite3_user_data(context), x));
}

typedef enum { f_atan2, f_power, f_divide } two_arguments;

static void of_two(sqlite3_context *context, int count, sqlite3_value **arguments) {
    double x[2];
    if (!take(context, count, arguments, x)) return;
    switch ((two_arguments)(intptr_t)sqlite3_user_data(context)) {
        case f_atan2: divan_return_real(context, atan2(x[0], x[1])); return;
        case f_power: divan_return_real(context, pow(x[0], x[1])); return;
        case f_divide: divan_return_real(context, x[0] / x[1]);
    }
}

/// A double truncated to an integer, limited to the range of integers.
static int64_t cut(double x) {
    if (isnan(x)) return 0;
    if (x >= 0x1p63) return INT64_MAX;
    if (x <= -0x1p63) return INT64_MIN;
    return (int64_t)x;
}

static int64_t whole(sqlite3_value *argument) {
    divan_value value = divan_argument(argument);
    return value.kind == divan_real ? cut(value.real) : value.integer;
}

static void integer_divide(sqlite3_context *context, int count, sqlite3_value **arguments) {
    double ignored[2];
    if (!take(context, count, arguments, ignored)) return;
    int64_t a = whole(arguments[0]), b = whole(arguments[1]);
    if (b == 0) divan_return_null(context);
    else if (b == -1) sqlite3_result_int64(context, a == INT64_MIN ? INT64_MAX : -a);
    else sqlite3_result_int64(context, a / b);
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

static void round_digits(sqlite3_context *context, int count, sqlite3_value **arguments) {
    double x[2] = {0, 0};
    if (!take(context, count, arguments, x)) return;
    rounding function = (rounding)(intptr_t)sqlite3_user_data(context);
    double digits = trunc(x[1]);
    double result = x[0];
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

int divan_add_numbers(sqlite3 *connection) {
    static const divan_function functions[] = {
        {"divan_e", 0, constant_e, 0},
        {"divan_pi", 0, constant_pi, 0},
        {"divan_abs", 1, of_one, f_abs},
        {"divan_acos", 1, of_one, f_acos},
        {"divan_asin", 1, of_one, f_asin},
        {"divan_atan", 1, of_one, f_atan},
        {"divan_ceil", 1, of_one, f_ceil},
        {"divan_cos", 1, of_one, f_cos},
        {"divan_degrees", 1, of_one, f_degrees},
        {"divan_exp", 1, of_one, f_exp},
        {"divan_floor", 1, of_one, f_floor},
        {"divan_ln", 1, of_one, f_ln},
        {"divan_log", 1, of_one, f_log},
        {"divan_radians", 1, of_one, f_radians},
        {"divan_sin", 1, of_one, f_sin},
        {"divan_sqrt", 1, of_one, f_sqrt},
        {"divan_tan", 1, of_one, f_tan},
        {"divan_atan2", 2, of_two, f_atan2},
        {"divan_power", 2, of_two, f_power},
        {"divan_div", 2, of_two, f_divide},
        {"divan_idiv", 2, integer_divide, 0},
        {"divan_sign", 1, sign, 0},
        {"divan_round", 1, round_digits, f_round},
        {"divan_round", 2, round_digits, f_round},
        {"divan_round_even", 1, round_digits, f_round_even},
        {"divan_round_even", 2, round_digits, f_round_even},
        {"divan_trunc", 1, round_digits, f_trunc},
        {"divan_trunc", 2, round_digits, f_trunc},
    };
    return divan_add_all(connection, functions);
}
