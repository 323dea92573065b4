#include "value.h"

#include <string.h>

// `divan_items1(container)`: a row for each item of an array or value of an object; a scalar gives
// one row, MISSING none. A row has the value in plain and in exact form, and whether it is a
// scalar alone.

enum { column_value, column_result, column_is_alone, column_container };

typedef struct {
    sqlite3_vtab_cursor base;
    /// The bytes of the container, copied because the argument does not keep them.
    uint8_t *bytes;
    int64_t capacity;
    divan_value container;
    divan_walk walk;
    bool is_walk;
    bool is_at_end;
    divan_value value;
    int64_t row;
} cursor;

static int connect(
    sqlite3 *connection, void *data, int count, const char *const *words, sqlite3_vtab **table,
    char **message) {
    (void)data;
    (void)count;
    (void)words;
    (void)message;
    static const char columns[] = "CREATE TABLE x(value, result, isAlone, container HIDDEN)";
    int code = sqlite3_declare_vtab(connection, columns);
    if (code != SQLITE_OK) return code;
    *table = sqlite3_malloc(sizeof **table);
    if (!*table) return SQLITE_NOMEM;
    memset(*table, 0, sizeof **table);
    sqlite3_vtab_config(connection, SQLITE_VTAB_INNOCUOUS);
    return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *table) {
    sqlite3_free(table);
    return SQLITE_OK;
}

static int plan(sqlite3_vtab *table, sqlite3_index_info *info) {
    (void)table;
    int found = -1;
    bool is_unusable = false;
    for (int index = 0; index < info->nConstraint; index++) {
        if (info->aConstraint[index].iColumn != column_container) continue;
        if (info->aConstraint[index].op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
        if (info->aConstraint[index].usable) found = index;
        else is_unusable = true;
    }
    if (found < 0) return is_unusable ? SQLITE_CONSTRAINT : SQLITE_OK;
    info->aConstraintUsage[found].argvIndex = 1;
    info->aConstraintUsage[found].omit = 1;
    info->estimatedCost = 1;
    info->estimatedRows = 8;
    info->idxNum = 1;
    return SQLITE_OK;
}

static int open(sqlite3_vtab *table, sqlite3_vtab_cursor **opened) {
    (void)table;
    cursor *made = sqlite3_malloc(sizeof *made);
    if (!made) return SQLITE_NOMEM;
    memset(made, 0, sizeof *made);
    *opened = &made->base;
    return SQLITE_OK;
}

static int close(sqlite3_vtab_cursor *base) {
    cursor *closed = (cursor *)base;
    sqlite3_free(closed->bytes);
    sqlite3_free(closed);
    return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base) {
    cursor *present = (cursor *)base;
    divan_slice item;
    present->row++;
    present->is_at_end = !present->is_walk || !divan_next(&present->walk, &item);
    if (present->is_at_end) return SQLITE_OK;
    present->value = divan_read_whole(item);
    return divan_work(divan_count(item)) ? SQLITE_OK : SQLITE_INTERRUPT;
}

/// Copies bytes to the cursor's own memory, which is reused from row to row.
static bool keep(cursor *cursor, divan_slice *text) {
    int64_t count = divan_count(*text);
    if (count == 0) return true;
    if (count > cursor->capacity) {
        uint8_t *bytes = sqlite3_realloc64(cursor->bytes, (sqlite3_uint64)count * 2);
        if (!bytes) return false;
        cursor->bytes = bytes;
        cursor->capacity = count * 2;
    }
    memcpy(cursor->bytes, text->start, (size_t)count);
    *text = (divan_slice){cursor->bytes, cursor->bytes + count};
    return true;
}

static int filter(
    sqlite3_vtab_cursor *base, int plan_number, const char *text, int count,
    sqlite3_value **arguments) {
    (void)text;
    (void)count;
    cursor *present = (cursor *)base;
    present->container = (divan_value){.kind = divan_missing};
    present->is_at_end = true;
    present->is_walk = false;
    present->row = 0;
    if (plan_number == 0 || sqlite3_value_type(arguments[0]) == SQLITE_NULL) return SQLITE_OK;
    present->container = divan_argument(arguments[0]);
    if (!keep(present, &present->container.text)) return SQLITE_NOMEM;
    present->value = present->container;
    present->is_walk = divan_is_container(present->value)
        && divan_begin_walk(&present->walk, present->value.text);
    if (present->is_walk) return next(base);
    present->is_at_end = false;
    return SQLITE_OK;
}

static int is_at_end(sqlite3_vtab_cursor *base) { return ((cursor *)base)->is_at_end; }

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int index) {
    cursor *present = (cursor *)base;
    switch (index) {
        case column_value: divan_return_plain(context, present->value); break;
        case column_result: divan_return(context, present->value); break;
        case column_is_alone:
            sqlite3_result_int(context, !divan_is_container(present->container));
            break;
        default: divan_return(context, present->container);
    }
    return SQLITE_OK;
}

static int row_number(sqlite3_vtab_cursor *base, sqlite3_int64 *number) {
    *number = ((cursor *)base)->row;
    return SQLITE_OK;
}

int divan_add_items(sqlite3 *connection) {
    static const sqlite3_module module = {
        .iVersion = 0,
        .xConnect = connect,
        .xBestIndex = plan,
        .xDisconnect = disconnect,
        .xOpen = open,
        .xClose = close,
        .xFilter = filter,
        .xNext = next,
        .xEof = is_at_end,
        .xColumn = column,
        .xRowid = row_number,
    };
    return sqlite3_create_module_v2(connection, "divan_items1", &module, NULL, NULL);
}
