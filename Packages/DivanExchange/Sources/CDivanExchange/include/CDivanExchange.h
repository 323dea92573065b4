#ifndef CDIVAN_EXCHANGE_H
#define CDIVAN_EXCHANGE_H

#if !__has_include(<sqlite3.h>)
#error "The headers of SQLite are missing; run: sudo apt-get install libsqlite3-dev"
#endif

#include <sqlite3.h>
#include <stdint.h>

/// Binds text; SQLite copies it.
int divan_exchange_bind_text(sqlite3_stmt *statement, int index, const uint8_t *text, int byte_count);

#endif
