#include "value.h"

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
    divan_value best = divan_argument(arguments[0]);
    for (int index = 0; index < count; index++) {
        divan_value value = divan_argument(arguments[index]);
        if (value.kind == divan_missing) return;
        if (divan_compare(value, best) * wanted > 0) best = value;
    }
    divan_return(context, best);
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

/// `MISSINGIF`, or `NULLIF` where `sqlite3_user_data` says so.
static void unless_equal(sqlite3_context *context, int count, sqlite3_value **arguments) {
    if (divan_passes_on(context, count, arguments)) return;
    divan_value value = divan_argument(arguments[0]);
    if (divan_compare(value, divan_argument(arguments[1])) != 0) divan_return(context, value);
    else if (sqlite3_user_data(context)) divan_return_null(context);
}

/// A value that may be compared with a column of text for equality: what is no text equals none,
/// which the column's affinity would change.
static void text_key(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    int type = sqlite3_value_type(arguments[0]);
    if (type == SQLITE_NULL) return;
    if (type == SQLITE_TEXT) sqlite3_result_value(context, arguments[0]);
    else divan_return_null(context);
}

/// `LIMIT` and `OFFSET`: what is no number, and what is negative, counts as 0.
static void row_count(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    int64_t number = sqlite3_value_int64(arguments[0]);
    sqlite3_result_int64(context, number < 0 ? 0 : number);
}

int divan_add_operators(sqlite3 *connection) {
    static const divan_function functions[] = {
        {"divan_concat", -1, concatenation, 0},
        {"divan_greatest", -1, extreme, greatest},
        {"divan_least", -1, extreme, least},
        {"divan_ifnull", -1, if_null, 0},
        {"divan_ifmissingornull", -1, if_missing_or_null, 0},
        {"divan_missingif", 2, unless_equal, 0},
        {"divan_nullif", 2, unless_equal, 1},
        {"divan_text_key", 1, text_key, 0},
        {"divan_row_count", 1, row_count, 0},
    };
    return divan_add_all(connection, functions);
}
