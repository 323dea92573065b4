#include "value.h"

#include <math.h>
#include <stdlib.h>

static const char *name(divan_kind kind) {
    switch (kind) {
        case divan_boolean: return "boolean";
        case divan_integer:
        case divan_real: return "number";
        case divan_text: return "string";
        case divan_array: return "array";
        case divan_object: return "object";
        case divan_binary: return "binary";
        case divan_missing:
        case divan_null: break;
    }
    return "null";
}

static void type(sqlite3_context *context, int count, sqlite3_value **arguments) {
    if (divan_passes_on(context, count, arguments)) return;
    sqlite3_result_text(context, name(divan_argument(arguments[0]).kind), -1, SQLITE_STATIC);
}

/// Whether the kind is one of those whose bits are set in `sqlite3_user_data`.
static void is_type(sqlite3_context *context, int count, sqlite3_value **arguments) {
    if (divan_passes_on(context, count, arguments)) return;
    intptr_t kinds = (intptr_t)sqlite3_user_data(context);
    divan_return_boolean(context, kinds >> divan_argument(arguments[0]).kind & 1);
}

static void to_array(sqlite3_context *context, int count, sqlite3_value **arguments) {
    if (divan_passes_on(context, count, arguments)) return;
    divan_value value = divan_argument(arguments[0]);
    if (value.kind == divan_array) {
        divan_return(context, value);
        return;
    }
    sqlite3_str *text = sqlite3_str_new(sqlite3_context_db_handle(context));
    sqlite3_str_appendchar(text, 1, '[');
    divan_append_json(text, value);
    sqlite3_str_appendchar(text, 1, ']');
    divan_return_container(context, text);
}

static void to_object(sqlite3_context *context, int count, sqlite3_value **arguments) {
    if (divan_passes_on(context, count, arguments)) return;
    divan_value value = divan_argument(arguments[0]);
    if (value.kind == divan_object) divan_return(context, value);
    else sqlite3_result_blob(context, "{}", 2, SQLITE_STATIC);
}

/// Sets `only` to the only element of a container.
static bool has_one(divan_value container, divan_slice *only) {
    divan_walk walk;
    divan_slice second;
    return divan_begin_walk(&walk, container.text) && divan_next(&walk, only)
        && !divan_next(&walk, &second);
}

static void to_atom(sqlite3_context *context, int count, sqlite3_value **arguments) {
    if (divan_passes_on(context, count, arguments)) return;
    divan_value value = divan_argument(arguments[0]);
    divan_slice only;
    if (value.kind != divan_array && value.kind != divan_object) divan_return(context, value);
    else if (has_one(value, &only)) divan_return(context, divan_read(only));
    else divan_return_null(context);
}

static void to_boolean(sqlite3_context *context, int count, sqlite3_value **arguments) {
    if (divan_passes_on(context, count, arguments)) return;
    divan_value value = divan_argument(arguments[0]);
    divan_walk walk;
    divan_slice item;
    bool is_true = true;
    double number;
    if (divan_number(value, &number)) {
        is_true = number != 0 && !isnan(number);
    } else if (value.kind == divan_text) {
        is_true = divan_count(value.text) > 0;
    } else if (divan_is_container(value)) {
        is_true = divan_begin_walk(&walk, value.text) && divan_next(&walk, &item);
    }
    divan_return_boolean(context, is_true);
}

/// The number that text represents, or begins with.
static divan_value number_of(divan_slice text) {
    text.start = divan_skip_space(text.start, text.end);
    const uint8_t *end;
    divan_value number = divan_leading_number(text, &end);
    bool is_whole = end == text.end && end > text.start;
    if (!is_whole && number.kind == divan_integer && !divan_is_between_doubles(number)) {
        number = (divan_value){.kind = divan_real, .real = (double)number.integer};
        // Hexadecimal digits count, as in the reference engine.
        if (end < text.end && (*end | 0x20) == 'x' && divan_count(text) < 64) {
            char copy[64];
            sqlite3_snprintf(sizeof copy, copy, "%.*s", (int)divan_count(text), text.start);
            number.real = strtod(copy, NULL);
        }
    } else if (is_whole && number.kind == divan_real && number.real == 0) {
        number = (divan_value){.kind = divan_integer};  // `-0`
    }
    return number;
}

static void to_number(sqlite3_context *context, int count, sqlite3_value **arguments) {
    if (divan_passes_on(context, count, arguments)) return;
    divan_value value = divan_argument(arguments[0]);
    switch (value.kind) {
        case divan_boolean: sqlite3_result_int64(context, value.integer); return;
        case divan_integer:
        case divan_real: divan_return(context, value); return;
        case divan_text: divan_return(context, number_of(value.text)); return;
        default: divan_return_null(context);
    }
}

static void to_string(sqlite3_context *context, int count, sqlite3_value **arguments) {
    if (divan_passes_on(context, count, arguments)) return;
    divan_value value = divan_argument(arguments[0]);
    switch (value.kind) {
        case divan_text: divan_return(context, value); return;
        case divan_boolean:
        case divan_integer:
        case divan_real: {
            sqlite3_str *text = sqlite3_str_new(sqlite3_context_db_handle(context));
            divan_append_shown(text, value);
            divan_return_text(context, text);
            return;
        }
        default: divan_return_null(context);
    }
}

enum {
    numbers = 1 << divan_integer | 1 << divan_real,
    atoms = numbers | 1 << divan_boolean | 1 << divan_text,
};

static const divan_function functions[] = {
    {"divan_type", 1, 1, divan_returns_scalar, 1, 0, type, 0},
    {"divan_is_array", 1, 1, divan_returns_boolean, 1, 0, is_type, 1 << divan_array},
    {"divan_is_atom", 1, 1, divan_returns_boolean, 1, 0, is_type, atoms},
    {"divan_is_boolean", 1, 1, divan_returns_boolean, 1, 0, is_type, 1 << divan_boolean},
    {"divan_is_number", 1, 1, divan_returns_boolean, 1, 0, is_type, numbers},
    {"divan_is_object", 1, 1, divan_returns_boolean, 1, 0, is_type, 1 << divan_object},
    {"divan_is_string", 1, 1, divan_returns_boolean, 1, 0, is_type, 1 << divan_text},
    {"divan_to_array", 1, 1, divan_returns_exact, 2, 0, to_array, 0},
    {"divan_to_object", 1, 1, divan_returns_exact, 1, 0, to_object, 0},
    {"divan_to_atom", 1, 1, divan_returns_exact, 1, 0, to_atom, 0},
    {"divan_to_boolean", 1, 1, divan_returns_boolean, 1, 0, to_boolean, 0},
    {"divan_to_number", 1, 1, divan_returns_scalar, 2, 0, to_number, 0},
    {"divan_to_string", 1, 1, divan_returns_scalar, 2, 0, to_string, 0},
};

const divan_function_list divan_type_functions = divan_list_of(functions);
