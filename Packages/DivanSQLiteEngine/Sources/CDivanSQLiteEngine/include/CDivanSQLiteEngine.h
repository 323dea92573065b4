#ifndef C_DIVAN_SQLITE_ENGINE_H
#define C_DIVAN_SQLITE_ENGINE_H

#if !__has_include(<sqlite3.h>)
#error "The headers of SQLite are missing; run: sudo apt-get install libsqlite3-dev"
#endif

#include <sqlite3.h>
#include <stdint.h>

/// Returns text from an SQL function; SQLite copies it.
void divan_give_text(sqlite3_context *context, const char *text, int byte_count);

/// Returns a blob from an SQL function; SQLite copies it.
void divan_give_bytes(sqlite3_context *context, const uint8_t *bytes, uint64_t byte_count);

/// A row of a document table, for `divan_put_rows` to borrow while it runs.
typedef struct {
    int64_t sequence;
    const char *document_id;
    int document_id_byte_count;
    const uint8_t *revision_id;
    int revision_id_byte_count;
    int64_t flags;
    /// Milliseconds since 1970, if the document expires.
    int64_t expiration;
    int expires;
    /// The encoded tree, or null if `known_at` says everything.
    const uint8_t *tree;
    int tree_byte_count;
    /// Without a tree: the remote that has the one revision; 0 if none.
    int64_t known_at;
    /// As stored: text, or packed if it begins with `divan_packed_mark`.
    const char *body;
    int body_byte_count;
    /// Bytes of the body when it is not packed.
    int64_t plain_body_byte_count;
} divan_row;

/// The first byte of a packed body, with which no JSON text begins (`PackedBody`).
enum { divan_packed_mark = 4 };

/// Whether a stored body is a packed one.
static inline int divan_is_packed(const uint8_t *body, int64_t byte_count) {
    return byte_count > 0 && body[0] == divan_packed_mark;
}

/// Binds each row to nine parameters, the last of them its checksum, steps, resets and forgets the
/// pointers: nothing is copied. Runs the statement, which takes one or more rows at a time, until no row
/// is left, or one of a run was not changed; `count` is a multiple of what it takes. Returns SQLITE_DONE,
/// or the error; `changed` is set to the number of rows that were added or replaced.
int divan_put_rows(sqlite3_stmt *statement, const divan_row *rows, int count, int *changed);

/// A checksum of bytes; any change within 32 neighbouring bits is certain to change it.
uint32_t divan_checksum(uint32_t seed, const uint8_t *bytes, uint64_t count);

/// The same without the machine's instruction for it.
uint32_t divan_checksum_slowly(uint32_t seed, const uint8_t *bytes, uint64_t count);

/// The checksum that is stored with a row: its upper half covers all columns but the body, with
/// tree and expiration combined by exclusive or; its lower half covers the body.
int64_t divan_row_checksum(const divan_row *row);

/// Whether a row is as it was stored.
typedef enum {
    divan_sound = 0,
    divan_without_checksum = 1,
    divan_damaged_body = 2,
    /// The columns other than the body are not to be trusted.
    divan_damaged_head = 3,
} divan_soundness;

/// The row under a cursor. Every pointer is borrowed until the statement steps again.
typedef struct {
    /// Its tree is null only if the column holds an integer, and its body if it was not read.
    divan_row columns;
    /// The size of its body according to the row.
    int64_t told_body_byte_count;
    /// `divan_sound` if the body was not read: nothing was checked.
    divan_soundness soundness;
} divan_found_row;

/// Reads the row under the cursor, whose columns are those of a document table in the order of
/// `divan_row`, and compares it with its checksum if body and checksum are the last of them.
void divan_get_row(sqlite3_stmt *statement, int with_body, divan_found_row *found);

/// Compares a row that was found without its body with its checksum. Its body was read separately; in the
/// statement, whether it is text takes its place, and the checksum is the last column.
divan_soundness divan_judge_long_row(sqlite3_stmt *statement, divan_found_row found, const char *body,
                                     int byte_count);

/// Binds a document ID to parameter 1, steps, and reads the row that was found, whose head counts as
/// damaged if its ID differs from that in the index.
///
/// Returns the result of the step. SQLite reads the ID during the call only; it stays bound until the
/// next call binds another.
int divan_find_row(sqlite3_stmt *statement, const char *document_id, int byte_count, int with_body,
                   divan_found_row *found);

/// Adds to a connection the SQL functions that maintain checksums (`checksum.c`).
int divan_add_checksums(sqlite3 *connection);

#endif
