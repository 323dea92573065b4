#ifndef C_DIVAN_SQL_FUNCTIONS_H
#define C_DIVAN_SQL_FUNCTIONS_H

#if !__has_include(<sqlite3.h>)
#error "Divan needs the headers of SQLite: type  sudo apt-get install libsqlite3-dev"
#endif

#include <sqlite3.h>

/// Gives a connection every function, aggregate, collation and table of this package.
///
/// Returns SQLITE_OK, or the error. Must run before any statement touches a table whose schema
/// names one of them.
int divan_add_sql_functions(sqlite3 *connection);

/// The version of the Unicode data that order text, such as "72.1": an index over text in such an
/// order is good for one version only.
const char *divan_unicode_version(void);

#endif
