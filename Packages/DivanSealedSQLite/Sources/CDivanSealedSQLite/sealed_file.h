// A file that SQLite has opened through the VFS.
#ifndef DIVAN_SEALED_FILE_H
#define DIVAN_SEALED_FILE_H

#if !__has_include(<sqlite3.h>)
#error "The headers of SQLite are missing; run: sudo apt-get install libsqlite3-dev"
#endif

#include "CDivanSealedSQLite.h"

#include <sqlite3.h>
#include <stdatomic.h>

struct divan_vfs {
    sqlite3_vfs base;
    char name[32];
    char *below;  // null: the default one
    divan_secret *key;
    uint8_t cipher;  // of new files
    atomic_int open_count;
};

enum { nonce_stock = 64 };

/// SQLite ensures that the files of one connection are used by one thread at a time.
typedef struct sealed_file {
    sqlite3_file base;
    sqlite3_file *inner;
    divan_vfs *vfs;
    /// The database that a log or journal belongs to; for a database, itself.
    struct sealed_file *database;
    // For a database, once its head was read or written.
    divan_page_keys *keys;
    int page_size;
    /// The result code for a file that this key does not open; 0 if there is none.
    int refusal;
    /// Room for a frame.
    uint8_t *scratch;
    uint8_t nonces[nonce_stock * divan_nonce_size];
    int nonce_count;
    // For a log: the plain head of the last frame written, and its offset.
    uint8_t frame_head[divan_frame_head_size];
    sqlite3_int64 frame_offset;
} sealed_file;

// The underlying file, with sealed bytes.

static inline int inner_read(sealed_file *file, void *bytes, int count, sqlite3_int64 offset) {
    return file->inner->pMethods->xRead(file->inner, bytes, count, offset);
}

static inline int inner_write(sealed_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    return file->inner->pMethods->xWrite(file->inner, bytes, count, offset);
}

/// Reads the head of a database and derives its keys, unless this was already done.
///
/// Returns SQLITE_OK also for an empty file, which then has no keys; SQLITE_NOTADB for a file that
/// is not sealed, or with another key; SQLITE_CORRUPT for a truncated one.
int divan_seal_load(sealed_file *database);
/// A nonce that was never used before; null if there are no random numbers.
const uint8_t *divan_next_nonce(sealed_file *file);

int divan_read_database(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset);
int divan_write_database(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset);
int divan_truncate_database(sqlite3_file *file, sqlite3_int64 size);
int divan_read_log(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset);
int divan_write_log(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset);

#endif
