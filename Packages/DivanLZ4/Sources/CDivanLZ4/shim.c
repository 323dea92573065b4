#if !__has_include(<lz4.h>)
#error "The headers of LZ4 are missing; run: sudo apt-get install liblz4-dev"
#endif

#include "CDivanLZ4.h"

#include <lz4.h>
#include <stdlib.h>
#include <string.h>

// Room for the history and several blocks, so that the history is moved only once in a few blocks.
enum { block = DIVAN_LZ4_BLOCK_BYTE_COUNT, capacity = 4 * block };

struct divan_lz4_packer {
    LZ4_stream_t stream;
    size_t end;
    char plain[capacity];
};

struct divan_lz4_unpacker {
    size_t end;
    char plain[capacity];
};

divan_lz4_packer *divan_lz4_packer_make(void) {
    divan_lz4_packer *packer = malloc(sizeof *packer);
    if (packer == NULL) return NULL;
    LZ4_initStream(&packer->stream, sizeof packer->stream);
    packer->end = 0;
    return packer;
}

void divan_lz4_packer_reset(divan_lz4_packer *packer) {
    LZ4_initStream(&packer->stream, sizeof packer->stream);
    packer->end = 0;
}

void divan_lz4_packer_free(divan_lz4_packer *packer) { free(packer); }

size_t divan_lz4_bound(size_t count) {
    return DIVAN_LZ4_HEAD_BYTE_COUNT + LZ4_COMPRESSBOUND(count);
}

static size_t varint_byte_count(size_t number) { return number < 0x80 ? 1 : number < 0x4000 ? 2 : 3; }

static size_t put_varint(size_t number, uint8_t *output) {
    size_t at = 0;
    for (; number >= 0x80; number >>= 7) output[at++] = (uint8_t)number | 0x80;
    output[at++] = (uint8_t)number;
    return at;
}

size_t divan_lz4_pack(divan_lz4_packer *packer, const uint8_t *head, size_t head_count,
                      const uint8_t *body, size_t body_count, uint8_t *output) {
    if (head_count > block || body_count > block) return 0;
    size_t count = head_count + body_count;
    if (count == 0 || count > block) return 0;
    if (packer->end + count > capacity) {
        packer->end = (size_t)LZ4_saveDict(&packer->stream, packer->plain, block);
    }
    char *plain = packer->plain + packer->end;
    if (head_count > 0) memcpy(plain, head, head_count);
    if (body_count > 0) memcpy(plain + head_count, body, body_count);
    packer->end += count;
    // The lengths come first, but the packed length is known last: the bytes are packed after the room that it usually
    // needs, and moved if it needs another.
    size_t room = 2 + varint_byte_count(count);
    char *packed = (char *)output + room;
    int result = LZ4_compress_fast_continue(&packer->stream, plain, packed, (int)count,
                                            LZ4_compressBound((int)count), 1);
    if (result <= 0) return 0;
    int is_stored = (size_t)result >= count;
    size_t packed_count = is_stored ? count : (size_t)result;
    size_t length = packed_count * 2 + (size_t)is_stored;
    size_t start = varint_byte_count(length) + varint_byte_count(count);
    if (is_stored) {
        memcpy(output + start, plain, count);
    } else if (start != room) {
        memmove(output + start, packed, packed_count);
    }
    put_varint(count, output + put_varint(length, output));
    return start + packed_count;
}

divan_lz4_unpacker *divan_lz4_unpacker_make(void) {
    divan_lz4_unpacker *unpacker = malloc(sizeof *unpacker);
    if (unpacker != NULL) unpacker->end = 0;
    return unpacker;
}

void divan_lz4_unpacker_reset(divan_lz4_unpacker *unpacker) { unpacker->end = 0; }

void divan_lz4_unpacker_free(divan_lz4_unpacker *unpacker) { free(unpacker); }

const uint8_t *divan_lz4_unpack(divan_lz4_unpacker *unpacker, const uint8_t *input, size_t count,
                                size_t plain_count, int is_stored) {
    if (plain_count == 0 || plain_count > block || count > LZ4_COMPRESSBOUND(block)) return NULL;
    if (unpacker->end + plain_count > capacity) {
        memmove(unpacker->plain, unpacker->plain + unpacker->end - block, block);
        unpacker->end = block;
    }
    char *plain = unpacker->plain + unpacker->end;
    size_t history = unpacker->end < block ? unpacker->end : block;
    if (is_stored) {
        if (count != plain_count) return NULL;
        memcpy(plain, input, count);
    } else {
        int unpacked = LZ4_decompress_safe_usingDict((const char *)input, plain, (int)count,
                                                     (int)plain_count, plain - history,
                                                     (int)history);
        if (unpacked < 0 || (size_t)unpacked != plain_count) return NULL;
    }
    unpacker->end += plain_count;
    return (const uint8_t *)plain;
}
