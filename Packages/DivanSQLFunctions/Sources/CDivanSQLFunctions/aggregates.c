#include "value.h"

// SUM, AVG and ARRAY_AGG; COUNT, MIN and MAX are SQLite's own. SUM and AVG count text by its leading
// number and everything else as 0, as the reference engine does.

typedef struct {
    int64_t count;
    int64_t whole;
    double real;
    bool is_real;
} total;

static void add(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL) return;
    total *sum = sqlite3_aggregate_context(context, sizeof *sum);
    if (!sum) return;
    divan_value value = divan_argument(arguments[0]);
    sum->count++;
    if (value.kind == divan_integer || value.kind == divan_boolean) {
        sum->real += (double)value.integer;
        // Beyond 64 bits the sum continues as a double.
        if (__builtin_add_overflow(sum->whole, value.integer, &sum->whole)) sum->is_real = true;
        return;
    }
    sum->is_real = true;
    if (value.kind == divan_real) {
        sum->real += value.real;
    } else if (value.kind == divan_text) {
        const uint8_t *end;
        value.text.start = divan_skip_space(value.text.start, value.text.end);
        divan_value number = divan_leading_number(value.text, &end);
        sum->real += number.kind == divan_integer ? (double)number.integer : number.real;
    }
}

static void finish_sum(sqlite3_context *context) {
    total *sum = sqlite3_aggregate_context(context, 0);
    if (!sum || sum->count == 0) return;
    if (sum->is_real) divan_return_real(context, sum->real);
    else sqlite3_result_int64(context, sum->whole);
}

static void finish_average(sqlite3_context *context) {
    total *sum = sqlite3_aggregate_context(context, 0);
    if (!sum || sum->count == 0) return;
    divan_return_real(context, sum->real / (double)sum->count);
}

typedef struct {
    sqlite3_str *text;
} list;

static void append(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    divan_value value = divan_argument(arguments[0]);
    list *items = sqlite3_aggregate_context(context, sizeof *items);
    if (!items || value.kind == divan_missing) return;
    if (!items->text) items->text = sqlite3_str_new(sqlite3_context_db_handle(context));
    sqlite3_str_appendchar(items->text, 1, sqlite3_str_length(items->text) == 0 ? '[' : ',');
    divan_append_json(items->text, value);
}

static void finish_list(sqlite3_context *context) {
    list *items = sqlite3_aggregate_context(context, 0);
    if (!items || !items->text) {
        sqlite3_result_blob(context, "[]", 2, SQLITE_STATIC);
        return;
    }
    sqlite3_str_appendchar(items->text, 1, ']');
    sqlite3_str *text = items->text;
    items->text = NULL;
    divan_return_container(context, text);
}

int divan_add_aggregates(sqlite3 *connection) {
    int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    int code = sqlite3_create_function_v2(
        connection, "divan_sum1", 1, flags, NULL, NULL, add, finish_sum, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_create_function_v2(
            connection, "divan_avg1", 1, flags, NULL, NULL, add, finish_average, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_create_function_v2(
            connection, "divan_array_agg1", 1, flags, NULL, NULL, append, finish_list, NULL);
    return code;
}
