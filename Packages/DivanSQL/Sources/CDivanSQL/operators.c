#include "value.h"

#include <math.h>
#include <string.h>

static void concatenation(sqlite3_context *context, int count, sqlite3_value **arguments) {
    for (int index = 0; index < count; index++) {
        if (sqlite3_value_type(arguments[index]) == SQLITE_NULL) return;
    }
    sqlite3_str *text = sqlite3_str_new(sqlite3_context_db_handle(context));
    for (int index = 0; index < count; index++) {
        divan_append_shown(text, divan_argument(arguments[index]));
    }
    divan_return_text(context, text);
}

enum { greatest = 1, least = -1 };

static void extreme(sqlite3_context *context, int count, sqlite3_value **arguments) {
    int wanted = (int)(intptr_t)sqlite3_user_data(context);
    if (count == 0) return;
    int best = 0;
    divan_comparable compared = divan_make_comparable(divan_argument(arguments[0]));
    bool is_missing = compared.value.kind == divan_missing;
    for (int index = 1; index < count && !is_missing; index++) {
        divan_value value = divan_argument(arguments[index]);
        is_missing = value.kind == divan_missing;
        if (is_missing || divan_compare_with(value, &compared) * wanted <= 0) continue;
        best = index;
        divan_free_comparable(&compared);
        compared = divan_make_comparable(value);
    }
    divan_free_comparable(&compared);
    if (!is_missing) divan_return(context, divan_argument(arguments[best]));
}

static void if_null(sqlite3_context *context, int count, sqlite3_value **arguments) {
    for (int index = 0; index < count; index++) {
        divan_value value = divan_argument(arguments[index]);
        if (value.kind == divan_null) continue;
        divan_return(context, value);
        return;
    }
    divan_return_null(context);
}

static void if_missing_or_null(sqlite3_context *context, int count, sqlite3_value **arguments) {
    for (int index = 0; index < count; index++) {
        divan_value value = divan_argument(arguments[index]);
        if (value.kind == divan_null || value.kind == divan_missing) continue;
        divan_return(context, value);
        return;
    }
    divan_return_null(context);
}

/// `MISSINGIF`, or `NULLIF` if `sqlite3_user_data` is set.
static void unless_equal(sqlite3_context *context, int count, sqlite3_value **arguments) {
    if (divan_passes_on(context, count, arguments)) return;
    divan_value value = divan_argument(arguments[0]);
    if (divan_compare(value, divan_argument(arguments[1])) != 0) divan_return(context, value);
    else if (sqlite3_user_data(context)) divan_return_null(context);
}

/// A value that can be compared for equality with a column of text: a value that is not text must equal
/// none, but the column's affinity would convert it.
static void text_key(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    int type = sqlite3_value_type(arguments[0]);
    if (type == SQLITE_NULL) return;
    if (type == SQLITE_TEXT) sqlite3_result_value(context, arguments[0]);
    else divan_return_null(context);
}

/// `LIMIT` and `OFFSET`: negative numbers, and values that are no numbers, count as 0.
static void row_count(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    int64_t number = sqlite3_value_int64(arguments[0]);
    sqlite3_result_int64(context, number < 0 ? 0 : number);
}

// Long calculations. SQLite's expression tree is as deep as a calculation is long, and it accepts no
// deep ones. So terms are collected, as many as fit in a call, and then evaluated from left to right,
// as SQLite's operators would, except that `%` does not limit numbers to 64 bits.

/// A number in a calculation, with the operator before it.
typedef struct {
    char sign;
    uint8_t is_real;
    union {
        int64_t integer;
        double real;
    };
} term;

static double as_real(term term) { return term.is_real ? term.real : (double)term.integer; }

/// A term truncated to an integer, which may have more than 64 bits; a long double holds both kinds exactly.
static long double as_whole(term term) {
    return term.is_real ? truncl((long double)term.real) : (long double)term.integer;
}

/// Calculates with integers; false if the result is not one, or out of range.
static bool calculate_whole(term *left, term right) {
    switch (right.sign) {
        case '+': return !__builtin_add_overflow(left->integer, right.integer, &left->integer);
        case '-': return !__builtin_sub_overflow(left->integer, right.integer, &left->integer);
        case '*': return !__builtin_mul_overflow(left->integer, right.integer, &left->integer);
        case '/':
            if (right.integer == -1 && left->integer == INT64_MIN) return false;
            left->integer /= right.integer;
            return true;
        default: left->integer = right.integer == -1 ? 0 : left->integer % right.integer; return true;
    }
}

/// Sets `left` to the result; false if it is MISSING.
static bool calculate_term(term *left, term right) {
    switch (right.sign) {
        case '+': case '-': case '*': break;
        case '/':
            if (as_real(right) == 0) return false;
            break;
        case '%':
            if (as_whole(right) == 0) return false;
            break;
        default: return false;  // of no list that was made here
    }
    bool is_real = left->is_real || right.is_real;
    if (!is_real) {
        // An overflow destroys the left side.
        term before = *left;
        if (calculate_whole(left, right)) return true;
        *left = before;
    }
    double first = as_real(*left), second = as_real(right), result;
    switch (right.sign) {
        case '+': result = first + second; break;
        case '-': result = first - second; break;
        case '*': result = first * second; break;
        case '/': result = first / second; break;
        // Adding 0 makes a negative zero positive.
        default: result = (double)fmodl(as_whole(*left), as_whole(right)) + 0.0;
    }
    *left = (term){.is_real = true, .real = result};
    return result == result;
}

/// Makes terms of numbers; the first argument has the operators; MISSING if a number is.
static void make_terms(sqlite3_context *context, int count, sqlite3_value **arguments) {
    if (count < 2 || sqlite3_value_bytes(arguments[0]) != count - 1) return;
    const char *signs = (const char *)sqlite3_value_text(arguments[0]);
    size_t size = (size_t)(count - 1) * sizeof(term);
    term *terms = sqlite3_malloc64(size);
    if (!terms) return sqlite3_result_error_nomem(context);
    memset(terms, 0, size);
    for (int index = 1; index < count; index++) {
        term *made = &terms[index - 1];
        made->sign = signs[index - 1];
        switch (sqlite3_value_type(arguments[index])) {
            case SQLITE_INTEGER: made->integer = sqlite3_value_int64(arguments[index]); break;
            case SQLITE_FLOAT:
                made->is_real = true;
                made->real = sqlite3_value_double(arguments[index]);
                break;
            default: sqlite3_free(terms); return;
        }
    }
    sqlite3_result_blob64(context, terms, size, sqlite3_free);
}

/// Joins several runs of terms.
static void join_terms(sqlite3_context *context, int count, sqlite3_value **arguments) {
    sqlite3_uint64 size = 0;
    for (int index = 0; index < count; index++) {
        if (sqlite3_value_type(arguments[index]) == SQLITE_NULL) return;
        size += (sqlite3_uint64)sqlite3_value_bytes(arguments[index]);
    }
    char *joined = sqlite3_malloc64(size + 1);
    if (!joined) return sqlite3_result_error_nomem(context);
    char *at = joined;
    for (int index = 0; index < count; index++) {
        size_t length = (size_t)sqlite3_value_bytes(arguments[index]);
        if (length > 0) memcpy(at, sqlite3_value_blob(arguments[index]), length);
        at += length;
    }
    sqlite3_result_blob64(context, joined, size, sqlite3_free);
}

static void calculate(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    const char *bytes = sqlite3_value_blob(arguments[0]);
    size_t length = (size_t)sqlite3_value_bytes(arguments[0]);
    if (!bytes || length < sizeof(term)) return;
    term result, next;
    memcpy(&result, bytes, sizeof result);
    for (size_t at = sizeof result; at + sizeof next <= length; at += sizeof next) {
        memcpy(&next, bytes + at, sizeof next);
        if (!calculate_term(&result, next)) return;
    }
    if (result.is_real) sqlite3_result_double(context, result.real);
    else sqlite3_result_int64(context, result.integer);
}

static const divan_function functions[] = {
    {"divan_terms", 0, divan_unlimited, divan_returns_scalar, 1, 0, make_terms, 0},
    {"divan_join_terms", 0, divan_unlimited, divan_returns_scalar, 1, 0, join_terms, 0},
    {"divan_calculate", 1, 1, divan_returns_scalar, 2, 0, calculate, 0},
    {"divan_concat", 0, divan_unlimited, divan_returns_scalar, 2, 0, concatenation, 0},
    {"divan_greatest", 0, divan_unlimited, divan_returns_exact, 1, 0, extreme, greatest},
    {"divan_least", 0, divan_unlimited, divan_returns_exact, 1, 0, extreme, least},
    {"divan_ifnull", 0, divan_unlimited, divan_returns_exact, 1, 0, if_null, 0},
    {"divan_ifmissingornull", 0, divan_unlimited, divan_returns_exact, 1, 0, if_missing_or_null, 0},
    {"divan_missingif", 2, 2, divan_returns_exact, 1, 0, unless_equal, 0},
    {"divan_nullif", 2, 2, divan_returns_exact, 1, 0, unless_equal, 1},
    {"divan_text_key", 1, 1, divan_returns_scalar, 1, 0, text_key, 0},
    {"divan_row_count", 1, 1, divan_returns_scalar, 1, 0, row_count, 0},
};

const divan_function_list divan_operator_functions = divan_list_of(functions);
