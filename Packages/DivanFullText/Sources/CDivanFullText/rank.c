#include "full_text.h"

#include <string.h>

/// Hits of each phrase in each column of the whole table.
typedef struct {
    int column_count;
    int present;
    sqlite3_int64 hits[];
} totals;

/// Counts the hits of the phrase `present` in the row at hand.
static int count_row(const Fts5ExtensionApi *api, Fts5Context *row, void *data) {
    totals *totals = data;
    int count;
    int code = api->xInstCount(row, &count);
    for (int index = 0; code == SQLITE_OK && index < count; index++) {
        int phrase, column, offset;
        code = api->xInst(row, index, &phrase, &column, &offset);
        if (code == SQLITE_OK && column < totals->column_count)
            totals->hits[totals->present * totals->column_count + column]++;
    }
    return code;
}

/// The totals of a query, counted with its first row.
static int find_totals(const Fts5ExtensionApi *api, Fts5Context *row, totals **found) {
    *found = api->xGetAuxdata(row, 0);
    if (*found) return SQLITE_OK;
    int phrases = api->xPhraseCount(row), columns = api->xColumnCount(row);
    size_t size = sizeof **found + (size_t)phrases * (size_t)columns * sizeof(sqlite3_int64);
    totals *made = sqlite3_malloc64(size);
    if (!made) return SQLITE_NOMEM;
    memset(made, 0, size);
    made->column_count = columns;
    int code = SQLITE_OK;
    for (int phrase = 0; code == SQLITE_OK && phrase < phrases; phrase++) {
        made->present = phrase;
        code = api->xQueryPhrase(row, phrase, made, count_row);
    }
    if (code != SQLITE_OK) {
        sqlite3_free(made);
        return code;
    }
    *found = made;
    return api->xSetAuxdata(row, made, sqlite3_free);
}

static void rank(
    const Fts5ExtensionApi *api, Fts5Context *row, sqlite3_context *context, int argument_count,
    sqlite3_value **arguments) {
    (void)argument_count;
    (void)arguments;
    totals *totals;
    int count = 0;
    double score = 0;
    int code = find_totals(api, row, &totals);
    if (code == SQLITE_OK) code = api->xInstCount(row, &count);
    for (int index = 0; code == SQLITE_OK && index < count; index++) {
        int phrase, column, offset;
        code = api->xInst(row, index, &phrase, &column, &offset);
        if (code != SQLITE_OK) break;
        sqlite3_int64 hits = totals->hits[phrase * totals->column_count + column];
        if (hits > 0) score += 1.0 / (double)hits;
    }
    if (code == SQLITE_OK) sqlite3_result_double(context, score);
    else sqlite3_result_error_code(context, code);
}

int divan_add_rank(fts5_api *api) {
    return api->xCreateFunction(api, "divan_rank1", NULL, rank, NULL);
}
