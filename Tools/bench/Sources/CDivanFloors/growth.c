// Floors of a large database: filling it, adding to it, and opening it.
#include "CDivanFloors.h"
#include "floors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A document ID: ascending hexadecimal digits up to a million, then IDs that sort after them; or digits
/// in no order.
static void write_id(char *id, size_t size, size_t number, int scattered) {
    if (!scattered && number >= 1000000) {
        snprintf(id, size, "z-%08zu", number);
        return;
    }
    uint64_t factor = scattered ? 0x9E3779B97F4A7C15u : UINT64_MAX / 1000000;
    uint64_t high = (number + 1) * factor, low = (number + 1) * 0xC2B2AE3D27D4EB4Fu;
    snprintf(id, size, "%016llx%016llx", (unsigned long long)high, (unsigned long long)low);
}

double floor_sqlite_grow(const char *path, const floor_documents *documents, size_t first,
                         size_t count, size_t batch, int scattered) {
    sqlite3 *db = floor_open(path);
    if (!db) return -1;
    sqlite3_stmt *insert = NULL;
    sqlite3_exec(db, "PRAGMA cache_size=-16384; PRAGMA wal_autocheckpoint=4000", 0, 0, 0);
    sqlite3_prepare_v2(db, "INSERT INTO docs VALUES(?,?,?,?,?)", -1, &insert, NULL);
    int ok = insert != NULL;
    double start = floor_now();
    for (size_t done = first; ok && done < first + count;) {
        sqlite3_exec(db, "BEGIN", NULL, NULL, NULL);
        for (size_t end = done + batch; ok && done < end && done < first + count; done++) {
            char id[64];
            size_t which = done % documents->count;
            write_id(id, sizeof id, done, scattered);
            ok = floor_bind_row(insert, (sqlite3_int64)done + 1, id, documents->bodies[which],
                                documents->body_lengths[which]);
        }
        ok = ok && sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
    }
    double seconds = floor_now() - start;
    sqlite3_finalize(insert);
    sqlite3_close(db);
    return ok ? seconds : -1;
}

double floor_sqlite_open(const char *path) {
    double start = floor_now();
    sqlite3 *db = floor_open(path);
    if (!db) return -1;
    sqlite3_stmt *select = NULL;
    sqlite3_prepare_v2(db, "SELECT body FROM docs ORDER BY seq LIMIT 1", -1, &select, NULL);
    int ok = select && sqlite3_step(select) == SQLITE_ROW && sqlite3_column_bytes(select, 0) > 0;
    sqlite3_finalize(select);
    double seconds = floor_now() - start;
    sqlite3_close(db);
    return ok ? seconds : -1;
}
