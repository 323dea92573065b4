#ifndef DIVAN_EXPRESSION_H
#define DIVAN_EXPRESSION_H

#include "json.h"

/// What the sets of an expression cost while it is compiled.
typedef struct {
    /// Properties and names.
    int64_t sets;
    /// Characters that ICU goes through, some 25 ns for each, or as much work.
    int64_t characters;
} divan_set_work;

/// Appends an ECMAScript regular expression in ICU's syntax.
divan_set_work divan_append_expression(sqlite3_str *output, divan_slice text);

#endif
