// Floors: what plain C and the bare libraries achieve with the same work, measured in the same run.
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

/// Parses every body to a tape: validates it, finds each value and key, reads numbers. Returns the
/// number of entries, or 0 if a body is not JSON.
size_t floor_json_tape(const floor_documents *documents);

/// Computes the delta between each body of two lists, or applies each of `to`, a delta, to that of
/// `from`; both from text to text, for top-level members. Returns the bytes written, or 0.
size_t floor_delta(const floor_documents *from, const floor_documents *to, int applies);

/// Copies a message and updates a running CRC-32 over it, as a frame needs; returns the CRC.
uint32_t floor_copy_crc(uint8_t *to, const uint8_t *from, size_t length, uint32_t crc);

/// Reads bytes from memory and returns the sum of their words: what a scan cannot avoid.
uint64_t floor_read(const uint8_t *bytes, size_t length);

/// Inserts the documents `rounds` times, `batch` rows per transaction; returns seconds, or -1.
double floor_sqlite_insert(const char *path, const floor_documents *documents, size_t rounds,
                           size_t batch);

/// Reads `reads` documents by key from the file that `floor_sqlite_insert` created, in no order; each
/// in its own transaction, or all in one. Returns seconds of processor time, or -1.
double floor_sqlite_read(const char *path, const floor_documents *documents, size_t rounds,
                         size_t reads, int in_snapshot);

/// Inserts `count` documents, each in its own transaction, synced if `full`; seconds, or -1.
double floor_sqlite_single(const char *path, const floor_documents *documents, size_t count,
                           int full);

/// Reads every row by sequence from the file of `floor_sqlite_insert`; seconds, or -1.
double floor_sqlite_scan(const char *path, int with_bodies);

/// Inserts documents number `first` and up, `batch` per transaction, with IDs in order or
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

/// Reads all rows of a statement, or only the first; processor time, or -1.
double floor_query_read(floor_query *query, const char *sql, int only_first);

/// A writer of the file of a `floor_query`, a thread that runs a statement after each save, and another
/// one that is told then; null on failure.
typedef struct floor_live floor_live;
floor_live *floor_live_open(const char *path, const char *sql);
void floor_live_close(floor_live *live);

/// Stores JSON text; wall-clock seconds until the second thread is told, or -1.
double floor_live_save(floor_live *live, const char *id, const char *body, size_t length);

/// Hashes and writes a file of `bytes`, a multiple of 128 KiB, and syncs it; seconds, or -1.
double floor_blob_write(const char *path, size_t bytes);

/// Reads it again; seconds, or -1.
double floor_blob_read(const char *path, size_t bytes);

/// Decrypts `bytes`, a multiple of 64 KiB, of AES-256-GCM chunk by chunk from a file that it has just
/// written; seconds, or -1.
double floor_sealed_read(const char *path, size_t bytes);

/// Evicts a file that has reached the disk from the system's cache; 0, or -1.
int floor_evict(const char *path);

/// Copies `length` bytes, applying a WebSocket mask.
void floor_copy_masked(uint8_t *to, const uint8_t *from, size_t length, uint32_t key);

/// Writes `count` masked WebSocket frames of `length` bytes, at most 125, each with its own key.
void floor_small_frames(size_t count, size_t length);

/// Copies `length` bytes.
void floor_copy(uint8_t *to, const uint8_t *from, size_t length);

/// The bare library's results for pieces in one stream with a flush after each.
typedef struct {
    double packing;    // seconds
    double unpacking;  // seconds
    size_t size;       // packed bytes of one round
} floor_codec_result;

/// Packs and unpacks the bodies `rounds` times: raw deflate at `level`, or LZ4 if it is 0.
/// A negative time means that the library failed.
floor_codec_result floor_codec(const floor_documents *documents, size_t rounds, int level);

/// Transfers `bytes` through a TLS 1.3 session pair over memory buffers, 16 KB records.
double floor_tls_memory(size_t bytes);

/// Performs `count` full TLS 1.3 handshakes, P-256, over memory buffers; seconds, or -1.
double floor_tls_handshakes(size_t count);

/// Transfers `bytes` from one process to another over loopback TLS, `piece` bytes per call; seconds.
double floor_tls_stream(size_t bytes, size_t piece);

/// Sends 64 bytes to another process over loopback TLS and waits for as many, `count` times.
/// `seconds` gets the time of each; returns 0, or -1.
int floor_tls_round_trips(size_t count, double *seconds);

/// Keeps `count` connections idle and returns the memory of each in the accepting process; or -1.
double floor_idle_bytes(size_t count, int with_tls);

/// Accepts `count` clients, one after another: a full TLS 1.3 handshake, P-256, one request, one
/// response. Returns the accepting process's processor time for each in seconds, or -1.
double floor_connects(size_t count);

/// Two processes over loopback TLS that do only the unavoidable steps of a pull or push of `count`
/// documents: look up, frame, check, scan, store, answer. Messages are deflated at `level`, or sent
/// uncompressed if it is 0. Returns seconds for all documents, or -1.
double floor_sync(const char *directory, const floor_documents *documents, size_t count, int level,
                  int is_push);

/// Fills the Couchbase Lite database file at `path`, which has a document `sync-01`, with `count`
/// others instead, with as many different bodies as `kinds`, and their shared keys; returns whether it did.
int floor_fill_foreign(const char *path, const floor_documents *bodies, size_t kinds, size_t count,
                       const void *keys, size_t length);

/// Copies `count` documents from one SQLite file to another, 200 per transaction; seconds.
double floor_copy_database(const char *directory, const floor_documents *documents, size_t count);

/// Sends a file of `bytes`, a multiple of 128 KiB, over loopback TLS to another process, which
/// hashes and writes it and syncs it; seconds, or -1.
double floor_blob_transfer(const char *directory, size_t bytes);

/// Returns freed memory to the system, so that later allocations become visible.
void floor_give_memory_back(void);

/// Starts counting the allocations of this process, from 0, or stops it.
void floor_count_allocations(int on);

/// How many there were.
uint64_t floor_allocations(void);

/// Runs this program with other arguments, the first its name, the last NULL, and returns how many
/// system calls all its threads make between two calls of `floor_mark`; -1 if it fails.
int64_t floor_traced_calls(char *const *arguments);

/// In that program: starts counting, or stops it.
void floor_mark(void);

#endif
