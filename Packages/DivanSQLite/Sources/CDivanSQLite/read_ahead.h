#ifndef DIVAN_READ_AHEAD_H
#define DIVAN_READ_AHEAD_H

#include "CDivanSQLite.h"

// What a connection has read ahead of a database (`read_ahead.c`). Initialised to zeros.
typedef struct {
    // The end of the last read, and how many reads up to it were consecutive.
    sqlite3_int64 next;
    int run;
    // What was read ahead: a number of bytes from a position in the file.
    uint8_t *buffer;
    sqlite3_int64 start;
    int byte_count;
} divan_read_ahead;

/// Reads like `xRead` of the file below.
int divan_read_ahead_read(divan_read_ahead *ahead, sqlite3_file *file, void *output, int count,
                          sqlite3_int64 offset);

/// Discards what was read: it may have changed.
void divan_read_ahead_forget(divan_read_ahead *ahead);

void divan_read_ahead_free(divan_read_ahead *ahead);

#endif
