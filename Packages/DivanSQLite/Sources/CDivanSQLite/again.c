#include "CDivanSQLite.h"

#include <stddef.h>

enum { PIECE_BYTE_COUNT = 1 << 16 };

static int write_again(sqlite3_file *file) {
    const sqlite3_io_methods *methods = file->pMethods;
    // A disk that still fails reports it here, before anything is copied.
    int code = methods->xSync(file, SQLITE_SYNC_NORMAL);
    sqlite3_int64 size = 0;
    if (code == SQLITE_OK) code = methods->xFileSize(file, &size);
    void *piece = sqlite3_malloc(PIECE_BYTE_COUNT);
    if (piece == NULL) return SQLITE_NOMEM;
    for (sqlite3_int64 at = 0; code == SQLITE_OK && at < size; at += PIECE_BYTE_COUNT) {
        int count = size - at < PIECE_BYTE_COUNT ? (int)(size - at) : PIECE_BYTE_COUNT;
        code = methods->xRead(file, piece, count, at);
        if (code == SQLITE_OK) code = methods->xWrite(file, piece, count, at);
    }
    sqlite3_free(piece);
    return code == SQLITE_OK ? methods->xSync(file, SQLITE_SYNC_FULL) : code;
}

int divan_write_log_again(const char *path) {
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    if (vfs == NULL) return SQLITE_ERROR;
    int exists = 0;
    int code = vfs->xAccess(vfs, path, SQLITE_ACCESS_EXISTS, &exists);
    if (code != SQLITE_OK || !exists) return code;
    // A VFS may look for what SQLite stores after a name.
    sqlite3_filename name = sqlite3_create_filename(path, "", "", 0, NULL);
    sqlite3_file *file = sqlite3_malloc(vfs->szOsFile);
    if (name == NULL || file == NULL) {
        code = SQLITE_NOMEM;
    } else {
        file->pMethods = NULL;
        code = vfs->xOpen(vfs, name, file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_WAL, NULL);
        if (code == SQLITE_OK) code = write_again(file);
        if (file->pMethods) file->pMethods->xClose(file);
    }
    sqlite3_free(file);
    sqlite3_free_filename(name);
    return code;
}
