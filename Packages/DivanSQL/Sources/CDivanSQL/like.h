#ifndef DIVAN_LIKE_H
#define DIVAN_LIKE_H

#include "json.h"

typedef enum {
    divan_is_unlike,
    divan_is_like,
    /// It would take more work than one comparison is allowed.
    divan_like_too_long,
} divan_likeness;

/// A parsed pattern.
typedef struct divan_pattern divan_pattern;

/// Reads a pattern: `%` is any run, `_` a character, and a backslash makes the next character
/// literal. Null if there is no memory; freed by `sqlite3_free`.
divan_pattern *divan_read_pattern(divan_slice text);

/// Whether text matches a pattern.
divan_likeness divan_like(divan_slice text, const divan_pattern *pattern);

#endif
