#include "CDivanFloors.h"
#include "floors.h"

#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { WINDOW = 64 << 10 };

/// The locations of pieces, packed or plain.
typedef struct {
    uint8_t *bytes;
    size_t *ends;
} pieces;

static pieces new_pieces(const floor_documents *documents) {
    size_t capacity = 0;
    for (size_t i = 0; i < documents->count; i++)
        capacity += compressBound(documents->body_lengths[i]) + 64;
    return (pieces){malloc(capacity), calloc(documents->count + 1, sizeof(size_t))};
}

static void free_pieces(pieces p) { free(p.bytes), free(p.ends); }

static int deflate_all(const floor_documents *documents, int level, pieces packed) {
    z_stream stream = {0};
    if (deflateInit2(&stream, level, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
    int ok = 1;
    for (size_t i = 0; ok && i < documents->count; i++) {
        stream.next_in = (Bytef *)documents->bodies[i];
        stream.avail_in = (uInt)documents->body_lengths[i];
        stream.next_out = packed.bytes + packed.ends[i];
        stream.avail_out = (uInt)compressBound(documents->body_lengths[i]) + 64;
        ok = deflate(&stream, Z_SYNC_FLUSH) == Z_OK && stream.avail_in == 0;
        packed.ends[i + 1] = (size_t)(stream.next_out - packed.bytes);
    }
    deflateEnd(&stream);
    return ok;
}

static int inflate_all(const floor_documents *documents, pieces packed, uint8_t *plain) {
    z_stream stream = {0};
    if (inflateInit2(&stream, -15) != Z_OK) return 0;
    int ok = 1;
    for (size_t i = 0; ok && i < documents->count; i++) {
        stream.next_in = packed.bytes + packed.ends[i];
        stream.avail_in = (uInt)(packed.ends[i + 1] - packed.ends[i]);
        stream.next_out = plain;
        stream.avail_out = (uInt)documents->body_lengths[i] + 64;
        ok = inflate(&stream, Z_SYNC_FLUSH) == Z_OK && stream.avail_in == 0;
    }
    inflateEnd(&stream);
    return ok;
}

// LZ4 refers back to the last 64 KB in place, so each piece is copied to a ring that
// keeps them; pieces larger than half of the ring are split into slices.
static int lz4_pack_all(const floor_documents *documents, pieces packed) {
    static char ring[4 * WINDOW];
    LZ4_stream_t *stream = LZ4_createStream();
    size_t at = 0;
    int ok = stream != NULL;
    for (size_t i = 0; ok && i < documents->count; i++) {
        size_t end = packed.ends[i], done = 0, length = documents->body_lengths[i];
        while (ok && done < length) {
            size_t slice = length - done < WINDOW ? length - done : WINDOW;
            if (at + slice > sizeof ring) at = 0;
            memcpy(ring + at, documents->bodies[i] + done, slice);
            int count = LZ4_compress_fast_continue(stream, ring + at, (char *)packed.bytes + end,
                                                   (int)slice, LZ4_compressBound((int)slice), 1);
            ok = count > 0;
            end += (size_t)count, at += slice, done += slice;
        }
        packed.ends[i + 1] = end;
    }
    if (stream) LZ4_freeStream(stream);
    return ok;
}

static int lz4_unpack_all(const floor_documents *documents, pieces packed) {
    static char ring[4 * WINDOW];
    LZ4_streamDecode_t stream;
    LZ4_setStreamDecode(&stream, NULL, 0);
    size_t at = 0;
    for (size_t i = 0; i < documents->count; i++) {
        if (documents->body_lengths[i] > WINDOW) continue;
        if (at + documents->body_lengths[i] > sizeof ring) at = 0;
        int count = LZ4_decompress_safe_continue(
            &stream, (char *)packed.bytes + packed.ends[i], ring + at,
            (int)(packed.ends[i + 1] - packed.ends[i]), (int)documents->body_lengths[i]);
        if (count < 0) return 0;
        at += (size_t)count;
    }
    return 1;
}

floor_codec_result floor_codec(const floor_documents *documents, size_t rounds, int level) {
    pieces packed = new_pieces(documents);
    size_t longest = 0;
    for (size_t i = 0; i < documents->count; i++)
        if (documents->body_lengths[i] > longest) longest = documents->body_lengths[i];
    uint8_t *plain = malloc(longest + 64);
    int ok = 1;
    double start = floor_work();
    for (size_t i = 0; ok && i < rounds; i++)
        ok = level > 0 ? deflate_all(documents, level, packed) : lz4_pack_all(documents, packed);
    double middle = floor_work();
    for (size_t i = 0; ok && i < rounds; i++)
        ok = level > 0 ? inflate_all(documents, packed, plain) : lz4_unpack_all(documents, packed);
    double end = floor_work();
    floor_codec_result result = {middle - start, end - middle, packed.ends[documents->count]};
    free_pieces(packed);
    free(plain);
    return ok ? result : (floor_codec_result){-1, -1, 0};
}
