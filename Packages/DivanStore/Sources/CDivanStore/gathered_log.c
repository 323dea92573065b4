#include "gathered_log.h"

#include <string.h>

// SQLite writes the pages of a transaction into the log one by one, each in two calls: the head of its
// frame and the page. Here they are put one behind the other and written with one call for 64 KiB,
// since a sixth of the time of a pull would else go into the calls.
//
// **Why nobody misses what is held back.** It is part of a transaction that is not committed: the
// frame that ends one says so in its head (bytes 4 to 7 are not 0), and with its page everything is
// written before SQLite makes the transaction known in the log's index. Until then only the
// connection itself looks at these frames, and whatever it asks the file for but the next write
// comes after them. A write that fails is told to the write that was to end the transaction, or to
// one before, so the transaction fails. What an undone transaction had spilled is dropped with the
// writer's lock, behind which another connection may write in its place. What a write did not take stays
// here: SQLite may undo one statement and go on, counting on the pages of those before.
//
// **What a crash leaves.** What it left before: of a transaction that was not committed any part.
//
// **Below a seal** it is the same: of a sealed frame the first eight bytes are plain, and what the seal reads
// of the log is written before.
//
// Source: sqlite.org/fileformat2.html, section 4.1.

enum { buffer_byte_count = 64 << 10, head_byte_count = 24 };

static int write_below(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    return file->pMethods->xWrite(file, bytes, count, offset);
}

int divan_gathered_log_flush(divan_gathered_log *log, sqlite3_file *file) {
    if (log->byte_count == 0) return SQLITE_OK;
    int code = write_below(file, log->buffer, log->byte_count, log->start);
    if (code == SQLITE_OK) log->byte_count = 0;
    return code;
}

/// Adds a write to those held back; 0 where there is no room.
static int hold(divan_gathered_log *log, const uint8_t *bytes, int count, sqlite3_int64 offset) {
    if (!log->buffer) log->buffer = sqlite3_malloc(buffer_byte_count);
    if (!log->buffer || log->byte_count + count > buffer_byte_count) return 0;
    if (log->byte_count == 0) log->start = offset;
    memcpy(log->buffer + log->byte_count, bytes, (size_t)count);
    log->byte_count += count;
    return 1;
}

int divan_gathered_log_write(divan_gathered_log *log, sqlite3_file *file, const uint8_t *bytes,
                             int count, sqlite3_int64 offset) {
    int follows = offset == log->next;
    log->next = offset + count;
    // No page is that short.
    int is_head = count == head_byte_count;
    if (is_head) log->ends_transaction = (bytes[4] | bytes[5] | bytes[6] | bytes[7]) != 0;

    int code = SQLITE_OK;
    if (!follows || log->byte_count + count > buffer_byte_count)
        code = divan_gathered_log_flush(log, file);
    // These bytes are not held, so what comes next does not follow what is.
    if (code != SQLITE_OK) log->next = -1;
    if (code == SQLITE_OK && !(follows && hold(log, bytes, count, offset)))
        return write_below(file, bytes, count, offset);
    if (code == SQLITE_OK && log->ends_transaction && !is_head)
        code = divan_gathered_log_flush(log, file);
    return code;
}

void divan_gathered_log_drop(divan_gathered_log *log) { log->byte_count = 0; }

void divan_gathered_log_free(divan_gathered_log *log) { sqlite3_free(log->buffer); }
