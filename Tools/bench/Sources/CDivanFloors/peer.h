// One end of a BLIP-like conversation, blocking: messages over TLS 1.3 over a socket.
#ifndef FLOOR_PEER_H
#define FLOOR_PEER_H

#include "floors.h"

#include <stdint.h>
#include <zlib.h>

/// A message in transit: a type and its flags, then what the codec and the checksum cover.
typedef struct {
    uint8_t type;
    const uint8_t *start;
    size_t length;
} floor_message;

typedef struct {
    SSL *ssl;
    uint8_t *in, *out, *packed;
    size_t in_start, in_end, out_end;
    uint32_t crc_in, crc_out;
    int masks;
    z_stream *deflater, *inflater;  // both NULL without compression
} floor_peer;

/// Connects two sockets over loopback; the first is the accepted one. Returns 0 on success.
int floor_connect(int pair[2]);

/// Uses a connected socket; clients mask. `level` is deflate's, 0 sends messages uncompressed.
floor_peer floor_new_peer(SSL_CTX *context, int socket, int masks, int level);

/// Ends the connection and frees the peer's memory.
void floor_end_peer(floor_peer *peer);

/// Appends a message of two parts, one WebSocket frame with its checksum; writes nothing yet.
void floor_put(floor_peer *peer, uint8_t type, const void *head, size_t head_length,
               const void *body, size_t body_length);

/// How many bytes wait to be written.
static inline size_t floor_unwritten(const floor_peer *peer) { return peer->out_end; }

/// Writes everything that was put; returns 0 if the connection is gone.
int floor_flush(floor_peer *peer);

/// Returns the next message, reading as much as is available; `start` is NULL at the end. Its
/// bytes are valid until the next call.
floor_message floor_next(floor_peer *peer);

#endif
