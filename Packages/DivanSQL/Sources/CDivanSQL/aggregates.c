#include "value.h"

// SUM, AVG and ARRAY_AGG; COUNT, MIN and MAX are SQLite's own. SUM and AVG count text by its leading
// number and everything else as 0, as the reference engine does.

void divan_add_number(divan_total *total, divan_value number) {
    total->count++;
    if (number.kind == divan_real) {
        total->real += number.real;
        total->is_real = true;
        return;
    }
    total->real += (double)number.integer;
    if (__builtin_add_overflow(total->whole, number.integer, &total->whole)) total->is_real = true;
}

void divan_return_average(sqlite3_context *context, divan_total total) {
    if (total.is_real) divan_return_real(context, total.real / (double)total.count);
    else if (total.whole % total.count == 0) divan_return_whole(context, total.whole / total.count);
    else divan_return_real(context, (double)((long double)total.whole / (long double)total.count));
}

static void add(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL) return;
    divan_total *sum = sqlite3_aggregate_context(context, sizeof *sum);
    if (!sum) return;
    divan_value value = divan_argument(arguments[0]), number = {.kind = divan_real};
    if (value.kind == divan_integer || value.kind == divan_boolean || value.kind == divan_real) {
        number = value;
    } else if (value.kind == divan_text) {
        const uint8_t *end;
        value.text.start = divan_skip_space(value.text.start, value.text.end);
        divan_value leading = divan_leading_number(value.text, &end);
        number.real = leading.kind == divan_integer ? (double)leading.integer : leading.real;
    }
    divan_add_number(sum, number);
}

static void finish_sum(sqlite3_context *context) {
    divan_total *sum = sqlite3_aggregate_context(context, 0);
    if (!sum || sum->count == 0) return;
    if (sum->is_real) divan_return_real(context, sum->real);
    else sqlite3_result_int64(context, sum->whole);
}

static void finish_average(sqlite3_context *context) {
    divan_total *sum = sqlite3_aggregate_context(context, 0);
    if (!sum || sum->count == 0) return;
    divan_return_average(context, *sum);
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

static const divan_function functions[] = {
    {"divan_sum", 1, 1, divan_returns_scalar, 1, 0, add, 0, .finish = finish_sum},
    {"divan_avg", 1, 1, divan_returns_scalar, 1, 0, add, 0, .finish = finish_average},
    {"divan_array_agg", 1, 1, divan_returns_exact, 1, 0, append, 0, .finish = finish_list},
};

const divan_function_list divan_aggregate_functions = divan_list_of(functions);
