#include "CDivanExchange.h"

int divan_exchange_bind_text(sqlite3_stmt *statement, int index, const uint8_t *text, int byte_count) {
    return sqlite3_bind_text(statement, index, (const char *)text, byte_count, SQLITE_TRANSIENT);
}
