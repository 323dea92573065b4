#ifndef DIVAN_LIKE_H
#define DIVAN_LIKE_H

#include "json.h"

typedef enum {
    divan_is_unlike,
    divan_is_like,
    /// It would take more work than one comparison may.
    divan_like_too_long,
} divan_likeness;

/// Whether text has a pattern: `%` is any run, `_` a character, and a backslash takes the next
/// character as it is.
divan_likeness divan_like(divan_slice text, divan_slice pattern);

#endif
