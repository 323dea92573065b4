#include "CDivanSQL.h"
#include "calendar.h"
#include "value.h"

#include <math.h>
#include <string.h>

/// The most milliseconds by which a number that means a time may differ from 1970.
static const double farthest = 8.64e15;

static bool is_number(divan_value value) {
    return value.kind == divan_integer || value.kind == divan_real;
}

/// Takes a number of milliseconds, truncated to an integer.
static bool take_milliseconds(sqlite3_value *argument, int64_t *milliseconds) {
    divan_value value = divan_argument(argument);
    double number;
    if (!is_number(value) || !divan_number(value, &number)) return false;
    if (!(fabs(number) <= farthest)) return false;
    *milliseconds = value.kind == divan_integer ? value.integer : (int64_t)number;
    return true;
}

/// Takes an offset in minutes.
static bool take_offset(sqlite3_value *argument, int *offset) {
    int64_t minutes;
    if (!take_milliseconds(argument, &minutes) || minutes < -1440 || minutes > 1440) return false;
    *offset = (int)minutes;
    return true;
}

static bool take_date(sqlite3_value *argument, bool takes_time, divan_date *date) {
    divan_value value = divan_argument(argument);
    return value.kind == divan_text && divan_read_date(value.text, takes_time, date);
}

/// The time of a date; without a zone it is local or UTC.
static bool get_time(divan_date date, bool is_local, int64_t *milliseconds) {
    if (!divan_milliseconds(date, milliseconds)) return false;
    if (is_local && !date.has_offset) *milliseconds -= divan_local_offset(*milliseconds) * 1000;
    *milliseconds += date.rounds_up;
    return true;
}

bool divan_date_milliseconds(
    const uint8_t *text, int64_t count, bool is_local, int64_t *milliseconds) {
    divan_date date;
    return divan_read_date((divan_slice){text, text + count}, false, &date)
        && get_time(date, is_local, milliseconds);
}

/// Takes a date as a time; without a zone it is local.
static bool take_time(sqlite3_value *argument, bool takes_time, int64_t *milliseconds) {
    divan_date date;
    return take_date(argument, takes_time, &date) && get_time(date, true, milliseconds);
}

static divan_date_format take_format(int count, sqlite3_value **arguments, int index) {
    if (index >= count) return divan_default_date_format();
    divan_value value = divan_argument(arguments[index]);
    return value.kind == divan_text ? divan_read_date_format(value.text)
                                    : divan_default_date_format();
}

static void return_date(sqlite3_context *context, divan_date date, divan_date_format format) {
    sqlite3_str *text = sqlite3_str_new(sqlite3_context_db_handle(context));
    divan_append_date(text, date, format);
    divan_return_text(context, text);
}

static void str_to_millis(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    int64_t milliseconds;
    if (take_time(arguments[0], false, &milliseconds)) sqlite3_result_int64(context, milliseconds);
    else divan_return_null(context);
}

enum { from_text = 0, from_number = 1, in_utc = 0, in_zone = 2, in_local_time = 4 };

/// `STR_TO_UTC`, `STR_TO_TZ`, `MILLIS_TO_STR`, `MILLIS_TO_UTC`, `MILLIS_TO_TZ`.
static void to_text(sqlite3_context *context, int count, sqlite3_value **arguments) {
    intptr_t mode = (intptr_t)sqlite3_user_data(context);
    int64_t milliseconds;
    int offset = 0;
    bool is_sound = mode & from_number ? take_milliseconds(arguments[0], &milliseconds)
                                       : take_time(arguments[0], true, &milliseconds);
    if (is_sound && mode & in_zone) is_sound = take_offset(arguments[1], &offset);
    if (!is_sound) {
        divan_return_null(context);
        return;
    }
    if (mode & in_local_time) offset = divan_local_offset_at(milliseconds);
    divan_date_format format = take_format(count, arguments, mode & in_zone ? 2 : 1);
    return_date(context, divan_date_at(milliseconds, offset), format);
}

// MARK: Calculation

/// A part of a date: a number of months, or of milliseconds.
typedef struct {
    const char *name;
    int64_t months;
    int64_t milliseconds;
} part;

static const part *take_part(sqlite3_value *argument) {
    static const part parts[] = {
        {"millennium", 12000, 0}, {"century", 1200, 0},  {"decade", 120, 0},   {"year", 12, 0},
        {"quarter", 3, 0},        {"month", 1, 0},       {"week", 0, 604800000}, {"day", 0, 86400000},
        {"hour", 0, 3600000},     {"minute", 0, 60000},  {"second", 0, 1000},  {"millisecond", 0, 1},
    };
    if (sqlite3_value_type(argument) != SQLITE_TEXT) return NULL;
    const char *name = (const char *)sqlite3_value_text(argument);
    for (unsigned index = 0; index < sizeof parts / sizeof parts[0]; index++) {
        if (sqlite3_stricmp(parts[index].name, name) == 0) return &parts[index];
    }
    return NULL;
}

/// The difference of the calendar fields, without regard to zones.
static int64_t difference(divan_date left, divan_date right, const part *part) {
    if (part->months > 0) {
        // Months and quarters by their number; years and longer only by the year.
        if (part->months >= 12) return (left.year - right.year) / (part->months / 12);
        int64_t left_month = left.year * 12 + left.month - 1;
        int64_t right_month = right.year * 12 + right.month - 1;
        return left_month / part->months - right_month / part->months;
    }
    int64_t days = divan_day_number(left.year, left.month, left.day)
        - divan_day_number(right.year, right.month, right.day);
    if (part->milliseconds >= 86400000) return days / (part->milliseconds / 86400000);
    // Each finer part adds the difference of its own field to that of the coarser ones.
    int64_t total = days * 24 + left.hour - right.hour;
    if (part->milliseconds == 3600000) return total;
    total = total * 60 + left.minute - right.minute;
    if (part->milliseconds == 60000) return total;
    total = total * 60 + left.second - right.second;
    if (part->milliseconds == 1000) return total;
    return total * 1000 + left.millisecond - right.millisecond;
}

static void date_diff(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    const part *part = take_part(arguments[2]);
    divan_date dates[2];
    for (int index = 0; index < 2; index++) {
        int64_t milliseconds;
        if (!sqlite3_user_data(context)) {
            if (!take_date(arguments[index], true, &dates[index])) return;
        } else if (take_milliseconds(arguments[index], &milliseconds)) {
            dates[index] = divan_date_at(milliseconds, 0);
        } else {
            return;
        }
    }
    if (part) sqlite3_result_int64(context, difference(dates[0], dates[1], part));
}

/// Adds an amount; false outside the supported years.
static bool add(divan_date date, int64_t amount, const part *part, int64_t *milliseconds) {
    if (amount < -INT64_C(1000000000000000) || amount > INT64_C(1000000000000000)) return false;
    if (part->months > 0) {
        int64_t months;
        if (__builtin_mul_overflow(amount, part->months, &months)) return false;
        if (__builtin_add_overflow(months, date.year * 12 + date.month - 1, &months)) return false;
        int64_t year = months / 12, month = months % 12;
        if (month < 0) {
            month += 12;
            year--;
        }
        date.year = year;
        date.month = (int)month + 1;
        return divan_milliseconds(date, milliseconds);  // a day too many runs over
    }
    int64_t added;
    return divan_milliseconds(date, milliseconds)
        && !__builtin_mul_overflow(amount, part->milliseconds, &added)
        && !__builtin_add_overflow(*milliseconds, added, milliseconds)
        && divan_is_date(*milliseconds);
}

/// Takes an amount and a part.
static bool take_amount(sqlite3_value **arguments, int64_t *amount, const part **part) {
    divan_value value = divan_argument(arguments[0]);
    *part = take_part(arguments[1]);
    if (!*part || !is_number(value)) return false;
    *amount = value.integer;
    if (value.kind != divan_real) return true;
    *amount = fabs(value.real) < farthest ? (int64_t)value.real : INT64_MAX;
    return true;
}

static void date_add_str(sqlite3_context *context, int count, sqlite3_value **arguments) {
    const part *part;
    int64_t amount, milliseconds;
    divan_date date;
    if (!take_date(arguments[0], true, &date) || !take_amount(arguments + 1, &amount, &part)
        || !add(date, amount, part, &milliseconds))
        return;
    divan_date_format format = take_format(count, arguments, 3);
    return_date(context, divan_date_at(milliseconds, date.offset), format);
}

static void date_add_millis(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    const part *part;
    int64_t amount, milliseconds;
    if (!take_milliseconds(arguments[0], &milliseconds)
        || !take_amount(arguments + 1, &amount, &part)
        || !add(divan_date_at(milliseconds, 0), amount, part, &milliseconds))
        return;
    sqlite3_result_int64(context, milliseconds);
}

static const divan_function functions[] = {
    {"divan_str_to_millis", 1, 1, divan_returns_scalar, 2, 0, str_to_millis, 0},
    {"divan_str_to_utc", 1, 2, divan_returns_scalar, 2, 0, to_text, from_text | in_utc},
    {"divan_str_to_tz", 2, 3, divan_returns_scalar, 2, 0, to_text, from_text | in_zone},
    {"divan_millis_to_str", 1, 2, divan_returns_scalar, 2, 0, to_text, from_number | in_local_time},
    {"divan_millis_to_utc", 1, 2, divan_returns_scalar, 2, 0, to_text, from_number | in_utc},
    {"divan_millis_to_tz", 2, 3, divan_returns_scalar, 2, 0, to_text, from_number | in_zone},
    {"divan_date_diff_str", 3, 3, divan_returns_scalar, 2, 0, date_diff, 0},
    {"divan_date_diff_millis", 3, 3, divan_returns_scalar, 2, 0, date_diff, 1},
    {"divan_date_add_str", 3, 4, divan_returns_scalar, 2, 0, date_add_str, 0},
    {"divan_date_add_millis", 3, 3, divan_returns_scalar, 2, 0, date_add_millis, 0},
};

const divan_function_list divan_date_functions = divan_list_of(functions);
