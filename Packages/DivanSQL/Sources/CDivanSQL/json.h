#ifndef DIVAN_JSON_H
#define DIVAN_JSON_H

#if !__has_include(<sqlite3.h>)
#error "The headers of SQLite are missing; run: sudo apt-get install libsqlite3-dev"
#endif

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Reading JSON text in place. The text was checked when it was stored; if it is damaged
// nevertheless, it reads as absent, never beyond `end`.

/// A piece of text.
typedef struct {
    const uint8_t *start;
    const uint8_t *end;
} divan_slice;

static inline int64_t divan_count(divan_slice slice) { return slice.end - slice.start; }

/// The end of the white space at `at`.
const uint8_t *divan_skip_space(const uint8_t *at, const uint8_t *end);

/// The end of the value that begins at `at`, or null.
const uint8_t *divan_skip_value(const uint8_t *at, const uint8_t *end);

/// The position after the closing quote of the string whose content begins at `at`, or null; `has_escapes`
/// is set if it contains any.
const uint8_t *divan_skip_string(const uint8_t *at, const uint8_t *end, bool *has_escapes);

/// Walks the items of an array or the members of an object.
typedef struct {
    const uint8_t *at;
    const uint8_t *end;
    bool is_object;
    bool has_begun;
    /// The key of the current member, between the quotes.
    divan_slice key;
    bool key_has_escapes;
} divan_walk;

/// Begins at a text that holds one container; false if it holds none.
bool divan_begin_walk(divan_walk *walk, divan_slice text);

/// Goes to the next item, and sets `value` to its text; false after the last one.
bool divan_next(divan_walk *walk, divan_slice *value);

/// Like `divan_next`, but gives only the beginning of the value; the caller then calls `divan_pass`.
bool divan_next_start(divan_walk *walk, const uint8_t **value);

/// Skips the value that `divan_next_start` found; false if it is damaged.
bool divan_pass(divan_walk *walk, const uint8_t *value);

/// The value under a key, or null. Keys that are sorted by their bytes end the search early.
const uint8_t *divan_member(divan_slice object, const char *key, int64_t key_count);

/// The item of an array, counted from its end if `index` is negative, or null.
const uint8_t *divan_item(divan_slice array, int64_t index);

/// Appends the text of a string, whose content is between its quotes.
void divan_append_unescaped(sqlite3_str *output, divan_slice content);

/// Appends text in quotes, in canonical form.
void divan_append_quoted(sqlite3_str *output, const uint8_t *text, int64_t count);

/// Whether a value's text is canonical: no white space, keys ascending, one spelling of strings.
bool divan_is_canonical(divan_slice value);

/// Appends a value in that form; numbers keep their spelling.
void divan_append_canonical(sqlite3_str *output, divan_slice value);

/// Appends bytes; counts beyond SQLite's limit make the string too big, which it reports.
void divan_append(sqlite3_str *output, const uint8_t *bytes, int64_t count);

#endif
