#ifndef DIVAN_EXPRESSION_H
#define DIVAN_EXPRESSION_H

#include "json.h"

/// Appends a regular expression of ECMAScript as ICU spells it.
void divan_append_expression(sqlite3_str *output, divan_slice text);

#endif
