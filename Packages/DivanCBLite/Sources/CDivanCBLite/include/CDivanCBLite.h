#ifndef CDIVANCBLITE_H
#define CDIVANCBLITE_H

#include <sqlite3.h>

// Binds text; SQLite copies it.
int divan_cblite_bind_text(sqlite3_stmt *statement, int index, const char *text);

#endif
