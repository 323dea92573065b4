#include "property.h"
#include "scan.h"

#include <string.h>

// Conditions that are decided where the property is in the body: the value is not copied out of it. Each function
// returns what SQLite's operators return for the values of `divan_value` and of `divan_items1`.

/// A value that others are compared with, in plain form.
typedef struct {
    int type;
    /// The bytes of text or of a BLOB.
    divan_slice bytes;
    divan_value number;
} sought;

/// MISSING, which is neither equal nor unequal.
typedef enum { is_unequal, is_equal, is_missing } equality;

static sought read_sought(sqlite3_value *argument) {
    sought sought = {.type = sqlite3_value_type(argument)};
    if (sought.type == SQLITE_INTEGER || sought.type == SQLITE_FLOAT) {
        sought.number = divan_argument(argument);
    } else if (sought.type != SQLITE_NULL) {
        const uint8_t *start = sqlite3_value_blob(argument);
        sought.bytes = (divan_slice){start, start + sqlite3_value_bytes(argument)};
    }
    return sought;
}

static bool are_same(divan_slice left, divan_slice right) {
    int64_t count = divan_count(left);
    return count == divan_count(right) && (count == 0 || memcmp(left.start, right.start, (size_t)count) == 0);
}

/// Whether text or a container has, in plain form, certain bytes.
static bool has_bytes(divan_value value, divan_slice bytes) {
    divan_comparable plain = divan_make_comparable(value);
    bool are_equal = are_same(plain.value.text, bytes);
    divan_free_comparable(&plain);
    return are_equal;
}

static equality compare(divan_value value, const sought *sought) {
    switch (value.kind) {
        case divan_missing: return is_missing;
        case divan_null:
            return sought->type == SQLITE_BLOB && divan_count(sought->bytes) == 0 ? is_equal : is_unequal;
        case divan_boolean:
            value.kind = divan_integer;
            // fall through
        case divan_integer:
        case divan_real: {
            bool is_number = sought->type == SQLITE_INTEGER || sought->type == SQLITE_FLOAT;
            return is_number && divan_compare(value, sought->number) == 0 ? is_equal : is_unequal;
        }
        case divan_text:
            return sought->type == SQLITE_TEXT && has_bytes(value, sought->bytes) ? is_equal : is_unequal;
        case divan_array:
        case divan_object:
        case divan_binary:
            return sought->type == SQLITE_BLOB && has_bytes(value, sought->bytes) ? is_equal : is_unequal;
    }
    return is_missing;
}

/// Compares the value that begins at `at`, or null for a property that is not there.
static equality compare_at(const uint8_t *at, const uint8_t *end, const sought *sought) {
    if (!at || sought->type == SQLITE_NULL) return is_missing;
    // Most texts have no escapes and begin at once.
    if (at < end && *at == '"') {
        const uint8_t *quote = divan_find_quote(at + 1, end);
        if (quote >= end) return is_missing;
        if (*quote == '"')
            return sought->type == SQLITE_TEXT && are_same((divan_slice){at + 1, quote}, sought->bytes)
                ? is_equal : is_unequal;
    }
    return compare(divan_value_at(at, end), sought);
}

/// `property = value` for a body, a path and a value in plain form.
static void equals(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    divan_slice text;
    const uint8_t *found;
    if (!divan_text_of_body(context, arguments[0], &text)) return;
    if (!divan_find_property(context, arguments, 1, text, &found)) return;
    sought sought = read_sought(arguments[2]);
    equality outcome = compare_at(found, text.end, &sought);
    if (outcome != is_missing) divan_return_boolean(context, outcome == is_equal);
    else divan_return(context, (divan_value){.kind = divan_missing});
}

/// How a property that is no container is treated.
enum { has_itself = 0, has_nothing = 1 };

/// Compares an item, or its property; false if the path is invalid, and the function has failed.
static bool compare_item(
    sqlite3_context *context, sqlite3_value **arguments, bool has_path, divan_slice item,
    const sought *sought, equality *outcome) {
    const uint8_t *at = item.start;
    if (has_path) {
        uint8_t first = item.start < item.end ? *item.start : 0;
        at = NULL;
        if ((first == '{' || first == '[') && !divan_find_property(context, arguments, 2, item, &at)) return false;
    }
    *outcome = compare_at(at, item.end, sought);
    return true;
}

/// `ANY v IN property SATISFIES v = value`, or `v.path = value`, for a body, the path of the property, that of the
/// item or an empty text, the value in plain form, and how scalars are treated.
static void any_equals(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    divan_slice text, item;
    const uint8_t *found;
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL) return divan_return_boolean(context, false);
    if (!divan_text_of_body(context, arguments[0], &text)) return;
    if (!divan_find_property(context, arguments, 1, text, &found)) return;
    if (!found) return divan_return_boolean(context, false);
    divan_value value = divan_read((divan_slice){found, text.end});
    sought sought = read_sought(arguments[3]);
    bool has_path = sqlite3_value_bytes(arguments[2]) > 0;
    equality outcome = is_unequal;
    divan_walk walk;
    if (divan_is_container(value) && divan_begin_walk(&walk, value.text)) {
        while (outcome != is_equal && divan_next(&walk, &item) && divan_work(divan_count(item)))
            if (!compare_item(context, arguments, has_path, item, &sought, &outcome)) return;
    } else if (sqlite3_value_int(arguments[4]) == has_itself && !has_path) {
        outcome = compare_at(found, text.end, &sought);
    }
    divan_return_boolean(context, outcome == is_equal);
}

static const divan_function functions[] = {
    {"divan_equals", 3, 3, divan_returns_boolean, 1, 0, equals, 0,
     .make_data = divan_make_reader, .free_data = sqlite3_free},
    {"divan_any_equals", 5, 5, divan_returns_boolean, 1, 0, any_equals, 0,
     .make_data = divan_make_reader, .free_data = sqlite3_free},
};

const divan_function_list divan_condition_functions = divan_list_of(functions);
