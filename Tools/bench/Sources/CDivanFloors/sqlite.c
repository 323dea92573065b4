#include "CDivanFloors.h"
#include "floors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sqlite3 *floor_open(const char *path) {
    sqlite3 *db = NULL;
    if (sqlite3_open(path, &db) != SQLITE_OK) return NULL;
    const char *schema =
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
        "CREATE TABLE IF NOT EXISTS docs(seq INTEGER PRIMARY KEY, docID TEXT UNIQUE NOT NULL,"
        " revID BLOB NOT NULL, flags INTEGER NOT NULL, body BLOB NOT NULL);";
    if (sqlite3_exec(db, schema, NULL, NULL, NULL) != SQLITE_OK) {
        sqlite3_close(db);
        return NULL;
    }
    return db;
}

void floor_remove_database(const char *path) {
    char name[4200];
    const char *endings[] = {"", "-wal", "-shm"};
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "%s%s", path, endings[i]);
        unlink(name);
    }
}

int floor_bind_row(sqlite3_stmt *insert, sqlite3_int64 seq, const char *id, const char *body,
                   size_t length) {
    static const uint8_t revision[21] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    sqlite3_bind_int64(insert, 1, seq);
    sqlite3_bind_text(insert, 2, id, -1, SQLITE_STATIC);
    sqlite3_bind_blob(insert, 3, revision, sizeof revision, SQLITE_STATIC);
    sqlite3_bind_int(insert, 4, 0);
    sqlite3_bind_blob(insert, 5, body, (int)length, SQLITE_STATIC);
    int result = sqlite3_step(insert);
    sqlite3_reset(insert);
    return result == SQLITE_DONE;
}

double floor_sqlite_insert(const char *path, const floor_documents *documents, size_t rounds,
                           size_t batch) {
    sqlite3 *db = floor_open(path);
    if (!db) return -1;
    sqlite3_stmt *insert = NULL;
    sqlite3_prepare_v2(db, "INSERT INTO docs VALUES(?,?,?,?,?)", -1, &insert, NULL);
    double start = floor_now();
    size_t done = 0, total = rounds * documents->count;
    int ok = insert != NULL;
    while (ok && done < total) {
        sqlite3_exec(db, "BEGIN", NULL, NULL, NULL);
        for (size_t end = done + batch; ok && done < end && done < total; done++) {
            char id[300];
            size_t which = done % documents->count;
            snprintf(id, sizeof id, "%s-%zu", documents->ids[which], done / documents->count);
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

double floor_sqlite_read(const char *path, const floor_documents *documents, size_t rounds,
                         size_t reads, int in_snapshot) {
    sqlite3 *db = floor_open(path);
    if (!db) return -1;
    sqlite3_stmt *select = NULL;
    sqlite3_prepare_v2(db, "SELECT seq, revID, flags, body FROM docs WHERE docID=?", -1, &select,
                       NULL);
    double start = floor_work();
    uint64_t random = 88172645463325252u;
    size_t bytes = 0;
    int ok = select != NULL;
    if (in_snapshot) ok = ok && sqlite3_exec(db, "BEGIN", NULL, NULL, NULL) == SQLITE_OK;
    char *copy = malloc(1 << 20);
    for (size_t i = 0; ok && copy && i < reads; i++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        char id[300];
        snprintf(id, sizeof id, "%s-%zu", documents->ids[random % documents->count],
                 (size_t)(random >> 32) % rounds);
        sqlite3_bind_text(select, 1, id, -1, SQLITE_STATIC);
        ok = sqlite3_step(select) == SQLITE_ROW;
        if (ok) {
            int length = sqlite3_column_bytes(select, 3);
            if (length < 1 << 20) memcpy(copy, sqlite3_column_blob(select, 3), (size_t)length);
            bytes += (size_t)length;
        }
        sqlite3_reset(select);
    }
    if (in_snapshot) sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    double seconds = floor_work() - start;
    free(copy);
    sqlite3_finalize(select);
    sqlite3_close(db);
    return ok && bytes > 0 ? seconds : -1;
}
