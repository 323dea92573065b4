#ifndef C_DIVAN_STORE_H
#define C_DIVAN_STORE_H

#include <sqlite3.h>
#include <stdint.h>

/// Has SQLite count its memory no more; without effect once the library is in use.
int divan_stop_counting_memory(void);

/// Binds text; SQLite copies it.
int divan_bind_text(sqlite3_stmt *statement, int index, const char *text, int byte_count);

/// Binds bytes; SQLite copies them.
int divan_bind_bytes(sqlite3_stmt *statement, int index, const uint8_t *bytes, int byte_count);

/// Binds text to parameter 1 and steps. SQLite reads the text during the call only; it stays bound
/// until the next call binds another.
int divan_find(sqlite3_stmt *statement, const char *text, int byte_count);

/// `syncfs(2)`, which the system's header shows only to GNU sources.
int divan_sync_file_system(int descriptor);

/// A row of a document table. Every pointer is borrowed for the length of `divan_put_row`.
typedef struct {
    int64_t sequence;
    const char *document_id;
    int document_id_byte_count;
    const uint8_t *revision_id;
    int revision_id_byte_count;
    int64_t flags;
    /// Milliseconds since 1970; 0 = the document does not expire.
    int64_t expiration;
    /// The encoded tree, or null when `known_at` says all there is to say.
    const uint8_t *tree;
    int tree_byte_count;
    /// Without a tree: the remote that has the one revision; 0 = none.
    int64_t known_at;
    const char *body;
    int body_byte_count;
} divan_row;

/// Binds a row to parameters 1 to 8, steps, resets and forgets the pointers: nothing is copied.
/// Returns SQLITE_DONE, or the error.
int divan_put_row(sqlite3_stmt *statement, const divan_row *row);

#endif
