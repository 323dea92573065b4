#include "CDivanFloors.h"
#include "floors.h"

#include <stdlib.h>

struct floor_query {
    sqlite3 *db;
    sqlite3_stmt *insert;
};

floor_query *floor_query_open(const char *path) {
    floor_query *query = calloc(1, sizeof *query);
    if (!query) return NULL;
    const char *schema = "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
                         "PRAGMA cache_size=-8192; PRAGMA temp_store=MEMORY;"
                         "CREATE TABLE IF NOT EXISTS docs(seq INTEGER PRIMARY KEY,"
                         " id TEXT UNIQUE NOT NULL, flags INTEGER NOT NULL, body TEXT NOT NULL);";
    if (sqlite3_open(path, &query->db) != SQLITE_OK
        || sqlite3_exec(query->db, schema, NULL, NULL, NULL) != SQLITE_OK
        || sqlite3_prepare_v2(query->db, "INSERT OR REPLACE INTO docs VALUES(NULL,?,0,?)", -1,
                              &query->insert, NULL) != SQLITE_OK) {
        floor_query_close(query);
        return NULL;
    }
    return query;
}

void floor_query_close(floor_query *query) {
    sqlite3_finalize(query->insert);
    sqlite3_close(query->db);
    free(query);
}

int floor_query_insert(floor_query *query, const char *id, const char *body, size_t length) {
    sqlite3_bind_text(query->insert, 1, id, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(query->insert, 2, body, (int)length, SQLITE_TRANSIENT);
    int code = sqlite3_step(query->insert);
    sqlite3_reset(query->insert);
    return code == SQLITE_DONE;
}

double floor_query_change(floor_query *query, const char *sql) {
    double start = floor_work();
    if (sqlite3_exec(query->db, sql, NULL, NULL, NULL) != SQLITE_OK) return -1;
    return floor_work() - start;
}

double floor_query_read(floor_query *query, const char *sql, int only_first) {
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(query->db, sql, -1, &statement, NULL) != SQLITE_OK) return -1;
    double start = floor_work();
    int columns = sqlite3_column_count(statement), code;
    int64_t bytes = 0;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        for (int index = 0; index < columns; index++) {
            if (sqlite3_column_blob(statement, index))
                bytes += sqlite3_column_bytes(statement, index);
        }
        if (only_first) break;
    }
    double seconds = floor_work() - start;
    sqlite3_finalize(statement);
    return (code == SQLITE_DONE || only_first) && bytes >= 0 ? seconds : -1;
}
