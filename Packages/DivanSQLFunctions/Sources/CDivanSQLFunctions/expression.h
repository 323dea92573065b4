#ifndef DIVAN_EXPRESSION_H
#define DIVAN_EXPRESSION_H

#include "json.h"

/// Appends an ECMAScript regular expression in ICU's syntax.
void divan_append_expression(sqlite3_str *output, divan_slice text);

#endif
