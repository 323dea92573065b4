// Passes everything that is not about bytes (reads, writes, truncation) on to the underlying VFS.
#include "sealed_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sqlite3_file *inner(sqlite3_file *file) { return ((sealed_file *)file)->inner; }
// Looked up for each call: a test may replace it.
static sqlite3_vfs *below(sqlite3_vfs *vfs) { return sqlite3_vfs_find(((divan_vfs *)vfs)->below); }

static int sealed_close(sqlite3_file *base) {
    sealed_file *file = (sealed_file *)base;
    int code = file->inner->pMethods ? file->inner->pMethods->xClose(file->inner) : SQLITE_OK;
    divan_page_keys_drop(file->keys);
    // It holds a page that was read in part.
    if (file->scratch) divan_seal_wipe(file->scratch, (size_t)file->page_size + divan_frame_head_size);
    free(file->scratch);
    free(file->inner);
    atomic_fetch_sub(&file->vfs->open_count, 1);
    return code;
}

static int read_journal(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    return inner(file)->pMethods->xRead(inner(file), bytes, count, offset);
}

/// A new database has a journal while its first page is created, but no page is in it. A database that has
/// pages is only changed with a log, so pages are never written to a journal.
static int write_journal(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    if (count > 512) return SQLITE_IOERR_WRITE;
    return inner(file)->pMethods->xWrite(inner(file), bytes, count, offset);
}

static int sealed_truncate(sqlite3_file *file, sqlite3_int64 size) {
    return inner(file)->pMethods->xTruncate(inner(file), size);
}
static int sealed_sync(sqlite3_file *file, int flags) {
    return inner(file)->pMethods->xSync(inner(file), flags);
}
static int sealed_size(sqlite3_file *file, sqlite3_int64 *size) {
    return inner(file)->pMethods->xFileSize(inner(file), size);
}
static int sealed_lock(sqlite3_file *file, int level) {
    return inner(file)->pMethods->xLock(inner(file), level);
}
static int sealed_unlock(sqlite3_file *file, int level) {
    return inner(file)->pMethods->xUnlock(inner(file), level);
}
static int sealed_check_lock(sqlite3_file *file, int *result) {
    return inner(file)->pMethods->xCheckReservedLock(inner(file), result);
}
static int sealed_control(sqlite3_file *file, int operation, void *argument) {
    return inner(file)->pMethods->xFileControl(inner(file), operation, argument);
}
static int sealed_sector(sqlite3_file *file) {
    return inner(file)->pMethods->xSectorSize(inner(file));
}
static int sealed_traits(sqlite3_file *file) {
    return inner(file)->pMethods->xDeviceCharacteristics(inner(file));
}
static int sealed_map(sqlite3_file *file, int page, int size, int extends, void volatile **at) {
    return inner(file)->pMethods->xShmMap(inner(file), page, size, extends, at);
}
static int sealed_shared_lock(sqlite3_file *file, int offset, int count, int flags) {
    return inner(file)->pMethods->xShmLock(inner(file), offset, count, flags);
}
static void sealed_barrier(sqlite3_file *file) {
    inner(file)->pMethods->xShmBarrier(inner(file));
}
static int sealed_unmap(sqlite3_file *file, int deletes) {
    return inner(file)->pMethods->xShmUnmap(inner(file), deletes);
}

// Version 2: SQLite cannot map pages into memory, which would bypass the VFS.
#define METHODS(reads, writes, truncates)                                                         \
    {                                                                                             \
        2, sealed_close, reads, writes, truncates, sealed_sync, sealed_size, sealed_lock,         \
        sealed_unlock, sealed_check_lock, sealed_control, sealed_sector, sealed_traits,           \
        sealed_map, sealed_shared_lock, sealed_barrier, sealed_unmap, NULL, NULL,                 \
    }

static const sqlite3_io_methods database_methods
    = METHODS(divan_read_database, divan_write_database, divan_truncate_database);
static const sqlite3_io_methods log_methods
    = METHODS(divan_read_log, divan_write_log, sealed_truncate);
static const sqlite3_io_methods journal_methods
    = METHODS(read_journal, write_journal, sealed_truncate);

static int sealed_open(sqlite3_vfs *base, sqlite3_filename path, sqlite3_file *opened, int flags,
                       int *result) {
    sealed_file *file = (sealed_file *)opened;
    memset(file, 0, sizeof *file);
    // A temporary database has no name. VACUUM creates one, with room for seals; one without is refused
    // when its first page is written.
    const sqlite3_io_methods *methods
        = flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_TEMP_DB) ? &database_methods
        : flags & SQLITE_OPEN_WAL ? &log_methods
        : flags & SQLITE_OPEN_MAIN_JOURNAL ? &journal_methods : NULL;
    // Other temporary files, and journals of several databases: a connection keeps them in memory.
    if (!methods || (!path && !(flags & SQLITE_OPEN_TEMP_DB))) return SQLITE_CANTOPEN;
    sqlite3_vfs *real = below(base);
    if (!real) return SQLITE_CANTOPEN;
    file->vfs = (divan_vfs *)base;
    file->inner = calloc(1, (size_t)real->szOsFile);
    if (!file->inner) return SQLITE_NOMEM;
    int code = real->xOpen(real, path, file->inner, flags, result);
    if (code != SQLITE_OK) {
        if (file->inner->pMethods) file->inner->pMethods->xClose(file->inner);
        free(file->inner);
        return code;
    }
    file->database = methods == &database_methods
        ? file : (sealed_file *)sqlite3_database_file_object(path);
    file->frame_offset = -1;
    file->base.pMethods = methods;
    atomic_fetch_add(&file->vfs->open_count, 1);
    return SQLITE_OK;
}

static int sealed_delete(sqlite3_vfs *base, const char *path, int syncs) {
    return below(base)->xDelete(below(base), path, syncs);
}
static int sealed_access(sqlite3_vfs *base, const char *path, int flags, int *result) {
    return below(base)->xAccess(below(base), path, flags, result);
}
static int sealed_full_path(sqlite3_vfs *base, const char *path, int size, char *full) {
    return below(base)->xFullPathname(below(base), path, size, full);
}
static int sealed_last_error(sqlite3_vfs *base, int size, char *text) {
    return below(base)->xGetLastError(below(base), size, text);
}

static void drop(divan_vfs *vfs) {
    divan_secret_drop(vfs->key);
    free(vfs->below);
    free(vfs);
}

divan_vfs *divan_vfs_make(const uint8_t *key, uint8_t cipher, const char *base) {
    static atomic_uint number;
    sqlite3_vfs *real = sqlite3_initialize() == SQLITE_OK ? sqlite3_vfs_find(base) : NULL;
    divan_vfs *vfs = real ? calloc(1, sizeof *vfs) : NULL;
    if (!vfs) return NULL;
    // Dates, sleeping and random numbers come from the underlying VFS.
    vfs->base = *real;
    snprintf(vfs->name, sizeof vfs->name, "divan-seal-%u", atomic_fetch_add(&number, 1));
    vfs->base.zName = vfs->name;
    vfs->base.pNext = NULL;
    vfs->base.szOsFile = (int)sizeof(sealed_file);
    vfs->base.xOpen = sealed_open;
    vfs->base.xDelete = sealed_delete;
    vfs->base.xAccess = sealed_access;
    vfs->base.xFullPathname = sealed_full_path;
    vfs->base.xGetLastError = sealed_last_error;
    vfs->key = divan_secret_make(key);
    vfs->cipher = cipher;
    vfs->below = base ? strdup(base) : NULL;
    int is_whole = vfs->key && (vfs->below || !base);
    if (is_whole && sqlite3_vfs_register(&vfs->base, 0) == SQLITE_OK) return vfs;
    drop(vfs);
    return NULL;
}

const char *divan_vfs_name(const divan_vfs *vfs) { return vfs->name; }
int divan_vfs_open_count(const divan_vfs *vfs) { return atomic_load(&vfs->open_count); }

void divan_vfs_drop(divan_vfs *vfs) {
    if (!vfs) return;
    sqlite3_vfs_unregister(&vfs->base);
    drop(vfs);
}
