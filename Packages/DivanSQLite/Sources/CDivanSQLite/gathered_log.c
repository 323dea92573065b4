#include "gathered_log.h"

#include <string.h>

// SQLite writes the pages of a transaction into the log one by one, each in two calls: the head of its frame
// and the page. Here they are gathered and written with one call per 64 KiB, since the calls would otherwise
// take a sixth of the time of a pull.
//
// **Why it is safe to hold writes back.** They belong to a transaction that is not committed: the frame that
// ends one says so in its head (bytes 4 to 7 are not 0), and with its page everything is written before
// SQLite publishes the transaction in the log's index. Until then only the connection itself reads these
// frames, and any operation on the file other than the next write first writes them. A failed write is
// reported to the write that was to end the transaction, or to an earlier one, so the transaction fails. What
// a rolled-back transaction had spilled is dropped with the writer's lock, after which another connection may
// write in its place. What a write did not take stays here: SQLite may undo one statement and go on, relying
// on the pages of earlier ones.
//
// **What a crash leaves.** The same as before: any part of an uncommitted transaction.
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

/// Adds a write to those held back; 0 if there is no room.
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
    // These bytes are not held, so the next write does not follow what is held.
    if (code != SQLITE_OK) log->next = -1;
    if (code == SQLITE_OK && !(follows && hold(log, bytes, count, offset)))
        return write_below(file, bytes, count, offset);
    if (code == SQLITE_OK && log->ends_transaction && !is_head)
        code = divan_gathered_log_flush(log, file);
    return code;
}

void divan_gathered_log_drop(divan_gathered_log *log) { log->byte_count = 0; }

void divan_gathered_log_free(divan_gathered_log *log) { sqlite3_free(log->buffer); }
