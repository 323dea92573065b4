#define _GNU_SOURCE
#include "calendar.h"

#include <string.h>
#include <time.h>

/// The most milliseconds by which a date may differ from 1970: some 290,000 years, well within 64 bits.
static const int64_t farthest = INT64_C(9200000000000000);

int64_t divan_day_number(int64_t year, int month, int day) {
    // If years begin in March, the leap day is at their end.
    year -= month <= 2;
    int64_t era = (year >= 0 ? year : year - 399) / 400;
    int64_t year_of_era = year - era * 400;
    int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year
        - 719468;
}

static void set_day(divan_date *date, int64_t number) {
    number += 719468;
    int64_t era = (number >= 0 ? number : number - 146096) / 146097;
    int64_t day_of_era = number - era * 146097;
    int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t month = (5 * day_of_year + 2) / 153;
    date->day = (int)(day_of_year - (153 * month + 2) / 5 + 1);
    date->month = (int)(month < 10 ? month + 3 : month - 9);
    date->year = year_of_era + era * 400 + (date->month <= 2);
}

static int month_length(int64_t year, int month) {
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return lengths[month - 1] + (month == 2 && is_leap);
}

// MARK: Reading

/// Reads exactly `digits` digits.
static bool read_number(const uint8_t **at, const uint8_t *end, int digits, int *number) {
    if (end - *at < digits) return false;
    int value = 0;
    for (int index = 0; index < digits; index++) {
        uint8_t byte = (*at)[index];
        if (byte < '0' || byte > '9') return false;
        value = value * 10 + (byte - '0');
    }
    *at += digits;
    *number = value;
    return true;
}

static bool passes(const uint8_t **at, const uint8_t *end, char byte) {
    if (*at >= end || **at != (uint8_t)byte) return false;
    (*at)++;
    return true;
}

static bool read_day(const uint8_t **at, const uint8_t *end, divan_date *date) {
    const uint8_t *start = *at;
    bool is_negative = passes(at, end, '-');
    int year;
    if (!read_number(at, end, 4, &year) || !passes(at, end, '-')
        || !read_number(at, end, 2, &date->month) || !passes(at, end, '-')
        || !read_number(at, end, 2, &date->day)) {
        *at = start;
        return false;
    }
    date->year = is_negative ? -year : year;
    return true;
}

static bool read_time(const uint8_t **at, const uint8_t *end, divan_date *date) {
    if (!read_number(at, end, 2, &date->hour) || !passes(at, end, ':')
        || !read_number(at, end, 2, &date->minute))
        return false;
    if (!passes(at, end, ':')) return true;
    if (!read_number(at, end, 2, &date->second)) return false;
    if (!passes(at, end, '.')) return true;
    int scale = 100;
    const uint8_t *digits = *at;
    while (*at < end && **at >= '0' && **at <= '9') {
        date->millisecond += (**at - '0') * scale;
        if (*at == digits + 3) date->rounds_up = **at >= '5';
        (*at)++;
        scale /= 10;
    }
    return *at > digits;
}

static void skip_blanks(const uint8_t **at, const uint8_t *end) {
    while (*at < end && (**at == ' ' || (**at >= '\t' && **at <= '\r'))) (*at)++;
}

static bool read_zone(const uint8_t **at, const uint8_t *end, divan_date *date) {
    skip_blanks(at, end);
    if (*at >= end) return true;
    date->has_offset = true;
    if (!passes(at, end, 'Z') && !passes(at, end, 'z')) {
        int sign = **at == '-' ? -1 : 1, hours, minutes;
        if (!passes(at, end, '+') && !passes(at, end, '-')) return false;
        if (!read_number(at, end, 2, &hours)) return false;
        passes(at, end, ':');
        if (!read_number(at, end, 2, &minutes) || hours > 14 || minutes > 59) return false;
        date->offset = sign * (hours * 60 + minutes);
    }
    skip_blanks(at, end);
    return true;
}

static bool is_sound(const divan_date *date) {
    if (date->month < 1 || date->month > 12 || date->day < 1) return false;
    if (date->day > month_length(date->year, date->month)) return false;
    if (date->hour > 24 || date->minute > 59 || date->second > 59) return false;
    return date->hour < 24 || (date->minute == 0 && date->second == 0 && date->millisecond == 0);
}

bool divan_read_date(divan_slice text, bool takes_time, divan_date *date) {
    *date = (divan_date){.year = 2000, .month = 1, .day = 1};
    const uint8_t *at = text.start, *end = text.end;
    if (read_day(&at, end, date)) {
        do skip_blanks(&at, end);
        while (passes(&at, end, 'T'));
        if (at == end) return is_sound(date);
    } else if (!takes_time) {
        return false;
    }
    return read_time(&at, end, date) && read_zone(&at, end, date) && at == end && is_sound(date);
}

bool divan_milliseconds(divan_date date, int64_t *milliseconds) {
    if (date.year < -280000 || date.year > 280000) return false;
    int64_t minutes = divan_day_number(date.year, date.month, 1) + date.day - 1;
    minutes = (minutes * 24 + date.hour) * 60 + date.minute - date.offset;
    *milliseconds = (minutes * 60 + date.second) * 1000 + date.millisecond;
    return true;
}

bool divan_is_date(int64_t milliseconds) {
    return milliseconds >= -farthest && milliseconds <= farthest;
}

divan_date divan_date_at(int64_t milliseconds, int offset) {
    if (milliseconds > farthest) milliseconds = farthest;
    if (milliseconds < -farthest) milliseconds = -farthest;
    divan_date date = {.offset = offset, .has_offset = true};
    milliseconds += (int64_t)offset * 60000;
    int64_t day = milliseconds / 86400000, rest = milliseconds % 86400000;
    if (rest < 0) {
        rest += 86400000;
        day--;
    }
    set_day(&date, day);
    date.hour = (int)(rest / 3600000);
    date.minute = (int)(rest / 60000 % 60);
    date.second = (int)(rest / 1000 % 60);
    date.millisecond = (int)(rest % 1000);
    return date;
}

/// Rounded down, before 1970 too.
static int64_t seconds_of(int64_t milliseconds) {
    return milliseconds / 1000 - (milliseconds % 1000 < 0);
}

/// The offset in seconds at a time in seconds.
static int64_t offset_at(int64_t seconds) {
    time_t time = (time_t)seconds;
    struct tm local;
    return localtime_r(&time, &local) ? local.tm_gmtoff : 0;
}

// `localtime_r` alone would keep the zone that was set at its first call in the process. `mktime` is not used: for
// fields that occur twice, its answer depends on its previous call.

int divan_local_offset_at(int64_t milliseconds) {
    tzset();
    return (int)(offset_at(seconds_of(milliseconds)) / 60);
}

int64_t divan_local_offset(int64_t milliseconds) {
    tzset();
    int64_t fields = seconds_of(milliseconds), day = 86400;
    // No offset is as large as a day, so the first two are those before and after a change near the fields.
    int64_t offsets[4] = {offset_at(fields - day), offset_at(fields + day)};
    for (int index = 0; index < 2; index++) offsets[index + 2] = offset_at(fields - offsets[index]);
    int64_t greatest = offsets[0], found = INT64_MIN;
    for (int index = 0; index < 4; index++) {
        int64_t offset = offsets[index];
        if (offset > greatest) greatest = offset;
        // The greatest offset means the earliest time.
        if (offset > found && offset_at(fields - offset) == offset) found = offset;
    }
    return found != INT64_MIN ? found : offset_at(fields - greatest);
}

// MARK: Formats

divan_date_format divan_default_date_format(void) {
    return (divan_date_format){
        .has_date = true,
        .has_time = true,
        .has_seconds = true,
        .has_milliseconds = true,
        .separator = 'T',
        .zone = divan_short_zone,
    };
}

/// Removes an example from the end of a text; a `1` in it stands for any byte.
static bool drops(divan_slice *text, const char *example) {
    size_t count = strlen(example);
    if ((size_t)divan_count(*text) < count) return false;
    const uint8_t *start = text->end - count;
    for (size_t index = 0; index < count; index++) {
        if (example[index] != '1' && start[index] != (uint8_t)example[index]) return false;
    }
    text->end = start;
    return true;
}

/// Reads an example, of which only the marks count: `1111-11-11`, `2006-01-02` and `YYYY-MM-DD` are the same.
static bool read_example(divan_slice text, divan_date_format *format) {
    if (drops(&text, "+11:11") || drops(&text, "-11:11")) format->zone = divan_colon_zone;
    else if (drops(&text, "Z") || drops(&text, "+1111") || drops(&text, "-1111"))
        format->zone = divan_short_zone;
    format->has_milliseconds = drops(&text, "11:11:11.111");
    format->has_seconds = format->has_milliseconds || drops(&text, "11:11:11");
    format->has_time = format->has_seconds || drops(&text, "11:11");
    if (!format->has_time && format->zone != divan_no_zone) return false;
    if (format->has_time && divan_count(text) == 0) return true;
    if (format->has_time) {
        format->separator = (char)text.end[-1];
        if (!drops(&text, "T") && !drops(&text, " ")) return false;
    }
    format->has_date = drops(&text, "1111-11-11") || drops(&text, "1111/11/11");
    return format->has_date && divan_count(text) == 0;
}

static bool passes_word(const uint8_t **at, const uint8_t *end, const char *word) {
    size_t count = strlen(word);
    if ((size_t)(end - *at) < count || memcmp(*at, word, count) != 0) return false;
    *at += count;
    return true;
}

static bool read_tokens(divan_slice text, divan_date_format *format) {
    const uint8_t *at = text.start, *end = text.end;
    format->has_date = passes_word(&at, end, "%F") || passes_word(&at, end, "%Y-%m-%d")
        || passes_word(&at, end, "%Y/%m/%d");
    if (format->has_date) {
        if (at == end) return true;
        format->separator = (char)*at;
        if (!passes(&at, end, 'T') && !passes(&at, end, ' ')) return false;
    }
    // `%T` is the time with its milliseconds; alone it is not a format in the reference engine.
    format->has_milliseconds = passes_word(&at, end, "%T");
    if (format->has_milliseconds && !format->has_date && at == end) return false;
    format->has_seconds = format->has_milliseconds || passes_word(&at, end, "%H:%M:%S");
    format->has_time = format->has_seconds || passes_word(&at, end, "%H:%M");
    if (format->has_seconds && (passes_word(&at, end, "%s") || passes_word(&at, end, "%.s")))
        format->has_milliseconds = true;
    if (passes_word(&at, end, "%z")) format->zone = divan_short_zone;
    else if (passes_word(&at, end, "%Ez")) format->zone = divan_colon_zone;
    return format->has_time && at == end;
}

divan_date_format divan_read_date_format(divan_slice text) {
    divan_date_format format = {.zone = divan_no_zone};
    bool has_tokens = divan_count(text) > 0 && *text.start == '%';
    bool is_format = has_tokens ? read_tokens(text, &format) : read_example(text, &format);
    return is_format ? format : divan_default_date_format();
}

void divan_append_date(sqlite3_str *output, divan_date date, divan_date_format format) {
    if (format.has_date) {
        const char *sign = date.year < 0 ? "-" : "";
        int64_t year = date.year < 0 ? -date.year : date.year;
        sqlite3_str_appendf(
            output, "%s%04lld-%02d-%02d", sign, (long long)year, date.month, date.day);
    }
    if (!format.has_time) return;
    if (format.has_date) sqlite3_str_appendchar(output, 1, format.separator);
    sqlite3_str_appendf(output, "%02d:%02d", date.hour, date.minute);
    if (format.has_seconds) sqlite3_str_appendf(output, ":%02d", date.second);
    if (format.has_milliseconds && date.millisecond != 0)
        sqlite3_str_appendf(output, ".%03d", date.millisecond);
    if (format.zone == divan_no_zone) return;
    if (date.offset == 0) {
        sqlite3_str_appendchar(output, 1, 'Z');
        return;
    }
    int minutes = date.offset < 0 ? -date.offset : date.offset;
    const char *colon = format.zone == divan_colon_zone ? ":" : "";
    sqlite3_str_appendf(
        output, "%c%02d%s%02d", date.offset < 0 ? '-' : '+', minutes / 60, colon, minutes % 60);
}
