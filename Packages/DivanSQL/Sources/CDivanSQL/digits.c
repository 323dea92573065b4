#define _GNU_SOURCE
#include "value.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Conversion between numbers and digits, regardless of the locale.

static locale_t plain_locale;
static pthread_once_t plain_locale_made = PTHREAD_ONCE_INIT;
static void make_plain_locale(void) { plain_locale = newlocale(LC_ALL_MASK, "C", NULL); }

/// Reads a number in any syntax and of any length that the C library accepts, regardless of the locale.
static double read_slowly(divan_slice text) {
    pthread_once(&plain_locale_made, make_plain_locale);
    char fixed[64];
    size_t count = (size_t)divan_count(text);
    char *copy = count < sizeof fixed ? fixed : sqlite3_malloc64(count + 1);
    if (!copy) return 0;
    memcpy(copy, text.start, count);
    copy[count] = 0;
    double number = plain_locale ? strtod_l(copy, NULL, plain_locale) : strtod(copy, NULL);
    if (copy != fixed) sqlite3_free(copy);
    return number;
}

static bool is_digit(uint8_t byte) { return byte >= '0' && byte <= '9'; }

divan_value divan_leading_number(divan_slice text, const uint8_t **end) {
    const uint8_t *at = text.start;
    bool is_negative = at < text.end && *at == '-';
    if (at < text.end && (*at == '-' || *at == '+')) at++;
    const uint8_t *digits = at;
    uint64_t whole = 0;
    while (at < text.end && is_digit(*at) && at - digits < 19) whole = whole * 10 + (*at++ - '0');
    bool is_long = at < text.end && is_digit(*at);
    while (at < text.end && is_digit(*at)) at++;
    int64_t digit_count = at - digits;
    const uint8_t *fraction = at;
    if (at < text.end && *at == '.') {
        at++;
        while (at < text.end && is_digit(*at)) at++;
        digit_count += at - fraction - 1;
        if (at == fraction + 1 && digit_count == 0) at = fraction;
    }
    if (digit_count == 0) {
        *end = text.start;
        return (divan_value){.kind = divan_real};
    }
    bool is_whole = at == fraction;
    const uint8_t *exponent = at;
    if (at < text.end && (*at | 0x20) == 'e') {
        at++;
        if (at < text.end && (*at == '-' || *at == '+')) at++;
        const uint8_t *start = at;
        while (at < text.end && is_digit(*at)) at++;
        if (at == start) at = exponent;
    }
    *end = at;
    is_whole = is_whole && at == exponent;
    bool fits = !is_long && whole <= (uint64_t)INT64_MAX + is_negative;
    if (is_whole && fits && !(is_negative && whole == 0)) {
        int64_t number = is_negative ? (int64_t)(0 - whole) : (int64_t)whole;
        return (divan_value){.kind = divan_integer, .integer = number};
    }
    double number = read_slowly((divan_slice){text.start, at});
    return (divan_value){.kind = divan_real, .real = number};
}

bool divan_number(divan_value value, double *number) {
    switch (value.kind) {
        case divan_boolean:
        case divan_integer: *number = (double)value.integer; return true;
        case divan_real: *number = value.real; return true;
        default: return false;
    }
}

/// Writes a number with this many digits and an exponent; false if it does not read back the same.
static bool spell(char *text, size_t size, int digits, double value) {
    snprintf(text, size, "%.*e", digits - 1, value);
    if (strtod(text, NULL) == value) return true;
    int exponent;
    if (digits != 16 || fabs(frexp(value, &exponent)) != 0.5) return false;
    // Above a power of two, numbers are twice as far apart, so the next digit may be right there.
    char *mark = strchr(text, 'e');
    if (mark[-1] == '9') return false;
    mark[-1]++;
    return strtod(text, NULL) == value;
}

/// Writes the digits of `1.25e+02` with the point in its place.
static void append_positional(sqlite3_str *output, char *text) {
    if (*text == '-') sqlite3_str_appendchar(output, 1, *text++);
    char digits[24];
    int count = 0, exponent = atoi(strchr(text, 'e') + 1);
    for (; *text != 'e'; text++)
        if (*text != '.') digits[count++] = *text;
    if (exponent < 0) {
        sqlite3_str_appendall(output, "0.");
        sqlite3_str_appendchar(output, -exponent - 1, '0');
        sqlite3_str_append(output, digits, count);
        return;
    }
    int whole = exponent + 1;
    sqlite3_str_append(output, digits, whole < count ? whole : count);
    sqlite3_str_appendchar(output, whole > count ? whole - count : 0, '0');
    sqlite3_str_appendchar(output, 1, '.');
    if (whole < count) sqlite3_str_append(output, digits + whole, count - whole);
    else sqlite3_str_appendchar(output, 1, '0');
}

void divan_append_real(sqlite3_str *output, double value) {
    pthread_once(&plain_locale_made, make_plain_locale);
    char text[40];
    locale_t before = plain_locale ? uselocale(plain_locale) : (locale_t)0;
    double size = fabs(value);
    // Numbers this small may have fewer digits than the fifteen at which others begin.
    int digits = size < DBL_MIN ? 1 : 15;
    while (!spell(text, sizeof text, digits, value) && digits < 17) digits++;
    if (before) uselocale(before);
    char *mark = strchr(text, 'e'), *end = mark;
    while (end[-1] == '0' && end - text > 1 && strchr(text, '.')) end--;
    if (end[-1] == '.') end--;
    memmove(end, mark, strlen(mark) + 1);
    // As in bodies: integers in full as long as each has its own double.
    if (size == 0 || (size >= 1e-4 && size <= 0x1p53)) append_positional(output, text);
    else sqlite3_str_appendall(output, text);
}
