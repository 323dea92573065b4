#include "value.h"

// Construction of arrays and objects, and the functions of arrays.

static void array(sqlite3_context *context, int count, sqlite3_value **arguments) {
    sqlite3_str *text = sqlite3_str_new(sqlite3_context_db_handle(context));
    bool is_first = true;
    sqlite3_str_appendchar(text, 1, '[');
    for (int index = 0; index < count; index++) {
        divan_value item = divan_argument(arguments[index]);
        if (item.kind == divan_missing) continue;
        if (!is_first) sqlite3_str_appendchar(text, 1, ',');
        is_first = false;
        divan_append_json(text, item);
    }
    sqlite3_str_appendchar(text, 1, ']');
    divan_return_container(context, text);
}

/// Alternating keys and values; the translator has sorted the keys, and none occurs twice.
static void object(sqlite3_context *context, int count, sqlite3_value **arguments) {
    sqlite3_str *text = sqlite3_str_new(sqlite3_context_db_handle(context));
    bool is_first = true;
    sqlite3_str_appendchar(text, 1, '{');
    for (int index = 0; index + 1 < count; index += 2) {
        divan_value key = divan_argument(arguments[index]);
        divan_value value = divan_argument(arguments[index + 1]);
        if (key.kind != divan_text || value.kind == divan_missing) continue;
        if (!is_first) sqlite3_str_appendchar(text, 1, ',');
        is_first = false;
        divan_append_json(text, key);
        sqlite3_str_appendchar(text, 1, ':');
        divan_append_json(text, value);
    }
    sqlite3_str_appendchar(text, 1, '}');
    divan_return_container(context, text);
}

/// Joins containers of one kind, so that the result can have more items than a call has arguments. Their
/// keys are in order.
static void join(sqlite3_context *context, int count, sqlite3_value **arguments) {
    sqlite3_str *text = sqlite3_str_new(sqlite3_context_db_handle(context));
    uint8_t closing = ']';
    for (int index = 0; index < count; index++) {
        divan_value part = divan_argument(arguments[index]);
        if (part.kind != divan_array && part.kind != divan_object) continue;
        closing = part.kind == divan_array ? ']' : '}';
        if (sqlite3_str_length(text) == 0) sqlite3_str_appendchar(text, 1, closing - 2);
        if (divan_count(part.text) <= 2) continue;
        if (sqlite3_str_length(text) > 1) sqlite3_str_appendchar(text, 1, ',');
        divan_append(text, part.text.start + 1, divan_count(part.text) - 2);
    }
    if (sqlite3_str_length(text) == 0) sqlite3_str_appendchar(text, 1, '[');
    sqlite3_str_appendchar(text, 1, (char)closing);
    divan_return_container(context, text);
}

/// An array or object; MISSING for any other value.
static void container(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    divan_value value = divan_argument(arguments[0]);
    if (divan_is_container(value))
        sqlite3_result_value(context, arguments[0]);
}

/// The deepest nesting of containers that is searched.
enum { depth_limit = 128 };

static void append_words(sqlite3_str *text, divan_value value, int depth) {
    divan_walk walk;
    divan_slice item;
    if (value.kind == divan_null || value.kind == divan_missing || !divan_work(divan_count(value.text))) return;
    bool is_container = divan_is_container(value);
    if (is_container && depth < depth_limit && divan_begin_walk(&walk, value.text)) {
        while (divan_next(&walk, &item)) append_words(text, divan_read(item), depth + 1);
    } else if (!is_container) {
        if (sqlite3_str_length(text) > 0) sqlite3_str_appendchar(text, 1, ' ');
        if (value.kind == divan_boolean) sqlite3_str_appendchar(text, 1, value.integer ? 'T' : 'F');
        else divan_append_shown(text, value);
    }
}

/// The text of a value in a full-text index: text unchanged, or all that a container contains.
static void index_text(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    divan_value value = divan_argument(arguments[0]);
    if (value.kind == divan_missing || value.kind == divan_null) return;
    sqlite3_str *text = sqlite3_str_new(sqlite3_context_db_handle(context));
    append_words(text, value, 0);
    divan_return_text(context, text);
}

static const divan_function functions[] = {
    {"divan_array", 0, divan_unlimited, divan_returns_exact, 2, 0, array, 0},
    {"divan_object", 0, divan_unlimited, divan_returns_exact, 2, 0, object, 0},
    {"divan_join", 0, divan_unlimited, divan_returns_exact, 2, 0, join, 0},
    {"divan_container", 1, 1, divan_returns_exact, 1, 0, container, 0},
    {"divan_index_text", 1, 1, divan_returns_scalar, 2, 0, index_text, 0},
};

const divan_function_list divan_container_functions = divan_list_of(functions);
