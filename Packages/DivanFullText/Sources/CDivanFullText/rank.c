#include "full_text.h"

#include <string.h>

/// Hits of each phrase in each column of the whole table.
typedef struct {
    int column_count;
    int present;
    sqlite3_int64 hits[];
} totals;

/// Counts the hits of the phrase `present` in the current row.
static int count_row(const Fts5ExtensionApi *api, Fts5Context *row, void *data) {
    totals *totals = data;
    sqlite3_int64 *hits = totals->hits + totals->present * totals->column_count;
    Fts5PhraseIter place;
    int column, offset;
    // The query that calls this has only that phrase.
    int code = api->xPhraseFirst(row, 0, &place, &column, &offset);
    while (code == SQLITE_OK && column >= 0) {
        if (column < totals->column_count) hits[column]++;
        api->xPhraseNext(row, &place, &column, &offset);
    }
    return code;
}

/// The totals of a query, counted at its first row.
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
    double score = 0;
    int code = find_totals(api, row, &totals);
    int phrases = code == SQLITE_OK ? api->xPhraseCount(row) : 0;
    for (int phrase = 0; code == SQLITE_OK && phrase < phrases; phrase++) {
        const sqlite3_int64 *hits = totals->hits + phrase * totals->column_count;
        Fts5PhraseIter place;
        int column, offset;
        code = api->xPhraseFirst(row, phrase, &place, &column, &offset);
        while (code == SQLITE_OK && column >= 0) {
            if (column < totals->column_count && hits[column] > 0)
                score += 1.0 / (double)hits[column];
            api->xPhraseNext(row, &place, &column, &offset);
        }
    }
    if (code == SQLITE_OK) sqlite3_result_double(context, score);
    else sqlite3_result_error_code(context, code);
}

int divan_add_rank(fts5_api *api) {
    return api->xCreateFunction(api, "divan_rank1", NULL, rank, NULL);
}
