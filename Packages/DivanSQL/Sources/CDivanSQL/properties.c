#include "property.h"

#include <math.h>
#include <string.h>

// Paths: `.key` and `[index]`, one after the other; in a key every byte except ASCII letters, digits,
// `_`, `-` and those above 127 is spelled `\HH`. Most are one plain key, which is used directly
// from the path; other paths are parsed once for each run of a statement.

/// One step: a key, or an index if there is no key.
typedef struct {
    const char *key;
    int64_t key_count;
    int64_t index;
} step;

typedef struct {
    int count;
    step steps[];
} path;

static int hex_digit(uint8_t byte) {
    if (byte >= '0' && byte <= '9') return byte - '0';
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

/// Reads a key into `target`; returns the position after it, or null.
static const uint8_t *
read_key(const uint8_t *at, const uint8_t *end, char *target, int64_t *count) {
    int64_t written = 0;
    while (at < end && *at != '.' && *at != '[') {
        if (*at != '\\') {
            target[written++] = (char)*at++;
            continue;
        }
        if (end - at < 3 || hex_digit(at[1]) < 0 || hex_digit(at[2]) < 0) return NULL;
        target[written++] = (char)(hex_digit(at[1]) << 4 | hex_digit(at[2]));
        at += 3;
    }
    *count = written;
    return at;
}

/// Reads `[index]`; returns the position after it, or null.
static const uint8_t *read_index(const uint8_t *at, const uint8_t *end, int64_t *index) {
    bool is_negative = ++at < end && *at == '-';
    if (is_negative) at++;
    int64_t number = 0;
    const uint8_t *digits = at;
    while (at < end && *at >= '0' && *at <= '9') {
        // No array has so many items, so larger numbers need not be exact.
        if (number < 100000000000000000) number = number * 10 + (*at - '0');
        at++;
    }
    if (at == digits || at >= end || *at != ']') return NULL;
    *index = is_negative ? -number : number;
    return at + 1;
}

/// Reads a path into one allocation, its keys after its steps; null if it is invalid.
static path *read_path(const uint8_t *text, int64_t count) {
    const uint8_t *end = text + count;
    int64_t step_count = 1;  // one more, for what begins like no step
    for (const uint8_t *at = text; at < end; at++) step_count += *at == '.' || *at == '[';
    size_t head = sizeof(path) + (size_t)step_count * sizeof(step);
    path *made = sqlite3_malloc64(head + (size_t)count + 1);
    if (!made) return NULL;
    char *keys = (char *)made + head;
    made->count = 0;
    for (const uint8_t *at = text; at && at < end;) {
        step *next = &made->steps[made->count++];
        *next = (step){.key = NULL};
        if (*at == '.') {
            next->key = keys;
            at = read_key(at + 1, end, keys, &next->key_count);
            keys += next->key_count;
        } else if (*at == '[') {
            at = read_index(at, end, &next->index);
        } else {
            at = NULL;
        }
        if (!at) {
            sqlite3_free(made);
            return NULL;
        }
    }
    return made;
}

/// The path in argument `index`, kept as long as it does not change; if `is_owned` is set,
/// the caller must free it.
static path *
find_path(sqlite3_context *context, sqlite3_value **arguments, int index, bool *is_owned) {
    *is_owned = false;
    path *known = sqlite3_get_auxdata(context, index);
    if (known) return known;
    const uint8_t *text = sqlite3_value_text(arguments[index]);
    path *made = text ? read_path(text, sqlite3_value_bytes(arguments[index])) : NULL;
    if (!made) {
        sqlite3_result_error(context, "not a property path", -1);
        return NULL;
    }
    sqlite3_set_auxdata(context, index, made, sqlite3_free);
    // SQLite may free it at once.
    if (sqlite3_get_auxdata(context, index) == made) return made;
    made = read_path(text, sqlite3_value_bytes(arguments[index]));
    *is_owned = true;
    return made;
}

/// Whether the text after the dot of a path is one key without escapes.
static bool is_plain_key(divan_slice key) {
    for (const uint8_t *at = key.start; at < key.end; at++)
        if (*at == '.' || *at == '[' || *at == '\\') return false;
    return true;
}

/// Where the value at a path begins, or null.
static const uint8_t *follow(const path *path, divan_slice text) {
    for (int index = 0; index < path->count; index++) {
        const step *next = &path->steps[index];
        if (!divan_work(divan_count(text))) return NULL;
        const uint8_t *found = next->key ? divan_member(text, next->key, next->key_count)
                                         : divan_item(text, next->index);
        if (!found) return NULL;
        text.start = found;
    }
    return text.start;
}

/// Follows a path that is one plain key; false for any other path.
static bool member(sqlite3_value *argument, divan_slice text, const uint8_t **found) {
    const uint8_t *spelled = sqlite3_value_text(argument);
    if (!spelled || *spelled != '.') return false;
    divan_slice key = {spelled + 1, spelled + sqlite3_value_bytes(argument)};
    if (!is_plain_key(key)) return false;
    *found = divan_member(text, (const char *)key.start, divan_count(key));
    return true;
}

bool divan_find_property(
    sqlite3_context *context, sqlite3_value **arguments, int index, divan_slice text,
    const uint8_t **found) {
    if (member(arguments[index], text, found)) return true;
    bool is_owned;
    path *path = find_path(context, arguments, index, &is_owned);
    if (!path) return false;
    *found = follow(path, text);
    if (is_owned) sqlite3_free(path);
    return true;
}

divan_value divan_value_at(const uint8_t *found, const uint8_t *end) {
    if (!found) return (divan_value){.kind = divan_missing};
    divan_value value = divan_read((divan_slice){found, end});
    if (value.kind == divan_real && !isfinite(value.real)) value.kind = divan_null;
    return value;
}

/// The value at the path in the second argument; false if it is invalid, and the function has failed.
static bool value_of(
    sqlite3_context *context, sqlite3_value **arguments, divan_slice text, divan_value *value) {
    const uint8_t *found;
    if (!divan_find_property(context, arguments, 1, text, &found)) return false;
    *value = divan_value_at(found, text.end);
    return true;
}

/// The form in which a value is returned.
enum { plainly = 0, exactly = 1 };

/// The data of a function of bodies.
typedef struct {
    divan_unpacking unpacking;
    int form;
} reader;

static void return_in(int form, sqlite3_context *context, divan_value value) {
    if (form == exactly) divan_return(context, value);
    else divan_return_plain(context, value);
}

bool divan_text_of_body(sqlite3_context *context, sqlite3_value *argument, divan_slice *text) {
    if (sqlite3_value_type(argument) == SQLITE_NULL) return false;
    const uint8_t *start = sqlite3_value_blob(argument);
    int64_t count = sqlite3_value_bytes(argument);
    if (count > 0 && *start == divan_packed_body) {
        const divan_unpacking *unpacking = &((const reader *)sqlite3_user_data(context))->unpacking;
        start = unpacking->unpack ? unpacking->unpack(unpacking->context, start, count, &count) : NULL;
        if (!start) {
            sqlite3_result_error(context, "a packed body cannot be unpacked", -1);
            sqlite3_result_error_code(context, SQLITE_CORRUPT);
            return false;
        }
    }
    *text = (divan_slice){start, start + count};
    divan_work(count);
    return true;
}

/// A property of a body.
static void property(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    divan_slice text;
    divan_value value;
    if (!divan_text_of_body(context, arguments[0], &text)) return;
    if (!value_of(context, arguments, text, &value)) return;
    return_in(((const reader *)sqlite3_user_data(context))->form, context, value);
}

/// A property of a container.
static void property_of_value(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    divan_value value = divan_argument(arguments[0]);
    if (value.kind != divan_array && value.kind != divan_object) return;
    divan_slice text = value.text;
    if (!value_of(context, arguments, text, &value)) return;
    return_in((int)(intptr_t)sqlite3_user_data(context), context, value);
}

/// The body as a value: MISSING if there is none, as for a tombstone.
static void body(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    divan_slice text;
    if (!divan_text_of_body(context, arguments[0], &text)) return;
    // An object from bracket to bracket need not be read to be passed on.
    bool is_whole = divan_count(text) > 1 && *text.start == '{' && text.end[-1] == '}';
    divan_value value = is_whole ? divan_read_whole(text) : divan_read(text);
    return_in(((const reader *)sqlite3_user_data(context))->form, context, value);
}

static void plain(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    divan_return_plain(context, divan_argument(arguments[0]));
}

/// A value in exact form, a container in its canonical spelling.
static void canonical(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    divan_value value = divan_argument(arguments[0]);
    if (divan_is_container(value)) divan_return_plain(context, value);
    else divan_return(context, value);
}

static void boolean(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    divan_value value = divan_argument(arguments[0]);
    if (value.kind == divan_integer) value.kind = divan_boolean;
    divan_return(context, value);
}

void *divan_make_reader(const divan_setup *setup, intptr_t form) {
    reader *made = sqlite3_malloc(sizeof *made);
    if (!made) return NULL;
    *made = (reader){.form = (int)form};
    if (setup->unpacking) made->unpacking = *setup->unpacking;
    return made;
}

static const divan_function functions[] = {
    {"divan_value", 2, 2, divan_returns_plain, 1, 0, property, plainly,
     .make_data = divan_make_reader, .free_data = sqlite3_free},
    {"divan_result", 2, 2, divan_returns_exact, 1, 0, property, exactly,
     .make_data = divan_make_reader, .free_data = sqlite3_free},
    {"divan_body", 1, 1, divan_returns_plain, 1, 0, body, plainly,
     .make_data = divan_make_reader, .free_data = sqlite3_free},
    {"divan_body_result", 1, 1, divan_returns_exact, 1, 0, body, exactly,
     .make_data = divan_make_reader, .free_data = sqlite3_free},
    {"divan_member", 2, 2, divan_returns_plain, 1, 0, property_of_value, plainly},
    {"divan_member_result", 2, 2, divan_returns_exact, 1, 0, property_of_value, exactly},
    {"divan_plain", 1, 1, divan_returns_plain, 1, 0, plain, 0},
    {"divan_canonical", 1, 1, divan_returns_exact, 1, 0, canonical, 0},
    {"divan_boolean", 1, 1, divan_returns_exact, 1, 0, boolean, 0},
};

const divan_function_list divan_property_functions = divan_list_of(functions);
