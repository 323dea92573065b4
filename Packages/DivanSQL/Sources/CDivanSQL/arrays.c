#include "unicode.h"
#include "value.h"

/// Begins to walk the array in the first argument; otherwise sets the result: MISSING for
/// MISSING, else null.
static bool begin(sqlite3_context *context, sqlite3_value **arguments, divan_walk *walk) {
    divan_value array = divan_argument(arguments[0]);
    if (array.kind == divan_missing) return false;
    if (array.kind == divan_array && divan_begin_walk(walk, array.text)) return true;
    divan_return_null(context);
    return false;
}

static void length(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    divan_walk walk;
    divan_slice item;
    int64_t total = 0;
    if (!begin(context, arguments, &walk)) return;
    while (divan_next(&walk, &item)) total++;
    sqlite3_result_int64(context, total);
}

/// How `ARRAY_COUNT` treats a value that is no array depends on how the argument was written.
enum { of_expression = 0, of_property = 1 };

static void count_items(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    bool is_property = (intptr_t)sqlite3_user_data(context) == of_property;
    divan_value value = divan_argument(arguments[0]);
    bool counts = value.kind == divan_array || (value.kind == divan_object && is_property);
    divan_walk walk;
    divan_slice item;
    if (!counts || !divan_begin_walk(&walk, value.text)) {
        if (!is_property) sqlite3_result_int(context, 0);
        return;
    }
    int64_t total = 0;
    while (divan_next(&walk, &item)) total += divan_read(item).kind != divan_null;
    sqlite3_result_int64(context, total);
}

enum { sum, average, maximum, minimum };

/// Returns a double, unless it would be another number.
static void return_number(sqlite3_context *context, divan_value value) {
    if (value.kind == divan_real) divan_return_real(context, value.real);
    else divan_return_whole(context, value.integer);
}

/// Over the numbers of an array; other values are ignored.
static void summary(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    divan_walk walk;
    divan_slice item;
    if (!begin(context, arguments, &walk)) return;
    divan_total total = {0};
    divan_value greatest = {0}, least = {0};
    while (divan_next(&walk, &item)) {
        divan_value value = divan_read(item);
        if (value.kind != divan_integer && value.kind != divan_real) continue;
        if (total.count == 0 || divan_compare(value, greatest) > 0) greatest = value;
        if (total.count == 0 || divan_compare(value, least) < 0) least = value;
        divan_add_number(&total, value);
    }
    intptr_t kind = (intptr_t)sqlite3_user_data(context);
    if (kind != sum && total.count == 0) return divan_return_null(context);
    switch (kind) {
        case sum:
            if (total.is_real) divan_return_real(context, total.real);
            else divan_return_whole(context, total.whole);
            return;
        case average: divan_return_average(context, total); return;
        default: return_number(context, kind == maximum ? greatest : least);
    }
}

static void first_value(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    divan_walk walk;
    divan_slice item;
    if (!begin(context, arguments, &walk)) return;
    while (divan_next(&walk, &item)) {
        divan_value value = divan_read(item);
        if (value.kind == divan_null) continue;
        divan_return(context, value);
        return;
    }
    divan_return_null(context);
}

/// Text under a folding; `buffer`, initially null, holds it and must be freed with `sqlite3_str_finish`.
static divan_value folded(divan_value text, int folding, sqlite3_str **buffer) {
    sqlite3_str *plain = NULL;
    divan_slice content = divan_plain_text(text, &plain);
    *buffer = sqlite3_str_new(NULL);
    divan_append_folded(*buffer, content, folding);
    if (plain) sqlite3_free(sqlite3_str_finish(plain));
    const uint8_t *start = (const uint8_t *)sqlite3_str_value(*buffer);
    if (!start) start = (const uint8_t *)"";
    return (divan_value){.kind = divan_text, .text = {start, start + sqlite3_str_length(*buffer)}};
}

/// Whether an item equals the sought value, which was folded before, if it is text.
static bool is_same(divan_value item, const divan_comparable *sought, int folding) {
    if (folding == divan_exactly || item.kind != divan_text || sought->value.kind != divan_text)
        return divan_compare_with(item, sought) == 0;
    sqlite3_str *buffer = NULL;
    bool is_same = divan_compare_with(folded(item, folding, &buffer), sought) == 0;
    sqlite3_free(sqlite3_str_finish(buffer));
    return is_same;
}

/// Whether an array has an item; what is sought is put in order, or folded, once for all items.
static bool has_item(divan_slice array, divan_value sought, int folding) {
    divan_walk walk;
    divan_slice item;
    if (!divan_begin_walk(&walk, array)) return false;
    sqlite3_str *buffer = NULL;
    if (folding != divan_exactly && sought.kind == divan_text) sought = folded(sought, folding, &buffer);
    divan_comparable compared = divan_make_comparable(sought);
    bool is_found = false;
    while (!is_found && divan_next(&walk, &item) && divan_work(divan_count(item)))
        is_found = is_same(divan_read(item), &compared, folding);
    divan_free_comparable(&compared);
    if (buffer) sqlite3_free(sqlite3_str_finish(buffer));
    return is_found;
}

static bool is_scalar(divan_kind kind) {
    return kind == divan_boolean || kind == divan_integer || kind == divan_real
        || kind == divan_text;
}

static void contains(sqlite3_context *context, int count, sqlite3_value **arguments) {
    if (divan_passes_on(context, count, arguments)) return;
    divan_walk walk;
    divan_value sought = divan_argument(arguments[1]);
    if (!begin(context, arguments, &walk)) return;
    divan_slice array = divan_argument(arguments[0]).text;
    divan_return_boolean(context, is_scalar(sought.kind) && has_item(array, sought, divan_exactly));
}

/// Like `x IN array`: MISSING for MISSING, false if it is no array; containers are found too. A third
/// argument is the folding of texts.
static void is_item(sqlite3_context *context, int count, sqlite3_value **arguments) {
    int folding = count > 2 ? sqlite3_value_int(arguments[2]) : divan_exactly;
    divan_value sought = divan_argument(arguments[0]);
    divan_value array = divan_argument(arguments[1]);
    if (sought.kind == divan_missing || array.kind == divan_missing) return;
    divan_return_boolean(context, array.kind == divan_array && has_item(array.text, sought, folding));
}

static const divan_function functions[] = {
    {"divan_array_length", 1, 1, divan_returns_scalar, 1, 0, length, 0},
    {"divan_array_count", 1, 1, divan_returns_scalar, 1, 0, count_items, of_expression},
    {"divan_array_count_property", 1, 1, divan_returns_scalar, 1, 0, count_items, of_property},
    {"divan_array_sum", 1, 1, divan_returns_scalar, 2, 0, summary, sum},
    {"divan_array_avg", 1, 1, divan_returns_scalar, 2, 0, summary, average},
    {"divan_array_max", 1, 1, divan_returns_scalar, 2, 0, summary, maximum},
    {"divan_array_min", 1, 1, divan_returns_scalar, 2, 0, summary, minimum},
    {"divan_array_ifnull", 1, 1, divan_returns_exact, 1, 0, first_value, 0},
    {"divan_array_contains", 2, 2, divan_returns_boolean, 1, 0, contains, 0},
    {"divan_is_item", 2, 3, divan_returns_boolean, 1, 0, is_item, 0},
};

const divan_function_list divan_array_functions = divan_list_of(functions);
