#ifndef DIVAN_COMPILED_H
#define DIVAN_COMPILED_H

#if !__has_include(<unicode/uregex.h>)
#error "The headers of ICU are missing; run: sudo apt-get install libicu-dev"
#endif

#include "unicode.h"

#include <unicode/uregex.h>

/// A compiled regular expression; it has a text only during one call.
typedef struct divan_compiled {
    struct divan_compiled *next;
    URegularExpression *expression;
    /// Whether one operation may read as much text as there is: a lookaround, a possessive loop, or a reference.
    bool reads_ahead;
    /// Whether it may refer to the text matched by a group.
    bool has_reference;
    /// Units of the text that is searched.
    int32_t text_count;
    /// Bytes that this takes, including what ICU is assumed to hold.
    int64_t held;
    int64_t count;
    uint8_t pattern[];
} divan_compiled;

/// The latest compiled expressions of a connection, each used by one call at a time.
typedef struct divan_compilations divan_compilations;

/// Null if there is no memory.
divan_compilations *divan_make_compilations(void);
divan_compilations *divan_retain_compilations(divan_compilations *compilations);
void divan_release_compilations(void *compilations);

typedef enum {
    divan_compiles,
    /// The pattern is longer than `divan_pattern_limit`.
    divan_pattern_too_long,
    /// Its sets would take too long to compile.
    divan_sets_too_large,
    /// There is no memory.
    divan_no_memory,
    /// ICU's error is set.
    divan_malformed,
} divan_compilation;

/// Bytes of a pattern. ICU compiles in quadratic time, which cannot be interrupted: this takes some 40 ms.
enum { divan_pattern_limit = 8192 };

/// The expression for a pattern, from among the latest ones or compiled now; valid until the next call.
divan_compilation divan_compile(
    divan_compilations *compilations, divan_slice pattern, divan_compiled **compiled, UErrorCode *error);

/// Makes an expression search a text, which must live until `divan_clear_text`; `error` is set if that fails.
void divan_set_text(divan_compiled *compiled, const divan_wide *text, UErrorCode *error);
void divan_clear_text(divan_compiled *compiled);

#endif
