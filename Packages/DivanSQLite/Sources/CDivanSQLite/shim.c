#include "CDivanSQLite.h"

#include <stddef.h>

int divan_run_triggers(sqlite3 *connection, int run) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, run, NULL);
}

void divan_forbid_bloom_filters(sqlite3 *connection) {
    // SQLITE_BloomFilter, which is in no header; the same number since such filters exist (3.38).
    (void)sqlite3_test_control(SQLITE_TESTCTRL_OPTIMIZATIONS, connection, 0x00080000);
}

int divan_bind_text(sqlite3_stmt *statement, int index, const char *text, int byte_count) {
    return sqlite3_bind_text(statement, index, text, byte_count, SQLITE_TRANSIENT);
}

int divan_bind_bytes(sqlite3_stmt *statement, int index, const uint8_t *bytes, int byte_count) {
    // A null pointer would bind NULL, and an empty array may have no address.
    if (byte_count == 0) return sqlite3_bind_zeroblob(statement, index, 0);
    return sqlite3_bind_blob(statement, index, bytes, byte_count, SQLITE_TRANSIENT);
}
