#ifndef DIVAN_GATHERED_LOG_H
#define DIVAN_GATHERED_LOG_H

#include "CDivanSQLite.h"

// The end of a log that is being written (`gathered_log.c`). Initialised to zeros.
typedef struct {
    // What is held back: a number of bytes from a position in the file.
    uint8_t *buffer;
    sqlite3_int64 start;
    int byte_count;
    // The end of the last write.
    sqlite3_int64 next;
    // Whether the frame whose head was written last ends a transaction.
    int ends_transaction;
} divan_gathered_log;

/// Writes like `xWrite` of the file below, sooner or later.
int divan_gathered_log_write(divan_gathered_log *log, sqlite3_file *file, const uint8_t *bytes,
                             int count, sqlite3_int64 offset);

/// Writes what is held back. What could not be written is no longer held.
int divan_gathered_log_flush(divan_gathered_log *log, sqlite3_file *file);

/// Discards what is held back, if its transaction has ended without it.
void divan_gathered_log_drop(divan_gathered_log *log);

/// Discards what is held back, which belongs to no committed transaction.
void divan_gathered_log_free(divan_gathered_log *log);

#endif
