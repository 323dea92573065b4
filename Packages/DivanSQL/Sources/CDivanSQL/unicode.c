#if !__has_include(<unicode/ustring.h>)
#error "The headers of ICU are missing; run: sudo apt-get install libicu-dev"
#endif

#include "unicode.h"

#include <unicode/ustring.h>
#include <unicode/utf16.h>
#include <unicode/utf8.h>

bool divan_widen(divan_wide *wide, divan_slice text) {
    int64_t count = divan_count(text);
    UErrorCode error = U_ZERO_ERROR;
    wide->count = 0;
    wide->units = wide->fixed;
    if (count > INT32_MAX / 2) return false;
    int32_t capacity = sizeof wide->fixed / sizeof wide->fixed[0];
    if (count > capacity) {  // a byte never becomes more than one unit
        capacity = (int32_t)count;
        wide->units = sqlite3_malloc64((sqlite3_uint64)capacity * sizeof(UChar));
        if (!wide->units) return false;
    }
    u_strFromUTF8WithSub(
        wide->units, capacity, &wide->count, (const char *)text.start, (int32_t)count, 0xFFFD, NULL,
        &error);
    if (U_SUCCESS(error)) return true;
    divan_free_wide(wide);
    return false;
}

void divan_free_wide(divan_wide *wide) {
    if (wide->units != wide->fixed) sqlite3_free(wide->units);
    wide->units = NULL;
}

void divan_append_wide(sqlite3_str *output, const UChar *units, int64_t count) {
    for (int64_t at = 0; at < count;) {
        UChar32 point;
        U16_NEXT(units, at, count, point);
        if (U_IS_SURROGATE(point)) point = 0xFFFD;
        uint8_t bytes[4];
        int written = 0;
        U8_APPEND_UNSAFE(bytes, written, point);
        divan_append(output, bytes, written);
    }
}

int64_t divan_narrow_count(const UChar *units, int64_t count) {
    int64_t bytes = 0;
    for (int64_t at = 0; at < count;) {
        UChar32 point;
        U16_NEXT(units, at, count, point);
        bytes += U_IS_SURROGATE(point) ? 3 : U8_LENGTH(point);
    }
    return bytes;
}
