#ifndef DIVAN_CALENDAR_H
#define DIVAN_CALENDAR_H

#include "json.h"

// Dates as texts and as fields; the Gregorian calendar is also used before its introduction.

/// A date and time of day, at the given offset.
typedef struct {
    int64_t year;
    int month, day, hour, minute, second, millisecond;
    /// Minutes east of Greenwich.
    int offset;
    /// Whether the text had more digits than milliseconds need, and they round up to the next one.
    bool rounds_up;
    /// Whether the text gave the offset; otherwise it is 0.
    bool has_offset;
} divan_date;

/// Reads a whole text; a time alone is one on 2000-01-01 if `takes_time` allows it.
bool divan_read_date(divan_slice text, bool takes_time, divan_date *date);

/// Milliseconds since 1970; false outside the supported years.
bool divan_milliseconds(divan_date date, int64_t *milliseconds);

/// Whether a time is within the supported years.
bool divan_is_date(int64_t milliseconds);

/// The fields of a time at an offset in minutes; outside those years, of the nearest moment within.
divan_date divan_date_at(int64_t milliseconds, int offset);

/// The offset of local time at a time, in minutes.
int divan_local_offset_at(int64_t milliseconds);

/// The offset, in seconds, of local time whose fields are those that UTC has at a time.
///
/// Where clocks are set back and the fields occur twice, it is that of the first time; where clocks are set
/// forward and they never occur, it is the offset before the change.
int64_t divan_local_offset(int64_t milliseconds);

/// Days since 1970-01-01.
int64_t divan_day_number(int64_t year, int month, int day);

/// Which parts of a date are written, and how.
typedef struct {
    bool has_date, has_time, has_seconds;
    /// Milliseconds are written unless they are 0.
    bool has_milliseconds;
    /// The character between date and time.
    char separator;
    enum { divan_no_zone, divan_short_zone, divan_colon_zone } zone;
} divan_date_format;

/// Reads a format: an example date, or `%` tokens; anything else means the default format.
divan_date_format divan_read_date_format(divan_slice text);
divan_date_format divan_default_date_format(void);

void divan_append_date(sqlite3_str *output, divan_date date, divan_date_format format);

#endif
