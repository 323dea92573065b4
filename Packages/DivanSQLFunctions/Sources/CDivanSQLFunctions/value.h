#ifndef DIVAN_VALUE_H
#define DIVAN_VALUE_H

#include "include/CDivanSQLFunctions.h"
#include "json.h"

// How values travel through SQL.
//
// SQLite's own order and equality shall be those of the language, so
//   MISSING            is NULL
//   a number           is INTEGER or REAL
//   a string           is TEXT
//   null               is a BLOB without bytes
//   an array, object   is a BLOB with its JSON text
//   binary             is a BLOB that begins with the byte 3
//   a packed body      is a BLOB that begins with the byte 4, in the column of bodies alone
// and a boolean is INTEGER 0 or 1 where it is compared ("plain"), and a BLOB of the byte 1 (false)
// or 2 (true) where its type matters ("exact"): results and arguments. SQLite's subtypes would not
// do, for they are lost in sorters, indexes and subqueries.
//
// Functions take both forms. Those whose result may be of any type return exact ones; the
// translator puts `divan_plain` around them where they are compared.

typedef enum {
    divan_missing,
    divan_null,
    divan_boolean,
    divan_integer,
    divan_real,
    divan_text,
    divan_array,
    divan_object,
    divan_binary,
} divan_kind;

/// A value, borrowed from an argument or from a text that lives as long.
typedef struct {
    divan_kind kind;
    /// Of an integer; 0 or 1 of a boolean.
    int64_t integer;
    double real;
    /// Of text, containers and binary. Text inside JSON with escapes stands as it is there.
    divan_slice text;
    bool has_escapes;
} divan_value;

/// Whether a value is an array or an object.
static inline bool divan_is_container(divan_value value) {
    return value.kind == divan_array || value.kind == divan_object;
}

/// Takes an argument.
divan_value divan_argument(sqlite3_value *argument);

/// Takes a value out of JSON; `text` begins with it and may hold more behind it.
divan_value divan_read(divan_slice text);

/// Takes a value out of JSON of which nothing stands behind it.
divan_value divan_read_whole(divan_slice text);

/// Returns a value: booleans and containers in exact form.
void divan_return(sqlite3_context *context, divan_value value);

/// Returns a value in plain form: booleans as numbers, containers in canonical spelling.
void divan_return_plain(sqlite3_context *context, divan_value value);

void divan_return_null(sqlite3_context *context);
/// Returns a boolean in plain form.
void divan_return_boolean(sqlite3_context *context, bool value);
/// Returns null where the number is not finite.
void divan_return_real(sqlite3_context *context, double value);
/// Returns text that was built, and frees it.
void divan_return_text(sqlite3_context *context, sqlite3_str *text);
/// Returns a container that was built, and frees it.
void divan_return_container(sqlite3_context *context, sqlite3_str *text);

/// Appends a value as JSON; MISSING as nothing.
void divan_append_json(sqlite3_str *output, divan_value value);

/// Appends a value as CONCAT shows it.
void divan_append_shown(sqlite3_str *output, divan_value value);

/// Appends the fewest digits that read back to the number, with a fraction or an exponent: what bodies
/// have, and what `description` of a `Double` is, so that containers that a query makes equal theirs.
void divan_append_real(sqlite3_str *output, double value);

/// Less than, equal to or greater than zero, by the order of types.
int divan_compare(divan_value left, divan_value right);

/// Whether a value is a number or a boolean, and which.
bool divan_number(divan_value value, double *number);

/// The number that text begins with, as far as there is one; `end` gets what is behind it.
divan_value divan_leading_number(divan_slice text, const uint8_t **end);

/// Text without escapes; `buffer` keeps it where it has some, and must be freed by
/// `sqlite3_str_finish`. At first null.
divan_slice divan_plain_text(divan_value value, sqlite3_str **buffer);

/// Whether the result is settled by the arguments: MISSING if one of them is, else null if one is.
bool divan_passes_on(sqlite3_context *context, int count, sqlite3_value **arguments);

/// What `divan_add_functions` needs of a function.
typedef struct {
    const char *name;
    int argument_count;
    void (*call)(sqlite3_context *, int, sqlite3_value **);
    /// What `sqlite3_user_data` gives.
    intptr_t data;
    /// The number of its meaning; 0 stands for 1.
    int meaning;
} divan_function;

/// Adds functions that are deterministic and do no harm.
int divan_add_functions(sqlite3 *connection, const divan_function *functions, int count);

#define divan_add_all(connection, functions) \
    divan_add_functions(connection, functions, (int)(sizeof(functions) / sizeof((functions)[0])))

// One for each file; `functions.c` calls them all.
int divan_add_properties(sqlite3 *connection, const divan_unpacking *unpacking);
int divan_add_containers(sqlite3 *connection);
int divan_add_arrays(sqlite3 *connection);
int divan_add_operators(sqlite3 *connection);
int divan_add_types(sqlite3 *connection);
int divan_add_numbers(sqlite3 *connection);
int divan_add_strings(sqlite3 *connection);
int divan_add_patterns(sqlite3 *connection);
int divan_add_dates(sqlite3 *connection);
int divan_add_aggregates(sqlite3 *connection);
int divan_add_vectors(sqlite3 *connection);
int divan_add_items(sqlite3 *connection);
int divan_add_collations(sqlite3 *connection);

#endif
