#include "value.h"

#include <math.h>
#include <string.h>

divan_value divan_argument(sqlite3_value *argument) {
    divan_value value = {.kind = divan_missing};
    switch (sqlite3_value_type(argument)) {
        case SQLITE_INTEGER:
            value.kind = divan_integer;
            value.integer = sqlite3_value_int64(argument);
            return value;
        case SQLITE_FLOAT:
            value.kind = divan_real;
            value.real = sqlite3_value_double(argument);
            return value;
        case SQLITE_NULL:
            return value;
        case SQLITE_TEXT: {
            const uint8_t *start = sqlite3_value_text(argument);
            value.kind = divan_text;
            value.text = (divan_slice){start, start + sqlite3_value_bytes(argument)};
            divan_work(divan_count(value.text));
            return value;
        }
    }
    const uint8_t *start = sqlite3_value_blob(argument);
    int count = sqlite3_value_bytes(argument);
    divan_work(count);
    value.text = (divan_slice){start, start + count};
    value.kind = divan_null;
    if (count == 0) return value;
    switch (*start) {
        case '[': value.kind = divan_array; break;
        case '{': value.kind = divan_object; break;
        default: value.kind = divan_binary;
    }
    if (count == 1 && (*start == 1 || *start == 2)) {
        value.kind = divan_boolean;
        value.integer = *start - 1;
    }
    return value;
}

// MARK: JSON

divan_value divan_read(divan_slice text) {
    const uint8_t *at = divan_skip_space(text.start, text.end);
    divan_value value = {.kind = divan_missing};
    if (at >= text.end) return value;
    const uint8_t *end;
    switch (*at) {
        case 'n': value.kind = divan_null; return value;
        case 't':
        case 'f':
            value.kind = divan_boolean;
            value.integer = *at == 't';
            return value;
        case '"':
            end = divan_skip_string(at + 1, text.end, &value.has_escapes);
            if (!end) return value;
            value.kind = divan_text;
            value.text = (divan_slice){at + 1, end - 1};
            return value;
        case '[':
        case '{':
            end = divan_skip_value(at, text.end);
            if (!end) return value;
            value.kind = *at == '[' ? divan_array : divan_object;
            value.text = (divan_slice){at, end};
            return value;
    }
    if (*at == '-' || (*at >= '0' && *at <= '9')) value = divan_leading_number((divan_slice){at, text.end}, &end);
    return value;
}

divan_value divan_read_whole(divan_slice text) {
    uint8_t first = text.start < text.end ? *text.start : 0;
    if (first != '[' && first != '{') return divan_read(text);
    return (divan_value){.kind = first == '[' ? divan_array : divan_object, .text = text};
}

divan_slice divan_plain_text(divan_value value, sqlite3_str **buffer) {
    if (!value.has_escapes) return value.text;
    *buffer = sqlite3_str_new(NULL);
    divan_append_unescaped(*buffer, value.text);
    const uint8_t *start = (const uint8_t *)sqlite3_str_value(*buffer);
    if (!start) start = (const uint8_t *)"";
    return (divan_slice){start, start + sqlite3_str_length(*buffer)};
}

void divan_append_json(sqlite3_str *output, divan_value value) {
    switch (value.kind) {
        case divan_missing: return;
        case divan_null: sqlite3_str_appendall(output, "null"); return;
        case divan_boolean: sqlite3_str_appendall(output, value.integer ? "true" : "false"); return;
        case divan_integer: sqlite3_str_appendf(output, "%lld", (long long)value.integer); return;
        case divan_real:
            if (isfinite(value.real)) divan_append_real(output, value.real);
            else sqlite3_str_appendall(output, "null");
            return;
        case divan_text:
            if (value.has_escapes) {
                divan_append(output, value.text.start - 1, divan_count(value.text) + 2);
            } else {
                divan_append_quoted(output, value.text.start, divan_count(value.text));
            }
            return;
        case divan_array:
        case divan_object: divan_append(output, value.text.start, divan_count(value.text)); return;
        case divan_binary: sqlite3_str_appendall(output, "null"); return;
    }
}

void divan_append_shown(sqlite3_str *output, divan_value value) {
    if (value.kind != divan_text) {
        divan_append_json(output, value);
    } else if (value.has_escapes) {
        divan_append_unescaped(output, value.text);
    } else {
        divan_append(output, value.text.start, divan_count(value.text));
    }
}

// MARK: Results

/// Fails if the statement must stop: the function may have ended early.
static bool is_stopped(sqlite3_context *context) {
    if (!divan_is_stopped()) return false;
    sqlite3_result_error_code(context, SQLITE_INTERRUPT);
    return true;
}

void divan_return_null(sqlite3_context *context) {
    if (!is_stopped(context)) sqlite3_result_zeroblob(context, 0);
}

void divan_return_boolean(sqlite3_context *context, bool value) {
    if (!is_stopped(context)) sqlite3_result_int(context, value);
}

void divan_return_real(sqlite3_context *context, double value) {
    if (is_stopped(context)) return;
    if (isfinite(value)) sqlite3_result_double(context, value);
    else divan_return_null(context);
}

bool divan_is_between_doubles(divan_value value) {
    if (value.kind != divan_integer) return false;
    double nearest = (double)value.integer;
    return nearest >= 0x1p63 || (int64_t)nearest != value.integer;
}

void divan_return_whole(sqlite3_context *context, int64_t number) {
    if (divan_is_between_doubles((divan_value){.kind = divan_integer, .integer = number}))
        sqlite3_result_int64(context, number);
    else
        sqlite3_result_double(context, (double)number);
}

static void return_built(sqlite3_context *context, sqlite3_str *text, bool is_text) {
    int code = sqlite3_str_errcode(text);
    int count = sqlite3_str_length(text);
    char *bytes = sqlite3_str_finish(text);
    if (is_stopped(context)) {
        sqlite3_free(bytes);
    } else if (code != SQLITE_OK) {
        sqlite3_free(bytes);
        sqlite3_result_error_code(context, code);
    } else if (!bytes) {
        if (is_text) sqlite3_result_text(context, "", 0, SQLITE_STATIC);
        else sqlite3_result_zeroblob(context, 0);
    } else if (is_text) {
        sqlite3_result_text(context, bytes, count, sqlite3_free);
    } else {
        sqlite3_result_blob(context, bytes, count, sqlite3_free);
    }
}

void divan_return_text(sqlite3_context *context, sqlite3_str *text) {
    return_built(context, text, true);
}

void divan_return_container(sqlite3_context *context, sqlite3_str *text) {
    return_built(context, text, false);
}

static sqlite3_str *new_text(sqlite3_context *context) {
    return sqlite3_str_new(sqlite3_context_db_handle(context));
}

static void return_string(sqlite3_context *context, divan_value value) {
    if (!value.has_escapes) {
        sqlite3_result_text64(
            context, (const char *)value.text.start, (sqlite3_uint64)divan_count(value.text),
            SQLITE_TRANSIENT, SQLITE_UTF8);
        return;
    }
    sqlite3_str *text = new_text(context);
    divan_append_unescaped(text, value.text);
    divan_return_text(context, text);
}

void divan_return(sqlite3_context *context, divan_value value) {
    static const uint8_t booleans[] = {1, 2};
    if (is_stopped(context)) return;
    switch (value.kind) {
        case divan_missing: sqlite3_result_null(context); return;
        case divan_null: divan_return_null(context); return;
        case divan_boolean:
            sqlite3_result_blob(context, &booleans[value.integer != 0], 1, SQLITE_STATIC);
            return;
        case divan_integer: sqlite3_result_int64(context, value.integer); return;
        case divan_real: divan_return_real(context, value.real); return;
        case divan_text: return_string(context, value); return;
        case divan_array:
        case divan_object:
        case divan_binary:
            sqlite3_result_blob64(
                context, value.text.start, (sqlite3_uint64)divan_count(value.text),
                SQLITE_TRANSIENT);
            return;
    }
}

void divan_return_plain(sqlite3_context *context, divan_value value) {
    if (value.kind == divan_boolean) {
        divan_return_boolean(context, value.integer != 0);
    } else if (divan_is_container(value) && !divan_is_canonical(value.text)) {
        sqlite3_str *text = new_text(context);
        divan_append_canonical(text, value.text);
        divan_return_container(context, text);
    } else {
        divan_return(context, value);
    }
}

// MARK: Order

static int compare_numbers(divan_value left, divan_value right) {
    if (left.kind == divan_real || right.kind == divan_real) {
        double a = left.kind == divan_real ? left.real : (double)left.integer;
        double b = right.kind == divan_real ? right.real : (double)right.integer;
        if (a != b) return a < b ? -1 : 1;
        if (left.kind == right.kind) return 0;
        // Near 2^63 integers round; two that differ only before rounding are compared as integers.
        if (fabs(a) < 0x1p53) return 0;
        if (a >= 0x1p63) return left.kind == divan_real ? 1 : -1;
        int64_t exact_left = left.kind == divan_real ? (int64_t)a : left.integer;
        int64_t exact_right = right.kind == divan_real ? (int64_t)b : right.integer;
        return exact_left < exact_right ? -1 : exact_left > exact_right;
    }
    return left.integer < right.integer ? -1 : left.integer > right.integer;
}

static int rank(divan_kind kind) {
    switch (kind) {
        case divan_missing: return 0;
        case divan_boolean:
        case divan_integer:
        case divan_real: return 1;
        case divan_text: return 2;
        case divan_null: return 3;
        case divan_array:
        case divan_object:
        case divan_binary: return 4;
    }
    return 4;
}

static int compare_bytes(divan_slice left, divan_slice right) {
    int64_t left_count = divan_count(left), right_count = divan_count(right);
    int64_t count = left_count < right_count ? left_count : right_count;
    int order = count > 0 ? memcmp(left.start, right.start, (size_t)count) : 0;
    if (order != 0) return order;
    return left_count < right_count ? -1 : left_count > right_count;
}

static divan_slice comparable(divan_value value, sqlite3_str **buffer) {
    if (value.kind == divan_text) return divan_plain_text(value, buffer);
    if (value.kind == divan_binary || divan_is_canonical(value.text)) return value.text;
    *buffer = sqlite3_str_new(NULL);
    divan_append_canonical(*buffer, value.text);
    const uint8_t *start = (const uint8_t *)sqlite3_str_value(*buffer);
    return start ? (divan_slice){start, start + sqlite3_str_length(*buffer)} : value.text;
}

int divan_compare(divan_value left, divan_value right) {
    int difference = rank(left.kind) - rank(right.kind);
    if (difference != 0) return difference;
    if (rank(left.kind) == 1) return compare_numbers(left, right);
    if (left.kind == divan_missing || left.kind == divan_null) return 0;
    sqlite3_str *left_buffer = NULL, *right_buffer = NULL;
    int order = compare_bytes(comparable(left, &left_buffer), comparable(right, &right_buffer));
    if (left_buffer) sqlite3_free(sqlite3_str_finish(left_buffer));
    if (right_buffer) sqlite3_free(sqlite3_str_finish(right_buffer));
    return order;
}

divan_comparable divan_make_comparable(divan_value value) {
    divan_comparable made = {.value = value};
    if (value.kind == divan_text || divan_is_container(value)) {
        made.value.text = comparable(value, &made.buffer);
        made.value.has_escapes = false;
    }
    return made;
}

void divan_free_comparable(divan_comparable *comparable) {
    if (comparable->buffer) sqlite3_free(sqlite3_str_finish(comparable->buffer));
    comparable->buffer = NULL;
}

int divan_compare_with(divan_value left, const divan_comparable *right) {
    // Only text and containers are spelled in several ways, of which `right` has the one that counts.
    bool is_spelled = left.kind == divan_text || rank(left.kind) == rank(divan_array);
    if (!is_spelled || rank(left.kind) != rank(right->value.kind)) return divan_compare(left, right->value);
    sqlite3_str *buffer = NULL;
    int order = compare_bytes(comparable(left, &buffer), right->value.text);
    if (buffer) sqlite3_free(sqlite3_str_finish(buffer));
    return order;
}

bool divan_passes_on(sqlite3_context *context, int count, sqlite3_value **arguments) {
    bool has_null = false;
    for (int index = 0; index < count; index++) {
        int type = sqlite3_value_type(arguments[index]);
        if (type == SQLITE_NULL) {
            sqlite3_result_null(context);
            return true;
        }
        if (type == SQLITE_BLOB && sqlite3_value_bytes(arguments[index]) == 0) has_null = true;
    }
    if (has_null) divan_return_null(context);
    return has_null;
}
