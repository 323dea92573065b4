#include "CDivanSQLite.h"
#include "gathered_log.h"
#include "read_ahead.h"

#include <pthread.h>
#include <string.h>

// A VFS over SQLite's default one, with fewer system calls: pages of a database are read ahead, and
// writes to a log are gathered. Everything else is passed on unchanged.

typedef struct batched_file {
    sqlite3_file base;
    sqlite3_file *file;
    int flags;
    divan_read_ahead ahead;  // of a database
    divan_gathered_log log;  // of a log
    // For a database: its log, which gathers; for such a log: its database.
    struct batched_file *other;
} batched_file;

static batched_file *batched(sqlite3_file *file) { return (batched_file *)file; }

static sqlite3_file *base_of(sqlite3_file *file) { return batched(file)->file; }

static void forget(sqlite3_file *file) { divan_read_ahead_forget(&batched(file)->ahead); }

static int flush(sqlite3_file *file) {
    return divan_gathered_log_flush(&batched(file)->log, base_of(file));
}

static int file_read(sqlite3_file *file, void *output, int count, sqlite3_int64 offset) {
    int code = flush(file);
    if (code != SQLITE_OK) return code;
    if (batched(file)->flags & SQLITE_OPEN_MAIN_DB)
        return divan_read_ahead_read(&batched(file)->ahead, base_of(file), output, count, offset);
    return base_of(file)->pMethods->xRead(base_of(file), output, count, offset);
}

static int file_close(sqlite3_file *file) {
    if (batched(file)->other) batched(file)->other->other = NULL;
    int code = base_of(file)->pMethods->xClose(base_of(file));
    sqlite3_free(base_of(file));
    divan_read_ahead_free(&batched(file)->ahead);
    divan_gathered_log_free(&batched(file)->log);
    return code;
}

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    forget(file);
    if (batched(file)->flags & SQLITE_OPEN_WAL && batched(file)->other)
        return divan_gathered_log_write(&batched(file)->log, base_of(file), bytes, count, offset);
    return base_of(file)->pMethods->xWrite(base_of(file), bytes, count, offset);
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
    forget(file);
    int code = flush(file);
    return code == SQLITE_OK ? base_of(file)->pMethods->xTruncate(base_of(file), size) : code;
}

static int file_sync(sqlite3_file *file, int flags) {
    int code = flush(file);
    return code == SQLITE_OK ? base_of(file)->pMethods->xSync(base_of(file), flags) : code;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
    int code = flush(file);
    return code == SQLITE_OK ? base_of(file)->pMethods->xFileSize(base_of(file), size) : code;
}

static int file_lock(sqlite3_file *file, int level) {
    forget(file);
    return base_of(file)->pMethods->xLock(base_of(file), level);
}

static int file_unlock(sqlite3_file *file, int level) {
    forget(file);
    return base_of(file)->pMethods->xUnlock(base_of(file), level);
}

static int file_check_lock(sqlite3_file *file, int *is_reserved) {
    return base_of(file)->pMethods->xCheckReservedLock(base_of(file), is_reserved);
}

/// Requests the file of this VFS below another one. SQLite's own requests have smaller numbers.
enum { find_batched = 0x44760001 };

static int file_control(sqlite3_file *file, int operation, void *argument) {
    if (operation == find_batched) {
        *(batched_file **)argument = batched(file);
        return SQLITE_OK;
    }
    return base_of(file)->pMethods->xFileControl(base_of(file), operation, argument);
}

static int file_sector_size(sqlite3_file *file) {
    return base_of(file)->pMethods->xSectorSize(base_of(file));
}

static int file_characteristics(sqlite3_file *file) {
    return base_of(file)->pMethods->xDeviceCharacteristics(base_of(file));
}

static int file_map_index(sqlite3_file *file, int page, int size, int extend, void volatile **map) {
    return base_of(file)->pMethods->xShmMap(base_of(file), page, size, extend, map);
}

static int file_lock_index(sqlite3_file *file, int offset, int count, int flags) {
    forget(file);
    // The writer's lock is the first. After it is released others may write where a rolled-back transaction was.
    batched_file *log = batched(file)->other;
    if (log && offset == 0 && flags & SQLITE_SHM_UNLOCK) divan_gathered_log_drop(&log->log);
    return base_of(file)->pMethods->xShmLock(base_of(file), offset, count, flags);
}

static void file_order_index(sqlite3_file *file) {
    base_of(file)->pMethods->xShmBarrier(base_of(file));
}

static int file_unmap_index(sqlite3_file *file, int deletes) {
    return base_of(file)->pMethods->xShmUnmap(base_of(file), deletes);
}

// Version 2 offers the log's index but no mapping of the file.
static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_lock,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
    .xShmMap = file_map_index,
    .xShmLock = file_lock_index,
    .xShmBarrier = file_order_index,
    .xShmUnmap = file_unmap_index,
};

// Looked up for each call: a test may replace it.
static sqlite3_vfs *below(void) { return sqlite3_vfs_find(NULL); }

static int open_file(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *opened, int flags,
                     int *given) {
    (void)vfs;
    sqlite3_vfs *base = below();
    batched_file *file = batched(opened);
    memset(file, 0, sizeof *file);
    file->file = sqlite3_malloc(base->szOsFile);
    if (!file->file) return SQLITE_NOMEM;
    memset(file->file, 0, (size_t)base->szOsFile);
    int code = base->xOpen(base, name, file->file, flags, given);
    if (code != SQLITE_OK) {
        // SQLite does not close a file whose opening failed, so what the VFS below began ends here.
        if (file->file->pMethods) file->file->pMethods->xClose(file->file);
        sqlite3_free(file->file);
        file->file = NULL;
        return code;
    }
    file->flags = flags;
    file->base.pMethods = &methods;
    // SQLite gives the file of the uppermost VFS, which may be that of a seal.
    batched_file *database = NULL;
    sqlite3_file *uppermost = flags & SQLITE_OPEN_WAL ? sqlite3_database_file_object(name) : NULL;
    if (uppermost) uppermost->pMethods->xFileControl(uppermost, find_batched, &database);
    if (database) {
        file->other = database;
        database->other = file;
    }
    return SQLITE_OK;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int syncs) {
    (void)vfs;
    return below()->xDelete(below(), name, syncs);
}

static int access_file(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
    (void)vfs;
    return below()->xAccess(below(), name, flags, result);
}

static int full_path(sqlite3_vfs *vfs, const char *name, int size, char *output) {
    (void)vfs;
    return below()->xFullPathname(below(), name, size, output);
}

static int randomness(sqlite3_vfs *vfs, int count, char *output) {
    (void)vfs;
    return below()->xRandomness(below(), count, output);
}

static int pause_for(sqlite3_vfs *vfs, int microseconds) {
    (void)vfs;
    return below()->xSleep(below(), microseconds);
}

static int current_time(sqlite3_vfs *vfs, double *days) {
    (void)vfs;
    return below()->xCurrentTime(below(), days);
}

static int current_milliseconds(sqlite3_vfs *vfs, sqlite3_int64 *milliseconds) {
    (void)vfs;
    return below()->xCurrentTimeInt64(below(), milliseconds);
}

static int last_error(sqlite3_vfs *vfs, int size, char *output) {
    (void)vfs;
    return below()->xGetLastError(below(), size, output);
}

static sqlite3_vfs batching = {
    .iVersion = 2,
    .szOsFile = sizeof(batched_file),
    .zName = "divan-batched",
    .xOpen = open_file,
    .xDelete = delete_file,
    .xAccess = access_file,
    .xFullPathname = full_path,
    .xRandomness = randomness,
    .xSleep = pause_for,
    .xGetLastError = last_error,
    .xCurrentTime = current_time,
    .xCurrentTimeInt64 = current_milliseconds,
};

static int registration = SQLITE_ERROR;

static void add_batching(void) {
    if (sqlite3_initialize() != SQLITE_OK || !below()) return;
    batching.mxPathname = below()->mxPathname;
    registration = sqlite3_vfs_register(&batching, 0);
}

const char *divan_batched_vfs(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, add_batching);
    return registration == SQLITE_OK ? batching.zName : NULL;
}
