#include "include/CDivanFullText.h"
#include "full_text.h"

/// FTS5's own functions, which it returns through a pointer bound as a parameter; null if SQLite was
/// built without it.
static fts5_api *find_api(sqlite3 *connection) {
    fts5_api *api = NULL;
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(connection, "SELECT fts5(?1)", -1, &statement, NULL) == SQLITE_OK) {
        sqlite3_bind_pointer(statement, 1, &api, "fts5_api_ptr", NULL);
        sqlite3_step(statement);
    }
    sqlite3_finalize(statement);
    return api;
}

int divan_add_full_text(sqlite3 *connection) {
    fts5_api *api = find_api(connection);
    if (!api) return SQLITE_ERROR;
    int code = divan_add_tokenizer(api);
    if (code == SQLITE_OK) code = divan_add_rank(api);
    if (code == SQLITE_OK) code = divan_add_query_syntax(connection, api);
    return code;
}
