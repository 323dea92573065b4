// Every change is made in the real file at once and recorded, with what it replaced, until the file is
// synced. A power cut then leaves the file with all such changes undone, and some of them
// redone: each page of a write separately, in the order in which they were made.
//
// A failed sync abandons the writes that it should have brought to the disk, as Linux does: they can still
// be read, and a later sync succeeds without them. Only writing them again stores them on the disk.
//
// The files are in memory, so syncs are not carried out. The map of the log's pages (`-shm`) is not
// written through here; SQLite rebuilds it.
#include "CDivanDisk.h"

#include <errno.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The fate of a change.
typedef enum { IN_MEMORY, GIVEN_UP, ON_DISK } fate;

/// A write, or with `count` 0 a truncation to `at`.
typedef struct {
    fate fate;
    int64_t at, count;
    sqlite3_int64 old_size;  // of the file
    int64_t old_count;       // bytes that were replaced or cut off
    uint8_t *bytes;          // `count` new ones, then `old_count` old ones
} change;

/// A file and its unsynced changes; its path is the disk's prefix and `name`.
typedef struct {
    char name[16];
    change *changes;
    size_t count, capacity;
} journal;

enum { FILES = 4, PAGE_BYTE_COUNT = 4096 };

struct divan_disk {
    divan_disk *next;
    char prefix[1024];
    uint64_t random;
    divan_disk_fault fault;
    int error_number, percentage;
    int skips_syncs, is_cut;
    int64_t calls_left;  // until the power is cut; negative without
    journal journals[FILES];
};

typedef struct {
    sqlite3_file base;
    divan_disk *disk;
    journal *journal;
    // Followed by the file of the real VFS.
} disk_file;

// A simulation has one thread, and its log is checkpointed by another.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static divan_disk *disks;
static sqlite3_vfs *real, ours;

static sqlite3_file *inner(sqlite3_file *file) { return (sqlite3_file *)((disk_file *)file + 1); }

static uint64_t next_random(divan_disk *disk) {
    disk->random ^= disk->random << 13;
    disk->random ^= disk->random >> 7;
    disk->random ^= disk->random << 17;
    return disk->random >> 11;
}

// MARK: Changes

static void forget(journal *journal) {
    for (size_t i = 0; i < journal->count; i++) free(journal->changes[i].bytes);
    journal->count = 0;
}

/// Records a change that is about to be made; 0 without memory.
static int keep(disk_file *file, int64_t at, const void *bytes, int64_t count) {
    sqlite3_file *below = inner(&file->base);
    journal *journal = file->journal;
    change change = {.fate = IN_MEMORY, .at = at, .count = count};
    if (below->pMethods->xFileSize(below, &change.old_size)) return 0;
    int64_t end = count ? at + count : change.old_size;
    if (end > change.old_size) end = change.old_size;
    change.old_count = end > at ? end - at : 0;
    change.bytes = malloc((size_t)(count + change.old_count) + 1);
    if (change.bytes == NULL) return 0;
    if (count) memcpy(change.bytes, bytes, (size_t)count);
    if (change.old_count)
        below->pMethods->xRead(below, change.bytes + count, (int)change.old_count, at);
    if (journal->count == journal->capacity) {
        journal->capacity = 2 * journal->capacity + 16;
        void *larger = realloc(journal->changes, journal->capacity * sizeof change);
        if (larger == NULL) abort();
        journal->changes = larger;
    }
    journal->changes[journal->count++] = change;
    return 1;
}

/// Records a write that is about to be made as changes of separate pages, which the system brings to
/// the disk one by one.
static int keep_pages(disk_file *file, int64_t at, const uint8_t *bytes, int64_t count) {
    for (int64_t done = 0, piece; done < count; done += piece) {
        piece = PAGE_BYTE_COUNT - (at + done) % PAGE_BYTE_COUNT;
        if (piece > count - done) piece = count - done;
        if (!keep(file, at + done, bytes + done, piece)) return 0;
    }
    return 1;
}

static void give_up(journal *journal) {
    for (size_t i = 0; i < journal->count; i++)
        if (journal->changes[i].fate == IN_MEMORY && journal->changes[i].count)
            journal->changes[i].fate = GIVEN_UP;
}

/// Whether later changes that are on the disk, in ascending order, hide one that was abandoned.
static int is_hidden(const journal *journal, size_t index) {
    int64_t at = journal->changes[index].at, end = at + journal->changes[index].count;
    for (size_t i = index + 1; i < journal->count && at < end; i++) {
        const change *later = journal->changes + i;
        if (later->fate == GIVEN_UP || later->at > at) continue;
        if (later->count == 0) return 1;
        if (later->at + later->count > at) at = later->at + later->count;
    }
    return at >= end;
}

/// Records a successful sync.
static void settle(journal *journal) {
    int is_whole = 1;
    for (size_t i = 0; i < journal->count && is_whole; i++)
        if (journal->changes[i].fate == GIVEN_UP) is_whole = is_hidden(journal, i);
    if (is_whole) return forget(journal);
    for (size_t i = 0; i < journal->count; i++)
        if (journal->changes[i].fate == IN_MEMORY) journal->changes[i].fate = ON_DISK;
}

/// Whether a call fails, and with which error number; counts towards a power cut.
static int fails(divan_disk *disk, divan_disk_fault kind) {
    int changes = kind != DIVAN_DISK_READS_FAIL, number = 0;
    if (changes && !disk->is_cut && disk->calls_left >= 0) disk->is_cut = disk->calls_left-- == 0;
    if (disk->is_cut) number = EIO;
    else if (disk->fault == kind && next_random(disk) % 100 < (uint64_t)disk->percentage)
        number = disk->error_number;
    return errno = number;
}

// MARK: The file

static int disk_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 at) {
    disk_file *own = (disk_file *)file;
    if (own->disk == NULL) return inner(file)->pMethods->xWrite(inner(file), bytes, count, at);
    pthread_mutex_lock(&lock);
    int was_cut = own->disk->is_cut;
    int number = fails(own->disk, DIVAN_DISK_WRITES_FAIL), code = SQLITE_OK;
    // Half of the write that fails, or that the power cut hits, arrives.
    int done = number == 0 ? count : was_cut ? 0 : count / 2;
    if (done > 0) {
        code = keep_pages(own, at, bytes, done) ? SQLITE_OK : SQLITE_IOERR_NOMEM;
        if (code == SQLITE_OK)
            code = inner(file)->pMethods->xWrite(inner(file), bytes, done, at);
    }
    pthread_mutex_unlock(&lock);
    if (number == 0) return code;
    return number == ENOSPC ? SQLITE_FULL : SQLITE_IOERR_WRITE;
}

static int disk_truncate(sqlite3_file *file, sqlite3_int64 size) {
    disk_file *own = (disk_file *)file;
    if (own->disk == NULL) return inner(file)->pMethods->xTruncate(inner(file), size);
    pthread_mutex_lock(&lock);
    int code = SQLITE_IOERR_TRUNCATE;
    if (!fails(own->disk, DIVAN_DISK_WRITES_FAIL) && keep(own, size, NULL, 0))
        code = inner(file)->pMethods->xTruncate(inner(file), size);
    pthread_mutex_unlock(&lock);
    return code;
}

static int disk_sync(sqlite3_file *file, int flags) {
    disk_file *own = (disk_file *)file;
    if (own->disk == NULL) return inner(file)->pMethods->xSync(inner(file), flags);
    pthread_mutex_lock(&lock);
    int number = fails(own->disk, DIVAN_DISK_SYNCS_FAIL);
    if (number && !own->disk->is_cut) give_up(own->journal);
    if (number == 0 && !own->disk->skips_syncs) settle(own->journal);
    pthread_mutex_unlock(&lock);
    return number ? SQLITE_IOERR_FSYNC : SQLITE_OK;
}

static int disk_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 at) {
    disk_file *own = (disk_file *)file;
    pthread_mutex_lock(&lock);
    int number = own->disk ? fails(own->disk, DIVAN_DISK_READS_FAIL) : 0;
    pthread_mutex_unlock(&lock);
    if (number) return SQLITE_IOERR_READ;
    return inner(file)->pMethods->xRead(inner(file), bytes, count, at);
}

// MARK: Forwarded calls

static int disk_close(sqlite3_file *file) { return inner(file)->pMethods->xClose(inner(file)); }
static int disk_size(sqlite3_file *file, sqlite3_int64 *size) {
    return inner(file)->pMethods->xFileSize(inner(file), size);
}
static int disk_lock(sqlite3_file *file, int level) {
    return inner(file)->pMethods->xLock(inner(file), level);
}
static int disk_unlock(sqlite3_file *file, int level) {
    return inner(file)->pMethods->xUnlock(inner(file), level);
}
static int disk_check_lock(sqlite3_file *file, int *result) {
    return inner(file)->pMethods->xCheckReservedLock(inner(file), result);
}
static int disk_control(sqlite3_file *file, int operation, void *argument) {
    return inner(file)->pMethods->xFileControl(inner(file), operation, argument);
}
static int disk_sector(sqlite3_file *file) {
    return inner(file)->pMethods->xSectorSize(inner(file));
}
static int disk_traits(sqlite3_file *file) {
    return inner(file)->pMethods->xDeviceCharacteristics(inner(file));
}
static int disk_map(sqlite3_file *file, int page, int size, int extends, void volatile **at) {
    return inner(file)->pMethods->xShmMap(inner(file), page, size, extends, at);
}
static int disk_shared_lock(sqlite3_file *file, int offset, int count, int flags) {
    return inner(file)->pMethods->xShmLock(inner(file), offset, count, flags);
}
static void disk_barrier(sqlite3_file *file) { inner(file)->pMethods->xShmBarrier(inner(file)); }
static int disk_unmap(sqlite3_file *file, int deletes) {
    return inner(file)->pMethods->xShmUnmap(inner(file), deletes);
}

static const sqlite3_io_methods methods = {
    2, disk_close, disk_read, disk_write, disk_truncate, disk_sync, disk_size, disk_lock,
    disk_unlock, disk_check_lock, disk_control, disk_sector, disk_traits, disk_map,
    disk_shared_lock, disk_barrier, disk_unmap, NULL, NULL,
};

// MARK: The VFS

/// The disk and journal of a path; a file whose name is new to the disk gets a journal.
static journal *find(const char *path, divan_disk **found) {
    for (divan_disk *disk = disks; path && disk; disk = disk->next) {
        size_t length = strlen(disk->prefix);
        if (strncmp(path, disk->prefix, length)) continue;
        for (int i = 0; i < FILES; i++) {
            journal *journal = disk->journals + i;
            if (journal->changes == NULL && journal->name[0] == 0)
                snprintf(journal->name, sizeof journal->name, "/%s", path + length);
            if (strcmp(journal->name + 1, path + length)) continue;
            *found = disk;
            return journal;
        }
    }
    return NULL;
}

static int disk_open(sqlite3_vfs *vfs, sqlite3_filename path, sqlite3_file *file, int flags,
                     int *opened) {
    (void)vfs;
    disk_file *own = (disk_file *)file;
    own->base.pMethods = NULL, own->disk = NULL;
    pthread_mutex_lock(&lock);
    own->journal = find(path, &own->disk);
    pthread_mutex_unlock(&lock);
    int code = real->xOpen(real, path, inner(file), flags, opened);
    if (inner(file)->pMethods) own->base.pMethods = &methods;
    return code;
}

static int disk_delete(sqlite3_vfs *vfs, const char *path, int syncs) {
    (void)vfs;
    divan_disk *disk = NULL;
    pthread_mutex_lock(&lock);
    journal *journal = find(path, &disk);
    int number = disk ? fails(disk, DIVAN_DISK_WRITES_FAIL) : 0;
    if (journal && !number) forget(journal);
    pthread_mutex_unlock(&lock);
    return number ? SQLITE_IOERR_DELETE : real->xDelete(real, path, syncs);
}

static int install(void) {
    if (real) return 1;
    if (sqlite3_initialize() || (real = sqlite3_vfs_find(NULL)) == NULL) return 0;
    ours = *real;
    ours.zName = "divan-disk", ours.pNext = NULL;
    ours.szOsFile = (int)sizeof(disk_file) + real->szOsFile;
    ours.xOpen = disk_open, ours.xDelete = disk_delete;
    return sqlite3_vfs_register(&ours, 1) == SQLITE_OK;
}

// MARK: The disk

divan_disk *divan_disk_new(const char *prefix, uint64_t seed) {
    divan_disk *disk = calloc(1, sizeof *disk);
    if (disk == NULL) return NULL;
    disk->random = seed * 0x9E3779B97F4A7C15u | 1, disk->calls_left = -1;
    snprintf(disk->prefix, sizeof disk->prefix, "%s", prefix);
    pthread_mutex_lock(&lock);
    int is_installed = install();
    if (is_installed) disk->next = disks, disks = disk;
    pthread_mutex_unlock(&lock);
    if (is_installed) return disk;
    free(disk);
    return NULL;
}

void divan_disk_free(divan_disk *disk) {
    pthread_mutex_lock(&lock);
    divan_disk **place = &disks;
    while (*place != disk) place = &(*place)->next;
    *place = disk->next;
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < FILES; i++) {
        forget(disk->journals + i);
        free(disk->journals[i].changes);
    }
    free(disk);
}

void divan_disk_break(divan_disk *disk, divan_disk_fault fault, int error_number, int percentage) {
    pthread_mutex_lock(&lock);
    disk->fault = fault, disk->error_number = error_number, disk->percentage = percentage;
    pthread_mutex_unlock(&lock);
}

void divan_disk_skip_syncs(divan_disk *disk) { disk->skips_syncs = 1; }

void divan_disk_cut_power(divan_disk *disk, int64_t count) {
    pthread_mutex_lock(&lock);
    if (!disk->is_cut) disk->calls_left = count;
    pthread_mutex_unlock(&lock);
}

int divan_disk_is_cut(const divan_disk *disk) { return disk->is_cut; }

// MARK: What is left

/// A file's content.
typedef struct {
    uint8_t *bytes;
    int64_t size, capacity;
} image;

static void resize(image *image, int64_t size) {
    if (size > image->capacity) {
        image->capacity = 2 * size;
        image->bytes = realloc(image->bytes, (size_t)image->capacity);
        if (image->bytes == NULL) abort();
    }
    if (size > image->size) memset(image->bytes + image->size, 0, (size_t)(size - image->size));
    image->size = size;
}

static int load(image *image, const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) return 0;
    fseek(file, 0, SEEK_END);
    resize(image, ftell(file));
    rewind(file);
    size_t count = fread(image->bytes, 1, (size_t)image->size, file);
    fclose(file);
    return count == (size_t)image->size;
}

static void undo(image *image, const change *change) {
    resize(image, change->old_size);
    memcpy(image->bytes + change->at, change->bytes + change->count, (size_t)change->old_count);
}

static void redo(image *image, const change *change) {
    if (change->count == 0) return resize(image, change->at);
    if (change->at + change->count > image->size) resize(image, change->at + change->count);
    memcpy(image->bytes + change->at, change->bytes, (size_t)change->count);
}

static int write_remains(divan_disk *disk, const journal *journal, const char *prefix) {
    char from[2048], to[2048];
    snprintf(from, sizeof from, "%s%s", disk->prefix, journal->name + 1);
    snprintf(to, sizeof to, "%s%s", prefix, journal->name + 1);
    image image = {0};
    if (!load(&image, from)) {
        free(image.bytes);
        return 1;  // it does not exist
    }
    for (size_t i = journal->count; i > 0; i--) undo(&image, journal->changes + i - 1);
    for (size_t i = 0; i < journal->count; i++)
        if (journal->changes[i].fate == ON_DISK || next_random(disk) & 1)
            redo(&image, journal->changes + i);
    FILE *file = fopen(to, "wb");
    int ok = file && fwrite(image.bytes, 1, (size_t)image.size, file) == (size_t)image.size;
    if (file) ok = fclose(file) == 0 && ok;
    free(image.bytes);
    return ok;
}

int divan_disk_write_remains(divan_disk *disk, const char *prefix) {
    int ok = 1;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < FILES; i++)
        if (disk->journals[i].name[0]) ok = write_remains(disk, disk->journals + i, prefix) && ok;
    pthread_mutex_unlock(&lock);
    return ok ? 0 : -1;
}
