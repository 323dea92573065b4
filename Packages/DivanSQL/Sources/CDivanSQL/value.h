#ifndef DIVAN_VALUE_H
#define DIVAN_VALUE_H

#include "include/CDivanSQL.h"
#include "json.h"
#include "work.h"

// How values are represented in SQL.
//
// SQLite's own order and equality must be those of the language, so
//   MISSING            is NULL
//   a number           is INTEGER or REAL
//   a string           is TEXT
//   null               is a BLOB without bytes
//   an array, object   is a BLOB with its JSON text
//   binary             is a BLOB that begins with the byte 3
//   a packed body      is a BLOB that begins with the byte 4, only in the column of bodies
// and a boolean is INTEGER 0 or 1 where it is compared ("plain"), and a BLOB of the byte 1 (false)
// or 2 (true) where its type matters ("exact"): results and arguments. SQLite's subtypes would not
// do, since they are lost in sorters, indexes and subqueries.
//
// Functions accept both forms. Those whose result may be of any type return exact ones; the
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
    /// The value of an integer; 0 or 1 for a boolean.
    int64_t integer;
    double real;
    /// The bytes of text, containers and binary. Text inside JSON with escapes is kept as written there.
    divan_slice text;
    bool has_escapes;
} divan_value;

/// Whether a value is an array or an object.
static inline bool divan_is_container(divan_value value) {
    return value.kind == divan_array || value.kind == divan_object;
}

/// Reads an argument.
divan_value divan_argument(sqlite3_value *argument);

/// Reads a value from JSON; `text` begins with it and may continue after it.
divan_value divan_read(divan_slice text);

/// Reads a value from JSON that ends with it.
divan_value divan_read_whole(divan_slice text);

/// Returns a value: booleans and containers in exact form.
void divan_return(sqlite3_context *context, divan_value value);

/// Returns a value in plain form: booleans as numbers, containers in canonical spelling.
void divan_return_plain(sqlite3_context *context, divan_value value);

void divan_return_null(sqlite3_context *context);
/// Returns a boolean in plain form.
void divan_return_boolean(sqlite3_context *context, bool value);
/// Returns null if the number is not finite.
void divan_return_real(sqlite3_context *context, double value);
/// Returns the built text, and frees it.
void divan_return_text(sqlite3_context *context, sqlite3_str *text);
/// Returns the built container, and frees it.
void divan_return_container(sqlite3_context *context, sqlite3_str *text);

/// Appends a value as JSON; nothing for MISSING.
void divan_append_json(sqlite3_str *output, divan_value value);

/// Appends a value as CONCAT shows it.
void divan_append_shown(sqlite3_str *output, divan_value value);

/// Appends the fewest digits that read back as the number, with a fraction or an exponent, as in bodies
/// and in the `description` of a `Double`, so that containers that a query builds equal theirs.
void divan_append_real(sqlite3_str *output, double value);

/// Whether a number is an integer between two doubles, so that it must remain an integer.
bool divan_is_between_doubles(divan_value value);

/// Returns an integer as a double if one equals it, otherwise as it is.
void divan_return_whole(sqlite3_context *context, int64_t number);

/// Less than, equal to or greater than zero, by the order of types.
int divan_compare(divan_value left, divan_value right);

/// A value that is compared with many others: its text, without escapes and in canonical spelling, is made once.
typedef struct {
    divan_value value;
    sqlite3_str *buffer;
} divan_comparable;

/// Prepares a value, to be freed with `divan_free_comparable`.
divan_comparable divan_make_comparable(divan_value value);
void divan_free_comparable(divan_comparable *comparable);

/// As `divan_compare`; linear in the text of `left`, however long `right` is.
int divan_compare_with(divan_value left, const divan_comparable *right);

/// Whether a value is a number or a boolean, and which.
bool divan_number(divan_value value, double *number);

/// The number that text begins with, if any; `end` is set to the position after it.
divan_value divan_leading_number(divan_slice text, const uint8_t **end);

/// A sum of numbers: exact as long as all are integers and it fits in 64 bits, and as a double in any case.
typedef struct {
    int64_t count;
    int64_t whole;
    double real;
    bool is_real;
} divan_total;

/// Adds a number or a boolean.
void divan_add_number(divan_total *total, divan_value number);

/// Returns the average of at least one number.
void divan_return_average(sqlite3_context *context, divan_total total);

/// Text without escapes; if it has some, `buffer`, initially null, holds it and must be freed with
/// `sqlite3_str_finish`.
divan_slice divan_plain_text(divan_value value, sqlite3_str **buffer);

/// Whether the arguments determine the result: MISSING if one of them is, else null if one is.
bool divan_passes_on(sqlite3_context *context, int count, sqlite3_value **arguments);

/// The compiled regular expressions of a connection (`compiled.h`).
struct divan_compilations;

/// What functions with data of their own use on a connection, while they are registered.
struct divan_setup {
    /// Null if bodies are never packed.
    const divan_unpacking *unpacking;
    /// A function that keeps them retains them.
    struct divan_compilations *compilations;
};

/// The functions of one file; `functions.c` has the lists of all.
typedef struct {
    const divan_function *functions;
    int count;
} divan_function_list;

#define divan_list_of(functions) {functions, (int)(sizeof(functions) / sizeof((functions)[0]))}

extern const divan_function_list divan_property_functions, divan_container_functions,
    divan_array_functions, divan_operator_functions, divan_type_functions, divan_number_functions,
    divan_string_functions, divan_pattern_functions, divan_date_functions,
    divan_aggregate_functions, divan_vector_functions, divan_condition_functions;

int divan_add_items(sqlite3 *connection);
int divan_add_collations(sqlite3 *connection);

#endif
