#ifndef C_DIVAN_SQLITE_H
#define C_DIVAN_SQLITE_H

#if !__has_include(<sqlite3.h>)
#error "The headers of SQLite are missing; run: sudo apt-get install libsqlite3-dev"
#endif

#include <sqlite3.h>
#include <stdint.h>

/// Makes SQLite stop counting its memory, and check the allowance of a thread instead; has no effect once the
/// library is in use, and then returns a code other than SQLITE_OK.
int divan_configure_memory(void);

/// The memory that the calls of one thread may take from SQLite and hold.
typedef struct {
    /// Bytes taken and not returned while the allowance was in use.
    int64_t held;
    /// Bytes that may be held.
    int64_t granted;
    void *context;
    /// Called to request more bytes; returns at least as many, or 0, which makes the request fail
    /// (SQLITE_NOMEM). Must not use SQLite.
    int64_t (*grant)(void *context, int64_t more);
    /// Called now and then when memory is requested, as SQLite does while it compiles and plans; if it returns
    /// other than 0, requests fail. Must not use SQLite.
    int (*must_stop)(void *context);
    int request_count;
} divan_allowance;

/// Applies an allowance to the calls of this thread from now on; null ends that.
void divan_use_allowance(divan_allowance *allowance);

/// Makes the triggers of a connection's tables run, or not; returns SQLITE_OK or the error.
int divan_run_triggers(sqlite3 *connection, int run);

/// Makes the planner of a connection use no Bloom filters; no effect if SQLite was built without its test
/// controls.
void divan_forbid_bloom_filters(sqlite3 *connection);

/// Binds text; SQLite copies it.
int divan_bind_text(sqlite3_stmt *statement, int index, const char *text, int byte_count);

/// Binds bytes; SQLite copies them.
int divan_bind_bytes(sqlite3_stmt *statement, int index, const uint8_t *bytes, int byte_count);

/// Writes the bytes of a log once more where they are, and syncs them, through SQLite's default VFS; an
/// encrypted log stays as it is. Returns SQLITE_OK, even if there is no log, or the error.
///
/// Only while nobody else writes to the log. SQLite takes no locks on it.
int divan_write_log_again(const char *path);

/// Reads the first bytes of a database's file through SQLite's default VFS. Returns SQLITE_OK,
/// SQLITE_DONE if the file has fewer bytes, or the error; `errno` says why a file cannot be
/// opened.
///
/// Whoever closes a descriptor of a file releases every lock of the process on it, also those of SQLite,
/// which then believes it still has them. Its VFS defers closing until it has no locks.
int divan_read_head(const char *path, uint8_t *head, int count);

/// The name of the VFS that reads ahead and gathers writes (`batched_vfs.c`); null if there can be none.
const char *divan_batched_vfs(void);

#endif
