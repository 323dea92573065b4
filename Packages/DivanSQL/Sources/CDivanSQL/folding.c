#if !__has_include(<unicode/ucol.h>)
#error "The headers of ICU are missing; run: sudo apt-get install libicu-dev"
#endif

#include "unicode.h"
#include "work.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unicode/uchar.h>
#include <unicode/ucol.h>
#include <unicode/unorm2.h>
#include <unicode/utf16.h>

// LIKE and CONTAINS compare character by character, as the reference engine does, each as the collation
// compares it: a character that differs from an ASCII character only in ignored ways becomes that one, and
// everything else a number with a mark, made from its sort key. So `ø` and `Å` are `o` and `a` without their
// accents, `ß` and a Hangul syllable stay one character, and `=` and LIKE agree.

/// The result for a character: an ASCII character, or a number with a bit above those of ASCII.
typedef uint64_t unit;

enum {
    unknown = 0,
    /// The character vanishes, such as an accent where none counts.
    nothing = 1,
};

/// Case, accents, or both are ignored.
enum { mode_count = 3, first_mode = divan_any_case };

enum { first_sign = ' ', last_sign = '~' };

typedef struct {
    UCollator *collator;
    /// The units of the sort key of the empty text, and of those of ASCII.
    unit empty;
    unit ascii[last_sign + 1];
} mode;

static mode modes[mode_count];
static pthread_once_t modes_made = PTHREAD_ONCE_INIT;

/// The results for the characters of a block of 256; a block is made when one of its characters first occurs.
static _Atomic(_Atomic unit *) blocks[mode_count][256];

static unit sort_key(const mode *mode, const UChar *units, int32_t count) {
    uint8_t key[128];
    int32_t size = ucol_getSortKey(mode->collator, units, count, key, sizeof key);
    if (size > (int32_t)sizeof key) size = sizeof key;
    uint64_t hash = UINT64_C(14695981039346656037);
    for (int32_t at = 0; at < size; at++) hash = (hash ^ key[at]) * UINT64_C(1099511628211);
    return (hash & ((UINT64_C(1) << 48) - 1)) | UINT64_C(1) << 47;
}

static void make_modes(void) {
    for (int number = 0; number < mode_count; number++) {
        mode *made = &modes[number];
        int folding = (number + 1) * first_mode;
        UErrorCode error = U_ZERO_ERROR;
        UCollator *collator = ucol_open("", &error);
        if (U_FAILURE(error)) continue;
        bool ignores_accents = folding & divan_any_accent;
        ucol_setStrength(collator, ignores_accents ? UCOL_PRIMARY : UCOL_SECONDARY);
        if (!(folding & divan_any_case)) ucol_setAttribute(collator, UCOL_CASE_LEVEL, UCOL_ON, &error);
        made->collator = collator;
        made->empty = sort_key(made, (const UChar[]){0}, 0);
        for (UChar sign = first_sign; sign <= last_sign; sign++)
            made->ascii[sign] = sort_key(made, &sign, 1);
    }
}

static unit fold(const mode *mode, UChar32 point) {
    UChar units[2];
    int32_t count = 0;
    U16_APPEND_UNSAFE(units, count, point);
    unit key = sort_key(mode, units, count);
    if (key == mode->empty) return nothing;
    // Backwards, so that of the two cases the lower one is found.
    for (int sign = last_sign; sign >= first_sign; sign--)
        if (mode->ascii[sign] == key) return (unit)sign;
    return key;
}

static unit folded(UChar32 point, int folding) {
    int number = folding / first_mode - 1;
    const mode *mode = &modes[number];
    if (point > 0xFFFF) return fold(mode, point);
    _Atomic unit *block = atomic_load_explicit(&blocks[number][point >> 8], memory_order_acquire);
    if (!block) {
        _Atomic unit *made = calloc(256, sizeof *made);
        if (!made) return fold(mode, point);
        if (atomic_compare_exchange_strong(&blocks[number][point >> 8], &block, made)) block = made;
        else free(made);
    }
    unit known = atomic_load_explicit(&block[point & 0xFF], memory_order_relaxed);
    if (known == unknown) {
        known = fold(mode, point);
        atomic_store_explicit(&block[point & 0xFF], known, memory_order_relaxed);
    }
    return known;
}

/// Writes a number as a leading byte and continuation bytes.
static void append_unit(sqlite3_str *output, unit unit) {
    if (unit == nothing) return;
    if (unit < 0x80) {
        sqlite3_str_appendchar(output, 1, (char)unit);
        return;
    }
    uint8_t bytes[9] = {0xFF};
    for (int index = 1; index < 9; index++, unit >>= 6) bytes[index] = 0x80 | (unit & 0x3F);
    divan_append(output, bytes, sizeof bytes);
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

/// More marks after one character than any language has, in units.
enum { ordinary_marks = 32 };

/// Puts the marks between two characters in order by their classes; false if there is no memory.
static bool order_run(UChar *units, int32_t count) {
    int32_t places[257] = {0};
    UChar *ordered = sqlite3_malloc64((sqlite3_uint64)count * sizeof(UChar));
    if (!ordered) return false;
    UChar32 point;
    for (int32_t at = 0; at < count;) {
        U16_NEXT(units, at, count, point);
        places[u_getCombiningClass(point) + 1] += U16_LENGTH(point);
    }
    for (int class = 1; class < 257; class++) places[class] += places[class - 1];
    for (int32_t at = 0; at < count;) {
        U16_NEXT(units, at, count, point);
        U16_APPEND_UNSAFE(ordered, places[u_getCombiningClass(point)], point);
    }
    memcpy(units, ordered, (size_t)count * sizeof(UChar));
    sqlite3_free(ordered);
    return true;
}

/// Puts long runs of marks in order, which is all that normalization would do with them: ICU inserts each of
/// them among the others.
static bool order_marks(divan_wide *wide) {
    int32_t start = 0;
    for (int32_t at = 0; at < wide->count;) {
        int32_t next = at;
        UChar32 point;
        U16_NEXT(wide->units, next, wide->count, point);
        bool is_mark = point >= 0x300 && u_getCombiningClass(point) != 0;
        bool is_last = next == wide->count;
        int32_t end = is_mark && is_last ? next : at;
        if ((!is_mark || is_last) && end - start > ordinary_marks
            && !order_run(wide->units + start, end - start))
            return false;
        at = next;
        if (!is_mark) start = at;
    }
    return true;
}

/// The text in composed form, to be freed with `sqlite3_free`.
static UChar *composed(divan_wide *wide, int32_t *count) {
    if (!order_marks(wide)) return NULL;
    UErrorCode error = U_ZERO_ERROR;
    const UNormalizer2 *form = unorm2_getNFCInstance(&error);
    int64_t capacity = (int64_t)wide->count + wide->count / 2 + 16;
    for (int attempt = 0; attempt < 2 && U_SUCCESS(error) && capacity < INT32_MAX / 2; attempt++) {
        UChar *target = sqlite3_malloc64((sqlite3_uint64)capacity * sizeof(UChar));
        if (!target) return NULL;
        *count = unorm2_normalize(
            form, wide->units, wide->count, target, (int32_t)capacity, &error);
        if (U_SUCCESS(error)) return target;
        sqlite3_free(target);
        if (error != U_BUFFER_OVERFLOW_ERROR) return NULL;
        error = U_ZERO_ERROR;
        capacity = (int64_t)*count + 1;
    }
    return NULL;
}

static void append_units(sqlite3_str *output, const UChar *units, int32_t count, int folding) {
    for (int32_t at = 0; at < count;) {
        UChar32 point;
        U16_NEXT(units, at, count, point);
        // Characters beyond the first 65,536 are not remembered.
        if (!divan_work(point > 0xFFFF ? 1000 : 1)) return;
        if (point >= 0x80) {
            unit unit = folded(point, folding & ~divan_in_pattern);
            bool is_sign = unit == '%' || unit == '_' || unit == '\\';
            if (is_sign && folding & divan_in_pattern) sqlite3_str_appendchar(output, 1, '\\');
            append_unit(output, unit);
        }
        else if (folding & divan_any_case && point >= 'A' && point <= 'Z')
            sqlite3_str_appendchar(output, 1, (char)(point | 0x20));
        else sqlite3_str_appendchar(output, 1, (char)point);
    }
}

void divan_append_folded(sqlite3_str *output, divan_slice text, int folding) {
    int place = folding & divan_in_pattern;
    folding &= ~divan_in_pattern;
    if (folding == divan_ascii_case || (is_ascii(text) && folding & divan_any_case)) {
        append_ascii_lowercase(output, text);
        return;
    }
    divan_wide wide;
    if (is_ascii(text) || !(folding & divan_unicode) || !divan_widen(&wide, text)) {
        divan_append(output, text.start, divan_count(text));
        return;
    }
    int32_t count = 0;
    UChar *form = composed(&wide, &count);
    folding &= divan_any_case | divan_any_accent;
    pthread_once(&modes_made, make_modes);
    if (!form) divan_append(output, text.start, divan_count(text));
    else if (folding == 0 || !modes[folding / first_mode - 1].collator)
        divan_append_wide(output, form, count);
    else append_units(output, form, count, folding | place);
    sqlite3_free(form);
    divan_free_wide(&wide);
}
