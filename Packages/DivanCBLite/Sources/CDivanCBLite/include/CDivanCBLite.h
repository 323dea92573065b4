#ifndef CDIVANCBLITE_H
#define CDIVANCBLITE_H

#if !__has_include(<sqlite3.h>)
#error "The headers of SQLite are missing; run: sudo apt-get install libsqlite3-dev"
#endif

#include <sqlite3.h>

// Binds text; SQLite copies it.
int divan_cblite_bind_text(sqlite3_stmt *statement, int index, const char *text);

// Whether a process has a file open for writing, or holds a lock on it; 0 if that cannot be found out.
int divan_cblite_is_open_for_writing(const char *path);

#endif
