#include "CDivanSQLiteEngine.h"

void divan_give_text(sqlite3_context *context, const char *text, int byte_count) {
    sqlite3_result_text(context, text, byte_count, SQLITE_TRANSIENT);
}

void divan_give_bytes(sqlite3_context *context, const uint8_t *bytes, uint64_t byte_count) {
    sqlite3_result_blob64(context, bytes, byte_count, SQLITE_TRANSIENT);
}

enum { row_parameters = 9 };

/// A packed body is a blob, and any other one is text.
static int bind_body(sqlite3_stmt *statement, int index, const divan_row *row) {
    if (divan_is_packed((const uint8_t *)row->body, row->body_byte_count))
        return sqlite3_bind_blob(
            statement, index, row->body, row->body_byte_count, SQLITE_STATIC);
    return sqlite3_bind_text(statement, index, row->body, row->body_byte_count, SQLITE_STATIC);
}

/// Binds a row to the parameters after `last`.
static int bind_row(sqlite3_stmt *statement, int last, const divan_row *row) {
    int code = sqlite3_bind_int64(statement, last + 1, row->sequence);
    if (code == SQLITE_OK)
        code = sqlite3_bind_text(
            statement, last + 2, row->document_id, row->document_id_byte_count, SQLITE_STATIC);
    if (code == SQLITE_OK)
        code = sqlite3_bind_blob(
            statement, last + 3, row->revision_id, row->revision_id_byte_count, SQLITE_STATIC);
    if (code == SQLITE_OK) code = sqlite3_bind_int64(statement, last + 4, row->flags);
    if (code == SQLITE_OK && row->expires)
        code = sqlite3_bind_int64(statement, last + 5, row->expiration);
    if (code == SQLITE_OK)
        code = row->tree
            ? sqlite3_bind_blob(statement, last + 6, row->tree, row->tree_byte_count, SQLITE_STATIC)
            : sqlite3_bind_int64(statement, last + 6, row->known_at);
    if (code == SQLITE_OK) code = sqlite3_bind_int64(statement, last + 7, row->plain_body_byte_count);
    if (code == SQLITE_OK) code = bind_body(statement, last + 8, row);
    if (code == SQLITE_OK)
        code = sqlite3_bind_int64(statement, last + row_parameters, divan_row_checksum(row));
    return code;
}

int divan_put_rows(sqlite3_stmt *statement, const divan_row *rows, int count, int *changed) {
    int together = sqlite3_bind_parameter_count(statement) / row_parameters;
    int code = SQLITE_OK;
    *changed = 0;
    for (int start = 0; start < count && *changed == start; start += together) {
        for (int place = 0; code == SQLITE_OK && place < together; place++)
            code = bind_row(statement, place * row_parameters, &rows[start + place]);
        if (code == SQLITE_OK) code = sqlite3_step(statement);
        sqlite3_reset(statement);
        sqlite3_clear_bindings(statement);
        if (code != SQLITE_DONE) return code;
        *changed += sqlite3_changes(sqlite3_db_handle(statement));
        code = SQLITE_OK;
    }
    return SQLITE_DONE;
}
