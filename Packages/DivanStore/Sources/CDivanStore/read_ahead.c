#include "CDivanStore.h"

#include <pthread.h>
#include <string.h>

// A VFS for connections that read: who asks for one page of the database after the other gets
// several with one call of the kernel. A scan would else spend a quarter of its time on the calls.
//
// **Why what was read ahead is right.** Within one snapshot the pages that a reader takes from the
// file do not change: what was written after it began stands in the log, and what stood there
// before is copied into the file only where the reader takes it from the log as well. A new
// snapshot begins with a lock on the log's index, and every lock forgets what was read ahead.
//
// **What it costs.** 64 KiB for a connection that has scanned. Reads here and there are handed on.
// A mapped file would be faster still; but a disk that fails, or a file that somebody cuts, would
// end the process.

// Pages of an index stand between those of a table that grew beside it: a scan passes over them.
enum { buffer_byte_count = 64 << 10, pages_before_reading_ahead = 2, pages_passed_over = 4 };

typedef struct {
    sqlite3_file base;
    sqlite3_file *file;
    int is_database;
    // The end of the last read, and how many lay one behind the other until there.
    sqlite3_int64 next;
    int run;
    // What was read ahead: so many bytes from a place of the file.
    uint8_t *buffer;
    sqlite3_int64 start;
    int byte_count;
} ahead_file;

static ahead_file *ahead(sqlite3_file *file) { return (ahead_file *)file; }

static sqlite3_file *base_of(sqlite3_file *file) { return ahead(file)->file; }

static void forget(sqlite3_file *file) {
    ahead(file)->byte_count = 0;
    ahead(file)->run = 0;
}

/// Fills the buffer from `offset` on with at least `count` bytes; 0 when the file cannot give them.
static int fill(ahead_file *file, int count, sqlite3_int64 offset) {
    if (!file->buffer) file->buffer = sqlite3_malloc(buffer_byte_count);
    if (!file->buffer) return 0;
    // The further a scan has come, the further it is likely to go.
    int wanted = buffer_byte_count;
    if (file->run < 5) wanted = count << file->run;
    if (wanted > buffer_byte_count) wanted = buffer_byte_count;
    file->byte_count = 0;
    // An error, or the end of the file: the page that is asked for is read alone.
    if (file->file->pMethods->xRead(file->file, file->buffer, wanted, offset) != SQLITE_OK) return 0;
    file->start = offset;
    file->byte_count = wanted;
    return 1;
}

static int file_read(sqlite3_file *base, void *output, int count, sqlite3_int64 offset) {
    ahead_file *file = ahead(base);
    if (!file->is_database) return file->file->pMethods->xRead(file->file, output, count, offset);
    sqlite3_int64 passed = offset - file->next;
    file->run = passed >= 0 && passed <= pages_passed_over * (sqlite3_int64)count ? file->run + 1 : 0;
    file->next = offset + count;
    int is_here = offset >= file->start && offset + count <= file->start + file->byte_count;
    if (!is_here && file->run >= pages_before_reading_ahead && count <= buffer_byte_count / 2)
        is_here = fill(file, count, offset);
    if (!is_here) return file->file->pMethods->xRead(file->file, output, count, offset);
    memcpy(output, file->buffer + (offset - file->start), (size_t)count);
    return SQLITE_OK;
}

static int file_close(sqlite3_file *base) {
    ahead_file *file = ahead(base);
    int code = file->file->pMethods->xClose(file->file);
    sqlite3_free(file->file);
    sqlite3_free(file->buffer);
    return code;
}

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    forget(file);
    return base_of(file)->pMethods->xWrite(base_of(file), bytes, count, offset);
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
    forget(file);
    return base_of(file)->pMethods->xTruncate(base_of(file), size);
}

static int file_sync(sqlite3_file *file, int flags) {
    return base_of(file)->pMethods->xSync(base_of(file), flags);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
    return base_of(file)->pMethods->xFileSize(base_of(file), size);
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

static int file_control(sqlite3_file *file, int operation, void *argument) {
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
    return base_of(file)->pMethods->xShmLock(base_of(file), offset, count, flags);
}

static void file_order_index(sqlite3_file *file) {
    base_of(file)->pMethods->xShmBarrier(base_of(file));
}

static int file_unmap_index(sqlite3_file *file, int deletes) {
    return base_of(file)->pMethods->xShmUnmap(base_of(file), deletes);
}

// Version 2 offers the log's index and no mapping of the file.
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

// Looked up for each call: a test may put another one in its place.
static sqlite3_vfs *below(void) { return sqlite3_vfs_find(NULL); }

static int open_file(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *opened, int flags,
                     int *given) {
    (void)vfs;
    sqlite3_vfs *base = below();
    ahead_file *file = ahead(opened);
    memset(file, 0, sizeof *file);
    file->file = sqlite3_malloc(base->szOsFile);
    if (!file->file) return SQLITE_NOMEM;
    memset(file->file, 0, (size_t)base->szOsFile);
    int code = base->xOpen(base, name, file->file, flags, given);
    if (code != SQLITE_OK) {
        // SQLite closes nothing that was not opened, so what the other one began ends here.
        if (file->file->pMethods) file->file->pMethods->xClose(file->file);
        sqlite3_free(file->file);
        file->file = NULL;
        return code;
    }
    file->is_database = (flags & SQLITE_OPEN_MAIN_DB) != 0;
    file->base.pMethods = &methods;
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

static sqlite3_vfs reader = {
    .iVersion = 2,
    .szOsFile = sizeof(ahead_file),
    .zName = "divan-read-ahead",
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

static void add_reader(void) {
    if (sqlite3_initialize() != SQLITE_OK || !below()) return;
    reader.mxPathname = below()->mxPathname;
    registration = sqlite3_vfs_register(&reader, 0);
}

const char *divan_read_ahead(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, add_reader);
    return registration == SQLITE_OK ? reader.zName : NULL;
}
