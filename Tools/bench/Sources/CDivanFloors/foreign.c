// A database as Couchbase Lite 3 stores it, with many documents.
#include "CDivanFloors.h"
#include "floors.h"

static int run(sqlite3 *db, const char *sql) {
    return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

static int set_keys(sqlite3 *db, const void *keys, size_t length) {
    sqlite3_stmt *update = NULL;
    const char *sql = "UPDATE kv_info SET body = ? WHERE key = 'SharedKeys'";
    int ok = sqlite3_prepare_v2(db, sql, -1, &update, NULL) == SQLITE_OK;
    ok = ok && sqlite3_bind_blob(update, 1, keys, (int)length, SQLITE_STATIC) == SQLITE_OK &&
         sqlite3_step(update) == SQLITE_DONE && sqlite3_changes(db) == 1;
    sqlite3_finalize(update);
    return ok;
}

static int put_documents(sqlite3 *db, const floor_documents *bodies, size_t kinds, size_t count) {
    // All have the same revision as the existing document, whose table names no body.
    const char *sql = "INSERT INTO kv_default SELECT ?, ?, 0, version, ?, NULL, extra "
                      "FROM kv_default WHERE key = 'sync-01'";
    sqlite3_stmt *insert = NULL;
    int ok = sqlite3_prepare_v2(db, sql, -1, &insert, NULL) == SQLITE_OK;
    for (size_t index = 0; ok && index < count; index++) {
        char key[32];
        int length = snprintf(key, sizeof key, "route-%06zu", index);
        sqlite3_bind_text(insert, 1, key, length, SQLITE_TRANSIENT);
        sqlite3_bind_int64(insert, 2, (sqlite3_int64)index + 3);
        sqlite3_bind_blob(insert, 3, bodies->bodies[index % kinds],
                          (int)bodies->body_lengths[index % kinds], SQLITE_STATIC);
        ok = sqlite3_step(insert) == SQLITE_DONE;
        sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
    return ok;
}

int floor_fill_foreign(const char *path, const floor_documents *bodies, size_t kinds, size_t count,
                       const void *keys, size_t length) {
    sqlite3 *db = NULL;
    int ok = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
             run(db, "BEGIN") && put_documents(db, bodies, kinds, count) &&
             run(db, "DELETE FROM kv_default WHERE key LIKE 'sync-%'") &&
             run(db, "UPDATE kvmeta SET lastSeq = (SELECT max(sequence) FROM kv_default) "
                     "WHERE name = 'default'") &&
             set_keys(db, keys, length) && run(db, "COMMIT");
    sqlite3_close(db);
    return ok;
}
