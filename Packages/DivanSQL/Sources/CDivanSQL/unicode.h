#ifndef DIVAN_UNICODE_H
#define DIVAN_UNICODE_H

#if !__has_include(<unicode/utypes.h>)
#error "The headers of ICU are missing; run: sudo apt-get install libicu-dev"
#endif

#include "json.h"

#include <unicode/utypes.h>

// UTF-16 for the Unicode library (ICU), which reads nothing else everywhere.

/// Text in UTF-16, to be freed with `divan_free_wide`.
typedef struct {
    UChar *units;
    int32_t count;
    UChar fixed[256];
} divan_wide;

/// Converts UTF-8, with U+FFFD for invalid bytes; false if there is no memory.
bool divan_widen(divan_wide *wide, divan_slice text);
void divan_free_wide(divan_wide *wide);

/// Appends UTF-16 as UTF-8.
void divan_append_wide(sqlite3_str *output, const UChar *units, int64_t count);

/// The number of bytes that UTF-16 takes as UTF-8.
int64_t divan_narrow_count(const UChar *units, int64_t count);

/// Which texts count as equal.
typedef enum {
    divan_exactly = 0,
    divan_ascii_case = 1,
    divan_unicode = 2,
    /// Together with `divan_unicode`.
    divan_any_case = 4,
    divan_any_accent = 8,
    /// The text is a pattern of LIKE; a character that folds to one of its wildcards remains a character.
    divan_in_pattern = 16,
} divan_folding;

/// Appends text in a form that is byte for byte the same for texts that count as equal.
void divan_append_folded(sqlite3_str *output, divan_slice text, int folding);

#endif
