#include "compiled.h"
#include "like.h"
#include "property.h"
#include "unicode.h"

#include <string.h>

/// The text of a number or boolean as LIKE sees it.
static divan_slice shown(divan_value value, sqlite3_str *buffer) {
    if (value.kind == divan_text) return value.text;
    if (value.kind == divan_boolean) value.kind = divan_integer;
    divan_append_shown(buffer, value);
    const uint8_t *start = (const uint8_t *)sqlite3_str_value(buffer);
    return (divan_slice){start, start ? start + sqlite3_str_length(buffer) : start};
}

static divan_slice folded(divan_slice text, sqlite3_str *buffer, int folding) {
    if (folding == divan_exactly) return text;
    divan_append_folded(buffer, text, folding);
    const uint8_t *start = (const uint8_t *)sqlite3_str_value(buffer);
    if (!start) start = (const uint8_t *)"";
    return (divan_slice){start, start + sqlite3_str_length(buffer)};
}

static bool has_text(divan_value value) {
    double ignored;
    return value.kind == divan_text || divan_number(value, &ignored);
}

static divan_pattern *read_pattern(divan_value value, int folding) {
    sqlite3_str *buffers[] = {sqlite3_str_new(NULL), sqlite3_str_new(NULL)};
    if (folding != divan_exactly) folding |= divan_in_pattern;
    divan_slice text = folded(shown(value, buffers[0]), buffers[1], folding);
    divan_pattern *read = divan_read_pattern(text);
    for (int index = 0; index < 2; index++) sqlite3_free(sqlite3_str_finish(buffers[index]));
    return read;
}

/// The pattern in argument `index` under a folding, kept as long as it does not change; if `is_owned` is
/// set, the caller must free it.
static divan_pattern *
find_pattern(sqlite3_context *context, int index, divan_value value, int folding, bool *is_owned) {
    *is_owned = false;
    divan_pattern *known = sqlite3_get_auxdata(context, index);
    if (known) return known;
    divan_pattern *made = read_pattern(value, folding);
    if (!made) return NULL;
    sqlite3_set_auxdata(context, index, made, sqlite3_free);
    // If the argument is not constant, SQLite has freed it.
    if (sqlite3_get_auxdata(context, index) == made) return made;
    *is_owned = true;
    return read_pattern(value, folding);
}

/// Returns whether `text`, which has no escapes, is like the pattern in argument `index`, under the folding in the
/// argument behind it. If that is undecidable, the result `is_stored` as MISSING, so that an index accepts the
/// document anyway.
static void return_like(
    sqlite3_context *context, divan_value text, sqlite3_value **arguments, int index, bool is_stored) {
    divan_value pattern_value = divan_argument(arguments[index]);
    if (text.kind == divan_missing || pattern_value.kind == divan_missing)
        return divan_return(context, (divan_value){.kind = divan_missing});
    if (!has_text(text) || !has_text(pattern_value)) {
        divan_return_boolean(context, false);
        return;
    }
    int folding = sqlite3_value_int(arguments[index + 1]);
    bool is_owned;
    divan_pattern *pattern = find_pattern(context, index, pattern_value, folding, &is_owned);
    if (!pattern) {
        sqlite3_result_error_nomem(context);
        return;
    }
    sqlite3_str *shown_text = text.kind == divan_text ? NULL : sqlite3_str_new(NULL);
    sqlite3_str *folded_text = folding == divan_exactly ? NULL : sqlite3_str_new(NULL);
    divan_likeness likeness =
        divan_like(folded(shown(text, shown_text), folded_text, folding), pattern);
    if (shown_text) sqlite3_free(sqlite3_str_finish(shown_text));
    if (folded_text) sqlite3_free(sqlite3_str_finish(folded_text));
    if (is_owned) sqlite3_free(pattern);
    if (divan_is_stopped()) {
        sqlite3_result_error_code(context, SQLITE_INTERRUPT);
    } else if (likeness == divan_like_too_long && is_stored) {
        sqlite3_result_null(context);
    } else if (likeness == divan_like_too_long) {
        sqlite3_result_error(context, "the LIKE pattern takes too long to match", -1);
    } else {
        divan_return_boolean(context, likeness == divan_is_like);
    }
}

/// `text LIKE pattern` under a folding, the third argument.
static void like(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    return_like(context, divan_argument(arguments[0]), arguments, 1, sqlite3_user_data(context) != NULL);
}

/// `property LIKE pattern` for a body, a path, a pattern and a folding.
static void like_property(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    divan_slice body;
    const uint8_t *found;
    if (!divan_text_of_body(context, arguments[0], &body)) return;
    if (!divan_find_property(context, arguments, 1, body, &found)) return;
    divan_value value = divan_value_at(found, body.end);
    sqlite3_str *buffer = NULL;
    if (value.kind == divan_text) value.text = divan_plain_text(value, &buffer);
    return_like(context, value, arguments, 2, false);
    if (buffer) sqlite3_free(sqlite3_str_finish(buffer));
}

// MARK: Regular expressions

// ICU's syntax is that of ECMAScript except for what `divan_append_expression` rewrites, and rare details;
// and ICU limits the time and memory of a match.
enum {
    /// Steps of 10,000 operations that a match may take, plus one for each `units_per_step` of text.
    time_limit = 500,
    units_per_step = 1000,
    /// Steps times units of text, if one operation may compare as much text as there is.
    reference_limit = 500000,
};

/// The data of a function of regular expressions.
typedef struct {
    divan_compilations *compilations;
    bool is_stored;
} expression_data;

static int32_t step_limit(const divan_compiled *compiled, int32_t count) {
    int32_t steps = time_limit + count / units_per_step;
    if (count == 0 || !compiled->has_reference || reference_limit / count >= steps) return steps;
    return reference_limit / count + 1;
}

/// Sets the result for an expression that is not searched for; MISSING in an index.
static void refuse(sqlite3_context *context, const char *format, const char *part) {
    const expression_data *data = sqlite3_user_data(context);
    if (divan_is_stopped()) return sqlite3_result_error_code(context, SQLITE_INTERRUPT);
    if (data->is_stored) return sqlite3_result_null(context);
    char *message = sqlite3_mprintf(format, part);
    if (message) sqlite3_result_error(context, message, -1);
    else sqlite3_result_error_nomem(context);
    sqlite3_free(message);
}

static void fail(sqlite3_context *context, UErrorCode error) {
    bool is_long = error == U_REGEX_TIME_OUT || error == U_REGEX_STACK_OVERFLOW;
    refuse(
        context,
        is_long ? "the regular expression takes too long to match" : "malformed regular expression (%s)",
        u_errorName(error));
}

/// The state of a search; ended by `end_search`.
typedef struct {
    sqlite3_context *context;
    divan_compiled *compiled;
    URegularExpression *expression;
    divan_wide text;
} search;

/// Finds the compiled expression; otherwise sets the result.
static bool compile(search *search, divan_slice pattern) {
    const expression_data *data = sqlite3_user_data(search->context);
    UErrorCode error = U_ZERO_ERROR;
    switch (divan_compile(data->compilations, pattern, &search->compiled, &error)) {
        case divan_compiles:
            search->expression = search->compiled->expression;
            return true;
        case divan_pattern_too_long:
            refuse(search->context, "the regular expression is longer than %s", "8 KiB");
            return false;
        case divan_sets_too_large:
            refuse(search->context, "the regular expression has too many %s", "character properties and ranges");
            return false;
        case divan_malformed: fail(search->context, error); return false;
        case divan_no_memory: break;
    }
    sqlite3_result_error_nomem(search->context);
    return false;
}

/// Takes text and expression; otherwise sets the result.
static bool
begin_search(search *search, sqlite3_context *context, int count, sqlite3_value **arguments) {
    if (divan_passes_on(context, count, arguments)) return false;
    divan_value text = divan_argument(arguments[0]), pattern = divan_argument(arguments[1]);
    if (text.kind != divan_text || pattern.kind != divan_text) {
        divan_return_null(context);
        return false;
    }
    search->context = context;
    if (!compile(search, pattern.text)) return false;
    UErrorCode error = U_ZERO_ERROR;
    if (!divan_widen(&search->text, text.text)) {
        sqlite3_result_error_nomem(context);
        return false;
    }
    divan_set_text(search->compiled, &search->text, &error);
    uregex_setTimeLimit(search->expression, step_limit(search->compiled, search->text.count), &error);
    if (U_SUCCESS(error)) return true;
    fail(context, error);
    divan_clear_text(search->compiled);
    divan_free_wide(&search->text);
    return false;
}

static void end_search(search *search) {
    // The text is freed; an expression that is kept must not use it again.
    divan_clear_text(search->compiled);
    divan_free_wide(&search->text);
}

static bool find(search *search, bool *is_found) {
    UErrorCode error = U_ZERO_ERROR;
    *is_found = uregex_findNext(search->expression, &error);
    // A text that is read in pieces ends where the search is stopped.
    if (U_SUCCESS(error) && !divan_is_stopped()) return true;
    fail(search->context, error);
    return false;
}

static int32_t group_start(search *search, int32_t group) {
    UErrorCode error = U_ZERO_ERROR;
    return uregex_start(search->expression, group, &error);
}

static int32_t group_end(search *search, int32_t group) {
    UErrorCode error = U_ZERO_ERROR;
    return uregex_end(search->expression, group, &error);
}

static void regexp_contains(sqlite3_context *context, int count, sqlite3_value **arguments) {
    search search;
    bool is_found;
    if (!begin_search(&search, context, count, arguments)) return;
    if (find(&search, &is_found)) divan_return_boolean(context, is_found);
    end_search(&search);
}

static void regexp_position(sqlite3_context *context, int count, sqlite3_value **arguments) {
    search search;
    bool is_found;
    if (!begin_search(&search, context, count, arguments)) return;
    if (find(&search, &is_found)) {
        int32_t start = is_found ? group_start(&search, 0) : 0;
        int64_t position = is_found ? divan_narrow_count(search.text.units, start) : -1;
        sqlite3_result_int64(context, position);
    }
    end_search(&search);
}

static void append_group(sqlite3_str *output, search *search, int32_t group) {
    int32_t start = group_start(search, group), end = group_end(search, group);
    if (start < 0 || end <= start) return;
    divan_append_wide(output, search->text.units + start, end - start);
}

/// Appends a replacement: `$1` and `$&` stand for matched text, `$$` for `$`.
static void append_replacement(sqlite3_str *output, search *search, divan_slice text) {
    UErrorCode error = U_ZERO_ERROR;
    int32_t group_count = uregex_groupCount(search->expression, &error);
    const uint8_t *at = text.start;
    while (at < text.end) {
        const uint8_t *sign = memchr(at, '$', (size_t)(text.end - at));
        divan_append(output, at, (sign ? sign : text.end) - at);
        if (!sign) return;
        at = sign + 1;
        uint8_t next = at < text.end ? *at : 0;
        int32_t group = next >= '1' && next <= '9' ? next - '0' : -1;
        if (next == '&') {
            append_group(output, search, 0);
            at++;
        } else if (group > 0 && group <= group_count) {
            append_group(output, search, group);
            at++;
        } else {
            divan_append(output, sign, 1);
            if (next == '$') at++;
        }
    }
}

static void regexp_replace(sqlite3_context *context, int count, sqlite3_value **arguments) {
    search search;
    bool is_found;
    if (divan_passes_on(context, count, arguments)) return;
    divan_value replacement = divan_argument(arguments[2]);
    if (replacement.kind != divan_text) {
        divan_return_null(context);
        return;
    }
    int64_t rest = count > 3 ? sqlite3_value_int64(arguments[3]) : -1;
    if (rest < 0) rest = -1;  // all; the least number cannot be counted down
    if (!begin_search(&search, context, 2, arguments)) return;
    sqlite3_str *output = sqlite3_str_new(sqlite3_context_db_handle(context));
    int32_t done = 0;
    bool is_sound = true;
    while (rest-- != 0 && (is_sound = find(&search, &is_found)) && is_found) {
        int32_t start = group_start(&search, 0);
        divan_append_wide(output, search.text.units + done, start - done);
        append_replacement(output, &search, replacement.text);
        done = group_end(&search, 0);
        if (sqlite3_str_errcode(output)) break;
    }
    divan_append_wide(output, search.text.units + done, search.text.count - done);
    end_search(&search);
    if (is_sound) divan_return_text(context, output);
    else sqlite3_free(sqlite3_str_finish(output));
}

static void free_data(void *data) {
    divan_release_compilations(((expression_data *)data)->compilations);
    sqlite3_free(data);
}

static void *make_data(const divan_setup *setup, intptr_t is_stored) {
    expression_data *data = sqlite3_malloc(sizeof *data);
    if (data)
        *data = (expression_data){divan_retain_compilations(setup->compilations), is_stored != 0};
    return data;
}

enum { of_patterns = divan_reads_letters | divan_may_fail };

static const divan_function functions[] = {
    {"divan_like", 3, 3, divan_returns_boolean, 2, of_patterns, like, 0},
    {"divan_like_property", 4, 4, divan_returns_boolean, 1, divan_reads_letters, like_property, 0,
     .make_data = divan_make_reader, .free_data = sqlite3_free},
    {"divan_regexp_contains", 2, 2, divan_returns_boolean, 2, of_patterns, regexp_contains, 0,
     .make_data = make_data, .free_data = free_data},
    {"divan_regexp_position", 2, 2, divan_returns_scalar, 2, of_patterns, regexp_position, 0,
     .make_data = make_data, .free_data = free_data},
    {"divan_regexp_replace", 3, 4, divan_returns_scalar, 2, of_patterns, regexp_replace, 0,
     .make_data = make_data, .free_data = free_data},
};

const divan_function_list divan_pattern_functions = divan_list_of(functions);
