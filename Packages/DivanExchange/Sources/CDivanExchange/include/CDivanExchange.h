#ifndef CDIVAN_TABLES_H
#define CDIVAN_TABLES_H

#if !__has_include(<sqlite3.h>)
#error "The headers of SQLite are missing; run: sudo apt-get install libsqlite3-dev"
#endif

#include <sqlite3.h>
#include <stdint.h>

/// Binds text; SQLite copies it.
int divan_table_bind_text(sqlite3_stmt *statement, int index, const uint8_t *text, int byte_count);

#endif
