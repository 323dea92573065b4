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

/// Walks JSON text byte by byte, following strings and nesting; returns the deepest nesting.
int floor_json_scan(const char *text, size_t length);

/// Copies a message and extends a running CRC-32 over it, as a frame needs; returns the CRC.
uint32_t floor_copy_crc(uint8_t *to, const uint8_t *from, size_t length, uint32_t crc);

/// Inserts the documents `rounds` times, `batch` rows to a transaction; returns seconds, or -1.
double floor_sqlite_insert(const char *path, const floor_documents *documents, size_t rounds,
                           size_t batch);

/// Reads `reads` documents by key out of the file that `floor_sqlite_insert` made, in no order.
double floor_sqlite_read(const char *path, const floor_documents *documents, size_t rounds,
                         size_t reads);

/// Moves `bytes` through a TLS 1.3 session pair over memory buffers, 16 KB records.
double floor_tls_memory(size_t bytes);

/// Two processes over loopback TLS that do only the unavoidable steps of a pull:
/// look up, frame, check, scan, store, answer. Returns seconds for all documents, or -1.
double floor_sync(const char *directory, const floor_documents *documents, size_t rounds);

#endif
