#if !__has_include(<unicode/unorm2.h>)
#error "Divan needs the headers of ICU: type  sudo apt-get install libicu-dev"
#endif

#include "unicode.h"

#include <limits.h>
#include <string.h>
#include <unicode/uchar.h>
#include <unicode/unorm2.h>
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

static bool is_ascii(divan_slice text) {
    uint8_t all = 0;
    for (const uint8_t *at = text.start; at < text.end; at++) all |= *at;
    return all < 0x80;
}

static void append_ascii_lowercase(sqlite3_str *output, divan_slice text) {
    uint8_t piece[256];
    while (text.start < text.end) {
        int count = 0;
        while (text.start < text.end && count < (int)sizeof piece) {
            uint8_t byte = *text.start++;
            piece[count++] = byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte;
        }
        divan_append(output, piece, count);
    }
}

/// Calls an ICU function that fills a buffer; the result is to be freed with `sqlite3_free`.
typedef int32_t (*transformation)(UChar *, int32_t, const UChar *, int32_t, UErrorCode *);

static UChar *transformed(transformation transform, const UChar *units, int32_t *count) {
    UErrorCode error = U_ZERO_ERROR;
    int64_t capacity = (int64_t)*count + *count / 2 + 16;
    for (int attempt = 0; attempt < 2 && capacity < INT32_MAX / 2; attempt++) {
        UChar *target = sqlite3_malloc64((sqlite3_uint64)capacity * sizeof(UChar));
        if (!target) return NULL;
        error = U_ZERO_ERROR;
        int32_t needed = transform(target, (int32_t)capacity, units, *count, &error);
        if (U_SUCCESS(error)) {
            *count = needed;
            return target;
        }
        sqlite3_free(target);
        if (error != U_BUFFER_OVERFLOW_ERROR) return NULL;
        capacity = (int64_t)needed + 1;
    }
    return NULL;
}

static int32_t
fold_case(UChar *target, int32_t capacity, const UChar *source, int32_t count, UErrorCode *error) {
    return u_strFoldCase(target, capacity, source, count, U_FOLD_CASE_DEFAULT, error);
}

static int32_t
compose(UChar *target, int32_t capacity, const UChar *source, int32_t count, UErrorCode *error) {
    const UNormalizer2 *form = unorm2_getNFCInstance(error);
    return U_SUCCESS(*error) ? unorm2_normalize(form, source, count, target, capacity, error) : 0;
}

static int32_t
decompose(UChar *target, int32_t capacity, const UChar *source, int32_t count, UErrorCode *error) {
    const UNormalizer2 *form = unorm2_getNFDInstance(error);
    return U_SUCCESS(*error) ? unorm2_normalize(form, source, count, target, capacity, error) : 0;
}

static int32_t without_marks(UChar *units, int32_t count) {
    int32_t kept = 0;
    for (int32_t at = 0; at < count;) {
        UChar32 point;
        U16_NEXT(units, at, count, point);
        if (u_charType(point) == U_NON_SPACING_MARK) continue;
        U16_APPEND_UNSAFE(units, kept, point);
    }
    return kept;
}

void divan_append_folded(sqlite3_str *output, divan_slice text, int folding) {
    if (folding == divan_ascii_case || (is_ascii(text) && folding & divan_any_case)) {
        append_ascii_lowercase(output, text);
        return;
    }
    divan_wide wide;
    if (is_ascii(text) || !(folding & divan_unicode) || !divan_widen(&wide, text)) {
        divan_append(output, text.start, divan_count(text));
        return;
    }
    int32_t count = wide.count;
    UChar *form = transformed(folding & divan_any_accent ? decompose : compose, wide.units, &count);
    if (form && folding & divan_any_accent) count = without_marks(form, count);
    if (form && folding & divan_any_case) {
        UChar *folded = transformed(fold_case, form, &count);
        sqlite3_free(form);
        form = folded;
    }
    if (form) divan_append_wide(output, form, count);
    else divan_append(output, text.start, divan_count(text));
    sqlite3_free(form);
    divan_free_wide(&wide);
}
