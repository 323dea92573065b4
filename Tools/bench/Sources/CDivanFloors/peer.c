#include "peer.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BUFFER = 1 << 20, LONGEST = 1 << 17, RECORDS = 1 << 18 };

int floor_connect(int pair[2]) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7F000001)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 1)) return -1;
    getsockname(listener, (struct sockaddr *)&address, &size);
    pair[1] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(pair[1], (struct sockaddr *)&address, size)) return -1;
    pair[0] = accept(listener, NULL, NULL);
    close(listener);
    return pair[0] < 0;
}

floor_peer floor_new_peer(SSL_CTX *context, int socket, int masks, int level) {
    int on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    floor_peer peer = {.ssl = SSL_new(context), .masks = masks};
    peer.in = malloc(BUFFER), peer.out = malloc(BUFFER), peer.packed = malloc(LONGEST);
    // Several records with one system call.
    SSL_set_read_ahead(peer.ssl, 1);
    SSL_set_default_read_buffer_len(peer.ssl, RECORDS);
    SSL_set_fd(peer.ssl, socket);
    if (level > 0) {
        peer.deflater = calloc(1, sizeof(z_stream)), peer.inflater = calloc(1, sizeof(z_stream));
        deflateInit2(peer.deflater, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
        inflateInit2(peer.inflater, -15);
    }
    return peer;
}

void floor_end_peer(floor_peer *peer) {
    close(SSL_get_fd(peer->ssl));
    SSL_free(peer->ssl);
    free(peer->in), free(peer->out), free(peer->packed);
    if (peer->deflater == NULL) return;
    deflateEnd(peer->deflater), inflateEnd(peer->inflater);
    free(peer->deflater), free(peer->inflater);
}

int floor_flush(floor_peer *peer) {
    size_t sent = 0;
    while (sent < peer->out_end) {
        int count = SSL_write(peer->ssl, peer->out + sent, (int)(peer->out_end - sent));
        if (count <= 0) return 0;
        sent += (size_t)count;
    }
    peer->out_end = 0;
    return 1;
}

static void mask(uint8_t *bytes, size_t length, const uint8_t *key) {
    uint64_t word, block;
    memcpy(&word, key, 4), memcpy((uint8_t *)&word + 4, key, 4);
    size_t i = 0;
    for (; i + 8 <= length; i += 8) {
        memcpy(&block, bytes + i, 8);
        block ^= word;
        memcpy(bytes + i, &block, 8);
    }
    for (; i < length; i++) bytes[i] ^= key[i & 3];
}

/// Writes both parts to `to`, compressed if that was agreed on; returns the number of bytes.
static size_t pack(floor_peer *peer, uint8_t *to, const void *head, size_t head_length,
                   const void *body, size_t body_length) {
    z_stream *stream = peer->deflater;
    if (stream == NULL) {
        memcpy(to, head, head_length);
        memcpy(to + head_length, body, body_length);
        return head_length + body_length;
    }
    stream->next_out = to, stream->avail_out = LONGEST;
    stream->next_in = (uint8_t *)head, stream->avail_in = (uInt)head_length;
    deflate(stream, Z_NO_FLUSH);
    stream->next_in = (uint8_t *)body, stream->avail_in = (uInt)body_length;
    deflate(stream, Z_SYNC_FLUSH);
    return LONGEST - stream->avail_out - 4;  // every flush ends with the same four bytes
}

void floor_put(floor_peer *peer, uint8_t type, const void *head, size_t head_length,
               const void *body, size_t body_length) {
    uint8_t *content = peer->packed;
    size_t length = head_length + body_length;
    if (peer->deflater) length = pack(peer, peer->packed, head, head_length, body, body_length);
    uint8_t *out = peer->out + peer->out_end;
    size_t payload = 2 + length + 4, at = 0;
    out[at++] = 0x82;
    if (payload < 126) {
        out[at++] = (uint8_t)(payload | (peer->masks ? 0x80 : 0));
    } else {
        out[at++] = 126 | (peer->masks ? 0x80 : 0);
        out[at++] = (uint8_t)(payload >> 8);
        out[at++] = (uint8_t)payload;
    }
    if (peer->masks) memcpy(out + at, "\x12\x34\x56\x78", 4), at += 4;
    uint8_t *start = out + at;
    start[0] = type, start[1] = 1;
    if (peer->deflater)
        memcpy(start + 2, content, length);
    else
        pack(peer, start + 2, head, head_length, body, body_length);
    peer->crc_out = (uint32_t)crc32(peer->crc_out, head, (uInt)head_length);
    peer->crc_out = (uint32_t)crc32(peer->crc_out, body, (uInt)body_length);
    uint32_t crc = htonl(peer->crc_out);
    memcpy(start + 2 + length, &crc, 4);
    if (peer->masks) mask(start, payload, start - 4);
    peer->out_end += at + payload;
}

/// Decompresses and updates the checksum; `start` of the result is NULL if it does not match.
static floor_message open_payload(floor_peer *peer, const uint8_t *payload, size_t size) {
    floor_message message = {payload[0], payload + 2, size - 6};
    uint32_t crc;
    memcpy(&crc, payload + size - 4, 4);
    if (peer->inflater) {
        z_stream *stream = peer->inflater;
        stream->next_out = peer->packed, stream->avail_out = LONGEST;
        stream->next_in = (uint8_t *)message.start, stream->avail_in = (uInt)message.length;
        inflate(stream, Z_SYNC_FLUSH);
        stream->next_in = (uint8_t *)"\0\0\xFF\xFF", stream->avail_in = 4;
        inflate(stream, Z_SYNC_FLUSH);
        message.start = peer->packed, message.length = LONGEST - stream->avail_out;
    }
    peer->crc_in = (uint32_t)crc32(peer->crc_in, message.start, (uInt)message.length);
    if (ntohl(crc) != peer->crc_in) message.start = NULL;
    return message;
}

floor_message floor_next(floor_peer *peer) {
    for (;;) {
        size_t have = peer->in_end - peer->in_start;
        uint8_t *in = peer->in + peer->in_start;
        if (have >= 4) {
            size_t at = 2, size = in[1] & 0x7F, masked = in[1] >> 7;
            if (size == 126) size = (size_t)in[2] << 8 | in[3], at = 4;
            if (have >= at + masked * 4 + size) {
                uint8_t *payload = in + at + masked * 4;
                if (masked) mask(payload, size, payload - 4);
                peer->in_start += at + masked * 4 + size;
                return open_payload(peer, payload, size);
            }
        }
        if (peer->in_start > 0) {
            memmove(peer->in, in, have);
            peer->in_start = 0, peer->in_end = have;
        }
        int count = SSL_read(peer->ssl, peer->in + peer->in_end, (int)(BUFFER - peer->in_end));
        if (count <= 0) return (floor_message){0};
        peer->in_end += (size_t)count;
    }
}
