#include "read_ahead.h"

#include <string.h>

// If the pages of the database are requested one after another, several are read with one system
// call. Otherwise a scan would spend a quarter of its time on the calls.
//
// **Why what was read ahead is right.** Within one snapshot the pages that a reader takes from the
// file do not change: what was written after it began is in the log, and what was there before is
// copied into the file only where the reader takes it from the log as well. A new snapshot begins
// with a lock on the log's index, and every lock discards what was read ahead.
//
// **What it costs.** 64 KiB for a connection that has scanned. Scattered reads are passed on.
// Mapping the file would be faster still, but a failing disk, or a file truncated by somebody,
// would end the process.

// Pages of an index lie between those of a table that grew along with it: a scan skips them.
enum { buffer_byte_count = 64 << 10, pages_before_reading_ahead = 2, pages_passed_over = 4 };

/// Fills the buffer from `offset` on with at least `count` bytes; 0 if the file cannot supply them.
static int fill(divan_read_ahead *ahead, sqlite3_file *file, int count, sqlite3_int64 offset) {
    if (!ahead->buffer) ahead->buffer = sqlite3_malloc(buffer_byte_count);
    if (!ahead->buffer) return 0;
    // The longer a scan has run, the longer it is likely to go on.
    int wanted = buffer_byte_count;
    if (ahead->run < 5) wanted = count << ahead->run;
    if (wanted > buffer_byte_count) wanted = buffer_byte_count;
    ahead->byte_count = 0;
    // An error, or the end of the file: the requested page is read alone.
    if (file->pMethods->xRead(file, ahead->buffer, wanted, offset) != SQLITE_OK) return 0;
    ahead->start = offset;
    ahead->byte_count = wanted;
    return 1;
}

int divan_read_ahead_read(divan_read_ahead *ahead, sqlite3_file *file, void *output, int count,
                          sqlite3_int64 offset) {
    sqlite3_int64 passed = offset - ahead->next;
    int goes_on = passed >= 0 && passed <= pages_passed_over * (sqlite3_int64)count;
    ahead->run = goes_on ? ahead->run + 1 : 0;
    ahead->next = offset + count;
    int is_here = offset >= ahead->start && offset + count <= ahead->start + ahead->byte_count;
    if (!is_here && ahead->run >= pages_before_reading_ahead && count <= buffer_byte_count / 2)
        is_here = fill(ahead, file, count, offset);
    if (!is_here) return file->pMethods->xRead(file, output, count, offset);
    memcpy(output, ahead->buffer + (offset - ahead->start), (size_t)count);
    return SQLITE_OK;
}

void divan_read_ahead_forget(divan_read_ahead *ahead) {
    ahead->byte_count = 0;
    ahead->run = 0;
}

void divan_read_ahead_free(divan_read_ahead *ahead) { sqlite3_free(ahead->buffer); }
