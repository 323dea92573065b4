// The write-ahead log of a sealed database: each frame is sealed for its position.
#include "sealed_file.h"

#include <string.h>

static uint32_t get32(const uint8_t *bytes, int is_big) {
    return is_big ? (uint32_t)bytes[0] << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3]
                  : (uint32_t)bytes[3] << 24 | bytes[2] << 16 | bytes[1] << 8 | bytes[0];
}

static int is_log(const uint8_t *head) { return (get32(head, 1) & ~1u) == 0x377f0682; }

/// Whether the checksum at the end of the log's head is that of its first 24 bytes.
static int has_sum(const uint8_t *head) {
    uint32_t first = 0, second = 0;
    for (int at = 0; at < 24; at += 8) {
        first += get32(head + at, head[3] & 1) + second;
        second += get32(head + at + 4, head[3] & 1) + first;
    }
    return get32(head + 24, 1) == first && get32(head + 28, 1) == second;
}

/// The start of the frame that contains `offset`.
static sqlite3_int64 frame_start(sealed_file *database, sqlite3_int64 offset) {
    int size = database->page_size + divan_frame_head_size;
    return offset - (offset - divan_log_head_size) % size;
}

// Reading

static int read_log_head(sealed_file *file, uint8_t *head) {
    int code = inner_read(file, head, divan_log_head_size, 0);
    if (code != SQLITE_OK || !is_log(head)) return code;
    // A head is complete or absent. One that was sealed with another key, or with the key of another
    // database, was put there by somebody, and must not pass for an empty log.
    if (divan_block_open(file->database->keys, 0, head + 16) && has_sum(head)) return SQLITE_OK;
    return SQLITE_CORRUPT;
}

static int read_frame_head(sealed_file *file, uint8_t *head, sqlite3_int64 at) {
    int code = inner_read(file, head, divan_frame_head_size, at);
    if (code != SQLITE_OK) return code;
    return divan_block_open(file->database->keys, (uint64_t)at, head + 8) ? SQLITE_OK
                                                                          : SQLITE_IOERR_READ;
}

/// Opens the frame in `frame`; 0 if it is not as it was sealed for this position.
static int open_frame(sealed_file *file, uint8_t *frame, sqlite3_int64 at) {
    sealed_file *database = file->database;
    uint8_t *page = frame + divan_frame_head_size;
    return divan_block_open(database->keys, (uint64_t)at, frame + 8)
        && divan_frame_open(database->keys, frame, (uint64_t)at, page, (size_t)database->page_size,
                            page);
}

/// SQLite reads a head with its page when it checks how much of the log is valid after a crash. A frame
/// that does not open is then the end of the log: it was not written completely.
static int read_frame(sealed_file *file, uint8_t *frame, sqlite3_int64 at) {
    int size = file->database->page_size + divan_frame_head_size;
    int code = inner_read(file, frame, size, at);
    if (code == SQLITE_OK && !open_frame(file, frame, at)) memset(frame, 0, (size_t)size);
    return code;
}

static int read_frame_page(sealed_file *file, uint8_t *page, int count, sqlite3_int64 at) {
    sealed_file *database = file->database;
    int size = database->page_size + divan_frame_head_size;
    int code = inner_read(file, database->scratch, size, at);
    if (code != SQLITE_OK) return code;
    if (!open_frame(file, database->scratch, at)) return SQLITE_CORRUPT;
    memcpy(page, database->scratch + divan_frame_head_size, (size_t)count);
    return SQLITE_OK;
}

/// A part of a head.
static int read_part(sealed_file *file, uint8_t *bytes, int count, sqlite3_int64 offset) {
    uint8_t head[divan_log_head_size];
    int is_first = offset < divan_log_head_size;
    sqlite3_int64 at = is_first ? 0 : frame_start(file->database, offset);
    int size = is_first ? divan_log_head_size : divan_frame_head_size;
    if (offset - at + count > size) return SQLITE_IOERR_READ;
    int code = is_first ? read_log_head(file, head) : read_frame_head(file, head, at);
    if (code == SQLITE_OK) memcpy(bytes, head + (offset - at), (size_t)count);
    return code;
}

int divan_read_log(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset) {
    sealed_file *file = (sealed_file *)base, *database = file->database;
    int code = divan_seal_load(database);
    if (code != SQLITE_OK) return code;
    // Without a database, there is no log that could belong to it.
    if (!database->keys) return SQLITE_CORRUPT;
    if (offset == 0 && count == divan_log_head_size) return read_log_head(file, bytes);
    if (offset >= divan_log_head_size) {
        sqlite3_int64 at = frame_start(database, offset);
        if (offset == at && count == database->page_size + divan_frame_head_size)
            return read_frame(file, bytes, at);
        if (offset == at + divan_frame_head_size && count <= database->page_size)
            return read_frame_page(file, bytes, count, at);
    }
    return read_part(file, bytes, count, offset);
}

// Writing

/// Truncates a file without a head, so that a part of the new one is too short to be read.
static int write_first_log_head(sealed_file *file, const uint8_t *sealed) {
    int code = file->inner->pMethods->xTruncate(file->inner, 0);
    return code == SQLITE_OK ? inner_write(file, sealed, divan_log_head_size, 0) : code;
}

/// SQLite overwrites the head once everything in the log is in the database. A mix of old and new
/// would look like a head sealed with another key; so the log has no valid head until the new one is
/// complete, and counts as empty until then. A power cut may keep any of these writes without the others:
/// then the magic number is followed by either the old bytes 4–31 or the new ones.
static int write_log_head(sealed_file *file, const uint8_t *head) {
    static const uint8_t none[4];
    uint8_t sealed[divan_log_head_size], old[divan_log_head_size];
    memcpy(sealed, head, sizeof sealed);
    if (!divan_block_seal(file->database->keys, 0, sealed + 16)) return SQLITE_IOERR_WRITE;
    int code = inner_read(file, old, sizeof old, 0);
    if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ) return code;
    if (code == SQLITE_IOERR_SHORT_READ || !is_log(old)) return write_first_log_head(file, sealed);
    code = inner_write(file, none, sizeof none, 0);
    if (code == SQLITE_OK)
        code = inner_write(file, sealed + sizeof none, sizeof sealed - sizeof none, sizeof none);
    return code == SQLITE_OK ? inner_write(file, sealed, sizeof none, 0) : code;
}

static int write_frame_head(sealed_file *file, const uint8_t *head, sqlite3_int64 at) {
    memcpy(file->frame_head, head, divan_frame_head_size);
    file->frame_offset = at;
    uint8_t sealed[divan_frame_head_size];
    memcpy(sealed, head, sizeof sealed);
    if (!divan_block_seal(file->database->keys, (uint64_t)at, sealed + 8)) return SQLITE_IOERR_WRITE;
    return inner_write(file, sealed, sizeof sealed, at);
}

/// A page is written after its head, or again in place if it changes once more before the
/// commit.
static int write_frame_page(sealed_file *file, const uint8_t *page, sqlite3_int64 at) {
    sealed_file *database = file->database;
    static const uint8_t zeros[divan_reserve_size];
    size_t size = (size_t)database->page_size;
    if (memcmp(page + size - divan_reserve_size, zeros, sizeof zeros)) return SQLITE_IOERR_WRITE;
    if (file->frame_offset != at) {
        int code = read_frame_head(file, file->frame_head, at);
        if (code != SQLITE_OK) return code;
        file->frame_offset = at;
    }
    const uint8_t *nonce = divan_next_nonce(file);
    if (!nonce
        || !divan_frame_seal(database->keys, file->frame_head, (uint64_t)at, nonce, page, size,
                             database->scratch))
        return SQLITE_IOERR_WRITE;
    return inner_write(file, database->scratch, (int)size, at + divan_frame_head_size);
}

int divan_write_log(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
    sealed_file *file = (sealed_file *)base, *database = file->database;
    int code = divan_seal_load(database);
    if (code != SQLITE_OK) return code;
    if (!database->keys) return SQLITE_IOERR_WRITE;
    if (offset == 0 && count == divan_log_head_size)
        return write_log_head(file, bytes);
    if (offset < divan_log_head_size) return SQLITE_IOERR_WRITE;
    sqlite3_int64 at = frame_start(database, offset);
    if (offset == at && count == divan_frame_head_size) return write_frame_head(file, bytes, at);
    if (offset == at + divan_frame_head_size && count == database->page_size)
        return write_frame_page(file, bytes, at);
    // SQLite splits a page only if the file system may change data next to a write.
    return SQLITE_IOERR_WRITE;
}
