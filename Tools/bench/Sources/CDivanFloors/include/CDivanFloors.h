// Floors: what plain C and the bare libraries reach with the same work, measured in the same run.
#ifndef CDIVANFLOORS_H
#define CDIVANFLOORS_H

#include <stddef.h>
#include <stdint.h>

/// Documents for the floors: ids and JSON bodies, `count` of each.
typedef struct {
    const char *const *ids;
    const char *const *bodies;
    const size_t *body_lengths;
    size_t count;
} floor_documents;

/// Parses every body to a tape: checked, each value and key found, numbers read; returns how many
/// entries there are, or 0 when a body is no JSON.
size_t floor_json_tape(const floor_documents *documents);

/// Makes the delta between each body of two lists, or applies each of `to`, a delta, to that of
/// `from`; both ways from texts to a text, for members at the top. Returns the bytes written, or 0.
size_t floor_delta(const floor_documents *from, const floor_documents *to, int applies);

/// Copies a message and extends a running CRC-32 over it, as a frame needs; returns the CRC.
uint32_t floor_copy_crc(uint8_t *to, const uint8_t *from, size_t length, uint32_t crc);

/// Inserts the documents `rounds` times, `batch` rows to a transaction; returns seconds, or -1.
double floor_sqlite_insert(const char *path, const floor_documents *documents, size_t rounds,
                           size_t batch);

/// Reads `reads` documents by key out of the file that `floor_sqlite_insert` made, in no order; each
/// in a transaction of its own, or all in one. Returns seconds of processor time, or -1.
double floor_sqlite_read(const char *path, const floor_documents *documents, size_t rounds,
                         size_t reads, int in_snapshot);

/// Inserts `count` documents, each in a transaction of its own, synced if `full`; seconds, or -1.
double floor_sqlite_single(const char *path, const floor_documents *documents, size_t count,
                           int full);

/// Reads every row by sequence out of the file of `floor_sqlite_insert`; seconds, or -1.
double floor_sqlite_scan(const char *path, int with_bodies);

/// Inserts documents number `first` and up, `batch` to a transaction, with IDs in order or
/// scattered; returns seconds, or -1.
double floor_sqlite_grow(const char *path, const floor_documents *documents, size_t first,
                         size_t count, size_t batch, int scattered);

/// Opens the file and reads its first document; seconds, or -1.
double floor_sqlite_open(const char *path);

/// A database for queries without Divan; null on failure.
typedef struct floor_query floor_query;
floor_query *floor_query_open(const char *path);
void floor_query_close(floor_query *query);

/// Stores JSON text under an ID; 1 on success.
int floor_query_insert(floor_query *query, const char *id, const char *body, size_t length);

/// Runs statements; seconds of processor time, or -1.
double floor_query_change(floor_query *query, const char *sql);

/// Reads all rows of a statement, or the first one alone; processor time, or -1.
double floor_query_read(floor_query *query, const char *sql, int only_first);

/// Hashes and writes a file of `bytes`, a multiple of 128 KiB, and syncs it; seconds, or -1.
double floor_blob_write(const char *path, size_t bytes);

/// Reads it again; seconds, or -1.
double floor_blob_read(const char *path, size_t bytes);

/// Opens `bytes`, a multiple of 64 KiB, of AES-256-GCM chunk by chunk out of a file that it has just
/// written; seconds, or -1.
double floor_sealed_read(const char *path, size_t bytes);

/// Has the system's cache forget a file that has reached the disk; 0, or -1.
int floor_evict(const char *path);

/// Copies `length` bytes and applies a WebSocket mask on the way.
void floor_copy_masked(uint8_t *to, const uint8_t *from, size_t length, uint32_t key);

/// Writes `count` masked WebSocket frames of `length` bytes, 125 at most, each with a key of its own.
void floor_small_frames(size_t count, size_t length);

/// Copies `length` bytes.
void floor_copy(uint8_t *to, const uint8_t *from, size_t length);

/// What the bare library makes of pieces with one stream and a flush for each.
typedef struct {
    double packing;    // seconds
    double unpacking;  // seconds
    size_t size;       // packed bytes of one round
} floor_codec_result;

/// Packs and unpacks the bodies `rounds` times: raw deflate at `level`, or LZ4 when it is 0.
/// A negative time means that the library failed.
floor_codec_result floor_codec(const floor_documents *documents, size_t rounds, int level);

/// Moves `bytes` through a TLS 1.3 session pair over memory buffers, 16 KB records.
double floor_tls_memory(size_t bytes);

/// Makes `count` full TLS 1.3 handshakes, P-256, over memory buffers; seconds, or -1.
double floor_tls_handshakes(size_t count);

/// Moves `bytes` from one process to another over loopback TLS, `piece` bytes a call; seconds.
double floor_tls_stream(size_t bytes, size_t piece);

/// Sends 64 bytes to another process over loopback TLS and waits for as many, `count` times.
/// `seconds` gets the time of each; returns 0, or -1.
int floor_tls_round_trips(size_t count, double *seconds);

/// Keeps `count` connections idle and returns what each takes in the accepting process; or -1.
double floor_idle_bytes(size_t count, int with_tls);

/// Lets `count` clients in, one after another: a full TLS 1.3 handshake, P-256, one request, one
/// answer. Returns the accepting process's processor time for each in seconds, or -1.
double floor_connects(size_t count);

/// Two processes over loopback TLS that do only the unavoidable steps of a pull or push of `count`
/// documents: look up, frame, check, scan, store, answer. Messages are deflated at `level`, or go
/// as they are when it is 0. Returns seconds for all documents, or -1.
double floor_sync(const char *directory, const floor_documents *documents, size_t count, int level,
                  int is_push);

/// Fills the database file of Couchbase Lite at `path`, which has a document `sync-01`, with `count`
/// others instead, of as many bodies as `kinds` says, and the shared keys that they use; whether it did.
int floor_fill_foreign(const char *path, const floor_documents *bodies, size_t kinds, size_t count,
                       const void *keys, size_t length);

/// Copies `count` documents from one SQLite file into another, 200 to a transaction; seconds.
double floor_copy_database(const char *directory, const floor_documents *documents, size_t count);

/// Sends a file of `bytes`, a multiple of 128 KiB, over loopback TLS to another process, which
/// hashes and writes it and syncs it; seconds, or -1.
double floor_blob_transfer(const char *directory, size_t bytes);

/// Gives memory that was freed back to the system, so that what is taken afterwards can be seen.
void floor_give_memory_back(void);

/// Begins to count the allocations of this process, from 0, or ends it.
void floor_count_allocations(int on);

/// How many there were.
uint64_t floor_allocations(void);

/// Runs this program with other arguments, the first its name, the last NULL, and returns how many
/// system calls all its threads make between two calls of `floor_mark`; -1 when it fails.
int64_t floor_traced_calls(char *const *arguments);

/// In that program: counting begins, or ends.
void floor_mark(void);

#endif
