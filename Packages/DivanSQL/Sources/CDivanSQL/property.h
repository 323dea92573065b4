#ifndef DIVAN_PROPERTY_H
#define DIVAN_PROPERTY_H

#include "value.h"

// Finding properties in bodies, for the functions that return them and those that test them in place.

/// Makes the data of a function of bodies, to be freed with `sqlite3_free`.
void *divan_make_reader(const divan_setup *setup, intptr_t form);

/// The text of a body, unpacked if necessary; false if there is none, or the function has failed. The data of the
/// function is that of `divan_make_reader`.
bool divan_text_of_body(sqlite3_context *context, sqlite3_value *argument, divan_slice *text);

/// Sets `found` to where the value at the path in argument `index` begins, or to null; false if the path is
/// invalid, and the function has failed.
bool divan_find_property(
    sqlite3_context *context, sqlite3_value **arguments, int index, divan_slice text,
    const uint8_t **found);

/// The value that begins at `found`, or MISSING if that is null; a number out of range reads as null.
divan_value divan_value_at(const uint8_t *found, const uint8_t *end);

#endif
