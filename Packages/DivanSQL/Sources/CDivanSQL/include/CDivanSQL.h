#ifndef C_DIVAN_SQL_H
#define C_DIVAN_SQL_H

#if !__has_include(<sqlite3.h>)
#error "The headers of SQLite are missing; run: sudo apt-get install libsqlite3-dev"
#endif

#include <sqlite3.h>

#include <stdbool.h>
#include <stdint.h>

/// The first byte of a packed body; no other value in SQL begins with it.
enum { divan_packed_body = 4 };

/// Unpacks bodies for the functions of one connection.
///
/// `unpack` receives a BLOB that begins with `divan_packed_body`, and returns the text with its length, valid
/// until the next call; or null if it cannot be unpacked. It is called during calls of the connection, and
/// may run statements on it. The context must remain valid until the connection is closed.
typedef struct {
    void *context;
    const uint8_t *(*unpack)(void *context, const uint8_t *packed, int64_t count, int64_t *text_count);
} divan_unpacking;

/// What a function returns, if not MISSING or null.
typedef enum {
    /// 0 or 1.
    divan_returns_boolean,
    /// A number or a text, which have one form only.
    divan_returns_scalar,
    /// A value of any type in exact form.
    divan_returns_exact,
    /// A value of any type in plain form.
    divan_returns_plain,
} divan_result;

/// What else a translation must know about a function.
enum {
    /// The result depends on letters, their case or white space, and so on the version of Unicode.
    divan_reads_letters = 1,
    /// It fails for some arguments. Indexes call a second form, `divan_stored_…1`, which returns MISSING for them,
    /// since a document with such values could not be saved otherwise.
    divan_may_fail = 2,
};

/// The `most_count` of a function that accepts any number of arguments.
enum { divan_unlimited = -1 };

typedef struct divan_setup divan_setup;

/// A row of the table of functions, which C registers and Swift translates by.
typedef struct {
    /// The name in SQL, without its number.
    const char *name;
    int least_count, most_count;
    divan_result result;
    /// The number at the end of the name. Any function may occur in the schema of a file, as part of an index: the
    /// number says which meaning it has, and another meaning gets another number.
    int version;
    int traits;
    /// Called for each row; for an aggregate if it has `finish`.
    void (*call)(sqlite3_context *, int, sqlite3_value **);
    /// The value of `sqlite3_user_data`, or the argument of `make_data`; 1 in the form for indexes.
    intptr_t data;
    void (*finish)(sqlite3_context *);
    /// Makes the value of `sqlite3_user_data`; null if there is no memory.
    void *(*make_data)(const divan_setup *, intptr_t data);
    void (*free_data)(void *);
} divan_function;

/// The row with this number, counted from 0; null after the last one.
const divan_function *divan_function_at(int number);

/// Adds every function, aggregate, collation and table of this package to a connection.
///
/// Returns SQLITE_OK, or the error. Must run before any statement uses a table whose schema
/// names one of them. Without `unpacking`, which is copied, a packed body is an error.
int divan_add_sql_functions(sqlite3 *connection, const divan_unpacking *unpacking);

/// Asks, while functions, collations and tables of this package work, whether they must stop.
typedef struct {
    void *context;
    /// Called on the thread that uses the connection, every few hundred microseconds of work. Must not use SQLite.
    bool (*must_stop)(void *context);
    /// Set once the answer was yes: what the calls returned since must not be used.
    bool is_stopped;
    /// Work since the last question.
    int64_t work;
} divan_stopping;

/// Applies to the calls of this thread from now on; null ends that.
void divan_use_stopping(divan_stopping *stopping);

/// Reads a date like `STR_TO_MILLIS`: milliseconds since 1970; false if the text is no date.
///
/// Without a zone it is local time if `is_local`, otherwise UTC.
bool divan_date_milliseconds(
    const uint8_t *text, int64_t count, bool is_local, int64_t *milliseconds);

/// The version of the Unicode data that order text, such as "72.1": an index over text in such an
/// order is valid for one version only.
const char *divan_unicode_version(void);

#endif
