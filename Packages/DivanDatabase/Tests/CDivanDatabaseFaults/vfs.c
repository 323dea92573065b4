#include "CDivanDatabaseFaults.h"

#include <errno.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// What is armed. Protected by a lock, since tests that use other directories run at the same time.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char armed_prefix[1024];
static int64_t call_count, first_failure, failure_count;
static int failure_number;
static enum { CHANGES, SYNCS, READS } counted;
static _Thread_local int last_failure;

// The recording: consecutive events in the format of `divan_faults_recorded`.
static int is_recording;
static uint8_t *events;
static size_t event_byte_count, event_capacity;

typedef struct {
    sqlite3_file base;
    const char *path;
    // Followed by the file of the real VFS.
} fault_file;

static sqlite3_vfs *real;
static sqlite3_vfs faults;

static sqlite3_file *inner(sqlite3_file *file) {
    return (sqlite3_file *)((fault_file *)file + 1);
}

static int is_concerned(const char *path) {
    return armed_prefix[0] && path && !strncmp(path, armed_prefix, strlen(armed_prefix));
}

static void append(const void *bytes, size_t count) {
    if (event_byte_count + count > event_capacity) {
        event_capacity = 2 * (event_byte_count + count);
        events = realloc(events, event_capacity);
        if (!events) abort();
    }
    memcpy(events + event_byte_count, bytes, count);
    event_byte_count += count;
}

/// Adds an event, followed by `count` bytes unless there are none.
static void record(char kind, const char *path, int64_t at, int64_t count, const void *bytes) {
    pthread_mutex_lock(&lock);
    if (is_recording && (kind == 'm' || is_concerned(path))) {
        uint16_t length = (uint16_t)strlen(path);
        append(&kind, 1);
        append(&length, sizeof length);
        append(path, length);
        append(&at, sizeof at);
        append(&count, sizeof count);
        if (bytes) append(bytes, (size_t)count);
    }
    pthread_mutex_unlock(&lock);
}

/// Counts a call on `path`; returns the error number that it fails with, or 0.
static int fails(const char *path, int kind, int *is_armed) {
    pthread_mutex_lock(&lock);
    int number = 0;
    int counts = is_concerned(path);
    if (counts && (kind == counted || (kind == SYNCS && counted == CHANGES))) {
        call_count++;
        if (first_failure && call_count >= first_failure
            && call_count - first_failure < failure_count)
            number = failure_number;
    }
    pthread_mutex_unlock(&lock);
    if (is_armed) *is_armed = counts;
    if (number) last_failure = number;
    return number;
}

/// SQLite's own VFS reports a full disk as such when it writes; elsewhere by the error number.
static int code_of(int number, int code) {
    return number == ENOSPC && code == SQLITE_IOERR_WRITE ? SQLITE_FULL : code;
}

// Calls that can fail

static int fault_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    int number = fails(((fault_file *)file)->path, CHANGES, NULL);
    if (number) {
        // Half of it is written, as on a disk that fills up.
        inner(file)->pMethods->xWrite(inner(file), bytes, count / 2, offset);
        return code_of(number, SQLITE_IOERR_WRITE);
    }
    record('w', ((fault_file *)file)->path, offset, count, bytes);
    return inner(file)->pMethods->xWrite(inner(file), bytes, count, offset);
}

static int fault_truncate(sqlite3_file *file, sqlite3_int64 size) {
    int number = fails(((fault_file *)file)->path, CHANGES, NULL);
    if (number) return code_of(number, SQLITE_IOERR_TRUNCATE);
    record('t', ((fault_file *)file)->path, size, 0, NULL);
    return inner(file)->pMethods->xTruncate(inner(file), size);
}

static int fault_sync(sqlite3_file *file, int flags) {
    int is_armed;
    int number = fails(((fault_file *)file)->path, SYNCS, &is_armed);
    if (number) return code_of(number, SQLITE_IOERR_FSYNC);
    record('s', ((fault_file *)file)->path, 0, 0, NULL);
    return is_armed ? SQLITE_OK : inner(file)->pMethods->xSync(inner(file), flags);
}

static int fault_delete(sqlite3_vfs *vfs, const char *path, int syncs) {
    (void)vfs;
    int number = fails(path, CHANGES, NULL);
    if (number) return code_of(number, SQLITE_IOERR_DELETE);
    record('d', path, 0, 0, NULL);
    return real->xDelete(real, path, syncs);
}

static int fault_last_error(sqlite3_vfs *vfs, int size, char *text) {
    (void)vfs;
    int number = last_failure;
    last_failure = 0;
    return number ? number : real->xGetLastError(real, size, text);
}

// Calls that are handed on

static int fault_close(sqlite3_file *file) {
    return inner(file)->pMethods->xClose(inner(file));
}
static int fault_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    if (fails(((fault_file *)file)->path, READS, NULL)) return SQLITE_IOERR_READ;
    return inner(file)->pMethods->xRead(inner(file), bytes, count, offset);
}
static int fault_size(sqlite3_file *file, sqlite3_int64 *size) {
    return inner(file)->pMethods->xFileSize(inner(file), size);
}
static int fault_lock(sqlite3_file *file, int level) {
    return inner(file)->pMethods->xLock(inner(file), level);
}
static int fault_unlock(sqlite3_file *file, int level) {
    return inner(file)->pMethods->xUnlock(inner(file), level);
}
static int fault_check_lock(sqlite3_file *file, int *result) {
    return inner(file)->pMethods->xCheckReservedLock(inner(file), result);
}
static int fault_control(sqlite3_file *file, int operation, void *argument) {
    return inner(file)->pMethods->xFileControl(inner(file), operation, argument);
}
static int fault_sector(sqlite3_file *file) {
    return inner(file)->pMethods->xSectorSize(inner(file));
}
static int fault_traits(sqlite3_file *file) {
    return inner(file)->pMethods->xDeviceCharacteristics(inner(file));
}
static int fault_map(sqlite3_file *file, int page, int size, int extends, void volatile **at) {
    return inner(file)->pMethods->xShmMap(inner(file), page, size, extends, at);
}
static int fault_shared_lock(sqlite3_file *file, int offset, int count, int flags) {
    return inner(file)->pMethods->xShmLock(inner(file), offset, count, flags);
}
static void fault_barrier(sqlite3_file *file) {
    inner(file)->pMethods->xShmBarrier(inner(file));
}
static int fault_unmap(sqlite3_file *file, int deletes) {
    return inner(file)->pMethods->xShmUnmap(inner(file), deletes);
}

static const sqlite3_io_methods methods = {
    2, fault_close, fault_read, fault_write, fault_truncate, fault_sync, fault_size, fault_lock,
    fault_unlock, fault_check_lock, fault_control, fault_sector, fault_traits, fault_map,
    fault_shared_lock, fault_barrier, fault_unmap, NULL, NULL,
};

static int fault_open(sqlite3_vfs *vfs, sqlite3_filename path, sqlite3_file *file, int flags,
                      int *opened) {
    (void)vfs;
    fault_file *ours = (fault_file *)file;
    ours->base.pMethods = NULL;
    ours->path = path;
    int code = real->xOpen(real, path, inner(file), flags, opened);
    if (inner(file)->pMethods) ours->base.pMethods = &methods;
    return code;
}

int divan_faults_install(void) {
    pthread_mutex_lock(&lock);
    int code = SQLITE_OK;
    if (!real) {
        code = sqlite3_initialize();
        if (code == SQLITE_OK) {
            real = sqlite3_vfs_find(NULL);
            faults = *real;
            faults.zName = "divan-faults";
            faults.pNext = NULL;
            faults.szOsFile = (int)sizeof(fault_file) + real->szOsFile;
            faults.xOpen = fault_open;
            faults.xDelete = fault_delete;
            faults.xGetLastError = fault_last_error;
            code = sqlite3_vfs_register(&faults, 1);
        }
    }
    pthread_mutex_unlock(&lock);
    return code;
}

static void arm(const char *prefix, int64_t first, int64_t failing, int error_number, int kind) {
    pthread_mutex_lock(&lock);
    counted = kind;
    strncpy(armed_prefix, prefix, sizeof armed_prefix - 1);
    call_count = 0;
    first_failure = first;
    failure_count = failing;
    failure_number = error_number;
    pthread_mutex_unlock(&lock);
}

void divan_faults_arm(const char *prefix, int64_t first, int64_t failing, int error_number) {
    arm(prefix, first, failing, error_number, CHANGES);
}

void divan_faults_arm_syncs(const char *prefix, int error_number) {
    arm(prefix, 1, INT64_MAX, error_number, SYNCS);
}

void divan_faults_arm_reads(const char *prefix, int64_t first, int64_t failing, int error_number) {
    arm(prefix, first, failing, error_number, READS);
}

void divan_faults_record(const char *prefix) {
    arm(prefix, 0, 0, 0, CHANGES);
    pthread_mutex_lock(&lock);
    event_byte_count = 0;
    is_recording = 1;
    pthread_mutex_unlock(&lock);
}

void divan_faults_mark(int64_t number) {
    record('m', "", number, 0, NULL);
}

int64_t divan_faults_recorded(const uint8_t **bytes) {
    pthread_mutex_lock(&lock);
    is_recording = 0;
    armed_prefix[0] = 0;
    *bytes = events;
    int64_t count = (int64_t)event_byte_count;
    pthread_mutex_unlock(&lock);
    return count;
}

int64_t divan_faults_disarm(void) {
    pthread_mutex_lock(&lock);
    armed_prefix[0] = 0;
    int64_t count = call_count;
    pthread_mutex_unlock(&lock);
    return count;
}
