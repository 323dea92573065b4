// Floors of storage: single commits, scans, and blobs that are hashed in passing.
#include "CDivanFloors.h"
#include "floors.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

double floor_sqlite_single(const char *path, const floor_documents *documents, size_t count,
                           int full) {
    sqlite3 *db = floor_open(path);
    if (!db) return -1;
    sqlite3_stmt *insert = NULL, *begin = NULL, *commit = NULL;
    sqlite3_exec(db, full ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL", 0, 0, 0);
    sqlite3_prepare_v2(db, "INSERT INTO docs VALUES(?,?,?,?,?)", -1, &insert, NULL);
    sqlite3_prepare_v2(db, "BEGIN IMMEDIATE", -1, &begin, NULL);
    sqlite3_prepare_v2(db, "COMMIT", -1, &commit, NULL);
    int ok = insert && begin && commit;
    double start = floor_now();
    for (size_t i = 0; ok && i < count; i++) {
        char id[300];
        size_t which = i % documents->count;
        snprintf(id, sizeof id, "%s-%zu", documents->ids[which], i);
        ok = sqlite3_step(begin) == SQLITE_DONE;
        sqlite3_reset(begin);
        ok = ok && floor_bind_row(insert, (sqlite3_int64)i + 1, id, documents->bodies[which],
                                  documents->body_lengths[which]);
        ok = ok && sqlite3_step(commit) == SQLITE_DONE;
        sqlite3_reset(commit);
    }
    double seconds = floor_now() - start;
    sqlite3_finalize(insert);
    sqlite3_finalize(begin);
    sqlite3_finalize(commit);
    sqlite3_close(db);
    return ok ? seconds : -1;
}

double floor_sqlite_scan(const char *path, int with_bodies) {
    sqlite3 *db = floor_open(path);
    if (!db) return -1;
    sqlite3_stmt *scan = NULL;
    sqlite3_prepare_v2(db,
                       with_bodies ? "SELECT seq, docID, revID, flags, body FROM docs ORDER BY seq"
                                   : "SELECT seq, docID, revID, flags FROM docs ORDER BY seq",
                       -1, &scan, NULL);
    static char copy[1 << 20];
    size_t bytes = 0;
    double start = floor_now();
    int step = SQLITE_DONE;
    while (scan && (step = sqlite3_step(scan)) == SQLITE_ROW) {
        for (int column = 1; column < 5; column++) {
            if (column == 3 || (column == 4 && !with_bodies)) continue;
            const void *value = sqlite3_column_blob(scan, column);
            int length = sqlite3_column_bytes(scan, column);
            if (value && length < 1 << 20) memcpy(copy, value, (size_t)length);
            bytes += (size_t)length;
        }
    }
    double seconds = floor_now() - start;
    sqlite3_finalize(scan);
    sqlite3_close(db);
    return step == SQLITE_DONE && bytes > 0 ? seconds : -1;
}

/// Hashes a file with SHA-1 while writing it, or while reading it; seconds, or -1.
static double content(const char *path, size_t bytes, int writes) {
    enum { piece = 128 << 10 };
    static unsigned char buffer[piece];
    unsigned char digest[EVP_MAX_MD_SIZE];
    int file = open(path, writes ? O_CREAT | O_TRUNC | O_WRONLY : O_RDONLY, 0600);
    EVP_MD_CTX *hash = EVP_MD_CTX_new();
    int ok = file >= 0 && hash && EVP_DigestInit_ex(hash, EVP_sha1(), NULL) == 1;
    double start = floor_now();
    for (size_t done = 0; ok && done < bytes; done += piece) {
        if (writes) {
            memset(buffer, (int)(done / piece), piece);
            EVP_DigestUpdate(hash, buffer, piece);
            ok = write(file, buffer, piece) == piece;
        } else {
            ok = read(file, buffer, piece) == piece;
        }
    }
    if (ok && writes) {
        EVP_DigestFinal_ex(hash, digest, NULL);
        ok = fdatasync(file) == 0;
    }
    double seconds = floor_now() - start;
    EVP_MD_CTX_free(hash);
    if (file >= 0) close(file);
    return ok ? seconds : -1;
}

double floor_blob_write(const char *path, size_t bytes) { return content(path, bytes, 1); }

double floor_blob_read(const char *path, size_t bytes) { return content(path, bytes, 0); }
