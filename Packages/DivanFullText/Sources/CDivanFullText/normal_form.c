#if !__has_include(<unicode/unorm2.h>)
#error "The headers of ICU are missing; run: sudo apt-get install libicu-dev"
#endif

#include "full_text.h"

#include <string.h>
#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>
#include <unicode/utf8.h>

// Text is normalized in pieces between characters that never combine with what precedes them, so a long text takes
// neither much memory nor more than linear time: a mark is put in order among at most `mark_limit` others.

enum {
    /// Bytes after which a piece ends at the next boundary.
    piece_length = 128,
    /// Characters after which a boundary is assumed; text that people write has far fewer marks on a letter.
    mark_limit = 32,
    /// UTF-16 units of a piece; a byte never becomes more than one.
    piece_limit = piece_length + 4 * (mark_limit + 1),
    /// Compatibility decomposition makes at most 18 units of one.
    growth = 18,
};

typedef struct {
    const UNormalizer2 *form;
    bool is_compatible;
    sqlite3_str *output;
} normalizer;

/// Whether a compatible form would merge with the letters and digits around it: `Fedora™` is `Fedora` and `TM`, and
/// `2½` is not 21 halves.
static bool is_apart(UChar32 character) {
    return (U_GET_GC_MASK(character) & U_GC_S_MASK)
        || u_getIntPropertyValue(character, UCHAR_DECOMPOSITION_TYPE) == U_DT_FRACTION;
}

static bool is_ascii(const uint8_t *text, int count) {
    uint8_t all = 0;
    for (int index = 0; index < count; index++) all |= text[index];
    return all < 0x80;
}

/// Appends the normal form of a piece; false if ICU refuses it.
static bool append_piece(normalizer *normalizer, const uint8_t *text, int count) {
    const char *bytes = (const char *)text;
    UChar units[piece_limit], normal[piece_limit * growth];
    int32_t unit_count = 0, byte_count = 0;
    UErrorCode error = U_ZERO_ERROR;
    if (is_ascii(text, count)) {
        sqlite3_str_append(normalizer->output, bytes, count);
        return true;
    }
    u_strFromUTF8WithSub(units, piece_limit, &unit_count, bytes, count, 0xFFFD, NULL, &error);
    if (unorm2_quickCheck(normalizer->form, units, unit_count, &error) == UNORM_YES) {
        sqlite3_str_append(normalizer->output, bytes, count);
        return U_SUCCESS(error);
    }
    unit_count = unorm2_normalize(
        normalizer->form, units, unit_count, normal, piece_limit * growth, &error);
    char narrow[3 * piece_limit * growth];
    u_strToUTF8(narrow, sizeof narrow, &byte_count, normal, unit_count, &error);
    if (U_FAILURE(error)) return false;
    sqlite3_str_append(normalizer->output, narrow, byte_count);
    return true;
}

static bool append_all(normalizer *normalizer, const uint8_t *text, int count) {
    int start = 0, run = 0;
    for (int at = 0; at < count;) {
        int present = at;
        UChar32 character;
        U8_NEXT(text, at, count, character);
        bool is_boundary = character < 0x80 || run >= mark_limit
            || unorm2_hasBoundaryBefore(normalizer->form, character);
        bool is_alone = normalizer->is_compatible && character >= 0x80 && is_apart(character);
        if (is_alone || (is_boundary && present - start >= piece_length)) {
            if (!append_piece(normalizer, text + start, present - start)) return false;
            start = present;
        }
        if (is_alone) {
            sqlite3_str_appendchar(normalizer->output, 1, ' ');
            if (!append_piece(normalizer, text + start, at - start)) return false;
            sqlite3_str_appendchar(normalizer->output, 1, ' ');
            start = at;
        }
        run = is_boundary ? 1 : run + 1;
    }
    return append_piece(normalizer, text + start, count - start);
}

int divan_normalize(const char *text, int count, bool is_compatible, sqlite3_str **normal) {
    const uint8_t *bytes = (const uint8_t *)text;
    *normal = NULL;
    if (is_ascii(bytes, count)) return SQLITE_OK;
    UErrorCode error = U_ZERO_ERROR;
    normalizer normalizer = {
        .is_compatible = is_compatible,
        .form = is_compatible ? unorm2_getNFKCInstance(&error) : unorm2_getNFCInstance(&error),
    };
    if (U_FAILURE(error)) return SQLITE_ERROR;
    *normal = normalizer.output = sqlite3_str_new(NULL);
    bool is_done = append_all(&normalizer, bytes, count);
    int code = sqlite3_str_errcode(*normal);
    return is_done ? code : SQLITE_ERROR;
}

void divan_find_symbols(const char *text, int count, char *is_word) {
    UErrorCode error = U_ZERO_ERROR;
    const UNormalizer2 *form = unorm2_getNFKCInstance(&error);
    const uint8_t *bytes = (const uint8_t *)text;
    for (int at = 0; at < count && U_SUCCESS(error);) {
        int start = at;
        UChar32 character;
        U8_NEXT(bytes, at, count, character);
        if (character < 0x80 || !(U_GET_GC_MASK(character) & U_GC_S_MASK)) continue;
        UChar units[growth] = {0};
        int32_t unit_count = unorm2_getDecomposition(form, character, units, growth, &error);
        for (int32_t index = 0; index < unit_count && U_SUCCESS(error); index++)
            if (u_isalnum(units[index])) memset(is_word + start, 1, (size_t)(at - start));
    }
}
