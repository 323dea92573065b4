#define _GNU_SOURCE
#if !__has_include(<unicode/uchar.h>)
#error "The headers of ICU are missing; run: sudo apt-get install libicu-dev"
#endif

#include "unicode.h"
#include "value.h"

#include <string.h>
#include <unicode/uchar.h>
#include <unicode/ustring.h>
#include <unicode/utf8.h>

/// Takes the first argument as text; otherwise sets the result: MISSING, else null.
static bool take(sqlite3_context *context, sqlite3_value **arguments, divan_slice *text) {
    if (divan_passes_on(context, 1, arguments)) return false;
    divan_value value = divan_argument(arguments[0]);
    *text = value.text;
    if (value.kind == divan_text) return true;
    divan_return_null(context);
    return false;
}

static void length(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    divan_slice text;
    if (!take(context, arguments, &text)) return;
    int64_t points = 0;
    for (const uint8_t *at = text.start; at < text.end; at++) points += (*at & 0xC0) != 0x80;
    sqlite3_result_int64(context, points);
}

enum { lower, upper };

static void append_case(sqlite3_str *output, divan_slice text, intptr_t direction) {
    divan_wide wide;
    if (!divan_widen(&wide, text)) return;
    // A unit becomes at most three.
    int64_t capacity = (int64_t)wide.count * 3 + 1;
    UChar *target = capacity < INT32_MAX
        ? sqlite3_malloc64((sqlite3_uint64)capacity * sizeof(UChar)) : NULL;
    UErrorCode error = U_ZERO_ERROR;
    if (target) {
        int32_t count = direction == upper
            ? u_strToUpper(target, (int32_t)capacity, wide.units, wide.count, "", &error)
            : u_strToLower(target, (int32_t)capacity, wide.units, wide.count, "", &error);
        if (U_SUCCESS(error)) divan_append_wide(output, target, count);
    }
    sqlite3_free(target);
    divan_free_wide(&wide);
}

static void change_case(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    divan_slice text;
    if (!take(context, arguments, &text)) return;
    sqlite3_str *output = sqlite3_str_new(sqlite3_context_db_handle(context));
    append_case(output, text, (intptr_t)sqlite3_user_data(context));
    divan_return_text(context, output);
}

enum { left_end = 1, right_end = 2 };

static void trim(sqlite3_context *context, int count, sqlite3_value **arguments) {
    if (count > 1) {
        sqlite3_result_error(context, "TRIM with two arguments is not supported", -1);
        return;
    }
    if (divan_passes_on(context, 1, arguments)) return;
    divan_value value = divan_argument(arguments[0]);
    if (value.kind == divan_text) {
        intptr_t ends = (intptr_t)sqlite3_user_data(context);
        const uint8_t *start = value.text.start;
        int32_t at = 0, end = (int32_t)divan_count(value.text);
        UChar32 point;
        while (ends & left_end && at < end) {
            int32_t next = at;
            U8_NEXT(start, next, end, point);
            if (!u_isWhitespace(point)) break;
            at = next;
        }
        while (ends & right_end && end > at) {
            int32_t previous = end;
            U8_PREV(start, at, previous, point);
            if (!u_isWhitespace(point)) break;
            end = previous;
        }
        value.text = (divan_slice){start + at, start + end};
    }
    divan_return(context, value);
}

/// `CONTAINS(text, part, folding)`.
static void contains(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    if (divan_passes_on(context, 2, arguments)) return;
    divan_value text = divan_argument(arguments[0]), part = divan_argument(arguments[1]);
    if (text.kind != divan_text || part.kind != divan_text || divan_count(part.text) == 0) {
        divan_return_boolean(context, false);
        return;
    }
    int folding = sqlite3_value_int(arguments[2]);
    sqlite3_str *folded_text = sqlite3_str_new(NULL), *folded_part = sqlite3_str_new(NULL);
    divan_append_folded(folded_text, text.text, folding);
    divan_append_folded(folded_part, part.text, folding);
    const char *hay = sqlite3_str_value(folded_text), *needle = sqlite3_str_value(folded_part);
    bool is_found = needle == NULL;
    if (hay && needle) {
        is_found = memmem(
            hay, (size_t)sqlite3_str_length(folded_text), needle,
            (size_t)sqlite3_str_length(folded_part)) != NULL;
    }
    sqlite3_free(sqlite3_str_finish(folded_text));
    sqlite3_free(sqlite3_str_finish(folded_part));
    divan_return_boolean(context, is_found);
}

static const divan_function functions[] = {
    {"divan_length", 1, 1, divan_returns_scalar, 1, 0, length, 0},
    {"divan_lower", 1, 1, divan_returns_scalar, 1, divan_reads_letters, change_case, lower},
    {"divan_upper", 1, 1, divan_returns_scalar, 1, divan_reads_letters, change_case, upper},
    {"divan_trim", 1, 2, divan_returns_exact, 1, divan_reads_letters, trim, left_end | right_end},
    {"divan_ltrim", 1, 2, divan_returns_exact, 1, divan_reads_letters, trim, left_end},
    {"divan_rtrim", 1, 2, divan_returns_exact, 1, divan_reads_letters, trim, right_end},
    {"divan_contains", 3, 3, divan_returns_boolean, 2, divan_reads_letters, contains, 0},
};

const divan_function_list divan_string_functions = divan_list_of(functions);
